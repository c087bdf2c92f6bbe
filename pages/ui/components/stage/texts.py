"""Texts of the stage, its talk bar and its keys."""

from __future__ import annotations

from pages.ui.i18n.translation import N_

TEXTS = {
    "called": N_("What comes next? The token that is rolled counts as correct."),
    "field": N_("a guess, then Enter"),
    "reveal": N_("→ shows the probabilities."),
    "room": N_("audience"),
    "favourite": N_("model's likeliest token"),
    "rank": N_("rank"),
    "model": N_("model"),
    "unlisted": N_("not on the list"),
    "unwritten": N_("not a word that the model can write"),
    "begins": N_("begins with"),
    "hit": N_("A guess was correct."),
    "missed": N_("No guess was correct."),
    "correct": N_("Was it on the list?"),
    "clickable": N_("or a number:"),
    "points": N_("points"),
    "bits": N_("An unlikely token gives more points: 1 in 2 gives one, 1 in 8 three."),
    "start": N_("start"),
    "press_start": N_("Press → to start."),
    "next": N_("next"),
    "end": N_("the end"),
    "forward": N_("forward"),
    "back": N_("back"),
    "kept": N_("tokens kept in the KV cache"),
    "computed": N_("tokens computed now"),
    "merged": N_("one press per choice"),
    "five": N_("five beats per token"),
    "playing": N_("plays by itself"),
    "before": N_("model's probability"),
    "after": N_("after your settings"),
    "excluded": N_("excluded"),
    "chose": N_("The model chose “{token}”."),
    "choose": N_("Which token instead? ↑ ↓ choose, → takes it."),
    "keys": N_("list of keys"),
}
KEYS = (
    (N_("→  Space  Page down"), N_("forward")),
    (N_("←  Page up"), N_("back")),
    ("1 – 5", N_("read, think, weigh, roll, write")),
    ("G", N_("guess first")),
    ("C", N_("choose the token yourself")),
    ("↑  ↓", N_("raise or lower the temperature")),
    ("T", N_("tint the tokens")),
    ("R", N_("restart")),
    ("D", N_("other dice (seed)")),
    ("M", N_("five beats per token, or one press per choice")),
    ("P", N_("play")),
    ("]  [", N_("next stop, previous stop")),
    ("N", N_("the presenter's window")),
    ("B  .", N_("black screen")),
    ("F", N_("full screen")),
    ("?", N_("this list")),
    ("E", N_("the whole text, to end with")),
    (N_("Esc"), N_("leave the stage")),
)
SAY = {
    "read": (
        N_("The model does not see letters or words. It reads tokens, and each token is a number."),
        N_("Only the newest token has to be read. The KV cache holds the notes about the earlier ones."),
    ),
    "think": (
        N_("One pass through all layers gives the probabilities of one next token."),
        N_("The same work again for the next token. No later token has been chosen yet."),
    ),
    "weigh": (
        N_("This is the model's whole answer: not a word, but a probability for every token. What would you have said?"),
        N_("Look at the first token: is the model sure, or are many tokens likely?"),
    ),
    "roll": (
        N_("Now the dice decide. A wide segment of the strip is easier to hit than a narrow one."),
        N_("The same probabilities and other dice give another story."),
    ),
    "write": (
        N_("The token stays. The model cannot take it back; it can only continue from here."),
        N_("And again: read, think, weigh, roll, write. A whole answer repeats this a few hundred times."),
    ),
}
