"""Stage-by-stage distributions on a CPU, in NumPy, because calls of torch cost more than the work on a few thousand numbers.

A row has the whole vocabulary until few tokens are left; from then on it is a list, likeliest first. Then each cut-off reads a few hundred
numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch

from core.sampling.cut_offs import CUTS
from core.sampling.dice import strip_of, token_at
from core.sampling.observation import ActiveStage, Observation, Processor, Selection, also_listed
from core.sampling.samplers import by_stage
from core.sampling.samplers.contract import Addition, places_of
from core.sampling.samplers.repetition import repetition_penalty
from core.sampling.score_row import Row, likeliest, nothing_left
from core.sampling.settings import STAGES

BIT = math.log(2)  # nats


def observe(
    logits: np.ndarray, stages: Sequence[ActiveStage], greedy: bool, previous_ids: np.ndarray, selection: Selection, top_n: int
) -> Observation:
    """Return what `core.sampling.observe_stages.observe` returns, for float32 logits [vocabulary]."""
    with np.errstate(all="ignore"):  # infinities and NaN are detected in the largest score
        rows = rows_after(logits, stages, greedy, previous_ids)
        listed = likeliest(logits, top_n)
        shown = listed if selection.forced is None else np.append(listed, selection.forced)
        strip, starts = strip_of(rows[-1], selection.roll or 0.0, shown)
        names = [name for name, _, _ in stages]
        chosen, more = -1, strip[: also_listed(names, top_n)].tolist()
        if selection.any:
            chosen = token_at(strip, starts, selection.roll or 0.0) if selection.forced is None else selection.forced
            more.append(chosen)
        listed, ranks = _with(listed, more, logits)
        scores = _scores_of(rows, listed, len(logits))
        probabilities, alive = np.exp(scores - np.array([[row.log_sum] for row in rows])), scores > -math.inf
        return Observation(
            token_ids=listed,
            ranks=ranks,
            logits=scores[0],
            probabilities=probabilities,
            removed_at=np.where(alive[-1], -1, alive.argmin(0)),
            dice_starts=_starts_of(listed, strip, starts, alive[-1], len(logits)),
            stage_names=("model", *names, *["greedy"] * greedy),
            stage_settings=(None, *[setting for _, setting, _ in stages], *[None] * greedy),
            stage_kept=tuple([row.kept for row in rows]),
            stage_entropies=tuple([row.entropy / BIT for row in rows]),
            chosen=chosen,
        )


def pick(logits: np.ndarray, stages: Sequence[ActiveStage], greedy: bool, previous_ids: np.ndarray, roll: float) -> int:
    """Return the token that `observe` selects by this roll, or greedily. It computes only the sums that the stages need."""
    with np.errstate(all="ignore"):
        row = rows_after(logits, stages, greedy, previous_ids)[-1]
        return token_at(*strip_of(row, roll), roll)


def probabilities(logits: np.ndarray, stages: Sequence[ActiveStage], greedy: bool, previous_ids: np.ndarray) -> np.ndarray:
    """Return the probabilities after all stages, float64 [vocabulary]."""
    shares = np.zeros(len(logits))
    with np.errstate(all="ignore"):
        row = rows_after(logits, stages, greedy, previous_ids)[-1]
        weights = row.weights.astype(np.float64)
        shares[slice(None) if row.ids is None else row.ids] = weights / weights.sum()
    return shares


def rows_after(logits: np.ndarray, stages: Sequence[ActiveStage], greedy: bool, previous_ids: np.ndarray) -> list[Row]:
    """Return the model's own scores, then those after each stage. After the last one, greedy leaves the likeliest token alone."""
    rows = [Row.of(logits)]
    for name, setting, process in stages:
        rows.append(_after(rows[-1], len(logits), name, setting, process, previous_ids))
    if greedy:
        row, index = rows[-1], int(rows[-1].scores.argmax())
        ids = np.array([index]) if row.ids is None else row.ids[index : index + 1]
        rows.append(Row(row.scores[index : index + 1], ids, row.top, 1))
    return rows


