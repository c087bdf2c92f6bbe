"""The live view: what moves with every token, in parts that the page puts where it wants.

The parts show the visitor's run, which they reach by its routes, or what the page gives: a text, the bars of a step, its dice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from core.record.step import Step, TokenDistribution
from core.reports import step_in_browser
from core.reports.live_view import texts
from core.tokens.token_text import Token
from pages.ui.charts import live_rows
from pages.ui.components.register import component
from pages.ui.i18n.spoken_language import current
from pages.ui.i18n.translation import _

_SHARED = (step_in_browser.WORDS, step_in_browser.DICE, "../run_connection", "../address")
_RUNS = ("live_run", "given_run", "live")
_STYLES = (step_in_browser.STYLE, step_in_browser.WORDS_STYLE, step_in_browser.LIVE_STYLE)
_LIVE = component("live", "", *_SHARED, *step_in_browser.LIVE, *_RUNS, styles=_STYLES)


def live(part: str, run_key: str, *, key: str, on_asked: Callable[[], None], width: Any = "stretch", **options: Any) -> None:
    """Draw a part of the live view.

    part: "text", "heading", "moment", "bars", "dice_head", "dice", "cache", "times", "surprise", "player" or "prompt" (parts.js).
    run_key: opens the routes of the run. on_asked: called when a press asks why the shown token was chosen. options: of the part.

    The page is run when it shows an older state than the view and nothing has changed for a moment.
    """
    data = {"part": part, "run_key": run_key, "language": current(), "texts": texts.of(part, _), "clickable": True, **options}
    _LIVE(key=key, data=data, width=width, on_rested_change=lambda: None, on_asked_change=on_asked)


def text(
    prompt: Sequence[Token],
    path: Sequence[Step],
    *,
    key: str,
    tint: str = "likely",
    opened: int | None = None,
    accent: bool = True,
    on_click: Callable[[], None] | None = None,
    hint: str = "",
    branch: str = "",
) -> Any:
    """Draw a text token by token. A click puts the index of its step into `st.session_state[key].go` and calls `on_click`.

    tint: "likely", "unsure" or "none". opened: the step that is shown again. accent: mark the newest token as just chosen. hint: what a
    click does. branch: colour of a column of a fork ("dice" or "other"), smaller and without a legend; "muted_text" for their common text.
    Returns the clicked index as the browser sent it, None if there was no click.
    """
    given = live_rows.text(prompt, path) | {"opened": -1 if opened is None else opened, "step": {"rolled": accent}}
    words = texts.of("text", _)
    words["card"] |= {"again": hint} if hint else {}
    return _given("text", given, key, on_click, texts=words, tint=tint, branch=branch, clickable=on_click is not None).go


def bars(
    distribution: TokenDistribution | Step,
    rows: int,
    legend: Sequence[tuple[str, str]],
    *,
    key: str,
    logarithmic: bool = False,
    on_click: Callable[[], None] | None = None,
) -> None:
    """Draw the bars of a step: at most `rows` candidates and the rest. legend: colours with their meaning. A click puts the id of the bar's
    token into `st.session_state[key].go` and calls `on_click`.
    """
    step = {"bars": live_rows.bars(distribution, rows, folded=False), "rows": rows, "folded": True, "why": "", "notes": []}
    words = texts.of("bars", _) | {"bars": _("Next-token probabilities")}
    _given("bars", {"step": step}, key, on_click, texts=words, legend=legend, logarithmic=logarithmic, clickable=on_click is not None)


def dice(distribution: TokenDistribution | Step, *, key: str, still: bool = False) -> None:
    """Draw the strip of the dice, and the roll once there is one. still: without animation."""
    _given("dice", {"step": {"strip": live_rows.strip(distribution)}}, key, still=still)


def typed_text(start: str, *, key: str, label: str, examples: dict[str, str], limit: int) -> str:
    """Draw a field that sends its text while the visitor types, and return it, at most `limit` characters. start: its first text."""
    words = {"prompt": "", "placeholder": label}
    options: dict[str, Any] = {"texts": words, "typed": True, "examples": list(examples.items()), "limit": limit}
    sent = _given("prompt", {"start": start[:limit], "name": start[:limit]}, key, **options).text
    return cleaned(sent, start)[:limit]


def cleaned(sent: object, start: str) -> str:
    """Return the text that the browser sent, without incomplete characters; `start` if it sent something else."""
    text = sent if isinstance(sent, str) else start
    return text.encode("utf-8", "ignore").decode("utf-8")


def _given(part: str, given: dict[str, Any], key: str, on_click: Callable[[], None] | None = None, **options: Any) -> Any:
    data = {"part": part, "given": given, "language": current(), "texts": texts.of(part, _), "clickable": False, **options}
    return _LIVE(key=key, data=data, on_go_change=on_click or (lambda: None), on_text_change=lambda: None)
