"""Logit bias: transformers' SequenceBiasLogitsProcessor with single tokens."""

from __future__ import annotations

import torch

from core.errors import BadSetting
from core.message import Message
from core.sampling.history import History
from core.sampling.observation import Processor
from core.sampling.samplers.contract import Sampler


class LogitBias(Sampler):
    """Adds a number to the logits of some tokens; -inf excludes a token."""

    def at(self, history: History) -> Processor:
        """See `Sampler`. The processor raises BadSetting for a token outside the vocabulary."""
        return self._biased

    def _biased(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        from transformers.generation.logits_process import SequenceBiasLogitsProcessor  # slow to import

        biases, size = self.settings.biases, scores.shape[-1]
        if biases[-1][0] >= size:
            raise BadSetting(
                Message(
                    "Logit bias names token {token_id}, but the ids of this model are 0 to {last}.",
                    token_id=str(biases[-1][0]),
                    last=str(size - 1),
                )
            )
        # A new one each time: it keeps the vocabulary's size and the device of its first call.
        process = SequenceBiasLogitsProcessor({(token_id,): bias for token_id, bias in biases})
        biased: torch.Tensor = process(input_ids, scores)
        return biased
