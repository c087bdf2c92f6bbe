"""Event log: one JSON object per line, without texts of visitors. The latest faults are stored for the operator's page.

    TOKEN_VIEWER_LOG        json (default of a public instance) or plain (default elsewhere)
    TOKEN_VIEWER_LOG_TEXTS  1 logs the messages of faults, which can quote prompts, names and addresses

A fault is logged with its exception type and the lines of our files in its traceback. Its message is left out, because it can quote
texts of visitors.
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
MOST_FAULTS = 50
OURS = (*(f"{__name__.removesuffix('pages.ui.server.event_log')}{name}" for name in ("core", "pages")), "__main__")  # loggers
FACTS = ("event", "why", "path", "model", "seconds", "bytes", "visitors", "kind")


@dataclass(frozen=True, slots=True)
class Fault:
    """An error: its time (UTC), its exception type, and the lines of our files in its traceback."""

    when: datetime
    kind: str
    place: str


def keeps_messages() -> bool:
    """Return whether messages of faults are logged (TOKEN_VIEWER_LOG_TEXTS)."""
    return os.environ.get("TOKEN_VIEWER_LOG_TEXTS") == "1"


def fault_of(record: logging.LogRecord) -> Fault:
    """Return the parts of a log record that contain no text of a visitor."""
    error = record.exc_info[1] if record.exc_info else None
    kind = record.name if error is None else type(error).__name__
    lines = [] if error is None else [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(str(ROOT))]
    code_place = (
        " < ".join(f"{Path(f.filename).relative_to(ROOT)}:{f.lineno}" for f in reversed(lines[-4:])) or f"{record.module}:{record.lineno}"
    )
    return Fault(datetime.fromtimestamp(record.created, UTC), kind, code_place)


class JsonLines(logging.Formatter):
    """Formats log records as one JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as JSON. Messages are included only if TOKEN_VIEWER_LOG_TEXTS is 1."""
        fault = fault_of(record)
        entry: dict[str, object] = {"time": fault.when.isoformat(timespec="milliseconds"), "level": record.levelname, "from": record.name}
        entry |= {name: getattr(record, name) for name in FACTS if hasattr(record, name)}
        if record.exc_info and record.exc_info[1] is not None:
            entry |= {"fault": fault.kind, "place": fault.place}
        if record.name.startswith(tuple(f"{name}." for name in OURS[:2])) or record.name in OURS:
            entry["said"] = str(record.msg)  # the template, without its values
        if keeps_messages():
            entry["said"] = record.getMessage()
            if record.exc_info:
                entry["traceback"] = "".join(traceback.format_exception(*record.exc_info))
        return json.dumps(entry, ensure_ascii=False, default=str)


class _Latest(logging.Handler):
    """Stores the latest faults."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.faults: deque[Fault] = deque(maxlen=MOST_FAULTS)

    def emit(self, record: logging.LogRecord) -> None:
        """Store this record."""
        self.faults.append(fault_of(record))


_LATEST = _Latest()


def open_event_log() -> None:
    """Set up logging, once per process, before the server listens."""
    wanted = os.environ.get("TOKEN_VIEWER_LOG", "json" if deployment.public() else "plain")
    root = logging.getLogger()
    if _LATEST in root.handlers:
        return
    root.addHandler(_LATEST)
    for name in OURS[:2]:
        logging.getLogger(name).setLevel(logging.INFO)
    if wanted != "json":
        root.addHandler(logging.StreamHandler())  # Python's default, which a handler of our own replaces
        root.handlers[-1].setLevel(logging.WARNING)
        return
    lines = logging.StreamHandler(sys.stderr)
    lines.setFormatter(JsonLines())
    lines.setLevel(logging.INFO)
    root.addHandler(lines)
    for name in ("streamlit", "uvicorn", "uvicorn.error"):  # their own handlers would write complete messages
        other = logging.getLogger(name)
        other.handlers.clear()
        other.propagate = True


def latest_faults() -> list[Fault]:
    """Return the latest faults, newest first."""
    return list(_LATEST.faults)[::-1]
