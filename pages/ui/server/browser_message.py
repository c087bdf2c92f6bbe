"""Checks a browser's message before Streamlit reads it: its kind, its size and its number of fields.

A message is a protocol buffer (https://protobuf.dev/programming-guides/encoding/): fields, each with a number, a wire type and a value.
Its single field says what the browser asks for. The numbers are those of Streamlit's BackMsg and ForwardMsg; tests compare them with
Streamlit's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

LARGEST = 2_000_000  # bytes, as server.maxWidgetStateSize in .streamlit/config.toml
MOST_FIELDS = 10_000  # fields of a message, nested ones and the lists and objects of JSON included; the largest page sends about 500
MOST_NAMES = 10  # files for which a browser asks upload addresses at once
BYTES_PER_MESSAGE = 20_000  # a larger message counts as several
PER_DOWNLOAD, PER_PAGE = 20, 4  # a request that makes a file, or draws the whole page, counts as so many
STOP, RERUN, UPLOAD_ADDRESSES, HEARTBEAT, DOWNLOAD = 7, 11, 16, 17, 19  # the kinds that this app needs
UNUSED = frozenset({5, 6, 12})  # clear all caches, rerun when a file changes, ask for the state of the git repository
FILE_NAMES = 2  # of a request for upload addresses
HEAD = 2  # the last field before the kind, in a message of Streamlit
FINISHED, FILE_MADE = 6, 27  # kinds of Streamlit's messages: a run ended; the answer to DOWNLOAD
EARLY = b"\x02"  # value of FINISHED: the run was broken off for the next one
QUERY, PAGE_NAME = 1, 4  # of a rerun: the query of the address, the path of the page
FRAGMENT, BY_CLOCK = 5, 6  # of a rerun: the part of the page that is drawn; whether its clock asked, and no person
DOWNLOAD_FIELDS = frozenset({1, 2, 3})  # request, session and file; the others would install software or read rows of tables

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5  # wire types
Schema = Mapping[int, "Schema | None"]  # the nested messages, by the number of their field; None for JSON
_FILE: Schema = {5: {}}
_FILES: Schema = {2: _FILE}
_WIDGET: Schema = {7: {}, 8: {}, 9: {}, 10: None, 11: {5: {}}, 13: _FILES, 14: {}, 15: {2: _FILES, 3: _FILE}, 16: None}
_RERUN: Schema = {2: {1: _WIDGET}, 8: {}}

Verdict = Literal["pass", "ignore", "refuse"]


class _BadMessage(Exception):
    """The bytes are not a message, or it has too many fields."""


def verdict(data: bytes) -> Verdict:
    """Return whether a message reaches Streamlit. "ignore": of a kind that browsers send and this app does not need."""
    if len(data) > LARGEST:
        return "refuse"
    try:
        fields = _fields(data, 0, len(data))
        kind, wire, start, end = next(fields, (0, VARINT, 0, 0))
        if next(fields, None) is not None:  # of several kinds Streamlit would obey the last one
            return "refuse"
        if kind in UNUSED:
            return "ignore"
        if kind in (STOP, HEARTBEAT):
            return "pass" if wire == VARINT else "refuse"
        if wire != BYTES:
            return "refuse"
        if kind == RERUN:
            if len(data) > 2 * MOST_FIELDS:  # a field has at least two bytes
                _count(data, start, end, _RERUN, MOST_FIELDS)
            return "pass"
        found = [number for number, *_rest in _some(_fields(data, start, end), MOST_NAMES + 2)]
    except _BadMessage:
        return "refuse"
    if kind == UPLOAD_ADDRESSES:
        return "pass" if found.count(FILE_NAMES) <= MOST_NAMES else "refuse"
    return "pass" if kind == DOWNLOAD and DOWNLOAD_FIELDS.issuperset(found) else "refuse"


def page_request(path: str, query: str) -> bytes:
    """Return the message with which a browser asks for a page. query: of its address, as "lang=de"."""
    named = [(QUERY, query.encode()), (PAGE_NAME, path.encode())]
    rerun = b"".join(_field(number, value) for number, value in named)
    return _field(RERUN, rerun)


def starts_run(data: bytes) -> bool:
    """Return whether this message makes the app draw a page or a part of it, or make a file."""
    try:
        return next(_fields(data, 0, len(data)), (0,))[0] in (RERUN, DOWNLOAD)
    except _BadMessage:
        return False


def ends_run(data: bytes) -> bool:
    """Return whether this message of Streamlit to a browser ends what `starts_run` began."""
    try:
        for number, _wire, start, end in _fields(data, 0, len(data)):
            if number > HEAD:
                return number == FILE_MADE or (number == FINISHED and data[start:end] != EARLY)
    except _BadMessage:
        pass
    return False


def is_by_clock(data: bytes) -> bool:
    """Return whether a clock of the page sends this message, as in Play, and no person."""
    try:
        kind, wire, start, end = next(_fields(data, 0, len(data)), (0, VARINT, 0, 0))
        return kind == RERUN and wire == BYTES and any(number == BY_CLOCK for number, *_rest in _fields(data, start, end))
    except _BadMessage:
        return False


def weight(data: bytes) -> float:
    """Return as how many messages this one counts: by its kind, and one more per BYTES_PER_MESSAGE."""
    try:
        kind, wire, start, end = next(_fields(data, 0, len(data)), (0, VARINT, 0, 0))
        fragment = kind == RERUN and wire == BYTES and any(number == FRAGMENT for number, *_rest in _fields(data, start, end))
    except _BadMessage:  # ends the websocket
        kind, fragment = 0, False
    own = PER_DOWNLOAD if kind == DOWNLOAD else PER_PAGE if kind == RERUN and not fragment else 1
    return own + len(data) / BYTES_PER_MESSAGE


def _some(fields: Iterator[Any], most: int) -> list[Any]:
    found = []
    for one in fields:
        found.append(one)
        if len(found) > most:
            raise _BadMessage
    return found


def _count(data: bytes, start: int, end: int, schema: Schema, left: int) -> int:
    """Return `left` minus the number of fields of this message, nested ones included. Raises _BadMessage below 0.

    A list or an object in JSON counts as a field: Streamlit copies each of them, 600,000 in half a second.
    """
    for number, wire, begin, stop in _fields(data, start, end):
        left -= 1
        if wire == BYTES and number in schema:
            inner = schema[number]
            if inner is None:
                left -= data.count(b"[", begin, stop) + data.count(b"{", begin, stop)
            else:
                left = _count(data, begin, stop, inner, left)
        if left < 0:
            raise _BadMessage
    return left


def _field(number: int, value: bytes) -> bytes:
    """Return a field of at most 127 bytes."""
    assert len(value) < 128, value  # a larger length takes more than one byte
    return bytes([number << 3 | BYTES, len(value)]) + value


def _fields(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield number, wire type, start and end of the value of each field. Raises _BadMessage."""
    while at < end:
        key, at = _varint(data, at, end)
        number, wire = key >> 3, key & 7
        start = at
        if wire == VARINT:
            _value, at = _varint(data, at, end)
        elif wire == BYTES:
            length, start = _varint(data, at, end)
            at = start + length
        elif wire in (FIXED64, FIXED32):
            at += 8 if wire == FIXED64 else 4
        else:
            raise _BadMessage
        if at > end or not number:
            raise _BadMessage
        yield number, wire, start, at


def _varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """Return the number that begins here, and the position after it. Raises _BadMessage."""
    value = shift = 0
    while at < end and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise _BadMessage
