"""Chat: opens Watch as a conversation, and offers chat models where the chosen one cannot have one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.pages.apptest import Open, State, go, press, said, told, use_model

pytestmark = pytest.mark.usefixtures("templates_here")

BEGIN = "This is a new conversation. Write your first message below."


def test_a_model_without_a_template_is_named_and_chat_models_are_offered(
    open_app: Open, session: State, chat_folder: Callable[..., Path]
) -> None:
    app = open_app(page="chat")
    assert told(app) == ["Storyteller has no chat template: it continues a text and does not answer. Choose a chat model first."]
    assert not [button for button in app.button if str(button.key).startswith("chat_use_")], "the bundled models have none"
    assert "SmolLM2 135M Instruct, Qwen3 0.6B" in said(app)
    folder = str(chat_folder())
    session(app).models.names.append(folder)
    press(app.run(), f"chat_use_{folder}")
    assert session(app).page.path == "" and told(app) == [BEGIN] and app.toggle(key="as_chat").value


def test_a_chat_model_opens_a_new_conversation_and_keeps_one(open_app: Open, session: State, chat_folder: Callable[..., Path]) -> None:
    app = open_app(greedy="true", most_new_tokens="4", prompt="Once")
    assert not [toggle for toggle in app.toggle if toggle.key == "as_chat"], "the bundled model has no template"
    use_model(app, str(chat_folder()))
    press(app, "step")
    go(app, "chat")
    assert session(app).page.path == "" and told(app) == [BEGIN] and app.toggle(key="as_chat").value
    assert app.button(key="bring_back"), "the text can be brought back"
    app.chat_input(key="chat_message").set_value("Who are you?").run()
    session(app).player.playing = False
    go(app, "chat")
    assert session(app).page.path == "" and session(app).run.prompt == "Who are you?", "the conversation goes on"
    assert session(app).run.as_chat and any(token.special for token in session(app).run.prompt_tokens), "what the template adds"
