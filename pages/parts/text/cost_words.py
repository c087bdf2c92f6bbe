"""Every longer word on the pages about what it costs."""

from __future__ import annotations

# What a result was made with: said when it is another now ("Made before you changed ...").
BY_LENGTH = "the length"
BY_REPEATS = "the repeats"
BY_SHORT_QUESTION = "the short question"
BY_LONG_QUESTION = "the long question"
BY_RATES = "the rates"
BY_TEXT = "the text"
BY_QUESTION = "the question"
BY_RIGHT_ANSWER = "the right answer"
BY_POLICY = "what is done when it is full"
BY_BUDGET = "the budget"
BY_READERS = "the readers"
BY_FIRST_WORDS_KEPT = "the first words kept"

CACHE_TITLE = "Why does it keep notes?"
CACHE_TERM = "KV cache"
CACHE_LEAD = (
    "Two writers, the same model, the same dice. One keeps notes on every word it has read. The other has no paper: "
    "for each new word it reads everything again from the very beginning."
)
CACHE_START, CACHE_STOP, CACHE_AGAIN = "Start the race", "Stop", "Race again"
CACHE_LENGTH = "How many tokens?"
RACE_LENGTH = "{count} tokens each"
WITH_NOTES, WITHOUT_NOTES = "With notes", "Without notes"
WITH_TERM, WITHOUT_TERM = "cache on", "cache off"
NOW_READING = "{count} read for this one"
IN_ALL = "{count} read in all"
WAITING = "Both wait for the start."
SPEED_UP = "**{factor} times faster** with notes, over the {count} tokens both have written."
SAME_TEXT = ":material/check: Word for word the same text."
OTHER_TEXT = "The two texts differ from token {count} on: two ways of rounding met odds that were almost equal."
SAME_SO_FAR = "The same text so far."
PACE_TITLE, PACE_TERM = "How long does one more token take?", "dots: every pass; line: median of five; the first dot reads the prompt"
PACE_ALT = "Milliseconds of every pass for both writers, the first of which reads the prompt: level with notes, rising without."
TOTAL_TITLE, TOTAL_TERM = "How much had to be read?", "positions processed, in all"
TOTAL_ALT = "Positions processed in all: a straight line with notes, a triangle's curve without."
CLOCK_TITLE, CLOCK_TERM = "How long did it take so far?", "seconds, measured; dashed: what the fitted steps add up to"
CLOCK_ALT = "Seconds in all for both writers, and dashed what the lines fitted to their single steps add up to."
GROWTH_EARLY = "How it grows is said once both have written {count} further tokens: before that the clock's noise would be all there is."
GROWTH_GROWS = "{title}, every token that stands there adds **{by} ± {error} µs** to the next one (r² = {r2})."
GROWTH_LEVEL = "{title}, no growth stands out from the noise ({by} ± {error} µs for every token that stands there, r² = {r2})."
GROWTH_TOTAL = "Steps that stay the same add up to a line, $n$; steps that grow by the same amount each time add up to a triangle, $n^2$."
COUNTED = "Counted, for a prompt of {prompt} tokens: {prompt} + n − 1 positions with notes, {prompt} × n + n(n − 1) ÷ 2 without."
AHEAD_TITLE, AHEAD_TERM = "How much will have to be read?", "computed; the race measures what it costs"
GROWTH_WHY = (
    "Measured passes against the tokens they stand behind, the one that reads the prompt left out; a straight line through the medians of "
    "eight equal stretches, with the 95 % interval of its slope. r² is the share of the differences that the line explains: near 1 for a "
    "clear rise, near 0 for a level line, which has nothing to explain. A small model spends much of every pass on things that do not "
    "depend on the length."
)
KEPT_TITLE, KEPT_TERM = "What do the notes hold?", "keys and values, by layer and position"
KEPT_ALT = "One row per layer, one column per token: kept positions pale, the newest one dark."
KEPT_COUNT = "{layers} layers × {heads} KV heads × {size} numbers × {item} bytes × {tokens} tokens = **{computed}** bytes"
KEPT_ASSUMED = "the bytes of a number are assumed, for the server does not say how finely it writes"
KEPT_MEASURED = "its arrays, which have room for tokens to come, hold **{measured}** (measured)"
PASSED_OVER = "Where the model would have ended its text, both took the next best token instead, so that the race goes its full length."

