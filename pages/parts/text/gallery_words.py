"""Words of the gallery: what each prepared run and each recorded experiment is there to show."""

TITLE = "A shelf of real runs"
TERM = "recordings"
LEAD = "Each was really written by a model and kept with every number. They play without any model and without a network."
RUNS, RUNS_TERM = "Texts", "open on Watch"
EXPERIMENTS, EXPERIMENTS_TERM = "Experiments", "open on their pages"
OPEN = "Open"
OPEN_FILE = "Open a file"
FILE = "A run or an experiment that was kept as a file"
MADE_OF = "{model} · {tokens}"
MADE_ON = "{model} · {day}"
OPENED = "It is open now on the page “{title}”."
NO_PAGE = "This experiment belongs to a page that this app does not have."
TO_PAGE = "Go to “{title}”"
BROKEN = "This one cannot be read."

# name of the prepared run: (title, the one point)
RUNS_SHOWN: dict[str, tuple[str, str]] = {
    "certain": ("Hardly a choice", "Some beginnings have one way on, and nearly every bar stands alone."),
    "open": ("Anything goes", "Behind a single word the first bars are low and many: nobody could know."),
    "cold": ("Cold", "Temperature 0.2: the favourite nearly always wins. Calm, and a little dull."),
    "hot": ("Hot", "Temperature 1.8: outsiders win, and each one pulls the text further away."),
    "short_list": ("Hot, on a short leash", "The same heat, but only the three likeliest may play."),
    "one_word": ("One word changes everything", "Girl or dragon, the same dice: two stories from one place."),
    "intruder": ("A word nobody expected", "A purple is put where a mat belongs. It never looks back; it goes on from there."),
    "justified": ("Yes, because. No, because.", "Whichever word comes first, the rest defends it."),
    "aloud": ("Thinking aloud", "A sum, one step at a time: every step is room to think in."),
    "loop": ("Round and round", "Always the favourite, and soon the same words lead to the same words."),
    "rare_name": ("A rare name in pieces", "What was seldom read is spelled out of scraps. Look at the prompt."),
    "emoji": ("An emoji in bytes", "A fox takes four bytes, and the model has to write them one by one."),
    "ending": ("It ends by itself", "The end is a piece like any other, with its own odds, and it was rolled."),
    "small_model": ("The little sister", "The same beginning, dice and settings, and a model an eighth of the size."),
}

# name of the experiment: (its page, title, the one point)
EXPERIMENTS_SHOWN: dict[str, tuple[str, str, str]] = {
    "compare": ("compare.py", "Three moods", "The same dice under three settings, side by side."),
    "candidates": ("candidates.py", "Eight tries at once", "One is picked. All eight were paid for."),
    "think": ("think.py", "At once, and step by step", "One sum asked twice."),
    "race": ("cache.py", "With notes and without", "The same text, and a widening gap."),
    "memory": ("memory.py", "The notepad full", "What was thrown out could not be asked for."),
    "context": ("context.py", "Longer and longer", "What a long text costs before its first word."),
    "batching": ("batching.py", "A batch of eight", "One after the other, and all on one belt."),
    "speculative": ("speculative.py", "A speculated run", "A small model guessed ahead, the large one checked."),
    "quantization": ("quantization.py", "Fewer bits", "The same model, written shorter and shorter."),
    "teach": ("teach.py", "A lesson", "A copy learned a sentence, and its odds moved."),
    "newborn": ("teach.py", "From nothing", "A model grew up on one text, from noise to words."),
}
