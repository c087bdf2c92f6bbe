"""The words of the running order, and three talks that are ready to be given: three minutes, ten minutes, half an hour."""

from __future__ import annotations

from pages.parts.session.share_link import encoded
from pages.parts.session.talk import Stop, Talk

TITLE = "A talk"
TERM = "running order"
LEAD = "A talk is a list of stops. Take a prepared one or put your own together; give it with the arrow keys or a clicker."
PREPARED = "Prepared"
OWN = "The running order"
NAME = "Name"
GIVE = "Give this talk"
GIVE_HELP = (
    "Page down goes on, page up back, B blanks, N opens the speaker's window, Esc leaves. On a page: Enter starts it, arrows scroll."
)
SAVE = "Save as a file"
OPEN = "Open a running order"
UP = "Up"
DOWN = "Down"
REMOVE = "Remove"
STOP_TITLE = "Title"
STOP_SAY = "What to say there"
STOP_LINK = "Link"
STOP_LINK_HELP = "The address of a page of this app as it should look there: everything behind the host's name."
STOP_WORDS = "Words to write"
STOP_WORDS_HELP = "On the stage: after so many words the key goes on to the next stop. Empty: only ] does. 0 shows the whole text at once."
ADD = "Add a stop"
ADD_STAGE = "My text, on stage"
ADD_STAGE_HELP = "The text as it stands now, with its settings, dice and steps."
ADD_PAGE = "A page"
ADD_PAGE_HELP = "A page with the text as it stands now."
ADD_LINK = "A link"
ADD_LINK_HELP = "Paste the address of a page of this app, a stop of the tour for instance."
ADD_RECORDING = "A recording"
ADD_RECORDING_HELP = "A run kept as a file under Watch, Keep or share. It travels in the running order and needs no model."
NEW_STOP = "A new stop"
OPENED = "“{name}” is open: {count} stops."
FULL = "A running order has at most {most} stops."
RECORDING_CARRIED = "carries a recording of {model}"


def _stage(prompt: str = "", **turned: str) -> str:
    asked = ({"prompt": prompt} if prompt else {}) | turned
    return f"stage?{encoded(asked)}" if asked else "stage"


_STORY = "In a village by the sea there lived a little"
_DRAGON = f"{_STORY} dragon named"

THREE = Talk(
    "Three minutes",
    (
        Stop("One piece at a time", _stage(), "This runs here, now, without a network. Press on: read, think, weigh, roll, write.", 2),
        Stop("Guess first", _stage("The bird flew up into the"), "G: the hall calls out before anyone sees the odds. Twice.", 2),
        Stop("Colder and hotter", _stage(_STORY, temperature="0.8"), "Up and down turn the heat. Watch the same bars move.", 2),
        Stop("Another word", _stage(_DRAGON, seed="4"), "C: choose the word it did not take. It goes on as if it had meant it.", 4),
        Stop("What it learns", "teach", "Four sentences change its odds. Enter teaches it here and now."),
        Stop("The end", _stage(_STORY, seed="3"), "That is all it does, again and again.", 8),
    ),
)
TEN = Talk(
    "Ten minutes",
    (
        *THREE.stops[:4],
        Stop("Caught in a loop", "stage?run=loop", "A recording: always the favourite, and it does not find out again.", 14),
        Stop("One word changes everything", "what_if", "Both go on with the same dice. Where do they part?"),
        Stop("Inside one step", "inside", "The guess gets sharper layer by layer."),
        Stop("The notepad", "cache", "The same text with notes and without, against the clock."),
        Stop("Many at once", "batching", "One model, many readers, one pass for all."),
        *THREE.stops[4:],
    ),
)
HALF_AN_HOUR = Talk(
    "Half an hour",
    (
        Stop("From the press to the word", "tour?stop=send", "Press on to the stage once everybody has seen what is sent."),
        *TEN.stops[:6],
        Stop("Several tries", "candidates", "Many answers at once; the best is picked, and all are paid for."),
        Stop("Inside one step", "inside", "From letters to numbers to odds."),
        Stop("Growing up", "growing", "The same model from its first day on."),
        Stop("What it learns", "teach", "Training is this, a few million times. Enter teaches it here and now."),
        Stop("Thinking aloud", "think", "Why it helps to write the way down before the answer."),
        Stop("The notepad", "cache", "The same text with notes and without, against the clock."),
        Stop("When it is full", "memory", "Stop, forget the oldest, or write smaller. Each changes the answer."),
        Stop("The context", "context", "What falls out is gone."),
        Stop("Many at once", "batching", "One model, many readers, one pass for all."),
        Stop("Guess and check", "speculative", "A small model guesses, the large one checks."),
        Stop("Fewer bits", "quantization", "Written shorter, almost the same odds."),
        Stop("The bill", "cost", "Work, bytes, seconds, energy, money."),
        THREE.stops[-1],
    ),
)
TALKS = {talk.name: talk for talk in (THREE, TEN, HALF_AN_HOUR)}
