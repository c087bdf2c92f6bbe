"""The server: every request gets the text that it gets alone, under every policy, and the block counts always agree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from core import Generation, SamplingSettings, load_model
from core.backends import compiled
from core.batching import batched_compiled
from core.batching.batch_server import Iteration, Server, ServerSettings
from core.batching.batched_compiled import BatchedCompiled
from core.batching.batched_transformers import BatchedTransformers
from core.batching.request import Request, RequestState
from core.batching.scheduler import Policy
from core.errors import ModelError
from tests.core.backends.compiled.loaded import load_compiled
from tests.tiny_models import FULL_ATTENTION, byte_level_tokenizer, some, widen

PROMPTS = [
    "Once upon a time",
    "The capital of France is",
    "one two three four five six seven",
    "A fox",
    "She looked at the sea. The sea looked back",
    "Once upon a time there was a small",
]


def settings_of(number: int) -> SamplingSettings:
    """Readers who want different things: sampled, cut, penalised, greedy."""
    kinds: list[dict[str, Any]] = [
        {"temperature": 0.8},
        {"greedy": True},
        {"top_p": 0.9, "top_k": 50},
        {"repetition_penalty": 1.3, "temperature": 1.2},
        {"min_p": 0.02},
        {"typical_p": 0.9},
    ]
    return SamplingSettings(**kinds[number % len(kinds)], seed=number)


def requests(model: Any, count: int = 6, tokens: int = 12, gap: float = 0.0) -> list[Request]:
    """`count` requests with answers of different length, arriving `gap` seconds apart."""
    return [Request(i, tuple(model.encode(PROMPTS[i % len(PROMPTS)])), settings_of(i), 3 + (5 * i) % tokens, gap * i) for i in range(count)]


def alone(model: Any, asked: Sequence[Request]) -> list[list[int]]:
    """What a run of its own writes for each request, until its end."""
    runs = [Generation(model, PROMPTS[request.request_id % len(PROMPTS)], request.settings, top_n=1) for request in asked]
    return [[step.token_id for step in run.stream(request.max_new_tokens)] for run, request in zip(runs, asked, strict=True)]


def serve(server: Server) -> list[Iteration]:
    """Serve to the end, looking into the books after every iteration."""
    seen = []
    while not server.done:
        seen.append(server.step())
        server.pool.check([request.block_table for request in server.requests])
        assert len(seen) < 2000
    assert all(request.state is RequestState.FINISHED for request in server.requests)
    assert server.pool.used == 0
    return seen


def everybody_gets_what_they_get_alone(model: Any, runner: type) -> None:
    """Under every policy, with little room; the passes are of this runner."""
    expected = alone(model, requests(model))
    for policy in Policy:
        server = Server(model, requests(model), ServerSettings(policy, max_num_seqs=4, max_num_batched_tokens=9, blocks=20))
        assert isinstance(server.runner, runner)
        serve(server)
        assert [request.written_ids for request in server.requests] == expected, policy


@pytest.mark.parametrize("architecture", some(FULL_ATTENTION, ["llama", "gpt2", "mixtral"]))
def test_everybody_gets_what_they_get_alone(architecture: str, tiny: Any) -> None:
    everybody_gets_what_they_get_alone(tiny(architecture), BatchedTransformers)


def test_texts_of_unequal_length_do_not_share_a_pass_where_padding_changes_them(tmp_path: Path) -> None:
    """BART's decoder counts its positions from the beginning of the padding."""
    words = byte_level_tokenizer()
    layers = {
        "d_model": 32,
        "encoder_layers": 3,
        "decoder_layers": 3,
        "decoder_attention_heads": 4,
        "decoder_ffn_dim": 48,
        "max_position_embeddings": 64,
    }
    torch.manual_seed(7)
    network = transformers.AutoModelForCausalLM.from_config(transformers.BartConfig(vocab_size=len(words) + 5, **layers))
    widen(network)
    network.save_pretrained(tmp_path)
    words.save_pretrained(tmp_path)
    model = load_model(tmp_path)
    server = Server(model, requests(model), ServerSettings(Policy.CONTINUOUS, max_num_seqs=4, max_num_batched_tokens=9, blocks=20))
    seen = serve(server)
    assert [request.written_ids for request in server.requests] == alone(model, server.requests)
    assert max(iteration.rows for iteration in seen) > 1 and not any(iteration.padded_tokens for iteration in seen)


