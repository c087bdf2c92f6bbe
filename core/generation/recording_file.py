"""Reading and checking the file of a recording, with bounds on bytes, nesting and time.

`_cut` first finds the brackets of a file and the positions at which to cut it. The three long lists are then parsed and checked in small
parts. A wrong file therefore costs no more than one part, and other threads run in between.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeVar, cast

from pydantic import BaseModel, FailFast, Field, TypeAdapter, ValidationError
from pydantic_core import from_json

from core.errors import BadRecording
from core.generation.step_file import MOST_LISTED, Count, StepFile, Strict, TokenFile
from core.message import Message, Number

FORMAT = "token-probability-viewer recording"
VERSION = 1
LARGEST_FILE = 64 * 1024 * 1024  # bytes
LONGEST = 60.0  # seconds for one file
MOST_STEPS = 50_000
DEEPEST = 6  # nested brackets; a valid file has five levels
MOST_MARKS = 8_000_000  # brackets and strings
CHUNK = 128 * 1024  # bytes of a list that are parsed at once, or one entry if that is longer
LARGEST_ENTRY = 2 * 1024 * 1024  # bytes; a step of 1,001 tokens in 24 stages has less than half of that
LARGEST_REST = 1024 * 1024  # bytes outside of the long lists and of all strings
LISTS = {"prompt_tokens": 2_000_000, "vocabulary": 2_000_000, "steps": MOST_STEPS}  # most entries of each list

# Text before the next mark, and the mark: a bracket or a whole string. Possessive quantifiers never read a byte twice. Their bounds limit
# the time of one call, during which no other thread can run.
_MARK = re.compile(rb'[^"\[\]{}]{0,65536}+("(?:[^"\\]{1,65536}+|\\.){0,6000000}+"|[\[\]{}])?', re.DOTALL)
_NO_JSON = Message("This file is not a recording: it cannot be read as JSON.")


class PromptToken(TokenFile):
    """A token of the prompt in the file."""

    text: Annotated[str, Field(max_length=1_000_000)]


class ModelFile(Strict):
    """The model in the file."""

    name: Annotated[str, Field(max_length=300)]
    device: Annotated[str, Field(max_length=60)]
    dtype: Annotated[str, Field(max_length=60)]
    parameter_count: Count
    layer_count: Count
    vocabulary_size: Count
    context_length: Count
    cache_bytes_per_token: Count
    weight_bytes: Count
    end_token_ids: Annotated[list[Count], Field(max_length=1000), FailFast()]


class File(Strict):
    """The whole file. When it is read, its long lists are empty and `Content` reads them in parts."""

    format: Literal["token-probability-viewer recording"]
    version: Literal[1]
    model: ModelFile
    prompt: Annotated[str, Field(min_length=1, max_length=4_000_000)]
    prompt_tokens: Annotated[list[PromptToken], Field(max_length=2_000_000), FailFast()]
    settings: dict[str, Any]
    top_n: Annotated[int, Field(ge=1, le=MOST_LISTED)]
    as_chat: bool
    here: Count
    finished: Annotated[str, Field(max_length=60)] | None
    vocabulary: Annotated[list[TokenFile], Field(max_length=2_000_000), FailFast()]
    steps: Annotated[list[StepFile], Field(max_length=MOST_STEPS), FailFast()]


Entry = TypeVar("Entry", TokenFile, PromptToken, StepFile)
_PARSERS: dict[type[BaseModel], TypeAdapter[Any]] = {
    kind: TypeAdapter(cast(Any, Annotated[list[kind], FailFast()]))  # type: ignore[valid-type]
    for kind in (TokenFile, PromptToken, StepFile)
}


class Content:
    """The content of a file: `head`, and its long lists entry by entry. All methods raise BadRecording for an invalid file."""

    def __init__(self, data: str | bytes) -> None:
        self._until = time.monotonic() + LONGEST
        if len(data) > LARGEST_FILE:
            raise BadRecording(Message("This file is too large for a recording: at most {most} MB are read.", most=LARGEST_FILE // 2**20))
        try:
            self._data = (data.encode() if isinstance(data, str) else data).removeprefix(b"\xef\xbb\xbf")
        except UnicodeEncodeError as error:
            raise BadRecording(Message(_NO_JSON)) from error
        outside, self._pieces = _cut(self._data, self._until)
        try:
            content = from_json(outside)
        except ValueError as error:
            raise BadRecording(Message(_NO_JSON)) from error
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise BadRecording(Message("This file is not a recording of this app."))
        version = content.get("version")
        if isinstance(version, int) and version > VERSION:
            raise BadRecording(Message("This recording was made with a newer version of the app. Update the app to replay it."))
        for part, kind in ((content, File), (content.get("model"), ModelFile)):
            if isinstance(part, dict) and len(part) > len(kind.model_fields):  # pydantic would report every unknown name as an error
                raise BadRecording(Message("This recording is broken: it has too many entries."))
        try:
            self.head = File.model_validate(content)
        except ValidationError as error:
            raise BadRecording(Message("This recording is broken (at {place}).", place=place_of(error))) from error

    def entries(self, name: str, kind: type[Entry]) -> Iterator[Entry]:
        """Yield the entries of one long list, each part parsed when it is needed."""
        count = 0
        for piece in self._pieces.get(name, ()):
            _in_time(self._until)
            time.sleep(0)  # lets other threads run
            try:
                found: list[Entry] = _PARSERS[kind].validate_json(b"[%b]" % piece.of(self._data))
            except ValidationError as error:
                raise BadRecording(Message("This recording is broken (at {place}).", place=place_of(error, name, count))) from error
            count += len(found)
            yield from found


@dataclass(frozen=True, slots=True)
class _Piece:
    """Some entries of a list, without the commas around them."""

    start: int
    end: int
    first: bool

    def of(self, data: bytes) -> bytes:
        """Return its bytes. Raises BadRecording if no comma separates it from the part before."""
        own = data[self.start : self.end]
        if self.first:
            return own
        own = own.lstrip(b" \t\r\n")
        if not own.startswith(b","):
            raise BadRecording(Message(_NO_JSON))
        if not own[1:].strip():
            raise BadRecording(Message(_NO_JSON))
        return own[1:]


@dataclass(slots=True)
class _Cutter:
    """Finds, mark by mark, where to cut a file."""

    pieces: dict[str, list[_Piece]] = field(default_factory=dict)
    outside: list[tuple[int, int]] = field(default_factory=list)  # start and end of each part outside of the long lists
    done: int = 0
    list_name: str = ""  # the long list at this position, "" outside
    cut_at: int = 0
    entry_at: int = 0
    count: int = 0  # entries of that list so far

    def broken(self) -> BadRecording:
        """Return the error for content that this list cannot have."""
        return BadRecording(Message("This recording is broken (at {place}): the value is invalid.", place=self.list_name))

    def open_list(self, name: str, at: int) -> None:
        """Begin a long list after this position."""
        if name in self.pieces:
            raise BadRecording(Message("This recording is broken (at {name}): the entry stands twice.", name=name))
        self.pieces[name], self.list_name = [], name
        self.outside.append((self.done, at))
        self.cut_at = self.entry_at = at
        self.count = 0

    def entry_ends(self, at: int) -> None:
        """End an entry of the list before this position."""
        if at - self.entry_at > LARGEST_ENTRY:
            raise BadRecording(Message("This recording is broken (at {place}): one entry is too large.", place=self.list_name))
        self.entry_at = at
        self.count += 1
        if self.count > LISTS[self.list_name] + 1:
            raise BadRecording(Message("This recording is broken (at {place}): there are too many entries.", place=self.list_name))
        if at - self.cut_at >= CHUNK:
            self._cut(at)

    def close_list(self, at: int) -> None:
        """End the list at this position."""
        self.entry_ends(at)
        left_over = not self.pieces[self.list_name] or self.cut_at < at
        if left_over:
            self._cut(at)
        self.list_name, self.done = "", at

    def _cut(self, at: int) -> None:
        known = self.pieces[self.list_name]
        known.append(_Piece(self.cut_at, at, not known))
        self.cut_at = at


def _cut(data: bytes, until: float) -> tuple[bytes, dict[str, list[_Piece]]]:
    """Return the file without its long lists, and these in parts. Raises BadRecording beyond the bounds on nesting, marks and time."""
    cutter, depth, texts, key = _Cutter(), 0, 0, b""
    for number, found in enumerate(_MARK.finditer(data)):
        at, end = found.span(1)
        if at < 0:
            if found.end() < len(data):
                raise BadRecording(Message(_NO_JSON))
            break
        mark = data[at]
        if number & 0xFFFF == 0xFFFF:
            if number > MOST_MARKS:
                raise BadRecording(Message("This file is not a recording: it is too large."))
            _in_time(until)
        if mark == 0x22:  # "
            if depth == 1:
                key = data[at : min(end, at + 32)]
            elif depth == 2 and cutter.list_name:
                raise cutter.broken()
            if not cutter.list_name:
                texts += end - at
        elif mark in b"[{":
            depth += 1
            if depth > DEEPEST:
                raise BadRecording(Message(_NO_JSON))
            name = key.strip(b'"').decode("latin-1")
            if depth == 2 and mark == 0x5B and name in LISTS:
                cutter.open_list(name, at + 1)
            elif depth == 3 and mark == 0x5B and cutter.list_name:
                raise cutter.broken()
        else:
            depth -= 1
            if depth < 0:
                raise BadRecording(Message(_NO_JSON))
            if cutter.list_name and depth == 2:
                cutter.entry_ends(at + 1)
            elif cutter.list_name and depth == 1:
                cutter.close_list(at)
    cutter.outside.append((cutter.done, len(data)))
    if depth or cutter.list_name or sum(end - start for start, end in cutter.outside) - texts > LARGEST_REST:
        raise BadRecording(Message(_NO_JSON))
    pieces = {name: [one for one in known if not one.first or data[one.start : one.end].strip()] for name, known in cutter.pieces.items()}
    return b"".join(data[start:end] for start, end in cutter.outside), pieces


def _in_time(until: float) -> None:
    if time.monotonic() > until:
        raise BadRecording(
            Message("Reading this recording took longer than {longest} seconds, so it was stopped.", longest=Number(LONGEST, ".0f"))
        )


def place_of(error: ValidationError, name: str = "", before: int = 0) -> str:
    """Return where in a file the first error is, as a short text. name: the list with the error, before: entries of it read before."""
    where = error.errors(include_input=False, include_context=False)[0]["loc"]
    if name:
        where = (name, before + where[0], *where[1:]) if where and isinstance(where[0], int) else (name,)
    place = " → ".join(str(part) for part in where[:4])
    return "".join(c for c in place if c.isprintable())[:80] or Message("its beginning")
