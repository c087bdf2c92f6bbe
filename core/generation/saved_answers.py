"""Saved answers: the JSON that inference servers return with log-probabilities, as people save it. It is read into plain steps.

Known are chat completions, completions and responses in OpenAI's form (vLLM, llama-server, SGLang, LM Studio and others write it too), the
own forms of llama-server, Ollama, SGLang and TGI, lists of them, JSON lines, and saved streams. A file may come from a stranger.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from core.errors import BadListedTokens, BadRecording
from core.message import Message
from core.record import answer_forms
from core.record.bounded_json import BoundedJson, Bounds
from core.record.listed_tokens import ListedStep, ListedToken

LARGEST_FILE = 16 * 1024 * 1024  # bytes
MOST_LINES = 20_000
MOST_ANSWERS = 200
MOST_STEPS = 50_000  # tokens of all answers together
MOST_ENTRIES = 1_000_000  # listed tokens of all answers together
BOUNDS = Bounds(size=LARGEST_FILE, rest=LARGEST_FILE, entry=LARGEST_FILE, depth=16, marks=3_000_000, lists={})
WRAPPERS = ("body", "response", "result", "output", "answer", "data")  # names under which logs and batches keep an answer
NO_ANSWER = Message("This file is neither a recording of this app nor a saved answer of an inference server.")
NO_LOGPROBS = Message(
    "This answer contains no log-probabilities. Ask the server for them (in chat: logprobs and top_logprobs), then save its answer again."
)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer. model: its name, "" if it is not in the file. prompt: the first token of the prompt, if the file repeats the prompt.

    given: how many of the first steps belong to the prompt.
    """

    steps: list[ListedStep]
    model: str = ""
    prompt: ListedToken | None = None
    given: int = 0


