"""A burst of requests to a server: recorded streams of real servers, and servers that fail or send nonsense."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core import SamplingSettings
from core.errors import BadSetting
from core.experiments.batching.burst import Arrived, MetricsAt, burst, figures, rate_over_time, stream
from core.experiments.shared.planned_requests import planned_requests
from core.remote import http_client
from core.remote.metrics import ServerMetrics, batch_size
from tests.core.remote.serving import RECORDED, Asked, FakeLlama, FakeVLLM, Reply, connect, recorded, serve

BURSTS = RECORDED / "llamacpp-burst"


def lines_of(name: str) -> list[bytes]:
    """A recorded stream, line by line."""
    return [f"{line}\n".encode() for line in recorded(name)["body"].split("\n")]


def streaming(fake: Callable[[Asked], Reply], name: str) -> Callable[[Asked], Reply]:
    """That server, with the recorded stream for whoever wants one."""

    def answer(asked: Asked) -> Reply:
        if asked.body.get("stream"):
            return Reply(200, iter(lines_of(name)), "text/event-stream")
        if asked.path == "/slots":
            return Reply(200, recorded("llamacpp_slots")["body"].encode())
        return fake(asked)

    return answer


def as_metrics(values: dict[str, float]) -> str:
    """Recorded values in the words of a llama-server's /metrics."""
    return "\n".join(f"llamacpp:{name} {value}" for name, value in values.items())


def as_slots(values: list[dict[str, Any]]) -> str:
    """Recorded slots in the words of a llama-server's /slots."""
    return json.dumps([{"id": s["id"], "n_ctx": s["n_ctx"], "is_processing": s["on"], "n_prompt_tokens": s["held"]} for s in values])


def told_by(path: Path) -> list[tuple[float, ServerMetrics]]:
    """What the server said over a recorded burst, milliseconds."""
    kept = json.loads(path.read_text())
    return [
        (metrics["got"], ServerMetrics.read(as_metrics(metrics["value"]), as_slots(slots["value"])))
        for slots, metrics in zip(kept["slots"], kept["metrics"], strict=True)
    ]


@pytest.mark.parametrize("name", ["burst8_np4_20ms", "burst8_np4_nocb_20ms"])
def test_a_recorded_burst_is_read_as_it_was(name: str) -> None:
    kept = json.loads((BURSTS / f"{name}.json").read_text())
    told = told_by(BURSTS / f"{name}.json")
    most = max(said.running or 0 for _, said in told)
    assert most == 4 and max(said.waiting or 0 for _, said in told) >= 3
    assert all(0 <= (said.cache_use or 0) <= 1 for _, said in told)
    fullest = max(sum(slot["held"] for slot in one["value"]) / sum(slot["n_ctx"] for slot in one["value"]) for one in kept["slots"])
    assert max(said.cache_use or 0 for _, said in told) == pytest.approx(fullest)
    before, after = (ServerMetrics.read(as_metrics(kept[when])) for when in ("metrics_before", "metrics_after"))
    rows = batch_size(before, after)
    passes = kept["metrics_after"]["n_decode_total"] - kept["metrics_before"]["n_decode_total"]
    written = kept["metrics_after"]["tokens_predicted_total"] - kept["metrics_before"]["tokens_predicted_total"]
    assert rows is not None
    if "nocb" in name:  # there, slots that only wait are counted as busy
        assert rows > 1.05 * written / passes
    else:  # every row of a decode pass writes a token
        assert rows == pytest.approx(written / passes, rel=0.05)


def test_figures_of_a_recorded_burst() -> None:
    kept = json.loads((BURSTS / "burst8_np4_20ms.json").read_text())
    seen = [Arrived(one["number"], (at - one["sent"]) / 1000, count, "x") for one in kept["requests"] for at, count in one["tokens"]] + [
        Arrived(one["number"], (one["done"] - one["sent"]) / 1000, 0, "", True) for one in kept["requests"]
    ]
    found = figures(seen)
    firsts = sorted((one["first"] - one["sent"]) / 1000 for one in kept["requests"])
    assert found.tokens == sum(count for one in kept["requests"] for _, count in one["tokens"]) and found.finished == 8
    assert found.first_token[0] == pytest.approx((firsts[3] + firsts[4]) / 2)
    assert sum(rate * 0.25 for _, rate in rate_over_time(seen)) == pytest.approx(found.tokens)


