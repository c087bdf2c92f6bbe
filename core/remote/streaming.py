"""Streamed answers of an inference server, and what it says of itself meanwhile: for many real requests at once.

The server throws its own dice here. What it writes is counted by its own counter where it has one: a piece of a stream may carry several
tokens, and tokens inside a character come together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

from core.remote.http_client import HttpClient
from core.remote.metrics import ServerMetrics, samples
from core.remote.protocol import number
from core.settings import SamplingSettings

MOST_SLOTS = 4096


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of an answer as it arrived. tokens: how many it brings; text: of them."""

    tokens: int
    text: str


@dataclass(frozen=True, slots=True)
class ServerSaid:
    """What a server said of itself at one moment; None for what it does not say. It is the server's word, over all who use it.

    cache_use: share of the KV cache, 0 to 1. passes, rows: decode passes so far, and rows in all of them; their differences tell how many
    requests were in a pass.
    """

    running: int | None = None
    waiting: int | None = None
    cache_use: float | None = None
    passes: float | None = None
    rows: float | None = None


def stream(line: HttpClient, kind: str, model_id: str, ids: Sequence[int], settings: SamplingSettings, length: int) -> Iterator[Piece]:
    """An answer of up to `length` tokens behind these ids, piece by piece as it comes. Close it to hang up.

    Raises ServerGone for a server that refuses, breaks off or says what makes no sense, WrongServer for a wrong key.
    """
    sampling: dict[str, Any] = {
        "temperature": 0.0 if settings.greedy else settings.temperature,
        "top_k": settings.top_k,
        "top_p": settings.top_p,
        "min_p": settings.min_p,
        "seed": settings.seed,
        "stream": True,
    }
    if kind == "vLLM":
        content = {"model": model_id, "prompt": list(ids), "max_tokens": length, "return_token_ids": True, **sampling}
        return _pieces(line.stream("/v1/completions", content), _vllm)
    content = {"prompt": list(ids), "n_predict": length, "return_tokens": True, "cache_prompt": True, **sampling}
    return _pieces(line.stream("/completion", content), _Llama())


def _pieces(lines: Iterator[bytes], read: Callable[[dict[str, Any]], Piece | None]) -> Iterator[Piece]:
    try:
        for said in lines:
            if not said.startswith(b"data:") or said.strip() == b"data: [DONE]":
                continue
            with suppress(ValueError, RecursionError):
                body = from_json(said[5:])
                piece = read(body) if isinstance(body, dict) else None
                if piece is not None:
                    yield piece
    finally:
        closing = getattr(lines, "close", None)
        if closing is not None:
            closing()


class _Llama:
    """Pieces of a llama-server's stream. It counts what it wrote; the pieces inside a character come with the one that completes it."""

    def __init__(self) -> None:
        self._counted = 0

    def __call__(self, body: dict[str, Any]) -> Piece | None:
        counted = number(body.get("tokens_predicted"))
        text = body.get("content")
        if counted is None or not isinstance(text, str):
            return None
        fresh, self._counted = int(counted) - self._counted, max(self._counted, int(counted))
        return Piece(fresh, text) if fresh > 0 or text else None


def _vllm(body: dict[str, Any]) -> Piece | None:
    """A piece of vLLM's stream."""
    with suppress(KeyError, IndexError, TypeError):
        choice = body["choices"][0]
        ids, text = choice.get("token_ids"), choice.get("text", "")
        count = len(ids) if isinstance(ids, list) else int(bool(text))
        return Piece(count, str(text)) if count or text else None
    return None


def ask(line: HttpClient, kind: str) -> ServerSaid:
    """What the server says of itself now. Raises ServerGone."""
    told = line.text("/metrics", patience=3.0) or ""
    slots = line.text("/slots", patience=3.0) if kind == "llama-server" else None
    return read(told, slots)


def read(metrics: str, slots: str | None = None) -> ServerSaid:
    """Prometheus' text and, of a llama-server, the list of its slots, in one. What makes no sense is left out.

    A llama-server without continuous batching calls slots busy that only wait; its own count of deferred requests stands beside it.
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
    return ServerSaid(busy if busy is not None else running, known.waiting, held / room if room else use, passes, rows)


def _slots(text: str | None) -> tuple[int | None, float, float]:
    """How many slots of a llama-server are busy, the tokens that all of them hold, and could hold."""
    try:
        listed = from_json(text) if text else None
    except (ValueError, RecursionError):
        listed = None
    if not isinstance(listed, list) or not listed:
        return None, 0.0, 0.0
    slots = [slot for slot in listed[:MOST_SLOTS] if isinstance(slot, dict)]
    held = sum(min(number(slot.get("n_prompt_tokens")) or 0.0, number(slot.get("n_ctx")) or 0.0) for slot in slots)
    return sum(slot.get("is_processing") is True for slot in slots), held, sum(number(slot.get("n_ctx")) or 0.0 for slot in slots)


def batch_size(before: ServerSaid, after: ServerSaid) -> float | None:
    """How many requests were in a pass between these two moments, on average; None if no pass was made or nothing was said."""
    if None in (before.passes, before.rows, after.passes, after.rows):
        return None
    passes, rows = (after.passes or 0.0) - (before.passes or 0.0), (after.rows or 0.0) - (before.rows or 0.0)
    return rows / passes if passes > 0 and rows >= 0 else None
