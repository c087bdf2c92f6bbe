"""The role of a visitor: what the operator alone may do.

Only the operator downloads and unloads models, connects to servers and opens folders: the machine's own user, or a visitor who typed the
operator's password (`pages/ui/server/operator_password.py`). In an app that only this machine can reach, every visitor is the operator.
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.errors import NotAllowed
from pages.ui.i18n.translation import _
from pages.ui.server import deployment, offered_models, operator_password
from pages.ui.server.gate import release_turn
from pages.ui.session.state import Session, current_session, memory

_PASSWORD = operator_password.Password()  # shared, so that wrong passwords of all visitors slow the next answers


@dataclass(slots=True)
class SignedIn:
    """as_operator: whether the visitor typed the operator's password."""

    as_operator: bool = False


def is_operator() -> bool:
    """Return whether this visitor is the operator."""
    return has_signed_in(current_session()) or deployment.is_operator_by_connection(st.context.headers.get(deployment.CAME_FROM_HEADER))


def has_signed_in(session: Session) -> bool:
    """Return whether this visitor typed the operator's password. For any thread."""
    signed_in = session.memory.get(SignedIn)
    return isinstance(signed_in, SignedIn) and signed_in.as_operator


def sits_here() -> bool:
    """Return whether this visitor's browser runs on the machine of the app."""
    return st.context.headers.get(deployment.CAME_FROM_HEADER) in (None, deployment.LOCAL) and not deployment.public()


def require_operator() -> None:
    """Raise NotAllowed unless the visitor is the operator. Every operator action calls this first, also if the page hides the button."""
    if not is_operator():
        raise NotAllowed(_("Only the operator of this app can do that. Choose one of the models in the list."))


def may_use(name: str, listed: list[str]) -> bool:
    """Return whether this visitor may open this model. listed: the names in their list."""
    return name in listed or name in offered_models.names() or is_operator()


def require_may_use(name: str, listed: list[str]) -> None:
    """Raise NotAllowed if this visitor may not open this model."""
    if not may_use(name, listed):
        raise NotAllowed(_("Only the operator of this app can do that. Choose one of the models in the list."))


def access(name: str) -> offered_models.Access:
    """Return tokenizer and key of a model on a server: the visitor's own, else the published ones. (None, None) for other models."""
    servers, given = current_session().models.servers, offered_models.access(name)
    if name not in servers and given[0] is not None:
        servers[name] = given
    return servers.get(name, (None, None))


def password_is_set() -> bool:
    """Return whether a visitor can sign in as the operator."""
    return operator_password.Password.is_set()


def enter(word: str) -> None:
    """Sign in as the operator. Raises NotAllowed for a wrong password or too many of them."""
    release_turn(current_session().browser.websocket)  # the answer can wait for seconds
    right = _PASSWORD.opens(word, st.context.ip_address)
    if right is None:
        raise NotAllowed(_("Too many wrong passwords. Wait five minutes."))
    if not right:
        raise NotAllowed(_("Wrong password."))
    memory(SignedIn).as_operator = True


def leave() -> None:
    """Sign out."""
    memory(SignedIn).as_operator = False
