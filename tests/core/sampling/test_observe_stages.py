"""After every stage the distribution is the one that transformers' generate draws from."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given
from hypothesis import settings as budget
from hypothesis import strategies as st

from core import Generation, SamplingSettings
from core.errors import BadSetting, BrokenLogits
from core.sampling.observe_stages import observe
from tests.core.plain import bits, plain_odds
from tests.core.sampling.chains import text_of
from tests.tiny_models import some

PROMPT = "The sea looked back, the sea"
GRID = [
    SamplingSettings(temperature=t, top_k=k, top_p=p, min_p=m, typical_p=y, repetition_penalty=r, seed=5)
    for t, k, p, m, y, r in itertools.product([0.6, 1.0, 1.7], [0, 7], [0.85, 1.0], [0.0, 0.05], [0.7, 1.0], [1.0, 1.4])
]


PENALTY = {"repetition_penalty"}
WARPERS = {"temperature", "top_k", "top_p", "min_p", "typical_p"}


def generate_scores(network: Any, ids: list[int], settings: SamplingSettings, count: int) -> tuple[list[int], list[torch.Tensor]]:
    """The tokens that generate() drew and the scores [vocabulary] that it drew them from."""
    torch.manual_seed(settings.seed)
    off = {"num_beams": 1, "max_new_tokens": count, "min_new_tokens": None, "eos_token_id": None, "pad_token_id": 0}
    output = network.generate(
        torch.tensor([ids]),
        attention_mask=torch.ones(1, len(ids), dtype=torch.long),
        do_sample=not settings.greedy,
        **{name: value for name, value in settings.as_dict().items() if name in (PENALTY if settings.greedy else PENALTY | WARPERS)},
        output_scores=True,
        return_dict_in_generate=True,
        **off,
    )
    return output.sequences[0, len(ids) :].tolist(), [scores[0].double() for scores in output.scores]


def on_vocabulary(step: Any, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Sampling probabilities and the mask of what was removed, by token id. The step must list every token."""
    assert len(step.candidates) == size
    distribution, removed = np.full(size, np.nan), np.zeros(size, bool)
    for candidate in step.candidates:
        distribution[candidate.token_id] = candidate.sampling_probability
        removed[candidate.token_id] = candidate.removed_by is not None
    return distribution, removed


@pytest.mark.parametrize("grid", [GRID[::5], pytest.param(GRID, marks=pytest.mark.exhaustive)], ids=["a fifth", "all"])
@pytest.mark.parametrize("architecture", some(["llama", "gpt2"]))
def test_every_setting_gives_the_distribution_that_generate_draws_from(
    architecture: str, grid: list[SamplingSettings], tiny: Any, plain: Any
) -> None:
    """A fifth of all combinations has each pair of two settings; `tests.mutations` puts wrong formulas in that it must see."""
    model, network = tiny(architecture), plain(architecture)
    for settings in grid:
        run = Generation(model, PROMPT, settings, top_n=model.vocabulary_size)
        tokens, all_scores = generate_scores(network, model.encode(PROMPT), settings, 3)
        for token, scores in zip(tokens, all_scores, strict=True):
            distribution, removed = on_vocabulary(run.next_distribution(), model.vocabulary_size)
            assert (removed == torch.isneginf(scores).numpy()).all(), settings
            np.testing.assert_allclose(distribution, torch.softmax(scores, 0).numpy(), atol=2e-6, rtol=1e-4, err_msg=str(settings))
            run.force(token)


def test_greedy_takes_what_generate_takes(tiny: Any, plain: Any) -> None:
    for architecture, penalty in itertools.product(["llama", "gpt2"], [1.0, 1.5]):
        model = tiny(architecture)
        settings = SamplingSettings(greedy=True, repetition_penalty=penalty, temperature=5.0, top_k=3)
        run = Generation(model, PROMPT, settings)
        tokens, _ = generate_scores(plain(architecture), model.encode(PROMPT), settings, 12)
        for token in tokens:
            step = run.step()
            assert step.token_id == token
            assert (step.chosen_by, step.roll, step.sampling_probability) == ("greedy", None, 1.0)
            if run.finished:
                break


def test_the_cut_comes_after_the_softmax(tiny: Any, plain: Any) -> None:
    """What is listed has the probability it has among all tokens; the rest is the rest."""
    model = tiny("gpt2")
    shares = plain_odds(plain("gpt2"), model.encode(PROMPT))
    for top_n in (1, 5, 50):
        distribution = Generation(model, PROMPT, top_n=top_n).next_distribution()
        best = np.sort(shares)[::-1]
        assert len(distribution.candidates) == top_n
        np.testing.assert_allclose([c.model_probability for c in distribution.candidates], best[:top_n], atol=1e-6)
        assert distribution.rest_model_probability == pytest.approx(best[top_n:].sum(), abs=1e-6)
        assert distribution.rest_sampling_probability == pytest.approx(best[top_n:].sum(), abs=1e-6)
        assert distribution.model_entropy == pytest.approx(bits(shares), abs=1e-4)


