"""How a report names arguments and what to do next: in Python's words, or in those of a command line."""

from typing import Any

FUNCTIONS = {"fit": "nbmf.analyze", "compare": "nbmf.compare"}
OF_METHOD = {
    "view",
    "settings",
    "n_components",
    "names",
    "n_draws",
    "high",
}  # arguments that mean little to another one


class Wording:
    """Python's words. A command line has a class of its own, with the same methods.

    Parameters
    ----------
    asked : dict
        The keyword arguments of `nbmf.analyze`.
    """

    def __init__(self, asked: dict[str, Any]):
        self._asked = asked

    def render(self, message: str) -> str:
        """Return a message that may mention arguments."""
        return str(message)

    @property
    def made_by(self) -> str:
        """What made the analysis."""
        return self.next_command("fit")

    def next_command(self, command: str, *, apart: str = "", another: bool = False, **given: Any) -> str:
        """Return what to type for `fit` or `compare` of the same matrix; for a fit with all else that was asked.

        `apart` says what distinguishes it from the fit that is reported, where both are kept; of `another` method
        arguments of this one are left out.
        """
        if command == "fit":
            left_out = {*given, *(OF_METHOD if another else ())}
            given |= {name: value for name, value in self._asked.items() if name not in left_out}
        words = (f"{name}={value!r}" for name, value in given.items())
        return f"{FUNCTIONS[command]}({', '.join(['V', *words])})"
