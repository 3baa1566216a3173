"""What each constructor parameter may be: one name, one meaning, one check.

Here are the parameters that several families share. A family adds its own to `rules` of its
classes, so that a new one concerns that family alone.
"""

import functools
import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from nbmf.errors import ConfigError, Message, Setting, UndeclaredError, choices, not_allowed, warn


class Rule(NamedTuple):
    """A check and the words that say what it allows."""

    holds: Callable[[Any], bool]
    allowed: str


def is_integer(value: Any) -> bool:
    """Whether a value is an integer, Python's or NumPy's, and no truth value."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.bool_)


def is_number(value: Any) -> bool:
    """Whether a value is an integer or a floating-point number."""
    return is_integer(value) or isinstance(value, float | np.floating)


TRUE_OR_FALSE = Rule(lambda value: isinstance(value, bool | np.bool_), "True or False")


def at_least(least: int) -> Rule:
    """Return the rule for integers of at least `least`."""
    return Rule(lambda value: is_integer(value) and value >= least, f"an integer of at least {least}")


def one_of(*texts: str) -> Rule:
    """Return the rule for one of some texts."""
    words = f"{', '.join(texts[:-1])} or {texts[-1]}"
    return Rule(lambda value: isinstance(value, str) and value in texts, words)


# Of the rules of nbmf.inference.stopping.
TOLERANCES = ("mean_change_tol", "relative_gain_tol", "relative_change_tol", "bound_gain_tol", "deviance_gain_tol")
AT_LEAST_ZERO = Rule(lambda value: is_number(value) and 0 <= value < np.inf, "a number of at least 0")

MOST_COMPONENTS = 1_000_000  # a prior may have a number for each of them: to check more takes minutes


AUTO = "auto"  # as n_components: what held-out entries say, see nbmf.inference.component_search


def is_auto(value: Any) -> bool:
    """Whether a value is AUTO; NumPy compares an array with it number by number."""
    return isinstance(value, str) and value == AUTO


def components(least: int, may_search: bool = False, given: Any = None) -> Rule:
    """Return the rule for `n_components`, of a method whose K is given or, if it may, searched for.

    Its words explain a `given` "auto" that is not allowed.
    """
    allowed = f"an integer from {least} to {MOST_COMPONENTS}" + f", or {AUTO!r}" * may_search
    if not may_search and isinstance(given, str):
        allowed += ", of which the data decide how many are used"
    return Rule(
        lambda value: (is_integer(value) and least <= value <= MOST_COMPONENTS) or (may_search and is_auto(value)),
        allowed,
    )


RULES = {
    "n_components": components(1),
    "max_memory_gb": Rule(lambda value: is_number(value) and 0 < value < np.inf, "a positive number"),
    "max_iter": at_least(1),
    "burn_in": at_least(0),
    "n_samples": at_least(1),
    "threads": at_least(1),
    **dict.fromkeys(TOLERANCES, AT_LEAST_ZERO),
    "random_state": Rule(
        lambda value: value is None or (is_integer(value) and value >= 0) or isinstance(value, np.random.SeedSequence),
        "None, an integer of at least 0, or a numpy SeedSequence",
    ),
}


def check(name: str, value: Any, rules: dict[str, Rule] = RULES) -> None:
    """Raise ConfigError if `value` is not allowed for `name`; names without a rule are free."""
    if name in rules and not rules[name].holds(value):
        raise not_allowed(name, value, rules[name].allowed)


def check_count(name: str, value: Any, least: int) -> None:
    """Raise ConfigError if `value` is no integer of at least `least`."""
    check(name, value, {name: at_least(least)})


# What an estimator says of its fit, whichever class defines it: see `as_fitted`.
OF_FIT = ("factors_", "findings", "findings_of", "finds_components", "variant", "mean", "mean_at", "predictive_of")


def as_fitted(method: Callable | property) -> Callable | property:
    """Have a method or property of an estimator see the parameters of the fit: what is set later is for the next one.

    Otherwise a fit without effects would predict new rows as if it had some as soon as `set_params` asks for them.
    """
    if isinstance(method, property):
        return property(as_fitted(method.fget))

    @functools.wraps(method)
    def with_parameters_of_fit(self, *args, **options):
        fitted = self._fitted_parameters
        given = {name: vars(self)[name] for name in fitted}
        vars(self).update(fitted)
        try:
            return method(self, *args, **options)
        finally:
            vars(self).update(given)

    return with_parameters_of_fit


class Parametrized:
    """The constructor's parameters: given and set by name, checked, shown.

    Attributes
    ----------
    rules : dict
        From the name of a parameter to its Rule.
    old_names : dict
        From a name that a parameter had to the one it has: the old one is taken, with a FutureWarning.
    """

    rules: ClassVar[dict[str, Rule]] = RULES
    old_names: ClassVar[dict[str, str]] = {}
    _fitted_parameters: Mapping[str, Any] = MappingProxyType({})  # those that decide about results

    def __init_subclass__(cls, **options: Any) -> None:
        """Have what a class defines of OF_FIT see the parameters of the fit."""
        super().__init_subclass__(**options)
        for name in OF_FIT:
            own = vars(cls).get(name)
            if callable(own) or isinstance(own, property):
                setattr(cls, name, as_fitted(own))

    def __new__(cls, *args: Any, **given: Any) -> Self:
        """Make an estimator; of a class that has no constructor it is said how it gets one."""
        if cls.__init__ is object.__init__ and (args or given):
            how = "@with_parameters of nbmf.inference.constructors makes annotated attributes parameters"
            raise UndeclaredError(f"{cls.__name__} has no parameters: {how}")
        return super().__new__(cls)

    @classmethod
    def parameter_names(cls) -> list[str]:
        """Return the names of the constructor's parameters."""
        return list(_names_of(cls))

    @classmethod
    def by_current_names(cls, given: Mapping[str, Any], *, warns: bool = True) -> dict[str, Any]:
        """Return parameters by the names they have today, of those that were renamed.

        Raises
        ------
        ConfigError
            If a parameter is given by both names.

        Warns
        -----
        FutureWarning
            Of each old name, unless `warns` is False: a file cannot be written again.
        """
        for old, new in cls.old_names.items():
            if old not in given:
                continue
            if new in given:
                renamed = Setting(old, given[old]), ": is now called ", Setting(new)
                raise ConfigError(*renamed, ", which is given as well")
            if warns:
                message = Message(f"{cls.__name__}: ", Setting(old), " is now called ", Setting(new))
                warn(message, FutureWarning)
        return {cls.old_names.get(name, name): value for name, value in given.items()}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's parameters and their values."""
        return {name: getattr(self, name) for name in self.parameter_names()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the next fit by name; their values are checked by `fit`.

        Raises
        ------
        ConfigError
            If there is no such parameter; none is set then.
        """
        params, allowed = self.by_current_names(params), self.parameter_names()
        for name in params:
            if name not in allowed:
                class_name = type(self).__name__
                raise ConfigError(f"{class_name} has no parameter {name!r}; {choices(name, allowed)}")
        vars(self).update(params)
        return self

    def keep_parameters(self) -> None:
        """Take the present parameters for those of the fit; how many threads compute changes no result."""
        self._fitted_parameters = {name: value for name, value in self.get_params().items() if name != "threads"}

    def check_parameters(self) -> None:
        """Raise ConfigError if a parameter has a value that is not allowed."""
        for name, value in self.get_params().items():
            check(name, value, self.rules)

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({given})"


@functools.cache
def _names_of(cls: type) -> tuple[str, ...]:
    """Return the names of a constructor's parameters: a signature takes longer to read than an estimator to make."""
    return tuple(inspect.signature(cls).parameters)
