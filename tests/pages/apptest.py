"""What the tests of pages read from Streamlit's AppTest, and how they wait for an experiment."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic, sleep
from typing import Any

from streamlit.testing.v1 import AppTest

from pages.ui.experiments.worker import Worker
from pages.ui.live.verbs import VERBS, Press
from pages.ui.live.view_data import NOTHING, view_data
from pages.ui.server import offered_models
from pages.ui.session.state import acting_for

Open = Callable[..., AppTest]
State = Callable[[AppTest], Any]


BUTTONS = {name: name for name in ("step", "back", "restart", "play", "pause")} | {
    "new_dice": "seed",
    "roll_again": "roll",
    "leave": "close",
}


def show_more(app: AppTest) -> AppTest:
    """Turn the switch More of Watch on."""
    return app.toggle(key="watch_more").set_value(True).run()


def live(app: AppTest, verb: str, **more: Any) -> AppTest:
    """Press in the live view, as its route does, and draw the page."""
    session = app.session_state["_session"]
    with acting_for(session):
        VERBS[verb](Press(view="a-view-of-a-test", number=1, run=session.live.run_number, **more))
    app.run()
    assert not app.exception
    return app


def view(app: AppTest) -> dict[str, Any]:
    """Return what the live view shows, with all its tokens; nothing on a page without it."""
    if not any(part.key == "live_player" for part in app.get("bidi_component")):
        return {}
    with acting_for(app.session_state["_session"]):
        return view_data(NOTHING)


def told(app: AppTest) -> list[str]:
    """Return the notices of a page, those of its live view first."""
    notes = [str(note.value) for note in app.info]
    return [sentence for sentence in (*_notices(app), *notes) if sentence]


def _notices(app: AppTest) -> list[str]:
    shown = view(app)
    return [shown.get("refused", ""), *shown.get("notices", ()), shown.get("ended", "")]


def said(app: AppTest) -> str:
    """Return the texts of a page, and the sentences of its live view."""
    shown = view(app)
    step = shown.get("step") or {"notes": [], "times": []}
    sentences = [sentence for sentence, _help in (*step["notes"], *step["times"])]
    texts = [element.value for kind in (app.markdown, app.caption) for element in kind]
    return "\n".join([*texts, *told(app), *sentences, shown.get("recorded", ""), shown.get("from_cache", "")])


def html(app: AppTest) -> str:
    return "\n".join(element.proto.body for element in app.get("html"))


def run_on(app: AppTest, patience: float = 240) -> AppTest:
    """Let every experiment come to its end, and draw what it found."""
    assert not app.exception
    for worker in list(app.session_state["_session"].experiments.values()):
        if isinstance(worker, Worker):
            assert worker.wait(patience), "it never ended"
    app.run()
    assert not app.exception
    return app


def press(app: AppTest, key: str, times: int = 1) -> AppTest:
    """Press a button so many times, one of the live view by its verb. No press raises."""
    for _ in range(times):
        if key in BUTTONS:
            live(app, BUTTONS[key])
        else:
            app.button(key=key).click().run()
        assert not app.exception
    return app


def start_and_stop(app: AppTest, name: str) -> list[str] | None:
    """Press Start of an experiment, and Stop if it runs then. Return the notices if it does not, else None."""
    press(app, f"{name}_start")
    if any(button.key == f"{name}_stop" for button in app.button):
        press(app, f"{name}_stop")
        return None
    return told(app)


def go(app: AppTest, page: str) -> AppTest:
    """Open another page of the same visitor, e.g. "cost"."""
    app.switch_page(f"../../pages/{page}/page.py").run()
    assert not app.exception
    return app


def use_model(app: AppTest, name: str) -> AppTest:
    """Offer a model to the visitor, and choose it in the sidebar."""
    app.session_state["_session"].models.names.append(name)
    app.run().selectbox(key="model").set_value(name).run()
    assert not app.exception
    return app


def use_server(app: AppTest, address: str, tokenizer: str = "") -> AppTest:
    """Connect an inference server, and choose its model in the sidebar. tokenizer: a folder, "" to let the server tokenize."""
    app.default_timeout = 300
    offered_models.connect(address, tokenizer)
    app.session_state["_session"].models.servers[address] = (tokenizer, None)
    return use_model(app, address)


def see(app: AppTest, name: str, count: int = 1, patience: float = 120) -> None:
    """Wait until an experiment has found so much."""
    worker, latest = app.session_state["_session"].experiments[name], monotonic() + patience
    while len(worker.observations) < count:
        assert worker.running and monotonic() < latest
        sleep(0.01)
