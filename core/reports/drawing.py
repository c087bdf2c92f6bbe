"""Parts of SVG pictures: rectangles, text in several fonts, and a text of tinted tokens that is broken into lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from unicodedata import bidirectional

from core.reports.fonts import OTHER, font_runs, width

NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0 forbids these characters
ANCHORS = {"start": 0.0, "middle": 0.5, "end": 1.0}  # share of a text's width left of its x
MEASURED = 2_000  # characters of a long word whose width is measured at once
LINE = 1.34  # height of a line of text against its size


def svg(wide: float, high: float, *parts: str, background: str = "") -> str:
    """Return a picture of this size in pixels, without a background if none is named."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:g}" height="{high:g}" viewBox="0 0 {wide:g} {high:g}">'
        f"{rect(0, 0, wide, high, background) if background else ''}{''.join(parts)}</svg>"
    )


def rect(x: float, y: float, wide: float, high: float, fill: str, radius: float = 0, opacity: float = 1.0) -> str:
    """Return a filled rectangle."""
    more = f' rx="{radius:g}"' * bool(radius) + f' fill-opacity="{opacity:.3f}"' * (opacity < 1)
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(0.0, wide):.1f}" height="{high:.1f}" fill="{fill}"{more}/>'


def text(x: float, y: float, content: str, size: float, fill: str, *, bold: bool = False, anchor: str = "start") -> str:
    """Return a line of text whose baseline is at y. anchor: "start", "middle" or "end" of the text is at x.

    Each part with another font is an element of its own, because a missing glyph would change the font of the whole element.
    """
    content = clean(content)
    if is_right_to_left(content):
        return _element(x, y, content, size, fill, bold, OTHER, anchor)
    x -= width(content, size, bold) * ANCHORS[anchor]
    drawn = []
    for part, family in font_runs(content):
        drawn.append(_element(x, y, part, size, fill, bold, family))
        x += width(part, size, bold)
    return "".join(drawn)


def _element(x: float, y: float, content: str, size: float, fill: str, bold: bool, family: str, anchor: str = "start") -> str:
    more = ' font-weight="700"' * bold + f' text-anchor="{anchor}"' * (anchor != "start")
    attributes = f'x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" font-family="{family}" fill="{fill}"'
    return f'<text {attributes}{more} xml:space="preserve">{escape(content)}</text>'


def clean(content: str) -> str:
    """Return the text in one line and without characters that XML forbids."""
    return NOT_XML.sub("\ufffd", content).replace("\n", " ").replace("\t", " ").replace("\r", " ")


def is_right_to_left(content: str) -> bool:
    """Return whether a text has a right-to-left letter."""
    return any(bidirectional(letter) in ("R", "AL") for letter in content)


def shortened(content: str, size: float, room: float, bold: bool = False) -> str:
    """Return the text, cut with an ellipsis to this width in pixels."""
    if width(content, size, bold) <= room:
        return content
    fitting = bisect_right(range(1, len(content) + 1), room, key=lambda length: width(content[:length] + "…", size, bold))
    return content[:fitting].rstrip() + "…"


def paragraph(content: str, size: float, room: float, bold: bool = False) -> list[str]:
    """Return a text broken into lines of this width in pixels."""
    words = [Span(word, bold=bold) for word in re.findall(r"\s+\S*|\S+", content.rstrip())]
    return ["".join(span.text for span in line).strip() for line in broken(words, size, room)]


@dataclass(frozen=True, slots=True)
class Span:
    """A token in a text. depth: strength of the tint, 0 to 1."""

    text: str
    fill: str = ""
    tint: str = ""
    depth: float = 0.0
    bold: bool = False


def broken(spans: Sequence[Span], size: float, room: float) -> list[list[Span]]:
    """Return the lines of a text. A line breaks between words, at a line feed, or inside a word that is longer than a line."""
    lines: list[list[Span]] = [[]]
    used = 0.0
    for word in _grouped(spans):
        wide = sum(width(span.text, size, span.bold) for span in word)
        if word[0].text == "\n":
            lines.append([])
            used = 0.0
            continue
        if used and used + wide > room:
            lines.append([])
            used = 0.0
        for span in word:
            for part in _fitting(span, size, room):
                more = width(part.text, size, part.bold)
                if used + more > room and used:
                    lines.append([])
                    used = 0.0
                lines[-1].append(part)
                used += more
    return lines


def _grouped(spans: Sequence[Span]) -> Iterator[list[Span]]:
    """Yield the tokens of each word. A line feed is a word of its own."""
    word: list[Span] = []
    for span in spans:
        for part in re.findall(r"\n|[^\S\n]*\S+|[^\S\n]+", span.text):
            if word and part[:1].isspace():
                yield word
                word = []
            if part == "\n":
                yield [replace(span, text=part)]
            else:
                word.append(replace(span, text=part))
    if word:
        yield word


def _fitting(span: Span, size: float, room: float) -> Iterator[Span]:
    """Yield the token, in several parts if it is longer than a line."""
    start, longest = 0, len(span.text)
    while True:
        part = span.text[start : start + MEASURED]
        wide = width(part, size, span.bold)
        if len(part) < 2 or (wide <= room and start + len(part) == longest):
            break
        length = len(part) if wide <= room else max(1, int(len(part) * room / wide))
        yield replace(span, text=part[:length])
        start += length
    yield replace(span, text=part)


def spans_in_lines(lines: Sequence[Sequence[Span]], x: float, y: float, size: float, room: float) -> str:
    """Return the drawn lines, the first baseline at y. Lines with right-to-left letters are drawn whole and without tints."""
    drawn = []
    right = any(is_right_to_left("".join(span.text for span in line)) for line in lines[:1])
    for number, line in enumerate(lines):
        base = y + number * size * LINE
        content = clean("".join(span.text for span in line))
        drawn.append(
            _bidirectional(line, x, base, size, room, right) if right or is_right_to_left(content) else _spans(line, x, base, size)
        )
    return "".join(drawn)


def _spans(line: Sequence[Span], x: float, base: float, size: float) -> str:
    tints, drawn = [], []
    for index, span in enumerate(line):
        content = clean(span.text).lstrip() if index == 0 else clean(span.text)
        wide = width(content, size, span.bold)
        lead = width(content, size, span.bold) - width(content.lstrip(), size, span.bold)
        if span.depth:
            before = 0.04 * size if lead or index == 0 else 0  # tokens of one word touch and do not overlap
            after = 0.04 * size if index + 1 == len(line) or line[index + 1].text[:1].isspace() else 0
            box = (x + lead - before, base - 0.95 * size, wide - lead + before + after, 1.25 * size)
            tints.append(rect(*box, span.tint, 0.12 * size, span.depth))
        drawn.append(text(x, base, content, size, span.fill, bold=span.bold))
        x += wide
    return "".join([*tints, *drawn])


def _bidirectional(line: Sequence[Span], x: float, base: float, size: float, room: float, right: bool) -> str:
    parts = ""
    for number, span in enumerate(line):
        content = clean(span.text).lstrip() if number == 0 else clean(span.text)
        parts += f'<tspan fill="{span.fill}">{escape(content)}</tspan>'
    embedded = f"\u202b{parts}\u202c" if right else parts
    attributes = f'x="{x + room:.1f}" text-anchor="end"' if right else f'x="{x:.1f}"'
    return f'<text {attributes} y="{base:.1f}" font-size="{size:g}" font-family="{OTHER}" xml:space="preserve">{embedded}</text>'
