"""Watch: a model writes one token at a time, and every step shows its probabilities, its dice and its cost."""

from __future__ import annotations

import streamlit as st

from core.inspection.scored_answer import scored_answer
from core.sources.capabilities import Can
from pages.ui import features
from pages.ui.i18n import spoken_language
from pages.ui.i18n.translation import _
from pages.ui.live import page_needs
from pages.ui.session import conversation, current, elements, linked_controls, selection
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.session.linked_controls import Linked, LinkedControl
from pages.ui.session.state import current_session
from pages.ui.session.undo import undo_button
from pages.ui.shell import frame, sidebar
from pages.ui.views import kept_by_engine, receipt, template_check
from pages.ui.views.sure_parts import sure_parts
from pages.watch import conversation_view, export, live_parts, view_options
from pages.watch.template_view import template_view
from pages.watch.token_bias import token_bias
from pages.watch.two_settings_view import two_settings_view

frame.page()
selection.open_page_if_asked()
OPENED: Linked = {
    "template": LinkedControl(template_check.NAME, False, (True,)),
    "sure": LinkedControl("watch_sure", False, (True,)),
    "parts": LinkedControl("watch_sure_of", "fields", ("words",)),
}
linked_controls.read(OPENED)


def tools() -> None:
    """Draw the links to the tour and to the stage."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", width="content", key="ways"):
        elements.page_link("tour", label=_("Take the tour"), icon=":material/hiking:", width="content")
        large = _("For an audience: one thing at a time, in large letters. Key: S")
        if features.is_here("stage") and elements.pressed(
            _("On stage"), help=large, icon=":material/co_present:", type="tertiary", key="to_stage"
        ):
            st.switch_page(features.file_of("stage"))


def more_tools() -> None:
    """Draw what can be opened beside the text: the view, and the pages that say how a token was computed and what it cost."""
    view_options.popover()
    elements.page_link("inside", label=_("How was it computed?"), icon=":material/search:", width="content")
    elements.page_link("cost", label=_("The whole receipt"), icon=":material/receipt_long:", width="content")


def engines() -> None:
    """Draw the bias of a token, and how many tokens stay in each engine's order."""
    distribution = current.shown()
    with st.container(horizontal=True, vertical_alignment="center", key="engines_line"):
        if Can.TOKEN_IDS in current.run().can:
            token_bias(distribution)
        line = "" if current.run().path and distribution is current.run().path[-1] else kept_by_engine.kept_line(distribution.settings)
        if line:
            st.caption(line, width="content")


def costs() -> None:
    """Draw the cache beside the bars; with More also time, certainty and the receipt."""
    elements.section(_("The notepad"), _("KV cache"))
    live_parts.cache()
    if not more:
        return
    forward = _("The bar of a step is the measured time of its forward pass. The first pass reads the whole prompt.")
    elements.section(_("How long did it take?"), _("ms per step"), help=forward)
    live_parts.times()
    bits = _(
        "Line: the model's entropy before each token (0 bits is certain, 1 bit a fair coin, 3 bits eight equal choices). "
        "Dots: the surprise of the chosen token."
    )
    elements.section(_("How sure was it?"), _("entropy and surprise, bits"), help=bits)
    live_parts.surprise()
    with st.container(gap="xsmall", key="bill"), drawing_boundary():
        receipt.slip(current.run().path, current.run().model)


session = current_session()
page_needs.begin(session)
with st.bottom, st.container(key="player"):
    live_parts.player()
with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="watch_top"):
    frame.compact_header(_("Watch a model write"), _("It gives each token a probability, then dice decide. Press **Step**."))
    tools()
display, more = view_options.chosen(), bool(current.field(sidebar.MORE))
view_options.apply(display)
talking = conversation.in_conversation()
begun = elements.has_run()
with conversation_view.messages() if talking else st.container(key="hero"):
    live_parts.text(display.tint, talking, more)
elements.mark_notices()
if talking:
    conversation_view.message_input()
if spoken_language.current() != spoken_language.ENGLISH and not talking:
    with st.container(key="english"):  # beside the legend of the tints
        # Translators: This is below the text on the Watch page, in every language but English.
        st.caption(_("The model has only ever read English, so English is what it writes."))
with st.container(horizontal=True, vertical_alignment="center", key="ask"):
    if talking:
        conversation_view.settings()
    else:
        live_parts.prompt()
    with st.container(horizontal=True, width="content"), drawing_boundary():
        undo_button()
        if begun:
            export.branches(current.run())
            export.keep(current.run())
    st.toggle(_("More"), key=sidebar.MORE, **PERSISTENT)
if more:
    page_needs.shows_step(session)
    with st.container(horizontal=True, vertical_alignment="center", key="more_tools"):
        more_tools()
left, right = st.columns([0.64, 0.36], gap="large")
with left, st.container(gap="xsmall"):
    with st.container(key="head", horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        live_parts.part("heading")
        live_parts.part("moment", width="content")
    live_parts.bars(display, more)
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="dice_head"):
        if begun:
            elements.section(_("The dice"), _("sampling"))
        live_parts.part("dice_head", width="content")
    live_parts.dice()
    if more and begun:
        with drawing_boundary():
            engines()
if begun and current.run().path:
    with right, st.container(gap="xsmall"):
        costs()
if more and begun:
    with st.container(key="sides"), drawing_boundary():
        two_settings_view(current.run(), current.shown(), display.rows, display.logarithmic)
        if current.run().path:
            sure_parts(lambda: scored_answer(current.run()), "watch")
if talking and begun and Can.CHAT in current.run().can:
    template_view()
linked_controls.write(OPENED)
page_needs.end(session)
