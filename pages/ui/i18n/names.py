"""Names that several pages use: marked for translation here, translated with `_` where they are shown."""

from __future__ import annotations

from core.batching.scheduler import Policy
from pages.ui.i18n.translation import N_

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
WHY_VIEWS = (N_("The words"), N_("The heads"), N_("A fact"), N_("The sum"), N_("Turn it up"), N_("This, not that"))
HIDING = {"mask": N_("Mask it"), "omit": N_("Leave it out"), "replace": N_("Replace it")}
HIDDEN_UNITS = {"word": N_("Each word"), "sentence": N_("Each sentence"), "passage": N_("A passage")}
HEAD_VALUES = {"zero": N_("zero"), "mean": N_("its mean over the text")}
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
# The same model has another rate on each of these pages, because each counts something else.
COUNTED_RATES = {
    "service": N_("Tokens per second count all work of the server: it reads the prompts, makes the passes and chooses the tokens."),
    "decoding": N_("Tokens per second count a pass and the choice of its tokens. Reading the prompts is left out."),
    "passes": N_("Tokens per second count the passes of one text alone, without the choice of its tokens."),
}
