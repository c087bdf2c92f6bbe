"""A handout: one run on one HTML page that opens anywhere, offline and without a script, and prints well."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import segno

from core.costs.receipt import Receipt
from core.errors import WrongType
from core.generation.run import Run
from core.message import ENGLISH, Message, Number, Wording
from core.record.frozen import percent
from core.record.step import Step
from core.reports.svg import odds_spec, surprise_spec, svg
from core.settings import SamplingSettings

if TYPE_CHECKING:
    from core.costs.receipt import Amount

HERE = Path(__file__).parent
LONGEST_LINK = 1_800  # characters that a QR code holds and a telephone still reads
MOST_CHARTS = 24
LONGEST_TEXT = 2_000  # tokens on paper; of a longer run the newest
NAMES = {
    "top_k": "top-k",
    "top_p": "top-p",
    "min_p": "min-p",
    "typical_p": "typical-p",
    "repetition_penalty": Message("repetition penalty"),
    "presence_penalty": Message("presence penalty"),
    "frequency_penalty": Message("frequency penalty"),
    "repeat_last_n": Message("repeat last n"),
    "logit_bias": Message("logit bias"),
    "no_repeat_ngram_size": Message("no-repeat n-gram"),
    "dry_multiplier": Message("DRY multiplier"),
    "dry_base": Message("DRY base"),
    "dry_allowed_length": Message("DRY allowed length"),
    "dry_sequence_breakers": Message("DRY sequence breakers"),
    "top_n_sigma": "top-n-sigma",
    "epsilon_cutoff": Message("epsilon cut-off"),
    "eta_cutoff": Message("eta cut-off"),
    "xtc_probability": Message("XTC probability"),
    "xtc_threshold": Message("XTC threshold"),
    "dynatemp_range": Message("dynamic temperature range"),
    "dynatemp_exponent": Message("dynamic temperature exponent"),
    "mirostat_tau": Message("mirostat tau"),
    "mirostat_eta": Message("mirostat eta"),
    "order": Message("order"),
}
MARKS = {"measured": "●", "computed": "ƒ", "assumed": "✎"}


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(HERE), autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.get_template("handout.html.j2")


def handout(run: Run, link: str = "", charts: int = 3, receipt: Receipt | None = None, wording: Wording = ENGLISH) -> str:
    """Return the page. link: address that repeats the run. charts: number of steps with a chart, the most surprising ones. receipt: None
    for the default one. wording: the language of the page.

    Raises WrongType if `run` is not a run.
    """
    if not isinstance(run, Run):
        raise WrongType(Message("A handout is made of a run, not of {kind}.", kind=type(run).__name__))
    path = run.path[-LONGEST_TEXT:]
    model: Any = run.model  # type: ignore[attr-defined]  # every kind of run has one
    return _template().render(
        _=lambda template, **values: wording.say(Message(template, **values)),
        language=wording.language,
        title=_title(run),
        model=run.model_name,
        facts=[wording.say(fact) for fact in _facts(model)],
        recorded=run.is_replay,  # type: ignore[attr-defined]
        prompt=[(token.text or token.piece) for token in run.prompt_tokens if not token.special],
        tokens=[_token(step, wording) for step in path],
        left_out=len(run.path) - len(path),
        finished=run.finished,
        settings=_settings(path, run.settings, wording),
        steps=[_charted(step, wording) for step in telling(path, charts)],
        surprise=svg(surprise_spec(path, wording=wording), wording) if path else "",
        bill=[_line(amount, wording) for amount in (receipt or _receipt(run.path, model)).amounts] if path else [],
        link=link,
        code=segno.make(link, error="l").svg_inline(scale=3, border=2) if link and len(link) <= LONGEST_LINK else "",
    )


def telling(path: Sequence[Step], count: int) -> list[Step]:
    """Return the `count` most surprising steps, in the order of the text."""
    wanted = max(0, min(count, MOST_CHARTS))
    return sorted(sorted(path, key=lambda step: -step.surprise)[:wanted], key=lambda step: step.index)


def _title(run: Run) -> str:
    line = " ".join(run.prompt.split())
    return line if len(line) <= 70 else f"{line[:69]}…"


def _token(step: Step, wording: Wording) -> dict[str, str]:
    share = step.model_probability
    title = Message("{piece}: {share}, rank {rank}", piece=step.piece, share=wording.figures(percent(share)), rank=step.rank)
    return {"text": step.text or step.piece, "title": wording.say(title), "depth": f"{0.03 + 0.25 * share:.3f}"}


def _charted(step: Step, wording: Wording) -> dict[str, Any]:
    how = wording.say(_how(step, wording.figures(percent(step.model_probability))))
    return {"number": step.index + 1, "piece": step.piece, "how": how, "svg": svg(odds_spec(step, wording=wording), wording)}


def _how(step: Step, share: str) -> Message:
    if step.chosen_by == "forced":
        return Message("chosen by hand; the model gave it {share}", share=share)
    if step.roll is None:
        return Message("the likeliest token, with {share}", share=share)
    return Message("rolled {roll}; the model gave it {share}", roll=Number(step.roll, ".4f"), share=share)


def _settings(path: Sequence[Step], now: SamplingSettings, wording: Wording) -> list[str]:
    """Return the settings in use, one line each time they changed."""
    lines: list[str] = []
    before = None
    for step in path:
        if step.settings != before:
            named = _named(step.settings, wording)
            since = Message("from token {number}: {settings}", number=step.index + 1, settings=named)
            lines.append(named if before is None else wording.say(since))
            before = step.settings
    return lines or [_named(now, wording)]


def _named(settings: SamplingSettings, wording: Wording) -> str:
    if settings.greedy:
        return wording.say(Message("always the likeliest token (greedy)"))
    usual = SamplingSettings()
    changed = [wording.say(Message("temperature {value}", value=Number(settings.temperature, "g")))]
    for name, value in settings.as_dict().items():
        if name in NAMES and value != getattr(usual, name):
            changed.append(f"{wording.say(NAMES[name])} {_written(value, wording)}")
    return ", ".join([*changed, wording.say(Message("seed {seed}", seed=str(settings.seed)))])


def _written(value: Any, wording: Wording) -> str:
    """Return the value of a setting: a number, a text, or pairs and texts with commas."""
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return ", ".join(
            f"{one[0]}: {one[1]:g}" if isinstance(one, tuple) else json.dumps(one) if not one.isprintable() else one for one in value
        )
    return wording.figures(format(value, "g"))


def _facts(model: Any) -> list[Message]:
    """Return the size of the model, its shape and its precision, in short lines."""
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
    if unit == "$" and value < 0.995:
        return wording.say(Message("{count} cents", count=Number(100 * value, ".2g")))
    return wording.figures(_plain_number(value, unit))


def _plain_number(value: float, unit: str) -> str:
    if unit == "share":
        return f"{100 * value:.0f} %"
    if unit == "$":
        return f"${value:,.2f}"
    if not unit:
        return f"{value:,.0f}"
    for size, letter in ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ")):
        if abs(value) >= size * 0.9995:
            shown = value / size
            return f"{shown:.0f} {letter}{unit}" if shown >= 9.95 else f"{shown:.2g} {letter}{unit}"
    return f"{value:.2g} {unit}" if value else f"0 {unit}"
