"""The text so far on Watch, how it is displayed, why it ended, which step the bars show, and a token rolled again."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import streamlit as st

from core.generation.generation import Generation
from core.record.step import Step, TokenDistribution
from core.sources.capabilities import Can
from pages.ui import features
from pages.ui.i18n import numbers, phrases
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import N_, _
from pages.ui.server import offered_models
from pages.ui.session import current, elements, notices, player_actions, selection
from pages.ui.shell import prompt_field
from pages.ui.views import chart, distribution_view
from pages.watch import conversation_view

FINISHED = {
    "end of text": N_("The model has ended its text here. Press Back, or click an earlier token to take another way."),
    "context full": N_("The context is full: this model cannot hold more text. Press Back or Restart to continue from an earlier token."),
    "out of memory": N_("There is no memory left for this text. Press Back, or use a shorter prompt."),
    "stop text": N_("The text contains one of its stop texts. Press Back, or click an earlier token to take another way."),
    "enough tokens": N_("The text has as many tokens as were asked for. Press Back, or click an earlier token to take another way."),
    "constraint fulfilled": N_("The text has the form of the constraint. Press Back, or click an earlier token to take another way."),
    "limit reached": N_("The text has reached the length limit of this app. Press Back or Restart to continue from an earlier token."),
}
MOMENTS = {"rolled": N_("Just rolled"), "coming": N_("Coming next")}
LONG = 10_000_000_000  # multiply-adds of a prompt; on two cores they take a sixth of a second


def text_so_far(run: Generation, seen: TokenDistribution | Step, tint: str) -> None:
    """Draw the text so far, why it ended, and that it is a recording. Opens Why this token? if a token's button was pressed."""
    selection.open_page_if_asked()
    if run.messages:
        conversation_view.answer(run, seen, tint)
    else:
        chart.token_strip(
            run.prompt_tokens,
            run.path,
            key="strip",
            tint=tint,
            opened=current.selected_index(),
            accent=isinstance(seen, Step),
            on_click=partial(elements.run_and_rerun, selection.word_clicked, distribution_view.FRAGMENTS),
            **selection.why_button(run, "strip"),
        )
    prompt_field.final_space(run)
    if run.finished and not current.playing():
        ended = _("The recording ends here. Press Play to see it from its beginning.")
        notices.show_notice(ended if Can.NEW_TOKENS not in run.can else why_ended(run))
    if Can.NEW_TOKENS not in run.can:
        with st.container(horizontal=True, vertical_alignment="center"):
            recorded = (
                _("This is a saved answer of {model}. Its settings, its cache and its times are not in this file.")
                if Can.FACTS not in run.can
                else _("This is a recording of {model}, with its own prompt and settings. It is open as long as this page is.")
            )
            st.caption(recorded.format(model=offered_models.title(run.model_name)), width="content")
            leave = (current.close_recording, ())
            st.button(_("Close the recording"), on_click=elements.run_and_rerun, args=leave, type="tertiary", key="leave")
    elements.notices()


def why_ended(run: Generation) -> str:
    """Return why the run has ended here, "" if it goes on."""
    reason = run.finished or ""
    if run.messages and reason == "end of text":
        return _("The answer is complete. Write the next message, or click an earlier token to take another way.")
    return _(FINISHED[reason]) if reason in FINISHED else reason


def why(run: Generation, seen: TokenDistribution | Step) -> None:
    """Draw the button that leads to what this token depended on."""
    if not selection.can_ask_why(run) or not seen.candidates:
        st.empty()  # a fragment may only write into a container into which it wrote during the last run of the whole page
        return
    token_id = seen.token_id if isinstance(seen, Step) else seen.candidates[0].token_id
    word = seen.vocabulary.token(token_id).piece.lstrip("␣") or "␣"
    label, about = _("Why “{word}”?").format(word=plain(word)), _("Hide words of the text, and see what this token depended on.")
    go = {selection.MEASURE: "words"}
    st.page_link(features.file_of("why"), label=label, icon=":material/help_center:", width="content", help=about, query_params=go)


def reading(run: Generation) -> AbstractContextManager[Any]:
    """Return a context in which the page says that the model reads a prompt, if that takes a while."""
    work = len(run.prompt_tokens) * getattr(run.model, "parameter_count", 0)
    if run.path or work < LONG:
        return nullcontext()
    return st.spinner(_("The model reads {count} tokens …").format(count=numbers.whole(len(run.prompt_tokens))))


def moment(seen: TokenDistribution | Step) -> None:
    """Draw which step the bars show: the next one, the one just rolled, or a reopened one."""
    opened = current.selected_index()
    if opened is not None:
        elements.section(_("Step {number}, reopened").format(number=opened + 1), phrases.settings_of_step(seen))
        newest, icon = (player_actions.newest, ()), ":material/last_page:"
        st.button(_("Back to the newest"), on_click=elements.run_and_rerun, args=newest, icon=icon, type="tertiary", key="newest")
        return
    title = _("What came next?") if isinstance(seen, Step) else _("What comes next?")
    about = _("The probabilities before the roll, or the step that was just rolled. Click a bar to take that token instead.")
    elements.section(title, _("next-token distribution"), help=about)
    player_actions.mark_moment(seen)
    st.segmented_control(
        _("Moment"),
        list(MOMENTS),
        key="moment",
        format_func=lambda name: _(MOMENTS[name]),
        on_change=elements.run_and_rerun,
        args=(player_actions.moment_chosen, ()),
        label_visibility="collapsed",
        required=True,
    )
