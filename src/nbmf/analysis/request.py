"""What is asked of an analysis, checked before anything is computed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypedDict

from nbmf.catalogue import METHODS
from nbmf.errors import ConfigError, Setting, choices, not_allowed
from nbmf.inference.declarations import View
from nbmf.inference.parameters import TRUE_OR_FALSE, Rule, at_least, check, is_auto, one_of


class AnalyzeArguments(TypedDict, total=False):
    """The keyword arguments of `nbmf.analyze` that say what is done; None: it decides."""

    method: str | None
    n_components: int | str | None
    iterations: int | None
    chains: int | None
    n_draws: int | None
    settings: Mapping[str, Any] | None
    seed: int
    check: bool
    view: str | None
    names: Sequence[str] | None
    high: Sequence[str] | None


def _or_none(rule: Rule) -> Rule:
    return Rule(lambda value: value is None or rule.holds(value), f"{rule.allowed}, or None")


def _are_texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(each, str) and each for each in value)


_NUMBER = _or_none(at_least(1))
RULES = {
    "n_components": Rule(
        lambda given: is_auto(given) or _NUMBER.holds(given), f"{at_least(1).allowed}, 'auto' or None"
    ),
    "iterations": _NUMBER,
    "chains": _NUMBER,
    "n_draws": _or_none(at_least(0)),
    "settings": _or_none(Rule(lambda value: isinstance(value, Mapping), "a dict of arguments of the method")),
    "seed": at_least(0),
    "check": TRUE_OR_FALSE,
    "view": _or_none(one_of(*map(str, View))),
    "names": _or_none(Rule(_are_texts, "a list of texts")),
    "high": _or_none(Rule(_are_texts, "a list of names of rows")),
}


@dataclass(frozen=True)
class Request:
    """What is asked of an analysis; see `nbmf.analyze`."""

    method: str | None = None
    n_components: int | str | None = None
    iterations: int | None = None
    chains: int | None = None
    n_draws: int | None = None
    settings: Mapping[str, Any] | None = field(default_factory=dict)
    seed: int = 0
    check: bool = True
    view: str | None = None
    names: Sequence[str] | None = ()
    high: Sequence[str] | None = ()

    @classmethod
    def of(cls, asked: Mapping[str, Any]) -> Self:
        """Return the request of some keyword arguments.

        Raises
        ------
        ConfigError
            If one is unknown, or has a value that is not allowed.
        """
        for name, value in asked.items():
            if name not in cls.__dataclass_fields__:
                raise ConfigError(f"unknown argument {name!r}; {choices(name, cls.__dataclass_fields__)}")
            check(name, value, RULES)
        method = asked.get("method")
        if method is not None and not (isinstance(method, str) and method in METHODS):
            raise not_allowed("method", method, METHODS)
        names = asked.get("names") or ()
        if repeated := [name for name in names if list(names).count(name) > 1]:
            raise ConfigError(Setting("names", list(names)), f": {repeated[0]!r} is there twice")
        return cls(**asked)

    def without_components(self) -> Self:
        """Return the request for a fit without components: one chain or start and no draws, if none were asked for."""
        return replace(self, chains=self.chains or 1, n_draws=self.n_draws or 0)

    @property
    def is_open(self) -> bool:
        """Whether neither a method nor anything of its own is named, so that one is chosen by what it predicts."""
        return self.check and not (self.method or self.n_components or self.settings)
