"""Where a copy of this checkout keeps compiled kernels: where the checkout itself keeps them.

numba names a folder after the path of a source file, so that each copy would compile all kernels
anew (half a minute); nbmf names the folder above it after what the sources say, which is enough.
"""

from pathlib import Path

from numba.core.caching import UserProvidedCacheLocator

PACKAGE = Path(__file__).resolve().parents[3] / "src/nbmf"


class CompiledOnce(UserProvidedCacheLocator):
    """What NUMBA_CACHE_LOCATOR_CLASSES names, in the environment of a copy."""

    @classmethod
    def get_suitable_cache_subpath(cls, py_file):
        _, package, module = py_file.rpartition("/src/nbmf/")
        return super().get_suitable_cache_subpath(str(PACKAGE / module) if package else py_file)
