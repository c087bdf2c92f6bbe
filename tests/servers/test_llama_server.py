"""The bundled model on a real llama-server gives the same run as the bundled model here."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core import Generation, Recording, SamplingSettings, load_model
from core.errors import ServerGone, WrongServer
from core.experiments.batching.burst import Arrived, MetricsAt, burst, figures
from core.experiments.shared.planned_requests import planned_requests
from core.remote import http_client
from core.remote.metrics import batch_size
from tests.servers.conftest import MODEL, llama_server

pytestmark = pytest.mark.exhaustive

PROMPT = "Once upon a time"
CLOSE = 1e-3  # log-probabilities, with the server's cache in float32


def furthest(step: Any, other: Any) -> float:
    """The largest difference of log-probability between two records of one step."""
    there = {c.token_id: c.model_probability for c in other.candidates}
    shared = [(c.model_probability, there[c.token_id]) for c in step.candidates if c.token_id in there]
    assert len(shared) >= min(len(step.candidates), len(other.candidates)) - 2  # the forced token, and one at the end of the list
    return max(abs(float(np.log(a) - np.log(b))) for a, b in shared)


def same(run: Any, other: Any) -> None:
    assert [s.token_id for s in run.path] == [s.token_id for s in other.path]
    assert run.text == other.text
    assert max(furthest(step, also) for step, also in zip(run.path, other.path, strict=True)) < CLOSE


def test_the_server_tells_the_facts(served: Any, local: Any) -> None:
    assert served.device == "server (llama-server)"
    assert (served.parameter_count, served.vocabulary_size) == (local.parameter_count, local.vocabulary_size)
    assert (served.layer_count, served.end_token_ids) == (local.layer_count, local.end_token_ids)
    assert served.context_length == 512
    assert served.notes == ()
    assert served.tokenize("A fox 🦊.") == local.tokenize("A fox 🦊.")


@pytest.mark.parametrize(
    "settings",
    [
        SamplingSettings(greedy=True),
        SamplingSettings(seed=1),
        SamplingSettings(seed=2, top_k=40),
        SamplingSettings(seed=3, temperature=0.1, top_p=0.3),
        SamplingSettings(seed=4, temperature=0.1, min_p=0.1),
    ],
    ids=["greedy", "plain", "top-k", "top-p", "min-p"],
)
def test_forty_steps_are_those_of_the_model_here(settings: SamplingSettings, served: Any, local: Any) -> None:
    run, other = Generation(served, PROMPT, settings), Generation(local, PROMPT, settings)
    for _ in range(40):
        if run.finished:
            break
        there, here = run.step(), other.step()
        assert there.stage_exact[-1]
        if there.token_id != here.token_id:  # only where the roll fell onto a border, which the server knows to five digits
            start = here.chosen.dice_start
            assert start is not None
            assert here.roll is not None
            assert min(abs(here.roll - start), abs(start + here.sampling_probability - here.roll)) < 1e-3
            run.go_to(here.index - 1)
            other.go_to(here.index - 1)
            break
    same(run, other)
    assert run.finished == other.finished


def test_back_forced_and_branched(served: Any, local: Any) -> None:
    runs = [Generation(model, PROMPT, SamplingSettings(greedy=True)) for model in (served, local)]
    for run in runs:
        for _ in range(6):
            run.step()
        run.go_to(2)
        model: Any = run.model
        run.force(model.encode(" dog")[-1])
        for _ in range(4):
            run.step()
        first = run.branches()[0].node_id
        run.switch(first)
        run.step()
        run.go_to(-1)
        run.force(4000)
        run.step()
    same(*runs)
    assert [(b.text, b.parts_at) for b in runs[0].branches()] == [(b.text, b.parts_at) for b in runs[1].branches()]
    replay = Recording.loads(Recording.of(runs[0]).dumps()).replay()
    assert replay.step().token_id == runs[0].path[0].token_id


def test_characters_split_over_tokens(served: Any, local: Any) -> None:
    """Where a plain request leaves the odds out, ours has them; and the text comes together as it does here."""
    emoji = [token for token in local.tokenize("🦊") if not token.special]
    assert len(emoji) > 1, "this tokenizer has a token for the whole fox"
    half = emoji[0].token_id
    with pytest.raises(WrongServer):
        served.server.step(served.encode(PROMPT), 20, logit_bias=[[half, 1e6]])
    runs = [Generation(model, PROMPT, SamplingSettings(greedy=True)) for model in (served, local)]
    for run in runs:
        run.step()
        for token in emoji:
            run.next_distribution()
            run.force(token.token_id)
        run.step()
    same(*runs)
    assert "🦊" in runs[0].text


def test_what_was_reused_is_counted_by_the_server(served: Any) -> None:
    run = Generation(served, "The owl and the otter went to sea in a small green boat", SamplingSettings(greedy=True))
    run.step()
    assert [run.step().forward.computed_tokens for _ in range(3)] == [1, 1, 1]
    step = run.path[-1]
    assert step.forward.reused_tokens == step.position - 1
    assert step.forward.cache_bytes == step.position * served.cache_bytes_per_token
    assert 0 < (step.forward.server_seconds or 0) < step.forward.seconds
    run.go_to(0)
    assert run.force(100).forward.reused_tokens >= 1
    alone = Generation(served, run.prompt, SamplingSettings(greedy=True), use_cache=False)
    assert alone.step().forward.reused_tokens == 0
    assert served.metrics().hit_rate > 0


def test_a_run_ends_where_the_context_does(served: Any) -> None:
    run = Generation(served, " the" * 509, SamplingSettings(greedy=True))
    while not run.finished and len(run.path) < 5:
        run.step()
    assert run.finished in ("context full", "end of text")
    assert run.token_count <= served.context_length


def test_visitors_at_once_get_what_they_would_get_alone(served: Any) -> None:
    def write(seed: int) -> list[int]:
        run = Generation(served, PROMPT, SamplingSettings(seed=seed, top_p=0.9))
        return [run.step().token_id for _ in range(10)]

    alone = [write(seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as visitors:
        assert list(visitors.map(write, range(4))) == alone


def test_a_server_that_dies_and_comes_back(gguf: Path, tmp_path: Path, local: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    patient = (0.5,) * 20  # it accepts calls before its model is loaded
    monkeypatch.setattr(http_client, "PAUSES", patient)
    with llama_server(gguf, tmp_path, 0) as process:
        run = Generation(load_model(f"http://127.0.0.1:{process.port}", tokenizer=MODEL), PROMPT, SamplingSettings(seed=8, top_p=0.9))
        monkeypatch.setattr(http_client, "PAUSES", (0.05,))
        for _ in range(5):
            run.step()
        kept = run.text
        process.stop()
        with pytest.raises(ServerGone):
            run.step()
        assert (run.text, run.finished) == (kept, None)
        process.start()
        monkeypatch.setattr(http_client, "PAUSES", patient)
        for _ in range(5):
            run.step()
    other = Generation(local, PROMPT, SamplingSettings(seed=8, top_p=0.9))
    for _ in range(10):
        other.step()
    same(run, other)


def test_a_burst_of_real_requests(served: Any) -> None:
    who = planned_requests(served, ("Once upon a time", "The old king", "One day a bear"), 6, 24, 24, settings=SamplingSettings(seed=3))
    seen = list(burst(served, who))
    found = figures(seen)
    ends = [one for one in seen if isinstance(one, Arrived) and one.done]
    assert len(ends) == 6 and not any(one.error for one in ends)
    assert 6 <= found.tokens <= 6 * 24 and found.finished == 6
    said = [one.said for one in seen if isinstance(one, MetricsAt)]
    assert max(one.running or 0 for one in said) >= 1 and all(one.waiting is not None and one.cache_use is not None for one in said)
    assert batch_size(said[0], said[-1]) is not None
