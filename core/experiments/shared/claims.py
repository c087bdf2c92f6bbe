"""Claims: what a prepared run and the recorded result of each experiment must show, as a check of its record. The page says the same.

A claim is asked with the real weights: `prepared.make` keeps the first run that holds it, the command
`python -m pages.ui.experiments.record_results` refuses a result that does not, and a test asks it again of every bundled file. Times are
compared with each other within one result, never with a clock.
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
from core.experiments.batching.compared_policies import Served
from core.experiments.cache import CACHED
from core.experiments.memory.cache_budget import Answer
from core.experiments.pupil.cascade import CascadeScore, CascadeToken
from core.experiments.same_prompt import Comparison
from core.experiments.speculative import gain
from core.experiments.teach import Probe
from core.experiments.training.scratch_training import ScratchTrainingStep
from core.experiments.watermark import ATTACKED, CALLED, HUMAN, MARKED, UNMARKED, Measured
from core.generation.recorded_run import Recording
from core.record.step import Step

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
ENDS_OF_SENTENCE = (".", "!", "?", ".”", '."', "!”", "?”", '!"', '?"')


@dataclass(frozen=True, slots=True)
class Claim:
    """What a prepared run or a result shows. says: in words; holds: whether a recording, or the observations of a result, show it."""

    says: str
    holds: Callable[[Any], bool]


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


def different_texts(paths: Sequence[Sequence[Any]], least: int) -> bool:
    return len({text_of(path) for path in paths}) >= least


def _answers(seen: Seen) -> dict[str, Any]:
    """Return the last observation of each style of answering, by the style's name."""
    return {style.name: step for style, step in seen}


def _thinking_helps(seen: Seen) -> bool:
    answers = _answers(seen)
    return answers["at once"].chance < 0.5 and answers["step by step"].chance > 0.5


def set_helps(seen: Seen) -> bool:
    right = {name: sum(answer.right for answer in seen if answer.style.name == name) for name in ("at once", "step by step")}
    return right["step by step"] >= 1.2 * right["at once"]


def _cache_wins(seen: Seen) -> bool:
    runs = [[step for step in seen if (step.runner == CACHED) is cached] for cached in (True, False)]
    same = [step.token_id for step in runs[0]] == [step.token_id for step in runs[1]]
    return same and 1.5 * runs[0][-1].total_seconds < runs[1][-1].total_seconds


def _forgotten(seen: Seen) -> bool:
    return isinstance(seen[-1], Answer) and seen[-1].probability is not None and seen[-1].probability < 0.05


def only_smaller_numbers_remember(seen: Seen) -> bool:
    chance = {outcome.policy: outcome.answer.probability or 0.0 for outcome in seen}
    return all((probability > 0.5) == policy.endswith("bits") for policy, probability in chance.items())


def _continuous_is_faster(seen: Seen) -> bool:
    ends = [
        max(step.iteration.start + step.iteration.seconds for step in seen if isinstance(step, Served) and step.side == side)
        for side in (0, 1)
    ]
    return ends[1] < ends[0]


def verified_in_few_passes(seen: Seen) -> bool:
    figures = gain(seen, 4)
    return figures.acceptance_rate >= 0.8 and figures.tokens_per_pass >= 3


def fewer_bits_are_worse(seen: Seen) -> bool:
    by_bits = {step.bits: step.mean_kl for step in seen}
    return all(by_bits[more] <= by_bits[fewer] for more, fewer in pairwise(sorted(by_bits, reverse=True)))


def teacher_is_better(seen: Seen) -> bool:
    teacher, pupil, twin = {report.name: report for report in seen}.values()
    better = teacher.perplexity < pupil.perplexity < twin.perplexity and teacher.right >= max(pupil.right, twin.right)
    return better and pupil.kept > twin.kept and pupil.kl < twin.kl


