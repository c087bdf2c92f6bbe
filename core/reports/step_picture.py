"""A step as one picture of 1920 x 1080, as on the stage: the text so far, the next-token probabilities, the dice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from core.message import ENGLISH, Message, Number, Wording, percent
from core.palette import Palette
from core.palette import of as palette_of
from core.record.step import Step, TokenDistribution
from core.record.step_rows import DiceSegment, StepRow, StepRows, bundled_segments, label_of, step_rows, tint_depth
from core.reports import drawing, fonts
from core.reports.drawing import LINE, Span, rect, text
from core.reports.settings_text import summary

WIDE, HIGH = 1920, 1080
MARGIN = 84
ROWS = 6  # candidates with a bar
SIZES = (104, 84, 68, 56)  # pixels of the text, the largest in which it fits
TALLEST = 345  # pixels of the text's lines; of a longer text the newest lines are shown
LABELS, NUMBERS = 480, 220  # pixels left of the bars and right of the longest one
NEWEST, MOST_PROMPT = 400, 1_500  # steps and characters of the prompt that are looked at: more never fit

Beat = Literal["weigh", "roll", "write"]  # before the choice, the choice, and the token in the text


@dataclass(frozen=True, slots=True)
class PictureStyle:
    """How pictures of steps are drawn: the theme, "light" or "dark", and the language."""

    theme: str = "light"
    wording: Wording = ENGLISH

    @property
    def colours(self) -> Palette:
        return palette_of(self.theme)

    def say(self, message: str) -> str:
        return self.wording.say(message)

    def share(self, probability: float) -> str:
        return self.wording.figures(percent(probability))


def step_svg(step: Step, style: PictureStyle, beat: Beat = "write", sizes: Sequence[float] = SIZES) -> str:
    """Return the picture of a step as SVG. beat: which part of the step is shown; "write" shows all of it. sizes: of the text."""
    c = style.colours
    parts = [
        sentence(step, style, (MARGIN, 60, WIDE - 2 * MARGIN), sizes, newest=beat == "write"),
        _bars(step, style, beat != "weigh", 444),
        _legend(style, 850),
        dice(step, style, MARGIN, 874, WIDE - 2 * MARGIN, beat != "weigh"),
    ]
    parts.append(text(MARGIN, HIGH - 26, _foot(step, style), 30, c.muted_text))
    return drawing.svg(WIDE, HIGH, *parts, background=c.page)


def sentence(step: Step, style: PictureStyle, box: tuple[float, float, float], sizes: Sequence[float], newest: bool = True) -> str:
    """Return the text up to this step, tinted by the model's probability. newest: with the step's token, marked as chosen.

    box: x, y and width. sizes: the largest one in which the text fits is used.
    """
    spans = _spans(step, style, newest)
    size = fitting_size(step, style, box[2], sizes)
    lines, most = drawing.broken(spans, size, box[2]), max(1, int(TALLEST / size / LINE))
    if len(lines) > most:
        lines = lines[-most:]
        lines[0] = [Span("… ", style.colours.muted_text), *lines[0]]
    return drawing.spans_in_lines(lines, box[0], box[1] + size * 0.9, size, box[2])


def fitting_size(step: Step, style: PictureStyle, room: float = WIDE - 2 * MARGIN, sizes: Sequence[float] = SIZES) -> float:
    """Return the largest of these sizes in which the whole text fits, or the smallest one."""
    spans = _spans(step, style, newest=True)
    return next((size for size in sizes if len(drawing.broken(spans, size, room)) * size * LINE <= TALLEST), sizes[-1])


def _spans(step: Step, style: PictureStyle, newest: bool) -> list[Span]:
    prompt, path = step.sentence(NEWEST)
    prompt_span = Span(prompt if len(prompt) <= MOST_PROMPT else f"…{prompt[-MOST_PROMPT:]}", style.colours.muted_text)
    return [prompt_span, *token_spans(path if newest else path[:-1], style.colours, chosen=step if newest else None)]


def token_spans(path: Sequence[Step], colours: Palette, shows: str = "likely", chosen: Step | None = None) -> list[Span]:
    """Return the written tokens, tinted as `tint_depth` says. chosen: the token that is marked instead."""
    paint = colours.doubt if shows == "unsure" else colours.dice
    return [
        Span(step.text or step.piece, colours.chosen_text, bold=True)
        if step is chosen
        else Span(step.text or step.piece, colours.text, paint, tint_depth(step, shows))
        for step in path
    ]


def texts_of(step: Step) -> list[str]:
    """Return the texts that the picture of a step shows, for a look at the fonts."""
    prompt, path = step.sentence(NEWEST)
    return [prompt, *(written.text or written.piece for written in path), *(row.label for row in picture_rows(step).listed)]


def picture_rows(step: Step, count: int = ROWS) -> StepRows:
    """Return the rows of a step in pictures and on the page: without unlikely excluded candidates."""
    return step_rows(step, count, "skipped")


def row_texts(row: StepRow, wording: Wording) -> tuple[str, str]:
    """Return the label of a row, and its probability after the settings or that it is excluded."""
    label = wording.say(Message("everything else")) if row.kind == "rest" else row.label
    return label, wording.say(Message("excluded")) if row.excluded else wording.figures(percent(row.final))


def _bars(step: Step, style: PictureStyle, fallen: bool, top: float) -> str:
    rows = picture_rows(step).all
    high = min(72.0, 360 / len(rows))
    return "".join(_bar(row, style, fallen, top + high * number, high) for number, row in enumerate(rows))


def _bar(row: StepRow, style: PictureStyle, fallen: bool, y: float, high: float) -> str:
    """Return one row: the label, a pale bar of the model's probability, a solid bar of the final one, and the final one as a number."""
    c, chosen = style.colours, fallen and row.chosen
    greys = {"rest": (c.muted_text, c.rest, c.muted_text), "removed": (c.muted_text, c.removed, c.dice)}
    ink, pale, solid = greys.get(row.kind, (c.text, c.model, c.dice))
    if chosen:
        ink, solid = c.chosen_text, c.chosen
    size, x, room = min(46.0, 0.72 * high), MARGIN + LABELS, WIDE - 2 * MARGIN - LABELS - NUMBERS
    base = y + 0.46 * high + 0.34 * size
    (label, number), (model, final) = row_texts(row, style.wording), row.lengths
    parts = [text(MARGIN, base, drawing.shortened(label, size, LABELS - 30, chosen), size, ink, bold=chosen)]
    parts.append(rect(x, y + 0.04 * high, max(4, room * model), 0.84 * high, pale, 8))
    if final > 0:
        parts.append(rect(x, y + 0.22 * high, max(4, room * final), 0.48 * high, solid, 8))
    parts.append(text(x + room * max(model, final) + 18, base, number, size - 4, ink, bold=chosen))
    return "".join(parts)


