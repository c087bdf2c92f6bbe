"""Compare: the same words under other settings or another model; one setting turned through its range; streamed against whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from core.experiments.streaming import deliver, words_of
from core.experiments.sweep import RANGES, Column, ComparisonStep, SweepResult, side_by_side, statistics, sweep
from core.language import N_, _
from core.record.step import Step
from core.settings import SamplingSettings
from pages.ui.components.stream_stage.stream_stage import stream_stage
from pages.ui.experiments import experiment, results
from pages.ui.i18n import names, numbers
from pages.ui.i18n.phrases import settings_summary
from pages.ui.i18n.safe_text import plain
from pages.ui.server import loaded_models
from pages.ui.session import current, elements, provenance
from pages.ui.session.sampling_controls import PRESETS
from pages.ui.session.state import PERSISTENT
from pages.ui.shell import frame
from pages.ui.shell.prompt_field import own_text
from pages.ui.views.tinted_text import tinted_text

frame.page()

SWEEP_NAMES = {
    "temperature": N_("Temperature"),
    "top_k": N_("Top-k"),
    "top_p": N_("Top-p"),
    "min_p": N_("Min-p"),
    "typical_p": N_("Typical-p"),
    "repetition_penalty": N_("Repetition penalty"),
    "seed": N_("Seed"),
}
COLUMNS, SWEEP, STREAM = "compare", "compare_sweep", "compare_stream"
LENGTHS = (20, 40, 80, 160)
SIDEBAR = N_("From the sidebar")
USUAL = ("Greedy", "Balanced", "Wild", SIDEBAR)
PLAYED = 8.0  # seconds that a delivery takes on the stage


def settings_of(name: str | None) -> SamplingSettings:
    """A preset with the visitor's own seed, so that the dice stay the same; or what the sidebar says."""
    own = current.settings()
    preset = PRESETS.get(name or "")
    return own if preset is None else SamplingSettings(**{**preset.as_dict(), "seed": own.seed})


def buttons(name: str, begin: Callable[[], None], running: bool, seen: bool) -> None:
    """Start or stop. Not in a callback: what was typed a moment ago is to count."""
    if running:
        st.button(_("Stop"), on_click=experiment.stop, args=(name,), icon=":material/stop:", key=f"{name}_stop")
    else:
        label = _("Write again") if seen else _("Write")
        if st.button(label, type="primary", icon=":material/edit:", key=f"{name}_start"):
            begin()
            st.rerun()


