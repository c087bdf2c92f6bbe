"""Watch: a model writes one token at a time, and every step shows its probabilities, its dice and its cost."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from core.record.step import Step, TokenDistribution
from pages.ui.charts.legend import legend
from pages.ui.components.browser import browser
from pages.ui.i18n import example_texts, language, page_titles, phrases
from pages.ui.i18n.language import _
from pages.ui.i18n.safe_text import plain
from pages.ui.server import loaded_models
from pages.ui.session import address_bar, clicks, conversation, current, cut_rows, elements, explained_token, playback, state
from pages.ui.session.roll_again import roll_again
from pages.ui.shell import all_samplers, frame, prompt_field, remote_model_notes
from pages.ui.shell.display_options import display_options
from pages.ui.shell.player import player
from pages.ui.views import conversation_view, distribution_view, export, saved_components, step_costs
from pages.ui.views.constraint_line import constraint_line
from pages.ui.views.token_bias import token_bias
from pages.ui.views.two_settings_view import two_settings_view
from pages.ui.views.undo_button import undo_button

if TYPE_CHECKING:
    from core import Generation
    from core.generation.replay import Replay

frame.page()

FINISHED = {
    "end of text": _("The model has ended its text here. Press Back, or click an earlier token to take another way."),
    "context full": _("The context is full: this model cannot hold more text. Press Back or Restart to continue from an earlier token."),
    "out of memory": _("There is no memory left for this text. Press Back, or use a shorter prompt."),
    "stop text": _("The text contains one of its stop texts. Press Back, or click an earlier token to take another way."),
    "enough tokens": _("The text has as many tokens as were asked for. Press Back, or click an earlier token to take another way."),
    "constraint fulfilled": _("The text has the form of the constraint. Press Back, or click an earlier token to take another way."),
    "limit reached": _("This app writes no longer texts. Press Back or Restart to continue from an earlier token."),
}
MOMENTS = {"rolled": _("Just rolled"), "coming": _("Coming next")}
QUIET = 0.35  # seconds between two draws of the small charts while it plays


def tools() -> None:
    """Draw the links to the tour and to the stage."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", width="content", key="ways"):
        st.page_link(page_titles.FOLDER / "tour.py", label=_("Take the tour"), icon=":material/hiking:", width="content")
        large = _("For an audience: one thing at a time, in large letters. Key: S")
        if st.button(_("On stage"), help=large, icon=":material/co_present:", type="tertiary", key="to_stage"):
            st.switch_page(page_titles.FOLDER / "stage.py")


def prompts() -> None:
    """Draw the prompt and the example prompts; for a conversation its settings."""
    if talking:
        conversation_view.settings()
        return
    prompt_field.field(width=320)
    for name, text in example_texts.EXAMPLES.items():
        st.button(_(name), on_click=current.use_prompt, args=(text,), help=text, key=f"example_{name}", type="tertiary")


def text_so_far(run: Generation | Replay, seen: TokenDistribution | Step, tint: str) -> None:
    """Draw the text so far, why it ended, and that it is a recording."""
    if run.messages:
        conversation_view.answer(run, seen, tint)
    else:
        saved_components.token_strip(
            run.prompt_tokens,
            run.path,
            key="strip",
            memory=state.results(),
            tint=tint,
            opened=current.selected_index(),
            accent=isinstance(seen, Step),
            on_click=partial(elements.run_and_rerun, clicks.word_clicked, distribution_view.FRAGMENTS),
        )
    prompt_field.final_space(run)
    if run.finished and not current.playing():
        ended = _("The recording ends here. Press Play to see it from its beginning.")
        elements.show_notice(ended if run.is_replay else why_ended(run))
    if run.is_replay:
        with st.container(horizontal=True, vertical_alignment="center"):
            recorded = (
                _("This is a saved answer of {model}. Its settings, its cache and its times are not in this file.")
                if getattr(run.model, "from_answer", False)
                else _("This is a recording of {model}, open as long as this page is. The settings have no effect on it.")
            )
            st.caption(recorded.format(model=loaded_models.title(run.model_name)), width="content")
            leave = (current.close_recording, ())
            st.button(_("Close the recording"), on_click=elements.run_and_rerun, args=leave, type="tertiary", key="leave")
    elements.notices()


def why_ended(run: Generation | Replay) -> str:
    """Return why the run has ended here, "" if it goes on."""
    reason = run.finished or ""
    if run.messages and reason == "end of text":
        return _("The answer is complete. Write the next message, or click an earlier token to take another way.")
    return FINISHED.get(reason, reason)


