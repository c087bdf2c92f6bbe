"""The logit bias as a value of the settings: checked, read from a text and written as one."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from typing import Any

from core.checked_number import is_bool, is_finite, shown, whole_number
from core.errors import BadSetting
from core.message import Message, Number

LARGEST_TOKEN_ID = 10_000_000
MOST_BIASES = 1_000
LARGEST_BIAS = 1e6


def biases(value: Any) -> tuple[tuple[int, float], ...]:
    """Return a logit bias as pairs, by token id. Raises BadSetting."""
    if not isinstance(value, Mapping | Sequence) or isinstance(value, str):
        raise BadSetting("Logit bias must be token ids with numbers, not {shown}.", shown=shown(value))
    try:
        pairs = [(token_id, bias) for token_id, bias in (value.items() if isinstance(value, Mapping) else value)]
    except (TypeError, ValueError) as error:
        raise BadSetting("Logit bias must be token ids with numbers, not {shown}.", shown=shown(value)) from error
    if len(pairs) > MOST_BIASES:
        raise BadSetting("Logit bias takes at most {most} tokens, not {count}.", most=MOST_BIASES, count=len(pairs))
    by_id: dict[int, float] = {}
    for token_id, bias in pairs:
        if isinstance(token_id, str) and token_id.isascii() and token_id.isdecimal() and len(token_id) < 16:
            token_id = int(token_id)  # OpenAI's logit_bias, whose names are texts
        if isinstance(token_id, str):
            raise BadSetting(
                "Logit bias names tokens by their ids, not by a text such as {shown}. model.token_of(text).token_id is the id of a text.",
                shown=shown(token_id),
            )
        checked_id = whole_number(token_id, Message("A token id of the logit bias"), 0, LARGEST_TOKEN_ID)
        if checked_id in by_id:
            raise BadSetting("Logit bias names token {token_id} twice.", token_id=str(checked_id))
        by_id[checked_id] = _bias(checked_id, bias)
    return tuple(sorted((token_id, bias) for token_id, bias in by_id.items() if bias))


def _bias(token_id: int, bias: Any) -> float:
    """Return one bias; -inf for None. Raises BadSetting."""
    if bias is None or (isinstance(bias, float) and bias == -math.inf):
        return -math.inf
    if is_bool(bias) or not isinstance(bias, numbers.Real) or not is_finite(bias) or abs(float(bias)) > LARGEST_BIAS:
        raise BadSetting(
            "The logit bias of token {token_id} must be a number from {low} to {high}, or -inf, not {shown}.",
            token_id=str(token_id),
            low=Number(-LARGEST_BIAS, ",.0f"),
            high=Number(LARGEST_BIAS, ",.0f"),
            shown=shown(bias),
        )
    return float(bias)


def read_biases(text: str) -> tuple[tuple[int, float], ...]:
    """Return the pairs of a text such as 464:-inf,287:1.5. Raises ValueError for another text."""
    pairs = [part.split(":") for part in text.replace(" ", "").split(",") if part]
    return tuple((int(token_id), float(number)) for token_id, number in pairs)


def write_biases(pairs: Any) -> str:
    """Return the text that `read_biases` reads."""
    return ",".join(f"{token_id}:{'-inf' if math.isinf(number) else format(number, 'g')}" for token_id, number in pairs)
