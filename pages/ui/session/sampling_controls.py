"""The settings table as the page shows it: groups, chips, and why a setting has no effect now."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from core import SamplingSettings
from core.sampling.presets import PRESETS, START
from core.sampling.settings import SETTING_OF, SETTINGS, STAGES
from core.sampling.settings_row import Setting
from pages.ui.i18n import phrases
from pages.ui.i18n.translation import N_, _

PLAIN = SamplingSettings()
LARGEST_SEED = int(SETTINGS["seed"].control[1])
CONTROLS = tuple(row for row in SETTINGS.values() if row.where != "dialog")  # in the sidebar
ALL = frozenset(row.name for row in CONTROLS)
MORE = tuple(row for row in SETTINGS.values() if row.where == "dialog")
GROUPS = (N_("Temperature"), N_("Cut-offs"), N_("Repetition"), N_("Bias"), N_("Constraint"), N_("Watermark"))  # of the dialog
CHIPS = tuple(name for name, row in SETTINGS.items() if row.where != "sight" and not row.of and name != "seed")
ENDS_GREEDY = frozenset(SETTING_OF[name] for name, stage in STAGES.items() if stage.kind in ("temperature", "cut-off", "mirostat"))


def start_of(row: Setting) -> Any:
    """Return the value of a control before the visitor changes anything."""
    return row.written(getattr(START, row.name))


def preset_of(settings: SamplingSettings) -> str | None:
    """Return the name of the preset with these settings, None if there is none; see `same_preset`."""
    return next((name for name, preset in PRESETS.items() if same_preset(preset, settings)), None)


def same_preset(preset: SamplingSettings, settings: SamplingSettings) -> bool:
    """Return whether these are the settings of the preset. Seed, an engine's order and repeat_last_n are ignored; your own order is not."""
    return isinstance(settings.order, str) and preset == replace(settings, seed=0, order="transformers", repeat_last_n=0)


def is_on(settings: SamplingSettings, name: str) -> bool:
    """Return whether this setting differs from its off value."""
    return bool(getattr(settings, name) != SETTINGS[name].off)


def chip_text(settings: SamplingSettings, name: str) -> str:
    """Return the text of a setting's chip: its name and value."""
    return phrases.setting_in_words(settings, SETTINGS[name], _(SETTINGS[name].label))


def without_effect(settings: SamplingSettings, name: str) -> str:
    """Return the sentence that says why a setting has no effect now; empty if it has one."""
    row = SETTINGS["temperature" if name == "dynatemp_range" else name]
    if row.stage is not None and row.stage.name in settings.without_effect:
        return _("No effect: greedy always takes the likeliest token.") if settings.greedy else _("No effect: mirostat replaces it.")
    if name == "dynatemp_range" and settings.mirostat_tau and settings.order == "llama.cpp" and not settings.greedy:
        return _("No effect: mirostat replaces it.")
    return ""


@lru_cache(maxsize=64)
def can_be_shown(settings: SamplingSettings) -> bool:
    """Return whether every control can show its value of these settings."""
    numbers = (row for row in SETTINGS.values() if not row.is_text and not isinstance(row.off, bool))
    return all(row.control[0] <= getattr(settings, row.name) <= row.control[1] for row in numbers)
