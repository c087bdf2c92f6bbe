"""Claims: what the recorded result of each experiment must show, as a check of its observations. The page beside it says the same.

`python -m pages.ui.experiments.record` refuses a result that does not hold its claim, and a test asks it again of every bundled file.
Times are compared with each other within one result, never with a clock.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from core.batching.scheduler import Policy
from core.experiments.batching import Served
from core.experiments.cache_budget import Answer
from core.experiments.cache_race import CACHED
from core.experiments.cascade import CascadeScore, CascadeToken
from core.experiments.claims import text_of
from core.experiments.scratch_training import ScratchTrainingStep
from core.experiments.speculative_gain import gain
from core.experiments.teach import Probe
from core.experiments.watermark import ATTACKED, CALLED, HUMAN, MARKED, UNMARKED, Measured

BIT = math.log(2)  # nats in one bit
Seen = Sequence[Any]
# Words that show what a steered text is about, by the title of its lists.
STEERED_WORDS = {
    "Night and day": frozenset("night moon dark star stars midnight asleep sleep dream bed evening".split()),
    "Animals and people": frozenset(
        "dog cat bear fox bird mouse rabbit frog duck owl wolf deer horse pig cow hen crow swan fish lion donkey goat sheep".split()
    ),
}
MORE_WORDS = 3  # of them than in the usual text
BROKEN = 3.0  # times the usual perplexity, from which on a steered text is broken


@dataclass(frozen=True, slots=True)
class ResultClaim:
    """What a result shows. says: in words; holds: whether its observations show it."""

    says: str
    holds: Callable[[Seen], bool]


def count_words(text: str, words: frozenset[str]) -> int:
    """Return how many words of a text are among these."""
    return sum(word in words for word in re.findall(r"[a-z]+", text.lower()))


def cascade_is_worth_it(seen: Seen) -> bool:
    """Return whether the small model wrote 60 % of the tokens, fewer large passes were needed, and the text is better than its own."""
    together, small, _large = ([token for token in seen if isinstance(token, CascadeToken) and token.run == run] for run in range(3))
    bits = {score.run: score.bits_per_token for score in seen if isinstance(score, CascadeScore)}
    by_small = sum(not token.by_large for token in together) / max(1, len(together))
    work, alone = (sum(token.multiply_adds for token in run) for run in (together, _large))
    return by_small >= 0.6 and work < alone and bits[0] < bits[1] and bool(small)


def steered(seen: Seen, title: str = "Night and day") -> bool:
    """Return whether the steered text has MORE_WORDS more words of its subject, and is not much stranger than the usual one."""
    last = seen[-1]
    words = STEERED_WORDS[title]
    written = re.findall(r"[a-z]+", last.steered.lower())
    if len(set(written)) < 0.6 * len(written):
        return False  # it says the same words again and again
    more = count_words(last.steered, words) - count_words(last.usual, words)
    return more >= MORE_WORDS and last.steered_perplexity <= BROKEN * last.usual_perplexity


def _different_texts(paths: Sequence[Sequence[Any]], least: int) -> bool:
    return len({text_of(path) for path in paths}) >= least


def _answers(seen: Seen) -> dict[str, Any]:
    """Return the last observation of each style of answering, by the style's name."""
    return {style.name: step for style, step in seen}


def _thinking_helps(seen: Seen) -> bool:
    answers = _answers(seen)
    return answers["at once"].chance < 0.5 and answers["step by step"].chance > 0.5


def _set_helps(seen: Seen) -> bool:
    right = {name: sum(answer.right for answer in seen if answer.style.name == name) for name in ("at once", "step by step")}
    return right["step by step"] >= 1.2 * right["at once"]


def _cache_wins(seen: Seen) -> bool:
    runs = [[step for step in seen if (step.runner == CACHED) is cached] for cached in (True, False)]
    same = [step.token_id for step in runs[0]] == [step.token_id for step in runs[1]]
    return same and 1.5 * runs[0][-1].total_seconds < runs[1][-1].total_seconds


def _forgotten(seen: Seen) -> bool:
    return isinstance(seen[-1], Answer) and seen[-1].probability is not None and seen[-1].probability < 0.05


def _only_smaller_numbers_remember(seen: Seen) -> bool:
    chance = {outcome.policy: outcome.answer.probability or 0.0 for outcome in seen}
    return all((probability > 0.5) == policy.endswith("bits") for policy, probability in chance.items())


def _continuous_is_faster(seen: Seen) -> bool:
    ends = [
        max(step.iteration.start + step.iteration.seconds for step in seen if isinstance(step, Served) and step.side == side)
        for side in (0, 1)
    ]
    return ends[1] < ends[0]


