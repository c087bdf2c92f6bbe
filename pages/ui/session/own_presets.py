"""The visitor's own presets, stored by their browser; and all settings that can be chosen for one side of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import streamlit as st

from core import SamplingSettings
from core.errors import ViewerError
from core.sampling.presets import PRESETS
from core.sampling.settings import ORDERS, SETTINGS
from pages.ui.components.browser import browser
from pages.ui.i18n.translation import N_, _, quoted
from pages.ui.session import current, sampler_actions, share_link
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.notices import anchor_notices, notify
from pages.ui.session.sampling_controls import PLAIN
from pages.ui.session.state import memory

SIDEBAR, OFF = "sidebar", "off"
ENGINES = {"transformers": "transformers", "llama.cpp": "llama.cpp", "vllm": "vLLM"}
_LABELS = {SIDEBAR: N_("The sidebar's settings"), OFF: N_("All settings off")}


def choices() -> dict[str, str]:
    """Return the labels of all choices, by key."""
    engines = {f"order:{name}": _("The sidebar's settings in the order of {engine}").format(engine=ENGINES[name]) for name in ORDERS}
    presets = {f"preset:{name}": _(name) for name in PRESETS}
    saved = {f"own:{name}": name for name in own_presets().presets}
    return {key: _(label) for key, label in _LABELS.items()} | engines | presets | saved


def chosen_settings(key: str) -> SamplingSettings:
    """Return the settings of a choice, with the visitor's seed; the sidebar's for a preset that was deleted."""
    now = current.settings()
    kind, _colon, name = key.partition(":")
    if kind == "order":
        return replace(now, order=name)
    preset = own_presets().presets.get(name)
    if kind == "own" and preset is not None:
        return replace(preset, seed=now.seed)
    settings = PRESETS.get(name, now) if kind == "preset" else PLAIN if key == OFF else now
    return replace(settings, seed=now.seed, order=now.order, repeat_last_n=now.repeat_last_n if settings is now else 0)


KEY, NAME = "own_presets", "own_preset_name"
MOST, LONGEST_NAME, LONGEST_QUERY = 12, 30, 20_000  # presets; characters


@dataclass(slots=True)
class OwnPresets:
    """presets: by name, as they were saved. change: the latest one, for the browser. serial: how many there were."""

    presets: dict[str, SamplingSettings] = field(default_factory=dict)
    change: dict[str, str] = field(default_factory=dict)
    serial: int = 0

    def changed(self, **change: str) -> None:
        """Note a change for the browser: `name` with its `query`, or without one to delete it."""
        self.change, self.serial = change, self.serial + 1


def own_presets() -> OwnPresets:
    """Return this visitor's presets."""
    return memory(OwnPresets)


def keep() -> None:
    """Send the latest change to the browser, and take what it stored in an earlier session. The sidebar calls this."""
    saved = own_presets()
    data = {"session": current.storage_key(), "serial": saved.serial, "change": saved.change, "most": MOST}
    browser.presets(KEY, data, lambda: found(getattr(st.session_state.get(KEY), "found", None)))


@action_boundary
def save() -> None:
    """Save the current settings under the name in the field. A preset of the same name is replaced."""
    anchor_notices(NAME)
    name = _name(current.field(NAME))
    if not name:
        raise ViewerError(_("A preset needs a name of letters, digits or signs."))
    if name in PRESETS or name in map(_, PRESETS):
        raise ViewerError(_("{name} is the name of a preset that comes with the app. Choose another one.").format(name=quoted(name)))
    saved = own_presets()
    if name not in saved.presets and len(saved.presets) >= MOST:
        raise ViewerError(_("You have {count} presets, which is the most. Delete one first.").format(count=MOST))
    settings = replace(current.settings(), seed=0)
    query = share_link.query("", "", settings, [], "")
    if len(query) > LONGEST_QUERY:
        raise ViewerError(_("These settings are too long for a preset."))
    saved.presets[name] = settings
    saved.changed(name=name, query=query)
    current.fill(NAME, "")


@action_boundary
def delete(name: str) -> None:
    """Delete a preset, also in the browser."""
    if own_presets().presets.pop(name, None) is not None:
        own_presets().changed(name=name)


@action_boundary
def use(name: str) -> None:
    """Apply a preset, with its order of the stages. The seed stays."""
    if name in own_presets().presets:
        sampler_actions.apply_settings(own_presets().presets[name], with_order=True)


def is_used(name: str, settings: SamplingSettings) -> bool:
    """Return whether these are the settings of this preset. The seed does not count."""
    return replace(settings, seed=0) == own_presets().presets.get(name)


@action_boundary
def found(stored: object) -> None:
    """Add what the browser stored: a JSON object of names and queries, of which nothing is certain. What cannot be read is named."""
    if not isinstance(stored, Mapping):
        return
    saved, broken = own_presets(), []
    for key, query in list(stored.items())[:MOST]:
        name = _name(key)
        settings = _settings(query)
        if not name or settings is None:
            broken.append(name or "?")
        elif name not in saved.presets and len(saved.presets) < MOST:
            saved.presets[name] = settings
    if broken:
        notify(_("These saved presets cannot be read: {names}.").format(names=", ".join(map(quoted, broken))))


def _name(written: object) -> str:
    """Return a name without line breaks and signs that cannot be seen; "" if nothing is left."""
    return "".join(c for c in written[: 4 * LONGEST_NAME] if c.isprintable()).strip()[:LONGEST_NAME] if isinstance(written, str) else ""


def _settings(query: object) -> SamplingSettings | None:
    """Return the settings of a stored query, None if one of them is not valid."""
    if not isinstance(query, str) or len(query) > LONGEST_QUERY:
        return None
    values = share_link.settings_in(share_link.decoded(query))
    if values is None:
        return None
    try:
        return replace(SamplingSettings(**{name: share_link.setting_of(SETTINGS[name], value) for name, value in values.items()}), seed=0)
    except ViewerError:
        return None
