"""What made a result: the model, the prompt, the settings and what was chosen on the page. It is true of these and of nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core import SamplingSettings
from core.language import N_, _, quoted
from pages.ui.i18n import phrases
from pages.ui.server import loaded_models
from pages.ui.session import current

LONGEST = 60  # characters shown of a prompt
# What stands under these names was written by a visitor, or is one of our own examples word for word.
VISITOR_TEXTS = {
    N_("the text"),
    N_("the question"),
    N_("the short question"),
    N_("the long question"),
    N_("the sentences"),
    N_("the right answer"),
    N_("the beginning"),
}


@dataclass(frozen=True, slots=True)
class Provenance:
    """prompt, settings: None where they have no part in the result.

    chosen: what was chosen on the page, its name and its value, both in words. unsaid: the same for what would not fit into a line. These
    words stay English, so that a result is the same result in every language; they are said in the visitor's where they are shown.
    """

    model: str
    prompt: str | None = None
    settings: SamplingSettings | None = None
    chosen: tuple[tuple[str, str], ...] = ()
    hidden_inputs: tuple[tuple[str, str], ...] = ()

    def summary(self) -> str:
        """It in one line."""
        parts = [loaded_models.title(self.model)]
        if self.prompt is not None:
            parts.append(quoted(_short(self.prompt)))
        if self.settings is not None:
            parts.append(phrases.settings_summary(self.settings))
            parts += [] if self.settings.greedy else [_("seed {seed}").format(seed=self.settings.seed)]
        return " · ".join([*parts, *(_short(_(value)) for name, value in self.chosen if value)])

    def differences(self, now: Provenance) -> list[str]:
        """What of it is another now, in words."""
        pairs = ((_("the model"), "model"), (_("the prompt"), "prompt"), (_("the settings"), "settings"))
        found = [name for name, field in pairs if getattr(self, field) != getattr(now, field)]
        then, today = dict(self.chosen + self.hidden_inputs), dict(now.chosen + now.hidden_inputs)
        return found + [_(name) for name in then | today if then.get(name) != today.get(name)]


def _short(text: str) -> str:
    """The end of a text in one line."""
    line = " ".join(text[-10 * LONGEST :].split())
    return line if len(line) <= LONGEST else "…" + line[1 - LONGEST :]


def now(
    chosen: Mapping[str, str] | None = None,
    hidden_inputs: Mapping[str, str] | None = None,
    *,
    model: str | None = None,
    prompt: bool = True,
    settings: bool = True,
) -> Provenance:
    """What would make a result at this moment: `now({"the length": "40 tokens"})`. model: if not the visitor's. Raises ViewerError."""
    return Provenance(
        model or current.model_name(),
        current.prompt() if prompt else None,
        current.settings() if settings else None,
        tuple((chosen or {}).items()),
        tuple((hidden_inputs or {}).items()),
    )