def _verified_in_few_passes(seen: Seen) -> bool:
    figures = gain(seen, 4)
    return figures.acceptance_rate >= 0.8 and figures.tokens_per_pass >= 3


def _fewer_bits_are_worse(seen: Seen) -> bool:
    by_bits = {step.bits: step.mean_kl for step in seen}
    return all(by_bits[more] <= by_bits[fewer] for more, fewer in pairwise(sorted(by_bits, reverse=True)))


def _teacher_is_better(seen: Seen) -> bool:
    teacher, pupil, twin = {report.name: report for report in seen}.values()
    better = teacher.perplexity < pupil.perplexity < twin.perplexity and teacher.right >= max(pupil.right, twin.right)
    return better and pupil.kept > twin.kept and pupil.kl < twin.kl


def _wait_grows_with_load(seen: Seen) -> bool:
    """Return whether the wait of one queue more than doubles over the loads, and is near the formula of M/G/1 at each."""
    points = [point for point in seen if getattr(point, "policy", None) is Policy.ONE_AT_A_TIME]
    waits = [point.queue for point in sorted(points, key=lambda point: point.load)]
    near = all(point.formula / 4 <= point.queue <= 4 * point.formula for point in points)
    return near and len(waits) > 2 and waits[-1] > 2 * waits[0]


def _learned(seen: Seen) -> bool:
    probes = [probe for probe in seen if isinstance(probe, Probe)]
    first, last = probes[0].distribution.candidates, probes[-1].distribution.candidates[0]
    before = next((c.model_probability for c in first if c.token_id == last.token_id), 0.0)
    return last.model_probability > 0.5 > before


def _loss_falls(seen: Seen) -> bool:
    bits = [step.bits for step in seen if isinstance(step, ScratchTrainingStep)]
    return float(np.mean(bits[-20:])) < 0.5 * bits[0]


def _mark_is_found(seen: Seen) -> bool:
    called = {
        kind: [text.p_value < CALLED for text in seen if isinstance(text, Measured) and text.kind == kind]
        for kind in (MARKED, UNMARKED, HUMAN, ATTACKED)
    }
    told_apart = np.mean(called[MARKED]) >= 0.9 and not any(called[UNMARKED]) and sum(called[HUMAN]) <= 1
    return bool(told_apart and called[ATTACKED][0] and not called[ATTACKED][-1])


def _fact_is_found(seen: Seen) -> bool:
    """Return whether the answer comes back from the differing word at first and from the last position at the end."""
    recovered = seen[-1].recovered
    return max(recovered[0]) > 0.9 and recovered[0][-1] < 0.1 and recovered[-1][-1] > 0.9


