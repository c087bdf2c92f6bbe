"""What the stage shows of one token, as the browser gets it: its odds, its strip of the dice, and a line for each of the five beats."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from core.language import _, quoted
from core.record.step import Candidate, Step, TokenDistribution
from pages.ui.charts.step_rows import WORTH_A_ROW
from pages.ui.charts.token_text import shown as shown_in_text
from pages.ui.components.dice.dice import strip_data
from pages.ui.components.token_strip.token_strip import MOST_DOUBT
from pages.ui.i18n import numbers
from pages.ui.i18n.numbers import roll as roll_words

if TYPE_CHECKING:
    from core import Generation
    from core.generation.replay import Replay

ROWS = 6
GUESS_BUTTONS = 8  # words that can be clicked as guesses, the likely ones among others
LONGEST_TEXT = 140  # pieces of a long text that are sent; more do not fit on a stage
EARLIER_STEPS = 2  # steps before the one looked at whose odds are sent along, so that the way back answers at once
_FIELDS = tuple(field.name for field in fields(TokenDistribution))


def before_the_roll(seen: TokenDistribution | Step) -> TokenDistribution:
    """The odds alone: a recorded step knows what came, and the stage must not before the dice have fallen."""
    return TokenDistribution(**{name: getattr(seen, name) for name in _FIELDS}) if isinstance(seen, Step) else seen


def text_payload(run: Generation | Replay) -> list[tuple[Any, ...]]:
    """The text so far, the newest pieces: text, id, likely 0 to 1, unsure 0 to 1, forced, and which step wrote it (-1: the prompt)."""
    path = run.path
    prompt = [(shown_in_text(t.text, t.piece, t.raw), t.token_id, 0.0, 0.0, False, -1) for t in run.prompt_tokens]
    written = [
        (
            shown_in_text(step.text, step.piece, step.raw),
            step.token_id,
            round(step.model_probability, 3),
            round(min(1.0, step.model_entropy / MOST_DOUBT), 3),
            step.chosen_by == "forced",
            step.index,
        )
        for step in path[-LONGEST_TEXT:]
    ]
    return (prompt[-max(0, LONGEST_TEXT - len(written)) :] if len(written) < LONGEST_TEXT else []) + written


def steps_payload(run: Generation | Replay, at: int, theme: str, ahead: bool = True) -> dict[str, Any]:
    """Everything about the steps around `at` and the coming one, by step index. ahead: make the pass of the coming one now."""
    path = run.path
    around = {index for index in range(at - EARLIER_STEPS, at + 1) if 0 <= index < len(path)} | {len(path) - 1} - {-1}
    told = {str(index): step_payload(path[index], run, theme) for index in around}
    if ahead and not run.finished:
        told[str(len(path))] = step_payload(before_the_roll(run.next_distribution()), run, theme)
    return told


def step_payload(seen: TokenDistribution | Step, run: Generation | Replay, theme: str) -> dict[str, Any]:
    """One token: bars, pieces of the strip, roll and lines."""
    strip = strip_data(seen, theme=theme)
    chosen = seen.chosen if isinstance(seen, Step) else None
    rows, rest = _bars(seen, chosen)
    return {
        "index": seen.index,
        "rows": rows,
        "rest": rest,
        "segments": strip["segments"],
        "roll": strip["roll"],
        "roll_text": strip["roll_text"],
        "chosen": -1 if chosen is None else chosen.token_id,
        "lines": _lines(seen, run),
        "choices": [] if chosen is not None else _choices(seen),
        "dice": not seen.settings.greedy,
        "kept": seen.forward.reused_tokens,
        "new": seen.forward.computed_tokens,
    }


def _bars(seen: TokenDistribution | Step, chosen: Candidate | None) -> tuple[list[tuple[Any, ...]], tuple[Any, ...]]:
    """Rows of (label, token_id, model 0 to 1, dice 0 to 1, number, removed, rank), and everything else."""
    listed = [c for c in seen.candidates if c.removed_by is None or c.model_probability >= WORTH_A_ROW][:ROWS]
    if chosen is not None and chosen.token_id not in {c.token_id for c in listed}:
        listed = [*listed[: ROWS - 1], chosen]
    rows = [
        (
            c.piece.removeprefix("␣") if len(c.piece) > 1 else c.piece,
            c.token_id,
            c.model_probability,
            c.sampling_probability,
            numbers.chance(c.sampling_probability),
            c.removed_by is not None,
            c.rank,
        )
        for c in listed
    ]
    model = max(0.0, 1.0 - sum(c.model_probability for c in listed))
    dice = max(0.0, 1.0 - sum(c.sampling_probability for c in listed))
    if seen.stage_kept[-1] <= sum(c.sampling_probability > 0 for c in listed):
        dice = 0.0
    gone = dice == 0.0 and model > 0
    return rows, (_("all else, cut") if gone else _("everything else"), model, dice, numbers.chance(dice))


def _choices(seen: TokenDistribution) -> list[str]:
    """Words to click as guesses, in the order of the alphabet: some of the likely ones and some from further down the list."""
    whole = [c.piece.removeprefix("␣") for c in seen.candidates if c.piece.startswith("␣") and c.piece[1:].isalpha()]
    picked = [*whole[: GUESS_BUTTONS // 2], *whole[GUESS_BUTTONS :: max(1, len(whole) // GUESS_BUTTONS)][: GUESS_BUTTONS // 2]]
    return sorted(dict.fromkeys(picked), key=str.casefold)


def _lines(seen: TokenDistribution | Step, run: Generation | Replay) -> list[str]:
    """What each beat says."""
    model, done = run.model, seen.forward
    path = run.path
    count = len(run.prompt_tokens)
    if seen.index == 0:
        read = _("It reads the text as {count} pieces.").format(count=count)
    else:
        read = _("It reads one new piece, {piece}. The {kept} before it are in its notepad.").format(
            piece=quoted(path[seen.index - 1].piece), kept=numbers.whole(count + seen.index - 1)
        )
    told = {
        "parameters": numbers.count(model.parameter_count),
        "time": numbers.duration(done.seconds),
        "computed": numbers.whole(done.computed_tokens),
    }
    think = (
        _("{parameters} numbers, {time} when this was recorded.")
        if run.is_replay
        else _("One token through all {parameters} parameters: {time}, measured.")
        if done.computed_tokens == 1
        else _("{computed} pieces at once through all {parameters} numbers: {time}, measured.")
    )
    weigh = _("How likely is each of its {vocabulary} pieces as the next one?").format(vocabulary=numbers.whole(model.vocabulary_size))
    if not isinstance(seen, Step):
        return [
            read,
            think.format(**told),
            weigh,
            _("No dice: the favourite is taken.") if seen.settings.greedy else _("Dice decide: one number between 0 and 1."),
            "",
        ]
    piece = seen.piece.removeprefix("␣") or seen.piece
    if seen.chosen_by == "forced":
        fell = _("You chose “{piece}”. No dice were thrown.").format(piece=piece)
    elif seen.roll is None:
        fell = _("The favourite was “{piece}”.").format(piece=piece)
    else:
        fell = _("{roll} falls on “{piece}”, which had {share} of the strip.").format(
            roll=roll_words(seen.roll), piece=piece, share=numbers.chance(seen.sampling_probability)
        )
    return [read, think.format(**told), weigh, fell, _("“{piece}” joins the text, and all of it begins again.").format(piece=piece)]
