"""Stream answers of an inference server and read its metrics at the same time, for many real requests at once.

The server samples the tokens itself. If it reports a token count, that count is used, because one part of a stream can contain several
tokens, and the tokens within one character arrive together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

from core.errors import WrongServer
from core.remote.http_client import HttpClient
from core.remote.metrics import ServerMetrics, samples
from core.remote.protocol import number
from core.remote.sampling_parameters import parameters
from core.sampling.settings import SamplingSettings

MOST_SLOTS = 4096


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of an answer as it arrived. tokens: how many it has; text: their text."""

    tokens: int
    text: str


@dataclass(frozen=True, slots=True)
class ServerLoad:
    """The metrics of a server at one time, as reported by it over all its users; None for values that it does not report.

    cache_use: used fraction of the KV cache, 0 to 1. passes, rows: decode passes so far, and rows in all of them; `batch_size` computes
    the requests per pass from their differences.
    """

    running: int | None = None
    waiting: int | None = None
    cache_use: float | None = None
    passes: float | None = None
    rows: float | None = None


def stream(line: HttpClient, kind: str, model_id: str, ids: Sequence[int], settings: SamplingSettings, length: int) -> Iterator[Chunk]:
    """Yield an answer of up to `length` tokens after these ids, part by part on arrival. Closing the iterator closes the connection.

    Raises ServerGone for a refused or broken answer, WrongServer for a wrong key and for SGLang, BadSetting for samplers that the server
    does not have.
    """
    if kind == "SGLang":
        raise WrongServer("This experiment works with vLLM and llama-server, not with SGLang.")
    sampling = parameters("vllm" if kind == "vLLM" else "llama.cpp", settings) | {"stream": True}
    if kind == "vLLM":
        content = {"model": model_id, "prompt": list(ids), "max_tokens": length, "return_token_ids": True, **sampling}
        return _chunks(line.stream("/v1/completions", content), _vllm)
    content = {"prompt": list(ids), "n_predict": length, "return_tokens": True, "cache_prompt": True, **sampling}
    return _chunks(line.stream("/completion", content), _Llama())


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


def ask(line: HttpClient, kind: str) -> ServerLoad:
    """Return the server's metrics now. Raises ServerGone."""
    metrics = line.text("/metrics", patience=3.0) or ""
    slots = line.text("/slots", patience=3.0) if kind == "llama-server" else None
    return read(metrics, slots)


def read(metrics: str, slots: str | None = None) -> ServerLoad:
    """Return the metrics in a Prometheus text and, for a llama-server, its list of slots. Invalid values are ignored.

    A llama-server without continuous batching also reports waiting slots as busy; `waiting` is its own count of deferred requests.
    """
    known = ServerMetrics.read(metrics)
    sums: dict[str, float] = {}
    for name, _, value in samples(metrics):
        sums[name] = sums.get(name, 0.0) + value
    passes, rows = sums.get("llamacpp:n_decode_total"), sums.get("llamacpp:n_busy_slots_per_decode")
    if passes is not None and rows is not None:
        rows *= passes
    else:
        passes, rows = sums.get("vllm:iteration_tokens_total_count"), sums.get("vllm:iteration_tokens_total_sum")
    running, use = known.running, known.cache_use
    busy, held, room = _slots(slots)
    return ServerLoad(busy if busy is not None else running, known.waiting, held / room if room else use, passes, rows)


def _slots(text: str | None) -> tuple[int | None, float, float]:
    """Return how many slots of a llama-server are busy, the tokens in all slots, and their capacity in tokens."""
    try:
        listed = from_json(text) if text else None
    except (ValueError, RecursionError):
        listed = None
    if not isinstance(listed, list) or not listed:
        return None, 0.0, 0.0
    slots = [slot for slot in listed[:MOST_SLOTS] if isinstance(slot, dict)]
    held = sum(min(number(slot.get("n_prompt_tokens")) or 0.0, number(slot.get("n_ctx")) or 0.0) for slot in slots)
    return sum(slot.get("is_processing") is True for slot in slots), held, sum(number(slot.get("n_ctx")) or 0.0 for slot in slots)


def batch_size(before: ServerLoad, after: ServerLoad) -> float | None:
    """Return the mean number of requests per pass between two readings; None without a pass or if unknown."""
    if None in (before.passes, before.rows, after.passes, after.rows):
        return None
    passes, rows = (after.passes or 0.0) - (before.passes or 0.0), (after.rows or 0.0) - (before.rows or 0.0)
    return rows / passes if passes > 0 and rows >= 0 else None
