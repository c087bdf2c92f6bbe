"""The longer texts of the pages about serving many readers."""

from core.serving.scheduler import Policy

# What a result was made with: said when it is another now ("Made before you changed ...").
BY_TWO_WAYS = "the two ways"
BY_READERS = "the readers"
BY_ARRIVALS = "the arrivals"
BY_LENGTHS = "the lengths"
BY_PLACES = "the places"
BY_BUDGET = "the budget"
BY_BLOCKS = "the blocks"
BY_SHARING = "sharing"
BY_BEGINNING = "the beginning"
BY_GUESSER = "the guesser"
BY_GUESSES = "the guesses"
BY_LENGTH = "the length"
BY_SCALE = "the scale"
BY_HEAD = "the head"
BY_BITS = "the bits"

BATCHING_TITLE = "Eight readers, one pass"
BATCHING_TERM = "batching"
BATCHING_LEAD = (
    "Many people ask one model at the same time. Fetching its weights is most of the work, and one fetch can serve them all. "
    "The same readers, served in two ways, each by its own clock."
)
HONEST = (
    "This scheduler is real and made to be watched: real forward passes, real keys and values in blocks. Serving millions is the work of "
    "servers such as vLLM, which do the same on many machines."
)
POLICIES = {
    Policy.ONE_AT_A_TIME: "One at a time",
    Policy.STATIC: "Static batches",
    Policy.CONTINUOUS: "Continuous batching",
    Policy.CHUNKED: "Continuous, long prompts in pieces",
}
POLICY_LINES = {
    Policy.ONE_AT_A_TIME: "The next reader begins when the one before has finished.",
    Policy.STATIC: "A group begins together; the next group waits for the longest answer. A slot that is done stays empty.",
    Policy.CONTINUOUS: "Whoever is done leaves, whoever waits joins, at every single pass.",
    Policy.CHUNKED: "The same, and a long prompt is read piece by piece, so that the others' words do not stall (chunked prefill).",
}
LEFT, RIGHT = "Left", "Right"
READERS = "Readers"
ARRIVE = "They come"
ALL_AT_ONCE, ONE_BY_ONE = "all at once", "one by one"
RATE = "Readers a second"
RATE_HELP = "How many arrive a second, at random moments (a Poisson process); the seed in the sidebar decides which."
ANSWERS = "Length of the answers"
ANSWERS_HELP = "In tokens. Each reader's own length is drawn from this range; a text may end earlier by itself."
BACKGROUND_LENGTH = "Common beginning"
BACKGROUND_HELP = "So many tokens of the same story stand before everybody's own words, as a system prompt does. 0: none."
MORE = "More"
SLOTS = "Slots"
SLOTS_HELP = "How many readers can be in one pass (max_num_seqs)."
BUDGET = "Tokens in a pass"
BUDGET_HELP = (
    "How many tokens, of prompts and next words together, one pass takes (max_num_batched_tokens). Prompts in one piece may exceed it."
)
BLOCKS = "Blocks of the notepad"
BLOCKS_HELP = (
    "Memory for everybody's keys and values, in blocks of 16 tokens. When it is full, the youngest reader gives up theirs and is "
    "computed anew."
)
SHARE = "Share the common beginning"
SHARE_HELP = "Blocks with the same tokens from the start on are kept once and computed once (prefix caching)."
START, AGAIN, STOP = "Let them in", "Once more", "Stop"
BEFORE = "Press the button: {count} readers, {tokens} tokens to read in all, up to {answers} to write."
STATES = {
    "queued": "waits",
    "prefill": "prompt is read (prefill)",
    "decode": "writes (decode)",
    "stalled": "held up",
    "preempted": "put back, to be computed anew",
}
EMPTY_SLOTS = "slots in use"
NOTEPAD = "blocks of the notepad in use:"
BLOCK_WORDS = {"free": "free", "known": "free, beginning still known", "held": "held (the reader's number)", "shared": "shared"}
FASTER = "**{title}** wrote {factor} times as many tokens a second: all {count} answers after {quick} instead of {slow}."
SAME_SPEED = "Both took about as long: all {count} answers after {quick} and {slow}."
LATENCY = (
    "The first word came after {one} ({left}) and {other} ({right}), in the median; each further word after {per_one} and {per_other}."
)
FIGURES = "In figures"
FIGURES_TERM = "measured in this run"
ROWS = {
    "rate": "tokens a second, for all",
    "first": "wait for the first token: median, 95 %",
    "token": "time per further token: median, 95 %",
    "whole": "whole answer: median, 95 %",
    "idle": "slots' time in which they were empty",
    "demand": "of it, while somebody waited",
    "padded": "places looked at for nothing (padding)",
    "preempted": "readers put back (preemptions)",
    "prompts": "prompt tokens computed · found again",
    "blocks": "most blocks held · saved by sharing",
}
CHECK = "Does everybody get what they get alone?"
CHECK_HELP = "Every reader of the right side writes once more, alone, with the same dice."
CHECKED = (
    "{same} of {count} tokens are the same as alone. The largest difference of a logit was {gap}; {close} of the rolls were so "
    "close to a border that this could have turned them."
)
CHECKED_BECAUSE = "Sums over eight rows are added up in another order than over one, so the last digits differ."
PARTED = "Reader {reader} parts from the lone run at token {place}: a roll fell just where the last digits decide."
CURVE_TITLE = "What a fuller pass brings, and what it costs each reader"
CURVE_TERM = "batch size, throughput, latency"
CURVE_START = "Measure it here"
CURVE_BEFORE = "Passes with 1 to 32 readers who all write, measured in turns. Takes a few seconds."
CURVE_RATE = "Tokens a second, for all"
CURVE_WAIT = "Milliseconds between two words of one reader"
CURVE_CEILING = (
    "Solid: measured. Dashed: **computed**, if nothing took time but fetching {weights} of weights once per pass, and every "
    "reader's keys and "
    "values, at the {speed} a second that this machine's memory gave just now. A small model can beat it: part of it stays in "
    "the processor's cache."
)
CURVE_VERDICT = (
    "With {size} readers in a pass: {factor} times the tokens a second of one alone, and each reader waits {wait} instead of "
    "{alone} for a word."
)

