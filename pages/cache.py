"""The cache race: the same text written with notes and without, side by side, by each writer's own clock."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import pandas as pd
import streamlit as st

from core.costs.formulas import cache_bytes
from core.engine.shape import ModelShape
from core.labs.cache_race import CACHED, FEWEST, UNCACHED, RaceStep, Trend, race, same_text, speed_up, trend
from pages.parts.charts import charts, cost_charts, race_rows
from pages.parts.layout import frame, palette, results
from pages.parts.runtime import experiment
from pages.parts.session import current, provenance
from pages.parts.session.state import STAYS
from pages.parts.text import cost_words as words
from pages.parts.text import numbers

frame.page()
NAME = "race"
LENGTHS = (32, 64, 128, 256, 512)
SHOWN = 190  # characters of each writer's text


def now() -> provenance.Provenance:
    """What a race would be run with."""
    return provenance.now({words.BY_LENGTH: words.RACE_LENGTH.format(count=chosen)})


@current.error_boundary
def begin() -> None:
    """Start with what the visitor has chosen everywhere: model, prompt, settings."""
    current.at(NAME)
    model, prompt, settings, length = current.model(), current.prompt(), current.settings(), chosen
    experiment.start(
        NAME,
        lambda: race(model, prompt, settings, length),
        now(),
        (length, getattr(model, "shape", None), model.cache_bytes_per_token, prompt),
    )


def writer(title: str, term: str, steps: list[RaceStep], length: int, prompt: str) -> None:
    """One writer: what is on paper so far, and what it took."""
    with st.container(border=True, gap="xsmall"):
        frame.section(title, term)
        text = "".join(step.text for step in steps)
        tail = ("… " if len(text) > SHOWN else "") + text[-SHOWN:]
        paper(tail or prompt[-SHOWN:] + " …", at_the_top=len(text) < SHOWN // 2)
        last = steps[-1] if steps else None
        left, right = st.columns(2)
        left.metric("Tokens", f"{len(steps)} of {length}")
        right.metric("Seconds computing", numbers.duration(last.total_seconds) if last else "–")
        st.caption(
            f"{words.NOW_READING.format(count=f'{last.computed:,}')} · {words.IN_ALL.format(count=f'{last.total_positions:,}')}"
            if last
            else words.WAITING
        )


def paper(text: str, at_the_top: bool) -> None:
    """The last lines of a text, on a sheet that does not grow."""
    place = "flex-start" if at_the_top else "flex-end"
    st.html(
        f'<div style="height:6em;overflow:hidden;display:flex;flex-direction:column;justify-content:{place};line-height:1.5">'
        f'<div style="overflow-wrap:anywhere">{escape(text)}</div></div>'
    )


def verdict(seen: Sequence[RaceStep], steps: dict[str, list[RaceStep]]) -> None:
    """Who is how far ahead, and whether both wrote the same."""
    factor = speed_up(seen)
    both = min(len(steps[CACHED]), len(steps[UNCACHED]))
    if factor is None or both < 2:
        return
    same = same_text(seen)
    first = next((i for i, (a, b) in enumerate(zip(*steps.values(), strict=False)) if a.token_id != b.token_id), 0)
    said = words.SAME_TEXT if same else words.OTHER_TEXT.format(count=first + 1)
    st.markdown(f"{words.SPEED_UP.format(factor=f'{factor:.1f}', count=both)} {said}")


def curves(seen: Sequence[RaceStep], steps: dict[str, list[RaceStep]], length: int, shape: ModelShape | None, each: int) -> None:
    """Per step: level against rising. In all: a line against a triangle."""
    fits = {kind: trend(seen, runner) for kind, runner in (("with", CACHED), ("without", UNCACHED))}
    left, right = st.columns(2, gap="large")
    with left:
        frame.section(words.PACE_TITLE, words.PACE_TERM)
        paced = race_rows.passes(steps)
        charts.draw(
            cost_charts.race, paced, key="cache_pace", alt_text=words.PACE_ALT, length=length, column="seconds", unit="ms", single=True
        )
        grown(fits)
    with right:
        frame.section(words.TOTAL_TITLE, words.TOTAL_TERM)
        totals = race_rows.table(steps, "total_positions")
        charts.draw(cost_charts.race, totals, key="cache_total", alt_text=words.TOTAL_ALT, length=length, column="total_positions", unit="")
        prompt = steps[CACHED][0].computed
        st.caption(words.COUNTED.format(prompt=prompt))
    left, right = st.columns(2, gap="large")
    with left:
        frame.section(words.CLOCK_TITLE, words.CLOCK_TERM)
        clock = race_rows.with_fit(steps, fits)
        charts.draw(
            cost_charts.race,
            clock,
            key="cache_clock",
            alt_text=words.CLOCK_ALT,
            length=length,
            column="total_seconds",
            unit="s",
            fitted=True,
        )
        if all(fits.values()):
            st.caption(words.GROWTH_TOTAL)
    with right:
        if shape is not None:
            kept(steps[CACHED], length, shape, each)


def grown(fits: dict[str, Trend | None]) -> None:
    """By how much every token that stands there makes the next one slower, and how well that is known."""
    lines = []
    for kind, title in (("without", words.WITHOUT_NOTES), ("with", words.WITH_NOTES)):
        fit = fits[kind]
        if fit is None:
            st.caption(words.GROWTH_EARLY.format(count=FEWEST))
            return
        said = words.GROWTH_GROWS if fit.grows else words.GROWTH_LEVEL
        by, error = (f"{value * 1e6:.2g}" if abs(value) < 1e-4 else f"{value * 1e6:,.0f}" for value in (fit.slope, fit.error))
        lines.append(said.format(title=title, by=by, error=error, r2=f"{fit.r_squared:.2f}"))
    st.caption(" ".join(lines), help=words.GROWTH_WHY)


def ahead(length: int) -> None:
    """Before the start: what counting alone can tell."""
    prompt = len(current.model().encode(current.prompt()))
    rows = []
    for kind in ("with", "without"):
        for token in sorted({1, length, *range(1, length, max(1, length // 64))}):
            value = prompt + token - 1 if kind == "with" else token * prompt + token * (token - 1) // 2
            said = f"{value:,}" if token == length else ""
            rows.append({"token": token, "runner": kind, "total_positions": value, "label": said, "tip": f"{value:,}"})
    frame.section(words.AHEAD_TITLE, words.AHEAD_TERM)
    table = pd.DataFrame(rows)
    charts.draw(cost_charts.race, table, key="cache_ahead", alt_text=words.TOTAL_ALT, length=length, column="total_positions", unit="")
    st.caption(words.COUNTED.format(prompt=prompt))


def kept(steps: list[RaceStep], length: int, shape: ModelShape, each: int) -> None:
    """A row for each layer, a column for each token; and the bytes, by formula and by tensor, of the model that ran."""
    frame.section(words.KEPT_TITLE, words.KEPT_TERM)
    last = steps[-1]
    tokens = last.computed + last.reused
    wide = tokens - last.index + length
    rows = [
        {"layer": layer, "start": start, "end": end, "part": part, "tip": f"layer {layer}, tokens {start + 1} to {end}"}
        for layer in range(1, shape.layer_count + 1)
        for start, end, part in ((0, last.reused, "kept"), (last.reused, tokens, "new"), (tokens, wide, "room"))
    ]
    charts.draw(
        cost_charts.kept,
        pd.DataFrame(rows),
        key="cache_kept",
        alt_text=words.KEPT_ALT,
        layers=shape.layer_count,
        length=wide,
        cells=wide <= 96,
    )
    item = each / max(1, shape.cache_numbers_per_token)
    counted = words.KEPT_COUNT.format(
        layers=shape.attention_layers,
        heads=shape.kv_head_count,
        size=shape.key_size + shape.value_size,
        item=f"{item:g}",
        tokens=tokens,
        computed=f"{cache_bytes(shape, tokens, item):,}",
    )
    held = words.KEPT_ASSUMED if last.held_bytes is None else words.KEPT_MEASURED.format(measured=f"{last.held_bytes:,}")
    st.caption(f"{counted}; {held}.")


frame.header(words.CACHE_TITLE, words.CACHE_TERM, words.CACHE_LEAD)
state = experiment.of(NAME)
with st.container(horizontal=True, vertical_alignment="bottom", key="cache_controls"):
    chosen = st.segmented_control(words.CACHE_LENGTH, LENGTHS, default=LENGTHS[2], key="cache_length", required=True, **STAYS) or LENGTHS[2]
    if state.running:
        st.button(words.CACHE_STOP, on_click=experiment.stop, args=(NAME,), icon=":material/stop:", key="cache_stop")
    else:
        label = words.CACHE_AGAIN if state.seen else words.CACHE_START
        st.button(label, on_click=begin, type="primary", icon=":material/flag:", key="cache_start")


def course() -> None:
    """All that moves, from the start to the verdict."""
    with results.shown(NAME, now(), begin) as run:
        seen: list[RaceStep] = list(run.seen)
        length, shape, each, prompt = run.about or (chosen, None, 0, current.prompt())
        steps = {runner: [step for step in seen if step.runner == runner] for runner in (CACHED, UNCACHED)}
        colours = palette.of(charts.theme())
        frame.legend((colours.dice, words.WITH_NOTES), (colours.other, words.WITHOUT_NOTES))
        left, right = st.columns(2, gap="large")
        with left:
            writer(words.WITH_NOTES, words.WITH_TERM, steps[CACHED], length, prompt)
        with right:
            writer(words.WITHOUT_NOTES, words.WITHOUT_TERM, steps[UNCACHED], length, prompt)
        if all(steps.values()):
            verdict(seen, steps)
            curves(seen, steps, length, shape, each)
            st.caption(words.PASSED_OVER)
        elif not run.running and not run.error:
            ahead(length)


results.live(course, NAME, key="race_fragment")
