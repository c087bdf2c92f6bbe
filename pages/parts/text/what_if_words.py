"""The longer words on the What if pages."""

from __future__ import annotations

from core.labs.beam import CUT_OFF, DROPPED, FINISHED, KEPT, LATE
from core.labs.candidates import MAJORITY, MEAN, NORMALISED

# title, text before the fork, the two words
# What a result was made with: said when it is another now ("Made before you changed ...").
BY_TRIES = "the tries"
BY_LENGTH = "the length"
BY_BEAMS = "the beams"
BY_PENALTY = "the penalty"
BY_SEED = "the seed"
BY_SETTING = "the setting"
BY_QUESTION = "the question"
BY_ANSWER = "the answer"
BY_NUMBER = "the number"

FORKS: tuple[tuple[str, str, str, str], ...] = (
    ("Is a whale a fish?", "Is a whale a fish?", " Yes", " No"),
    ("42 or 27?", "The answer is", " 42", " 27"),
    ("Girl or dragon?", "Once upon a time, there was a little", " girl", " dragon"),
    ("Is a robot alive?", "Is a robot alive?", " Yes", " No"),
)

FORK_TITLE = "What if it had said something else?"
FORK_TERM = "branching"
FORK_LEAD = "One word is changed; everything else stays: same model, same dice. The model goes on to justify whatever stands there."
READY = "Try one"
OWN = "Your own text"
OWN_HELP = "Fork the text you are writing on Watch, at the word you opened there or at its beginning."
STEP_BOTH = "Step both"
AGAIN = "From the fork"
CLICK_TO_FORK = "click to fork here"
WORD_CARD = "{share} for the model, rank {rank}"
COMMON_HELP = "What both share stands above. Click any word to fork there instead."
OTHER_WORD = "Another word"
OTHER_WORD_HELP = "Type what should stand there instead. Begin with a space for a new word."
INSTEAD = "Instead of “{word}”, let it say"
FORK_HERE = "Fork here"
NOTHING_ELSE = "There is no other word on the list. Type one."

DRIFT = "How far apart?"
DRIFT_TERM = "JS distance where both just said the same"
DRIFT_ALT = (
    "Dots from 0 to 1, one for each place where both branches have just said the same words: how different their odds for the next "
    "word are. Small marks below for words that only one of them says."
)
DRIFT_HELP = (
    "Both texts are laid side by side by what they say, not by how many words they have. Where both have just said the same two words or "
    "more, the odds for the next one are compared. 0: the same odds; 1: nothing in common. Computed over the whole vocabulary of a small "
    "model (base 2); a pale bar where only the likeliest tokens are known. Grey marks: words without a counterpart."
)
DRIFT_PLACE = "word {one}"
DRIFT_PLACES = "word {one} on the left, {other} on the right"
DRIFT_ALONE = "no counterpart"
DRIFT_CHANGE = (
    "They part at word {place}: right behind what was put there, the odds for the next word are **{apart}** apart "
    "(0: the same, 1: nothing in common)."
)
DRIFT_NOTHING = "After that they have no two words in a row in common."
DRIFT_SHARED = (
    "Then **{shared} of {shorter}** words are the same in both, in rows of two or more. Where both have just said the same, the odds are "
    "{median} apart in the middle, and furthest behind “{same}”: {widest}."
)
DRIFT_SHARED_ONCE = (
    "Then **{shared} of {shorter}** words are the same in both, in a row. Behind “{same}” the odds for the next word are {widest} apart."
)
LIKELY = "How likely was each word?"
LIKELY_TERM = "probability"
LIKELY_ALT = "Dots from 0 to 100 percent, one per word and branch: what the model gave to the word that was written."
JOINT = "All its words together"
JOINT_TERM = "log-probability"
JOINT_ALT = "Two falling lines: the sum of the natural logarithms of all words' probabilities, one line per branch."
FOOT = "{count}, together {odds} · ln {log}"
FOOT_EMPTY = "not written yet"
ENDED = {
    "end of text": "it ended its text",
    "context full": "its context is full",
    "limit reached": "it may not get longer here",
    "out of memory": "there is no memory left",
    "end of recording": "the recording ends here",
}
SAME_SO_FAR = "Word {place} is where they part. Everything before it is the same."
REPLAY_FORK = "This is a recording: it can only be compared along branches that were recorded."

