"""The page of many readers: it opens with its readers, serves them to the end, checks them, and says calmly what cannot be."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from core import SamplingSettings
from core.batching.batch_server import ServerSettings
from core.batching.scheduler import Policy
from core.experiments.batching.compared_policies import serve
from core.experiments.shared.planned_requests import planned_requests
from pages.batching import serving_board
from pages.batching.batching_view import ShownBoard
from pages.batching.serving_board_rows import Board
from tests.pages.apptest import Open, State, press, run_on, said


@pytest.mark.slow
@pytest.mark.usefixtures("no_recordings")
def test_serving_to_the_end_and_checking_it(open_app: Open, session: State) -> None:
    app = open_app(page="batching", seed="3")
    assert "Press the button to serve the requests." in said(app)
    app.segmented_control(key="batching_readers").set_value(4).run()
    press(app, "batching_start")
    run_on(app, 200)
    board = session(app).memory[ShownBoard].board
    assert [all(side.done) for side in board.sides] == [True, True] and board.sides[0].texts == board.sides[1].texts
    assert "times as many tokens per second" in said(app) or "Both took about as long" in said(app)
    app.selectbox(key="model").set_value("storyteller-mini").run()  # the check is of the model that made the result
    press(app, "batching_check")
    run_on(app, 200)
    count = sum(len(one.token_ids) for done in board.sides[1].iterations for one in done.finished)
    assert f"{count} of {count} tokens are the same as alone" in said(app)


def test_too_few_blocks_are_said_in_a_sentence(open_app: Open, session: State) -> None:
    app = open_app(page="batching")
    app.select_slider(key="batching_blocks").set_value(8).run()
    app.slider(key="batching_common").set_value(192).run()
    run_on(press(app, "batching_start"))
    assert "Use more blocks" in said(app)


def test_the_board_reads_every_observation_once(tiny: Any) -> None:
    model = tiny("llama")
    who = planned_requests(model, ("Once upon a time", "A fox"), 5, 2, 9, settings=SamplingSettings(seed=2), rate=50.0)
    seen = list(serve(model, who, [ServerSettings(Policy.STATIC, 2, blocks=20), ServerSettings(Policy.CONTINUOUS, 2, blocks=20)]))
    whole, pieces = Board.of(who), Board.of(who)
    whole.take(seen)
    for count in range(0, len(seen) + 3, 3):
        pieces.take(seen[:count])
    pieces.take(seen)
    assert pieces.sides[0].spans == whole.sides[0].spans and pieces.sides[1].texts == whole.sides[1].texts
    for place, side in enumerate(whole.sides):
        for reader, spans in zip(who, side.spans, strict=True):
            assert all(a[1] <= b[0] + 1e-9 for a, b in pairwise(spans))
            busy = sum(stop - start for start, stop, what in spans if what in ("prefill", "decode"))
            iterations = [one.iteration for one in seen if one.side == place]
            wrote = [i for i in iterations for p in i.progress if p.request_id == reader.reader_id and p.tokens]
            assert busy == pytest.approx(sum(i.seconds for i in wrote))


def test_the_end_of_a_long_text_begins_with_a_word() -> None:
    text = "A little bus called Uma lived in a garage. " * 6
    shown = serving_board.tail(text)
    assert len(shown) <= serving_board.LONGEST_TEXT and shown.startswith("…") and f" {shown[1:]}" in text
    assert serving_board.tail("Uma.") == "Uma."
