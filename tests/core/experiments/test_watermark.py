"""The score of a watermark is that of transformers' detector, chance gives uniform p-values, and a run has its cost and its attack."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from statistics import NormalDist
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from transformers import WatermarkDetector

from core import SamplingSettings
from core.errors import BadSetting, InputError, NotForThisModel
from core.experiments import watermark
from core.experiments.shared.watermark_score import WEIGHTS, binomial_tail, greens, p_value, score
from core.experiments.watermark import ATTACKED, HUMAN, MARKED, UNMARKED, MarkedToken, Measured, watch
from core.sampling.samplers.watermark import configuration, tournament
from core.sources.capabilities import Can

GREEN = SamplingSettings(watermark="green", watermark_delta=4.0, temperature=1.5, seed=2)
SYNTHID = SamplingSettings(watermark="synthid", watermark_context=3, temperature=1.5, seed=2)
PROMPT = "the fox and the dog"


class Vocabulary:
    """A source of 500 tokens that has only ids."""

    vocabulary_size = 500
    can = frozenset(Can)


MODEL: Any = Vocabulary()


def text(seed: int, length: int = 100, size: int = 500) -> list[int]:
    return np.random.default_rng(seed).integers(0, size, length).tolist()


def kolmogorov_smirnov(values: list[float]) -> float:
    """The largest distance of the values' distribution from the uniform one."""
    ordered, steps = np.sort(values), np.arange(len(values) + 1) / len(values)
    return float(max((steps[1:] - ordered).max(), (ordered - steps[:-1]).max()))


@pytest.mark.parametrize(("gamma", "width", "size"), [(0.25, 1, 500), (0.5, 1, 12), (0.1, 1, 3), (0.9, 1, 500)])
def test_z_is_that_of_the_detector_with_each_pair_once(gamma: float, width: int, size: int) -> None:
    settings = replace(GREEN, watermark_gamma=gamma, watermark_context=width, watermark_key=42)
    config: Any = SimpleNamespace(bos_token_id=-1, is_encoder_decoder=False, vocab_size=500)
    detector = WatermarkDetector(config, "cpu", configuration(settings), ignore_repeated_ngrams=True)
    for seed in range(20):
        ids = text(seed, 80, size)
        found, theirs = score(MODEL, ids, settings), detector(torch.tensor([ids]), return_dict=True)
        assert found.z == pytest.approx(theirs.z_score[0]) and found.counted == theirs.num_tokens_scored[0]
        assert found.green == theirs.num_green_tokens[0]
        assert sum(green is not None for green in greens(MODEL, ids, settings)) == len(
            {tuple(ids[i : i + width + 1]) for i in range(80 - width)}
        )


@pytest.mark.parametrize("context", [2, 4])
def test_a_green_list_counts_each_pair_once_whatever_the_context(context: int) -> None:
    """The list follows from the token before alone, so the tokens further back make no new evidence."""
    for seed in range(20):
        ids, settings = text(seed, 80, 6), replace(GREEN, watermark_context=context)
        found = score(MODEL, ids, settings)
        assert found.counted == len(set(pairwise(ids[context - 1 :])))
        assert found == score(MODEL, ids[context - 1 :], replace(settings, watermark_context=1))
        assert greens(MODEL, ids, settings)[:context] == [None] * context


def test_the_g_values_are_those_of_the_processor_without_repeated_contexts() -> None:
    process = tournament(SYNTHID.watermark_key, 3)
    for seed in range(10):
        ids = text(seed, 60, 4)
        values, mask = process.compute_g_values(torch.tensor([ids]))[0], process.compute_context_repetition_mask(torch.tensor([ids]))[0]
        found = score(MODEL, ids, SYNTHID)
        means = values[mask].double().numpy() @ WEIGHTS  # the first rounds count most, as in the paper
        assert WEIGHTS.sum() == pytest.approx(1) and found.counted == int(mask.sum()) and found.green == pytest.approx(means.sum())
        assert found.counted == len({tuple(ids[i : i + 3]) for i in range(57)})
        assert found.z == pytest.approx((means.mean() - 0.5) / (0.5 * (WEIGHTS**2).sum() ** 0.5) * found.counted**0.5)
        assert found.p_value == pytest.approx(1 - NormalDist().cdf(found.z))