def test_streams_of_real_servers_are_counted_by_their_own_counters(monkeypatch: pytest.MonkeyPatch) -> None:
    for fake, name in ((FakeLlama(), "llamacpp_stream"), (FakeVLLM(limit=512), "vllm_stream")):
        with serve(streaming(fake, name)) as server:
            model: Any = connect(server)
            pieces = list(stream(model.server.client, model.server_kind, model.server.model_id, [1, 2], SamplingSettings(), 8))
            assert sum(piece.tokens for piece in pieces) == 8  # one of llama-server's pieces brings three
            sent = server.steps()[-1]
            assert sent["stream"] is True and sent["prompt"] == [1, 2] and sent["seed"] == 0


def test_everybody_is_answered_and_the_server_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(streaming(FakeLlama(), "llamacpp_stream")) as server:
        model = connect(server)
        who = planned_requests(model, ("def main", "class Tree"), 5, 8, 8)
        seen = list(burst(model, who))
        assert {one.reader_id for one in seen if isinstance(one, Arrived) and one.done} == set(range(5))
        assert figures(seen).tokens == 40 and figures(seen).finished == 5
        said = [one.said for one in seen if isinstance(one, MetricsAt)]
        assert said and all(one.running == 0 and one.cache_use is not None for one in said)


def test_a_server_that_breaks_off_refuses_or_babbles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_client, "PAUSES", (0.0,))

    def hostile(kind: str) -> Callable[[Asked], Reply]:
        plain = FakeLlama()

        def answer(asked: Asked) -> Reply:
            if not asked.body.get("stream"):
                return plain(asked)
            nonsense = [b"data: {", b'\ndata: []\ndata: {"tokens_predicted": "x", "content": 3}\n', b'data: {"tokens_predicted": 1e400}\n']
            parts: dict[str, Reply] = {
                "refuses": Reply(500, b"{}"),
                "dies": Reply(0),
                "babbles": Reply(200, iter([*nonsense, b"\xff\xfe\n" * 50]), "text/event-stream"),
                "endless line": Reply(200, iter([b"data: " + b"x" * (2 << 20)]), "text/event-stream"),
            }
            return parts[kind]

        return answer

    for kind, complains in (("refuses", True), ("dies", True), ("babbles", False), ("endless line", True)):
        with serve(hostile(kind)) as server:
            model = connect(server)
            seen = list(burst(model, planned_requests(model, ("def main",), 2, 8, 8)))
            ends = [one for one in seen if isinstance(one, Arrived) and one.done]
            assert len(ends) == 2 and all(bool(one.error) == complains for one in ends), kind
            assert figures(seen).tokens == 0


def test_what_makes_no_sense_is_left_out() -> None:
    for slots in ("", "{}", "[]", "[1, 2]", "nonsense", '[{"n_ctx": "x", "n_prompt_tokens": -5}]', "[" * 100_000):
        assert ServerMetrics.read("", slots).cache_use is None
    assert ServerMetrics.read("nonsense") == ServerMetrics()
    assert batch_size(ServerMetrics(), ServerMetrics()) is None
    assert batch_size(ServerMetrics(passes=5, rows=9), ServerMetrics(passes=5, rows=9)) is None


def test_a_model_that_is_here_is_none_for_a_burst(tiny: Any) -> None:
    local = tiny("gpt2")
    with pytest.raises(BadSetting, match="on a server"):
        next(burst(local, planned_requests(local, ("Once",), 2, 4, 4)))
    with serve(streaming(FakeLlama(), "llamacpp_stream")) as server, pytest.raises(BadSetting):
        next(burst(connect(server), ()))
