"""What a model says when it is left to talk: how sure it is at every step, whether its stories hang together, whether they hurt anybody.

Every text is sampled here step by step, so that the distribution behind each token is looked at and not only the token. Knows nothing
about tables.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch

from core.experiments.questions.words import BOYS, GIRLS
from core.training.decency import hurtful
from core.training.exam import Candidate, share

# The app's Balanced preset.
BALANCED_TEMPERATURE, BALANCED_TOP_P = 0.8, 0.9


@dataclass(frozen=True, slots=True)
class Sample:
    """One sampled text, and what stood behind each of its tokens.

    favourite: probability of the likeliest token; entropy: bits; alone: whether the Balanced preset would leave a single token.
    """

    beginning: str
    text: str
    favourite: list[float]
    entropy: list[float]
    alone: list[bool]


@torch.inference_mode()
def sample(
    candidate: Candidate, beginnings: Sequence[str], new_tokens: int, temperature: float = 1.0, seed: int = 0, batch: int = 100
) -> list[Sample]:
    """Continue every beginning until its end token or for so many tokens; the odds are those before the temperature."""
    dice = torch.Generator().manual_seed(seed)
    samples: list[Sample] = []
    for start in range(0, len(beginnings), batch):
        samples += _batch(candidate, list(beginnings[start : start + batch]), new_tokens, temperature, dice)
    return samples


def _batch(candidate: Candidate, beginnings: list[str], new_tokens: int, temperature: float, dice: torch.Generator) -> list[Sample]:
    tokenizer, model = candidate.tokenizer, candidate.model
    tokenizer.padding_side = "left"
    padded = tokenizer(beginnings, padding=True, return_tensors="pt")
    step, seen = padded["input_ids"], padded["attention_mask"]
    told: list[torch.Tensor] = []
    odds: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]] = []
    going = torch.ones(len(beginnings), dtype=torch.bool)
    past = None
    for _ in range(new_tokens):
        places = (seen.cumsum(-1) - 1).clamp(min=0)[:, -step.shape[1] :]
        out = model(input_ids=step, attention_mask=seen, position_ids=places, past_key_values=past, use_cache=True, logits_to_keep=1)
        past, logits = out.past_key_values, out.logits[:, -1].float()
        logprobs = torch.log_softmax(logits, -1)
        probabilities = logprobs.exp()
        cooled = torch.softmax(logits / BALANCED_TEMPERATURE, -1).amax(-1)
        odds.append((probabilities.amax(-1), -(probabilities * logprobs).sum(-1) / math.log(2), cooled >= BALANCED_TOP_P))
        chosen = torch.multinomial(torch.softmax(logits / temperature, -1), 1, generator=dice)
        told.append(torch.where(going, chosen[:, 0], -1))
        going &= chosen[:, 0] != tokenizer.eos_token_id
        if not going.any():
            break
        step, seen = chosen, torch.cat([seen, torch.ones_like(chosen)], -1)
    ids = torch.stack(told, -1)
    favourite, entropy, alone = (torch.stack([step_odds[which] for step_odds in odds], -1) for which in range(3))
    samples = []
    for row, beginning in enumerate(beginnings):
        asked = ids[row] >= 0
        text = tokenizer.decode(ids[row][asked], skip_special_tokens=True)
        samples.append(Sample(beginning, text, favourite[row][asked].tolist(), entropy[row][asked].tolist(), alone[row][asked].tolist()))
    return samples


def sureness(samples: Iterable[Sample]) -> dict[str, float]:
    """Over all steps of the samples: share with a favourite above 99 % and above 95 %, mean entropy (bits), share with one token left."""
    samples = list(samples)
    favourite = [value for one in samples for value in one.favourite]
    entropy = [value for one in samples for value in one.entropy]
    return {
        "above 99 %": share(value > 0.99 for value in favourite),
        "above 95 %": share(value > 0.95 for value in favourite),
        "entropy": sum(entropy) / len(entropy),
        "alone": share(value for one in samples for value in one.alone),
    }


_NAMES = sorted({*GIRLS, *BOYS, *"John Jane Mary Timmy Tommy Jimmy Bob Sue Kate Dick Polly Nancy Harry Frank".split()})
_OTHERS = re.compile(rf"\b({'|'.join(_NAMES)})\b")


@dataclass(frozen=True, slots=True)
class Coherence:
    """What a program can see of a story: the hero named again, nobody in the hero's place, quotation marks closed, no sentence twice."""

    named_again: bool
    nobody_instead: bool
    quotes_closed: bool
    nothing_twice: bool


def coherence(hero: str, beginning: str, text: str) -> Coherence:
    """Look at one story about this hero.

    Somebody else is in the hero's place when the hero is never named again, but another name twice or more; or when somebody is
    introduced a second time ("a girl named ...") in the very words of the beginning.

    >>> coherence("Mia", "There was a girl named Mia.", ' Mia said, "Hello." Tom laughed.')
    Coherence(named_again=True, nobody_instead=True, quotes_closed=True, nothing_twice=True)
    """
    named = re.findall(rf"\b{hero}\b", text)
    others = [name for name in _OTHERS.findall(text) if name != hero]
    last = text.rfind(named[-1]) if named else 0
    after = [name for name in _OTHERS.findall(text[last:]) if name != hero]
    taken = any(after.count(name) >= (2 if not named else 4) for name in set(after))
    again = any(f"named {name}" in text and f"named {hero}" in beginning for name in others)
    sentences = [sentence.strip() for sentence in re.split(r"(?<=[.!?])[\"']?\s+", text) if len(sentence.split()) >= 4]
    return Coherence(bool(named), not (taken or again), quotes_closed(text), len(sentences) == len(set(sentences)))


def quotes_closed(text: str) -> bool:
    """True when no speech begins within another, and none is left open at a paragraph's end (the last may be cut).

    >>> quotes_closed('"Come," he said. "Now'), quotes_closed('"Come, he said. "Now."')
    (True, False)
    """
    for number, paragraph in enumerate(paragraphs := text.split("\n")):
        within = False
        for mark in re.finditer('"', paragraph):
            opens = not paragraph[: mark.start()].strip() or paragraph[mark.start() - 1] in " (-"
            closes = mark.end() == len(paragraph) or paragraph[mark.end()] in " .,;!?)-"
            # What might do both does what is needed.
            if (opens and not closes and within) or (closes and not opens and not within):
                return False
            within = not within
        if within and number + 1 < len(paragraphs):
            return False
    return True


def hurting(samples: Iterable[Sample]) -> list[tuple[str, list[str]]]:
    """The samples with words that should not be there (decency.py), and these words."""
    return [(one.beginning + one.text, found) for one in samples if (found := hurtful(one.text))]
