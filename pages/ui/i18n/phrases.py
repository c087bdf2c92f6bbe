"""Short phrases that several pages say: the settings in force, where a model runs."""

from __future__ import annotations

from core import SamplingSettings
from core.language import N_, _
from pages.ui.i18n import numbers

SETTINGS = {
    "temperature": N_("temperature"),
    "top_k": N_("top-k"),
    "top_p": N_("top-p"),
    "min_p": N_("min-p"),
    "typical_p": N_("typical-p"),
    "repetition_penalty": N_("repetition penalty"),
}


def settings_summary(settings: SamplingSettings) -> str:
    """The settings in force at a step, in a few words: `temperature 0.8, top-p 0.9`."""
    if settings.greedy:
        return _("greedy")
    usual = SamplingSettings()
    turned = [
        f"{_(told)} {numbers.short(getattr(settings, name))}"
        for name, told in SETTINGS.items()
        if getattr(settings, name) != getattr(usual, name)
    ]
    return ", ".join(turned) or _("all settings off")


def device(name: str) -> str:
    """Where a model runs, in plain words."""
    if name == "cpu":
        return _("CPU")
    return _("GPU") if name.startswith("cuda") else name
