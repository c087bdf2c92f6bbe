"""Content of the gallery: recorded runs, recorded experiments, and files that a visitor opens."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from core.errors import BadRecording
from core.experiments.shared import prepared_runs
from core.experiments.shared.result_file import RecordedExperiment
from pages.ui import features
from pages.ui.experiments import experiment, stored_results
from pages.ui.features import Recorded
from pages.ui.i18n.translation import N_, _
from pages.ui.server import offered_models
from pages.ui.session import current, opened_recording, upload_field
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.notices import anchor_notices, notify
from pages.ui.session.provenance import Provenance
from pages.ui.session.state import memory

RUNS = {
    "certain": (N_("Hardly a choice"), N_("After some prompts, one token is almost certain for several steps.")),
    "open": (N_("Anything goes"), N_("After a single word, many tokens are possible, and none is likely.")),
    "cold": (N_("Cold"), N_("Temperature 0.2: the favourite nearly always wins. Calm, and a little dull.")),
    "hot": (N_("Hot"), N_("Temperature 1.8: outsiders win, and each one pulls the text further away.")),
    "short_list": (N_("Hot, on a short leash"), N_("Temperature 1.8 again, but top-k keeps only the three likeliest tokens.")),
    "one_word": (N_("One word changes everything"), N_("Girl or dragon, the same dice: two stories from one place.")),
    "intruder": (N_("An unexpected word"), N_("“purple” was forced at a probability of almost 0. The model continues from it.")),
    "justified": (N_("Yes, because. No, because."), N_("Whichever word comes first, the rest defends it.")),
    "aloud": (N_("Thinking aloud"), N_("A sum, one step at a time: every step is room to think in.")),
    "loop": (N_("Round and round"), N_("Always the likeliest token, and soon the same sentence leads to the same sentence.")),
    "loop_elsewhere": (N_("Others loop, too"), N_("SmolLM2, a chat model with 135 million parameters: membership in the same foundation.")),
    "conversation": (N_("A question, answered"), N_("The chat template of SmolLM2 puts marks around the question. Look at the prompt.")),
    "rare_name": (
        N_("A rare name in several tokens"),
        N_("A rare word is split into several tokens. Look at the prompt."),
    ),
    "emoji": (N_("An emoji in bytes"), N_("A fox takes four bytes, which this model reads as three tokens. Look at the prompt.")),
    "ending": (N_("It ends by itself"), N_("The end is a token like any other, with its own probability, and it was rolled.")),
    "small_model": (N_("The little sister"), N_("The same beginning, dice and settings, and a model an eighth of the size.")),
}

EXCERPT = 110  # characters
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
    recording = prepared_runs.load(name)
    text = " ".join(recording.text.split())
    return Card(recording.model_name, len(recording.path), text if len(text) <= EXCERPT else f"{text[: EXCERPT - 1]}…")


def model_title(recording: RecordedExperiment) -> str:
    """Return the title of the model of an experiment."""
    return offered_models.title(recording.made_by.model) if isinstance(recording.made_by, Provenance) else ""


@dataclass(slots=True)
class _Opened:
    """page: on which the uploaded file is open, None without a file."""

    page: str | None = None


@action_boundary
def open_run(name: str) -> None:
    """Open a recorded run on Watch."""
    opened_recording.show(prepared_runs.load(name))


@action_boundary
def open_experiment(recording: RecordedExperiment) -> None:
    """Put a recorded experiment on its page, and choose the view that shows it."""
    experiment.put(recording)
    view = result_of(recording.name).view
    if view is not None:
        current.fill(*view)


@action_boundary
def file_uploaded() -> None:
    """Open the uploaded file."""
    anchor_notices("gallery_file")
    memory(_Opened).page = None
    data = upload_field.take("gallery_file")
    if data is None:
        return
    page = open_file(data)
    memory(_Opened).page = page
    notify(_("The file is open on the page “{title}”.").format(title=features.title_of(page)))


def open_file(data: bytes) -> str:
    """Open a file with a run or an experiment. Returns the path of its page. Raises BadRecording."""
    try:
        recording = stored_results.loads(data)
    except BadRecording as error:
        if not str(error).startswith(NO_EXPERIMENT):
            raise
        opened_recording.show(prepared_runs.unpacked(data))
        return features.LANDING
    open_experiment(recording)
    return result_of(recording.name).page


def result_of(name: str) -> Recorded:
    """Return the declaration of a recorded experiment. Raises BadRecording if no page has it."""
    declared = next((result for result in features.recorded() if result.name == name), None)
    if declared is None:
        raise BadRecording(_("This experiment belongs to a page that this app does not have."))
    return declared


def opened_page() -> str | None:
    """Return the page on which the uploaded file is open, None without a file."""
    return memory(_Opened).page
