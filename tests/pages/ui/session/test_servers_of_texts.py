"""A model on a server without token ids, and a saved answer, on the pages: Watch writes, other pages say in one sentence what they need."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from core import Recording
from core.generation.turns import messages_of
from core.sources.capabilities import Can
from pages.ui import features
from pages.ui.server import offered_models
from pages.ui.session.conversation import EarlierAnswers
from tests.core.generation.test_saved_answers import SPLIT, chat, entry
from tests.core.remote import listed_servers
from tests.core.remote.serving import Running, serve
from tests.pages.apptest import Open, State, go, html, press, said, use_server

PAGES = [path for path in features.paths() if path != "watch"]
CRASH = "Something went wrong in the app."


@pytest.fixture
def server() -> Iterator[Running]:
    with serve(listed_servers.Ollama(choice=1)) as running:
        yield running


@pytest.fixture
def connected(open_app: Open, server: Running) -> AppTest:
    """The app with that server in use, as after Connect."""
    return use_server(open_app(prompt="Look at", temperature="1.0", top_k="0", top_p="1.0"), server.address)


def told_everything(app: AppTest) -> str:
    return " ".join([said(app), *(str(one.value) for one in [*app.warning, *app.error])])


def test_watch_writes_and_says_what_the_server_shows(connected: AppTest, session: State) -> None:
    app = connected
    assert not app.exception and "as texts without ids" in told_everything(app)
    for _each in range(2):
        press(app, "step")
    run = session(app).run
    assert len(run.path) == 2 and run.text.startswith("Look at") and not app.exception
    assert CRASH not in told_everything(app) and "tokens listed; all others are one row." in told_everything(app)
    assert "steps" not in app.query_params, "tokens without ids cannot stand in an address"


def chatting(app: AppTest, session: State, server: Running) -> AppTest:
    use_server(app, server.address).toggle(key="as_chat").set_value(True).run()
    assert not app.exception and CRASH not in told_everything(app)
    return app


def test_a_conversation_with_a_chat_service_that_continues_a_begun_answer(open_app: Open, session: State) -> None:
    with serve(listed_servers.Chat("last")) as server:
        app = chatting(open_app(prompt="Hello", greedy="true"), session, server)
        press(app, "step", 3)
        first = session(app).run
        assert messages_of(first)[-1]["content"] == " the fox." and "Hello" in html(app) and "id None" not in html(app)
        app.chat_input(key="chat_message").set_value("And then?").run()
        session(app).player.playing = False
        press(app, "step", 2)
        run = session(app).run
        assert [message["role"] for message in run.messages] == ["user", "assistant", "user"] and run.written.startswith(" the fox")
        press(app, "go_back_1")
        run = session(app).run
        assert run is first, "with all its tokens"
        run.go_to(0)
        run.force(run.next_distribution().candidates[1])
        assert press(app, "step") and session(app).run.written == " the dog."
        session(app).memory[EarlierAnswers].runs.clear()
        app.chat_input(key="chat_message").set_value("Why?").run()
        session(app).player.playing = False
        session(app).memory[EarlierAnswers].runs.clear()
        press(app, "go_back_1")
        again = session(app).run
        assert again.messages[-1] == {"role": "assistant", "content": " the dog."} and CRASH not in told_everything(app)


def test_a_chat_service_that_answers_as_a_whole_says_why_nothing_can_be_chosen(open_app: Open, session: State) -> None:
    with serve(listed_servers.hosted_chat) as server:
        app = chatting(open_app(prompt="Hello"), session, server)
        press(app, "step")
        assert "no token can be chosen by hand" in told_everything(app), "a note on the model"
        app.chat_input(key="chat_message").set_value("And then?").run()
        session(app).player.playing = False
        press(app, "step", 3)
        session(app).memory[EarlierAnswers].runs.clear()
        press(app, "go_back_1")
        assert len(session(app).run.messages) == 3 and "does not continue a begun answer" in told_everything(app)


def test_connecting_again_keeps_the_run(connected: AppTest, session: State, server: Running) -> None:
    run = session(press(connected, "step")).run
    offered_models.connect(server.address, "")
    press(connected, "step")
    assert session(connected).run is run and len(run.path) == 2


def failing(app: AppTest) -> list[str]:
    """Return the pages that say that something went wrong, when one is opened after the other."""
    return [page for page in PAGES if CRASH in told_everything(go(app, page))]


def test_no_page_fails_with_such_a_model(connected: AppTest) -> None:
    press(connected, "step")
    assert failing(connected) == []


def opened(app: AppTest, session: State) -> AppTest:
    answer = json.dumps(chat(*SPLIT, entry(b" end", 0.0, [])))
    session(app).run = replay = Recording.loads(answer).replay()
    list(replay.stream())
    return app.run()


def test_a_saved_answer_is_replayed_and_what_is_missing_is_said(open_app: Open, session: State) -> None:
    app = opened(open_app(prompt="Once"), session)
    assert not app.exception and session(app).run.text == "A 🦊! end"
    told = told_everything(app)
    assert "This is a saved answer of m." in told and "not in this file" in told and CRASH not in told
    assert "steps" not in app.query_params


def test_no_page_fails_with_a_saved_answer(open_app: Open, session: State) -> None:
    assert failing(opened(open_app(prompt="Once"), session)) == []


def test_read_shows_the_answers_own_probabilities(open_app: Open, session: State) -> None:
    app = go(opened(open_app(prompt="Once"), session), "read")
    app.session_state["read_answer_sure"] = True
    app.run()
    assert not app.exception and CRASH not in told_everything(app)
    assert "The probabilities are those in the file." in told_everything(app) and "not how true it is" in told_everything(app)
    app.segmented_control(key="read_mode").set_value("one").run()
    assert not app.exception and "The probabilities are those in the file." not in told_everything(app)


def test_read_goes_on_after_the_answer_was_closed(open_app: Open, session: State) -> None:
    app = go(opened(open_app(prompt="Once"), session), "read")
    session(app).begun.asked = None
    app.run()
    assert Can.NEW_TOKENS in session(app).run.can
    assert not app.exception and CRASH not in told_everything(app)


def test_an_operator_offers_a_server_by_its_address_alone(
    open_app: Open, session: State, server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_PUBLIC", "1")
    monkeypatch.setenv("TOKEN_VIEWER_SERVERS", f"{server.address}=")
    app = open_app(prompt="Look at")
    app.default_timeout = 300
    app.selectbox(key="model").set_value(server.address).run()
    press(app, "step")
    assert session(app).run.text.startswith("Look at ") and CRASH not in told_everything(app)
