"""Render a model's chat template in a separate process with limits on time and memory.

A chat template is a program written by the model's maker. transformers runs it in jinja2's sandbox, which blocks access to the machine but
not endless loops or gigabytes of output. The process renders as transformers does and is killed after `seconds`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

SECONDS = 5.0  # limit for one rendering, including the start of the process
MEGABYTES = 512  # of address space
LONGEST = 4_000_000  # limit on the rendered text, in characters
_PROGRAM = Path(__file__).with_name("chat_template_process.py")


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
