"""A chart as a picture for slides and papers: the chart itself, its title, its legend, and one line that says what made it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape, unescape
from typing import Any

from core.errors import InputError
from core.palette import Palette
from core.palette import of as palette_of
from core.reports import drawing, fonts
from core.reports.drawing import text

WIDE = 760  # pixels of a chart; a PNG has twice as many
MARGIN = 28
SCALE = 2.0  # pixels of a PNG for each pixel on screen
MOST_ROWS = 20_000
TITLE, NOTE, SMALL = 23, 15, 13  # pixels
TEXT = re.compile(r'(<text (?:(?!font-family=")[^<>])*+font-family=")([^"<>]*)("[^<>]*>)([^<]*)(</text>)')


@dataclass(frozen=True, slots=True)
class Caption:
    """The texts around a chart. note: what it shows. legend: (colour, meaning) pairs. line: model, prompt, settings and seed."""

    title: str
    note: str = ""
    legend: tuple[tuple[str, str], ...] = ()
    line: str = ""


@dataclass(frozen=True, slots=True)
class Drawing:
    """An SVG drawing without a background, and its size in pixels."""

    content: str
    wide: float
    high: float


def of_chart(spec: dict[str, Any], rows: Sequence[dict[str, Any]], colours: Palette) -> Drawing:
    """Return the drawing of a Vega-Lite chart with these rows, made offline. Raises InputError for a chart without rows."""
    import vl_convert

    if not rows:
        raise InputError("This chart has no rows yet, so there is no picture to save.")
    full_spec = {**spec, "data": {"values": [_finite(row) for row in rows[:MOST_ROWS]]}}
    if "hconcat" not in spec:
        full_spec |= {"width": WIDE, "autosize": {"type": "fit-x", "contains": "padding"}}
    config: dict[str, Any] = {"font": "Liberation Sans", "background": None, "view": {"stroke": None}}
    config |= {kind: {"labelColor": colours.muted_text, "titleColor": colours.muted_text} for kind in ("axis", "legend", "header")}
    drawn = vl_convert.vegalite_to_svg(json.dumps(full_spec), allowed_base_urls=[], config=config, show_warnings=False)
    size = re.search(r'width="([\d.]+)" height="([\d.]+)"', drawn)
    assert size is not None
    return Drawing(TEXT.sub(_with_fonts, drawn), float(size[1]), float(size[2]))


def _finite(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row without numbers that JSON does not know."""
    return {name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in row.items()}


def _with_fonts(match: re.Match[str]) -> str:
    """Return a text element of Vega with fonts that have its characters, one element for each font."""
    before, _family, middle, escaped, after = match.groups()
    content = unescape(escaped)
    runs = list(fonts.font_runs(content))
    if len(runs) < 2 or drawing.is_right_to_left(content):
        return f"{before}{runs[0][1] if runs else fonts.FAMILY}{middle}{escaped}{after}"
    attributes = before + middle
    size = float((re.search(r'font-size="([\d.]+)', attributes) or ["", "11"])[1])
    bold = re.search(r'font-weight="(bold|[6-9]00)"', attributes) is not None
    anchor = (re.search(r'text-anchor="(\w+)"', attributes) or ["", "start"])[1]
    x = -drawing.ANCHORS[anchor] * fonts.width(content, size, bold)
    parts = []
    for part, family in runs:
        start = re.sub(r'text-anchor="\w+"', "", before).replace("<text ", f'<text x="{x:.1f}" xml:space="preserve" ', 1)
        parts.append(f"{start}{family}{re.sub(r'text-anchor=.[a-z]+.', '', middle)}{escape(part)}{after}")
        x += fonts.width(part, size, bold)
    return "".join(parts)


def framed(drawn: Drawing, caption: Caption, colours: Palette) -> str:
    """Return the picture as SVG: title, note and legend above the drawing, the line that says what made it below."""
    room, parts, y = drawn.wide, [], MARGIN * 0.6
    wide = drawn.wide + 2 * MARGIN
    for content, size, ink, bold in ((caption.title, TITLE, colours.text, True), (caption.note, NOTE, colours.muted_text, False)):
        for line in drawing.paragraph(content, size, room, bold) if content else []:
            y += 1.3 * size
            parts.append(text(MARGIN, y, line, size, ink, bold=bold))
    for colour, meaning, x, row in _legend(caption.legend, room):
        parts.append(drawing.rect(MARGIN + x, y + 1.5 * NOTE * (row + 1) - 11, 12, 12, colour, 3))
        parts.append(text(MARGIN + x + 18, y + 1.5 * NOTE * (row + 1), meaning, NOTE, colours.muted_text))
    y += 1.5 * NOTE * (1 + max((row for *_entry, row in _legend(caption.legend, room)), default=-1)) + 14
    parts.append(f'<g transform="translate({MARGIN},{y:.1f})">{_nested(drawn)}</g>')
    y += drawn.high + 6
    for line in drawing.paragraph(caption.line, SMALL, room) if caption.line else []:
        y += 1.35 * SMALL
        parts.append(text(MARGIN, y, line, SMALL, colours.muted_text))
    return drawing.svg(wide, math.ceil(y + MARGIN * 0.7), *parts, background=colours.page)


def _nested(drawn: Drawing) -> str:
    """Return the drawing for use inside another picture: a browser and resvg clip it to its own size otherwise."""
    return drawn.content.replace("<svg ", '<svg overflow="visible" ', 1)


def _legend(entries: Iterable[tuple[str, str]], room: float) -> list[tuple[str, str, float, int]]:
    """Return the places of the entries of a legend: colour, meaning, x, row."""
    placed, x, row = [], 0.0, 0
    for colour, meaning in entries:
        wide = 18 + fonts.width(meaning, NOTE)
        if x and x + wide > room:
            x, row = 0.0, row + 1
        placed.append((colour, meaning, x, row))
        x += wide + 24
    return placed


def picture(draw: Callable[[Palette], Drawing], caption: Caption, theme: str) -> str:
    """Return a picture as SVG. draw: returns the drawing in the colours of a theme."""
    colours = palette_of(theme)
    return framed(draw(colours), caption, colours)
