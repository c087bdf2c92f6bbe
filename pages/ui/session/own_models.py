"""Models of one visitor: trained, opened or adapted by them, or requested by a link; and the widgets that follow the sidebar's model.

A link may come from a stranger. It never starts a download, reads a folder of this machine or connects to a server: the model is offered
to the visitor and loaded only at a click. Its prompt and settings are applied at once, its steps when the visitor has opened the model.
"""

from __future__ import annotations

import gc
import secrets
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any
from weakref import WeakSet

import streamlit as st

from core.errors import ViewerError
from core.limits import Limits
from core.models.adapter import with_adapter
from core.models.hub import OFFERS, downloaded
from core.models.memory_estimate import fit
from core.remote.address import Address
from core.sources.capabilities import Can
from core.sources.token_source import TokenSource
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, _, say
from pages.ui.server import offered_models
from pages.ui.session import current, elements, left_session, operator_role, share_link
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.notices import notify
from pages.ui.session.share_link import RequestedModel
from pages.ui.session.state import current_session, memory, set_field

LINK_LABELS = {"hub": N_("Show its size"), "server": N_("Connect to it")}


CONFIRM_PARAMETER = "asked"
MOST_TAUGHT = 4  # models per visitor
_OF_ALL: WeakSet[TokenSource] = WeakSet()  # models that visitors trained or counted, as long as something uses them
_OF_ALL_LOCK = Lock()


@dataclass(slots=True)
class Confirmation:
    """secret: in the link to the Models page that this page drew, "" for none."""

    secret: str = ""


def taught() -> dict[str, Any]:
    """Return the models that the visitor trained or opened, by name."""
    return current_session().models.taught


def offer() -> None:
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
    """Return the request, once, if the visitor came to the Models page by the link that `offer` drew; else None."""
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


def free_name(wanted: str) -> str:
    """Return this name, with a number if one of the visitor's models has it already."""
    plain = " ".join(wanted.split())[:40] or _("my model")
    taken = set(current.model_names())
    return next(name for name in (plain, *(f"{plain} {number}" for number in range(2, 1000))) if name not in taken)


def use_taught(model: TokenSource) -> None:
    """Add a model to the visitor's list and select it. Removes the oldest of more than MOST_TAUGHT.

    Raises ViewerError at the limit TOKEN_VIEWER_OWN_MODELS_MEGABYTES of all visitors. The operator's models are not limited.
    """
    session, most = current_session(), Limits.from_environment().own_models_megabytes * 1_000_000
    if not _has_room_for(model, 0 if operator_role.is_operator() else most):
        gc.collect()  # a dropped model can be in a cycle with its run
        if not _has_room_for(model, most):
            raise ViewerError(_("The own models of all visitors use all the memory that this app has for them. Try again later."))
    left_session.watch()
    session.models.taught[model.name] = model
    for name in list(session.models.taught)[:-MOST_TAUGHT]:
        del session.models.taught[name]
    set_field("model", model.name)


def _has_room_for(model: TokenSource, most: int) -> bool:
    """Add a model to those of all visitors, and return True, if together they take at most so many bytes. 0: no limit."""
    with _OF_ALL_LOCK:
        if most and model.weight_bytes + sum(other.weight_bytes for other in _OF_ALL) > most:
            return False
        _OF_ALL.add(model)
        return True


@dataclass(slots=True)
class _Drawn:
    """models: the model with which a widget was drawn, by the widget's key."""

    models: dict[str, str] = field(default_factory=dict)


def follow_model(key: str, choice: str) -> None:
    """Set the widget with this key to `choice` if another model was selected since it was drawn. Call it before the widget is drawn."""
    drawn, now = memory(_Drawn).models, current.model_name()
    if drawn.setdefault(key, now) != now:
        st.session_state[key] = choice
    drawn[key] = now


@dataclass(frozen=True, slots=True)
class Pair:
    """The names of a model without and with an adapter."""

    without: str
    with_adapter: str


def add(name: str) -> None:
    """Add this adapter to the visitor's model, and select the model with it. Raises ViewerError."""
    model = current.model()
    if model.adapter_of:
        raise ViewerError(_("This model has an adapter already. Choose the model without it first."))
    with st.spinner(_("Loading the model …")):
        adapted = with_adapter(model, name.strip())
    taught()[adapted.name] = adapted
    _select(adapted.name)


def pair() -> Pair | None:
    """Return the visitor's model without and with its adapter, the newest one of several; None without an adapter."""
    models, name = taught(), current.model_name()
    if name in models and models[name].adapter_of:
        return Pair(models[name].adapter_of, name)
    with_this = [adapted for adapted, model in models.items() if model.adapter_of == name]
    return Pair(name, with_this[-1]) if with_this else None


@action_boundary
def switch(pair: Pair) -> None:
    """Switch the adapter on or off. The other model gets the same tokens, so that both can be compared at this step."""
    _select(pair.without if current.model_name() == pair.with_adapter else pair.with_adapter)


def _select(name: str) -> None:
    """Select a model and let it follow the steps of the present run."""
    session = current_session()
    run, moment = session.run, session.player.moment
    set_field("model", name)
    if run is not None and Can.NEW_TOKENS in run.can and session.begun.refusal is None:
        session.link.steps = share_link.format_steps(run.path[: share_link.MOST_STEPS], current.settings()) if run.path else None
        current.begin()
        session.player.moment = moment
