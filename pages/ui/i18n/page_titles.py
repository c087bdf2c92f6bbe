"""All pages by group, file, title and one sentence. A page that is not in this table cannot be opened."""

from __future__ import annotations

from pathlib import Path

from core.language import N_, _

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "pages"

# group, file under pages/, title in plain words, what one sees there; each marked here and said where it is shown
PAGES: tuple[tuple[str, str, str, str], ...] = (
    (N_("Watch"), "watch.py", N_("Watch"), N_("Watch a model write, one piece at a time.")),
    (N_("Watch"), "tour.py", N_("Take the tour"), N_("The whole way from a press to the last word, in fourteen stops.")),
    (N_("Watch"), "read.py", N_("Read a text"), N_("What the model makes of a text that is there already, piece by piece.")),
    (N_("Watch"), "guess.py", N_("Guess the next word"), N_("Ten words, and what the model would have said.")),
    (N_("Watch"), "gallery.py", N_("Gallery"), N_("Real runs and experiments on a shelf, to be shown without any model.")),
    (N_("Watch"), "stage.py", N_("On stage"), N_("For a hall: one thing at a time, in large letters, driven by keys.")),
    (N_("Watch"), "talk.py", N_("A talk"), N_("Put a running order together, keep it, and go through it with the keys.")),
    (N_("Watch"), "notes.py", N_("The speaker's window"), N_("What is coming, what to say and a clock; follows the stage.")),
    (N_("How it works"), "inside.py", N_("Inside one step"), N_("The way of one piece through the model, from letters to dice.")),
    (N_("How it works"), "growing.py", N_("Growing up"), N_("The same model from its first day to today: how it learned to speak.")),
    (N_("How it works"), "teach.py", N_("Teach it"), N_("Teach a copy of the model a sentence, here and now, and watch its odds change.")),
    (N_("How it works"), "glossary.py", N_("Glossary"), N_("The words of the field, two sentences each, and where to see them happen.")),
    (N_("What if"), "what_if.py", N_("Two branches"), N_("One word is changed, and everything after it changes too.")),
    (N_("What if"), "compare.py", N_("Compare"), N_("The same words under other settings, side by side.")),
    (N_("What if"), "candidates.py", N_("Several tries"), N_("Many tries at once, one is picked; and beam search.")),
    (N_("What if"), "think.py", N_("Thinking aloud"), N_("Answered at once and step by step: what thinking helps, and what it costs.")),
    (N_("What it costs"), "cache.py", N_("Cache race"), N_("The same text with notes and without, against the clock.")),
    (N_("What it costs"), "memory.py", N_("Memory"), N_("What happens when the notepad is full.")),
    (N_("What it costs"), "context.py", N_("Context"), N_("What a longer text costs, and where it ends.")),
    (N_("What it costs"), "cost.py", N_("Receipt"), N_("What a text cost: work, bytes, seconds, energy, money.")),
    (N_("Serving"), "batching.py", N_("Many readers"), N_("Eight readers and one model: what it brings to serve them in one pass.")),
    (
        N_("Serving"),
        "speculative.py",
        N_("Guess and check"),
        N_("A small model guesses ahead, the large one checks: the same odds, fewer passes."),
    ),
    (N_("Serving"), "quantization.py", N_("Fewer bits"), N_("The same model with its weights written shorter: odds, text, bytes.")),
    (N_("Serving"), "waiting.py", N_("Waiting"), N_("One request among many: the network, the queue, the prompt, every word.")),
    (
        N_("Serving"),
        "pupil.py",
        N_("Pupil and teacher"),
        N_("A small model beside a large one: who expects what, and what the small one learnt."),
    ),
    (N_("Models"), "models.py", N_("Models"), N_("Who writes: what is here, what can be fetched, and models on a server.")),
)

HIDDEN = frozenset({"notes"})  # not in the menu
CHROMELESS_PAGES = frozenset({"stage", "notes"})  # without header, sidebar and player
OPERATOR_PAGE = FOLDER / "operator.py"  # in the menu of a public instance's operator only; others come by its address


def group_of(path: str) -> str:
    """The group in the menu of the page with this path; the page where a visitor lands has none."""
    listed = (*PAGES, (N_("Models"), OPERATOR_PAGE.name))
    return next((group for group, file, *_rest in listed if Path(file).stem == path), PAGES[0][0])


def titles() -> dict[str, str]:
    """The title of every page in the menu, by its path."""
    return {Path(file).stem: _(title) for _group, file, title, _sight in PAGES if Path(file).stem not in HIDDEN}


def title_of(path: str) -> str:
    """The title of the page with this path; "start" is the one where a visitor lands."""
    landing = PAGES[0]
    return _(next((title for _group, file, title, _sight in PAGES if Path(file).stem == path), landing[2]))


def page_of(path: str) -> Path | None:
    """The file of the page with this path, None for a page that is none."""
    if path == "start":
        return FOLDER / PAGES[0][1]
    return next((FOLDER / file for _group, file, *_rest in PAGES if Path(file).stem == path), None)
