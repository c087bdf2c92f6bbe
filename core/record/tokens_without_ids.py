"""Listed tokens: a token and its likeliest alternatives as an inference server writes them into its JSON, with or without ids.

Servers name a token in many ways: by its id, by its bytes, by a text that may be cut at an incomplete character. The bytes are taken where
they are, because a character can be split over several tokens. Nothing is computed that the server did not send.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from heapq import nlargest
from typing import Any

import numpy as np

from core.errors import BadRecording, BadToken
from core.record.unlisted_bounds import TopLogprobs
from core.tokens.token_text import END_MARKS, FIRST_OWN_KEY, Token, lone_token

MOST_LISTED = 1_000  # tokens of a step that are recorded
LONGEST_TOKEN = 4_000  # bytes
UNLISTED = 200_000  # assumed number of unlisted tokens: an upper bound for the vocabularies of this field
LOWEST = -999.0  # a server writes -1000, -9999 or -3.4e38 for "below what was listed"
SLACK = 0.01  # allowed error of a sum of rounded probabilities, and of a log-probability that is written twice
_ESCAPED = re.compile(r"\\x([0-9a-fA-F]{2})")
_BYTE_NAME = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_ID_NAME = re.compile(r"token_id:(\d{1,15})")


@dataclass(frozen=True, slots=True)
class ListedToken:
    """A token in a list. raw: its bytes. token_id: None if the server does not give it. logprob: None if it was not measured."""

    raw: bytes
    token_id: int | None
    logprob: float | None
    special: bool = False

    def same(self, other: ListedToken) -> bool:
        """Return whether both are the same token: by their ids if both have one, else by their bytes."""
        if self.token_id is not None and other.token_id is not None:
            return self.token_id == other.token_id
        return self.raw == other.raw


@dataclass(frozen=True, slots=True)
class ListedStep:
    """The chosen token of a step and the list that the server sent, the likeliest first. The list can lack the chosen token."""

    chosen: ListedToken
    listed: tuple[ListedToken, ...] = ()

    @classmethod
    def of(cls, chosen: ListedToken, listed: Iterable[ListedToken]) -> ListedStep:
        """Return the checked step. Raises BadRecording for repeated tokens, and for values that are not log-probabilities."""
        rows = [row for row in listed if row.logprob is not None]
        ids = [row.token_id for row in rows if row.token_id is not None]
        if len(ids) != len(set(ids)):
            raise BadRecording("A list of log-probabilities names the same token twice.")
        if sum(math.exp(row.logprob or 0.0) for row in rows) > 1 + SLACK:
            raise BadRecording("The listed probabilities of a token add up to more than 100 %.")
        entry = _entry_of(chosen, rows)
        if entry is not None:
            chosen = _merged(chosen, entry)
            rows = [chosen if row is entry else row for row in rows]
        elif chosen.logprob is not None and any((row.logprob or 0.0) < chosen.logprob for row in rows):
            rows.append(chosen)
        return cls(chosen, tuple(sorted(rows, key=lambda row: -(row.logprob or 0.0))))

    @property
    def without_choice(self) -> ListedStep:
        """The list alone, without the token that the server chose, which the list may lack."""
        return ListedStep(self.listed[0], self.listed) if self.listed else self

    @property
    def rows(self) -> list[ListedToken]:
        """The list with the chosen token, which is the last one if the server did not list it."""
        if any(row is self.chosen for row in self.listed):
            return list(self.listed)
        return [*self.listed, self.chosen]


def _entry_of(chosen: ListedToken, rows: Sequence[ListedToken]) -> ListedToken | None:
    """Return the entry of a list that is the chosen token; None if it has none.

    Different tokens can have the same text. Without ids, an entry with this text is therefore the chosen token only if its log-probability
    is that of the chosen token too, or if both together would be more than 100 %.
    """
    same = [row for row in rows if row.same(chosen)]
    if not same:
        return None
    logprob = chosen.logprob
    if logprob is None:
        return same[0]
    nearest = min(same, key=lambda row: abs((row.logprob or 0.0) - logprob))
    by_id = nearest.token_id is not None and nearest.token_id == chosen.token_id
    if by_id or abs((nearest.logprob or 0.0) - logprob) <= SLACK:
        return nearest
    return nearest if math.exp(logprob) + sum(math.exp(row.logprob or 0.0) for row in rows) > 1 + SLACK else None


def _merged(chosen: ListedToken, row: ListedToken) -> ListedToken:
    """Return the chosen token as it is known from itself and from its entry in the list."""
    raw, number = row.raw or chosen.raw, row.token_id
    if raw != chosen.raw and chosen.raw.endswith(raw) and "\ufffd" in raw.decode("utf-8", "replace"):
        # llama-server holds a character back until its last token. The entry then has the bytes of all its tokens, which have no common id.
        raw, number = chosen.raw, None
    elif chosen.raw.lstrip(b" ") == raw:  # llama-server of early 2025 writes the tokens of a list without their space
        raw = chosen.raw
    return ListedToken(raw, number, row.logprob, row.special or chosen.special)


def measured(steps: Sequence[ListedStep]) -> list[ListedStep]:
    """Return the steps of an answer. A log-probability of exactly 0 without a list becomes None where it means "not measured".

    Speculative decoding writes it among tokens that have lists, and some servers write it for all tokens, also in lists of the token alone.
    In an answer without any list, 0 beside other numbers is a certain token.
    """
    if len(steps) > 1 and all(row.logprob == 0.0 for step in steps for row in step.rows):
        return [ListedStep(replace(step.chosen, logprob=None)) for step in steps]
    alone = {step.chosen.logprob for step in steps if not step.listed}
    if alone - {0.0, None} and not any(step.listed for step in steps):
        return list(steps)
    return [ListedStep(replace(step.chosen, logprob=None)) if not step.listed and step.chosen.logprob == 0.0 else step for step in steps]


class Keys:
    """Gives each token a key: its id, or a number of the app's own if only the bytes are known. tokens: all of them, by key."""

    def __init__(self) -> None:
        self.tokens: dict[int, Token] = {}
        self._own: dict[tuple[bytes, bool, int], int] = {}

    def token(self, token_id: int) -> Token:
        """Return the token with this key. Raises BadToken for an unknown one."""
        if token_id not in self.tokens:
            raise BadToken("No token with the key {number} was listed in this run.", number=token_id)
        return self.tokens[token_id]

    def of_text(self, raw: bytes) -> int:
        """Return a key for a text whose tokens are not known."""
        key = FIRST_OWN_KEY + len(self._own)
        self._own[(raw, False, -1)] = key
        self.tokens[key] = lone_token(key, raw, False)
        return key

    def of(self, listed: Sequence[ListedToken]) -> list[int]:
        """Return the keys of the tokens of one step. Different tokens with the same bytes get different keys."""
        keys: list[int] = []
        for row in listed:
            key = row.token_id
            count = 0
            while key is None or (row.token_id is None and key in keys):
                key = self._own.setdefault((row.raw, row.special, count), FIRST_OWN_KEY + len(self._own))
                count += 1
            if key not in self.tokens or not self.tokens[key].raw:
                self.tokens[key] = lone_token(key, row.raw, row.special)
            keys.append(key)
        return keys