@pytest.mark.parametrize("texts", [50, pytest.param(200, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("settings", [GREEN, SYNTHID])
def test_p_values_are_uniform_if_the_text_knows_nothing_of_the_key(settings: SamplingSettings, texts: int) -> None:
    """Counts make p-values of few sizes. Spread evenly over the probability of its own size, each is uniform."""
    draw, spread = np.random.default_rng(1), []
    for seed in range(texts):
        found = score(MODEL, text(seed), replace(settings, watermark_key=seed + 1))
        above = found.p_value
        if settings.watermark == "green":
            above = binomial_tail(int(found.green) + 1, found.counted, settings.watermark_gamma) if found.green < found.counted else 0.0
        spread.append(above + draw.random() * (found.p_value - above))
    assert kolmogorov_smirnov(spread) < 1.63 / math.sqrt(len(spread)), "1.63: exceeded once in a hundred times"


def test_the_binomial_tail_is_the_sum_of_its_terms() -> None:
    for total, chance in ((3, 0.25), (99, 0.25), (99, 0.5), (400, 0.99), (2970, 0.5)):
        part, parts = chance.as_integer_ratio()
        terms = [part**k * (parts - part) ** (total - k) * math.comb(total, k) for k in range(total + 1)]
        for least in {0, 1, total // 4, total // 2, total - 1, total}:
            assert binomial_tail(least, total, chance) == pytest.approx(float(Fraction(sum(terms[least:]), parts**total)), rel=1e-8)


def test_a_null_distribution_is_that_of_the_unmarked_runs() -> None:
    values = np.random.default_rng(0).normal(0.3, 1.2, 60)
    null = watermark.null_of([Measured(UNMARKED, float(z), 0.5) for z in values] + [Measured(MARKED, 9.0, 0.0)])
    assert null is not None and (null.mean, null.stdev) == pytest.approx((values.mean(), values.std(ddof=1)))
    assert p_value(Measured(MARKED, 5.0, 0.5), null) == pytest.approx(1 - NormalDist(values.mean(), values.std(ddof=1)).cdf(5.0), rel=1e-6)
    assert watermark.null_of([Measured(UNMARKED, 1.0, 0.1)] * 40) is None and watermark.null_of([]) is None


@pytest.mark.parametrize("settings", [GREEN, SYNTHID], ids=["green", "synthid"])
def test_a_run_is_marked_beside_one_that_is_not_and_its_cost_is_the_divergence(settings: SamplingSettings, tiny: Any) -> None:
    model = tiny("llama")
    seen = list(watch(model, PROMPT, settings, 30, 2))
    sides = {side: [one for one in seen if isinstance(one, MarkedToken) and one.side == side] for side in (MARKED, UNMARKED)}
    assert all(token.lost == 0 for token in sides[UNMARKED]) and sum(token.lost for token in sides[MARKED]) > 1
    for side in sides.values():
        whole = greens(model, [token.token_id for token in side], settings)
        assert np.array([token.green for token in side], float) == pytest.approx(np.array(whole, float), nan_ok=True)
    marked = [token.token_id for token in sides[MARKED]]
    assert score(model, marked, settings).z > score(model, [token.token_id for token in sides[UNMARKED]], settings).z + 1
    assert marked == watermark.run_ids(model, PROMPT, settings, 30, MARKED, 0)
    attacks = [text for text in seen if isinstance(text, Measured) and text.kind == ATTACKED]
    assert attacks[0].changed == 0 and attacks[-1].changed == attacks[-1].words and all(a.changed < b.changed for a, b in pairwise(attacks))
    kinds = [one.kind for one in seen if isinstance(one, Measured)]
    assert (kinds.count(MARKED), kinds.count(UNMARKED), kinds.count(HUMAN)) == (2, 2, 200)


def test_the_divergence_of_a_green_list_is_its_formula(tiny: Any) -> None:
    """With the part G of the probability on the list: (e^d G d / Z - ln Z) / ln 2, where Z = 1 + (e^d - 1) G."""
    from core import Generation
    from core.sampling.observe_stages import sampling_probabilities
    from core.sampling.samplers.watermark import green_list

    model = tiny("llama")
    run = Generation(model, PROMPT, GREEN)
    run.next_distribution()
    assert run.logits is not None
    before = sampling_probabilities(run.logits, replace(GREEN, watermark=""), run.history(GREEN, 0))
    part = before[green_list(GREEN.watermark_key, 0.25, model.vocabulary_size, int(run.token_ids[-1]))].sum()
    z = 1 + (np.exp(4.0) - 1) * part
    first = next(watermark.both_sides(model, PROMPT, GREEN, 1))
    assert first.lost == pytest.approx((np.exp(4.0) * part * 4.0 / z - np.log(z)) / np.log(2), abs=1e-5)


def test_bad_input_gets_one_sentence(tiny: Any) -> None:
    model = tiny("llama")
    for ids in ([1.5], ["a"], [-1, 2], [10**9], [[1, 2]], None, 3, [True, False], [None], [2**70], range(200_000)):
        with pytest.raises(BadSetting) as told:
            score(model, ids, GREEN)  # type: ignore[arg-type]
        assert str(told.value).endswith(".") and len(str(told.value)) < 250
    for short in ([], [3]):
        with pytest.raises(InputError, match="A score needs at least 2"):
            score(model, short, GREEN)
    with pytest.raises(BadSetting, match="no watermark"):
        score(model, [1, 2, 3], SamplingSettings())
    with pytest.raises(BadSetting):
        score(model, [1, 2, 3], "green")  # type: ignore[arg-type]
    with pytest.raises(NotForThisModel):
        score(SimpleNamespace(can=frozenset(), vocabulary_size=9), [1, 2, 3], GREEN)  # type: ignore[arg-type]


def test_words_are_replaced_where_it_was_said() -> None:
    words = watermark.words_of("One  two three.\nFour")
    assert words == ["One", "  two", " three.", "\nFour"]
    assert watermark.edited(words, []) == "One  two three.\nFour"
    assert watermark.edited(words, [1, 3]).split()[::2] == ["One", "three."]
    assert watermark.edited(words, [0, 2, 99], "delete") == "  two\nFour"
    assert watermark.edited(words, [1, 3], "swap").split() == ["One", "three.", "two", "Four"]
    assert watermark.edited(words, [0], "swap") == "two  One three.\nFour", "the white space stays where it is"


def test_equal_runs_of_greedy_are_written_once(tiny: Any) -> None:
    kinds = [text.kind for text in watch(tiny("llama"), PROMPT, replace(GREEN, greedy=True), 10, 20) if isinstance(text, Measured)]
    assert kinds.count(MARKED) == kinds.count(UNMARKED) == 1


def test_the_words_of_a_text_are_all_of_it_but_blanks_at_its_end() -> None:
    text = "\n The  old\tking \u3000 sat.\n\n "
    assert watermark.words_of(text) == re.findall(r"\s*\S+", text) and watermark.words_of(" \n") == []
    assert watermark.words_of(" " * 200_000) == [], "at once: it came from an opened file"
