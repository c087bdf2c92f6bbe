"""The samplers of the dialog "All samplers": their controls in groups, and the settings that are texts in widgets and links."""

from __future__ import annotations

import json
import math
from typing import Any

from core import SamplingSettings
from core.sampling.constraint.source import lark_of
from core.stage_orders import REPETITION, SETTING_OF
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, _
from pages.ui.session.sampling_controls import CONTROLS, IN_SIGHT, Control

PLAIN = SamplingSettings()
LONGEST_TEXT = 20_000  # characters of a setting that is a text
CONSTRAINT_KINDS = {
    "choices": N_("one of several texts"),
    "schema": N_("JSON schema"),
    "example": N_("JSON like an example"),
    "regex": N_("regular expression"),
    "lark": N_("Lark grammar"),
}


def parse_bias(text: str) -> tuple[tuple[int, float], ...]:
    """Return the logit bias of a text such as `464:-inf,287:1.5`. Raises ValueError or BadSetting."""
    pairs = [part.split(":") for part in text[:LONGEST_TEXT].replace(" ", "").split(",") if part]
    return SamplingSettings(logit_bias=tuple((int(token_id), float(number)) for token_id, number in pairs)).biases


def write_bias(biases: Any) -> str:
    """Return the text of a logit bias."""
    return ",".join(f"{token_id}:{'-inf' if math.isinf(number) else format(number, 'g')}" for token_id, number in biases)


def parse_order(text: str) -> str | tuple[str, ...]:
    """Return the order of a text: an engine, or names of stages with commas. Stages that it does not name come last. Raises BadSetting."""
    if "," not in text:
        return SamplingSettings(order=text).order
    named = tuple(name.strip() for name in text.split(","))
    if "constraint" not in named:  # in old links; after the cut-offs it would often leave no token
        named = ("constraint", *named)
    return SamplingSettings(order=named + tuple(name for name in SETTING_OF if name not in named)).order


def write_order(order: Any) -> str:
    """Return the text of an order."""
    return order if isinstance(order, str) else ",".join(order)


def parse_breakers(text: str) -> tuple[str, ...]:
    """Return the sequence breakers of a JSON list. Raises ValueError or BadSetting."""
    return SamplingSettings(dry_sequence_breakers=tuple(json.loads(text[:LONGEST_TEXT]))).dry_sequence_breakers


def write_breakers(breakers: Any) -> str:
    """Return the sequence breakers as a JSON list."""
    return json.dumps(list(breakers), ensure_ascii=False)


def parse_constraint(text: str) -> str:
    """Return the constraint of a text, if it can be read. Raises BadSetting."""
    constraint = SamplingSettings(constraint=text).constraint
    if constraint:
        lark_of(constraint)
    return constraint


def _number(name: str, label: str, low: float, high: float, step: float, help: str) -> Control:
    return Control(name, label, low, high, step, getattr(PLAIN, name), help, lambda value: "")


