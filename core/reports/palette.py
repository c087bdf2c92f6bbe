"""One palette for reports, charts, components and theme: each colour has one meaning, in light and in dark.

Orange is the chosen token and nothing else. Blue is probability, teal the KV cache, violet entropy, plum the second branch, grey what is
excluded or not listed.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache

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


LIGHT = Palette(
    page="#FCFBF8",
    card="#FFFFFF",
    line="#E5E0D5",
    text="#23262E",
    muted_text="#626670",
    model="#B9CFF5",
    dice="#2A5BC7",
    dice_text="#2A5BC7",
    chosen="#DE6B08",
    chosen_text="#AD4F00",
    on_chosen="#1B1D22",
    on_dice="#FFFFFF",
    removed="#CBCCD1",
    rest="#DAD6CC",
    reused="#A5D8D0",
    computed="#0C746A",
    computed_text="#0C746A",
    doubt="#7A5CC9",
    other="#8E3B76",
    other_text="#8E3B76",
)

DARK = Palette(
    page="#15171C",
    card="#1B1E24",
    line="#30343D",
    text="#ECE9E2",
    muted_text="#A2A7B3",
    model="#34486F",
    dice="#7BA4FA",
    dice_text="#8FB2FB",
    chosen="#FF9838",
    chosen_text="#FFA24D",
    on_chosen="#15171C",
    on_dice="#15171C",
    removed="#4A4D56",
    rest="#3A3D45",
    reused="#27564F",
    computed="#45C7B5",
    computed_text="#45C7B5",
    doubt="#B39DF0",
    other="#DD8FC8",
    other_text="#DD8FC8",
)


def of(theme: str | None) -> Palette:
    """Return the palette of a theme, "light" or "dark"; light if the browser has not sent one."""
    return DARK if theme == "dark" else LIGHT


@cache
def as_data(palette: Palette) -> dict[str, str]:
    """Return the palette as a component gets it: colour by name. Do not change the dict."""
    return asdict(palette)
