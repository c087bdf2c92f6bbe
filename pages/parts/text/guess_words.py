"""The words of the guessing game."""

from __future__ import annotations

TITLE = "Guess the next word"
TERM = "next-token prediction"
LEAD = "Ten words. Say what comes next; then the odds are shown and the dice fall. Correct is what comes, not what would be best."
FIELD = "What comes next?"
PLACEHOLDER = "one word, then Enter"
ASKED = "Word {number} of {words}"
POINTS = "You {own} · the model's favourite {favourite}"
POINTS_HELP = (
    "What comes is worth its surprise in bits: a word with one chance in two brings 1 point, one chance in eight brings 3. "
    "The model's favourite plays along as its one guess. Computed from the probabilities of this very run."
)
CAME = "“{piece}” came: {chance}, rank {rank}."
HIT = "You said so: {points} points."
MISSED = "You said “{said}”: {chance}, rank {rank}."
MISSED_UNKNOWN = "You said “{said}”: not on the list."
BEGINS = "“{said}” begins with the piece “{piece}”."
OVER = "Ten words: you {own} points in {hits} hits, the model's favourite {favourite}."
THEIRS = "A friend's result: {own} points in {hits} hits, the model's favourite {favourite}. Can you do better?"
SAME = "Play these ten words"
OTHER = "Ten others"
SHARE = "Send the result: whoever opens this link sees it, and can play the same ten."
COLUMNS = ("came", "chance", "guess", "points", "favourite")
HUMANS = "People hit about three in ten at the first try; language models have long been better at this one game."
FINISHED = "The text ended before the tenth word."