def wait_grows_with_load(seen: Seen) -> bool:
    """Return whether the wait of one queue more than doubles over the loads, and is near the formula of M/G/1 at each."""
    points = [point for point in seen if getattr(point, "policy", None) is Policy.ONE_AT_A_TIME]
    waits = [point.queue for point in sorted(points, key=lambda point: point.load)]
    near = all(point.formula / 4 <= point.queue <= 4 * point.formula for point in points)
    return near and len(waits) > 2 and waits[-1] > 2 * waits[0]


def learned(seen: Seen) -> bool:
    probes = [probe for probe in seen if isinstance(probe, Probe)]
    first, last = probes[0].distribution.candidates, probes[-1].distribution.candidates[0]
    before = next((c.model_probability for c in first if c.token_id == last.token_id), 0.0)
    return last.model_probability > 0.5 > before


def loss_falls(seen: Seen) -> bool:
    bits = [step.bits for step in seen if isinstance(step, ScratchTrainingStep)]
    return float(np.mean(bits[-20:])) < 0.5 * bits[0]


def mark_is_found(seen: Seen) -> bool:
    called = {
        kind: [text.p_value < CALLED for text in seen if isinstance(text, Measured) and text.kind == kind]
        for kind in (MARKED, UNMARKED, HUMAN, ATTACKED)
    }
    told_apart = np.mean(called[MARKED]) >= 0.9 and not any(called[UNMARKED]) and sum(called[HUMAN]) <= 1
    return bool(told_apart and called[ATTACKED][0] and not called[ATTACKED][-1])


def fact_is_found(seen: Seen) -> bool:
    """Return whether the answer comes back from the differing word at first and from the last position at the end."""
    recovered = seen[-1].recovered
    return max(recovered[0]) > 0.9 and recovered[0][-1] < 0.1 and recovered[-1][-1] > 0.9


def speaks_for_both(seen: Seen) -> bool:
    """Return whether one part speaks for the token and another one for the other token, by at least 1 bit each."""
    effects = [part.effect for part in seen[-1].parts]
    return bool(seen[-1].against) and max(effects) >= BIT and min(effects) <= -BIT


def teacher_is_calibrated(seen: Seen) -> bool:
    """Return whether the teacher is nearer to the diagonal than its pupil, each at a temperature near 1, and worse at 2."""
    teacher, pupil = (part for part in seen if part.counts)
    near = all(abs(part.best() - 1.0) < 0.15 and part.distance(2.0) > 4 * part.distance(1.0) for part in (teacher, pupil))
    return near and teacher.distance(1.0) < pupil.distance(1.0)


def sizes(seen: Seen) -> list[float]:
    """Return the largest difference of each way from the first one, nats."""
    return [way.difference.largest for way in seen if isinstance(way, Comparison)]


# Results of a page and of the tour.
CACHE_WINS = Claim("the same tokens in less than two thirds of the time", _cache_wins)
FORGOTTEN = Claim("the answer is forgotten", _forgotten)
CONTINUOUS_IS_FASTER = Claim("continuous batching is done first", _continuous_is_faster)
THINKING_HELPS = Claim("wrong at once, right step by step", _thinking_helps)


def branches(run: Recording) -> list[tuple[Step, ...]]:
    """Return the steps of every branch of a run, from the prompt to its last token."""
    nodes = run.nodes
    leaves = [index for index in range(len(nodes)) if not any(node.parent == index for node in nodes)]
    return [tuple(run.path_to(leaf)) for leaf in leaves]


def text_of(path: Sequence[Step]) -> str:
    """Return the text that these steps wrote."""
    return "".join(step.text for step in path)


def longest_streak(path: Sequence[Step], wanted: Callable[[Step], bool]) -> int:
    """Return the length of the longest sequence of steps for which `wanted` holds."""
    longest = now = 0
    for step in path:
        now = now + 1 if wanted(step) else 0
        longest = max(longest, now)
    return longest


def repeated_sentences(path: Sequence[Step]) -> int:
    """Return how often the last complete sentence stands at the end of the text, one after the other."""
    sentences = [sentence for sentence in re.split(r"(?<=[.!?])\s+", text_of(path).strip()) if sentence]
    complete = [sentence for sentence in sentences if sentence.endswith(ENDS_OF_SENTENCE)]
    count = 0
    while count < len(complete) and complete[-1 - count] == complete[-1]:
        count += 1
    return count


