"""Rows of the charts of a run: core's records with the texts and numbers beside the bars.

The rows are Arrow tables, which Streamlit sends as they are. They are made at every step, and pandas would take ten times as long.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

from core.record.constrained import constrained
from core.record.step import Candidate, ForwardPass, Step, TokenDistribution
from pages.ui.i18n import numbers, phrases
from pages.ui.i18n.translation import N_, _

FEWEST, MOST, USUAL = 5, 50, 8
FOLDED = -2  # key of the line for folded candidates
WORTH_A_ROW = 0.01  # an excluded candidate keeps its row from this model's probability on
LONG = 0.75  # probability from which a bar leaves no space for a note
SLOTS = 60  # newest steps in the small charts
FIRST_SLOTS = 24  # least number of places, so that the first bars are not too wide


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
    chosen = distribution.chosen if isinstance(distribution, Step) else None
    done = constrained(distribution)
    listed = list(distribution.candidates if done is None else _allowed_first(distribution.candidates))[:count]
    shown = _visible(listed, chosen) if folded else listed
    if chosen is not None and all(one.key != chosen.key for one in listed):
        shown = [*shown[: count - 1], chosen]
    rest_model, rest_dice = _rest(distribution, shown)
    gone = rest_dice == 0 and rest_model > 0
    folds = len(shown) < len(listed)
    only = done is not None and done.allowed == 1
    unknown = math.isnan(distribution.rest_model_probability)
    rows = [_row(place, c, chosen, _reason(distribution, c), only) for place, c in enumerate(shown)]
    others = {
        **_empty(len(rows)),
        "token_id": FOLDED if folds else -1,
        "label": _("▸ all others") if folds and gone else _("everything else"),
        "model": rest_model,
        "dice": rest_dice,
        "number": numbers.chance(math.nan if unknown else rest_dice),
        "note": " · ".join([_("excluded")] * gone + [_("click to open")] * folds),
        "kind": "rest",
        "piece": _("{count} tokens, excluded").format(count=numbers.whole(_excluded(distribution, shown)))
        if gone
        else _("everything else"),
        "model_text": numbers.chance(math.nan if unknown else rest_model),
        "dice_text": numbers.chance(math.nan if unknown else rest_dice),
    }
    rows += [others] if folds else [*map(_empty, range(len(rows), count)), {**others, "row": count}]
    rows += map(_empty, range(len(rows), count + 1))
    return _table(({**row, "step": distribution.index, "serial": clicks} for row in rows), DISTRIBUTION)


def _allowed_first(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates that can be chosen, likeliest first, then the excluded ones in their order."""
    return sorted(candidates, key=lambda candidate: (candidate.removed_by is not None, -_length(candidate.sampling_probability)))


def _visible(listed: list[Candidate], chosen: Candidate | None) -> list[Candidate]:
    """Return the candidates without the unlikely excluded ones at the end, but FEWEST at least; all of them if that saves no row."""
    kept = len(listed)
    while kept > FEWEST and _is_negligible(listed[kept - 1], chosen):
        kept -= 1
    return listed[:kept] if len(listed) - kept > 1 else listed


def _is_negligible(candidate: Candidate, chosen: Candidate | None) -> bool:
    is_chosen = chosen is not None and candidate.key == chosen.key
    return candidate.removed_by is not None and candidate.model_probability < WORTH_A_ROW and not is_chosen


def _rest(distribution: TokenDistribution | Step, shown: Sequence[Candidate]) -> tuple[float, float]:
    """Return the probabilities, before and after the settings, of all tokens without a row."""
    candidates = distribution.candidates
    model = sum(_length(c.model_probability) for c in candidates) - sum(_length(c.model_probability) for c in shown)
    dice = sum(_length(c.sampling_probability) for c in candidates) - sum(_length(c.sampling_probability) for c in shown)
    rest = max(0.0, _length(distribution.rest_sampling_probability) + dice)
    return max(0.0, _length(distribution.rest_model_probability) + model), rest if rest > 1e-9 else 0.0


def _excluded(distribution: TokenDistribution | Step, shown: Sequence[Candidate]) -> int:
    """Return the number of excluded tokens without a row."""
    return distribution.stage_kept[0] - distribution.stage_kept[-1] - sum(c.removed_by is not None for c in shown)


