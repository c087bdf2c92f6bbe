"""Calibration against plain counts of plain probabilities, closed formulas and examples worked by hand; texts that cannot be counted."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from core import load_model
from core.errors import BrokenLogits, EmptyPrompt, InputError, ModelError, PromptTooLong
from core.experiments import calibration as module
from core.experiments.calibration import DIE, EDGES, TEMPERATURES, Calibration, calibrations, unread_stories
from core.sources.ngram.ngram import NGram
from tests.core.plain import plain_logits
from tests.core.remote.serving import FakeVLLM, connect, serve
from tests.tiny_models import CONTEXT, save

Model = Callable[[str], Any]
TEXT = "Once upon a time a fox met a bear. The bear said that the fox was a bear."


def last(observations: Any) -> Any:
    """The last of them."""
    *_rest, found = observations
    return found


def of_tally(tally: Any) -> Calibration:
    """The result of what was counted."""
    tables: list[Any] = [tuple(map(tuple, table.tolist())) for table in (tally.counts, tally.sums, tally.hits)]
    return Calibration("m", tally.places, 0, 0, *tables)


def counted(logits: np.ndarray, ids: list[int], temperature: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How many probabilities are in each bin, their sums and hits, counted one at a time by numpy's histogram in float64."""
    scaled = logits.astype(np.float64) / temperature
    chances = np.exp(scaled - scaled.max(1, keepdims=True))
    chances /= chances.sum(1, keepdims=True)
    own = chances[np.arange(len(ids)), ids]
    counts, sums, hits = (np.histogram(of, EDGES, weights=by)[0] for of, by in ((chances, None), (chances, chances), (own, None)))
    return counts, sums, hits


@pytest.mark.parametrize("architecture", ["llama", "gpt2", "mamba"])
def test_every_probability_of_every_place_is_counted(architecture: str, tiny: Model, plain: Model) -> None:
    model = tiny(architecture)
    ids = model.encode(TEXT)
    seen = last(calibrations([model], [TEXT]))
    assert (seen.model, seen.places, seen.done, seen.total) == (model.name, len(ids) - 1, len(ids), len(ids))
    logits = np.stack([plain_logits(plain(architecture), ids[:place]).numpy() for place in range(1, len(ids))])
    for row in (0, TEMPERATURES.index(1.0), len(TEMPERATURES) - 1):
        counts, sums, hits = counted(logits, ids[1:], TEMPERATURES[row])
        assert sum(seen.counts[row]) == logits.size and sum(seen.sums[row]) == pytest.approx(seen.places, abs=1e-3)
        assert np.abs(np.array(seen.counts[row]) - counts).sum() <= 2, "a value on an edge may be rounded into the next bin"
        np.testing.assert_allclose(seen.sums[row], sums, atol=0.02)
        assert seen.hits[row] == tuple(map(int, hits)) and sum(hits) == seen.places


def test_texts_are_read_each_on_its_own(tiny: Model) -> None:
    model = tiny("llama")
    both, one, other = (last(calibrations([model], texts)) for texts in ([TEXT, "A fox."], [TEXT], ["A fox."]))
    assert both.places == one.places + other.places
    np.testing.assert_array_equal(both.counts, np.array(one.counts) + np.array(other.counts))
    np.testing.assert_allclose(both.sums, np.array(one.sums) + np.array(other.sums), atol=1e-4)


def test_two_models_are_read_one_after_the_other_and_progress_is_told(tiny: Model) -> None:
    seen = list(calibrations([tiny("llama"), tiny("gpt2")], [TEXT]))
    ends = [part for part in seen if part.counts]
    assert [part.model for part in ends] == [tiny("llama").name, tiny("gpt2").name]
    assert all(part.done <= part.total for part in seen)


def test_an_example_worked_by_hand() -> None:
    """Two places, three tokens. 0.72, 0.15, 0.13 and 0.75, 0.25, 0: the first token follows, then the second."""
    tally = module._Tally()
    logits = torch.tensor([[0.72, 0.15, 0.13], [0.75, 0.25, 0.0]]).log()
    tally.take(np.array([0, 1]), logits)
    row = TEMPERATURES.index(1.0)
    assert tally.counts[row].tolist() == [1, 0, 0, 2, 1, 0, 0, 0, 0, 2, 0, 0]
    seen = of_tally(tally)
    seven = next(part for part in seen.bins() if part.start == 0.7)
    assert (seven.count, seven.predicted, seven.observed) == (2, pytest.approx(0.735), 0.5)
    # from 10 %: 0.28 and none followed; from 20 %: 0.25 and one followed; from 70 %: 1.47 and one followed
    assert seen.distance() == pytest.approx((0.28 + 0.75 + 0.47) / 2, abs=1e-6)


