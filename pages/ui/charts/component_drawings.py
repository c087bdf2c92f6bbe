"""Drawings of what the custom components show, for saved pictures: the dice, a text token by token, a tree of branches."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from core.palette import DARK, Palette
from core.record.step import Step, TokenDistribution
from core.record.step_rows import dice_segments
from core.reports import drawing
from core.reports.chart_picture import WIDE, Drawing
from core.reports.drawing import LINE, Span, text
from core.reports.fonts import width
from core.reports.step_picture import PictureStyle, token_spans
from core.reports.step_picture import dice as dice_drawing
from core.tokens.token_text import Token
from pages.ui.charts.tree_rows import Row
from pages.ui.i18n.translation import _, wording

MOST_TOKENS = 1_000  # of a text; the newest
MOST_TREE_ROWS = 60
SIZE = 22  # pixels of a text
ROW = 34  # pixels of a row of the tree


def dice(distribution: TokenDistribution | Step, colours: Palette) -> Drawing:
    """Return the dice strip with the roll, if there is one."""
    style = PictureStyle("dark" if colours is DARK else "light", wording())
    return Drawing(drawing.svg(WIDE, 74, dice_drawing(distribution, style, 0, 0, WIDE, high=36, size=19)), WIDE, 74)


def dice_table(distribution: TokenDistribution | Step) -> pd.DataFrame:
    """Return the segments of the strip: token_id (-1 for unlisted tokens), piece, start, end, probability, chosen."""
    return pd.DataFrame(dice_segments(distribution), columns=["token_id", "piece", "start", "end", "probability", "chosen"])


def token_text(prompt: Sequence[Token], path: Sequence[Step], tint: str, colours: Palette) -> Drawing:
    """Return the text token by token; of a long one the newest tokens. tint: "likely", "unsure" or "none"."""
    spans = [Span(token.text, colours.muted_text) for token in prompt if not token.special]
    spans += token_spans(path, colours, tint)
    lines = drawing.broken(spans[-MOST_TOKENS:], SIZE, WIDE)
    high = LINE * SIZE * len(lines) + 8
    return Drawing(drawing.svg(WIDE, high, drawing.spans_in_lines(lines, 2, SIZE, SIZE, WIDE)), WIDE, high)


def tree(rows: Sequence[Row], colours: Palette) -> Drawing:
    """Return the tree of branches as an outline; of a large tree the first rows."""
    parts: list[str] = []
    places: dict[int | None, tuple[int, int]] = {}  # node: depth and line of its row
    for number, row in enumerate(rows[:MOST_TREE_ROWS]):
        depth, line = places.get(row.parent, (-1, number))
        places[row.node_id] = (depth + 1, number)
        x, y = 24.0 * (depth + 1), ROW * number + 24
        ink = {"path": colours.chosen, "good": colours.dice, "gone": colours.removed}.get(row.kind, colours.model)
        if depth >= 0:
            parts.append(f'<path d="M {x - 18:.1f} {ROW * line + 34} V {y - 6}" stroke="{colours.line}" stroke-width="2" fill="none"/>')
        dashes = ' stroke-dasharray="2 5"' if row.kind == "gone" else ""
        thick = 1 + 9 * max(0.0, min(1.0, row.share)) ** 0.5
        line_path = f'd="M {x - 18 if depth >= 0 else x:.1f} {y - 6} H {x + 18:.1f}"'
        parts.append(f'<path {line_path} stroke="{ink}" stroke-width="{thick:.1f}" stroke-linecap="round"{dashes}/>')
        parts.append(_tree_texts(row, x + 28, y, colours))
    high = ROW * min(len(rows), MOST_TREE_ROWS) + 10
    return Drawing(drawing.svg(WIDE, high, *parts), WIDE, high)


def _tree_texts(row: Row, x: float, y: float, colours: Palette) -> str:
    ink = {"path": colours.chosen_text, "good": colours.dice_text, "gone": colours.muted_text}.get(row.kind, colours.text)
    named = row.name or (_("you are here") if row.here else "")
    note = " · ".join(part for part in (named, row.note) if part)
    room = WIDE - x - width(note, 13) - 12
    shortened = drawing.shortened(row.text.strip().replace("\n", " ↵ "), 16, max(60, room), row.here)
    return text(x, y, shortened, 16, ink, bold=row.here) + text(x + width(shortened, 16, row.here) + 12, y, note, 13, colours.muted_text)


def tree_table(rows: Sequence[Row]) -> pd.DataFrame:
    """Return one row per part of the tree: node_id, parent, text, share, note, kind, name."""
    columns = ["node_id", "parent", "text", "share", "note", "kind", "name"]
    return pd.DataFrame([[getattr(row, name) for name in columns] for row in rows], columns=columns)
