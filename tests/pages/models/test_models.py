"""The Models page: what is here, whether another fits, and one sentence for every name that is none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.remote import http_client
from pages.ui.session import operator_role
from tests.core.models.gguf import making
from tests.pages.apptest import Open, go, press, said, told

ROOT = Path(__file__).parents[3]


@pytest.fixture
def page() -> AppTest:
    """The page, as somebody finds it who came through the menu."""
    app = AppTest.from_file(str(ROOT / "pages" / "models" / "page.py"), default_timeout=60)
    app.session_state["_entered"] = True
    return app.run()


def test_whether_a_folder_fits_is_said_before_it_is_used_without_a_download(page: AppTest, tiny_folder: Callable[[str], Path]) -> None:
    page.text_input(key="models_name").set_value(str(tiny_folder("gpt2"))).run()
    app = press(page, "models_check")
    assert "It fits." in said(app)
    app = press(page, "models_fetch")
    assert app.session_state["model"] == str(tiny_folder("gpt2"))


def test_a_gguf_file_says_how_it_is_loaded_and_is_used(page: AppTest, tiny_folder: Callable[[str], Path], tmp_path: Path) -> None:
    file = making.converted(tiny_folder("qwen3"), "qwen3", tmp_path / "tiny.gguf", "Q8_0")
    page.text_input(key="models_name").set_value(str(file)).run()
    app = press(page, "models_check")
    assert "float32" in said(app)
    app = press(page, "models_fetch")
    assert app.session_state["model"] == str(file)


def test_the_settings_that_come_with_a_model_are_a_preset(open_app: Open, tiny_folder: Callable[[str], Path], tmp_path: Path) -> None:
    changes: dict[str, Any] = {"general__sampling__temp": 0.5, "general__sampling__top_k": 7}
    file = making.converted(tiny_folder("qwen3"), "qwen3", tmp_path / "tiny.gguf", **changes)
    app = go(open_app(), "models")
    assert "preset_own" not in {one.key for one in app.button}
    app.text_input(key="models_name").set_value(str(file)).run()
    press(app, "models_fetch")
    app = press(go(app, "watch"), "preset_own")
    assert (app.session_state["temperature"], app.session_state["top_k"]) == (0.5, 7)
    assert app.button(key="preset_own").proto.type == "primary"


def test_a_broken_gguf_file_is_one_sentence(page: AppTest, tmp_path: Path) -> None:
    (tmp_path / "broken.gguf").write_bytes(b"GGUF and nothing more")
    page.text_input(key="models_name").set_value(str(tmp_path / "broken.gguf")).run()
    for button in ("models_check", "models_fetch"):
        assert len(told(press(page, button))) == 1


def test_models_of_other_programs_are_listed_but_not_where_strangers_are_expected(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "shelf").mkdir()
    file = tmp_path / "shelf" / "a.gguf"
    file.write_bytes(b"GGUF")
    monkeypatch.setenv("TOKEN_VIEWER_FOLDERS", str(tmp_path / "shelf"))
    monkeypatch.setenv("HOME", str(tmp_path))
    app = AppTest.from_file(str(ROOT / "pages" / "models" / "page.py"), default_timeout=60)
    app.session_state["_entered"] = True
    app.run()
    app.selectbox(key="models_found").select(str(file)).run()
    assert app.text_input(key="models_name").value == str(file)
    monkeypatch.setenv("TOKEN_VIEWER_PUBLIC", "1")
    assert "models_found" not in {one.key for one in app.run().selectbox}


def test_a_name_that_is_none_is_one_sentence_and_the_page_lives(page: AppTest) -> None:
    for name in ("/no/such/folder", "a b c", "../..", "x" * 300, "<script>alert(1)</script>", "org/model/extra/parts", "💥"):
        page.text_input(key="models_name").set_value(name).run()
        assert told(press(page, "models_check")), name


def test_a_path_is_used_and_an_id_of_the_hub_is_downloaded(page: AppTest) -> None:
    for name, label in (("/no/such/folder", "Use"), ("./fox.gguf", "Use"), ("org/model", "Download")):
        app = page.text_input(key="models_name").set_value(name).run()
        assert app.button(key="models_fetch").label == label, name


def test_a_server_that_is_not_there_is_one_sentence(page: AppTest, tiny_folder: Callable[[str], Path]) -> None:
    page.text_input(key="models_address").set_value("http://127.0.0.1:9")  # no run: the fields belong to a form
    page.text_input(key="models_tokenizer").set_value(str(tiny_folder("llama")))
    began = monotonic()
    app = press(page, "models_connect")
    assert any("Nothing listens at" in sentence for sentence in told(app)) and monotonic() - began < 5, "at once"
    assert "model" not in app.session_state or app.session_state["model"] != "http://127.0.0.1:9"


def test_a_browser_of_another_machine_is_not_told_which_ports_are_closed_here(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_client, "FIRST_PATIENCE", 0.2)
    monkeypatch.setattr(operator_role, "sits_here", lambda: False)
    page.text_input(key="models_address").set_value("http://127.0.0.1:9")
    assert any("No inference server answers" in sentence for sentence in told(press(page, "models_connect")))
