"""What is made once instead of at every run: it is what Streamlit would have made, and a Streamlit of another build is left alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from threading import Barrier, Thread
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from streamlit import config
from streamlit.components.v2.bidi_component import main as components
from streamlit.components.v2.presentation import make_bidi_component_presenter
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session
from streamlit.runtime.runtime import Runtime

from pages.parts.runtime import script_runs
from pages.parts.runtime.script_runs import CallbackQueue, LockFreeOptions, ThemeMessages, lighten, presenter

SECTIONS = ("theme", "theme.light", "theme.dark", "theme.sidebar", "theme.light.sidebar", "theme.dark.sidebar")


@pytest.fixture
def streamlit_own(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Streamlit's own function for the theme, whatever this process has put in its place; it is put back."""
    own = app_session._populate_theme_msg
    own = own._populate if isinstance(own, ThemeMessages) else own
    monkeypatch.setattr(app_session, "_populate_theme_msg", own)
    monkeypatch.setattr(components, "make_bidi_component_presenter", make_bidi_component_presenter)
    option = config.get_option
    monkeypatch.setattr(config, "get_option", option._own if isinstance(option, LockFreeOptions) else option)
    for owner, name in ((app_session.AppSession, "_call_soon_on_event_loop"), (Runtime, "_enqueued_some_message")):
        monkeypatch.setattr(owner, name, getattr(owner, name))  # whatever is put there is taken back
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
    monkeypatch.delattr(app_session.AppSession, "_call_soon_on_event_loop")
    monkeypatch.delattr(Runtime, "_enqueued_some_message")
    monkeypatch.delattr(config, "_config_options")
    lighten()
    assert not hasattr(app_session.AppSession, "_call_soon_on_event_loop") and not hasattr(Runtime, "_enqueued_some_message")
    assert not hasattr(app_session, "_populate_theme_msg") and not hasattr(components, "make_bidi_component_presenter")


def test_options_are_read_as_streamlit_reads_them(streamlit_own: Any) -> None:
    own = config.get_option
    read = LockFreeOptions(own)
    known = config.get_config_options()
    assert len(known) > 100 and all(read(key) == own(key) for key in known)
    for wrong in ("", "server", "no.option", "server.\x00", "x" * 100_000):
        with pytest.raises(RuntimeError):
            read(wrong)
    before = own("runner.fastReruns")
    config._set_option("runner.fastReruns", not before, "a test")
    try:
        assert read("runner.fastReruns") is (not before)
    finally:
        config._set_option("runner.fastReruns", before, "a test")


class Loop:
    """Keeps what it is woken for until it runs."""

    def __init__(self) -> None:
        self.woken: list[Callable[[], None]] = []

    def run(self) -> None:
        while self.woken:
            self.woken.pop(0)()


def test_one_waking_is_for_all_that_wait_in_their_order() -> None:
    loop, callbacks, done = Loop(), CallbackQueue(), list[int]()
    for number in range(5):
        callbacks.add(partial(done.append, number), loop.woken.append)
    assert len(loop.woken) == 1 and done == []
    loop.run()
    assert done == [0, 1, 2, 3, 4]
    callbacks.add(lambda: callbacks.add(lambda: done.append(6), loop.woken.append), loop.woken.append)
    loop.woken.pop(0)()
    assert done[-1] == 4 and len(loop.woken) == 1, "what comes meanwhile waits for another waking"
    loop.run()
    assert done[-1] == 6


def test_a_callback_that_fails_keeps_none_of_the_others_nor_their_order() -> None:
    loop, callbacks, done = Loop(), CallbackQueue(), list[str]()

    def fail() -> None:
        callbacks.add(lambda: done.append("later"), loop.woken.append)
        raise ValueError("of its own")

    for callback in (lambda: done.append("before"), fail, lambda: done.append("after"), lambda: done.append("last")):
        callbacks.add(callback, loop.woken.append)
    with pytest.raises(ValueError, match="of its own"):
        loop.woken.pop(0)()
    loop.run()
    assert done == ["before", "after", "last", "later"]


def test_nothing_that_many_threads_say_at_once_is_lost() -> None:
    async def talk() -> list[tuple[int, int]]:
        loop, callbacks, done, all_said = asyncio.get_running_loop(), CallbackQueue(), list[tuple[int, int]](), asyncio.Event()
        barrier = Barrier(8)

        def said(thread: int, number: int) -> None:
            done.append((thread, number))
            if len(done) == 8 * 500:
                all_said.set()

        def speak(thread: int) -> None:
            barrier.wait()
            for number in range(500):
                callbacks.add(partial(said, thread, number), loop.call_soon_threadsafe)

        threads = [Thread(target=speak, args=(thread,)) for thread in range(8)]
        for thread in threads:
            thread.start()
        await asyncio.wait_for(all_said.wait(), 60)
        return done

    done = asyncio.run(talk())
    for thread in range(8):
        assert [number for who, number in done if who == thread] == list(range(500))


def test_a_session_and_the_runtime_wake_their_loop_once(streamlit_own: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    woken: list[Callable[[], None]] = []

    def call_soon(session: Any, callback: Callable[[], None]) -> None:
        woken.append(callback)

    def enqueued(runtime: Any) -> None:
        woken.append(runtime)

    monkeypatch.setattr(app_session.AppSession, "_call_soon_on_event_loop", call_soon)
    monkeypatch.setattr(Runtime, "_enqueued_some_message", enqueued)
    lighten()
    session, done = SimpleNamespace(), list[int]()
    app_session.AppSession._call_soon_on_event_loop(session, lambda: done.append(1))  # type: ignore[arg-type]
    app_session.AppSession._call_soon_on_event_loop(session, lambda: done.append(2))  # type: ignore[arg-type]
    assert len(woken) == 1
    woken.pop()()
    assert done == [1, 2]

    async def on_the_loop() -> Any:
        there = SimpleNamespace(eventloop=asyncio.get_running_loop(), need_send_data=asyncio.Event())
        runtime = SimpleNamespace(_get_async_objs=lambda: there)
        Runtime._enqueued_some_message(runtime)  # type: ignore[arg-type]
        assert there.need_send_data.is_set() and woken == []
        await asyncio.to_thread(Runtime._enqueued_some_message, runtime)  # type: ignore[arg-type]
        return runtime

    assert woken == [asyncio.run(on_the_loop())]


def test_lightened_twice_is_lightened_once(streamlit_own: Any) -> None:
    lighten()
    soon, enqueued, option = app_session.AppSession._call_soon_on_event_loop, Runtime._enqueued_some_message, config.get_option
    lighten()
    assert app_session.AppSession._call_soon_on_event_loop is soon and Runtime._enqueued_some_message is enqueued
    assert config.get_option is option and isinstance(option, LockFreeOptions)
    assert app_session._populate_theme_msg._populate is streamlit_own  # type: ignore[attr-defined]
    assert components.make_bidi_component_presenter is script_runs.presenter
