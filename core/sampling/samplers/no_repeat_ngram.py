"""No-repeat n-gram: transformers' NoRepeatNGramLogitsProcessor over prompt and text."""

from __future__ import annotations

from core.device import to_device
from core.sampling.history import History
from core.sampling.observation import Processor
from core.sampling.samplers.contract import Sampler


class NoRepeatNGram(Sampler):
    """Excludes tokens that would complete an n-gram of the text."""

    def at(self, history: History) -> Processor:
        """See `Sampler`."""
        from transformers.generation.logits_process import NoRepeatNGramLogitsProcessor  # slow to import

        process = NoRepeatNGramLogitsProcessor(self.settings.no_repeat_ngram_size)
        return lambda _ids, scores: process(to_device(history.ids, scores.device)[None], scores)
