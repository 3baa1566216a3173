"""digits: black pixels of handwritten digits, from the copy inside scikit-learn."""

from sklearn.datasets import load_digits

from nbmf.data.matrix import BinaryMatrix

IMAGES = 300
INK = 8  # of 0 to 16


def build() -> BinaryMatrix:
    """Build 64 pixels x 300 images: 1 where at least half of the ink is."""
    digits = load_digits()
    images = digits.images[:IMAGES]
    _, height, width = images.shape
    pixels = [f"pixel {y},{x}" for y in range(height) for x in range(width)]
    names = [f"image {i}: a {digit}" for i, digit in enumerate(digits.target[:IMAGES])]
    return BinaryMatrix.from_array(images.reshape(IMAGES, -1).T >= INK, pixels, names)
