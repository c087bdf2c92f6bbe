"""llama-server protocol (llama.cpp): its native /completion, with token ids in and out.

It leaves the log-probabilities out when the token it samples ends inside a character. So it is made to sample a plain letter every time:
the bias acts on its dice, not on the log-probabilities it lists, and the dice thrown here are our own.
"""

from __future__ import annotations

from typing import Any

from core.errors import PromptTooLong, ServerGone, WrongServer
from core.language import _, written
from core.remote.http_client import HttpClient
from core.remote.protocol import ServedStep, number

BIAS = 1e6
FIELDS = ["model", "tokens", "tokens_cached", "timings", "completion_probabilities"]  # of an answer that repeats prompt and settings


class LlamaServer:
    """A llama-server. It lists as many tokens as it is asked for. letters: two tokens that are plain text, for it to sample."""

    kind = "llama-server"

    def __init__(self, line: HttpClient, model_id: str, vocabulary_size: int, letters: tuple[int, int]) -> None:
        self.line = line
        self.model_id = model_id
        self.limit = vocabulary_size
        self._letters = letters

    def tokens(self, text: str) -> list[int] | None:
        """How the server cuts this text, None if it will not say."""
        answer = self.line.post("/tokenize", {"content": text}, patience=15.0)
        tokens = answer.body.get("tokens") if answer.status == 200 else None
        return tokens if isinstance(tokens, list) else None

    def step(self, ids: list[int], count: int, keep: bool = True, **changes: Any) -> ServedStep:
        """The likeliest `count` tokens after these ids. keep=False: everything is computed anew."""
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
        answer = self.line.post("/completion", content)
        if answer.status == 200:
            return self._read(answer.body, content["n_probs"], len(ids))
        error = answer.body.get("error")
        if isinstance(error, dict) and error.get("type") == "exceed_context_size_error":
            raise PromptTooLong(
                _("The server takes no text of {count} tokens. Go back to an earlier word, or start with a shorter text.").format(
                    count=written(len(ids))
                )
            )
        why = answer.complaint or _("status {status}").format(status=answer.status)
        raise self.line.gone(_("refuses a step: {why}").format(why=why.rstrip(".")))

    def look_at(self, ids: list[int], token_id: int, count: int) -> ServedStep:
        """The same step with this token listed too, as all others are."""
        return self.step(ids, self.limit)

    def otherwise(self, ids: list[int], count: int) -> ServedStep:
        """The same step with other dice."""
        return self.step(ids, count, temperature=0.5, logit_bias=[[self._letters[1], BIAS]])

    def _read(self, body: dict[str, Any], asked: int, position: int) -> ServedStep:
        if body.get("model", self.model_id) != self.model_id:
            raise ServerGone(
                _("The server at {address} runs another model by now. What was written is kept.").format(address=self.line.address.shown)
            )
        try:
            listed = body["completion_probabilities"][0]["top_logprobs"]
            ids, logprobs = [entry["id"] for entry in listed], [entry["logprob"] for entry in listed]
            sampled = body["tokens"][0]
        except (KeyError, IndexError, TypeError) as error:
            raise WrongServer(
                _(
                    "The server at {address} leaves out token numbers or log-probabilities, and without them there is nothing to show."
                ).format(address=self.line.address.shown)
            ) from error
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
