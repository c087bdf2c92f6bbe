"""The answer in a conversation: the template's tokens around the messages, the thoughts with their cost, what came from the cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.costs.receipt import Receipt
from core.generation.turns import thoughts
from core.tokens.token_text import Token
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _, ngettext
from pages.ui.session.state import Session

if TYPE_CHECKING:
    from core import Generation
    from core.chat.thoughts import Thought


def prompt_parts(run: Generation) -> list[list[tuple[Token, bool]]]:
    """Return the tokens of the prompt by message, each with whether it is the template's; one part more for what introduces the answer.

    Special tokens after a content, and blank ones after these, end its message. All others introduce the next one.
    """
    parts: list[list[tuple[Token, bool]]] = [[]]
    index = 0
    for number, (first, end) in enumerate(run.message_spans):
        if (first, end) == (0, 0):  # the template changed this message: its tokens are in the part of the next one
            parts.append([])
            continue
        parts[-1] += [(token, True) for token in run.prompt_tokens[index:first]]
        parts[-1] += [(token, False) for token in run.prompt_tokens[first:end]]
        index = end
        begun = number == len(run.messages) - 1 and run.messages[-1]["role"] == "assistant"
        while not begun and index < len(run.prompt_tokens) and _ends(run.prompt_tokens, index, end):
            parts[-1].append((run.prompt_tokens[index], True))
            index += 1
        if not begun:
            parts.append([])
    parts[-1] += [(token, True) for token in run.prompt_tokens[index:]]
    return parts


def _ends(tokens: Sequence[Token], at: int, content_end: int) -> bool:
    """Return whether this token of the template still belongs to the message whose content ended at `content_end`."""
    return tokens[at].special if at == content_end else not tokens[at].special and not tokens[at].text.strip()


def thought_rows(run: Generation) -> list[tuple[int, int, str]]:
    """Return the thoughts of the answer as rows: first step, end, and a label with the number of their tokens and their cost."""
    return [(thought.first, thought.end, _thought_label(run, thought)) for thought in thoughts(run)]


def _thought_label(run: Generation, thought: Thought) -> str:
    bill = Receipt.of(run.path[thought.first : thought.end], run.model.known_shape)
    count = thought.end - thought.first
    cost = [numbers.duration(bill.seconds)] + ([] if bill.flops is None else [numbers.prefixed(bill.flops, "FLOP")])
    named = ngettext("{count} token", "{count} tokens", count).format(count=numbers.whole(count))
    by_budget = thought.closed and run.path[thought.end - 1].chosen_by == "budget"
    return " · ".join([_("Thought") if thought.closed else _("Thinking"), named, *cost] + [_("its end was forced")] * by_budget)


def from_cache(run: Generation, session: Session) -> str:
    """Say how much of the conversation came from the cache, and where the template writes it in another way; "" if that is unknown."""
    if not run.path:
        return ""
    forward, again = run.path[0].forward, session.begun.rewritten_from
    if not (forward.computed_tokens or forward.reused_tokens):  # a server that does not count them
        return ""
    counts = {"computed": numbers.whole(forward.computed_tokens), "reused": numbers.whole(forward.reused_tokens)}
    sentence = _("Before this answer, the model computed {computed} tokens; {reused} came from the notepad (KV cache).").format(**counts)
    if again:
        other = _("From token {number} on, the template or the tokenizer writes the earlier text in another way, so it was computed again.")
        sentence = f"{sentence} {other.format(number=numbers.whole(again))}"
    return sentence
