"""Chat templates of strangers, rendered in a process of their own that ends in time and in memory.

A chat template is a program of the model's maker. transformers keeps it from reaching anything (a sandbox of jinja2), but not from going on
for ever, nor from writing gigabytes. So it runs here as transformers runs it, alone in a small process with limits, and what is left of it
after a few seconds is ended.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

SECONDS = 5.0  # for one rendering, the start of the process included
MEGABYTES = 512  # of address space
LONGEST = 4_000_000  # characters of what it writes
_PROGRAM = Path(__file__).with_name("chat_template_process.py")


class TemplateFailed(Exception):
    """A template that raised, wrote too much, or did not end."""


def render(template: str, turns: list[dict[str, str]], marks: dict[str, Any], seconds: float = SECONDS) -> str:
    """What this template makes of these turns, with the beginning of an answer behind them. Raises TemplateFailed.

    marks: the tokenizer's special tokens by name, as transformers hands them to a template.
    """
    plain = {name: mark if isinstance(mark, str) else [str(one) for one in mark] for name, mark in marks.items()}
    return _render(json.dumps({"template": template, "turns": turns, "marks": plain, "megabytes": MEGABYTES, "longest": LONGEST}), seconds)


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
