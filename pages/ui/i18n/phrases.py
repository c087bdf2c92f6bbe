"""Short phrases that several pages use: the current settings, the device of a model."""

from __future__ import annotations

from collections.abc import Sequence

from core import SamplingSettings
from core.record.step import TokenDistribution
from core.reports.live_view.texts import STEP
from core.sampling.settings import CONSTRAINTS
from core.sampling.settings_row import Setting
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, _

DYNAMIC = N_("dynamic temperature")  # a stage without a row of the settings table


def settings_summary(settings: SamplingSettings) -> str:
    """Return the settings of a step that have an effect in a few words: `temperature 0.8, top-p 0.9`."""
    parts = []
    for row in settings.effective():
        if row.name != "seed":
            parts.append(setting_in_words(settings, row, _(row.short)))
    return ", ".join(parts) or _(STEP["all_off"])


def setting_in_words(settings: SamplingSettings, row: Setting, name: str) -> str:
    """Return a setting's name with its value, `watermark: green list`. Of a text, and of what is on or off, the name alone."""
    value = getattr(settings, row.name)
    if row.name == "order":
        return _("order: {name}").format(name=value if isinstance(value, str) else _("your own"))
    if row.name == "logit_bias":
        return _("{name}: {count}").format(name=name, count=numbers.tokens(len(settings.biases)))
    if row.name == "constraint":
        return _("{name}: {kind}").format(name=name, kind=_(CONSTRAINTS[value.partition(":")[0]]))
    if row.choices:
        return _("{name}: {kind}").format(name=name, kind=_(row.choices[value]))
    return name if row.is_text or isinstance(row.off, bool) else f"{name} {numbers.short(value)}"


def settings_of_step(distribution: TokenDistribution) -> str:
    """Return the settings of a step in a few words. A saved answer of a server does not contain them."""
    return settings_summary(distribution.settings) if distribution.forward.has_facts else _("settings: not in this file")


def device(name: str) -> str:
    """Return the name of a device: CPU or GPU."""
    if name == "cpu":
        return _("CPU")
    return _("GPU") if name.startswith("cuda") else name


def stages(names: Sequence[str]) -> str:
    """Return the names of sampling stages as a list: `repetition penalty, logit bias`."""
    return ", ".join(map(_, names))


def as_sentence(text: str) -> str:
    """Return a text that ends as a sentence.

    >>> as_sentence("Many requests"), as_sentence("Why?")
    ('Many requests.', 'Why?')
    """
    return text if text.endswith((".", "?", "!")) else f"{text}."
