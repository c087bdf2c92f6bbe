"""The words of the live view, by its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from core.message import Message

TINT_ENDS = {"likely": (Message("unlikely"), Message("likely")), "unsure": (Message("sure"), Message("unsure"))}
CARD = {
    "label": Message("The text so far, token by token"),
    "prompt": Message("part of the prompt"),
    "model": Message("for the model"),
    "dice": Message("after your settings"),
    "rank": Message("rank"),
    "forced": Message("you chose it"),
    "wanted": Message("likeliest, but not allowed:"),
    "again": Message("click to see its probabilities again"),
}
HEADING = {
    "comes": Message("What comes next?"),
    "came": Message("What came next?"),
    "reopened": Message("Step {number}, reopened"),
    "term": Message("next-token distribution"),
    "first": Message("pale: the model; solid: after your settings"),
    "about": Message("The probabilities before the roll, or the step that was just rolled. Click a bar to take that token instead."),
}
MOMENT = {"moment": Message("Moment"), "newest": Message("Back to the newest")}
MOMENTS = {"rolled": Message("Just rolled"), "coming": Message("Coming next")}
TEXT = {
    "busy": Message("The model computes …"),
    "ask": Message("Why?"),
    "before": Message("… {count} earlier tokens"),
    "left": Message("Back to the earlier text"),
    "forced": Message("you chose"),
    "steered": Message("likeliest token excluded"),
    "space": Message("The prompt ends in a space. Most tokens begin with their own space, so other tokens follow than expected."),
    "no_space": Message("Remove the space"),
    "close": Message("Close the recording"),
}
BARS = {
    "bars": Message("Next-token probabilities: arrow keys move, Enter takes a token"),
    "fold": Message("Fold excluded tokens"),
    "why": Message("Hide words of the text, and see what this token depended on."),
}
SAID = {  # a bar in one sentence, by its kind
    "open": Message("{token}, {model} for the model, {dice} for the dice"),
    "chosen": Message("{token}, {model} for the model, {dice} for the dice, chosen"),
    "removed": Message("{token}, {model} for the model, excluded by {stage}"),
}
SIGNS = {"␣": Message("space"), "↵": Message("new line"), "⇥": Message("tab")}
BAR_CARD = {
    "token": Message("token"),
    "id": Message("id"),
    "rank": Message("rank"),
    "model": Message("model"),
    "dice": Message("after your settings"),
    "logit": Message("logit"),
    "removed": Message("excluded by"),
}
DICE = {
    "again": Message("Roll again"),
    "about_again": Message(
        "Samples the last or the reopened token again, with the next random number of the seed. The old token stays as a branch. Key: R"
    ),
}
BITS = Message("{bits}\u00a0bits")
COSTS = {
    "cache_alt": Message("One bar per token: positions reused from the cache and positions newly computed."),
    "times_alt": Message("Milliseconds per token."),
    "surprise_alt": Message("Line: the entropy before each token, in bits. Dots: the surprise of the chosen token."),
    "step": Message("step"),
    "reused": Message("reused"),
    "computed": Message("computed"),
    "in_use": Message("in use"),
    "prefill": Message("prefill"),
    "unmeasured": Message("not measured"),
    "time": Message("time"),
    "token": Message("token"),
    "entropy": Message("entropy"),
    "surprise": Message("surprise"),
    "bits": BITS,
}
PLAYER = {
    "restart": Message("Restart"),
    "new_dice": Message("Other dice"),
    "about_new_dice": Message("Back to the prompt with another seed. The text so far stays among the branches."),
    "back": Message("Back"),
    "step_forward": Message("Step"),
    "play": Message("Play"),
    "pause": Message("Pause"),
    "space_key": Message("Space"),
    "speed": Message("Speed"),
}
PROMPT = {"prompt": Message("Prompt"), "placeholder": Message("Write a text, then press Enter."), "examples": Message("Examples")}
SPEEDS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 0.0)  # steps per second in Play; 0: as fast as it goes
SPEED, FASTEST = Message("{count} a second"), Message("as fast as it goes")
LEGEND = {
    "model": Message("model's probability"),
    "dice": Message("probability after your settings"),
    "chosen": Message("chosen token"),
}
# Sentences about a step, with places for its values. The app and the script of a live page fill them in.
STEP = {
    "trillion": Message("<\u00a01\u00a0in\u00a0a\u00a0trillion"),
    "one_in": Message("1\u00a0in\u00a0{times}"),
    "bits": BITS,
    "all_off": Message("all settings off"),
    "excluded_by": Message("excluded by {stage}"),
    "excluded": Message("excluded"),
    "rank": Message("rank {rank}"),
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
    "budget": Message("the budget for thoughts was used up: “{piece}” was forced, without dice"),
    "greedy": Message("greedy chose the likeliest token, “{piece}”"),
    "moved": Message("greedy chose “{piece}”, the likeliest token after {stages}"),
    "sampled": Message("the dice fell on {roll}: “{piece}” had {share} of the strip"),
    "said": Message("{piece}: {share}, rank {rank}"),
    "of_tokens": Message("{tokens} of {limit} tokens"),
    "in_use": Message("In use, computed: {tokens} tokens × {each} bytes each = {whole} bytes"),
    "notepad": Message("Every layer stores a key and a value for every token. The model then computes only the newest token."),
    "no_dice": Message("Greedy is on, so there are no dice. Switch it off to roll again."),
}
ENDED = {
    "end of text": Message("The model has ended its text here. Press Back, or click an earlier token to take another way."),
    "context full": Message(
        "The context is full: this model cannot hold more text. Press Back or Restart to continue from an earlier token."
    ),
}


def of(part: str, say: Callable[[str], str]) -> dict[str, Any]:
    """Return the words of a part. say: translates a sentence."""

    def said(table: Mapping[str, str]) -> dict[str, Any]:
        return {name: say(sentence) for name, sentence in table.items()}

    if part == "text":
        tints = {tint: [say(end) for end in ends] for tint, ends in TINT_ENDS.items()}
        return said(TEXT) | {"tints": tints, "card": said(CARD)}
    if part == "bars":
        return said(BARS) | {"bar_card": said(BAR_CARD), "said": said(SAID), "signs": said(SIGNS)}
    if part == "moment":
        return said(MOMENT) | {"moments": said(MOMENTS)}
    words = {"heading": HEADING, "dice_head": DICE, "dice": DICE, "player": PLAYER, "prompt": PROMPT}
    return said(words.get(part, COSTS))
