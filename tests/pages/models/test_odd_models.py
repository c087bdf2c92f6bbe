"""Odd models and broken folders, as a visitor meets them: the pages say nothing wrong, and nothing that was written is lost."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests import tiny_models
from tests.pages.apptest import Open, State, go, press, told, use_model, view


def test_a_token_that_the_tokenizer_does_not_know_is_drawn_by_its_number(open_app: Open, session: State, tmp_path: Path) -> None:
    app = use_model(open_app(prompt="The sea", seed="3"), str(tiny_models.save("gpt2", tmp_path)))
    press(app, "step")
    run = session(app).run
    beyond = len(run.model.tokenizer) + 1
    run.force(beyond)
    run.step()
    session(app).player.selected_index = 1
    app.run()
    assert f"#{beyond}" in json.dumps(view(app)) and told(app) == [] and not app.exception
    for page in ("inside", "cost"):
        assert told(go(app, page)) == [] and session(app).run is run


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
