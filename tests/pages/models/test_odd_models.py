"""Odd models and broken folders, as a visitor meets them: the pages say nothing wrong, and nothing that was written is lost."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests import tiny_models
from tests.pages.apptest import Open, State, go, press, told, view


def using(app: AppTest, folder: Path) -> AppTest:
    app.session_state["_session"].models.names.append(str(folder))
    return app.run().selectbox(key="model").set_value(str(folder)).run()


@pytest.mark.parametrize("page", [None, "inside", "cost"])
def test_a_token_that_the_tokenizer_does_not_know_is_drawn_by_its_number(
    open_app: Open, session: State, tmp_path: Path, page: str | None
) -> None:
    app = using(open_app(prompt="The sea", seed="3"), tiny_models.save("gpt2", tmp_path))
    press(app, "step")
    run = session(app).run
    beyond = len(run.model.tokenizer) + 1
    run.force(beyond)
    run.step()
    session(app).selected_index = 1
    app = app.run() if page is None else app.switch_page(f"../../pages/{page}/page.py").run()
    assert not app.exception
    assert told(app) == []
    assert session(app).run is run
    if page is None:
        assert f"#{beyond}" in json.dumps(view(app))


@pytest.mark.parametrize("file", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_broken_folder_is_one_sentence_and_the_text_stays(
    open_app: Open, session: State, tiny_folder: Any, tmp_path: Path, file: str
) -> None:
    app = press(open_app(prompt="The old king"), "step")
    path = session(app).run.path
    folder = tmp_path / "model"
    shutil.copytree(tiny_folder("llama"), folder)
    (folder / file).write_bytes(b"[1]")
    go(app, "models")
    app.text_input(key="models_name").set_value(str(folder)).run()
    press(app, "models_fetch")
    assert len(told(app)) == 1
    assert "Something went wrong in the app. Your text is still there. Try again." not in told(app)
    go(app, "watch")
    assert session(app).run.path == path
    assert session(app).run.model_name == "storyteller"
