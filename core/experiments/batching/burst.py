"""Send many real requests to an inference server at once; record when each token arrives and the server's metrics during that time.

The server samples the tokens itself. If it reports a token count, that count is used, because one part of a stream can contain several
tokens, and the tokens within one character arrive together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import pairwise
from queue import SimpleQueue
from threading import Event, Thread
from time import perf_counter
from typing import Any

from pydantic_core import from_json

from core.engine.model import LanguageModel
from core.errors import BadSetting, ViewerError, WrongServer
from core.experiments.batching.compared_policies import spread
from core.experiments.shared.planned_requests import PlannedRequest
from core.remote.http_client import HttpClient
from core.remote.metrics import ServerMetrics, ask
from core.remote.protocol import number
from core.remote.sampling_parameters import parameters
from core.sampling.settings import SamplingSettings

PAUSE = 0.1  # seconds between two metrics requests; vLLM's answer is long
MOST = 32


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of an answer as it arrived. tokens: how many it has; text: their text."""

    tokens: int
    text: str


def stream(client: HttpClient, kind: str, model_id: str, ids: Sequence[int], settings: SamplingSettings, length: int) -> Iterator[Chunk]:
    """Yield an answer of up to `length` tokens after these ids, part by part on arrival. Closing the iterator closes the connection.

    Raises ServerGone for a refused or broken answer, WrongServer for a wrong key and for SGLang, BadSetting for samplers that the server
    does not have.
    """
    if kind == "SGLang":
        raise WrongServer("This experiment works with vLLM and llama-server, not with SGLang.")
    sampling = parameters("vllm" if kind == "vLLM" else "llama.cpp", settings) | {"stream": True}
    if kind == "vLLM":
        content = {"model": model_id, "prompt": list(ids), "max_tokens": length, "return_token_ids": True, **sampling}
        return _chunks(client.stream("/v1/completions", content), _vllm)
    content = {"prompt": list(ids), "n_predict": length, "return_tokens": True, "cache_prompt": True, **sampling}
    return _chunks(client.stream("/completion", content), _Llama())


def _chunks(lines: Iterator[bytes], read: Callable[[dict[str, Any]], Chunk | None]) -> Iterator[Chunk]:
    try:
        for line in lines:
            if not line.startswith(b"data:") or line.strip() == b"data: [DONE]":
                continue
            with suppress(ValueError, RecursionError):
                body = from_json(line[5:])
                chunk = read(body) if isinstance(body, dict) else None
                if chunk is not None:
                    yield chunk
    finally:
        closing = getattr(lines, "close", None)
        if closing is not None:
            closing()


class _Llama:
    """Reads a llama-server's stream. The server counts its tokens; tokens within a character arrive with the one that completes it."""

    def __init__(self) -> None:
        self._counted = 0

    def __call__(self, body: dict[str, Any]) -> Chunk | None:
        counted = number(body.get("tokens_predicted"))
        text = body.get("content")
        if counted is None or not isinstance(text, str):
            return None
        fresh, self._counted = int(counted) - self._counted, max(self._counted, int(counted))
        return Chunk(fresh, text) if fresh > 0 or text else None


def _vllm(body: dict[str, Any]) -> Chunk | None:
    """Return a part of vLLM's stream, None if it is empty or invalid."""
    with suppress(KeyError, IndexError, TypeError):
        choice = body["choices"][0]
        ids, text = choice.get("token_ids"), choice.get("text", "")
        count = len(ids) if isinstance(ids, list) else int(bool(text))
        return Chunk(count, str(text)) if count or text else None
    return None


@dataclass(frozen=True, slots=True)
class Arrived:
    """A part of one request's answer, or its end. seconds: since the start of the burst, measured here. tokens: number in this part."""

    reader_id: int
    seconds: float
    tokens: int
    text: str
    done: bool = False
    error: str = ""


@dataclass(frozen=True, slots=True)
class MetricsAt:
    """The server's metrics at one time. seconds: when they arrived here, since the start of the burst."""

    seconds: float
    said: ServerMetrics


