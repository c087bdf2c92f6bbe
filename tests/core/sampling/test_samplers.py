"""The samplers that transformers does not have, against their formulas in float64, and what a step shows of them."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

from core import Generation, Recording, SamplingSettings
from core.errors import BadSetting
from core.sampling import dice, observe_stages
from core.sampling.observation import History
from core.sampling.settings import SETTING_OF
from tests.core.sampling.chains import KINDS, SIZES, logits_like, on_device

LETTERS = "ab: c\nd*e"
ANY_LOGITS = st.builds(logits_like, st.sampled_from(KINDS), st.sampled_from(SIZES), st.integers(0, 10**6))
ANY_TEXT = st.lists(st.integers(0, 8), min_size=1, max_size=90)


def history(ids: list[int], prompt_length: int = 1, mu: float | None = None) -> History:
    """A text over nine tokens of one character each, some of them sequence breakers."""
    return History(np.array(ids, dtype=np.int64), prompt_length, lambda token_id: LETTERS[token_id].encode(), mu)


def after(settings: SamplingSettings, logits: torch.Tensor, text: History) -> np.ndarray:
    """The scores after the only stage that is on, float64 [vocabulary]."""
    made, _ids = observe_stages.at(settings, text)
    assert len(made) == 1
    return made[0][2](torch.from_numpy(text.ids)[None], logits[None])[0].double().numpy()


def softmax(scores: np.ndarray) -> np.ndarray:
    weights = np.exp(scores - scores.max())
    return weights / weights.sum()


def same_tokens(found: np.ndarray, scores: np.ndarray, keep: np.ndarray, distance: np.ndarray) -> None:
    """Check which tokens are left; where the distance from the border is within rounding, either is right."""
    clear = np.abs(distance) > 1e-5
    assert (np.isfinite(found) == (keep & np.isfinite(scores)))[clear | ~np.isfinite(scores)].all()
    left = np.isfinite(found)
    assert (found[left] == scores[left]).all()


@given(logits=ANY_LOGITS, ids=ANY_TEXT, prompt=st.integers(1, 90), amount=st.floats(-3, 3), last=st.sampled_from([0, 5, 64]))
@pytest.mark.parametrize("name", ["presence_penalty", "frequency_penalty"])
def test_presence_and_frequency(name: str, logits: torch.Tensor, ids: list[int], prompt: int, amount: float, last: int) -> None:
    amount, prompt = amount or 1.0, min(prompt, len(ids))
    values: dict[str, Any] = {name: amount, "repeat_last_n": last}
    settings = SamplingSettings(**values)
    expected = logits.double().numpy().copy()
    for token_id, count in Counter(ids[-last:] if last else ids[prompt:]).items():
        expected[token_id] -= amount * (count if name == "frequency_penalty" else 1)
    np.testing.assert_allclose(after(settings, logits, history(ids, prompt)), expected, rtol=1e-5, atol=1e-5)


def by_definition(ids: list[int], allowed: int) -> dict[int, int]:
    """For each token the length of the longest end of the text that occurs earlier, followed by the token, as the definition says."""
    breaks = [place for place, token_id in enumerate(ids) if LETTERS[token_id] in ":\n*"]
    reach = len(ids) - 1 - breaks[-1] if breaks else len(ids)
    found: dict[int, int] = {}
    for length in range(allowed, reach + 1):
        for start in range(len(ids) - length):
            if ids[start : start + length] == ids[len(ids) - length :]:
                found[ids[start + length]] = length
    return {token_id: length for token_id, length in found.items() if LETTERS[token_id] not in ":\n*"}


@given(ids=st.lists(st.integers(0, 8), min_size=1, max_size=60) | st.lists(st.sampled_from([0, 1, 8]), min_size=1, max_size=60),
       allowed=st.integers(1, 4), base=st.floats(1, 3), last=st.sampled_from([0, 20]))  # fmt: skip
def test_dry(ids: list[int], allowed: int, base: float, last: int) -> None:
    settings = SamplingSettings(dry_multiplier=0.8, dry_base=base, dry_allowed_length=allowed, repeat_last_n=last)
    logits = logits_like("ordinary", 33, 1)
    expected = logits.double().numpy().copy()
    for token_id, length in by_definition(ids[-last:] if last else ids, allowed).items():
        expected[token_id] -= 0.8 * base ** (length - allowed)
    np.testing.assert_allclose(after(settings, logits, history(ids)), expected, rtol=1e-5, atol=1e-5)


def test_dry_with_a_breaker_of_two_tokens_and_with_a_very_long_repetition() -> None:
    logits = torch.zeros(33)
    broken = SamplingSettings(dry_multiplier=1.0, dry_sequence_breakers=("ab",), dry_allowed_length=1)
    ids = [8, 3, 0, 1, 8, 3, 4, 0, 1, 8]  # "ab" ends before the last token, so only that one counts
    assert after(broken, logits, history(ids))[3] == -1.0
    long = SamplingSettings(dry_multiplier=1.0, dry_base=2.0)
    found = after(long, logits, history([8] * 3000))
    assert found[8] == pytest.approx(-(2.0**127), rel=1e-6)  # the largest power that float32 holds


@given(logits=ANY_LOGITS, count=st.floats(0.05, 5))
def test_top_n_sigma(logits: torch.Tensor, count: float) -> None:
    scores = logits.double().numpy()
    finite = scores[np.isfinite(scores)]
    least = finite.max() - count * finite.std()
    found = after(SamplingSettings(top_n_sigma=count), logits, history([0]))
    same_tokens(found, scores, scores >= least, (scores - least) / max(1.0, np.abs(finite).max()))


@given(logits=ANY_LOGITS, threshold=st.floats(0.001, 0.5), seed=st.integers(0, 10**6), chance=st.floats(0.01, 1.0))
def test_xtc(logits: torch.Tensor, threshold: float, seed: int, chance: float) -> None:
    settings = SamplingSettings(xtc_probability=chance, xtc_threshold=threshold, seed=seed)
    scores, text = logits.double().numpy(), history([0, 1, 2])
    p = softmax(scores)
    keep = np.ones(len(p), bool)
    if dice.stage_roll(seed, 2) < chance and (p >= threshold).sum() >= 2:
        keep = (p < threshold) | (p <= p[p >= threshold].min())
    distance = np.full(len(p), 1.0) if (np.abs(p - threshold) > 1e-6).all() else np.zeros(len(p))
    levels = np.diff(np.sort(p[p >= threshold]))
    if len(levels) and 0 < levels.min() < 1e-6:  # nearly equal ones
        distance[:] = 0.0
    same_tokens(after(settings, logits, text), scores, keep, distance)


def test_the_throw_of_xtc_is_its_own_and_even() -> None:
    throws = np.array([dice.stage_roll(7, index) for index in range(4000)])
    rolls = np.array([dice.roll(7, index) for index in range(4000)])
    counts = np.histogram(throws, 10, (0, 1))[0]
    assert ((counts - 400) ** 2 / 400).sum() < 40
    assert abs(np.corrcoef(throws, rolls)[0, 1]) < 0.06


@given(logits=ANY_LOGITS, base=st.floats(0.2, 3), reach=st.floats(0.01, 2), exponent=st.floats(0, 4))
def test_dynamic_temperature(logits: torch.Tensor, base: float, reach: float, exponent: float) -> None:
    settings = SamplingSettings(temperature=base, dynatemp_range=reach, dynatemp_exponent=exponent)
    scores = logits.double().numpy()
    p = softmax(scores)
    p = p[p > 0]
    share = min(1.0, float(-(p * np.log(p)).sum()) / math.log(max(2, int(np.isfinite(scores).sum()))))
    low, high = max(0.0, base - reach), base + reach
    found, expected = after(settings, logits, history([0])), max(0.001, low + (high - low) * share**exponent)
    finite = np.isfinite(scores)
    if expected > 0.01:  # near zero, a rounding error of the entropy changes the quotient
        np.testing.assert_allclose(found[finite], scores[finite] / expected, rtol=2e-3)
    assert np.isneginf(found[~finite]).all()


@given(logits=ANY_LOGITS, mu=st.floats(-3, 30))
def test_mirostat(logits: torch.Tensor, mu: float) -> None:
    scores = logits.double().numpy()
    with np.errstate(divide="ignore"):
        surprise = -np.log2(softmax(scores))
    found = after(SamplingSettings(mirostat_tau=5.0), logits, history([0], mu=mu))
    same_tokens(found, scores, (surprise <= mu) | (scores == scores.max()), np.where(np.isfinite(surprise), surprise - mu, 1.0))


@pytest.mark.parametrize("after", [{}, {"temperature": 0.7, "top_p": 0.95}, {"min_p": 0.01, "typical_p": 0.98}, {"watermark": "green"}])
@pytest.mark.parametrize("size", [50, 5000])
def test_a_large_bias_keeps_the_probabilities_among_its_tokens(after: dict[str, Any], size: int) -> None:
    """A bias of a million for some tokens gives them the probabilities that they have if all others are excluded."""
    logits, many = logits_like("ordinary", size, 5), min(size // 2, 900)
    large = SamplingSettings(logit_bias=dict.fromkeys(range(many), 1e6), **after)
    text, alone = history([0]), torch.where(torch.arange(size) < many, logits, -math.inf)
    expected = observe_stages.observe(alone, replace(large, logit_bias={}), text, 20)
    for found in (observe_stages.observe(logits, large, text, 20), on_device(logits, large, text, observe_stages.Selection(), 20)):
        assert found.stage_kept[-1] == (size if not after or "watermark" in after else expected.stage_kept[-1])
        np.testing.assert_allclose(found.stage_entropies[2:], expected.stage_entropies[1:], atol=1e-4)
        assert found.stage_entropies[1] == pytest.approx(expected.stage_entropies[0], abs=1e-4)
        shown, wanted = (dict(zip(seen.token_ids.tolist(), seen.probabilities[-1], strict=True)) for seen in (found, expected))
        both = shown.keys() & wanted.keys()
        assert len(both) >= 5 and all(shown[key] == pytest.approx(wanted[key], abs=1e-5) for key in both)


def test_the_limit_of_mirostat_belongs_to_the_node(tiny: Any) -> None:
    settings = SamplingSettings(mirostat_tau=3.0, mirostat_eta=0.4, seed=3)
    run = Generation(tiny("llama"), "The sea", settings, top_n=400)
    mu, limits = 6.0, []
    for _ in range(6):
        step = run.step()
        assert step.stage_settings[-1] == pytest.approx(mu)
        limits.append(mu)
        mu -= 0.4 * (-math.log2(step.sampling_probability) - 3.0)
    run.go_to(2)
    assert run.next_distribution().stage_settings[-1] == pytest.approx(limits[3])
    other = run.force(int(run.next_distribution().token_ids[3]))
    assert other.stage_settings[-1] == pytest.approx(limits[3])
    expected = limits[3] - 0.4 * (-math.log2(other.sampling_probability or other.model_probability) - 3.0)
    assert run.step().stage_settings[-1] == pytest.approx(expected)
    replayed = Recording.loads(Recording.of(run).dumps()).path[-1]
    assert (replayed.settings, replayed.stage_settings) == (settings, run.path[-1].stage_settings)


def test_the_limit_of_mirostat_follows_from_its_own_stage_and_not_from_the_watermark_after_it(tiny: Any) -> None:
    settings = SamplingSettings(mirostat_tau=3.0, mirostat_eta=0.4, seed=3, watermark="green", watermark_delta=6.0)
    run, mu, differences = Generation(tiny("llama"), "The sea", settings, top_n=400), 6.0, []
    for _ in range(6):
        step = run.step()
        row = step.stage_names.index("mirostat")
        assert step.stage_names[row + 1 :] == ("watermark",) and step.stage_settings[row] == pytest.approx(mu)
        own = float(step.probabilities[row, step.chosen_column])
        differences.append(abs(math.log2(own) - math.log2(step.sampling_probability)))
        mu -= 0.4 * (-math.log2(own) - 3.0)
    assert max(differences) > 0.5, "the watermark changes the probability of the chosen token"


def test_the_three_orders_keep_other_tokens() -> None:
    logits = torch.tensor([3.0, 2.0, 1.0])
    kept = {
        order: observe_stages.observe(logits, SamplingSettings(temperature=0.5, top_p=0.8, order=order), history([0]), 3).stage_kept[-1]
        for order in ("transformers", "llama.cpp")
    }
    assert kept == {"transformers": 1, "llama.cpp": 2}


def test_penalties_in_the_order_of_llama_cpp_read_the_last_64_tokens() -> None:
    ids = [1] + [2] * 70 + [3] * 64
    logits = logits_like("ordinary", 33, 4)
    for name in ("repetition_penalty", "presence_penalty", "frequency_penalty"):
        values: dict[str, Any] = {name: 1.5, "order": "llama.cpp"}
        seen = observe_stages.observe(logits, SamplingSettings(**values), history(ids), 33)
        changed = np.abs(seen.probabilities[1] - seen.probabilities[0]) / seen.probabilities[0]
        likely = changed[seen.token_ids == 3][0]
        assert all(abs(changed[seen.token_ids == other][0]) < likely for other in (1, 2))
        assert np.allclose(np.delete(changed, np.flatnonzero(seen.token_ids == 3)), changed[seen.token_ids == 2][0])


def test_nothing_left_and_tokens_outside_the_vocabulary_are_said() -> None:
    ban_all = SamplingSettings(logit_bias=dict.fromkeys(range(5), -math.inf))
    repeated = SamplingSettings(no_repeat_ngram_size=1)
    for settings, ids in ((ban_all, [0]), (repeated, [0, 1, 2, 3, 4])):
        with pytest.raises(BadSetting, match=f"{settings.active_stages[0]} excludes the last one"):
            observe_stages.observe(torch.zeros(5), settings, history(ids), 5)
        with pytest.raises(BadSetting, match=f"{settings.active_stages[0]} excludes the last one"):
            on_device(torch.zeros(5), settings, history(ids), observe_stages.Selection(), 5)
    with pytest.raises(BadSetting, match="Logit bias names token 5, but the ids of this model are 0 to 4"):
        observe_stages.observe(torch.zeros(5), SamplingSettings(logit_bias={5: 1.0}), history([0]), 5)
    with pytest.raises(BadSetting, match="Mirostat keeps a state"):
        observe_stages.observe(torch.zeros(5), SamplingSettings(mirostat_tau=3.0), history([0, 1]), 5)


EVERYTHING: dict[str, Any] = {
    "temperature": 1.2, "top_k": 60, "top_p": 0.97, "min_p": 0.001, "typical_p": 0.98, "repetition_penalty": 1.1, "presence_penalty": 0.2,
    "frequency_penalty": 0.1, "logit_bias": {1: 2.0, 3: -math.inf}, "no_repeat_ngram_size": 3, "dry_multiplier": 0.8, "top_n_sigma": 3.0,
    "epsilon_cutoff": 1e-4, "eta_cutoff": 1e-4, "xtc_probability": 1.0, "dynatemp_range": 0.3,
}  # fmt: skip


def test_every_stage_is_compared_with_all_others_on() -> None:
    alone = {"constraint", "watermark", "mirostat"}  # compared in tests of their own
    assert SETTING_OF.keys() - alone == {name for name in SETTING_OF if SETTING_OF[name] in EVERYTHING}


@pytest.mark.parametrize("order", ["transformers", "llama.cpp", "vllm"])
@pytest.mark.parametrize("greedy", [False, True])
@pytest.mark.parametrize("mirostat", [0.0, 4.0])
def test_cpu_and_gpu_say_the_same_with_everything_on(order: str, greedy: bool, mirostat: float) -> None:
    settings = SamplingSettings(**EVERYTHING, order=order, greedy=greedy, mirostat_tau=mirostat)
    text = history([0, 1, 2, 8, 0, 1, 2, 8, 0, 1], mu=7.0)
    for seed in range(4):
        logits = logits_like("ordinary", 4096, seed)
        for pick in (
            observe_stages.Selection(),
            observe_stages.Selection(forced=17),
            observe_stages.Selection(None if greedy else 0.4, None, greedy),
        ):
            here = observe_stages.observe(logits, settings, text, 20, roll=pick.roll, forced=pick.forced, greedily=pick.greedily)
            there = on_device(logits, settings, text, pick, 20)
            assert (here.chosen, here.stage_kept, here.stage_names) == (there.chosen, there.stage_kept, there.stage_names)
            assert (here.removed_at == there.removed_at).all()
            np.testing.assert_allclose(here.probabilities, there.probabilities, atol=2e-6, rtol=1e-5)


@budget(max_examples=30)
@given(order=st.sampled_from(["transformers", "llama.cpp", "vllm"]), seed=st.integers(0, 99))
def test_a_recording_with_everything_on_reads_back(order: str, seed: int, tiny: Any) -> None:
    settings = SamplingSettings(**EVERYTHING, order=order, seed=seed)
    run = Generation(tiny("llama"), "The sea", settings, top_n=30)
    for step in run.stream(4):
        assert step.sampling_probability > 0
    read = Recording.loads(Recording.of(run).dumps())
    assert [s.settings for s in read.path] == [settings] * len(run.path)
    assert [s.stage_names for s in read.path] == [s.stage_names for s in run.path]
