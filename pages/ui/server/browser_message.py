"""Judges a browser's message before Streamlit reads it: its kind, its size and its number of values.

Messages are read with Streamlit's own generated classes, so that the gate and Streamlit understand the same bytes in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

LARGEST = 2_000_000  # bytes, as server.maxWidgetStateSize in .streamlit/config.toml
MOST_FIELDS = 10_000  # fields of a message, nested ones and the lists and objects of JSON included; the largest page sends about 500
MOST_UNREAD = 2 * MOST_FIELDS  # bytes of fields that Streamlit does not know, or that later ones replace
MOST_NAMES = 10  # files for which a browser asks upload addresses at once
BYTES_PER_MESSAGE = 20_000  # a larger message counts as several
PER_DOWNLOAD, PER_PAGE = 20, 4  # a request that makes a file, or draws the whole page, counts as so many
UNUSED = frozenset({"clear_cache", "set_run_on_save", "load_git_info"})  # browsers send them, and this app does not need them


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the gate does with a message. "ignore": browsers send its kind, and this app does not need it.

    weight: as how many messages it counts. starts_run: it makes the app draw a page or a part of it, or make a file. of_page: it draws the
    whole page. page: the page that the browser names, "" for none.
    """

    verdict: Literal["pass", "ignore", "refuse"]
    weight: float
    starts_run: bool = False
    of_page: bool = False
    page: str = ""


def judge(data: bytes) -> Judgement:
    """Return what to do with a message. Costs at most about one parse of LARGEST bytes."""
    size = len(data) / BYTES_PER_MESSAGE
    refused = Judgement("refuse", 1 + size)
    if len(data) > LARGEST:
        return refused
    try:
        message = BackMsg.FromString(data)
    except DecodeError:
        return refused
    if _has_too_many_fields(message, len(data)) or not _is_one_field(message, data):
        return refused
    kind = message.WhichOneof("type")
    if kind == "rerun_script":
        run = message.rerun_script
        weight = size + (1 if run.fragment_id else PER_PAGE)
        return Judgement("pass", weight, True, not run.fragment_id, run.page_script_hash)
    if kind == "backend_operation_request":  # the other operations would install software or read rows of tables
        allowed = message.backend_operation_request.WhichOneof("payload") in (None, "deferred_file")
        return Judgement("pass" if allowed else "refuse", size + PER_DOWNLOAD, True)
    if kind == "file_urls_request":
        return Judgement("pass" if len(message.file_urls_request.file_names) <= MOST_NAMES else "refuse", 1 + size)
    if kind in ("stop_script", "app_heartbeat"):
        return Judgement("pass", 1 + size)
    return Judgement("ignore", 1 + size) if kind in UNUSED else refused


def page_request(path: str, query: str) -> bytes:
    """Return the message with which a browser asks for a page. query: of its address, as "lang=de"."""
    message = BackMsg()
    message.rerun_script.query_string, message.rerun_script.page_name = query, path
    return message.SerializeToString()


def ends_page(data: bytes) -> bool:
    """Return whether this message of Streamlit to a browser ends the run of a whole page."""
    message = ForwardMsg.FromString(data)
    ends = ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_WITH_COMPILE_ERROR
    return message.WhichOneof("type") == "script_finished" and message.script_finished in ends


def ends_run(data: bytes) -> bool:
    """Return whether this message of Streamlit to a browser ends a run. A run that is broken off for the next one does not end."""
    message = ForwardMsg.FromString(data)
    kind = message.WhichOneof("type")
    if kind == "script_finished":
        return bool(message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN)
    return bool(kind == "backend_operation_response")


def _is_one_field(message: BackMsg, data: bytes) -> bool:
    """Return whether these bytes are a single field. Of several kinds Streamlit would obey the last one."""
    message.DiscardUnknownFields()
    if len(data) - message.ByteSize() > MOST_UNREAD:  # so many fields would take half a second in the next line
        return False
    return len(UnknownFieldSet(Empty.FromString(data))) == 1


def _has_too_many_fields(message: BackMsg, size: int) -> bool:
    count = 0
    for more in _field_counts(message) if size > 2 * MOST_FIELDS else ():  # a field has at least two bytes
        count += more
        if count > MOST_FIELDS:
            return True
    return False


def _field_counts(message: Any) -> Iterator[int]:
    """Yield numbers of fields of a message and the messages in it. A list of numbers counts as one field.

    A list or an object in JSON counts as a field: Streamlit copies each of them, 600,000 in half a second.
    """
    for field, value in message.ListFields():
        yield len(value) if field.is_repeated and not field.is_packed else 1
        if field.name.startswith("json_"):
            yield value.count("[") + value.count("{")
        if field.message_type is not None:
            for inner in value if field.is_repeated else [value]:
                yield from _field_counts(inner)
