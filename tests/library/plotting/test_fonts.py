"""Names in any writing: fonts that are installed, and a warning where none has the letters."""

import warnings

import matplotlib.pyplot as plt
import pytest

from nbmf.plotting import fonts, style

HIEROGLYPH = "\U00013000"  # which no usual font has


def titled(text):
    @style.in_style
    def draw():
        axis = plt.figure().add_subplot()
        axis.set_title(text)
        return axis

    return draw()


def test_fonts_that_are_installed_follow_the_one_of_the_user(monkeypatch):
    monkeypatch.setattr(fonts, "FALLBACKS", ("DejaVu Sans Mono", "no such font", "DejaVu Serif"))
    with plt.rc_context({"font.family": ["DejaVu Serif"]}):
        assert titled("x").title.get_fontfamily() == ["DejaVu Serif", "DejaVu Sans Mono"]


def test_a_fallback_changes_nothing_where_it_is_not_needed(monkeypatch):
    def pixels():
        figure = titled("Names 10 %").figure
        figure.canvas.draw()
        return bytes(figure.canvas.buffer_rgba())

    monkeypatch.setattr(fonts, "FALLBACKS", ())
    before = pixels()
    monkeypatch.setattr(fonts, "FALLBACKS", ("DejaVu Serif",))
    assert pixels() == before


def test_letters_that_no_font_has_are_warned_of(tmp_path):
    """They become identical boxes; Matplotlib has a warning for each."""
    assert fonts.missing_letters(["Zoë Ωmega\u200d\n", f"a{HIEROGLYPH}"]) == {HIEROGLYPH}
    with pytest.warns(UserWarning, match="no installed font") as shown:
        style.save(titled(HIEROGLYPH).figure, tmp_path / "a.png")
    assert len(shown) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        style.save(titled("Zoë").figure, tmp_path / "b.png")
