"""Stage-by-stage distributions on a CPU, in NumPy, because calls of torch cost more than the work on a few thousand numbers.

A row has the whole vocabulary until few tokens are left; from then on it is a list, likeliest first. Then each cut-off reads a few hundred
numbers.

A cut-off (top-k, top-p, min-p, typical-p, epsilon, eta) returns the row that is left after the transformers class in its docstring, or None
if rounding might change it, because a border is too close to a token. Then the class itself is asked. A test compares both.

The error bound: torch adds up a float32 softmax in eight lanes. So the probabilities of n tokens are off by at most n / 8 x 6e-8, and the
ratio of two of them by a few times 1e-7. Excluded tokens add nothing, but they change which tokens share a lane. So the sums of a row
without them are off by as much again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch

from core.sampling.observation import (
    FEW,
    ActiveStage,
    Observation,
    Processor,
    Row,
    Selection,
    also_listed,
    largest,
    likeliest,
    nothing_left,
)
from core.sampling.samplers import by_stage
from core.sampling.samplers.contract import Addition, places_of
from core.sampling.samplers.repetition import repetition_penalty
from core.sampling.settings import STAGES

CLOSE = 1e-5  # bound on a probability, relative
CLOSE_NATS = 1e-4  # bound on the distance of a surprise from the expected one; float32 logarithms reach 90
SURE = 4e-6  # bound on a sum of probabilities, in any order
LANES = 4  # lanes of the narrowest vectors in which torch adds
ROUNDED = 3e-8  # bound per token on the relative difference of two sums of the same probabilities
LEAST_MIN_P = 1e-30  # for smaller ones float32 rounds probabilities to 0


def top_k(row: Row, setting: float) -> Row:
    """Return the row after TopKLogitsWarper: all scores that are at least the k-th largest.

    >>> row = Row.of(np.log(np.array([0.4, 0.3, 0.15, 0.1, 0.05], np.float32)))
    >>> top_k(row, 2).ids
    array([0, 1])
    """
    count = min(int(setting), len(row.scores))
    return row.above(largest(row.scores, count) if row.ids is None else float(row.scores[count - 1]))


def top_p(row: Row, setting: float) -> Row | None:
    """Return the row after TopPLogitsWarper: a token is kept if the likelier ones weigh less than top_p; None if rounding decides.

    The likeliest tokens usually suffice. If their sums are too close to the border, a whole vocabulary is computed in the warper's own
    steps and so has its sums. It sorts only scores, not ids, which is twice as fast and differs only for equal scores.

    The likelier tokens weigh 0, 0.4, 0.7, 0.85 and 0.95, and the first three of these are less than 0.8:

    >>> row = Row.of(np.log(np.array([0.4, 0.3, 0.15, 0.1, 0.05], np.float32)))
    >>> top_p(row, 0.8).ids
    array([0, 1, 2])
    """
    border = np.float32(1 - setting)
    if row.ids is None:
        least = _least_within(row, float(border))
        if least is not None:
            return row.above(least)
        ordered = np.sort(row.scores)
        with torch.inference_mode():
            inside = torch.from_numpy(ordered)[None].softmax(-1).cumsum(-1)[0].numpy()
    else:
        ordered = row.scores[::-1]
        inside = row.weights[::-1].cumsum(dtype=np.float64)
        inside /= row.total
    first = min(int(inside.searchsorted(border, "right")), len(ordered) - 1)
    if row.ids is not None and np.abs(inside[max(first - 1, 0) : first + 1] - border).min() <= border * (len(ordered) + 64) * 2 * ROUNDED:
        return None
    return None if first and ordered[first - 1] == ordered[first] else row.above(ordered[first])


def _least_within(row: Row, border: float) -> float | None:
    """Return the score of the last token that top-p keeps, from the likeliest ones alone; None if rounding might change it.

    border: 1 - top_p, the weight of the excluded tokens. torch adds ascending weights in several lanes. Each weight takes part in as many
    roundings as its lane has likelier tokens, so the average rank bounds the error of the sum.
    """
    size = len(row.scores)
    for depth in DEPTHS:
        head = row.scores[row.scores >= row.top - depth]
        if size <= FEW or 2 * len(head) > size:  # sorting all scores is as fast
            return None
        head.sort()
        weights = np.exp(head - np.float32(row.top)).astype(np.float64)
        inside = weights.cumsum()
        tail = max(0.0, row.total - float(inside[-1])) + row.total * SURE
        if tail > 4 * border * row.total:  # the border is not reached
            continue
        inside += row.total - inside[-1]
        inside /= row.total
        ranks = (float(weights.dot(np.arange(len(head), 0, -1))) + size * tail) / row.total
        off = SURE + border * (ranks / LANES + 64) * 2 * ROUNDED
        first = int(inside.searchsorted(border, "right"))
        if not 0 < first < len(head) or head[first - 1] == head[first]:
            continue
        if inside[first - 1] < border - off and inside[first] > border + off:
            return float(head[first])
    return None


def min_p(row: Row, setting: float) -> Row | None:
    """Return the row after MinPLogitsWarper: probability at least min_p times the likeliest token's; None if rounding decides.

    0.3 x 0.4 = 0.12 is the least probability:

    >>> row = Row.of(np.log(np.array([0.4, 0.3, 0.15, 0.1, 0.05], np.float32)))
    >>> min_p(row, 0.3).ids
    array([0, 1, 2])
    """
    if setting < LEAST_MIN_P:
        return None
    near = row.above(row.top + math.log(setting) - 1 - abs(row.top) * 1e-6)  # below the border by more than any rounding
    distance = near.below - np.float32(math.log(setting))
    return None if np.abs(distance).min() < CLOSE else near.only(distance > 0)


def typical_p(row: Row, setting: float) -> Row | None:
    """Return the row after TypicalLogitsWarper: tokens whose surprise is closest to the mean, up to a probability; None if unsure.

    The mean surprise is the entropy, 1.39 nats. The surprises 0.92, 1.20, 1.90, 2.30 and 3.00 are 0.48, 0.19, 0.51, 0.91 and 1.60 from it.
    Tokens 1 and 0 together reach 0.6:

    >>> row = Row.of(np.log(np.array([0.4, 0.3, 0.15, 0.1, 0.05], np.float32)))
    >>> typical_p(row, 0.6).ids
    array([0, 1])
    """
    if len(row.scores) > FEW or row.kept < len(row.scores):
        return None
    below = row.below
    distances = np.abs(below - np.float32(row.mean))
    order = distances.argsort()
    inside = np.exp(below)[order].cumsum(dtype=np.float64)
    border, close = setting * row.total, CLOSE * row.total
    last = int(inside[:-1].searchsorted(border))
    edge = distances[order[last]]
    if abs(inside[last] - border) < close or (last + 1 < len(order) and distances[order[last + 1]] - edge < CLOSE_NATS):
        return None
    if last and (border - inside[last - 1] < close or edge - distances[order[last - 1]] < CLOSE_NATS):
        return None
    return row.only(distances <= edge)


def epsilon(row: Row, setting: float) -> Row | None:
    """Return the row after EpsilonLogitsWarper: tokens with at least this probability, and the likeliest; None if rounding decides.

    >>> row = Row.of(np.log(np.array([0.4, 0.3, 0.15, 0.1, 0.05], np.float32)))
    >>> epsilon(row, 0.12).ids
    array([0, 1, 2])
    """
    return _likely(row, math.log(setting), 0.0)


def eta(row: Row, setting: float) -> Row | None:
    """Return the row after EtaLogitsWarper: at least min(e, sqrt(e) exp(-entropy)), and the likeliest; None if rounding decides.

    The entropy is 1.39 nats, so 0.2 gives min(0.2, 0.447 x 0.249) = 0.111:

    >>> row = Row.of(np.log(np.array([0.4, 0.3, 0.15, 0.1, 0.05], np.float32)))
    >>> eta(row, 0.2).ids
    array([0, 1, 2])
    """
    return _likely(row, min(math.log(setting), 0.5 * math.log(setting) - row.entropy), row.entropy)


def _likely(row: Row, border: float, entropy: float) -> Row | None:
    """Return the row of the tokens whose log-probability is at least `border`, which may depend on the entropy."""
    distance = row.scores - np.float32(row.log_sum + border)
    unsure = (len(row.scores) / LANES + 64) * 2 * ROUNDED * (1 + entropy) + 4 * ROUNDED * (abs(row.top) + abs(row.log_sum))
    if (np.abs(distance) < unsure).any():
        return None
    return row.only((distance > 0) | (row.scores == row.top))


CUTS: dict[str, Callable[[Row, float], Row | None]] = {
    "top-k": top_k,
    "top-p": top_p,
    "min-p": min_p,
    "typical-p": typical_p,
    "epsilon": epsilon,
    "eta": eta,
}
BIT = math.log(2)  # nats
DEPTHS = (4.0, 8.0, 12.0)  # nats below the likeliest token; the tokens above nearly always reach top-p, and the roll falls on one of them
LIGHTEST = -80.0  # nats below the likeliest token; smaller weights lose precision


def observe(
    logits: np.ndarray, stages: Sequence[ActiveStage], greedy: bool, previous_ids: np.ndarray, selection: Selection, top_n: int
) -> Observation:
    """Return what `core.sampling.stages.observe` returns, for float32 logits [vocabulary]."""
    with np.errstate(all="ignore"):  # infinities and NaN are detected in the largest score
        rows = rows_after(logits, stages, greedy, previous_ids)
        listed = likeliest(logits, top_n)
        shown = listed if selection.forced is None else np.append(listed, selection.forced)
        strip, starts = strip_of(rows[-1], selection.roll or 0.0, shown)
        names = [name for name, _, _ in stages]
        chosen, more = -1, strip[: also_listed(names, top_n)].tolist()
        if selection.any:
            chosen = _hit(strip, starts, selection.roll or 0.0) if selection.forced is None else selection.forced
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
        return _hit(*strip_of(row, roll), roll)


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
            kept = _processed(row.whole(size), process, previous_ids) > -math.inf
            cut = row.only(kept if row.ids is None else kept[row.ids])
        return cut
    if name == "temperature":
        return _changed(row, row.scores / np.float32(setting), name)
    if name == "repetition penalty":
        return _changed(row, repetition_penalty(row.scores, setting, places_of(previous_ids, row.ids, size)[0]), name)
    if isinstance(process, Addition):
        places, present = places_of(process.ids, row.ids, size)
        scores = row.scores.copy()
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
    """Return float32 scores after a processor of torch."""
    with torch.inference_mode():
        changed: np.ndarray = process(torch.from_numpy(previous_ids)[None], torch.from_numpy(scores)[None])[0].numpy()
    return changed


def _changed(row: Row, scores: np.ndarray, stage: str) -> Row:
    """Return the row of a row's tokens with these scores in place of its own."""
    if row.ids is None:
        return Row.of(scores, None, stage)
    order = row.ids.argsort()
    return Row.of(scores[order], row.ids[order], stage)