TREE_TITLE = "Everything tried so far"
TREE_TERM = "the run as a tree"
TREE_LEAD = "The wider a line, the likelier the model found that turn. Click a way to go there; it is yours on every page."
TREE_NOTE = "{share} · {count}"
TREE_EMPTY = "Nothing is written yet. Press Step both."
TREE = {
    "here": "you are here",
    "rename": "name",
    "delete": "delete",
    "ask": "Delete {count} words?",
    "yes": "Delete",
    "no": "Keep",
    "name": "a name for this way",
    "save": "Save",
    "fold": "fold",
    "unfold": "unfold",
}
DELETED = "{count} words are deleted. Everything else stayed."
COMPARE_TWO = "Compare two ways"
COMPARE_HELP = "Puts two branches that exist side by side, from the place where they part."
TRY_NOTE = "try {number}"
TRIES_NOTE = "{count} of {total} tries"
BEAM_NOTE = "ln {score} · {fate}"
FATES = {KEPT: "kept", FINISHED: "an answer", CUT_OFF: "an answer, cut off here", DROPPED: "dropped", LATE: "too unlikely an ending"}

COMPARE_TITLE = "Same words, other settings"
COMPARE_TERM = "sampling, compared"
COMPARE_LEAD = "Every column writes on from the same text with the same dice. Only what stands above a column differs."
VIEWS = ("Side by side", "One setting, turned", "Streamed or whole")
SETTING = "Settings"
COLUMN_SIDEBAR = "From the sidebar"
COLUMNS = "Columns"
LENGTH = "Length"
START = "Write"
STOP = "Stop"
AGAIN_ALL = "Write again"
PARTS = "leaves the first column at word {place}"
PARTS_HERE = "here it parts"
SAME_AS_FIRST = "the same as the first column so far"
FIRST_COLUMN = "the others are compared with this one"
TABLE = "In numbers"
TABLE_TERM = "computed from what was written"
TABLE_HELP = (
    "Perplexity is 2 to the power of the mean surprise: among how many equally likely tokens it was choosing, as it were. "
    "Surprise is the mean of -log2 of the probability the model gave to what it wrote. Repeats: runs of three words that were there before."
)
SWEEP_LEAD = "One setting is turned, everything else stays: the same text, the same dice. Each line is one value."
SWEEP_SETTING = "Turn"
COLUMN_NAME = "column {number}"
SWEEP_NAMES = {
    "temperature": "Temperature",
    "top_k": "Top-k",
    "top_p": "Top-p",
    "min_p": "Min-p",
    "typical_p": "Typical-p",
    "repetition_penalty": "Repetition penalty",
    "seed": "Seed",
}
SWEEP_OFF = "off"

STREAM_LEAD = (
    "The same run, delivered twice. A stream is read while it is written, and nothing can be taken back. "
    "A whole answer is checked first, and read late."
)
STREAM_WORDS = "Words that must not appear"
STREAM_WORDS_HELP = "A simple filter: the stream is cut when one of them is complete; the whole answer is not shown at all."
COLUMNS_EMPTY = "Press Write: every column goes on from the text above, all with the same dice, so that only the settings can part them."
SWEEP_EMPTY = "Press Write: one line for each value of the setting, from one end to the other."
STREAM_EMPTY = "There is no text to deliver yet. Press Write: the model goes on from your text, and the run is recorded."
STREAM_WRITE = "Write and record"
STREAM_SLOW = "Played {factor} times slower than it was"
STREAM_FACTS = "First word after {first}, everything after {total}: measured."
STREAM_FOUND = (
    "The filter found “{word}” at token {place}. By then the reader of the stream had read {count} words; "
    "the reader of the whole answer sees none of it."
)
STREAM_CLEAN = "The filter found nothing: both readers get the same text, one of them {later} later."
STREAM = {
    "streamed": "Streamed",
    "streamed_term": "shown as it comes",
    "whole": "Whole",
    "whole_term": "shown after the check",
    "play": "Play it",
    "waiting": "writing and checking …",
    "withheld": "This answer was withheld.",
    "cut": "cut off here",
    "first": "first word",
    "total": "all of it",
}

