"""Names that several pages and parts use: marked here, said with `_` where they are shown."""

from __future__ import annotations

from core.batching.scheduler import Policy
from core.language import N_

STATIONS = {
    "pieces": N_("What does it read?"),
    "meaning": N_("What do pieces mean?"),
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
    Policy.CHUNKED: N_("Continuous, long prompts in pieces"),
}
SCHEDULER_LINES = {
    Policy.ONE_AT_A_TIME: N_("The next reader begins when the one before has finished."),
    Policy.STATIC: N_("A group begins together; the next group waits for the longest answer. A slot that is done stays empty."),
    Policy.CONTINUOUS: N_("Whoever is done leaves, whoever waits joins, at every single pass."),
    Policy.CHUNKED: N_("The same, and a long prompt is read piece by piece, so that the others' words do not stall (chunked prefill)."),
}
READER_STATES = {
    "queued": N_("waits"),
    "prefill": N_("prompt is read (prefill)"),
    "decode": N_("writes (decode)"),
    "stalled": N_("held up"),
    "preempted": N_("put back, to be computed anew"),
}
VERDICTS = {
    "accepted": N_("guessed and kept (accepted)"),
    "rejected": N_("guessed and struck (rejected)"),
    "recovered": N_("put in its place by the large one (recovered)"),
    "bonus": N_("added by the large one (bonus)"),
    "dropped": N_("not looked at any more (dropped)"),
}
SIDES = {
    Policy.ONE_AT_A_TIME: N_("One at a time"),
    Policy.CONTINUOUS: N_("Continuous batching"),
}
WAITS = {
    "network": N_("network"),
    "queue": N_("queue"),
    "preempted": N_("put back"),
    "prefill": N_("prompt is read (prefill)"),
    "decode": N_("words (decode)"),
    "stalled": N_("held up"),
    "drawing": N_("drawing"),
}
COMPARE_VIEWS = (
    N_("Side by side"),
    N_("One setting, turned"),
)
WAITING_VIEWS = (
    N_("One request among others"),
    N_("Streamed or whole"),
)
GROWING_VIEWS = (
    N_("The bundled model"),
    N_("A new model"),
    N_("What training costs"),
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
    "stop": N_("It stops reading. What comes later never happened."),
    "forget the oldest": N_("The oldest line is crossed out for each new one."),
    "forget, but keep the first": N_("The first few lines stay for good; after them the oldest go."),
    "8 bits": N_("Every number on a line is rounded to 256 steps: about a quarter of the space."),
    "4 bits": N_("Every number is rounded to 16 steps: about a seventh of the space."),
}
EVICTION_TERMS = {
    "stop": N_("no eviction"),
    "forget the oldest": N_("sliding window"),
    "forget, but keep the first": N_("attention sinks, as in StreamingLLM"),
    "8 bits": N_("INT8 KV cache"),
    "4 bits": N_("INT4 KV cache"),
}
POSITIONS = {
    "kept": N_(
        "About positions: nobody moves. A kept line keeps the place it was written with, a new token "
        "gets its true place in the text, and the gap stays."
    ),
    "closed up": N_("About positions: this model counts distances in lines, so the gap closes: what was far apart moves together."),
}
STAGES = {
    "model": N_("The model's own odds"),
    "repetition penalty": N_("Hold back repetition"),
    "temperature": N_("Warm up or cool down"),
    "top-k": N_("Only the k likeliest"),
    "top-p": N_("Cut the unlikely tail"),
    "min-p": N_("Cut what is far behind"),
    "typical-p": N_("Only the typical"),
    "greedy": N_("Only the favourite"),
}
SERVING_FIGURES = {
    "rate": N_("tokens a second, for all"),
    "first": N_("wait for the first token: median, 95 %"),
    "token": N_("time per further token: median, 95 %"),
    "whole": N_("whole answer: median, 95 %"),
    "idle": N_("slots' time in which they were empty"),
    "demand": N_("of it, while somebody waited"),
    "padded": N_("places looked at for nothing (padding)"),
    "preempted": N_("readers put back (preemptions)"),
    "prompts": N_("prompt tokens computed · found again"),
    "blocks": N_("most blocks held · saved by sharing"),
}
