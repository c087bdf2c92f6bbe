"""A link that asks for a model: nothing is fetched, read or called by itself; what it asks for is one click away where it can be had."""

from __future__ import annotations

import functools
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote_plus

import pytest
from huggingface_hub.constants import HF_HUB_CACHE
from streamlit.testing.v1 import AppTest

from core import Generation, SamplingSettings, load_model
from core.errors import ModelError
from core.models.hub import bundled_names, downloaded, find
from core.models.model_names import is_hub_id, with_revision
from core.models.models_in_memory import ModelRegistry
from pages.ui.i18n import example_texts
from pages.ui.server import offered_models
from pages.ui.session import share_link
from pages.ui.session.linked_model import Confirmation
from tests.core.remote.serving import TINY, FakeVLLM, serve
from tests.pages.apptest import Open, State, press, told

COMMIT = "0123456789abcdef0123456789abcdef01234567"
SETTINGS = SamplingSettings(temperature=1.3, top_k=30, seed=8)


@functools.cache
def loaded_once(name: str) -> Any:
    return load_model(name)


@pytest.fixture(autouse=True)
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new registry for each test; the models that come with the app are loaded once for all."""

    def load(name: str, **access: Any) -> Any:
        return loaded_once(name) if name in bundled_names() else load_model(name, **access)

    monkeypatch.setattr(offered_models, "_REGISTRY", ModelRegistry(load))


@pytest.fixture
def cache() -> Iterator[Path]:
    """An empty cache of the hub, in the folder of this process (conftest.py)."""
    folder = Path(HF_HUB_CACHE)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def current_session(cache: Path, tiny_folder: Callable[[str], Path]) -> str:
    """A model of the hub that was downloaded before, as the hub's library lays it down."""
    snapshot = cache / "models--some--model" / "snapshots" / COMMIT
    shutil.copytree(tiny_folder("gpt2"), snapshot)
    (cache / "models--some--model" / "refs").mkdir()
    (cache / "models--some--model" / "refs" / "main").write_text(COMMIT)
    return "some/model"


def wished(app: AppTest) -> str:
    return " ".join(str(one.value) for one in app.markdown if "his link asks" in str(one.value))


def keys(app: AppTest) -> set[str]:
    return {str(button.key) for button in app.button if str(button.key).startswith("wish_")}


def shared(app: AppTest) -> str:
    """The link that this visitor would send."""
    app.session_state["keep"] = True
    app.run()
    return next(one.proto.json for one in app.get("bidi_component") if "steps=" in one.proto.json)


def address(app: AppTest) -> dict[str, str]:
    """What the browser's address holds."""
    drawn = [json.loads(one.proto.json) for one in app.get("bidi_component") if '"wanted"' in one.proto.json]
    return dict(parse_qsl(drawn[-1]["query"]))


def look(app: AppTest, word: str | None = None) -> AppTest:
    """Follow the link of the sentence to the Models page."""
    app.query_params["asked"] = word or app.session_state["_session"].memory[Confirmation].secret
    return app.switch_page("../../pages/models/page.py").run()


def sent(name: str) -> tuple[Generation, dict[str, str]]:
    """A run of somebody else with this model, a branch taken by hand, and the link they would send."""
    run = Generation(load_model(name), "The old king", SETTINGS, top_n=50)
    list(run.stream(4))
    run.force(run.next_distribution().candidates[2].token_id)
    list(run.stream(3))
    return run, dict(parse_qsl(share_link.query(run.prompt, run.model_name, SETTINGS, run.path, example_texts.FIRST_PROMPT)))


def test_a_downloaded_model_is_one_click_away_and_the_run_is_the_one_that_was_sent(
    open_app: Open, session: State, current_session: str
) -> None:
    run, query = sent(current_session)
    app = open_app(**query)
    assert (told(app), keys(app)) == ([], {"wish_open", "wish_stay"})
    assert "**some/model**" in wished(app)
    assert "on this machine" in wished(app)
    assert set(offered_models.in_memory()) == {"storyteller"}, "nothing was loaded for a link alone"
    assert session(app).run.prompt == "The old king"
    assert session(app).run.path == [], "its steps are not followed with another model"
    app.slider(key="temperature").set_value(0.5).run()
    press(app, "step")
    press(app, "wish_open")
    made = session(app).run
    assert (made.model_name, made.prompt, made.settings) == (current_session, run.prompt, SETTINGS)
    assert [(step.token_id, step.chosen_by, step.roll) for step in made.path] == [(s.token_id, s.chosen_by, s.roll) for s in run.path]
    assert made.written == run.written
    assert (told(app), keys(app), wished(app)) == ([], set(), "")
    press(app, "step")
    assert session(app).run.path[-1].token_id == run.step().token_id