MEMORY_TITLE = "What if the notepad is full?"
MEMORY_TERM = "KV cache eviction and quantization"
MEMORY_LEAD = (
    "Every token the model reads takes a line of its notepad. Lines are memory, and memory ends. Then somebody has to decide what goes."
)
MEMORY_READ = "Read the story"
MEMORY_WRITE = "Read my text and write on"
MEMORY_ASK = "Read my text and answer"
MEMORY_ALL = "Try every way"
MEMORY_SOURCES = {"story": "The key under the red pot", "own": "My own text"}
MEMORY_BUDGET = "Memory for the notepad"
MEMORY_POLICY = "When it is full"
POLICIES = {
    "stop": "Stop",
    "forget the oldest": "Forget the oldest",
    "forget, but keep the first": "Forget, but keep the first",
    "8 bits": "Write smaller: 8 bits",
    "4 bits": "Write smaller: 4 bits",
}
POLICY_EFFECT = {
    "stop": "It stops reading. What comes later never happened.",
    "forget the oldest": "The oldest line is crossed out for each new one.",
    "forget, but keep the first": "The first few lines stay for good; after them the oldest go.",
    "8 bits": "Every number on a line is rounded to 256 steps: about a quarter of the space.",
    "4 bits": "Every number is rounded to 16 steps: about a seventh of the space.",
}
POLICY_TERMS = {
    "stop": "no eviction",
    "forget the oldest": "sliding window",
    "forget, but keep the first": "attention sinks, as in StreamingLLM",
    "8 bits": "INT8 KV cache",
    "4 bits": "INT4 KV cache",
}
MEMORY_LINES = (
    "One line is one token, in all layers: its keys and values. Servers such as vLLM hand the same memory out in pages of 16 tokens "
    "(PagedAttention), so that little of it is left unused."
)
OWN_TEXT, OWN_QUESTION, OWN_ANSWER = "Your text", "Your question (or none: then it writes on)", "The right answer, behind “Answer: It is”"
READERS, SINKS = "readers: {count}", "first words kept: {count}"
MEMORY_READERS = "Readers who share it"
MEMORY_READERS_HELP = "Each gets an equal share. Admitting fewer readers is the fourth way out: the others get more lines."
MEMORY_SINKS = "First lines to keep"
MEMORY_SINKS_HELP = "Many models lean on the very first tokens, whatever they say. Keeping a few of them helps surprisingly often."
SHARE = "{pages} lines of {each} each, for each reader"
LEGEND = ("on a line", "just written", "crossed out", "not read yet")
HELD = "{pages} lines · {size} of {share}"
ANSWER_TITLE = "Does it still know?"
ANSWER_QUESTION = "Where is Lily's key?"
ANSWER_ASKED = "{question} The right answer is “{answer}”."
ANSWER_TERM = "probability of the right answer, word for word"
BEFORE, AFTER = "With every line", "With your notepad"
NEVER_ASKED = "It stopped before the question was even asked."
NO_ROOM = "It heard the question, but no line was left for the answer."
SAYS = "It says: “{said}”"
SAYS_NOTHING = "It says nothing."
ANSWER_LOST = "The answer stood on lines that are gone. What is not on the notepad cannot be known."
ANSWER_KEPT = "Every line of the sentence with the answer is still there."
ANSWER_NOWHERE = "No sentence of this text holds the answer word for word, so nothing can be said about its lines."
ANSWER_ROUNDED = "Every line is there, a little blurred."
POSITIONS = {
    "kept": (
        "About positions: nobody moves. A kept line keeps the place it was written with, a new token gets "
        "its true place in the text, and the gap stays."
    ),
    "closed up": "About positions: this model counts distances in lines, so the gap closes: what was far apart moves together.",
}
NOT_UNDONE = "Forgetting is not undoing: what later lines had already taken from a crossed-out one is still in them."
ROUNDING = (
    "Each line is rounded once, when it is written, in groups of 32 numbers with a scale and a lowest "
    "value of 16 bits each. The bytes are counted from the tensors."
)
ENDED = {
    "notepad full": "The notepad is full: here it stopped.",
    "context full": "The model knows no further positions: crossed-out lines make room, but no new places.",
    "end of text": "Here the model ended its text.",
}
CALCULATOR = "How many readers fit?"
CALCULATOR_TERM = "weights and notepads in one memory"
CALCULATOR_LEAD = "The same formula as above, for models you have heard of. Shapes as published; memory as on the card's data sheet."
FITS = "**{readers} readers** at once, each with {context} tokens."
FITS_ONE = "**One reader** at a time, with {context} tokens."
FITS_NONE = "**Not even one.** The weights alone take {weights}, and {card} holds {memory}."
FITS_TIGHT = "**Nobody.** The weights fit ({weights}), but one notepad of {context} tokens takes {each}, and {free} are left."
FORMULA = "{layers} layers × {numbers} numbers × {item} bytes = **{each}** a token{window}"
FORMULA_LATENT = "one compressed vector of {numbers} numbers a layer"
WINDOWED = "; {count} of its layers keep only the last {window} tokens"
AS_IF = "With the notepad's memory from above"
AS_IF_LEAD = "What {size} of notepad would mean elsewhere, in 16 bits a number."

