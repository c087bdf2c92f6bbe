"""Claims of the prepared runs: what each recording must show, as a check of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from core.experiments.shared.claim import Claim, text_of
from core.generation.recorded_run import Recording
from core.record.step import Step

ENDS_OF_SENTENCE = (".", "!", "?", ".”", '."', "!”", "?”", '!"', '?"')


def branches(run: Recording) -> list[tuple[Step, ...]]:
    """Return the steps of every branch of a run, from the prompt to its last token."""
    nodes = run.nodes
    leaves = [index for index in range(len(nodes)) if not any(node.parent == index for node in nodes)]
    return [tuple(run.path_to(leaf)) for leaf in leaves]


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


def _of_messages(run: Recording) -> int:
    """Return how many tokens of the prompt are a message's own."""
    return sum(end - first for first, end in run.message_spans)


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
ANSWERED = Claim(
    "the answer to a message ends by itself within 80 tokens, and at least half of the prompt's tokens are the template's",
    lambda run: run.as_chat and run.finished == "end of text" and len(run.path) <= 80 and 2 * _of_messages(run) <= len(run.prompt_tokens),
)
SMALLER = Claim(
    "the model has at most an eighth of the storyteller's parameters",
    lambda run: 8 * run.model.parameter_count <= 5_869_312 and ends_in_a_sentence(run.path),
)
