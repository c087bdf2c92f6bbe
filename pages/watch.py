"""Watch: a model writes one token at a time, and every step shows its odds, its dice and its cost."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from core.step import Odds, Step
from pages.parts import charts, dice, frame, keep, notepad, own_text, palette, playing, receipt, rows, strip, visit, words
from pages.parts.player import player
from pages.parts.view import View, view

if TYPE_CHECKING:
    from core import Generation
    from core.replay import Replay

frame.page()

MOVING = ("stage", "cost")  # the two fragments below
QUIET = 0.35  # seconds between two draws of the small charts while it plays


def ask() -> None:
    """The prompt, and example prompts."""
    own_text.field(width=320)
    for name, text in words.EXAMPLES.items():
        st.button(name, on_click=visit.use_prompt, args=(text,), help=text, key=f"example_{name}", type="tertiary")


def sentence(run: Generation | Replay, seen: Odds | Step, tint: str) -> None:
    """The text so far, the hero of the page."""
    strip.token_strip(
        run.prompt_tokens,
        run.path,
        key="strip",
        tint=tint,
        opened=visit.opened(),
        accent=isinstance(seen, Step),
        on_click=partial(frame.then, visit.word_clicked, MOVING),
    )
    if run.finished and not visit.playing():
        frame.tell(words.REPLAY_OVER if run.is_replay else words.FINISHED.get(run.finished, run.finished))
    if run.is_replay:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(words.REPLAYING, width="content")
            st.button(words.LEAVE_RECORDING, on_click=frame.then, args=(visit.use_prompt, (), visit.prompt()), type="tertiary", key="leave")
    frame.sentences()


def moment(seen: Odds | Step) -> None:
    """What the bars show: the coming odds, the step just rolled, or a step that was reopened."""
    opened = visit.opened()
    if opened is not None:
        frame.section(words.PLACE_REOPENED.format(number=opened + 1), words.settings_then(seen.settings))
        st.button(
            words.BACK_TO_NEWEST,
            on_click=frame.then,
            args=(visit.newest, ()),
            icon=":material/last_page:",
            type="tertiary",
            key="newest",
        )
        return
    frame.section(words.ODDS_ROLLED if isinstance(seen, Step) else words.ODDS_COMING, words.ODDS_TERM)
    visit.mark_moment(seen)
    st.segmented_control(
        "Moment",
        list(words.MOMENTS),
        key="moment",
        format_func=words.MOMENTS.__getitem__,
        on_change=frame.then,
        args=(visit.moment_chosen, ()),
        label_visibility="collapsed",
        required=True,
    )


def odds(seen: Odds | Step, look: View) -> None:
    """The bars: what could come."""
    charts.draw(
        charts.odds,
        rows.odds_rows(seen, look.rows, visit.clicks()),
        key="odds",
        alt_text=words.ODDS_ALT,
        on_select=partial(frame.then, visit.bar_clicked, MOVING),
        rows=look.rows + 1,
        logarithmic=look.logarithmic,
    )


speed = player()
frame.opening(words.WATCH_TITLE, words.WATCH_LEAD)
hero = st.container()
with st.container(horizontal=True, vertical_alignment="center", key="ask"):
    ask()
    look = view()
    taken_away = st.container(horizontal=True, width="content")
left, right = st.columns([0.64, 0.36], gap="large")
with left, st.container(gap="xsmall"):
    head = st.container(key="head", horizontal=True, vertical_alignment="center", horizontal_alignment="distribute")
    colours = palette.of(charts.theme())
    frame.legend((colours.model, words.MODEL_SAID), (colours.dice, words.DICE_USE), (colours.chosen, words.TAKEN))
    bars = st.container()
    frame.section(words.DICE, words.DICE_TERM)
    thrown = st.container()
with right, st.container(gap="xsmall"):
    frame.section(words.NOTEPAD, words.NOTEPAD_TERM)
    held = st.container(gap="xsmall", key="notepad")
    frame.section(words.PACE, words.PACE_TERM)
    paced = st.container(key="pace")
    frame.section(words.SURPRISE, words.SURPRISE_TERM)
    surprised = st.container(key="surprise")
    billed = st.container(gap="xsmall", key="bill")
    with st.container(horizontal=True, gap="small", key="ways_on"):
        st.page_link(frame.HERE.parent / "inside.py", label=words.TO_INSIDE, icon=":material/search:", width="content")
        st.page_link(frame.HERE.parent / "cost.py", label=words.TO_RECEIPT, icon=":material/receipt_long:", width="content")


def stage() -> None:
    """All that moves with every step: drawn first, then the next step is made."""
    with frame.calm():
        run = visit.run()
        seen = visit.shown(run)
        with playing.drawing():
            with hero:
                sentence(run, seen, look.tint)
            with head:
                moment(seen)
            with bars:
                odds(seen, look)
            with thrown:
                dice.dice_strip(seen, key="dice", still=playing.hurried(speed))
        playing.advance(run, speed)


def cost() -> None:
    """What it costs, quietly; and what one can take away."""
    with frame.calm():
        run = visit.run()
        seen = visit.shown(run)
        with playing.drawing(step=False):
            path = run.path
            newest = rows.step_rows(path)
            with held:
                notepad.gauge(seen, run.model, key="gauge")
                charts.draw(charts.notepad, rows.notepad_rows(path), key="notepad_chart", alt_text=words.NOTEPAD_ALT)
            with paced:
                charts.draw(charts.pace, newest, key="pace_chart", alt_text=words.PACE_ALT)
            with surprised:
                charts.draw(charts.surprise, newest, key="surprise_chart", alt_text=words.SURPRISE_ALT)
            with billed:
                receipt.slip(path, run.model)
            with taken_away:
                keep.branches(run)
                keep.keep()


beat = playing.pace(speed)
st.fragment(stage, run_every=beat, key="stage")()
st.fragment(cost, run_every=beat and max(2 * beat, QUIET), key="cost")()