def test_a_link_to_the_other_bundled_model_is_followed_at_once(open_app: Open, session: State) -> None:
    run, query = sent("storyteller-mini")
    app = open_app(**query)
    assert (told(app), keys(app)) == ([], set())
    assert app.selectbox(key="model").value == "storyteller-mini"
    made = session(app).run
    assert (made.model_name, made.written, made.settings) == ("storyteller-mini", run.written, SETTINGS)
    assert address(app)["model"] == "storyteller-mini"
    app.selectbox(key="model").set_value("storyteller").run()
    assert "model" not in address(app)
    app.selectbox(key="model").set_value("storyteller-mini").run()
    assert (address(app)["model"], session(app).run.model_name) == ("storyteller-mini", "storyteller-mini")


def test_who_loads_the_page_again_finds_the_same_offer(open_app: Open, current_session: str) -> None:
    _, query = sent(current_session)
    app = open_app(**query)
    assert address(app) == query
    press(app, "wish_stay")
    assert not {"model", "steps"} & set(address(app))


def test_a_model_that_is_not_here_leads_to_its_size_with_the_name_filled_in(open_app: Open, cache: Path) -> None:
    app = open_app(model="openai-community/gpt2", seed="3", steps="4")
    assert (told(app), keys(app)) == ([], {"wish_stay"})
    assert "548 MB" in wished(app).replace("\u00a0", " ")
    look(app)
    assert not app.exception
    assert app.text_input(key="models_name").value == "openai-community/gpt2"
    assert len(told(app)) == 1
    assert "hub cannot be reached" in told(app)[0], "the hub was asked once somebody clicked, not before"
    assert list(cache.iterdir()) == []
    assert "asked" not in app.query_params


def test_a_link_cannot_pretend_that_somebody_clicked(open_app: Open, cache: Path) -> None:
    app = open_app("models", model="openai-community/gpt2", asked="12345678")
    assert (told(app), app.text_input(key="models_name").value) == ([], "")
    look(app, "12345678")
    assert (told(app), app.text_input(key="models_name").value) == ([], ""), "the hub is not asked"


@pytest.mark.slow
def test_a_link_into_a_folder_is_one_sentence_whether_it_is_there_or_not(open_app: Open, session: State, tiny_folder: Any) -> None:
    for name in (str(tiny_folder("gpt2")), "/no/such/folder", "../../etc/passwd", "~/models/x", "C:\\models\\x", "\\\\host\\share"):
        app = open_app(model=name, prompt="The old king", seed="4")
        assert told(app) == [("The link asks for a model in a folder. Links cannot open folders. The default model is used instead.")], name
        assert (keys(app), wished(app)) == (set(), "")
        assert session(app).run.model_name == "storyteller"
        assert (session(app).run.prompt, session(app).run.settings.seed) == ("The old king", 4)
        assert set(offered_models.in_memory()) == {"storyteller"}


def test_a_folder_that_somebody_has_opened_here_can_be_opened_by_a_link(open_app: Open, session: State, tiny_folder: Any) -> None:
    name = str(tiny_folder("gpt2"))
    run, query = sent(name)
    model = offered_models.loaded(name)
    app = open_app(**query)
    assert keys(app) == {"wish_open", "wish_stay"}
    assert name not in wished(app)
    press(app, "wish_open")
    assert session(app).run.model is model
    assert session(app).run.written == run.written


