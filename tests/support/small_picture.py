"""Pictures that are drawn quickly and of which one pixel is written, for tests that look at none."""

from PIL import Image

from nbmf.plotting import map_names, style


def draw_quickly(monkeypatch):
    """Let pictures be of one pixel, and names on maps stay where they are: to move them apart takes seconds."""
    monkeypatch.setattr(style, "save", save)
    monkeypatch.setattr(map_names, "ROUNDS", 1)


def save(figure, *paths, **options):
    """Write one pixel to each path, instead of `nbmf.plotting.style.save`."""
    for path in paths:
        Image.new("1", (1, 1)).save(path, "png")
