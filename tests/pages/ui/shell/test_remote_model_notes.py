"""A model on a server, as a visitor sees it: what is estimated is marked, whose clock it was is said, and no password stays in sight."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from streamlit.testing.v1 import AppTest

from core import SamplingSettings
from core.experiments.batching.burst import Arrived
from core.record.near_border import is_close
from pages.ui.live import server_notes
from tests.pages.apptest import Open, State, go, press, run_on, said


def test_estimates_and_the_servers_clock_are_said_on_watch(connected: AppTest, session: State) -> None:
    app = connected
    assert not app.exception
    assert "the entropy is an upper bound." in said(app)
    assert "20 of 512 tokens listed" in said(app)
    app.slider(key="temperature").set_value(1.5).run()
    assert "The probabilities after your settings are estimates." in said(app)
    session(app).run.force(session(app).run.next_distribution().candidates[0].token_id)
    app.run()
    assert "Measured here" in said(app) or "Computing on the server" in said(app)


@pytest.mark.parametrize(("count", "told"), [(1, "1 token listed;"), (20, "20 tokens listed;")])
def test_one_listed_token_is_one(count: int, told: str) -> None:
    seen = cast(Any, SimpleNamespace(note="a", is_open=True, top_logprobs_count=count))
    assert server_notes.estimates(seen, [], 0.0, False)[0][0].startswith(told)


def test_every_close_choice_of_the_text_is_named(connected: AppTest, session: State) -> None:
    app, run = connected, session(connected).run
    run.settings = SamplingSettings(temperature=0.7, top_k=5, seed=1)  # so that all that counts is in the server's list
    list(run.stream(6))
    run.model.logprob_error = 0.5  # as if the server had shown this difference when connecting
    close = [step.index + 1 for step in run.path if is_close(step, 0.5)]
    app.run()
    assert close and f"Close choices in this text: {len(close)} of 6 (steps {', '.join(map(str, close))})." in said(app)
    run.model.logprob_error = 0.0
    app.run()
    assert "Close choices" not in said(app)


def test_the_bill_is_there_for_a_model_on_a_server(connected: AppTest, session: State) -> None:
    run = session(connected).run
    run.force(run.next_distribution().candidates[0].token_id)
    app = go(connected, "cost")
    assert "keeps" not in " ".join(str(note.value) for note in app.info)
    assert any("Time computing" in str(block.proto) for block in app.get("html"))


def test_a_password_in_a_link_is_taken_out_at_once(open_app: Open, session: State) -> None:
    app = open_app(model="http://anna:hunter2@gpu.example:8000/v1")
    assert app.query_params["model"] in ("http://gpu.example:8000", ["http://gpu.example:8000"])
    assert "hunter2" not in str(session(app).link.requested)
    assert "hunter2" not in " ".join(str(one.value) for one in [*app.markdown, *app.info, *app.caption])


def test_many_readers_are_real_requests_there(connected: AppTest, session: State) -> None:
    app = go(connected, "batching")
    assert "These are real requests" in said(app)
    app.segmented_control(key="burst_readers").set_value(2).run()
    run_on(press(app, "burst_start"))
    ends = [one for one in session(app).experiments["batching_burst"].observations if isinstance(one, Arrived) and one.done]
    assert {one.reader_id for one in ends} == {0, 1}