RESULT_CLAIMS = {
    "compare": ResultClaim("three settings write three texts", lambda seen: _different_texts(seen[-1].paths, 3)),
    "compare_sweep": ResultClaim(
        "the hottest setting takes less likely tokens than the coldest",
        lambda seen: (
            np.mean([step.model_probability for step in seen[-1].path]) < np.mean([step.model_probability for step in seen[0].path])
        ),
    ),
    "compare_stream": ResultClaim("a whole answer was written", lambda seen: len(seen[-1].paths[0]) >= 30),
    "candidates": ResultClaim(
        "eight tries, at least five different texts", lambda seen: _different_texts([t.path for t in seen[-1].tries], 5)
    ),
    "candidates_beam": ResultClaim(
        "three answers, the best first",
        lambda seen: len(scores := [beam.score for beam in seen[-1].answers]) == 3 and scores == sorted(scores, reverse=True),
    ),
    "why_words": ResultClaim("hiding one word takes at least 3 bits", lambda seen: max(part.effect for part in seen[-1].parts) >= 3 * BIT),
    "why_heads": ResultClaim(
        "switching off one head takes at least 2 bits, and its attention is shown",
        lambda seen: max(effect for layer in seen[-1].effects for effect in layer) >= 2 * BIT and bool(seen[-1].attention),
    ),
    "why_without": ResultClaim(
        "without the head the likeliest token is another one", lambda seen: np.argmax(seen[-1].usual) != np.argmax(seen[-1].changed)
    ),
    "why_fact": ResultClaim("the answer comes back from the word first, and from the last position at the end", _fact_is_found),
    "why_sum": ResultClaim(
        "the parts add up to the logit, and one adds at least 2",
        lambda seen: abs(seen[-1].sum - seen[-1].logit) < 0.01 and max(part.value for part in seen[-1].parts) >= 2,
    ),
    "why_steer": ResultClaim("the steered text is about the night, and not broken", steered),
    "think": ResultClaim("wrong at once, right step by step", _thinking_helps),
    "think_set": ResultClaim("more answers are right step by step", _set_helps),
    "race": ResultClaim("the same tokens in less than two thirds of the time", _cache_wins),
    "memory": ResultClaim("the answer is forgotten", _forgotten),
    "memory_ways": ResultClaim("only smaller numbers keep the answer", _only_smaller_numbers_remember),
    "context": ResultClaim(
        "the longest prompt takes at least four times as long as the shortest",
        lambda seen: max(p.prefill.median for p in seen) >= 4 * min(p.prefill.median for p in seen),
    ),
    "context_end": ResultClaim("the context ends the text", lambda seen: seen[-1].ended == "context full"),
    "cost_two": ResultClaim(
        "both questions get the same answer, and the long one costs at least twice the work",
        lambda seen: (
            (last := dict(seen))[0].text.strip() == last[1].text.strip()
            and last[1].receipt.multiply_adds >= 2 * last[0].receipt.multiply_adds
        ),
    ),
    "batching": ResultClaim("continuous batching is done first", _continuous_is_faster),
    "batching_curve": ResultClaim(
        "a larger batch writes more tokens per second",
        lambda seen: max(seen, key=lambda p: p.size).tokens_per_second > 1.3 * min(seen, key=lambda p: p.size).tokens_per_second,
    ),
    "speculative": ResultClaim("at least 80 % of the drafts are accepted, three tokens for each large pass", _verified_in_few_passes),
    "quantization": ResultClaim("fewer bits are further from the full model", _fewer_bits_are_worse),
    "quantization_parts": ResultClaim("every part was measured", lambda seen: len(seen) > 10 and all(p.mean_kl >= 0 for p in seen)),
    "quantization_notepad": ResultClaim(
        "8 bits are closer than 4", lambda seen: min(seen, key=lambda o: o.bits).kl > max(seen, key=lambda o: o.bits).kl
    ),
    "pupil": ResultClaim(
        "the models differ, and the writer is less surprised",
        lambda seen: sum(t.writer.surprise for t in seen) < sum(t.judge.surprise for t in seen),
    ),
    "pupil_cascade": ResultClaim("60 % by the small model, less work, and better than the small one alone", cascade_is_worth_it),
    "pupil_school": ResultClaim("the teacher is best, and the pupil better than its twin", _teacher_is_better),
    "watermark": ResultClaim(
        "9 of 10 marked runs are called marked, no unmarked one, at most one book excerpt; an attack ends it", _mark_is_found
    ),
    "waiting": ResultClaim(
        "a request alone in a batch waits less than one in a queue",
        lambda seen: (last := {w.policy: w for w in seen})[Policy.CONTINUOUS].spent("queue") < last[Policy.ONE_AT_A_TIME].spent("queue"),
    ),
    "waiting_curve": ResultClaim("the queue grows with the load, as the formula says within a factor of four", _wait_grows_with_load),
    "same_prompt": ResultClaim(
        "both ways give other log-probabilities, and at least one written text parts where gap and shift say so",
        lambda seen: (
            (last := seen[-1]).difference.largest > 1e-3 and any(run.parted is not None and 0 <= run.gap <= run.shift for run in last.runs)
        ),
    ),
    "same_prompt_noise": ResultClaim("ten repeats, and none differs", lambda seen: seen[-1].repeats == 10 and seen[-1].largest == 0),
    "same_prompt_table": ResultClaim(
        "another order of sums differs, and rounded weights a thousand times as much",
        lambda seen: 0 < 1000 * (sizes := [row.comparison.difference.largest for row in seen if row.comparison])[0] < max(sizes),
    ),
    "teach": ResultClaim("a token below 50 % is above 50 % after the lesson", _learned),
    "teach_step": ResultClaim(
        "training changes weights and takes longer than inference",
        lambda seen: (
            seen[-1].changed > 0
            and seen[-1].training.forward_seconds + seen[-1].training.backward_seconds + seen[-1].training.update_seconds
            > seen[-1].inference_seconds
        ),
    ),
    "newborn": ResultClaim("the loss falls to less than half", _loss_falls),
    "tour_notepad": ResultClaim("the same tokens in less than two thirds of the time", _cache_wins),
    "tour_full": ResultClaim("the answer is forgotten", _forgotten),
    "tour_many": ResultClaim("continuous batching is done first", _continuous_is_faster),
    "tour_guess": ResultClaim("some drafts are accepted", lambda seen: any(step.accepted for step in seen if hasattr(step, "accepted"))),
    "tour_aloud": ResultClaim("wrong at once, right step by step", _thinking_helps),
}
