"""The desk of a talk: stops are taken, moved, changed and given; the run at every stop is the one that its link asks for."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from core import Generation, Recording, SamplingSettings, load_model
from core.sources.capabilities import Can
from pages.ui.presenting import prepared_talks
from pages.ui.presenting.talk import ActiveTalk, TalkEditor
from pages.ui.presenting.talk_file import Stop, Talk, loads
from pages.ui.presenting.tour_state import TourOfVisitor
from tests.pages.apptest import Open, State, go, html, press


def titles(app: AppTest, session: State) -> list[str]:
    return [stop.title for stop in session(app).memory[TalkEditor].order.stops]


def give(app: AppTest, session: State, *stops: Stop) -> ActiveTalk:
    """Give a talk with these stops."""
    editor = session(app).memory[TalkEditor]
    editor.order, editor.opened = Talk("Mine", stops), 1  # its fields begin anew
    press(go(app, "talk"), "talk_give")
    return active(app, session)


def active(app: AppTest, session: State) -> ActiveTalk:
    talk = session(app).memory[TalkEditor].active_talk
    assert isinstance(talk, ActiveTalk)
    return talk


def move(app: AppTest, session: State, place: int) -> AppTest:
    """Go to a stop of the talk that is given."""
    active(app, session).go = place
    app.run()
    assert not app.exception
    return app


def test_a_prepared_talk_is_taken_changed_and_put_in_another_order(open_app: Open, session: State) -> None:
    app = open_app(page="talk")
    first = titles(app, session)
    press(app, "talk_down_0")
    assert titles(app, session) == [first[1], first[0], *first[2:]]
    press(app, "talk_remove_0")
    assert titles(app, session) == [first[0], *first[2:]]
    field = next(one for one in app.text_input if one.value == first[0])
    field.set_value("Hello").run()
    assert titles(app, session)[0] == "Hello"
    press(app, "talk_take_Ten minutes")
    assert titles(app, session) == [stop.title for stop in prepared_talks.TALKS["Ten minutes"].stops]
    assert not app.exception


def test_the_text_as_it_stands_becomes_a_stop_that_has_it_again(open_app: Open, session: State) -> None:
    app = press(open_app(prompt="The old king", temperature="1.3", seed="5"), "step")
    written = session(app).run.written
    go(app, "talk")
    press(app, "talk_add_stage")
    stop = session(app).memory[TalkEditor].order.stops[-1]
    assert stop.query["prompt"] == "The old king" and stop.query["temperature"] == "1.3"
    again = open_app(**stop.query)
    assert session(again).run.written == written


def test_a_link_to_nowhere_is_refused_and_the_order_stays(open_app: Open, session: State) -> None:
    app = open_app(page="talk")
    before = titles(app, session)
    field = next(one for one in app.text_input if (one.key or "").endswith("_0_link"))
    field.set_value("https://example.org/nowhere").run()
    assert titles(app, session) == before
    assert any("is not a page of this app" in note.value for note in app.info)
    assert not app.exception


def test_a_stop_that_carries_a_recording_replays_it_from_its_beginning(open_app: Open, session: State) -> None:
    made = Generation(load_model("storyteller-mini"), "The old king", SamplingSettings(seed=2))
    list(made.stream(3))
    kept = Recording.of(made).dumps()
    order = loads(Talk("Mine", (Stop("A recording", "stage", words=3, recording=kept),)).dumps())
    app = open_app(page="talk")
    session(app).memory[TalkEditor].order = order
    press(app, "talk_give")
    run = session(app).run
    assert Can.NEW_TOKENS not in run.can and run.path == [] and run.prompt == "The old king"
    assert [run.step().token_id for _ in range(3)] == [step.token_id for step in made.path]


def test_a_broken_recording_in_a_stop_is_said_and_the_talk_goes_on(open_app: Open, session: State) -> None:
    app = open_app(page="talk", prompt="The old king")
    session(app).memory[TalkEditor].order = Talk("Mine", (Stop("Broken", "stage", recording="{}"), Stop("Next", "stage")))
    press(app, "talk_give")
    assert session(app).memory[TalkEditor].active_talk.place == 0
    assert session(app).run.prompt == "The old king"
    assert any("neither a recording" in note.text and not note.place for note in session(app).notices.latest), (
        "said at the head, where the stage reads"
    )


def test_a_recording_belongs_to_its_stop_alone(open_app: Open, session: State) -> None:
    app = open_app(page="talk")
    give(app, session, Stop("Live", "stage?prompt=The+fox"), Stop("Loop", "stage?run=loop"), Stop("Inside", "inside"))
    for place, is_replay in ((1, True), (2, False)):
        assert (Can.NEW_TOKENS not in session(move(app, session, place)).run.can) == is_replay
    assert session(app).run.prompt == "The fox"


def test_a_talk_that_was_left_continues_at_its_stop(open_app: Open, session: State) -> None:
    app = open_app(page="talk")
    press(app, "talk_give")
    active(move(app, session, 1), session).leave = True  # what Escape does on a page
    app.run()
    assert session(app).memory[TalkEditor].active_talk is None
    press(app, "talk_resume")
    assert session(app).memory[TalkEditor].active_talk.place == 1 and session(app).memory[TalkEditor].left is None


def test_after_a_recording_a_page_goes_on_with_the_text_before_it_and_with_its_steps(open_app: Open, session: State) -> None:
    app = open_app(page="talk")
    give(app, session, Stop("Live", "stage?prompt=The+fox"), Stop("Loop", "stage?run=loop"), Stop("The bill", "cost"))
    run = session(app).run
    run.step()
    for place in (1, 2):
        move(app, session, place)
    assert session(app).run is run and len(run.path) == 1


def test_a_stop_of_the_tour_opens_there_and_does_not_end_the_text(open_app: Open, session: State) -> None:
    app = open_app(page="talk")
    give(app, session, Stop("Pieces", "tour?stop=pieces"))
    assert session(app).memory[TourOfVisitor].tour.stop == "pieces" and session(app).around.ending.texts == ()


def test_a_page_starts_from_the_text_of_the_talk_and_not_from_what_the_presenter_changed(open_app: Open, session: State) -> None:
    app = open_app(page="talk")
    live = Stop("Live", "stage?prompt=The+fox&seed=4&temperature=0.9", words=3)
    give(app, session, live, Stop("Loop", "stage?run=loop"), Stop("Inside", "inside"), Stop("Bill", "cost"))
    run = session(app).run
    list(run.stream(3))
    planned = [step.token_id for step in run.path]
    run.go_to(-1)
    run.force(planned[0] + 1)
    app.session_state["temperature"] = 1.9
    for place in (1, 2, 3):
        move(app, session, place)
    assert session(app).run.prompt == "The fox"
    assert [step.token_id for step in session(app).run.path] == planned
    assert {step.settings.temperature for step in session(app).run.path} == {0.9} and session(app).run.settings.temperature == 0.9


def test_a_stop_shows_the_question_and_hides_results_until_an_experiment_was_started_there(open_app: Open, session: State) -> None:
    app = open_app(page="talk")
    stop = Stop("Notepad", "cache", shown=("result_race",), start="cache_start")
    give(app, session, stop, stop)

    def hidden() -> tuple[bool, bool]:
        style = html(app)
        return ":not(.st-key-result_race) {" not in style, ".st-key-cache_start" in style and ".st-key-heading" in style

    assert hidden() == (True, True), "the recorded result is hidden, the button is not"
    press(go(app, "cache"), "cache_start")
    assert hidden() == (False, False)
    move(app, session, 1)
    assert hidden() == (True, True), "the result of an earlier stop is none of this one"


def test_a_stop_shows_its_parts_alone_and_a_notice(open_app: Open, session: State) -> None:
    app = open_app(page="talk")
    give(app, session, Stop("One", "cost", shown=("receipt",), start="cost_two_start"), Stop("Two", "cost"))
    style = html(app)
    for kept in (".st-key-receipt", ".st-key-cost_two_start", ".st-key-talk_bar", ".stAlert"):
        assert kept in style
    assert '.stMainBlockContainer [class*="st-key-detail_"]' in style, "a part's details are hidden"
    assert "display: none !important; }" not in html(move(app, session, 1)).partition("talk_bar")[2]


def test_a_changed_link_of_a_stop_forgets_the_parts_of_the_old_page(open_app: Open, session: State) -> None:
    app = open_app(page="talk")
    place, stop = next((number, stop) for number, stop in enumerate(session(app).memory[TalkEditor].order.stops) if stop.shown)
    next(one for one in app.text_area if (one.key or "").endswith(f"_{place}_say")).set_value("Mine").run()
    kept = session(app).memory[TalkEditor].order.stops[place]
    assert (kept.shown, kept.start, kept.say) == (stop.shown, stop.start, "Mine")
    next(one for one in app.text_input if (one.key or "").endswith(f"_{place}_link")).set_value("inside").run()
    assert session(app).memory[TalkEditor].order.stops[place].shown == ()
