"""Reads JSON files of unknown origin, with bounds on bytes, nesting, number of items and time.

`_cut` first finds the brackets of a file and the positions at which to cut it. The long lists are then parsed in small parts. A wrong file
therefore costs no more than one part, and other threads run in between.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic_core import from_json

from core.errors import BadRecording, ViewerError
from core.message import Message, Number

CHUNK = 128 * 1024  # bytes of a list that are parsed at once, or one entry if that is longer

# Text before the next mark, and the mark: a bracket or a whole string. Possessive quantifiers never read a byte twice. Their bounds limit
# the time of one call, during which no other thread can run.
_MARK = re.compile(rb'[^"\[\]{}]{0,65536}+("(?:[^"\\]{1,65536}+|\\.){0,6000000}+"|[\[\]{}])?', re.DOTALL)
_NO_JSON = Message("This file cannot be read: it is not valid JSON.")


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a file may have at most. lists: entries of each long list at the top of the file. entry: bytes of one entry.

    rest: bytes outside of the long lists and of all strings. depth: nested brackets. marks: brackets and strings.
    members: of one object; one with a million is slow to parse. error: class of the error that a file beyond the bounds raises.
    """

    size: int
    rest: int
    entry: int
    depth: int
    marks: int
    lists: Mapping[str, int]
    seconds: float = 60.0
    members: int = 10_000
    error: type[ViewerError] = BadRecording


