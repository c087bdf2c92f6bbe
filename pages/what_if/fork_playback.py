"""The two branches on the page "Two branches", and their playback. Actions are for `on_click`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

import pandas as pd
import streamlit as st

from core.experiments.shared.continuation import continuation
from core.experiments.what_if import Fork
from core.record.step import Step
from core.sources.capabilities import Can, require
from pages.ui.components.branch_tree.branch_tree import TreeAction
from pages.ui.i18n import example_texts, numbers
from pages.ui.i18n.translation import N_, _, figures, ngettext
from pages.ui.session import current, player_actions
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.notices import anchor_notices, notify
from pages.ui.session.state import current_session, memory

ENDED = {
    "end of text": N_("the text ended"),
    "context full": N_("its context is full"),
    "limit reached": N_("length limit reached"),
    "out of memory": N_("there is no memory left"),
    "end of recording": N_("the recording ends here"),
}


NAME, WORD = "what_if", "what_if_instead"
FIRST_WORDS, FIRST_SECONDS = 12, 0.8  # written before the visitor presses a button
_SMALL = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True)
class Side:
    """A column of the fork. steps: its own steps; planned: its first text before it is written; foot: numbers and the end reason."""

    steps: Sequence[Step]
    planned: str
    foot: str


@dataclass(frozen=True, slots=True)
class Picked:
    """A clicked token. side: 0 for the common text, 1 or 2 for a column; index: index of its step."""

    side: int
    index: int


@dataclass(slots=True)
class ForkPlayback:
    """A fork of the visitor's run. opened: the clicked token, where the visitor can start another fork."""

    run: Any
    fork: Fork
    playing: bool = False
    opened: Picked | None = None
    ready: int | None = None  # number of the example fork, None for other forks

    def shared(self) -> list[Step]:
        """Return the common steps of both branches after the prompt."""
        return self.run.path_to(self.fork.root)

    def steps(self, side: int) -> list[Step]:
        """Return a branch's own steps so far (0: the first branch, 1: the second)."""
        return [step for step in (self.run.nodes[node].step for node in self.fork.sides[side].line) if step]

    def step_at(self, picked: Picked) -> Step:
        """Return the step of a clicked token."""
        return self.shared()[picked.index] if picked.side == 0 else self.steps(picked.side - 1)[picked.index - self.fork.parts_at]


@dataclass(slots=True)
class ForkOfVisitor:
    """now: the fork that is shown, None for none."""

    now: ForkPlayback | None = None

    def leave_page(self) -> None:
        """Pause."""
        if self.now is not None:
            self.now.playing = False


def playback() -> ForkPlayback | None:
    """Return the current fork, at first one of the visitor's own text. None if a recording has one branch only. Raises ViewerError."""
    run: Any = current.run()
    if Can.NEW_TOKENS in run.can:
        require(current.model(), Can.TOKEN_IDS)
    remembered = memory(ForkOfVisitor)
    before = remembered.now
    if before is not None and before.run is run and not before.fork.broken:
        return before
    if before is not None and before.ready is not None and Can.NEW_TOKENS in run.can and run.prompt == example_texts.FORKS[before.ready][1]:
        _use(_ready(run, before.ready), before.ready)  # another model: make the same example fork
        return remembered.now
    fork = _first(run)
    remembered.now = None if fork is None else ForkPlayback(run, fork)
    if before is None and fork is not None and Can.NEW_TOKENS in run.can and Can.SERVED not in run.can:
        _first_look(run, fork)
    return remembered.now


def _first_look(run: Any, fork: Fork) -> None:
    """Write the first tokens of both branches. The run goes back to its current node."""
    here, latest = run.here, monotonic() + FIRST_SECONDS
    try:
        for _word in range(FIRST_WORDS):
            if fork.finished or monotonic() > latest:
                break
            fork.step()
    finally:
        run.switch(here)


def _first(run: Any) -> Fork | None:
    """Return the first fork of a run, None if it has none.

    For a recording: two of its branches. For the prompt of an example fork: that fork. Else the reopened (or first) token against the
    likeliest other one.
    """
    if Can.NEW_TOKENS not in run.can:
        ends = [branch.node_id for branch in run.branches()]
        lines = {end: run.path_to(end) for end in ends}
        return next((Fork.between(run, a, b) for a in ends for b in ends if a < b and not _nested(lines[a], lines[b])), None)
    path = run.path
    example = next((number for number, (_title, prompt, *_words) in enumerate(example_texts.FORKS) if prompt == run.prompt), None)
    if not path and example is not None:
        return _ready(run, example)
    index = min(current.selected_index() or 0, max(0, len(path) - 1))
    distribution = path[index] if path else run.next_distribution()
    best = [candidate.key for candidate in distribution.candidates]
    if isinstance(distribution, Step):
        return Fork.at(run, index, None, [next(i for i in best if i != distribution.key)])
    return Fork.at(run, 0, [best[0]], [best[1]])


