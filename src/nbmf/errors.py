"""Errors a user can cause: each names the thing, what was given and what is allowed."""


class NbmfError(Exception):
    """Base class of every error raised on purpose by this package."""


class DataError(NbmfError, ValueError):
    """A data file, matrix or mask is not what it has to be."""


class ConfigError(NbmfError, ValueError):
    """A configuration entry or a parameter of a method has a value that is not allowed."""


class DownloadError(NbmfError, OSError):
    """A raw file could not be obtained from any of its places."""
