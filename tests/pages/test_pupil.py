"""The page of pupil and teacher: both judge, the cascade, the school report; a lone model and a hostile prompt are calm sentences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.experiments.two_models import JudgedToken
from pages.ui.experiments import recorded_results
from pages.ui.i18n import numbers
from pages.ui.session import current
from tests.pages.apptest import run_on, said


@pytest.mark.slow
def test_cascade_and_school(open_app: Callable[..., AppTest], session: Callable[[AppTest], Any]) -> None:
    app = open_app(page="pupil.py", prompt="Once upon a time")
    app.segmented_control(key="pupil_length").set_value(24).run()
    app.button(key="pupil_cascade_start").click().run()
    run_on(app, 300)
    assert not app.exception and "The small one wrote **" in said(app) and "the multiply-adds of the large one alone" in said(app)
    app.button(key="pupil_school_start").click().run()
    run_on(app, 400)
    assert not app.exception and "of 60" in said(app)
    assert "**Storyteller mini alone** has the pupil's size. For two thirds of their steps the two were one model" in said(app)
    reports = {one.name: one for one in session(app).results["pupil_school"].seen}
    assert reports["storyteller"].right >= reports["storyteller-mini"].right > 20
    mini, alone = reports["storyteller-mini"], reports["storyteller-mini-alone"]
    assert alone.parameters == mini.parameters and alone.asked == mini.asked and alone.right > 20


@pytest.mark.slow
def test_without_a_twin_the_school_says_what_is_missing(
    open_app: Callable[..., AppTest], session: Callable[[AppTest], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = current.model_names
    monkeypatch.setattr(current, "model_names", lambda: [name for name in names() if not name.endswith("-alone")])
    monkeypatch.setattr(recorded_results, "first", lambda name: None)
    app = open_app(page="pupil.py")
    app.button(key="pupil_school_start").click().run()
    run_on(app, 400)
    assert not app.exception and "No such model is here" in said(app)
    assert {one.name for one in session(app).results["pupil_school"].seen} == {"storyteller", "storyteller-mini"}


def test_it_begins_with_all_three_results_and_no_model(open_app: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(name: str) -> Any:
        raise AssertionError(f"{name} was loaded to draw a recording")

    monkeypatch.setattr(current, "model_named", refused)
    app = open_app(page="pupil.py")
    told, found = said(app), recorded_results.first("pupil")
    assert not app.exception and found is not None
    judged = [one for one in found.seen if isinstance(one, JudgedToken)]
    same = sum(one.agreed for one in judged)
    assert f"Same favourite at **{same} of {len(judged)}** places" in told
    assert all(numbers.count(one.parameters) in told for one in found.about[:2])
    assert (
        "The small one wrote **" in told
        and "of 60" in told
        and ("Press the button: one writes with your settings and dice, and both say what they think of every piece.") not in told
    )
