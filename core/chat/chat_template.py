"""How a chat template turns the messages of a conversation into text, and which of the text's tokens are content or end an answer.

A chat template is a program written by the model's maker. transformers runs it in jinja2's sandbox, which blocks access to the machine but
not endless loops or gigabytes of output. So a separate process renders it as transformers does, and is killed after `seconds`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any

from core.chat.conversation import Messages, Span
from core.chat.thoughts import marks_of, thought_of, without_thought
from core.errors import ModelError
from core.message import Message
from core.tokens.token_text import Token

SECONDS = 5.0  # limit for one rendering, including the start of the process
MEGABYTES = 512  # of address space
LONGEST = 4_000_000  # limit on the rendered text, in characters
_PROGRAM = Path(__file__).with_name("chat_template_process.py")
_MARKED = "\ue000{number}\ue001"  # private characters that no template contains
_CUT = _MARKED.format(number="end")


class TemplateFailed(Exception):
    """A template raised an error, wrote too much, or did not end."""


def render(template: str, turns: list[dict[str, str]], marks: dict[str, Any], seconds: float = SECONDS, introduce: bool = True) -> str:
    """Return the conversation rendered by the template. introduce: followed by what introduces the next answer. Raises TemplateFailed.

    A template that leaves the last turn's text out is rendered again with the text as a list of typed parts, as templates of models with
    pictures expect it. marks: the tokenizer's special tokens by name, as transformers hands them to a template.
    """
    plain = {name: mark if isinstance(mark, str) else [str(part) for part in mark] for name, mark in marks.items()}
    asked = {"template": template, "marks": plain, "megabytes": MEGABYTES, "longest": LONGEST, "introduce": introduce}
    typed = [{**turn, "content": [{"type": "text", "text": turn["content"]}]} for turn in turns]
    content = turns[-1]["content"].strip()
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


def _attempt(asked: dict[str, Any], seconds: float) -> str | TemplateFailed:
    try:
        return _render(json.dumps(asked), seconds)
    except TemplateFailed as failed:
        return failed


@lru_cache(maxsize=64)
def _render(asked: str, seconds: float) -> str:
    try:
        done = subprocess.run(
            [sys.executable, "-I", str(_PROGRAM)], input=asked.encode(), capture_output=True, timeout=seconds, env={}, check=False
        )
        answer = json.loads(done.stdout) if done.returncode == 0 else {"why": "it broke off"}
    except subprocess.TimeoutExpired as error:
        raise TemplateFailed("it does not end") from error
    except (OSError, ValueError) as error:
        raise TemplateFailed("it cannot be run") from error
    if not isinstance(answer.get("text"), str):
        raise TemplateFailed(str(answer.get("why", ""))[:200])
    return str(answer["text"])


def rendered(template: str, messages: Messages, marks: dict[str, Any], name: str) -> str:
    """Return the conversation as the template writes it, with what introduces the next answer. name: of the model, for errors.

    An answer that was begun is the template's last message up to its end, as transformers' continue_final_message has it. If the template
    changes its text, the text follows what introduces an answer. Raises ModelError if the template fails or leaves out the system prompt.
    """
    begun = messages[-1]["content"] if messages[-1]["role"] == "assistant" else ""
    continued = _begun(template, messages, marks) if begun else None
    if continued is not None:
        return _with_system(continued, messages, name)
    turns = messages[:-1] if begun else messages
    try:
        written = render(template, list(turns), marks)
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


def _begun(template: str, messages: Messages, marks: dict[str, Any]) -> str | None:
    """Return the conversation up to the end of its last message; None if the template does not write the text of that message.

    A template that takes off the white space behind a text does so with a begun answer, too.
    """
    *before, last = messages
    try:
        written = render(template, [*before, {**last, "content": f"{last['content']}{_CUT} "}], marks, introduce=False)
    except (TemplateFailed, ValueError, IndexError):
        return None
    text, cut, after = written.rpartition(_CUT)
    if not cut or not text.endswith(last["content"].lstrip()):
        return None
    return text if after.startswith(" ") else text.rstrip()


def _with_system(written: str, messages: Messages, name: str) -> str:
    """Return the text. Raises ModelError if it lacks the system prompt."""
    if messages[0]["role"] == "system" and messages[0]["content"].strip() not in written:
        raise ModelError("The chat template of {name} has no place for a system prompt. Leave it out.", name=name)
    return written


def template_end(template: str, marks: dict[str, Any], special: Iterable[str]) -> str | None:
    """Return which special token the template writes after an answer; None if it writes none, or one that also stands within answers."""
    named = [token for token in special if token in template and not any(token in thinking.closing for thinking in marks_of(template))]
    if not named:
        return None
    thought = _MARKED.format(number="thought")
    question = {"role": "user", "content": _MARKED.format(number="question")}
    answer = {"role": "assistant", "content": _CUT, **dict.fromkeys(("reasoning", "reasoning_content", "thinking"), thought)}
    for following in ([], [{"role": "user", "content": "?"}]):  # some templates write it only before a further turn
        try:
            before, _cut, rest = render(template, [question, answer, *following], marks, introduce=False).rpartition(_CUT)
        except (TemplateFailed, ValueError, IndexError):
            continue
        end = max((token for token in named if rest.lstrip().startswith(token)), key=len, default=None)
        opening = before.partition(question["content"])[0]
        if end is not None and (end in before.partition(thought)[2] or (following and end == max(named, key=opening.rfind))):
            return None  # it closes a thought, or introduces the next question
        if end is not None:
            return end
    return None


def content_spans(template: str, messages: Messages, marks: dict[str, Any], tokens: Sequence[Token]) -> tuple[Span, ...]:
    """Return for each message the first and the end index of the tokens with its content; all other tokens are the template's.

    (0, 0) for content that the template changed, for example a thought that it leaves out of earlier answers.
    """
    written = [token.raw.decode("utf-8", "replace") if token.special else token.text for token in tokens]
    ends = list(accumulate(map(len, written)))
    joined, done = "".join(written), 0
    spans: list[Span] = []
    for before, message in zip(_template_texts(template, messages, marks), messages, strict=True):
        content = message["content"].strip()
        at = max(done, joined.find(before, done) + len(before)) if before in joined[done:] else done
        texts = [content]
        if message["role"] == "assistant":  # the template leaves a thought out, or writes it in its own way
            texts.append(without_thought(content).strip() or thought_of(content).strip())
        # "done" for a template that writes something else before this message than before the one that was tried
        hits = ((joined.find(text, begin), text) for text in texts if text for begin in (at, done))
        start, content = next(((start, text) for start, text in hits if start >= 0), (-1, content))
        if start < 0:
            spans.append((0, 0))
            continue
        done = start + len(content)
        spans.append((bisect_right(ends, start), bisect_left(ends, done) + 1))
    return tuple(spans)


def _template_texts(template: str, messages: Messages, marks: dict[str, Any]) -> list[str]:
    """Return the template's own text before each content, without outer whitespace; "" where it is not known."""
    marked = [{**message, "content": _MARKED.format(number=number)} for number, message in enumerate(messages)]
    begun = messages[-1]["role"] == "assistant"
    try:
        rest = render(template, marked, marks, introduce=not begun)
        if begun and marked[-1]["content"] not in rest:
            rest = render(template, marked[:-1], marks)
    except (TemplateFailed, ValueError, IndexError):
        return [""] * len(messages)
    begun = begun and marked[-1]["content"] not in rest
    texts = []
    for message in marked[: len(marked) - begun]:
        before, mark, after = rest.partition(message["content"])
        texts.append(before.strip() if mark else "")
        rest = after if mark else rest
    return [*texts, rest.strip()] if begun else texts
