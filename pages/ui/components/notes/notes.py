"""Presenter's window: next-token probabilities, what to say and a clock. It follows the stage in another window of the same browser."""

from __future__ import annotations

from pages.ui.components.register import component
from pages.ui.i18n.translation import N_, said

NOTES = {
    "waiting": N_("No stage is open in this browser. Open it in another window: press S on the Watch page. This window follows it."),
    "say": N_("You may say"),
    "coming": N_("Next-token probabilities"),
    "hidden": N_("The audience does not see these probabilities yet."),
    "goal": N_("of {minutes}:00"),
    "clock": N_("since the start"),
    "again": N_("Reset the clock"),
    "on": N_("forward"),
    "back": N_("back"),
    "next": N_("next stop"),
    "stop": N_("Stop {place} of {count}"),
    "black": N_("The stage is black. Press B to show it."),
    "words": N_("Own words of the vote, not on the screen yet. Press one to show it."),
    "lost": N_("No message from the stage for {seconds} seconds."),
}

_NOTES = component("notes")


def notes() -> None:
    """Draw the window and follow the stage."""
    _NOTES(key="notes_view", data={"texts": said(NOTES)})