def read(data: str | bytes) -> list[Answer]:
    """Return the answers in a file, at most MOST_ANSWERS. Raises BadRecording, with one sentence, for any other file."""
    if len(data) > LARGEST_FILE:
        raise BadRecording("This file is too large: at most {most} MB are read.", most=LARGEST_FILE // 2**20)
    raw = (data.encode("utf-8", "replace") if isinstance(data, str) else data).removeprefix(b"\xef\xbb\xbf").strip()
    found = _Found()
    try:
        for value in _values(raw):
            found.look_at(value)
    except BadListedTokens as error:
        raise BadRecording("This answer is broken: {error}", error=error) from error
    answers = [answer for answer in found.whole() if answer.steps]
    if not answers:
        raise BadRecording(NO_LOGPROBS if found.texts else NO_ANSWER)
    if sum(len(answer.steps) for answer in answers) > MOST_STEPS:
        raise BadRecording("This file is too large: at most {most} tokens are read.", most=MOST_STEPS)
    return answers


def _values(raw: bytes) -> Iterator[Any]:
    """Yield the JSON values of a file: one, or one of each line. Lines of a saved stream begin with "data:"."""
    first, line_break, _rest = raw.partition(b"\n")
    if not line_break or not (first.startswith((b"data:", b"event:", b":")) or (first[:1] in b"{[" and first.rstrip()[-1:] in b"}]")):
        yield BoundedJson(raw, BOUNDS).head
        return
    lines = raw.splitlines()
    if len(lines) > MOST_LINES:
        raise BadRecording("This file is too large: at most {most} lines are read.", most=MOST_LINES)
    for line in lines:
        text = line.strip().removeprefix(b"data:").strip()
        if text.startswith((b"{", b"[")) and text != b"[DONE]":
            yield BoundedJson(text, BOUNDS).head


@dataclass(slots=True)
class _Open:
    """An answer while its parts are collected. prompt_tokens: their number, 1 if the file does not say it."""

    steps: list[ListedStep] = field(default_factory=list)
    model: str = ""
    prompt_tokens: int = 1

    def whole(self) -> Answer:
        """Return the answer. If the file repeats the prompt, the first token, which has no probability, is its beginning."""
        first, second = ([*self.steps[:2], None, None])[:2]
        if first is None or second is None or first.chosen.logprob is not None or first.listed or second.chosen.logprob is None:
            return Answer(self.steps, self.model)
        return Answer(self.steps[1:], self.model, first.chosen, min(len(self.steps), self.prompt_tokens) - 1)


@dataclass(slots=True)
class _Found:
    """Collects the answers of a file. opened: by name of the answer, because the parts of a saved stream have the same name."""

    opened: dict[Any, _Open] = field(default_factory=dict)
    texts: bool = False  # an answer was found, perhaps one without log-probabilities
    entries: int = 0  # listed tokens so far
    ended: int = 0  # streams without a name that have ended

    def look_at(self, value: Any, depth: int = 0) -> None:
        """Add all answers in a JSON value."""
        if len(self.opened) > MOST_ANSWERS:
            raise BadRecording("This file contains more than {most} answers. Save fewer of them in one file.", most=MOST_ANSWERS)
        if isinstance(value, list):
            for one in value:
                self.look_at(one, depth + 1)
        elif isinstance(value, dict) and depth < 8 and not self._add(value):
            for name in WRAPPERS:
                if isinstance(value.get(name), dict | list):
                    self.look_at(value[name], depth + 1)

    def whole(self) -> list[Answer]:
        """Return all answers."""
        return [one.whole() for one in self.opened.values()]

    def _add(self, value: dict[str, Any]) -> bool:
        """Add what this object contains; return whether it is an answer."""
        if isinstance(value.get("choices"), list):
            for place, choice in enumerate(value["choices"]):
                if isinstance(choice, dict):
                    self._choice(value, choice, place)
            return True
        for name, (kind, tokens_of) in answer_forms.OWN_FORMS.items():
            if isinstance(value.get(name), kind):
                self._keep(value, tokens_of(value), self._line_of(value))
                return True
        if "done" in value:  # a line of Ollama's stream without log-probabilities
            self._line_of(value)
        known = "done" in value or any(isinstance(value.get(name), str) for name in ("content", "response", "generated_text"))
        self.texts |= known
        return known

    def _choice(self, value: dict[str, Any], choice: dict[str, Any], place: int) -> None:
        number = choice["index"] if isinstance(choice.get("index"), int) else place
        name = value.get("id")
        self._keep(value, answer_forms.of_choice(choice), (name, number) if isinstance(name, str) else None)

    def _keep(self, value: dict[str, Any], steps: list[ListedStep], name: Any) -> None:
        """Append these tokens to the answer with this name; None for an answer of its own."""
        self.texts = True
        self.entries += sum(1 + len(step.listed) for step in steps)
        if self.entries > MOST_ENTRIES:
            raise BadRecording("This file is too large: it has too many parts.")
        answer = self.opened.setdefault(len(self.opened) if name is None else name, _Open())
        answer.steps += steps
        model, usage = value.get("model"), value.get("usage")
        answer.model = answer.model or (model[:200] if isinstance(model, str) else "")
        count = usage.get("prompt_tokens") if isinstance(usage, dict) else None
        answer.prompt_tokens = count if type(count) is int and count > 0 else answer.prompt_tokens

    def _line_of(self, value: dict[str, Any]) -> Any:
        """Return the stream of Ollama or llama-server of which this object is a line; None for an answer that is no line of a stream."""
        last = value.get("done", value.get("stop"))
        if not isinstance(last, bool):
            return None
        name = f"line {self.ended}"
        if last:
            self.ended += 1
        return name


def is_own_format(data: str | bytes) -> bool:
    """Return whether this is the text of a recording of this app."""
    head = data[:20_000]
    raw = head.encode("utf-8", "replace") if isinstance(head, str) else head
    return re.search(rb'"format"\s*:\s*"token-probability-viewer', raw) is not None
