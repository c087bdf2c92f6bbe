"""What the cache race draws: each side's text and clock, times and positions per token, and the contents of the cache."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from html import escape

import pandas as pd
import streamlit as st

from core.costs.operations_and_bytes import cache_bytes
from core.engine.shape import ModelShape
from core.experiments.cache import CACHED, FEWEST, UNCACHED, RaceStep, Trend, same_text, speed_up, trend
from pages.cache import race_rows
from pages.ui.charts import cost_charts
from pages.ui.i18n import numbers
from pages.ui.i18n.numbers import written
from pages.ui.i18n.translation import _, ngettext
from pages.ui.session import elements
from pages.ui.views import chart

SHOWN = 190  # characters of each side's text
CELLS = 96  # tokens; up to here each token of the cache is a cell of its own


def side(title: str, term: str, steps: list[RaceStep], length: int, prompt: str) -> None:
    """Draw one side: the end of its text, its tokens and its time."""
    with st.container(border=True, gap="xsmall"):
        elements.section(title, term)
        text = "".join(step.text for step in steps)
        end_of_text = ("… " if len(text) > SHOWN else "") + text[-SHOWN:] or prompt[-SHOWN:] + " …"
        justify = "flex-start" if len(text) < SHOWN // 2 else "flex-end"
        st.html(
            f'<div style="height:6em;overflow:hidden;display:flex;flex-direction:column;justify-content:{justify};line-height:1.5">'
            f'<div style="overflow-wrap:anywhere">{escape(end_of_text)}</div></div>'
        )
        last = steps[-1] if steps else None
        left, right = st.columns(2)
        left.metric(_("Tokens"), _("{count} of {total}").format(count=len(steps), total=length))
        right.metric(_("Seconds computing"), numbers.duration(last.total_seconds) if last else "–")
        if last:
            counted = ngettext("{count} position computed for this token", "{count} positions computed for this token", last.computed)
            counted += " · " + _("{total} in all")
            st.caption(counted.format(count=numbers.whole(last.computed), total=numbers.whole(last.total_positions)))


def verdict(observations: Sequence[RaceStep], steps: dict[str, list[RaceStep]]) -> None:
    """Draw by which factor the cache is faster, and whether both texts are the same."""
    factor = speed_up(observations)
    both = min(len(steps[CACHED]), len(steps[UNCACHED]))
    if factor is None or both < 2:
        return
    faster = _("**{factor} times as fast** with the cache, over the {count} tokens that both sides wrote.")
    same = _(":material/check: Both texts are the same.")
    if not same_text(observations):
        first = next((i for i, (a, b) in enumerate(zip(*steps.values(), strict=False)) if a.token_id != b.token_id), 0)
        same = _("The texts differ from token {count} on, where two probabilities were almost equal and rounding decided.")
        same = same.format(count=first + 1)
    st.markdown(f"{faster.format(factor=numbers.decimal(factor, 1), count=both)} {same}")


def curves(observations: Sequence[RaceStep], steps: dict[str, list[RaceStep]], length: int, kinds: Sequence[tuple[str, str]]) -> None:
    """Draw time per token, positions in all and time in all. kinds: the legend."""
    fits = {kind: trend(observations, runner) for kind, runner in (("with", CACHED), ("without", UNCACHED))}
    draw = partial(chart.draw, cost_charts.race, length=length, legend=kinds)
    left, right = st.columns(2, gap="large")
    with left:
        title = _("How long does one more token take?")
        elements.section(title, _("dots: passes; line: median of five; the first one reads the prompt"))
        alt_text = _("Milliseconds of every pass on both sides: level with the cache, rising without.")
        draw(race_rows.passes(steps), key="cache_pace", title=title, alt_text=alt_text, column="seconds", unit="ms", single=True)
        growth(fits)
    with right:
        title, column = _("How much had to be computed?"), "total_positions"
        elements.section(title, _("positions, in all"))
        alt_text = _("Positions computed in all: a straight line with the cache, a parabola without.")
        draw(race_rows.table(steps, column), key="cache_total", title=title, alt_text=alt_text, column=column, unit="")
        formula = _("For a prompt of {prompt} tokens: {prompt} + n − 1 positions with the cache, {prompt} × n + n(n − 1) ÷ 2 without.")
        st.caption(formula.format(prompt=steps[CACHED][0].computed))
    left, _right = st.columns(2, gap="large")
    with left:
        title, column = _("How long did it take so far?"), "total_seconds"
        elements.section(title, _("seconds, measured; dashed: the sum of the fitted steps"))
        alt_text = _("Seconds in all on both sides, and dashed the sums of the lines fitted to the single steps.")
        table = race_rows.with_fit(steps, fits)
        draw(table, key="cache_clock", title=title, alt_text=alt_text, column=column, unit="s", fitted=True)
        if all(fits.values()):
            st.caption(_("Equal steps add up to a line, $n$. Steps that grow by an equal amount add up to a parabola, $n^2$."))


def growth(fits: dict[str, Trend | None]) -> None:
    """Draw by how much each token in the context slows down the next one, with its error."""
    lines = []
    for kind, title in (("without", _("Without the cache")), ("with", _("With the cache"))):
        fit = fits[kind]
        if fit is None:
            st.caption(_("The growth is computed once both sides have written {count} further tokens.").format(count=FEWEST))
            return
        sentence = (
            _("{title}, each token in the context adds **{by} ± {error} µs** to the next one (r² = {r2}).")
            if fit.grows
            else _("{title}, the growth is not larger than its error ({by} ± {error} µs per token in the context, r² = {r2}).")
        )
        by, error = (written(value * 1e6, ".2g") if abs(value) < 1e-4 else numbers.whole(value * 1e6) for value in (fit.slope, fit.error))
        lines.append(sentence.format(title=title, by=by, error=error, r2=numbers.decimal(fit.r_squared, 2)))
    method = _(
        "A line through the medians of eight equal parts of the passes, without the first pass. ±: the 95 % interval of its slope. "
        "r²: the part of the variance that the line explains. Much of a small model's pass does not depend on the length."
    )
    st.caption(" ".join(lines), help=method)


def cache_contents(last: RaceStep, length: int, shape: ModelShape, token_bytes: float) -> None:
    """Draw the cache by layer and position, and its bytes by formula and as measured."""
    elements.section(_("What do the notes hold?"), _("keys and values, by layer and position"))
    tokens = last.computed + last.reused
    wide = tokens - last.index + length
    tip = _("layer {layer}, tokens {start} to {end}")
    rows = [
        {"layer": layer, "start": start, "end": end, "part": part, "tip": tip.format(layer=layer, start=start + 1, end=end)}
        for layer in range(1, shape.layer_count + 1)
        for start, end, part in ((0, last.reused, "kept"), (last.reused, tokens, "new"), (tokens, wide, "room"))
    ]
    alt_text = _("One row per layer, one column per token: kept positions pale, the newest one dark.")
    table, key = pd.DataFrame(rows), "cache_kept"
    chart.draw(
        cost_charts.cache_grid,
        table,
        key=key,
        title=_("What do the notes hold?"),
        alt_text=alt_text,
        layers=shape.layer_count,
        length=wide,
        cells=wide <= CELLS,
    )
    item = token_bytes / max(1, shape.cache_numbers_per_token)
    formula = _("{layers} layers × {heads} KV heads × {size} numbers × {item} bytes × {tokens} tokens = **{computed}** bytes")
    if not shape.attention_layers:
        formula = _("This model has no keys and values. It keeps states of a fixed size")
    elif not shape.cache_known:
        formula = _("Their bytes by formula are not known for this architecture")
    elif not shape.is_uniform:
        formula = _("By formula, all layers together keep **{computed}** bytes")
    counted = formula.format(
        layers=shape.attention_layers,
        heads=shape.kv_head_count,
        size=shape.key_size + shape.value_size,
        item=numbers.short(item),
        tokens=tokens,
        computed=numbers.whole(cache_bytes(shape, tokens, item)),
    )
    held = _("The bytes per number are assumed, because the server does not report them.")
    if last.held_bytes is not None:
        held = _("The cache's arrays, with room for further tokens, have **{measured}** bytes (measured).")
        held = held.format(measured=numbers.whole(last.held_bytes))
    st.caption(f"{counted}. {held}")
