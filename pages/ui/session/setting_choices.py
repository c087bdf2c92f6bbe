"""Settings that can be chosen for one side of a comparison: the sidebar's, presets, the visitor's own presets, and the engines' orders."""

from __future__ import annotations

from dataclasses import replace

from core import SamplingSettings
from core.sampling.settings import ORDERS
from pages.ui.i18n.translation import N_, _
from pages.ui.session import current
from pages.ui.session.own_presets import own_presets
from pages.ui.session.sampling_controls import PLAIN, PRESETS

SIDEBAR, OFF = "sidebar", "off"
ENGINES = {"transformers": "transformers", "llama.cpp": "llama.cpp", "vllm": "vLLM"}
_LABELS = {SIDEBAR: N_("The sidebar's settings"), OFF: N_("All settings off")}


def choices() -> dict[str, str]:
    """Return the labels of all choices, by key."""
    engines = {f"order:{name}": _("The sidebar's settings in the order of {engine}").format(engine=ENGINES[name]) for name in ORDERS}
    presets = {f"preset:{name}": _(name) for name in PRESETS}
    own = {f"own:{name}": name for name in own_presets().presets}
    return {key: _(label) for key, label in _LABELS.items()} | engines | presets | own


def chosen_settings(key: str) -> SamplingSettings:
    """Return the settings of a choice, with the visitor's seed; the sidebar's for a preset that was deleted."""
    now = current.settings()
    kind, _colon, name = key.partition(":")
    if kind == "order":
        return replace(now, order=name)
    own = own_presets().presets.get(name)
    if kind == "own" and own is not None:
        return replace(own, seed=now.seed)
    made = PRESETS.get(name, now) if kind == "preset" else PLAIN if key == OFF else now
    return replace(made, seed=now.seed, order=now.order, repeat_last_n=now.repeat_last_n if made is now else 0)
