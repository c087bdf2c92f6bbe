"""The buttons and the result of an experiment on a page, in Streamlit's own test of a script."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def short_experiment() -> None:
    """A page whose experiment ends after its button is drawn and before its result is."""
    from collections.abc import Iterator
    from threading import Event

    import streamlit as st

    from pages.ui.experiments import experiment, results
    from pages.ui.session import elements, provenance
    from pages.ui.session.state import start_session

    start_session()
    elements.act_on_press()
    now = provenance.Provenance("")
    drawn = st.session_state.setdefault("drawn", Event())

    def ends_when_drawn() -> Iterator[int]:
        drawn.wait(20)
        yield 1

    begin = results.starter("race", now, ends_when_drawn)
    results.start_button("race", "Start", begin)
    if experiment.started_or_recorded("race").running:
        drawn.set()
        assert experiment.wait("race", 20)

    def draw(run: experiment.Experiment) -> None:
        st.text(f"{len(run.observations)} seen")

    results.part("race", now, begin, draw)


def test_stop_does_not_stay_on_a_page_whose_experiment_ended_while_it_was_drawn() -> None:
    app = AppTest.from_function(short_experiment, default_timeout=60).run()
    app.button(key="race_start").click().run()
    assert not app.exception and [button.label for button in app.button if button.label in ("Start", "Stop")] == ["Start"]
    assert app.text[0].value == "1 seen"
