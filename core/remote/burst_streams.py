"""Stream answers of an inference server, for many real requests at once.

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
from core.remote.protocol import number
from core.remote.sampling_parameters import parameters
from core.sampling.settings import SamplingSettings


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of an answer as it arrived. tokens: how many it has; text: their text."""

    tokens: int
    text: str


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
