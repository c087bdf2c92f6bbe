"""A run as one HTML page that opens anywhere and offline: it replays the run, and its printed form is the handout."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import segno

from core import palette
from core.costs.receipt import Amount, Receipt
from core.errors import WrongType
from core.generation.generation import Generation
from core.message import ENGLISH, Message, Number, Wording, percent
from core.record.step import Step
from core.record.step_rows import StepRow, constrained, tint_depth
from core.reports import html_file, step_in_browser
from core.reports.animation import part_of
from core.reports.settings_text import summary
from core.reports.step_picture import picture_rows, row_texts
from core.reports.svg import surprise_spec, svg
from core.sampling.settings import SamplingSettings
from core.sources.capabilities import Can

HERE = Path(__file__).parent
SCRIPTS = (step_in_browser.STEP, step_in_browser.DICE, HERE / "page.js")
LONGEST_LINK = 1_800  # characters that a QR code holds and a telephone still reads
MOST_CHARTS = 24
LONGEST_TEXT = 2_000  # tokens on the page; of a longer run the newest, if no part is named
ROWS = 8  # candidates of each token
NOT_IN_FILE = Message("not in this file")
MARKS = {"measured": "●", "computed": "ƒ", "assumed": "✎"}


@cache
def _style() -> str:
    """Return the style sheets, inside of .tpv-run, with the colours of both themes."""
    return html_file.with_colours(f".tpv-run {{ {step_in_browser.STYLE.read_text('utf-8')} }}{(HERE / 'page.css').read_text('utf-8')}")


def page(
    run: Generation,
    link: str = "",
    charts: int = 3,
    receipt: Receipt | None = None,
    wording: Wording = ENGLISH,
    first: int | None = None,
    last: int | None = None,
) -> str:
    """Return the page. link: address that repeats the run. charts: number of steps with a chart, the most surprising ones. receipt: None
    for the default one. wording: the language of the page. first, last: the tokens to show, from 1; without them the newest 2,000.

    Raises WrongType if `run` is not a run, BadSetting for tokens that do not exist or are more than 2,000.
    """
    if not isinstance(run, Generation):
        raise WrongType("A page is made of a run, not of {kind}.", kind=type(run).__name__)
    full_path = run.path
    path = (
        part_of(full_path, 1 if first is None else first, last, LONGEST_TEXT)
        if (first, last) != (None, None)
        else full_path[-LONGEST_TEXT:]
    )
    model = run.model
    script, script_hash = html_file.script(SCRIPTS)
    return html_file.template(HERE).render(
        _=lambda template, **values: wording.say(Message(template, **values)),
        language=wording.language,
        title=_title(run),
        model=run.model_name,
        facts=[wording.say(fact) for fact in _facts(model)],
        recorded=Can.NEW_TOKENS not in run.can,
        prompt=[(token.text or token.piece) for token in run.prompt_tokens if not token.special],
        tokens=[_token(step, wording) for step in path],
        earlier=path[0].index if path else 0,
        later=len(full_path) - 1 - path[-1].index if path else 0,
        finished=run.finished,
        settings=_settings(path, run.settings, wording),
        steps=[_charted(step, wording) for step in telling(path, charts)],
        surprise=_themed(svg(surprise_spec(path, wording=wording), wording)) if path else "",
        bill=[_line(amount, wording) for amount in (receipt or _receipt(full_path, model)).amounts]
        if path and full_path[0].forward.measured
        else [],
        link=link,
        code=segno.make(link, error="l").svg_inline(scale=3, border=2) if link and len(link) <= LONGEST_LINK else "",
        style=_style(),
        script=script,
        script_hash=script_hash,
        buttons=_buttons(wording),
        data=_data(path, len(full_path), wording),
    )


def _buttons(wording: Wording) -> list[tuple[str, str]]:
    return [
        ("first", wording.say(Message("First token"))),
        ("back", wording.say(Message("One token back"))),
        ("play", wording.say(Message("Play"))),
        ("on", wording.say(Message("Next token"))),
        ("last", wording.say(Message("Last token"))),
    ]


def _data(path: Sequence[Step], count: int, wording: Wording) -> str:
    """Return the candidates of each step as JSON."""
    steps = [
        {
            "title": wording.say(Message("Token {number}: {piece}", number=step.index + 1, piece=step.piece)),
            "place": wording.say(Message("Token {number} of {count}", number=step.index + 1, count=count)),
            "how": f"{step.piece}: {_how(step, wording)}",
            "roll": step.roll,
            "rolled": wording.figures(f"{step.roll:.4f}") if step.roll is not None else "",
            "chosen": step.key,
            "rows": [_row_data(row, wording) for row in picture_rows(step, ROWS).all],
        }
        for step in path
    ]
    return html_file.inert({"steps": steps, "play": wording.say(Message("Play")), "pause": wording.say(Message("Pause"))})


def _row_data(row: StepRow, wording: Wording) -> tuple[Any, ...]:
    """Return a row as `drawRow` in step.js gets it, and where its token begins on the dice, -1 if it is not on the strip."""
    label, number = row_texts(row, wording)
    model, final = (round(length, 6) for length in row.lengths)
    return label, row.key, model, final, number, row.kind, -1 if row.segment is None else round(row.segment[0], 6)


def _themed(picture: str) -> str:
    """Return a chart whose colours follow the theme of the page."""
    picture = picture.replace('fill="white"', 'fill="none"')
    for name, colour in palette.as_data(palette.LIGHT).items():
        picture = picture.replace(f'"{colour}"', f'"var(--tv-{name.replace("_", "-")})"')
    return picture


def telling(path: Sequence[Step], count: int) -> list[Step]:
    """Return the `count` most surprising steps, in the order of the text."""
    wanted = max(0, min(count, MOST_CHARTS))
    measured = [step for step in path if not math.isnan(step.surprise)]
    return sorted(sorted(measured, key=lambda step: -step.surprise)[:wanted], key=lambda step: step.index)


def _title(run: Generation) -> str:
    line = " ".join(run.prompt.split())
    return line if len(line) <= 70 else f"{line[:69]}…"


def _token(step: Step, wording: Wording) -> dict[str, str]:
    share = step.model_probability
    title = Message("{piece}: {share}, rank {rank}", piece=step.piece, share=wording.figures(percent(share)), rank=step.rank)
    title = title if step.rank else Message("{piece}: not measured", piece=step.piece)
    return {"text": step.text or step.piece, "title": wording.say(title), "depth": f"{tint_depth(step):.1%}"}


def _charted(step: Step, wording: Wording) -> dict[str, Any]:
    rows = [_row_data(row, wording) for row in picture_rows(step, ROWS).all]
    return {"number": step.index + 1, "piece": step.piece, "how": _how(step, wording), "chosen": step.key, "rows": rows}


def _how(step: Step, wording: Wording) -> str:
    """Return how the token was chosen, and what the model wanted if a constraint did not allow it."""
    constraint = constrained(step)
    if constraint is None or constraint.wanted is None:
        return _chosen(step, wording)
    share = wording.figures(percent(constraint.wanted.model_probability))
    wanted = Message("the constraint did not allow {piece} ({share})", piece=constraint.wanted.piece, share=share)
    return f"{_chosen(step, wording)}; {wording.say(wanted)}"


def _chosen(step: Step, wording: Wording) -> str:
    share = wording.figures(percent(step.model_probability))
    if not step.rank:
        return wording.say(Message("the server did not measure its probability"))
    if step.chosen_by == "server":
        return wording.say(Message("chosen by the server; the model gave it {share}", share=share))
    if step.chosen_by == "budget":
        return wording.say(Message("forced by the budget for thoughts; the model gave it {share}", share=share))
    if step.chosen_by == "forced":
        return wording.say(Message("chosen by hand; the model gave it {share}", share=share))
    if step.moved_by:
        stages = ", ".join(map(wording.say, step.moved_by))
        return wording.say(Message("the likeliest token after {stages}; the model gave it {share}", stages=stages, share=share))
    if step.roll is None:
        return wording.say(Message("the likeliest token, with {share}", share=share))
    return wording.say(Message("rolled {roll}; the model gave it {share}", roll=Number(step.roll, ".4f"), share=share))


def _settings(path: Sequence[Step], now: SamplingSettings, wording: Wording) -> list[str]:
    """Return the settings in use, one line each time they changed."""
    lines: list[str] = []
    before = None
    for step in path:
        if step.settings != before:
            named = summary(step.settings, wording) if step.forward.has_facts else wording.say(NOT_IN_FILE)
            since = Message("from token {number}: {settings}", number=step.index + 1, settings=named)
            lines.append(named if before is None else wording.say(since))
            before = step.settings
    return lines or [summary(now, wording)]


def _facts(model: Any) -> list[Message]:
    """Return the size of the model, its shape and its precision, in short lines."""
    if not model.vocabulary_size:
        return [Message("its size, its shape and its precision are not known")]
    return [
        Message("{count} parameters", count=model.parameter_count),
        Message("{layers} layers, {tokens} tokens in the vocabulary", layers=model.layer_count, tokens=model.vocabulary_size),
        Message("{precision} on {device}", precision=model.dtype, device=model.device),
    ]


def _receipt(path: Sequence[Step], model: Any) -> Receipt:
    shape, parameters = getattr(model, "shape", None), getattr(model, "parameter_count", 0)
    return Receipt.of(path, shape, item_size=model.weight_bytes / parameters if shape is not None and parameters else 4.0)


def _line(amount: Amount, wording: Wording) -> tuple[str, str, str, str]:
    value = _number(amount.value, amount.unit, wording)
    return wording.say(amount.name), value, MARKS.get(amount.kind, ""), wording.say(amount.how)


def _number(value: float, unit: str, wording: Wording = ENGLISH) -> str:
    """Return a number with its unit, as people read it.

    >>> _number(30, ""), _number(5.1e8, "FLOP"), _number(0.0659, "s"), _number(0.31, "share")
    ('30', '510 MFLOP', '66 ms', '31 %')
    """
    if math.isnan(value):
        return "–"
    if unit == "$" and value < 0.995:
        cents = 100 * value
        places = max(0, 1 - math.floor(math.log10(cents))) if cents > 0 else 0
        return wording.say(Message("{count} cents", count=Number(cents, f".{places}f")))
    return wording.figures(_plain_number(value, unit))


def _plain_number(value: float, unit: str) -> str:
    if unit == "share":
        return percent(value)
    if unit == "$":
        return f"${value:,.2f}"
    if not unit:
        return f"{value:,.0f}"
    for size, letter in ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ")):
        if abs(value) >= size * 0.9995:
            shown = value / size
            prefix = letter.upper() if unit == "B" else letter  # bytes are written as KB everywhere
            return f"{shown:.0f} {prefix}{unit}" if shown >= 9.95 else f"{shown:.2g} {prefix}{unit}"
    return f"{value:.2g} {unit}" if value else f"0 {unit}"
