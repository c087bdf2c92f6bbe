"""Three prepared talks: three minutes, ten minutes, half an hour. `translated` returns one in the visitor's language.

Seeds and numbers of words are chosen with `choose_seeds`, so that a run ends where a sentence ends.
"""

from __future__ import annotations

from dataclasses import replace

from pages.ui.i18n.translation import N_, _
from pages.ui.presenting.running_order import Stop, Talk
from pages.ui.session.share_link import encoded


def _stage(prompt: str = "", **settings: str) -> str:
    asked = ({"prompt": prompt} if prompt else {}) | settings
    return f"stage?{encoded(asked)}" if asked else "stage"


_STORY = "In a village by the sea there lived a little"
_DRAGON = f"{_STORY} dragon named"

THREE = Talk(
    N_("Three minutes"),
    (
        Stop(
            N_("One token at a time"),
            _stage(seed="44"),
            N_("The model runs on this computer, without a network. Press on: read, think, weigh, roll, write."),
            8,
        ),
        Stop(
            N_("Guess first"),
            _stage("The bird flew up into the", seed="26"),
            N_("G: the audience guesses before the probabilities are shown. Do it twice."),
            2,
        ),
        Stop(
            N_("Colder and hotter"),
            _stage(_STORY, temperature="0.7", seed="6"),
            N_("The keys up and down change the temperature. Watch the same bars move."),
            5,
        ),
        Stop(
            N_("Another word"), _stage(_DRAGON, seed="7"), N_("C: choose a word that the model did not choose. It continues from there."), 4
        ),
        Stop(N_("What it learns"), "teach", N_("Four sentences change its probabilities. Enter starts the training.")),
        Stop(N_("The end"), _stage(_STORY, seed="7"), N_("The model repeats this for every token."), 5),
    ),
)
_NOTEPAD = Stop(N_("The notepad"), "cache", N_("The same text with and without the notepad (KV cache), timed."))
_MANY = Stop(N_("Many at once"), "batching", N_("One model, many requests, one pass for all."))
TEN = Talk(
    N_("Ten minutes"),
    (
        *THREE.stops[:4],
        Stop(N_("Caught in a loop"), "stage?run=loop", N_("A recording with greedy: the model repeats itself and does not stop."), 14),
        Stop(N_("One word changes everything"), "what_if", N_("Both branches use the same dice. Where do they differ?")),
        Stop(N_("Inside one step"), "inside", N_("The prediction gets clearer from layer to layer.")),
        Stop(N_("Why this token?"), "why", N_("Hide one word: the probability falls. Which word did the token depend on?")),
        _NOTEPAD,
        _MANY,
        *THREE.stops[4:],
    ),
)
HALF_AN_HOUR = Talk(
    N_("Half an hour"),
    (
        Stop(N_("From the prompt to the token"), "tour?stop=send", N_("Show what is sent, then go on to the stage.")),
        *TEN.stops[:6],
        Stop(N_("Several tries"), "candidates", N_("Many answers at once; the best is picked, and all are paid for.")),
        Stop(N_("Inside one step"), "inside", N_("From letters to numbers to probabilities.")),
        Stop(N_("Training"), "growing", N_("The same model at moments of its training.")),
        Stop(N_("What it learns"), "teach", N_("Training repeats this step many thousand times. Enter starts a few of these steps.")),
        Stop(N_("Thinking aloud"), "think", N_("Why it helps to write the steps down before the answer.")),
        _NOTEPAD,
        Stop(N_("When it is full"), "memory", N_("Stop, forget the oldest, or write smaller. Each can change the answer.")),
        Stop(N_("The context"), "context", N_("What falls out is gone.")),
        _MANY,
        Stop(N_("Guess and check"), "speculative", N_("A small model guesses, the large one checks.")),
        Stop(N_("Fewer bits"), "quantization", N_("Fewer bits per weight, almost the same probabilities.")),
        Stop(N_("The bill"), "cost", N_("Work, bytes, seconds, energy, money.")),
        THREE.stops[-1],
    ),
)
TALKS = {talk.name: talk for talk in (THREE, TEN, HALF_AN_HOUR)}


def translated(talk: Talk) -> Talk:
    """Return a prepared talk in the visitor's language."""
    return replace(talk, name=_(talk.name), stops=tuple(replace(stop, title=_(stop.title), say=_(stop.say)) for stop in talk.stops))
