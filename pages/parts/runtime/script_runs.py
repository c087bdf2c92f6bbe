"""What Streamlit does anew at every run of a script, or for every message of one, although once would do.

With thirty in Play a script runs twenty times a second, and half of what the garbage collector then had to look through, for a tenth of a
second at a time, were classes: three for every component on the page, since its value is shown as an object of a class of its own.
`lighten` gives them all one class (nobody here writes into a component's value), and keeps the message with the theme.

A page is some hundred messages. For each Streamlit takes the configuration's lock and wakes the event loop, through a socket, twice. Among
forty threads that is a hundred places to be put to sleep with the lock in hand, behind which all others then queue: at its worst a third of
all time went there. Here an option is read without a lock, and one waking is for all messages that wait.
A Streamlit in which these functions are called otherwise is left as it is.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from threading import Lock
from typing import Any

from streamlit import config
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session
from streamlit.runtime.runtime import Runtime

Presenter = Callable[[object, Any], object]
_POPULATE, _PRESENT = "_populate_theme_msg", "make_bidi_component_presenter"
_SOON, _ENQUEUED = "_call_soon_on_event_loop", "_enqueued_some_message"
_CALLBACKS, _OPTION = "_token_viewer_callbacks", "get_option"


class ThemeMessages:
    """Fills in the theme by sections as Streamlit's own function does: asked once for each, and when the configuration is read anew."""

    def __init__(self, populate: Callable[..., None]) -> None:
        self._populate = populate
        self._made: dict[str, CustomThemeConfig] = {}

    def __call__(self, message: CustomThemeConfig, section: str = "theme") -> None:
        """Fill in one section."""
        made = self._made.get(section)
        if made is None:
            made = CustomThemeConfig()
            self._populate(made, section)
            self._made[section] = made
        message.MergeFrom(made)

    def forget(self) -> None:
        """The configuration is another now."""
        self._made = {}


class Value(dict[str, object]):
    """What a component keeps and has just triggered, by key or by attribute; None for an attribute that is not there. To be read only."""

    def __getattr__(self, name: str) -> object:
        return self.get(name)


def presenter(aggregator_id: str, component_id: str | None = None, allowed_state_keys: set[str] | None = None) -> Presenter:
    """How a component's value is seen in st.session_state."""
    del component_id, allowed_state_keys  # of what is written into it

    def present(base: object, session_state: Any) -> object:
        if not isinstance(base, dict):
            return base
        known = session_state._new_widget_state.widget_metadata.get(aggregator_id)
        if known is None or known.value_type != "json_trigger_value":
            return base
        try:
            triggered = session_state._new_widget_state[aggregator_id]
        except KeyError:
            return Value(base)
        events = triggered if isinstance(triggered, list) else [triggered]
        told = {event["event"]: event.get("value") for event in events if isinstance(event, dict) and isinstance(event.get("event"), str)}
        return Value({**told, **base})

    return present


class LockFreeOptions:
    """Reads an option as Streamlit's own function does, without its lock: whoever sets one puts another table or value in place at once."""

    def __init__(self, own: Callable[[str], Any]) -> None:
        self._own = own

    def __call__(self, key: str) -> Any:
        """Its value. Raises RuntimeError."""
        known = (getattr(config, "_config_options", None) or {}).get(key)
        return self._own(key) if known is None else known.value


class CallbackQueue:
    """What threads want done on an event loop, in the order in which they said so; the loop is woken once for all that wait."""

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()
        self._woken = False
        self._lock = Lock()

    def add(self, callback: Callable[[], None], wake: Callable[[Callable[[], None]], object]) -> None:
        """Called by any thread. wake: has a function called on the loop."""
        with self._lock:
            self._waiting.append(callback)
            woken, self._woken = self._woken, True
        if not woken:
            wake(lambda: self._run(wake))

    def _run(self, wake: Callable[[Callable[[], None]], object]) -> None:
        """On the loop. What comes meanwhile has a waking of its own, so that other things have their turn."""
        with self._lock:
            due, self._waiting, self._woken = self._waiting, deque(), False
        try:
            while due:
                due.popleft()()
        finally:
            if due:  # one of them failed, which the loop reports; the others are not to blame, and still come before what came later
                with self._lock:
                    self._waiting.extendleft(reversed(due))
                    woken, self._woken = self._woken, True
                if not woken:
                    wake(lambda: self._run(wake))


def _call_soon(own: Callable[[Any, Callable[[], None]], None]) -> Callable[[Any, Callable[[], None]], None]:
    """A session's way to its event loop."""

    def call_soon(session: Any, callback: Callable[[], None]) -> None:
        callbacks = vars(session).get(_CALLBACKS) or vars(session).setdefault(_CALLBACKS, CallbackQueue())
        callbacks.add(callback, lambda waiting: own(session, waiting))

    return call_soon


def _enqueued(own: Callable[[Any], None]) -> Callable[[Any], None]:
    """Says that there is something to send: whoever is on the loop already need not wake it."""

    def enqueued(runtime: Any) -> None:
        loop = runtime._get_async_objs()
        try:
            here = asyncio.get_running_loop() is loop.eventloop
        except RuntimeError:
            here = False
        if here:
            loop.need_send_data.set()
        else:
            own(runtime)

    return enqueued


def lighten() -> None:
    """Once a process, before the server listens."""
    from streamlit.components.v2.bidi_component import main as components

    populate = getattr(app_session, _POPULATE, None)
    if callable(populate) and not isinstance(populate, ThemeMessages):
        themes = ThemeMessages(populate)
        config.on_config_parsed(themes.forget, force_connect=True)
        setattr(app_session, _POPULATE, themes)
    if callable(getattr(components, _PRESENT, None)):
        setattr(components, _PRESENT, presenter)
    if isinstance(getattr(config, "_config_options", None), dict | None) and not isinstance(config.get_option, LockFreeOptions):
        setattr(config, _OPTION, LockFreeOptions(config.get_option))
    for owner, name, lighter in ((app_session.AppSession, _SOON, _call_soon), (Runtime, _ENQUEUED, _enqueued)):
        own = getattr(owner, name, None)
        if callable(own) and own.__module__ != __name__:
            setattr(owner, name, lighter(own))
