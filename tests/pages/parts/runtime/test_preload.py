"""The libraries and the first model, loaded before the first visitor asks."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.web.server.app_discovery import discover_asgi_app

import core
from core.engine.late_network import LateNetwork
from core.engine.model import LanguageModel
from core.errors import BrokenModel
from core.models import early
from pages.parts.runtime import loaded_models, playback, preload

ROOT = Path(__file__).parents[4]


@pytest.fixture(autouse=True)
def afresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("_begun", "_early", "_completing"):
        monkeypatch.setattr(preload, name, [])
    yield
    preload.wait()
    gc.unfreeze()


def test_streamlit_finds_the_app_that_starts_early() -> None:
    assert discover_asgi_app(ROOT / "app.py").import_string == "app:app"


def test_the_first_model_is_there_once_and_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    load = early.load_early

    def listening(name: str) -> LanguageModel | None:
        asked.append(name)
        return load(name)

    monkeypatch.setattr(early, "load_early", listening)
    preload.begin()
    preload.begin()
    assert preload.under_way()
    assert preload.take("storyteller-mini") is None
    assert not preload.under_way()
    model = preload.take("storyteller")
    assert model is not None and model.name == "storyteller"
    assert preload.take("storyteller") is None
    assert asked == ["storyteller"]
    assert gc.isenabled()


def test_what_is_no_plain_llama_is_loaded_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(early, "load_early", lambda name: None)
    preload.begin()
    model = preload.take("storyteller")
    assert model is not None and not isinstance(model._network, LateNetwork)


def test_where_strangers_are_expected_all_is_there_before_anybody_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_PUBLIC", "1")
    preload.begin()
    model = preload.take("storyteller")
    assert model is not None and not isinstance(model._network, LateNetwork) and preload.settled()


def test_the_second_visitor_has_it_settled_while_nobody_in_play_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[bool] = []
    settle = preload.settle

    def watched() -> None:
        held.append(playback.scheduler().draw_lock._busy)
        settle()

    preload.begin()
    model = preload.take("storyteller")
    assert model is not None and not preload.settled()
    monkeypatch.setattr(preload, "settle", watched)
    playback.settle()
    playback.settle()
    assert held == [True] and preload.settled() and not isinstance(model._network, LateNetwork)


def test_the_rest_comes_once_a_page_was_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preload, "AFTER", 0.0)
    preload.complete()
    assert not preload._completing, "nothing was loaded early"
    preload.begin()
    model = preload.take("storyteller")
    assert model is not None and isinstance(model._network, LateNetwork)
    preload.complete()
    preload.complete()
    (timer,) = preload._completing
    timer.join()
    assert not isinstance(model._network, LateNetwork) and not preload._early


def test_without_a_beginning_nothing_is_waited_for() -> None:
    assert not preload.under_way()
    preload.wait()
    assert preload.take("storyteller") is None


def test_what_failed_early_is_tried_again_and_told_where_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str, **_: object) -> None:
        raise BrokenModel(f"{name} is broken today.")

    monkeypatch.setattr(early, "load_early", refuse)
    monkeypatch.setattr(core, "load_model", refuse)
    monkeypatch.setattr(loaded_models, "load_model", refuse)
    preload.begin()
    preload.wait()
    assert gc.isenabled()
    loaded_models._shelf.clear()
    with pytest.raises(BrokenModel, match="broken today"):
        loaded_models.loaded("storyteller")


def test_the_chart_of_nothing_is_gone_when_the_page_comes() -> None:
    def script() -> None:
        import streamlit

        from pages.parts.runtime import preload

        seen: list[int] = []
        preload.wait, waited = lambda: seen.append(1), preload.wait
        try:
            preload.wait_in_the_page()
        finally:
            preload.wait = waited
        streamlit.text(f"waited {len(seen)}")

    app = AppTest.from_function(script).run()
    assert not app.exception
    assert [text.value for text in app.text] == ["waited 1"]
    assert [one.type for one in app.main][1:] == ["empty", "text"], "a chart that stays would push the whole page down"
