"""A server that answers slowly, wrongly or with too much, or redirects, causes one sentence and no other harm."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from core import Generation, SamplingSettings, load_model
from core.errors import BrokenLogits, ModelError, ServerGone, WrongServer
from core.remote import http_client
from core.remote.http_client import Address, HttpClient
from tests.core.remote.serving import TINY, Asked, FakeLlama, FakeVLLM, Reply, connect, recorded, serve
from tests.tiny_models import some

pytestmark = pytest.mark.usefixtures("no_waiting")


def one_sentence(error: BaseException) -> None:
    text = str(error)
    assert 20 < len(text) < 300
    assert text.endswith(".")
    assert "\n" not in text
    assert "Traceback" not in text


HTML = Reply(200, b"<!doctype html><title>Login</title>", "text/html")


def drip() -> Iterator[bytes]:
    while True:
        time.sleep(0.02)
        yield b" "


ANSWERS: dict[str, tuple[Callable[[], Reply], type[ModelError], str]] = {
    "a web page": (lambda: HTML, ServerGone, "web page"),
    "no JSON": (lambda: Reply(200, b"\x00\xff{{{"), ServerGone, "unreadable"),
    "JSON a mile deep": (lambda: Reply(200, b"[" * 100_000), ServerGone, "unreadable"),
    "a list": (lambda: Reply.of([1, 2]), ServerGone, "invalid answer"),
    "nothing": (lambda: Reply(200, b""), ServerGone, "unreadable"),
    "another kind of JSON": (lambda: Reply.of({"hello": "world"}), WrongServer, "lists no models"),
    "no models": (lambda: Reply.of({"data": []}), ServerGone, "no model loaded"),
    "a model without a name": (lambda: Reply.of({"data": [{"id": 7}]}), WrongServer, "lists no models"),
    "not found": (lambda: Reply(404, b"<html>", "text/html"), WrongServer, "lists no models"),
    "a closed door": (lambda: Reply.of({"error": "Unauthorized"}, 401), WrongServer, "access key"),
    "trouble": (lambda: Reply(500, b"oh no"), ServerGone, "or failing"),
    "still loading": (lambda: Reply.of({"error": {"message": "Loading model", "code": 503}}, 503), ServerGone, "loading its model"),
    "a hung up phone": (lambda: Reply(0), ServerGone, "does not answer"),
    "a body without an end": (lambda: Reply(200, drip()), ServerGone, "in time"),
    "a huge body": (lambda: Reply(200, (b"x" * 65536 for _ in range(100))), ServerGone, "more than was requested"),
    "a packed body": (lambda: Reply(200, b"\x1f\x8b", headers={"Content-Encoding": "gzip"}), ServerGone, "compressed"),
}
QUICK_ANSWERS = [
    "a web page",
    "JSON a mile deep",
    "a closed door",
    "still loading",
    "a hung up phone",
    "a body without an end",
    "a huge body",
]


@pytest.mark.parametrize("what", some(ANSWERS, QUICK_ANSWERS))
def test_what_is_no_inference_server_gets_one_sentence(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the owner of the app named it, with what is wrong there."""
    monkeypatch.setattr(http_client, "LARGEST_ANSWER", 2**20)
    monkeypatch.setattr(http_client, "FIRST_PATIENCE", 0.3)
    reply, kind, words = ANSWERS[what]
    with serve(lambda asked: reply()) as server:
        monkeypatch.setenv("TOKEN_VIEWER_SERVERS", server.address)
        with pytest.raises(kind, match=words) as caught:
            connect(server)
    one_sentence(caught.value)


def test_everything_that_is_no_inference_server_gets_the_same_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """A closed port, a silent one, a web page and a redirect: a visitor does not learn what else listens on a network."""
    monkeypatch.setattr(http_client, "FIRST_PATIENCE", 0.2)
    told: set[str] = set()

    def ask(address: str) -> None:
        with pytest.raises(ModelError) as caught:
            load_model(address, tokenizer=str(TINY))
        told.add(str(caught.value).replace(address.removeprefix("http://"), "there"))

    replies = [HTML, Reply(200, b"\x00\xff{{{"), Reply(500, b"oh no"), Reply(302, b"", headers={"Location": "http://127.0.0.1:1/"})]
    for reply in replies:
        with serve(lambda asked, reply=reply: reply) as server:  # type: ignore[misc]
            ask(server.address)
    ask(server.address)  # it is closed now
    with socket.create_server(("127.0.0.1", 0)) as silent:
        ask(f"http://127.0.0.1:{silent.getsockname()[1]}")
    assert len(told) == 1 and told.pop().startswith("No inference server answers at there.")


