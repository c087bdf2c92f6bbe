"""Tasks in the browser itself: address, storage, parts in progress, reconnection, screen reader announcements, network time."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core.record.step import Step, TokenDistribution
from pages.ui.components.register import component
from pages.ui.i18n import numbers
from pages.ui.i18n.spoken_language import current
from pages.ui.i18n.translation import _

LONGEST = 60.0  # seconds; a longer round trip is not a measurement

_HTML = '<div class="announcer"></div><div class="late" role="status"></div>'
_BROWSER = component("browser", _HTML, "../run_connection", "../address", "mends", "progress", "browser")


def address(key: str, data: dict[str, Any], on_found: Callable[[], None]) -> None:
    """Write the address. `on_found` is called when the browser sends a stored query, in `st.session_state[key].found`."""
    _BROWSER(key=key, data={"task": "address", **data}, on_found_change=on_found)


def talk(key: str, data: dict[str, Any], on_found: Callable[[], None]) -> None:
    """Store the talk in this tab. `on_found` is called with an earlier session's talk, in `st.session_state[key].found`."""
    _BROWSER(key=key, data={"task": "talk", **data}, on_found_change=on_found)


def presets(key: str, data: dict[str, Any], on_found: Callable[[], None]) -> None:
    """Store a change of the visitor's presets. `on_found` is called with the stored ones, in `st.session_state[key].found`."""
    _BROWSER(key=key, data={"task": "presets", **data}, on_found_change=on_found)


def follow_system_theme() -> None:
    """Draw the page again when the system turns dark or light; app.py calls it on every page."""
    _BROWSER(key="system_theme", data={"task": "theme"}, on_dark_change=lambda: None)


def progress(part: str, data: dict[str, Any]) -> None:
    """Draw this part of the page again when the server sends another number for it than the one in `data` (see `session/progress`)."""
    _BROWSER(key=f"{part}_progress", data={"task": "progress", "part": part, **data}, on_due_change=lambda: None)


def describe_page(group: str, section: str, path: str, ask_before_closing: bool = False) -> None:
    """Set the page's language, mark its entry in the menu, and name its tabs; app.py calls it on every page.

    section: of the menu, with the entry; "" for none. path: changes where the menu is drawn again.
    ask_before_closing: the browser asks before it closes or reloads the page, because something would be lost.
    """
    data = {"task": "page", "group": _(group), "section": section, "page": path, "language": current(), "asks": ask_before_closing}
    _BROWSER(key="menu_mark", data=data)


def begin_at_top(path: str) -> None:
    """Scroll to the top when another page opens; app.py calls it before it draws the page. path: of the page."""
    _BROWSER(key="page_top", data={"task": "top", "page": path})


def reconnect() -> None:
    """Redraw the page after a lost connection, keep its clicks, and say when no answer comes; app.py calls it on every page."""
    late = _("The server has not answered for 5 seconds. Nothing is lost: the page continues when it answers.")
    _BROWSER(key="reconnect", data={"task": "reconnect", "sentence": late}, on_connected_change=lambda: None)


def announce(sentence: str, *, key: str) -> None:
    """Say a new sentence to screen readers, politely and at most once a second."""
    _BROWSER(key=key, data={"task": "announce", "sentence": sentence})


def announce_step(distribution: TokenDistribution | Step, *, key: str, finished: str = "") -> None:
    """Announce a step once its token is chosen. finished: why the text ended."""
    announce(" ".join(filter(None, (numbers.step(distribution) if isinstance(distribution, Step) else "", finished))), key=key)


def bring_into_view(name: str, turn: int, *, key: str) -> None:
    """Scroll to the container with the key `name` if it begins near the lower end of the window, once for every new `turn`; 0: never."""
    _BROWSER(key=key, data={"task": "bring_into_view", "name": name, "turn": turn})


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """Seconds. network: to the server and back; drawing: from one frame of the browser to the next."""

    network: float
    drawing: float


def round_trip(turn: int, *, key: str) -> RoundTrip | None:
    """Return the measured times, None until they arrive. A new `turn` measures again."""
    result = _BROWSER(key=key, data={"task": "round_trip", "turn": turn}, on_measured_change=lambda: None)
    return read_round_trip(getattr(result, "measured", None))


def read_round_trip(sent: Any) -> RoundTrip | None:
    """Return the times that the browser sent, None if they are not valid.

    >>> read_round_trip({"network": 0.02, "drawing": 0.016}), read_round_trip({"network": -1, "drawing": 0}), read_round_trip("soon")
    (RoundTrip(network=0.02, drawing=0.016), None, None)
    """
    values = [sent.get(name) for name in ("network", "drawing")] if isinstance(sent, dict) else [None]
    if any(isinstance(value, bool) or not isinstance(value, int | float) for value in values):
        return None
    network, drawing = (float(value) for value in values if value is not None)
    sound = all(math.isfinite(seconds) and 0 <= seconds <= LONGEST for seconds in (network, drawing))
    return RoundTrip(network, drawing) if sound else None
