"""The words of the stage: what the five beats say, the keys, guessing, and what a speaker may say."""

from __future__ import annotations

TITLE = "On stage"

BEATS = ("read", "think", "weigh", "roll", "write")
READ_FIRST = "It reads the text as {count} pieces."
READ_ON = "It reads one new piece, {piece}. The {kept} before it are in its notepad."
THINK = "One piece at a time through all {parameters} numbers: {time}, measured."
THINK_MANY = "{computed} pieces at once through all {parameters} numbers: {time}, measured."
THINK_RECORDED = "{parameters} numbers, {time} when this was recorded."
WEIGH = "How likely is each of its {vocabulary} pieces as the next one?"
ROLL = "Dice decide: one number between 0 and 1."
ROLL_GREEDY = "No dice: the favourite is taken."
FELL = "{roll} falls on “{piece}”, which had {share} of the strip."
FORCED = "You chose “{piece}”. No dice were thrown."
TOOK = "The favourite was “{piece}”."
WRITE = "“{piece}” joins the text, and all of it begins again."
REST = "everything else"
REST_CUT = "all else, cut"
RECORDING_RESTS = "This is a recording: its dice and its heat are those of the day it was made."
FINISHED = "The text ends here."
RECORDED = "recording of {model}"
LIVE = "{model}, live"
ENDING = "Written by {model}, {parameters} numbers, one piece at a time."
ENDING_RECORDED = "A recording of {model}, {parameters} numbers, one piece at a time."
TEMPERATURE = "temperature {value}"

TEXTS = {
    "called": "What comes next? Correct is what comes.",
    "field": "a guess, then Enter",
    "reveal": "Enter once more: reveal. Esc: no guessing.",
    "room": "room",
    "favourite": "model's favourite",
    "rank": "rank",
    "model": "model",
    "unlisted": "not on the list",
    "unwritten": "not a word it can write",
    "begins": "begins with",
    "hit": "Somebody named it.",
    "missed": "Nobody named it.",
    "correct": "Was it on the list?",
    "clickable": "or click:",
    "points": "points",
    "next": "next",
    "end": "the end",
    "recording": "recording",
    "merged": "two presses a word",
    "five": "five beats a word",
    "playing": "plays by itself",
    "blank": "The screen is black. B brings it back.",
    "choose": "Which word instead? Up, down, Enter.",
}
KEYS: tuple[tuple[str, str], ...] = (
    ("→  Space  Page down", "on"),
    ("←  Page up", "back"),
    ("1 – 5", "read, think, weigh, roll, write"),
    ("G", "guess first"),
    ("C", "choose the word yourself"),
    ("↑  ↓", "hotter, colder"),
    ("T", "tint the words"),
    ("R", "again from the beginning"),
    ("D", "other dice"),
    ("M", "five beats, or two presses a word"),
    ("P", "play by itself"),
    ("]  [", "next stop, stop before"),
    ("N", "the speaker's window"),
    ("B  .", "black screen"),
    ("F", "full screen"),
    ("E", "the whole text, to end with"),
    ("Esc", "leave the stage"),
)

# What a speaker may say at each beat: for the second window.
SAY: dict[str, tuple[str, ...]] = {
    "read": (
        "It does not see letters or words. It sees pieces, and each piece is a number to it.",
        "Only the newest piece has to be read. What came before is kept in its notes.",
    ),
    "think": (
        "All its numbers are used once, for one single piece of text. That is all that ever happens inside.",
        "The same work again, for the next piece. It has no plan that reaches further than this.",
    ),
    "weigh": (
        "This is its whole answer: not a word, but how likely every word is. What would you have said?",
        "Look at the first one: is it sure, or is everything open?",
    ),
    "roll": (
        "Now chance comes in. A wide piece of the strip is easier to hit, a narrow one is hit now and then.",
        "The same odds, other dice, another story.",
    ),
    "write": (
        "What is written stays written. It cannot take a word back; it can only go on from here.",
        "And again: read, think, weigh, roll, write. A whole answer is a few hundred times this.",
    ),
}

NOTES_TITLE = "The speaker's window"
NOTES: dict[str, str] = {
    "waiting": "No stage is open in this browser. Open one in another window: S on the Watch page. This window follows it.",
    "say": "You may say",
    "coming": "What is coming",
    "hidden": "The audience does not see these odds yet.",
    "clock": "since the beginning",
    "again": "Clock to 0",
    "on": "on",
    "back": "back",
    "next": "next stop",
    "beat": "now",
    "stop": "Stop {place} of {count}",
    "lost": "The stage has not been heard of for {seconds} seconds.",
}