def test_a_redirect_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(FakeVLLM()) as elsewhere:
        moved = Reply(302, b"", headers={"Location": elsewhere.address + "/v1/models"})
        with serve(lambda asked: moved) as server:
            monkeypatch.setenv("TOKEN_VIEWER_SERVERS", server.address)
            with pytest.raises(WrongServer, match="redirects") as caught:
                connect(server, api_key="sk-secret")
        assert elsewhere.asked == []
    one_sentence(caught.value)


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
ENDLESS = {
    "100 Continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000),
    "parts of one byte": (CHUNKED, b"1\r\n \r\n" * 5000),
    "notes of a part": (CHUNKED, b"1;" + b"a" * 60_000 + b"\r\n \r\n"),
    "headers after the text": (CHUNKED + b"2\r\n{}\r\n0\r\n", b"a: b\r\n" * 5000),
    "empty lines": (HEAD + b"\r\n", b"\n" * 60_000),
}


@pytest.mark.parametrize("what", ENDLESS)
@pytest.mark.parametrize("streams", [False, True])
def test_an_endless_answer_ends_by_its_bytes_and_not_only_by_its_time(what: str, streams: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_client, "LARGEST_ANSWER", 2**21)
    begun, again = ENDLESS[what]
    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(1) as thread:

        def send() -> int:
            line, _peer = listening.accept()
            with line, suppress(OSError):
                line.recv(65536)
                line.sendall(begun)
                for _count in range(10_000):
                    line.sendall(again)
                return 10_000
            return 0

        sending = thread.submit(send)
        client = HttpClient(Address.parse(f"http://127.0.0.1:{listening.getsockname()[1]}"), own=True)
        with pytest.raises(ServerGone, match="more than was requested") as caught:
            _lines = list(client.stream("/x", {})) if streams else client.get("/x")
        assert sending.result() == 0  # it could not send them all
    one_sentence(caught.value)


def test_a_short_trouble_is_waited_out() -> None:
    fake, troubles = FakeVLLM(), [Reply(503, b"{}"), Reply(0)]

    def shaky(asked: Asked) -> Reply:
        return troubles.pop() if troubles and "complet" in asked.path else fake(asked)

    with serve(shaky) as server:
        model = connect(server)
        troubles += [Reply(429, b"{}"), Reply(0)]
        assert Generation(model, "def main").next_distribution().candidates
        assert not troubles


def entries(change: Callable[[dict[str, float]], Any]) -> Callable[[dict[str, Any]], Any]:
    def altered(body: dict[str, Any]) -> dict[str, Any]:
        logprobs = body["choices"][0]["logprobs"]
        logprobs["top_logprobs"] = [change(logprobs["top_logprobs"][0])]
        return body

    return altered


def without(*path: Any) -> Callable[[dict[str, Any]], Any]:
    def altered(body: dict[str, Any]) -> dict[str, Any]:
        place: Any = body
        for key in path[:-1]:
            place = place[key]
        del place[path[-1]]
        return body

    return altered


STEPS: dict[str, tuple[Callable[[dict[str, Any]], Any], type[ModelError]]] = {
    "no choices": (without("choices"), WrongServer),
    "no ids": (without("choices", 0, "token_ids"), WrongServer),
    "no log-probabilities": (without("choices", 0, "logprobs"), WrongServer),
    "texts for ids": (entries(lambda top: {"cat": -1.0}), WrongServer),
    "ids beyond the vocabulary": (entries(lambda top: top | {"token_id:512": -9.0}), WrongServer),
    "negative ids": (entries(lambda top: top | {"token_id:-3": -9.0}), WrongServer),
    "one id twice": (entries(lambda top: top | {"token_id:0215": -3.0, "token_id:215": -3.0}), WrongServer),
    "an empty list": (entries(lambda top: {}), WrongServer),
    "NaN": (entries(lambda top: top | {"token_id:3": float("nan")}), BrokenLogits),
    "null": (entries(lambda top: top | {"token_id:3": None}), WrongServer),
    "more than all": (entries(lambda top: dict.fromkeys(top, -0.1)), WrongServer),
    "400 digits for a log-probability": (entries(lambda top: top | {"token_id:3": -(10**400)}), WrongServer),
    "400 digits for a token": (entries(lambda top: top | {f"token_id:{10**400}": -9.0}), WrongServer),
    "true": (entries(lambda top: top | {"token_id:3": True}), WrongServer),
    "a number in quotes": (entries(lambda top: top | {"token_id:3": "-9.0"}), WrongServer),
    "odds that cannot add up": (entries(lambda top: dict.fromkeys(top, -12.0)), WrongServer),
    "above zero": (entries(lambda top: dict.fromkeys(top, 3.0)), WrongServer),
    "a list of lists": (lambda body: [body], ServerGone),
    "half a million lists": (lambda body: body | {"more": [[]] * 500_000}, ServerGone),
    "many lists in a few bytes": (lambda body: body | {"more": [[]] * 50_000}, ServerGone),
    "a text of a megabyte": (lambda body: body | {"more": "a" * 2**20}, ServerGone),
}


QUICK_STEPS = [
    "no ids",
    "half a million lists",
    "many lists in a few bytes",
    "ids beyond the vocabulary",
    "one id twice",
    "NaN",
    "above zero",
    "a list of lists",
    "400 digits for a token",
]


