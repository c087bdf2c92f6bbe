"""How a chat template turns the messages of a conversation into text, and which of the text's tokens are content or end an answer.

A chat template is a program written by the model's maker. transformers runs it in jinja2's sandbox, which blocks access to the machine but
not endless loops or gigabytes of output. So a separate process renders it as transformers does, with a limit on its processor time. The
time of the clock has a much longer limit, because on a busy machine a process waits for most of it.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import Any

from core.chat.conversation import Messages, Span, text_of
from core.chat.thoughts import marks_of, thought_of, without_thought
from core.errors import ModelError
from core.message import Message
from core.tokens.token_text import Token

SECONDS = 5.0  # of processor time, for one rendering with the start of its process
PATIENCE = 12.0 if find_spec("resource") else 1.0  # times as long may it take by the clock; Windows has no limit on processor time
MEGABYTES = 512  # of address space
LONGEST = 4_000_000  # limit on the rendered text, in characters
_PROGRAM = Path(__file__).with_name("chat_template_process.py")
_MARKED = "\ue000{number}\ue001"  # private characters that no template contains
_CUT = _MARKED.format(number="end")


class TemplateFailed(Exception):
    """A template raised an error, or wrote too much."""


class TemplateEndless(TemplateFailed):
    """A template did not end in time."""


def render(template: str, turns: list[dict[str, Any]], values: dict[str, Any], seconds: float = SECONDS, introduce: bool = True) -> str:
    """Return the conversation rendered by the template. introduce: followed by what introduces the next answer. Raises TemplateFailed.

    seconds: limit on processor time, see `PATIENCE`.

    A template that leaves the last turn's text out is rendered again with the text as a list of typed parts, as templates of models with
    pictures expect it. values: what the template reads besides the messages, by name (see `template_values`).
    """
    asked = {"template": template, "values": values, "megabytes": MEGABYTES, "longest": LONGEST, "introduce": introduce, "seconds": seconds}
    typed = [{**turn, "content": [{"type": "text", "text": turn["content"]}]} if text_of(turn) else turn for turn in turns]
    content = "" if turns[-1]["role"] == "tool" else text_of(turns[-1]).strip()  # some templates write a tool's answer as JSON
    first = _attempt(asked | {"turns": turns}, seconds)
    if isinstance(first, str) and content in first:
        return first
    second = _attempt(asked | {"turns": typed}, seconds)
    if isinstance(second, str) and content in second:
        return second
    if isinstance(first, TemplateFailed):
        raise first
    if isinstance(second, TemplateFailed):
        return first  # a template for plain text, which changes the text
    raise TemplateFailed("it leaves the text out")


def template_values(special_tokens: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a template reads besides the messages: the tokenizer's special tokens by name, and the caller's arguments.

    As in transformers, an argument replaces a token of the same name.
    """
    tokens = {name: token if isinstance(token, str) else [str(part) for part in token] for name, token in special_tokens.items()}
    return tokens | dict(arguments)


def _attempt(asked: dict[str, Any], seconds: float) -> str | TemplateFailed:
    try:
        return _render(json.dumps(asked), seconds * PATIENCE)
    except TemplateEndless:
        raise
    except TemplateFailed as failed:
        return failed


@lru_cache(maxsize=64)
def _render(asked: str, seconds: float) -> str:
    try:
        completed = subprocess.run(
            [sys.executable, "-I", str(_PROGRAM)], input=asked.encode(), capture_output=True, timeout=seconds, env={}, check=False
        )
        if completed.returncode < 0 and signal.Signals(-completed.returncode).name == "SIGXCPU":
            raise TemplateEndless("it does not end")
        answer = json.loads(completed.stdout) if completed.returncode == 0 else {"why": "it broke off"}
    except subprocess.TimeoutExpired as error:
        raise TemplateEndless("it does not end") from error
    except (OSError, ValueError) as error:
        raise TemplateFailed("it cannot be run") from error
    if not isinstance(answer.get("text"), str):
        raise TemplateFailed(str(answer.get("why", ""))[:200])
    return str(answer["text"])


def rendered(template: str, messages: Messages, values: dict[str, Any], name: str) -> str:
    """Return the conversation as the template writes it, with what introduces the next answer. name: of the model, for errors.

    An answer that was begun is the template's last message up to its end, as transformers' continue_final_message has it. If the template
    changes its text, the text follows what introduces an answer. Raises ModelError if the template fails or leaves out the system prompt.
    """
    try:
        return _rendered(template, messages, values, name)
    except TemplateEndless as error:
        raise ModelError(
            "The chat template of {name} did not end in time, so it was stopped. If this machine is busy, try again. If not, choose "
            "another model.",
            name=name,
        ) from error


