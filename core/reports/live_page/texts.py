"""The sentences of a live page beside those of the live view. The app has most of them, so they are translated with it."""

from __future__ import annotations

from core.message import Message

ROWS = {
    "trillion": Message("<\u00a01\u00a0in\u00a0a\u00a0trillion"),
    "one_in": Message("1\u00a0in\u00a0{times}"),
    "bits": Message("{bits}\u00a0bits"),
    "all_off": Message("all settings off"),
    "excluded_by": Message("excluded by {stage}"),
    "excluded": Message("excluded"),
    "rank": Message("rank {rank}"),
    "bar_open": Message("{token}, {model} for the model, {dice} for the dice"),
    "bar_chosen": Message("{token}, {model} for the model, {dice} for the dice, chosen"),
    "bar_removed": Message("{token}, {model} for the model, excluded by {stage}"),
    "rest": Message("everything else"),
    "others": Message("▸ all others"),
    "open": Message("click to open"),
    "many_excluded": Message("{count} tokens, excluded"),
    "unlikely": Message("many unlikely tokens"),
    "strip": Message("A strip from 0 to 1 with one segment for each token that is not excluded. The marker shows the roll."),
    "wide": Message("wide segments are easier to hit; one number between 0 and 1 decides"),
    "will_be_greedy": Message("greedy: the likeliest token is chosen, without dice"),
    "will_be_moved": Message("greedy: the likeliest token after {stages} is chosen, without dice"),
    "forced": Message("you chose “{piece}”, without dice"),
    "greedy": Message("greedy chose the likeliest token, “{piece}”"),
    "moved": Message("greedy chose “{piece}”, the likeliest token after {stages}"),
    "sampled": Message("the dice fell on {roll}: “{piece}” had {share} of the strip"),
    "said": Message("{piece}: {share}, rank {rank}"),
    "of_tokens": Message("{tokens} of {limit} tokens"),
    "in_use": Message("In use, computed: {tokens} tokens × {each} bytes each = {whole} bytes"),
    "notepad": Message("Every layer stores a key and a value for every token. The model then computes only the newest token."),
    "no_dice": Message("Greedy is on, so there are no dice. Switch it off to roll again."),
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
    "settings": Message("Settings"),
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
LEGEND = {
    "model": Message("model's probability"),
    "dice": Message("probability after your settings"),
    "chosen": Message("chosen token"),
}
ENDED = {
    "end of text": Message("The model has ended its text here. Press Back, or click an earlier token to take another way."),
    "context full": Message(
        "The context is full: this model cannot hold more text. Press Back or Restart to continue from an earlier token."
    ),
}
OPENING = Message("Opening the model … If this sentence stays, the file is incomplete: copy or download it again.")
DAMAGED = Message("This file is incomplete or damaged. Copy or download it again.")
OLD_BROWSER = Message("This browser cannot open the page. Use Chrome or Edge from version 111, Firefox from 121, or Safari from 16.4.")
NO_SCRIPT = Message("This page needs JavaScript.")
FACTS = Message("{model}, {count} parameters. Everything is computed in this page; nothing is sent, and no network is needed.")
MISSING = Message("This page does not have these settings of the run: {names}. New tokens are chosen without them.")
SPEED, FASTEST = Message("{count} a second"), Message("as fast as it goes")
EXAMPLES = {
    Message("A story"): "Once upon a time, there was a little",
    Message("A dragon"): "One day a dragon",
    Message("A diary"): "Dear diary,",
    Message("A castle"): "In the old castle lived a",
}
