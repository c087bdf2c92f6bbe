"""The check of a chat template: each fault from a template that has it, surprises against plain probabilities, logged texts, bad input."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from core import load_model
from core.chat.conversation import checked_messages
from core.errors import BrokenLogits, EmptyPrompt, InputError, ModelError, PromptTooLong
from core.experiments.shared import template_check as module
from core.experiments.shared.template_check import LONGEST_LOG, TemplateCheck, first_difference, template_check
from tests.core.plain import plain_logits
from tests.core.remote.serving import TINY, FakeVLLM, serve
from tests.tiny_models import CHAT, with_template

pytestmark = pytest.mark.usefixtures("templates_here")

Load = Callable[[str], Any]
MESSAGES = checked_messages([{"role": "user", "content": "Who are you?"}])
TALK = checked_messages([*MESSAGES, {"role": "assistant", "content": "I am a bear."}, {"role": "user", "content": "And he?"}])
END = "{% if m.role == 'assistant' %}<|end|>{% endif %}"
GOOD = CHAT.replace("{% endfor %}", END + "{% endfor %}", 1)
NO_PLACE = "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}"


def checked(model: Any, messages: Any = MESSAGES) -> TemplateCheck:
    """The one result."""
    (found,) = template_check(model, messages)
    return found


def test_the_surprise_is_that_of_plain_passes_at_the_tokens_of_the_template_alone(chatty: Load, plain: Load) -> None:
    model = chatty(GOOD)
    found = checked(model, TALK)
    tokens = model.tokenize_messages(TALK)
    ids = [token.token_id for token in tokens]
    content = {place for start, stop in model.content_spans(TALK, tokens) for place in range(start, stop)}
    assert found.pieces == tuple(token.piece for token in tokens)
    for place, bits in enumerate(found.surprises):
        assert (bits is None) is (place in content or place == 0)
        if bits is not None:
            expected = -float(plain_logits(plain("large"), ids[:place]).double().log_softmax(-1)[ids[place]]) / math.log(2)
            assert bits == pytest.approx(expected, abs=1e-3)
    own = [bits for bits in found.surprises if bits is not None]
    assert found.bits == pytest.approx(sum(own) / len(own))


@pytest.mark.parametrize(
    ("template", "fault"),
    [
        (CHAT, "no end token after an answer"),
        (NO_PLACE + GOOD, "does not take a system prompt"),
        (GOOD.replace("in messages %}", "in messages if m.role != 'system' %}"), "does not take a system prompt"),
        ("<|start|><|start|>" + GOOD, "start token ⟨start⟩ twice"),
        (GOOD.replace("<|turn|>", "<|im_start|>"), "“<|im_start|>” is"),
    ],
)  # fmt: skip
def test_each_fault_is_named(template: str, fault: str, chatty: Load) -> None:
    found = checked(chatty(template))
    assert any(fault in text for text in found.faults), found.faults
    assert all("{" not in text for text in found.faults) and len(set(found.faults)) == len(found.faults)


def test_an_end_mark_that_the_model_knows_is_no_fault_and_one_that_surprises_it_is(chatty: Load) -> None:
    model = chatty(GOOD)
    end = 1
    assert end in model.end_token_ids
    before = checked(model)
    (fault,) = before.faults
    (bits,) = [float(word) for word in fault.split() if word.replace(".", "").isdigit()]
    assert "⟨end⟩" in fault and bits == pytest.approx(before.end_bits, abs=0.06) and bits > module.FOREIGN
    head = model.load_network().get_output_embeddings()
    hook = head.register_forward_hook(lambda _module, _given, logits: logits.index_fill(-1, torch.tensor([end]), 50.0))
    sure = checked(model)
    hook.remove()  # other tests have the same model
    assert sure.faults == () and sure.end_bits < 1e-3


def test_the_text_of_a_message_is_no_mark_of_the_template(chatty: Load) -> None:
    model = chatty(GOOD)
    usual = checked(model).faults
    for text in ("<|foreign|> and <|another|>", "<|foreign|>" * 20, "<|" * 60):
        assert checked(model, checked_messages([{"role": "user", "content": text}])).faults == usual


def test_a_message_whose_text_is_changed_is_named(chatty: Load) -> None:
    shouted = chatty(GOOD.replace("{{ m.content }}", "{{ m.content | upper }}{{ '' if loop.last else '' }}"))
    messages = checked_messages(
        [{"role": "user", "content": "123"}, {"role": "assistant", "content": "abc"}, MESSAGES[0] | {"content": "?"}]
    )
    assert any("changes the text of message 2" in fault for fault in checked(shouted, messages).faults)


@pytest.mark.parametrize("text", ["a", "bear " * 40], ids=["one token", "equal tokens"])
def test_a_message_of_any_text_has_the_surprises_of_a_plain_pass(text: str, chatty: Load, plain: Load) -> None:
    model = chatty(GOOD)
    messages = checked_messages([{"role": "user", "content": text}])
    found = checked(model, messages)
    ids = [token.token_id for token in model.tokenize_messages(messages)]
    last = -float(plain_logits(plain("large"), ids[:-1]).double().log_softmax(-1)[ids[-1]]) / math.log(2)
    assert found.surprises[-1] == pytest.approx(last, abs=1e-3) and not any("changes the text" in fault for fault in found.faults)


def test_an_empty_message_and_one_of_ten_thousand_tokens_are_refused_in_a_sentence(chatty: Load) -> None:
    model = chatty(GOOD)
    with pytest.raises(EmptyPrompt):
        checked_messages([{"role": "user", "content": ""}])
    with pytest.raises(PromptTooLong):
        checked(model, checked_messages([{"role": "user", "content": "bear " * 10_000}]))


def test_many_marks_are_counted_in_linear_time() -> None:
    tokens: list[Any] = [SimpleNamespace(raw=raw, special=False, key=0, piece="x") for raw in (b"<|", b"a", b"|>") * 20_000]
    assert set(module._text_faults(tokens, set())) == {module.SPLIT.with_values(token="<|a|>", count=3)}
    assert list(module._text_faults([], set())) == []


def test_a_logged_text_differs_at_its_first_other_token(chatty: Load) -> None:
    model = chatty(GOOD)
    tokens = model.tokenize_messages(MESSAGES)
    text = b"".join(token.raw for token in tokens).decode()
    assert first_difference(model, tokens, text) is None
    doubled = first_difference(model, tokens, "<|start|>" + text)
    assert doubled is not None and (doubled.place, doubled.ours, doubled.theirs, doubled.before) == (0, "⟨turn⟩", "⟨start⟩", "")
    cut = first_difference(model, tokens, text[: text.index("Who")])
    assert cut is not None and cut.theirs == "" and cut.place == cut_at(tokens, "Who") and cut.before.endswith(":↵")
    longer = first_difference(model, tokens, text + "x")
    assert longer is not None and longer.place == len(tokens) and longer.ours == ""
    assert first_difference(model, tokens, "") is not None
    with pytest.raises(PromptTooLong):
        first_difference(model, tokens, "x" * (LONGEST_LOG + 1))
    with pytest.raises(InputError):
        first_difference(model, tokens, "\ud800")
    assert first_difference(model, tokens, "x" * LONGEST_LOG) is not None


def cut_at(tokens: Any, text: str) -> int:
    """The place of the first token of a text."""
    before = 0
    whole = b"".join(token.raw for token in tokens)
    for place, token in enumerate(tokens):
        if before >= whole.index(text.encode()):
            return place
        before += len(token.raw)
    return -1


def test_what_cannot_be_checked_is_said_in_a_sentence(chat_folder: Callable[[str], Path], tiny: Load) -> None:
    with pytest.raises(ModelError, match="not a chat model"):
        checked(tiny("llama"))
    model = load_model(str(chat_folder(GOOD)), device="cpu")  # of its own: its weights are broken below
    with pytest.raises(PromptTooLong):
        checked(model, checked_messages([{"role": "user", "content": "word " * 3_000}]))
    with torch.no_grad():
        next(weight for name, weight in model.load_network().named_parameters() if "norm" in name or "ln_f" in name).fill_(torch.nan)
    with pytest.raises(BrokenLogits):
        checked(model)


def test_a_served_model_has_faults_but_no_surprise(tmp_path: Path, no_waiting: None) -> None:
    folder = with_template(TINY, tmp_path / "served", CHAT)
    with serve(FakeVLLM(limit=20)) as running:
        found = checked(load_model(running.address, tokenizer=str(folder)))
    assert math.isnan(found.bits) and math.isnan(found.end_bits) and set(found.surprises) == {None}
    assert any("end token" in fault for fault in found.faults)
