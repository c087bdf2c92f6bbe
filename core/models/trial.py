"""Trial of a stranger's tokenizer in a process of its own, before it comes into this one.

A tokenizer is made of tables and regular expressions of its maker's. Some take for ever on a few letters, some make a text thousands of
times longer. So it is first loaded and used alone, with limits on time and memory, on texts that are made of the letters in its own
expressions. What goes wrong there goes wrong nowhere else.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

from core.errors import BrokenModel, quoted
from core.language import N_, _
from core.models.hub import BUNDLED

SECONDS = 60.0  # for loading and a few texts; the largest tokenizers take three
MEGABYTES = 6_000  # of address space; several times the largest
_PROGRAM = Path(__file__).with_name("trial_process.py")

# What `trial_process` may say of a tokenizer; it is a program of its own and imports nothing of ours.
FINDINGS = (
    N_("has more tokens than any model knows"),
    N_("breaks off over a few letters"),
    N_("makes thousands of tokens of a few letters"),
)


def try_tokenizer(folder: Path, name: str, seconds: float = SECONDS) -> None:
    """Raises BrokenModel for a tokenizer that does not end, takes too much memory, or makes far more of a text than it is."""
    path = folder / "tokenizer.json"
    if folder.parent == BUNDLED or not path.is_file():
        return
    known = path.stat()
    why = _tried(str(path.resolve()), known.st_mtime_ns, known.st_size, seconds)
    if why:
        raise BrokenModel(_("The tokenizer of {name} cannot be used: it {why}.").format(name=quoted(name), why=_(why)))


@lru_cache(maxsize=256)
def _tried(path: str, changed: int, size: int, seconds: float) -> str:
    """What is wrong with this file; empty if nothing is. What cannot even be read is left to whoever reads it next."""
    try:
        done = subprocess.run(
            [sys.executable, "-I", str(_PROGRAM), path, str(MEGABYTES)],
            capture_output=True,
            timeout=seconds,
            env={"TOKENIZERS_PARALLELISM": "false", "RAYON_NUM_THREADS": "1"},
            check=False,
        )
        answer = json.loads(done.stdout) if done.returncode == 0 else {"why": N_("breaks off, or takes too much memory")}
    except subprocess.TimeoutExpired:
        return N_("takes for ever over a few letters")
    except (OSError, ValueError):
        return ""
    return str(answer.get("why", ""))
