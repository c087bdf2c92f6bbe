"""Which tokens would spell no word: a second thing to learn at every position, beside the token that really follows.

A text says of one token that it follows. A list of words says more: after " elep" can come "hant", but no "ful" and no space. So whatever
part of the probability lies on pieces that no known word allows is a loss of its own (a semantic loss, Xu and others, 2018). How the rest
is divided stays a matter of the text. Hurtful words are no known words here, so nothing is put together from pieces to become one.

That loss asks less and less of what is already unlikely, and of five thousand texts a few still held a hurtful word. So the tokens that
would complete one have a second loss, on the logarithm of their probability: it pushes as hard at a ten-thousandth as at a tenth, down to
a floor where nobody will ever meet them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from random import Random

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import PreTrainedTokenizerFast

from core.training.corpus import Corpus
from core.training.decency import hurtful, hurtful_among
from core.training.lessons import document

LESSONS_TO_READ = 20_000
DETERRED_TO = -16.0  # log probability, nats: once in nine million tokens
WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")
_LEAD = re.compile(r"[a-z']*")


def words_of(texts: Iterable[str]) -> set[str]:
    """All words of the texts, in small letters."""
    return {word.lower() for text in texts for word in WORD.findall(text)}


def known_words(corpus: Corpus, lessons: int = LESSONS_TO_READ) -> set[str]:
    """The words of the real prose and of that many lessons."""
    rng = Random(3)
    return words_of(document(rng) for _ in range(lessons)) | words_of(corpus.texts())


class Spelling:
    """Knows, of every beginning of a word, which tokens of a vocabulary cannot come next.

    words: what may be spelled, in small letters. Beginnings are looked up when they are first met, and kept (512 bytes each for 4,096
    tokens).
    """

    def __init__(self, tokenizer: PreTrainedTokenizerFast, words: set[str]) -> None:
        self._words = {word for word in words if not hurtful(word)}
        self._beginnings = {word[:end] for word in self._words for end in range(1, len(word) + 1)}
        special = set(tokenizer.all_special_ids)
        self._texts = [" " if token in special else tokenizer.decode([token]).lower() for token in range(len(tokenizer))]
        self._leads = [_LEAD.match(text)[0] for text in self._texts]  # type: ignore[index]
        self._rests_fit = np.array([self._may_go_on(text[len(lead) :]) for text, lead in zip(self._texts, self._leads, strict=True)])
        self._all_lead = np.array([text == lead for text, lead in zip(self._texts, self._leads, strict=True)])
        kinds = sorted(set(self._leads))
        number = {lead: at for at, lead in enumerate(kinds)}
        self._kinds, self._kind = kinds, np.array([number[lead] for lead in self._leads])
        self._rests_hurt = np.array([bool(hurtful(text[len(lead) :])) for text, lead in zip(self._texts, self._leads, strict=True)])
        self._packed: dict[str, NDArray[np.uint8]] = {}
        self._hurting: dict[str, NDArray[np.uint8]] = {}

    def wrong(self, ids: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """True [rows, length, vocabulary] where a token would spell no word; nothing is wrong where the text itself has such a token.

        ids and targets [rows, length], on the CPU; a target below 0 is none.
        """
        return self._mask(ids, targets, self._after)

    def hurtful(self, ids: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """True [rows, length, vocabulary] where a token would complete a hurtful word; as in `wrong`, the text itself is never at fault."""
        return self._mask(ids, targets, self._hurting_after)

    def _mask(self, ids: torch.Tensor, targets: torch.Tensor, after: Callable[[str], NDArray[np.uint8]]) -> torch.Tensor:
        packed = np.stack([after(beginning) for row in ids.tolist() for beginning in self._walk(row)])
        found = np.unpackbits(packed, axis=1, count=len(self._texts)).astype(bool).reshape(*ids.shape, -1)
        told = targets.clamp(min=0).numpy()[..., None]
        found[np.take_along_axis(found, told, -1)[..., 0] | (targets < 0).numpy()] = False
        return torch.from_numpy(found)

    def _walk(self, row: list[int]) -> Iterable[str]:
        """The beginning of a word that stands behind each token: "" where none is open."""
        beginning = ""
        for token in row:
            open_word = re.search(r"[a-z]+(?:'[a-z]*)?$", beginning + self._texts[token])
            beginning = open_word[0] if open_word else ""
            yield beginning

    def _after(self, beginning: str) -> NDArray[np.uint8]:
        """One bit for each token: 1 if it cannot follow this beginning."""
        known = self._packed.get(beginning)
        if known is None:
            texts = [beginning + lead for lead in self._kinds]
            may_go_on = np.array([self._may_go_on(text) if "'" in text else not text or text in self._beginnings for text in texts])
            may_end = np.array([self._fits(text) if "'" in text else not text or text in self._words for text in texts])
            fits = np.where(self._all_lead, may_go_on[self._kind], may_end[self._kind] & self._rests_fit)
            known = self._packed[beginning] = np.packbits(~fits)
        return known

    def _hurting_after(self, beginning: str) -> NDArray[np.uint8]:
        """One bit for each token: 1 if there is a hurtful word with it, even one that may become another.

        "hello" is a token of its own; in no text does "ll" follow "he". So nobody would learn what is not to come behind "hell".
        """
        known = self._hurting.get(beginning)
        if known is None:
            texts = [beginning + lead for lead in self._kinds]
            # What holds an apostrophe is more than one word; there are few such texts.
            hurting = hurtful_among([text for text in texts if "'" not in text])
            there = np.array([bool(hurtful(text)) if "'" in text else text in hurting for text in texts])
            known = self._hurting[beginning] = np.packbits(there[self._kind] | self._rests_hurt)
        return known

    def _may_go_on(self, text: str) -> bool:
        """Whether the text is words, the last of which may be longer."""
        last = re.search(r"[a-z]+(?:'[a-z]*)?$", text)
        if not last:
            return self._fits(text)
        # An apostrophe may become one of a word ("don'" of "don't"), or be a quotation mark.
        begun = last[0] in self._beginnings or (last[0].endswith("'") and last[0][:-1] in self._words)
        return begun and self._fits(text[: last.start()])

    def _fits(self, text: str) -> bool:
        """Whether all words of the text are known."""
        return all(word in self._words for word in WORD.findall(text))


def auxiliary_loss(
    logits: torch.Tensor, asked: torch.Tensor, wrong: torch.Tensor, hurtful: torch.Tensor, spelling: float, deterrence: float = 0.0
) -> torch.Tensor:
    """`spelling` times what is `misspelt` and `deterrence` times what is `deterred`, shapes as there."""
    return spelling * misspelt(logits, wrong, asked) + deterrence * deterred(logits, hurtful, asked)


def misspelt(logits: torch.Tensor, wrong: torch.Tensor, asked: torch.Tensor) -> torch.Tensor:
    """Mean of -log(1 - probability of all that is wrong), nats per asked position; logits, wrong [..., vocabulary], asked [...]."""
    allowed = torch.logsumexp(logits.float().masked_fill(wrong, float("-inf")), -1)
    surprise = torch.logsumexp(logits.float(), -1) - allowed
    return (surprise * asked).sum() / asked.sum()


def deterred(logits: torch.Tensor, hurtful: torch.Tensor, asked: torch.Tensor) -> torch.Tensor:
    """Mean of how far the log probability of all that is hurtful lies above `DETERRED_TO`, nats per asked position.

    Shapes as in `misspelt`.
    """
    # Not -inf: where nothing is hurtful the sum would have no gradient.
    sums = torch.logsumexp(logits.float().masked_fill(~hurtful, -1e4), -1) - torch.logsumexp(logits.float(), -1)
    return ((sums - DETERRED_TO).clamp(min=0) * asked).sum() / asked.sum()
