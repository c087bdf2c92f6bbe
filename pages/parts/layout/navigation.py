"""Which pages there are: one line each. A page that is not in this table cannot be opened."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import streamlit as st

from pages.parts.runtime import house
from pages.parts.session import roles
from pages.parts.text import operator_words

ROOT = Path(__file__).parents[3]

# group, file under pages/, title in plain words, what one sees there
PAGES: tuple[tuple[str, str, str, str], ...] = (
    ("Watch", "watch.py", "Watch", "Watch a model write, one piece at a time."),
    ("Watch", "tour.py", "Take the tour", "The whole way from a press to the last word, in fourteen stops."),
    ("Watch", "read.py", "Read a text", "What the model makes of a text that is there already, piece by piece."),
    ("Watch", "guess.py", "Guess the next word", "Ten words, and what the model would have said."),
    ("Watch", "gallery.py", "Gallery", "Real runs and experiments on a shelf, to be shown without any model."),
    ("Watch", "stage.py", "On stage", "For a hall: one thing at a time, in large letters, driven by keys."),
    ("Watch", "talk.py", "A talk", "Put a running order together, keep it, and go through it with the keys."),
    ("Watch", "notes.py", "The speaker's window", "What is coming, what to say and a clock; follows the stage."),
    ("How it works", "inside.py", "Inside one step", "The way of one piece through the model, from letters to dice."),
    ("How it works", "growing.py", "Growing up", "The same model from its first day to today: how it learned to speak."),
    ("How it works", "teach.py", "Teach it", "Teach a copy of the model a sentence, here and now, and watch its odds change."),
    ("How it works", "glossary.py", "Glossary", "The words of the field, two sentences each, and where to see them happen."),
    ("What if", "what_if.py", "Two branches", "One word is changed, and everything after it changes too."),
    ("What if", "compare.py", "Compare", "The same words under other settings, side by side."),
    ("What if", "candidates.py", "Several tries", "Many tries at once, one is picked; and beam search."),
    ("What if", "think.py", "Thinking aloud", "Answered at once and step by step: what thinking helps, and what it costs."),
    ("What it costs", "cache.py", "Cache race", "The same text with notes and without, against the clock."),
    ("What it costs", "memory.py", "Memory", "What happens when the notepad is full."),
    ("What it costs", "context.py", "Context", "What a longer text costs, and where it ends."),
    ("What it costs", "cost.py", "Receipt", "What a text cost: work, bytes, seconds, energy, money."),
    ("Serving", "batching.py", "Many readers", "Eight readers and one model: what it brings to serve them in one pass."),
    ("Serving", "speculative.py", "Guess and check", "A small model guesses ahead, the large one checks: the same odds, fewer passes."),
    ("Serving", "quantization.py", "Fewer bits", "The same model with its weights written shorter: odds, text, bytes."),
    ("Serving", "waiting.py", "Waiting", "One request among many: the network, the queue, the prompt, every word."),
    ("Serving", "pupil.py", "Pupil and teacher", "A small model beside a large one: who expects what, and what the small one learnt."),
    ("Models", "models.py", "Models", "Who writes: what is here, what can be fetched, and models on a server."),
)

HIDDEN = frozenset({"notes"})  # not in the menu
BARE = frozenset({"stage", "notes"})  # without header, sidebar and player
OPERATOR_PAGE = ROOT / "pages/operator.py"  # in the menu of a public instance's operator only; others come by its address


def group_of(path: str) -> str:
    """The group in the menu of the page with this path; the page where a visitor lands has none."""
    listed = (*PAGES, ("Models", OPERATOR_PAGE.name))
    return next((group for group, file, *_ in listed if Path(file).stem == path), PAGES[0][0])


def titles() -> dict[str, str]:
    """The title of every page in the menu, by its path."""
    return {Path(file).stem: title for _, file, title, _ in PAGES if Path(file).stem not in HIDDEN}


def title_of(path: str) -> str:
    """The title of the page with this path; "start" is the one where a visitor lands."""
    landing = PAGES[0]
    return next((title for _, file, title, _ in PAGES if Path(file).stem == path), landing[2])


def page_of(path: str) -> Path | None:
    """The file of the page with this path, None for a page that is none."""
    if path == "start":
        return ROOT / "pages" / PAGES[0][1]
    return next((ROOT / "pages" / file for _, file, *_ in PAGES if Path(file).stem == path), None)


def pages() -> dict[str, Sequence[st.Page]]:
    """The pages by group, for st.navigation; the first one is where a visitor lands."""
    groups: dict[str, list[st.Page]] = {}
    for number, (group, file, title, sight) in enumerate(PAGES):
        path = "start" if number == 0 else Path(file).stem
        seen: Literal["visible", "hidden"] = "hidden" if path in HIDDEN else "visible"
        made = st.Page(ROOT / "pages" / file, title=title, url_path=path, help=sight, default=number == 0, visibility=seen)
        groups.setdefault(group, []).append(made)
    landing = PAGES[0]
    # The page where a visitor lands is served without a path; a hidden twin gives it one, so that a link to /watch is no dead end.
    groups[landing[0]].append(st.Page(ROOT / "pages" / landing[1], title=landing[2], url_path=Path(landing[1]).stem, visibility="hidden"))
    shown: Literal["visible", "hidden"] = "visible" if house.public() and roles.is_operator() else "hidden"
    groups["Models"].append(
        st.Page(OPERATOR_PAGE, title=operator_words.MENU, url_path="operator", help=operator_words.MENU_HELP, visibility=shown)
    )
    return {group: list(listed) for group, listed in groups.items()}