OPENINGS = (
    "Once upon a time, there was a little fox who",
    "The old king asked the dragon",
    "One morning a bear and a mouse",
    "In a village by the sea there lived",
    "A girl found a small blue door",
    "The robot wanted to learn how",
    "It was raining, and the cat",
    "Deep in the forest an owl",
    "Tom had a red balloon that",
    "The smallest star in the sky",
    "Grandmother opened the old box and",
    "A wolf who was afraid of the dark",
    "On the ship there was a parrot",
    "The baker woke up early because",
    "Two friends wanted to build a boat",
    "The snowman was sad when",
)
BACKGROUND = (
    "In a quiet valley between two hills there was a small town with a river, a mill and a market. Everybody in the town knew "
    "everybody else. "
    "The children played by the river all day, and in the evening their mothers called them home for soup and bread. There was a "
    "baker with a "
    "white hat, a girl named Lily who could whistle like a bird, a boy named Ben who collected stones, and an old man who told "
    "stories under the "
    "big tree. On sunny days the animals of the forest came close to the town: a fox, a shy deer, an owl and sometimes a bear "
    "who liked honey. "
    "Nobody was afraid of them, because they were friendly, and they were not afraid of the people. Every week there was a day "
    "when all came "
    "together on the market. They shared apples, cakes and cheese, they sang songs, and they told each other what had happened. "
    "If somebody was "
    "sad, the others helped. If somebody had lost something, all of them looked for it. One day something new happened in the town. "
)