PLAINLY = "Said plainly: positions, forgetting, rounding"
TOO_SMALL = "This model is not sure of the answer even with every line; what counts is how far the probability falls."
FELL = "The right answer became **{factor} times less likely**."
AS_SHIPPED = "as shipped"
SHIPPED = "As its maker ships it: {experts} bits for each weight of an expert (MXFP4, scales included), {others} for all others."
BEYOND = "This model was trained for {limit} tokens at most; longer texts would fit into memory, not into the model."

CONTEXT_TITLE = "Does a longer text cost more?"
CONTEXT_TERM = "prefill, decode, context window"
CONTEXT_LEAD = "First the whole prompt has to be read; then every new token looks back at all of it. Measure both on this machine."
CONTEXT_START = "Measure"
CONTEXT_REPEATS = "Times each"
CONTEXT_ROUNDS = "{count} times each"
CONTEXT_FILLING = "Filling the context …"
PREFILL_TITLE, PREFILL_TERM = "Until the first word", "prefill"
PREFILL_ALT = "Time to read the prompt against its length, with the spread of the repeats."
DECODE_TITLE, DECODE_TERM = "For every word after it", "decode"
DECODE_ALT = "Time of one further token against the length before it, with the spread of the repeats."
CONTEXT_SAYS = (
    "From {short} to {long} tokens the wait for the first word grew **{prefill} times** ({a} to {b}); "
    "one further word went from {c} to {d}."
)
CONTEXT_WORK = "The work, computed from the model's shape, grew {prefill} times for the prompt and {decode} times for a word."
CONTEXT_SPREAD = "Points are medians of {repeats} rounds; a bar holds the middle half of the measurements."
CONTEXT_PROGRESS = "{done} of {total} measurements, going round all lengths again and again"
CONTEXT_GAUGE = "How full is your text now?"
CONTEXT_END = "What happens at the very end?"
CONTEXT_END_TERM = "context window"
CONTEXT_END_LEAD = "This model has {limit} places for tokens, and not one more. Fill all but a few and let it write."
CONTEXT_END_START = "Go to the end"
CONTEXT_END_TOLD = "It read {read} tokens, wrote {written} more, and there it ended, in the middle of things:"
CONTEXT_PASSED_OVER = "On the way the model would have ended its text {times}; its next best token was taken instead, to get to the end."
CONTEXT_REFUSED = "And a prompt of {offered} tokens, too long to begin with, gets this answer:"

