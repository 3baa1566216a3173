"""What a fit is called, the same for all studies, and what the random streams of a run are named after."""

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

    def stream(self, starts_as: str | None = None) -> list[str | int]:
        """Return the name of the fit's random stream (nbmf.seeds): published scores depend on it.

        Parameters
        ----------
        starts_as : str, optional
            The method whose stream this one shares, so that both start alike.
        """
        method = starts_as or self.method
        if self.mask in (None, WHOLE):
            return ["complete", self.dataset, method, self.K, self.seed]
        return ["fit", self.dataset, method, self.K, self.mask, self.seed]


def mask_stream(dataset: str, mask: int) -> list[str | int]:
    """Return the name of the random stream of a held-out mask: published scores depend on it."""
    return ["mask", dataset, mask]


def folds_stream(dataset: str) -> list[str]:
    """Return the name of the random stream by which a dataset is dealt into folds, all of them together."""
    return ["folds", dataset]