def _nested(first: list[Step], second: list[Step]) -> bool:
    return all(a is b for a, b in zip(first, second, strict=False))


def _use(fork: Fork, ready: int | None = None) -> None:
    memory(ForkOfVisitor).now = ForkPlayback(current.run(), fork, ready=ready)


def _ready(run: Any, number: int) -> Fork:
    _title, prompt, left, right = example_texts.FORKS[number]
    return Fork.at(run, 0, continuation(run.model, prompt, left), continuation(run.model, prompt, right))


@action_boundary
def ready_made(number: int) -> None:
    """Start an example fork."""
    current.use_prompt(example_texts.FORKS[number][1])
    _use(_ready(current.begin(), number), number)


@action_boundary
def fork_at_word(token_id: int | None, text: str | None = None) -> None:
    """Fork at the clicked token, with this token or text in its place."""
    anchor_notices(WORD)
    now = playback()
    if now is None or now.opened is None:
        return
    index, run = now.opened.index, now.run
    run.switch(now.fork.ends()[1 if now.opened.side == 2 else 0])
    before = run.prompt + "".join(step.text for step in run.path[:index])
    ids = [token_id] if token_id is not None else continuation(run.model, before, text or "")
    _use(Fork.at(run, index, None, ids))


@action_boundary
def compare_branches(left: int, right: int) -> None:
    """Show two existing branches side by side."""
    run: Any = current.begin()
    _use(Fork.between(run, left, right))


@action_boundary
def step() -> None:
    """Make one step on both sides."""
    now = playback()
    if now is not None and not now.fork.finished:
        now.fork.step()


@action_boundary
def play() -> None:
    """Start playback of both sides."""
    now = playback()
    if now is not None:
        now.playing = not now.fork.finished


@action_boundary
def pause() -> None:
    """Stop playback."""
    now = playback()
    if now is not None:
        now.playing = False


@action_boundary
def restart() -> None:
    """Go back to the fork. Both branches stay in the tree and are shown again."""
    now = playback()
    if now is None:
        return
    left, right = now.fork.ends()
    _use(Fork.between(now.run, left, right) if now.fork.pairs else now.fork, now.ready)


@action_boundary
def open_word(picked: Picked | None) -> None:
    """Select a token as the place of another fork."""
    now = playback()
    if now is not None:
        now.opened, now.playing = picked, False


@action_boundary
def do_tree_action(action: TreeAction) -> None:
    """Do the action that the visitor chose in the tree."""
    run = current.begin()
    if action.verb == "go":
        player_actions.switch(action.node_id)
    elif action.verb == "name":
        run.rename(action.node_id, action.name)
    else:
        deleted = run.delete(action.node_id)
        sentence = ngettext("{count} token was deleted.", "{count} tokens were deleted.", deleted)
        notify(sentence.format(count=numbers.whole(deleted)))


def advance() -> None:
    """Make one step on both sides, at the end of a draw during playback."""
    with current_session().action_lock:
        now = playback()
        if now is None or not now.playing:
            return
        if now.fork.finished:
            now.playing = False
            st.rerun()
        now.fork.step()


def sides(now: ForkPlayback) -> tuple[Side, Side]:
    """Return both columns."""
    left, right = (_side(now, number) for number in (0, 1))
    return left, right


def _side(now: ForkPlayback, number: int) -> Side:
    side, outcome = now.fork.sides[number], now.fork.outcomes()[number]
    model = now.run.model
    planned = [model.token(i).text for i in side.forced]
    if not planned and not side.line and side.follow:
        planned = [step.text for step in now.run.path_to(side.follow[0])[-1:]]
    if not outcome.tokens:
        return Side([], "".join(planned), _("not written yet"))
    foot = _("{count}, joint probability {probability} · ln {log}").format(
        count=numbers.tokens(outcome.tokens),
        probability=one_in_times(outcome.log_probability),
        log=numbers.decimal(outcome.log_probability, 1),
    )
    ending = f" · {_(ENDED.get(outcome.finished, outcome.finished))}" if outcome.finished else ""
    return Side(now.steps(number), "".join(planned), foot + ending)


def beginning(now: ForkPlayback, number: int) -> str:
    """Return the first words of a branch: the forced ones, or its first token."""
    steps = now.steps(number)
    forced = next((i for i, step in enumerate(steps) if not step.is_forced), len(steps))
    return "".join(step.text for step in steps[: max(1, forced)]).strip() or "…"


