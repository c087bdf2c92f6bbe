"""Servers without token ids: what they are asked, what they answer (texts, log-probabilities), and whether a list suffices for a step.

Each route is one way to ask. Two kinds exist: a route that continues a text, so that the app can ask for one token at a time, and a route
that takes a conversation. The latter answers as a whole, unless the server continues an answer that was begun (`begun_answers.py`).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.chat.conversation import Messages
from core.errors import BadRecording, NotForThisModel, PromptTooLong, ServerGone, WrongServer
from core.message import Message
from core.record import logprob_formats
from core.record.tokens_without_ids import ListedStep, measured
from core.record.unlisted_bounds import TopLogprobs
from core.remote.http_client import Answer, HttpClient
from core.remote.protocol import number
from core.sampling import observe_stages
from core.sampling.settings import SamplingSettings

LONGEST_LIST = 8_000  # most tokens that a server is asked for to make a pick certain
WHOLE_ANSWER = 256  # tokens of an answer that comes as a whole
MOST_LISTED = 20  # alternatives that a server is asked for
PATIENCE = 120.0


def is_unbounded(settings: SamplingSettings) -> bool:
    """Return whether no cut-off limits the selection while the temperature shifts probability between listed and unlisted tokens."""
    if not observe_stages.has_usual_order(settings):
        return True
    cut = settings.greedy or settings.top_k > 0 or settings.top_p < 1.0 or settings.min_p > 0.0
    return not cut and (settings.temperature != 1.0 or settings.typical_p < 1.0)


def is_cut_too_short(listed: TopLogprobs | None, settings: SamplingSettings) -> bool:
    """Return whether a cut-off may keep tokens that a server's list does not include, so that a longer list is needed."""
    if listed is None or settings.greedy or settings.repetition_penalty != 1.0 or (settings.top_p == 1.0 and settings.min_p == 0.0):
        return False
    if not observe_stages.has_usual_order(settings):  # nothing is known about the unlisted tokens after these stages
        return False
    return not listed.exact_stages(stages_of(settings))[-1]


def is_doubtful(listed: TopLogprobs | None, settings: SamplingSettings, roll: float | None) -> bool:
    """Return whether this roll could select another token if the server listed more."""
    if listed is None or roll is None or len(listed) >= LONGEST_LIST or settings.repetition_penalty != 1.0:
        return False
    if not observe_stages.has_usual_order(settings):
        return False
    return not listed.certain_pick(stages_of(settings), roll)


def stages_of(settings: SamplingSettings) -> list[tuple[str, float | None]]:
    """Return the stages with their settings, the model first."""
    return [("model", None), *((name, setting) for name, setting, _each in observe_stages.processors(settings))]


def beyond(listed: int, forced: int) -> NotForThisModel:
    """Return the error for a token that a server does not list. forced: its id if it was asked for, else -1."""
    if forced >= 0:
        return NotForThisModel(
            "The server lists its {listed} likeliest tokens, and that token is not among them. Choose another one.", listed=listed
        )
    return NotForThisModel(
        "The sampled token is not among the {listed} tokens that the server lists. Lower temperature or "
        "top-p, roll again, or start the server with a longer list (vLLM: --max-logprobs).",
        listed=listed,
    )


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


@dataclass(frozen=True, slots=True)
class BegunAnswer:
    """How a server is asked to continue an answer that was begun. fields: of the request. mark: of the message. path: if not the usual."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    mark: Mapping[str, Any] = field(default_factory=dict)
    path: str = ""


class Route:
    """One way to ask a server. name: its path. limit: alternatives that are asked for.

    takes_messages: whether the prompt is a conversation; a text is then the message of a user. continues: whether it continues a text, or
    an answer that was begun. Raises PromptTooLong, ServerGone, WrongServer.
    """

    name = ""
    takes_messages = False
    continues = True

    def __init__(self, client: HttpClient, model_id: str, limit: int = MOST_LISTED) -> None:
        self.client, self.model_id, self.limit = client, model_id, limit

    def content(self, prompt: str | Messages, written: str, length: int, sampling: Sampling) -> dict[str, Any]:
        """Return the request. written: what the model has written so far."""
        raise NotImplementedError

    def read(self, body: dict[str, Any]) -> tuple[list[ListedStep], bool]:
        """Return the tokens of an answer, and whether the text has ended."""
        raise NotImplementedError

    def path(self, begun: bool) -> str:
        """Return the path of a request. begun: it asks for the continuation of an answer."""
        return self.name

    def ask(self, prompt: str | Messages, length: int, sampling: Sampling, written: str = "") -> ListedAnswer:
        """Return what follows the prompt and the text that was written so far, at most `length` tokens."""
        started = time.perf_counter()
        count = len(written) + (len(prompt) if isinstance(prompt, str) else sum(len(message["content"]) for message in prompt))
        most = 2**19 + 64 * count + 512 * length * (self.limit + 4)
        content = self.content(prompt, written, length, sampling)
        answer = self.client.post(self.path(bool(begun_of(prompt, written))), content, patience=PATIENCE, most=most)
        if answer.status != 200:
            raise self.refused(answer, count)
        try:
            read, ended = self.read(answer.body)
            steps = measured(read)
        except BadRecording as error:
            raise WrongServer(
                "The server at {address} sent an invalid list. {error}", address=self.client.address.shown, error=error
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
            time.perf_counter() - started,
        )

    def refused(self, answer: Answer, count: int) -> Exception:
        """Return the error for a refusal."""
        if answer.status == 404:
            return ServerGone("The server at {address} no longer runs this model. The text is kept.", address=self.client.address.shown)
        if "context" in answer.complaint and ("length" in answer.complaint or "size" in answer.complaint):
            return PromptTooLong("A text of {count} characters is too long for this server. Start with a shorter text.", count=count)
        why = answer.complaint or Message("status {status}", status=answer.status)
        return self.client.gone(Message("refused a step: {why}", why=why.rstrip(".")))


class Completions(Route):
    """OpenAI's completions (vLLM, SGLang, llama-cpp-python, KoboldCpp, TabbyAPI and others)."""

    name = "/v1/completions"

    def content(self, prompt: str | Messages, written: str, length: int, sampling: Sampling) -> dict[str, Any]:
        """Return the request."""
        common = {"model": self.model_id, "max_tokens": length, "temperature": sampling.temperature, "top_p": sampling.top_p}
        return {**common, "prompt": f"{prompt}{written}", "logprobs": self.limit}

    def read(self, body: dict[str, Any]) -> tuple[list[ListedStep], bool]:
        """Return the tokens of the first choice."""
        choice = _first_choice(body)
        return logprob_formats.of_choice(choice), choice.get("finish_reason") == "stop"


