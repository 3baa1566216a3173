"""What a fit is called, the same for all studies."""

from typing import NamedTuple

WHOLE = "whole"


class FitKey(NamedTuple):
    """What identifies one fit, of whatever study: where two ask for the same, it is one job.

    mask : int, which of the held-out masks; None for an unmasked fit, which sees every entry and
        keeps its factors, WHOLE for one that keeps none
    """

    dataset: str
    method: str
    K: int
    mask: int | str | None
    seed: int

    def columns(self) -> dict[str, str | int]:
        """Return the key as columns of a table; an unmasked fit has no mask."""
        return {name: value for name, value in self._asdict().items() if value is not None}
