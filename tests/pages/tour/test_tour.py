"""The tour: three voices tell the same stops, every widget is alive and notices, every stop has its own link, and progress stays."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from core import list_models
from pages.tour import tour_widgets
from pages.ui.presenting import tour_state, tour_texts
from pages.ui.presenting.tour_state import TourOfVisitor
from pages.ui.server import offered_models
from tests.pages.apptest import Open, State, press, run_on, said
from tests.tiny_models import some

EXPERIMENTS = ("notepad", "full", "many", "guess", "aloud")


def tell(app: AppTest) -> str:
    return said(app) + "\n".join(one.value for one in app.success)


@pytest.mark.parametrize("name", tour_texts.VOICES)
def test_the_voices_tell_the_same_stops_in_the_same_order(name: str) -> None:
    voice = tour_texts.voice(name)
    assert tuple(voice.stops) == tour_texts.ORDER
    for stop in voice.stops.values():
        assert all(getattr(stop, field).strip() for field in ("title", "said", "attempt", "noticed", "limit"))


TRY: dict[str, Callable[[AppTest], object]] = {
    "send": lambda app: [app.button(key="tour_one").click().run() for _ in range(3)],
    "meaning": lambda app: app.pills(key="tour_word").set_value(second_word()).run(),
    "layers": lambda app: app.select_slider(key="tour_layer").set_value(last_layer(app)).run(),
    "odds": lambda app: app.pills(key="tour_beginning").set_value(tour_widgets.BEGINNINGS[0]).run(),
    "dice": lambda app: (app.slider(key="tour_temperature").set_value(1.6).run(), app.button(key="tour_roll").click().run()),
    "why": lambda app: app.pills(key="tour_hidden").set_value(1).run(),
    "loop": lambda app: app.button(key="tour_ten").click().run(),
    "price": lambda app: app.select_slider(key="tour_people").set_value(1_000_000).run(),
    "back": lambda app: app.pills(key="tour_fork").set_value("42 or 27?").run(),
    **{stop: lambda app, stop=stop: (app.button(key=f"tour_{stop}_start").click().run(), run_on(app)) for stop in EXPERIMENTS},  # type: ignore[misc]
}


def second_word() -> int:
    from core.inspection.embeddings import tokens_of_words

    return tokens_of_words(offered_models.loaded(list_models()[0].name), tour_widgets.WORDS)[1]


def last_layer(app: AppTest) -> int:
    return len(app.session_state["_session"].memory[TourOfVisitor].tour.values["inside"].layers)


@pytest.mark.slow
@pytest.mark.parametrize("stop", some(TRY, set(TRY) - set(EXPERIMENTS[1:])))
def test_the_widget_of_a_stop_is_alive_and_notices(stop: str, open_app: Open, session: State) -> None:
    app = open_app(page="tour", stop=stop)
    told = tour_texts.voice("questions").stops[stop]
    assert told.title in said(app) and told.attempt in said(app) and told.noticed not in tell(app)
    TRY[stop](app)
    assert not app.exception
    assert told.noticed in tell(app)
    assert session(app).memory[TourOfVisitor].tour.tried == {stop}


def test_the_address_is_a_link_to_the_stop_with_the_progress_in_it(open_app: Open, session: State) -> None:
    app = open_app(page="tour", stop="loop", voice="metaphor", done="send.pieces.nowhere")
    tour = session(app).memory[TourOfVisitor].tour
    assert (tour.stop, tour.voice, tour.tried) == ("loop", "metaphor", {"send", "pieces"})
    assert session(app).page.address == {"stop": "loop", "voice": "metaphor", "done": "send.pieces"}
    press(app, "tour_ten")
    assert session(app).page.address["done"] == "send.pieces.loop"
    again = open_app(page="tour", **session(app).page.address)
    assert session(again).memory[TourOfVisitor].tour.tried == {"send", "pieces", "loop"}


@pytest.mark.parametrize("link", [{"stop": "<b>"}, {"voice": "🦊"}, {"done": "." * 5000}, {"stop": "", "voice": "", "done": "a.b"}])
def test_a_strange_link_begins_at_the_beginning(link: dict[str, str]) -> None:
    assert tour_state.from_link(link) == tour_state.Tour()


def test_a_link_from_within_leads_to_its_stop_and_takes_nothing_away(monkeypatch: pytest.MonkeyPatch) -> None:
    there = tour_state.Tour("loop", "metaphor", {"send"})
    monkeypatch.setattr(tour_state, "tour", lambda: there)
    tour_state.apply_query({})
    assert there == tour_state.Tour("loop", "metaphor", {"send"})
    tour_state.apply_query({"stop": "price", "done": "odds", "voice": "<b>"})
    assert there == tour_state.Tour("price", "metaphor", {"send", "odds"})


def test_the_tours_own_story_leaves_the_visitors_text_alone(open_app: Open, session: State) -> None:
    app = open_app(page="tour")
    before = session(app).run
    press(app, "tour_one")
    assert session(app).run is before and not (before.path if before else [])
