"""Types of fields that a file of a recorded experiment stores in their own form: steps, each once in a table, and translatable sentences.

All other fields of observations are plain values, which pydantic reads and writes by their declared types (see `recorded`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Annotated, Any

from pydantic import BeforeValidator, FailFast, Field, PlainSerializer, PlainValidator, WrapSerializer, WrapValidator

from core.generation.step_file import Count, StepFile, Strict, TokenFile, settings_of, step_file, step_of
from core.message import Message, Number
from core.record.step import Step, TokenDistribution, Words
from core.tokens.tokens import lone_token

Index = Annotated[int, Field(ge=0, lt=2**31)]
_FIELD = re.compile(r"\{([a-z_]+)\}")  # a message in a file has plain fields only: no attributes, indices or formats
_SPEC = re.compile(r",?(\.\d)?[fge%]?")


def _stored(kind: type) -> PlainValidator:
    def step_of_number(number: Any, info: Any) -> Any:
        step = info.context.get(number) if type(number) is int else None
        if not isinstance(step, kind):
            raise ValueError("not the number of a step")
        return step

    return PlainValidator(step_of_number)


def _number_of(step: Any, info: Any) -> Any:
    if not isinstance(step, TokenDistribution):
        raise ValueError("not a step")
    return info.context.setdefault(step, len(info.context))


# A step is its number in the file's table. The pydantic context is a dictionary: to write, of steps to numbers; to read, the reverse.
StoredStep = Annotated[Step, _stored(Step), PlainSerializer(_number_of)]
StoredDistribution = Annotated[TokenDistribution, _stored(TokenDistribution), PlainSerializer(_number_of)]


# Bytes, which are stored in hexadecimal digits.
HexBytes = Annotated[bytes, BeforeValidator(lambda held: bytes.fromhex(held) if isinstance(held, str) else held)]


class VocabularyFile(Strict):
    """The tokens of a model that occur in the steps of a file."""

    end_token_ids: Annotated[list[Count], FailFast()]
    tokens: Annotated[list[TokenFile], FailFast()]

    def words(self) -> Words:
        """Return the vocabulary."""
        tokens = {token.id: lone_token(token.id, bytes.fromhex(token.raw), token.special) for token in self.tokens}
        return Words(tokens, frozenset(self.end_token_ids))


class TableStep(StepFile):
    """A step in the table of a file. vocabulary: its number. is_chosen: False for a distribution without a chosen token."""

    index: Index
    position: Index
    vocabulary: Index
    is_chosen: bool
    text: str


def table_files(steps: Iterable[TokenDistribution]) -> tuple[list[VocabularyFile], list[TableStep]]:
    """Return the vocabularies and the table of these steps for a file."""
    table = []
    vocabularies: dict[int, VocabularyFile] = {}  # by id() of the source
    tokens: dict[tuple[int, int], TokenFile] = {}
    for step in steps:
        source = step.vocabulary
        ends = sorted(getattr(source, "end_token_ids", ()))
        file = vocabularies.setdefault(id(source), VocabularyFile(end_token_ids=ends, tokens=[]))
        for key in map(int, step.token_ids):
            if (id(source), key) not in tokens:
                token = source.token(key)
                tokens[id(source), key] = TokenFile(id=key, raw=token.raw.hex(), special=token.special)
                file.tokens.append(tokens[id(source), key])
        table.append(_table_step(step, list(vocabularies).index(id(source))))
    return list(vocabularies.values()), table


def _table_step(step: TokenDistribution, vocabulary: int) -> TableStep:
    values = {field.name: getattr(step, field.name) for field in fields(step)}
    unchosen: dict[str, Any] = {"key": int(step.token_ids[0]), "text": "", "chosen_by": "greedy", "roll": None, "attempt": 0}
    full = step if isinstance(step, Step) else Step(**unchosen | values)
    content = dict(step_file(full, 0, ""))
    content |= {"index": full.index, "position": full.position, "vocabulary": vocabulary, "is_chosen": full is step, "text": full.text}
    return TableStep.model_construct(**content)


def steps_of(vocabularies: Sequence[Words], table: Iterable[TableStep]) -> Iterator[TokenDistribution]:
    """Yield the steps in the table of a file. Raises ValueError or ViewerError if the table contradicts itself."""
    for row in table:
        if row.vocabulary >= len(vocabularies):
            raise ValueError("not the number of a vocabulary")
        words = vocabularies[row.vocabulary]
        for token_id in row.token_ids:
            words.token(token_id)
        step = step_of(row, row.index, row.position, settings_of(row.settings), words, row.text)
        yield step if row.is_chosen else TokenDistribution(**{f.name: getattr(step, f.name) for f in fields(TokenDistribution)})


class MessageFile(Strict, allow_inf_nan=True, ser_json_inf_nan="constants"):
    """A message in a file."""

    template: str
    parameters: dict[str, Sentence | int | float | Number]


def _read_sentence(value: Any, read_text: Callable[[Any], Any]) -> Any:
    if not isinstance(value, dict):
        return value if isinstance(value, Message) else read_text(value)
    file = MessageFile.model_validate_json(json.dumps(value))
    if set(_FIELD.findall(file.template)) != set(file.parameters) or re.search(r"[{}]", _FIELD.sub("", file.template)):
        raise ValueError("the template does not fit its parameters")
    if not all(_SPEC.fullmatch(number.spec) for number in file.parameters.values() if isinstance(number, Number)):
        raise ValueError("not the format of a number")
    return Message(file.template, **file.parameters)


def _write_sentence(text: Any, write_text: Callable[[Any], Any]) -> Any:
    if isinstance(text, Message) and text.parameters:
        return MessageFile(template=text.template, parameters=text.parameters).model_dump(mode="json")
    return write_text(text)


# A text that can be a `Message`. Its template and parameters are stored, so that it can be translated when it is shown.
Sentence = Annotated[str, WrapValidator(_read_sentence), WrapSerializer(_write_sentence)]
