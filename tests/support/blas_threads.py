"""How many threads BLAS has."""

from threadpoolctl import threadpool_info


def blas_threads() -> set[int]:
    """Return the limits of all BLAS libraries that are loaded."""
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}
