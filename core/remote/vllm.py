"""Client of vLLM: its OpenAI-compatible /v1/completions, with token ids in and out.

All sampling parameters are sent with neutral values, so that neither the model's generation_config nor `--logprobs-mode
processed_logprobs` can change the list. At temperature 1 without exclusions, processed and raw log-probabilities are equal.
"""

from __future__ import annotations

import re
import uuid
from typing import Any

from core.errors import PromptTooLong, ServerGone, ViewerError, WrongServer
from core.message import Message
from core.remote.http_client import Answer, HttpClient
from core.remote.protocol import ServedStep, answer_bytes, number

NEUTRAL = {
    "temperature": 1.0,
    "top_p": 1.0,
    "top_k": 0,
    "min_p": 0.0,
    "repetition_penalty": 1.0,
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
}


class VLLM:
    """A vLLM server, or a server that answers like vLLM. limit: how many tokens it lists at most, as far as known."""

    kind = "vLLM"

    def __init__(self, client: HttpClient, model_id: str, vocabulary_size: int) -> None:
        self.client = client
        self.model_id = model_id
        self.limit = vocabulary_size

    def tokens(self, text: str) -> list[int] | None:
        """Return the server's token ids of this text, None if it does not report them."""
        content = {"model": self.model_id, "prompt": text, "add_special_tokens": False}
        answer = self.client.post("/tokenize", content, patience=15.0, most=answer_bytes(len(text), 0))
        tokens = answer.body.get("tokens") if answer.status == 200 else None
        return tokens if isinstance(tokens, list) else None

    def step(self, ids: list[int], count: int, keep: bool = True, **changes: Any) -> ServedStep:
        """Return the `count` likeliest tokens after these ids, fewer if the server's limit is lower. keep=False: without its cache.

        Raises ServerGone, PromptTooLong, WrongServer.
        """
        content = {"model": self.model_id, "prompt": ids, "max_tokens": 1, "logprobs": 0, "seed": 1, **NEUTRAL, **changes}
        content |= {"return_token_ids": True, "return_tokens_as_token_ids": True}
        if not keep:
            content["cache_salt"] = uuid.uuid4().hex
        while True:
            content["logprobs"] = min(count, self.limit)
            answer = self.client.post("/v1/completions", content, most=answer_bytes(len(ids), content["logprobs"]))
            if answer.status == 200:
                return self._read(answer.body, content["logprobs"], len(ids))
            allowed = _allowed(answer.body)
            if not 0 < allowed < content["logprobs"]:
                break
            self.limit = allowed
        raise self.refused(answer, len(ids))

    def refused(self, answer: Answer, count: int) -> ViewerError:
        """Return the error for a refused step of `count` tokens."""
        if answer.status == 404:
            return ServerGone("The server at {address} no longer runs this model. The text is kept.", address=self.client.address.shown)
        if "context length" in answer.complaint or "input_tokens" in answer.complaint:
            return PromptTooLong(
                "A text of {count} tokens is too long for this server. Go back to an earlier token or start with a shorter text.",
                count=count,
            )
        why = answer.complaint or Message("status {status}", status=answer.status)
        return self.client.gone(Message("refused a step: {why}", why=why.rstrip(".")))

    def look_at(self, ids: list[int], token_id: int, count: int) -> ServedStep:
        """Return the same step with this token listed too: it is the only allowed token, and vLLM always lists the sampled token."""
        return self.step(ids, count, allowed_token_ids=[token_id])

    def step_with_other_sampling(self, ids: list[int], count: int) -> ServedStep:
        """Return the same step with temperature 0.5, which changes processed log-probabilities but not raw ones."""
        return self.step(ids, count, temperature=0.5)

    def _read(self, body: dict[str, Any], asked: int, position: int) -> ServedStep:
        try:
            choice = body["choices"][0]
            sampled = choice["token_ids"][0]
            listed = choice["logprobs"]["top_logprobs"][0]
            ids = [int(key.removeprefix("token_id:")) for key in listed]
            logprobs = list(listed.values())
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise WrongServer(
                "The server at {address} sends no token ids or no log-probabilities, which this app needs. vLLM and "
                "llama-server send them.",
                address=self.client.address.shown,
            ) from error
        usage, metrics = _object(body, "usage"), _object(body, "metrics")
        wait, first = number(metrics.get("queue_time_ms")), number(metrics.get("time_to_first_token_ms"))
        held = number(usage.get("prompt_tokens"), position)
        reused = number(_object(usage, "prompt_tokens_details").get("cached_tokens"))
        return ServedStep(
            ids,
            logprobs,
            asked,
            sampled,
            None if reused is None else int(reused),
            position if held is None else int(held),
            None if first is None else first / 1000,
            (wait or 0.0) / 1000,
        )


def _object(body: dict[str, Any], name: str) -> dict[str, Any]:
    value = body.get(name)
    return value if isinstance(value, dict) else {}


def _allowed(body: dict[str, Any]) -> int:
    """Return the allowed number of log-probabilities in a refusal; 0 for another refusal."""
    error = body.get("error")
    _before, _name, after = str(error.get("message") if isinstance(error, dict) else error).partition("logprobs")
    match = re.search(r"max allowed: (\d{1,9})", after)
    return int(match.group(1)) if match else 0
