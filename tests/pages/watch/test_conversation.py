"""A conversation on Watch: turns on one cache, branches, edits, files of messages, and what is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core import Generation, Recording
from core.errors import ViewerError
from core.generation.ending import Stop
from core.generation.turns import messages_of
from pages.ui.live import conversation_answer
from pages.ui.session import conversation, run_start, share_link
from pages.watch.conversation_view import IN_SIGHT
from tests.pages.apptest import Open, State, html, press, show_more, told, use_model, view
from tests.tiny_models import CHAT

pytestmark = pytest.mark.usefixtures("templates_here")


@pytest.fixture
def chat(open_app: Open, session: State, chat_folder: Callable[..., Path]) -> Callable[..., AppTest]:
    """Opens Watch with a tiny chat model, greedy, at most four new tokens."""

    def opened(template: str = CHAT, **query: str) -> AppTest:
        folder = str(chat_folder(template))
        app = open_app(greedy="true", as_chat="true", most_new_tokens="4", prompt="Who are you?", **query)
        use_model(app, folder).toggle(key="as_chat").set_value(True).run()
        assert not app.exception
        return app

    return opened


def answer(app: AppTest, session: State, steps: int = 4) -> Any:
    session(app).player.playing = False
    press(app, "step", steps)
    return session(app).run


def send(app: AppTest, text: str) -> AppTest:
    app.chat_input(key="chat_message").set_value(text).run()
    assert not app.exception
    return app


def edit(app: AppTest, session: State, place: int, text: str) -> AppTest:
    app.session_state[conversation.edit_key(place)] = True
    app.run()
    app.text_area(key=f"edited_{place}_{session(app).around.times_set}").set_value(text)
    return press(app, f"send_{place}")


def test_an_edited_message_is_answered_at_once(chat: Any, session: State) -> None:
    app = chat()
    answer(app, session)
    send(app, "And then?")
    answer(app, session)
    edit(app, session, 0, "Where are you?")
    made = session(app)
    assert not told(app) and made.player.playing
    assert [message["content"] for message in made.run.messages] == ["Where are you?"]
    assert not app.session_state[conversation.edit_key(0)], "the popover is closed"
    made.player.playing = False
    press(app, "bring_back")
    assert [message["content"] for message in session(app).run.messages if message["role"] == "user"] == ["Who are you?", "And then?"]


def test_an_answer_from_a_link_gets_steps_when_it_is_branched(chat: Any, session: State) -> None:
    app = chat(earlier=json.dumps([["user", "Who?"], ["assistant", "small dragon"]]))
    assert session(app).run.messages[1]["content"] == "small dragon"
    press(app, "go_back_1")
    run = session(app).run
    assert run.written == "small dragon" and len(run.messages) == 1
    assert {step.chosen_by for step in run.path} == {"forced"}


def test_a_system_prompt_and_a_beginning_of_the_answer(chat: Any, session: State) -> None:
    app = chat()
    state = session(app)
    app.session_state["conversation"] = True
    app.run()
    app.text_area(key=f"chat_system_{state.around.times_set}").set_value("Be a fox.").run()
    app.text_area(key=f"chat_begun_{state.around.times_set}").set_value("I am").run()
    run = session(app).run
    assert [m["role"] for m in run.messages] == ["system", "user", "assistant"]
    assert "".join(token.text for token in run.prompt_tokens).endswith("I am")
    answer(app, session, 2)
    send(app, "Go on.")
    assert [m["role"] for m in session(app).run.messages] == ["system", "user", "assistant", "user"]
    assert session(app).run.messages[2]["content"].startswith("I am")


def test_a_template_without_a_system_prompt_says_so_and_keeps_the_conversation(chat: Any, session: State) -> None:
    app = chat("{% for m in messages %}{% if m.role != 'system' %}<|turn|>{{ m.content }}{% endif %}{% endfor %}")
    answer(app, session, 2)
    state = session(app)
    app.session_state["conversation"] = True
    app.run()
    key = f"chat_system_{state.around.times_set}"
    app.text_area(key=key).set_value("Be a fox.").run()
    assert any("no place for a system prompt" in sentence for sentence in told(app))
    app.text_area(key=key).set_value("").run()
    assert len(session(app).run.path) == 2


def test_what_cannot_be_sent_loses_nothing_and_a_new_conversation_begins_with_its_first_message(chat: Any, session: State) -> None:
    app = chat()
    send(app, "And then?")
    assert len(session(app).run.messages) == 1
    assert any("has not answered yet" in sentence for sentence in told(app))
    run = answer(app, session)
    send(app, "one two three " * 400)
    assert session(app).run is run and len(run.path) == 4
    assert any("tokens" in sentence for sentence in told(app))
    press(app, "new_conversation")
    assert told(app) == ["This is a new conversation. Write your first message below."]
    send(app, "Hello")
    assert session(app).run.messages == ({"role": "user", "content": "Hello"},)


def test_a_recorded_conversation_is_shown_and_goes_on_with_the_visitor_s_model(chat: Any, session: State) -> None:
    app = chat()
    answer(app, session)
    send(app, "And then?")
    recording = Recording.loads(Recording.of(answer(app, session)).dumps())
    press(app, "new_conversation")
    replay = recording.replay()
    for _step in recording.path:
        replay.step()
    run_start.replace_run(session(app), replay, session(app).begun.asked)
    session(app).player.moment = "rolled"
    app.run()
    assert not app.exception and session(app).run is replay
    assert len(app.chat_message) == len(replay.messages) + 1
    send(app, "Go on.")
    run = session(app).run
    assert run is not replay and run.messages[:4] == messages_of(replay) and run.messages[4]["content"] == "Go on."


def test_a_long_conversation_is_folded(chat: Any, session: State) -> None:
    said = [[("user", "assistant")[number % 2], f"Message {number}."] for number in range(10)]
    app = chat(earlier=json.dumps(said))
    assert len(session(app).run.messages) == 11
    assert len(app.chat_message) == IN_SIGHT + 1
    assert [one.label for one in app.expander if "Earlier" in one.label] == ["Earlier messages: 6"]
    app.session_state["earlier_messages"] = True
    app.run()
    assert not app.exception and len(app.chat_message) == 12
    assert all(f"Message {number}." in "".join(strip(html(app))) for number in range(10))


def strip(text: str) -> list[str]:
    """The text of this HTML without its tags."""
    return re.split(r"<[^>]*>", text)


def test_what_ends_a_message_in_the_template_is_drawn_with_it(chatty: Callable[..., Any]) -> None:
    model = chatty("{% for m in messages %}<|turn|>{{ m.content }}<|end|>{% endfor %}<|turn|>")
    run = Generation(
        model, [{"role": "user", "content": "Who?"}, {"role": "assistant", "content": "Me."}, {"role": "user", "content": "So?"}]
    )
    drawn = [[token.piece for token, is_template in part if is_template] for part in conversation_answer.prompt_parts(run)]
    assert drawn == [["⟨turn⟩", "⟨end⟩"]] * 3 + [["⟨turn⟩"]]


def test_text_of_others_in_a_conversation_is_text(chat: Any, session: State) -> None:
    app = chat(earlier=json.dumps([["user", "<img src=x onerror=alert(1)> **b** [a](http://x)"], ["assistant", "</p><script>"]]))
    assert len(session(app).run.messages) == 3
    written = html(app)
    assert "<img" not in written and "<script" not in written and "&lt;" in written


def test_thoughts_are_counted_and_folded(chat: Any, session: State) -> None:
    app = chat(CHAT + "{# </think> #}")
    run = session(app).run
    session(app).around.ending = type(session(app).around.ending)(thoughts=1)
    run.stop_at(thinking_budget=1)
    for part in ("<think>", "one", "</think>", "two"):
        for token in run.model.tokenize(part):
            if not token.special:
                run.force(token.token_id)
    app.run()
    assert not app.exception
    labels = [label for _first, _end, label in view(app)["thoughts"] if "Thought" in label]
    assert "its end was forced" in labels[0]
    assert len(labels) == 1 and "tokens" in labels[0] and "FLOP" in labels[0]


def test_messages_are_saved_and_opened_as_chat_programs_have_them(chat: Any, session: State) -> None:
    app = chat()
    run = answer(app, session)
    saved = conversation.messages_file(run)
    content = json.loads(saved)
    assert content["messages"] == list(messages_of(run)) and "/" not in content["model"]
    prompt, around = conversation.messages_in(saved.encode())
    assert (prompt, around.earlier, around.begun) == ("Who are you?", (), content["messages"][1]["content"])
    typed = [{"role": "user", "content": [{"type": "text", "text": "Hi"}], "name": "x"}]
    assert conversation.messages_in(json.dumps(typed).encode())[0] == "Hi"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe",
        b"{}",
        b"[]",
        b"3",
        b"null",
        b'{"messages": {}}',
        b'{"messages": []}',
        b'[{"role": "user"}]',
        b'[{"role": "tool", "content": "x"}]',
        b'[{"role": "user", "content": [{"type": "image_url"}]}]',
        b'[{"role": "system", "content": "x"}]',
        b'[{"role": "assistant", "content": "x"}]',
        b'[{"role": "user", "content": "  "}]',
        b'[{"role": "user", "content": "a"}, {"role": "system", "content": "b"}]',
        b"[" * 1_000_000,
        b'{"messages":' * 100_000,
        b"[" + b'{"role": "user", "content": "a"},' * 2_000 + b'{"role": "user", "content": "a"}]',
        b'[{"role": "user", "content": "' + b"a" * 300_000 + b'"}]',
        b'[{"role": "user", "content": "' + b"a" * (9 * 2**20) + b'"}]',
        b'[{"role": "user", "content": "\\ud83d"}, {"role": "user"',
    ],
)
def test_a_file_without_messages_is_refused_in_one_sentence(data: bytes) -> None:
    with pytest.raises(ViewerError) as caught:
        conversation.messages_in(data)
    assert len(str(caught.value)) < 200


def test_stop_texts_and_the_largest_number_are_taken_from_their_fields(chat: Any, session: State) -> None:
    app = show_more(chat())
    state = session(app)
    assert state.run.stops == Stop(tokens=4).arguments
    app.text_area(key=f"stop_texts_{state.around.times_set}").set_value("###\n\\n\n###\n").run()
    app.number_input(key=f"most_new_tokens_{state.around.times_set}").set_value(2).run()
    app.selectbox(key=f"stop_on_loop_{state.around.times_set}").set_value(4).run()
    assert session(app).run.stops == Stop(("###", "\n"), 2, 4).arguments
    app.number_input(key=f"thinking_budget_{state.around.times_set}").set_value(3).run()
    app.text_input(key=f"thinking_end_{state.around.times_set}").set_value(" The end.").run()
    ending = session(app).around.ending
    assert session(app).run.stops == ending.arguments == Stop(("###", "\n"), 2, 4, 3, " The end.").arguments
    assert share_link.ending_of(share_link.link_values(session(app).around.conversation, ending)) == ending
    answer(app, session, 3)
    assert len(session(app).run.path) == 2 and told(app)
    app.text_area(key=f"stop_texts_{state.around.times_set}").set_value("a" * 300).run()
    assert session(app).run.stops["stop"] == ["###", "\n"] and any("Stop texts" in sentence for sentence in told(app))
