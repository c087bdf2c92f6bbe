"""Short phrases that several pages use: the current settings, the device of a model."""

from __future__ import annotations

from collections.abc import Sequence

from core import SamplingSettings
from core.record.step import TokenDistribution
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, _

DYNAMIC = N_("dynamic temperature")  # a stage without a row of the settings table


def settings_summary(settings: SamplingSettings) -> str:
    """Return the settings of a step that have an effect in a few words: `temperature 0.8, top-p 0.9`."""
    parts = []
    for row in settings.effective():
        if row.name in ("greedy", "constraint", "watermark", "dry_sequence_breakers"):
            parts.append(_(row.short))
        elif row.name == "logit_bias":
            parts.append(_("logit bias of {count}").format(count=numbers.tokens(len(settings.biases))))
        elif row.name == "order":
            parts.append(_("order: {name}").format(name=settings.order if isinstance(settings.order, str) else _("your own")))
        elif row.name != "seed":
            parts.append(f"{_(row.short)} {numbers.short(getattr(settings, row.name))}")
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
