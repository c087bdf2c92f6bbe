"""Watch: a model writes one token at a time, and every step shows its odds, its dice and its cost."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from core import language
from core.language import _
from core.record.step import Step, TokenDistribution
from pages.ui.charts import charts, palette, step_rows
from pages.ui.charts.legend import legend
from pages.ui.components.bar_buttons import bar_buttons
from pages.ui.components.browser import browser
from pages.ui.components.dice import dice
from pages.ui.components.token_strip import token_strip
from pages.ui.i18n import example_texts, page_titles, phrases, screen_reader
from pages.ui.server import loaded_models
from pages.ui.session import address_bar, current, cut_rows, elements, playback, state, undo
from pages.ui.shell import frame, prompt_field, remote_model_notes
from pages.ui.shell.display_options import DisplayOptions, display_options
from pages.ui.shell.player import player
from pages.ui.views import cache_gauge, export, receipt

if TYPE_CHECKING:
    from core import Generation
    from core.generation.replay import Replay

frame.page()

FINISHED = {
    "end of text": _("The model has ended its text here. Press Back, or click an earlier word, to take another way."),
    "context full": _("The notepad is full: this model cannot hold more text. Press Back, or Restart, to go on from an earlier place."),
    "out of memory": _("There is no memory left for this text. Press Back, or begin with a shorter prompt."),
    "limit reached": _("This app lets a text grow no longer than this. Press Back, or Restart, to go on from an earlier place."),
}
MOMENTS = {
    "rolled": _("Just rolled"),
    "coming": _("Coming next"),
}

MOVING = ("stage", "cost")  # the two fragments below
QUIET = 0.35  # seconds between two draws of the small charts while it plays


def ask() -> None:
    """The prompt, and example prompts."""
    prompt_field.field(width=320)
    for name, text in example_texts.EXAMPLES.items():
        st.button(_(name), on_click=current.use_prompt, args=(text,), help=text, key=f"example_{name}", type="tertiary")


def english() -> None:
    """In another language than English, once: that the model's own text is none of it."""
    if language.current() != language.ENGLISH:
        with st.container(key="english"):  # beside the legend of the tints
            # Translators: This stands below the text on the Watch page, in every language but English.
            st.caption(_("The model has only ever read English, so English is what it writes."))


def way_back() -> None:
    """The way back to the text that another one took the place of."""
    if undo.can_undo():
        st.button(
            _("Bring back my text"),
            on_click=elements.run_and_rerun,
            args=(undo.undo, ()),
            help=_("The text that was here before, as it stood. Press again to undo."),
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
        memory=state.results(),
        tint=tint,
        opened=current.selected_index(),
        accent=isinstance(seen, Step),
        on_click=partial(elements.run_and_rerun, current.word_clicked, MOVING),
    )
    if run.finished and not current.playing():
        elements.show_notice(
            _("The recording ends here. Press Play to see it from its beginning.")
            if run.is_replay
            else FINISHED.get(run.finished, run.finished)
        )
    if run.is_replay:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(
                _(
                    "This is a recording of {model}; it is open as long as this page is. The sliders rest until you write on yourself."
                ).format(model=loaded_models.title(run.model_name)),
                width="content",
            )
            st.button(
                _("Leave the recording"),
                on_click=elements.run_and_rerun,
                args=(current.use_prompt, (), current.prompt()),
                type="tertiary",
                key="leave",
            )
    elements.notices()


def moment(seen: TokenDistribution | Step) -> None:
    """What the bars show: the coming odds, the step just rolled, or a step that was reopened."""
    opened = current.selected_index()
    if opened is not None:
        elements.section(_("Step {number}, reopened").format(number=opened + 1), phrases.settings_summary(seen.settings))
        st.button(
            _("Back to the newest"),
            on_click=elements.run_and_rerun,
            args=(current.newest, ()),
            icon=":material/last_page:",
            type="tertiary",
            key="newest",
        )
        return
    elements.section(
        _("What came next?") if isinstance(seen, Step) else _("What comes next?"),
        _("next-token distribution"),
        help=_("The odds before the roll, or the step that was just rolled."),
    )
    current.mark_moment(seen)
    st.segmented_control(
        _("Moment"),
        list(MOMENTS),
        key="moment",
        format_func=MOMENTS.__getitem__,
        on_change=elements.run_and_rerun,
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
        alt_text=_("Bars: how likely each next token is, for the model (pale) and for the dice (solid), from 0 to 100 percent."),
        described=False,
        on_select=bar_pressed,
        rows=look.rows + 1,
        logarithmic=look.logarithmic,
    )
    bar_buttons.bar_buttons(
        [(row["token_id"], screen_reader.bar(row) if row["piece"] else "") for row in table.to_pylist()],
        key="odds_keys",
        marks=".st-key-odds svg .row_marks path, .st-key-odds svg .row path",
        label=_("What could come next: arrows walk, Enter takes"),
        on_take=bar_taken,
    )