class Chat(Completions):
    """OpenAI's chat completions. The answer comes as a whole, unless it is known how the server continues one."""

    name = "/v1/chat/completions"
    takes_messages = True
    continues = False
    begun: BegunAnswer | None = None

    def continue_by(self, begun: BegunAnswer | None) -> None:
        """Set how this server continues an answer; None if it does not."""
        self.begun, self.continues = begun, begun is not None

    def path(self, begun: bool) -> str:
        """Return the path of a request."""
        return (self.begun.path if begun and self.begun else "") or self.name

    def content(self, prompt: str | Messages, written: str, length: int, sampling: Sampling) -> dict[str, Any]:
        """Return the request."""
        common = {"model": self.model_id, "max_tokens": length, "temperature": sampling.temperature, "top_p": sampling.top_p}
        messages, more = messages_of(prompt), {}
        begun = begun_of(prompt, written)
        if begun and self.begun is not None:
            asked = messages[:-1] if messages[-1]["role"] == "assistant" else messages
            messages, more = [*asked, {"role": "assistant", "content": begun, **self.begun.mark}], dict(self.begun.fields)
        return {**common, "messages": messages, "logprobs": True, "top_logprobs": self.limit, **more}


def messages_of(prompt: str | Messages) -> list[dict[str, Any]]:
    """Return the messages of a prompt."""
    return [{"role": "user", "content": prompt}] if isinstance(prompt, str) else [dict(message) for message in prompt]


def begun_of(prompt: str | Messages, written: str) -> str:
    """Return the answer so far, "" if it was not begun."""
    last = prompt[-1] if isinstance(prompt, tuple) else {"role": "user", "content": ""}
    return (last["content"] if last["role"] == "assistant" else "") + written


class Responses(Route):
    """OpenAI's responses, the only route of LM Studio with log-probabilities. The answer comes as a whole."""

    name = "/v1/responses"
    takes_messages = True
    continues = False

    def content(self, prompt: str | Messages, written: str, length: int, sampling: Sampling) -> dict[str, Any]:
        """Return the request."""
        common = {
            "model": self.model_id,
            "max_output_tokens": max(16, length),
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
        }
        asked = prompt if isinstance(prompt, str) else messages_of(prompt)
        return {**common, "input": asked, "include": ["message.output_text.logprobs"], "top_logprobs": self.limit, "store": False}

    def read(self, body: dict[str, Any]) -> tuple[list[ListedStep], bool]:
        """Return the tokens of all messages."""
        return _own_form(body, "output"), body.get("status") == "completed"


class OllamaGenerate(Route):
    """Ollama's own request, without its chat template."""

    name = "/api/generate"

    def content(self, prompt: str | Messages, written: str, length: int, sampling: Sampling) -> dict[str, Any]:
        """Return the request. Ollama's other samplers are switched off, because they would change its own choice."""
        options = {"num_predict": length, "temperature": sampling.temperature, "top_p": sampling.top_p}
        options |= {"top_k": 0, "min_p": 0.0, "repeat_penalty": 1.0}
        common = {"model": self.model_id, "prompt": f"{prompt}{written}", "raw": True, "stream": False, "options": options}
        return {**common, "logprobs": True, "top_logprobs": self.limit}

    def read(self, body: dict[str, Any]) -> tuple[list[ListedStep], bool]:
        """Return the tokens of the answer."""
        return _own_form(body, "logprobs"), body.get("done_reason") == "stop"


class TgiGenerate(Route):
    """TGI's own request. It lists the ids of tokens, but takes only texts."""

    name = "/generate"

    def content(self, prompt: str | Messages, written: str, length: int, sampling: Sampling) -> dict[str, Any]:
        """Return the request. TGI refuses a top-p of 1."""
        wanted: dict[str, Any] = {"max_new_tokens": length, "details": True, "top_n_tokens": self.limit, "do_sample": True}
        wanted["temperature"] = sampling.temperature
        if sampling.top_p < 1.0:
            wanted["top_p"] = sampling.top_p
        return {"inputs": f"{prompt}{written}", "parameters": wanted}

    def read(self, body: dict[str, Any]) -> tuple[list[ListedStep], bool]:
        """Return the tokens of the answer."""
        details = body.get("details")
        reason = details.get("finish_reason") if isinstance(details, dict) else None
        return _own_form(body, "details"), reason in ("eos_token", "stop_sequence")


def _own_form(body: dict[str, Any], name: str) -> list[ListedStep]:
    kind, tokens_of = logprob_formats.OWN_FORMS[name]
    return tokens_of(body) if isinstance(body.get(name), kind) else []


def _first_choice(body: dict[str, Any]) -> dict[str, Any]:
    choices = body.get("choices")
    return choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
