"""Which tokens end a text: those of every configuration, and the one that a chat template writes after an answer."""

from __future__ import annotations

from pathlib import Path

from core import Generation, load_model
from tests import tiny_models


def test_several_end_tokens_are_all_known(tmp_path: Path) -> None:
    folder = tiny_models.save("llama", tmp_path, eos_token_id=[2, 7])
    model = load_model(str(folder), device="cpu")
    assert {2, 7} <= model.end_token_ids
    run = Generation(model, "The sea")
    run.force(7)
    assert run.finished == "end of text"


def test_the_end_mark_of_the_template_ends_an_answer(tmp_path: Path) -> None:
    tokenizer = tiny_models.byte_level_tokenizer()
    tokenizer.add_special_tokens({"additional_special_tokens": ["<|over|>"]})
    tokenizer.chat_template = "{% for m in messages %}{{ m.role }}:{{ m.content }}<|over|>\n{% endfor %}assistant:"
    model = load_model(tiny_models.save("qwen3", tmp_path / "tiny", tokenizer=tokenizer, max_position_embeddings=256))
    run = Generation(model, [{"role": "user", "content": "Who are you?"}])
    run.force("<|over|>")
    assert run.finished == "end of text"
