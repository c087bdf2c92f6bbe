"""Inside one step: layers, attention and vectors against transformers' outputs and plain matrix products."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from core import Generation
from core.errors import BadToken, EmptyPrompt, ModelError, PromptTooLong
from core.inspection import inside
from core.inspection.embeddings import flat_map, tokens_of_words
from core.inspection.scoring import score_text
from core.sources.recorded_source import RecordedSource
from tests.core.plain import bits, plain_odds
from tests.core.refusals import one_sentence
from tests.tiny_models import ARCHITECTURES, some

Model = Callable[[str], Any]

TEXT = "Once upon a time there was a small dragon 🦊 who"
NORMS = {"llama": "model.norm", "gpt2": "transformer.ln_f", "gpt_neox": "gpt_neox.final_layer_norm", "bloom": "transformer.ln_f"}
NORMS |= {"gemma2": "model.norm", "qwen3": "model.norm", "mixtral": "model.norm", "mamba": "backbone.norm_f"}
# Falcon with ALiBi comes to other odds when transformers computes its attention the plain way: there is nothing true to compare with.
WITH_ATTENTION = [name for name in ARCHITECTURES if name not in ("mamba", "falcon")]


@pytest.mark.parametrize("architecture", some(sorted(set(ARCHITECTURES) - {"gemma3n"})))  # it keeps several versions of each state
def test_the_last_layer_is_the_step_itself(architecture: str, tiny: Model, plain: Model) -> None:
    model = tiny(architecture)
    run = Generation(model, TEXT, top_n=5)
    distribution = run.next_distribution()
    seen = inside.inspect_step(model, run.token_ids, top_n=5)
    assert len(seen.layers) == model.layer_count
    last = seen.layers[-1]
    assert [guess.token_id for guess in last.candidates] == [candidate.token_id for candidate in distribution.candidates]
    expected = plain_odds(plain(architecture), run.token_ids.tolist())
    for guess in last.candidates:
        assert guess.model_probability == pytest.approx(expected[guess.token_id], abs=1e-4)
    assert last.entropy == pytest.approx(bits(expected), abs=1e-3)
    assert last.rest_model_probability == pytest.approx(1 - sum(guess.model_probability for guess in last.candidates), abs=1e-6)


@pytest.mark.parametrize("architecture", some(NORMS))
def test_every_layer_is_read_through_the_final_norm_and_head(architecture: str, tiny: Model, plain: Model) -> None:
    """The textbook lens, written out: hidden state -> final norm -> head (-> soft cap)."""
    model, network = tiny(architecture), plain(architecture)
    ids = model.encode(TEXT)
    with torch.inference_mode():
        hidden = network(torch.tensor([ids]), use_cache=False, output_hidden_states=True).hidden_states
        seen = inside.inspect_step(model, ids, top_n=4)
        starts = 1 if architecture == "mamba" else 0  # transformers does not record what goes into its first layer
        for number, layer in list(enumerate((seen.before, *seen.layers[:-1])))[starts:]:
            vector = hidden[number - starts][0, -1]
            logits = network.get_output_embeddings()(network.get_submodule(NORMS[architecture])(vector))
            cap = getattr(network.config, "final_logit_softcapping", None)
            distribution = torch.softmax(torch.tanh(logits / cap) * cap if cap else logits, 0)
            assert layer is not None
            assert layer.number == number
            assert [guess.token_id for guess in layer.candidates] == torch.topk(distribution, 4).indices.tolist()
            for guess in layer.candidates:
                assert guess.model_probability == pytest.approx(float(distribution[guess.token_id]), abs=1e-4)


@pytest.mark.parametrize("architecture", some(["llama", "gpt2", "bloom", "gemma2", "mamba"], ["gemma2", "mamba"]))
def test_a_token_can_be_followed_through_the_layers(architecture: str, tiny: Model) -> None:
    model = tiny(architecture)
    seen = inside.inspect_step(model, model.encode(TEXT), top_n=model.vocabulary_size)
    way = seen.follow(40)
    assert len(way) == model.layer_count + 1
    for station, layer in zip(way, (seen.before, *seen.layers), strict=True):
        assert layer is not None
        listed = next(guess for guess in layer.candidates if guess.token_id == 40)
        assert station.model_probability == pytest.approx(listed.model_probability, abs=1e-6)
        assert station.rank == listed.rank


@pytest.mark.parametrize("architecture", some(WITH_ATTENTION))
def test_attention_is_what_transformers_writes_down(architecture: str, tiny: Model, tiny_folder: Model) -> None:
    from transformers import AutoModelForCausalLM

    model = tiny(architecture)
    network = AutoModelForCausalLM.from_pretrained(tiny_folder(architecture), attn_implementation="eager").eval()
    ids = model.encode(TEXT)
    with torch.inference_mode():
        expected = network(torch.tensor([ids]), use_cache=False, output_attentions=True).attentions
    rows = [row for row in inside.inspect_step(model, ids).attention if row is not None]
    assert len(rows) == len(expected)
    for row, weights in zip(rows, expected, strict=True):
        assert row.shape == (weights.shape[1], len(ids))
        assert row == pytest.approx(weights[0, :, -1].numpy(), abs=1e-4)
        if architecture != "gpt_oss":  # whose heads may look at nothing
            assert row.sum(1) == pytest.approx(np.ones(len(row)), abs=1e-4)


def test_what_a_model_does_not_have_is_said(tiny: Model) -> None:
    assert inside.inspect_step(tiny("llama"), [5, 6]).notes == ()
    mamba = inside.inspect_step(tiny("mamba"), [5, 6])
    assert mamba.attention == (None,) * 3
    assert mamba.notes == (inside.NO_ATTENTION,)
    mixed = inside.inspect_step(tiny("lfm2"), [5, 6])
    assert [row is None for row in mixed.attention] == [True, False, True]
    assert mixed.notes == ("Layers 1 and 3 of this model have no attention.",)
    assert inside.inspect_step(tiny("falcon"), [5, 6, 7, 8, 9]).notes == (inside.HIDDEN_ATTENTION,)


@pytest.mark.parametrize("architecture", some(["llama", "mistral", "gpt2", "lfm2"], ["mistral", "lfm2"]))
def test_a_long_text_is_read_in_pieces_to_the_same_end(architecture: str, tiny: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny(architecture)
    ids = list(range(10, 60))
    whole = inside.inspect_step(model, ids)
    monkeypatch.setattr(inside, "CHUNK", 7)
    pieces = inside.inspect_step(model, ids)
    for one, other in zip(whole.layers, pieces.layers, strict=True):
        assert one.entropy == pytest.approx(other.entropy, abs=1e-3)
    for row, again in zip(whole.attention, pieces.attention, strict=True):
        assert (row is None) == (again is None)
        if row is not None and again is not None:
            assert row == pytest.approx(again, abs=1e-4)


@pytest.mark.parametrize("architecture", some(["llama", "gpt2", "gemma2", "qwen3", "mamba"], ["llama", "gemma2"]))
def test_neighbours_are_those_of_a_plain_matrix_product(architecture: str, tiny: Model, plain: Model) -> None:
    model, table = tiny(architecture), plain(architecture).get_input_embeddings().weight.detach().double().numpy()
    seen = inside.inspect_step(model, [7])
    assert seen.embedding(30) == pytest.approx(table[30], abs=1e-6)
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    cosines = unit @ unit[30]
    cosines[30] = -2
    expected = np.argsort(-cosines)[:6]
    found = seen.neighbours(30, 6)
    assert [neighbour.token_id for neighbour in found] == expected.tolist()
    assert [neighbour.cosine for neighbour in found] == pytest.approx(cosines[expected].tolist(), abs=1e-5)


@pytest.mark.parametrize(
    ("ids", "error"),
    [
        ([], EmptyPrompt),
        ([5, 10**6], BadToken),
        ([-1], BadToken),
        ([1.5], BadToken),
        ("hello", BadToken),
        (None, BadToken),
        ([[1, 2], [3, 4]], BadToken),
        ([1, [2, 3]], BadToken),
        ([10**30], BadToken),
        ([5] * 65, PromptTooLong),
    ],
)
def test_bad_tokens_get_one_sentence(ids: Any, error: type[Exception], tiny: Model) -> None:
    with one_sentence(error):
        inside.inspect_step(tiny("gpt2"), ids)


@pytest.mark.parametrize(
    "ask", [lambda model: inside.inspect_step(model, [5]), lambda model: score_text(model, TEXT)], ids=["look", "score"]
)
def test_a_model_on_a_server_cannot_be_looked_into(ask: Callable[[Any], object]) -> None:
    with pytest.raises(ModelError, match=r"\.$"):
        ask(RecordedSource("a model elsewhere", "server", "unknown"))


def test_layers_that_cannot_be_read_are_left_out(tiny: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = score_text(tiny("llama"), TEXT)
    monkeypatch.setattr("core.inspection.logit_lens.Layers.speak_truly", lambda self, hidden, logits: False)
    seen = inside.inspect_step(tiny("llama"), [5, 6, 7])
    assert (seen.layers, seen.before, seen.follow(5), seen.notes) == ((), None, (), (inside.NO_LAYERS,))
    assert seen.attention[0] is not None
    assert score_text(tiny("llama"), TEXT).log_probabilities == pytest.approx(expected.log_probabilities, abs=1e-4, nan_ok=True)


def test_others_write_undisturbed_meanwhile(tiny: Model) -> None:
    """Looking switches the network for a moment; whoever writes at the same time must get the very same odds."""
    model = tiny("llama")
    expected = [step.candidates[0].logit for step in _write(model)]
    stop = threading.Event()

    def look_on_and_on() -> None:
        while not stop.is_set():
            inside.inspect_step(model, [5, 6, 7, 8])

    watcher = threading.Thread(target=look_on_and_on)
    watcher.start()
    try:
        for _ in range(5):
            assert [step.candidates[0].logit for step in _write(model)] == expected
    finally:
        stop.set()
        watcher.join()


def _write(model: Any) -> list[Any]:
    run = Generation(model, TEXT)
    return [run.step() for _ in range(12)]


def test_a_map_keeps_what_a_plane_can_keep(tiny: Model, plain: Model) -> None:
    model = tiny("llama")
    ids = list(range(20, 40))
    flat = flat_map(model, [*ids, 20])
    assert flat.token_ids == tuple(ids)
    vectors = plain("llama").get_input_embeddings().weight.detach().double().numpy()[ids]
    values = np.linalg.svd(vectors - vectors.mean(0), compute_uv=False) ** 2
    assert flat.kept == pytest.approx(values[:2].sum() / values.sum())
    assert flat.places.var(0).sum() == pytest.approx(values[:2].sum() / len(ids))


def test_only_words_with_a_token_of_their_own_are_found(tiny: Model) -> None:
    model = tiny("gpt2")
    found = tokens_of_words(model, ["the", "unspeakableness", "a", "the", ""])
    assert [model.token(i).text for i in found] == [" the", " a"]
