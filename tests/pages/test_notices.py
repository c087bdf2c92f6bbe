"""One message per action, beside what was pressed, gone at the next action; and a refused prompt leaves neither silence nor an old run."""

from __future__ import annotations

import pytest

from core.errors import BadSetting
from pages.ui.i18n import example_texts
from pages.ui.session import elements, error_boundary, notices, share_link, state
from pages.ui.session.error_boundary import action_boundary
from pages.ui.shell import frame
from tests.pages.apptest import Open, State, go, live, press, told, view

REFUSED = ("", "x" * (share_link.LONGEST_PROMPT + 1), "and so on " * 1900)  # nothing, too many characters, too many tokens


@pytest.fixture
def visitor(monkeypatch: pytest.MonkeyPatch) -> state.Session:
    """Somebody, without a page."""
    someone = state.Session()
    for module in (error_boundary, notices):
        monkeypatch.setattr(module, "current_session", lambda: someone)
    return someone


@action_boundary
def outer(place: str = "") -> None:
    """An action that fails, with another inside that fails first."""
    if place:
        notices.anchor_notices(place)
    inner()
    raise BadSetting("Too much.")


@action_boundary
def inner() -> None:
    raise BadSetting("Too little.")


def test_a_notice_has_the_place_of_its_action_and_goes_with_the_next(visitor: state.Session) -> None:
    outer("start")
    assert visitor.notices.latest == [state.Notice("Too little.", "start"), state.Notice("Too much.", "start")]
    notices.notify("By the way.")
    notices.notify("By the way.")  # the same is said once
    assert [note.text for note in visitor.notices.latest].count("By the way.") == 1
    assert visitor.notices.latest[-1] == state.Notice("By the way.", ""), "what is said while nothing was pressed stands at the head"
    inner()
    assert visitor.notices.latest == [state.Notice("Too little.", "")]
    elements.clear_notices()
    assert visitor.notices.latest == []


def test_a_notice_of_a_press_during_a_run_of_the_page_is_said_once(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame, "show_next_page_link", lambda path: notices.notify("By the way."))
    app = open_app()
    assert told(app) == ["By the way."], "the live view says it"
    assert told(go(app, "glossary")) == ["By the way."], "a page without it at its head"


def test_a_refused_prompt_is_one_sentence_with_nothing_old_beneath(open_app: Open, session: State) -> None:
    app = press(open_app(), "step", 2)
    run = session(app).run
    written = run.written
    for prompt in REFUSED:
        live(app, "prompt", text=prompt[: share_link.LONGEST_PROMPT + 1])
        assert len(told(app)) == 1
        assert not app.get("vega_lite_chart") and not {"step", "text"} & view(app).keys(), "nothing of a run that nobody asked for"
        for key in ("step", "play", "back", "restart"):
            press(app, key)
            assert len(told(app)) == 1, key
        assert run.written == written and not session(app).player.playing
        live(app, "prompt", text=example_texts.FIRST_PROMPT)
        assert told(app) == []
        assert session(app).run is run and run.written == written, "the run comes back with its own prompt"


@pytest.mark.parametrize("page", ["compare", "what_if"])
def test_where_the_prompt_is_typed_its_refusal_is_said_at_once(page: str, open_app: Open) -> None:
    app = open_app(page=page)
    for prompt in REFUSED:
        app.text_area(key="prompt").set_value(prompt).run()
        assert not app.exception and len(told(app)) == 1, prompt[:20]
        app.text_area(key="prompt").set_value("The fox").run()
        assert told(app) == []


def test_what_cannot_begin_is_said_beside_its_button_until_the_next_action(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages.ui.experiments import worker

    app = open_app(page="compare")
    monkeypatch.setattr(worker, "MOST_OF_ONE_VISITOR", 0)
    press(app, "compare_start")
    sentence = f"You have {0} experiments running. Stop one of them, or wait until one ends."
    assert told(app) == [sentence]
    app.run()
    assert told(app) == [sentence], "a mere redraw takes nothing away"
    app.segmented_control(key="compare_length").set_value(20).run()
    assert told(app) == []
    press(app, "compare_start")
    assert told(app) == [sentence]
    go(app, "think")
    assert told(app) == []
