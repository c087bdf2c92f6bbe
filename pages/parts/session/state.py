"""What is kept of one visitor, and how they are told things. Pages come here through `visit`, which reads it and changes it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec
from weakref import WeakSet

import streamlit as st

from core import list_models
from core.errors import ViewerError
from core.limits import Limits
from pages.parts.session import share_link
from pages.parts.text import words

if TYPE_CHECKING:
    from core import Generation
    from core.generation.replay import Replay

log = logging.getLogger(__name__)

_KEY = "_visitor"
P = ParamSpec("P")


@dataclass(slots=True, eq=False, weakref_slot=True)
class Visitor:
    """One visitor's state. moment: "coming" (the odds before the roll) or "rolled" (the step just made); opened: a past step looked at."""

    run: Generation | Replay | None = None
    begun: tuple[str, str, bool] | None = None  # the model, the prompt and whether as a chat the run was begun with, or refused for
    refusal: str | None = None
    moment: str = "coming"
    opened: int | None = None
    playing: bool = False
    beat: float = 0.0  # seconds between two draws in Play
    absences: int = 0  # how often the run's model had been put away when the visitor last knew
    clicks: int = 0
    names: list[str] = field(default_factory=list)  # models the visitor added by name
    servers: dict[str, tuple[str | None, str | None]] = field(default_factory=dict)  # of the servers among them: tokenizer and key
    notes: list[str] = field(default_factory=list)
    way: str | None = None  # the steps a link asks for
    wish: share_link.Wish | None = None  # a model that the link asks for and nobody has opened yet
    kept: dict[str, Any] = field(default_factory=dict)  # what experiments have found, by name

    def sentences(self) -> list[str]:
        """What there is to tell, and what stands in the way of the text that was asked for."""
        return [*self.notes, *([self.refusal] if self.refusal else [])]


@st.cache_resource
def _house() -> WeakSet[Visitor]:
    """All who are here now; whoever leaves is forgotten with their session."""
    return WeakSet()


def admitted() -> bool:
    """Whether there is room for this visitor; the limit is TOKEN_VIEWER_VISITORS."""
    house, most = _house(), Limits.from_environment().visitors
    if here() not in house and most and len(house) >= most:
        return False
    house.add(here())
    return True


def here() -> Visitor:
    """This visitor's state, made on the first call from what the link asks for."""
    known = st.session_state.get(_KEY)
    if known is None:
        query, bundled = st.query_params.to_dict(), [entry.name for entry in list_models()]
        known = st.session_state[_KEY] = Visitor(wish=share_link.wish_of(query, bundled))
        if query.get("model", bundled[0] if bundled else "") in bundled:  # another model would write another text by the same steps
            known.way = query.get("steps")
        elif known.wish is None and "steps" in query:
            del st.query_params["steps"]
        strange = share_link.impossible(query, bundled)
        if strange:
            known.notes.append(words.STRANGE_LINK.format(what=", ".join(strange)))
    return known


def kept() -> dict[str, Any]:
    """What this visitor's experiments have found so far, by name: it outlasts a rerun and a change of page."""
    return here().kept


def entered() -> bool:
    """Whether this session came in through app.py, which knows all pages (see `frame.page`)."""
    return "_entered" in st.session_state


def enter() -> None:
    """Remember that this session came in through app.py, and what its link asks for."""
    st.session_state["_entered"] = True
    here()


def calmly(verb: Callable[P, None]) -> Callable[P, None]:
    """What goes wrong in a callback becomes one sentence on the page."""

    @wraps(verb)
    def calm(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            verb(*args, **kwargs)
        except ViewerError as error:
            say(str(error))
        except Exception:
            log.exception("%s failed", verb.__name__)
            say(words.SURPRISED)

    return calm


def say(sentence: str) -> None:
    """Tell the visitor something; it stays until they do something else."""
    if sentence not in here().notes:
        here().notes.append(sentence)
