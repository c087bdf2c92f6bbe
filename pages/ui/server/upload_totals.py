"""Uploaded files that Streamlit holds in memory: their sizes, bounded per session, per address and together, and how each is let go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

LEAST = 4096  # bytes that a file counts at least


@dataclass(frozen=True, slots=True)
class UploadBounds:
    """Bytes of the files of one session, and of all. 0: no limit.

    One address has half of all, or what one session has if that is more: three sessions of a stranger would leave no room for others.
    """

    session: int
    all: int

    @property
    def address(self) -> int:
        """Bytes of the files of one address."""
        return max(self.session, self.all // 2) if self.all else 0


@dataclass(slots=True)
class Uploads:
    """The files of all sessions. A file is counted, as its bytes arrive, until it is removed."""

    sizes: dict[tuple[str, str], int] = field(default_factory=dict)  # by session and file
    of_session: Counter[str] = field(default_factory=Counter)
    of_address: Counter[str] = field(default_factory=Counter)
    addresses: dict[tuple[str, str], str] = field(default_factory=dict)  # where each file came from; "" for this machine
    deleters: dict[str, Callable[[], object]] = field(default_factory=dict)  # by file
    arriving: set[tuple[str, str]] = field(default_factory=set)  # files whose request has not ended
    lock: Lock = field(default_factory=Lock)

    def add(self, session: str, file: str, size: int, bounds: UploadBounds, address: str = "") -> bool:
        """Count a file whose request begins. Return False, and count nothing, if it is known or would exceed the bounds.

        Its bytes count as they arrive. Otherwise a stranger could announce files, send nothing, and leave no room for others.
        address: where it comes from, "" for this machine, which has no bound of its own.
        """
        with self.lock:
            if (session, file) in self.sizes or not self._has_room(session, address, max(size, LEAST), bounds):
                return False
            self.addresses[session, file] = address
            self._count(session, file, LEAST)
            self.arriving.add((session, file))
            return True

    def grow(self, session: str, file: str, size: int, bounds: UploadBounds) -> bool:
        """Count so many bytes more of a file that arrives. Return False, and count nothing, if they would exceed the bounds."""
        with self.lock:
            if not self._has_room(session, self.addresses.get((session, file), ""), size, bounds):
                return False
            self._count(session, file, size)
            return True

    def arrived(self, session: str, file: str, delete: Callable[[], object]) -> None:
        """Note that a file is complete. delete: deletes it, called from any thread."""
        with self.lock:
            self.arriving.discard((session, file))
            self.deleters[file] = delete

    def _has_room(self, session: str, address: str, size: int, bounds: UploadBounds) -> bool:
        counted = [(self.of_session[session], bounds.session), (self.of_session.total(), bounds.all)]
        counted += [(self.of_address[address], bounds.address)] if address else []
        return not any(most and bytes_now + size > most for bytes_now, most in counted)

    def _count(self, session: str, file: str, size: int) -> None:
        self.sizes[session, file] = self.sizes.get((session, file), 0) + size
        self.of_session[session] += size
        self.of_address[self.addresses.get((session, file), "")] += size

    def remove(self, session: str, file: str) -> None:
        """Stop counting a file."""
        with self.lock:
            self.arriving.discard((session, file))
            size = self.sizes.pop((session, file), 0)
            self.of_session[session] -= size
            self.of_address[self.addresses.pop((session, file), "")] -= size
            self.of_session += Counter()  # without the sessions and addresses that have no files
            self.of_address += Counter()
            self.deleters.pop(file, None)

    def let_go(self, file: str) -> None:
        """Delete a file that was read. For the thread of a script; `file` is its `file_id`."""
        delete = self.deleters.pop(file, None)
        if delete is not None:
            delete()


UPLOADS = Uploads()
