"""Is it marked? A watermark in the sampler, token by token, beside the same run without it; its cost, an attack, and false alarms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from core.experiments import watermark
from core.experiments.shared import prepared_runs
from core.sampling.settings import SamplingSettings
from pages.ui.experiments import results
from pages.ui.i18n.translation import _, said
from pages.ui.session import current, elements, notices, provenance
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.session.provenance import Provenance
from pages.ui.shell import frame
from pages.ui.shell.prompt_field import own_text
from pages.ui.views import watermark_score
from pages.watermark import SAMPLING, watermark_view

frame.page()

NAME = "watermark"
LENGTHS = (50, 100, 200)
CERTAIN_PROMPT = next(run.prompt for run in prepared_runs.PREPARED if run.name == "certain")


def controls() -> tuple[SamplingSettings, str, int]:
    """Draw the controls, and return the settings with the watermark, where they come from, and the length."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="watermark_controls"):
        mark, more = watermark_score.choose("watermark", strength=True)
        length = elements.choice(_("Length"), LENGTHS, 100, "watermark_length")
        options = {"format_func": said(SAMPLING).__getitem__, "key": "watermark_sampling", **PERSISTENT}
        sampling = more.selectbox(_("Sampling before the mark"), list(SAMPLING), **options)
    settings = current.settings() if sampling == "sidebar" else SamplingSettings(seed=current.settings().seed)
    marks = {name: value for name, value in mark.as_dict().items() if name.startswith("watermark")}
    return replace(settings, **marks), sampling, length


def whole() -> None:
    """Draw the controls and the result."""
    settings, sampling, length = controls()
    green = settings.watermark == "green"
    now = provenance.now(
        settings=sampling == "sidebar",
        watermark=settings.watermark,
        watermark_key=settings.watermark_key,
        gamma=settings.watermark_gamma if green else None,
        delta=settings.watermark_delta if green else None,
        seed=settings.seed,
        length=length,
        sampling=sampling,
    )

    def writing(by: Provenance) -> Callable[[], None]:
        run = lambda: watermark.watch(current.model(), by.prompt or "", settings, length, watermark.RUNS)  # noqa: E731
        return results.starter(NAME, by, run, settings)

    def write_a_certain_text() -> None:
        current.use_prompt(CERTAIN_PROMPT)
        writing(replace(now, prompt=CERTAIN_PROMPT))()

    with st.container(horizontal=True, vertical_alignment="center", key="watermark_buttons"):
        results.start_button(NAME, _("Write"), writing(now), type="primary", icon=":material/edit:")
        shows = _("The model is nearly certain of what follows. Such a text can hardly be marked.")
        elements.button(_("Write a certain text"), write_a_certain_text, key="watermark_certain", type="tertiary", help=shows)
    if "watermark" in settings.without_effect:
        notices.show_notice(_("Greedy always takes the likeliest token, so a tournament has no effect. A green list has one."))
    hint = _("Press Write: the model writes the same prompt twice with the same dice, once with the mark.")
    results.part(NAME, now, writing(now), watermark_view.draw, hint)
    key = _("The key is no secret here: it stands beside the result, in saved files, and in links if you set it under All samplers.")
    st.caption(key)


frame.header(
    _("Is it marked?"),
    _("watermark"),
    _("A secret key changes the probabilities at every token. A person with the key can find this mark in the finished text."),
)
with drawing_boundary():
    own_text()
    whole()
