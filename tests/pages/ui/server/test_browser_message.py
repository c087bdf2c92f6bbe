"""Messages of a browser, made with Streamlit's own protocol."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from pages.ui.server import browser_message
from pages.ui.server.browser_message import MOST_FIELDS, MOST_NAMES, judge
from tests import protocol
from tests.protocol import BackMsg, ForwardMsg


def verdict(data: bytes) -> str:
    return judge(data).verdict


def message(kind: str) -> BackMsg:
    """Return a message of this kind without content."""
    made = BackMsg()
    field = BackMsg.DESCRIPTOR.fields_by_name[kind]
    if field.message_type is None:
        setattr(made, kind, True)
    else:
        getattr(made, kind).SetInParent()
    return made


def test_every_kind_of_streamlit_s_protocol_has_its_verdict() -> None:
    needed = {"stop_script", "rerun_script", "file_urls_request", "app_heartbeat", "backend_operation_request"}
    ignored = {"clear_cache", "set_run_on_save", "load_git_info"}
    for field in BackMsg.DESCRIPTOR.fields:
        wanted = "pass" if field.name in needed else "ignore" if field.name in ignored else "refuse"
        assert verdict(message(field.name).SerializeToString()) == wanted, field.name


def test_only_downloads_pass_among_the_operations() -> None:
    made = BackMsg()
    made.backend_operation_request.deferred_file.file_id = "a"
    made.backend_operation_request.request_id, made.backend_operation_request.session_id = "b", "c"
    assert verdict(made.SerializeToString()) == "pass"
    assert judge(made.SerializeToString()).weight > browser_message.PER_DOWNLOAD > 4 * judge(protocol.rerun()).weight
    for name in ("install_skills", "dismiss_skills_nudge", "dataframe_chunk"):
        other = BackMsg()
        getattr(other.backend_operation_request, name).SetInParent()
        assert verdict(other.SerializeToString()) == "refuse", name


def test_a_whole_page_counts_as_several_messages_and_its_parts_as_one() -> None:
    part, page = (judge(protocol.rerun("q" * 50, fragment=name)).weight for name in ("part", ""))
    assert round(page) == browser_message.PER_PAGE > round(part) == 1
    assert round(judge(protocol.rerun(press="step")).weight) == browser_message.PER_PAGE
    assert round(judge(protocol.heartbeat()).weight) == round(judge(b"\xff\xff").weight) == 1


def test_a_message_of_a_part_is_told_from_one_of_its_page() -> None:
    part, page = judge(protocol.rerun(page_hash="a", fragment="b")), judge(protocol.rerun(page_hash="a", press="b"))
    assert (part.of_page, part.page) == (False, "a") and (page.of_page, page.page) == (True, "a")
    assert not judge(protocol.heartbeat()).of_page


def test_the_last_of_several_kinds_would_count_so_there_may_be_one_only() -> None:
    assert verdict(protocol.rerun() + protocol.clear_cache()) == "refuse"
    assert verdict(protocol.rerun() + protocol.rerun()) == "refuse"
    assert verdict(b"") == verdict(b"\x5a\xff") == verdict(b"\x28" + b"\x80" * 20) == verdict(b"\x07") == "refuse"


def test_names_sizes_and_fields_are_bounded() -> None:
    assert verdict(protocol.upload_addresses(MOST_NAMES)) == "pass"
    assert verdict(protocol.upload_addresses(MOST_NAMES + 1)) == verdict(protocol.upload_addresses(100_000)) == "refuse"
    assert verdict(protocol.rerun("a" * 1_900_000)) == "pass"
    assert verdict(protocol.rerun("a" * 2_000_000)) == "refuse"


def added(parts: Any, count: int = MOST_FIELDS + 1) -> None:
    for _ in range(count):
        parts.add()


NESTED: dict[str, Callable[[Any], Any]] = {
    "widgets": added,
    "strings": lambda widgets: widgets.add().string_array_value.data.extend([""] * (MOST_FIELDS + 1)),
    "files": lambda widgets: added(widgets.add().file_uploader_state_value.uploaded_file_info),
    "chat files": lambda widgets: added(widgets.add().chat_input_value.file_uploader_state.uploaded_file_info),
    "many lists": lambda widgets: [widgets.add().string_array_value.data.extend([""] * 100) for _ in range(101)],
    "JSON": lambda widgets: setattr(widgets.add(), "json_trigger_value", "[" + "[]," * 5000 + '{"a":{}},' * 2500 + "0]"),
}


@pytest.mark.parametrize("nested", NESTED)
def test_no_nested_message_hides_too_many_fields(nested: str) -> None:
    made = BackMsg()
    NESTED[nested](made.rerun_script.widget_states.widgets)
    assert verdict(made.SerializeToString()) == "refuse"


def test_streamlit_has_the_same_limit() -> None:
    config = tomllib.loads((Path(__file__).parents[4] / ".streamlit" / "config.toml").read_text("utf-8"))
    assert config["server"]["maxWidgetStateSize"] * 1_000_000 == browser_message.LARGEST


def test_what_a_page_sends_passes() -> None:
    made = BackMsg()
    for number in range(400):
        widget = made.rerun_script.widget_states.widgets.add()
        widget.id, widget.string_value = f"$$ID-{number:032}-key", "text " * 50
    made.rerun_script.widget_states.widgets.add().double_array_value.data.extend([0.5] * 20_000)
    assert len(made.SerializeToString()) > 2 * MOST_FIELDS
    assert verdict(made.SerializeToString()) == "pass"


def test_no_bytes_raise_anything() -> None:
    dice = random.Random(0)
    sound = protocol.rerun("a" * 30_000, press="b")
    for _ in range(2000):
        data = bytearray(sound)
        for _change in range(dice.randrange(1, 6)):
            data[dice.randrange(60 if dice.random() < 0.5 else len(data))] = dice.randrange(256)
        assert verdict(bytes(data[: dice.randrange(len(data))])) in ("pass", "ignore", "refuse")
    assert verdict(bytes([0x0A, 0x00] * 500_000)) == "refuse"


def many_widgets(count: int) -> bytes:
    made = BackMsg()
    added(made.rerun_script.widget_states.widgets, count)
    return made.SerializeToString()


@pytest.mark.parametrize(
    "data",
    [
        b"\x0a\x00" * 990_000,  # fields that Streamlit does not know
        b"\x0a\x00" * 990_000 + protocol.rerun(),
        b"\x28\x01" * 990_000,  # a kind again and again
        b"\x5a\x00" * 990_000,
        protocol.rerun("a" * 30_000) + b"\x5a\x00",
        many_widgets(990_000),
    ],
    ids=["unknown", "unknown and one", "one kind", "reruns", "two reruns", "widgets"],
)
def test_a_hostile_message_costs_no_more_than_a_parse(data: bytes) -> None:
    began = process_time()
    assert verdict(data) == "refuse"
    assert process_time() - began < 0.25  # without bounds half a second


def test_runs_begin_with_pages_and_files_and_end_with_the_last_message() -> None:
    begins = {field.name for field in BackMsg.DESCRIPTOR.fields if judge(message(field.name).SerializeToString()).starts_run}
    assert begins == {"rerun_script", "backend_operation_request"}
    ends = set()
    for field in ForwardMsg.DESCRIPTOR.oneofs_by_name["type"].fields:
        made = ForwardMsg(hash="a")
        made.metadata.cacheable = True
        if field.message_type is not None:
            getattr(made, field.name).SetInParent()
        else:
            setattr(made, field.name, "a" if field.name == "ref_hash" else 0)
        if browser_message.ends_run(made.SerializeToString()):
            ends.add(field.name)
    assert ends == {"script_finished", "backend_operation_response"}
    assert not browser_message.ends_run(ForwardMsg(script_finished=ForwardMsg.FINISHED_EARLY_FOR_RERUN).SerializeToString())
    assert browser_message.ends_run(ForwardMsg(script_finished=ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY).SerializeToString())


def test_a_page_request_is_what_a_browser_sends() -> None:
    assert BackMsg.FromString(browser_message.page_request("read", "lang=de")) == BackMsg.FromString(protocol.rerun("lang=de", "read"))
