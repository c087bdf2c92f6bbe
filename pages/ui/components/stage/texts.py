"""What the stage, its bar and its keys say."""

from __future__ import annotations

from core.language import N_

TEXTS = {
    "called": N_("What comes next? Correct is what comes."),
    "field": N_("a guess, then Enter"),
    "reveal": N_("Enter once more: reveal. Esc: no guessing."),
    "room": N_("room"),
    "favourite": N_("model's favourite"),
    "rank": N_("rank"),
    "model": N_("model"),
    "unlisted": N_("not on the list"),
    "unwritten": N_("not a word it can write"),
    "begins": N_("begins with"),
    "hit": N_("Somebody named it."),
    "missed": N_("Nobody named it."),
    "correct": N_("Was it on the list?"),
    "clickable": N_("or click:"),
    "points": N_("points"),
    "next": N_("next"),
    "end": N_("the end"),
    "recording": N_("recording"),
    "merged": N_("two presses a word"),
    "five": N_("five beats a word"),
    "playing": N_("plays by itself"),
    "blank": N_("The screen is black. B brings it back."),
    "before": N_("model's probability"),
    "after": N_("after your settings"),
    "choose": N_("Which word instead? Up, down, Enter."),
}
KEYS = (
    (
        N_("→  Space  Page down"),
        N_("on"),
    ),
    (
        N_("←  Page up"),
        N_("back"),
    ),
    (
        "1 – 5",
        N_("read, think, weigh, roll, write"),
    ),
    (
        "G",
        N_("guess first"),
    ),
    (
        "C",
        N_("choose the word yourself"),
    ),
    (
        "↑  ↓",
        N_("hotter, colder"),
    ),
    (
        "T",
        N_("tint the words"),
    ),
    (
        "R",
        N_("again from the beginning"),
    ),
    (
        "D",
        N_("other dice"),
    ),
    (
        "M",
        N_("five beats, or two presses a word"),
    ),
    (
        "P",
        N_("play by itself"),
    ),
    (
        "]  [",
        N_("next stop, stop before"),
    ),
    (
        "N",
        N_("the speaker's window"),
    ),
    (
        "B  .",
        N_("black screen"),
    ),
    (
        "F",
        N_("full screen"),
    ),
    (
        "E",
        N_("the whole text, to end with"),
    ),
    (
        N_("Esc"),
        N_("leave the stage"),
    ),
)
SAY = {
    "read": (
        N_("It does not see letters or words. It sees pieces, and each piece is a number to it."),
        N_("Only the newest piece has to be read. What came before is kept in its notes."),
    ),
    "think": (
        N_("All its numbers are used once, for one single piece of text. That is all that ever happens inside."),
        N_("The same work again, for the next piece. It has no plan that reaches further than this."),
    ),
    "weigh": (
        N_("This is its whole answer: not a word, but how likely every word is. What would you have said?"),
        N_("Look at the first one: is it sure, or is everything open?"),
    ),
    "roll": (
        N_("Now chance comes in. A wide piece of the strip is easier to hit, a narrow one is hit now and then."),
        N_("The same odds, other dice, another story."),
    ),
    "write": (
        N_("What is written stays written. It cannot take a word back; it can only go on from here."),
        N_("And again: read, think, weigh, roll, write. A whole answer is a few hundred times this."),
    ),
}
