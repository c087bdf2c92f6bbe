"""A tokenizer that is asked over HTTP divides and joins texts as the server does, and a hostile one costs one sentence."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from tokenizers import Tokenizer

from core import Generation, SamplingSettings, load_model
from core.errors import ModelError
from core.tokens.token_text import bytes_of_name
from tests.core.remote.serving import TINY, VOCABULARY, Asked, FakeLlama, FakeSGLang, FakeVLLM, Reply, connect, serve, tokenize

TEXTS = ("def main(argv): return 0", "A fox 🦊.", "über", "  two\n\n")
pytestmark = pytest.mark.usefixtures("no_waiting")


class VLLMByAddress(FakeVLLM):
    """vLLM with its /detokenize, as its documents describe it."""

    def __call__(self, asked: Asked) -> Reply:
        if asked.path == "/detokenize":
            known = [i for i in asked.body["tokens"] if i < VOCABULARY]
            return Reply.of({"prompt": Tokenizer.from_file(str(TINY / "tokenizer.json")).decode(known, skip_special_tokens=False)})
        if asked.path == "/tokenize" and asked.body.get("return_token_strs"):
            whole, ids = Tokenizer.from_file(str(TINY / "tokenizer.json")), tokenize(asked.body["prompt"])
            return Reply.of({"tokens": ids, "token_strs": [whole.id_to_token(i) for i in ids], "count": len(ids)})
        return super().__call__(asked)


class LlamaByAddress(FakeLlama):
    """llama-server with pieces, as a real one answered."""

    def __call__(self, asked: Asked) -> Reply:
        whole = Tokenizer.from_file(str(TINY / "tokenizer.json"))
        if asked.path == "/tokenize" and asked.body.get("with_pieces"):
            pieces = [(i, whole.decode([i], skip_special_tokens=False)) for i in tokenize(asked.body["content"])]
            return Reply.of({"tokens": [{"id": i, "piece": piece} for i, piece in pieces]})
        if asked.path == "/detokenize":
            return Reply.of({"content": whole.decode(asked.body["tokens"], skip_special_tokens=False)})
        if asked.path == "/props":
            return Reply.of({"eos_token": "", "bos_token": 7, "chat_template": "{{ messages }}"})
        return super().__call__(asked)


VLLM = VLLMByAddress(limit=VOCABULARY)


@pytest.mark.parametrize("server", [VLLM, LlamaByAddress(), FakeSGLang()], ids=["vLLM", "llama-server", "SGLang"])
def test_no_local_tokenizer_is_needed(server: Any) -> None:
    with serve(server) as running:
        alone, local = load_model(running.address), connect(running)
        assert alone.vocabulary_size == VOCABULARY
        for text in TEXTS:
            assert alone.encode(text) == local.encode(text)
            if server is VLLM:  # the small llama-server sends no bytes
                assert [token.raw for token in alone.tokenize(text)] == [token.raw for token in local.tokenize(text)]
        one, other = (Generation(model, TEXTS[0], SamplingSettings(seed=2, top_k=20)) for model in (alone, local))
        one.generate(8)
        other.generate(8)
        assert [step.token_id for step in one.path] == [step.token_id for step in other.path]
        whole = [step for step in other.path if step.raw.decode("utf-8", "ignore").encode() == step.raw]
        assert all(one.path[step.index].raw == step.raw for step in whole)


BAD = {
    "no /tokenize": lambda asked: Reply.of({"error": "x"}, 404),
    "ids that do not exist": lambda asked: Reply.of({"tokens": [{"id": 10**9, "piece": "x"}], "content": "x"}),
    "no ids": lambda asked: Reply.of({"tokens": [{"id": "seven", "piece": "x"}], "content": "x"}),
    "no text": lambda asked: Reply.of({"tokens": [{"id": 7, "piece": {"a": 1}}], "content": 7}),
    "a number for a piece": lambda asked: Reply.of({"tokens": [{"id": 7, "piece": 7}], "content": ""}),
    "a deep answer": lambda asked: Reply(200, b"[" * 100_000),
    "a long answer": lambda asked: Reply(200, (b" " * 65536 for _ in range(100))),
}


@pytest.mark.parametrize("what", BAD)
def test_a_hostile_tokenizer_is_one_sentence(what: str) -> None:
    def answer(asked: Asked) -> Reply:
        if asked.path in ("/tokenize", "/detokenize", "/props"):
            return BAD[what](asked)
        return FakeLlama()(asked)

    with serve(answer) as running, pytest.raises(ModelError) as caught:
        load_model(running.address)
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value) and len(str(caught.value)) < 250


class LlamaWithBytes(LlamaByAddress):
    """llama-server, which names the bytes of the tokens that it lists."""

    def __call__(self, asked: Asked) -> Reply:
        reply = super().__call__(asked)
        if asked.path == "/completion" and reply.status == 200:
            whole, body = Tokenizer.from_file(str(TINY / "tokenizer.json")), json.loads(cast(bytes, reply.parts))
            for entry in body["completion_probabilities"][0]["top_logprobs"]:
                entry["bytes"] = list(bytes_of_name(whole.id_to_token(entry["id"]) or ""))
            return Reply.of(body)
        return reply


def test_a_token_within_a_character_is_named_by_its_bytes_although_no_step_listed_it() -> None:
    with serve(LlamaWithBytes()) as running:
        model, local = load_model(running.address), connect(running)
        halves = [i for i in range(VOCABULARY) if local.token(i).raw and not _is_text(local.token(i).raw)]
        assert halves
        assert [model.token(i).piece for i in halves] == [local.token(i).piece for i in halves]
    with serve(FakeSGLang()) as running:  # it says the bytes of no token, so such a token has its number and no byte brackets
        assert load_model(running.address).token(halves[0]).piece == f"#{halves[0]}"


def _is_text(raw: bytes) -> bool:
    return raw.decode("utf-8", "ignore").encode() == raw