def columns_of(step: ListedStep, keys: Keys) -> dict[str, Any]:
    """Return the arrays of a `Step` with the one stage "model": the listed probabilities, and all unlisted tokens as one."""
    rows = step.rows
    row_keys = keys.of(rows)
    logprobs = np.array([math.nan if row.logprob is None else row.logprob for row in rows])
    shares = np.exp(logprobs)
    rest = max(0.0, 1.0 - float(np.nansum(shares)))
    measured = not np.isnan(shares).all()
    count = len(rows) + (rest > 1e-6)
    index = next(i for i, row in enumerate(rows) if row is step.chosen)
    ranks = np.arange(1, len(rows) + 1)
    if step.chosen.logprob is None:
        ranks[index] = 0
    return {
        "key": row_keys[index],
        "token_ids": np.array(row_keys, dtype=np.int64),
        "ranks": ranks,
        "logits": logprobs,
        "probabilities": shares[None, :],
        "removed_at": np.full(len(rows), -1, dtype=np.int64),
        "dice_starts": np.full(len(rows), math.nan),
        "stage_names": ("model",),
        "stage_settings": (None,),
        "stage_kept": (count if measured else 1,),
        "stage_entropies": (entropy(shares, rest) if measured else math.nan,),
        "top_logprobs_count": len(rows) if measured else 0,
        "stage_exact": (True,) if measured else (),
    }


