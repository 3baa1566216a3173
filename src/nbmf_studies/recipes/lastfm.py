"""lastfm: which of 285 artists each of 1226 German users of Last.fm has listened to."""

from pathlib import Path

import numpy as np

from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import naming_file
from nbmf_studies.recipes.raw_text import binary_codes, read_records


def build(*, listens: Path) -> BinaryMatrix:
    """Build artists x users: artists sorted by name, users in the order of the file.

    Parameters
    ----------
    listens : path
        CSV of users x artists: the column "user" with an id, then one column of 0 and 1 an artist.
    """
    header, records = read_records(listens, ",", columns=("user",))
    artists = np.array(header[1:])
    users = np.array([fields[0] for _, fields in records])
    codes = np.array([binary_codes(listens, line, fields[1:]) for line, fields in records], dtype=np.int8).reshape(
        users.size, artists.size
    )
    listeners = codes.any(axis=1)  # the paper's matrix leaves out users with no artist
    rows = np.argsort(artists)
    with naming_file(listens):
        return BinaryMatrix(codes[listeners].T[rows], artists[rows], users[listeners])
