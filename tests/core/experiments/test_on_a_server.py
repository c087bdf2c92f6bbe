"""Several tries, beam search and reading on a server give the numbers of the whole distribution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from core import Generation, SamplingSettings, score_text
from core.costs.receipt import Receipt
from core.errors import NotForThisModel
from core.experiments import watermark
from core.experiments.candidates.beam import beam_search
from core.experiments.candidates.best_of_n import write_together
from core.experiments.shared import watermark_score as scoring
from tests.core.remote.serving import FakeLlama, FakeVLLM, connect, serve, tokenize, truth

PROMPT = "def main(argv): return 0"

pytestmark = pytest.mark.usefixtures("no_waiting")


@pytest.mark.parametrize("kind", [FakeVLLM(limit=512), FakeLlama()], ids=["vLLM", "llama-server"])
def test_tries_are_those_that_each_would_write_alone(kind: Any) -> None:
    settings = SamplingSettings(temperature=1.1, seed=4)
    with serve(kind) as server:
        model = connect(server)
        last = list(write_together(model, PROMPT, settings, count=5, steps=6))[-1]
        assert (len(last.tries), last.tokens, last.rows, last.forward_passes) == (5, 30, 5, 6)
        for attempt in last.tries:
            run = Generation(model, PROMPT, settings)
            assert [run.step(attempt.number).token_id for _ in range(6)] == [step.token_id for step in attempt.path]
            ids = tokenize(PROMPT)
            for step in attempt.path:
                assert step.model_probability == pytest.approx(np.exp(truth(ids)[step.token_id]), rel=1e-4)
                ids.append(step.token_id)
        assert len({tuple(step.token_id for step in attempt.path) for attempt in last.tries}) > 1


def best_of_all(width: int, steps: int) -> tuple[list[int], float]:
    """Beam search written down once more, over the whole distribution."""
    open_ = [(0.0, tokenize(PROMPT))]
    for _ in range(steps):
        grown = [(score + float(p), [*ids, token]) for score, ids in open_ for token, p in enumerate(truth(ids)) if token != 1]
        open_ = sorted(grown, key=lambda one: -one[0])[:width]
    return open_[0][1][len(tokenize(PROMPT)) :], open_[0][0]


@pytest.mark.parametrize("kind", [FakeVLLM(limit=20), FakeLlama()], ids=["vLLM", "llama-server"])
def test_a_beam_search_finds_what_the_whole_distribution_would(kind: Any) -> None:
    with serve(kind) as server:
        found = list(beam_search(connect(server), PROMPT, beams=3, steps=4))
        best = found[-1].answers[0]
        ids, total = best_of_all(3, 4)
        assert best.log_probability == pytest.approx(total, abs=1e-3)
        assert best.token_id == ids[-1]


def test_a_beam_search_that_looks_further_than_the_list_is_refused() -> None:
    with serve(FakeVLLM(limit=20)) as server, pytest.raises(NotForThisModel, match="fewer beams"):
        list(beam_search(connect(server), PROMPT, beams=16, steps=3))


@pytest.mark.parametrize("kind", [FakeVLLM(limit=20), FakeLlama()], ids=["vLLM", "llama-server"])
def test_a_text_is_read_token_by_token_with_every_tokens_own_odds(kind: Any) -> None:
    with serve(kind) as server:
        reading = score_text(connect(server), PROMPT)
    ids = tokenize(PROMPT)
    expected = [truth(ids[:place])[ids[place]] for place in range(1, len(ids))]
    np.testing.assert_allclose(reading.log_probabilities[1:], expected, atol=2e-5)
    assert math.isnan(reading.log_probabilities[0])
    assert reading.perplexity == pytest.approx(math.exp(-np.mean(expected)), rel=1e-4)
    for place in range(1, len(ids)):
        best = np.argsort(truth(ids[:place]))[::-1][:5]
        assert reading.top_ids[place].tolist() == best.tolist()
        if truth(ids[:place])[ids[place]] > np.sort(truth(ids[:place]))[-20]:
            assert reading.ranks[place] == 1 + int((truth(ids[:place]) > truth(ids[:place])[ids[place]]).sum())
    assert "estimates" in reading.note


def test_a_bill_says_how_much_of_the_time_was_the_servers() -> None:
    with serve(FakeLlama()) as server:
        model = connect(server)
        run = Generation(model, PROMPT, SamplingSettings(greedy=True))
        for _ in range(3):
            run.step()
    bill = Receipt.of(run.path, model.known_shape)
    assert bill.server_seconds == pytest.approx(3 * 0.003729)
    assert "Of this, on the server" in [amount.name for amount in bill.amounts]
    with pytest.raises(NotForThisModel, match="no layers on this machine"):
        model.load_network()
    assert Receipt.of([], None).server_seconds is None


@pytest.mark.parametrize("mark", ["green", "synthid"])
def test_a_mark_in_the_dice_of_a_server_with_ids_is_found(mark: str) -> None:
    settings = SamplingSettings(watermark=mark, watermark_delta=6.0, watermark_context=2, temperature=1.5, seed=4)
    with serve(FakeVLLM(limit=512)) as server:
        model = connect(server)
        tokens = list(watermark.both_sides(model, PROMPT, settings, 40))
        scores = [
            scoring.score(model, [token.token_id for token in tokens if token.side == side], settings)
            for side in (watermark.MARKED, watermark.UNMARKED)
        ]
        assert scores[0].p_value < 1e-3 < scores[1].p_value
        assert sum(token.lost for token in tokens) > 1
