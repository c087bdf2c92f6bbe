"""The texts of the world, and the scripts of its plots, openings and beats.

A script is a Jinja template. Its lines are told one after another (`Story.play`), and the lines that begin with `%` run in between:

    {h} met {g:a}.                   a template of `wording.py`
    0.5? {h} was not alone.          told with this probability
    we: They went home.              "we" for "they", if the hero tells the story
    @g kind to h answering: Hello!   g says this, in the mood `kind`, to h, as an answer
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import DictLoader, Environment, StrictUndefined

from core.experiments.shared.questions.grammar import capital
from core.experiments.shared.questions.words import read


def _file(name: str) -> dict[str, Any]:
    """Return the content of a TOML file of this folder."""
    return read(Path(__file__).with_name(f"{name}.toml"))


@dataclass(frozen=True, slots=True)
class Place:
    """A place with its preposition: at "in the garden", to "to the garden"."""

    noun: str
    at: str

    @property
    def to(self) -> str:
        """How one goes there."""
        return f"to {self.noun}"


CAST, SETTINGS, WORDING = _file("people"), _file("settings"), _file("wording")
PLACES = {name: [Place(at.split(" ", 1)[1], at) for at in setting["places"]] for name, setting in SETTINGS.items()}
# Each with the kinds of heroes that may have it, and its share (1 if the file does not say).
PLOTS = _file("plots_things") | _file("plots_home") | _file("plots_quest")
_OPENINGS = _file("openings")
STYLES: dict[str, str] = _OPENINGS.pop("styles")
# What a script finds beside its commands: the other entries of its table.
TABLES = PLOTS | _OPENINGS | _file("beats")
SCRIPTS = Environment(
    loader=DictLoader({name: table["script"] for name, table in TABLES.items()}),
    extensions=["jinja2.ext.do"],
    line_statement_prefix="%",
    undefined=StrictUndefined,
    autoescape=False,  # plain text
)
SCRIPTS.filters["capital"] = capital
SCRIPTS.globals |= WORDING
