"""One palette for reports, charts, components and theme: each colour has one meaning, in light and in dark.

Orange is the chosen token and nothing else. Blue is probability, teal the KV cache, violet entropy, plum the second branch, grey what is
excluded or not listed.
"""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

DARKEST = 0.5  # largest share of a colour behind text, so that the text stays readable (AA) in both themes


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of one theme, as #RRGGBB. Those ending in `_text` are readable (AA) on `page` and `card`."""

    page: str
    card: str
    line: str
    text: str
    muted_text: str
    model: str  # model's probability
    dice: str  # probability after the settings
    dice_text: str
    chosen: str  # the chosen token
    chosen_text: str
    on_chosen: str  # text on a field of `chosen`
    on_dice: str  # text on a field of `dice`
    removed: str  # excluded by a stage
    rest: str  # all tokens that are not listed
    reused: str  # positions taken from the cache
    computed: str  # newly computed positions
    computed_text: str
    doubt: str  # entropy
    other: str  # the second branch or model
    other_text: str
    green: str  # on the green list of a watermark
    red: str  # not on it


LIGHT, DARK = (Palette(**colours) for colours in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8")).values())


def of(theme: str | None) -> Palette:
    """Return the palette of a theme, "light" or "dark"; light if the browser has not sent one."""
    return DARK if theme == "dark" else LIGHT


@cache
def as_data(palette: Palette) -> dict[str, str]:
    """Return the palette as a component gets it: colour by name. Do not change the dict."""
    return asdict(palette)