def columns_view() -> None:
    """Two to four columns, each with its own settings or its own model."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="compare_controls"):
        count = st.segmented_control(_("Columns"), (2, 3, 4), default=3, key="compare_count", required=True, **PERSISTENT) or 3
        length = st.segmented_control(_("Length"), LENGTHS, default=40, key="compare_length", required=True, **PERSISTENT) or 40
        place = st.container()
    models, chosen = current.model_names(), []
    for number, home in enumerate(st.columns(count, gap="large")):
        with home:
            preset = st.selectbox(
                _("Settings"),
                [*PRESETS, SIDEBAR],
                index=[*PRESETS, SIDEBAR].index(USUAL[number]),
                key=f"compare_preset_{number}",
                format_func=_,
                label_visibility="collapsed",
                **PERSISTENT,
            )
            model = models[0]
            if len(models) > 1:
                model = st.selectbox(
                    _("Model"),
                    models,
                    index=models.index(current.model_name()),
                    key=f"compare_model_{number}",
                    label_visibility="collapsed",
                    **PERSISTENT,
                )
            chosen.append((preset, model))

    columns = {
        N_("column {number}").format(number=number): f"{preset}, {loaded_models.title(model)}" if model != chosen[0][1] else preset
        for number, (preset, model) in enumerate(chosen, start=1)
    }
    columns |= {N_("the seed"): N_("seed {seed}").format(seed=current.settings().seed)}
    columns |= {N_("the length"): N_("{count} tokens").format(count=length)}
    now = provenance.now(columns, model=chosen[0][1], settings=any(preset == SIDEBAR for preset, _model in chosen))

    @current.error_boundary
    def begin() -> None:
        current.anchor_notices(COLUMNS)
        prompt = current.prompt()
        made = [Column(current.model_named(model), settings_of(preset)) for preset, model in chosen]
        titles = [(preset, column.model.name, column.settings) for (preset, _model), column in zip(chosen, made, strict=True)]
        experiment.start(COLUMNS, lambda: side_by_side(made, prompt, length), now, (prompt, titles))

    state = experiment.of(COLUMNS)
    with place:
        buttons(COLUMNS, begin, state.running, bool(state.seen))

    def draw() -> None:
        with results.shown(COLUMNS, now, begin) as run:
            if run.seen:
                texts(run.seen[-1], *run.about)
            elif not run.error:
                st.caption(
                    _(
                        "Press Write: every column goes on from the text above, all with the same dice, so that only "
                        "the settings can part them."
                    )
                )

    results.live(draw, COLUMNS, key="compare_fragment")


def texts(row: ComparisonStep, prompt: str, titles: list[tuple[str, str, SamplingSettings]]) -> None:
    """What every column wrote, where it parts from the first one, and all in numbers."""
    for number, home in enumerate(st.columns(len(row.paths), gap="large")):
        with home:
            parts = row.parts_at[number]
            _title, model, settings = titles[number]
            st.caption(f"{plain(model)} · {settings_summary(settings)}")
            tinted_text(row.paths[number], key=f"compare_text_{number}", mark=parts)
            st.caption(
                _("the others are compared with this one")
                if number == 0
                else _("the same as the first column so far")
                if parts is None
                else _("leaves the first column at word {place}").format(place=parts + 1)
            )
    elements.section(
        _("In numbers"),
        _("computed from what was written"),
        help=_(
            "Perplexity is 2 to the power of the mean surprise: among how many equally likely tokens it "
            "was choosing, as it were. Surprise is the mean of -log2 of the probability the model gave "
            "to what it wrote. Repeats: runs of three words that were there before."
        ),
    )
    table = numbers_table(row.paths, [(title, model) for title, model, _settings in titles])
    st.dataframe(table, hide_index=True, width="stretch")


def numbers_table(paths: Sequence[Sequence[Step]], titles: Sequence[tuple[str, str]]) -> pd.DataFrame:
    """One line per column: settings, model, length, surprise and perplexity, distinct words, repeats."""
    lines = []
    for (settings, model), path in zip(titles, paths, strict=True):
        found = statistics(path)
        perplexity = numbers.decimal(found.perplexity, 1) if path else "–"
        words_of_it = _("{count} of {total}").format(count=found.distinct_words, total=found.words)
        lines.append((settings, model, found.tokens, numbers.bits(found.surprise), perplexity, words_of_it, found.repeats))
    named = [
        _("settings"),
        _("model"),
        _("tokens"),
        _("mean surprise"),
        _("perplexity"),
        _("distinct words"),
        _("repeated runs of three words"),
    ]
    return pd.DataFrame(lines, columns=named)


def sweep_view() -> None:
    """One setting, one line of text for each value."""
    st.caption(_("One setting is turned, everything else stays: the same text, the same dice. Each line is one value."))
    with st.container(horizontal=True, vertical_alignment="bottom", key="compare_sweep_controls"):
        name = st.selectbox(
            _("Turn"), list(RANGES), format_func=lambda key: _(SWEEP_NAMES[key]), key="compare_setting", width=240, **PERSISTENT
        )

        now = provenance.now({N_("the setting"): SWEEP_NAMES[name]})

        @current.error_boundary
        def begin() -> None:
            current.anchor_notices(SWEEP)
            model, prompt, settings = current.model(), current.prompt(), current.settings()
            experiment.start(SWEEP, lambda: sweep(model, prompt, name, settings=settings, steps=28), now, name)

        state = experiment.of(SWEEP)
        buttons(SWEEP, begin, state.running, bool(state.seen))

    def draw() -> None:
        with results.shown(SWEEP, now, begin) as run:
            if not run.seen and not run.error:
                st.caption(_("Press Write: one line for each value of the setting, from one end to the other."))
            for number, line in enumerate(run.seen):
                swept(number, line, run.about)

    results.live(draw, SWEEP, key="compare_sweep_fragment")


def swept(number: int, line: SweepResult, name: str) -> None:
    """One value and the text it led to."""
    off = name == "top_k" and line.value == 0
    label = _("off") if off else numbers.short(line.value)
    tinted_text(line.path, key=f"compare_line_{number}", mark=line.parts_at, label=label, small=True)


def stream_view() -> None:
    """One recorded run, delivered twice."""
    st.caption(
        _(
            "The same run, delivered twice. A stream is read while it is written, and nothing can be "
            "taken back. A whole answer is checked first, and read late."
        )
    )

    now = provenance.now()

    @current.error_boundary
    def begin() -> None:
        current.anchor_notices(STREAM)
        column, prompt = Column(current.model(), current.settings()), current.prompt()
        experiment.start(STREAM, lambda: side_by_side([column], prompt, 80, top_n=1), now)

    state = experiment.of(STREAM)
    with st.container(horizontal=True, vertical_alignment="bottom", key="compare_stream_controls"):
        typed = st.text_input(
            _("Words that must not appear"),
            value="and",
            key="compare_words",
            max_chars=400,
            help=_("A simple filter: the stream is cut when one of them is complete; the whole answer is not shown at all."),
            width=320,
            **PERSISTENT,
        )
        buttons(STREAM, begin, state.running, bool(state.seen))

    def draw() -> None:
        with results.shown(STREAM, now, begin) as run:
            path = run.seen[-1].paths[0] if run.seen else ()
            if not path and not run.error:
                st.caption(_("There is no text to deliver yet. Press Write: the model goes on from your text, and the run is recorded."))
            if path and not run.running:
                delivered(path, typed)

    results.live(draw, STREAM, key="compare_stream_fragment")


def delivered(path: Sequence[Step], typed: str) -> None:
    """Both ways, and what the filter could still do."""
    both = deliver(path, words_of(typed))
    slower = max(1.0, PLAYED / both.total if both.total else 1.0)
    stream_stage(path, both, slower, key="compare_stage")
    facts = _("First word after {first}, everything after {total}: measured.").format(
        first=numbers.duration(both.first_token), total=numbers.duration(both.total)
    )
    if both.found is None:
        verdict = _("The filter found nothing: both readers get the same text, one of them {later} later.").format(
            later=numbers.duration(both.total - both.first_token)
        )
    else:
        verdict = _(
            "The filter found “{word}” at token {place}. By then the reader of the stream had read "
            "{count} words; the reader of the whole answer sees none of it."
        ).format(word=both.found, place=(both.found_at or 0) + 1, count=len(both.already_seen.split()))
    st.markdown(f"{verdict} {facts}")
    if slower > 1.5:
        st.caption(_("Played {factor} times slower than it was").format(factor=numbers.decimal(slower, 0)))


frame.header(
    _("Same words, other settings"),
    _("sampling, compared"),
    _("Every column writes on from the same text with the same dice. Only what stands above a column differs."),
)
with elements.error_boundary():
    wanted = st.segmented_control(
        _("View"),
        names.COMPARE_VIEWS,
        format_func=_,
        default=names.COMPARE_VIEWS[0],
        key="compare_view",
        label_visibility="collapsed",
        required=True,
        **PERSISTENT,
    )
    own_text()
    {names.COMPARE_VIEWS[0]: columns_view, names.COMPARE_VIEWS[1]: sweep_view, names.COMPARE_VIEWS[2]: stream_view}[
        wanted or names.COMPARE_VIEWS[0]
    ]()
