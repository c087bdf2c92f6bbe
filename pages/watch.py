"""Watch: a model writes one token at a time, and every step shows its odds, its dice and its cost."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from core.record.step import Step, TokenDistribution
from pages.parts.charts import charts, step_rows
from pages.parts.components.address import address
from pages.parts.components.announcer import announcer
from pages.parts.components.bar_buttons import bar_buttons
from pages.parts.components.cache_gauge import cache_gauge
from pages.parts.components.dice import dice
from pages.parts.components.export import export
from pages.parts.components.receipt import receipt
from pages.parts.components.token_strip import token_strip
from pages.parts.layout import frame, palette, prompt_field, served
from pages.parts.layout.display_options import DisplayOptions, display_options
from pages.parts.layout.player import player
from pages.parts.runtime import loaded_models, playback
from pages.parts.session import current, cut_rows, undo
from pages.parts.text import access_words, words

if TYPE_CHECKING:
    from core import Generation
    from core.generation.replay import Replay

frame.page()

MOVING = ("stage", "cost")  # the two fragments below
QUIET = 0.35  # seconds between two draws of the small charts while it plays


def ask() -> None:
    """The prompt, and example prompts."""
    prompt_field.field(width=320)
    for name, text in words.EXAMPLES.items():
        st.button(name, on_click=current.use_prompt, args=(text,), help=text, key=f"example_{name}", type="tertiary")


def way_back() -> None:
    """The way back to the text that another one took the place of."""
    if undo.can_bring_back():
        st.button(
            words.BRING_BACK,
            on_click=frame.then,
            args=(undo.bring_back, ()),
            help=words.BRING_BACK_HELP,
            icon=":material/settings_backup_restore:",
            type="tertiary",
            key="bring_back",
        )


def sentence(run: Generation | Replay, seen: TokenDistribution | Step, tint: str) -> None:
    """The text so far, the hero of the page."""
    token_strip.token_strip(
        run.prompt_tokens,
        run.path,
        key="strip",
        tint=tint,
        opened=current.selected_index(),
        accent=isinstance(seen, Step),
        on_click=partial(frame.then, current.word_clicked, MOVING),
    )
    if run.finished and not current.playing():
        frame.show_notice(words.REPLAY_OVER if run.is_replay else words.FINISHED.get(run.finished, run.finished))
    if run.is_replay:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(words.REPLAYING.format(model=loaded_models.title(run.model_name)), width="content")
            st.button(
                words.LEAVE_RECORDING, on_click=frame.then, args=(current.use_prompt, (), current.prompt()), type="tertiary", key="leave"
            )
    frame.notices()


def moment(seen: TokenDistribution | Step) -> None:
    """What the bars show: the coming odds, the step just rolled, or a step that was reopened."""
    opened = current.selected_index()
    if opened is not None:
        frame.section(words.PLACE_REOPENED.format(number=opened + 1), words.settings_then(seen.settings))
        st.button(
            words.BACK_TO_NEWEST,
            on_click=frame.then,
            args=(current.newest, ()),
            icon=":material/last_page:",
            type="tertiary",
            key="newest",
        )
        return
    frame.section(words.ODDS_ROLLED if isinstance(seen, Step) else words.ODDS_COMING, words.ODDS_TERM, help=words.MOMENT_HELP)
    current.mark_moment(seen)
    st.segmented_control(
        "Moment",
        list(words.MOMENTS),
        key="moment",
        format_func=words.MOMENTS.__getitem__,
        on_change=frame.then,
        args=(current.moment_chosen, ()),
        label_visibility="collapsed",
        required=True,
    )


def distribution(seen: TokenDistribution | Step, look: DisplayOptions) -> None:
    """The bars: what could come."""
    table = step_rows.distribution_rows(seen, look.rows, current.clicks(), look.folded)
    charts.draw(
        charts.distribution,
        table,
        key="odds",
        alt_text=words.ODDS_ALT,
        heard=False,
        on_select=bar_pressed,
        rows=look.rows + 1,
        logarithmic=look.logarithmic,
    )
    bar_buttons.bar_buttons(
        [(row["token_id"], access_words.bar(row) if row["piece"] else "") for row in table.to_pylist()],
        key="odds_keys",
        marks=".st-key-odds svg .row_marks path, .st-key-odds svg .row path",
        label=access_words.BARS_LABEL,
        on_take=bar_taken,
    )


def bar_taken() -> None:
    """A bar was taken by keyboard."""
    token_id = bar_buttons.taken("odds_keys")
    if token_id == step_rows.FOLDED:
        frame.then(cut_rows.show, (), True)
    elif token_id is not None and token_id >= 0:
        frame.then(current.force, MOVING, token_id)


def bar_pressed() -> None:
    """A bar was clicked, or the line of what is cut."""
    if cut_rows.line_clicked(step_rows.FOLDED):
        frame.then(cut_rows.show, (), True)
    else:
        frame.then(current.bar_clicked, MOVING)


speed = player()
with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="watch_top"):
    frame.opening(words.WATCH_TITLE, words.WATCH_LEAD)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", width="content", key="ways"):
        st.page_link(frame.PAGES / "tour.py", label=words.TAKE_TOUR, icon=":material/hiking:", width="content")
        if st.button(words.ON_STAGE, help=words.ON_STAGE_HELP, icon=":material/co_present:", type="tertiary", key="to_stage"):
            st.switch_page(frame.PAGES / "stage.py")
hero = st.container(key="hero")
with st.container(horizontal=True, vertical_alignment="center", key="ask"):
    ask()
    look = display_options()
    taken_away = st.container(horizontal=True, width="content")
left, right = st.columns([0.64, 0.36], gap="large")
with left, st.container(gap="xsmall"):
    head = st.container(key="head", horizontal=True, vertical_alignment="center", horizontal_alignment="distribute")
    colours = palette.of(charts.theme())
    with st.container(horizontal=True, vertical_alignment="center", key="odds_legend"):
        frame.legend(
            (colours.model, words.MODEL_SAID), (colours.dice, words.DICE_USE), (colours.chosen, words.TAKEN), hint=words.FORCE_HINT
        )
        if not look.folded:
            st.button(words.CUT_CLOSE, on_click=cut_rows.show, args=(False,), type="tertiary", key="fold_cut")
    bars = st.container()
    with st.container(key="dice_head"):
        frame.section(words.DICE, words.DICE_TERM)
    thrown = st.container()
with right, st.container(gap="xsmall"):
    frame.section(words.NOTEPAD, words.NOTEPAD_TERM)
    held = st.container(gap="xsmall", key="notepad")
    frame.section(words.PACE, words.PACE_TERM, help=words.TIMES_HELP)
    paced = st.container(key="pace")
    frame.section(words.SURPRISE, words.SURPRISE_TERM, help=words.SURPRISE_HELP)
    surprised = st.container(key="surprise")
    billed = st.container(gap="xsmall", key="bill")
    with st.container(horizontal=True, gap="small", key="ways_on"):
        st.page_link(frame.PAGES / "inside.py", label=words.TO_INSIDE, icon=":material/search:", width="content")
        st.page_link(frame.PAGES / "cost.py", label=words.TO_RECEIPT, icon=":material/receipt_long:", width="content")


def stage() -> None:
    """All that moves with every step: drawn first, then the next step is made."""
    with frame.error_boundary():
        with hero:
            if not frame.ready():
                return
        run = current.run()
        seen = current.shown(run)
        with playback.drawing():
            with hero:
                sentence(run, seen, look.tint)
            with head:
                moment(seen)
            with bars:
                distribution(seen, look)
                served.estimates(seen)
            with thrown:
                dice.dice_strip(seen, key="dice", still=playback.too_fast_to_animate(speed))
                announcer.announcer(seen, key="announcer", finished=words.FINISHED.get(run.finished or "", ""))
            address.address("address_stage")
        playback.advance(run, speed)


def cost() -> None:
    """What it costs, quietly; and what one can take away."""
    with frame.error_boundary():
        if current.refused():
            return
        run = current.run()
        seen = current.shown(run)
        with playback.drawing(step=False):
            path = run.path
            newest = step_rows.step_rows(path)
            with held:
                cache_gauge.gauge(seen, run.model, key="gauge")
                charts.draw(charts.notepad, step_rows.notepad_rows(path), key="notepad_chart", alt_text=words.NOTEPAD_ALT)
            with paced:
                charts.draw(charts.step_time, newest, key="pace_chart", alt_text=words.PACE_ALT)
                served.times(path, run.model)
            with surprised:
                charts.draw(charts.surprise, newest, key="surprise_chart", alt_text=words.SURPRISE_ALT)
            with billed:
                receipt.slip(path, run.model)
            with taken_away:
                way_back()
                export.branches(run)
                export.keep(run)


interval = playback.interval(speed)
st.fragment(stage, run_every=interval, key="stage")()
st.fragment(cost, run_every=interval and max(2 * interval, QUIET), key="cost")()