def test_a_model_that_is_sure_and_right_is_on_the_diagonal_and_one_that_is_sure_and_wrong_is_not() -> None:
    for token, distance in ((0, 0.0), (1, 2.0)):
        tally = module._Tally()
        tally.take(np.array([token] * 5), torch.tensor([[0.0, -math.inf]] * 5))
        seen = of_tally(tally)
        assert {seen.distance(temperature) for temperature in TEMPERATURES} == {distance}


def test_tokens_drawn_from_the_probabilities_are_calibrated_at_temperature_1_and_not_at_another() -> None:
    rng, tally = np.random.default_rng(4), module._Tally()
    logits = torch.from_numpy(rng.normal(0, 3, (4_000, 60)).astype(np.float32))
    chances = logits.double().softmax(-1).numpy()
    tally.take(np.array([rng.choice(60, p=row / row.sum()) for row in chances]), logits)
    seen = of_tally(tally)
    assert seen.best() == 1.0 and seen.distance() < 0.05 < 0.2 < seen.distance(2.0)
    assert sum(part.low <= part.predicted <= part.high for part in seen.bins()) >= len(seen.bins()) - 2


def test_equal_tokens_a_long_text_and_ten_thousand_tokens(tiny: Model) -> None:
    model = tiny("llama")
    for text in ("bear " * 10, TEXT * (2 * CONTEXT // len(model.encode(TEXT)) + 1), TEXT * (10_000 // (len(model.encode(TEXT)) - 2) + 2)):
        seen = last(calibrations([model], [text]))
        assert seen.places == len(model.encode(text)) - 1 and sum(seen.hits[0]) == seen.places
    assert seen.places > 10_000


def test_what_cannot_be_counted_is_said_in_a_sentence(tiny: Model, tmp_path: Any) -> None:
    model = tiny("gpt2")
    (one_token,) = [text for text in (" a", "a") if len(model.encode(text)) == 1][:1]
    for texts, error in (([one_token], InputError), ([""], EmptyPrompt), (["x" * 2_000_001], PromptTooLong), (["\ud800"], InputError)):
        with pytest.raises(error) as raised:
            last(calibrations([model], texts))
        assert "{" not in str(raised.value)
    broken = load_model(str(save("llama", tmp_path / "broken")), device="cpu", dtype="float32")
    with torch.no_grad():
        broken.load_network().model.norm.weight[0] = torch.nan
    with pytest.raises(BrokenLogits):
        last(calibrations([broken], [TEXT]))


def test_a_served_model_that_does_not_list_all_tokens_says_what_is_missing(no_waiting: None) -> None:
    with serve(FakeVLLM(limit=20)) as running:
        model = connect(running)
        with pytest.raises(ModelError, match="only the likeliest"):
            last(calibrations([model], [TEXT]))


def test_an_n_gram_model_is_counted_and_has_no_die() -> None:
    seen = last(calibrations([NGram("The fox met a bear. The bear met a fox. " * 20, 3, "words")], ["The fox met a bear."]))
    assert seen.places == len(["fox", "met", "a", "bear", "."])
    assert seen.die == () and seen.distance() >= 0


def test_the_die_is_the_product_of_the_faces_tokens() -> None:
    model = load_model("storyteller-mini")
    seen = last(calibrations([model], unread_stories()[:1]))
    ids = model.encode(DIE)
    odds = model.engine.forward(ids).logits.values.double().softmax(-1)
    for face, share in enumerate(seen.die, 1):
        token = model.token_of(f" {face}").token_id
        stop = model.engine.forward([*ids, token]).logits.values.double().softmax(-1)
        dots = [i for i in range(model.vocabulary_size) if model.token(i).raw.startswith(b".") and not model.token(i).special]
        assert share == pytest.approx(float(odds[token] * stop[dots].sum()), abs=1e-5)
    assert len(seen.die) == 6 and sum(seen.die) <= 1


def test_the_unread_stories_are_texts_of_their_own() -> None:
    assert len(unread_stories()) == 12 and all(text.strip() and "\n" not in text for text in unread_stories())
