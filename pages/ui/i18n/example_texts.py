"""Texts for the model to read, from `examples.json`. They stay as they are in every language; the titles, which are keys, are translated.

`pages.ui.presenting.choose_examples` writes those that hold their claims with the bundled weights: `steering`, `why_prompt`, `why_two`,
`loops`, `weights`.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

FILE = Path(__file__).with_name("examples.json")


class Examples(BaseModel):
    """The file. A table has the texts of each title.

    prompts, openings: beginnings of stories. foreseen: to be drafted, easy for a small model, easy for the text itself, hard to foresee.
    sum: wrong at once, right step by step. questions: with the right answer. forks: a prompt and two tokens. fact_pairs: two prompts that
    differ in one word and get different answers. steering: more of these lines, less of these, the beginning, the layer, the strength.
    lessons: the sentences, a beginning, one of what it knew before. why_two: a prompt, and the token with which its likeliest one is
    compared. unseen_story: of the generator of the training stories, with a seed that the training never used. loops: beginnings after
    which the likeliest tokens repeat themselves. weights: name and SHA-256 of each bundled model for which the examples were chosen.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    prompts: dict[str, str]
    openings: tuple[str, ...]
    foreseen: dict[str, str]
    sum: tuple[str, str]
    questions: dict[str, tuple[str, str]]
    asked_briefly: str
    asked_at_length: str
    forks: dict[str, tuple[str, str, str]]
    to_read: dict[str, str]
    to_cut: dict[str, str]
    fact_pairs: dict[str, tuple[str, str]]
    steering: dict[str, tuple[str, str, str, int, float]]
    why_prompt: str
    why_two: tuple[str, str]
    lessons: dict[str, tuple[str, str, str]]
    unseen_story: str
    valley: str
    alice: str
    familiar: tuple[str, ...]
    loops: tuple[str, ...]
    weights: tuple[str, ...]


EXAMPLES = Examples.model_validate_json(FILE.read_bytes())
FIRST_PROMPT = next(iter(EXAMPLES.prompts.values()))
SUM_ALOUD, REPEATS, STORY = EXAMPLES.foreseen
FORKS = tuple((title, *texts) for title, texts in EXAMPLES.forks.items())
