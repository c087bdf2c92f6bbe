"""Servers without token ids: what they are asked, and the texts with log-probabilities that they answer.

Each route is one way to ask. Two kinds exist: a route that continues a text, so that the app can ask for one token at a time, and a route
that answers a chat message as a whole.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from core.errors import BadListedTokens, PromptTooLong, ServerGone, WrongServer
from core.message import Message
from core.record import answer_forms
from core.record.listed_tokens import ListedStep
from core.remote.http_client import Answer, HttpClient
from core.remote.protocol import number

WHOLE_ANSWER = 256  # tokens of an answer that comes as a whole
MOST_LISTED = 20  # alternatives that a server is asked for
PATIENCE = 120.0


@dataclass(frozen=True, slots=True)
class ListedAnswer:
    """An answer. ended: the server ended its text after these tokens. prompt_tokens, reused: as the server counts; None if it does not."""

    steps: list[ListedStep]
    ended: bool
    prompt_tokens: int | None
    reused: int | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Sampling:
    """What the server's own choice depends on."""

    temperature: float = 1.0
    top_p: float = 1.0


class Route:
    """One way to ask a server. name: its path. continues: whether it continues a text. limit: alternatives that are asked for.

    Raises PromptTooLong, ServerGone, WrongServer.
    """

    name = ""
    continues = True
    why_no_choice = Message(
        "This server answers a message as a whole and does not continue a begun answer. So no token can be chosen by hand. "
        "A server with /v1/completions and log-probabilities allows it."
    )

    def __init__(self, line: HttpClient, model_id: str, limit: int = MOST_LISTED) -> None:
        self.line, self.model_id, self.limit = line, model_id, limit

    def content(self, prompt: str, length: int, sampling: Sampling) -> dict[str, Any]:
        """Return the request."""
        raise NotImplementedError

    def read(self, body: dict[str, Any]) -> tuple[list[ListedStep], bool]:
        """Return the tokens of an answer, and whether the text has ended."""
        raise NotImplementedError

    def ask(self, prompt: str, length: int, sampling: Sampling) -> ListedAnswer:
        """Return what follows the prompt, at most `length` tokens."""
        begun = time.perf_counter()
        most = 2**19 + 64 * len(prompt) + 512 * length * (self.limit + 4)
        answer = self.line.post(self.name, self.content(prompt, length, sampling), patience=PATIENCE, most=most)
        if answer.status != 200:
            raise self.refused(answer, len(prompt))
        try:
            steps, ended = self.read(answer.body)
        except BadListedTokens as error:
            raise WrongServer(
                Message("The server at {address} sent an invalid list. {error}", address=self.line.address.shown, error=error)
            ) from error
        usage = answer.body.get("usage")
        usage = usage if isinstance(usage, dict) else {}
        details = usage.get("prompt_tokens_details")
        reused = number(details.get("cached_tokens")) if isinstance(details, dict) else None
        counted = number(usage.get("prompt_tokens", answer.body.get("prompt_eval_count")))
        return ListedAnswer(
            steps[: max(1, length)],
            ended,
            None if counted is None else int(counted),
            None if reused is None else int(reused),
            time.perf_counter() - begun,
        )

    def refused(self, answer: Answer, count: int) -> Exception:
        """Return the error for a refusal."""
        if answer.status == 404:
            return ServerGone(
                Message("The server at {address} no longer runs this model. The text is kept.", address=self.line.address.shown)
            )
        if "context" in answer.complaint and ("length" in answer.complaint or "size" in answer.complaint):
            return PromptTooLong(Message("The server does not take a text of {count} characters. Start with a shorter text.", count=count))
        why = answer.complaint or Message("status {status}", status=answer.status)
        return self.line.gone(Message("refused a step: {why}", why=why.rstrip(".")))


