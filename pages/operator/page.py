"""Operator: visitors, loaded models, downloads, limits and faults. Only the operator can see this page."""

from __future__ import annotations

from dataclasses import fields
from time import monotonic

import pandas as pd
import streamlit as st

from core.limits import Limits
from core.sources.capabilities import Can
from pages.ui.experiments.worker import workers
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _
from pages.ui.server import deployment, event_log, offered_models
from pages.ui.server.gate import Gate
from pages.ui.server.model_downloads import downloads as all_downloads
from pages.ui.session import current, elements, operator_role, progress, seats
from pages.ui.session.error_boundary import action_boundary, drawing_boundary
from pages.ui.session.notices import anchor_notices
from pages.ui.session.state import current_session
from pages.ui.shell import frame

frame.page()
EVERY = 5.0  # seconds between two draws


@action_boundary
def enter() -> None:
    """Sign in with the submitted password."""
    anchor_notices("operator_enter")
    word = str(current.field("operator_password") or "")
    current.fill("operator_password", "")
    operator_role.enter(word)


@action_boundary
def leave() -> None:
    """Sign out."""
    operator_role.leave()


@action_boundary
def stop_download(name: str | None) -> None:
    """Stop one download, or all of them."""
    operator_role.require_operator()
    for each, download in list(all_downloads().items()):
        if name in (None, each):
            download.stop()


@action_boundary
def unload(name: str) -> None:
    """Unload a model for all visitors."""
    operator_role.require_operator()
    offered_models.unload(name)


def sign_in() -> None:
    """Draw the page of a visitor who is not the operator."""
    frame.header(_("Who is here?"), _("operator"))
    if not operator_role.password_is_set():
        st.caption(_("Only the operator of this app can open this page: on the machine itself, or with a password."))
        return
    with st.form("operator_door", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            _("The operator's password"),
            key="operator_password",
            help=_("The operator sets it as TOKEN_VIEWER_OPERATOR_PASSWORD. It is valid for this visit."),
            type="password",
            max_chars=200,
            width=280,
        )
        st.form_submit_button(_("Sign in"), key="operator_enter", on_click=enter)
    elements.notices("operator_enter")


def figures() -> None:
    """Draw the numbers of visitors, connections and experiments, and the memory."""
    import psutil

    limits, people = Limits.from_environment(), seats.active_sessions()
    with st.container(horizontal=True, gap="large", key="operator_figures"):
        of_seats = _("{here} of {seats} seats")
        about = _("A closed tab keeps its seat for some seconds, so that a reload finds its text again.")
        st.metric(_("Visitors"), of_seats.format(here=len(people), seats=limits.visitors or "∞"), width="content", help=about)
        st.metric(_("Connections"), numbers.whole(len(Gate.connections)), width="content")
        st.metric(_("Experiments"), numbers.whole(len(workers().active)), width="content")
        st.metric(_("Memory"), numbers.size(psutil.Process().memory_info().rss), width="content")


def people() -> None:
    """Draw one row per session: its page, and the time since its last action. No text of a visitor is shown."""
    elements.section(_("Here now"), _("sessions"))
    rows = [
        {
            _("page"): visitor.page or "start",
            _("model"): offered_models.title(visitor.model) if visitor.model else "",
            _("tokens"): visitor.tokens,
            _("plays"): visitor.plays,
            _("idle for"): numbers.duration(visitor.idle),
            _("operator"): visitor.operator,
        }
        for visitor in seats.present()
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, key="operator_people") if rows else st.caption(_("There are no other visitors."))


def models() -> None:
    """Draw the loaded models and the passes that wait for them."""
    elements.section(_("Loaded"), _("weights in memory, connections"))
    for name, model in offered_models.in_memory().items():
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{plain(offered_models.title(name))}**", width="content")
            st.caption(
                _("in memory: {size}, {dtype} on {device}").format(
                    size=numbers.size(model.weight_bytes), dtype=plain(model.dtype), device=plain(model.device)
                )
            )
            if Can.PASSES in model.can:
                pool = model.engine.pool
                st.caption(
                    _("{waiting} waiting for a pass, {loads} caches of {size} together").format(
                        waiting=model.engine.lock.waiting, loads=pool.count, size=numbers.size(pool.bytes)
                    )
                )
            st.button(_("Unload"), key=f"operator_unload_{name}", on_click=unload, args=(name,), type="tertiary")


def downloads() -> None:
    """Draw the running downloads of all visitors."""
    elements.section(_("Downloads"))
    running = {name: download for name, download in all_downloads().items() if download.running}
    if not running:
        st.caption(_("No download is running."))
        return
    for name, download in running.items():
        text = _("Downloading {name}: {done} of {total}, {speed} per second").format(
            name=plain(name),
            done=numbers.size(download.done),
            total=numbers.size(download.total),
            speed=numbers.size(download.bytes_per_second),
        )
        st.progress(min(1.0, download.done / download.total) if download.total else 0.0, text=text)
        st.button(_("Stop"), key=f"operator_stop_{name}", on_click=stop_download, args=(name,), icon=":material/close:")
    st.button(_("Stop all"), key="operator_stop_all", on_click=stop_download, args=(None,))


def limits() -> None:
    """Draw the limits, the refused connections and the latest faults."""
    left, right = st.columns(2, gap="large")
    with left:
        elements.section(_("Limits"), _("TOKEN_VIEWER_…, 0 means none"))
        now = Limits.from_environment()
        rows = [{_("limit"): field.name.upper(), _("value"): getattr(now, field.name)} for field in fields(now)]
        st.dataframe(pd.DataFrame(rows), hide_index=True, key="operator_limits")
    with right:
        elements.section(_("Refused"), _("since the start"))
        refused = [{_("why"): _(why), _("times"): times} for why, times in Gate.refused.most_common()]
        st.dataframe(pd.DataFrame(refused), hide_index=True, key="operator_refused") if refused else st.caption(
            _("No connection was refused.")
        )
        elements.section(_("Latest faults"), _("kind and place, without any text of a visitor"))
        faults = [
            {_("when"): f"{fault.when:%d %b %H:%M:%S} UTC", _("kind"): fault.kind, _("where"): fault.place}
            for fault in event_log.latest_faults()
        ]
        st.dataframe(pd.DataFrame(faults), hide_index=True, key="operator_faults") if faults else st.caption(_("None since the start."))


def everything() -> None:
    """Draw all parts; they are drawn again every few seconds."""
    if not operator_role.is_operator():
        return
    with drawing_boundary():
        figures()
        people()
        models()
        downloads()
        limits()


if operator_role.is_operator():
    frame.header(_("Who is here?"), _("operator"), _("The state of this instance. No text of a visitor is shown or stored here."))
    st.caption(
        _("Everyone who can reach this instance is an operator (TOKEN_VIEWER_PUBLIC=0).")
        if deployment.everyone_is_operator()
        else _("This instance is public: visitors choose among the offered models.")
        if deployment.public()
        else _("Only you can reach this instance.")
    )
    progress.part(everything, lambda session: monotonic() // EVERY, key="operator_all")
    if operator_role.has_signed_in(current_session()):
        st.button(_("Sign out"), key="operator_leave", on_click=leave, type="tertiary")
else:
    sign_in()
