"""Stage-by-stage distributions on a CPU, in NumPy, because calls of torch cost more than the work on a few thousand numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch

from core.backends import compiled
from core.rounding import FEW, HEAD
from core.sampling import cut_offs_numpy
from core.sampling.observation import ActiveStage, Observation, Processor, Selection, also_listed, nothing_left
from core.sampling.samplers.addition import Addition, places_of
from core.sampling.samplers.penalties import repetition_penalty
from core.sampling.score_row import MANY, Row, among_largest, largest

CUTS: dict[str, Callable[[Row, float], np.ndarray | None]] = {
    "top-k": cut_offs_numpy.top_k,
    "top-p": cut_offs_numpy.top_p,
    "min-p": cut_offs_numpy.min_p,
    "typical-p": cut_offs_numpy.typical_p,
    "epsilon": cut_offs_numpy.epsilon,
    "eta": cut_offs_numpy.eta,
}
COMPILED = ("repetition penalty", "temperature", "top-k", "top-p", "min-p", "typical-p")  # the stages of compiled code, in its order
LOCAL = ("top-n-sigma", "dynamic temperature", "XTC", "mirostat")  # their processors need no excluded tokens
CUT_OFFS = ("top-n-sigma", "XTC", "mirostat", "no-repeat n-gram", "constraint")  # they change no score
BIT = math.log(2)  # nats
FEW_PAIRS = 30_000  # up to this many comparisons are faster than an array over the vocabulary
LIGHTEST = -80.0  # nats below the likeliest token; smaller weights lose precision
LONGEST_LIST = 256  # most tokens that compiled code lists


def observe(
    logits: np.ndarray,
    stages: Sequence[ActiveStage],
    greedy: bool,
    previous_ids: np.ndarray,
    selection: Selection,
    top_n: int,
    compiles: bool = True,
) -> Observation:
    """Return what `core.sampling.stages.observe` returns, for float32 logits [vocabulary].

    compiles: whether compiled code has these stages in this order.
    """
    seen = _compiled(logits, stages, greedy, previous_ids, selection, top_n) if compiles else None
    if seen is not None:
        return seen
    with np.errstate(all="ignore"):  # infinities and NaN are detected in the sums
        rows = [Row.of(logits, None)]
        for name, setting, process in stages:
            rows.append(after(rows[-1], len(logits), name, setting, process, previous_ids))
        if greedy:
            favourite = rows[-1].scores.argmax(0, keepdims=True)
            rows.append(Row.of(rows[-1].scores[favourite], favourite if rows[-1].ids is None else rows[-1].ids[favourite]))
        listed = _likeliest(logits, top_n)
        shown = listed if selection.forced is None else np.append(listed, selection.forced)
        strip, starts = strip_of(rows[-1], selection.roll or 0.0, shown)
        chosen, more = -1, strip[: also_listed([name for name, _, _ in stages], top_n)].tolist()
        if selection.any:
            place = min(int(starts[2:].searchsorted(selection.roll or 0.0, "right")), len(strip) - 1)
            chosen = int(strip[place]) if selection.forced is None else selection.forced
            more.append(chosen)
        listed, ranks = _with(listed, more, logits)
        return _observation(rows, *_named(stages, greedy), listed, ranks, strip, starts, chosen)


def _with(listed: np.ndarray, more: list[int], logits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the listed ids with the missing ones of `more` behind them, the model's likeliest first, and the ranks of all."""
    if set(more) <= set(listed.tolist()):
        return listed, np.arange(1, len(listed) + 1)
    missing = sorted(set(more).difference(listed.tolist()), key=lambda token_id: (-logits[token_id], token_id))
    better = [max(int(np.count_nonzero(logits > logits[token_id])), len(listed)) + 1 for token_id in missing]
    return np.array([*listed, *missing], np.int64), np.array([*range(1, len(listed) + 1), *better])


def _named(stages: Sequence[ActiveStage], greedy: bool) -> tuple[tuple[str, ...], tuple[float | None, ...]]:
    """Return the names of all stages, and their settings."""
    names = ("model", *[name for name, _, _ in stages], *["greedy"] * greedy)
    return names, (None, *[setting for _, setting, _ in stages], *[None] * greedy)


def compiled_order(names: tuple[str, ...]) -> bool:
    """Return whether compiled code has all stages of these names, in this order."""
    return names == tuple([name for name in COMPILED if name in names])


class _Asked(NamedTuple):
    """The stages as compiled code takes them: penalty, temperature, top-k, top-p, min-p, typical-p; and as the record stores them."""

    numbers: tuple[float, float, int, float, float, float]
    names: tuple[str, ...]
    settings: tuple[float | None, ...]


@lru_cache(maxsize=64)
def _as_asked(stages: tuple[ActiveStage, ...], greedy: bool) -> _Asked:
    setting = {name: value for name, value, _ in stages}.get
    cuts = int(setting("top-k", 0)), setting("top-p", 1.0), setting("min-p", 0.0), setting("typical-p", 1.0)
    return _Asked((setting("repetition penalty", 1.0), setting("temperature", 1.0), *cuts), *_named(stages, greedy))


