"""The bundled models and the sections of their cards, read from their files without importing torch."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from core.message import Message, Number
from core.models.checksums import broken_file
from core.models.hub import BUNDLED, bundled_names

log = logging.getLogger(__name__)
CARD = "README.md"
LARGEST = 200_000  # characters
TRAINING_DATA = "Training data"
FIRST_SENTENCES = (  # of the bundled cards, with their numbers as parameters
    Message("A very small language model ({size} million parameters) for showing how language models work."),
    Message(
        "A model of {size} million parameters that imitates storyteller, its teacher with {larger} million: same tokenizer, same small "
        "world, a fraction of the work."
    ),
    Message(
        "A twin of storyteller-mini ({size} million parameters) that learnt from the text alone, to show what a teacher gives and what not."
    ),
)


def _described(sentence: str) -> str:
    """Return the first sentence of a bundled card as a message, or the text itself if it is another one."""
    for message in FIRST_SENTENCES:
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[\\d.]+)", re.escape(message.template))
        if match := re.fullmatch(pattern, sentence):
            return message.with_values(**{name: Number(float(value), "g") for name, value in match.groupdict().items()})
    return sentence


def first_sentence(card: str) -> str:
    """Return the first sentence of a model card after its front matter and headings."""
    body = card.split("\n---", 1)[-1] if card.startswith("---") else card
    paragraphs = (" ".join(part.split()) for part in body.split("\n\n"))
    paragraph = next((part for part in paragraphs if part and (part[0].isalpha() or part[0] == "*")), "")
    plain = re.sub(r"\[([^\[\]]*)\]\([^()]*\)", r"\1", paragraph).replace("*", "")  # relative links of the card do not work in the app
    return _described(plain.split(". ")[0].rstrip(".") + ".") if paragraph else ""


def card_section(name: str, heading: str) -> str:
    """Return the section under this second-level heading of a bundled model's card, as Markdown; "" if it is missing."""
    path = BUNDLED / name / CARD
    if name not in bundled_names() or not path.is_file():
        return ""
    with path.open(encoding="utf-8", errors="replace") as file:
        lines = file.read(LARGEST).splitlines()
    if f"## {heading}" not in lines:
        return ""
    following = lines[lines.index(f"## {heading}") + 1 :]
    end = next((number for number, line in enumerate(following) if line.startswith(("# ", "## "))), len(following))
    return "\n".join(following[:end]).strip()


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A bundled model in the list of models. bytes: size of its weights on disk."""

    name: str
    title: str
    description: str
    parameter_count: int
    bytes: int


def list_models() -> list[ModelEntry]:
    """Return the bundled models, the main one first. Read from their files once per process, without importing torch.

    A model whose files are damaged is left out, and the log says so.
    """
    return list(_entries(BUNDLED))


@lru_cache(maxsize=8)
def _entries(home: Path) -> tuple[ModelEntry, ...]:
    folders = sorted(path.parent for path in home.glob("*/model.safetensors") if (path.parent / "config.json").is_file())
    return tuple(entry for entry in map(_entry, folders) if entry is not None)


def _entry(folder: Path) -> ModelEntry | None:
    """Return the entry of a model, None if its files are damaged."""
    from safetensors import SafetensorError

    try:
        broken, entry = broken_file(folder), _read_entry(folder)
    except (SafetensorError, OSError, ValueError) as error:
        broken, entry = broken_file(folder) or type(error).__name__, None
    if broken:
        facts = {"event": "damaged model left out", "model": folder.name, "why": broken}
        log.error("The bundled model %s is damaged and left out: %s", folder.name, broken, extra=facts)
    return None if broken else entry


def _read_entry(folder: Path) -> ModelEntry:
    weights = folder / "model.safetensors"
    card = folder / "README.md"
    first = first_sentence(card.read_text("utf-8", "replace")) if card.is_file() else ""
    return ModelEntry(folder.name, folder.name.replace("-", " ").capitalize(), first, _count_parameters(weights), weights.stat().st_size)


def _count_parameters(weights: Path) -> int:
    """Return how many numbers a safetensors file holds, from its header."""
    from safetensors import safe_open

    with safe_open(weights, framework="numpy") as file:
        total = 0
        for name in file.keys():  # noqa: SIM118 (safe_open is no dictionary)
            size = 1
            for length in file.get_slice(name).get_shape():
                size *= length
            total += size
        return total
