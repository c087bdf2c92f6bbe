"""The error of a full disk, which each library reports in another way."""

from __future__ import annotations

import errno
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from core.errors import NoRoom, quoted
from core.message import Message

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
NO_FOLDER = "No usable temporary directory"  # Python, if it cannot write into any folder for temporary files


def is_disk_full(error: BaseException | None) -> bool:
    """Return whether this error, or one that led to it, says that a file cannot grow. Libraries in Rust name the number in their text."""
    while error is not None:
        text = str(error)
        if getattr(error, "errno", None) in _FULL or NO_FOLDER in text or any(f"(os error {number})" in text for number in _FULL):
            return True
        error = error.__cause__ or error.__context__
    return False


def has_room_for(size: int) -> bool:
    """Return whether a temporary file of so many bytes fits on the disk."""
    try:
        return shutil.disk_usage(tempfile.gettempdir()).free >= size
    except OSError:  # no folder can be written
        return False


def no_room_on_disk(name: str) -> NoRoom:
    """Return the error for the files of this model."""
    message = Message("There is no room on the disk of this app's machine for the files of {name}. Free some space, then try again.")
    return NoRoom(message.with_values(name=quoted(name)))


@contextmanager
def disk_full_named(name: str) -> Iterator[None]:
    """Raise NoRoom for errors of a full disk within the `with` block. name: of the model that is read or written."""
    try:
        yield
    except NoRoom:
        raise
    except Exception as error:
        if not is_disk_full(error):
            raise
        raise no_room_on_disk(name) from error
