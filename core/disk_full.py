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
NO_TEMPORARY_FOLDER = Message(
    "This app cannot write to any folder for temporary files. Set TMPDIR to a folder that it can write to, then start it again."
)
NO_FOLDER = "No usable temporary directory"  # Python, if it cannot write into any folder for temporary files


def is_disk_full(error: BaseException | None) -> bool:
    """Return whether this error, or one that led to it, says that a file cannot grow. Libraries in Rust name the number in their text."""
    for cause in _causes(error):
        text = str(cause)
        if getattr(cause, "errno", None) in _FULL or NO_FOLDER in text or any(f"(os error {number})" in text for number in _FULL):
            return True
    return False


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and those that led to it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


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
def temporary_folder_named() -> Iterator[None]:
    """Raise NoRoom for errors within the `with` block that a missing folder for temporary files led to.

    Libraries ask for the folder while they are imported, so it looks like an error of the file that is read.
    """
    try:
        yield
    except Exception as error:
        if not any(NO_FOLDER in str(cause) for cause in _causes(error)):
            raise
        raise NoRoom(NO_TEMPORARY_FOLDER) from error


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a new folder for temporary files. Raises NoRoom if there is no place for it."""
    try:
        return tempfile.TemporaryDirectory()
    except OSError as error:
        if is_disk_full(error):
            raise
        raise NoRoom(NO_TEMPORARY_FOLDER) from error


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
