"""Models of one visitor: trained, counted or adapted by them; and the widgets that follow the sidebar's model."""

from __future__ import annotations

import gc
from dataclasses import dataclass, field
from threading import Lock
from typing import Any
from weakref import WeakSet

import streamlit as st

from core.errors import ViewerError
from core.limits import Limits
from core.models.adapter import with_adapter
from core.sources.capabilities import Can
from core.sources.token_source import TokenSource
from pages.ui.i18n.translation import _
from pages.ui.session import current, left_session, operator_role, share_link
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.state import current_session, memory, set_field

MOST_TAUGHT = 4  # models per visitor
_OF_ALL: WeakSet[TokenSource] = WeakSet()  # models that visitors trained or counted, as long as something uses them
_OF_ALL_LOCK = Lock()


def taught() -> dict[str, Any]:
    """Return the models that the visitor trained or opened, by name."""
    return current_session().models.taught


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
    left_session.free_when_left()
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