def _legend(style: PictureStyle, y: float) -> str:
    c = style.colours
    names = (Message("model's probability"), Message("probability after your settings"), Message("chosen token"))
    return legend(
        [(colour, style.say(name)) for colour, name in zip((c.model, c.dice, c.chosen), names, strict=True)], MARGIN + LABELS, y, 30, c
    )


def legend(entries: Sequence[tuple[str, str]], x: float, y: float, size: float, colours: Palette) -> str:
    """Return (colour, meaning) pairs in one line."""
    drawn = []
    for colour, meaning in entries:
        drawn.append(rect(x, y - 0.78 * size, 0.8 * size, 0.8 * size, colour, 0.16 * size))
        drawn.append(text(x + 1.15 * size, y, meaning, size, colours.muted_text))
        x += 1.15 * size + fonts.width(meaning, size) + 1.6 * size
    return "".join(drawn)


def dice(
    step: TokenDistribution, style: PictureStyle, x: float, y: float, room: float, fallen: bool = True, high: float = 62, size: float = 34
) -> str:
    """Return the strip of the dice from 0 to 1. fallen: with the roll and the chosen token. Without dice there is no strip."""
    c = style.colours
    top = y + 1.75 * size
    fallen = fallen and isinstance(step, Step)
    roll = step.roll if isinstance(step, Step) else None
    if isinstance(step, Step) and step.chosen_by in ("greedy", "server"):
        return text(x, top, _how_chosen(step, style), size, c.text) if fallen else ""
    parts = [rect(x, top, room, high, c.rest, 12)]
    for number, part in enumerate(bundled_segments(step, style.say(Message("many unlikely tokens")))):
        parts.append(_segment(part, style, x, top, room, high, size, fallen, number % 2))
    if roll is not None and fallen:
        parts.append(_marker(style, x + room * roll, top, size, Number(roll, ".4f"), (x, x + room)))
    if fallen and isinstance(step, Step):
        left = roll is not None and roll < 0.5
        sentence_shown = _how_chosen(step, style)
        parts.append(text(x + room if left else x, y + size, sentence_shown, size - 4, c.text, anchor="end" if left else "start"))
    return "".join(parts)


