"""The sentences of a live page beside those of the live view. The app has most of them, so they are translated with it."""

from __future__ import annotations

from core.message import Message

ROWS = {
    "no_effect": Message("No effect: greedy always takes the likeliest token."),
    "empty": Message("The text is empty. Write a few words first."),
    "half": Message("This text contains half a character (a lone surrogate). Delete it and type it again."),
    "too_long": Message("The text has {count} characters; {model} takes at most {most} tokens. Shorten it."),
    "too_many": Message("The text has {count} tokens; {model} takes at most {most}. Shorten it."),
    "unexpected": Message("Something went wrong in this page. Reload it."),
    "branches": Message("Branches · {count}"),
}
PAGE = {
    "title": Message("Watch a model write"),
    "about": Message("It gives each token a probability, then dice decide. Press Step."),
    "settings": Message("More settings"),
    "presets": Message("Presets"),
    "dice": Message("The dice"),
    "dice_term": Message("sampling"),
    "notepad": Message("The notepad"),
    "notepad_term": Message("KV cache"),
    "surprise": Message("How sure was it?"),
    "surprise_term": Message("entropy and surprise, bits"),
    "language": Message("Language"),
    "keys": Message("Keys: → one step forward, ← one step back, Space play or pause, R roll the last token again."),
}
OPENING = Message("Opening the model … If this sentence stays, the file is incomplete, or this browser is too old.")
DAMAGED = Message("This file is incomplete or damaged. Copy or download it again.")
OLD_BROWSER = Message("This browser cannot open the page. Use Chrome or Edge from version 111, Firefox from 121, or Safari from 16.4.")
NO_SCRIPT = Message("This page needs JavaScript.")
FACTS = Message("{model}, {count} parameters. Everything is computed in this page; nothing is sent, and no network is needed.")
MISSING = Message("This page does not have these settings of the run: {names}. New tokens are chosen without them.")
EXAMPLES = {
    Message("A story"): "Once upon a time, there was a little",
    Message("A dragon"): "One day a dragon",
    Message("A diary"): "Dear diary,",
    Message("A castle"): "In the old castle lived a",
}