COST_TITLE = "What did that cost?"
COST_TERM = "the receipt"
COST_LEAD = "The bill for the text on Watch, from the records of its own steps."
COST_EXAMPLE = "A text of 32 tokens"
COST_RECORDED = "A recording of {day}: the request of the timeline below, which ran on another day and maybe another machine."
COST_TIMED = "The request of the timeline below."
COST_EMPTY = "Nothing has been written yet, so there is nothing to pay. Write a few tokens on Watch, or let a question be answered below."
KINDS = {"measured": "a clock or a counter", "computed": "a formula, shown", "assumed": "somebody's word: change it"}
ASSUMPTIONS = "Change what is assumed"
RATES = (
    ("watts", "Watts while computing", 5.0),
    ("price_input", "Dollars per million tokens read", 0.05),
    ("price_output", "Dollars per million tokens written", 0.05),
    ("price_hour", "Dollars per hour of hardware", 0.05),
    ("network_seconds", "Seconds on the network, there and back", 0.01),
)
ELSEWHERE = "What would this answer have cost on ..."
ELSEWHERE_TERM = "computed from published shapes; times from data sheets"
PRICE_OF = "{model}: $ per million"
ELSEWHERE_NOTE = (
    "Cards come in the numbers that tensor parallelism is run with: 1, 2, 4, 8, 16 ..., so that each holds the same number of heads. "
    "At best: every card at its paper speed, nobody else in the queue. Real services reach a part of it "
    "and serve many readers with the same pass, "
    "which is what makes a single answer cheap."
)
EXAMPLE = (
    "The textbook example: **70 billion parameters, 1,000 tokens**. Same function: {weights} weights met per token, and attention on top, "
    "make **{total} multiply-adds**, of which attention is {attention}. A receipt counts two operations for each: {flop}."
)
TWO_TITLE = "Ask briefly or at length?"
TWO_TERM = "two prompts, two receipts"
TWO_LEAD = "The same question twice. The model reads every word of it, and you pay for reading too."
TERSE = "Where is the cat? The cat is"
VERBOSE = (
    "Good morning! I hope that you are well and that I do not disturb you. I would like to ask you "
    "something, if you do not mind, about our cat. "
    "We have looked everywhere, in the house and in the garden. Could you please be so kind and tell me, where is the cat? The cat is"
)
TWO_START = "Ask both"
TWO_SAYS = "The second question costs **{factor} times** the work of the first one, for the same number of new tokens."
TWO_LESS = "The first question costs **{factor} times** the work of the second one, for the same number of new tokens."
TWO_SAME = "Both cost the same work, give or take a few percent."
TWO_READ = "Reading the second question takes **{factor} times** the work of reading the first one."
TWO_READ_LESS = "Reading the first question takes **{factor} times** the work of reading the second one."
TWO_READ_SAME = "Reading either question takes the same work, give or take a few percent."
TWO_UNEVEN = "The answers give no verdict: one has {brief} tokens, the other {long}."
TWO_UNKNOWN = "No verdict: the shape of this model is not known here, so its work cannot be computed."
TIMELINE = "Where did the seconds go?"
TIMELINE_TERM = "one request, from the question to the last token"
TIMELINE_LEAD = (
    "The network is assumed, the rest is measured here and now, and nothing is left out: the stretches together are the whole wait. "
    "Decoding, dice and drawing really take turns; here each is one stretch."
)
TIMELINE_START = "Ask once, with the clock running"
TIMELINE_ALT = (
    "One bar per stretch of the request, from left to right: network, queue, prefill, decode, dice, bookkeeping, what lies between tokens."
)
TIMELINE_SAYS = "The first word came after **{first}**, the last one after **{total}**."
PARTS = {
    "network": "Network, there and back",
    "queue": "Waiting for a turn",
    "prefill": "Reading the prompt",
    "decode": "Writing, token by token",
    "dice": "Odds, dice and record",
    "bookkeeping": "Cutting the prompt, keeping the receipt",
    "outside": "Between two tokens: drawing, waiting",
}
UNKNOWN_SHAPE = "This text comes from a recording of a model that is not here, so the work cannot be computed."
FAST_CACHE = "Over 100 % is possible for a small model: its weights stay in the processor's own cache and need not be fetched from memory."