@dataclass(frozen=True, slots=True, eq=False)
class OpenList(TopLogprobs):
    """The list of one step as logits with one column for each listed token and UNLISTED more for all others, whose number is unknown.

    columns: the fields of a record with the listed probabilities alone; see `columns_of`.
    """

    columns: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, step: ListedStep, keys: Keys) -> OpenList:
        """Return the list of this step, which has at least one token. A choice that it lacks becomes one more column of the record."""
        logprobs = np.array([token.logprob for token in step.listed], dtype=np.float64)
        return cls(np.arange(len(logprobs)), logprobs, len(logprobs) + UNLISTED, columns=columns_of(step, keys))

    def column(self, key: int) -> int:
        """Return the index of the token with this key; len(self) for one that is not listed."""
        return next((index for index, listed in enumerate(self.columns["token_ids"].tolist()) if listed == key), len(self))

    def key(self, column: int) -> int:
        """Return the key of the token at this index; -1 for an unlisted one."""
        return int(self.columns["token_ids"][column]) if column < len(self) else -1

    def listing(self, count: int) -> int:
        """Return the number of all listed tokens."""
        return len(self)

    def fields(self, observed: dict[str, Any]) -> dict[str, Any]:
        """Return the fields of a record. All unlisted tokens count as one, and the first stage has the server's own numbers."""
        fields = dict(self.columns)
        order = np.argsort(observed["token_ids"])[: len(self)]  # the columns of the list; the last one can be an unlisted token
        for name in ("probabilities", "removed_at", "dice_starts"):
            fields[name] = _widened(observed[name][..., order].copy(), len(fields["token_ids"]) - len(self))
        probabilities = fields["probabilities"]
        probabilities[0] = np.exp(fields["logits"])  # without rounding to float32
        listed = np.nansum(probabilities, axis=1).tolist()
        counts = np.count_nonzero(probabilities > 0, axis=1).tolist()
        return fields | {
            "stage_names": observed["stage_names"],
            "stage_settings": observed["stage_settings"],
            "stage_kept": tuple(count + int(1.0 - total > 1e-6) for count, total in zip(counts, listed, strict=True)),
            "stage_entropies": tuple(
                entropy(np.nan_to_num(row), max(0.0, 1.0 - total)) for row, total in zip(probabilities, listed, strict=True)
            ),
            "stage_exact": self.exact_stages(zip(observed["stage_names"], observed["stage_settings"], strict=True)),
        }


def _widened(values: np.ndarray, missing: int) -> np.ndarray:
    """Return the columns of the listed tokens, with `missing` more for a chosen token that the server did not list."""
    if not missing:
        return values
    filler = -1 if values.dtype.kind == "i" else math.nan
    return np.concatenate([values, np.full((*values.shape[:-1], missing), filler, dtype=values.dtype)], axis=-1)


def entropy(shares: np.ndarray, rest: float) -> float:
    """Return the entropy in bits. All unlisted tokens count as one, so it is a lower bound."""
    parts = np.append(shares, rest)
    parts = parts[parts > 0]
    return max(0.0, -float((parts * np.log2(parts)).sum()))