def why(run: Generation | Replay, seen: TokenDistribution | Step) -> None:
    """Draw the button that leads to what this token depended on."""
    if current.playing() or run.is_replay or not seen.candidates or seen.has_no_ids:
        return
    token_id = seen.token_id if isinstance(seen, Step) else seen.candidates[0].token_id
    word = seen.vocabulary.token(token_id).piece.lstrip("␣") or "␣"
    label, about = _("Why “{word}”?").format(word=plain(word)), _("Hide words of the text, and see what this token depended on.")
    go = {explained_token.MEASURE: "words"}
    st.page_link(page_titles.FOLDER / "why.py", label=label, icon=":material/help_center:", width="content", help=about, query_params=go)


def moment(seen: TokenDistribution | Step) -> None:
    """Draw which step the bars show: the next one, the one just rolled, or a reopened one."""
    opened = current.selected_index()
    if opened is not None:
        elements.section(_("Step {number}, reopened").format(number=opened + 1), phrases.settings_of_step(seen))
        newest, icon = (current.newest, ()), ":material/last_page:"
        st.button(_("Back to the newest"), on_click=elements.run_and_rerun, args=newest, icon=icon, type="tertiary", key="newest")
        return
    title = _("What came next?") if isinstance(seen, Step) else _("What comes next?")
    about = _("The probabilities before the roll, or the step that was just rolled. Click a bar to take that token instead.")
    elements.section(title, _("next-token distribution"), help=about)
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


def engines(seen: TokenDistribution | Step) -> None:
    """Draw the bias of a token, and how many tokens stay in each engine's order; not while it plays."""
    if current.playing():
        return
    with st.container(horizontal=True, vertical_alignment="center", key="engines_line"):
        if not seen.has_no_ids:
            token_bias(seen)
        line = "" if isinstance(seen, Step) else all_samplers.kept_line(seen.settings)
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
if language.current() != language.ENGLISH and not talking:
    with st.container(key="english"):  # beside the legend of the tints
        # Translators: This stands below the text on the Watch page, in every language but English.
        st.caption(_("The model has only ever read English, so English is what it writes."))
with st.container(horizontal=True, vertical_alignment="center", key="ask"):
    prompts()
    look = display_options()
    taken_away = st.container(horizontal=True, width="content")
left, right = st.columns([0.64, 0.36], gap="large")
with left, st.container(gap="xsmall"):
    head = st.container(key="head", horizontal=True, vertical_alignment="center", horizontal_alignment="distribute")
    with st.container(horizontal=True, vertical_alignment="center", key="odds_legend"):
        legend(*distribution_view.entries())
        if not look.folded:
            st.button(_("Fold excluded tokens"), on_click=cut_rows.show, args=(False,), type="tertiary", key="fold_cut")
        asked = st.container(width="content", key="to_why")
    bars = st.container()
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="dice_head"):
        elements.section(_("The dice"), _("sampling"))
        another = _(
            "The last token, or the reopened one, with the next throw of the same seed. The old one stays among the branches. Key: R"
        )
        st.button(_("Roll again"), on_click=roll_again, help=another, icon=":material/casino:", type="tertiary", key="roll_again")
    thrown = st.container()
with right, st.container(gap="xsmall"):
    places = step_costs.places()
    with st.container(horizontal=True, gap="small", key="ways_on"):
        st.page_link(page_titles.FOLDER / "inside.py", label=_("How did it come about?"), icon=":material/search:", width="content")
        st.page_link(page_titles.FOLDER / "cost.py", label=_("The whole receipt"), icon=":material/receipt_long:", width="content")
sides = st.container(key="sides")


def stage() -> None:
    """Draw everything that changes with each step, then make the next step."""
    with elements.error_boundary():
        with hero:
            if not elements.ready():
                return
        run = current.run()
        seen = current.shown(run)
        with playback.drawing():
            with hero:
                text_so_far(run, seen, look.tint)
            with head:
                moment(seen)
            with asked:
                why(run, seen)
            with bars:
                distribution_view.distribution(seen, look.rows, look.logarithmic, look.folded)
                constraint_line(seen)
                remote_model_notes.estimates(seen)
            with thrown:
                saved_components.dice_strip(seen, key="dice", still=playback.too_fast_to_animate(speed))
                browser.announce_step(seen, key="announcer", finished=why_ended(run))
                engines(seen)
            with sides:
                two_settings_view(run, seen, look.rows, look.logarithmic)
            address_bar.write_address("address_stage")
        playback.advance(run, speed)


def cost() -> None:
    """Draw what the steps cost, and what can be saved or shared."""
    with elements.error_boundary():
        if current.refused():
            return
        run = current.run()
        with playback.drawing(step=False):
            step_costs.draw(places, run, current.shown(run))
            with places.times:
                remote_model_notes.times(run.path, run.model)
            with taken_away:
                undo_button()
                export.branches(run)
                export.keep(run)


interval = playback.interval(speed)
st.fragment(stage, run_every=interval, key="stage")()
st.fragment(cost, run_every=interval and max(2 * interval, QUIET), key="cost")()
