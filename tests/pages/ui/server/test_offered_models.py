"""A model that is loaded while a visitor waits: what is done is on the page."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from core.models.load_progress import CONVERTS, LOADS, tell
from pages.ui.server import offered_models


def test_a_long_load_shows_what_is_done_and_a_short_one_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[tuple[float, str]] = []
    bar = SimpleNamespace(progress=lambda share, text: drawn.append((share, text)), empty=lambda: drawn.append((0.0, "")))
    monkeypatch.setattr(offered_models, "st", SimpleNamespace(spinner=lambda _text: nullcontext(), empty=lambda: bar))

    def load(_name: str, *_access: object) -> str:
        tell(CONVERTS, 0.5)
        tell(LOADS)
        return "a model"

    monkeypatch.setattr(offered_models, "_REGISTRY", SimpleNamespace(known=lambda *_key: None, model=load))
    for patience, shown in ((0.0, ["Converting the weights …", "Loading the weights …", ""]), (60.0, [""])):
        drawn.clear()
        monkeypatch.setattr(offered_models, "PATIENCE", patience)
        assert offered_models.loaded("fox") == "a model"
        assert [text for _share, text in drawn] == shown
