"""The record of one step in one compiled pass over the scores: sums of every stage, probabilities of listed tokens, the strip, the pick.

`core.sampling.stages_numpy` is the reference and is used where rounding might change the result (see `kernel_pick`). All cut-offs but
typical-p keep the head of one sorted list, so its running sums are the sums of every stage. Importing this module compiles it, or loads the
compiled code.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit, types

from core.backends.compiled import kernels as k
from core.backends.compiled.kernel_pick import ALIKE, MOST, UNSURE, best, cut, landing
from core.backends.compiled.kernel_weights import BLOCK, block_maxima, divided_sums, first_of, sums
from core.rounding import CHUNK, CLOSE, CLOSE_NATS, FEW, HEAD

NOT_CHOSEN = -1
CUTS = 4  # top-k, top-p, min-p, typical-p: the last stages, in this order


@njit(nogil=True)
def _copied(scores, out):  # type: ignore[no-untyped-def]
    """Copy scores; twice as fast as `out[:] = scores`, where numba checks for overlap."""
    for i in range(len(scores)):
        out[i] = scores[i]


@njit(nogil=True)
def _noted(measures, stage, top, total, moment, count):  # type: ignore[no-untyped-def]
    """Write a stage's log-sum-exp, its entropy in nats and the number of tokens it kept."""
    mean, log_total = moment / total, math.log(total)
    measures[stage, 0], measures[stage, 1], measures[stage, 2] = np.float64(top) + log_total, log_total - mean, count


@njit(nogil=True)
def _moment(scaled, top, ids, count):  # type: ignore[no-untyped-def]
    """Return the sum of weight x (score - top) over the first `count` of the ids."""
    moment = 0.0
    for place in range(count):
        below = scaled[ids[place]] - top
        moment += np.float64(k.exponential(below) * below)
    return moment


@njit(nogil=True)
def _place(ids, count, token):  # type: ignore[no-untyped-def]
    for place in range(count):
        if ids[place] == token:
            return place
    return NOT_CHOSEN


@njit(nogil=True)
def _penalised(score, penalty):  # type: ignore[no-untyped-def]
    return score * penalty if score < 0 else score / penalty


@njit(nogil=True)
def _replaced(of, old, new):  # type: ignore[no-untyped-def]
    """Return the sum of weights and their first moment after a score changes; old and new are relative to the top."""
    old_weight, new_weight = k.exponential(old), k.exponential(new)
    return of[0] + np.float64(new_weight) - np.float64(old_weight), of[1] + np.float64(new_weight * new) - np.float64(old_weight * old)


@njit(nogil=True)
def _rebased(total, moment, higher):  # type: ignore[no-untyped-def]
    """Return the sum and the moment relative to a top that is lower by `higher`."""
    grown = math.exp(higher)
    return total * grown, (moment + higher * total) * grown


@njit(nogil=True)
def _typical(scaled, top, setting, total, mean, ids, ends, count):  # type: ignore[no-untyped-def]
    """Keep the tokens whose surprise is closest to the expected one, of the first `count`, in order; return how many, or UNSURE."""
    distances, weights = np.empty(count, np.float32), np.empty(count, np.float32)
    for place in range(count):
        below = scaled[ids[place]] - top
        distances[place], weights[place] = abs(below - np.float32(mean)), k.exponential(below)
    order = np.argsort(distances)
    border, close = setting * total, CLOSE * total
    inside = before = 0.0
    last = 0
    for last in range(count):
        before, inside = inside, inside + np.float64(weights[order[last]])
        if inside >= border:
            break
    edge = distances[order[last]]
    if abs(inside - border) < close or (last + 1 < count and distances[order[last + 1]] - edge < CLOSE_NATS):
        return UNSURE
    if last > 0 and (border - before < close or edge - distances[order[last - 1]] < CLOSE_NATS):
        return UNSURE
    left = 0
    end = 0.0
    for place in range(count):
        if distances[place] <= edge:
            end += np.float64(weights[place])
            ids[left], ends[left] = ids[place], end
            left += 1
    return left


