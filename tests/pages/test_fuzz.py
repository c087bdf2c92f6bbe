"""Fuzz, bounded: whatever a stranger sends costs one sentence, seconds and megabytes. Each case has a limit on both."""

from __future__ import annotations

import copy
import json
import shutil
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as budget
from hypothesis import strategies as st

from core import Recording, load_model
from core.chat.chat_template import TemplateFailed, render
from core.errors import BadRecording, ModelError, ViewerError
from core.models import loading
from core.remote import http_client
from core.sampling.settings import SETTINGS
from pages.ui.session import conversation, share_link
from pages.ui.session.run_request import RunRequest
from pages.ui.session.share_link import LINK_KEYS, conversation_of, ending_of
from tests.core.remote.serving import TINY, FakeVLLM, serve

FEW = budget(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
MANY = budget(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**25), 10**25)
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["![](//evil.example)", "\ud83e", "9" * 400, "../../etc/passwd", "{{ 7 * 7 }}", "x" * 5000, 10**400, -1, 2**63]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=6,
)


@contextmanager
def bounded(seconds: float, megabytes: float) -> Iterator[None]:
    """A case: it ends within so many seconds of this process's own time, and holds no more than so many megabytes meanwhile."""
    tracemalloc.start()
    begun = time.process_time()
    try:
        yield
        assert time.process_time() - begun < seconds
        assert tracemalloc.get_traced_memory()[1] < megabytes * 1e6
    finally:
        tracemalloc.stop()


def one_sentence(error: ViewerError) -> None:
    text = str(error)
    assert 10 < len(text) < 600
    assert "Traceback" not in text
    assert text.encode()


def place(data: st.DataObject, part: Any) -> tuple[Any, Any]:
    """Somewhere in a nested value: what holds it, and its key there."""
    while True:
        key = data.draw(st.sampled_from(sorted(part, key=str) if isinstance(part, dict) else range(len(part))))
        if not (isinstance(part[key], dict | list) and part[key]) or not data.draw(st.integers(0, 3)):
            return part, key
        part = part[key]


def harmed(data: st.DataObject, sound: Any) -> Any:
    broken = copy.deepcopy(sound)
    for _ in range(data.draw(st.integers(1, 3))):
        part, key = place(data, broken)
        if data.draw(st.booleans()):
            part[key] = data.draw(JUNK)
        else:
            del part[key]
        if not broken:
            break
    return broken


LINK = st.text(max_size=200) | st.sampled_from(["http://u:p@[::1]:99999/v1", "//x", "http://0x7f000001", "~/..", "a/b@../../c", "1e999"])


@MANY
@given(
    query=st.dictionaries(
        st.sampled_from(["model", "prompt", "steps", "kept", "as_chat", "other", *SETTINGS, *LINK_KEYS]),
        LINK | JUNK.map(json.dumps),
    )
)
def test_any_link_is_read_or_said_to_be_strange(query: dict[str, str]) -> None:
    with bounded(1.0, 30):
        assert all(len(one) < 200 for one in share_link.invalid_values(query, ["storyteller"]))
        wanted = share_link.requested_model(query, ["storyteller"])
        assert wanted is None or "u:p@" not in wanted.model
        steps = query.get("steps", "")
        for text in (steps, f"sx{steps}", f"sx{steps.encode('utf-8', 'surrogatepass').hex()}"):
            share_link.parse_steps(text)
        for name, row in SETTINGS.items():
            value = share_link.value_of(row, query.get(name, ""))
            assert value is None or share_link.value_of(row, str(value)) == value
            assert value is None or isinstance(value, str) or row.control[0] <= value <= row.control[1]
        assert RunRequest("storyteller", "x", True, conversation_of(query)).messages
        assert ending_of(query).tokens >= 0


@MANY
@given(data=st.binary(max_size=2000) | JUNK.map(json.dumps) | JUNK.map(lambda value: json.dumps([{"role": "user", "content": value}])))
def test_any_file_is_a_conversation_or_one_sentence(data: bytes | str) -> None:
    with bounded(2.0, 60):
        try:
            conversation.messages_in(data if isinstance(data, bytes) else data.encode())
        except ViewerError as told:
            one_sentence(told)


@MANY
@given(data=st.binary(max_size=2000) | JUNK.map(lambda value: json.dumps({"format": "token-probability-viewer recording", "steps": value})))
def test_any_file_is_no_recording(data: bytes | str) -> None:
    with bounded(2.0, 60), pytest.raises(BadRecording) as told:
        Recording.loads(data)
    one_sentence(told.value)


@FEW
@given(data=st.data())
def test_any_answer_of_a_server_is_a_step_or_one_sentence(data: st.DataObject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_client, "PAUSES", (0.0, 0.0))
    monkeypatch.setattr(loading, "read_tokenizer", _tokenizer)
    fake, harm = FakeVLLM(), False

    def change(body: dict[str, Any]) -> Any:
        return harmed(data, body) if harm else body

    fake.change = change
    with serve(fake) as server:
        model = load_model(server.address, tokenizer=str(TINY))
        harm = True
        with bounded(5.0, 100):
            try:
                model.engine.forward([1, 2, 3])
            except ModelError as error:
                one_sentence(error)


_tokenizer = cache(loading.read_tokenizer)


@pytest.mark.slow
@FEW
@given(data=st.data())
def test_any_model_folder_is_a_model_or_one_sentence(
    data: st.DataObject, tiny_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("theirs") / "model"
    shutil.copytree(tiny_folder("llama"), folder)
    name = data.draw(st.sampled_from(["config.json", "tokenizer_config.json", "tokenizer.json"]))
    sound = json.loads((folder / name).read_text())
    if name == "tokenizer.json":
        kept = {key: value for key, value in sound.items() if key != "model"}
        broken = sound | harmed(data, kept)
    else:
        broken = harmed(data, sound)
    (folder / name).write_text(json.dumps(broken))
    with bounded(20.0, 300):
        try:
            load_model(str(folder), device="cpu").tokenize("a fox")
        except ViewerError as error:
            one_sentence(error)


PIECES = """{% for m in messages %}¦{% endfor %}¦{{ m.content }}¦{{ messages }}¦{% if x %}¦{% endif %}¦{{ x * 10**9 }}¦text ¦
¦{{¦%}¦{% for a in range(10**9) %}¦{% set x = 'ab' * 10**8 %}¦{{ x ~ x }}¦{{ ''.__class__ }}¦{{ raise_exception('no') }}
¦{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}¦{% include '/etc/passwd' %}¦{% import 'os' as os %}¦{{ cycler.__init__ }}
¦{% generation %}¦{{ strftime_now('%Y' * 1000) }}¦{{ 'a' | center(10**9) }}""".split("¦")


@pytest.mark.slow
@FEW
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=6))
def test_any_template_writes_or_is_ended(pieces: list[str]) -> None:
    with bounded(2.0, 60):
        try:
            said = render("".join(pieces), [{"role": "user", "content": "Hello"}], {"bos_token": "<s>"}, seconds=1.0)
        except TemplateFailed:
            return
        assert "root:" not in said
        assert "<class" not in said