class Completions(Route):
    """OpenAI's completions (vLLM, SGLang, llama-cpp-python, KoboldCpp, TabbyAPI and others)."""

    name = "/v1/completions"

    def content(self, prompt: str, length: int, sampling: Sampling) -> dict[str, Any]:
        """Return the request."""
        common = {"model": self.model_id, "max_tokens": length, "temperature": sampling.temperature, "top_p": sampling.top_p}
        return {**common, "prompt": prompt, "logprobs": self.limit}

    def read(self, body: dict[str, Any]) -> tuple[list[ListedStep], bool]:
        """Return the tokens of the first choice."""
        choice = _first_choice(body)
        return answer_forms.of_choice(choice), choice.get("finish_reason") == "stop"


class Chat(Completions):
    """OpenAI's chat completions. The answer comes as a whole."""

    name = "/v1/chat/completions"
    continues = False

    def content(self, prompt: str, length: int, sampling: Sampling) -> dict[str, Any]:
        """Return the request."""
        common = {"model": self.model_id, "max_tokens": length, "temperature": sampling.temperature, "top_p": sampling.top_p}
        return {**common, "messages": [{"role": "user", "content": prompt}], "logprobs": True, "top_logprobs": self.limit}


class Responses(Route):
    """OpenAI's responses, the only route of LM Studio with log-probabilities. The answer comes as a whole."""

    name = "/v1/responses"
    continues = False

    def content(self, prompt: str, length: int, sampling: Sampling) -> dict[str, Any]:
        """Return the request."""
        common = {
            "model": self.model_id,
            "max_output_tokens": max(16, length),
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
        }
        return {**common, "input": prompt, "include": ["message.output_text.logprobs"], "top_logprobs": self.limit, "store": False}

    def read(self, body: dict[str, Any]) -> tuple[list[ListedStep], bool]:
        """Return the tokens of all messages."""
        return _own_form(body, "output"), body.get("status") == "completed"


class OllamaGenerate(Route):
    """Ollama's own request, without its chat template."""

    name = "/api/generate"

    def content(self, prompt: str, length: int, sampling: Sampling) -> dict[str, Any]:
        """Return the request. Ollama's other samplers are switched off, because they would change its own choice."""
        options = {"num_predict": length, "temperature": sampling.temperature, "top_p": sampling.top_p}
        options |= {"top_k": 0, "min_p": 0.0, "repeat_penalty": 1.0}
        common = {"model": self.model_id, "prompt": prompt, "raw": True, "stream": False, "options": options}
        return {**common, "logprobs": True, "top_logprobs": self.limit}

    def read(self, body: dict[str, Any]) -> tuple[list[ListedStep], bool]:
        """Return the tokens of the answer."""
        return _own_form(body, "logprobs"), body.get("done_reason") == "stop"


class TgiGenerate(Route):
    """TGI's own request. It lists the ids of tokens, but takes only texts."""

    name = "/generate"

    def content(self, prompt: str, length: int, sampling: Sampling) -> dict[str, Any]:
        """Return the request. TGI refuses a top-p of 1."""
        wanted: dict[str, Any] = {"max_new_tokens": length, "details": True, "top_n_tokens": self.limit, "do_sample": True}
        wanted["temperature"] = sampling.temperature
        if sampling.top_p < 1.0:
            wanted["top_p"] = sampling.top_p
        return {"inputs": prompt, "parameters": wanted}

    def read(self, body: dict[str, Any]) -> tuple[list[ListedStep], bool]:
        """Return the tokens of the answer."""
        details = body.get("details")
        reason = details.get("finish_reason") if isinstance(details, dict) else None
        return _own_form(body, "details"), reason in ("eos_token", "stop_sequence")


def _own_form(body: dict[str, Any], name: str) -> list[ListedStep]:
    kind, reader = answer_forms.OWN_FORMS[name]
    return reader(body) if isinstance(body.get(name), kind) else []


def _first_choice(body: dict[str, Any]) -> dict[str, Any]:
    choices = body.get("choices")
    return choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
