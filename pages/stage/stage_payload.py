"""The stage's data of one step for the browser: probabilities, dice strip, and a line for each of the five beats.

`pages/ui/components/stage/drawing.js` draws it, with the scripts of `core/reports`.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from core.record.step import Step, TokenDistribution
from core.record.step_rows import StepRow, label_of, step_rows, tint_depth
from core.reports.step_picture import how_chosen
from core.sources.capabilities import Can
from pages.ui.charts import live_rows
from pages.ui.charts.step_tables import shown as shown_in_text
from pages.ui.i18n import numbers, phrases
from pages.ui.i18n.translation import _, quoted, wording
from pages.ui.presenting.stage_state import doubt

if TYPE_CHECKING:
    from core import Generation

ROWS = 6
GUESS_BUTTONS = 8  # words offered as guesses: likely ones and less likely ones
LONGEST_TEXT = 140  # tokens of a long text that are sent; more do not fit on a stage
EARLIER_STEPS = 2  # earlier steps that are sent too, so that the key "back" answers at once
_FIELDS = tuple(field.name for field in fields(TokenDistribution))


def before_the_roll(distribution: TokenDistribution | Step) -> TokenDistribution:
    """Return the distribution without the chosen token, so that a recording does not show the token before the roll."""
    return TokenDistribution(**{name: getattr(distribution, name) for name in _FIELDS}) if isinstance(distribution, Step) else distribution


def text_payload(run: Generation) -> list[tuple[Any, ...]]:
    """Return the newest tokens: text, id, depths of the tint by probability and by entropy, forced, index of the step (-1: the prompt), and
    how much choice there was, in bits (see `doubt`).
    """
    path = run.path
    prompt = [(shown_in_text(t.text, t.piece, t.raw), t.key, 0.0, 0.0, False, -1, 0.0) for t in run.prompt_tokens]
    written = [
        (
            shown_in_text(step.text, step.piece, step.raw),
            step.key,
            round(tint_depth(step, "likely"), 3),
            round(tint_depth(step, "unsure"), 3),
            step.chosen_by == "forced",
            step.index,
            round(doubt(step), 3),
        )
        for step in path[-LONGEST_TEXT:]
    ]
    return (prompt[-max(0, LONGEST_TEXT - len(written)) :] if len(written) < LONGEST_TEXT else []) + written


def steps_payload(run: Generation, at: int, ahead: bool = True) -> dict[str, Any]:
    """Return the data of the steps around `at` and of the next one, by step index. ahead: compute the next distribution now."""
    path = run.path
    around = {index for index in range(at - EARLIER_STEPS, at + 1) if 0 <= index < len(path)} | {len(path) - 1} - {-1}
    payload = {str(index): step_payload(path[index], run) for index in around}
    if ahead and not run.finished:
        payload[str(len(path))] = step_payload(before_the_roll(run.next_distribution()), run)
    return payload


def step_payload(distribution: TokenDistribution | Step, run: Generation) -> dict[str, Any]:
    """Return the data of one step: bars, dice strip, roll and lines."""
    chosen = distribution.chosen if isinstance(distribution, Step) else None
    drawn = step_rows(distribution, ROWS, "skipped")
    return {
        "index": distribution.index,
        "rows": [_bar(row) for row in drawn.listed],
        "rest": _bar(drawn.rest),
        **live_rows.strip(distribution),
        "chosen": -1 if chosen is None else chosen.key,
        "lines": _lines(distribution, run),
        "choices": [] if chosen is not None else _choices(distribution),
        "doubt": doubt(distribution),
        "dice": not distribution.settings.greedy,
        "kept": distribution.forward.reused_tokens,
        "new": distribution.forward.computed_tokens,
    }


def _bar(row: StepRow) -> tuple[Any, ...]:
    """Return a row as `drawRow` in step.js gets it, and its rank. The browser marks the chosen token, but not before the roll."""
    label = row.label or _("everything else")
    return label, row.key, *row.lengths, numbers.percent(row.final), row.kind, row.candidate.rank if row.candidate else 0


def _choices(distribution: TokenDistribution) -> list[str]:
    """Return words to offer as guesses in alphabetical order: half of them likely, half from further down the list."""
    words = [c.piece.removeprefix("␣") for c in distribution.candidates if c.piece.startswith("␣") and c.piece[1:].isalpha()]
    picked = [*words[: GUESS_BUTTONS // 2], *words[GUESS_BUTTONS :: max(1, len(words) // GUESS_BUTTONS)][: GUESS_BUTTONS // 2]]
    return sorted(dict.fromkeys(picked), key=str.casefold)


def _lines(distribution: TokenDistribution | Step, run: Generation) -> list[str]:
    """Return the sentence of each beat."""
    model, forward = run.model, distribution.forward
    path = run.path
    count = len(run.prompt_tokens)
    if not distribution.forward.has_facts:
        read = _("This is a saved answer of a server.")
    elif distribution.index == 0:
        read = _("The model reads the text as {count} tokens.").format(count=count)
    else:
        read = _("The model reads one new token, {piece}. The {kept} before it are in its notepad (KV cache).").format(
            piece=quoted(path[distribution.index - 1].piece), kept=numbers.whole(count + distribution.index - 1)
        )
    values = {
        "parameters": numbers.count(model.parameter_count),
        "time": numbers.duration(forward.seconds),
        "computed": numbers.whole(forward.computed_tokens),
    }
    think = (
        _("The size of the model, its time and its vocabulary are not known.")
        if not model.vocabulary_size
        else _("{parameters} parameters, {time} when this was recorded.")
        if Can.NEW_TOKENS not in run.can
        else _("One token through all {parameters} parameters: {time}, measured.")
        if forward.computed_tokens == 1
        else _("{computed} tokens at once through all {parameters} parameters: {time}, measured.")
    )
    weigh = (
        _("How likely is each of its {vocabulary} tokens as the next one?").format(vocabulary=numbers.whole(model.vocabulary_size))
        if model.vocabulary_size
        else _("How likely is each token as the next one?")
    )
    moved = phrases.stages(distribution.moved_by)
    if not isinstance(distribution, Step):
        return [
            read,
            think.format(**values),
            weigh,
            _("No dice: the likeliest token after {stages} is chosen.").format(stages=moved)
            if moved
            else _("No dice: the likeliest token is chosen.")
            if distribution.settings.greedy
            else _("The dice decide: one random number between 0 and 1."),
            "",
        ]
    token = label_of(distribution.piece)
    goes_on = _("“{piece}” is added to the text, and the next step begins.").format(piece=token)
    roll, share = "" if distribution.roll is None else numbers.roll(distribution.roll), numbers.percent(distribution.sampling_probability)
    return [read, think.format(**values), weigh, wording().say(how_chosen(distribution, moved, roll, share)), goes_on]
