"""Which tokens end a text of a local model: those that its configurations name, and one that its chat template writes after an answer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from core.chat.chat_template import template_end, template_values


def configured_ends(network: Any, tokenizer: Any) -> frozenset[int]:
    """Return the end tokens that the configurations of a loaded network and its tokenizer name."""
    sources = (getattr(network, "generation_config", None), network.config, tokenizer)
    return ids_of(getattr(source, "eos_token_id", None) for source in sources)


def ids_of(ends: Iterable[Any]) -> frozenset[int]:
    """Return all ids of these values of `eos_token_id`: ids, lists of them, or None.

    >>> sorted(ids_of([7, None, [2, 7]]))
    [2, 7]
    """
    ids = set[int]()
    for end in ends:
        ids |= {int(i) for i in end} if isinstance(end, list | tuple) else set() if end is None else {int(end)}
    return frozenset(ids)


def template_ends(tokenizer: Any, configured: frozenset[int], vocabulary_size: int) -> frozenset[int]:
    """Return the token that the chat template writes after an answer, if no configuration names an end that the template writes."""
    template, added = getattr(tokenizer, "chat_template", None), getattr(tokenizer, "added_tokens_decoder", {})
    special = {str(token): number for number, token in added.items() if token.special and number < vocabulary_size}
    if not isinstance(template, str) or "eos_token" in template:
        return frozenset()
    if any(number in configured and token in template for token, number in special.items()):
        return frozenset()
    end = template_end(template, template_values(tokenizer.special_tokens_map, {}), special)
    return frozenset() if end is None else frozenset({special[end]})