def test_a_chosen_token_that_is_not_among_the_listed_is_added_with_its_true_rank(tiny: Any, plain: Any) -> None:
    model = tiny("gpt2")
    shares = plain_odds(plain("gpt2"), model.encode(PROMPT))
    order = np.argsort(-shares)
    for place in (0, 4, 5, 200, len(shares) - 1):
        step = Generation(model, PROMPT, top_n=5).force(int(order[place]))
        assert step.rank == place + 1
        assert step.chosen.rank == place + 1
        assert step.model_probability == pytest.approx(shares[order[place]], abs=1e-6)
        assert len(step.candidates) == (5 if place < 5 else 6)
        assert step.surprise == pytest.approx(-math.log2(shares[order[place]]), abs=1e-3)
        total = sum(c.model_probability for c in step.candidates) + step.rest_model_probability
        assert total == pytest.approx(1.0, abs=1e-6)


# At the edges

EXTREMES: list[dict[str, Any]] = [
    *[{"temperature": value} for value in (1e-3, 1e-9, 1e-40, 5e-324, 100.0)],
    *[{"top_k": value} for value in (1, 10_000_000)],
    *[{"top_p": value} for value in (1e-12, 1 - 1e-12)],
    *[{"min_p": value} for value in (1.0, 1e-12)],
    *[{"repetition_penalty": value} for value in (100.0, 0.01, 1e-40, 5e-324)],
    {"typical_p": 1e-9},
]


def sound(distribution: Any) -> None:
    """What holds for the odds of any step, whatever the settings."""
    for candidate in distribution.candidates:
        assert 0 <= candidate.model_probability <= 1
        assert 0 <= candidate.sampling_probability <= 1 + 1e-12
        assert candidate.removed_by is None or candidate.sampling_probability == 0
        assert candidate.removed_by is None or candidate.removed_by in {stage.name for stage in distribution.stages}
    assert [c.model_probability for c in distribution.candidates] == sorted(
        (c.model_probability for c in distribution.candidates), reverse=True
    )
    assert [c.rank for c in distribution.candidates][: distribution.stages[0].kept] == sorted({c.rank for c in distribution.candidates})
    assert sum(c.model_probability for c in distribution.candidates) + distribution.rest_model_probability == pytest.approx(1, abs=1e-5)
    assert sum(c.sampling_probability for c in distribution.candidates) + distribution.rest_sampling_probability == pytest.approx(
        1, abs=1e-5
    )
    assert distribution.stages[0].name == "model"
    for stage in distribution.stages:
        assert stage.kept >= 1
        assert -1e-6 <= stage.entropy <= math.log2(stage.kept) + 1e-4
    kept = [stage.kept for stage in distribution.stages]
    assert kept == sorted(kept, reverse=True)
    last = {c.token_id: c.sampling_probability for c in distribution.candidates}
    assert distribution.stages[-1].candidates == last


@pytest.mark.parametrize("changes", EXTREMES, ids=str)
def test_extreme_settings_still_give_odds(changes: dict[str, Any], tiny: Any) -> None:
    try:
        settings = SamplingSettings(**changes)
    except BadSetting:
        return
    run = Generation(tiny("gpt2"), PROMPT, settings)
    sound(run.next_distribution())
    sound(run.step())


VALID = st.builds(
    SamplingSettings,
    temperature=st.floats(0.05, 20),
    top_k=st.integers(0, 400),
    top_p=st.floats(0.01, 1),
    min_p=st.floats(0, 1),
    typical_p=st.floats(0.01, 1),
    repetition_penalty=st.floats(0.2, 5),
    greedy=st.booleans(),
    seed=st.integers(0, 2**53 - 1),
)


@budget(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(settings=VALID, top_n=st.integers(1, 400))
def test_any_settings_together_give_sound_odds(settings: SamplingSettings, top_n: int, tiny: Any) -> None:
    run = Generation(tiny("llama"), PROMPT, settings, top_n=top_n)
    sound(run.next_distribution())
    step = run.step()
    sound(step)
    assert step.chosen.removed_by is None
    assert step.sampling_probability > 0


@pytest.mark.parametrize(
    "settings", [SamplingSettings(), GRID[31], SamplingSettings(greedy=True), SamplingSettings(typical_p=0.5)], ids=str
)
@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize("everywhere", [True, False])
def test_logits_that_are_no_numbers_are_said_to_be_broken(settings: SamplingSettings, value: float, everywhere: bool) -> None:
    logits = torch.linspace(-3, 3, 50)
    logits[:: 1 if everywhere else 17] = value
    for pick in ({}, {"roll": 0.5}, {"forced": 3}):
        with pytest.raises(BrokenLogits):
            observe(logits, settings, text_of([1, 2]), 10, **pick)


@pytest.mark.parametrize("forced", [None, 4])
def test_a_listed_token_is_on_the_strip_of_the_dice_beyond_place_512(forced: int | None) -> None:
    """A penalty moves the model's favourite behind more than 512 others, and it can still be chosen."""
    generator = torch.Generator().manual_seed(3)
    logits = torch.rand(3000, generator=generator)
    logits[4] = 1.5
    settings = SamplingSettings(repetition_penalty=2.0)
    seen = observe(logits, settings, text_of([4]), 5, roll=None if forced else 0.001, forced=forced)
    place = seen.token_ids.tolist().index(4)
    penalised = logits.clone()
    penalised[4] /= 2.0
    before = penalised.double().softmax(0)[penalised > penalised[4]].sum()
    assert int((penalised > penalised[4]).sum()) > 512
    assert seen.dice_starts[place] == pytest.approx(float(before), abs=1e-5)
