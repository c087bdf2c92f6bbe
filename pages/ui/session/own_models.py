"""Models of one visitor: trained, opened or adapted by them; and the widgets of pages that follow the model of the sidebar."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import ViewerError
from core.models.adapter import with_adapter
from core.sources.capabilities import Can
from pages.ui.i18n.translation import _
from pages.ui.session import current, share_link
from pages.ui.session.state import current_session, error_boundary

if TYPE_CHECKING:
    from core.sources.token_source import TokenSource


MOST_TAUGHT = 4  # models per visitor, about 25 MB each


def free_name(wanted: str) -> str:
    """Return this name, with a number if one of the visitor's models has it already."""
    plain = " ".join(wanted.split())[:40] or _("my model")
    taken = set(current.model_names())
    return next(name for name in (plain, *(f"{plain} {number}" for number in range(2, 1000))) if name not in taken)


def use_taught(model: TokenSource) -> None:
    """Add a model to the visitor's list and select it. Removes the oldest of more than MOST_TAUGHT."""
    session = current_session()
    session.taught[model.name] = model
    for name in list(session.taught)[:-MOST_TAUGHT]:
        del session.taught[name]
    st.session_state["model"] = model.name


@dataclass(slots=True)
class _Drawn:
    """models: the model with which a widget was drawn, by the widget's key."""

    models: dict[str, str] = field(default_factory=dict)


def follow_model(key: str, choice: str) -> None:
    """Set the widget with this key to `choice` if another model was selected since it was drawn. Call it before the widget is drawn."""
    drawn, now = current.memory(_Drawn).models, current.model_name()
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
    current_session().taught[adapted.name] = adapted
    _select(adapted.name)


def pair() -> Pair | None:
    """Return the visitor's model without and with its adapter, the newest one of several; None without an adapter."""
    taught, name = current_session().taught, current.model_name()
    if name in taught and taught[name].adapter_of:
        return Pair(taught[name].adapter_of, name)
    with_this = [own for own, model in taught.items() if model.adapter_of == name]
    return Pair(name, with_this[-1]) if with_this else None


@error_boundary
def switch(pair: Pair) -> None:
    """Switch the adapter on or off. The other model gets the same tokens, so that both can be compared at this step."""
    _select(pair.without if current.model_name() == pair.with_adapter else pair.with_adapter)


def _select(name: str) -> None:
    """Select a model and let it follow the steps of the present run."""
    session = current_session()
    run, moment = session.run, session.moment
    st.session_state["model"] = name
    if run is not None and Can.NEW_TOKENS in run.can and session.refusal is None:
        session.replay_steps = share_link.format_steps(run.path[: share_link.MOST_STEPS], current.settings()) if run.path else None
        current.begin()
        session.moment = moment
