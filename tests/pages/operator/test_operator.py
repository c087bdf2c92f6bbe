"""Roles: what a visitor of a public instance can do, what only its operator can, and the operator's page."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.models.hub_download import Download
from core.remote.address import Address
from core.remote.http_client import HttpClient
from core.remote.text_routes import Chat
from core.remote.text_server_model import ListedModel
from pages.ui.server import model_downloads, offered_models, operator_password
from pages.ui.session import operator_role
from tests.pages import apptest
from tests.pages.apptest import Open, go, press

PASSWORD = "a long enough word"


@pytest.fixture
def public(monkeypatch: pytest.MonkeyPatch) -> None:
    """An app behind a proxy: everybody is a visitor until they type the password."""
    monkeypatch.setenv("TOKEN_VIEWER_PUBLIC", "1")
    monkeypatch.setenv("TOKEN_VIEWER_OPERATOR_PASSWORD", PASSWORD)
    monkeypatch.setattr(operator_role, "_PASSWORD", operator_password.Password())
    monkeypatch.setattr(offered_models, "_added", {})


def keys(app: AppTest) -> set[str]:
    return {str(one.key) for one in [*app.button, *app.text_input] if one.key}


def told(app: AppTest) -> str:
    return " ".join(apptest.told(app))


def come_in(app: AppTest, word: str = PASSWORD) -> AppTest:
    go(app, "operator")
    app.text_input(key="operator_password").set_value(word)
    return next(one for one in app.button if one.label == "Sign in").click().run()


@pytest.mark.usefixtures("public")
def test_a_visitor_sees_nothing_of_what_is_the_operator_s(open_app: Open) -> None:
    app = open_app("models")
    found = {key for key in keys(app) if key.startswith("models_")}
    assert found == {"models_use_storyteller-mini", "models_use_storyteller-mini-alone"}
    assert any(
        "You can choose one of these models. The operator of this app can add others." in text
        for text in [caption.value for caption in app.caption]
    )
    assert not [one for one in open_app("teach").get("file_uploader") if one.proto.label.startswith("Open")]


@pytest.mark.usefixtures("public")
@pytest.mark.parametrize("name", ["HuggingFaceTB/SmolLM2-135M", "/etc", "http://10.0.0.7:8000"])
def test_a_link_of_a_visitor_opens_fetches_and_probes_nothing(open_app: Open, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(offered_models, "loaded", _spy(offered_models.loaded, asked))
    monkeypatch.setattr("pages.ui.session.linked_model.downloaded", asked.append)
    monkeypatch.setattr("pages.ui.session.linked_model.fit", asked.append)
    app = open_app(model=name)
    assert "The link asks for a model that this app does not offer. The default model is used instead." in told(app)
    assert name not in asked
    assert not {key for key in keys(app) if key.startswith("wish")}


def _spy(real: Callable[..., Any], asked: list[Any]) -> Callable[..., Any]:
    def watched(name: str, *rest: Any) -> Any:
        asked.append(name)
        return real(name, *rest)

    return watched


@pytest.mark.usefixtures("public")
def test_every_verb_of_the_operator_is_refused_to_a_visitor_whatever_was_drawn(tiny_folder: Callable[[str], Path]) -> None:
    folder = str(tiny_folder("gpt2"))
    script = f"""
import streamlit as st
from pages.ui.session import current
from pages.ui.session import operator_role
st.session_state["_entered"] = True
from core.errors import NotAllowed
served = lambda: current.use_model("10.0.0.7:8000", {folder!r}, "key")
for act in (operator_role.require_operator, lambda: current.use_model({folder!r}), served):
    try:
        act()
        st.text("done")
    except NotAllowed:
        st.text("refused")
"""
    app = AppTest.from_string(script, default_timeout=60).run()
    assert not app.exception
    assert [one.value for one in app.text] == ["refused"] * 3


@pytest.mark.usefixtures("public")
def test_the_password_makes_an_operator_and_a_wrong_one_does_not(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    app = come_in(open_app(), "not the word")
    assert "Wrong password." in told(app)
    assert not {key for key in keys(app) if key.startswith("operator_unload")}
    app = come_in(open_app())
    assert not app.exception
    assert "operator_unload_storyteller" in keys(app)
    assert PASSWORD not in [str(one.value) for one in app.text_input]
    go(app, "models")
    assert {"models_fetch", "models_check", "models_address"} <= keys(app)


@pytest.mark.slow
@pytest.mark.usefixtures("public")
def test_what_the_operator_offers_every_visitor_can_choose(open_app: Open, tiny_folder: Callable[[str], Path], tmp_path: Path) -> None:
    folder = tmp_path / "a-place-of-mine" / "tiny"
    shutil.copytree(tiny_folder("gpt2"), folder)
    operator, stranger = come_in(open_app()).switch_page("../../pages/models/page.py").run(), open_app("models")
    operator.text_input(key="models_name").set_value(str(folder)).run()
    press(operator, "models_fetch")
    assert f"models_use_{folder}" not in keys(stranger.run())
    press(operator, f"models_offer_{folder}")
    press(stranger.run(), f"models_use_{folder}")
    assert not stranger.exception
    assert stranger.session_state["model"] == str(folder)
    shown = "".join(str(one.value) for one in [*stranger.markdown, *stranger.caption, *stranger.info])
    assert "tiny" in shown  # by its own name, not by where it lies
    assert str(tmp_path) not in shown
    press(operator, f"models_offer_{folder}")
    stranger.run()
    assert "tiny" not in "".join(str(one.value) for one in stranger.markdown)


@pytest.mark.usefixtures("public")
def test_the_operator_stops_what_others_fetch(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(Download):
        def __init__(self) -> None:
            self.name, self.done, self.total, self.stopped, self._began = "some/model", 1, 4, False, 0.0
            self.error = self.folder = None

        @property
        def running(self) -> bool:
            return not self.stopped

        def stop(self) -> None:
            self.stopped = True

    slow = Slow()
    monkeypatch.setitem(model_downloads.downloads(), "some/model", slow)
    app = come_in(open_app())
    press(app, "operator_stop_all")
    assert slow.stopped
    assert "No download is running." in [caption.value for caption in app.run().caption]


@pytest.mark.usefixtures("public")
def test_a_server_that_sends_texts_alone_is_listed(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    route = Chat(HttpClient(Address.parse("http://127.0.0.1:9")), "somebody")
    listed = ListedModel(route, "OpenAI-compatible", 5, ())
    monkeypatch.setattr(offered_models, "in_memory", lambda: {"http://127.0.0.1:9": listed})
    app = come_in(open_app())
    assert not app.error and "operator_unload_http://127.0.0.1:9" in [one.key for one in app.button]
    assert "No download is running." in [caption.value for caption in app.caption]
