"""Conversations: each turn computes only its new tokens and is what one run over the whole conversation writes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core import Generation, Recording, SamplingSettings, load_model
from core.errors import BrokenModel, EmptyPrompt, ModelError, WrongType
from core.generation.turns import messages_of, next_turn
from core.reports.python_code import code

TURN = "<|turn|>{{ m.role }}:\n{{ m.content }}\n"
TEMPLATE = "{% for m in messages %}" + TURN + "{% endfor %}{% if add_generation_prompt %}<|turn|>assistant:\n{% endif %}"
GREEDY = SamplingSettings(greedy=True)
SYSTEM, ASKED = {"role": "system", "content": "Be a fox."}, {"role": "user", "content": "Who are you? 🦊"}


@pytest.fixture
def chatty(tiny_folder: Callable[[str], Path], tmp_path: Path) -> Callable[..., Any]:
    """Loads a tiny Llama with a byte-level tokenizer, a context of 512 tokens and this chat template."""

    def load(template: str = TEMPLATE) -> Any:
        folder = tmp_path / "chatty"
        shutil.copytree(tiny_folder("large"), folder)
        path = folder / "tokenizer_config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"chat_template": template}))
        return load_model(str(folder), device="cpu")

    return load


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
    with pytest.raises(BrokenModel, match="no place for a system prompt"):
        Generation(silent, [SYSTEM, ASKED])


def test_a_template_that_refuses_a_conversation_is_one_sentence(chatty: Callable[..., Any]) -> None:
    strict = chatty("{% if messages|length > 1 %}{{ raise_exception('no') }}{% endif %}{{ messages[0].content }}")
    for messages in ([SYSTEM, ASKED], [ASKED, ASKED]):
        with pytest.raises(BrokenModel, match="does not take this conversation"):
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
