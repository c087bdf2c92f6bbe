"""What Streamlit makes anew at every run of a script, although it is always the same: made once.

With thirty in Play a script runs twenty times a second, and half of what the garbage collector then had to look through, for a tenth of a
second at a time, were classes: three for every component on the page, since its value is shown as an object of a class of its own.
`lighten` gives them all one class (nobody here writes into a component's value), and keeps the message with the theme.
A Streamlit in which these functions are called otherwise is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from streamlit import config
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session

Presenter = Callable[[object, Any], object]
_POPULATE, _PRESENT = "_populate_theme_msg", "make_bidi_component_presenter"


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
