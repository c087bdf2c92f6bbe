"""Compare: the same prompt under other settings or other models, and one setting turned through its range."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.experiments.compare.sweep import RANGES, statistics, sweep
from core.experiments.compare.unread_text import unread
from core.experiments.shared.side_by_side import Column, ComparisonStep, side_by_side
from core.record.step import Step
from core.sampling.presets import PRESETS
from core.sampling.settings import SamplingSettings
from pages.compare import COMPARE_VIEWS, SETTING_NAMES, SIDEBAR
from pages.ui.experiments import results
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.phrases import settings_summary
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _
from pages.ui.server import offered_models
from pages.ui.session import current, elements, provenance
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.session.own_models import follow_model
from pages.ui.shell import frame
from pages.ui.shell.prompt_field import own_text
from pages.ui.views.tinted_text import tinted_text

frame.page()

COLUMNS, SWEEP, UNREAD = "compare", "compare_sweep", "compare_unread"
LENGTHS = (20, 40, 80, 160)
USUAL = ("Greedy", "Balanced", "Wild", SIDEBAR)


def settings_of(name: str) -> SamplingSettings:
    """Return a preset with the visitor's own seed, or the settings of the sidebar."""
    settings = current.settings()
    return SamplingSettings(**{**PRESETS[name].as_dict(), "seed": settings.seed}) if name in PRESETS else settings


def column_choice(number: int) -> tuple[str, str]:
    """Draw the choice of one column's settings and model, and return both names."""
    presets, models = [*PRESETS, SIDEBAR], current.model_names()
    widget_options = {"label_visibility": "collapsed", **PERSISTENT}
    usual = presets.index(USUAL[number])
    preset = st.selectbox(_("Settings"), presets, index=usual, key=f"compare_preset_{number}", format_func=_, **widget_options)
    follow_model(f"compare_model_{number}", current.model_name())
    if len(models) == 1:
        return preset, models[0]
    selected, key = models.index(current.model_name()), f"compare_model_{number}"
    return preset, st.selectbox(_("Model"), models, index=selected, key=key, format_func=offered_models.title, **widget_options)


