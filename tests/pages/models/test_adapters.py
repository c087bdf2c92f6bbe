"""An adapter added on Models: a model of its own, switched on and off at the same step; and two versions beside each other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.core.models.gguf.making import converted
from tests.core.models.test_adapter import trained
from tests.pages.apptest import Open, State, go, press, run_on, told, use_model


@pytest.fixture
def opened(open_app: Open, tiny_folder: Callable[[str], Path], tmp_path: Path) -> tuple[AppTest, str]:
    """The page Models with a tiny Llama in use, and the folder of an adapter for it."""
    folder = str(tiny_folder("large"))
    trained(Path(folder), tmp_path / "own", target_modules="all-linear")
    return use_model(open_app(page="models", prompt="Once upon a time", greedy="true"), folder), str(tmp_path / "own")


def add(app: AppTest, name: str) -> AppTest:
    app.text_input(key="models_adapter").set_value(name).run()
    return press(app, "models_add_adapter")


def test_an_adapter_is_switched_at_the_same_step(opened: tuple[AppTest, str], session: State) -> None:
    app, folder = opened
    go(app, "watch")
    press(app, "step", 4)
    before = session(app).run
    go(app, "models")
    add(app, folder)
    made = session(app).run
    assert made.model.adapter_of == before.model.name and made.model_name in session(app).models.taught
    assert [step.token_id for step in made.path] == [step.token_id for step in before.path]
    assert [step.logits.tolist() for step in made.path] != [step.logits.tolist() for step in before.path]
    assert made.cache is not before.cache
    go(app, "watch")
    (toggle,) = [one for one in app.toggle if one.label == "With its adapter"]
    assert toggle.value is True
    toggle.set_value(False).run()
    assert not app.exception
    off = session(app).run
    assert off.model is before.model and [step.token_id for step in off.path] == [step.token_id for step in before.path]
    (toggle,) = [one for one in app.toggle if one.label == "With its adapter"]
    assert toggle.value is False
    toggle.set_value(True).run()
    assert session(app).run.model is made.model


def test_what_is_no_adapter_is_one_sentence_and_so_is_a_second_one(opened: tuple[AppTest, str], session: State) -> None:
    app, folder = opened
    model = session(app).begun.asked
    for name in ("/no/such/folder", "x" * 300, "not a name", "../..", "somebody/something"):
        add(app, name)
        assert told(app) and not session(app).models.taught and session(app).begun.asked == model, name
    add(app, folder)
    add(app, folder)
    assert any("already" in sentence for sentence in told(app)) and len(session(app).models.taught) == 1


def test_a_packed_file_stands_beside_its_original(opened: tuple[AppTest, str], session: State, tmp_path: Path) -> None:
    app, _folder = opened
    original = session(app).models.names[0]
    packed = str(converted(Path(original), "llama", tmp_path / "packed.gguf", "Q8_0"))
    session(app).models.names.append(packed)
    go(app, "quantization")
    app.selectbox(key="versions_other").set_value(packed).run()
    press(app, "versions_start")
    run_on(app)
    (found,) = session(app).experiments["versions"].observations
    assert found.other.bytes == Path(packed).stat().st_size and found.original.dtype == "float32"
    assert 0 <= found.mean_kl < 0.5 and any("packed.gguf" in table.value for table in app.markdown)
    app.selectbox(key="versions_other").set_value("storyteller").run()
    press(app, "versions_start")
    worker = session(app).experiments["versions"]
    assert worker.wait(120) and "different tokens" in str(worker.error)