def _rendered(template: str, messages: Messages, values: dict[str, Any], name: str) -> str:
    """See `rendered`. Raises TemplateEndless if the template does not end."""
    begun = text_of(messages[-1]) if messages[-1]["role"] == "assistant" else ""
    continued = _begun(template, messages, values) if begun else None
    if continued is not None:
        return _with_system(continued, messages, name)
    turns = messages[:-1] if begun else messages
    try:
        written = render(template, list(turns), values)
    except TemplateEndless:
        raise
    except (TemplateFailed, ValueError, IndexError) as error:  # a template is a program and can fail
        if len(messages) == 1:
            raise ModelError("The chat template of {name} cannot be used with a plain question.", name=name) from error
        if turns[0]["role"] == "system":
            message = Message(
                "The chat template of {name} does not take this conversation. It may have no place for a system prompt.", name=name
            )
            raise ModelError(message) from error
        message = Message("The chat template of {name} does not take this conversation. User and assistant must take turns.", name=name)
        raise ModelError(message) from error
    return _with_system(written, turns, name) + begun


def _begun(template: str, messages: Messages, values: dict[str, Any]) -> str | None:
    """Return the conversation up to the end of its last message; None if the template does not write the text of that message.

    A template that takes off the white space behind a text does so with a begun answer, too.
    """
    *before, last = messages
    try:
        written = render(template, [*before, {**last, "content": f"{last['content']}{_CUT} "}], values, introduce=False)
    except TemplateEndless:
        raise
    except (TemplateFailed, ValueError, IndexError):
        return None
    text, cut, after = written.rpartition(_CUT)
    if not cut or not text.endswith(last["content"].lstrip()):
        return None
    return text if after.startswith(" ") else text.rstrip()


def _with_system(written: str, messages: Messages, name: str) -> str:
    """Return the text. Raises ModelError if it lacks the system prompt."""
    if messages[0]["role"] == "system" and text_of(messages[0]).strip() not in written:
        raise ModelError("The chat template of {name} has no place for a system prompt. Leave it out.", name=name)
    return written


def template_end(template: str, values: dict[str, Any], special: Iterable[str]) -> str | None:
    """Return which special token the template writes after an answer; None if it writes none, or one that also stands within answers."""
    named = [token for token in special if token in template and not any(token in thinking.closing for thinking in marks_of(template))]
    if not named:
        return None
    thought = _MARKED.format(number="thought")
    question = {"role": "user", "content": _MARKED.format(number="question")}
    answer = {"role": "assistant", "content": _CUT, **dict.fromkeys(("reasoning", "reasoning_content", "thinking"), thought)}
    for following in ([], [{"role": "user", "content": "?"}]):  # some templates write it only before a further turn
        try:
            before, _cut, rest = render(template, [question, answer, *following], values, introduce=False).rpartition(_CUT)
        except TemplateEndless:
            return None
        except (TemplateFailed, ValueError, IndexError):
            continue
        end = max((token for token in named if rest.lstrip().startswith(token)), key=len, default=None)
        opening = before.partition(question["content"])[0]
        if end is not None and (end in before.partition(thought)[2] or (following and end == max(named, key=opening.rfind))):
            return None  # it closes a thought, or introduces the next question
        if end is not None:
            return end
    return None


def content_spans(template: str, messages: Messages, values: dict[str, Any], tokens: Sequence[Token]) -> tuple[Span, ...]:
    """Return for each message the first and the end index of the tokens with its content; all other tokens are the template's.

    (0, 0) for content that the template changed, for example a thought that it leaves out of earlier answers.
    """
    written = [token.raw.decode("utf-8", "replace") if token.special else token.text for token in tokens]
    ends = list(accumulate(map(len, written)))
    joined, end = "".join(written), 0
    spans: list[Span] = []
    for before, message in zip(_template_texts(template, messages, values), messages, strict=True):
        content = text_of(message).strip()
        at = max(end, joined.find(before, end) + len(before)) if before in joined[end:] else end
        texts = [content]
        if message["role"] == "assistant":  # the template leaves a thought out, or writes it in its own way
            texts.append(without_thought(content).strip() or thought_of(content).strip())
        # `end` for a template that writes something else before this message than before the one that was tried
        hits = ((joined.find(text, begin), text) for text in texts if text for begin in (at, end))
        start, content = next(((start, text) for start, text in hits if start >= 0), (-1, content))
        if start < 0:
            spans.append((0, 0))
            continue
        end = start + len(content)
        spans.append((bisect_right(ends, start), bisect_left(ends, end) + 1))
    return tuple(spans)


def _template_texts(template: str, messages: Messages, values: dict[str, Any]) -> list[str]:
    """Return the template's own text before each content, without outer whitespace; "" where it is not known."""
    marked = [
        {**message, "content": _MARKED.format(number=number)} if text_of(message) else message for number, message in enumerate(messages)
    ]
    begun = messages[-1]["role"] == "assistant"
    try:
        rest = render(template, marked, values, introduce=not begun)
        if begun and marked[-1]["content"] not in rest:
            rest = render(template, marked[:-1], values)
    except (TemplateFailed, ValueError, IndexError):
        return [""] * len(messages)
    begun = begun and marked[-1]["content"] not in rest
    texts = []
    for message in marked[: len(marked) - begun]:
        before, mark, after = rest.partition(text_of(message)) if text_of(message) else ("", "", "")
        texts.append(before.strip() if mark else "")
        rest = after if mark else rest
    return [*texts, rest.strip()] if begun else texts
