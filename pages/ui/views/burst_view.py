"""Many readers on a server: real requests at once, what came back and when, and what the server says of itself."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

from core.experiments.batching import Reader, readers
from core.experiments.burst import Arrived, Told, burst, figures, rate_over_time
from core.language import N_, _
from core.remote.streaming import batch_size
from pages.ui.charts import charts, serving_charts
from pages.ui.charts.serving_rows import Board
from pages.ui.components.serving_board.serving_board import serving_board
from pages.ui.experiments import experiment, results
from pages.ui.i18n import numbers
from pages.ui.i18n.example_texts import OPENINGS
from pages.ui.session import current, elements, provenance
from pages.ui.session.state import PERSISTENT

NAME = "batching_burst"
COUNTS, LENGTHS = (2, 4, 8, 16), (32, 64, 128, 256)


def burst_page(prompt_field: Callable[[], None]) -> None:
    """All of it: controls, the readers, the server's word. prompt_field draws the field of the prompt."""
    st.caption(
        _(
            "The model is on a server, which has a scheduler of its own. So these readers are real "
            "requests, sent together; when each word came is measured here, and what the server does "
            "meanwhile it says itself."
        )
    )
    prompt_field()
    with st.container(horizontal=True, vertical_alignment="bottom", key="burst_controls"):
        count = st.segmented_control(_("Readers"), COUNTS, default=8, key="burst_readers", required=True, **PERSISTENT) or 8
        length = st.segmented_control(_("Tokens each"), LENGTHS, default=64, key="burst_length", required=True, **PERSISTENT) or 64
        place = st.container()
    now = provenance.now(
        {N_("the readers"): N_("{count} readers").format(count=count), N_("the length"): N_("{count} tokens").format(count=length)}
    )

    @current.error_boundary
    def begin() -> None:
        current.anchor_notices(NAME)
        model = current.model()
        who = readers(model, (current.prompt(), *OPENINGS[1:]), count, length, length, settings=current.settings())
        experiment.start(NAME, lambda: burst(model, who), now, who)

    state = experiment.of(NAME)
    with place:
        if state.running:
            st.button(_("Stop"), on_click=experiment.stop, args=(NAME,), icon=":material/stop:", key="burst_stop")
        elif st.button(
            _("Once more") if state.seen else _("Send them all"), type="primary", icon=":material/group_add:", key="burst_start"
        ):
            begin()
            st.rerun()

    def draw() -> None:
        with results.shown(NAME, now, begin) as run:
            if not run.seen:
                if not run.running and not run.error:
                    st.caption(
                        _(
                            "Press the button: {count} requests at the same moment, with your settings. The server throws its own dice."
                        ).format(count=count)
                    )
                return
            arrived(run.about, run.seen)
            told([one for one in run.seen if isinstance(one, Told)], run.seen)

    results.live(draw, NAME, key="burst_course")


def board_of(who: tuple[Reader, ...], seen: tuple[Arrived | Told, ...]) -> Board:
    """The readers as rows: waiting until their first piece, writing until their last."""
    board = Board.of(who, sides=1)
    side = board.sides[0]
    now = max(one.seconds for one in seen)
    first: dict[int, float] = {}
    last: dict[int, float] = {}
    for one in seen:
        if isinstance(one, Arrived):
            side.texts[one.reader_id] += one.text
            if one.tokens > 0:
                first.setdefault(one.reader_id, one.seconds)
                last[one.reader_id] = one.seconds
            side.done[one.reader_id] |= one.done and not one.error
        elif one.said.running is not None:
            start = side.slots[-1][1] if side.slots else 0.0
            side.slots.append([start, one.seconds, one.said.running])
    for reader in who:
        begun = first.get(reader.reader_id, now)
        side.spans[reader.reader_id].append([0.0, begun, "queued"])
        if reader.reader_id in last:
            end = last[reader.reader_id] if side.done[reader.reader_id] else now
            side.spans[reader.reader_id].append([begun, max(end, begun), "decode"])
    return board


def arrived(who: tuple[Reader, ...], seen: tuple[Arrived | Told, ...]) -> None:
    """The readers, and all of them in one sentence."""
    board = board_of(who, seen)
    most = max([len(who), *(int(rows) for _kind, _time, rows in board.sides[0].slots)])
    serving_board(
        board,
        (_("As seen from here"),),
        (_("Grey: waits for its first word (way, queue and prompt together). Blue: words come."),),
        (most,),
        key="burst_board",
        clock=max(one.seconds for one in seen),
    )
    found = figures(seen)
    if found.tokens:
        pairs = {"first": found.first_token, "each": found.per_token}
        values = {name: numbers.duration(pair[0]) if pair[0] == pair[0] else "–" for name, pair in pairs.items()}
        values |= {f"slow_{name}": numbers.duration(pair[1]) if pair[1] == pair[1] else "–" for name, pair in pairs.items()}
        rate, seconds = numbers.whole(found.tokens_per_second), numbers.duration(found.seconds)
        st.markdown(
            _(
                "**{rate} tokens a second** for all ({tokens} in {seconds}). First word after {first} "
                "(median; 95 %: {slow_first}), each further one after {each} (95 %: {slow_each})."
            ).format(rate=rate, tokens=numbers.whole(found.tokens), seconds=seconds, **values)
        )
    for one in seen:
        if isinstance(one, Arrived) and one.error:
            st.caption(_("Reader {reader}: {error}").format(reader=one.reader_id + 1, error=one.error))


def told(said: list[Told], seen: tuple[Arrived | Told, ...]) -> None:
    """The server's word over time, and tokens a second as counted here."""
    elements.section(_("What the server says"), _("the server's word, over all who use it"))
    rows: list[dict[str, object]] = []
    for one in said:
        for name, value in ((_("running"), one.said.running), (_("waiting"), one.said.waiting)):
            if value is not None:
                rows.append({"chart": "requests", "seconds": one.seconds, "value": float(value), "series": name})
        if one.said.cache_use is not None:
            rows.append({"chart": "cache", "seconds": one.seconds, "value": 100 * one.said.cache_use, "series": _("KV cache in use")})
    rows += [
        {"chart": "rate", "seconds": at, "value": rate, "series": _("tokens a second (counted here)")} for at, rate in rate_over_time(seen)
    ]
    table = pd.DataFrame(rows, columns=["chart", "seconds", "value", "series"])
    entries = (
        ("requests", f"{_('running')} · {_('waiting')}", ""),
        ("cache", _("KV cache in use"), " %"),
        ("rate", _("tokens a second (counted here)"), ""),
    )
    for home, (name, title, unit) in zip(st.columns(3, gap="large"), entries, strict=True):
        part = table[table["chart"] == name]
        with home:
            st.caption(title)
            if len(part):
                charts.draw(serving_charts.over_time, part, key=f"burst_{name}", alt_text=title, unit=unit)
            else:
                st.caption("–")
    if all(one.said.running is None and one.said.cache_use is None for one in said):
        st.caption(_("This server says nothing of itself (vLLM: /metrics; llama-server: --metrics and --slots)."))
    rows_a_pass = batch_size(said[0].said, said[-1].said) if len(said) > 1 else None
    if rows_a_pass is not None:
        st.markdown(_("By its own count, {rows} requests were in a pass on average.").format(rows=numbers.decimal(rows_a_pass, 1)))
    st.caption(
        _(
            "A server on few cores can shorten the wait for the first word by batching and write no more "
            "a second for it: what is measured is drawn, nothing is claimed. A llama-server without "
            "continuous batching calls slots running that only wait."
        )
    )
