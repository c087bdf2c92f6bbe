"""The experiments about one token: what they yield is what attribution gives, and they refuse what cannot be explained."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from core import Generation, SamplingSettings
from core.errors import BadSetting, EmptyPrompt, InputError, ModelError
from core.experiments.why import hidden_words as module
from core.experiments.why.ablated_heads import ablated_heads, without_heads
from core.experiments.why.hidden_words import hidden_words
from core.experiments.why.logit_sum import logit_sum
from core.experiments.why.steered_run import steered_run
from core.experiments.why.traced_fact import traced_fact
from core.inspection import attribution
from core.inspection.attribution.units import sentence_spans, word_spans
from core.inspection.scoring import score_text

Model = Callable[[str], Any]
TEXT = "Once upon a time there was a small dragon. It could not breathe fire."
SETTINGS = SamplingSettings(temperature=0.9, seed=4)


def last(observations: Any) -> Any:
    """The last of them."""
    *_rest, found = observations
    return found


def test_words_and_sentences_cover_the_text_once(tiny: Model) -> None:
    for name in ("llama", "gpt2"):
        tokens = tiny(name).tokenize(TEXT)
        for spans, count in ((word_spans(tokens), 16), (sentence_spans(tokens), 2)):
            assert len(spans) == count
            text = "".join(token.text for start, stop in spans for token in tokens[start:stop])
            assert text == TEXT
            assert all(one[1] == other[0] for one, other in pairwise(spans))
    tokens = tiny("gpt2").tokenize("He said: “No.” Don't!\nYes")
    assert ["".join(t.text for t in tokens[a:b]) for a, b in sentence_spans(tokens)] == ["He said: “No.”", " Don't!\n", "Yes"]


@pytest.mark.parametrize("method", ["omit", "mask", "replace"])
def test_hidden_words_are_those_of_occlusion(method: str, tiny: Model) -> None:
    model = tiny("llama")
    ids = model.encode(TEXT)
    seen = last(hidden_words(model, ids, 17, method=method))
    spans = word_spans([model.token(i) for i in ids])
    expected = attribution.occlusion(model, ids, 17, method, spans)
    assert [(part.start, part.stop) for part in seen.parts] == list(spans)
    np.testing.assert_allclose([part.effect for part in seen.parts], expected.effects, atol=1e-4)
    assert math.log(seen.probability) == pytest.approx(expected.log_probability, abs=1e-4)
    gradients = attribution.integrated_gradients(model, ids, 17).effects
    np.testing.assert_allclose([part.gradient for part in seen.parts], [gradients[a:b].sum() for a, b in spans], atol=1e-4)
    assert seen.agreement == pytest.approx(
        attribution.rank_correlation(expected.effects, [gradients[a:b].sum() for a, b in spans]), abs=1e-2
    )
    assert seen.without(seen.parts[0]) == pytest.approx(seen.probability * math.exp(-seen.parts[0].effect))


def test_a_long_text_is_hidden_in_groups_first(tiny: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_VARIANTS", 8)
    model = tiny("gpt2")
    ids = model.encode(TEXT)
    spans = word_spans([model.token(i) for i in ids])
    seen = last(hidden_words(model, ids, 17))
    assert seen.done == seen.total <= 8 < len(spans)
    assert "".join("".join(seen.texts[part.start : part.stop]) for part in seen.parts) == TEXT
    parts = attribution.occlusion(model, ids, 17, spans=[(part.start, part.stop) for part in seen.parts])
    np.testing.assert_allclose([part.effect for part in seen.parts], parts.effects, atol=1e-4)
    groups = [spans[start : start + 4] for start in range(0, 16, 4)]
    whole = attribution.occlusion(model, ids, 17, spans=[(group[0][0], group[-1][1]) for group in groups]).effects
    strongest = groups[int(np.abs(whole).argmax())]
    assert {(part.start, part.stop) for part in seen.parts} >= set(strongest)


def test_a_passage_is_one_part(tiny: Model) -> None:
    model = tiny("gpt2")
    ids = model.encode(TEXT)
    seen = last(hidden_words(model, ids, 17, unit="passage", passage=(2, 7)))
    assert [(part.start, part.stop) for part in seen.parts] == [(2, 7)] and seen.agreement is None


def test_every_head_is_switched_off_and_attention_sums_to_one(tiny: Model) -> None:
    model = tiny("llama")
    ids = model.encode(TEXT)
    seen = last(ablated_heads(model, ids, 17))
    np.testing.assert_allclose(np.array(seen.effects), attribution.head_ablation(model, ids, 17).effects, atol=1e-4)
    assert seen.done == seen.total == 12
    np.testing.assert_allclose(np.array(seen.attention).sum(-1), 1.0, atol=1e-2)
    layer, head = seen.strongest()
    assert abs(seen.effects[layer][head] or 0) == pytest.approx(np.abs(np.array(seen.effects)).max())


def test_a_text_goes_on_without_heads_and_with_the_same_dice(tiny: Model) -> None:
    model = tiny("llama")
    run = Generation(model, TEXT, SETTINGS)
    list(run.stream(3))
    written = [step.token_id for step in run.path]
    seen = last(without_heads(model, TEXT, written, [(0, 1), (2, 2)], SETTINGS, length=5))
    list(run.stream(5))
    assert seen.usual_text == "".join(step.text for step in run.path[3:])
    alone = Generation(model, TEXT, SETTINGS, without_heads=[(0, 1), (2, 2)])
    for token_id in written:
        alone.force(token_id)
    assert sum(seen.changed) <= 1 and seen.changed[0] != pytest.approx(seen.usual[0], abs=1e-4)
    first = alone.next_distribution()
    chances = {candidate.piece: candidate.model_probability for candidate in first.candidates}
    assert all(
        chances[piece] == pytest.approx(one, abs=1e-4) for piece, one in zip(seen.pieces, seen.changed, strict=True) if piece in chances
    )
    list(alone.stream(5))
    assert seen.changed_text == "".join(step.text for step in alone.path[3:])
    same = last(without_heads(model, TEXT, written, [], SETTINGS, length=5))
    assert same.usual_text == same.changed_text and same.usual == same.changed


def test_a_fact_is_traced_by_tokens_and_by_words(tiny: Model) -> None:
    model = tiny("gpt2")
    one, other = "the sea looked grey and wide", "the sea looked wide and wide"
    with pytest.raises(InputError):
        last(traced_fact(model, one, one))
    seen = last(traced_fact(model, one, other, by_words=True))
    assert len(seen.recovered) == seen.layers == 4 and len(seen.clean) == len(seen.corrupted) == 6
    assert seen.recovered[-1][-1] == pytest.approx(1.0, abs=1e-4)
    assert seen.chances[-1][-1] == pytest.approx(seen.after, abs=1e-4)
    assert seen.chances[0][0] == pytest.approx(seen.before, abs=1e-6)
    if len(model.encode(one)) != len(model.encode(other)):
        with pytest.raises(InputError, match="align them by words"):
            last(traced_fact(model, one, other))
    with pytest.raises(InputError, match="6 and 5 words"):
        last(traced_fact(model, one, "the sea looked wide and", by_words=True))


def test_a_logit_is_a_sum(tiny: Model) -> None:
    model = tiny("gpt2")
    seen = last(logit_sum(model, model.encode(TEXT), 17))
    assert seen.sum == pytest.approx(seen.logit, abs=1e-4)
    assert sum(part.value for part in seen.heads) == pytest.approx(seen.logit, abs=1e-4)


def test_every_measure_is_that_of_the_difference_of_two_logits(tiny: Model) -> None:
    model = tiny("llama")
    ids = model.encode(TEXT)
    words, heads, total = (last(made(model, ids, 17, against=40)) for made in (hidden_words, ablated_heads, logit_sum))
    with_both = attribution.occlusion(model, ids, 17, spans=[(part.start, part.stop) for part in words.parts], against=40)
    np.testing.assert_allclose([part.effect for part in words.parts], with_both.effects, atol=1e-4)
    np.testing.assert_allclose(np.array(heads.effects), attribution.head_ablation(model, ids, 17, against=40).effects, atol=1e-4)
    assert total.sum == pytest.approx(total.logit, abs=1e-4) == pytest.approx(with_both.log_probability, abs=1e-4)
    logits = model.engine.forward(ids).logits.values.double()
    of_two = float(logits[[17, 40]].softmax(0)[0])
    assert words.probability == pytest.approx(of_two, abs=1e-5) and heads.probability == pytest.approx(of_two, abs=1e-5)
    part = words.parts[3]
    shorter = model.engine.forward([*ids[: part.start], *ids[part.stop :]]).logits.values.double()
    assert words.without(part) == pytest.approx(float(shorter[[17, 40]].softmax(0)[0]), abs=1e-5)
    assert heads.without(0.0) == heads.probability and {words.against, heads.against, total.against} == {model.piece(40)}


@pytest.mark.parametrize("difference", [-900.0, -40.0, 0.0, 40.0, 900.0])
def test_a_very_large_difference_is_a_probability(difference: float) -> None:
    seen = module.HiddenWords((), "a", "omit", "word", 0.5, (), 0, 0, against="b", log_probability=difference)
    changed = seen.without(module.HiddenPart(0, 1, difference))
    assert changed == pytest.approx(0.5) and 0.0 <= seen.without(module.HiddenPart(0, 1, -difference)) <= 1.0


def test_a_steered_run_stands_beside_the_usual_one(tiny: Model) -> None:
    model = tiny("llama")
    more, less = ["a happy fox", "tea"], ["grey snow"]
    seen = last(steered_run(model, TEXT, more, less, 2, 6.0, SETTINGS, length=6))
    usual = Generation(model, TEXT, SETTINGS)
    list(usual.stream(6))
    assert seen.usual == "".join(step.text for step in usual.path) != seen.steered
    scored = score_text(model, TEXT + seen.usual)
    if [token.token_id for token in scored.written] == usual.token_ids.tolist():
        bits = [token.surprise or 0 for token in scored.tokens[-len(usual.path) :]]
        assert seen.usual_perplexity == pytest.approx(2 ** (sum(bits) / len(bits)), rel=1e-3)
    nothing = last(steered_run(model, TEXT, more, less, 2, 0.0, SETTINGS, length=6))
    assert nothing.same and nothing.steered_perplexity == pytest.approx(nothing.usual_perplexity or 0)


def test_impossible_input_is_refused(tiny: Model) -> None:
    model = tiny("llama")
    ids = model.encode(TEXT)
    for make, error in (
        (lambda: hidden_words(model, ids, 17, unit="letter"), BadSetting),
        (lambda: hidden_words(model, ids, 17, method="burn"), BadSetting),
        (lambda: hidden_words(model, ids, 17, unit="passage", passage=(3, 3)), InputError),
        (lambda: hidden_words(model, ids, 17, unit="passage", passage=(0, len(ids))), InputError),
        (lambda: hidden_words(model, ids[:1], 17), InputError),
        (lambda: hidden_words(model, [], 17), EmptyPrompt),
        (lambda: ablated_heads(model, ids[:1], 17), InputError),
        (lambda: without_heads(model, TEXT, [], [(9, 9)]), InputError),
        (lambda: ablated_heads(tiny("mamba"), [10, 20, 30], 17), ModelError),
        (lambda: steered_run(model, TEXT, [], ["x"], 1, 1.0), EmptyPrompt),
        (lambda: steered_run(model, TEXT, ["x"], ["y"], 99, 1.0), BadSetting),
        (lambda: steered_run(model, TEXT, ["x"], ["y"], 1, math.nan), BadSetting),
        (lambda: steered_run(model, TEXT, ["x"], ["y"], 1, 1.0, length=0), BadSetting),
        (lambda: steered_run(model, "", ["x"], ["y"], 1, 1.0), EmptyPrompt),
        (lambda: traced_fact(model, "", "x"), EmptyPrompt),
    ):
        with pytest.raises(error):
            last(make())
