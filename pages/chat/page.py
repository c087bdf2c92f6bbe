"""Chat: opens the conversation on Watch; for a model without a chat template it offers the models that have one."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st

from core import list_models
from core.errors import ViewerError
from core.experiments.shared import prepared_runs
from core.models.hub import OFFERS
from core.sources.capabilities import Can
from pages.ui import features
from pages.ui.experiments import experiment, results
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _
from pages.ui.server import offered_models
from pages.ui.session import conversation, current, elements, notices, opened_recording, operator_role, own_models
from pages.ui.session.error_boundary import action_boundary, drawing_boundary
from pages.ui.shell import frame
from pages.ui.views import template_check

frame.page()


@action_boundary
def use(name: str) -> None:
    """Load the model and select it; the page then opens the conversation."""
    current.use_model(name)


@action_boundary
def open_recorded() -> None:
    """Open the recorded conversation on Watch."""
    opened_recording.show(prepared_runs.load(prepared_runs.CONVERSATION))


def recorded_conversation() -> None:
    """Draw the way to a conversation that was recorded with a model that can chat."""
    if elements.pressed(_("Watch a recorded conversation"), icon=":material/play_circle:", key="chat_recorded"):
        open_recorded()
        st.switch_page(features.file_of("watch"))


def can_chat(name: str) -> bool:
    """Return whether the model has a chat template, or may have one, because it is not loaded."""
    model = own_models.taught().get(name) or offered_models.in_memory().get(name)
    return Can.CHAT in model.can if model is not None else name not in {entry.name for entry in list_models()}


def choose_model() -> None:
    """Draw the models that can chat: buttons for those of the visitor, and the way to those to download."""
    names = [name for name in current.model_names() if can_chat(name)]
    with st.container(horizontal=True, key="chat_models"):
        for name in names:
            st.button(_("Use {name}").format(name=plain(offered_models.title(name))), on_click=use, args=(name,), key=f"chat_use_{name}")
    if operator_role.is_operator():
        titles = ", ".join(offer.title for offer in OFFERS if offer.chat)
        st.caption(_("Chat models to download, among others: {names}.").format(names=titles))
        elements.page_link("models", label=_("Download a chat model"), icon=":material/download:", width="content")
    elif not names:
        st.caption(_("The operator of this app offers no chat model."))


with suppress(ViewerError):  # there is no model
    if Can.CHAT in current.model().can:
        elements.act_in_next_run(conversation.open_on_watch)  # before a widget of Watch is drawn
        st.switch_page(features.file_of("watch"))
frame.header(
    _("Can I talk with it?"),
    _("chat template"),
    _("A chat model answers what you write. Its chat template marks who speaks; Watch shows these marks, too."),
)
with drawing_boundary():
    notices.show_notice(conversation.no_template())
    choose_model()
    recorded_conversation()
    elements.section(_("Is the template right?"), _("answered below a conversation"))
    recorded = experiment.started_or_recorded(template_check.NAME)
    st.markdown(
        _(
            "With a chat model, Watch checks its chat template: a doubled start token, a missing end token, a system prompt that is left "
            "out, the model's surprise at each token of the template, and the first token that differs from what your program sent."
        )
    )
    if recorded.made_by is not None:
        with results.shown(template_check.NAME, recorded.made_by):
            template_check.draw(recorded)
