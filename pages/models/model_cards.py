"""The models on this machine, as cards with the buttons that use, unload, remove or offer them."""

from __future__ import annotations

import streamlit as st

from core import list_models
from core.engine.model import LanguageModel
from core.models.bundled_models import ModelEntry
from core.sources.capabilities import Can
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _
from pages.ui.server import deployment, offered_models
from pages.ui.session import current, elements, operator_role, own_models
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.notices import anchor_notices, notify


def in_use(name: str) -> str:
    """Return the notice that a model is in use."""
    return _("{name} is in use.").format(name=name)


@action_boundary
def use(name: str) -> None:
    """Load the model and start a run with it."""
    anchor_notices(f"models_use_{name}")
    current.use_model(name)
    notify(in_use(offered_models.title(name)))


@action_boundary
def unload(name: str) -> None:
    """Unload the model for all visitors."""
    anchor_notices(f"models_use_{name}")
    operator_role.require_operator()
    offered_models.unload(name)
    offered_models.withdraw(name)
    notify(_("{name} was unloaded. Runs keep their text, and the next step loads the model again.").format(name=name))


@action_boundary
def remove(name: str) -> None:
    """Remove one of the visitor's own models."""
    anchor_notices("models_here")
    own_models.taught().pop(name, None)
    notify(_("{name} was removed. Its text stays until you start another run.").format(name=name))


@action_boundary
def toggle_offer(name: str, offered: bool) -> None:
    """Offer the model to every visitor, or withdraw it."""
    anchor_notices(f"models_use_{name}")
    operator_role.require_operator()
    if offered:
        offered_models.withdraw(name)
    else:
        offered_models.add(name, *operator_role.access(name))


def on_this_machine() -> None:
    """Draw a card for each model."""
    elements.section(_("On this machine"), _("loaded once, shared by all visitors"))
    elements.notices("models_here")
    entries = {entry.name: entry for entry in list_models()}
    columns = st.columns(2, gap="medium")
    for index, name in enumerate(current.model_names()):
        with columns[index % 2], st.container(border=True):
            card(name, entries.get(name), offered_models.in_memory().get(name))
            elements.notices(f"models_use_{name}")


def card(name: str, entry: ModelEntry | None, model: LanguageModel | None) -> None:
    """Draw one model. entry: of a bundled model; model: if it is loaded."""
    offered = operator_role.is_operator() and deployment.public() and name in offered_models.names()
    badges = [_("in use")] * (name == current.model_name()) + [_("offered to visitors")] * offered
    heading = entry.title if entry else offered_models.title(name)
    st.markdown(f"**{plain(heading)}**" + "".join(f" :blue-badge[{badge}]" for badge in badges))
    if operator_role.is_operator() and heading != name and not entry:
        st.caption(plain(name))
    if entry:
        st.caption(plain(_(entry.description)))
        size = {"parameters": numbers.count(entry.parameter_count), "size": numbers.size(entry.bytes)}
        st.caption(_("{parameters} parameters · {size} on disk").format(**size))
    if model is not None:
        loaded = _("in memory: {size}, {dtype} on {device}")
        if model.stored_dtype != model.dtype:
            loaded = _("in memory: {size} in {stored}, computed in {dtype} on {device}")
        taken = numbers.size(model.weight_bytes)
        unknown = _("on {device}; its size and its precision are not known") if Can.SERVED in model.can else _("{count} counts of a text")
        loaded = loaded if model.weight_bytes else unknown
        count = numbers.whole(model.parameter_count)
        st.caption(loaded.format(size=taken, stored=model.stored_dtype, dtype=model.dtype, device=model.device, count=count))
        for note in model.notes:
            st.caption(plain(_(note)))
    with st.container(horizontal=True):
        buttons(name, bundled=entry is not None, loaded=model is not None)


def buttons(name: str, bundled: bool, loaded: bool) -> None:
    """Draw the buttons of one model."""
    operator, taught = operator_role.is_operator(), name in own_models.taught()
    if name != current.model_name():
        st.button(_("Use"), key=f"models_use_{name}", on_click=use, args=(name,))
        if taught:
            st.button(_("Remove"), key=f"models_let_go_{name}", on_click=remove, args=(name,), type="tertiary")
        if loaded and operator:
            later = _("Frees its memory. The model is loaded again when it is used.")
            st.button(_("Unload"), key=f"models_unload_{name}", on_click=unload, args=(name,), help=later, type="tertiary")
    if not operator or not deployment.public() or bundled or taught:
        return
    offered = name in offered_models.names()
    if offered and name not in offered_models.added():  # it is offered by the environment
        return
    label = _("Withdraw") if offered else _("Offer to visitors")
    until = _("All visitors can choose it until the app restarts or you withdraw it. TOKEN_VIEWER_OFFER offers it permanently.")
    arguments = (name, offered)
    st.button(label, key=f"models_offer_{name}", on_click=toggle_offer, args=arguments, help=until, type="tertiary")
