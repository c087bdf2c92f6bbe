"""A handout: one run on one HTML page that opens anywhere, offline and without a script, and prints well."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import segno

from core.costs.receipt import Receipt
from core.errors import WrongType
from core.generation.run import Run
from core.language import _, again, current, figures, written
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
NAMES = {"top_k": "top-k", "top_p": "top-p", "min_p": "min-p", "typical_p": "typical-p", "repetition_penalty": "repetition penalty"}
MARKS = {"measured": "●", "computed": "ƒ", "assumed": "✎"}


@cache
def _template() -> jinja2.Template:
    rooms = jinja2.Environment(loader=jinja2.FileSystemLoader(HERE), autoescape=True, undefined=jinja2.StrictUndefined)
    rooms.globals["_"] = _
    return rooms.get_template("handout.html.j2")


def handout(run: Run, link: str = "", charts: int = 3, receipt: Receipt | None = None) -> str:
    """Return the page. link: address that repeats the run. charts: number of steps with a chart, the most surprising ones. receipt: None
    for the default one.

    Raises WrongType if `run` is not a run.
    """
    if not isinstance(run, Run):
        raise WrongType(_("A handout is made of a run, not of {kind}.").format(kind=type(run).__name__))
    path = run.path[-LONGEST_TEXT:]
    model: Any = run.model  # type: ignore[attr-defined]  # every kind of run has one
    return _template().render(
        language=current(),
        title=_title(run),
        model=run.model_name,
        facts=_facts(model),
        recorded=run.is_replay,  # type: ignore[attr-defined]
        prompt=[(token.text or token.piece) for token in run.prompt_tokens if not token.special],
        tokens=[_token(step) for step in path],
        left_out=len(run.path) - len(path),
        finished=run.finished,
        settings=_settings(path, run.settings),
        steps=[_charted(step) for step in telling(path, charts)],
        surprise=svg(surprise_spec(path)) if path else "",
        bill=[_line(amount) for amount in (receipt or _receipt(run.path, model)).amounts] if path else [],
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


def _token(step: Step) -> dict[str, str]:
    share = step.model_probability
    return {
        "text": step.text or step.piece,
        "told": _("{piece}: {share}, rank {rank}").format(piece=step.piece, share=_share(share), rank=written(step.rank)),
        "depth": f"{0.03 + 0.25 * share:.3f}",
    }


def _share(share: float) -> str:
    return figures(percent(share))


def _charted(step: Step) -> dict[str, Any]:
    return {"number": step.index + 1, "piece": step.piece, "how": _how(step), "svg": svg(odds_spec(step))}


def _how(step: Step) -> str:
    share = _share(step.model_probability)
    if step.chosen_by == "forced":
        return _("put there by hand; the model gave it {share}").format(share=share)
    if step.roll is None:
        return _("the favourite, with {share}").format(share=share)
    return _("rolled {roll}; the model gave it {share}").format(roll=written(step.roll, ".4f"), share=share)


def _settings(path: Sequence[Step], now: SamplingSettings) -> list[str]:
    """The settings in use, one line each time they changed."""
    lines: list[str] = []
    before = None
    for step in path:
        if step.settings != before:
            said = _said(step.settings)
            lines.append(_("from token {number}: {settings}").format(number=step.index + 1, settings=said) if before is not None else said)
            before = step.settings
    return lines or [_said(now)]


def _said(settings: SamplingSettings) -> str:
    usual = SamplingSettings()
    if settings.greedy:
        return _("always the favourite (greedy)")
    values = settings.as_dict()
    turned = [_("temperature {value}").format(value=written(settings.temperature, "g"))]
    turned += [
        f"{_(NAMES[name])} {written(value, 'g')}" for name, value in values.items() if name in NAMES and value != getattr(usual, name)
    ]
    return ", ".join([*turned, _("seed {seed}").format(seed=settings.seed)])


def _facts(model: Any) -> list[str]:
    """What is known of the model, in short lines."""
    return [
        _("{count} parameters").format(count=written(model.parameter_count)),
        _("{layers} layers, {tokens} tokens known").format(layers=model.layer_count, tokens=written(model.vocabulary_size)),
        _("{precision} on {device}").format(precision=model.dtype, device=model.device),
    ]


def _receipt(path: Sequence[Step], model: Any) -> Receipt:
    shape, parameters = getattr(model, "shape", None), getattr(model, "parameter_count", 0)
    return Receipt.of(path, shape, item_size=model.weight_bytes / parameters if shape is not None and parameters else 4.0)


def _line(amount: Amount) -> tuple[str, str, str, str]:
    return _(amount.name), figures(_number(amount.value, amount.unit)), MARKS.get(amount.kind, ""), again(amount.how)


def _number(value: float, unit: str) -> str:
    """A number with its unit, as people read it.

    >>> _number(30, ""), _number(5.1e8, "FLOP"), _number(0.0659, "s"), _number(0.31, "share")
    ('30', '510 MFLOP', '66 ms', '31 %')
    """
    if unit == "share":
        return f"{100 * value:.0f} %"
    if unit == "$":
        return f"${value:,.2f}" if value >= 0.995 else f"{100 * value:.2g} {_('cents')}"
    if not unit:
        return f"{value:,.0f}"
    for size, letter in ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ")):
        if abs(value) >= size * 0.9995:
            shown = value / size
            return f"{shown:.0f} {letter}{unit}" if shown >= 9.95 else f"{shown:.2g} {letter}{unit}"
    return f"{value:.2g} {unit}" if value else f"0 {unit}"