class BoundedJson:
    """A JSON file. head: the parsed object, in which the long lists are empty. All methods raise `bounds.error` for a wrong file."""

    def __init__(self, data: str | bytes, bounds: Bounds) -> None:
        self._bounds, self._until = bounds, time.monotonic() + bounds.seconds
        if len(data) > bounds.size:
            raise bounds.error(Message("This file is too large: at most {most} MB are read.", most=max(1, bounds.size // 2**20)))
        try:
            self._data = (data.encode() if isinstance(data, str) else data).removeprefix(b"\xef\xbb\xbf")
            outside, self._chunks = _cut(self._data, bounds, self._until)
            self.head: Any = from_json(outside)
        except ValueError as error:  # also a UnicodeEncodeError
            raise bounds.error(Message(_NO_JSON)) from error

    def parts(self, name: str) -> Iterator[bytes]:
        """Yield a long list in parts, each the text of a JSON list."""
        for chunk in self._chunks.get(name, ()):
            _in_time(self._bounds, self._until)
            time.sleep(0)  # lets other threads run
            try:
                yield b"[%b]" % chunk.of(self._data)
            except ValueError as error:
                raise self._bounds.error(Message(_NO_JSON)) from error

    def whole(self) -> Any:
        """Return the parsed object with its long lists."""
        for name in self._chunks:
            self.head[name] = []
            for part in self.parts(name):
                try:
                    self.head[name] += from_json(part)
                except ValueError as error:
                    raise self._bounds.error(Message(_NO_JSON)) from error
        return self.head


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Some entries of a list, without the commas around them."""

    start: int
    end: int
    first: bool

    def of(self, data: bytes) -> bytes:
        """Return its bytes. Raises ValueError if no comma separates it from the part before."""
        part = data[self.start : self.end]
        if self.first:
            return part
        part = part.lstrip(b" \t\r\n")
        if not part.startswith(b",") or not part[1:].strip():
            raise ValueError("a comma is missing, or no entry follows it")
        return part[1:]


@dataclass(slots=True)
class _Cutter:
    """Finds, mark by mark, where to cut a file."""

    bounds: Bounds
    chunks: dict[str, list[_Chunk]] = field(default_factory=dict)
    outside: list[tuple[int, int]] = field(default_factory=list)  # start and end of each part outside of the long lists
    done: int = 0
    list_name: str = ""  # the long list at this position, "" outside
    cut_at: int = 0
    entry_at: int = 0
    count: int = 0  # entries of that list so far
    left: list[int] = field(default_factory=list)  # of each open bracket: the strings that may still stand directly in it

    def count_string(self) -> None:
        """Count a string. Raise the error if its object has too many members."""
        if self.left:
            self.left[-1] -= 1
            if self.left[-1] < 0:
                raise self.bounds.error(Message("This file is too large: it has too many parts."))

    def open_list(self, name: str, at: int) -> None:
        """Begin a long list after this position."""
        self.list_name = name
        if name in self.chunks:
            raise self.bounds.error(Message("This file is broken (at {place}): the list occurs twice.", place=self.list_name))
        self.chunks[name] = []
        self.outside.append((self.done, at))
        self.cut_at = self.entry_at = at
        self.count = 0

    def check_entry(self, at: int) -> None:
        """Raise the error if the entry before this position is too large."""
        if at - self.entry_at > self.bounds.entry:
            raise self.bounds.error(Message("This file is broken (at {place}): one entry is too large.", place=self.list_name))

    def entry_ends(self, at: int) -> None:
        """End an entry of the list before this position."""
        self.check_entry(at)
        self.entry_at = at
        self.count += 1
        if self.count > self.bounds.lists[self.list_name] + 1:
            raise self.bounds.error(Message("This file is broken (at {place}): there are too many entries.", place=self.list_name))
        if at - self.cut_at >= CHUNK:
            self._cut(at)

    def close_list(self, at: int) -> None:
        """End the list at this position."""
        self.entry_ends(at)
        if self.cut_at < at:
            self._cut(at)
        self.list_name, self.done = "", at

    def _cut(self, at: int) -> None:
        chunks = self.chunks[self.list_name]
        chunks.append(_Chunk(self.cut_at, at, not chunks))
        self.cut_at = at


def _cut(data: bytes, bounds: Bounds, until: float) -> tuple[bytes, dict[str, list[_Chunk]]]:
    """Return the file without its long lists, and these in parts. Raises ValueError for what is no JSON, and `bounds.error`."""
    cutter, depth, texts, key = _Cutter(bounds), 0, 0, b""
    for number, match in enumerate(_MARK.finditer(data)):
        at, end = match.span(1)
        if at < 0:
            if match.end() < len(data):
                raise ValueError("a string without an end, or 64 KB without a string or a bracket")
            break
        mark = data[at]
        if number > bounds.marks:
            raise bounds.error(Message("This file is too large: it has too many parts."))
        if number & 0xFFFF == 0xFFFF:
            _in_time(bounds, until)
        if mark == 0x22:  # "
            cutter.count_string()
            if depth == 1:
                key = data[at : min(end, at + 32)]
            if not cutter.list_name:
                texts += end - at
            elif depth == 2:
                cutter.check_entry(end)
        elif mark in b"[{":
            depth += 1
            cutter.left.append(bounds.marks if mark == 0x5B else 2 * bounds.members)  # a name and its value
            if depth > bounds.depth:
                raise bounds.error(Message("This file is nested too deeply."))
            name = key.strip(b'"').decode("latin-1") if depth == 2 else ""
            if mark == 0x5B and name in bounds.lists:
                cutter.open_list(name, at + 1)
        else:
            depth -= 1
            if depth < 0:
                raise ValueError("a bracket too many")
            cutter.left.pop()
            if cutter.list_name and depth == 2:
                cutter.entry_ends(at + 1)
            elif cutter.list_name and depth == 1:
                cutter.close_list(at)
    cutter.outside.append((cutter.done, len(data)))
    if depth or cutter.list_name:
        raise ValueError("a bracket without its end")
    if sum(end - start for start, end in cutter.outside) - texts > bounds.rest:
        raise bounds.error(Message("This file is too large: it has too many parts."))
    chunks = {name: [part for part in parts if data[part.start : part.end].strip()] for name, parts in cutter.chunks.items()}
    return b"".join(data[start:end] for start, end in cutter.outside), chunks


def _in_time(bounds: Bounds, until: float) -> None:
    if time.monotonic() > until:
        longest = Number(bounds.seconds, ".0f")
        raise bounds.error(Message("Reading this file took longer than {longest} seconds, so it was stopped.", longest=longest))
