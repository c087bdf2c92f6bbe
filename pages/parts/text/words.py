"""Every longer word on screen, in one place: plain, warm, exact."""

from __future__ import annotations

import math

from core import SamplingSettings

APP = "Token Probability Viewer"

WATCH_TITLE = "Watch a model write"
WATCH_LEAD = "It weighs what could come next, then dice decide. Press **Step**."

TAKE_TOUR = "Take the tour"
ON_STAGE = "On stage"
ON_STAGE_HELP = "For a hall: one thing at a time, in letters that the last row can read. Key: S"

EXAMPLES: dict[str, str] = {
    "A story": "One day a little",
    "A dragon": "One day a dragon",
    "A diary": "Dear diary,",
    "A match": "The football match",
}
FIRST_PROMPT = EXAMPLES["A story"]
PROMPT_HELP = "The text the model goes on from. Change it, then press Ctrl + Enter."

ODDS_COMING = "What comes next?"
ODDS_ROLLED = "What came next?"
ODDS_TERM = "next-token distribution"
ODDS_ALT = "Bars: how likely each next token is, for the model (pale) and for the dice (solid), from 0 to 100 percent."
DICE_ALT = "A strip from 0 to 1, cut into one piece per token that is still in the game; the marker shows where the dice fell."
NOTEPAD = "The notepad"
NOTEPAD_TERM = "KV cache"
NOTEPAD_ALT = "One bar per token: positions reused from the cache and positions newly computed."
PACE = "How long did it take?"
PACE_TERM = "ms per step"
PACE_ALT = "Milliseconds per token."
SURPRISE = "How sure was it?"
SURPRISE_TERM = "entropy and surprise, bits"
SURPRISE_ALT = "Line: how unsure the model was before each token, in bits. Dots: how surprising the token was that came."
TIMES_HELP = "The bar of a step is the time of its forward pass, measured. The first one reads the whole prompt."
SURPRISE_HELP = (
    "The line is how unsure the model was before each token: 0 bits is certain, 1 bit a fair coin, 3 bits eight equal choices. "
    "The dots are how surprising the token was that came."
)
REST = "everything else"
CUT_FOLDED = "▸ all else, cut"
CUT_OPEN = "click to open"
CUT_TOKENS = "{count} tokens, cut"
CUT_SHOWN = "Show what is cut"
CUT_SHOWN_HELP = "Unlikely candidates that a setting cut off lie together in one line. Open, each has a row of its own."
CUT_CLOSE = "fold what is cut"

END_OF_TEXT = "The model has ended its text here. Press Back, or click an earlier word, to take another way."
CONTEXT_FULL = "The notepad is full: this model cannot hold more text. Press Back, or Restart, to go on from an earlier place."
OUT_OF_MEMORY = "There is no memory left for this text. Press Back, or begin with a shorter prompt."
LIMIT_REACHED = "This app lets a text grow no longer than this. Press Back, or Restart, to go on from an earlier place."
FINISHED = {"end of text": END_OF_TEXT, "context full": CONTEXT_FULL, "out of memory": OUT_OF_MEMORY, "limit reached": LIMIT_REACHED}
BEFORE_YOU = "Many come in just now: {others} before you. It takes a moment."
FULL_HOUSE = "All seats are taken just now. You come in by yourself once one is free; or run the app on your own machine."
SHARED = "{players} play here now: {rate}"
SHARED_HELP = "One machine writes for everybody who plays. Nobody waits in line; all go a little slower."
CHAT_HELP = "The model answers your text as one turn of a conversation. The pieces that its chat template adds are shown too."
TO_INSIDE = "How did it come about?"
TO_RECEIPT = "The whole bill"
REPLAYING = "This is a recording of {model}; it is open as long as this page is. The sliders rest until you write on yourself."
LEAVE_RECORDING = "Leave the recording"
REPLAY_OVER = "The recording ends here. Press Play to see it from its beginning."
EMPTY_RECORDING = "This recording holds no steps, so there is nothing to show. What you had is still here."

SURPRISED = "Something went wrong here, and it is our fault. What you made is still there; try again."
PROMPT_TOO_LONG = "That text is longer than {most} characters, the most a prompt can have here. Shorten it."
STRANGE_LINK = "The link held something that is not possible here ({what}); the usual value is used instead."
STRANGE_PATH = "The link's list of steps could not be followed to its end; what you see is as far as it goes."
WAKING = "Waking the model …"
NO_MODEL = "There is no model here yet. Put one under core/bundled, or choose one by name."
FORCED_ELSEWHERE = "That bar belongs to a moment that has passed; click it again."
UPLOAD_TOO_LARGE = "That file is larger than {limit}, the most that is read here."
KEPT_EXACTLY = "Whoever opens this link sees the same text, rolled with the same dice."
TEXT_NOT_HERE = "This address belongs to a text that was too long for it and lies in the browser where it was written, not in this one."
BACK_AGAIN = "The connection was lost for a moment. Your text is back as it was; what experiments had found is not."
BACK_WITHOUT_RECORDING = "The connection was lost for a moment, and with it the recording; open its file again."
BACK_WITHOUT_MODEL = "The connection was lost for a moment, and with it the model {name}; its text cannot be written on."
LINK_HERE = (
    "This text is too long for a link that goes everywhere: this one finds it in this browser and in no other. A recording holds it all."
)
LINK_LONG = "The text is too long for a link that goes everywhere. A recording holds it all."

