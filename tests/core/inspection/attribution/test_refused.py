"""What attribution refuses, each in one sentence, and that its hooks are taken off whatever happens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from core import load_model
from core.engine.network_layers import Hook, hooked
from core.errors import BadSetting, BadToken, BrokenLogits, EmptyPrompt, InputError, ModelError, PromptTooLong
from core.inspection import attribution
from tests.core.remote.serving import FakeLlama, FakeVLLM, connect, serve, tokenize, truth
from tests.tiny_models import CONTEXT, save

Model = Callable[[str], Any]
IDS = [10, 20, 30, 40]
CALLS: dict[str, Callable[..., Any]] = {
    "occlusion": attribution.occlusion,
    "gradients": attribution.integrated_gradients,
    "heads": attribution.head_ablation,
    "parts": attribution.logit_parts,
    "patching": lambda model, ids, target: attribution.activation_patching(
        model, ids, [*ids[:-1], 50] if len(ids) > 1 else ids, target, 18
    ),
}


IMPOSSIBLE: list[tuple[list[int], Any, type[Exception]]] = [
    ([], 17, EmptyPrompt),
    ([10], 17, InputError),
    ([10, 10**6], 17, BadToken),
    ([10, -1], 17, BadToken),
    (IDS, 10**6, BadToken),
    (IDS, -1, BadToken),
    (IDS, "fox", BadToken),
    (IDS, True, BadToken),
    ([10] * (CONTEXT + 1), 17, PromptTooLong),
]


@pytest.mark.parametrize("name", CALLS)
def test_an_impossible_text_or_token_is_refused(name: str, tiny: Model) -> None:
    for ids, target, error in IMPOSSIBLE:
        with pytest.raises(error) as raised:
            CALLS[name](tiny("gpt2"), ids, target)
        assert "{" not in str(raised.value)


@pytest.mark.parametrize("name", CALLS)
def test_a_text_of_the_whole_context_is_explained(name: str, tiny: Model) -> None:
    CALLS[name](tiny("llama"), [10, 20] * (CONTEXT // 2), 17)


def test_impossible_choices_are_refused(tiny: Model) -> None:
    model = tiny("gpt2")
    for call, error in (
        (lambda: attribution.occlusion(model, IDS, 17, "burn"), BadSetting),
        (lambda: attribution.occlusion(model, IDS, 17, spans=[(2, 2)]), InputError),
        (lambda: attribution.occlusion(model, IDS, 17, spans=[(2, 9)]), InputError),
        (lambda: attribution.occlusion(model, IDS, 17, spans=[(0, 4)]), InputError),
        (lambda: attribution.head_ablation(model, IDS, 17, "noise"), BadSetting),
        (lambda: attribution.integrated_gradients(model, IDS, 17, steps=0), BadSetting),
        (lambda: attribution.activation_patching(model, IDS, IDS, 17, 18), InputError),
        (lambda: attribution.activation_patching(model, IDS, IDS[::-1], 17, 18, pairs=[((9,), (0,))]), InputError),
        (lambda: attribution.activation_patching(model, IDS, IDS[::-1], 17, 18, pairs=[((1, 2), (0,))]), InputError),
        (lambda: attribution.steering_vector(model, [], ["sad"], 1), EmptyPrompt),
        (lambda: attribution.steering_vector(model, ["happy"], [" "], 1), EmptyPrompt),
        (lambda: attribution.steering_vector(model, ["happy"], ["sad"], 4), BadSetting),
    ):
        with pytest.raises(error):
            call()


@pytest.mark.parametrize("name", ["occlusion", "gradients", "heads", "parts"])
def test_an_impossible_second_token_is_refused(name: str, tiny: Model) -> None:
    for against in (17, -1, 10**9, "fox", True, float("nan"), 18.0):
        with pytest.raises(BadToken) as raised:
            CALLS[name](tiny("gpt2"), IDS, 17, against=against)
        assert "{" not in str(raised.value)


@pytest.mark.parametrize("name", ["occlusion", "heads"])
def test_a_token_with_probability_zero_is_named(name: str, tmp_path: Any) -> None:
    model = load_model(str(save("mpt", tmp_path / "never", tie_word_embeddings=False)), device="cpu", dtype="float32")
    head = model.load_network().get_output_embeddings()
    head.register_forward_hook(lambda _module, _given, logits: logits.index_fill(-1, torch.tensor([17]), -torch.inf))
    for target, against in ((17, None), (17, 18), (18, 17)):
        with pytest.raises(BadToken, match="probability 0") as raised:
            CALLS[name](model, IDS, target, against=against)
        assert model.piece(17) in str(raised.value)


def test_texts_of_unequal_length_are_refused_with_the_place_where_they_part(tiny: Model) -> None:
    with pytest.raises(InputError, match="4 and 5 tokens, and they part at token 3"):
        attribution.activation_patching(tiny("gpt2"), IDS, [10, 20, 50, 60, 70], 17, 18)
    found = attribution.activation_patching(tiny("gpt2"), IDS, [10, 20, 50, 60, 70], 17, 18, pairs=[((2,), (3,)), ((3,), (4,))])
    assert found.recovered.shape == (4, 2) and found.recovered[-1, 1] == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize(
    ("architecture", "reason"), [("mamba", "no attention heads"), ("deepseek_v3", "share one compressed"), ("lfm2", "Not every layer")]
)
def test_a_family_without_separable_heads_says_why(architecture: str, reason: str, tiny: Model) -> None:
    model = tiny(architecture)
    for call in (attribution.head_ablation, attribution.logit_parts):
        with pytest.raises(ModelError, match=reason):
            call(model, IDS, 17)
    assert attribution.occlusion(model, IDS, 17).effects.shape == (4,)


@pytest.mark.parametrize(
    ("architecture", "reason"), [("mamba", "cannot be masked"), ("lfm2", "cannot be masked"), ("bloom", "would move the others")]
)
def test_a_family_that_cannot_mask_a_word_says_why(architecture: str, reason: str, tiny: Model) -> None:
    with pytest.raises(ModelError, match=reason):
        attribution.occlusion(tiny(architecture), IDS, 17, "mask")


def test_nan_is_refused(tmp_path: Any) -> None:
    model = load_model(str(save("llama", tmp_path / "broken")), device="cpu", dtype="float32")
    with torch.no_grad():
        model.load_network().model.norm.weight[0] = torch.nan
    for call in CALLS.values():
        with pytest.raises(BrokenLogits):
            call(model, IDS, 17)


def test_hooks_are_taken_off_whatever_happens() -> None:
    module, seen = torch.nn.Linear(2, 2), []
    hooks = [Hook(module, lambda *given: seen.append(given), lambda made: seen.append(made))]
    with pytest.raises(RuntimeError), hooked(hooks):
        module(torch.zeros(1, 3))  # of the wrong size: the hook before it has run
    assert len(seen) == 1
    with hooked(hooks):
        module(torch.zeros(1, 2))
    assert len(seen) == 3
    module(torch.zeros(1, 2))
    assert len(seen) == 3


def test_nothing_stays_changed(tiny: Model) -> None:
    model = tiny("gpt2")
    before = attribution.occlusion(model, IDS, 17).log_probability
    for call in CALLS.values():
        call(model, IDS, 17)
    assert attribution.occlusion(model, IDS, 17).log_probability == pytest.approx(before, abs=1e-6)


@pytest.mark.parametrize("kind", [FakeVLLM(limit=512), FakeLlama()], ids=["vLLM", "llama-server"])
def test_on_a_server_words_are_left_out_and_nothing_else(kind: Any, no_waiting: None) -> None:
    ids = tokenize("def main(argv)")
    with serve(kind) as server:
        model = connect(server)
        target = int(np.argmax(truth(ids)))
        found = attribution.occlusion(model, ids, target)
        expected = [truth(ids)[target] - truth(ids[:i] + ids[i + 1 :])[target] for i in range(len(ids))]
        np.testing.assert_allclose(found.effects, expected, atol=1e-2)
        for call in (
            lambda: attribution.occlusion(model, ids, target, "mask"),
            *(lambda c=c: c(model, ids, 17) for n, c in CALLS.items() if n != "occlusion"),
        ):
            with pytest.raises(ModelError, match="no layers on this machine"):
                call()
