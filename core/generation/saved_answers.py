"""Saved answers: the JSON that inference servers return with log-probabilities, as people save it, read into the file of a recording.

Known are chat completions, completions and responses in OpenAI's form (vLLM, llama-server, SGLang, LM Studio and others write it too), the
own forms of llama-server, Ollama, SGLang, TGI, KoboldCpp, Gemini and LangChain, the log of `llm`, the logprobs alone, lists of them, JSON
lines, and saved streams. A file may come from a stranger. What the answer does not say is left out, and nothing is invented.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.errors import BadRecording
from core.generation.recording_file import FORMAT, MOST_LISTED, VERSION, File, ModelFile, PromptToken, StepFile, TokenFile, digits
from core.message import Message
from core.record import logprob_formats
from core.record.bounded_json import BoundedJson, Bounds
from core.record.tokens_without_ids import Keys, ListedStep, ListedToken, columns_of, measured
from core.sampling.settings import SamplingSettings
from core.tokens.token_text import ByteJoiner

UNNAMED = "a server's answer"
USUAL_LISTED = 20  # candidates of a step that pages show, as in a run
LARGEST_FILE = 16 * 1024 * 1024  # bytes
MOST_LINES = 20_000
MOST_ANSWERS = 200
MOST_STEPS = 50_000  # tokens of all answers together
MOST_ENTRIES = 1_000_000  # listed tokens of all answers together
# Names under which logs, batches and other programs keep an answer.
WRAPPERS = (
    "body",
    "response",
    "response_json",
    "result",
    "results",
    "output",
    "answer",
    "data",
    "kwargs",
    "message",
    "generations",
    "generation_info",
    "logprobs",
)
END_OF_STREAM = object()
FIELDS = (b"data:", b"event:", b"id:", b"retry:", b":")  # with which the lines of a saved stream begin
NO_ANSWER = Message("This file is neither a recording of this app nor a saved answer of an inference server.")
NO_LOGPROBS = Message(
    "This answer contains no log-probabilities. Ask the server for them (in chat: logprobs and top_logprobs), then save its answer again."
)


def answer_file(answers: Sequence[Answer]) -> File:
    """Return the answers as one file: each is a branch that begins at the prompt. Raises BadRecording for different given beginnings."""
    first, keys = answers[0], Keys()
    if any(answer.prompt != first.prompt for answer in answers):
        raise BadRecording("The answers in this file begin with different texts. Save them in files of their own.")
    for answer in answers:  # a list can have the same ids with less of their bytes
        keys.of([step.chosen for step in answer.steps if step.chosen.token_id is not None])
    given = [] if first.prompt is None else [first.prompt]
    prompt_keys = keys.of(given)
    steps: list[StepFile] = []
    here = 0
    for number, answer in enumerate(answers, start=1):
        parent = 0
        for index, listed in enumerate(answer.steps):
            last = index == len(answer.steps) - 1
            name = f"{number} · {_name(answer)}"[:60] if last and len(answers) > 1 else ""
            steps.append(_step(listed, keys, parent, "forced" if index < answer.given else "server", name))
            parent = len(steps)
        here = here or parent
    joiner = ByteJoiner()
    prompt = [PromptToken(id=key, raw=token.raw.hex(), text=joiner.add(token.raw)) for key, token in zip(prompt_keys, given, strict=True)]
    sizes = ("parameter_count", "layer_count", "vocabulary_size", "context_length", "cache_bytes_per_token", "weight_bytes")
    return File(
        format=FORMAT,  # type: ignore[arg-type]  # the constant of this Literal
        version=VERSION,  # type: ignore[arg-type]
        model=ModelFile(name=_name(first), device="server", dtype="unknown", end_token_ids=[], from_answer=True, **dict.fromkeys(sizes, 0)),
        prompt="".join(token.text for token in prompt),
        prompt_tokens=prompt,
        settings=SamplingSettings().for_file(),
        top_n=USUAL_LISTED,
        as_chat=False,
        here=here,
        finished=None,
        vocabulary=[TokenFile(id=key, raw=token.raw.hex(), special=token.special) for key, token in sorted(keys.tokens.items())],
        steps=steps,
    )


def _name(answer: Answer) -> str:
    return "".join(c for c in answer.model if c.isprintable()).strip() or UNNAMED


def _step(listed: ListedStep, keys: Keys, parent: int, chosen_by: str, name: str) -> StepFile:
    """Return one token. Settings and measurements have the values that mean "not in this file"."""
    columns = columns_of(listed, keys)
    count = min(len(columns["token_ids"]), MOST_LISTED)
    return StepFile(
        parent=parent,
        name=name,
        token_id=columns["key"],
        chosen_by=chosen_by if listed.chosen.logprob is not None else "server",  # type: ignore[arg-type]
        roll=None,
        attempt=0,
        settings=SamplingSettings().for_file(),
        computed_tokens=0,
        reused_tokens=0,
        cache_bytes=0,
        seconds=0.0,
        queue_seconds=0.0,
        server_seconds=None,
        held_bytes=None,
        token_ids=columns["token_ids"].tolist(),
        ranks=columns["ranks"].tolist(),
        logits=digits(columns["logits"]),
        probabilities=[digits(row) for row in columns["probabilities"]],
        removed_at=columns["removed_at"].tolist(),
        dice_starts=[None] * count,
        stage_names=list(columns["stage_names"]),
        stage_settings=[None],
        stage_kept=list(columns["stage_kept"]),
        stage_entropies=[None if e != e else e for e in columns["stage_entropies"]],
        server_listed=columns["top_logprobs_count"],
        stage_exact=list(columns["stage_exact"]),
    )


BOUNDS = Bounds(size=LARGEST_FILE, rest=LARGEST_FILE, entry=LARGEST_FILE, depth=16, marks=3_000_000, lists={})


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer. model: its name, "" if it is not in the file. prompt: the first token of the prompt, if the file repeats the prompt.

    given: how many of the first steps belong to the prompt.
    """

    steps: list[ListedStep]
    model: str = ""
    prompt: ListedToken | None = None
    given: int = 0


