"""Two versions of one model beside each other, on the page about fewer bits: the choice of both, and what differs."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.experiments.quantization.two_versions import TwoVersions, Version, two_versions
from pages.ui.charts import before_after_bars
from pages.ui.charts.css_colours import AFTER, BEFORE, legend
from pages.ui.experiments import results
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _
from pages.ui.server import offered_models
from pages.ui.session import current, elements, own_models, provenance
from pages.ui.session.elements import PERSISTENT
from pages.ui.views import chart

NAME = "versions"
Side = tuple[str, Sequence[float], str]  # title, probabilities after the prompt, and the text as markdown


def versions() -> None:
    """Draw the choice of two models, the button and the result."""
    elements.section(_("Another version beside its original"), _("a packed file, or an adapter"))
    names = current.model_names()
    if len(names) < 2:
        st.caption(_("Open the other version on the page Models first."))
        return
    with st.container(horizontal=True, vertical_alignment="bottom", key="versions_controls"):
        widget_options = {"format_func": offered_models.title, "width": 280, **PERSISTENT}
        pair = own_models.pair()
        first = pair.without if pair else current.model_name()
        original = st.selectbox(_("Original"), names, index=names.index(first), key="versions_original", **widget_options)
        others = [name for name in names if name != original]
        offered = others.index(pair.with_adapter) if pair and pair.with_adapter in others else 0
        about = _("A GGUF file of the same model, or the same model with an adapter. Both need the same tokens.")
        other = st.selectbox(_("Other version"), others, index=offered, key="versions_other", help=about, **widget_options)
        now = provenance.now(model=original, version=other, settings=False)
        begin = results.starter(
            NAME, now, lambda: two_versions(current.model_named(original), current.model_named(other), current.prompt())
        )
        results.start_button(NAME, _("Compare"), begin, icon=":material/compare:")
    results.part(NAME, now, begin, _draw, _("Press the button: both read the text that the original writes, and write their own."))


def _draw(run: Experiment) -> None:
    comparison: TwoVersions = run.observations[-1]
    elements.table(
        (
            _("version"),
            _("stored as"),
            _("size"),
            _("diver\u00adgence (KL, nats)"),
            _("same likeliest token"),
            _("perplex\u00adity"),
            _("time to read it"),
        ),
        [
            _row(comparison.original, "0", numbers.percent(1.0)),
            _row(comparison.other, numbers.nats(comparison.mean_kl), numbers.percent(comparison.top1_kept)),
        ],
    )
    titles = [offered_models.title(version.name) for version in (comparison.original, comparison.other)]
    sides = [
        (title, version.probabilities, plain(version.written))
        for title, version in zip(titles, (comparison.original, comparison.other), strict=True)
    ]
    after_the_prompt(_("both versions"), comparison.pieces, sides, comparison.first_difference, key="versions_bars")


def _row(version: Version, divergence: str, same_choice: str) -> tuple[str, ...]:
    name, stored = plain(offered_models.title(version.name)), plain(version.dtype)
    return (
        name,
        stored,
        numbers.size(version.bytes),
        divergence,
        same_choice,
        numbers.decimal(version.perplexity, 2),
        numbers.duration(version.seconds),
    )


def after_the_prompt(term: str, tokens: Sequence[str], sides: Sequence[Side], parted: int | None, *, key: str) -> None:
    """Draw the probabilities of two versions after the prompt, and what each writes. parted: the first token that differs."""
    (first_title, before, _text), (second_title, after, _other) = sides
    kinds = ((BEFORE, first_title), (AFTER, second_title))
    left, right = st.columns(2, gap="large")
    with left:
        elements.section(_("After the prompt"), term)
        legend(*kinds)
        rows = before_after_bars.before_after_rows(tokens, before, after)
        chart.draw(before_after_bars.before_after, rows, key=key, alt_text=_("After the prompt"), legend=kinds, rows=len(rows))
    with right:
        elements.section(_("What it writes"), _("greedy"))
        for title, _odds, text in sides:
            st.caption(plain(title))
            st.markdown(text)
        st.caption(_("Both texts are the same.") if parted is None else _("They differ from token {place} on.").format(place=parted + 1))
