"""A vote of an audience on the next token: its options, how votes are counted, and how well the audience agrees with the model.

The options are some of the model's likeliest tokens, its favourite always among them, and a few less likely words, in random order. When
the vote has ended, the dice choose the token as always, and both answers are compared with it.

The log score of an answer is -log2 of the probability that it gave to the token of the dice, in bits; lower is better (Good 1952,
https://doi.org/10.1111/j.2517-6161.1952.tb00104.x). The audience's probability of a choice is (its votes + 1) / (all votes + number of
choices), Laplace's rule of succession, so that an option without a vote has no infinite score. The choices are the options and the own
words. The model's probabilities are divided by their sum over the choices, so that both choose among the same tokens.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import fmean

from core.experiments.shared.guessing_game import JOINERS
from core.record.step import Candidate, TokenDistribution
from core.record.step_rows import label_of

LIKELY, LESS_LIKELY = 4, 2  # options of either kind
FIRST_LESS_LIKELY, LAST_LESS_LIKELY = 8, 40  # ranks of the less likely options
SHORTEST_WORD = 3  # letters of a less likely option; shorter tokens are often only the beginning of a word
MARKS = " \t\"'“”„‟‚‘’‛«»‹›.!?,;:…。！？"  # around a word; they do not belong to it
APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ`´", "'"))
PEOPLE = 0.29  # next tokens that people guess right (Shlegeris and others 2022, https://arxiv.org/abs/2212.11281)


@dataclass(frozen=True, slots=True)
class Option:
    """A token to vote for. label: the token without its leading space. probability: the model's."""

    key: int
    label: str
    probability: float


@dataclass(frozen=True, slots=True)
class OwnWord:
    """A voted word that is not an option. label: as most phones wrote it.

    key, probability: of the token that is the whole word; None and 0.0 if no token is, or if it was not looked up.
    """

    label: str
    votes: int
    key: int | None = None
    probability: float = 0.0


@dataclass(frozen=True, slots=True)
class VoteRound:
    """A finished vote. votes: of each option. words: the own words. came: key of the token that the dice chose."""

    options: tuple[Option, ...]
    votes: tuple[int, ...]
    words: tuple[OwnWord, ...]
    came: int

    @property
    def own(self) -> int:
        """Number of votes for own words."""
        return sum(word.votes for word in self.words)

    @property
    def voters(self) -> int:
        """Number of votes, those for own words included."""
        return sum(self.votes) + self.own

    @property
    def favourite(self) -> Option | OwnWord | None:
        """The option or own word with the most votes, of several the first; None without a vote."""
        favourite, votes = max(self._choices(), key=lambda choice: choice[1])
        return favourite if votes else None

    def _choices(self) -> list[tuple[Option | OwnWord, int]]:
        return [*zip(self.options, self.votes, strict=True), *((word, word.votes) for word in self.words)]

    @property
    def model_favourite(self) -> Option:
        """The model's likeliest token."""
        return max(self.options, key=lambda option: option.probability)

    @property
    def bits(self) -> tuple[float, float] | None:
        """Log scores of the audience and of the model, in bits. None without a vote, or if the dice chose another token."""
        choices = self._choices()
        took, votes = next(((choice, votes) for choice, votes in choices if choice.key == self.came), (None, 0))
        if took is None or not self.voters or not took.probability:
            return None
        audience = (votes + 1) / (self.voters + len(choices))
        model = took.probability / sum(choice.probability for choice, _votes in choices)
        return -math.log2(audience), -math.log2(model)


