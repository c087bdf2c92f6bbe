"""Provenance of a result: the model, the prompt, the settings and the values of the page's controls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace

from core import SamplingSettings
from core.sources.capabilities import Can
from pages.ui.i18n import control_values, phrases
from pages.ui.i18n.translation import N_, _, quoted
from pages.ui.server import offered_models
from pages.ui.session import current

_RESULT: ContextVar[Provenance | None] = ContextVar("result", default=None)
TEXT = N_("the text before it")  # name of a hidden input: the text of the token that a result explains
LONGEST = 60  # characters shown of a prompt


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a result was made with. prompt, settings: None if they have no effect on the result.

    chosen: name and value of each control on the page. hidden_inputs: the same for inputs that are compared and not shown, because they
    are too long. Both are English, so that results compare equal in every language; they are translated when they are shown.
    machine: the processor of a saved result, for its times.
    """

    model: str
    prompt: str | None = None
    settings: SamplingSettings | None = None
    chosen: tuple[tuple[str, str], ...] = ()
    hidden_inputs: tuple[tuple[str, str], ...] = ()
    machine: str = field(default="", compare=False)

    def summary(self) -> str:
        """Return the provenance in one line."""
        parts = [offered_models.title(self.model)]
        if self.prompt is not None:
            parts.append(quoted(_short(self.prompt)))
        if self.settings is not None:
            parts.append(phrases.settings_summary(self.settings))
            parts += [] if self.settings.greedy else [_("seed {seed}").format(seed=self.settings.seed)]
        parts += [_short(control_values.translated(value)) for name, value in self.chosen if value]
        return " · ".join([*parts, self.machine] if self.machine else parts)

    def differences(self, now: Provenance) -> list[str]:
        """Return the names of the inputs that differ from `now`, translated."""
        pairs = ((_("the model"), "model"), (_("the prompt"), "prompt"), (_("the settings"), "settings"))
        changed = [name for name, field in pairs if getattr(self, field) != getattr(now, field)]
        before, after = dict(self.chosen + self.hidden_inputs), dict(now.chosen + now.hidden_inputs)
        return changed + [_(name) for name in before | after if before.get(name) != after.get(name)]

    def other_text(self, now: Provenance) -> str:
        """Return the text that this result is about, shortened; "" if it has none or if `now` is about the same."""
        before, after = (result.prompt or dict(result.hidden_inputs).get(TEXT, "") for result in (self, now))
        return _short(before) if before != after else ""


def _short(text: str) -> str:
    """Return the end of a text in one line, from the beginning of a word on."""
    line = " ".join(text[-10 * LONGEST :].split())
    if len(line) <= LONGEST:
        return line
    end = line[1 - LONGEST :]
    return "…" + (end.partition(" ")[2] or end)


def now(
    chosen: Mapping[str, str] | None = None,
    hidden_inputs: Mapping[str, str] | None = None,
    *,
    model: str | None = None,
    prompt: bool = True,
    settings: bool = True,
) -> Provenance:
    """Return the provenance of a result made now: `now({"the length": "40 tokens"})`. Raises ViewerError.

    model: by default the visitor's.
    """
    return Provenance(
        model or current.model_name(),
        current.prompt() if prompt else None,
        current.settings() if settings else None,
        tuple((chosen or {}).items()),
        tuple((hidden_inputs or {}).items()),
    )


@contextmanager
def of_result(made_by: Provenance | None) -> Iterator[None]:
    """Context of drawing a result: `shown` returns what made it."""
    token = _RESULT.set(made_by)
    try:
        yield
    finally:
        _RESULT.reset(token)


def shown() -> Provenance:
    """Return the provenance of the result that is being drawn; outside of a result that of the visitor's run. Raises ViewerError."""
    if (result := _RESULT.get()) is not None:
        return result
    run = current.run()
    if Can.FACTS not in run.can:  # a saved answer contains neither its settings nor, mostly, its prompt
        return Provenance(run.model_name, run.prompt or None)
    return Provenance(run.model_name, run.prompt, run.path[-1].settings if run.path else run.settings)


def with_settings(settings: SamplingSettings) -> Provenance:
    """Return what `shown` returns, with the settings of a step. Raises ViewerError."""
    source = shown()
    answer = _RESULT.get() is None and source.settings is None
    return source if answer else replace(source, settings=settings)
