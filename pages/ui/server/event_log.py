"""The journal: what happened here, as one JSON object a line, without a word that a visitor wrote; and the latest faults, for the operator.

    TOKEN_VIEWER_LOG        json (usual in a public instance) or plain (usual elsewhere)
    TOKEN_VIEWER_LOG_TEXTS  1 keeps the messages of faults as they are; they may quote prompts, names and addresses

A fault is told by its kind and by the lines of our files it came through. Its message is left out: a message quotes what went wrong.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import traceback
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pages.ui.server import deployment

ROOT = Path(__file__).parents[3]
KEPT = 50
OURS = ("core", "pages", "__main__")
FACTS = ("event", "why", "path", "model", "seconds", "bytes", "visitors", "kind")


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that went wrong: when (UTC), what kind, and through which of our lines."""

    when: datetime
    kind: str
    place: str


def keeps_messages() -> bool:
    """Whether the owner asked for the messages of faults."""
    return os.environ.get("TOKEN_VIEWER_LOG_TEXTS") == "1"


def fault_of(record: logging.LogRecord) -> Fault:
    """A record of the log, as far as it holds nobody's words."""
    error = record.exc_info[1] if record.exc_info else None
    kind = record.name if error is None else type(error).__name__
    lines = [] if error is None else [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(str(ROOT))]
    place = (
        " < ".join(f"{Path(f.filename).relative_to(ROOT)}:{f.lineno}" for f in reversed(lines[-4:])) or f"{record.module}:{record.lineno}"
    )
    return Fault(datetime.fromtimestamp(record.created, UTC), kind, place)


class JsonLines(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """This record without anybody's words, unless they are asked for."""
        fault = fault_of(record)
        told: dict[str, object] = {"time": fault.when.isoformat(timespec="milliseconds"), "level": record.levelname, "from": record.name}
        told |= {name: getattr(record, name) for name in FACTS if hasattr(record, name)}
        if record.exc_info and record.exc_info[1] is not None:
            told |= {"fault": fault.kind, "place": fault.place}
        if record.name.split(".")[0] in OURS:
            told["said"] = str(record.msg)  # the sentence of our own, before anything is put into it
        if keeps_messages():
            told["said"] = record.getMessage()
            if record.exc_info:
                told["traceback"] = "".join(traceback.format_exception(*record.exc_info))
        return json.dumps(told, ensure_ascii=False, default=str)


class _Latest(logging.Handler):
    """Keeps the latest faults."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.faults: deque[Fault] = deque(maxlen=KEPT)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep this one."""
        self.faults.append(fault_of(record))


_LATEST = _Latest()


def open_event_log() -> None:
    """Begin to keep it; once per process, before the server listens."""
    wanted = os.environ.get("TOKEN_VIEWER_LOG", "json" if deployment.public() else "plain")
    root = logging.getLogger()
    if _LATEST in root.handlers:
        return
    root.addHandler(_LATEST)
    for name in OURS[:2]:
        logging.getLogger(name).setLevel(logging.INFO)
    if wanted != "json":
        root.addHandler(logging.StreamHandler())  # what Python does by itself where nobody listens
        root.handlers[-1].setLevel(logging.WARNING)
        return
    lines = logging.StreamHandler(sys.stderr)
    lines.setFormatter(JsonLines())
    lines.setLevel(logging.INFO)
    root.addHandler(lines)
    for name in ("streamlit", "uvicorn", "uvicorn.error"):  # their own handlers write messages as they are
        other = logging.getLogger(name)
        other.handlers.clear()
        other.propagate = True


def latest_faults() -> list[Fault]:
    """What went wrong lately, the newest first."""
    return list(_LATEST.faults)[::-1]