def _after(row: Row, size: int, name: str, setting: float, process: Processor, previous_ids: np.ndarray) -> Row:
    """Return the scores after a stage. A token that a cut-off excluded can be left out, because no later stage can bring it back."""
    if name in CUTS:
        cut = row if row.kept == 1 else CUTS[name](row, setting)  # a cut-off always keeps at least one token
        if cut is None:  # rounding decides, so transformers' own processor is asked
            is_left = _processed(row.whole(size), process, previous_ids) > -math.inf
            cut = row.only(is_left if row.ids is None else is_left[row.ids])
        return cut
    if name == "temperature":
        return _changed(row, row.scores / np.float32(setting), name)
    if name == "repetition penalty":
        return _changed(row, repetition_penalty(row.scores, setting, places_of(previous_ids, row.ids, size)[0]), name)
    if isinstance(process, Addition):
        places, present = places_of(process.ids, row.ids, size)
        scores = row.scores.astype(np.result_type(row.scores, process.amounts))
        scores[places] += process.amounts[present]
        return _changed(row, scores, name) if len(places) else row
    sampler = by_stage().get(name)
    if sampler is not None and sampler.local:
        scores = _processed(row.scores, process, previous_ids)
    else:  # transformers' processors get the whole vocabulary, as in `generate`
        scores = _processed(row.whole(size), process, previous_ids)
        scores = scores if row.ids is None else scores[row.ids]
    if name not in STAGES or not STAGES[name].excludes_only:
        return _changed(row, scores, name)
    mask = scores > -math.inf
    if not mask.any():
        raise nothing_left(name)
    return row.only(mask)


def _processed(scores: np.ndarray, process: Processor, previous_ids: np.ndarray) -> np.ndarray:
    """Return scores after a processor of torch."""
    with torch.inference_mode():
        changed: np.ndarray = process(torch.from_numpy(previous_ids)[None], torch.from_numpy(scores)[None])[0].numpy()
    return changed


def _changed(row: Row, scores: np.ndarray, stage: str) -> Row:
    """Return the row of a row's tokens with these scores in place of its own."""
    if row.ids is None:
        return Row.of(scores, None, stage)
    order = row.ids.argsort()
    return Row.of(scores[order], row.ids[order], stage)


def _with(listed: np.ndarray, more: list[int], logits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the listed ids with the missing ones of `more` behind them, the model's likeliest first, and the ranks of all."""
    missing = set(more).difference(listed.tolist())
    if not missing:
        return listed, np.arange(1, len(listed) + 1)
    ordered = sorted(missing, key=lambda token_id: (-logits[token_id], token_id))
    better = [max(int(np.count_nonzero(logits > logits[token_id])), len(listed)) + 1 for token_id in ordered]
    return np.array([*listed, *ordered], np.int64), np.array([*range(1, len(listed) + 1), *better])


def _scores_of(rows: Sequence[Row], listed: np.ndarray, size: int) -> np.ndarray:
    """Return the scores of the listed tokens after every stage, float64 [rows, listed]; -inf for excluded tokens."""
    table, scattered = np.empty((len(rows), len(listed))), np.full(size, -math.inf, np.result_type(*{row.scores.dtype for row in rows}))
    for scores, row in zip(table, rows, strict=True):
        if row.ids is None:
            scores[:] = row.scores[listed]
        else:
            scattered[row.ids] = row.scores
            scores[:] = scattered[listed]
            scattered[row.ids] = -math.inf
    return table


def _starts_of(listed: np.ndarray, strip: np.ndarray, starts: np.ndarray, alive: np.ndarray, size: int) -> np.ndarray:
    """Return where each listed token begins on the strip, float64 [listed]; NaN for excluded tokens. All others must be on it."""
    places = np.empty(size, np.int64)
    places[strip] = np.arange(len(strip))
    return np.where(alive, starts[np.where(alive, places[listed], 0)], math.nan)
