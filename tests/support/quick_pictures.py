"""Pictures drawn at once, for tests of commands that look at no picture: empty ones, in files of the same names."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from matplotlib.figure import Figure

from nbmf.output.folder import OutputFolder


@contextmanager
def draw_quickly() -> Iterator[None]:
    """Let results have empty pictures."""
    write = OutputFolder.write_pictures

    def write_empty(folder, pictures):
        write(folder, [picture._replace(draw=lambda: Figure(figsize=(1, 1))) for picture in pictures])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OutputFolder, "write_pictures", write_empty)
        yield
