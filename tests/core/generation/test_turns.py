"""Conversations: each turn computes only its new tokens and is what one run over the whole conversation writes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core import Generation, Recording, SamplingSettings, load_model
from core.errors import BadRecording, BadSetting, EmptyPrompt, ModelError, WrongType
from core.generation.turns import messages_of, next_turn, thoughts
from core.reports.settings_text import code
from tests import tiny_models

pytestmark = pytest.mark.usefixtures("templates_here")

GREEDY = SamplingSettings(greedy=True)
SYSTEM, ASKED = {"role": "system", "content": "Be a fox."}, {"role": "user", "content": "Who are you? 🦊"}


def test_the_tokens_are_those_of_transformers(chatty: Callable[..., Any]) -> None:
    model = chatty()
    messages = [SYSTEM, ASKED, {"role": "assistant", "content": "A fox."}, {"role": "user", "content": "Sure?"}]
    run = Generation(model, messages)
    expected = model.tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=False)
    assert [token.token_id for token in run.prompt_tokens] == list(expected)
    assert (run.messages, run.prompt, run.as_chat) == (tuple(messages), "Sure?", True)


def test_each_turn_computes_only_its_new_tokens(chatty: Callable[..., Any]) -> None:
    model = chatty()
    run = Generation(model, [SYSTEM, ASKED], GREEDY)
    for said in ("And then?", "Why?"):
        for token in model.tokenize("small dragon"):
            run.force(token.token_id)
        before = run.token_ids.copy()
        run = next_turn(run, said)
        step = run.step()
        assert (run.token_ids[: len(before)] == before).all()
        assert step.forward.reused_tokens == len(before) - 1  # no step followed the newest token, so the network has not seen it yet
        assert step.forward.computed_tokens == len(run.prompt_tokens) - len(before) + 1
        run.go_to(-1)
    assert [m["role"] for m in messages_of(run)] == ["system", "user", "assistant", "user", "assistant", "user"]


def test_turns_are_the_text_of_one_run_over_the_whole_conversation(chatty: Callable[..., Any]) -> None:
    model = chatty()
    run = Generation(model, [SYSTEM, ASKED], GREEDY)
    for said in ("And then?", "Why?"):  # what a random model writes is tokenized in another way when it is read again
        run.generate(8)
        run = next_turn(run, said)
    run.generate(8)
    alone = Generation(model, run.messages, GREEDY)
    alone.generate(8)
    assert [s.token_id for s in alone.path] == [s.token_id for s in run.path]


def test_a_conversation_goes_on_from_a_branch(chatty: Callable[..., Any]) -> None:
    run = Generation(chatty(), [ASKED], GREEDY)
    run.generate(6)
    run.go_to(2)
    run.force("e")
    answer = messages_of(run)[-1]["content"]
    further = next_turn(run, "Go on.")
    assert further.messages == (ASKED, {"role": "assistant", "content": answer}, {"role": "user", "content": "Go on."})


def test_an_answer_can_be_begun(chatty: Callable[..., Any]) -> None:
    model = chatty()
    run = Generation(model, [ASKED, {"role": "assistant", "content": "I am the"}], GREEDY)
    assert b"".join(token.raw for token in run.prompt_tokens).decode().endswith("assistant:\nI am the")
    run.generate(3)
    assert messages_of(run)[-1]["content"].startswith("I am the")
    assert len(messages_of(run)) == 2


def test_typed_content_is_taken_and_a_conversation_is_recorded(chatty: Callable[..., Any]) -> None:
    model = chatty()
    run = Generation(model, [{"role": "user", "content": [{"type": "text", "text": "Who are you?"}]}], GREEDY)
    run.generate(3)
    replay = Recording.loads(Recording.of(run).dumps()).replay()
    assert (replay.prompt, replay.prompt_tokens) == ("Who are you?", run.prompt_tokens)
    assert "[{'role': 'user', 'content': 'Who are you?'}]" in code(run)


def test_a_template_without_a_system_prompt_says_so(chatty: Callable[..., Any]) -> None:
    silent = chatty("{% for m in messages %}{% if m.role != 'system' %}<|turn|>{{ m.content }}{% endif %}{% endfor %}")
    with pytest.raises(ModelError, match="no place for a system prompt"):
        Generation(silent, [SYSTEM, ASKED])


def test_a_template_that_refuses_a_conversation_is_one_sentence(chatty: Callable[..., Any]) -> None:
    strict = chatty("{% if messages|length > 1 %}{{ raise_exception('no') }}{% endif %}{{ messages[0].content }}")
    for messages in ([SYSTEM, ASKED], [ASKED, ASKED]):
        with pytest.raises(ModelError, match="does not take this conversation"):
            Generation(strict, messages)


@pytest.mark.parametrize(
    "messages",
    [
        [{}],
        ["hi"],
        [{"role": "user"}],
        [{"role": "robot", "content": "x"}],
        [ASKED, SYSTEM],
        [ASKED, SYSTEM, ASKED],
        [{"role": "user", "content": [1]}],
        [ASKED] * 2000,
        [SYSTEM],
    ],
)
def test_what_is_no_conversation_is_refused(messages: Any, chatty: Callable[..., Any]) -> None:
    with pytest.raises(WrongType):
        Generation(chatty(), messages)


def test_an_empty_conversation_and_a_model_without_a_template_are_refused(chatty: Callable[..., Any], tiny: Callable[[str], Any]) -> None:
    model = chatty()
    for messages in ([], [{"role": "user", "content": "  "}]):
        with pytest.raises(EmptyPrompt):
            Generation(model, messages)
    with pytest.raises(ModelError, match="not a chat model"):
        Generation(tiny("gpt2"), [ASKED])
    with pytest.raises(WrongType):
        next_turn(Generation(model, "Once"), "x")


def contents(run: Any) -> list[str]:
    return ["".join(token.text for token in run.prompt_tokens[first:end]) for first, end in run.message_spans]


def test_the_tokens_of_each_message_are_known_also_where_a_content_is_a_word_of_the_template(chatty: Callable[..., Any]) -> None:
    messages = [{"role": "system", "content": "user"}, {"role": "user", "content": "assistant"}]
    run = Generation(chatty(), [*messages, {"role": "assistant", "content": "a 🦊"}, {"role": "user", "content": "user:"}])
    assert contents(run) == ["user", "assistant", "a 🦊", "user:"]
    assert all(first > 0 and run.prompt_tokens[first - 1].text.endswith("\n") for first, _end in run.message_spans)
    begun = Generation(run.model, [ASKED, {"role": "assistant", "content": "I am"}])
    assert contents(begun) == [ASKED["content"], "I am"] and begun.message_spans[-1][1] == len(begun.prompt_tokens)
    assert Generation(run.model, "Once").message_spans == ()


def test_a_content_that_the_template_changes_is_not_marked(chatty: Callable[..., Any]) -> None:
    loud = chatty("{% for m in messages %}<|turn|>{{ m.content | upper }} {% endfor %}{{ messages[-1].content }}:")
    run = Generation(
        loud, [{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}, {"role": "user", "content": "Three"}]
    )
    assert run.message_spans[0] == (0, 0) and contents(run)[-1] == "Three"


THINKING = (
    "{% for m in messages %}<|turn|>{{ m.role }}:{{ m.content.split('</think>')[-1] }}{% endfor %}"
    "{% if add_generation_prompt %}<|turn|>assistant:{% endif %}"
)


def say(run: Generation, text: str) -> None:
    model: Any = run.model
    for token in model.tokenize(text):
        run.force(token.token_id)


def test_a_thought_stands_between_the_marks_of_the_template_and_leaves_the_next_turn(chatty: Callable[..., Any]) -> None:
    run = Generation(chatty(THINKING), [ASKED], GREEDY)
    say(run, "<think>one two")
    (open_thought,) = thoughts(run)
    assert (open_thought.first, open_thought.end, open_thought.closed) == (0, len(run.path), False)
    say(run, "</think>three")
    (thought,) = thoughts(run)
    assert thought.closed and "".join(step.text for step in run.path[: thought.end]).endswith("</think>")
    assert "".join(step.text for step in run.path[thought.end :]) == "three"
    further = next_turn(run, "Why?")
    assert messages_of(run)[-1]["content"] == "<think>one two</think>three"
    assert contents(further)[-2:] == ["three", "Why?"]
    step = further.step()
    assert 0 < step.forward.reused_tokens < len(run.prompt_tokens) + len(run.path) - 1  # from the first difference on
    plain = Generation(chatty(), [ASKED], GREEDY)
    say(plain, "<think>one</think>")
    assert thoughts(plain) == ()


def test_a_message_with_a_thought_alone_has_its_tokens(chatty: Callable[..., Any]) -> None:
    kept = chatty("{% for m in messages %}<|turn|>{{ m.content | replace('<think>', '<think>\n') }}\n{% endfor %}<|turn|>:")
    run = Generation(kept, [ASKED, {"role": "assistant", "content": "<think>one two</think>"}, {"role": "user", "content": "Why?"}])
    assert contents(run)[1:] == ["one two", "Why?"]


def test_a_thought_is_found_although_the_template_writes_it_behind_another_text(chatty: Callable[..., Any]) -> None:
    """As in Laguna, whose template closes a thought that it does not find, and does so before the next answer, too."""
    kept = chatty(
        "{% for m in messages %}<|turn|>{{ m.role }}:{% if m.role == 'assistant' and '<think>' not in m.content %}</think>{% endif %}"
        "{{ m.content }}\n{% endfor %}<|turn|>assistant:</think>"
    )
    run = Generation(kept, [ASKED, {"role": "assistant", "content": "<think>one two</think>"}, {"role": "user", "content": "Why?"}])
    assert contents(run)[1:] == ["<think>one two</think>", "Why?"]


CHANNELS = (
    "{% for m in messages %}{% if m.role == 'assistant' %}<|start|>assistant<|channel|>final<|message|>{{ m.content }}<|end|>"
    "{% else %}<|start|>{{ m.role }}<|message|>{{ m.content }}<|end|>{% endif %}{% endfor %}{# <|channel|>analysis #}<|start|>assistant"
)


@pytest.mark.parametrize(
    ("answer", "content"),
    [
        ("<|channel|>final<|message|>Hello!", "Hello!"),
        ("<|channel|>commentary<|message|>Let me look.<|end|><|start|>assistant<|channel|>final<|message|>Hello!", "Hello!"),
        ("<|channel|>analysis<|message|>Greet.<|end|><|start|>assistant<|channel|>final<|message|>Hello!", "Hello!"),
        ("<|channel|>commentary<|message|>Let me look.", "Let me look."),
        ("<|channel|>final", "Who are you? 🦊"),
    ],
)
def test_the_channels_of_gpt_oss_are_no_part_of_its_answer(answer: str, content: str, tmp_path: Path) -> None:
    tokenizer = tiny_models.byte_level_tokenizer()
    marks = ["<|channel|>", "<|message|>", "<|start|>", "<|end|>"]
    tokenizer.add_special_tokens({"eos_token": "<|return|>", "additional_special_tokens": marks})
    tokenizer.chat_template = CHANNELS
    model = load_model(tiny_models.save("qwen3", tmp_path / "tiny", tokenizer=tokenizer, max_position_embeddings=256))
    assert [model.token(i).raw for i in model.end_token_ids] == [b"<|return|>"]
    run = Generation(model, [ASKED])
    say(run, answer)
    assert messages_of(run)[-1]["content"] == content


def test_a_template_may_open_the_thought_itself(chatty: Callable[..., Any]) -> None:
    opening = THINKING.replace("assistant:{% endif %}", "assistant:<think>{% endif %}")
    run = Generation(chatty(opening), [{"role": "user", "content": "<think>"}], GREEDY)
    assert thoughts(run) == ()
    say(run, "one</think>two")
    (thought,) = thoughts(run)
    assert (thought.first, thought.closed) == (0, True)
    assert thoughts(Recording.of(run).replay()) == ()  # nothing is shown of it yet


def test_a_begun_answer_may_begin_or_close_a_mark_in_the_middle(chatty: Callable[..., Any]) -> None:
    model = chatty(THINKING)
    for begun, said, expected in (("<think>one</th", "ink>two", True), ("<think>one</think>", "two", None), ("<thi", "nk>one", False)):
        run = Generation(model, [ASKED, {"role": "assistant", "content": begun}], GREEDY)
        say(run, said)
        assert [thought.closed for thought in thoughts(run)] == ([] if expected is None else [expected])
        assert all(thought.first == 0 for thought in thoughts(run))


def test_where_a_run_stops_can_be_changed(tiny: Callable[[str], Any]) -> None:
    run = Generation(tiny("gpt2"), "Once", GREEDY, most_new_tokens=2)
    run.generate(9)
    assert (len(run.path), run.finished) == (2, "enough tokens")
    run.stop_at()
    run.generate(2)
    assert len(run.path) == 4
    run.stop_at([run.path[-1].raw.decode("utf-8", "replace")])
    assert run.finished == "stop text"
    with pytest.raises(BadSetting):
        run.stop_at([""])


def test_a_recording_keeps_the_conversation(chatty: Callable[..., Any]) -> None:
    run = Generation(chatty(), [SYSTEM, ASKED, {"role": "assistant", "content": "A fox"}], GREEDY)
    say(run, " 🦊")
    text = Recording.of(run).dumps()
    replay = Recording.loads(text).replay()
    assert (replay.messages, replay.message_spans) == (run.messages, run.message_spans)
    while replay.finished is None:
        replay.step()
    assert messages_of(replay) == messages_of(run)
    assert json.loads(Recording.of(replay).dumps())["messages"] == json.loads(text)["messages"]
    old = json.loads(text)
    del old["messages"]
    assert Recording.loads(json.dumps(old)).replay().messages == ()


@pytest.mark.parametrize(
    "harm",
    [
        {"role": "robot"},
        {"content": 3},
        {"content": None},
        {"first": -1},
        {"end": 10**6},
        {"first": 9, "end": 2},
        {"first": 1.5},
        {"more": 1},
    ],
)
def test_a_recording_with_a_wrong_message_is_refused(harm: dict[str, Any], chatty: Callable[..., Any]) -> None:
    run = Generation(chatty(), [SYSTEM, ASKED], GREEDY)
    run.step()
    content = json.loads(Recording.of(run).dumps())
    for messages in (
        [content["messages"][0] | harm, content["messages"][1]],
        content["messages"][::-1],
        content["messages"] * 600,
        "x",
        [1],
    ):
        with pytest.raises(BadRecording):
            Recording.loads(json.dumps(content | {"messages": messages}))