def test_a_link_to_a_server_calls_nobody(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_app(model="http://ann:secret@127.0.0.1:9", prompt="The old king")
    assert (told(app), keys(app)) == ([], {"wish_stay"})
    assert "`127.0.0.1:9`" in wished(app)
    assert "secret" not in wished(app)
    look(app)
    assert app.text_input(key="models_address").value == "http://127.0.0.1:9"
    monkeypatch.setenv("TOKEN_VIEWER_SERVERS", "http://10.0.0.7:8000")
    assert told(open_app(model="http://127.0.0.1:9")) == [
        ("The link asks for a server that this app may not connect to. The default model is used instead.")
    ]


@pytest.mark.slow
def test_a_server_that_is_connected_without_a_key_is_open_to_a_link(open_app: Open, session: State) -> None:
    with serve(FakeVLLM(limit=512)) as server:
        assert keys(open_app(model=server.address)) == {"wish_stay"}
        assert server.asked == []
        offered_models.loaded(server.address, str(TINY), "key")
        assert keys(open_app(model=server.address)) == {"wish_stay"}, "a stranger does not borrow somebody's key"
        offered_models.loaded(server.address, str(TINY))
        app = open_app(model=server.address, prompt="The old king", seed="8", steps="3")
        assert keys(app) == {"wish_open", "wish_stay"}
        press(app, "wish_open")
        assert len(session(app).run.path) == 3
        assert session(app).run.prompt == "The old king"
        assert f"model={quote_plus(server.address)}&" in shared(app), "its own link names the address, not what the server calls itself"


HOSTILE = [
    "   ",
    "x" * 10_000,
    "<img src=x onerror=alert(1)>",
    "some\u202e/model",
    "some/model@../../../../etc/passwd",
    "http://169.254.169.254/latest",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_what_can_be_no_model_is_one_sentence_and_nothing_happens(open_app: Open, session: State, cache: Path, name: str) -> None:
    app = open_app(model=name, prompt="The old king", seed="4", steps="2")
    assert len(told(app)) == 1
    assert len(told(app)[0]) < 250
    assert not set("<>`[]") & set(told(app)[0])
    assert (keys(app), wished(app)) == (set(), "")
    run = session(app).run
    assert (run.model_name, run.prompt, run.settings.seed, run.path) == ("storyteller", "The old king", 4, [])
    assert list(cache.iterdir()) == []


def test_what_is_half_downloaded_is_not_here(current_session: str, cache: Path) -> None:
    folder = downloaded(current_session)
    assert folder == find(current_session) == find(f"{current_session}@main"), "what is here is used as it is, with nobody asked"
    assert folder is not None
    (folder / "model.safetensors").rename(folder / "aside")
    assert downloaded(current_session) is None
    (folder / "model.safetensors.index.json").write_text('{"weight_map": {"a": "aside", "b": "../../../refs/main"}}')
    assert downloaded(current_session) is None, "a part is a file of this folder"
    (folder / "model.safetensors.index.json").write_text("[1]")
    assert downloaded(current_session) is None
    (folder / "model.safetensors.index.json").unlink()
    (folder / "aside").rename(folder / "model.safetensors")
    (folder / "config.json").unlink()
    assert downloaded(current_session) is None


def test_a_hub_id_is_told_by_how_it_is_written() -> None:
    for name in ("some/model", "HuggingFaceTB/SmolLM2-135M", "a/b@v1.0", "a/b@refs/pr/1", "0x/y_z.w"):
        assert is_hub_id(name)
    for name in ("gpt2", "a/b/c", "/a/b", "a/b@", "a/b@/x", "a/..", "a/b@..", "a b/c", "a/b@c d", ".a/b", "a/b.", ""):
        assert not is_hub_id(name), name
    with pytest.raises(ModelError):
        with_revision("some/model@../../x")


def test_a_link_with_the_last_part_of_a_path_offers_the_loaded_model(open_app: Open, session: State, tiny_folder: Any) -> None:
    folder = str(tiny_folder("gpt2"))
    offered_models.loaded(folder)
    app = open_app(model=share_link.link_name(folder), prompt="The fox")
    press(app, "wish_open")
    assert session(app).run.model_name == folder and session(app).run.prompt == "The fox"


@pytest.mark.parametrize("name", ["/home/ann/fox", "~/models/fox", "C:\\models\\fox.gguf", "/srv/fox.gguf", "./fox"])
def test_a_name_in_a_link_has_no_folder(name: str) -> None:
    written = share_link.link_name(name)
    assert written.removeprefix("./") in ("fox", "fox.gguf") and share_link.kind_of_model(written) == "folder"
