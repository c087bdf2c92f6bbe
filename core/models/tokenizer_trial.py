"""Test a stranger's tokenizer in a separate process before this process loads it.

A tokenizer file contains tables and regular expressions of its author. Some never finish on a short text, others make a text thousands of
times longer. The separate process has limits on time and memory and uses test texts made of the characters in the tokenizer's own
expressions, so that a failure does not affect the app.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

from core.errors import ModelError, quoted
from core.message import Message
from core.models.hub import BUNDLED

SECONDS = 60.0  # for loading and the test texts; the largest tokenizers take three
MEGABYTES = 6_000  # of address space, several times the need of the largest
_PROGRAM = Path(__file__).with_name("tokenizer_trial_process.py")

# The possible findings of `tokenizer_trial_process`, marked here for translation because that program imports no module of the app.
FINDINGS = (
    Message("has more tokens than any model"),
    Message("stops with an error on a short text"),
    Message("makes thousands of tokens from a short text"),
)


def try_tokenizer(folder: Path, name: str, seconds: float = SECONDS) -> None:
    """Raise ModelError if a tokenizer does not finish, takes too much memory, or makes far too many tokens of a text."""
    path = folder / "tokenizer.json"
    if folder.parent == BUNDLED or not path.is_file():
        return
    stats = path.stat()
    why = _tried(str(path.resolve()), stats.st_mtime_ns, stats.st_size, seconds)
    if why:
        raise ModelError("The tokenizer of {name} cannot be used: it {why}.", name=quoted(name), why=Message(why))


@lru_cache(maxsize=256)
def _tried(path: str, changed: int, size: int, seconds: float) -> str:
    """Return the fault of this tokenizer file, "" if none was found. For an unreadable file it is "", because loading reports that."""
    try:
        completed = subprocess.run(
            [sys.executable, "-I", str(_PROGRAM), path, str(MEGABYTES)],
            capture_output=True,
            timeout=seconds,
            env={"TOKENIZERS_PARALLELISM": "false", "RAYON_NUM_THREADS": "1"},
            check=False,
        )
        answer = (
            json.loads(completed.stdout) if completed.returncode == 0 else {"why": Message("stops with an error or needs too much memory")}
        )
    except subprocess.TimeoutExpired:
        return Message("did not finish within its time limit on a short text")
    except (OSError, ValueError):
        return ""
    return str(answer.get("why", ""))
