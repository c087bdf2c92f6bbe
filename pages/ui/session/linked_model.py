"""The model that a link requests: the offer above every page, and what opens it.

A link may come from a stranger. It never starts a download, reads a folder of this machine or connects to a server: the model is offered
to the visitor and loaded only at a click. Its prompt and settings are applied at once, its steps when the visitor has opened the model.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace

import streamlit as st

from core.errors import ViewerError
from core.models.hub import OFFERS, downloaded
from core.models.memory_estimate import fit
from core.remote.address import Address
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, _, say
from pages.ui.server import offered_models
from pages.ui.session import current, elements, operator_role, share_link
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.notices import notify
from pages.ui.session.share_link import RequestedModel
from pages.ui.session.state import current_session, memory

LINK_LABELS = {"hub": N_("Show its size"), "server": N_("Connect to it")}
CONFIRM_PARAMETER = "asked"


@dataclass(slots=True)
class Confirmation:
    """secret: in the link to the Models page that this page drew, "" for none."""

    secret: str = ""


def draw_offer() -> None:
    """Draw the offer to open the requested model, if a link requests one. app.py calls this above every page."""
    requested = current_session().link.requested
    if requested is None:
        return
    requested = current_session().link.requested = _loaded(requested)
    try:
        if not operator_role.may_use(requested.model, current.model_names()):  # same answer whether the model exists or not
            raise ViewerError(_("The link asks for a model that this app does not offer. The default model is used instead."))
        usual = offered_models.title(current.model_name())
        sentence, can_open = {"hub": _hub, "server": _server, "folder": _folder}[requested.kind](requested)
    except ViewerError as error:
        current_session().link.requested = None
        notify(say(error))
        return
    if requested.query.get("steps"):
        sentence += " " + _("Its text is then written again.")
    st.space("xsmall")  # the header would cover the upper edge
    with st.container(border=True, key="wish"):
        until = _("Until then {usual} writes with the prompt and the settings of the link.").format(usual=usual)
        st.markdown(f"{sentence} :gray[{until}]")
        with st.container(horizontal=True, vertical_alignment="center"):
            if can_open:
                label = _("Open {name}").format(name=offered_models.title(requested.model))
                st.button(label, on_click=open_requested, type="primary", key="wish_open")
            else:
                # Only this page knows the secret, so a visitor who arrives with it has clicked here and was not sent by a link.
                asked = memory(Confirmation)
                asked.secret = secret = asked.secret or secrets.token_hex(4)
                label, query = _(LINK_LABELS[requested.kind]), {CONFIRM_PARAMETER: secret}
                elements.page_link("models", label=label, icon=":material/arrow_forward:", query_params=query)
            st.button(_("Keep {usual}").format(usual=usual), on_click=dismiss, type="tertiary", key="wish_stay")


def _loaded(requested: RequestedModel) -> RequestedModel:
    """Return the request with the name under which its model is loaded: a link holds only the last part of a path."""
    names = (name for name in offered_models.in_memory() if share_link.link_name(name) == requested.model)
    return replace(requested, model=next(names, requested.model)) if requested.kind == "folder" else requested


@action_boundary
def open_requested() -> None:
    """Load the requested model and apply the link's prompt, settings and steps."""
    requested = current_session().link.requested
    if requested is not None:
        current.use_model(requested.model, offered_models.tokenizer_of_open_server(requested.model))


@action_boundary
def dismiss() -> None:
    """Dismiss the request."""
    current_session().link.requested = None


def confirmed_request() -> RequestedModel | None:
    """Return the request, once, if the visitor came to the Models page by the link that `draw_offer` drew; else None."""
    requested, word = current_session().link.requested, st.query_params.get(CONFIRM_PARAMETER)
    asked = memory(Confirmation)
    if requested is None or word is None or asked.secret != word:
        return None
    asked.secret = ""
    del st.query_params[CONFIRM_PARAMETER]
    return requested


def _hub(requested: RequestedModel) -> tuple[str, bool]:
    """Return a sentence about a model of the hub, and whether it can be opened at a click."""
    name = offered_models.title(requested.model)
    if requested.model in offered_models.in_memory():
        return _("This link asks for **{name}**, which is loaded here already.").format(name=name), True
    if downloaded(requested.model) is not None:
        fitting = fit(requested.model)
        size = {"parameters": numbers.count(fitting.parameter_count), "loaded": numbers.size(fitting.loaded_bytes)}
        return _("This link asks for **{name}** with {parameters} parameters. It is on this machine and takes {loaded} of memory.").format(
            name=name, **size
        ), True
    listed = next((offer for offer in OFFERS if offer.name == requested.model.partition("@")[0]), None)
    missing = _("This link asks for **{name}**, which is not on this machine.").format(name=name)
    return missing + (" " + _("Its download is {size}.").format(size=numbers.size(listed.bytes)) if listed else ""), False


def _server(requested: RequestedModel) -> tuple[str, bool]:
    address = Address.parse(requested.model)
    if not address.allowed:
        raise ViewerError(_("The link asks for a server that this app may not connect to. The default model is used instead."))
    has_tokenizer = offered_models.tokenizer_of_open_server(requested.model) is not None
    return (
        _("This link asks for the model on the server at `{where}`, to which this app is connected.")
        if has_tokenizer
        else _("This link asks for a model on the server at `{where}`. To connect, choose its tokenizer.")
    ).format(where=address.shown), has_tokenizer


def _folder(requested: RequestedModel) -> tuple[str, bool]:
    if requested.model not in offered_models.in_memory():
        raise ViewerError(_("The link asks for a model in a folder. Links cannot open folders. The default model is used instead."))
    return _("This link asks for **{name}**, which is loaded here already.").format(name=offered_models.title(requested.model)), True
