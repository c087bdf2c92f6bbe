"""Fonts of pictures: which font draws a character, how wide it is, and which characters no font of this machine has.

vl-convert contains Liberation Sans, so Latin, Greek and Cyrillic look the same on every machine. Its widths are those of Helvetica. Other
characters need a font of the machine. Their font and width are found by drawing them once.
"""

from __future__ import annotations

import io
import unicodedata
import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html import escape

FAMILY = "'Liberation Sans', Arial, Helvetica, sans-serif"
OTHER = "'DejaVu Sans', 'Noto Sans', 'Segoe UI', 'Arial Unicode MS', sans-serif"
EMOJI = "'Noto Color Emoji', 'Apple Color Emoji', 'Segoe UI Emoji', 'DejaVu Sans'"
UNASSIGNED = "\u0378"  # no font has a glyph for it
_SIZE = 32  # pixels, of a trial drawing
# Widths of Helvetica and Helvetica Bold in thousandths of the size, from the space to the tilde (Adobe font metrics).
_WIDTHS = [
    *(278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, *[556] * 10, 278, 278, 584, 584, 584, 556),
    *(1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667),
    *(611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500),
    *(278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584),
]
_BOLD = [
    *(278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, *[556] * 10, 333, 333, 584, 584, 584, 611),
    *(975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667),
    *(611, 333, 278, 333, 584, 556, 333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611, 611, 611, 389, 556),
    *(333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584),
]
_COVERED = ((0x20, 0x17F), (0x386, 0x3CE), (0x401, 0x45F), (0x2013, 0x2014), (0x2018, 0x201E), (0x2020, 0x2022), (0x2026, 0x2026))
_MORE = set("€™‰‹›→←↑↓−≈≠≤≥")


def is_covered(letter: str) -> bool:
    """Return whether Liberation Sans has this character."""
    return letter in _MORE or any(first <= ord(letter) <= last for first, last in _COVERED)


def family_of(letter: str) -> str:
    """Return the font families that draw a character."""
    if is_covered(letter):
        return FAMILY
    return EMOJI if ord(letter) >= 0x1F000 else OTHER


def font_runs(text: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a text that one font draws, as (part, families). Marks and joiners stay with the character before them."""
    part, family = "", ""
    for letter in text:
        letter_family = family if part and (is_mark(letter) or letter == " ") else family_of(letter)
        if letter_family != family and part:
            yield part, family
            part = ""
        part, family = part + letter, letter_family
    if part:
        yield part, family


def is_mark(letter: str) -> bool:
    """Return whether a character changes the one before it: a combining mark, a joiner, a variation selector or a skin colour."""
    return unicodedata.category(letter) in ("Mn", "Me", "Cf") or 0x1F3FB <= ord(letter) <= 0x1F3FF


def width(text: str, size: float, bold: bool = False) -> float:
    """Return the width of a text in pixels, within a few percent.

    >>> round(width("Once upon a time", 100))
    789
    """
    return sum(_advance(letter, bold) for letter in text) * size


@lru_cache(4096)
def _advance(letter: str, bold: bool) -> float:
    """Return the width of a character of size 1."""
    if " " <= letter <= "~":
        return (_BOLD if bold else _WIDTHS)[ord(letter) - 32] / 1000
    if is_mark(letter):
        return 0.0
    if not letter.isprintable():
        return 0.6  # drawn as a replacement character
    plain = unicodedata.normalize("NFKD", letter)[0]
    if is_covered(letter) and " " <= plain <= "~":
        return _advance(plain, bold)
    wide = _right_edge(f"{letter}|", family_of(letter)) - _right_edge("|", family_of(letter))
    return min(2.0, max(0.2, wide / _SIZE))


def missing(texts: Iterable[str]) -> list[str]:
    """Return the characters that no font of this machine can draw, in the order in which they occur."""
    letters = dict.fromkeys(letter for text in texts for letter in text if not is_covered(letter) and letter not in "\n\t\r")
    return [letter for letter in letters if letter.isprintable() and not is_mark(letter) and _is_missing(letter)]


def warn_of_missing(texts: Iterable[str]) -> None:
    """Warn of characters that a picture shows as empty boxes, for callers without a page."""
    if letters := missing(texts):
        warnings.warn(f"No font of this machine has {' '.join(letters[:20])}; the picture shows boxes instead.", stacklevel=4)


@lru_cache(4096)
def _is_missing(letter: str) -> bool:
    """Return whether the drawing of a character is that of an unassigned one: an empty box."""
    return _drawn(letter, family_of(letter)) == _drawn(UNASSIGNED, family_of(letter))


@lru_cache(256)
def _drawn(text: str, family: str) -> bytes:
    import vl_convert

    picture = f'<text x="4" y="{_SIZE * 1.2}" font-size="{_SIZE}" font-family="{family}">{escape(text)}</text>'
    size = f'width="{4 * _SIZE}" height="{1.6 * _SIZE}"'
    drawn: bytes = vl_convert.svg_to_png(f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{picture}</svg>')
    return drawn


def _right_edge(text: str, family: str) -> float:
    from PIL import Image

    box = Image.open(io.BytesIO(_drawn(text, family))).getchannel("A").getbbox()
    return float(box[2]) if box else 0.0
