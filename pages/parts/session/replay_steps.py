"""The steps that a link asks for, written again."""

from __future__ import annotations

from time import monotonic

from core.errors import ViewerError
from pages.parts.session import share_link
from pages.parts.session.state import Visitor, say
from pages.parts.text import words

LINK_SECONDS = 20.0  # how long following a link's steps may take


def follow(visitor: Visitor) -> None:
    """Write what the visitor's link asks for, once, as far as it can be followed."""
    text, visitor.way = visitor.way, None
    way, made = share_link.read_way(text or ""), visitor.run
    if way is None or made is None:
        return
    latest = monotonic() + LINK_SECONDS
    try:
        for forced in way:
            if made.finished or monotonic() > latest:
                say(words.STRANGE_PATH)
                break
            made.step() if forced is None else made.force(forced)
    except ViewerError:
        say(words.STRANGE_PATH)
    visitor.moment = "rolled" if made.path else "coming"
