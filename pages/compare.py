"""Compare: the same words under other settings or another model; one setting turned through its range; streamed against whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from core.labs.streaming import deliver, words_of
from core.labs.sweep import RANGES, Column, ComparisonStep, SweepResult, side_by_side, statistics, sweep
from core.record.step import Step
from core.settings import SamplingSettings
from pages.parts.components.stream_stage.stream_stage import stream_stage
from pages.parts.components.tinted_text.tinted_text import tinted_text
from pages.parts.layout import frame, results
from pages.parts.layout.prompt_field import own_text
from pages.parts.runtime import experiment, loaded_models
from pages.parts.session import current, provenance
from pages.parts.session.sampling_controls import PRESETS
from pages.parts.session.state import STAYS
from pages.parts.text import numbers, result_words
from pages.parts.text import what_if_words as words
from pages.parts.text.plain import plain
from pages.parts.text.words import settings_then

frame.page()
COLUMNS, SWEEP, STREAM = "compare", "compare_sweep", "compare_stream"
LENGTHS = (20, 40, 80, 160)
USUAL = ("Greedy", "Balanced", "Wild", words.COLUMN_SIDEBAR)
PLAYED = 8.0  # seconds that a delivery takes on the stage


def settings_of(name: str | None) -> SamplingSettings:
    """A preset with the visitor's own seed, so that the dice stay the same; or what the sidebar says."""
    own = current.settings()
    preset = PRESETS.get(name or "")
    return own if preset is None else SamplingSettings(**{**preset.as_dict(), "seed": own.seed})


def buttons(name: str, begin: Callable[[], None], running: bool, seen: bool) -> None:
    """Start or stop. Not in a callback: what was typed a moment ago is to count."""
    if running:
        st.button(words.STOP, on_click=experiment.stop, args=(name,), icon=":material/stop:", key=f"{name}_stop")
    else:
        label = words.AGAIN_ALL if seen else words.START
        if st.button(label, type="primary", icon=":material/edit:", key=f"{name}_start"):
            begin()
            st.rerun()