def columns_view() -> None:
    """Draw two to four columns, each with its own settings or its own model."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="compare_controls"):
        count = elements.choice(_("Columns"), (2, 3, 4), 3, "compare_count")
        length = elements.choice(_("Length"), LENGTHS, 40, "compare_length")
        result_place = st.container()
    chosen = []
    for number, home in enumerate(st.columns(count, gap="large")):
        with home:
            chosen.append(column_choice(number))
    first = chosen[0][1]
    columns_made: dict[str, Any] = {f"column_{number}": row if row[1] != first else row[:1] for number, row in enumerate(chosen, start=1)}
    uses_sidebar = any(preset == SIDEBAR for preset, _model in chosen)
    now = provenance.now(
        model=first,
        settings=uses_sidebar,
        **columns_made,
        seed=current.settings().seed,
        length=length,
    )

    def columns() -> list[Column]:
        return [Column(current.model_named(model), settings_of(preset)) for preset, model in chosen]

    begin = results.starter(
        COLUMNS,
        now,
        lambda: side_by_side(columns(), current.prompt(), length),
        lambda: (current.prompt(), [(preset, model, settings_of(preset)) for preset, model in chosen]),
    )
    with result_place:
        results.start_button(COLUMNS, _("Write"), begin, type="primary", icon=":material/edit:")
    hint = _("Press Write: every column continues the prompt above with the same dice, so only the settings can make a difference.")
    results.part(COLUMNS, now, begin, texts, hint)
    if len({model for _preset, model in chosen}) > 1:
        unread_view(list(dict.fromkeys(model for _preset, model in chosen)))


def unread_view(models: Sequence[str]) -> None:
    """Draw how surprised the chosen models are by stories that none of them read."""
    elements.section(_("On a text that none of them read"), _("held-out text"))
    now = provenance.now(models=models, prompt=False, settings=False)
    begin = results.starter(UNREAD, now, lambda: unread([current.model_named(model) for model in models]))
    results.start_button(UNREAD, _("Measure"), begin, icon=":material/straighten:")
    results.part(UNREAD, now, begin, unread_table, _("Press Measure: the same stories for every model. Fewer bits are less surprise."))


def unread_table(run: Experiment) -> None:
    """Draw one line for each model."""
    lines = [
        (offered_models.title(score.name), score.tokens, numbers.decimal(score.perplexity, 1), numbers.decimal(score.bits_per_character, 2))
        for score in run.observations
    ]
    head = (_("model"), _("tokens"), _("perplexity"), _("bits per character"))
    st.dataframe(pd.DataFrame(lines, columns=head), hide_index=True, width="stretch")
    st.caption(_("Bits per character compare all models; perplexity compares only models that divide the text into the same tokens."))


def texts(run: Experiment) -> None:
    """Draw what every column wrote, where it differs from the first one, and all columns in numbers."""
    row: ComparisonStep = run.observations[-1]
    titles: list[tuple[str, str, SamplingSettings]] = run.about[1]
    for number, home in enumerate(st.columns(len(row.paths), gap="large")):
        with home:
            parts, (_preset, model, settings) = row.parts_at[number], titles[number]
            st.caption(f"{plain(offered_models.title(model))} · {settings_summary(settings)}")
            tinted_text(row.paths[number], key=f"compare_text_{number}", mark=parts)
            st.caption(
                _("the other columns are compared with this one")
                if number == 0
                else _("the same as the first column so far")
                if parts is None
                else _("differs from the first column from token {place} on").format(place=parts + 1)
            )
    elements.section(
        _("In numbers"),
        _("computed from what was written"),
        help=_(
            "Surprise is the mean of −log₂ of the model's probability of each token, and perplexity is 2 to the power of it. "
            "Repeats: sequences of three words that were in the text before."
        ),
    )
    st.dataframe(numbers_table(row.paths, titles), hide_index=True, width="stretch")


def numbers_table(paths: Sequence[Sequence[Step]], titles: Sequence[tuple[str, str, SamplingSettings]]) -> pd.DataFrame:
    """Return one line per column: settings, model, length, surprise and perplexity, distinct words, repeats."""
    lines = []
    for (preset, model, _settings), path in zip(titles, paths, strict=True):
        counted = statistics(path)
        words = _("{count} of {total}").format(count=counted.distinct_words, total=counted.words)
        perplexity = numbers.decimal(counted.perplexity, 1) if path else "–"
        name, surprise = offered_models.title(model), numbers.bits(counted.surprise)
        lines.append((_(preset), name, counted.tokens, surprise, perplexity, words, counted.repeats))
    head = (_("settings"), _("model"), _("tokens"), _("mean surprise"), _("perplexity"), _("distinct words"), _("repeats"))
    return pd.DataFrame(lines, columns=head)


def sweep_view() -> None:
    """Draw one line of text for each value of one setting."""
    st.caption(_("Only one setting changes. Prompt, dice and all other settings stay the same. Each line is one value."))
    with st.container(horizontal=True, vertical_alignment="bottom", key="compare_sweep_controls"):
        name = st.selectbox(
            _("Setting"), list(RANGES), format_func=lambda key: _(SETTING_NAMES[key]), key="compare_setting", width=240, **PERSISTENT
        )
        now = provenance.now(setting=name)
        begin = results.starter(
            SWEEP, now, lambda: sweep(current.model(), current.prompt(), name, settings=current.settings(), steps=28), name
        )
        results.start_button(SWEEP, _("Write"), begin, type="primary", icon=":material/edit:")

    def draw(run: Experiment) -> None:
        for number, line in enumerate(run.observations):
            label = _("off") if run.about == "top_k" and line.value == 0 else numbers.short(line.value)
            tinted_text(line.path, key=f"compare_line_{number}", mark=line.parts_at, label=label, small=True)

    results.part(SWEEP, now, begin, draw, _("Press Write: one line for each value of the setting, from one end to the other."))


frame.header(
    _("Same prompt, other settings"),
    _("sampling, compared"),
    _("Every column continues the same prompt with the same dice. Only its settings or its model differ."),
)
with drawing_boundary():
    wanted = results.view(COMPARE_VIEWS, "compare_view")
    own_text()
    (sweep_view if wanted == COMPARE_VIEWS[1] else columns_view)()
