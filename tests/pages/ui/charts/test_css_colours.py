"""The palette is readable, and can be told apart by those who see colours differently."""

from __future__ import annotations

import tomllib
from itertools import combinations

import pytest

from pages.ui.charts import cost_charts
from pages.ui.charts.css_colours import DARK, LIGHT, Palette
from pages.ui.features import FOLDER
from pages.waiting import waiting_view

THEMES = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
MEANINGS = ("dice", "chosen", "removed", "computed", "reused", "model", "other")

# Machado, Oliveira and Fernandes 2009, severity 1.0, applied to linear RGB.
SEEN = {
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def linear(colour: str) -> list[float]:
    """Return the linear red, green and blue of #RRGGBB, 0 to 1."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]


def luminance(colour: str) -> float:
    """Return the relative luminance of #RRGGBB, 0 to 1, as WCAG 2.2 defines it."""
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, 1 to 21 (WCAG 2.2). Text needs 4.5, parts of a chart 3."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def lab(rgb: list[float]) -> tuple[float, float, float]:
    """CIE L*a*b* (D65) of linear RGB."""
    r, g, b = (min(1.0, max(0.0, c)) for c in rgb)
    x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505
    y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def apart(one: str, other: str, eye: str) -> float:
    """How different two colours look to an eye (Delta E 1976)."""

    def seen(colour: str) -> tuple[float, float, float]:
        rgb = linear(colour)
        return lab(rgb if eye == "usual" else [sum(m * c for m, c in zip(row, rgb, strict=True)) for row in SEEN[eye]])

    return sum((a - b) ** 2 for a, b in zip(seen(one), seen(other), strict=True)) ** 0.5


@THEMES
@pytest.mark.parametrize("name", ["text", "muted_text", "dice_text", "chosen_text", "computed_text", "other_text"])
def test_text_is_readable_on_every_ground(colours: Palette, name: str) -> None:
    for ground in (colours.page, colours.card):
        assert contrast(getattr(colours, name), ground) >= 4.5


@THEMES
@pytest.mark.parametrize("name", ["dice", "chosen", "computed", "doubt", "other"])
def test_what_carries_meaning_stands_out_from_the_page(colours: Palette, name: str) -> None:
    assert contrast(getattr(colours, name), colours.page) >= 3.0


@THEMES
@pytest.mark.parametrize("eye", ["usual", *SEEN])
def test_the_chosen_token_is_told_apart_by_every_eye(colours: Palette, eye: str) -> None:
    for name in MEANINGS:
        if name != "chosen":
            assert apart(colours.chosen, getattr(colours, name), eye) >= 20, name


@THEMES
def test_the_kinds_of_one_chart_are_told_apart(colours: Palette) -> None:
    """Three of the seven kinds of waiting time were drawn in greys, and the weights in a memory as grey as its free part."""
    bar = cost_charts.memory_bar("light" if colours is LIGHT else "dark")["layer"][0]["encoding"]["color"]["scale"]["range"]
    for kinds in ([getattr(colours, name) for name in waiting_view.SHADES], bar):
        for one, other in combinations(kinds, 2):
            assert apart(one, other, "usual") >= 15, (one, other)


@pytest.mark.parametrize(("section", "colours"), [("light", LIGHT), ("dark", DARK)])
def test_the_theme_has_the_colours_of_the_palette(section: str, colours: Palette) -> None:
    theme = tomllib.loads((FOLDER.parent / ".streamlit" / "config.toml").read_text("utf-8"))["theme"][section]
    assert theme["backgroundColor"] == colours.page
    assert theme["textColor"] == colours.text
    assert theme["primaryColor"] == colours.dice
    assert theme["borderColor"] == colours.line
    assert theme["grayTextColor"] == colours.muted_text
