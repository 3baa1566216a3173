"""Errors a user can cause: each names the thing, what was given and what is allowed."""

import difflib
from collections.abc import Collection


class NbmfError(Exception):
    """Base class of every error raised on purpose by this package."""


class DataError(NbmfError, ValueError):
    """A data file, matrix or mask is not what it has to be."""


class ConfigError(NbmfError, ValueError):
    """A configuration entry or a parameter of a method has a value that is not allowed."""


class DownloadError(NbmfError, OSError):
    """A raw file could not be obtained from any of its places."""


class NotFittedError(NbmfError, ValueError, AttributeError):
    """A method was asked for what only a fit learns."""


class NotSupportedError(NbmfError, AttributeError):
    """A method was asked for what its model does not have; `hasattr` says no."""


class NotConvergedWarning(UserWarning):
    """A fit ran out of iterations before its stopping rule was met."""


class CollapsedWarning(UserWarning):
    """Components of a fit are the same, so that they describe nothing."""


class ConstantFeatureWarning(UserWarning):
    """A real feature does not vary, so that only a floor keeps its density finite."""


class ChainsNotConvergedWarning(UserWarning):
    """Chains do not agree well enough to be trusted; the message says what to do."""


def choices(given: str, allowed: Collection[str]) -> str:
    """Return the words for what is allowed in the place of `given`, with the nearest one."""
    near = difflib.get_close_matches(str(given), list(allowed), n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    return f"allowed are {', '.join(allowed)}{hint}"