GUESS_TITLE = "A small one guesses, the large one checks"
GUESS_TERM = "speculative decoding"
GUESS_LEAD = (
    "The small model runs ahead by a few words; the large one looks at all of them in a single pass and keeps those it could "
    "have said itself. "
    "Whatever is guessed, the text has the large model's own odds."
)
DRAFT = "Who guesses"
DRAFT_HELP = (
    "The draft: a smaller model with the same tokenizer, or no model at all: what followed the last time these words stood in the text."
)
NGRAMS = "The text itself (n-grams)"
GUESSES = "Words guessed ahead"
GUESSES_HELP = "How many tokens are drafted before the large model looks (K)."
GUESS_LENGTH = "Tokens"
GUESS_START, GUESS_AGAIN = "Guess and check", "Once more"
GUESS_FIRST = "Press the button: the text is written twice, guessed and checked, and plainly; both clocks are measured in turns."
VERDICTS = {
    "accepted": "guessed and kept (accepted)",
    "rejected": "guessed and struck (rejected)",
    "recovered": "put in its place by the large one (recovered)",
    "bonus": "added by the large one (bonus)",
    "dropped": "not looked at any more (dropped)",
}
ROUND = "One pass of the large model, looked into"
ROUND_TERM = "p, q and the roll"
ROUND_PICK = "Pass"
ROUND_HELP = (
    "Pale: what the small model gave its guess (q). Deep: what the large one gives it (p). The mark is the roll times q: "
    "if it falls inside the deep bar, the guess stays, which happens with probability p / q, or always where p is larger."
)
LAST_BONUS = (
    "All were kept, so the large model adds one of its own: **{token}**, from its odds for the next place, which the same pass told."
)
LAST_RECOVERED = "In the struck one's place: **{token}**, drawn from what the large model gives beyond the small one, max(0, p − q)."
LAST_END = "The text ends here."
NO_GUESSES = "Nothing was guessed here (one piece was left to write, or the draft knew none): the large model wrote **{token}** itself."
SAVED = "Passes saved"
SAVED_HELP = "Tokens written minus passes of the large model."
PER_PASS = "Tokens per pass"
PER_PASS_HELP = (
    "Tokens written divided by passes of the large model, the one it adds itself included (the mean accepted length plus one, in "
    "other tools)."
)
ACCEPTANCE = "Guesses kept"
ACCEPTANCE_HELP = (
    "Accepted / (accepted + rejected): guesses behind a struck one, which nobody looked at, are not counted. Of all drafted: {all}."
)
TIMES = "Guessing · checking"
TIMES_HELP = "Seconds spent in the small model and in the large one, dice included; measured."
NET = "Against plain"
NET_HELP = (
    "Seconds per token plainly, divided by seconds per token guessed and checked; both measured here, in turns, the prompt's pass aside."
)
GAINED = "It paid here: **{factor} times** as many tokens a second as plain decoding, measured in turns on this machine."
EVEN = "It came out even here: {factor} times the speed of plain decoding, measured in turns on this machine."
LOST = (
    ":red[**A loss here:** {factor} times the speed of plain decoding.] Fewer passes of the large model, but guessing and "
    "checking took longer than they saved."
)
WHEN = (
    "It pays where a pass takes its time for fetching weights, so that checking five words costs little more than writing one; "
    "where the guesses are good; "
    "and where guessing is cheap. On a busy machine with few cores, or with a text that the small one cannot foresee, it does not."
)
GUESS_CURVE = "Tokens per pass, by words guessed ahead"
GUESS_CURVE_TERM = "computed for the acceptance seen here; the dot is measured"
GUESS_CURVE_LINE = (
    "Line: 1 + a + a² + … + aᴷ with a = {rate}, **computed** as if every guess had the same chance. Dot: **measured**, {measured}."
)
PLAIN = "Plain, with the same dice"
PLAIN_TERM = "one pass, one token"

BITS_TITLE = "The same thought in fewer bits"
BITS_TERM = "quantization"
BITS_LEAD = (
    "Weights are numbers, and numbers can be written shorter. The same model, its weights rounded to fewer and fewer bits, on "
    "the same words: "
    "what changes in its odds, in its text, and in its size."
)
SCALE = "One scale for"
PER_ROW, PER_GROUP = "a row", "32 numbers"
SCALE_HELP = (
    "The weights of a row, or of 32 numbers of it, share a 16-bit scale; each becomes the nearest of evenly spaced steps (round "
    "to nearest)."
)
ROUND_HEAD = "The last layer too"
ROUND_HEAD_HELP = (
    "The head, which turns the last vector into odds; often kept as it is. Where it shares its table with the embeddings, both are rounded."
)
BITS_START, BITS_AGAIN = "Round them", "Once more"
BITS_FIRST = "Press the button: the model reads and writes the same text at 16, 8, 6, 4, 3 and 2 bits."
BITS = "Bits"
BARS = "After the prompt"
BARS_TERM = "full precision and {bits} bits"
WRITES = "What it writes"
WRITES_TERM = "always the favourite"
FULL = "Full precision"
SAME_WORDS = "The same words, all of them."
OTHER_WORDS = "They part at token {place}."
ALONG = "Along the text that the full model writes"
ALONG_TERM = "divergence, favourites, perplexity, bytes"
ALONG_HEAD = "| bits a weight | size | diver\u00adgence (KL, nats) | favour\u00adites kept | perplex\u00adity | time to read it |"
ALONG_WHY = (
    "{share} of the weights are rounded. Bytes are **computed** (codes and scales), everything else is **measured**. Memory "
    "shrinks, time does not: here the "
    "rounded numbers are written back as {dtype} and multiplied as before. A kernel made for them would fetch {bytes} instead of "
    "{full} for each word, so at "
    "best be {times} times as fast where fetching is all the work: **computed**, not measured."
)
PARTS = "Which part hurts most?"
PARTS_TERM = "one part at {bits} bits, all others in full"
HEAD_NAME = "head"
PARTS_START = "Round one part at a time"
PARTS_CAPTION = "Mean divergence over the same text, nats; the stronger the colour, the worse."
