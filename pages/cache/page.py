"""The cache race: the same text written with and without the KV cache, side by side, each side by its own clock."""

from __future__ import annotations

import streamlit as st

from core.experiments.cache import CACHED, UNCACHED, RaceStep, race
from pages.cache import race_view
from pages.ui.charts.css_colours import legend
from pages.ui.experiments import results
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n.translation import _
from pages.ui.session import current, elements, provenance
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.shell import frame

frame.page()
NAME = "race"
LENGTHS = (32, 64, 128, 256, 512)


def draw(run: Experiment) -> None:
    """Draw both sides, then what was measured."""
    length, shape, token_bytes, prompt = run.about
    steps: dict[str, list[RaceStep]] = {
        runner: [step for step in run.observations if step.runner == runner] for runner in (CACHED, UNCACHED)
    }
    titles = (_("With notes"), _("Without notes"))
    kinds = (("dice", titles[0]), ("other", titles[1]))
    legend(*kinds)
    terms = (_("cache on"), _("cache off"))
    for home, title, term, mine in zip(st.columns(2, gap="large"), titles, terms, steps.values(), strict=True):
        with home:
            race_view.side(title, term, mine, length, prompt)
    if all(steps.values()):
        race_view.verdict(run.observations, steps)
        with st.container(key="detail_race"):
            race_view.curves(run.observations, steps, length, kinds)
            if shape is not None:
                race_view.cache_contents(steps[CACHED][-1], length, shape, token_bytes)
            st.caption(
                _(
                    "Where the model would have ended its text, both sides took the next likeliest token, "
                    "so that both write the full length."
                )
            )


frame.header(
    _("Why does it keep notes?"),
    _("KV cache"),
    _("The same model and the same dice, twice. One side keeps notes (KV cache); the other computes the whole text again for each token."),
)
with drawing_boundary():
    with st.container(horizontal=True, vertical_alignment="bottom", key="cache_controls"):
        length = elements.choice(_("How many tokens?"), LENGTHS, 128, "cache_length")
        now = provenance.now(race_length=length)

        def about() -> tuple[object, ...]:
            model = current.model()
            return length, model.known_shape, model.cache_bytes_per_token, current.prompt()

        begin = results.starter(NAME, now, lambda: race(current.model(), current.prompt(), current.settings(), length), about)
        results.start_button(NAME, _("Start the race"), begin, key="cache_start", type="primary", icon=":material/flag:")
    results.part(NAME, now, begin, draw, _("Press the button: both sides write the same text at the same time."))
