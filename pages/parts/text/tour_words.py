"""Words of the tour. The three voices stand in files of their own under `tour/`, one table per stop:

title   the stop's heading
said    two or three sentences: what one sees there
try     one thing to do
noticed what one may have noticed, said once it was done
limit   where the picture stops being true

What all voices share (buttons, labels) stands here.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent / "tour"
VOICES = ("questions", "curiosity", "metaphor")

TITLE = "The tour"
WHERE = "Stop {number} of {count}"
DONE = "tried {done} of {count}"
VOICE = "Told in"
TRY = "**Try it.** {text}"
NOTICED = "**You did.** {text}"
LIMIT = "Where the picture ends: {text}"
BACK, ON = "Back", "On"
AGAIN = "Once more from the start"
DEEPER = "Go deeper: {title}"
HOME = "Back to the tour, stop {number}"
END = "That was the whole way, from a press to the last word. The rest of the app is the same machine with all its knobs."
AROUND = "All stops"

PROMPT = "Once upon a time, there was a little"
ONE_PIECE, TEN_PIECES, FROM_THE_START = "One piece", "Ten pieces", "From the start"
TYPE_HERE = "Your text"
TYPED = "The little fox asked: “Is strawberry 🍓 a word?”"
EXAMPLES = {"A long word": "incomprehensibilities", "An emoji": "🦊", "Numbers": "42 and 4242"}
PIECES_ALT = "The text cut into pieces, the number of each below it."
WORDS = ("fox", "river", "happy", "mother", "red", "seven")
PICK = "A word"
NEAR_ALT = "Bars: the pieces whose address is closest to that of the chosen word."
LAYER = "Stop after layer"
LAYERS_ALT = "After each layer up to the chosen one: the likeliest next words, if the model had to answer there."
GUESS_SO_FAR = "If it had to answer here: **{piece}**, {share}."
BEGINNINGS = ("Once upon a", "Once upon a time, there was a little", "Dear diary,", "The")
BEGINNING = "A beginning"
ODDS_ALT = "Bars from 0 to 100 percent: how likely each next piece is."
TEMPERATURE = "Temperature"
ROLL = "Roll"
ROLLED = "So far: {tally}"
NOTHING_YET = "The dice lie still."
STEPS_ALT = "One bar per piece: how long its run through the model took."
START, STOP = "Start", "Stop"
RACE_START, MANY_START, GUESS_START = "Start the race", "Let everybody in", "Let them write"
RACE_ALT = "Two lines: pieces read so far by the one with notes and the one without."
RACE_SAYS = "With notes **{cached:,}** pieces were read, without them **{plain:,}**: for the same {count} new ones."
WHEN_FULL = "When it is full"
READ_STORY = "Read the story"
BEFORE, AFTER = "with a notepad that holds it all", "with this one"
STORY = "The question"
GUESSED = "**{passes}** runs of the large model for **{written}** pieces; **{accepted}** of {drafted} guesses were kept."
PEOPLE = "How many people ask the same"
PRICE_SAYS = "These {count} pieces: **{work}** ƒ and **{energy}** ✎."
PRICE_OF_MANY = " For {people}: **{energy}** ✎, enough to boil **{litres}** of water."
A_LITRE, LITRES = "not even a litre", "{count} litres"
ONE_ANSWER = "These pieces"
KETTLE = 0.1  # kWh to bring a litre of water from 15 to 100 °C, nothing lost: 4.19 kJ/K x 85 K / 3600 = 0.099
ASK = "Ask both ways"
QUESTION = "What is 39 + 57 + 59?"
RIGHT, WRONG, NONE = "It says **{given}**. That is right.", "It says **{given}**. Right is {answer}.", "It comes to no answer."
FORK = "A question"


@dataclass(frozen=True, slots=True)
class Words:
    """What one voice says at one stop."""

    title: str
    said: str
    attempt: str
    noticed: str
    limit: str


@dataclass(frozen=True, slots=True)
class Voice:
    """One voice all the way through. title: its name; lead: what kind of voice it is; stops: by name, in order."""

    title: str
    lead: str
    stops: dict[str, Words]


@cache
def voice(name: str) -> Voice:
    """A voice by the name of its file."""
    read = tomllib.loads((HERE / f"{name}.toml").read_text("utf-8"))
    stops = {
        stop: Words(said["title"], said["said"], said["try"], said["noticed"], said["limit"])
        for stop, said in read.items()
        if isinstance(said, dict)
    }
    return Voice(read["title"], read["lead"], stops)