def entry(value: Any) -> ListedStep:
    """Return a step from an object {token, logprob, top_logprobs}, as OpenAI, vLLM, llama-server, Ollama and others write it.

    Raises BadRecording.
    """
    if not isinstance(value, dict):
        raise _broken()
    others: Any = next((value[name] for name in ("top_logprobs", "top_probs", "probs") if value.get(name) is not None), [])
    if not isinstance(others, list):
        raise _broken()
    return ListedStep.of(token(value), likeliest([other for other in others if isinstance(other, dict)]))


def likeliest(values: list[dict[str, Any]]) -> list[ListedToken]:
    """Return the tokens in these objects, the likeliest MOST_LISTED of a longer list. Raises BadRecording."""
    if len(values) > MOST_LISTED:
        values = nlargest(MOST_LISTED, values, key=lambda value: log(value.get("logprob")) or -math.inf)
    return list(map(token, values))


def token(value: dict[str, Any]) -> ListedToken:
    """Return one token with its log-probability from an object. Raises BadRecording."""
    name = next((value[key] for key in ("token", "tok_str", "text", "content") if isinstance(value.get(key), str)), None)
    raw, number = of_name(name or "")
    given = value.get("bytes")
    if isinstance(given, list):
        if len(given) > LONGEST_TOKEN or not all(type(byte) is int and 0 <= byte <= 255 for byte in given):
            raise BadRecording("The bytes of a token are not a list of numbers from 0 to 255.")
        raw = bytes(given)
    elif name is None:
        raise BadRecording("A token has neither a text nor bytes.")
    ids = [value[key] for key in ("id", "token_id") if key in value and type(value[key]) is int]
    if ids:
        number = ids[0]
    if number is not None and not 0 <= number < FIRST_OWN_KEY:
        raise BadRecording("A token has an id that cannot exist.")
    if "logprob" in value or "prob" not in value:
        logprob = log(value.get("logprob"))
    else:
        logprob = of_probability(value["prob"])
    return ListedToken(raw, number, logprob, value.get("special") is True or name in END_MARKS)


def of_name(name: str) -> tuple[bytes, int | None]:
    """Return the bytes and the id in the name of a token.

    >>> of_name("bytes:\\\\xe2\\\\x80"), of_name("<0xE2>"), of_name(" fox"), of_name("token_id:7")
    ((b'\\xe2\\x80', None), (b'\\xe2', None), (b' fox', None), (b'', 7))
    """
    if name.startswith("bytes:") and _ESCAPED.sub("", name[6:]) == "" and name[6:]:
        return bytes.fromhex("".join(_ESCAPED.findall(name))), None
    if match := _BYTE_NAME.fullmatch(name):
        return bytes.fromhex(match.group(1)), None
    if match := _ID_NAME.fullmatch(name):
        return b"", int(match.group(1))
    raw = name.encode("utf-8", "replace")
    if len(raw) > LONGEST_TOKEN:
        raise BadRecording("A token is longer than {most} bytes.", most=LONGEST_TOKEN)
    return raw, None


def log(value: Any) -> float | None:
    """Return a log-probability; None for null, and for the numbers that mean "below what was listed". Raises BadRecording."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadRecording("A log-probability is not a number.")
    if value != value:  # NaN; math.isnan cannot take an integer with hundreds of digits
        raise BadRecording("A log-probability is NaN, so there is no probability.")
    if value > SLACK:
        raise BadRecording("A log-probability is larger than 0, so it is no log-probability.")
    return None if value < LOWEST else min(0.0, float(value))


def of_probability(value: Any) -> float | None:
    """Return the log-probability of a probability from 0 to 1; None for -1 and 0. Raises BadRecording."""
    if value is None or value in (-1, 0):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1 + SLACK:
        raise BadRecording("A probability is not a number from 0 to 1.")
    return math.log(min(1.0, value))


def _broken() -> BadRecording:
    return BadRecording("A token is not a JSON object.")
