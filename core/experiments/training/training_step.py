"""Compare one training step with one inference step on the same tokens: seconds, multiply-adds, bytes of tensors, changed weights.

A fingerprint of all weights is taken before and after each: inference changes no bit, training changes nearly all weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

import numpy as np
import torch
from torch import nn

from core.costs.operations_and_bytes import pass_multiply_adds
from core.costs.training import StepWork, training_step_work
from core.engine.kv_cache.prefix_reuse import KVCache
from core.engine.model import LanguageModel
from core.errors import NotForThisModel
from core.finetuning.finetune import FineTuning, TrainingPlan, TrainingStep


@dataclass(frozen=True, slots=True)
class StepComparison:
    """Both steps over the same tokens; tokens: their number.

    inference_seconds: measured; inference_work: multiply-adds, by formula; weight_bytes, cache_bytes: of the tensors. training: the step as
    measured; training_work: by formula. fingerprints: 12 hex digits of all weights, before and after each. changed: number of the `weights`
    numbers that training changed.
    """

    tokens: int
    inference_seconds: float
    inference_work: float
    weight_bytes: int
    cache_bytes: int
    inference_fingerprints: tuple[str, str]
    training: TrainingStep
    training_work: StepWork
    training_fingerprints: tuple[str, str]
    changed: int
    weights: int


def compare_steps(model: LanguageModel, text: str) -> StepComparison:
    """Read the text's first 64 tokens in one inference step, and train on them for one step; return both.

    Raises NotForThisModel, InputError, NoRoom.
    """
    tuning = FineTuning(model, text, TrainingPlan(rows=1, rehearsal=0.0))
    try:
        ids = np.array(tuning.documents[0][:-1], dtype=np.int64)
        if tuning.adapted:
            raise NotForThisModel(
                "{model} is too large to train all its weights here. To compare, choose a model with at most 20 million parameters.",
                model=model.name,
            )
        before = fingerprint(model.load_network())
        cache = KVCache()
        forward = model.engine.forward(ids, cache)
        after = fingerprint(model.load_network())
        cache.clear()
        copied = fingerprint(tuning.network)
        old = [weight.detach().clone() for weight in tuning.network.parameters()]
        learned = tuning.step()
        changed = sum(int((now != then).sum()) for now, then in zip(tuning.network.parameters(), old, strict=True))
        return StepComparison(
            tokens=len(ids),
            inference_seconds=forward.seconds,
            inference_work=pass_multiply_adds(model.shape, len(ids)),
            weight_bytes=model.weight_bytes,
            cache_bytes=forward.cache_bytes,
            inference_fingerprints=(before, after),
            training=learned,
            training_work=training_step_work(model.shape, 1, len(ids)),
            training_fingerprints=(copied, fingerprint(tuning.network)),
            changed=changed,
            weights=sum(weight.numel() for weight in old),
        )
    finally:
        tuning.release()


@torch.no_grad()
def fingerprint(network: nn.Module) -> str:
    """Return the first 12 hex digits of SHA-256 over the bytes of all weights, in float32 and in the order of their names."""
    digest = sha256()
    for name, weight in sorted(network.named_parameters()):
        digest.update(name.encode())
        digest.update(weight.detach().float().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()[:12]
