"""Playback scheduler: how often Play draws, and how many players share one machine without waiting for each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from math import exp
from threading import Lock
from time import monotonic

from core.engine.fair_lock import FairLock

GONE = 4.0  # seconds after which somebody who has not drawn is no player any more; three pauses, where those are longer
BUSY = 0.6  # share of the time that the draws of all players may take together; the rest is for sending them and keeps clicks quick
MEMORY = 8.0  # seconds over which the time a draw takes is averaged
LONGEST = 1.0  # seconds that one draw counts at most: one slow prefill is no reason for everybody to wait
APART = 0.1  # seconds between two clocks that are set anew: it takes the whole page, and must not come from all at once


@dataclass
class PlaybackScheduler:
    """All who play now, in this process. spent, draws: the seconds that draws took lately and their number, fading."""

    spent: float = 0.01
    draws: float = 1.0
    noted: float = field(default_factory=monotonic)
    changed: float = 0.0
    seen: dict[int, float] = field(default_factory=dict)
    draw_lock: FairLock = field(default_factory=FairLock)  # one draws at a time: all at once would all be late
    lock: Lock = field(default_factory=Lock)

    def join(self, player: int) -> None:
        """Somebody plays from now on."""
        with self.lock:
            self.seen[player] = monotonic()

    def leave(self, player: int) -> None:
        """Somebody has stopped."""
        with self.lock:
            self.seen.pop(player, None)

    def note(self, player: int, seconds: float, draws: int = 1) -> None:
        """Somebody has drawn, and it took so long. draws: 0 for the lesser parts of the page, which cost time and are no step."""
        with self.lock:
            now = monotonic()
            fade, self.noted = exp((self.noted - now) / MEMORY), now
            self.spent = self.spent * fade + min(seconds, LONGEST)
            self.draws = self.draws * fade + draws
            self.seen[player] = now
            gone = max(GONE, 3 * self.fair_pause())
            self.seen = {one: last for one, last in self.seen.items() if now - last < gone}

    @property
    def players(self) -> int:
        """How many play now."""
        return len(self.seen)

    def fair_pause(self) -> float:
        """Seconds between two draws of one player, so that all together stay within what one process can do."""
        return self.players * self.spent / max(self.draws, 1e-3) / BUSY

    def may_change(self) -> bool:
        """Whether somebody's clock may be set anew just now."""
        with self.lock:
            now = monotonic()
            if now - self.changed < APART:
                return False
            self.changed = now
            return True


@cache
def scheduler() -> PlaybackScheduler:
    """The one floor of this process."""
    return PlaybackScheduler()
