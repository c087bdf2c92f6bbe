"""Small servers on this machine for tests: in the recorded words of vLLM and llama-server, and hostile ones."""

from __future__ import annotations

import contextlib
import copy
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np

from core import load_model

RECORDED = Path(__file__).parents[1] / "recorded"
TINY = RECORDED / "tiny-model"
VOCABULARY = 512


def recorded(name: str) -> dict[str, Any]:
    """A request that was sent to a real server, and what it answered."""
    return json.loads((RECORDED / f"{name}.json").read_text("utf-8"))


def recorded_body(name: str) -> Any:
    return json.loads(recorded(name)["body"])


def truth(ids: list[int]) -> np.ndarray:
    """The log-probabilities [512] of a made-up model: any text has its own, and they never change."""
    logits = np.random.default_rng([7, len(ids), *ids]).normal(0.0, 2.0, VOCABULARY)
    return logits - np.log(np.exp(logits).sum())


@dataclass
class Reply:
    """What a server sends back. parts: sent one by one."""

    status: int = 200
    parts: Any = b""
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, value: Any, status: int = 200) -> Reply:
        return cls(status, json.dumps(value).encode())


@dataclass
class Asked:
    """One request that a server received."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


Answering = Callable[[Asked], Reply]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    answer: Answering
    asked: list[Asked]
    lines: list[socket.socket]

    def setup(self) -> None:
        super().setup()
        self.lines.append(self.connection)

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length") or 0))
        asked = Asked(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(data) if data else {})
        self.asked.append(asked)
        reply = type(self).answer(asked)
        if reply.status == 0:  # a server that dies says nothing at all
            self.close_connection = True
            return
        whole = isinstance(reply.parts, bytes)
        try:
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.content_type)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Connection", "keep-alive" if whole else "close")
            if whole:
                self.send_header("Content-Length", str(len(reply.parts)))
            self.end_headers()
            for part in [reply.parts] if whole else reply.parts:
                self.wfile.write(part)
        except (BrokenPipeError, ConnectionResetError):
            pass
        self.close_connection = not whole

    def log_message(self, *_: Any) -> None:
        pass


@dataclass
class Running:
    """A server that runs. asked: what it was asked so far, in order."""

    address: str
    port: int
    asked: list[Asked]

    def steps(self) -> list[dict[str, Any]]:
        """The bodies of all steps it was asked for."""
        return [a.body for a in self.asked if a.path.endswith(("/completions", "/completion", "/generate"))]


@contextmanager
def serve(answer: Answering, port: int = 0) -> Iterator[Running]:
    """Run a server on 127.0.0.1 until the block ends."""
    asked: list[Asked] = []
    lines: list[socket.socket] = []
    handler = type("Answers", (Handler,), {"answer": staticmethod(answer), "asked": asked, "lines": lines})
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield Running(f"http://127.0.0.1:{server.server_port}", server.server_port, asked)
    finally:
        server.shutdown()
        for line in lines:  # a server that is gone hangs up on everybody
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
        server.server_close()
        thread.join()


def connect(server: Running, **more: Any) -> Any:
    """Return the model of this server as `load_model` gives it, with the tokenizer of `TINY`."""
    return load_model(server.address, tokenizer=str(TINY), **more)


@dataclass
class FakeVLLM:
    """Answers in the words of a recorded vLLM. limit: --max-logprobs. mode: --logprobs-mode. details: --enable-prompt-tokens-details."""

    limit: int = 20
    mode: str = "raw_logprobs"
    details: bool = True
    change: Callable[[dict[str, Any]], Any] = lambda body: body
    held: set[tuple[int, ...]] = field(default_factory=set)

    def __call__(self, asked: Asked) -> Reply:
        if asked.path == "/v1/models":
            return Reply.of(recorded_body("vllm_v1_models"))
        if asked.path == "/tokenize":
            return Reply.of(recorded_body("vllm_tokenize") | {"tokens": tokenize(asked.body["prompt"])})
        if asked.path == "/metrics":
            return Reply(200, recorded("vllm_metrics")["body"].encode(), "text/plain")
        if asked.path != "/v1/completions":
            return Reply.of({"detail": "Not Found"}, 404)
        return self.step(asked.body)

    def step(self, body: dict[str, Any]) -> Reply:
        if body["logprobs"] > self.limit:
            refusal = json.dumps(recorded_body("vllm_step_over_limit"))
            return Reply(400, refusal.replace("21", str(body["logprobs"])).replace("20", str(self.limit)).encode())
        ids = body["prompt"]
        raw = truth(ids)
        processed = raw / body["temperature"]
        allowed = body.get("allowed_token_ids")
        if allowed:
            processed = np.where(np.isin(np.arange(VOCABULARY), allowed), processed, -9999.0)
        processed = processed - np.log(np.exp(processed).sum())
        shown = {"raw_logprobs": raw, "processed_logprobs": processed, "raw_logits": raw + 9.0}[self.mode]
        sampled = allowed[0] if allowed else int(np.argsort(raw)[-40])  # not among the twenty likeliest
        top = [sampled, *(int(i) for i in np.argsort(shown)[::-1][: body["logprobs"]] if i != sampled)]
        answer = copy.deepcopy(recorded_body("vllm_step"))
        choice = answer["choices"][0]
        choice["token_ids"], choice["logprobs"]["tokens"] = [sampled], [f"token_id:{sampled}"]
        choice["logprobs"]["top_logprobs"] = [{f"token_id:{i}": float(shown[i]) for i in top}]
        blocks = max((n for n in range(0, len(ids), 4) if tuple(ids[:n]) in self.held), default=0) if "cache_salt" not in body else 0
        self.held |= {tuple(ids[:n]) for n in range(4, len(ids) + 1, 4)}
        answer["usage"]["prompt_tokens"] = len(ids)
        answer["usage"]["prompt_tokens_details"] = {"cached_tokens": blocks} if self.details else None
        return Reply.of(self.change(answer))


@dataclass
class FakeLlama:
    """Answers in the words of a recorded llama-server, which leaves the odds out when what it samples ends inside a character."""

    split: frozenset[int] = frozenset()
    model: str = "tiny"
    held: list[int] = field(default_factory=list)

    def __call__(self, asked: Asked) -> Reply:
        if asked.path == "/v1/models":
            return Reply.of(recorded_body("llamacpp_v1_models"))
        if asked.path == "/tokenize":
            return Reply.of({"tokens": tokenize(asked.body["content"])})
        if asked.path == "/metrics":
            return Reply(200, recorded("llamacpp_metrics")["body"].encode(), "text/plain")
        if asked.path != "/completion":
            return Reply.of({"error": {"code": 404, "message": "File Not Found", "type": "not_found_error"}}, 404)
        body = asked.body
        raw = truth(body["prompt"])
        biased = raw.copy()
        for token, bias in body.get("logit_bias", []):
            biased[token] += bias
        sampled = int(biased.argmax())
        answer = copy.deepcopy(recorded_body("llamacpp_step"))
        reused = next((n for n in range(len(body["prompt"]) - 1, 0, -1) if self.held[:n] == body["prompt"][:n]), 0)
        self.held = list(body["prompt"])
        answer |= {"tokens": [sampled], "tokens_cached": len(body["prompt"]), "model": self.model}
        answer["timings"]["cache_n"] = reused if body["cache_prompt"] else 0
        top = [{"id": int(i), "logprob": float(raw[i]), "token": "", "bytes": []} for i in np.argsort(raw)[::-1][: body["n_probs"]]]
        answer["completion_probabilities"] = [{"id": sampled, "top_logprobs": top}]
        if sampled in self.split:
            del answer["completion_probabilities"]
        return Reply.of(answer)


@dataclass
class FakeSGLang:
    """Answers as SGLang's documents say. raw: log-probabilities before the temperature. change: what else happens to a step."""

    raw: bool = False
    change: Callable[[dict[str, Any]], Any] = lambda body: body
    held: set[tuple[int, ...]] = field(default_factory=set)

    def __call__(self, asked: Asked) -> Reply:
        if asked.path == "/v1/models":
            card = {"id": "tiny", "object": "model", "owned_by": "sglang", "root": "tiny", "max_model_len": 512}
            return Reply.of({"object": "list", "data": [card]})
        if asked.path == "/tokenize":
            ids = tokenize(asked.body["prompt"])
            return Reply.of({"tokens": ids, "count": len(ids), "max_model_len": 512})
        if asked.path == "/detokenize":
            from tokenizers import Tokenizer

            known = [i for i in asked.body["tokens"] if i < VOCABULARY]
            whole = Tokenizer.from_file(str(TINY / "tokenizer.json"))
            return Reply.of({"text": whole.decode(known, skip_special_tokens=asked.body["skip_special_tokens"])})
        return self.step(asked.body) if asked.path == "/generate" else Reply.of({"error": {"message": "Not Found"}}, 404)

    def step(self, body: dict[str, Any]) -> Reply:
        ids, wanted = body["input_ids"], body["sampling_params"]
        values = truth(ids) if self.raw else truth(ids) / wanted["temperature"]
        values = values - np.log(np.exp(values).sum())
        order = np.argsort(-values)
        sampled = int(order[40])  # not among the likeliest
        told = {"id": "x", "finish_reason": {"type": "length", "length": 1}, "prompt_tokens": len(ids), "completion_tokens": 1}
        told["cached_tokens"] = max((n for n in range(len(ids)) if tuple(ids[:n]) in self.held), default=0)
        self.held.add(tuple(ids))
        told["output_token_logprobs"] = [[float(values[sampled]), sampled, None]]
        told["output_top_logprobs"] = [[[float(values[i]), int(i), None] for i in order[: body["top_logprobs_num"]]]]
        if "token_ids_logprob" in body:
            told["output_token_ids_logprobs"] = [[[float(values[i]), i, None] for i in body["token_ids_logprob"]]]
        return Reply.of(self.change({"text": "x", "output_ids": [sampled], "meta_info": told}))


_tokenizer: Any = None


def tokenize(text: str) -> list[int]:
    """How the recorded model cuts a text."""
    global _tokenizer
    if _tokenizer is None:
        from tokenizers import Tokenizer

        _tokenizer = Tokenizer.from_file(str(TINY / "tokenizer.json"))
    return list(_tokenizer.encode(text, add_special_tokens=False).ids)
