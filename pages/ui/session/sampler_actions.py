"""Actions on the sampling settings: set or remove one, a preset, a reset, bias a token, set the order."""

from __future__ import annotations

from typing import Any

from core.errors import ViewerError
from core.sampling.constraint.allowed_tokens import compiled
from core.sampling.constraint.lark_grammar import notes
from core.sampling.presets import PRESETS
from core.sampling.settings import LAST_N, SETTINGS, SamplingSettings
from pages.ui.i18n.translation import _
from pages.ui.session import current, state
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.notices import anchor_notices, notify
from pages.ui.session.sampling_controls import ENDS_GREEDY, PLAIN, start_of
from pages.ui.session.state import current_session


@action_boundary
def set_setting(key: str, value: Any) -> None:
    """Set one setting to a value of its control, and show the effect on the next-token distribution."""
    state.set_field(key, value)
    current.changed("coming")


@action_boundary
def set_constraint(constraint: str) -> None:
    """Set a constraint, if it can be used with the current model; else keep the one before and say why beside its field."""
    anchor_notices("constraint_form")
    if not constraint.partition(":")[2].strip():
        raise ViewerError(_("The constraint is empty. Write it first, or press one of the examples."))
    compiled(current.model(), SamplingSettings(constraint=constraint).constraint)
    set_setting("constraint", constraint)
    for note in notes(constraint):
        notify(_(note))


def remove(key: str) -> None:
    """Switch one setting off."""
    set_setting(key, start_of(SETTINGS[key]))


def bias(token_id: int, change: float) -> None:
    """Add to the logit bias of a token; minus infinity excludes it."""
    biases = dict(current.settings().biases)
    biases[token_id] = biases.get(token_id, 0.0) + change
    set_setting("logit_bias", SETTINGS["logit_bias"].written(sorted((known_id, number) for known_id, number in biases.items() if number)))


def set_order(order: str | tuple[str, ...]) -> None:
    """Set the order of the stages. An order of the visitor's own keeps the penalty window of the engine that it was made from."""
    settings = current.settings()
    if not isinstance(order, str) and not settings.repeat_last_n and settings.order in LAST_N:
        state.set_field("repeat_last_n", LAST_N[str(settings.order)])
    set_setting("order", SETTINGS["order"].written(order))


@action_boundary
def settings_changed(key: str = "") -> None:
    """Show the effect of a changed setting on the next-token distribution. A setting without effect on greedy ends greedy."""
    saved = current_session().fields.saved
    if key in saved and current.field(key) == saved[key]:
        return  # after a change of page, Streamlit can call this for settings that did not change
    if key:
        saved[key] = current.field(key)
        current_session().fields.to_set.pop(key, None)  # the visitor's choice is newer
    if key in ENDS_GREEDY:
        state.set_field("greedy", False)
    current.changed("coming")


@action_boundary
def use_preset(name: str) -> None:
    """Apply the settings of a preset, or for another name those that the model's makers recommend."""
    apply_settings(PRESETS[name] if name in PRESETS else current.model().recommended or PLAIN)


@action_boundary
def reset_settings() -> None:
    """Turn all settings off, which leaves the model's own probabilities. The seed stays."""
    apply_settings(PLAIN)


def apply_settings(wanted: SamplingSettings, with_order: bool = False) -> None:
    """Set all settings but the seed, and the order if asked. For actions."""
    for name, row in SETTINGS.items():
        if name != "seed" and (with_order or name != "order"):
            state.set_field(name, row.written(getattr(wanted, name)))
    current.changed("coming")
