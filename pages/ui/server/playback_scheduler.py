"""Playback scheduler: how often Play draws, and how many players share one machine without waiting for each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from math import exp
from threading import Lock
from time import monotonic

from core.engine.fair_lock import FairLock

GONE = 4.0  # seconds without a draw after which a player is forgotten; three pauses if that is longer
BUSY = 0.5  # share of the time that all draws together may take; the rest sends them and answers clicks
MEMORY = 8.0  # seconds over which the time of a draw is averaged
LONGEST = 1.0  # largest time in seconds that one draw counts, so that one slow prefill does not slow all players
SLOW = 1.0  # steps per second up to which a step is drawn twice
APART = 0.1  # seconds between two changes of clocks, because each change reruns a whole page


@dataclass
class PlaybackScheduler:
    """The players of this process. spent, draws: seconds of recent draws and their number, both decaying."""

    spent: float = 0.01
    draws: float = 1.0
    noted: float = field(default_factory=monotonic)
    changed: float = 0.0
    seen: dict[int, float] = field(default_factory=dict)
    draw_lock: FairLock = field(default_factory=FairLock)  # one player draws at a time
    lock: Lock = field(default_factory=Lock)

    def join(self, player: int) -> None:
        """Add a player."""
        with self.lock:
            self.seen[player] = monotonic()

    def leave(self, player: int) -> None:
        """Remove a player."""
        with self.lock:
            self.seen.pop(player, None)

    def note(self, player: int, seconds: float, draws: int = 1) -> None:
        """Note the seconds of a player's draw. draws: 0 for parts of the page that show no step."""
        with self.lock:
            now = monotonic()
            fade, self.noted = exp((self.noted - now) / MEMORY), now
            self.spent = self.spent * fade + min(seconds, LONGEST)
            self.draws = self.draws * fade + draws
            self.seen[player] = now
            gone = max(GONE, 3 * self.fair_pause())
            self.seen = {other_player: last for other_player, last in self.seen.items() if now - last < gone}

    @property
    def players(self) -> int:
        """The number of players."""
        return len(self.seen)

    def fair_pause(self) -> float:
        """Return the seconds between two draws of one player that keep all players within BUSY."""
        return self.players * self.spent / max(self.draws, 1e-3) / BUSY

    def pause(self, speed: float) -> float:
        """Return the seconds between two draws of a player with this speed (steps per second), at least `fair_pause`."""
        return max(pause_alone(speed), self.fair_pause()) if self.players > 1 else pause_alone(speed)

    def may_change(self) -> bool:
        """Return whether a clock may be changed now, and note the change."""
        with self.lock:
            now = monotonic()
            if now - self.changed < APART:
                return False
            self.changed = now
            return True


def pause_alone(speed: float) -> float:
    """Return the seconds between two draws of a player that is alone. A slow one draws every step twice, before and after its roll."""
    return 1 / speed / (2 if speed <= SLOW else 1)


@cache
def scheduler() -> PlaybackScheduler:
    """Return the scheduler of this process."""
    return PlaybackScheduler()
