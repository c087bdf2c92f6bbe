"""Sizes of the files that each session has uploaded, counted from the requests."""

from __future__ import annotations

from collections import OrderedDict


class UploadSizes:
    """Bytes of each uploaded file, by session and path of the file. At most `sessions` sessions are remembered, the newest ones."""

    def __init__(self, sessions: int = 10_000) -> None:
        self._most_sessions = sessions
        self._sizes: OrderedDict[str, dict[str, int]] = OrderedDict()

    def add(self, session: str, file: str, size: int, most: int) -> bool:
        """Count a file of `size` bytes. Return False, and count nothing, if the session's files would exceed `most` bytes."""
        files = self._sizes.get(session, {})
        if sum(files.values()) - files.get(file, 0) + size > most:
            return False
        self._sizes[session] = files | {file: size}
        self._sizes.move_to_end(session)
        if len(self._sizes) > self._most_sessions:
            self._sizes.popitem(last=False)
        return True

    def remove(self, session: str, file: str) -> None:
        """Forget a file that the browser has deleted."""
        self._sizes.get(session, {}).pop(file, None)
