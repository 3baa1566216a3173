"""A picture in the place of those that take a while to write."""

from PIL import Image


def save(figure, *paths, **options):
    """Write one pixel to each path, in the place of `nbmf.plotting.style.save`."""
    for path in paths:
        Image.new("1", (1, 1)).save(path, "png")
