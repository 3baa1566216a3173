"""olivetti: 400 photographs of 40 faces, as counts; pixels are rows and images columns."""

from pathlib import Path

import numpy as np
import scipy.io

from nbmf.data.count_matrix import CountMatrix
from nbmf.errors import ConfigError, DataError

SIDE, IMAGES = 64, 400
PERSONS = 40


def build(*, faces: Path, side: int, images: int) -> CountMatrix:
    """Build pixels x images, each pixel the whole part of the mean of a block of the photograph.

    Parameters
    ----------
    faces : path
        MATLAB 5 file with the variable `faces`: uint8, 4096 x 400, pixels column by column.
    side : int
        Pixels of a side; a divisor of 64. Rows of the matrix are pixels row by row, so that
        `column.reshape(side, side)` is an image; ten consecutive columns are one person.
    images : int
        How many, from the first: 400 are all.

    Raises
    ------
    ConfigError
        If the side is no divisor of 64, or there are not so many images.
    DataError
        If the file is no such file.
    """
    if isinstance(side, bool) or not isinstance(side, int) or not 1 <= side <= SIDE or SIDE % side:
        raise ConfigError(f"side is {side!r}; allowed: a divisor of {SIDE}")
    if isinstance(images, bool) or not isinstance(images, int) or not 1 <= images <= IMAGES:
        raise ConfigError(f"images is {images!r}; allowed: an integer from 1 to {IMAGES}")
    block = SIDE // side
    blocks = _pictures(faces).reshape(side, block, side, block, IMAGES)
    counts = blocks.sum(axis=(1, 3), dtype=np.int64) // block**2
    pixels = [f"row {row}, column {column}" for row in range(side) for column in range(side)]
    each = IMAGES // PERSONS
    names = [f"person {n // each + 1}, image {n % each + 1}" for n in range(images)]
    return CountMatrix(counts.reshape(side * side, IMAGES)[:, :images], np.array(pixels), np.array(names))


def _pictures(path: Path) -> np.ndarray:
    """Return the photographs, uint8 (row, column, image)."""
    try:
        content = scipy.io.loadmat(path, variable_names=["faces"])
    except (ValueError, TypeError, NotImplementedError, EOFError, OSError) as error:
        raise DataError(f"{path}: no MATLAB 5 file ({error})") from error
    faces = content.get("faces")
    if faces is None or faces.dtype != np.uint8 or faces.shape != (SIDE * SIDE, IMAGES):
        raise DataError(f"{path}: `faces` has to be uint8, {SIDE * SIDE} x {IMAGES}")
    return faces.reshape(SIDE, SIDE, IMAGES, order="F")