@pytest.mark.parametrize("what", some(STEPS, QUICK_STEPS))
def test_a_wrong_answer_to_a_step_loses_nothing(what: str) -> None:
    change, kind = STEPS[what]
    fake = FakeVLLM()
    with serve(fake) as server:
        run = Generation(connect(server), "def main")
        before = run.force(300).text
        fake.change = change
        with pytest.raises(kind) as caught:
            run.step()
        one_sentence(caught.value)
        with pytest.raises(kind):
            run.next_distribution()
        assert (run.written, len(run.path)) == (before, 1)
        fake.change = lambda body: body
        assert run.next_distribution().candidates


@pytest.mark.parametrize("kind", ["vLLM", "llama-server"])
@pytest.mark.parametrize(("nothing", "temperature"), [(float("-inf"), 0.05), (-3.4028234663852886e38, 1.0), (-9999.0, 2.0)])
def test_a_list_that_ends_in_nothing_is_sampled_at_every_temperature(kind: str, nothing: float, temperature: float) -> None:
    """A peaked model: two tokens share everything, and whatever else is listed is minus infinity, in the server's own spelling."""

    def peaked(asked: Asked) -> Reply:
        reply = fake(asked)
        if not asked.path.endswith(("/completions", "/completion")):
            return reply
        body = json.loads(reply.parts)
        if reply.status == 200 and kind == "vLLM":
            body["choices"][0] |= {"token_ids": [7]}
            top = {"token_id:7": -0.25, "token_id:9": -1.5089, **{f"token_id:{i}": nothing for i in range(20, 38)}}
            body["choices"][0]["logprobs"]["top_logprobs"] = [top]
        elif kind == "llama-server":
            odds = [(7, -0.25), (9, -1.5089), *((i, nothing) for i in range(20, 118))]
            body["completion_probabilities"][0]["top_logprobs"] = [{"id": i, "logprob": p, "token": "", "bytes": []} for i, p in odds]
        return Reply.of(body, reply.status)

    fake: Any = FakeVLLM() if kind == "vLLM" else FakeLlama()
    with serve(peaked) as server:
        run = Generation(connect(server), "def main", SamplingSettings(temperature=temperature, seed=3))
        distribution = run.next_distribution()
        assert distribution.exact
        weights = np.exp(np.array([-0.25, -1.5089]) / temperature)
        got = [c.sampling_probability for c in distribution.candidates[:2]]
        np.testing.assert_allclose(got, weights / weights.sum(), atol=1e-3)
        assert {run.step().token_id for _ in range(6)} <= {7, 9}


@pytest.mark.parametrize("lie", [10**400, -1, "11", float("nan")])
def test_counts_and_times_that_cannot_be_are_not_believed(lie: Any) -> None:
    fake = FakeLlama()

    def lying(asked: Asked) -> Reply:
        reply = fake(asked)
        if asked.path != "/completion":
            return reply
        body = json.loads(reply.parts)
        body["tokens_cached"] = lie
        body["timings"] = {"cache_n": lie, "prompt_ms": lie}
        return Reply.of(body)

    with serve(lying) as server:
        run = Generation(connect(server), "def main")
        forward = run.step().forward
    position = run.path[0].position
    assert forward.cache_bytes == position * run.model.cache_bytes_per_token
    assert (forward.computed_tokens, forward.reused_tokens, forward.server_seconds) == (position, 0, None)


def test_a_server_with_another_tokenizer_is_refused() -> None:
    fake = FakeVLLM()

    def other(asked: Asked) -> Reply:
        return Reply.of({"tokens": [1, 2, 3]}) if asked.path == "/tokenize" else fake(asked)

    with serve(other) as server, pytest.raises(WrongServer, match="splits text into other tokens"):
        connect(server)


@pytest.mark.parametrize("count", [100, 2**45])
def test_a_server_with_a_smaller_or_a_boundless_vocabulary_is_refused(count: int) -> None:
    models = json.loads(recorded("llamacpp_v1_models")["body"])
    models["data"][0]["meta"]["n_vocab"] = count
    fake = FakeLlama()
    answer: Any = lambda asked: Reply.of(models) if asked.path == "/v1/models" else fake(asked)  # noqa: E731
    with serve(answer) as server, pytest.raises(WrongServer, match="tokens"):
        connect(server)


ADDRESSES = (
    "http:// https://:80 http://host:port http://host:99999 http://host/%2e%2e/x http://host:80/?key=sk-secret http://host:80/#x "
    "http://[::1 http://a\\b http://169.254.169.254/latest/meta-data http://[fe80::1]:80"
).split()


@pytest.mark.parametrize("text", [*ADDRESSES, "http://ho st:80", "http://" + "a" * 280, "HTTP://\u0131\u0307:80/\u00e9"])
def test_a_strange_address_gets_one_sentence_that_repeats_no_secret(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_client, "FIRST_PATIENCE", 0.3)
    with pytest.raises(ModelError) as caught:
        load_model(text, tokenizer=str(TINY))
    one_sentence(caught.value)
    assert "sk-secret" not in str(caught.value)
