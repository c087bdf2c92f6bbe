"""The keyboard on every page: arrows and Space press the player's buttons, "?" lists the keys of the open page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pages.ui.components.register import component
from pages.ui.i18n.translation import N_, _


@dataclass(frozen=True, slots=True)
class Key:
    """A line of the list. pressed: `KeyboardEvent.key`; buttons: the keys of its buttons, of which the first one on the page is pressed."""

    label: str
    does: str
    pressed: tuple[str, ...] = ()
    buttons: tuple[str, ...] = ()


KEYS = (
    Key("→", N_("one step forward"), ("ArrowRight",), ("step", "inside_step", "what_if_step", "candidates_beam_step")),
    Key("←", N_("one step back"), ("ArrowLeft",), ("back", "inside_back")),
    Key(
        N_("Space"),
        N_("play or pause; on a button reached with Tab it presses that button"),
        (" ",),
        ("pause", "play", "what_if_pause", "what_if_play"),
    ),
    Key("R", N_("roll the last token again"), ("r", "R"), ("roll_again",)),
    Key("S", N_("open the stage"), ("s", "S"), ("to_stage", "stage_way")),
    Key("V", N_("let the audience vote on the next token"), ("v", "V"), ("guess_vote",)),
    Key(N_("Tab"), N_("next control or group; Shift + Tab goes back")),
    Key("← → ↑ ↓", N_("inside a group: move along the tokens, the bars, the explained words, a slider")),
    Key(N_("Home, End"), N_("first and last item of a group")),
    Key(N_("Enter"), N_("choose the bar, open the token, press the button")),
    Key(N_("Escape"), N_("close what is open")),
    Key("?", N_("this list")),
)

TALK_KEYS = (
    Key(N_("→  Space  Page down"), N_("start, then the next stop")),
    Key(N_("←  Page up"), N_("the stop before")),
    Key("]  [", N_("next stop, previous stop")),
    Key("↑  ↓", N_("scroll the page")),
    Key("N", N_("the speaker's window")),
    Key("B  .", N_("black screen")),
    Key(N_("Escape"), N_("close what is open, then end the talk")),
    Key("?", N_("this list")),
)  # on a page that is a stop of a talk

STREAMLIT_NAMES = {"ArrowRight": "Right", "ArrowLeft": "Left", " ": "Space"}  # keys that Streamlit shows on a button
_SHORTCUTS = {button: STREAMLIT_NAMES[name] for key in KEYS for name in key.pressed if name in STREAMLIT_NAMES for button in key.buttons}
_SHORTCUTS |= {"tour_back": "Left", "tour_on": "Right"}  # only Streamlit listens to these

_KEYS = component("keys", "", "mends", "keys")


def bound(button: str) -> dict[str, Any]:
    """Return the arguments `key` and `shortcut` of a button that a key presses; Streamlit shows that key on the button."""
    return {"key": button, "shortcut": _SHORTCUTS[button]}


def keys(in_talk: bool = False) -> None:
    """Listen to the keyboard; app.py calls it on every page. The browser lists only keys whose buttons are on the page.

    in_talk: the page is a stop of a talk, whose bar listens to the keys in place of the page's buttons.
    """
    listed = TALK_KEYS if in_talk else KEYS
    _KEYS(
        key="keys",
        data={
            "keys": {name: list(key.buttons) for key in listed for name in key.pressed},
            "title": _("Keys of the talk") if in_talk else _("Keys of this page"),
            "close": _("Close"),
            "lines": [(_(key.label), _(key.does), key.buttons) for key in listed],
        },
    )
