"""Model requested by a link that did not come with the app: said in a sentence, opened at a click, never by itself.

A link comes from a stranger. By itself it fetches no gigabytes, reads no folder of this machine and calls no server; the prompt and the
settings it holds are taken over at once, and what was written with that model is written again as soon as somebody has opened it.
"""

from __future__ import annotations

import secrets
from pathlib import Path

import streamlit as st

from core.errors import ViewerError
from core.language import N_, _, say
from core.models.hub import OFFERS, downloaded
from core.models.memory_fit import fit
from core.remote.address import Address
from pages.ui.i18n import numbers
from pages.ui.server import loaded_models
from pages.ui.session import current, roles
from pages.ui.session.share_link import RequestedModel
from pages.ui.session.state import current_session

LINK_LABELS = {
    "hub": N_("See what it takes"),
    "server": N_("Connect to it"),
}


CONFIRM_PARAMETER = "asked"
MODELS_PAGE = Path(__file__).parents[2] / "models.py"


def offer() -> None:
    """Draw what a link asks for and has not got, if anything; app.py does it above every page."""
    requested = current_session().requested
    if requested is None:
        return
    try:
        if not roles.may_use(requested.model, current.model_names()):  # nothing is looked for: the answer is the same for all there is
            raise ViewerError(_("The link asks for another model, which this app does not offer; the usual model writes instead."))
        usual = loaded_models.title(current.model_name())
        sentence, known = {"hub": _hub, "server": _server, "folder": _folder}[requested.kind](requested)
    except ViewerError as error:
        current_session().requested = None
        current.notify(say(error))
        return
    if requested.query.get("steps"):
        sentence += " " + _("What was written with it comes along.")
    st.space("xsmall")  # the header would cover the upper edge
    with st.container(border=True, key="wish"):
        until = _("Until then {usual} writes, with the link's own prompt and settings.").format(usual=usual)
        st.markdown(f"{sentence} :gray[{until}]")
        with st.container(horizontal=True, vertical_alignment="center"):
            if known:
                label = _("Open {name}").format(name=loaded_models.title(requested.model))
                st.button(label, on_click=open_requested, type="primary", key="wish_open")
            else:
                # Only this page knows the secret, so a visitor who arrives with it has clicked here and was not sent by a link.
                secret = current.results().setdefault(CONFIRM_PARAMETER, secrets.token_hex(4))
                label, query = _(LINK_LABELS[requested.kind]), {CONFIRM_PARAMETER: secret}
                st.page_link(MODELS_PAGE, label=label, icon=":material/arrow_forward:", query_params=query)
            st.button(_("Stay with {usual}").format(usual=usual), on_click=dismiss, type="tertiary", key="wish_stay")


@current.error_boundary
def open_requested() -> None:
    """Load the model that the link asks for, with everything else that the link holds."""
    requested = current_session().requested
    if requested is not None:
        current.use_model(requested.model, loaded_models.tokenizer_of_open_server(requested.model))


@current.error_boundary
def dismiss() -> None:
    """Let it be."""
    current_session().requested = None


def confirmed_request() -> RequestedModel | None:
    """What the link asks for, once, if the visitor has just come here from `offer` to see about it."""
    requested, word = current_session().requested, st.query_params.get(CONFIRM_PARAMETER)
    if requested is None or word is None or current.results().get(CONFIRM_PARAMETER) != word:
        return None
    del current.results()[CONFIRM_PARAMETER], st.query_params[CONFIRM_PARAMETER]
    return requested


def _hub(requested: RequestedModel) -> tuple[str, bool]:
    """What there is to say about a model of the hub, and whether it can be opened at a click."""
    name = loaded_models.title(requested.model)
    if requested.model in loaded_models.in_memory():
        return _("This link asks for **{name}**, which is loaded here already.").format(name=name), True
    if downloaded(requested.model) is not None:
        said = fit(requested.model)
        size = {"parameters": numbers.count(said.parameter_count), "loaded": numbers.size(said.loaded_bytes)}
        return _("This link asks for **{name}**, {parameters} parameters, which is on this machine. Loaded, it takes {loaded}.").format(
            name=name, **size
        ), True
    known = next((one for one in OFFERS if one.name == requested.model.partition("@")[0]), None)
    size_text = _(", {size} to fetch").format(size=numbers.size(known.bytes)) if known else ""
    return _("This link asks for **{name}**{size}, which is not on this machine yet.").format(name=name, size=size_text), False


def _server(requested: RequestedModel) -> tuple[str, bool]:
    address = Address.parse(requested.model)
    if not address.allowed:
        raise ViewerError(_("The link asks for a server that is not among those this app may ask; the usual model writes instead."))
    known = loaded_models.tokenizer_of_open_server(requested.model) is not None
    return (
        _("This link asks for the model on the server at `{where}`, to which this app is connected.")
        if known
        else _(
            "This link asks for a model on the server at `{where}`. A link alone connects to nothing: somebody has to name its tokenizer."
        )
    ).format(where=address.shown), known


def _folder(requested: RequestedModel) -> tuple[str, bool]:
    if requested.model not in loaded_models.in_memory():
        raise ViewerError(_("The link asks for a model in a folder, and a link opens no folders; the usual model writes instead."))
    return _("This link asks for **{name}**, which is loaded here already.").format(name=loaded_models.title(requested.model)), True
