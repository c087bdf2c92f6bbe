"""Where tokens are equal, or a border lies within the rounding error, the same tokens stay as with transformers' processors.

Many logits are equal: bfloat16 has 256 numbers between 8 and 16, and a quantized model or a server that rounds has fewer. Which of several
equal tokens a processor keeps depends on how it sorts the whole vocabulary, so the whole vocabulary is compared after every stage.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core import SamplingSettings
from core.sampling.stages import observe, processors

SIZES = [1, 2, 3, 7, 33, 100, 384, 1000, 1025, 4096]
PREVIOUS = np.array([0, 0, 2, 5], dtype=np.int64)


def logits_like(kind: str, size: int, seed: int) -> torch.Tensor:
    """Logits full of equals, or of none; float32 [size]."""
    drawn = torch.from_numpy(np.random.default_rng([seed, size]).normal(0, 3, size).astype(np.float32))
    return {
        "rounded to 1": lambda: drawn.round(),
        "rounded to 1/8": lambda: (drawn * 8).round() / 8,
        "bfloat16": lambda: (drawn + 12).bfloat16().float(),
        "float16": lambda: drawn.half().float(),
        "float32": lambda: drawn,
        "all equal": lambda: torch.full((size,), 1.5),
    }[kind]()


KINDS = ["rounded to 1", "rounded to 1/8", "bfloat16", "float16", "float32", "all equal"]


def kept_by_transformers(logits: torch.Tensor, settings: SamplingSettings) -> list[np.ndarray]:
    """Which tokens are left after each stage, by transformers' processors one after the other on the whole vocabulary."""
    previous = torch.from_numpy(PREVIOUS[len(logits) > PREVIOUS])[None]
    scores, kept = logits[None], []
    for _, _, process in processors(settings):
        scores = process(previous, scores)
        kept.append(scores[0].numpy() > -math.inf)
    return kept


def differing(logits: torch.Tensor, settings: SamplingSettings) -> str | None:
    """The first stage after which other tokens are left than transformers leaves, if any."""
    seen = observe(logits, settings, PREVIOUS[len(logits) > PREVIOUS], len(logits))
    removed_at = np.empty(len(logits), dtype=np.int64)
    removed_at[seen.token_ids] = seen.removed_at
    for number, expected in enumerate(kept_by_transformers(logits, settings), start=1):
        kept = (removed_at == -1) | (removed_at > number)
        if (kept != expected).any() or seen.stage_kept[number] != expected.sum():
            return f"{seen.stage_names[number]}: {seen.stage_kept[number]} instead of {expected.sum()}"
    return None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "settings",
    [
        SamplingSettings(top_k=50, top_p=0.9),
        SamplingSettings(top_k=200, top_p=0.5),
        SamplingSettings(temperature=0.7, top_k=100, top_p=0.95, min_p=0.01, typical_p=0.95),
        SamplingSettings(top_p=0.9, typical_p=0.9),
        SamplingSettings(top_p=0.95, typical_p=0.5),
        SamplingSettings(top_k=20, typical_p=0.8),
        SamplingSettings(top_k=300, min_p=0.1),
    ],
    ids=lambda settings: " ".join(
        f"{name} {value}" for name, value in settings.as_dict().items() if value != SamplingSettings().as_dict()[name]
    ),
)
def test_again_and_again_at_a_small_vocabulary(kind: str, settings: SamplingSettings) -> None:
    found = {seed: differing(logits_like(kind, 384, seed), settings) for seed in range(20)}
    assert not {seed: said for seed, said in found.items() if said}


any_settings = st.builds(
    SamplingSettings,
    temperature=st.sampled_from([0.3, 0.8, 1.0, 1.6, 5.0]),
    top_k=st.sampled_from([0, 1, 2, 5, 20, 50, 100, 500, 2000]),
    top_p=st.sampled_from([1.0, 0.1, 0.5, 0.75, 0.9, 0.95, 0.999]) | st.floats(0.01, 0.999),
    min_p=st.sampled_from([0.0, 0.01, 0.1, 0.5, 1.0]),
    typical_p=st.sampled_from([1.0, 0.2, 0.5, 0.9, 0.95]) | st.floats(0.01, 0.999),
    repetition_penalty=st.sampled_from([1.0, 1.1, 2.0]),
)


@given(kind=st.sampled_from(KINDS), size=st.sampled_from(SIZES) | st.integers(1, 2000), seed=st.integers(0, 10**6), settings=any_settings)
def test_any_settings_over_any_logits(kind: str, size: int, seed: int, settings: SamplingSettings) -> None:
    assert differing(logits_like(kind, size, seed), settings) is None


@pytest.mark.parametrize("size", [20_000, pytest.param(50_257, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("kind", KINDS[:-1])
def test_a_large_vocabulary(kind: str, size: int) -> None:
    for seed in range(6):
        for settings in (
            SamplingSettings(top_k=1000, top_p=0.9, typical_p=0.9),
            SamplingSettings(temperature=2.0, top_k=15_000, top_p=0.97, min_p=1e-4),
        ):
            assert differing(logits_like(kind, size, seed), settings) is None


@given(size=st.sampled_from([64, 384, 3000]), seed=st.integers(0, 10**6), top_k=st.sampled_from([10, 50, 1000]), place=st.floats(0, 1))
def test_a_border_right_beside_a_sum(size: int, seed: int, top_k: int, place: float) -> None:
    """Top-p is set to where the sums of the tokens that top-k left make a step, give or take a rounding."""
    logits = logits_like("float32", size, seed)
    left = torch.sort(torch.topk(logits, min(top_k, size)).values).values.softmax(0).cumsum(0, dtype=torch.float64)
    for nudge in (-1e-7, -1e-8, 0.0, 1e-8, 1e-7):
        share = 1 - float(left[int(place * (len(left) - 2))]) + nudge
        if 0 < share < 1:
            assert differing(logits, SamplingSettings(top_k=top_k, top_p=share)) is None