TRIES_TITLE = "Several tries, pick the best"
TRIES_TERM = "best of N, beam search"
TRIES_LEAD = (
    "The model writes the same text several times, with other dice each time. Then one is picked. It costs as many times the tokens."
)
TRIES_VIEWS = ("Several tries", "Beam search")
TRIES_COUNT = "Tries"
TRIES_MADE = "{count} tries"
SCORE_BY = "Pick by"
SCORE_NAMES = {MEAN: "how likely its words are", NORMALISED: "likely, but not short", MAJORITY: "what most of them answer"}
TRIES_FIRST = "Press Write: all tries are written together, one word of each per pass through the model."
MERGED = "All tries as one tree"
MERGED_TERM = "where they agree they share a way"
RANKING = "From best to worst"
PRICE = "The price"
PRICE_LINE = "{tokens} tokens for an answer of {own}: {times} times the price by the token. {passes} in {seconds}, all tries in each."
PRICE_TIME = (
    "The first try alone took {seconds} for {passes}: a pass for {count} takes **{factor} times** as long as a pass for one. Both measured."
)
KEEP_TRY = "Keep this one"
KEPT_TRY = "That try is now your run: it goes with you to every page."
BEAM_LEAD = (
    "Not dice but bookkeeping: at every step the likeliest beginnings are kept, all others are dropped, however they might have gone on."
)
BEAMS = "Beams"
BEAMS_KEPT = "{count} beams"
PENALTY_OF = "length penalty {penalty}"
PENALTY = "Length penalty"
PENALTY_HELP = "A finished answer's log-probability is divided by its length to this power. 0: as it is; 1: per word."
BEAM_STEP = "Step"
BEAM_ALL = "To the end"
BEAM_AGAIN = "From the start"
BEAM_TABLE = "What is kept, what is dropped"
BEAM_AT = "step {place}"
BEAM_FIRST = "Press Step: one pass through the model, then the choice."
BEAM_WHY = {
    KEPT: "among the {width} likeliest",
    DROPPED: "ln {own}, below {bar}",
    FINISHED: "it ended, and competes as an answer",
    CUT_OFF: "it may get no longer, and competes as an answer though it did not end",
    LATE: "it ended, but {width} others are likelier",
}
BEAM_DONE = "The search is over ({why}). The answer: “{text}”, ln {log}, score {score}."
BEAM_PRICE = "{tokens} computed in {seconds}: measured."
BEAM_TREE = "All beginnings as one tree"
BEAM_TREE_TERM = "dashed: given up"

THINK_TITLE = "Does it help to think aloud?"
THINK_TERM = "chain of thought"
THINK_LEAD = (
    "The same question, answered at once and step by step. Every word is one more pass, and what was worked out stands there to be used."
)
THINK_TAUGHT = (
    "The bundled models were taught this way of adding: their training text is full of sums written out column by column. "
    "A model that was never shown how may think in another way, or not at all."
)
THINK_GREEDY = f"Answered greedily, always the likeliest token, so that a question shows the same thing every time. {THINK_TAUGHT}"
THINK_VIEWS = ("One question", "A whole set")
QUESTION = "Question"
ANSWER = "The right answer"
RIGHT_IS = "right is {answer}"
# What is worth asking: name of the button -> question, right answer. In the first two the units make 20 or more.
QUESTIONS = {
    "98 + 99 + 43": ("Question: What is 98 + 99 + 43?", "240"),
    "39 + 57 + 59": ("Question: What is 39 + 57 + 59?", "155"),
    "An easy one": ("Question: What is 20 + 40 + 30?", "90"),
}
AT_ONCE_TITLE = "At once"
STEPWISE_TITLE = "Step by step"
ASK = "Ask"
CHANCE = "How likely is the right answer, if it had to answer now?"
CHANCE_TERM = "joint probability of the answer's tokens, and that it ends"
CHANCE_ALT = "Two lines from 0 to 100 percent: the probability of the right answer before every word, at once and step by step."
CHANCE_HELP = (
    "Before each word the model is asked for the answer behind what stands there (step by step: behind “The answer is”), and the "
    "probabilities it gives to the right answer's tokens, and to nothing following that would make it another answer (24, then 0), are "
    "multiplied. Computed; the text goes on as if nobody had asked."
)
GAVE_RIGHT = "It says {given}. That is right. {tokens}."
GAVE_WRONG = "It says {given}. Right would be {answer}. {tokens}."
GAVE_NONE = "No answer yet. {tokens}."
NOT_ASKED = "Press Ask: here it has to answer with its very first words."
NOT_ASKED_STEPWISE = "Here it may first write down how it gets there."
SET_LEAD = (
    "Sums of three two-digit numbers, none of which was in the bundled models' training text. Both ways, one after the other, greedily."
)
SET_COUNT = "Questions"
SET_NUMBER = "{count} questions"
SET_KIND = "Which sums"
SET_KINDS = {True: "that carry twice", False: "any"}
SET_KIND_HELP = (
    "98 + 99 + 43 carries twice: its units alone make 20. That is where a small model that answers at once goes wrong most often."
)
SET_START = "Ask them all"
SET_PROGRESS = "{done} of {total} questions answered both ways"
SET_RIGHT = "{right} of {total} right"
SET_BETWEEN = "so the true share is between {low} and {high}, with 95 % certainty"
SET_COST = "{tokens} tokens each, {seconds} each"
SET_ALT = "Two bars from 0 to 100 percent with their 95 percent intervals: right answers at once and step by step."
SET_HELP = "Wilson's interval: with so few questions a count is uncertain, and the bar's line shows by how much."
SET_LIST = "Question by question"
SET_VERDICT = "Thinking aloud cost {times} times the tokens."


def tokens(count: int) -> str:
    """A number of tokens in words."""
    return "1 token" if count == 1 else f"{count:,} tokens"


def passes(count: int) -> str:
    """A number of passes through the model in words."""
    return "1 pass" if count == 1 else f"{count:,} passes"


def speed(value: float) -> str:
    """How fast both sides write, in words."""
    return f"{value:g} a second"
