"""What a longer text costs, as a page."""

from __future__ import annotations

from typing import Any

from core.experiments import context
from tests.pages.apptest import Open, run_on, said


def test_the_end_of_the_context(open_app: Open) -> None:
    app = open_app(page="context.py")
    app.button(key="context_end").click().run()
    run_on(app)
    assert "there it ended" in said(app) and "Shorten it." in said(app)


def test_what_goes_wrong_is_one_sentence(open_app: Open, monkeypatch: Any) -> None:
    def broken(*args: Any) -> None:
        raise RuntimeError("the kernel is on fire")

    app = open_app(page="context.py")
    monkeypatch.setattr(context.KVCache, "__init__", broken)
    app.button(key="context_start").click().run()
    run_on(app)
    assert not app.exception
    assert "Something went wrong here" in said(app) and "on fire" not in said(app)
