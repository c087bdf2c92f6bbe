"""Short phrases that several pages use: the current settings, the device of a model."""

from __future__ import annotations

from core import SamplingSettings
from pages.ui.i18n import numbers
from pages.ui.i18n.language import N_, _

SETTINGS = {
    "temperature": N_("temperature"),
    "top_k": N_("top-k"),
    "top_p": N_("top-p"),
    "min_p": N_("min-p"),
    "typical_p": N_("typical-p"),
    "repetition_penalty": N_("repetition penalty"),
}


def settings_summary(settings: SamplingSettings) -> str:
    """Return the settings of a step in a few words: `temperature 0.8, top-p 0.9`."""
    if settings.greedy:
        return _("greedy")
    usual = SamplingSettings()
    parts = [
        f"{_(label)} {numbers.short(getattr(settings, name))}"
        for name, label in SETTINGS.items()
        if getattr(settings, name) != getattr(usual, name)
    ]
    return ", ".join(parts) or _("all settings off")


def device(name: str) -> str:
    """Return the name of a device: CPU or GPU."""
    if name == "cpu":
        return _("CPU")
    return _("GPU") if name.startswith("cuda") else name
