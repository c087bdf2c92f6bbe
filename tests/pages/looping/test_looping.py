"""Why does it loop?: its sentences follow from the recorded result, and odd prompts are answered in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from streamlit.testing.v1 import AppTest

from core.experiments.looping import Looping
from pages.ui.experiments import stored_results
from pages.ui.i18n import numbers
from tests.pages.apptest import Open, live, said, start_and_stop, view


def recorded() -> Looping:
    seen: Looping = stored_results.loads((stored_results.FOLDER / "looping.json.gz").read_bytes()).observations[-1]
    return seen


def test_the_recorded_result_is_told_in_its_own_numbers(open_app: Open) -> None:
    seen, app = recorded(), open_app(page="looping")
    shown = said(app)
    tables = [table.value for table in app.markdown if "what it writes" in table.value]
    rows = [len(table.splitlines()) - 2 for table in tables]
    assert rows == [len({tried.setting for tried in seen.remedies}), len(seen.remedies)], "each setting once, and all behind an expander"
    assert numbers.tokens(seen.period) in shown and f"{seen.copies} copies" in shown
    ending = sum(tried.ends_it for tried in seen.remedies)
    assert f"{ending} of {len(seen.remedies)} remedies end the loop" in shown
    rises = seen.each[-1].mean > seen.each[0].mean
    assert ("makes the next one likelier" in shown) == rises
    assert "repetition penalty 1.5" in shown
    assert ("induction heads of this loop" in shown) == seen.has_induction_heads
    assert seen.others_off is not None and ("may not make the loop" in shown) == (seen.others_off.left_at is not None)
    (dearest,) = [tried for tried in seen.remedies if tried.log_probability == min(one.log_probability for one in seen.remedies)]
    assert f"**repetition penalty 1.5** costs most: {numbers.decimal(dearest.log_probability, 2)} instead of" in shown


def test_whatever_is_asked_it_answers_or_says_why_not(open_app: Open) -> None:
    app = open_app(page="looping")
    for prompt in ("", "word " * 390, "<b>$x$</b>🦊‮", "|||"):
        app.text_input(key="looping_prompt").set_value(prompt)
        assert len(start_and_stop(app, "looping") or []) <= 1, prompt


def test_watch_names_a_loop_and_stops_on_one(open_app: Open, session: Callable[[AppTest], Any]) -> None:
    app = open_app(prompt="Knock knock", greedy="true", stop_on_loop="3")
    live(app, "step")
    run = session(app).run
    assert run is not None
    list(run.stream(200))
    shown = view(app)
    assert run.loop is not None and run.finished == "loop"
    assert shown["ended"].startswith("The text repeats itself") and numbers.tokens(run.loop.period) in shown["loop"]