def _compiled(
    logits: np.ndarray, stages: Sequence[ActiveStage], greedy: bool, previous_ids: np.ndarray, selection: Selection, top_n: int
) -> Observation | None:
    """Return the observation from one compiled pass; None if there is no compiled code, or if rounding might change the result."""
    if not compiled.sampling_is_ready() or not 0 < top_n <= LONGEST_LIST or logits.dtype != np.float32 or not logits.flags.c_contiguous:
        return None
    asked = _as_asked(tuple(stages), greedy)
    count = len(asked.names)
    measures, table, probabilities = np.empty((count, 3)), np.empty((4, top_n + 1), np.int64), np.empty((count + 2, top_n + 1))
    listed = compiled.observe(
        logits,
        np.ascontiguousarray(previous_ids, np.int64),
        *asked.numbers,
        greedy,
        selection.any,
        selection.roll or 0.0,
        -1 if selection.forced is None else selection.forced,
        measures,
        table,
        probabilities,
    )
    if listed < 1:
        return None
    kept, entropies = measures[:, 2].astype(np.int64).tolist(), (measures[:, 1] / BIT).tolist()
    return Observation(
        token_ids=table[0, :listed],
        ranks=table[1, :listed],
        logits=probabilities[count, :listed],
        probabilities=probabilities[:count, :listed],
        removed_at=table[2, :listed],
        dice_starts=probabilities[count + 1, :listed],
        stage_names=asked.names,
        stage_settings=asked.settings,
        stage_kept=tuple(kept),
        stage_entropies=tuple(entropies),
        chosen=int(table[3, 0]),
    )


def after(row: Row, size: int, name: str, setting: float, process: Processor, previous_ids: np.ndarray) -> Row:
    """Return the scores after a stage, without tokens that a cut-off excluded, because no later stage can bring them back."""
    if name == "temperature":
        return Row.of(row.scores / np.float32(setting), row.ids, row.top / np.float32(setting))
    if name == "repetition penalty":
        if row.ids is not None:
            previous_ids = places_of(previous_ids, row.ids, size)[0]
        return Row.changed(row, repetition_penalty(row.scores, setting, previous_ids), previous_ids)
    if isinstance(process, Addition):
        return _added(row, name, process)
    if name not in CUTS:
        return _processed(row, size, name, process, previous_ids)
    if len(row.scores) == 1:  # a cut-off always keeps at least one token
        return row
    mask = CUTS[name](row, setting)
    if mask is None:  # rounding decides, so transformers' own processor is asked
        mask = _asked(process, row, size)
    elif row.kept < len(row.scores):
        mask &= row.scores > -math.inf
    kept = mask.nonzero()[0]
    if len(kept) == len(row.scores):
        return row
    return Row.of(row.scores[kept], kept if row.ids is None else row.ids[kept])


def _added(row: Row, name: str, addition: Addition) -> Row:
    """Return the scores after an addition."""
    places, known = places_of(addition.ids, row.ids, len(row.scores))
    if not len(places):
        return row
    scores, amounts = row.scores.copy(), addition.amounts[known]
    scores[places] += amounts
    if amounts.min() > -math.inf:
        return Row.changed(row, scores, places)
    return _kept(row, scores, name)


def _processed(row: Row, size: int, name: str, process: Processor, previous_ids: np.ndarray) -> Row:
    """Return the scores after a stage without a shortcut. transformers' processors get the whole vocabulary, as in `generate`."""
    before = row.scores if name in LOCAL else _whole(row, size)
    with torch.inference_mode():
        scores = process(torch.from_numpy(previous_ids)[None], torch.from_numpy(before)[None])[0].numpy()
    return _kept(row, scores if row.ids is None or name in LOCAL else scores[row.ids], name)


def _kept(row: Row, scores: np.ndarray, name: str) -> Row:
    """Return these scores [kept] without the tokens that the stage excluded. Raises BadSetting if none is left."""
    kept = (scores != -math.inf).nonzero()[0]
    if not len(kept):
        raise nothing_left(name)
    if len(kept) == len(scores) or (row.ids is None and len(kept) == row.kept):  # nothing was excluded
        return row if name in CUT_OFFS else Row.of(scores, row.ids)
    return Row.of(scores[kept], kept if row.ids is None else row.ids[kept])


def _whole(row: Row, size: int) -> np.ndarray:
    """Return the row's scores for the whole vocabulary, float32 [size], with -inf for tokens that are not in the row."""
    if row.ids is None:
        return row.scores
    whole = np.full(size, -math.inf, np.float32)
    whole[row.ids] = row.scores
    return whole


