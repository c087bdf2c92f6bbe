"""All pages by group, file, title and one sentence. A page that is missing here cannot be opened."""

from __future__ import annotations

from pathlib import Path

from pages.ui.i18n.translation import N_, _

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "pages"

# group, file under pages/, title, one sentence; all marked here and translated where they are shown
PAGES: tuple[tuple[str, str, str, str], ...] = (
    (N_("Watch"), "watch.py", N_("Watch"), N_("See a model write, one token at a time.")),
    (N_("Watch"), "tour.py", N_("Take the tour"), N_("From the first press to the last token, in fifteen stops.")),
    (N_("Watch"), "read.py", N_("Read a text"), N_("How probable the model finds each token of a given text.")),
    (N_("Watch"), "guess.py", N_("Guess the next word"), N_("Ten tokens: your guess beside the model's.")),
    (N_("Watch"), "gallery.py", N_("Gallery"), N_("Recorded runs and experiments, shown without a model.")),
    (N_("Watch"), "stage.py", N_("On stage"), N_("For an audience: one thing at a time, in large letters, driven by keys.")),
    (N_("Watch"), "talk.py", N_("A talk"), N_("Prepare the stops of a talk, save it, and give it with the keys.")),
    (N_("Watch"), "notes.py", N_("The speaker's window"), N_("The next stop, your notes and a clock; follows the stage.")),
    (N_("How it works"), "inside.py", N_("Inside one step"), N_("One token on its way through the model, from text to sampling.")),
    (N_("How it works"), "why.py", N_("Why this token?"), N_("Take a word or a part of the model away, and see what changes.")),
    (
        N_("How it works"),
        "growing.py",
        N_("Training"),
        N_("How the model was trained, a new model from random weights, and what training costs."),
    ),
    (N_("How it works"), "teach.py", N_("Teach it"), N_("Train a copy of the model on your sentence and watch its probabilities change.")),
    (N_("How it works"), "by_hand.py", N_("By hand"), N_("Count a text, and write with dice what a language model would.")),
    (N_("How it works"), "glossary.py", N_("Glossary"), N_("The terms of the field, in two sentences each, and where to see them.")),
    (N_("What if"), "what_if.py", N_("Two branches"), N_("One token is changed; the rest of the text changes with it.")),
    (N_("What if"), "compare.py", N_("Compare"), N_("The same prompt under other settings, side by side.")),
    (N_("What if"), "candidates.py", N_("Several tries"), N_("Many candidates at once, one is picked; and beam search.")),
    (N_("What if"), "think.py", N_("Thinking aloud"), N_("Answered at once and step by step: what it helps, and what it costs.")),
    (N_("What it costs"), "cache.py", N_("Cache race"), N_("The same text with and without the KV cache, against the clock.")),
    (N_("What it costs"), "memory.py", N_("Memory"), N_("What happens when the KV cache is full.")),
    (N_("What it costs"), "context.py", N_("Context"), N_("What a longer text costs, and the limit of its length.")),
    (N_("What it costs"), "cost.py", N_("Receipt"), N_("What a text cost: work, bytes, seconds, energy, money.")),
    (N_("Serving"), "batching.py", N_("Many requests"), N_("Many requests in one pass, and how many fit into a memory.")),
    (
        N_("Serving"),
        "speculative.py",
        N_("Guess and check"),
        N_("A small model guesses ahead, the large one checks: the same probabilities, fewer passes."),
    ),
    (N_("Serving"), "quantization.py", N_("Fewer bits"), N_("The same model with fewer bits per weight: probabilities, text, bytes.")),
    (N_("Serving"), "waiting.py", N_("Waiting"), N_("One request among others over time; and a text streamed or shown whole.")),
    (N_("Serving"), "pupil.py", N_("Pupil and teacher"), N_("A small model beside a large one, on the same text.")),
    (N_("Models"), "models.py", N_("Models"), N_("The models here, models to download, and models on a server.")),
)

# Addresses of pages whose file has another name than their title. The name of the file is an address, too, because links have it.
ADDRESSES = {
    "growing": "training",
    "by_hand": "by-hand",
    "what_if": "two-branches",
    "candidates": "several-tries",
    "cost": "receipt",
    "batching": "many-requests",
    "speculative": "guess-and-check",
    "quantization": "fewer-bits",
}
HIDDEN = frozenset({"notes"})  # not in the menu
CHROMELESS_PAGES = frozenset({"stage", "notes"})  # without header, sidebar and player
OPERATOR_PAGE = FOLDER / "operator.py"  # listed only for the operator of a public instance; opens by its address


def path_of(address: str) -> str:
    """Return the path of the page at this address: the name of its file.

    >>> path_of("training"), path_of("growing"), path_of("")
    ('growing', 'growing', '')
    """
    return next((path for path, named in ADDRESSES.items() if named == address), address)


def group_of(path: str) -> str:
    """Return the menu group of the page with this path. The landing page has no path."""
    listed = (*PAGES, (N_("Models"), OPERATOR_PAGE.name))
    return next((group for group, file, *_rest in listed if Path(file).stem == path), PAGES[0][0])


def titles() -> dict[str, str]:
    """Return the title of every page in the menu, by its path."""
    return {Path(file).stem: _(title) for _group, file, title, _sight in PAGES if Path(file).stem not in HIDDEN}


def title_of(path: str) -> str:
    """Return the title of the page with this path; "start" is the landing page."""
    landing = PAGES[0]
    if path == OPERATOR_PAGE.stem:
        return _("Operator")
    return _(next((title for _group, file, title, _sight in PAGES if Path(file).stem == path), landing[2]))


def page_of(path: str) -> Path | None:
    """Return the file of the page with this path; None if there is no such page."""
    if path == "start":
        return FOLDER / PAGES[0][1]
    return next((FOLDER / file for _group, file, *_rest in PAGES if Path(file).stem == path), None)
