"""Fonts for names in any writing: those that are installed, after the one that a user has chosen."""

import contextlib
import functools
import unicodedata
import warnings
from collections.abc import Iterable, Iterator

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.figure import Figure
from matplotlib.text import Text

# Matplotlib's own font has Latin, Greek, Cyrillic, Hebrew and Arabic letters. One of each writing is enough.
FALLBACKS = (
    *("Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR", "Source Han Sans", "WenQuanYi Zen Hei"),
    *("Droid Sans Fallback", "Microsoft YaHei", "Hiragino Sans GB", "PingFang SC", "Yu Gothic", "MS Gothic"),
    *("Malgun Gothic", "Apple SD Gothic Neo", "NanumGothic"),
    *("Noto Sans Devanagari", "Lohit Devanagari", "Nirmala UI", "Kohinoor Devanagari", "Mangal"),
    *("Noto Sans Bengali", "Noto Sans Tamil", "Noto Sans Thai", "Tahoma", "Noto Sans Symbols 2", "Arial Unicode MS"),
)
NO_FONT = (
    "some names have letters that no installed font has, and pictures have boxes for them; install a font of their "
    "writing, such as Noto Sans CJK or Noto Sans Devanagari"
)
WITHOUT_A_SIGN = ("C", "Z", "M")  # Unicode's categories of control characters, blanks and marks


def families() -> list[str]:
    """Return the families of a text: the user's first, then fallbacks that are installed."""
    own = list(mpl.rcParams["font.family"])
    there = set(font_manager.get_font_names())
    return own + [name for name in FALLBACKS if name in there and name not in own]


def missing_letters(texts: Iterable[str]) -> set[str]:
    """Return the letters that none of these families has."""
    letters = {c for text in texts for c in text if unicodedata.category(c)[0] not in WITHOUT_A_SIGN}
    for family in families():
        letters = {c for c in letters if ord(c) not in _letters_of(family)} if letters else letters
    return letters


@functools.cache
def _letters_of(family: str) -> frozenset[int]:
    path = font_manager.findfont(font_manager.FontProperties(family=[family]))
    return frozenset(font_manager.get_font(path).get_charmap())


@contextlib.contextmanager
def suppress_letter_warnings() -> Iterator[None]:
    """Leave Matplotlib's warning of each missing letter to `warn_of_missing_letters`."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        yield


def warn_of_missing_letters(figure: Figure) -> None:
    """Warn if a figure has letters that no font has: Matplotlib draws the same box for each."""
    texts = (text.get_text() for text in figure.findobj(Text) if text.get_visible())
    if missing_letters(texts):
        warnings.warn(NO_FONT, UserWarning, stacklevel=1)  # one place for all pictures, so that it is shown once
