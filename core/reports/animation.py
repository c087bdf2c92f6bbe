"""A run as an animation: a GIF or an animated WebP with one frame per token, or one per beat of a token."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.checked_number import whole_number
from core.errors import BadSetting, CannotWrite, RunFinished
from core.message import ENGLISH, Message, Number, Wording
from core.palette import Palette
from core.record.step import Step
from core.reports import files, fonts, svg
from core.reports.step_picture import WIDE, Beat, PictureStyle, fitting_size, step_svg, texts_of

if TYPE_CHECKING:
    from PIL.Image import Image

FRAME_WIDTH = 960  # pixels
MOST_FRAMES = 240
MOST_BYTES = 10 * 2**20
SLOWEST, FASTEST = 0.1, 20.0  # tokens per second; browsers draw faster ones slowly
LAST = 2_000  # milliseconds that the last frame stays
FORMATS = {".gif": "GIF", ".webp": "WEBP"}
BEATS: tuple[Beat, ...] = ("weigh", "roll", "write")


@dataclass(frozen=True, slots=True)
class Options:
    """How an animation looks. speed: tokens per second. beats: three frames per token. Raises BadSetting."""

    theme: str = "light"
    speed: float = 2.0
    beats: bool = False
    wording: Wording = ENGLISH

    def __post_init__(self) -> None:
        files.checked_theme(self.theme)
        if not SLOWEST <= self.speed <= FASTEST:
            message = Message("An animation shows {low} to {high} tokens per second, not {value}.")
            raise BadSetting(message.with_values(low=Number(SLOWEST, "g"), high=Number(FASTEST, "g"), value=Number(self.speed, "g")))

    @property
    def most(self) -> int:
        """How many tokens one file takes."""
        return MOST_FRAMES // len(BEATS) if self.beats else MOST_FRAMES


@dataclass(frozen=True, slots=True)
class Drawn:
    """Progress of an animation. content: the file, once all frames are drawn."""

    done: int
    total: int
    content: bytes = b""


def part_of(path: Sequence[Step], first: int, last: int | None, most: int) -> list[Step]:
    """Return the steps of tokens number `first` to `last` (from 1, both included), at most `most`.

    last: None for the end of the text. Raises RunFinished for a run without steps, BadSetting for a part that does not exist.
    """
    if not path:
        raise RunFinished("The run has no step yet. Take a step first.")
    first = whole_number(first, Message("The first token"), 1, len(path))
    last = len(path) if last is None else whole_number(last, Message("The last token"), first, len(path))
    if last - first >= most:
        message = Message("Tokens {first} to {last} are too many for one file: it takes {most}. Choose a shorter part.")
        raise BadSetting(message.with_values(first=first, last=last, most=most))
    return list(path[first - 1 : last])


def drawn(steps: Sequence[Step], options: Options, kind: str = ".gif") -> Iterator[Drawn]:
    """Draw the frames and yield the progress; the last observation holds the file. kind: ".gif" or ".webp".

    Raises CannotWrite for a file of more than 10 MB.
    """
    style = PictureStyle(options.theme, options.wording)
    beats: tuple[Beat, ...] = BEATS if options.beats else ("write",)
    total = len(steps) * len(beats)
    size = fitting_size(steps[-1], style)  # one size of the text in all frames
    frames: list[bytes] = []  # as PNG, which takes a twentieth of the memory of pixels
    for step in steps:
        for beat in beats:
            frames.append(svg.rasterized(step_svg(step, style, beat, (size,)), FRAME_WIDTH / WIDE))
            yield Drawn(len(frames), total)
    pause = round(1000 / options.speed / len(beats))
    content = _encoded(frames, style.colours, [*[pause] * (total - 1), max(pause, LAST)], kind)
    if len(content) > MOST_BYTES:
        raise CannotWrite("The animation would be larger than {most} MB. Choose a shorter part.", most=MOST_BYTES // 2**20)
    yield Drawn(total, total, content)


def _encoded(frames: Sequence[bytes], colours: Palette, pauses: list[int], kind: str) -> bytes:
    from PIL import Image

    def pixels(frame: bytes) -> Image.Image:
        image = Image.open(io.BytesIO(frame)).convert("RGB")
        return image.quantize(palette=_palette(colours), dither=Image.Dither.NONE) if kind == ".gif" else image

    first, *others = frames
    file = io.BytesIO()
    more: dict[str, Any] = {"optimize": False, "disposal": 1} if kind == ".gif" else {"quality": 82, "method": 2}
    rest = (pixels(frame) for frame in others)
    pixels(first).save(file, FORMATS[kind], save_all=True, append_images=rest, duration=pauses, loop=0, **more)
    return file.getvalue()


@cache
def _palette(colours: Palette) -> Image:
    """Return an image whose palette has each colour of the theme in shades, so that edges and tints stay smooth."""
    from PIL import Image

    inks = (
        colours.text,
        colours.muted_text,
        colours.chosen_text,
        colours.chosen,
        colours.dice,
        colours.model,
        colours.rest,
        colours.removed,
    )
    pairs = [(ink, colours.page) for ink in inks]
    pairs += [
        (colours.dice, colours.on_dice),
        (colours.chosen, colours.on_chosen),
        (_mixed(colours.page, colours.dice, 0.35), colours.text),
    ]
    values = [_mixed(ink, ground, shade / 22) for ink, ground in pairs for shade in range(23)]
    image = Image.new("P", (1, 1))
    image.putpalette(b"".join(bytes.fromhex(value[1:]) for value in values))
    return image


def _mixed(first: str, second: str, share: float) -> str:
    """Return a mixture of two colours. share: of the second one."""
    parts = zip(bytes.fromhex(first[1:]), bytes.fromhex(second[1:]), strict=True)
    return "#" + "".join(f"{round(a * (1 - share) + b * share):02x}" for a, b in parts)


def write(path: Sequence[Step], file: str | Path, options: Options, first: int, last: int | None) -> None:
    """Write an animation; see `core.reports.methods.to_gif`."""
    kind = files.ending(file, *FORMATS)
    steps = part_of(path, first, last, options.most)
    fonts.warn_of_missing(text for step in steps for text in texts_of(step))
    *_progress, finished = drawn(steps, options, kind)
    files.write(file, finished.content)
