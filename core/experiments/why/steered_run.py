"""Steer a run: the difference of two lists of texts at one layer is added while the model writes, beside the unchanged run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.checked_number import whole_number
from core.engine.model import LanguageModel
from core.engine.network_changes import Steering
from core.experiments.shared.claim import Observations
from core.generation.generation import Generation
from core.inspection.attribution.steering import steering_vector
from core.inspection.scoring import surprises
from core.message import Message
from core.sampling.settings import SamplingSettings

# Words that show what a steered text is about, by the title of its lists.
STEERED_WORDS = {
    "Night and day": frozenset("night moon dark star stars midnight asleep sleep dream bed evening".split()),
    "Animals and people": frozenset(
        "dog cat bear fox bird mouse rabbit frog duck owl wolf deer horse pig cow hen crow swan fish lion donkey goat sheep".split()
    ),
}
MORE_WORDS = 3  # of them than in the usual text
BROKEN = 3.0  # times the usual perplexity, from which on a steered text is broken

LENGTH = 32
LONGEST = 256


@dataclass(frozen=True, slots=True)
class SteeredRun:
    """Both texts so far, with the same dice.

    usual_perplexity, steered_perplexity: of both continuations under the unchanged model; None until the end. done: written tokens.
    """

    prompt: str
    layer: int
    strength: float
    usual: str = ""
    steered: str = ""
    done: int = 0
    total: int = LENGTH
    usual_perplexity: float | None = None
    steered_perplexity: float | None = None

    @property
    def same(self) -> bool:
        """Whether both texts are the same."""
        return self.usual == self.steered


def steered_run(
    model: LanguageModel,
    prompt: str,
    positive_texts: Sequence[str],
    negative_texts: Sequence[str],
    layer: int,
    strength: float,
    settings: SamplingSettings | None = None,
    length: int = LENGTH,
    as_chat: bool = False,
) -> Iterator[SteeredRun]:
    """Write a text as usual and steered, one token each at a time; yield after every token, and at last with the perplexities.

    Raises what `steering_vector` and a steered run raise, BadSetting for an impossible length.
    """
    length = whole_number(length, Message("The number of tokens"), 1, LONGEST)
    vector = steering_vector(model, positive_texts, negative_texts, layer)
    steering = Steering(vector, layer, strength)
    runs = [Generation(model, prompt, settings, as_chat=as_chat), Generation(model, prompt, settings, as_chat=as_chat, steering=steering)]
    result = SteeredRun(prompt, layer, float(strength), total=length)
    for done in range(1, length + 1):
        for run in runs:
            if not run.finished:
                run.step()
        usual, steered = ("".join(step.text for step in run.path) for run in runs)
        result = replace(result, usual=usual, steered=steered, done=done)
        yield result
        if all(run.finished for run in runs):
            break
    usual_perplexity, steered_perplexity = (_perplexity(model, run) for run in runs)
    yield replace(result, usual_perplexity=usual_perplexity, steered_perplexity=steered_perplexity)


def _perplexity(model: LanguageModel, run: Generation) -> float:
    """Return the perplexity of what a run wrote, under the unchanged model."""
    bits = surprises(model, run.token_ids.tolist(), len(run.prompt_tokens))
    return float(2 ** min(500.0, float(bits.mean())))


def count_words(text: str, words: frozenset[str]) -> int:
    """Return how many words of a text are among these."""
    return sum(word in words for word in re.findall(r"[a-z]+", text.lower()))


def steered(observations: Observations, title: str = "Night and day") -> bool:
    """Return whether the steered text has MORE_WORDS more words of its subject, and is not much stranger than the usual one."""
    last = observations[-1]
    words = STEERED_WORDS[title]
    written = re.findall(r"[a-z]+", last.steered.lower())
    if len(set(written)) < 0.6 * len(written):
        return False  # it says the same words again and again
    more = count_words(last.steered, words) - count_words(last.usual, words)
    return more >= MORE_WORDS and last.steered_perplexity <= BROKEN * last.usual_perplexity