def read(data: str | bytes | dict[str, Any] | list[Any]) -> list[Answer]:
    """Return the answers in a file, or in its value as Python reads it, at most MOST_ANSWERS. Raises BadRecording for any other file."""
    if not isinstance(data, str | bytes):
        try:
            data = json.dumps(data)
        except (TypeError, ValueError, RecursionError) as error:
            raise BadRecording("A saved answer is a text, or the dictionary in it, not {kind}.", kind=type(data).__name__) from error
    if len(data) > LARGEST_FILE:
        raise BadRecording("This file is too large: at most {most} MB are read.", most=LARGEST_FILE // 2**20)
    raw = (data.encode("utf-8", "replace") if isinstance(data, str) else data).removeprefix(b"\xef\xbb\xbf").strip()
    collector = _Found(streamed=raw.startswith(FIELDS))
    try:
        for value in _values(raw):
            if value is END_OF_STREAM:
                collector.end_stream()
            else:
                collector.look_at(value)
    except BadRecording as error:
        raise BadRecording("This answer is broken: {error}", error=error) from error
    answers = [answer for answer in collector.whole() if answer.steps]
    if not answers:
        raise BadRecording(NO_LOGPROBS if collector.texts else NO_ANSWER)
    if sum(len(answer.steps) for answer in answers) > MOST_STEPS:
        raise BadRecording("This file is too large: at most {most} tokens are read.", most=MOST_STEPS)
    return answers


def _values(raw: bytes) -> Iterator[Any]:
    """Yield the JSON values of a file: one, or one of each line. Lines of a saved stream begin with "data:".

    END_OF_STREAM stands for the line that ends a stream, also one without any other sign of its end.
    """
    first, line_break, _rest = raw.partition(b"\n")
    if not line_break or not (first.startswith(FIELDS) or (first[:1] in b"{[" and first.rstrip()[-1:] in b"}]")):
        yield BoundedJson(raw, BOUNDS).head
        return
    lines = raw.splitlines()
    if len(lines) > MOST_LINES:
        raise BadRecording("This file is too large: at most {most} lines are read.", most=MOST_LINES)
    for line in lines:
        text = line.strip().removeprefix(b"data:").strip()
        if text == b"[DONE]":
            yield END_OF_STREAM
        elif text.startswith((b"{", b"[")):
            yield BoundedJson(text, BOUNDS).head


@dataclass(slots=True)
class _Open:
    """An answer while its parts are collected. prompt_tokens: their number, 1 if the file does not say it.

    echoes: the first token is that of the prompt and has no probability. given: how many of the first steps belong to the prompt.
    """

    steps: list[ListedStep] = field(default_factory=list)
    model: str = ""
    prompt_tokens: int = 1
    echoes: bool = False
    given: int = 0

    def whole(self) -> Answer:
        """Return the answer. If the file repeats the prompt, the first token, which has no probability, is its beginning."""
        steps = measured(self.steps)
        if not self.echoes or len(steps) < 2:
            return Answer(steps, self.model, given=self.given)
        return Answer(steps[1:], self.model, steps[0].chosen, min(len(steps), self.prompt_tokens) - 1)


@dataclass(slots=True)
class _Found:
    """Collects the answers of a file. opened: by name of the answer, because the parts of a saved stream have the same name.

    streamed: the file is a saved stream of server-sent events.
    """

    streamed: bool = False

    opened: dict[Any, _Open] = field(default_factory=dict)
    texts: bool = False  # an answer was found, perhaps one without log-probabilities
    entries: int = 0  # listed tokens so far
    over: dict[Any, int] = field(default_factory=dict)  # by name: how many answers with this name have ended
    ended: int = 0  # streams of responses that have ended
    running: set[tuple[Any, ...]] = field(default_factory=set)  # names of answers that have begun and not ended

    def look_at(self, value: Any, depth: int = 0) -> None:
        """Add all answers in a JSON value."""
        if len(self.opened) > MOST_ANSWERS:
            raise BadRecording("This file contains more than {most} answers. Save fewer of them in one file.", most=MOST_ANSWERS)
        if _is_entry(value[0] if isinstance(value, list) and value else None):
            self._keep({}, logprob_formats.of_choice({"logprobs": {"content": value}}), None)
        elif isinstance(value, list):
            for item in value:
                self.look_at(item, depth + 1)
        elif isinstance(value, dict) and depth < 8 and not self._add(value):
            for name in WRAPPERS:
                before = len(self.opened)
                if isinstance(value.get(name), dict | list):
                    self.look_at(value[name], depth + 1)
                if len(self.opened) > before:
                    break  # other names hold the same answer

    def end_stream(self) -> None:
        """End all answers whose parts came so far. The next parts with their names are those of other answers."""
        for name in self.running:
            self.over[name] = self.over.get(name, 0) + 1
        self.running.clear()
        if any(key[:1] == ("event",) and key[-1] == self.ended for key in self.opened):
            self.ended += 1

    def whole(self) -> list[Answer]:
        """Return all answers."""
        return [answer.whole() for answer in self.opened.values()]

    def _add(self, value: dict[str, Any]) -> bool:
        """Add what this object contains; return whether it is an answer."""
        for name, add in (("choices", self._choice), ("candidates", self._candidate), ("outputs", self._output)):
            if isinstance(value.get(name), list) and (name != "outputs" or "prompt_token_ids" in value):
                for index, part in enumerate(value[name]):
                    if isinstance(part, dict):
                        add(value, part, index)
                return True
        if any(isinstance(result, dict) and isinstance(result.get("text"), str) for result in list_in(value, "results")):
            for index, result in enumerate(value["results"]):
                if isinstance(result, dict):
                    self._choice(value, logprob_formats.of_kobold(result), index)
            return True
        if isinstance(value.get("type"), str) and value["type"].startswith("response."):
            return self._event(value)
        for name, (kind, tokens_of) in logprob_formats.OWN_FORMS.items():
            if isinstance(value.get(name), kind):
                before, steps = logprob_formats.own_prompt(value), tokens_of(value)
                answer = self._keep(value, before + steps, self._line_of(value))
                if len(answer.steps) == len(before) + len(steps):
                    answer.given = len(before)
                return True
        if isinstance(value.get("token_logprobs"), list) or _is_entry((list_in(value, "content") or [None])[0]):
            self._choice({}, {"logprobs": value}, 0)
            return True
        if "done" in value:  # a line of Ollama's stream without log-probabilities
            self._line_of(value)
        is_answer = "done" in value or any(isinstance(value.get(name), str) for name in ("content", "response", "generated_text"))
        self.texts |= is_answer
        return is_answer

    def _choice(self, value: dict[str, Any], choice: dict[str, Any], index: int) -> None:
        number = choice["index"] if isinstance(choice.get("index"), int) else index
        answer_id, logprobs = value.get("id"), choice.get("logprobs")
        part = "message" not in choice and (isinstance(answer_id, str) or "delta" in choice or self.streamed)
        steps = logprob_formats.of_choice(choice)
        echoes = bool(steps) and isinstance(logprobs, dict) and (list_in(logprobs, "token_logprobs") or [0])[0] is None
        prompt, ids = (choice.get(name, value.get(name)) for name in ("prompt_logprobs", "prompt_token_ids"))
        before = [] if echoes else logprob_formats.of_prompt(prompt, ids)
        answer = self._keep(value, before + steps, self._part_of((answer_id, number) if part else None, choice.get("finish_reason")))
        if len(answer.steps) == len(before) + len(steps):
            answer.echoes, answer.given = echoes, len(before)

    def _candidate(self, value: dict[str, Any], candidate: dict[str, Any], index: int) -> None:
        """Add a candidate of Gemini. The parts of its streams have a common id."""
        answer_id = value.get("responseId", value.get("response_id"))
        ended = candidate.get("finishReason", candidate.get("finish_reason"))
        steps = logprob_formats.of_candidate(candidate)
        self._keep(value, steps, self._part_of((answer_id, index) if isinstance(answer_id, str) or self.streamed else None, ended))

    def _output(self, value: dict[str, Any], output: dict[str, Any], _index: int) -> None:
        """Add an output of vLLM's Python interface."""
        before = logprob_formats.own_prompt(value)
        answer = self._keep(value, before + logprob_formats.of_prompt(output.get("logprobs"), output.get("token_ids")), None)
        answer.given = len(before)

    def _event(self, value: dict[str, Any]) -> bool:
        """Add an event of a stream of OpenAI's responses. Its last events repeat all tokens of the parts before them."""
        name = ("event", value.get("item_id") if isinstance(value.get("item_id"), str) else None)
        if value["type"].endswith(".delta") and isinstance(value.get("logprobs"), list):
            self._keep(value, logprob_formats.of_choice({"logprobs": {"content": value["logprobs"]}}), self._part_of(name, None))
        response = value.get("response")
        if value["type"] in ("response.completed", "response.incomplete") and isinstance(response, dict):
            parts = [answer for key, answer in self.opened.items() if key[:1] == ("event",) and key[-1] == self.ended]
            if not any(answer.steps for answer in parts):
                self.look_at(response, 1)
            self.ended += 1
        return True

    def _part_of(self, name: tuple[Any, ...] | None, ended: Any) -> tuple[Any, ...] | None:
        """Return the key of the answer of which this is a part: the name, and how many answers with this name have ended."""
        if name is None:
            return None
        if name[0] == "event":
            return (*name, self.ended)
        key = (*name, self.over.get(name, 0))
        if ended:
            self.over[name] = self.over.get(name, 0) + 1
            self.running.discard(name)
        else:
            self.running.add(name)
        return key

    def _keep(self, value: dict[str, Any], steps: list[ListedStep], name: Any) -> _Open:
        """Append these tokens to the answer with this name, None for an answer of its own, and return it."""
        self.texts = True
        self.entries += sum(1 + len(step.listed) for step in steps)
        if self.entries > MOST_ENTRIES:
            raise BadRecording("This file is too large: it has too many parts.")
        answer = self.opened.setdefault((len(self.opened),) if name is None else name, _Open())
        repeated = "meta_info" in value and bool(answer.steps) and steps[: len(answer.steps)] == answer.steps
        answer.steps += steps[len(answer.steps) :] if repeated else steps  # each line of SGLang's stream repeats the tokens before it
        about = value.get("response_metadata")
        named = [
            source.get(key) for source in (value, about) if isinstance(source, dict) for key in ("model", "model_name", "modelVersion")
        ]
        model, usage = next((text for text in named if isinstance(text, str)), None), value.get("usage")
        answer.model = answer.model or (model[:200] if isinstance(model, str) else "")
        count = usage.get("prompt_tokens") if isinstance(usage, dict) else None
        answer.prompt_tokens = count if type(count) is int and count > 0 else answer.prompt_tokens
        return answer

    def _line_of(self, value: dict[str, Any]) -> Any:
        """Return the key of the stream (of Ollama, llama-server, TGI, SGLang or LangChain) with this line; None for a whole answer."""
        info = value.get("meta_info")
        if isinstance(info, dict):
            part = isinstance(info.get("id"), str) and "finish_reason" in info
            return self._part_of((info["id"], "meta_info"), info["finish_reason"]) if part else None
        about = value.get("response_metadata")
        if isinstance(about, dict):
            part = isinstance(value.get("id"), str) and str(value.get("type")).endswith("Chunk")
            return self._part_of((value["id"], "message"), about.get("finish_reason")) if part else None
        last = isinstance(value.get("generated_text"), str) if "token" in value else value.get("done", value.get("stop"))
        return self._part_of(("line", None), last) if isinstance(last, bool) else None


def list_in(value: dict[str, Any], name: str) -> list[Any]:
    """Return the list with this name, [] without one."""
    content = value.get(name)
    return content if isinstance(content, list) else []


def _is_entry(value: Any) -> bool:
    """Return whether this is one token with its log-probability, as chat completions write it."""
    return isinstance(value, dict) and "logprob" in value and isinstance(value.get("token"), str)


def is_own_format(data: str | bytes) -> bool:
    """Return whether this is the text of a recording of this app."""
    head = data[:20_000]
    raw = head.encode("utf-8", "replace") if isinstance(head, str) else head
    return re.search(rb'"format"\s*:\s*"token-probability-viewer', raw) is not None
