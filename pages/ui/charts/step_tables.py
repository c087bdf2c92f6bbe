"""Rows of the charts of a run, and tokens inside a text: core's records with the texts and numbers beside the bars.

The rows are Arrow tables, which Streamlit sends as they are. They are made at every step, and pandas would take ten times as long.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import pyarrow as pa

from core.record.step import ForwardPass, Step
from core.tokens.token_text import visible_text
from pages.ui.charts.css_colours import DARKEST, LOWERS, RAISES
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, _

SLOTS = 60  # newest steps in the small charts
FIRST_SLOTS = 24  # least number of places, so that the first bars are not too wide


@dataclass(frozen=True, slots=True)
class Word:
    """One token of a scored text.

    colour: name in the palette; depth: 0 (no tint) to 1. below: small text under it. head, lines, bars: its card; a bar is
    (name, share 0-1, number, chosen).
    """

    text: str
    colour: str = "dice"
    depth: float = 0.0
    marked: bool = False
    head: str = ""
    lines: tuple[str, ...] = ()
    bars: tuple[tuple[str, float, str, bool], ...] = ()
    below: str = ""

    @classmethod
    def signed(cls, text: str, value: float, largest: float, **parts: Any) -> Self:
        """Return a token tinted by a number: one colour from 0 on, another below it, darkest from plus or minus `largest` on."""
        depth = min(1.0, abs(value) / largest) if math.isfinite(value) else 1.0
        return cls(text, LOWERS if value < 0 else RAISES, DARKEST * depth, **parts)


def shown(text: str, displayed: str, raw: bytes) -> str:
    """Return a token as the text shows it: `displayed`, or the character that it completes and the bytes of one that it begins.

    >>> shown("🦊", "⟨A6⟩⟨8A⟩", b"\\xa6\\x8a"), shown(" ", "␣⟨F0⟩⟨9F⟩", b" \\xf0\\x9f")
    ('🦊', '␣⟨F0⟩⟨9F⟩')
    """
    encoded = text.encode()
    if not text or encoded == raw:
        return displayed
    used = next((count for count in range(len(raw), 0, -1) if encoded.endswith(raw[:count])), len(raw))
    return visible_text(encoded) + visible_text(raw[used:])


def columns(texts: str, values: str = "", counts: str = "") -> pa.Schema:
    kinds = ((counts, pa.int64()), (values, pa.float64()), (texts, pa.string()))
    return pa.schema([(name, kind) for names, kind in kinds for name in names.split()])


STEPS = columns(
    "part token step_text time_text entropy_text surprise_text", values="zero milliseconds entropy surprise step", counts="slot"
)
NOTEPAD = columns("part label step_text bytes_text reused_text computed_text", counts="slot bottom top step reused computed cache_bytes")


def arrow_table(rows: Iterable[dict[str, Any]], columns: pa.Schema) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=columns)


def step_slots(path: Sequence[Step]) -> pa.Table:
    """Return the newest steps for `step_time` and `surprise`, then empty places: the columns of `STEPS`."""
    newest = path[-SLOTS:]
    rows = [_step(step) for step in newest]
    rows += [{"slot": slot, "zero": 0.0, "milliseconds": 0.0} for slot in range(len(newest), FIRST_SLOTS)]
    return arrow_table(rows, STEPS)


def _step(step: Step) -> dict[str, object]:
    return {
        "slot": step.index,
        "step": step.index + 1,
        "zero": 0.0,
        "milliseconds": step.forward.seconds * 1000 if step.forward.measured else None,
        "part": N_("computed") if step.forward.reused_tokens == 0 else N_("reused"),
        "entropy": step.model_entropy if math.isfinite(step.model_entropy) else None,
        "surprise": step.surprise if math.isfinite(step.surprise) else None,
        "token": step.piece,
        "step_text": str(step.index + 1),
        "time_text": time_text(step.forward),
        "entropy_text": numbers.bits(step.model_entropy),
        "surprise_text": numbers.bits(step.surprise),
    }


def time_text(forward: ForwardPass) -> str:
    """Return the time of a pass; for a server also its own time and its queue."""
    if not forward.measured:
        return _("not measured")
    parts = [numbers.duration(forward.seconds)]
    if forward.server_seconds is not None:
        parts.append(_("server {time}").format(time=numbers.duration(forward.server_seconds)))
        if forward.queue_seconds:
            parts.append(_("queue {time}").format(time=numbers.duration(forward.queue_seconds)))
    return " · ".join(parts)


def notepad_rows(path: Sequence[Step]) -> pa.Table:
    """Return the newest steps for `run_charts.notepad`, two stacked parts each: the columns of `NOTEPAD`."""
    newest = path[-SLOTS:]
    rows: list[dict[str, object]] = []
    for step in newest:
        forward = step.forward
        counted = forward.counted
        common = {
            "slot": step.index,
            "step": step.index + 1,
            "reused": forward.reused_tokens if counted else None,
            "computed": forward.computed_tokens if counted else None,
            "cache_bytes": forward.cache_bytes if counted else None,
            "step_text": str(step.index + 1),
            "reused_text": numbers.whole(forward.reused_tokens) if counted else _("not measured"),
            "computed_text": numbers.whole(forward.computed_tokens) if counted else _("not measured"),
            "bytes_text": numbers.size(forward.cache_bytes) if counted else _("not measured"),
        }
        rows.append({**common, "part": "reused", "bottom": 0, "top": forward.reused_tokens, "label": ""})
        total = forward.reused_tokens + forward.computed_tokens
        # A first token that was chosen by hand after going back is no prefill: the cache still holds nearly the whole prompt.
        prefill = counted and step.index == 0 and (forward.reused_tokens == 0 or forward.computed_tokens > 1)
        rows.append({**common, "part": "computed", "bottom": forward.reused_tokens, "top": total, "label": _("prefill") if prefill else ""})
    rows += [{"slot": slot, "part": "reused", "bottom": 0, "top": 0, "label": ""} for slot in range(len(newest), FIRST_SLOTS)]
    return arrow_table(rows, NOTEPAD)
