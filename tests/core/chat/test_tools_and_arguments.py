"""Tool calls, thoughts in a field of their own and arguments reach the chat template as transformers hands them to it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from core import Generation, Recording, SamplingSettings, load_model
from core.chat.conversation import checked_arguments, checked_messages
from core.errors import BadRecording, EmptyPrompt, InputError, NotForThisModel, WrongType
from core.generation.turns import next_turn
from core.reports.settings_text import code
from pages.ui.session.conversation import messages_file, messages_in
from pages.ui.session.run_request import pairs_of
from tests.core.refusals import one_sentence
from tests.core.remote import listed_servers
from tests.core.remote.serving import serve

pytestmark = pytest.mark.usefixtures("templates_here")

TEMPLATE = (
    "{% if tools %}tools:{% for t in tools %}{{ t | tojson }}{% endfor %}\n{% endif %}"
    "{% for m in messages %}{{ m.role }}: {% if m.reasoning_content %}({{ m.reasoning_content }}) {% endif %}"
    "{% if m.tool_calls %}{% if m.content is not defined %}missing {% endif %}"
    "{% for c in m.tool_calls %}call {{ c.function.name }} {{ c.function.arguments | tojson }}{% endfor %}{% endif %}"
    "{{ m.content | tojson if m.role == 'tool' else m.content or '' }} {{ m.name }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant:{% if enable_thinking is defined and not enable_thinking %} no thought{% endif %}{% endif %}"
)
TOOLS = [{"type": "function", "function": {"name": "sum", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}}}]
CALL = {"type": "function", "function": {"name": "sum", "arguments": {"a": 1, "deep": [[[[{"b": [1]}]]]]}}}
CALLED: list[dict[str, Any]] = [
    {"role": "user", "content": "Add it.", "name": "Ann"},
    {"role": "assistant", "content": None, "tool_calls": [CALL], "reasoning_content": "One and one."},
    {"role": "tool", "content": '{"sum": "2"}', "tool_call_id": "1", "name": "sum"},
]
CONVERSATIONS = {
    "a tool answered": CALLED,
    "a call without a content": [CALLED[0], {"role": "assistant", "tool_calls": [CALL]}, *CALLED[2:]],
    "a call with a text": [CALLED[0], CALLED[1] | {"content": "I add."}, *CALLED[2:]],
    "a call with an empty text": [CALLED[0], CALLED[1] | {"content": ""}, *CALLED[2:]],
    "a further question": [
        *CALLED,
        {"role": "assistant", "content": "2", "reasoning_content": "So."},
        {"role": "user", "content": "Sure?"},
    ],
    "a begun answer": [*CALLED, {"role": "assistant", "content": "It is", "reasoning_content": "So."}],
}
ARGUMENTS: list[dict[str, Any]] = [{"tools": TOOLS}, {"enable_thinking": False, "tools": TOOLS}, {"unknown_to_it": [None, 1.5]}]


@pytest.fixture(scope="module")
def calling(chatty: Callable[..., Any]) -> Any:
    return chatty(TEMPLATE)


@pytest.mark.parametrize(
    ("name", "arguments"), [*((name, {}) for name in CONVERSATIONS), *(("a begun answer", arguments) for arguments in ARGUMENTS)]
)
def test_the_prompt_is_that_of_transformers(name: str, arguments: dict[str, Any], calling: Any) -> None:
    messages = CONVERSATIONS[name]
    begun = messages[-1]["role"] == "assistant"
    expected = calling.tokenizer.apply_chat_template(
        messages, add_generation_prompt=not begun, continue_final_message=begun, return_dict=False, **arguments
    )
    run = Generation(calling, messages, template_arguments=arguments)
    assert [token.token_id for token in run.prompt_tokens] == list(expected)
    given = [{name: value for name, value in message.items() if value is not None} for message in messages]
    assert list(run.messages) == given and run.template_arguments == arguments
    for message, (first, end) in zip(run.messages, run.message_spans, strict=True):
        if message.get("content") and message["role"] != "tool":
            assert message["content"] in "".join(token.text for token in run.prompt_tokens[first:end])


def test_a_recording_a_script_and_the_next_turn_keep_both(calling: Any) -> None:
    run = Generation(calling, CALLED, SamplingSettings(seed=1), template_arguments={"tools": TOOLS, "enable_thinking": False})
    run.generate(2)
    recording = Recording.loads(Recording.of(run).dumps())
    assert recording.replay().messages == run.messages and recording.replay().template_arguments == run.template_arguments
    assert Recording.loads(recording.dumps()).template_arguments == run.template_arguments
    written = code(run).replace(f"load_model({run.model_name!r})", "model")
    names: dict[str, Any] = {"model": calling}
    exec(written.replace("load_model", "").replace("import Generation, SamplingSettings, ", "import Generation, SamplingSettings"), names)
    assert (names["run"].token_ids == run.token_ids).all()
    following = next_turn(run, "Sure?")
    assert following.template_arguments == run.template_arguments and following.messages[:3] == run.messages
    assert json.loads(messages_file(run))["tools"] == TOOLS and json.loads(messages_file(run))["messages"][:3] == list(run.messages)


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ("template_arguments", "[]"),
        ("template_arguments", '{"messages": []}'),
        ("template_arguments", "{" * 5000),
        ("further", "[" * 5000),
        ("further", '{"content": 3}'),
        ("further", '{"role": "robot"}'),
    ],
)
def test_a_recording_with_wrong_fields_is_refused(change: str, value: str, calling: Any) -> None:
    run = Generation(calling, CALLED)
    run.step()
    content = json.loads(Recording.of(run).dumps())
    (content if change in content else content["messages"][1])[change] = value
    if change == "template_arguments":
        content[change] = value
    with pytest.raises(BadRecording):
        Recording.loads(json.dumps(content))


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: checked_messages([CALLED[0], CALLED[1]]), WrongType),
        (lambda: checked_messages([{"role": "user", "content": None}]), WrongType),
        (lambda: checked_messages([{"role": "user", "tool_calls": [CALL]}]), WrongType),
        (lambda: checked_messages([{"role": "tool", "content": " "}]), EmptyPrompt),
        (lambda: checked_messages([{"role": "user", "content": "Hi", "x": object()}]), WrongType),
        (lambda: checked_messages([{"role": "user", "content": "Hi", "x": float("nan")}]), WrongType),
        (lambda: checked_messages([{"role": "user", "content": "Hi", "x": "y" * 1_000_001}]), InputError),
        (lambda: checked_arguments({"messages": []}), WrongType),
        (lambda: checked_arguments({"add_generation_prompt": False}), WrongType),
        (lambda: checked_arguments({"a b": 1}), WrongType),
        (lambda: checked_arguments({1: 1}), WrongType),  # type: ignore[dict-item]
        (lambda: checked_arguments([1]), WrongType),  # type: ignore[arg-type]
        (lambda: checked_arguments({"tools": [print]}), WrongType),
        (lambda: Generation(load_model("ngram:2"), "Hi", template_arguments={"tools": TOOLS}), WrongType),
        (lambda: Generation(load_model("storyteller-mini"), "Hi", template_arguments={"tools": TOOLS}), WrongType),
    ],
)
def test_impossible_input_gets_one_sentence(make: Any, error: type[Exception]) -> None:
    with one_sentence(error):
        make()


def test_a_server_that_writes_conversations_itself_refuses_them_by_name() -> None:
    with serve(listed_servers.hosted_chat) as server:
        model = load_model(server.address)
        with pytest.raises(NotForThisModel, match=r"^name cannot"):
            Generation(model, CALLED)
        with pytest.raises(NotForThisModel, match=r"^enable_thinking cannot"):
            Generation(model, [{"role": "user", "content": "Hi"}], template_arguments={"enable_thinking": True})


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ({"messages": CALLED}, "tool_calls"),
        ({"messages": [{"role": "user", "content": "Hi"}], "tools": TOOLS}, "tools"),
        ([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho", "reasoning_content": "Hm"}], "reasoning_content"),
    ],
)
def test_a_file_with_what_a_page_cannot_give_is_refused_by_name(content: Any, name: str) -> None:
    with pytest.raises(NotForThisModel, match=f"has {name}, which"):
        messages_in(json.dumps(content).encode())


def test_a_file_with_fields_that_no_template_reads_is_opened() -> None:
    plain = [{"role": "user", "content": "Hi", "id": 7, "tool_calls": None, "reasoning_content": ""}]
    assert messages_in(json.dumps({"messages": plain, "tools": []}).encode())[0] == "Hi"
    assert pairs_of(checked_messages(plain)) == (("user", "Hi"),)
