"""Model cascade: a small model generates the text, and a large model chooses the tokens where the small one is unsure.

The small model is unsure if the entropy of its probabilities, in bits and before any setting, is above a threshold. When the large model is
used, it first reads the tokens written since its last use, in the same pass. At the end the large model scores all texts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from core.checked_number import whole_number
from core.costs.operations_and_bytes import pass_multiply_adds
from core.engine.kv_cache.prefix_reuse import KVCache
from core.engine.model import LanguageModel
from core.errors import BadSetting
from core.experiments.pupil.two_models import LONGEST, both_here, entropy_of, odds_of, same_tokens
from core.experiments.shared.claim import Observations
from core.experiments.shared.prompt_tokens import prompt_ids
from core.inspection.scoring import surprises
from core.message import Message, Number
from core.sampling.observation import History
from core.sampling.observe_stages import pick
from core.sampling.settings import SamplingSettings
from core.tokens.token_text import ByteJoiner

HIGHEST = 20.0  # bits
SMALL_ONLY, LARGE_ONLY = math.inf, -1.0  # thresholds at which only one of the two ever writes


@dataclass(frozen=True, slots=True)
class CascadeToken:
    """A token of a text. run: index of the text's threshold. by_large: whether the large model chose it.

    entropy: of the small model's probabilities, bits; NaN if it was not used. passes: of the small and of the large model. multiply_adds:
    of both, computed; seconds: of both models' passes, measured.
    """

    run: int
    index: int
    token_id: int
    text: str
    by_large: bool
    entropy: float
    passes: tuple[int, int]
    multiply_adds: float
    seconds: float


@dataclass(frozen=True, slots=True)
class CascadeScore:
    """The large model's score of a finished text: mean surprise of the generated tokens, bits per token; NaN without tokens."""

    run: int
    bits_per_token: float


def cascade(
    small: LanguageModel,
    large: LanguageModel,
    prompt: str,
    settings: SamplingSettings | None = None,
    thresholds: tuple[float, ...] = (2.0, SMALL_ONLY, LARGE_ONLY),
    length: int = 48,
) -> Iterator[CascadeToken | CascadeScore]:
    """Generate `length` tokens for each threshold with the same seed, one token of each in turn; then yield the large model's scores.

    thresholds: entropy of the small model, in bits, above which the large model chooses. Raises EmptyPrompt, PromptTooLong, BadSetting
    (also for different tokenizers), ModelError for a model on a server, BrokenLogits.
    """
    length = whole_number(length, Message("The length"), 1, LONGEST)
    both_here(small, large)
    if not same_tokens(small, large):
        raise BadSetting(
            "{small} and {large} have different tokenizers, so neither can continue the other's text.", small=small.name, large=large.name
        )
    if not thresholds or any(not _possible(threshold) for threshold in thresholds):
        raise BadSetting("A threshold is a number of bits from 0 to {highest}.", highest=Number(HIGHEST, "g"))
    ids = prompt_ids(small, prompt)
    if len(prompt_ids(large, prompt)) != len(ids):
        raise BadSetting("{small} and {large} tokenize this text differently.", small=small.name, large=large.name)
    length = min(length, small.context_length - len(ids), large.context_length - len(ids))
    runs = [_Run(number, small, large, ids, settings or SamplingSettings(), threshold) for number, threshold in enumerate(thresholds)]
    try:
        for _each in range(length):
            for run in runs:
                if not run.ended:
                    yield run.step()
        for run in runs:
            yield CascadeScore(run.number, run.bits_by(large))
    finally:
        for run in runs:
            run.release()


def _possible(threshold: float) -> bool:
    if isinstance(threshold, bool) or not isinstance(threshold, int | float):
        return False
    return threshold in (SMALL_ONLY, LARGE_ONLY) or 0 <= threshold <= HIGHEST


class _Run:
    """The state of the text of one threshold."""

    def __init__(
        self, number: int, small: LanguageModel, large: LanguageModel, ids: list[int], settings: SamplingSettings, threshold: float
    ) -> None:
        self.number, self._models, self._settings, self._threshold = number, (small, large), settings, threshold
        self._ids, self._prompt = list(ids), len(ids)
        self._caches, self._joiner = (KVCache(), KVCache()), ByteJoiner()
        self.ended = False

    def step(self) -> CascadeToken:
        """Generate one token: a pass of the small model (except for LARGE_ONLY), and one of the large model above the threshold."""
        before = np.array(self._ids, dtype=np.int64)
        work, seconds, entropy, passes = 0.0, 0.0, math.nan, [0, 0]
        logits = None
        for which, model in enumerate(self._models):
            wanted = self._threshold != LARGE_ONLY if which == 0 else logits is None or entropy > self._threshold
            if not wanted:
                continue
            forward = model.engine.forward(before, self._caches[which])
            logits = forward.logits.values
            passes[which] += 1
            seconds += forward.seconds
            work += pass_multiply_adds(model.shape, forward.computed_tokens, forward.reused_tokens)
            if which == 0:
                entropy = entropy_of(odds_of(forward))
        assert logits is not None
        text_so_far = History.of(self._models[1], before, self._prompt)
        token_id = pick(logits, self._settings, text_so_far)
        self._ids.append(token_id)
        self.ended = token_id in self._models[1].end_token_ids
        token = self._models[1].token(token_id)
        text = "" if token.special else self._joiner.add(token.raw)
        index = len(self._ids) - self._prompt - 1
        return CascadeToken(self.number, index, token_id, text, passes[1] > 0, entropy, (passes[0], passes[1]), work, seconds)

    def bits_by(self, judge: LanguageModel) -> float:
        """Return the judge's mean surprise of the generated tokens, end token included, from one pass; bits per token."""
        bits = surprises(judge, self._ids, self._prompt)
        return float(bits.mean()) if len(bits) else math.nan

    def release(self) -> None:
        """Free the caches."""
        for cache in self._caches:
            cache.clear()


def cascade_is_worth_it(observations: Observations) -> bool:
    """Return whether the small model wrote 60 % of the tokens, fewer large passes were needed, and the text is better than its own."""
    together, small, _large = (
        [token for token in observations if isinstance(token, CascadeToken) and token.run == run] for run in range(3)
    )
    bits = {score.run: score.bits_per_token for score in observations if isinstance(score, CascadeScore)}
    by_small = sum(not token.by_large for token in together) / max(1, len(together))
    work, alone = (sum(token.multiply_adds for token in run) for run in (together, _large))
    return by_small >= 0.6 and work < alone and bits[0] < bits[1] and bool(small)
