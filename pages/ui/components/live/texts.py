"""The words of the live view, by its parts."""

from __future__ import annotations

from typing import Any

from pages.ui.i18n.translation import N_, _, said

TINT_ENDS = {"likely": (N_("unlikely"), N_("likely")), "unsure": (N_("sure"), N_("unsure"))}
CARD = {
    "label": N_("The text so far, token by token"),
    "prompt": N_("part of the prompt"),
    "model": N_("for the model"),
    "dice": N_("after your settings"),
    "rank": N_("rank"),
    "forced": N_("you chose it"),
    "wanted": N_("likeliest, but not allowed:"),
    "again": N_("click to see its probabilities again"),
}
HEADING = {
    "comes": N_("What comes next?"),
    "came": N_("What came next?"),
    "reopened": N_("Step {number}, reopened"),
    "term": N_("next-token distribution"),
    "first": N_("pale: the model; solid: after your settings"),
    "about": N_("The probabilities before the roll, or the step that was just rolled. Click a bar to take that token instead."),
}
MOMENT = {"moment": N_("Moment"), "newest": N_("Back to the newest")}
MOMENTS = {"rolled": N_("Just rolled"), "coming": N_("Coming next")}
TEXT = {
    "busy": N_("The model computes …"),
    "ask": N_("Why?"),
    "before": N_("… {count} earlier tokens"),
    "forced": N_("you chose"),
    "steered": N_("likeliest token excluded"),
    "space": N_("The prompt ends in a space. Most tokens begin with their own space, so other tokens follow than expected."),
    "no_space": N_("Remove the space"),
    "close": N_("Close the recording"),
}
BARS = {
    "bars": N_("Next-token probabilities: arrow keys move, Enter takes a token"),
    "fold": N_("Fold excluded tokens"),
    "why": N_("Hide words of the text, and see what this token depended on."),
}
BAR_CARD = {
    "token": N_("token"),
    "id": N_("id"),
    "rank": N_("rank"),
    "model": N_("model"),
    "dice": N_("after your settings"),
    "logit": N_("logit"),
    "removed": N_("excluded by"),
}
DICE = {
    "again": N_("Roll again"),
    "about_again": N_(
        "Samples the last or the reopened token again, with the next random number of the seed. The old token stays as a branch. Key: R"
    ),
}
COSTS = {
    "cache_alt": N_("One bar per token: positions reused from the cache and positions newly computed."),
    "times_alt": N_("Milliseconds per token."),
    "surprise_alt": N_("Line: the entropy before each token, in bits. Dots: the surprise of the chosen token."),
    "step": N_("step"),
    "reused": N_("reused"),
    "computed": N_("computed"),
    "in_use": N_("in use"),
    "prefill": N_("prefill"),
    "unmeasured": N_("not measured"),
    "time": N_("time"),
    "token": N_("token"),
    "entropy": N_("entropy"),
    "surprise": N_("surprise"),
}
PLAYER = {
    "restart": N_("Restart"),
    "new_text": N_("New text"),
    "about_new_text": N_("Back to the prompt with another seed. The text so far stays among the branches."),
    "back": N_("Back"),
    "step_forward": N_("Step"),
    "play": N_("Play"),
    "pause": N_("Pause"),
    "space_key": N_("Space"),
    "speed": N_("Speed"),
}
PROMPT = {"prompt": N_("Prompt"), "placeholder": N_("Write a text, then press Enter."), "examples": N_("Examples")}


def of(part: str) -> dict[str, Any]:
    """Return the words of a part in the visitor's language."""
    if part == "text":
        tints = {tint: [_(end) for end in ends] for tint, ends in TINT_ENDS.items()}
        return said(TEXT) | {"tints": tints, "card": said(CARD)}
    if part == "bars":
        return said(BARS) | {"bar_card": said(BAR_CARD)}
    if part == "moment":
        return said(MOMENT) | {"moments": said(MOMENTS)}
    words = {"heading": HEADING, "dice_head": DICE, "dice": DICE, "player": PLAYER, "prompt": PROMPT}
    return said(words.get(part, COSTS))