def _reason(distribution: TokenDistribution | Step, candidate: Candidate) -> str:
    """Return the stages that exclude a candidate, "–" if none does. Greedy excludes a likelier token because of the stages before it."""
    moved = distribution.moved_by
    if moved and candidate.removed_by == "greedy":
        taken = next(one for one in distribution.candidates if one.sampling_probability)
        if candidate.rank < taken.rank:
            return phrases.stages((*moved, "greedy"))
    return _(candidate.removed_by or "–")


def _row(place: int, candidate: Candidate, chosen: Candidate | None, reason: str, forced: bool) -> dict[str, object]:
    """Return the row of a candidate. reason: see `_reason`. forced: the constraint allows one token alone."""
    is_chosen = chosen is not None and candidate.key == chosen.key
    removed = candidate.removed_by is not None
    spaced = candidate.piece.startswith("␣") and len(candidate.piece) > 1
    end = max(_length(candidate.model_probability), _length(candidate.sampling_probability))
    number = numbers.chance(candidate.sampling_probability)
    notes = [_("excluded by {stage}").format(stage=reason)] if removed else []
    if not candidate.rank:
        notes.append(_("not measured"))
    elif candidate.rank != place + 1:
        notes.append(_("rank {rank}").format(rank=numbers.whole(candidate.rank)))
    if end > LONG:  # no space for a note beside the bar; the card has the rest
        number, notes = _("excluded") if removed else _("forced") if forced else number, []
    return {
        "row": place,
        "token_id": candidate.key,
        "space": "␣" if spaced else "",
        "label": candidate.piece[1:] if spaced else candidate.piece,
        "model": _length(candidate.model_probability),
        "dice": _length(candidate.sampling_probability),
        "number": number,
        "note": " · ".join(notes),
        "kind": "chosen" if is_chosen else "removed" if removed else "open",
        "piece": candidate.piece,
        "id_text": "–" if candidate.token_id is None else str(candidate.token_id),
        "rank_text": numbers.whole(candidate.rank) if candidate.rank else "–",
        "model_text": " · ".join(filter(None, (numbers.chance(candidate.model_probability), _(candidate.fact)))),
        "dice_text": numbers.chance(candidate.sampling_probability),
        "rank": candidate.rank or None,
        "logit": candidate.logit if math.isfinite(candidate.logit) else None,
        "logit_text": numbers.decimal(candidate.logit, 2) if math.isfinite(candidate.logit) else "–",
        "removed_by": reason,
    }


def _length(probability: float) -> float:
    """Return the length of a bar: 0 if the probability was not measured."""
    return 0.0 if math.isnan(probability) else probability


def _empty(place: int) -> dict[str, object]:
    return {**_NO_TEXTS, "row": place, "token_id": -1, "model": 0.0, "dice": 0.0, "kind": "open"}


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
        common = {
            "slot": step.index,
            "step": step.index + 1,
            "reused": done.reused_tokens if done.counted else None,
            "computed": done.computed_tokens if done.counted else None,
            "cache_bytes": done.cache_bytes if done.counted else None,
            "step_text": str(step.index + 1),
            "reused_text": numbers.whole(done.reused_tokens) if done.counted else _("not measured"),
            "computed_text": numbers.whole(done.computed_tokens) if done.counted else _("not measured"),
            "bytes_text": numbers.size(done.cache_bytes) if done.counted else _("not measured"),
        }
        rows.append({**common, "part": "reused", "bottom": 0, "top": done.reused_tokens, "label": ""})
        whole = done.reused_tokens + done.computed_tokens
        # A first token that was chosen by hand after going back is no prefill: the cache still holds nearly the whole prompt.
        prefill = done.counted and step.index == 0 and (done.reused_tokens == 0 or done.computed_tokens > 1)
        rows.append({**common, "part": "computed", "bottom": done.reused_tokens, "top": whole, "label": _("prefill") if prefill else ""})
    rows += [{"slot": slot, "part": "reused", "bottom": 0, "top": 0, "label": ""} for slot in range(len(newest), FIRST_SLOTS)]
    return _table(rows, NOTEPAD)
