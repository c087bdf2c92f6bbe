"""Token strip: a text token by token, tinted by probability or entropy. Hover shows a token's numbers, a click reports its step."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence
from functools import partial
from itertools import takewhile
from typing import Any
from unicodedata import bidirectional

from core.record.step import Step
from core.record.step_rows import constrained, tint_depth
from core.tokens.token_text import Token
from pages.ui.charts.step_tables import shown as shown_in_text
from pages.ui.components.register import TOKENS, component
from pages.ui.i18n import numbers
from pages.ui.i18n.spoken_language import current
from pages.ui.i18n.translation import N_, _, said

TINT_ENDS = {"likely": (N_("unlikely"), N_("likely")), "unsure": (N_("sure"), N_("unsure"))}
CARD = {
    "label": N_("The text so far, token by token"),
    "prompt": N_("part of the prompt"),
    "model": N_("for the model"),
    "dice": N_("after your settings"),
    "rank": N_("rank"),
    "forced": N_("you chose it"),
    "wanted": N_("likeliest, but not allowed:"),
}
WINDOW = 600  # newest tokens that are drawn, so that a draw of a long text costs the same; a click shows the earlier ones
BLOCK = 100  # tokens by which the window moves, so that the drawn text mostly only grows

_STRIP = component("token_strip", styles=TOKENS)


def token_strip(
    prompt: Sequence[Token],
    path: Sequence[Step],
    *,
    key: str,
    memory: MutableMapping[str, Any],
    tint: str = "likely",
    opened: int | None = None,
    accent: bool = True,
    on_click: Callable[[], None] | None = None,
    hint: str = "",
    ask: str = "",
    on_ask: Callable[[], None] | None = None,
    branch: str = "",
    offset: int = 0,
    template: int | None = None,
) -> Any:
    """Draw a text token by token. A click puts the step's index into `st.session_state[key].opened` and calls `on_click`.

    memory: where the strip keeps what it drew last, one per visitor. opened: the step that is shown again; accent: mark the newest token
    as just chosen. hint: what a click does. ask: label of the button beside a token ("" for none), which puts the index of its step
    into `st.session_state[key].asked` and calls `on_ask`. branch: colour of a column of a fork ("dice" or "other"), smaller and
    without a legend. offset: index of the first step of `path`, for a part of a run. template: in a conversation, how many of the
    first tokens of `prompt` are the template's; the strip then has the height of its text.
    Returns the clicked index as the browser sent it, None if there was no click.
    """
    first = _first(prompt, path, key, None if opened is None else max(0, opened - offset), memory)
    newest = offset + len(path) - 1
    skipped = max(0, first - len(prompt))  # steps
    shown = path[skipped:]
    rows = memory.setdefault(f"{key} drawn", _Drawn()).steps(shown, tint)
    data = {
        "tint": tint,
        "branch": branch,
        "prompt": [(shown_in_text(t.text, t.piece, t.raw), t.key, i < (template or 0)) for i, t in enumerate(prompt[first:], first)],
        "steps": rows,
        "flow": template is not None,
        "skipped": offset + skipped,
        "direction": direction("".join([t.text for t in prompt[:WINDOW]])),
        "before": _("… {count} earlier tokens").format(count=numbers.whole(first)) if first else "",
        "ask": ask,
        "opened": -1 if opened is None else opened,
        "accent": newest if accent and opened is None else -1 if opened is None else opened,
        "clickable": on_click is not None,
        "legend": [_(end) for end in TINT_ENDS.get(tint, ("", ""))],
        "card": {**said(CARD), "again": hint or _("click to see its probabilities again")},
        "forced": _("you chose") if any(step.chosen_by == "forced" for step in shown) else "",
        "steered": _("likeliest token excluded") if any(row[-1] for row in rows) else "",
    }
    show_all = partial(memory.update, {f"{key} whole": True})
    called = {"on_opened_change": on_click or (lambda: None), "on_whole_change": show_all, "on_asked_change": on_ask or (lambda: None)}
    return _STRIP(key=key, data=data, **called).opened


def direction(text: str) -> str:
    """Return the writing direction of a text, "ltr" or "rtl": that of its first letter.

    >>> direction("Once"), direction("12 مرحبا"), direction("?")
    ('ltr', 'rtl', 'ltr')
    """
    first_kind = next((kind for letter in text if (kind := bidirectional(letter)) in ("L", "R", "AL")), "L")
    return "ltr" if first_kind == "L" else "rtl"


def _first(prompt: Sequence[Token], path: Sequence[Step], key: str, opened: int | None, memory: MutableMapping[str, Any]) -> int:
    """Return the index of the first drawn token, counted over prompt and path."""
    count = len(prompt) + len(path)
    if count <= WINDOW:
        memory.pop(f"{key} whole", None)
    if count <= WINDOW or f"{key} whole" in memory:
        return 0
    newest = (count - WINDOW) // BLOCK * BLOCK
    return newest if opened is None else min(newest, max(0, len(prompt) + opened - WINDOW // 2))


class _Drawn:
    """The rows that a strip sent last. A text mostly grows by one token, so only the new rows are computed."""

    def __init__(self) -> None:
        self._look = ("", "")  # tint and language
        self._path: list[Step] = []
        self._steps: list[tuple[Any, ...]] = []

    def steps(self, path: Sequence[Step], tint: str) -> list[tuple[Any, ...]]:
        """Return the rows of all steps."""
        appearance = (tint, current())
        drawn = zip(path, self._path, strict=False) if appearance == self._look else ()
        same = sum(1 for _pair in takewhile(lambda pair: pair[0] is pair[1], drawn))
        self._look, self._path = appearance, list(path)
        self._steps = self._steps[:same] + [_step(step, tint) for step in path[same:]]
        return self._steps


def _step(step: Step, tint: str) -> tuple[Any, ...]:
    """Return one step as a row: text, id, depth of its tint, forced, its numbers, and what the model wanted but for the constraint."""
    taken, done = step.chosen, constrained(step)
    wanted = done.wanted if done is not None else None
    return (
        shown_in_text(step.text, taken.piece, step.raw),
        step.key,
        round(tint_depth(step, tint), 3),
        step.chosen_by == "forced",
        numbers.chance(taken.model_probability),
        numbers.chance(taken.sampling_probability),
        taken.rank,
        f"{wanted.piece} {numbers.chance(wanted.model_probability)}" if wanted is not None else "",
    )
