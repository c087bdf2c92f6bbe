"""Watch: a model writes one token at a time, and every step shows its probabilities, its dice and its cost."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st

from core.errors import ViewerError
from core.record.step import Step, TokenDistribution
from core.sources.capabilities import Can
from pages.ui import features
from pages.ui.charts.css_colours import legend
from pages.ui.components.browser import browser
from pages.ui.i18n import example_texts, spoken_language
from pages.ui.i18n.translation import _
from pages.ui.session import address_bar, conversation, current, elements, opened_recording, playback
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.session.player_actions import roll_again
from pages.ui.session.undo import undo_button
from pages.ui.shell import frame, prompt_field, recorded_settings, remote_model_notes
from pages.ui.shell.player import player
from pages.ui.views import chart, distribution_view, kept_by_engine
from pages.watch import conversation_view, export, step_costs, text_so_far, view_options
from pages.watch.step_costs import constraint_line
from pages.watch.token_bias import token_bias
from pages.watch.two_settings_view import two_settings_view

frame.page()

QUIET = 0.35  # seconds between two draws of the small charts while it plays


def tools() -> None:
    """Draw the links to the tour and to the stage."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", width="content", key="ways"):
        st.page_link(features.file_of("tour"), label=_("Take the tour"), icon=":material/hiking:", width="content")
        large = _("For an audience: one thing at a time, in large letters. Key: S")
        if elements.pressed(_("On stage"), help=large, icon=":material/co_present:", type="tertiary", key="to_stage"):
            st.switch_page(features.file_of("stage"))


def prompts() -> None:
    """Draw the prompt and the example prompts; for a conversation its settings."""
    if talking:
        conversation_view.settings()
        return
    with suppress(ViewerError):
        recording = opened_recording.shown()
        if recording is not None:
            recorded_settings.prompt(recording)
        else:
            with st.container(key="prompt_label", width="content"):
                st.markdown(_("Prompt"), width="content")
            prompt_field.field(width=320)
    for name, text in example_texts.EXAMPLES.items():
        st.button(_(name), on_click=current.use_prompt, args=(text,), help=text, key=f"example_{name}", type="tertiary")


def has_steps() -> bool:
    """Return whether the run has a step, so that the charts beside the bars have something to show."""
    return elements.has_run() and bool(current.run().path)


def more_tools() -> None:
    """Draw what can be opened beside the text: the view, and the pages that say how a token was computed and what it cost."""
    view_options.popover()
    st.page_link(features.file_of("inside"), label=_("How was it computed?"), icon=":material/search:", width="content")
    st.page_link(features.file_of("cost"), label=_("The whole receipt"), icon=":material/receipt_long:", width="content")


def engines(seen: TokenDistribution | Step) -> None:
    """Draw the bias of a token, and how many tokens stay in each engine's order; not while it plays."""
    if current.playing():
        return
    with st.container(horizontal=True, vertical_alignment="center", key="engines_line"):
        if Can.TOKEN_IDS in current.run().can:
            token_bias(seen)
        line = "" if isinstance(seen, Step) else kept_by_engine.kept_line(seen.settings)
        if line:
            st.caption(line, width="content")


speed = player()
with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="watch_top"):
    frame.compact_header(_("Watch a model write"), _("It gives each token a probability, then dice decide. Press **Step**."))
    tools()
talking = conversation.in_conversation()
hero = conversation_view.messages() if talking else st.container(key="hero")
if talking:
    conversation_view.message_input()
if spoken_language.current() != spoken_language.ENGLISH and not talking:
    with st.container(key="english"):  # beside the legend of the tints
        # Translators: This is below the text on the Watch page, in every language but English.
        st.caption(_("The model has only ever read English, so English is what it writes."))
with st.container(horizontal=True, vertical_alignment="center", key="ask"):
    prompts()
    taken_away = st.container(horizontal=True, width="content")
    about = _("The view, the bias of a token, the orders of the engines, two settings side by side, the receipt.")
    more = st.toggle(_("More"), help=about, key="watch_more", **PERSISTENT)
if more:
    with st.container(horizontal=True, vertical_alignment="center", key="more_tools"):
        more_tools()
look = view_options.chosen()
begun = has_steps()
left, right = st.columns([0.64, 0.36], gap="large")
with left, st.container(gap="xsmall"):
    head = st.container(key="head", horizontal=True, vertical_alignment="center", horizontal_alignment="distribute")
    with st.container(horizontal=True, vertical_alignment="center", key="odds_legend"):
        legend(*distribution_view.entries())
        if not look.folded:
            st.button(_("Fold excluded tokens"), on_click=distribution_view.show_excluded, args=(False,), type="tertiary", key="fold_cut")
        asked = st.container(width="content", key="to_why")
    bars = st.container()
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="dice_head"):
        elements.section(_("The dice"), _("sampling"))
        another = _(
            "Samples the last or the reopened token again, with the next random number of the seed. The old token stays as a branch. Key: R"
        )
        st.button(_("Roll again"), on_click=roll_again, help=another, icon=":material/casino:", type="tertiary", key="roll_again")
    thrown = st.container()
with right, st.container(gap="xsmall"):
    places = step_costs.places(receipt=more) if begun else None
sides = st.container(key="sides")


def stage() -> None:
    """Draw everything that changes with each step, then make the next step."""
    current.begin_run()  # this part is also drawn alone
    with drawing_boundary():
        with hero:
            if not elements.ready():
                return
        run = current.run()
        with hero, text_so_far.reading(run):
            seen = current.shown(run)
        with playback.drawing():
            with hero:
                text_so_far.text_so_far(run, seen, look.tint)
            with head:
                text_so_far.moment(seen)
            with asked:
                text_so_far.why(run, seen)
            with bars:
                distribution_view.distribution(seen, look.rows, look.logarithmic, look.folded)
                constraint_line(seen)
                if Can.NETWORK not in run.can:
                    remote_model_notes.estimates(seen)
            with thrown:
                chart.dice_strip(seen, key="dice", still=playback.too_fast_to_animate(speed))
                browser.announce_step(seen, key="announcer", finished=text_so_far.why_ended(run))
                if more:
                    engines(seen)
            if more:
                with sides:
                    two_settings_view(run, seen, look.rows, look.logarithmic)
            address_bar.write_address("address_stage")
        playback.advance(run, speed)


def cost() -> None:
    """Draw what the steps cost, and what can be saved or shared."""
    with drawing_boundary():
        if current.refused():
            with taken_away:
                undo_button()
            return
        run = current.run()
        if bool(run.path) != begun:
            st.rerun()  # the charts beside the bars come with the first step
        with playback.drawing(step=False):
            if places is not None:
                step_costs.draw(places, run, current.shown(run))
                if Can.NETWORK not in run.can:
                    with places.times:
                        remote_model_notes.times(run.path, run.model)
            with taken_away:
                undo_button()
                export.branches(run)
                export.keep(run)


interval = playback.interval(speed)
st.fragment(stage, run_every=interval, key="stage")()
st.fragment(cost, run_every=interval and max(2 * interval, QUIET), key="cost")()
