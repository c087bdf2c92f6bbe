"""How a notebook displays steps, runs and texts: HTML made of plain strings, with all text escaped.

Styles are inline, without style sheet or script, so that the HTML looks the same in every notebook.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from core.message import percent
from core.palette import LIGHT
from core.record.step_rows import step_rows, tint_depth

if TYPE_CHECKING:
    from core.record.step import Step, TokenDistribution
    from core.tokens.token_text import Token

MUTED = LIGHT.muted_text
ROWS = 8  # candidates with a bar
FONT = "font-family:'Source Sans 3','Source Sans Pro',system-ui,sans-serif"


def tinted(path: Iterable[Step], prompt: Sequence[Token] = (), last: bool = True) -> str:
    """Return a text with each token tinted by the model's probability, the prompt in grey. last: mark the newest token as chosen."""
    steps = list(path)
    parts = [f'<span style="color:{MUTED}">{escape(token.text or token.piece)}</span>' for token in prompt if not token.special]
    for index, step in enumerate(steps):
        share = step.model_probability
        title = escape(f"{step.piece}: {percent(share)}, rank {step.rank:,}", quote=True)
        newest = last and index == len(steps) - 1
        tint = f"background:{LIGHT.dice}{round(255 * tint_depth(step)):02X}"
        paint = f"color:{LIGHT.on_chosen};background:{LIGHT.chosen}" if newest else tint
        parts.append(f'<span title="{title}" style="{paint};border-radius:0.2em">{escape(step.text or step.piece)}</span>')
    return f'<p style="margin:0.3em 0;{FONT};font-size:1.15em;line-height:1.6;white-space:pre-wrap;color:{LIGHT.text}">{"".join(parts)}</p>'


def bars(distribution: TokenDistribution, rows: int = ROWS) -> str:
    """Return bars from 0 to 100 %: the model's probability pale, the probability after the settings solid, the chosen token orange."""
    lines = []
    for row in step_rows(distribution, rows).listed:
        colour = LIGHT.chosen if row.chosen else LIGHT.dice
        label = f"color:{LIGHT.chosen_text};font-weight:600;" if row.chosen else ""
        cut = f" · cut by {', '.join(row.excluded_by)}" if row.excluded_by else ""
        model, final = row.lengths
        lines.append(
            f'<tr><td style="{label}text-align:left;padding:1px 10px 1px 0;white-space:pre">{escape(row.piece)}</td>'
            f'<td style="padding:1px 0"><div style="position:relative;width:220px;height:14px">'
            f'<div style="position:absolute;inset:0 auto 0 0;width:{100 * model:.2f}%;background:{LIGHT.model};border-radius:3px"></div>'
            f'<div style="position:absolute;inset:3px auto 3px 0;width:{100 * final:.2f}%;background:{colour};border-radius:3px"></div>'
            f"</div></td>"
            f'<td style="text-align:left;padding:1px 0 1px 10px;color:{MUTED};font-variant-numeric:tabular-nums">'
            f"{percent(row.model)} → {percent(row.final)}{escape(cut)}</td></tr>"
        )
    return _table(lines)


def layers(read: Iterable[Any]) -> str:
    """Return one line per layer, the last layer on top: its likeliest token with probability, and the next three."""
    lines = []
    for layer in reversed(list(read)):
        first, *others = layer.candidates[:4]
        remainder = ", ".join(f"{guess.piece} {percent(guess.model_probability)}" for guess in others)
        lines.append(
            f'<tr><td style="padding:1px 10px 1px 0;color:{MUTED};text-align:right">{layer.number}</td>'
            f'<td style="text-align:left;padding:1px 10px 1px 0;white-space:pre;font-weight:600">{escape(first.piece)}</td>'
            f'<td style="padding:1px 0"><div style="width:160px"><div style="width:{100 * first.model_probability:.2f}%;height:12px;'
            f'background:{LIGHT.model};border-radius:3px"></div></div></td>'
            f'<td style="text-align:left;padding:1px 0 1px 10px;color:{MUTED};white-space:pre">{percent(first.model_probability)} · '
            f"{escape(remainder)}</td></tr>"
        )
    return _table(lines)


def framed(title: str, *parts: str) -> str:
    """Return a card around HTML parts. title: plain text."""
    head = f'<div style="color:{MUTED};font-size:0.85em">{escape(title)}</div>'
    style = f"{FONT};background:{LIGHT.card};border:1px solid {LIGHT.line};border-radius:8px;padding:10px 14px;max-width:46em"
    return f'<div style="{style}">{head}{"".join(parts)}</div>'


def _table(lines: Iterable[str]) -> str:
    style = f"border-collapse:collapse;border:0;{FONT};font-size:0.95em;color:{LIGHT.text}"
    return f'<table style="{style}"><tbody>{"".join(lines)}</tbody></table>'
