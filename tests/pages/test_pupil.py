"""The page of pupil and teacher: both judge, the cascade, the school report; a lone model and a hostile prompt are calm sentences."""

from __future__ import annotations

from typing import Any

import pytest

from core.experiments.two_models import JudgedToken
from pages.ui.experiments import recorded_results
from pages.ui.i18n import numbers
from pages.ui.session import current
from tests.pages.apptest import Open, said


def test_it_begins_with_all_three_results_and_no_model(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
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
