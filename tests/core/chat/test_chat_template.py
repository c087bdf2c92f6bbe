"""A chat template writes a conversation as transformers renders it; one that breaks or does not end is refused in one sentence."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any
from unittest.mock import Mock

import pytest

from core.chat import chat_template
from core.chat.conversation import checked_messages
from core.errors import ModelError

TEMPLATE = (
    "{% for m in messages %}<|turn|>{{ m.role }}: {{ m.content }}\n{% endfor %}{% if add_generation_prompt %}<|turn|>model:{% endif %}"
)


IN_THIS_PROCESS = pytest.mark.usefixtures("templates_here")
PART = "{% if part.type == 'text' %}<|turn|>{{ part.text }}{% endif %}"
TYPED = "{% for m in messages %}{% for part in m.content %}" + PART + "{% endfor %}{% endfor %}"


@IN_THIS_PROCESS
def test_a_template_that_expects_typed_parts_gets_them_and_one_that_drops_the_question_is_refused(chatty: Callable[[str], Any]) -> None:
    said = b"".join(token.raw for token in chatty(TYPED).tokenize_messages(({"role": "user", "content": "Who are you? "},))).decode()
    assert said.count("Who are you?") == 1
    with pytest.raises(chat_template.TemplateFailed, match="leaves the text out"):
        chat_template.render("Hello!", [{"role": "user", "content": "Who are you?"}], {})


ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}{% endfor %}{% endfor %}{% endfor %}"
GREEDY = "{% set ns = namespace(x='ab') %}{% for a in range(60) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}"
FLOOD = "{% for a in range(99999) %}{{ 'word ' * 1000 }}{% endfor %}"
BROKEN = ["{{ raise_exception('no') }}", "{{ messages[7].content }}", "{% for %}", "{{ ''.__class__.__mro__[1].__subclasses__() }}"]


@pytest.mark.parametrize("template", [BROKEN[0], GREEDY, FLOOD, "{{ 'a' * 10**10 }}", "{{ '%1000000000s' % 'x' }}"])
def test_a_template_that_breaks_or_fills_the_memory_is_refused_by_its_process(template: str) -> None:
    with pytest.raises(chat_template.TemplateFailed):
        chat_template.render(template, [{"role": "user", "content": "Who are you?"}], {})


@IN_THIS_PROCESS
def test_a_template_that_breaks_or_escapes_is_refused() -> None:
    for template in BROKEN:
        with pytest.raises(chat_template.TemplateFailed):
            chat_template.render(template, [{"role": "user", "content": "Who are you?"}], {})


@pytest.mark.slow
@pytest.mark.parametrize("template", [BROKEN[0], ENDLESS])
def test_a_refused_or_endless_template_is_one_sentence(
    template: str, chatty: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat_template, "render", partial(chat_template.render, seconds=1.0))
    with pytest.raises(ModelError, match="did not end in time" if template is ENDLESS else "cannot be used"):
        chatty(template).tokenize_messages(({"role": "user", "content": "Who are you?"},))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on processor time")
def test_a_template_that_waits_for_a_busy_machine_is_rendered_and_one_that_computes_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process sleeps, as one does that gets no core: longer than its limit, which is on processor time alone."""
    waiting = "import sys, time; time.sleep(1.2); sys.argv = sys.argv[1:]; import runpy; runpy.run_path(sys.argv[0], run_name='__main__')"
    run = subprocess.run

    def slowly(command: list[str], **options: Any) -> Any:
        return run([*command[:2], "-c", waiting, command[2]], **options)

    monkeypatch.setattr(chat_template.subprocess, "run", slowly)
    turns = [{"role": "user", "content": "Who are you, slow one?"}]
    assert "slow one" in chat_template.render(TEMPLATE, turns, {}, seconds=1.0)
    began = perf_counter()
    with pytest.raises(chat_template.TemplateEndless):
        chat_template.render(ENDLESS, turns, {}, seconds=1.0)
    assert perf_counter() - began < chat_template.PATIENCE, "the limit on processor time stops it, and it is tried once"


def test_the_sentence_of_a_template_that_does_not_end_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_template, "_render", Mock(side_effect=chat_template.TemplateEndless("it does not end")))
    for messages in (["Hi"], ["Hi", "Hello", "Who are you?"], ["Hi", "I am"]):
        turns = [{"role": "user" if index % 2 == 0 else "assistant", "content": content} for index, content in enumerate(messages)]
        with pytest.raises(ModelError, match="did not end in time"):
            chat_template.rendered(TEMPLATE, checked_messages(turns), {}, "tiny")
    assert chat_template.template_end(TEMPLATE, {}, ["<|turn|>"]) is None


TEMPLATES = [
    TEMPLATE,
    "{{ bos_token }}{% for m in messages %}[INST] {{ m['content'] | trim }} [/INST]{% endfor %}{{ eos_token }}",
    "{%- set ns = namespace(n=0) -%}{%- for m in messages -%}{%- set ns.n = ns.n + 1 -%}{{ ns.n }}:{{ m | tojson }}{%- endfor -%}",
    "{% if tools is none and not documents %}p{% endif %}\n"
    "    {% for m in messages %}{% if loop.first %}{% continue %}{% endif %}{% endfor %}x{{ messages[0].content }}",
    "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}{% endfor %}{{ dict.fromkeys('ab') | tojson }}",
    "{% if add_generation_prompt is defined %}{{ strftime_now('%Y') }}{% endif %}{{ messages[0]['content'].split(' ')[-1] }}",
]


