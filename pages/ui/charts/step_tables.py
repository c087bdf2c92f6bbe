"""Rows of the charts of a run, and tokens inside a text: core's records with the texts and numbers beside the bars.

The rows are Arrow tables, which Streamlit sends as they are. They are made at every step, and pandas would take ten times as long.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self, cast

import pyarrow as pa

from core.record import step_rows as record_rows
from core.record.step import Candidate, ForwardPass, Step, TokenDistribution
from core.record.step_rows import StepRow, StepRows, constrained
from core.sampling.observation import RED
from core.tokens.token_text import visible_text
from pages.ui.charts.css_colours import DARKEST
from pages.ui.i18n import numbers, phrases
from pages.ui.i18n.translation import N_, _

FEWEST, MOST, USUAL = record_rows.FEWEST, 50, 8
FOLDED = -2  # key of the line for folded candidates
LONG = 0.75  # probability from which a bar leaves no space for a note
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
        """Return a token tinted by a number: blue from 0 on, plum below it, darkest from plus or minus `largest` on."""
        depth = min(1.0, abs(value) / largest) if math.isfinite(value) else 1.0
        return cls(text, "other" if value < 0 else "dice", DARKEST * depth, **parts)


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


def _columns(texts: str, values: str = "", counts: str = "") -> pa.Schema:
    kinds = ((counts, pa.int64()), (values, pa.float64()), (texts, pa.string()))
    return pa.schema([(name, kind) for names, kind in kinds for name in names.split()])


DISTRIBUTION = _columns(
    "space label number note kind piece id_text rank_text model_text dice_text logit_text removed_by",
    values="model dice logit",
    counts="row serial step token_id rank",
)
STEPS = _columns(
    "part token step_text time_text entropy_text surprise_text", values="zero milliseconds entropy surprise step", counts="slot"
)
NOTEPAD = _columns("part label step_text bytes_text reused_text computed_text", counts="slot bottom top step reused computed cache_bytes")
_NO_TEXTS = {column.name: "" for column in DISTRIBUTION if column.type == pa.string()}


def _table(rows: Iterable[dict[str, Any]], columns: pa.Schema) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=columns)


def distribution_rows(distribution: TokenDistribution | Step, count: int = USUAL, clicks: int = 0, folded: bool = True) -> pa.Table:
    """Return `count` candidates, the model's likeliest, and one row for all other tokens, with the columns of `DISTRIBUTION`.

    Under a constraint, the tokens that it allows come first, then the model's likeliest among the excluded ones.

    All numbers are probabilities after the settings, so that they add up to 100 %. The card of a row holds the model's probability.
    There are always count + 1 rows: a chosen token with a higher rank takes the last place. folded: unlikely excluded candidates at the
    end share one line, and empty rows take their places.
    """
    drawn = record_rows.step_rows(distribution, count, "folded" if folded else "shown")
    done = constrained(distribution)
    forced = done is not None and done.allowed == 1
    marked = "watermark" in distribution.stage_names
    rows = [_row(index, row, forced, marked) for index, row in enumerate(drawn.listed)]
    excluded = distribution.stage_kept[0] - distribution.stage_kept[-1] - sum(bool(row.excluded_by) for row in drawn.listed)
    others = {**_empty(len(rows)), **_others(drawn, excluded), "token_id": FOLDED if folded else -1}
    rows += [others] if drawn.folded else [*map(_empty, range(len(rows), count)), {**others, "row": count}]
    rows += map(_empty, range(len(rows), count + 1))
    return _table(({**row, "step": distribution.index, "serial": clicks} for row in rows), DISTRIBUTION)


def _others(drawn: StepRows, excluded: int) -> dict[str, object]:
    """Return the row of all tokens without a row. excluded: how many of them are excluded."""
    rest, folds = drawn.rest, drawn.folded > 0
    model, final = rest.lengths
    gone = final == 0 and model > 0
    return {
        "label": _("▸ all others") if folds and gone else _("everything else"),
        "model": model,
        "dice": final,
        "number": numbers.chance(rest.final),
        "note": " · ".join([_("excluded")] * gone + [_("click to open")] * folds),
        "kind": rest.kind,
        "piece": _("{count} tokens, excluded").format(count=numbers.whole(excluded)) if gone else _("everything else"),
        "model_text": numbers.chance(rest.model),
        "dice_text": numbers.chance(rest.final),
    }


def _row(index: int, row: StepRow, forced: bool, marked: bool) -> dict[str, object]:
    """Return the row of a candidate. forced: the constraint allows one token alone. marked: its fact is what the watermark says of it."""
    candidate = cast("Candidate", row.candidate)
    removed = bool(row.excluded_by)
    model, final = row.lengths
    number = numbers.chance(row.final)
    reason = phrases.stages(row.excluded_by) or "–"
    notes = [_("excluded by {stage}").format(stage=reason)] if removed else []
    if marked and candidate.fact not in ("", RED):
        notes.insert(0, f"● {_(candidate.fact)}")
    if not candidate.rank:
        notes.append(_("not measured"))
    elif candidate.rank != index + 1:
        notes.append(_("rank {rank}").format(rank=numbers.whole(candidate.rank)))
    if max(model, final) > LONG:  # no space for a note beside the bar; the card has the rest
        number, notes = _("excluded") if removed else _("forced") if forced else number, []
    return {
        "row": index,
        "token_id": row.key,
        "space": "␣" if row.label != row.piece else "",
        "label": row.label,
        "model": model,
        "dice": final,
        "number": number,
        "note": " · ".join(notes),
        "kind": "chosen" if row.chosen else row.kind,
        "piece": row.piece,
        "id_text": "–" if candidate.token_id is None else str(candidate.token_id),
        "rank_text": numbers.whole(candidate.rank) if candidate.rank else "–",
        "model_text": " · ".join(filter(None, (numbers.chance(row.model), _(candidate.fact)))),
        "dice_text": numbers.chance(row.final),
        "rank": candidate.rank or None,
        "logit": candidate.logit if math.isfinite(candidate.logit) else None,
        "logit_text": numbers.decimal(candidate.logit, 2) if math.isfinite(candidate.logit) else "–",
        "removed_by": reason,
    }


def _empty(index: int) -> dict[str, object]:
    return {**_NO_TEXTS, "row": index, "token_id": -1, "model": 0.0, "dice": 0.0, "kind": "open"}


def step_rows(path: Sequence[Step]) -> pa.Table:
    """Return the newest steps for `step_time` and `surprise`, then empty places: the columns of `STEPS`."""
    newest = path[-SLOTS:]
    rows = [_step(step) for step in newest]
    rows += [{"slot": slot, "zero": 0.0, "milliseconds": 0.0} for slot in range(len(newest), FIRST_SLOTS)]
    return _table(rows, STEPS)


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
        "time_text": _time(step.forward),
        "entropy_text": numbers.bits(step.model_entropy),
        "surprise_text": numbers.bits(step.surprise),
    }


def _time(done: ForwardPass) -> str:
    """Return the time of a pass; for a server also its own time and its queue."""
    if not done.measured:
        return _("not measured")
    parts = [numbers.duration(done.seconds)]
    if done.server_seconds is not None:
        parts.append(_("server {time}").format(time=numbers.duration(done.server_seconds)))
        if done.queue_seconds:
            parts.append(_("queue {time}").format(time=numbers.duration(done.queue_seconds)))
    return " · ".join(parts)


def notepad_rows(path: Sequence[Step]) -> pa.Table:
    """Return the newest steps for `charts.notepad`, two stacked parts each: the columns of `NOTEPAD`."""
    newest = path[-SLOTS:]
    rows: list[dict[str, object]] = []
    for step in newest:
        done = step.forward
        counted = done.counted
        common = {
            "slot": step.index,
            "step": step.index + 1,
            "reused": done.reused_tokens if counted else None,
            "computed": done.computed_tokens if counted else None,
            "cache_bytes": done.cache_bytes if counted else None,
            "step_text": str(step.index + 1),
            "reused_text": numbers.whole(done.reused_tokens) if counted else _("not measured"),
            "computed_text": numbers.whole(done.computed_tokens) if counted else _("not measured"),
            "bytes_text": numbers.size(done.cache_bytes) if counted else _("not measured"),
        }
        rows.append({**common, "part": "reused", "bottom": 0, "top": done.reused_tokens, "label": ""})
        total = done.reused_tokens + done.computed_tokens
        # A first token that was chosen by hand after going back is no prefill: the cache still holds nearly the whole prompt.
        prefill = counted and step.index == 0 and (done.reused_tokens == 0 or done.computed_tokens > 1)
        rows.append({**common, "part": "computed", "bottom": done.reused_tokens, "top": total, "label": _("prefill") if prefill else ""})
    rows += [{"slot": slot, "part": "reused", "bottom": 0, "top": 0, "label": ""} for slot in range(len(newest), FIRST_SLOTS)]
    return _table(rows, NOTEPAD)
