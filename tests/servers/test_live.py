"""Against a server of your own, such as vLLM, named by the environment:

TOKEN_VIEWER_TEST_SERVER=http://host:port TOKEN_VIEWER_TEST_TOKENIZER=its-model pytest tests/servers/test_live.py
"""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np
import pytest
import torch

from core import Generation, SamplingSettings, load_model
from core.errors import NotForThisModel

pytestmark = pytest.mark.exhaustive

ADDRESS, TOKENIZER = os.environ.get("TOKEN_VIEWER_TEST_SERVER", ""), os.environ.get("TOKEN_VIEWER_TEST_TOKENIZER", "")
# The same model here in float32 differs from one served in bfloat16 by about this much in log-probability.
CLOSE = float(os.environ.get("TOKEN_VIEWER_TEST_CLOSE", "0.001"))


@pytest.fixture(scope="module", autouse=True)
def nothing_leaves_this_machine() -> None:
    """The one test that may go to another machine, because it was told which."""


@pytest.fixture(scope="module")
def served() -> Any:
    if not (ADDRESS and TOKENIZER):
        pytest.skip("no server named: set TOKEN_VIEWER_TEST_SERVER and TOKEN_VIEWER_TEST_TOKENIZER")
    return load_model(ADDRESS, tokenizer=TOKENIZER, api_key=os.environ.get("TOKEN_VIEWER_TEST_KEY"))


def test_its_address_alone_is_enough(served: Any) -> None:
    alone: Any = load_model(ADDRESS, api_key=os.environ.get("TOKEN_VIEWER_TEST_KEY"))
    for text in ("A fox 🦊.", "über  alles", "Once upon a time"):
        assert [(token.token_id, token.raw) for token in alone.tokenize(text)] == [(t.token_id, t.raw) for t in served.tokenize(text)]
    runs = [Generation(model, "Once upon a time there was", SamplingSettings(seed=1, top_k=100)) for model in (alone, served)]
    for run in runs:
        run.generate(40)
    pairs = list(zip(*(run.path for run in runs), strict=True))
    different = sum(one.token_id != other.token_id for one, other in pairs)
    furthest = max(abs(one.model_probability - other.model_probability) for one, other in pairs)
    sys.stdout.write(
        f"\n{alone.server_kind} by address: {len(pairs)} steps, {different} tokens differ, largest difference {furthest:.1e}\n"
    )
    assert different == 0


def test_its_odds_are_those_of_the_same_model_here(served: Any) -> None:
    local = load_model(TOKENIZER, device="cpu", dtype="float32")
    run = Generation(served, "Once upon a time there was", SamplingSettings(greedy=True), top_n=10)
    for _ in range(20):
        if run.finished:
            break
        ids = run.token_ids.tolist()
        step = run.step()
        own = torch.log_softmax(local.engine.forward(ids).logits.values.double(), 0).numpy()
        for candidate in step.candidates:
            assert np.log(candidate.model_probability) == pytest.approx(own[candidate.token_id], abs=CLOSE)


def test_a_rare_token_can_be_forced_and_its_odds_are_its_own(served: Any) -> None:
    run = Generation(served, "Once upon a time there was", SamplingSettings(greedy=True))
    rare = next(i for i in range(1000, served.vocabulary_size) if i not in run.next_distribution().token_ids.tolist())
    try:
        step = run.force(rare)
    except NotForThisModel as error:
        pytest.skip(str(error))
    assert 0 < step.model_probability <= float(step.probabilities[0, :-1].min()) + 1e-6


def test_going_on_reuses_what_was_computed(served: Any) -> None:
    run = Generation(served, "Once upon a time there was a very small dragon. " * 8, SamplingSettings(greedy=True))
    run.step()
    if any("does not say what it reuses" in note for note in served.notes):
        pytest.skip("this server does not say what it reuses")
    assert run.step().forward.reused_tokens > 0
