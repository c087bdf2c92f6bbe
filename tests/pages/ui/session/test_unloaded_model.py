"""Several models on one machine: the one that gives way takes nothing along, and whoever wrote with it is told once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core import Generation, load_model
from core.models.models_in_memory import ModelRegistry
from pages.ui.server import offered_models
from pages.ui.session import run_start
from tests.pages.apptest import Open, State, press, told, use_model, view

PROMPT = "The old king"
BUNDLED = "storyteller"


def ids(run: Any) -> list[int]:
    return [step.token_id for step in run.path]


def alone(app: AppTest, name: str, count: int) -> list[int]:
    """What this visitor's settings write with a model that was never away."""
    run = Generation(load_model(name), PROMPT, app.session_state["_session"].run.settings, top_n=run_start.CANDIDATES_RECORDED)
    return [run.step().token_id for _ in range(count)]


@pytest.mark.slow
def test_whoever_wrote_with_it_is_told_once_and_goes_on_where_they_were(
    open_app: Open, session: State, tiny_folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_MODELS", "3")  # two beside the bundled one, with which everybody begins
    monkeypatch.setattr(offered_models, "_REGISTRY", ModelRegistry(offered_models._load))
    folders = [str(tiny_folder(name)) for name in ("llama", "gpt2", "bloom")]

    def writer(name: str) -> AppTest:
        """Return a visitor who writes with this model."""
        app = open_app(prompt=PROMPT, seed="5")
        view(app)  # the bundled model computes the first bars
        press(use_model(app, name), "step", 3)
        assert session(app).run.model_name == name
        return app

    one = writer(folders[0])
    path, bars = session(one).run.path, len(one.get("vega_lite_chart"))
    writer(folders[1])
    writer(folders[2])
    assert set(offered_models.in_memory()) == {BUNDLED, *folders[1:]}
    one.run()
    gone, come = (Path(folder).name for folder in (folders[0], folders[2]))
    assert told(one) == [f"{gone} was unloaded to make room for {come}. Your text is kept. The next step loads the model again."]
    assert session(one).run.path == path
    assert len(one.get("vega_lite_chart")) == bars
    assert set(offered_models.in_memory()) == {BUNDLED, *folders[1:]}, "a look loads nothing"
    assert len(told(one.run())) == 1, "it stays until they do something"
    press(one, "step")
    assert told(one) == []
    assert ids(session(one).run) == alone(one, folders[0], 4)
    assert session(one).run.path[:3] == path
    assert folders[0] in offered_models.in_memory()


def test_a_name_in_a_sentence_gives_no_folder_away_and_draws_nothing() -> None:
    assert offered_models.title("storyteller") == "Storyteller"
    assert offered_models.title("openai-community/gpt2@main") == "GPT-2"
    assert offered_models.title("some/model") == "some/model"
    assert offered_models.title("/home/ann/secret/model") == "model"
    assert offered_models.title("~/model") == "model"
    assert not set("[]<>`*$") & set(offered_models.title("/x/![a](http:b)<i>`$x$*"))