def one_in_times(log_probability: float) -> str:
    """Return a probability as "1 in ...", from its natural logarithm.

    >>> one_in_times(-0.6931), one_in_times(-13.8155), one_in_times(-160.0)
    ('1 in 2', '1 in 1\\xa0million', '1 in 10⁶⁹')
    """
    if not math.isfinite(log_probability):
        return _("1 in {times}").format(times="∞")
    tens = -log_probability / math.log(10)
    if tens < 12:
        times = math.exp(-log_probability)
        return _("1 in {times}").format(times=numbers.count(times) if times >= 9.5 else figures(f"{times:.1f}".removesuffix(".0")))
    return _("1 in {times}").format(times=f"10{str(round(tens)).translate(_SMALL)}")


def _range(low: float, high: float) -> str:
    return _("{low} to {high}").format(low=numbers.decimal(low, 2), high=numbers.decimal(high, 2))


def drift_table(fork: Fork) -> pd.DataFrame:
    """Return the rows of `fork_charts.branch_distance`: places after equal tokens; a mark for each other token of the first branch."""
    left, right = ([pair.left for pair in fork.pairs if pair.left], [pair.right for pair in fork.pairs if pair.right])
    rows: list[tuple[Any, ...]] = []
    group, before = 0, (-1, -1)
    for pair_places in fork.alignment().places:
        left_step, right_step, drift = left[pair_places.left], right[pair_places.right], pair_places.drift
        group += (pair_places.left - 1, pair_places.right - 1) != before
        before = (pair_places.left, pair_places.right)
        label = numbers.decimal(drift.middle, 3) if drift.exact else _range(drift.low, drift.high)
        at = left_step.index + 1
        where = _("token {one}") if left_step.index == right_step.index else _("token {one} on the left, {other} on the right")
        position_text = where.format(one=at, other=right_step.index + 1)
        rows.append((at, drift.low, drift.high, drift.middle, f"{left_step.piece} | {right_step.piece}", label, group, position_text))
    changed, after = fork.alignment().behind_change, fork.parts_at + 2  # the token after the changed one
    if changed is not None and all(row[0] != after for row in rows):
        words = " | ".join(side[1].piece for side in (left, right) if len(side) > 1)
        label = numbers.decimal(changed.middle, 3) if changed.exact else _range(changed.low, changed.high)
        after_text = _("token {one}, after the changed token").format(one=after)
        rows.append((after, changed.low, changed.high, changed.middle, words, label, -1, after_text))
    compared = {row[0] for row in rows}
    rows += [
        (step.index + 1, None, None, None, step.piece, _("no counterpart"), 0, str(step.index + 1))
        for step in left
        if step.index + 1 not in compared
    ]
    return pd.DataFrame(rows, columns=["place", "low", "high", "middle", "words", "label", "stretch", "where"])


def verdict(fork: Fork) -> str:
    """Return sentences that compare the branches, empty while there is nothing to compare."""
    alignment = fork.alignment()
    if alignment.behind_change is None:
        return ""
    sentence = _(
        "The branches differ from token {place}. After it, the distance of the next-token probabilities is "
        "**{apart}** (0: equal, 1: nothing in common)."
    ).format(place=fork.parts_at + 1, apart=numbers.decimal(alignment.behind_change.middle, 2))
    widest = alignment.widest
    if widest is None or alignment.median is None:
        nothing = _("After that they have no two consecutive tokens in common.")
        return f"{sentence} {nothing}" if min(alignment.left, alignment.right) >= 2 else sentence
    left = [pair.left for pair in fork.pairs if pair.left]
    same = "".join(step.text for step in left[max(0, widest.left - 2) : widest.left]).strip()
    more = (
        _(
            "Then **{shared} of {shorter}** tokens are equal in both, where at least two in a row are equal. After equal "
            "tokens the median distance is {median}. The largest is {widest}, after “{same}”."
        )
        if len(alignment.distances) > 1
        else _(
            "Then **{shared} of {shorter}** consecutive tokens are equal in both. After “{same}” the "
            "distance of the next-token probabilities is {widest}."
        )
    )
    return f"{sentence} " + more.format(
        shared=alignment.shared,
        shorter=min(alignment.left, alignment.right),
        median=numbers.decimal(alignment.median, 2),
        widest=numbers.decimal(widest.drift.middle, 2),
        same="".join(c if c.isalnum() or c in " .,'" else "·" for c in same),
    )


def likely_table(fork: Fork) -> pd.DataFrame:
    """Return the rows of `fork_charts.token_probabilities` and `joint`."""
    rows = []
    totals = {"one": 0.0, "other": 0.0}
    for pair in fork.pairs:
        for side, step in (("one", pair.left), ("other", pair.right)):
            if step is None:
                continue
            totals[side] += math.log(step.model_probability) if step.model_probability > 0 else 0.0
            share = step.model_probability
            rows.append(
                (pair.index + 1, side, share, totals[side], step.piece, numbers.percent(share), f"ln {numbers.decimal(totals[side], 1)}")
            )
    return pd.DataFrame(rows, columns=["place", "side", "share", "log", "text", "label", "together"])
