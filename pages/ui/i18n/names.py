"""Names that several pages use: marked for translation here, translated with `_` where they are shown."""

from __future__ import annotations

from core.batching.scheduler import Policy
from pages.ui.i18n.translation import N_

STATIONS = {
    "pieces": N_("What does it read?"),
    "meaning": N_("What do tokens mean?"),
    "layers": N_("What does each layer say?"),
    "attention": N_("Where does it look?"),
    "settings": N_("What do the settings do?"),
    "dice": N_("What do the dice decide?"),
    "answers": N_("How likely is an answer?"),
}

EVICTION = {
    "stop": N_("Stop"),
    "forget the oldest": N_("Forget the oldest"),
    "forget, but keep the first": N_("Forget, but keep the first"),
    "8 bits": N_("Write smaller: 8 bits"),
    "4 bits": N_("Write smaller: 4 bits"),
}
SCHEDULERS = {
    Policy.ONE_AT_A_TIME: N_("One at a time"),
    Policy.STATIC: N_("Static batches"),
    Policy.CONTINUOUS: N_("Continuous batching"),
    Policy.CHUNKED: N_("Continuous, long prompts in parts"),
}
SCHEDULER_LINES = {
    Policy.ONE_AT_A_TIME: N_("The next request starts when the one before has finished."),
    Policy.STATIC: N_("A batch starts together, and the next batch waits for its longest answer. A finished slot stays empty."),
    Policy.CONTINUOUS: N_("Finished requests leave and waiting requests join at every pass."),
    Policy.CHUNKED: N_("The same, and a long prompt is read in parts, so that other requests do not stall (chunked prefill)."),
}
READER_STATES = {
    "queued": N_("waits"),
    "prefill": N_("prompt is read (prefill)"),
    "decode": N_("writes (decode)"),
    "stalled": N_("stalled"),
    "preempted": N_("preempted, to be computed again"),
}
VERDICTS = {
    "accepted": N_("guessed and accepted"),
    "rejected": N_("guessed and rejected"),
    "recovered": N_("corrected by the large model (recovered)"),
    "bonus": N_("added by the large model (bonus)"),
    "dropped": N_("after a rejected one, not checked (dropped)"),
}
SIDES = {Policy.ONE_AT_A_TIME: N_("One at a time"), Policy.CONTINUOUS: N_("Continuous batching")}
WAITS = {
    "network": N_("network"),
    "queue": N_("queue"),
    "preempted": N_("preempted"),
    "prefill": N_("prompt is read (prefill)"),
    "decode": N_("tokens (decode)"),
    "stalled": N_("stalled"),
    "drawing": N_("drawing"),
}
COMPARE_VIEWS = (N_("Side by side"), N_("One setting, turned"))
WAITING_VIEWS = (N_("One request among others"), N_("Streamed or whole"))
GROWING_VIEWS = (N_("The bundled model"), N_("A new model"), N_("What training costs"))
TRIES_VIEWS = (N_("Several tries"), N_("Beam search"))
WHY_VIEWS = (N_("The words"), N_("The heads"), N_("A fact"), N_("The sum"), N_("Turn it up"))
HIDING = {"mask": N_("Mask it"), "omit": N_("Leave it out"), "replace": N_("Replace it")}
HIDING_LINES = {
    "mask": N_(
        "The attention of later tokens to the hidden word is masked, and all words keep their "
        "positions. The last word cannot be hidden like this."
    ),
    "omit": N_(
        "The hidden word is left out, and the words after it move up. The last word often counts most, because the sentence breaks."
    ),
    "replace": N_("A word that says little takes the place of the hidden word."),
}
HIDDEN_UNITS = {"word": N_("Each word"), "sentence": N_("Each sentence"), "passage": N_("A passage")}
HEAD_VALUES = {"zero": N_("zero"), "mean": N_("its mean over the text")}
THINK_VIEWS = (N_("One question"), N_("A whole set"))
EVICTION_EFFECT = {
    "stop": N_("The model stops reading. It never sees the rest."),
    "forget the oldest": N_("The oldest line is dropped for each new one."),
    "forget, but keep the first": N_("The first lines stay, and the oldest of the others is dropped."),
    "8 bits": N_("Every number is rounded to one of 256 values: about 9 bits each, scales included."),
    "4 bits": N_("Every number is rounded to one of 16 values: about 5 bits each, scales included."),
}
EVICTION_TERMS = {
    "stop": N_("no eviction"),
    "forget the oldest": N_("sliding window"),
    "forget, but keep the first": N_("attention sinks; StreamingLLM also renumbers the positions, this does not"),
    "8 bits": N_("INT8 KV cache"),
    "4 bits": N_("INT4 KV cache"),
}
POSITIONS = {
    "kept": N_(
        "Tokens keep their positions. A kept token keeps the position it was computed with, and a new token gets its true position in the "
        "text. StreamingLLM renumbers the kept tokens instead."
    ),
    "closed up": N_("This model computes distances from places in the cache, so the gap closes: tokens that were far apart move together."),
}
# Headings of the distributions that no row of the settings table makes; a stage's own is in its row.
DISTRIBUTIONS = {
    "model": N_("The model's probabilities"),
    "dynamic temperature": N_("Sharpen where certain, flatten where not"),
    "greedy": N_("Only the likeliest"),
}
# The same model has another rate on each of these pages, because each counts something else.
COUNTED_RATES = {
    "service": N_("Tokens per second count all work of the server: it reads the prompts, makes the passes and chooses the tokens."),
    "decoding": N_("Tokens per second count a pass and the choice of its tokens. Reading the prompts is left out."),
    "passes": N_("Tokens per second count the passes of one text alone, without the choice of its tokens."),
}
