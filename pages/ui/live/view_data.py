"""What the live view is sent of a run: its text from the first token that differs, and the step that is shown, as JSON.

Everything comes from the record of the step: the rows and tints of `core/record/step_rows.py`, the dice, the cache, the time.
"""

from __future__ import annotations

import json
import logging
import math
from typing import TYPE_CHECKING, Any

from core.errors import EmptyPrompt, ViewerError
from core.record.step import Step, TokenDistribution
from core.record.step_rows import Constrained, constrained
from core.sources.capabilities import Can
from pages.ui import features
from pages.ui.charts import cache_gauge, live_rows
from pages.ui.charts.step_tables import SLOTS, time_text
from pages.ui.i18n import numbers, phrases
from pages.ui.i18n.translation import _, quoted, say
from pages.ui.live import conversation_answer, page_needs, play, server_notes
from pages.ui.live.ended import why_ended
from pages.ui.server import offered_models
from pages.ui.session import current, share_link
from pages.ui.session.error_boundary import UNEXPECTED
from pages.ui.session.live_state import NOTHING, Drawn
from pages.ui.session.state import Session, current_session

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from core import Generation


log = logging.getLogger(__name__)


def view_data(drawn: Drawn) -> dict[str, Any]:
    """Return what the acting visitor's view shows now. drawn: what it has drawn, so that only later tokens are sent.

    An error that nobody expected becomes one sentence, and is logged.
    """
    live = current_session().live
    try:
        return _view_data(drawn)
    except Exception:
        log.exception("The live view failed")
        return {"version": live.version, "run": live.run_number, "error": _(UNEXPECTED)}


def _view_data(drawn: Drawn) -> dict[str, Any]:
    session = current_session()
    live, scene = session.live, session.live.scene
    if scene is not None:
        return {"version": live.version, "run": live.run_number} | scene.show()
    base = drawn if drawn.run == live.run_number else NOTHING
    data: dict[str, Any] = {"version": live.version, "run": live.run_number, "playing": session.player.playing, "speed": live.speed}
    data["notices"] = [notice.text for notice in session.notices.latest if not notice.place]
    if base.run == 0:
        recording = session.run if session.run is not None and Can.NEW_TOKENS not in session.run.can else None
        data["prompt"] = (current.prompt() if recording is None else recording.prompt)[: share_link.LONGEST_PROMPT]
    if session.run is None or session.begun.refusal is not None or session.begun.failure is not None:
        return data | {"refused": _refused(session), "needs_page": page_needs.needs_page(session)}
    run = session.run
    can, path = run.can, run.path
    seen: TokenDistribution | Step | None
    try:
        seen = current.shown(run)
    except ViewerError as error:  # no distribution after the newest token: a server that is gone, full memory
        data["notices"].append(say(error))
        seen = path[-1] if path else None
    return data | {
        "needs_page": page_needs.needs_page(session),
        "text": _text(run, path, base),
        "node": run.here,
        "count": len(path),
        "crowd": play.crowd(session),
        "ended": "" if session.player.playing else why_ended(run),
        "loop": _loop(run),
        "recorded": "" if Can.NEW_TOKENS in can else _recorded(run),
        "thoughts": conversation_answer.thought_rows(run),
        "from_cache": conversation_answer.from_cache(run, session) if run.messages else "",
        "left": 0 if path else _left(run),
        "final_space": not path and _ends_in_space(run),
        "opened": -1 if session.player.selected_index is None else session.player.selected_index,
        "step": None if seen is None else _step(seen, session, run, can),
    }


def _refused(session: Session) -> str:
    refusal = session.begun.refusal or session.begun.failure
    if isinstance(refusal, EmptyPrompt) and current.as_chat():
        return _("This is a new conversation. Write your first message below.")
    return say(refusal) if isinstance(refusal, ViewerError) else ""


