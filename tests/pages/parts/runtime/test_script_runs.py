"""What is made once instead of at every run: it is what Streamlit would have made, and a Streamlit of another build is left alone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from streamlit import config
from streamlit.components.v2.bidi_component import main as components
from streamlit.components.v2.presentation import make_bidi_component_presenter
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session

from pages.parts.runtime import script_runs
from pages.parts.runtime.script_runs import ThemeMessages, lighten, presenter

SECTIONS = ("theme", "theme.light", "theme.dark", "theme.sidebar", "theme.light.sidebar", "theme.dark.sidebar")


@pytest.fixture
def streamlit_own(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Streamlit's own function for the theme, whatever this process has put in its place; it is put back."""
    own = app_session._populate_theme_msg
    own = own._populate if isinstance(own, ThemeMessages) else own
    monkeypatch.setattr(app_session, "_populate_theme_msg", own)
    monkeypatch.setattr(components, "make_bidi_component_presenter", make_bidi_component_presenter)
    return own


@pytest.mark.parametrize("section", SECTIONS)
def test_the_theme_is_the_one_that_streamlit_tells(section: str, streamlit_own: Any) -> None:
    themes = ThemeMessages(streamlit_own)
    for _ in range(2):
        told, expected = CustomThemeConfig(), CustomThemeConfig()
        themes(told, section)
        streamlit_own(expected, section)
        assert told == expected


def test_a_theme_is_asked_for_once_until_the_configuration_is_read_anew(streamlit_own: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def populate(message: CustomThemeConfig, section: str) -> None:
        asked.append(section)
        message.primary_color = f"#{len(asked)}"

    monkeypatch.setattr(app_session, "_populate_theme_msg", populate)
    lighten()
    message = CustomThemeConfig()
    for _ in range(3):
        app_session._populate_theme_msg(message, "theme")
    assert asked == ["theme"] and message.primary_color == "#1"
    config._on_config_parsed.send()
    app_session._populate_theme_msg(message, "theme")
    assert message.primary_color == "#2"


def state(value_type: str = "json_trigger_value", **triggered: Any) -> Any:
    """As much of Streamlit's session state as a presenter asks."""

    class Widgets(dict[str, Any]):
        widget_metadata: ClassVar = {"events": SimpleNamespace(value_type=value_type)}

    return SimpleNamespace(_new_widget_state=Widgets(triggered))


@pytest.mark.parametrize(
    "told",
    [
        state(),
        state(events=None),
        state(events=[{"event": "opened", "value": 3}, {"event": "kept", "value": 5}]),
        state(events={"event": "opened", "value": [1, 2]}),
        state(events=[None, 3, "opened", {}, {"event": 3, "value": 1}, {"event": "opened"}]),
        state(events=7),
        state("json_value", events=[{"event": "opened", "value": 3}]),
        SimpleNamespace(_new_widget_state=SimpleNamespace(widget_metadata={})),
    ],
)
@pytest.mark.parametrize("base", [{}, {"kept": 1, "picked": "a"}, None, 3, ["a"]])
def test_a_components_value_reads_as_streamlits_own(base: Any, told: Any) -> None:
    own = make_bidi_component_presenter("events", "component", {"kept"})
    ours = presenter("events", "component", {"kept"})
    assert ours(base, told) == own(base, told)
    shown = own(base, told)
    if isinstance(shown, dict) and type(shown) is not dict:
        assert all(getattr(ours(base, told), name) == getattr(shown, name) for name in ("opened", "kept", "picked", "never"))


def test_a_streamlit_that_is_built_otherwise_is_left_as_it_is(streamlit_own: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(app_session, "_populate_theme_msg")
    monkeypatch.delattr(components, "make_bidi_component_presenter")
    lighten()
    assert not hasattr(app_session, "_populate_theme_msg") and not hasattr(components, "make_bidi_component_presenter")


def test_lightened_twice_is_lightened_once(streamlit_own: Any) -> None:
    lighten()
    lighten()
    assert app_session._populate_theme_msg._populate is streamlit_own  # type: ignore[attr-defined]
    assert components.make_bidi_component_presenter is script_runs.presenter
