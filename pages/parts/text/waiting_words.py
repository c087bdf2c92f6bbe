"""The longer texts of the page about waiting."""

from core.serving.scheduler import Policy

TITLE = "Where did the seconds go?"
TERM = "latency: queue, time to first token, time per token"
LEAD = (
    "You send one request, and others send theirs too. What you feel is the way to the server, the queue, the reading of your prompt, "
    "every single word, and the drawing. The others are real requests to the same model."
)
RATE = "Others a second"
RATE_HELP = "How many others arrive a second, at random moments; sixteen come in all, and yours is the ninth to come."
LENGTH = "Tokens of your answer"
START, AGAIN, STOP = "Send it", "Once more", "Stop"
FIRST = "Press the button: the same crowd comes twice, to a server that takes one at a time and to one that batches continuously."
SIDES = {Policy.ONE_AT_A_TIME: "One at a time", Policy.CONTINUOUS: "Continuous batching"}
KINDS = {
    "network": "network",
    "queue": "queue",
    "preempted": "put back",
    "prefill": "prompt is read (prefill)",
    "decode": "words (decode)",
    "stalled": "held up",
    "drawing": "drawing",
}
TIMELINE = "Your request, second by second"
TIMELINE_TERM = "measured, both by the server's own clock"
HEAD = "| | first word after (TTFT) | each further word (ITL) | whole answer (end to end) | of it in the queue | ahead of you |"
OTHERS = ("1\u00a0other", "{count}\u00a0others")
VERDICT = (
    "**{quick}** had your whole answer after {one} instead of {other}; the first word came after {first} and {second} ({left}, {right})."
)
NETWORK = (
    "Network: {network} there and back between this browser and this server, half of it before and half behind. Drawing: {drawing}, one "
    "frame of this browser. Both measured here."
)
NETWORK_NOW = (
    "The servers' times are the recording's. Network ({network} there and back) and drawing ({drawing}, one frame) are this browser's, "
    "measured now."
)
NO_NETWORK = "Network and drawing are measured by your browser, which has not told them yet."
CLOCK = (
    "A server's clock runs only while it works: each policy has the model to itself, however busy this machine is with the other. With "
    "continuous batching, others share your passes: each of your words takes a little longer, and you wait far less for the first."
)
CURVE = "How waiting grows with the load"
CURVE_TERM = "queueing: M/G/1, Pollaczek-Khinchine"
CURVE_LEAD = (
    "At half the load hardly anybody waits; close to the full load everybody does. The load is what comes in, as a share of what one at "
    "a time can serve."
)
CURVE_START, CURVE_AGAIN = "Measure it here", "Once more"
CURVE_FIRST = "Press the button: {count} short requests, first each alone, then all of them at three loads, under both policies."
CURVE_KEYS = ("one at a time, measured", "continuous batching, measured", "one at a time, computed (M/G/1)")
CURVE_AXIS = "load, as a share of what one at a time can serve"
CURVE_ALT = "Mean wait in the queue by load"
CURVE_WHY = (
    "Dots: the mean wait of {count} requests from coming to their first pass, **measured**. Dashed: λ E[S²] / (2 (1 − λ E[S])), "
    "**computed** from the {count} service times that were measured alone (mean {mean}, between {least} and {most}). It is a mean over "
    "endless time. A few requests scatter around it, and as they begin with an empty queue, near the full load they do not live "
    "to see the long one that builds up. For continuous batching it does not hold: there, nobody has the model alone."
)
CURVE_VERDICT = "At {load} of the load: {one} in the queue one at a time, {other} with continuous batching."
HONEST = (
    "This scheduler is made to be watched. What it shows of queues and batches holds for servers such as vLLM, too; the milliseconds are "
    "those of the machine that it ran on."
)