GROUPS: dict[str, tuple[Control, ...]] = {
    N_("Temperature"): (
        _number("dynatemp_range", N_("Dynamic temperature range"), 0.0, 2.0, 0.05,
                N_("The temperature moves by this much: lower where the model is certain, higher where it is not. 0 is off.")),
        _number("dynatemp_exponent", N_("Dynamic temperature exponent"), 0.0, 5.0, 0.1,
                N_("Exponent of the normalised entropy. Above 1, the temperature stays low until the entropy is high.")),
        _number("mirostat_tau", N_("Mirostat tau"), 0.0, 10.0, 0.1,
                N_("Mirostat 2 steers the surprise of the text towards this many bits. It replaces the cut-offs and, in llama.cpp's order, "
                   "the repetition settings. 0 is off.")),
        _number("mirostat_eta", N_("Mirostat eta"), 0.0, 1.0, 0.01, N_("How fast mirostat moves its limit after each token.")),
    ),
    N_("Cut-offs"): (
        _number("top_n_sigma", N_("Top-n-sigma"), 0.0, 10.0, 0.1,
                N_("Keeps logits within this many standard deviations of the largest one. 0 is off.")),
        _number("epsilon_cutoff", N_("Epsilon cut-off"), 0.0, 0.5, 0.001, N_("Excludes tokens with a smaller probability. 0 is off.")),
        _number("eta_cutoff", N_("Eta cut-off"), 0.0, 0.5, 0.001,
                N_("Excludes unlikely tokens, but fewer of them where the model is uncertain. 0 is off.")),
        _number("xtc_probability", N_("XTC probability"), 0.0, 1.0, 0.05,
                N_("Probability that XTC excludes the likeliest tokens at a step. The dice decide. 0 is off.")),
        _number("xtc_threshold", N_("XTC threshold"), 0.01, 0.5, 0.01,
                N_("XTC excludes the tokens that reach this probability, except the least likely of them.")),
    ),
    N_("Repetition"): (
        _number("presence_penalty", N_("Presence penalty"), -2.0, 2.0, 0.1,
                N_("Is subtracted from the logit of every token that was written. 0 is off.")),
        _number("frequency_penalty", N_("Frequency penalty"), -2.0, 2.0, 0.1,
                N_("Is subtracted from the logit of a token as often as it was written. 0 is off.")),
        _number("repeat_last_n", N_("Repeat last n"), 0, 4096, 1,
                N_("How many of the last tokens of prompt and text the penalties and DRY read. 0: as in the engine of the chosen order.")),
        _number("no_repeat_ngram_size", N_("No-repeat n-gram size"), 0, 20, 1,
                N_("Excludes tokens that would repeat a sequence of this many tokens. 0 is off.")),
        _number("dry_multiplier", N_("DRY multiplier"), 0.0, 5.0, 0.05,
                N_("DRY makes tokens less likely that would extend a repetition. 0 is off.")),
        _number("dry_base", N_("DRY base"), 1.0, 4.0, 0.05, N_("How fast DRY's penalty grows with the length of a repetition.")),
        _number("dry_allowed_length", N_("DRY allowed length"), 1, 50, 1, N_("DRY ignores repetitions of fewer tokens than this.")),
        Control("dry_sequence_breakers", N_("DRY sequence breakers"), 0, 0, 0, write_breakers(PLAIN.dry_sequence_breakers),
                N_("A repetition ends at these texts. A JSON list."), lambda value: "", parse_breakers, write_breakers),
    ),
    N_("Bias"): (
        Control("logit_bias", N_("Logit bias"), 0, 0, 0, "",
                N_("Token ids with numbers that are added to their logits: 464:-inf,287:1.5. Minus infinity excludes a token."),
                lambda value: "", parse_bias, write_bias),
    ),
    N_("Constraint"): (
        Control("constraint", N_("Constraint"), 0, 0, 0, "",
                N_("Allows only tokens with which the text can still match a choice, JSON, a regular expression or a grammar."),
                lambda value: "", parse_constraint),
    ),
}  # fmt: skip
ORDER = Control("order", N_("Order of the stages"), 0, 0, 0, "transformers", N_("The order in which the stages are applied."),
                lambda value: "", parse_order, write_order)  # fmt: skip
MORE = (*(control for group in GROUPS.values() for control in group), ORDER)
ALL_CONTROLS = (*CONTROLS, *MORE)
CHIPS = (
    *(name for name in SETTING_OF.values() if name not in IN_SIGHT),
    "greedy",
    "dynatemp_range",
    "repeat_last_n",
    "order",
)  # with a chip
# Settings that have no effect on greedy.
ENDS_GREEDY = frozenset(SETTING_OF[name] for name in SETTING_OF.keys() - REPETITION - {"logit bias", "constraint"})


def is_on(settings: SamplingSettings, key: str) -> bool:
    """Return whether this setting differs from its off value."""
    return bool(getattr(settings, key) != getattr(PLAIN, key))


def chip_text(settings: SamplingSettings, key: str) -> str:
    """Return the text of a setting's chip: its name and value."""
    label = _(next(control.label for control in ALL_CONTROLS if control.key == key))
    value = getattr(settings, key)
    if key == "logit_bias":
        return _("{name}: {count}").format(name=label, count=numbers.tokens(len(settings.biases)))
    if key == "constraint":
        return _("{name}: {kind}").format(name=label, kind=_(CONSTRAINT_KINDS[value.partition(":")[0]]))
    if key == "order":
        return _("order: {name}").format(name=value if isinstance(value, str) else _("your own"))
    if key == "greedy":
        return label
    return f"{label} {numbers.short(value)}"


def without_effect(settings: SamplingSettings, key: str) -> str:
    """Return the sentence that says why a setting has no effect now; empty if it has one."""
    stage = "temperature" if key == "dynatemp_range" else next((name for name, setting in SETTING_OF.items() if setting == key), "")
    if stage in settings.without_effect:
        return _("No effect: greedy always takes the likeliest token.") if settings.greedy else _("No effect: mirostat replaces it.")
    if key == "dynatemp_range" and settings.mirostat_tau and settings.order == "llama.cpp" and not settings.greedy:
        return _("No effect: mirostat replaces it.")
    return ""


def can_be_shown(settings: SamplingSettings) -> bool:
    """Return whether every control can show its value of these settings."""
    return all(one.parse is not None or one.low <= getattr(settings, one.key) <= one.high for one in ALL_CONTROLS)