@njit(
    types.int64(
        types.Array(types.float32, 1, "C", readonly=True),
        types.Array(types.int64, 1, "C", readonly=True),
        types.float32,
        types.float32,
        types.int64,
        types.float64,
        types.float64,
        types.float64,
        types.boolean,
        types.boolean,
        types.float64,
        types.int64,
        types.float64[:, ::1],
        types.int64[:, ::1],
        types.float64[:, ::1],
    ),
    nogil=True,
    cache=True,
)
def observe(  # type: ignore[no-untyped-def]
    scores, previous, penalty, temperature, top_k, top_p, min_p, typical_p, greedy, picks, roll, forced, measures, table, probabilities
):
    """Write the record of one step. Return how many tokens are listed: `top_n`, or one more if the chosen token is not among them.

    UNSURE if rounding might change the result. scores: float32 [vocabulary], the model's own. previous: int64, all tokens so far, for the
    penalty. Settings of 1, 1, 0, 1, 0, 1 are off. greedy: a last stage that keeps the likeliest token. picks: a token is chosen: `forced`
    if that is at least 0, else by the roll in [0, 1).
    Written are measures float64 [stages, 3]: log-sum-exp, entropy in nats, number kept; table int64 [4, top_n + 1]: listed ids, ranks, the
    stage that removed each or -1, and in the last row the chosen token or -1; probabilities float64 [stages + 2, top_n + 1]: those of the
    listed tokens at every stage, their logits, and where each begins on the strip of the dice or NaN.
    """
    size, top_n = len(scores), table.shape[1] - 1
    scaled, maxima = np.empty(size, np.float32), block_maxima(scores)
    top = k.highest(maxima, len(maxima))
    recomputed = penalty != 1.0 and (size <= CHUNK or penalty < 1.0)  # small vocabularies are summed again, as NumPy does
    divided = temperature != 1.0 and not recomputed
    if divided:  # computed in the same pass, without the penalty
        total, moment, later_total, later_moment = divided_sums(scores, top, temperature, scaled)
    else:
        _copied(scores, scaled)
        total, moment = sums(scores, top)
        later_total, later_moment = total, moment
    if not math.isfinite(moment) or not math.isfinite(later_moment):
        return UNSURE
    _noted(measures, 0, top, total, moment, size)
    stages = 1
    scaled_maxima = maxima.copy()
    if divided:
        for i in range(len(maxima)):
            scaled_maxima[i] = maxima[i] / temperature
    later_top = top / temperature if divided else top
    if penalty != 1.0:
        less, later, was_best = (total, moment), (later_total, later_moment), False
        for token in previous:
            if not 0 <= token < size:
                continue
            old, new = scores[token], _penalised(scores[token], penalty)
            if scaled[token] != (old / temperature if divided else old):  # an earlier occurrence was already penalised
                continue
            less = _replaced(less, old - top, new - top)
            scaled[token] = new / temperature if divided else new
            later = _replaced(later, (old / temperature if divided else old) - later_top, scaled[token] - later_top)
            was_best = was_best or old == top
        # A difference of nearly equal sums has large relative errors, so the sums are computed again.
        if recomputed or not 4 * less[0] > total or not 4 * later[0] > later_total:
            if divided:
                _copied(scores, scaled)
                for token in previous:
                    if 0 <= token < size and scaled[token] == scores[token]:
                        scaled[token] = _penalised(scores[token], penalty)
            scaled_maxima = block_maxima(scaled)
            top = later_top = k.highest(scaled_maxima, len(scaled_maxima))
            if temperature != 1.0:
                total, moment, later_total, later_moment = divided_sums(scaled, top, temperature, scaled)
                later_top = top / temperature
                for i in range(len(scaled_maxima)):
                    scaled_maxima[i] /= temperature
            else:
                total, moment = sums(scaled, top)
                later_total, later_moment = total, moment
            if not math.isfinite(moment) or not math.isfinite(later_moment):
                return UNSURE
        else:
            (total, moment), (later_total, later_moment) = less, later
            if was_best:  # otherwise the maxima of other blocks may be too high, which only costs time
                for token in previous:
                    if 0 <= token < size:
                        number = token // BLOCK
                        block = scaled[number * BLOCK : (number + 1) * BLOCK]
                        scaled_maxima[number] = k.highest(block, len(block))
                now = k.highest(scaled_maxima, len(scaled_maxima))
                later_total, later_moment = _rebased(later_total, later_moment, np.float64(later_top) - np.float64(now))
                later_top = now
        _noted(measures, stages, top, total, moment, size)
        stages += 1
    top, total, moment = later_top, later_total, later_moment
    if temperature != 1.0:
        _noted(measures, stages, top, total, moment, size)
        stages += 1
    cuts = stages  # the first stage that may keep fewer tokens

    ids, ends, kept = np.empty(MOST, np.int64), np.empty(MOST, np.float64), np.empty(4, np.int64)
    whole = np.empty(0, np.int64)  # the sorted list before typical-p, which may remove from its middle
    after = np.full(CUTS, size, np.int64)  # how many tokens of the list each cut-off kept
    active = np.zeros(CUTS, np.bool_)
    if greedy:
        ids[0] = first_of(scaled, scaled_maxima, top)
        ends[0] = total = 1.0
        count = 1
        _noted(measures, stages, scaled[ids[0]], 1.0, 0.0, 1)
    else:
        count, total = cut(scaled, scaled_maxima, top, total, top_k, top_p, min_p, roll, top_n, ids, ends, kept)
        if count < 1:
            return UNSURE
        whole = ids[: kept[3]].copy()
        active[0], active[1], active[2], active[3] = top_k > 0, top_p < 1.0, min_p > 0.0, typical_p < 1.0
        mean = measures[stages - 1, 0] - np.float64(top) - measures[stages - 1, 1]
        before = size
        for number in range(3):
            after[number] = kept[number]
            if not active[number]:
                continue
            if kept[number] == before:
                measures[stages] = measures[stages - 1]
            else:
                inside = ends[kept[number] - 1]
                so_far = _moment(scaled, top, ids, kept[number])
                mean = so_far / inside
                _noted(measures, stages, top, inside, so_far, kept[number])
            before = kept[number]
            stages += 1
        after[3] = before
        if typical_p < 1.0:
            if before > FEW or before > len(whole):
                return UNSURE
            left = count if count == 1 else _typical(scaled, top, typical_p, total, mean, ids, ends, count)
            if left == UNSURE:
                return UNSURE
            measures[stages] = measures[stages - 1]
            if left < count:
                count, total = left, ends[left - 1]
                so_far = _moment(scaled, top, ids, count)
                _noted(measures, stages, top, total, so_far, count)
            stages += 1

    chosen = NOT_CHOSEN
    if picks:
        chosen = forced
        if forced < 0:
            place = landing(ends, count, total, roll)
            if place == UNSURE:
                return UNSURE
            chosen = ids[place]
    values = np.empty(top_n, np.float32)
    best(scores, maxima, table[0], values)
    listed = top_n
    for place in range(top_n):
        table[1, place] = place + 1
    if chosen >= 0 and not np.any(table[0, :top_n] == chosen):
        better = 0
        for i in range(size):
            better += scores[i] > scores[chosen]
        table[0, listed], table[1, listed] = chosen, max(better, listed) + 1
        listed += 1
    table[3, 0] = chosen

    stages = len(measures)
    for column in range(listed):
        token = table[0, column]
        score = scores[token]
        probabilities[stages, column] = score
        probabilities[stages + 1, column] = math.nan
        for stage in range(stages):
            probabilities[stage, column] = 0.0
        table[2, column] = -1
        stage = 0
        probabilities[stage, column] = math.exp(np.float64(score) - measures[stage, 0])
        if penalty != 1.0:
            stage += 1
            if np.any(previous == token):
                score = _penalised(score, penalty)
            probabilities[stage, column] = math.exp(np.float64(score) - measures[stage, 0])
        if temperature != 1.0:
            stage += 1
            probabilities[stage, column] = math.exp(np.float64(scaled[token]) - measures[stage, 0])
        place = _place(ids, count, token)
        if greedy:
            if place < 0:
                table[2, column] = cuts
            else:
                probabilities[cuts, column], probabilities[stages + 1, column] = 1.0, 0.0
            continue
        rank = _place(whole, len(whole), token)
        for number in range(CUTS):
            if not active[number]:
                continue
            stage += 1
            if number < 3:
                stays = after[number] == size or 0 <= rank < after[number]
            else:
                stays = place >= 0
            if not stays:
                table[2, column] = stage
                break
            probabilities[stage, column] = math.exp(np.float64(scaled[token]) - measures[stage, 0])
        if table[2, column] >= 0:
            continue
        if not 0 <= place < HEAD:  # the strip was not computed that far
            return UNSURE
        for other in (place - 1, place + 1):
            if 0 <= other < count and 0 < abs(scaled[ids[other]] - scaled[token]) < ALIKE:
                return UNSURE
        probabilities[stages + 1, column] = 0.0 if place == 0 else ends[place - 1] / total
    return listed
