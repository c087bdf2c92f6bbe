"""Names that several pages use. They are marked here and translated with `_` where they are shown."""

from __future__ import annotations

from core.batching.scheduler import Policy
from core.language import N_

STATIONS = {
    "pieces": N_("What does it read?"),
    "meaning": N_("What do tokens mean?"),
    "layers": N_("What does each layer say?"),
    "attention": N_("Where does it look?"),
    "settings": N_("What do the settings do?"),
    "dice": N_("What do the dice decide?"),
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
    Policy.CHUNKED: N_("Continuous, with chunked prefill"),
}
SCHEDULER_LINES = {
    Policy.ONE_AT_A_TIME: N_("The next request starts when the one before has finished."),
    Policy.STATIC: N_("A group starts together. The next group waits for the longest answer, and finished slots stay empty."),
    Policy.CONTINUOUS: N_("At every pass, finished requests leave and waiting requests join."),
    Policy.CHUNKED: N_("The same, and a long prompt is computed in chunks, so that other requests do not stall (chunked prefill)."),
}
READER_STATES = {
    "queued": N_("waits"),
    "prefill": N_("prompt is read (prefill)"),
    "decode": N_("writes (decode)"),
    "stalled": N_("stalled"),
    "preempted": N_("preempted, to be computed again"),
}
VERDICTS = {
    "accepted": N_("drafted and accepted"),
    "rejected": N_("drafted and rejected"),
    "recovered": N_("replaced by the large model (recovered)"),
    "bonus": N_("added by the large model (bonus)"),
    "dropped": N_("after a rejection (dropped)"),
}
SIDES = {
    Policy.ONE_AT_A_TIME: N_("One at a time"),
    Policy.CONTINUOUS: N_("Continuous batching"),
}
WAITS = {
    "network": N_("network"),
    "queue": N_("queue"),
    "preempted": N_("preempted"),
    "prefill": N_("prompt is read (prefill)"),
    "decode": N_("tokens (decode)"),
    "stalled": N_("stalled"),
    "drawing": N_("drawing"),
}
COMPARE_VIEWS = (
    N_("Side by side"),
    N_("One setting, turned"),
    N_("Streamed or whole"),
)
TRIES_VIEWS = (
    N_("Several tries"),
    N_("Beam search"),
)
THINK_VIEWS = (
    N_("One question"),
    N_("A whole set"),
)
EVICTION_EFFECT = {
    "stop": N_("The model stops. Later tokens are not read."),
    "forget the oldest": N_("The oldest token is dropped for each new one."),
    "forget, but keep the first": N_("The first tokens always stay. Of the others, the oldest is dropped."),
    "8 bits": N_("Every number is rounded to 256 steps, which takes about a quarter of the memory."),
    "4 bits": N_("Every number is rounded to 16 steps, which takes about a seventh of the memory."),
}
EVICTION_TERMS = {
    "stop": N_("no eviction"),
    "forget the oldest": N_("sliding window"),
    "forget, but keep the first": N_("attention sinks, as in StreamingLLM"),
    "8 bits": N_("INT8 KV cache"),
    "4 bits": N_("INT4 KV cache"),
}
POSITIONS = {
    "kept": N_("Positions: kept tokens keep their positions, and a new token gets its true position in the text. The gap stays."),
    "closed up": N_("Positions: this model counts distances in cached tokens, so the gap closes."),
}
STAGES = {
    "model": N_("The model's own probabilities"),
    "repetition penalty": N_("Reduce repetition"),
    "temperature": N_("Scale by temperature"),
    "top-k": N_("Only the k likeliest tokens"),
    "top-p": N_("Exclude the unlikely rest"),
    "min-p": N_("Exclude far less likely tokens"),
    "typical-p": N_("Only typical tokens"),
    "greedy": N_("Only the likeliest token"),
}
SERVING_FIGURES = {
    "rate": N_("tokens a second, for all"),
    "first": N_("wait for the first token: median, 95 %"),
    "token": N_("time per further token: median, 95 %"),
    "whole": N_("whole answer: median, 95 %"),
    "idle": N_("time in which slots were empty"),
    "demand": N_("of it, while requests waited"),
    "padded": N_("positions computed without use (padding)"),
    "preempted": N_("preempted requests"),
    "prompts": N_("prompt tokens computed · reused"),
    "blocks": N_("most blocks held · saved by sharing"),
}

# parts of one request, on the receipt's timeline
SPANS = {
    "network": N_("Network, there and back"),
    "queue": N_("Waiting in the queue"),
    "prefill": N_("Reading the prompt"),
    "decode": N_("Writing, token by token"),
    "dice": N_("Probabilities, sampling and record"),
    "bookkeeping": N_("Tokenizing the prompt, writing the receipt"),
    "outside": N_("Between two tokens: drawing and waiting"),
}