def share(path: Sequence[Step], wanted: Callable[[Step], bool]) -> float:
    """Return the fraction of steps for which `wanted` holds."""
    return sum(map(wanted, path)) / max(1, len(path))


def ends_in_a_sentence(path: Sequence[Step]) -> bool:
    """Return whether the last token ends a sentence."""
    return bool(path) and path[-1].text.rstrip().endswith(ENDS_OF_SENTENCE)


def _defends(run: Recording) -> bool:
    agreeing, denying = map(text_of, branches(run))
    return (
        "because" in agreeing
        and "because" in denying
        and agreeing.startswith(" Yes")
        and denying.startswith(" No")
        and " not " not in agreeing
        and " not " in denying
    )


def _apart(run: Recording) -> bool:
    """Return whether two branches differ in more than half of their words."""
    left, right = (set(re.findall(r"\w+", text_of(path))) for path in branches(run))
    return len(left & right) < 0.5 * min(len(left), len(right))


def _parts_of_characters(run: Recording) -> int:
    """Return how many tokens of the prompt end within a character."""
    return sum("\ufffd" in token.raw.decode("utf-8", errors="replace") for token in run.prompt_tokens)


CERTAIN = Claim(
    "at least six tokens one after another have more than 95 %",
    lambda run: longest_streak(run.path, lambda step: step.model_probability > 0.95) >= 6,
)
OPEN = Claim(
    "the first token is open: more than 6 bits, and no token above 10 %",
    lambda run: run.path[0].model_entropy > 6 and run.path[0].candidates[0].model_probability < 0.1 and len(run.path) >= 20,
)
COLD = Claim(
    "nine tokens of ten are the likeliest",
    lambda run: share(run.path, lambda step: step.rank == 1) >= 0.9 and ends_in_a_sentence(run.path),
)
HOT = Claim(
    "half of the tokens are below 1 %",
    lambda run: share(run.path, lambda step: step.model_probability < 0.01) >= 0.5,
)
SHORT_LIST = Claim(
    "all tokens are among the three likeliest, and at least one of seven is not the first",
    lambda run: all(step.rank <= 3 for step in run.path) and share(run.path, lambda step: step.rank > 1) >= 0.15,
)
ONE_WORD = Claim(
    "two branches that have less than half of their words in common",
    lambda run: len(branches(run)) == 2 and _apart(run),
)
INTRUDER = Claim(
    "the first token was forced at less than 0.1 %, and the text goes on to the end of a sentence",
    lambda run: run.path[0].chosen_by == "forced" and run.path[0].model_probability < 0.001 and ends_in_a_sentence(run.path),
)
JUSTIFIED = Claim(
    "both answers are followed by a reason that fits",
    lambda run: len(branches(run)) == 2 and _defends(run),
)
ALOUD = Claim(
    "the sum is right, and the text ends by itself",
    lambda run: run.text.rstrip().endswith("The answer is 209.") and run.finished == "end of text",
)
LOOP = Claim(
    "a sentence is written at least four times, one after the other, and the text does not end",
    lambda run: repeated_sentences(run.path) >= 4 and run.finished is None,
)
RARE_NAME = Claim(
    "the prompt has at least three times as many tokens as words",
    lambda run: len(run.prompt_tokens) >= 3 * len(run.prompt.split()),
)
EMOJI = Claim(
    "each of two emoji in the prompt is three tokens",
    lambda run: _parts_of_characters(run) == 6,
)
ENDING = Claim(
    "the end was rolled after 15 to 70 tokens, and other tokens were possible",
    lambda run: (
        run.finished == "end of text"
        and 15 <= len(run.path) <= 70
        and run.path[-1].chosen_by == "sampled"
        and run.path[-1].sampling_probability < 1
    ),
)
SMALLER = Claim(
    "the model has at most an eighth of the storyteller's parameters",
    lambda run: 8 * run.model.parameter_count <= 5_869_312 and ends_in_a_sentence(run.path),
)