def strip_of(row: Row, reach: float, listed: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return the strip [0, 1) of the dice: tokens that can be chosen, side by side, likeliest first, at least as far as `reach`.

    listed: ids of tokens that are on it in any case, if they can be chosen.

    Returns their ids, int64 [n], and where each begins and the last one ends, float64 [n + 1].
    """
    if row.ids is not None:
        weights = row.weights
        order = np.lexsort((row.ids, -weights))
        return row.ids[order], _starts(weights[order])
    scores = row.scores[:0] if listed is None else row.scores[listed]
    lowest = float(scores[scores > -math.inf].min(initial=np.float32(row.top)))
    for depth in DEPTHS:
        least = min(row.top - depth, lowest)
        if least - row.top < LIGHTEST:
            break
        slack = 1e-5 + 1e-6 * max(abs(row.top), abs(least))  # different scores can have the same weight, and equal ones are ordered by id
        near = (row.scores >= least - 2 * slack).nonzero()[0]
        scores = row.scores[near]
        weights = np.exp(scores - np.float32(row.top))
        order = (-weights).argsort(kind="stable")[: np.count_nonzero(scores >= least - slack)]
        starts = _starts(weights[order], row.total)
        if starts[-1] > reach:
            return near[order], starts
    weights = row.weights
    order = (-weights).argsort(kind="stable")
    return order, _starts(weights[order])


def _starts(weights: np.ndarray, total: float | None = None) -> np.ndarray:
    """Return where each weight begins on a strip of length 1, and the last end, float64 [n + 1]. total: of all weights, if not these."""
    starts = np.zeros(len(weights) + 1)
    weights.cumsum(dtype=np.float64, out=starts[1:])
    starts /= starts[-1] if total is None else total
    return starts


def _hit(strip: np.ndarray, starts: np.ndarray, roll: float) -> int:
    """Return the token of the strip whose range includes the roll."""
    return int(strip[min(int(starts[1:].searchsorted(roll, "right")), len(strip) - 1)])


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
    table, scattered = np.empty((len(rows), len(listed))), np.full(size, -math.inf, np.float32)
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
