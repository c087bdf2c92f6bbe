"""Small servers on this machine that answer as the documents of servers without token ids describe; none of them was tried for real.

All of them write with the same made-up model: which tokens can follow depends only on the last word of the text.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Any

from tests.core.remote.serving import Asked, Reply

FOX = "🦊".encode()
NEXT: dict[str, list[tuple[bytes, float]]] = {
    "": [(b" the", 0.6), (b" a", 0.3), (b" an", 0.05)],
    "the": [(b" fox", 0.97), (b" dog", 0.03)],
    "a": [(b" dog", 0.9), (FOX[:2], 0.1)],
    "fox": [(b".", 0.999), (b"!", 0.001)],
    "dog": [(b".", 0.5), (b"!", 0.2)],
}


def listed(text: str, temperature: float = 1.0, after: bool = False) -> list[tuple[bytes, float]]:
    """The likeliest tokens and their log-probabilities. after: those after the temperature."""
    words = text.split()
    known = NEXT.get(words[-1].strip(".!") if words else "", NEXT[""])
    if not after or temperature == 0:
        return [(raw, math.log(share)) for raw, share in known]
    weights = [share ** (1 / temperature) for _raw, share in known]
    return [(raw, math.log(weight / sum(weights))) for (raw, _share), weight in zip(known, weights, strict=True)]


def as_text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def entry(raw: bytes, logprob: float, others: list[tuple[bytes, float]] | None = None, **more: Any) -> dict[str, Any]:
    made: dict[str, Any] = {"token": as_text(raw), "bytes": list(raw), "logprob": logprob, **more}
    if others is not None:
        made["top_logprobs"] = [entry(*one) for one in others]
    return made


@dataclass
class Ollama:
    """Ollama's /api/generate. choice: number of the listed token that it chooses. ends_after: it ends its text after this one."""

    choice: int = 0
    ends_after: str = "."
    asked: list[dict[str, Any]] = field(default_factory=list)

    def __call__(self, asked: Asked) -> Reply:
        if asked.path == "/v1/models":
            return Reply.of({"object": "list", "data": [{"id": "small", "object": "model", "owned_by": "library"}]})
        if asked.path == "/api/version":
            return Reply.of({"version": "0.12.11"})
        if asked.path != "/api/generate":
            return Reply.of({"error": "not found"}, 404)
        self.asked.append(asked.body)
        return self.generate(asked.body)

    def generate(self, body: dict[str, Any]) -> Reply:
        told = {"model": "small", "done": True, "done_reason": "length", "prompt_eval_count": 5}
        if body["prompt"].endswith(self.ends_after):
            return Reply.of({**told, "response": "", "done_reason": "stop"})
        known = listed(body["prompt"])
        raw, logprob = known[min(self.choice, len(known) - 1)]
        return Reply.of({**told, "response": as_text(raw), "logprobs": [entry(raw, logprob, known)]})


