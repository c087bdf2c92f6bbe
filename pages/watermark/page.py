"""Is it marked? A watermark in the sampler, token by token, beside the same run without it; its cost, an attack, and false alarms."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.experiments import prepared, watermark
from core.sampling.settings import SamplingSettings
from pages.ui.experiments import results
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, _, said
from pages.ui.session import current, elements, provenance
from pages.ui.session.sampling_controls import WATERMARKS
from pages.ui.session.state import PERSISTENT
from pages.ui.shell import frame
from pages.ui.shell.prompt_field import own_text
from pages.ui.views import watermark_score
from pages.watermark import watermark_view

frame.page()

NAME = "watermark"
LENGTHS, RUNS = (50, 100, 200), 40
DELTAS = (1.0, 2.0, 5.0, 8.0)
SAMPLING = {"plain": N_("temperature 1, all tokens"), "sidebar": N_("the sidebar's settings")}
CERTAIN_PROMPT = next(run.prompt for run in prepared.PREPARED if run.name == "certain")


def controls() -> tuple[SamplingSettings, str, int]:
    """Draw the controls, and return the settings with the watermark, where they come from, and the length."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="watermark_controls"):
        mark = watermark_score.choose("watermark")
        if mark.watermark == "green":
            shows = _("Is added to the logits of the green list. More is easier to find and costs more.")
            mark = replace(
                mark,
                watermark_delta=elements.choice(
                    _("Strength δ"), DELTAS, 5.0, "watermark_delta_choice", format_func=numbers.short, help=shows
                ),
            )
        length = elements.choice(_("Length"), LENGTHS, 100, "watermark_length")
        options = {"format_func": said(SAMPLING).__getitem__, "key": "watermark_sampling", "width": 240, **PERSISTENT}
        sampling = st.selectbox(_("Sampling before the mark"), list(SAMPLING), **options)
    own = current.settings() if sampling == "sidebar" else SamplingSettings(seed=current.settings().seed)
    marks = {name: getattr(mark, name) for name in mark.as_dict() if name.startswith("watermark")}
    return replace(own, **marks), sampling, length


def whole() -> None:
    """Draw the controls and the result."""
    settings, sampling, length = controls()
    made_with = {
        N_("the watermark"): WATERMARKS[settings.watermark],
        N_("the key"): N_("key {key}").format(key=settings.watermark_key),
        N_("delta"): N_("delta {delta}").format(delta=f"{settings.watermark_delta:g}") if settings.watermark == "green" else "",
        N_("the seed"): N_("seed {seed}").format(seed=settings.seed),
        N_("the length"): N_("{count} tokens").format(count=length),
        N_("the sampling"): SAMPLING[sampling],
    }
    now = provenance.now(made_with, settings=sampling == "sidebar")
    begin = results.starter(NAME, now, lambda: watermark.watch(current.model(), current.prompt(), settings, length, RUNS), settings)
    with st.container(horizontal=True, vertical_alignment="center", key="watermark_buttons"):
        results.start_button(NAME, _("Write"), begin, type="primary", icon=":material/edit:")
        certain = _("The model is nearly certain of what follows. Such a text can hardly be marked.")
        verb = (current.use_prompt, (), CERTAIN_PROMPT)
        st.button(_("A certain text"), on_click=elements.run_and_rerun, args=verb, key="watermark_certain", type="tertiary", help=certain)
    if "watermark" in settings.without_effect:
        elements.show_notice(_("Greedy always takes the likeliest token, so a tournament has no effect. A green list has one."))
    hint = _("Press Write: the model writes the same prompt twice with the same dice, once with the mark.")
    results.part(NAME, now, begin, watermark_view.draw, hint)


frame.header(
    _("Is it marked?"),
    _("watermark"),
    _("A secret key changes the probabilities at every token. A person with the key can find this mark in the finished text."),
)
with elements.error_boundary():
    own_text()
    whole()