@IN_THIS_PROCESS
@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_is_rendered_as_transformers_renders_it(template: str) -> None:
    from transformers.utils.chat_template_utils import render_jinja_template

    turns = [{"role": "user", "content": " Who are <you>? 🦊\n"}]
    marks = {"bos_token": "<s>", "eos_token": "</s>"}
    theirs, _ = render_jinja_template(conversations=[turns], chat_template=template, add_generation_prompt=True, **marks)
    assert chat_template.render(template, turns, marks) == theirs[0]


HARMONY = (
    "{% for m in messages %}{% if m.role == 'assistant' %}<|start|>assistant<|channel|>final<|message|>{{ m.content }}<|end|>"
    "{% else %}<|start|>{{ m.role }}<|message|>{{ m.content }}<|end|>{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant{% endif %}"
)
R1 = (
    "{% for m in messages %}{% if m.role == 'assistant' %}<|Assistant|>{{ m.content.split('</think>')[-1] }}<|eos|>"
    "{% else %}<|User|>{{ m.content }}{% endif %}{% endfor %}{% if add_generation_prompt %}<|Assistant|><think>\n{% endif %}"
)
TRIMMED = "{% for m in messages %}[{{ m.role }}] {{ m.content | trim }}</s>{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}"


@IN_THIS_PROCESS
@pytest.mark.parametrize("template", [TEMPLATE, HARMONY, R1, TRIMMED])
@pytest.mark.parametrize("begun", ["Sure,", " Sure, ", "<think>Hm"])
def test_a_begun_answer_is_the_templates_message_up_to_its_end_as_in_transformers(
    template: str, begun: str, tiny: Callable[[str], Any]
) -> None:
    messages = [{"role": "user", "content": "Say it."}, {"role": "assistant", "content": begun}]
    expected = tiny("gpt2").tokenizer.apply_chat_template(messages, chat_template=template, continue_final_message=True, tokenize=False)
    assert chat_template.rendered(template, checked_messages(messages), {}, "tiny") == expected


@IN_THIS_PROCESS
def test_a_begun_answer_that_the_template_would_change_follows_its_introduction() -> None:
    messages = checked_messages([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "<think>a</think>b"}])
    assert chat_template.rendered(R1, messages, {}, "tiny") == "<|User|>Hi<|Assistant|><think>\n<think>a</think>b"


@IN_THIS_PROCESS
def test_the_end_mark_of_a_template_ends_an_answer_that_no_configuration_ends(chatty: Callable[[str], Any]) -> None:
    marked = TEMPLATE.replace("\n", "<|over|>\n")
    model = chatty(marked)
    assert not any(model.token(i).raw == b"<|over|>" for i in model.end_token_ids), "it is no token of this model"
    tokenizer = model.tokenizer
    tokenizer.add_special_tokens({"additional_special_tokens": ["<|over|>"]})
    over = tokenizer.convert_tokens_to_ids("<|over|>")
    special = ["<|over|>", "<|turn|>"]
    assert over and chat_template.template_end(marked, {}, special) == "<|over|>"
    assert chat_template.template_end(TEMPLATE, {}, special) is None, "it writes none after an answer"
    within = HARMONY + "{# <|channel|>analysis #}"
    assert chat_template.template_end(within, {}, ["<|end|>"]) is None, "an answer with channels has several messages"
    assert chat_template.template_end("{{ raise_exception('no') }}<|over|>", {}, special) is None


CHANNELS = (
    "{% for m in messages %}<|begin|>{{ m.role }}{% if m.reasoning %}<|think|>{{ m.reasoning }}<|end|><|begin|>{{ m.role }}{% endif %}"
    "<|content|>{{ m.content }}<|end|>{% endfor %}"
)
NEXT = "{% if m.role == 'user' %}{% if not loop.first %}<|over|>{% endif %}<|user|>{% endif %}"
BEFORE_NEXT = f"{{% for m in messages %}}{NEXT}{{{{ m.content }}}}{{% endfor %}}"


@IN_THIS_PROCESS
def test_a_mark_that_also_closes_thoughts_or_opens_questions_does_not_end_an_answer() -> None:
    """As in Solar, Apertus and GLM."""
    special = ["<|begin|>", "<|think|>", "<|end|>", "<|user|>", "<|over|>"]
    assert chat_template.template_end(CHANNELS, {}, special) is None
    assert chat_template.template_end(CHANNELS.replace("<|think|>{{ m.reasoning }}<|end|>", ""), {}, special) == "<|end|>"
    assert chat_template.template_end(BEFORE_NEXT, {}, special) == "<|over|>"
    assert chat_template.template_end(BEFORE_NEXT.replace("<|over|>", ""), {}, special) is None
