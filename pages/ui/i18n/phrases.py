"""Short phrases that several pages use: the current settings, the device of a model."""

from __future__ import annotations

from collections.abc import Sequence

from core import SamplingSettings
from core.record.step import TokenDistribution
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, _

SETTINGS = {
    "temperature": N_("temperature"),
    "top_k": N_("top-k"),
    "top_p": N_("top-p"),
    "min_p": N_("min-p"),
    "typical_p": N_("typical-p"),
    "repetition_penalty": N_("repetition penalty"),
    "presence_penalty": N_("presence penalty"),
    "frequency_penalty": N_("frequency penalty"),
    "no_repeat_ngram_size": N_("no-repeat n-gram"),
    "dry_multiplier": N_("DRY multiplier"),
    "top_n_sigma": N_("top-n-sigma"),
    "epsilon_cutoff": N_("epsilon cut-off"),
    "eta_cutoff": N_("eta cut-off"),
    "xtc_probability": N_("XTC probability"),
    "dynatemp_range": N_("dynamic temperature range"),
    "mirostat_tau": N_("mirostat tau"),
}
STAGE_NAMES = (
    N_("logit bias"),
    N_("DRY"),
    N_("dynamic temperature"),
    N_("epsilon"),
    N_("eta"),
    N_("XTC"),
    N_("mirostat"),
    N_("constraint"),
)  # the names of the stages that are not those of their settings


def settings_summary(settings: SamplingSettings) -> str:
    """Return the settings of a step in a few words: `temperature 0.8, top-p 0.9`."""
    constraint = [_("constraint")] if settings.constraint else []
    if settings.greedy:
        return ", ".join([_("greedy"), *constraint])
    usual = SamplingSettings()
    parts = [
        f"{_(label)} {numbers.short(getattr(settings, name))}"
        for name, label in SETTINGS.items()
        if getattr(settings, name) != getattr(usual, name)
    ]
    if settings.biases:
        parts.append(_("logit bias of {count}").format(count=numbers.tokens(len(settings.biases))))
    parts += constraint
    if settings.order != usual.order:
        parts.append(_("order: {name}").format(name=settings.order if isinstance(settings.order, str) else _("your own")))
    return ", ".join(parts) or _("all settings off")


def settings_of_step(seen: TokenDistribution) -> str:
    """Return the settings of a step in a few words. A saved answer of a server does not contain them."""
    return settings_summary(seen.settings) if seen.forward.has_facts else _("settings: not in this file")


def device(name: str) -> str:
    """Return the name of a device: CPU or GPU."""
    if name == "cpu":
        return _("CPU")
    return _("GPU") if name.startswith("cuda") else name


def stages(names: Sequence[str]) -> str:
    """Return the names of sampling stages as a list: `repetition penalty, logit bias`."""
    return ", ".join(_(name) for name in names)


def as_sentence(text: str) -> str:
    """Return a text that ends as a sentence.

    >>> as_sentence("Many requests"), as_sentence("Why?")
    ('Many requests.', 'Why?')
    """
    return text if text.endswith((".", "?", "!")) else f"{text}."
