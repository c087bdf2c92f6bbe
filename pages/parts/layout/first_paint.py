"""First paint: what a browser shows before Streamlit's own code has come, a page's heading and the result of its recorded experiment.

Server-side rendering of a few words and bars, written once by `python -m pages.parts.layout.first_paint_pages` into
`first_paint.<language>.json` and put into the document by `runtime/first_paint.py`. It lies in a closed shadow tree: no style reaches in
or out, nothing looks into it, and it is gone as soon as the page behind it has been drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby
from pathlib import Path

from pages.parts.layout import palette

HERE = Path(__file__).parent
LONGEST = 320  # characters of a text


@dataclass(frozen=True, slots=True)
class Bar:
    """One row: what it is called, its length as a share of the longest possible, the number in words; kind: a colour of the palette."""

    label: str
    share: float
    told: str
    kind: str = "dice"


@dataclass(frozen=True, slots=True)
class Bars:
    """Rows under one another. title: above them."""

    rows: tuple[Bar, ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """A text. pieces: each with the depth of its tint, 0 to 1; kind: the tint's colour; prompt: what stood before, in grey.

    Texts that follow one another stand side by side where there is room.
    """

    pieces: tuple[tuple[str, float], ...]
    title: str = ""
    prompt: str = ""
    kind: str = "dice"


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence; quiet: in grey."""

    text: str
    quiet: bool = False


Part = Bars | Words | Line


@dataclass(frozen=True, slots=True)
class FirstPaint:
    """What stands on one page: its heading, the term of art behind it, one sentence, and a result; menu: its groups."""

    title: str
    term: str
    lead: str
    parts: tuple[Part, ...]
    menu: tuple[str, ...] = ()
    modest: bool = False  # a heading in one quiet line, as on Watch


def plain(text: str) -> str:
    """In one line, and no longer than fits."""
    text = " ".join(text.replace("**", "").split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rsplit(' ', 1)[0]} …"


def scaled(rows: Sequence[Bar]) -> tuple[Bar, ...]:
    """The same rows with the longest bar as long as can be."""
    most = max((row.share for row in rows), default=0.0)
    return tuple(replace(row, share=row.share / most) for row in rows) if most > 0 else tuple(rows)


def drawn(it: FirstPaint) -> str:
    """The HTML of its shadow tree."""
    term = f" <small>{escape(it.term)}</small>" if it.term else ""
    if it.modest:
        heading = f'<p class="modest"><b>{escape(it.title)}.</b> {escape(plain(it.lead))}</p>'
    else:
        heading = f'<p class="title">{escape(it.title)}{term}</p><p class="quiet">{escape(plain(it.lead))}</p>'
    rows = [list(parts) for _kind, parts in groupby(it.parts, type)]
    body = "".join(f'<div class="{"columns" if _abreast(row) else "row"}">{"".join(map(_part, row))}</div>' for row in rows)
    return f"<nav>{''.join(f'<span>{escape(group)}</span>' for group in it.menu)}</nav><main>{heading}{body}</main>"


def _abreast(row: Sequence[Part]) -> bool:
    return len(row) > 1 and isinstance(row[0], Words)


def _part(part: Part) -> str:
    if isinstance(part, Line):
        return f'<p class="{"quiet" if part.quiet else "line"}">{escape(plain(part.text))}</p>'
    title = f'<p class="section">{escape(part.title)}</p>' if part.title else ""
    return f"<section>{title}{_words(part) if isinstance(part, Words) else _bars(part)}</section>"


def _words(part: Words) -> str:
    pieces = "".join(
        f'<span style="--depth:{depth:.2f}">{_one_line(piece)}</span>' if depth else _one_line(piece) for piece, depth in part.pieces
    )
    before = f"<i>{escape(' '.join(part.prompt.split()))}</i>" if part.prompt else ""
    return f'<p class="words {part.kind}">{before}{pieces}</p>'


def _one_line(piece: str) -> str:
    return escape(piece.replace("\n", " "))


def _bars(part: Bars) -> str:
    return "".join(map(_bar, part.rows))


def _bar(row: Bar) -> str:
    width = 100 * min(1.0, max(0.0, row.share))
    inked = f'<span><u class="{row.kind}" style="width:{width:.1f}%"></u></span>'
    return f'<div class="bar"><b>{escape(row.label)}</b>{inked}<em>{escape(row.told)}</em></div>'


def style() -> str:
    """Of the shadow tree, in light and dark; the measures are those of the page behind it."""
    sheet = (HERE / "first_paint.css").read_text("utf-8")
    return sheet.replace("/*light*/", _colours(palette.LIGHT)).replace("/*dark*/", _colours(palette.DARK))


def _colours(colours: palette.Palette) -> str:
    side, light, dark = ("#F6F3EC", "block", "none") if colours is palette.LIGHT else ("#1A1C22", "none", "block")
    beside = f"--side: {side}; --light-logo: {light}; --dark-logo: {dark}; "
    return beside + " ".join(f"--{name.replace('_', '-')}: {colour};" for name, colour in palette.as_data(colours).items())