def bar_taken() -> None:
    """A bar was taken by keyboard."""
    token_id = bar_buttons.taken("odds_keys")
    if token_id == step_rows.FOLDED:
        elements.run_and_rerun(cut_rows.show, (), True)
    elif token_id is not None and token_id >= 0:
        elements.run_and_rerun(current.force, MOVING, token_id)


def bar_pressed() -> None:
    """A bar was clicked, or the line of what is cut."""
    if cut_rows.line_clicked(step_rows.FOLDED):
        elements.run_and_rerun(cut_rows.show, (), True)
    else:
        elements.run_and_rerun(current.bar_clicked, MOVING)


speed = player()
with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="watch_top"):
    frame.compact_header(_("Watch a model write"), _("It weighs what could come next, then dice decide. Press **Step**."))
    with st.container(horizontal=True, vertical_alignment="center", gap="small", width="content", key="ways"):
        st.page_link(page_titles.FOLDER / "tour.py", label=_("Take the tour"), icon=":material/hiking:", width="content")
        if st.button(
            _("On stage"),
            help=_("For a hall: one thing at a time, in letters that the last row can read. Key: S"),
            icon=":material/co_present:",
            type="tertiary",
            key="to_stage",
        ):
            st.switch_page(page_titles.FOLDER / "stage.py")
hero = st.container(key="hero")
english()
with st.container(horizontal=True, vertical_alignment="center", key="ask"):
    ask()
    look = display_options()
    taken_away = st.container(horizontal=True, width="content")
left, right = st.columns([0.64, 0.36], gap="large")
with left, st.container(gap="xsmall"):
    head = st.container(key="head", horizontal=True, vertical_alignment="center", horizontal_alignment="distribute")
    colours = palette.of(charts.theme())
    with st.container(horizontal=True, vertical_alignment="center", key="odds_legend"):
        legend(
            (colours.model, _("what the model said")),
            (colours.dice, _("what the dice use")),
            (colours.chosen, _("taken")),
            hint=_("Click a bar to take that word instead."),
        )
        if not look.folded:
            st.button(_("fold what is cut"), on_click=cut_rows.show, args=(False,), type="tertiary", key="fold_cut")
    bars = st.container()
    with st.container(key="dice_head"):
        elements.section(_("The dice"), _("sampling"))
    thrown = st.container()
with right, st.container(gap="xsmall"):
    elements.section(_("The notepad"), _("KV cache"))
    held = st.container(gap="xsmall", key="notepad")
    elements.section(
        _("How long did it take?"),
        _("ms per step"),
        help=_("The bar of a step is the time of its forward pass, measured. The first one reads the whole prompt."),
    )
    paced = st.container(key="pace")
    elements.section(
        _("How sure was it?"),
        _("entropy and surprise, bits"),
        help=_(
            "The line is how unsure the model was before each token: 0 bits is certain, 1 bit a fair "
            "coin, 3 bits eight equal choices. The dots are how surprising the token was that came."
        ),
    )
    surprised = st.container(key="surprise")
    billed = st.container(gap="xsmall", key="bill")
    with st.container(horizontal=True, gap="small", key="ways_on"):
        st.page_link(page_titles.FOLDER / "inside.py", label=_("How did it come about?"), icon=":material/search:", width="content")
        st.page_link(page_titles.FOLDER / "cost.py", label=_("The whole bill"), icon=":material/receipt_long:", width="content")


def stage() -> None:
    """All that moves with every step: drawn first, then the next step is made."""
    with elements.error_boundary():
        with hero:
            if not elements.ready():
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
                remote_model_notes.estimates(seen)
            with thrown:
                dice.dice_strip(seen, key="dice", still=playback.too_fast_to_animate(speed))
                browser.announce_step(seen, key="announcer", finished=FINISHED.get(run.finished or "", ""))
            address_bar.write_address("address_stage")
        playback.advance(run, speed)


def cost() -> None:
    """What it costs, quietly; and what one can take away."""
    with elements.error_boundary():
        if current.refused():
            return
        run = current.run()
        seen = current.shown(run)
        with playback.drawing(step=False):
            path = run.path
            newest = step_rows.step_rows(path)
            with held:
                cache_gauge.gauge(seen, run.model, key="gauge")
                charts.draw(
                    charts.notepad,
                    step_rows.notepad_rows(path),
                    key="notepad_chart",
                    alt_text=_("One bar per token: positions reused from the cache and positions newly computed."),
                )
            with paced:
                charts.draw(charts.step_time, newest, key="pace_chart", alt_text=_("Milliseconds per token."))
                remote_model_notes.times(path, run.model)
            with surprised:
                charts.draw(
                    charts.surprise,
                    newest,
                    key="surprise_chart",
                    alt_text=_("Line: how unsure the model was before each token, in bits. Dots: how surprising the token was that came."),
                )
            with billed:
                receipt.receipt_summary(path, run.model)
            with taken_away:
                way_back()
                export.branches(run)
                export.keep(run)


interval = playback.interval(speed)
st.fragment(stage, run_every=interval, key="stage")()
st.fragment(cost, run_every=interval and max(2 * interval, QUIET), key="cost")()
