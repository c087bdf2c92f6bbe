"""What a longer text costs, as a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.labs import context
from tests.pages.test_compare import run_on, said


@pytest.mark.slow
def test_it_measures_and_says_what_it_found(open_app: Callable[..., AppTest], session: Callable[[AppTest], Any], monkeypatch: Any) -> None:
    app = open_app(page="context.py")
    assert not app.exception
    app.segmented_control(key="context_repeats").set_value(3).run()
    app.button(key="context_start").click().run()
    run_on(app)
    assert not app.exception
    points = session(app).results["context"].seen
    assert len(points) == points[-1].total and points[-1].repeats == 3
    assert "the wait for the first word grew" in said(app) and "medians of 3 rounds" in said(app)


def test_the_end_of_the_context(open_app: Callable[..., AppTest]) -> None:
    app = open_app(page="context.py")
    app.button(key="context_end").click().run()
    run_on(app)
    assert "there it ended" in said(app) and "Shorten it." in said(app)


def test_what_goes_wrong_is_one_sentence(open_app: Callable[..., AppTest], monkeypatch: Any) -> None:
    def broken(*args: Any) -> None:
        raise RuntimeError("the kernel is on fire")

    app = open_app(page="context.py")
    monkeypatch.setattr(context.KVCache, "__init__", broken)
    app.button(key="context_start").click().run()
    run_on(app)
    assert not app.exception
    assert "Something went wrong here" in said(app) and "on fire" not in said(app)
