"""Read sections of a bundled model's card, so that pages can show them without a copy of the text."""

from __future__ import annotations

from core.language import N_
from core.models.hub import BUNDLED, bundled_names

CARD = "README.md"
LARGEST = 200_000  # characters
TRAINING_DATA = "Training data"
FIRST_SENTENCES = (  # of the bundled cards, marked here so that a list of models can say them in another language
    N_("A very small language model ({size} million parameters) for showing how language models work."),
    N_(
        "A model of {size} million parameters that imitates storyteller, its teacher with {larger} million: same tokenizer, same small "
        "world, a fraction of the work."
    ),
    N_(
        "A twin of storyteller-mini ({size} million parameters) that learnt from the text alone, to show what a teacher gives and what not."
    ),
)


def card_section(name: str, heading: str) -> str:
    """Return the section under this second-level heading of a bundled model's card, as Markdown; "" if it is missing."""
    path = BUNDLED / name / CARD
    if name not in bundled_names() or not path.is_file():
        return ""
    with path.open(encoding="utf-8") as file:
        lines = file.read(LARGEST).splitlines()
    if f"## {heading}" not in lines:
        return ""
    behind = lines[lines.index(f"## {heading}") + 1 :]
    end = next((number for number, line in enumerate(behind) if line.startswith(("# ", "## "))), len(behind))
    return "\n".join(behind[:end]).strip()