def _asked(process: Processor, row: Row, size: int) -> np.ndarray:
    """Return a mask [kept] of the tokens that transformers' own processor keeps.

    The processor gets the whole vocabulary, with -inf for excluded tokens, as in `generate`: the order of equal scores and the rounding of
    sums depend on all positions.
    """
    with torch.inference_mode():
        scores = torch.from_numpy(_whole(row, size))[None]
        kept = process(scores, scores)[0].numpy() > -math.inf
    return kept if row.ids is None else kept[row.ids]


def _likeliest(scores: np.ndarray, count: int) -> np.ndarray:
    """Return the indices of the `count` largest scores, largest first (ties: lower index)."""
    if count >= len(scores):
        return (-scores).argsort(kind="stable")
    head = among_largest(scores, count)
    if head is None:
        head = (scores >= largest(scores, count)).nonzero()[0]
    return head[(-scores[head]).argsort(kind="stable")[:count]]


def _heaviest(row: Row, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices of a row's `count` likeliest tokens, likeliest first (ties: lower index), and their weights.

    Different scores can have the same weight, so weights are computed for scores slightly below the last one too.
    """
    if count < len(row.scores):
        last = largest(row.scores, count)
        if last - row.top > LIGHTEST:
            near = (row.scores >= last - 1e-5 - 1e-6 * max(abs(float(row.top)), abs(last))).nonzero()[0]
            weights = np.exp(row.scores[near] - row.top)
            order = (-weights).argsort(kind="stable")[:count]
            return near[order], weights[order]
    weights = row.weights
    order = _likeliest(weights, count)
    return order, weights[order]


def strip_of(row: Row, reach: float, listed: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return the strip [0, 1) of the dice: tokens that can be chosen, side by side, likeliest first, at least as far as `reach`.

    listed: ids of tokens that are on it in any case, if they can be chosen.

    Returns their ids, int64 [n], and where they begin, float64 [n + 2]: from index 1 on, followed by the end of the last one. Index 0 (NaN)
    is for tokens that are not on the strip.
    """
    size = len(row.scores)
    lowest = math.inf if listed is None else _lowest(row, listed)
    for count in (size,) if size <= FEW else (HEAD, MANY, size):
        order, weights = _heaviest(row, count)
        starts = np.empty(len(order) + 2)
        starts[0], starts[1] = math.nan, 0.0
        weights.cumsum(dtype=np.float64, out=starts[2:])
        starts[2:] /= starts[-1] if count >= size else row.total
        if starts[-1] > reach and row.scores[order[-1]] < lowest:
            break
    return order if row.ids is None else row.ids[order], starts


def _lowest(row: Row, ids: np.ndarray) -> float:
    """Return the lowest score of those of these tokens that are in the row; infinity if none is."""
    if row.ids is None:
        scores = row.scores[ids]
    else:
        places = np.minimum(row.ids.searchsorted(ids), len(row.ids) - 1)
        scores = row.scores[places][row.ids[places] == ids]
    return float(scores[scores > -math.inf].min(initial=math.inf))


def _observation(
    rows: list[Row],
    names: tuple[str, ...],
    settings: tuple[float | None, ...],
    listed: np.ndarray,
    ranks: np.ndarray,
    strip: np.ndarray,
    starts: np.ndarray,
    chosen: int,
) -> Observation:
    """Return the observation of the listed tokens."""
    size, whole = len(rows[0].scores), sum(row.ids is None for row in rows)  # whole: stages before the first that dropped tokens
    reached = np.full(len(listed), whole - 1)  # the last stage at which each token could be picked
    for number in reversed(range(whole)):
        if rows[number].kept < size:
            reached[rows[number].scores[listed] == -math.inf] = number - 1
    scores = np.empty((len(rows), len(listed)))
    for number in range(whole):
        scores[number] = rows[number].scores[listed]
    for number in range(whole, len(rows)):
        ids = rows[number].ids
        assert ids is not None
        place = np.minimum(ids.searchsorted(listed), len(ids) - 1)
        reached[ids[place] == listed] = number
        scores[number] = rows[number].scores[place]  # of another token if this one is excluded; its probability becomes 0 below
    alive = reached == len(rows) - 1
    if len(strip) * len(listed) <= FEW_PAIRS:
        found = strip[:, None] == listed
        places = np.where(found.any(0), found.argmax(0) + 1, 0)
    else:
        whole_row = np.zeros(size, dtype=np.int32)
        whole_row[strip] = np.arange(1, len(strip) + 1)
        places = whole_row[listed]

    probabilities = np.exp(scores - np.array([row.log_sum for row in rows])[:, None])
    probabilities[reached < np.arange(len(rows))[:, None]] = 0.0
    return Observation(
        token_ids=listed,
        ranks=ranks,
        logits=scores[0].copy(),
        probabilities=probabilities,
        removed_at=np.where(alive, -1, reached + 1),
        dice_starts=starts[places * alive],
        stage_names=names,
        stage_settings=settings,
        stage_kept=tuple([row.kept for row in rows]),
        stage_entropies=tuple([row.entropy / BIT for row in rows]),
        chosen=chosen,
    )