def columns_view() -> None:
    """Two to four columns, each with its own settings or its own model."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="compare_controls"):
        count = st.segmented_control(words.COLUMNS, (2, 3, 4), default=3, key="compare_count", required=True, **STAYS) or 3
        length = st.segmented_control(words.LENGTH, LENGTHS, default=40, key="compare_length", required=True, **STAYS) or 40
        place = st.container()
    models, chosen = current.model_names(), []
    for number, home in enumerate(st.columns(count, gap="large")):
        with home:
            preset = st.selectbox(
                words.SETTING,
                [*PRESETS, words.COLUMN_SIDEBAR],
                index=[*PRESETS, words.COLUMN_SIDEBAR].index(USUAL[number]),
                key=f"compare_preset_{number}",
                label_visibility="collapsed",
                **STAYS,
            )
            model = models[0]
            if len(models) > 1:
                model = st.selectbox(
                    "Model",
                    models,
                    index=models.index(current.model_name()),
                    key=f"compare_model_{number}",
                    label_visibility="collapsed",
                    **STAYS,
                )
            chosen.append((preset, model))

    columns = {
        words.COLUMN_NAME.format(number=number): f"{preset}, {loaded_models.title(model)}" if model != chosen[0][1] else preset
        for number, (preset, model) in enumerate(chosen, start=1)
    }
    columns |= {words.BY_SEED: result_words.SEED.format(seed=current.settings().seed), words.BY_LENGTH: words.tokens(length)}
    now = provenance.now(columns, model=chosen[0][1], settings=any(preset == words.COLUMN_SIDEBAR for preset, _ in chosen))

    @current.error_boundary
    def begin() -> None:
        current.at(COLUMNS)
        prompt = current.prompt()
        made = [Column(current.model_named(model), settings_of(preset)) for preset, model in chosen]
        titles = [(preset, column.model.name, column.settings) for (preset, _), column in zip(chosen, made, strict=True)]
        experiment.start(COLUMNS, lambda: side_by_side(made, prompt, length), now, (prompt, titles))

    state = experiment.of(COLUMNS)
    with place:
        buttons(COLUMNS, begin, state.running, bool(state.seen))

    def draw() -> None:
        with results.shown(COLUMNS, now, begin) as run:
            if run.seen:
                texts(run.seen[-1], *run.about)
            elif not run.error:
                st.caption(words.COLUMNS_EMPTY)

    results.live(draw, COLUMNS, key="compare_fragment")


def texts(row: ComparisonStep, prompt: str, titles: list[tuple[str, str, SamplingSettings]]) -> None:
    """What every column wrote, where it parts from the first one, and all in numbers."""
    for number, home in enumerate(st.columns(len(row.paths), gap="large")):
        with home:
            parts = row.parts_at[number]
            _, model, settings = titles[number]
            st.caption(f"{plain(model)} · {settings_then(settings)}")
            tinted_text(row.paths[number], key=f"compare_text_{number}", mark=parts)
            st.caption(words.FIRST_COLUMN if number == 0 else words.SAME_AS_FIRST if parts is None else words.PARTS.format(place=parts + 1))
    frame.section(words.TABLE, words.TABLE_TERM, help=words.TABLE_HELP)
    table = numbers_table(row.paths, [(title, model) for title, model, _ in titles])
    st.dataframe(table, hide_index=True, width="stretch")


def numbers_table(paths: Sequence[Sequence[Step]], titles: Sequence[tuple[str, str]]) -> pd.DataFrame:
    """One line per column: settings, model, length, surprise and perplexity, distinct words, repeats."""
    lines = []
    for (settings, model), path in zip(titles, paths, strict=True):
        found = statistics(path)
        perplexity = f"{found.perplexity:,.1f}" if path else "–"
        words_of_it = f"{found.distinct_words} of {found.words}"
        lines.append((settings, model, found.tokens, numbers.bits(found.surprise), perplexity, words_of_it, found.repeats))
    named = ["settings", "model", "tokens", "mean surprise", "perplexity", "distinct words", "repeated runs of three words"]
    return pd.DataFrame(lines, columns=named)


def sweep_view() -> None:
    """One setting, one line of text for each value."""
    st.caption(words.SWEEP_LEAD)
    with st.container(horizontal=True, vertical_alignment="bottom", key="compare_sweep_controls"):
        name = st.selectbox(
            words.SWEEP_SETTING, list(RANGES), format_func=lambda key: words.SWEEP_NAMES[key], key="compare_setting", width=240, **STAYS
        )

        now = provenance.now({words.BY_SETTING: words.SWEEP_NAMES[name]})

        @current.error_boundary
        def begin() -> None:
            current.at(SWEEP)
            model, prompt, settings = current.model(), current.prompt(), current.settings()
            experiment.start(SWEEP, lambda: sweep(model, prompt, name, settings=settings, steps=28), now, name)

        state = experiment.of(SWEEP)
        buttons(SWEEP, begin, state.running, bool(state.seen))

    def draw() -> None:
        with results.shown(SWEEP, now, begin) as run:
            if not run.seen and not run.error:
                st.caption(words.SWEEP_EMPTY)
            for number, line in enumerate(run.seen):
                swept(number, line, run.about)

    results.live(draw, SWEEP, key="compare_sweep_fragment")


def swept(number: int, line: SweepResult, name: str) -> None:
    """One value and the text it led to."""
    off = name == "top_k" and line.value == 0
    label = words.SWEEP_OFF if off else f"{line.value:g}"
    tinted_text(line.path, key=f"compare_line_{number}", mark=line.parts_at, label=label, small=True)


def stream_view() -> None:
    """One recorded run, delivered twice."""
    st.caption(words.STREAM_LEAD)

    now = provenance.now()

    @current.error_boundary
    def begin() -> None:
        current.at(STREAM)
        column, prompt = Column(current.model(), current.settings()), current.prompt()
        experiment.start(STREAM, lambda: side_by_side([column], prompt, 80, top_n=1), now)

    state = experiment.of(STREAM)
    with st.container(horizontal=True, vertical_alignment="bottom", key="compare_stream_controls"):
        typed = st.text_input(
            words.STREAM_WORDS, value="and", key="compare_words", max_chars=400, help=words.STREAM_WORDS_HELP, width=320, **STAYS
        )
        buttons(STREAM, begin, state.running, bool(state.seen))

    def draw() -> None:
        with results.shown(STREAM, now, begin) as run:
            path = run.seen[-1].paths[0] if run.seen else ()
            if not path and not run.error:
                st.caption(words.STREAM_EMPTY)
            if path and not run.running:
                delivered(path, typed)

    results.live(draw, STREAM, key="compare_stream_fragment")


def delivered(path: Sequence[Step], typed: str) -> None:
    """Both ways, and what the filter could still do."""
    both = deliver(path, words_of(typed))
    slower = max(1.0, PLAYED / both.total if both.total else 1.0)
    stream_stage(path, both, slower, key="compare_stage")
    facts = words.STREAM_FACTS.format(first=numbers.duration(both.first_token), total=numbers.duration(both.total))
    if both.found is None:
        verdict = words.STREAM_CLEAN.format(later=numbers.duration(both.total - both.first_token))
    else:
        verdict = words.STREAM_FOUND.format(word=both.found, place=(both.found_at or 0) + 1, count=len(both.already_seen.split()))
    st.markdown(f"{verdict} {facts}")
    if slower > 1.5:
        st.caption(words.STREAM_SLOW.format(factor=f"{slower:.0f}"))


frame.header(words.COMPARE_TITLE, words.COMPARE_TERM, words.COMPARE_LEAD)
with frame.error_boundary():
    wanted = st.segmented_control(
        "View", words.VIEWS, default=words.VIEWS[0], key="compare_view", label_visibility="collapsed", required=True, **STAYS
    )
    own_text()
    {words.VIEWS[0]: columns_view, words.VIEWS[1]: sweep_view, words.VIEWS[2]: stream_view}[wanted or words.VIEWS[0]]()
