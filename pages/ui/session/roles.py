"""Roles: a visitor, and the operator, who fetches, connects, opens folders and unloads for all.

The operator is the machine's own user, or whoever typed the password that the owner set (see `pages/ui/server/deployment.py`). On an app
that nobody else can reach, everybody is its operator, and nothing here is ever in the way.
"""

from __future__ import annotations

import streamlit as st

from core.errors import NotAllowed
from core.language import _
from pages.ui.server import deployment, published_models
from pages.ui.session.state import current_session

_PASSWORD = deployment.Password()  # one for all: the wrong ones are counted together


def is_operator() -> bool:
    """Whether this visitor is the operator."""
    return current_session().operator or deployment.is_operator_by_connection(st.context.headers.get(deployment.ORIGIN_HEADER))


def require_operator() -> None:
    """Raises NotAllowed for everybody else. The first line of every action that is the operator's, whatever the page has drawn."""
    if not is_operator():
        raise NotAllowed(_("Only whoever runs this app can do that. Here you choose among the models that they put on the list."))


def may_use(name: str, known: list[str]) -> bool:
    """Whether this visitor may open a model of this name. known: those they can choose from anyway."""
    return name in known or name in published_models.names() or is_operator()


def require_may_use(name: str, known: list[str]) -> None:
    """Raises NotAllowed for a visitor who asks for anything but what they can choose."""
    if not may_use(name, known):
        raise NotAllowed(_("Only whoever runs this app can do that. Here you choose among the models that they put on the list."))


def access(name: str) -> published_models.Access:
    """How a model is asked for: of a server, with its tokenizer and key; the visitor's own way, else the one that is offered to all."""
    servers, given = current_session().servers, published_models.access(name)
    if name not in servers and given[0]:
        servers[name] = given
    return servers.get(name, (None, None))


def password_is_set() -> bool:
    """Whether a visitor can become the operator."""
    return deployment.Password.is_set()


def enter(word: str) -> None:
    """Become the operator by the password. Raises NotAllowed."""
    right = _PASSWORD.opens(word, st.context.ip_address)
    if right is None:
        raise NotAllowed(_("There were too many wrong passwords. Wait five minutes."))
    if not right:
        raise NotAllowed(_("That is not the password."))
    current_session().operator = True


def leave() -> None:
    """Be a visitor again."""
    current_session().operator = False
