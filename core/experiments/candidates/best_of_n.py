"""Best-of-N sampling in real batches, and scores to select the best of several tries at the same prompt.

Try number i uses attempt i of the rolls, as `Generation.step(attempt=i)` does. One prefill serves all tries. Then every forward pass
generates one token of every unfinished try. The sums of a batch differ in their last digits from those of a single row, which can change
the chosen token if a roll is close to a border: at temperature 2, in about one try of ten. `Generation.step(i, outcome)` therefore copies
a try into a run without sampling again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from core.checked_number import whole_number
from core.errors import BadSetting
from core.experiments.shared.answer_in_text import answer_of, normal
from core.experiments.shared.prompt_batch import together
from core.experiments.shared.prompt_tokens import prompt_ids
from core.experiments.shared.written_rows import BatchStep, CandidateSequence, Row, write_rows
from core.generation.generation import Generation
from core.message import Message
from core.record.step import Step
from core.sampling.settings import SamplingSettings
from core.sources.capabilities import Can
from core.sources.token_source import TokenSource

MOST_TRIES = 32
MOST_STEPS = 400
LISTED = 8  # candidates recorded at every step of every try
# Scores of a try: the name, and the formula in words.
MEAN, NORMALISED, MAJORITY = Message("mean log-probability"), Message("length-normalised"), Message("majority of the answers")
FORMULAS: dict[str, str] = {
    MEAN: Message("the sum of the natural logarithms of all its tokens' probabilities, divided by the number of tokens"),
    NORMALISED: Message("the same sum divided by ((5 + tokens) / 6) to the power of 0.6, as in machine translation (Wu et al. 2016)"),
    MAJORITY: Message("the share of all candidates with the same answer: the last number in the text or, without numbers, its first word"),
}


def write_together(
    model: TokenSource, prompt: str, settings: SamplingSettings | None = None, count: int = 8, steps: int = 40, top_n: int = LISTED
) -> Iterator[BatchStep]:
    """Generate `count` tries of up to `steps` tokens; yield after every forward pass. The generator can be stopped at any time.

    A source without a network here answers for every try by itself. Raises EmptyPrompt, PromptTooLong, BadSetting for counts out of range,
    NoRoom, and the errors of a server.
    """
    settings = settings or SamplingSettings()
    count, steps = (
        whole_number(count, Message("The number of candidates"), 1, MOST_TRIES),
        whole_number(steps, Message("The length"), 1, MOST_STEPS),
    )
    top_n = whole_number(top_n, "top_n", 0)
    ids = prompt_ids(model, prompt)
    if Can.NETWORK not in model.can:
        yield from _write_one_by_one(model, prompt, settings, count, steps, top_n)
        return
    yield from write_rows(model, ids, [Row(number, list(ids), settings) for number in range(count)], steps, top_n)


def _write_one_by_one(
    model: TokenSource, prompt: str, settings: SamplingSettings, count: int, steps: int, top_n: int
) -> Iterator[BatchStep]:
    """Yield what `write_together` yields, from runs that are asked together. Try number i uses attempt i of the rolls."""
    runs = [Generation(model, prompt, settings, top_n) for _each in range(count)]
    seconds, passes = 0.0, 0
    while passes < steps and (alive := [number for number, run in enumerate(runs) if run.finished is None]):
        began = perf_counter()
        together(lambda number: runs[number].step(number), alive)
        seconds, passes = seconds + perf_counter() - began, passes + 1
        tries = tuple(CandidateSequence(number, tuple(run.path), run.finished) for number, run in enumerate(runs))
        yield BatchStep(tries, len(alive), sum(len(run.path) for run in runs), seconds, passes)


def write_and_time_one(
    model: TokenSource, prompt: str, settings: SamplingSettings | None = None, count: int = 8, steps: int = 40
) -> Iterator[BatchStep]:
    """Yield the steps of `write_together`, then generate the first try alone and yield the last BatchStep again with that time."""
    newest = None
    for newest in write_together(model, prompt, settings, count, steps):
        yield newest
    *_each, alone = write_together(model, prompt, settings, 1, steps)
    if newest is not None:
        yield replace(newest, alone_seconds=alone.seconds, alone_passes=alone.forward_passes)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A try and its score; higher is better."""

    attempt: CandidateSequence
    score: float
    answer: str


def ranked(tries: Sequence[CandidateSequence], by: str = MEAN) -> list[Ranked]:
    """Return the tries, best first; equal scores by mean log-probability, then by number. Raises BadSetting for an unknown score."""
    if by not in FORMULAS:
        raise BadSetting("Candidates are scored by {names}, not by {by}.", names=", ".join(FORMULAS), by=repr(str(by)[:40]))
    written = [attempt for attempt in tries if attempt.path]
    answers = {attempt.number: answer_of(attempt.text) for attempt in written}
    votes = Counter(map(normal, answers.values()))

    def score(attempt: CandidateSequence) -> float:
        length = len(attempt.path)
        if by == MAJORITY:
            return votes[normal(answers[attempt.number])] / len(written)
        return attempt.log_probability / (length if by == MEAN else ((5 + length) / 6) ** 0.6)

    entries = [Ranked(attempt, score(attempt), answers[attempt.number]) for attempt in written]
    return sorted(entries, key=lambda r: (-r.score, -r.attempt.log_probability / len(r.attempt.path), r.attempt.number))


@dataclass(frozen=True, slots=True)
class Merged:
    """A node of the tree of all tries. node_id 0 is the prompt. tries: numbers of the tries that contain this node.

    probability: the model's, of this token; ends: number of tries that end here.
    """

    node_id: int
    parent: int | None
    text: str
    probability: float
    tries: tuple[int, ...]
    ends: int


def merged(tries: Sequence[CandidateSequence]) -> list[Merged]:
    """Return all tries as one tree, in which tries with the same first tokens share nodes."""
    places: dict[tuple[int, int], int] = {}
    parents: list[int | None] = [None]
    steps: list[Step | None] = [None]
    through: list[list[int]] = [[attempt.number for attempt in tries]]
    ends = [sum(not attempt.path for attempt in tries)]
    for attempt in tries:
        here = 0
        for step in attempt.path:
            key = (here, step.token_id)
            if key not in places:
                places[key] = len(parents)
                parents.append(here)
                steps.append(step)
                through.append([])
                ends.append(0)
            here = places[key]
            through[here].append(attempt.number)
        ends[here] += bool(attempt.path)
    return [
        Merged(i, parents[i], step.text or step.piece if step else "", step.model_probability if step else 1.0, tuple(through[i]), ends[i])
        for i, step in enumerate(steps)
    ]
