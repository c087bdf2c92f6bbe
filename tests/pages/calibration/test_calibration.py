"""Sure or true? without a browser: its temperature bends the curve without a new pass, its link, few tokens, texts of any kind."""

from __future__ import annotations

from typing import Any

from core.experiments.calibration import calibrations
from pages.ui.experiments import stored_results
from pages.ui.i18n import numbers
from tests.pages.apptest import Open, State, press, run_on, said, told

AT = "calibration_temperature"


def test_the_temperature_bends_the_recorded_curve_without_a_pass(open_app: Open, session: State) -> None:
    app = open_app(page="calibration")
    kept = stored_results.bundled("calibration")
    assert kept is not None
    teacher, pupil = (part for part in kept.observations if part.counts)
    for temperature in (1.0, 2.0, 0.5):
        app.select_slider(key=AT).set_value(temperature).run()
        for model in (teacher, pupil):
            assert numbers.percent(model.distance(temperature)) in said(app)
    assert "It says nothing of facts" in said(app)
    assert session(app).page.address == {"at": "0.5"}


def own_text(app: Any, text: str) -> Any:
    """Count this text with the visitor's model alone."""
    app.segmented_control(key="calibration_text_of").set_value("own").run()
    app.selectbox(key="calibration_beside").set_value("nobody").run()
    app.text_area(key="calibration_text").set_value(text).run()
    return run_on(press(app, "calibration_start"))


def test_an_own_text_is_counted_and_few_tokens_are_said(open_app: Open, session: State) -> None:
    app = own_text(open_app(page="calibration"), "The fox met a bear.")
    (*_progress, expected) = calibrations([session(app).run.model], ["The fox met a bear."])
    assert session(app).experiments["calibration"].observations[-1].sums == expected.sums
    assert "Fewer than 1,000 tokens" in said(app) and numbers.percent(expected.distance()) in said(app)


def test_a_strange_text_is_counted_or_refused_in_a_sentence(open_app: Open) -> None:
    app = open_app(page="calibration")
    for text in ("", " ", "<script>alert(1)</script>`$x$ |a|b|", "👩‍👩‍👧‍👦昔々"):
        own_text(app, text)
        assert bool(told(app)) != ("Fewer than 1,000 tokens" in said(app)) == bool(text), text
