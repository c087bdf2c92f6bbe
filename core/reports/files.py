"""Files of reports: pictures of steps, animations and pages, written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path
from uuid import uuid4

from core.errors import BadSetting, CannotWrite
from core.message import Message, quote

THEMES = ("light", "dark")


def checked_theme(theme: str) -> str:
    """Return the theme. Raises BadSetting for another one than "light" and "dark"."""
    if theme not in THEMES:
        raise BadSetting("A picture is light or dark, not {value}.", value=repr(theme))
    return theme


def ending(path: str | Path, *allowed: str) -> str:
    """Return the ending of a file's name. Raises BadSetting for one that is not known."""
    suffix = Path(path).suffix.lower()
    if suffix not in allowed:
        raise BadSetting("The file name {name} must end in {endings}.", name=quote(Path(path).name), endings=", ".join(allowed))
    return suffix


def write(path: str | Path, content: bytes) -> None:
    """Write a file whole: if that fails, a file that was there before stays. Raises CannotWrite."""
    path = Path(path)
    new = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        new.write_bytes(content)
        os.replace(new, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            new.unlink()
        message = Message("{name} could not be written ({reason}). Nothing was changed. Choose another folder, or free space on the disk.")
        raise CannotWrite(message.with_values(name=quote(path.name), reason=error.strerror or type(error).__name__)) from error


def file_name(*parts: str, kind: str) -> str:
    """Return a file name that says what is inside.

    >>> file_name("How sure was it?", "storyteller", "Once upon a time", "dark", kind="png")
    'how-sure-was-it_storyteller_once-upon-a-time_dark.png'
    """
    words = (re.sub(r"[\W_]+", "-", part.lower()).strip("-")[:48].strip("-") for part in parts)
    return f"{'_'.join(word for word in words if word) or 'chart'}.{kind}"
