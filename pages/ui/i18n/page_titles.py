"""All pages by group, file, title and one sentence. A page that is not in this table cannot be opened."""

from __future__ import annotations

from pathlib import Path

from core.language import N_, _

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "pages"

# group, file in pages/, title, one sentence; marked here and translated where they are shown
PAGES: tuple[tuple[str, str, str, str], ...] = (
    (N_("Watch"), "watch.py", N_("Watch"), N_("Watch a model write, one token at a time.")),
    (N_("Watch"), "tour.py", N_("Take the tour"), N_("How a language model writes, from the prompt to the last token, in fourteen stops.")),
    (N_("Watch"), "read.py", N_("Read a text"), N_("The model's probability for each token of a finished text.")),
    (N_("Watch"), "guess.py", N_("Guess the next word"), N_("Guess ten words and compare with the model's probabilities.")),
    (N_("Watch"), "gallery.py", N_("Gallery"), N_("Recorded runs and experiments, which open without a model.")),
    (N_("Watch"), "stage.py", N_("On stage"), N_("For an audience: one thing at a time, in large letters, controlled by keys.")),
    (N_("Watch"), "talk.py", N_("A talk"), N_("Prepare a talk, save it, and give it with the keys.")),
    (N_("Watch"), "notes.py", N_("The speaker's window"), N_("The next stop, what to say, and a clock. Follows the stage.")),
    (
        N_("How it works"),
        "inside.py",
        N_("Inside one step"),
        N_("The path of one token through the model, from letters to the dice (sampling)."),
    ),
    (N_("How it works"), "growing.py", N_("Growing up"), N_("The same model during its training: how it learned to write.")),
    (N_("How it works"), "teach.py", N_("Teach it"), N_("Train a copy of the model on a sentence and watch its probabilities change.")),
    (N_("How it works"), "glossary.py", N_("Glossary"), N_("The technical terms, two sentences each, and the page that shows them.")),
    (N_("What if"), "what_if.py", N_("Two branches"), N_("Change one word and compare the two continuations.")),
    (N_("What if"), "compare.py", N_("Compare"), N_("The same prompt with different settings, side by side.")),
    (N_("What if"), "candidates.py", N_("Several tries"), N_("Several continuations at once, of which one is picked, and beam search.")),
    (
        N_("What if"),
        "think.py",
        N_("Thinking aloud"),
        N_("Questions answered at once and step by step: how often each is right, and its cost."),
    ),
    (N_("What it costs"), "cache.py", N_("Cache race"), N_("The same text with and without the notepad (KV cache), timed.")),
    (N_("What it costs"), "memory.py", N_("Memory"), N_("What happens when the notepad (KV cache) is full.")),
    (N_("What it costs"), "context.py", N_("Context"), N_("The cost of a longer prompt, and the limit of the context.")),
    (N_("What it costs"), "cost.py", N_("Receipt"), N_("The cost of a text: operations, bytes, seconds, energy, money.")),
    (N_("Serving"), "batching.py", N_("Many requests"), N_("Eight requests and one model: the effect of computing them in one pass.")),
    (
        N_("Serving"),
        "speculative.py",
        N_("Guess and check"),
        N_("A small model drafts tokens and the large one checks them: the same probabilities, fewer passes."),
    ),
    (N_("Serving"), "quantization.py", N_("Fewer bits"), N_("The same model with fewer bits per weight: probabilities, text, bytes.")),
    (N_("Serving"), "waiting.py", N_("Waiting"), N_("One request among many: network, queue, prompt and every token.")),
    (
        N_("Serving"),
        "pupil.py",
        N_("Pupil and teacher"),
        N_("A small model beside a large one: their probabilities, speed and cost."),
    ),
    (N_("Models"), "models.py", N_("Models"), N_("Models on this machine, models to download, and models on a server.")),
)

HIDDEN = frozenset({"notes"})  # not in the menu
CHROMELESS_PAGES = frozenset({"stage", "notes"})  # without header, sidebar and player
OPERATOR_PAGE = FOLDER / "operator.py"  # listed only for the operator of a public instance; opens by its address


def group_of(path: str) -> str:
    """Return the menu group of the page with this path. The landing page has no path and belongs to the first group."""
    listed = (*PAGES, (N_("Models"), OPERATOR_PAGE.name))
    return next((group for group, file, *_rest in listed if Path(file).stem == path), PAGES[0][0])


def titles() -> dict[str, str]:
    """Return the title of every page in the menu, by path."""
    return {Path(file).stem: _(title) for _group, file, title, _sight in PAGES if Path(file).stem not in HIDDEN}


def title_of(path: str) -> str:
    """Return the title of the page with this path. "start" is the landing page."""
    landing = PAGES[0]
    return _(next((title for _group, file, title, _sight in PAGES if Path(file).stem == path), landing[2]))


def page_of(path: str) -> Path | None:
    """Return the file of the page with this path, None if the path is not a page."""
    if path == "start":
        return FOLDER / PAGES[0][1]
    return next((FOLDER / file for _group, file, *_rest in PAGES if Path(file).stem == path), None)