def _segment(
    part: DiceSegment, style: PictureStyle, x: float, top: float, room: float, high: float, size: float, fallen: bool, odd: int
) -> str:
    c = style.colours
    chosen = fallen and part.chosen
    left, wide = x + room * part.start, room * (part.end - part.start)
    fill = c.chosen if chosen else c.rest if part.key < 0 else c.dice
    ink = c.on_chosen if chosen else c.text if part.key < 0 else c.on_dice
    gap = 2 if wide > 10 else 0
    drawn = [rect(left, top, max(wide - gap, 4 if chosen else 0.5), high, fill, 4 if wide > 20 else 0, 0.86 if odd and not chosen else 1.0)]
    if fonts.width(part.label, size - 4, chosen) < wide - 16:
        drawn.append(text(left + wide / 2, top + high / 2 + 0.34 * size, part.label, size - 4, ink, bold=chosen, anchor="middle"))
    return "".join(drawn)


def _marker(style: PictureStyle, at: float, top: float, size: float, roll: Number, ends: tuple[float, float]) -> str:
    c = style.colours
    roll_text = style.wording.figures(str(roll))
    wide = fonts.width(roll_text, size, True) + 28
    left = min(max(at - wide / 2, ends[0]), ends[1] - wide)
    high = 1.3 * size
    arrow = f'<path d="M {at - 11:.1f} {top - 15:.1f} h 22 l -11 15 z" fill="{c.text}"/>'
    return (
        rect(left, top - 14 - high, wide, high, c.text, 10)
        + arrow
        + text(left + wide / 2, top - 14 - 0.33 * size, roll_text, size, c.page, bold=True, anchor="middle")
    )


def how_chosen(step: Step, stages: str, roll: Number | str, share: str) -> Message:
    """Return how the token was chosen. stages: those that moved a greedy choice; share: of the strip. All as the drawing writes them."""
    token = label_of(step.piece)
    if step.chosen_by == "forced":
        return Message("You chose “{piece}”. The dice were not rolled.", piece=token)
    if step.chosen_by == "budget":
        return Message("The budget for thoughts was used up: “{piece}” was forced.", piece=token)
    if step.chosen_by == "server":
        return Message("The server chose “{piece}”.", piece=token)
    if step.moved_by:
        return Message("The likeliest token after {stages} was “{piece}”.", stages=stages, piece=token)
    if step.roll is None:
        return Message("The likeliest token was “{piece}”.", piece=token)
    message = Message("{roll} falls on “{piece}”, which has {share} of the strip.")
    return message.with_values(roll=roll, piece=token, share=share)


def _how_chosen(step: Step, style: PictureStyle) -> str:
    stages, roll = ", ".join(map(style.say, step.moved_by)), Number(step.roll or 0.0, ".4f")
    return style.say(how_chosen(step, stages, roll, style.share(step.sampling_probability)))


def _foot(step: Step, style: PictureStyle) -> str:
    name = str(getattr(step.vocabulary, "name", ""))
    token = style.say(Message("Token {number}", number=step.index + 1))
    settings = summary(step.settings, style.wording) if step.forward.has_facts else style.say(Message("settings: not in this file"))
    return drawing.shortened(" · ".join(filter(None, (token, name, settings))), 30, WIDE - 2 * MARGIN)