PLACE_REOPENED = "Step {number}, reopened"

DICE = "The dice"
DICE_TERM = "sampling"
DICE_BUNDLE = "many small pieces"
DICE_WAIT = "wide pieces are easier to hit; one number between 0 and 1 decides"
DICE_WAIT_GREEDY = "greedy: the favourite is taken, no dice"
DICE_FELL = "the dice fell on {roll}: “{piece}” had {share} of the strip"
DICE_FORCED = "you chose “{piece}”; no dice were thrown"
DICE_GREEDY = "greedy took the favourite, “{piece}”"

MODEL_HELP = "The network that writes. Bundled models need no network connection."
RESET_HELP = "Everything off: the model's own odds."
TINT_HELP = "What the colour behind each word says."
TINT_ENDS = {"likely": ("unlikely", "likely"), "unsure": ("sure", "unsure")}
FORCED_MARK = "you chose"
EARLIER_PIECES = "… {count} earlier pieces"
TINTS = {"likely": "how likely", "unsure": "how unsure", "none": "no tint"}
MOMENT_HELP = "The odds before the roll, or the step that was just rolled."
MOMENTS = {"rolled": "Just rolled", "coming": "Coming next"}
ROWS_HELP = "How many of the likeliest tokens are listed."
LOG_HELP = "Shows the long tail: every step to the left is ten times less likely."
FORCE_HINT = "Click a bar to take that word instead."
NEW_DICE = "New dice"
NEW_DICE_HELP = "Back to the prompt with another seed. What was written stays among the branches."
BRING_BACK = "Bring back my text"
BRING_BACK_HELP = "The text that was here before, as it stood. Press again to undo."
RESTING = "These rest on this page: nothing here is rolled with them."
RESTING_BUT = "The grey ones rest here: they change nothing on this page as it is now."
HANDOUT_HELP = "One page with the text, its charts, settings, receipt and a QR code of the link. It opens anywhere and prints well."
KEEP_HELP = "Copy a link, download the run, save the charts, or open a recording."
UPLOAD_LABEL = "Open a recording"
BACK_TO_NEWEST = "Back to the newest"
BRANCH_HERE = "you are here"
BRANCH_PARTS = "parts at step {step}"
MODEL_SAID = "what the model said"
DICE_USE = "what the dice use"
TAKEN = "taken"
USED = "{tokens} of {limit} tokens"
USED_HOLDING = "{tokens} of {limit} tokens · {held} held"
USED_ASSUMED = "{tokens} of {limit} tokens · assumed"
HELD_COMPUTED = "In use, computed: {tokens} tokens × {each} bytes each = {whole} bytes"
HELD_COUNTED = "In use: {whole} bytes, counted from the tensors"
HELD_MEASURED = "Held, measured: {whole} bytes in the arrays, which have room for tokens to come"
HELD_ASSUMED = (
    "Assumed: {tokens} tokens × {each} bytes each = {whole} bytes. The server does not say how finely it writes its notes; with a smaller "
    "cache type it needs less."
)
HELD_WHY = "Every layer notes a key and a value for every token, so that only the newest one has to be worked out."


def settings_then(settings: SamplingSettings) -> str:
    """The settings in force at a step, in a few words: `temperature 0.8, top-p 0.9`."""
    if settings.greedy:
        return "greedy"
    usual = SamplingSettings()
    names = ("temperature", "top_k", "top_p", "min_p", "typical_p", "repetition_penalty")
    turned = [
        f"{name.replace('_', '-' if name.endswith(('_k', '_p')) else ' ')} {getattr(settings, name):g}"
        for name in names
        if getattr(settings, name) != getattr(usual, name)
    ]
    return ", ".join(turned) or "all settings off"


def device(name: str) -> str:
    """Where a model runs, in plain words."""
    if name == "cpu":
        return "CPU"
    return "GPU" if name.startswith("cuda") else name


def roll(number: float) -> str:
    """What the dice showed: a number below 1, so it is cut and not rounded."""
    return f"{math.floor(number * 1000) / 1000:.3f}"


def speed(steps: float) -> str:
    """A speed in words."""
    return f"{steps:g} a second"
