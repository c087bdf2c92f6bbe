"""What a model on an inference server cannot say exactly: which numbers of a step are estimates, and what its time consists of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.record.near_border import is_close, neighbour
from core.record.step import Step, TokenDistribution
from core.sources.capabilities import Can
from core.sources.source import Source
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _, ngettext

NAMED = 8  # close steps of a text that are named
Note = tuple[str, str]  # a sentence, and its help or ""


def estimates(distribution: TokenDistribution | Step, path: Sequence[Step], error: float, playing: bool) -> list[Note]:
    """Return which numbers are estimated because the server lists few tokens, and whether the roll fell beside a border.

    error: nats that are expected of the server's log-probabilities. Unless Play is on, the other close steps are named, too.
    """
    notes = _border(distribution, path, error, playing) if error else []
    if not distribution.note:
        return notes
    if distribution.is_open:
        count = distribution.top_logprobs_count
        listed = ngettext("{count} token listed; all others are one row.", "{count} tokens listed; all others are one row.", count)
        return [*notes, (listed.format(count=numbers.whole(count)), _(distribution.note))]
    what = (
        _("The probabilities are as the server gives them; the entropy is an upper bound.")
        if distribution.exact
        else _("The probabilities after your settings are computed from the server's list. Those of an earlier stage are estimates.")
        if distribution.stage_exact[-1]
        else _("The probabilities after your settings are estimates.")
    )
    counts = {"listed": numbers.whole(distribution.top_logprobs_count), "whole": numbers.whole(distribution.stage_kept[0])}
    return [*notes, (_("≈ {what} {listed} of {whole} tokens listed").format(what=what, **counts), _(distribution.note))]


def _border(distribution: TokenDistribution | Step, path: Sequence[Step], error: float, playing: bool) -> list[Note]:
    notes: list[Note] = []
    if isinstance(distribution, Step) and is_close(distribution, error):
        other = neighbour(distribution, error)
        close = _("≈ This choice is close: with the rounding errors expected of this server, another token could have been chosen.")
        if other is not None:
            close = _("≈ This choice is close: with the rounding errors expected of this server, “{piece}” could have been chosen.")
            close = close.format(piece=other.piece)
        notes.append((close, ""))
    steps = [] if playing else [step for step in path if is_close(step, error)]
    if steps:
        named = ", ".join(numbers.whole(step.index + 1) for step in steps[:NAMED]) + (", …" if len(steps) > NAMED else "")
        counted = _("≈ Close choices in this text: {count} of {steps} (steps {named}).")
        notes.append((counted.format(count=numbers.whole(len(steps)), steps=numbers.whole(len(path)), named=named), ""))
    return notes


def times(path: Sequence[Step], model: Source) -> list[Note]:
    """Return how much of the newest step's time the server computed, and how long the request waited there."""
    if not path or not path[-1].forward.measured or not on_a_server(path[-1], model):
        return []
    forward = path[-1].forward
    queue = _(", and {queue} in its queue").format(queue=numbers.duration(forward.queue_seconds)) if forward.queue_seconds else ""
    line = _("Measured here, the network included{queue}").format(queue=queue)
    if forward.server_seconds is not None:
        computed = _("Computing on the server: {server} of {whole}{queue}")
        line = computed.format(server=numbers.duration(forward.server_seconds), whole=numbers.duration(forward.seconds), queue=queue)
    about = _("The server reports how long it computed. The other part is the network, its queue, and reading its answer.")
    return [(line, about)]


def on_a_server(step: Step, model: Any) -> bool:
    """Return whether this step was made on a server, also in a recording."""
    return step.forward.server_seconds is not None or step.top_logprobs_count > 0 or Can.SERVED in model.can
