"""Provenance of a result: the model, the prompt, the settings and the values of the page's controls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from core import SamplingSettings
from core.sources.capabilities import Can
from pages.ui import features
from pages.ui.i18n import phrases
from pages.ui.i18n.controls import TEXT, Control, Value, Values
from pages.ui.i18n.translation import _, quoted
from pages.ui.server import offered_models
from pages.ui.session import current

_RESULT: ContextVar[Provenance | None] = ContextVar("result", default=None)
LONGEST = 60  # characters shown of a prompt

# Of a result in a file, which can come from a stranger.
MOST_CONTROLS = 100
_Name = Annotated[str, Field(max_length=1_000)]


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a result was made with. prompt, settings: None if they have no effect on the result.

    controls: key and values of each control on the page; `features.controls` has their words. An older file has an English name and
    text for each, which are shown as they are. machine: the processor of a saved result, for its times.
    """

    model: _Name
    prompt: str | None = None
    settings: SamplingSettings | None = None
    controls: Annotated[tuple[tuple[_Name, Values], ...], Field(max_length=MOST_CONTROLS)] = ()
    machine: _Name = field(default="", compare=False)

    def summary(self) -> str:
        """Return the provenance in one line."""
        parts = [offered_models.title(self.model)]
        if self.prompt is not None:
            parts.append(quoted(_short(self.prompt)))
        if self.settings is not None:
            parts.append(phrases.settings_summary(self.settings))
            parts += [] if self.settings.greedy else [_("seed {seed}").format(seed=self.settings.seed)]
        parts += [_short(words) for key, values in self.shown_controls().items() if (words := _control(key).words(values))]
        return " · ".join([*parts, self.machine] if self.machine else parts)

    def differences(self, now: Provenance) -> list[str]:
        """Return the names of the inputs that differ from `now`, translated."""
        pairs = ((_("the model"), "model"), (_("the prompt"), "prompt"), (_("the settings"), "settings"))
        changed = [name for name, field in pairs if getattr(self, field) != getattr(now, field)]
        before, after = dict(self.controls), dict(now.controls)
        changed += [_(_control(key).name) for key in before | after if before.get(key) != after.get(key)]
        return list(dict.fromkeys(changed))

    def shown_controls(self) -> dict[str, tuple[Value, ...]]:
        """Return the values of the controls that are shown."""
        return {key: values for key, values in self.controls if _control(key).shown}

    def other_text(self, now: Provenance) -> str:
        """Return the text that this result is about, shortened; "" if it has none or if `now` is about the same."""
        before, after = (result.prompt or "".join(map(str, dict(result.controls).get(TEXT, ()))) for result in (self, now))
        return _short(before) if before != after else ""


def _without_older_names(held: Any) -> Any:
    if not isinstance(held, dict) or "chosen" not in held:
        return held
    return {"controls" if name == "chosen" else name: part for name, part in held.items() if name != "hidden_inputs"}


StoredProvenance = Annotated[Provenance, BeforeValidator(_without_older_names)]  # of a file


def _control(key: str) -> Control:
    return features.controls().get(key, Control(key))


def _short(text: str) -> str:
    """Return the end of a text in one line, from the beginning of a word on."""
    line = " ".join(text[-10 * LONGEST :].split())
    if len(line) <= LONGEST:
        return line
    end = line[1 - LONGEST :]
    return "…" + (end.partition(" ")[2] or end)


def now(*, model: str | None = None, prompt: bool = True, settings: bool = True, **controls: Value | Sequence[Value] | None) -> Provenance:
    """Return the provenance of a result made now: `now(length=40)`. Raises ViewerError.

    model: by default the visitor's. controls: value or values of each control; None for one without effect.
    """
    return Provenance(
        model or current.model_name(),
        current.prompt() if prompt else None,
        current.settings() if settings else None,
        stored(**controls),
    )


def stored(**controls: Value | Sequence[Value] | None) -> tuple[tuple[str, tuple[Value, ...]], ...]:
    """Return controls as a provenance has them."""
    given = {key: values for key, values in controls.items() if values is not None}
    return tuple((key, (values,) if isinstance(values, str | int | float) else tuple(values)) for key, values in given.items())


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
