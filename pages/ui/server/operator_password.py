"""The operator's password, and how wrong tries slow the next answers."""

from __future__ import annotations

import hmac
import logging
import os
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from threading import Lock
from time import monotonic, sleep

from pages.ui.server.network_address import network_of

log = logging.getLogger(__name__)

LEAST_PASSWORD = 12  # characters
TRIES, WINDOW = 5, 300.0  # wrong passwords from one address within so many seconds
DELAY, SLOWEST = 0.05, 5.0  # seconds by which each wrong password of anybody slows the next answer, and at most


class Password:
    """The operator's password: compared in constant time, with a limit on wrong tries of one address.

    All answers get slower with the wrong tries of all addresses. No number of strangers can therefore lock the operator out.
    """

    def __init__(self, wait: Callable[[float], object] = sleep) -> None:
        self._lock, self._wait = Lock(), wait
        self._wrong: deque[tuple[float, str]] = deque(maxlen=10_000)

    @staticmethod
    def is_set() -> bool:
        """Return whether a password of sufficient length is set."""
        password = os.environ.get("TOKEN_VIEWER_OPERATOR_PASSWORD", "")
        if password and len(password) < LEAST_PASSWORD:
            log.warning("TOKEN_VIEWER_OPERATOR_PASSWORD has fewer than %d characters and is not used", LEAST_PASSWORD)
        return len(password) >= LEAST_PASSWORD

    def opens(self, word: str, address: str | None) -> bool | None:
        """Return whether this is the password, None after TRIES wrong ones from this address. address: None if it is unknown."""
        entry = monotonic(), network_of(address)
        with self._lock:
            while self._wrong and entry[0] - self._wrong[0][0] > WINDOW:
                self._wrong.popleft()
            if address and sum(wrong_address == entry[1] for _when, wrong_address in self._wrong) >= TRIES:
                return None
            delay = min(SLOWEST, DELAY * len(self._wrong))
            self._wrong.append(entry)  # counted before the wait, so that tries at the same time count, too
        self._wait(delay)
        password = os.environ.get("TOKEN_VIEWER_OPERATOR_PASSWORD", "")
        same = hmac.compare_digest(sha256(word.encode("utf-8", "replace")).digest(), sha256(password.encode("utf-8", "replace")).digest())
        if not (self.is_set() and same):
            return False
        with self._lock, suppress(ValueError):
            self._wrong.remove(entry)
        return True