def _metrics(server: Any, began: float) -> MetricsAt:
    try:
        metrics = ask(server.client, server.kind)
    except ViewerError:  # a server without metrics still answers the requests
        metrics = ServerMetrics()
    return MetricsAt(perf_counter() - began, metrics)


def burst(model: LanguageModel, who: Sequence[PlannedRequest]) -> Iterator[Arrived | MetricsAt]:
    """Send all requests at once and yield answers and metrics in order of arrival.

    A refused request ends with an error text, and the others continue. Closing the generator closes the connections. Raises BadSetting
    for a model that is not on a server, or for more than MOST requests.
    """
    server: Any = getattr(model, "server", None)
    if server is None:
        raise BadSetting("A burst of requests needs a model on a server. Connect to one on the Models page.")
    if not 1 <= len(who) <= MOST:
        raise BadSetting("A burst has 1 to {most} requests, not {count}.", most=MOST, count=len(who))
    events: SimpleQueue[Arrived | MetricsAt] = SimpleQueue()
    stop, began = Event(), perf_counter()
    model_id = getattr(server, "model_id", "")

    def send(planned: PlannedRequest) -> None:
        error = ""
        try:
            chunks = stream(server.client, server.kind, model_id, planned.prompt_ids, planned.settings, planned.max_new_tokens)
            with closing(chunks):  # type: ignore[type-var]
                for chunk in chunks:
                    if stop.is_set():
                        return
                    events.put(Arrived(planned.reader_id, perf_counter() - began, chunk.tokens, chunk.text))
        except ViewerError as failed:
            error = str(failed)
        finally:
            events.put(Arrived(planned.reader_id, perf_counter() - began, 0, "", True, error))

    def watch() -> None:
        while not stop.is_set():
            events.put(_metrics(server, began))
            stop.wait(PAUSE)

    threads = [Thread(target=send, args=(planned,), daemon=True) for planned in who]
    watching = Thread(target=watch, daemon=True)
    watching.start()
    for thread in threads:
        thread.start()
    left = len(who)
    try:
        while left:
            event = events.get()
            left -= isinstance(event, Arrived) and event.done
            yield event
        yield _metrics(server, began)
    finally:
        stop.set()


@dataclass(frozen=True, slots=True)
class BurstFigures:
    """The figures of a burst, measured here. seconds: until the last token. first_token, per_token: (median, 95th percentile), seconds; NaN
    without a measurement."""

    tokens: int
    seconds: float
    tokens_per_second: float
    first_token: tuple[float, float]
    per_token: tuple[float, float]
    finished: int


def figures(observations: Sequence[Arrived | MetricsAt]) -> BurstFigures:
    """Return the figures so far. The wait for a part with several tokens is divided equally among them."""
    times: dict[int, list[tuple[float, int]]] = {}
    for event in observations:
        if isinstance(event, Arrived) and event.tokens > 0:
            times.setdefault(event.reader_id, []).append((event.seconds, event.tokens))
    gaps = [
        (later - earlier) / tokens
        for mine in times.values()
        for (earlier, _each), (later, tokens) in pairwise(mine)
        for _each in range(tokens)
    ]
    tokens = sum(count for mine in times.values() for _each, count in mine)
    last = max((mine[-1][0] for mine in times.values()), default=math.nan)
    finished = sum(isinstance(event, Arrived) and event.done and not event.error for event in observations)
    return BurstFigures(
        tokens, last, tokens / last if tokens else math.nan, spread([m[0][0] for m in times.values()]), spread(gaps), finished
    )


def rate_over_time(observations: Sequence[Arrived | MetricsAt], window: float = 0.25) -> list[tuple[float, float]]:
    """Return (seconds, tokens per second of all requests) for each window of `window` seconds."""
    counts: dict[int, int] = {}
    for event in observations:
        if isinstance(event, Arrived) and event.tokens > 0:
            counts[int(event.seconds / window)] = counts.get(int(event.seconds / window), 0) + event.tokens
    return [((index + 0.5) * window, counts.get(index, 0) / window) for index in range(max(counts, default=-1) + 1)]
