"""Uploaded files that Streamlit holds in memory: their sizes, bounded per session and together, and how each is let go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

LEAST = 4096  # bytes that a file counts at least


@dataclass(slots=True)
class Uploads:
    """The files of all sessions. A file is counted, as its bytes arrive, until it is removed."""

    sizes: dict[tuple[str, str], int] = field(default_factory=dict)  # by session and file
    of_session: Counter[str] = field(default_factory=Counter)
    deleters: dict[str, Callable[[], object]] = field(default_factory=dict)  # by file
    arriving: set[tuple[str, str]] = field(default_factory=set)  # files whose request has not ended
    lock: Lock = field(default_factory=Lock)

    def add(self, session: str, file: str, size: int, most_of_session: int, most: int) -> bool:
        """Count a file whose request begins. Return False, and count nothing, if it is known, or if it would exceed the bytes of its
        session or of all files (0: no limit).

        Its bytes count as they arrive. Otherwise a stranger could announce files, send nothing, and leave no room for others.
        """
        with self.lock:
            if (session, file) in self.sizes or not self._has_room(session, max(size, LEAST), most_of_session, most):
                return False
            self._count(session, file, LEAST)
            self.arriving.add((session, file))
            return True

    def grow(self, session: str, file: str, size: int, most_of_session: int, most: int) -> bool:
        """Count so many bytes more of a file that arrives. Return False, and count nothing, if they would exceed the bytes."""
        with self.lock:
            if not self._has_room(session, size, most_of_session, most):
                return False
            self._count(session, file, size)
            return True

    def arrived(self, session: str, file: str, delete: Callable[[], object]) -> None:
        """Note that a file is complete. delete: deletes it, called from any thread."""
        with self.lock:
            self.arriving.discard((session, file))
            self.deleters[file] = delete

    def _has_room(self, session: str, size: int, most_of_session: int, most: int) -> bool:
        of_session, total = self.of_session[session] + size, self.of_session.total() + size
        return not ((most_of_session and of_session > most_of_session) or (most and total > most))

    def _count(self, session: str, file: str, size: int) -> None:
        self.sizes[session, file] = self.sizes.get((session, file), 0) + size
        self.of_session[session] += size

    def remove(self, session: str, file: str) -> None:
        """Stop counting a file."""
        with self.lock:
            self.arriving.discard((session, file))
            self.of_session[session] -= self.sizes.pop((session, file), 0)
            self.of_session += Counter()  # without the sessions that have no files
            self.deleters.pop(file, None)

    def let_go(self, file: str) -> None:
        """Delete a file that was read. For the thread of a script; `file` is its `file_id`."""
        delete = self.deleters.pop(file, None)
        if delete is not None:
            delete()


UPLOADS = Uploads()