@dataclass(slots=True, eq=False)
class Question:
    """A vote on the token after `text`. after: identifies the text, so that a changed run is noticed. at: index of the step.

    votes: the index of an option, or an own word, by phone. hands: counted by the presenter, by option. chat: of a pasted chat.
    released: own words that the presenter shows. result: set when the vote has ended.
    """

    number: int
    text: str
    options: tuple[Option, ...]
    at: int
    after: Hashable
    allows_own: bool = False
    is_live: bool = False
    votes: dict[str, int | str] = field(default_factory=dict)
    hands: list[int] = field(default_factory=list)
    chat: Counter[int | str] = field(default_factory=Counter)
    released: list[str] = field(default_factory=list)
    result: VoteRound | None = None

    def counts(self) -> list[int]:
        """Return the votes of each option: of phones, hands and the chat."""
        cast = Counter(self.votes.values()) + self.chat
        return [cast[column] + self.hands[column] for column in range(len(self.options))]

    def words(self) -> list[tuple[str, int]]:
        """Return the own words as `compared` writes them, with their votes, the most frequent first."""
        words: Counter[str] = Counter()
        for word, count in self._own().items():
            words[compared(word)] += count
        return words.most_common()

    def own_words(self) -> tuple[OwnWord, ...]:
        """Return the own words as most phones wrote them, the most frequent first."""
        spellings = self._own().most_common()
        return tuple(OwnWord(next(word for word, _count in spellings if compared(word) == same), votes) for same, votes in self.words())

    def _own(self) -> Counter[str]:
        cast = Counter(self.votes.values()) + self.chat
        return Counter({word: count for word, count in cast.items() if isinstance(word, str)})

    def vote_of(self, text: str) -> int | str:
        """Return the option that a text names, or the word without the marks around it; "" for joiners alone."""
        word = unicodedata.normalize("NFC", text)
        exact = next((column for column, option in enumerate(self.options) if option.label.casefold() == word.casefold()), None)
        if exact is not None:  # an option can be a mark
            return exact
        bare = word.strip(MARKS + JOINERS) or word.strip(JOINERS)
        return next((column for column, option in enumerate(self.options) if compared(option.label) == compared(bare)), bare)


def compared(word: str) -> str:
    """Return a word as it is compared with others: without capital letters, with one kind of apostrophe and composed letters.

    >>> compared("Don’t") == compared("DON'T"), compared("Äh") == compared("a\u0308h")
    (True, True)
    """
    folded = unicodedata.normalize("NFC", word).translate(APOSTROPHES).casefold()
    return unicodedata.normalize("NFC", folded)


@dataclass(frozen=True, slots=True)
class VoteScore:
    """Scores over several rounds with votes. agreed, hits: rounds in which the audience's favourite was the model's, and the
    token of the dice. scored: rounds with a log score. audience_bits, model_bits: their means, NaN if no round has one.
    """

    rounds: int
    agreed: int
    hits: int
    scored: int
    audience_bits: float
    model_bits: float


def options(distribution: TokenDistribution, order: Random) -> tuple[Option, ...]:
    """Return up to six options, in random order. Fewer if the source lists fewer tokens that look different."""
    likely: list[Option] = []
    for candidate in sorted(distribution.candidates, key=lambda candidate: -_measured(candidate)):
        if len(likely) < LIKELY and _can_be_read(candidate, first=not likely) and _is_new(candidate, likely):
            likely.append(_option(candidate))
    later = [candidate for candidate in distribution.candidates if _is_less_likely_word(candidate)]
    order.shuffle(later)
    chosen = list(likely)
    for candidate in later:
        if len(chosen) < len(likely) + LESS_LIKELY and _measured(candidate) > 0 and _is_new(candidate, chosen):
            chosen.append(_option(candidate))
    order.shuffle(chosen)
    return tuple(chosen)


def score(rounds: Sequence[VoteRound]) -> VoteScore:
    """Return the scores over the rounds. A round without a vote does not count."""
    counted = [(vote, vote.favourite) for vote in rounds]
    voted = [(vote, favourite) for vote, favourite in counted if favourite is not None]
    bits = [scores for vote, _favourite in voted if (scores := vote.bits) is not None]
    return VoteScore(
        rounds=len(voted),
        agreed=sum(favourite.key == vote.model_favourite.key for vote, favourite in voted),
        hits=sum(favourite.key == vote.came for vote, favourite in voted),
        scored=len(bits),
        audience_bits=fmean(audience for audience, _model in bits) if bits else math.nan,
        model_bits=fmean(model for _audience, model in bits) if bits else math.nan,
    )


def _measured(candidate: Candidate) -> float:
    return candidate.model_probability if candidate.model_probability > 0 else 0.0  # NaN: not measured


def _can_be_read(candidate: Candidate, first: bool) -> bool:
    """Return whether a phone can show the token. The likeliest token is always shown."""
    label = label_of(candidate.piece)
    return first or (_measured(candidate) > 0 and "⟨" not in label and bool(label.strip("␣↵⇥␍⍽")))


def _is_less_likely_word(candidate: Candidate) -> bool:
    word = candidate.piece.removeprefix("␣")
    is_word = word != candidate.piece and word.isalpha() and len(word) >= SHORTEST_WORD
    return is_word and FIRST_LESS_LIKELY <= candidate.rank <= LAST_LESS_LIKELY


def _is_new(candidate: Candidate, chosen: Sequence[Option]) -> bool:
    return label_of(candidate.piece).casefold() not in {option.label.casefold() for option in chosen}


def _option(candidate: Candidate) -> Option:
    return Option(candidate.key, label_of(candidate.piece), _measured(candidate))
