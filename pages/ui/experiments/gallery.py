"""Content of the gallery: recorded runs, recorded experiments, and files that a visitor opens."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from core.errors import BadRecording
from core.experiments import prepared
from core.experiments.recorded import RecordedExperiment
from core.language import N_, _
from pages.ui.experiments import recorded_results
from pages.ui.experiments.recording_specs import RECORDING_SPECS
from pages.ui.i18n import numbers, page_titles
from pages.ui.server import loaded_models
from pages.ui.session import current, opened_recording
from pages.ui.session.provenance import Provenance

EXPERIMENTS = {
    "compare": (
        "compare.py",
        N_("Three settings"),
        N_("The same dice with three settings, side by side."),
    ),
    "candidates": (
        "candidates.py",
        N_("Eight tries at once"),
        N_("One is picked. All eight cost time."),
    ),
    "think": (
        "think.py",
        N_("At once, and step by step"),
        N_("One sum asked twice."),
    ),
    "race": (
        "cache.py",
        N_("With notes and without"),
        N_("The same text with and without the KV cache. The gap grows."),
    ),
    "memory": (
        "memory.py",
        N_("The notepad full"),
        N_("The answer fails after its tokens were dropped."),
    ),
    "context": (
        "context.py",
        N_("Longer and longer"),
        N_("The time before the first token of a long prompt."),
    ),
    "batching": (
        "batching.py",
        N_("A batch of eight"),
        N_("One after the other, and all in one batch."),
    ),
    "speculative": (
        "speculative.py",
        N_("Speculative decoding"),
        N_("A small model drafts tokens, the large one checks them."),
    ),
    "quantization": (
        "quantization.py",
        N_("Fewer bits"),
        N_("The same model with fewer and fewer bits per weight."),
    ),
    "teach": (
        "teach.py",
        N_("A lesson"),
        N_("A copy learned a sentence, and its probabilities changed."),
    ),
    "newborn": (
        "teach.py",
        N_("From nothing"),
        N_("A new model trained on one text, from noise to words."),
    ),
}

RUNS = {
    "certain": (
        N_("Hardly a choice"),
        N_("Some prompts have one continuation: at nearly every step one bar is far longer than the others."),
    ),
    "open": (
        N_("Anything goes"),
        N_("After a single word there are many short bars: many continuations are possible."),
    ),
    "cold": (
        N_("Cold"),
        N_("Temperature 0.2: the likeliest token is nearly always chosen."),
    ),
    "hot": (
        N_("Hot"),
        N_("Temperature 1.8: unlikely tokens are chosen, and each one changes the text further."),
    ),
    "short_list": (
        N_("Hot, with top-k 3"),
        N_("The same temperature, but only the three likeliest tokens can be chosen."),
    ),
    "one_word": (
        N_("One word changes everything"),
        N_("Girl or dragon, with the same dice: two stories from one prompt."),
    ),
    "intruder": (
        N_("An unexpected word"),
        N_("“Purple” is forced where “mat” is likely. The model continues from there and corrects nothing."),
    ),
    "justified": (
        N_("Yes, because. No, because."),
        N_("The text after the first word gives reasons for it, for yes as for no."),
    ),
    "aloud": (
        N_("Thinking aloud"),
        N_("A sum, computed step by step before the answer."),
    ),
    "loop": (
        N_("Caught in a loop"),
        N_("With greedy, the same words soon repeat."),
    ),
    "rare_name": (
        N_("A rare name in many tokens"),
        N_("A rare word takes several tokens. Look at the prompt."),
    ),
    "emoji": (
        N_("An emoji in bytes"),
        N_("A fox takes four bytes, and the model writes them one by one."),
    ),
    "ending": (
        N_("The text ends by itself"),
        N_("The end is a token with its own probability, and it was sampled."),
    ),
    "small_model": (
        N_("The small model"),
        N_("The same prompt, dice and settings, with a smaller model."),
    ),
}

EXCERPT = 110  # characters
OPENED = "gallery_opened"
NO_EXPERIMENT = "This file is not a recording of an experiment"


@dataclass(frozen=True, slots=True)
class Card:
    """Content of the card of a recorded run."""

    model: str
    tokens: int
    excerpt: str


@lru_cache(maxsize=64)
def card(name: str) -> Card:
    """Return the card of a recorded run. Raises BadRecording."""
    kept = prepared.load(name)
    text = " ".join(kept.text.split())
    return Card(kept.model_name, len(kept.path), text if len(text) <= EXCERPT else f"{text[: EXCERPT - 1]}…")


def model_title(known: RecordedExperiment) -> str:
    """Return the title of the model of an experiment."""
    return loaded_models.title(known.made_by.model) if isinstance(known.made_by, Provenance) else ""


@current.error_boundary
def open_run(name: str) -> None:
    """Open a recorded run on Watch."""
    opened_recording.show(prepared.load(name))


@current.error_boundary
def open_experiment(known: RecordedExperiment) -> None:
    """Open a recorded experiment on its page."""
    current.results()[known.name] = known


@current.error_boundary
def file_uploaded() -> None:
    """Open the uploaded file."""
    current.anchor_notices("gallery_file")
    current.results().pop(OPENED, None)
    file = current.field("gallery_file")
    if file is None:
        return
    if file.size > opened_recording.LARGEST_UPLOAD * 2**20:
        raise BadRecording(
            _("This file is larger than {limit}, the limit of this app.").format(
                limit=numbers.size(opened_recording.LARGEST_UPLOAD * 2**20)
            )
        )
    page, title = open_file(file.getvalue())
    current.results()[OPENED] = page
    current.notify(_("The file is open on the page “{title}”.").format(title=title))


def open_file(data: bytes) -> tuple[str, str]:
    """Open a file with a run or an experiment. Returns its page and the page's title. Raises BadRecording."""
    try:
        known = recorded_results.loads(data)
    except BadRecording as error:
        if not str(error).startswith(NO_EXPERIMENT):
            raise
        opened_recording.show(prepared.unpacked(data))
        return _page("watch.py")
    found = _page(page_of(known.name))
    current.results()[known.name] = known
    return found


def page_of(name: str) -> str:
    """Return the page of an experiment. Raises BadRecording."""
    found = next((spec.page for spec in RECORDING_SPECS if spec.name == name), None)
    if found is None:
        raise BadRecording(_("This experiment belongs to a page that this app does not have."))
    return found


def _page(file: str) -> tuple[str, str]:
    title = next((title for _group, listed, title, _sight in page_titles.PAGES if listed == file), None)
    if title is None:
        raise BadRecording(_("This experiment belongs to a page that this app does not have."))
    return file, title


def opened_page() -> str | None:
    """Return the page on which the uploaded file is open, None without a file."""
    page = current.results().get(OPENED)
    return page if isinstance(page, str) else None
