"""The chat templates that lie in llama.cpp's sources: a begun answer is the text of transformers' continue_final_message."""

from __future__ import annotations

from typing import Any

import pytest
import transformers

from core.chat.chat_template import rendered
from core.chat.conversation import checked_messages
from core.errors import ModelError
from tests import tiny_models
from tests.servers.build import HOME

pytestmark = pytest.mark.exhaustive

MARKS = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
BEGUN = ["Sure,", "  Sure, ", "Sure,\n\n", "<think>\nHm, he"]


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    made = tiny_models.byte_level_tokenizer()
    made.add_special_tokens(MARKS)
    return made


@pytest.mark.parametrize("begun", BEGUN)
def test_a_begun_answer_is_that_of_transformers(begun: str, tokenizer: transformers.PreTrainedTokenizerFast) -> None:
    templates = sorted((HOME / "models" / "templates").glob("*.jinja"))
    if not templates:
        pytest.skip("llama.cpp's sources are not there")
    messages = [{"role": "user", "content": "Hi there"}, {"role": "assistant", "content": begun}]
    compared = 0
    for path in templates:
        template = path.read_text("utf-8")
        try:
            expected = tokenizer.apply_chat_template(messages, chat_template=template, continue_final_message=True, tokenize=False)
        except Exception:  # a template that demands tools
            with pytest.raises(ModelError):
                rendered(template, checked_messages(messages), MARKS, path.name)
            continue
        assert rendered(template, checked_messages(messages), MARKS, path.name) == expected, path.name
        compared += 1
    assert compared > 60