def encoded(data: dict[str, Any]) -> bytes:
    """Return the data as JSON."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8", "replace")


def _text(run: Generation, path: Sequence[Step], drawn: Drawn) -> dict[str, Any]:
    """Return the tokens after those that the view has drawn.

    first: index of the first one among the written tokens; after: the node before it, which the view must have there. prompt: the prompt's
    tokens, for a view that has drawn no token of this run, with its writing direction. series: rows of the newest steps for the small
    charts; from: index of the first.
    """
    line = run.line
    common = _depth_of(run, line, drawn.node)
    rows = [live_rows.written_token(step, node) for step, node in zip(path[common:], line[common + 1 :], strict=True)]
    first_slot = max(0, len(path) - SLOTS)
    if line[common] == drawn.node:  # the view has drawn this path as far as that, with its charts
        first_slot = max(first_slot, common)
    text: dict[str, Any] = {"first": common, "after": line[common], "tokens": rows, "from": first_slot}
    text["series"] = [_slot(step) for step in path[first_slot:]]
    if drawn.run == 0:
        prompt = conversation_answer.prompt_parts(run)[-1] if run.messages else [(token, False) for token in run.prompt_tokens]
        text["direction"] = live_rows.direction_of(run.prompt_tokens)
        text["prompt"] = [live_rows.prompt_token(*token) for token in prompt]
    return text


def _depth_of(run: Generation, line: list[int], node_id: int) -> int:
    """Return how many steps of the current path a view has that has drawn the path to this node."""
    node: int | None = node_id if 0 <= node_id < len(run.nodes) and not run.nodes[node_id].is_deleted else 0
    if node == line[-1]:
        return len(line) - 1
    depths = {current_node: depth for depth, current_node in enumerate(line)}
    while node is not None and node not in depths:
        node = run.nodes[node].parent
    return depths[node or 0]


def _slot(step: Step) -> tuple[Any, ...]:
    """Return a step as a row of the small charts.

    Its numbers (reused and computed tokens, seconds, entropy and surprise in bits, None if not measured), whether it is a prefill, and
    the texts of its card: token, bytes in use, time.
    """
    forward = step.forward
    counted = forward.counted
    # A first token that was chosen by hand after going back is no prefill: the cache still holds nearly the whole prompt.
    prefill = counted and step.index == 0 and (forward.reused_tokens == 0 or forward.computed_tokens > 1)
    return (
        forward.reused_tokens if counted else None,
        forward.computed_tokens if counted else None,
        _finite(forward.seconds) if forward.measured else None,
        _finite(step.model_entropy),
        _finite(step.surprise),
        prefill,
        step.piece,
        numbers.size(forward.cache_bytes) if counted else "–",
        time_text(forward),
    )


def _step(distribution: TokenDistribution | Step, session: Session, run: Generation, can: AbstractSet[Can]) -> dict[str, Any]:
    """Return the step that is shown: its bars, its dice, its cache, its time and how sure the model was."""
    live, player = session.live, session.player
    forward, gauge, rolled = distribution.forward, cache_gauge.reading(distribution, run.model), isinstance(distribution, Step)
    return {
        "index": distribution.index,
        "rolled": rolled,
        "bars": live_rows.bars(distribution, live.rows, live.folded),
        "rows": live.rows,
        "folded": live.folded,
        "strip": live_rows.strip(distribution),
        "settings": "" if player.selected_index is None else phrases.settings_of_step(distribution),  # said of a step that was opened again
        "gauge": (gauge.used, gauge.filled, round(gauge.share, 5), "\n".join(gauge.details)),
        "cache_bytes": forward.cache_bytes,
        "seconds": _finite(forward.seconds),
        "notes": _notes(distribution, run, player.playing, Can.NETWORK in can),
        "times": [] if Can.NETWORK in can else server_notes.times(run.path, run.model),
        "why": _why(distribution) if features.is_here("why") and not player.playing and can >= {Can.NEW_TOKENS, Can.TOKEN_IDS} else "",
        "said": numbers.step(distribution) if isinstance(distribution, Step) else "",
    }


def _notes(distribution: TokenDistribution | Step, run: Generation, playing: bool, is_local: bool) -> list[server_notes.Note]:
    """Return the sentences below the bars, each with its help: what a constraint did, and which numbers of a server are estimates."""
    constraint = constrained(distribution)
    notes = [] if constraint is None else [(constraint_sentence(constraint), "")]
    if not is_local:
        notes += server_notes.estimates(distribution, run.path, run.model.logprob_error, playing)
    return notes


def constraint_sentence(constraint: Constrained) -> str:
    """Return what the constraint does not allow, what the model wanted, and whether one token alone is left."""
    share = numbers.chance(constraint.excluded)
    sentences = [
        _("The constraint excludes at least {share} of the probability.").format(share=share)
        if constraint.at_least
        else _("The constraint excludes {share} of the probability.").format(share=share)
    ]
    if constraint.wanted is not None:
        token, model = quoted(constraint.wanted.piece), numbers.chance(constraint.wanted.model_probability)
        sentences.append(_("The model's likeliest token, {piece} ({share}), is not allowed.").format(piece=token, share=model))
    if constraint.allowed == 1:
        sentences.append(_("One token alone is allowed, so it is forced."))
    return " ".join(sentences)


def _why(distribution: TokenDistribution | Step) -> str:
    """Return the label of the button that leads to what this token depended on; "" without a token."""
    if not len(distribution.token_ids):
        return ""
    token_id = distribution.token_id if isinstance(distribution, Step) else distribution.candidate(0).token_id
    return _("Why “{word}”?").format(word=distribution.vocabulary.token(token_id).piece.lstrip("␣") or "␣")


def _recorded(run: Generation) -> str:
    """Return what an opened recording is."""
    sentence = (
        _("This is a saved answer of {model}. Its settings, its cache and its times are not in this file.")
        if Can.FACTS not in run.can
        else _("This is a recording of {model}, with its own prompt and settings. It is open as long as this page is.")
    )
    return sentence.format(model=offered_models.title(run.model_name))


def _loop(run: Generation) -> str:
    """Return how the text repeats itself, "" if it does not."""
    loop = run.loop
    if loop is None:
        return ""
    sentence = _("It repeats itself every {tokens}: {copies} copies.").format(
        tokens=numbers.tokens(loop.period), copies=numbers.whole(loop.copies)
    )
    return f"{sentence} {_('“Why does it loop?” says why, and what ends it.')}" if features.is_here("looping") else sentence


def _ends_in_space(run: Generation) -> bool:
    """Return whether the prompt ends in a space that should be removed: most tokens begin with their own."""
    if run.as_chat or Can.NEW_TOKENS not in run.can:
        return False
    last = run.prompt_tokens[-1].text if run.prompt_tokens else ""
    return last.endswith(" ") and not last.strip()


def _left(run: Generation) -> int:
    """Return the newest node of a run that is at its prompt again: the text that was left. 0 without one, and for a recording."""
    if Can.NEW_TOKENS not in run.can:
        return 0
    return next((node.node_id for node in reversed(run.nodes) if not node.is_deleted), 0)


def _finite(number: float) -> float | None:
    """Return a number, None for one that JSON has not: not measured, or infinite."""
    return number if math.isfinite(number) else None
