"""Loading the libraries and the first model before the first visitor asks."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from core.engine.model import LanguageModel
from core.errors import ModelError
from core.models import fast_start
from core.models.models_in_memory import ModelRegistry
from pages.ui.server import offered_models, preload


@pytest.fixture(autouse=True)
def afresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(preload, "_loading", [])
    yield
    preload.wait()
    gc.unfreeze()


def test_the_first_model_is_loaded_once_and_given_to_one_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    load = fast_start.load_without_network

    def listening(name: str) -> LanguageModel | None:
        asked.append(name)
        return load(name)

    monkeypatch.setattr(fast_start, "load_without_network", listening)
    preload.begin()
    preload.begin()
    assert preload.is_loading()
    assert preload.pop_model("storyteller-mini") is None
    assert not preload.is_loading()
    model = preload.pop_model("storyteller")
    assert model is not None and model.name == "storyteller" and model.load_network() is not None
    assert preload.pop_model("storyteller") is None
    assert asked == ["storyteller"]
    assert gc.get_freeze_count() > 0


def test_a_model_that_could_not_be_preloaded_is_tried_again_where_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str, **_: object) -> None:
        raise ModelError(f"{name} is broken today.")

    monkeypatch.setattr(fast_start, "load_without_network", refuse)
    monkeypatch.setattr(offered_models, "load_model", refuse)
    preload.begin()
    assert preload.failed()
    monkeypatch.setattr(offered_models, "_REGISTRY", ModelRegistry(offered_models._load))
    with pytest.raises(ModelError, match="broken today"):
        offered_models.loaded("storyteller")
