"""The libraries and the first model, loaded before the first visitor asks."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.web.server.app_discovery import discover_asgi_app

import core
from core.errors import BrokenModel
from core.model import LanguageModel
from pages.parts import early, shelf

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def afresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(early, "_begun", [])
    yield
    early.wait()
    gc.unfreeze()


def test_streamlit_finds_the_app_that_starts_early() -> None:
    assert discover_asgi_app(ROOT / "app.py").import_string == "app:app"


def test_the_first_model_is_there_once_and_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    load = core.load_model

    def listening(name: str) -> LanguageModel:
        asked.append(name)
        return load(name)

    monkeypatch.setattr(core, "load_model", listening)
    early.begin()
    early.begin()
    assert early.under_way()
    assert early.take("storyteller-mini") is None
    assert not early.under_way()
    model = early.take("storyteller")
    assert model is not None and model.name == "storyteller"
    assert early.take("storyteller") is None
    assert asked == ["storyteller"]
    assert gc.isenabled()


def test_without_a_beginning_nothing_is_waited_for() -> None:
    assert not early.under_way()
    early.wait()
    assert early.take("storyteller") is None


def test_what_failed_early_is_tried_again_and_told_where_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str, **_: object) -> None:
        raise BrokenModel(f"{name} is broken today.")

    monkeypatch.setattr(core, "load_model", refuse)
    monkeypatch.setattr(shelf, "load_model", refuse)
    early.begin()
    early.wait()
    assert gc.isenabled()
    shelf._shelf.clear()
    with pytest.raises(BrokenModel, match="broken today"):
        shelf.loaded("storyteller")
