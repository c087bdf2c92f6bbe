"""The cache race: the same text written with notes and without, side by side, by each writer's own clock."""

from __future__ import annotations

from html import escape

import pandas as pd
import streamlit as st

from core.costs.formulas import cache_bytes
from core.labs.cache_race import CACHED, UNCACHED, RaceStep, fit_parabola, growth, race, same_text, speed_up
from pages.parts.charts import charts, cost_charts
from pages.parts.layout import frame, palette
from pages.parts.runtime import experiment
from pages.parts.session import current
from pages.parts.text import cost_words as words
from pages.parts.text import numbers

frame.page()
NAME = "race"
LENGTHS = (32, 64, 128, 256, 512)
SHOWN = 190  # characters of each writer's text
MOST_POINTS = 160


def begin() -> None:
    """Start with what the visitor has chosen everywhere: model, prompt, settings."""
    length = LENGTHS[2] if chosen is None else chosen
    about = (length, len(current.model().encode(current.prompt())), current.model_name())
    experiment.start(NAME, lambda: race(current.model(), current.prompt(), current.settings(), length), about)


def writer(title: str, term: str, steps: list[RaceStep], length: int) -> None:
    """One writer: what is on paper so far, and what it took."""
    with st.container(border=True, gap="xsmall"):
        frame.section(title, term)
        text = "".join(step.text for step in steps)
        tail = ("… " if len(text) > SHOWN else "") + text[-SHOWN:]
        paper(tail or current.prompt()[-SHOWN:] + " …", at_the_top=len(text) < SHOWN // 2)
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


def table(steps: dict[str, list[RaceStep]], column: str, scale: float = 1.0) -> pd.DataFrame:
    """Both writers' numbers against the tokens written, thinned to what a chart can show."""
    rows = []
    for runner, kind in ((CACHED, "with"), (UNCACHED, "without")):
        mine = steps[runner]
        thin = max(1, len(mine) // MOST_POINTS)
        for step in mine:
            newest = step is mine[-1]
            if step.index % thin and not newest:
                continue
            value = getattr(step, column)
            said = numbers.duration(value) if "seconds" in column else f"{value:,}"
            row = {"token": step.index + 1, "runner": kind, column: value * scale, "label": said if newest else "", "tip": said}
            rows.append(row)
    return pd.DataFrame(rows, columns=["token", "runner", column, "label", "tip"])


def middle(values: list[float]) -> float:
    """The median of a few neighbours: single passes jitter on a busy machine."""
    return sorted(values)[len(values) // 2]


def smooth(steps: dict[str, list[RaceStep]]) -> pd.DataFrame:
    """Milliseconds per step, each the median of the five around it."""
    shown = table(steps, "seconds", 1000)
    for runner, kind in ((CACHED, "with"), (UNCACHED, "without")):
        mine = [step.seconds * 1000 for step in steps[runner]]
        at = shown["runner"] == kind
        places = shown.loc[at, "token"].astype(int) - 1
        shown.loc[at, "seconds"] = [middle(mine[max(1, place - 2) : place + 3] or [mine[place]]) for place in places]
    return shown


def with_fit(steps: dict[str, list[RaceStep]]) -> pd.DataFrame:
    """Seconds so far, and the fitted line and parabola beside them."""
    shown = table(steps, "total_seconds").assign(fit=0.0)
    for runner, kind in ((CACHED, "with"), (UNCACHED, "without")):
        mine = steps[runner]
        fitted = fit_parabola([step.index + 1 for step in mine], [step.total_seconds for step in mine])
        if fitted is None:
            continue
        at = shown["runner"] == kind
        a, b = fitted
        line = sum(s.total_seconds * (s.index + 1) for s in mine) / sum((s.index + 1) ** 2 for s in mine)
        x = shown.loc[at, "token"]
        shown.loc[at, "fit"] = line * x if kind == "with" else a * x + b * x**2
    return shown


def verdict(seen: list[RaceStep], steps: dict[str, list[RaceStep]]) -> None:
    """Who is how far ahead, and whether both wrote the same."""
    factor = speed_up(seen)
    both = min(len(steps[CACHED]), len(steps[UNCACHED]))
    if factor is None or both < 2:
        return
    same = same_text(seen)
    first = next((i for i, (a, b) in enumerate(zip(*steps.values(), strict=False)) if a.token_id != b.token_id), 0)
    said = words.SAME_TEXT if same else words.OTHER_TEXT.format(count=first + 1)
    st.markdown(f"{words.SPEED_UP.format(factor=f'{factor:.1f}', count=both)} {said}")


def curves(seen: list[RaceStep], steps: dict[str, list[RaceStep]], length: int) -> None:
    """Per step: level against rising. In all: a line against a triangle."""
    left, right = st.columns(2, gap="large")
    with left:
        frame.section(words.PACE_TITLE, words.PACE_TERM)
        charts.draw(cost_charts.race, smooth(steps), key="cache_pace", alt_text=words.PACE_ALT, length=length, column="seconds", unit="ms")
    with right:
        frame.section(words.TOTAL_TITLE, words.TOTAL_TERM)
        totals = table(steps, "total_positions")
        charts.draw(cost_charts.race, totals, key="cache_total", alt_text=words.TOTAL_ALT, length=length, column="total_positions", unit="")
        prompt = steps[CACHED][0].computed
        st.caption(words.COUNTED.format(prompt=prompt))
    fits = {name: growth(seen, runner) for name, runner in (("line", CACHED), ("curve", UNCACHED))}
    left, right = st.columns(2, gap="large")
    with left:
        frame.section(words.CLOCK_TITLE, words.CLOCK_TERM)
        clock = with_fit(steps)
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
            st.caption(words.GROWTH.format(**{name: f"{fit.exponent:.2f}" for name, fit in fits.items() if fit}), help=words.GROWTH_WHY)
    with right:
        kept(steps[CACHED], length)


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


def kept(steps: list[RaceStep], length: int) -> None:
    """A row for each layer, a column for each token; and the bytes, by formula and by tensor."""
    model = current.model()
    shape = model.shape
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
    item = model.cache_bytes_per_token / max(1, shape.cache_numbers_per_token)
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
    chosen = st.segmented_control(words.CACHE_LENGTH, LENGTHS, default=LENGTHS[2], key="cache_length", required=True)
    if state.running:
        st.button(words.CACHE_STOP, on_click=experiment.stop, args=(NAME,), icon=":material/stop:", key="cache_stop")
    else:
        label = words.CACHE_AGAIN if state.seen else words.CACHE_START
        st.button(label, on_click=current.error_boundary(begin), type="primary", icon=":material/flag:", key="cache_start")


def course() -> None:
    """All that moves: drawn first, then both run on for a moment."""
    with frame.error_boundary():
        run = experiment.of(NAME)
        seen: list[RaceStep] = list(run.seen)
        length = run.about[0] if run.about else chosen or LENGTHS[2]
        steps = {runner: [step for step in seen if step.runner == runner] for runner in (CACHED, UNCACHED)}
        colours = palette.of(charts.theme())
        frame.legend((colours.dice, words.WITH_NOTES), (colours.other, words.WITHOUT_NOTES))
        left, right = st.columns(2, gap="large")
        with left:
            writer(words.WITH_NOTES, words.WITH_TERM, steps[CACHED], length)
        with right:
            writer(words.WITHOUT_NOTES, words.WITHOUT_TERM, steps[UNCACHED], length)
        if run.error:
            frame.show_notice(run.error)
        if all(steps.values()):
            verdict(seen, steps)
            curves(seen, steps, length)
            st.caption(words.PASSED_OVER)
        elif not run.running and not run.error:
            ahead(length)
    experiment.advance(NAME)


st.fragment(course, run_every=state.interval)()