def test_blocks_run_out_and_the_youngest_is_computed_anew(tiny: Any) -> None:
    model = tiny("llama")
    asked = [Request(i, tuple(model.encode(PROMPTS[i])), settings_of(i), 30, ignore_eos=True) for i in range(4)]
    seen = serve(Server(model, asked, ServerSettings(max_num_seqs=4, blocks=6)))
    preempted = [one for iteration in seen for one in iteration.preempted]
    assert preempted and 0 not in preempted and max(r.preemptions for r in asked) == asked[-1].preemptions
    assert all(iteration.used_blocks <= 6 for iteration in seen)
    for request, ids in zip(asked, alone(model, asked), strict=True):
        assert request.written_ids[: len(ids)] == ids and len(request.written_ids) == 30


@pytest.fixture
def compiled_model(tiny_folder: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """A function that loads a tiny model whose requests share compiled passes."""
    pytest.importorskip("numba")
    monkeypatch.setenv("TOKEN_VIEWER_COMPILED", "1")
    load_compiled()
    compiled.batches_are_ready()
    assert compiled.wait_for_batches()
    return lambda architecture: load_model(str(tiny_folder(architecture)), device="cpu", dtype="float32")


@pytest.mark.slow
@pytest.mark.parametrize("architecture", some(["llama", "qwen3", "gpt2", "gpt_neox", "phi3"], ["llama", "gpt2"]))
def test_in_compiled_passes_too(architecture: str, compiled_model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model = compiled_model(architecture)
    monkeypatch.setattr(batched_compiled, "ROWS", 7)  # a pass takes several calls
    everybody_gets_what_they_get_alone(model, BatchedCompiled)
    assert isinstance(Server(model, [], compiled=False).runner, BatchedTransformers)


@pytest.mark.parametrize("architecture", ["llama", "gpt2"])
def test_a_common_beginning_is_computed_once(architecture: str, tiny: Any) -> None:
    _common_beginning(tiny(architecture))


@pytest.mark.slow
def test_a_common_beginning_is_computed_once_in_compiled_passes(compiled_model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batched_compiled, "ROWS", 7)  # a part attends to blocks that an earlier call of the same pass fills
    _common_beginning(compiled_model("llama"))


def _common_beginning(model: Any) -> None:
    common = tuple(model.encode("Once upon a time there was a small dragon who could not breathe fire."))[:32]
    assert len(common) >= 16

    def run(caching: bool) -> tuple[Server, list[Iteration]]:
        asked = [Request(i, (*common, 40 + i), SamplingSettings(seed=i), 8) for i in range(5)]
        server = Server(model, asked, ServerSettings(max_num_seqs=5, blocks=40, prefix_caching=caching))
        return server, serve(server)

    (shared, seen), (lone, plainly) = run(True), run(False)
    full = len(common) // 16 * 16
    assert [r.reused_tokens for r in shared.requests] == [0] + [full] * 4 and all(r.reused_tokens == 0 for r in lone.requests)
    assert max(i.saved_blocks for i in seen) == 4 * full // 16 and max(i.saved_blocks for i in plainly) == 0
    assert [r.written_ids for r in shared.requests] == [r.written_ids for r in lone.requests]


def test_a_static_batch_waits_for_its_longest_and_a_continuous_one_does_not(tiny: Any) -> None:
    model = tiny("llama")

    def joined(policy: Policy) -> list[int]:
        asked = [Request(i, tuple(model.encode("A fox")), SamplingSettings(seed=i), [3, 20, 3, 3][i], ignore_eos=True) for i in range(4)]
        seen = serve(Server(model, asked, ServerSettings(policy, max_num_seqs=2, blocks=40)))
        first = [next(i.index for i in seen for p in i.progress if p.request_id == r.request_id and p.tokens) for r in asked]
        return first

    assert joined(Policy.ONE_AT_A_TIME) == [0, 3, 23, 26]
    assert joined(Policy.STATIC) == [0, 0, 20, 20]
    assert joined(Policy.CONTINUOUS) == [0, 0, 3, 6]


def test_a_long_prompt_in_pieces_leaves_room_for_everybody_else(tiny: Any) -> None:
    model = tiny("llama")

    def busiest(policy: Policy) -> tuple[int, list[int]]:
        asked = [
            Request(0, (7, 8, 9), SamplingSettings(seed=1), 20, 0.0, True),
            Request(1, tuple(range(5, 45)), SamplingSettings(seed=2), 4, 1e-9, True),
        ]
        server = Server(model, asked, ServerSettings(policy, max_num_seqs=4, max_num_batched_tokens=8, blocks=20))
        seen = serve(server)
        return max(i.tokens for i in seen), [sum(p.tokens > 0 for p in i.progress) for i in seen[:6]]

    assert busiest(Policy.CHUNKED) == (8, [1, 2, 2, 2, 2, 2])
    assert busiest(Policy.CONTINUOUS)[0] == 41


def test_what_an_iteration_says_adds_up(tiny: Any) -> None:
    model = tiny("llama")
    asked = requests(model)
    seen = serve(Server(model, asked, ServerSettings(max_num_seqs=3, blocks=40)))
    assert sum(i.written for i in seen) == sum(len(r.written_ids) for r in asked)
    for request in asked:
        ids = [p.token_id for i in seen for p in i.progress if p.request_id == request.request_id and p.token_id >= 0]
        text = "".join(p.text for i in seen for p in i.progress if p.request_id == request.request_id)
        record = next(one for i in seen for one in i.finished if one.request_id == request.request_id)
        assert ids == request.written_ids == list(record.token_ids) and text == request.text
        assert record.end_to_end_latency >= record.token_times[0] - record.arrival >= record.queue_time >= 0
        assert len(record.token_times) == len(record.logits) == len(ids)
    for before, after in pairwise(seen):
        assert after.start >= before.stop - 1e-9 and before.seconds >= before.pass_seconds
    assert all(len(i.blocks) == 40 and sum(b >= 0 or b == -3 for b in i.blocks) == i.used_blocks for i in seen)


@pytest.mark.parametrize("architecture", some(["mistral", "gemma2", "mamba", "lfm2"]))
def test_a_model_without_plain_keys_and_values_is_refused_in_a_sentence(architecture: str, tiny: Any) -> None:
    with pytest.raises(ModelError, match="does not keep one key and one value per token"):
        Server(tiny(architecture), [Request(0, (5,), SamplingSettings(), 3)])


@pytest.mark.exhaustive
def test_greedy_ids_are_those_of_transformers_own_continuous_batching(tiny: Any, tiny_folder: Any) -> None:
    from transformers import AutoModelForCausalLM, GenerationConfig

    model = tiny("llama")
    network = AutoModelForCausalLM.from_pretrained(tiny_folder("llama")).eval()
    asked = [Request(i, tuple(model.encode(text)), SamplingSettings(greedy=True), 4, ignore_eos=True) for i, text in enumerate(PROMPTS[:3])]
    serve(Server(model, asked, ServerSettings(max_num_seqs=3, blocks=20)))
    wanted = GenerationConfig(
        max_new_tokens=4, do_sample=False, eos_token_id=-1, pad_token_id=0, num_blocks=16, max_batch_tokens=16, use_cuda_graph=False
    )
    answers = network.generate_batch(inputs=[list(request.prompt_ids) for request in asked], generation_config=wanted, progress_bar=False)
    assert [request.written_ids for request in asked] == [answer.generated_tokens for answer in answers.values()]
