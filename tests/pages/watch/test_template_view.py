"""Is the template right?, without a browser: the verdict of a tiny chat model, a logged text beside it, and what a text model shows."""

from __future__ import annotations

from typing import Any

import pytest

from pages.ui.i18n import numbers
from tests.pages.apptest import Open, State, press, run_on, said, told
from tests.pages.watch.test_conversation import chat

pytestmark = pytest.mark.usefixtures("templates_here")

__all__ = ["chat"]
LOG = "watch_template_log"


@pytest.fixture
def opened(chat: Any) -> Any:
    """A conversation with the part of the page opened."""
    app = chat()
    app.session_state["watch_template"] = True
    return app.run()


def test_the_verdict_and_its_numbers_are_those_of_core(opened: Any, session: State) -> None:
    app = run_on(press(opened, "watch_template_start"))
    seen = session(app).experiments["watch_template"].observations[-1]
    assert "writes no end token after an answer" in said(app) and numbers.bits(seen.bits) in said(app)
    assert len(seen.pieces) == len(session(app).run.prompt_tokens)


def test_a_logged_text_is_compared_token_by_token(opened: Any, session: State) -> None:
    tokens = session(opened).run.prompt_tokens
    text = b"".join(token.raw for token in tokens).decode()
    app = opened.text_area(key=LOG).set_value(text).run()
    assert "the same as here" in said(app)
    app.text_area(key=LOG).set_value(text.replace("Who", "Where")).run()
    assert "They differ first at token" in said(app)


def test_a_strange_log_is_one_sentence(opened: Any) -> None:
    for text in ("<script>alert(1)</script> *`$:[x](y)", " ", "\x00", "<|start|>" * 2_000, "|a|b|"):
        app = opened.text_area(key=LOG).set_value(text).run()
        assert not app.exception and ("They differ first at token" in said(app) or told(app)), text[:20]


def test_a_model_that_continues_texts_has_no_template_to_check(open_app: Open) -> None:
    app = open_app(prompt="Once")
    assert not [part for part in app.expander if part.label == "Is the template right?"]