class Completions:
    """A server with OpenAI's completions. after: its probabilities are those after the temperature. owner: as it names itself."""

    def __init__(self, after: bool = False, owner: str = "somebody", most: int = 20, key: str = "") -> None:
        self.after, self.owner, self.most, self.key = after, owner, most, key
        self.headers: list[dict[str, str]] = []

    def __call__(self, asked: Asked) -> Reply:
        self.headers.append(asked.headers)
        if self.key and asked.headers.get("authorization") != f"Bearer {self.key}":
            return Reply.of({"error": {"message": f"Incorrect API key provided: {asked.headers.get('authorization')}"}}, 401)
        if asked.path == "/v1/models":
            return Reply.of({"data": [{"id": "first", "owned_by": self.owner}, {"id": "org/second", "owned_by": self.owner}]})
        if asked.path != "/v1/completions":
            return Reply.of({"error": {"message": "Not found"}}, 404)
        if asked.body["logprobs"] > self.most:
            return Reply.of({"error": {"message": "logprobs must be at most 5"}}, 400)
        known = listed(asked.body["prompt"], asked.body["temperature"], self.after)
        raw, logprob = known[-1]
        names = [
            as_text(one) if b"\xf0" not in one else "bytes:" + "".join("\\x" + format(byte, "02x") for byte in one) for one, _p in known
        ]
        lists = {
            "tokens": [names[-1]],
            "token_logprobs": [logprob],
            "top_logprobs": [dict(zip(names, [p for _r, p in known], strict=True))],
        }
        choice = {"index": 0, "text": as_text(raw), "logprobs": lists, "finish_reason": "length"}
        return Reply.of({"choices": [choice], "usage": {"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 3}}})


@dataclass
class Chat:
    """A service with chat completions only. way: how it is asked to continue an answer ("fields", "last", "prefix", "beta"); "" if it
    does not. What does not fit its way is ignored, so that it begins a new answer, or refused if it is `strict`."""

    way: str = ""
    strict: bool = False

    def __call__(self, asked: Asked) -> Reply:
        if asked.path == "/v1/models":
            return Reply.of({"data": [{"id": "chatty", "owned_by": "system"}]})
        if asked.path not in ("/v1/chat/completions", "/beta/chat/completions" if self.way == "beta" else ""):
            return Reply.of({"error": {"message": "This is a chat model"}}, 404)
        last, body = asked.body["messages"][-1], asked.body
        flagged, marked = body.get("continue_final_message", False), last.get("prefix", False)
        fits = {
            "fields": flagged and not body["add_generation_prompt"],
            "last": last["role"] == "assistant",
            "prefix": marked,
            "beta": marked and asked.path.startswith("/beta"),
        }
        if self.strict and ((flagged and self.way != "fields") or (marked and self.way not in ("prefix", "beta"))):
            return Reply.of({"error": {"message": "unknown field"}}, 422)
        parts: list[dict[str, Any]] = []
        text = last["content"] if last["role"] == "assistant" and fits.get(self.way) else ""
        while len(parts) < body["max_tokens"] and not text.endswith("."):
            known = listed(text)
            parts.append(entry(*known[0], known))
            text += as_text(known[0][0])
        message = {"role": "assistant", "content": "".join(part["token"] for part in parts)}
        ended = "stop" if text.endswith(".") else "length"
        return Reply.of({"choices": [{"index": 0, "message": message, "logprobs": {"content": parts}, "finish_reason": ended}]})


hosted_chat = Chat()


def lm_studio(asked: Asked) -> Reply:
    """LM Studio, whose responses alone contain log-probabilities."""
    if asked.path in ("/v1/models", "/api/v0/models"):
        return Reply.of({"data": [{"id": "local", "owned_by": "organization_owner", "publisher": "p", "arch": "llama"}]})
    if asked.path != "/v1/responses":
        return Reply.of({"choices": [{"index": 0, "message": {"content": "hello"}, "logprobs": None}]})
    parts = [entry(*listed("")[0], listed("")), entry(*listed("the")[0], listed("the")), entry(*listed("fox")[0], listed("fox"))]
    content = [{"type": "output_text", "text": " the fox.", "logprobs": parts}]
    return Reply.of({"status": "completed", "output": [{"type": "message", "content": content}]})


def tgi(asked: Asked) -> Reply:
    """TGI: ids in its answers, texts in requests."""
    if asked.path == "/v1/models":
        return Reply.of({"data": [{"id": "org/model", "owned_by": "org/model"}]})
    if asked.path == "/info":
        return Reply.of({"model_id": "org/model"})
    if asked.path != "/generate":
        return Reply(404, b"")
    if asked.body["parameters"]["top_n_tokens"] > 5:
        return Reply.of({"error": "`top_n_tokens` must be >= 0 and <= 5", "error_type": "validation"}, 422)
    known = listed(asked.body["inputs"], asked.body["parameters"]["temperature"], after=True)
    tokens = [{"id": 10 + place, "text": as_text(raw), "logprob": p, "special": False} for place, (raw, p) in enumerate(known)]
    return Reply.of(
        {"generated_text": tokens[0]["text"], "details": {"finish_reason": "length", "tokens": tokens[:1], "top_tokens": [tokens]}}
    )


def mute(asked: Asked) -> Reply:
    """A server that answers and leaves the log-probabilities out, as `transformers serve` does."""
    if asked.path == "/v1/models":
        return Reply.of({"data": [{"id": "m", "owned_by": "x"}]})
    return Reply.of({"choices": [{"index": 0, "text": "hello", "message": {"content": "hello"}, "logprobs": None}]})


def saying(body: Any) -> Any:
    """A server that gives this answer to every step: an object, or bytes as they are."""

    def answer(asked: Asked) -> Reply:
        if asked.path == "/v1/models":
            return Reply.of({"data": [{"id": "m", "owned_by": "x"}]})
        if asked.method == "GET":
            return Reply(404, b"")
        return body if isinstance(body, Reply) else Reply(200, body if isinstance(body, bytes) else json.dumps(body).encode())

    return answer
