"""The cache race: the same text written with notes and without, side by side, by each writer's own clock."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import pandas as pd
import streamlit as st

from core.costs.formulas import cache_bytes
from core.engine.shape import ModelShape
from core.experiments.cache_race import CACHED, FEWEST, UNCACHED, RaceStep, Trend, race, same_text, speed_up, trend
from core.language import N_, _, written
from pages.ui.charts import charts, cost_charts, palette, race_rows
from pages.ui.charts.legend import legend
from pages.ui.experiments import experiment, results
from pages.ui.i18n import numbers
from pages.ui.session import current, elements, provenance
from pages.ui.session.state import PERSISTENT
from pages.ui.shell import frame

frame.page()
NAME = "race"
LENGTHS = (32, 64, 128, 256, 512)
SHOWN = 190  # characters of each writer's text


def now() -> provenance.Provenance:
    """What a race would be run with."""
    return provenance.now({N_("the length"): N_("{count} tokens each").format(count=chosen)})


@current.error_boundary
def begin() -> None:
    """Start with what the visitor has chosen everywhere: model, prompt, settings."""
    current.anchor_notices(NAME)
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
        elements.section(title, term)
        text = "".join(step.text for step in steps)
        tail = ("… " if len(text) > SHOWN else "") + text[-SHOWN:]
        paper(tail or prompt[-SHOWN:] + " …", at_the_top=len(text) < SHOWN // 2)
        last = steps[-1] if steps else None
        left, right = st.columns(2)
        left.metric(_("Tokens"), _("{count} of {total}").format(count=len(steps), total=length))
        right.metric(_("Seconds computing"), numbers.duration(last.total_seconds) if last else "–")
        st.caption(
            _("{count} read for this one · {total} read in all").format(
                count=numbers.whole(last.computed), total=numbers.whole(last.total_positions)
            )
            if last
            else _("Both wait for the start.")
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
    said = (
        _(":material/check: Word for word the same text.")
        if same
        else _("The two texts differ from token {count} on: two ways of rounding met odds that were almost equal.").format(count=first + 1)
    )
    faster = _("**{factor} times faster** with notes, over the {count} tokens both have written.")
    st.markdown(f"{faster.format(factor=numbers.decimal(factor, 1), count=both)} {said}")


def curves(seen: Sequence[RaceStep], steps: dict[str, list[RaceStep]], length: int, shape: ModelShape | None, each: int) -> None:
    """Per step: level against rising. In all: a line against a triangle."""
    fits = {kind: trend(seen, runner) for kind, runner in (("with", CACHED), ("without", UNCACHED))}
    left, right = st.columns(2, gap="large")
    with left:
        elements.section(
            _("How long does one more token take?"), _("dots: every pass; line: median of five; the first dot reads the prompt")
        )
        paced = race_rows.passes(steps)
        charts.draw(
            cost_charts.race,
            paced,
            key="cache_pace",
            alt_text=_(
                "Milliseconds of every pass for both writers, the first of which reads the prompt: level with notes, rising without."
            ),
            length=length,
            column="seconds",
            unit="ms",
            single=True,
        )
        grown(fits)
    with right:
        elements.section(_("How much had to be read?"), _("positions processed, in all"))
        totals = race_rows.table(steps, "total_positions")
        charts.draw(
            cost_charts.race,
            totals,
            key="cache_total",
            alt_text=_("Positions processed in all: a straight line with notes, a triangle's curve without."),
            length=length,
            column="total_positions",
            unit="",
        )
        prompt = steps[CACHED][0].computed
        st.caption(
            _(
                "Counted, for a prompt of {prompt} tokens: {prompt} + n − 1 positions with notes, {prompt} × n + n(n − 1) ÷ 2 without."
            ).format(prompt=prompt)
        )
    left, right = st.columns(2, gap="large")
    with left:
        elements.section(_("How long did it take so far?"), _("seconds, measured; dashed: what the fitted steps add up to"))
        clock = race_rows.with_fit(steps, fits)
        charts.draw(
            cost_charts.race,
            clock,
            key="cache_clock",
            alt_text=_("Seconds in all for both writers, and dashed what the lines fitted to their single steps add up to."),
            length=length,
            column="total_seconds",
            unit="s",
            fitted=True,
        )
        if all(fits.values()):
            st.caption(
                _(
                    "Steps that stay the same add up to a line, $n$; steps that grow by the same amount each "
                    "time add up to a triangle, $n^2$."
                )
            )
    with right:
        if shape is not None:
            kept(steps[CACHED], length, shape, each)


def grown(fits: dict[str, Trend | None]) -> None:
    """By how much every token that stands there makes the next one slower, and how well that is known."""
    lines = []
    for kind, title in (("without", _("Without notes")), ("with", _("With notes"))):
        fit = fits[kind]
        if fit is None:
            st.caption(
                _(
                    "How it grows is said once both have written {count} further tokens: before that the clock's "
                    "noise would be all there is."
                ).format(count=FEWEST)
            )
            return
        said = (
            _("{title}, every token that stands there adds **{by} ± {error} µs** to the next one (r² = {r2}).")
            if fit.grows
            else _("{title}, no growth stands out from the noise ({by} ± {error} µs for every token that stands there, r² = {r2}).")
        )
        by, error = (written(value * 1e6, ".2g") if abs(value) < 1e-4 else numbers.whole(value * 1e6) for value in (fit.slope, fit.error))
        lines.append(said.format(title=title, by=by, error=error, r2=numbers.decimal(fit.r_squared, 2)))
    st.caption(
        " ".join(lines),
        help=_(
            "Measured passes against the tokens they stand behind, the one that reads the prompt left "
            "out; a straight line through the medians of eight equal stretches, with the 95 % interval "
            "of its slope. r² is the share of the differences that the line explains: near 1 for a clear "
            "rise, near 0 for a level line, which has nothing to explain. A small model spends much of "
            "every pass on things that do not depend on the length."
        ),
    )


def ahead(length: int) -> None:
    """Before the start: what counting alone can tell."""
    prompt = len(current.model().encode(current.prompt()))
    rows = []
    for kind in ("with", "without"):
        for token in sorted({1, length, *range(1, length, max(1, length // 64))}):
            value = prompt + token - 1 if kind == "with" else token * prompt + token * (token - 1) // 2
            said = numbers.whole(value) if token == length else ""
            rows.append({"token": token, "runner": kind, "total_positions": value, "label": said, "tip": numbers.whole(value)})
    elements.section(_("How much will have to be read?"), _("computed; the race measures what it costs"))
    table = pd.DataFrame(rows)
    charts.draw(
        cost_charts.race,
        table,
        key="cache_ahead",
        alt_text=_("Positions processed in all: a straight line with notes, a triangle's curve without."),
        length=length,
        column="total_positions",
        unit="",
    )
    st.caption(
        _("Counted, for a prompt of {prompt} tokens: {prompt} + n − 1 positions with notes, {prompt} × n + n(n − 1) ÷ 2 without.").format(
            prompt=prompt
        )
    )


def kept(steps: list[RaceStep], length: int, shape: ModelShape, each: int) -> None:
    """A row for each layer, a column for each token; and the bytes, by formula and by tensor, of the model that ran."""
    elements.section(_("What do the notes hold?"), _("keys and values, by layer and position"))
    last = steps[-1]
    tokens = last.computed + last.reused
    wide = tokens - last.index + length
    rows = [
        {
            "layer": layer,
            "start": start,
            "end": end,
            "part": part,
            "tip": _("layer {layer}, tokens {start} to {end}").format(layer=layer, start=start + 1, end=end),
        }
        for layer in range(1, shape.layer_count + 1)
        for start, end, part in ((0, last.reused, "kept"), (last.reused, tokens, "new"), (tokens, wide, "room"))
    ]
    charts.draw(
        cost_charts.cache_grid,
        pd.DataFrame(rows),
        key="cache_kept",
        alt_text=_("One row per layer, one column per token: kept positions pale, the newest one dark."),
        layers=shape.layer_count,
        length=wide,
        cells=wide <= 96,
    )
    item = each / max(1, shape.cache_numbers_per_token)
    counted = _("{layers} layers × {heads} KV heads × {size} numbers × {item} bytes × {tokens} tokens = **{computed}** bytes").format(
        layers=shape.attention_layers,
        heads=shape.kv_head_count,
        size=shape.key_size + shape.value_size,
        item=numbers.short(item),
        tokens=tokens,
        computed=numbers.whole(cache_bytes(shape, tokens, item)),
    )
    held = (
        _("the bytes of a number are assumed, for the server does not say how finely it writes")
        if last.held_bytes is None
        else _("its arrays, which have room for tokens to come, hold **{measured}** (measured)").format(
            measured=numbers.whole(last.held_bytes)
        )
    )
    st.caption(f"{counted}; {held}.")


frame.header(
    _("Why does it keep notes?"),
    _("KV cache"),
    _(
        "Two writers, the same model, the same dice. One keeps notes on every word it has read. The "
        "other has no paper: for each new word it reads everything again from the very beginning."
    ),
)
state = experiment.of(NAME)
with st.container(horizontal=True, vertical_alignment="bottom", key="cache_controls"):
    chosen = (
        st.segmented_control(_("How many tokens?"), LENGTHS, default=LENGTHS[2], key="cache_length", required=True, **PERSISTENT)
        or LENGTHS[2]
    )
    if state.running:
        st.button(_("Stop"), on_click=experiment.stop, args=(NAME,), icon=":material/stop:", key="cache_stop")
    else:
        label = _("Race again") if state.seen else _("Start the race")
        st.button(label, on_click=begin, type="primary", icon=":material/flag:", key="cache_start")


def course() -> None:
    """All that moves, from the start to the verdict."""
    with results.shown(NAME, now(), begin) as run:
        seen: list[RaceStep] = list(run.seen)
        length, shape, each, prompt = run.about or (chosen, None, 0, current.prompt())
        steps = {runner: [step for step in seen if step.runner == runner] for runner in (CACHED, UNCACHED)}
        colours = palette.of(charts.theme())
        legend((colours.dice, _("With notes")), (colours.other, _("Without notes")))
        left, right = st.columns(2, gap="large")
        with left:
            writer(_("With notes"), _("cache on"), steps[CACHED], length, prompt)
        with right:
            writer(_("Without notes"), _("cache off"), steps[UNCACHED], length, prompt)
        if all(steps.values()):
            verdict(seen, steps)
            curves(seen, steps, length, shape, each)
            st.caption(
                _(
                    "Where the model would have ended its text, both took the next best token instead, so that "
                    "the race goes its full length."
                )
            )
        elif not run.running and not run.error:
            ahead(length)


results.live(course, NAME, key="race_fragment")
