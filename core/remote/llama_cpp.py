"""Client of llama-server (llama.cpp): its native /completion, with token ids in and out.

llama-server omits the log-probabilities if its sampled token ends within a character. A logit bias therefore makes it always sample a plain
letter. The bias does not change the listed log-probabilities, and the app samples the token itself.
"""

from __future__ import annotations

from typing import Any

from core.errors import PromptTooLong
from core.message import Message
from core.remote.http_client import HttpClient
from core.remote.protocol import ServedStep, answer_bytes, no_token_ids, number, other_model
from core.remote.server_tokenizer import ServerTokenizer

BIAS = 1e6
FIELDS = ["model", "tokens", "tokens_cached", "timings", "completion_probabilities"]  # of an answer that repeats prompt and settings


class LlamaServer:
    """A llama-server. It lists as many tokens as the app asks for. letters: two tokens of plain letters that it samples."""

    kind = "llama-server"

    def __init__(self, client: HttpClient, model_id: str, vocabulary_size: int, letters: tuple[int, int]) -> None:
        self.client = client
        self.model_id = model_id
        self.limit = vocabulary_size
        self._letters = letters
        self.words: ServerTokenizer | None = None  # learns the bytes of listed tokens

    def tokens(self, text: str) -> list[int] | None:
        """Return the server's token ids of this text, None if it does not report them."""
        answer = self.client.post("/tokenize", {"content": text}, patience=15.0, most=answer_bytes(len(text), 0))
        tokens = answer.body.get("tokens") if answer.status == 200 else None
        return tokens if isinstance(tokens, list) else None

    def step(self, ids: list[int], count: int, keep: bool = True, **changes: Any) -> ServedStep:
        """Return the `count` likeliest tokens after these ids. keep=False: without its cache. Raises ServerGone, PromptTooLong,
        WrongServer."""
        content = {
            "prompt": ids,
            "n_predict": 1,
            "n_probs": min(count, self.limit),
            "temperature": 0.0,
            "logit_bias": [[self._letters[0], BIAS]],
            "return_tokens": True,
            "response_fields": FIELDS,
            "cache_prompt": keep,
            **changes,
        }
        answer = self.client.post("/completion", content, most=answer_bytes(len(ids), content["n_probs"]))
        if answer.status == 200:
            return self._read(answer.body, content["n_probs"], len(ids))
        error = answer.body.get("error")
        if isinstance(error, dict) and error.get("type") == "exceed_context_size_error":
            raise PromptTooLong(
                "A text of {count} tokens is too long for this server. Go back to an earlier token or start with a shorter text.",
                count=len(ids),
            )
        why = answer.complaint or Message("status {status}", status=answer.status)
        raise self.client.gone(Message("refused a step: {why}", why=why.rstrip(".")))

    def list_all(self) -> None:
        """Ask for all tokens once, from which the bytes of tokens that end within a character are learned. Raises as `step`."""
        self.step([self._letters[0]], self.limit)

    def look_at(self, ids: list[int], token_id: int, count: int) -> ServedStep:
        """Return the same step with all tokens listed, this one included."""
        return self.step(ids, self.limit)

    def step_with_other_sampling(self, ids: list[int], count: int) -> ServedStep:
        """Return the same step with temperature 0.5 and another biased token."""
        return self.step(ids, count, temperature=0.5, logit_bias=[[self._letters[1], BIAS]])

    def _read(self, body: dict[str, Any], asked: int, position: int) -> ServedStep:
        if body.get("model", self.model_id) != self.model_id:
            raise other_model(self.client)
        try:
            listed = body["completion_probabilities"][0]["top_logprobs"]
            ids, logprobs = [entry["id"] for entry in listed], [entry["logprob"] for entry in listed]
            sampled = body["tokens"][0]
            if self.words is not None:
                for entry in listed:
                    self.words.learn(entry["id"], entry["bytes"])
        except (KeyError, IndexError, TypeError) as error:
            raise no_token_ids(self.client) from error
        timings = body.get("timings")
        timings = timings if isinstance(timings, dict) else {}
        reused, held, took = number(timings.get("cache_n")), number(body.get("tokens_cached"), position), number(timings.get("prompt_ms"))
        return ServedStep(
            ids,
            logprobs,
            asked,
            sampled,
            None if reused is None else int(reused),
            position if held is None else int(held),
            None if took is None else took / 1000,
        )
