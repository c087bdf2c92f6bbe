"""Every experiment on families that differ from most: it works, or one sentence says that it does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from core import Generation, SamplingSettings, load_model
from core.backends.transformers_backend import TransformersBackend
from core.engine.architecture_limits import possible_with
from core.engine.network_changes import Steering
from core.errors import ModelError, NotForThisModel
from core.experiments.candidates.beam import beam_search
from core.experiments.candidates.best_of_n import write_together
from core.experiments.quantization.rounded_weights import quantize
from core.experiments.same_prompt import EAGER, REFERENCE, Comparison, Refused, Way, compared
from core.experiments.teach import teach
from core.finetuning.finetune import FineTuning, TrainingPlan
from core.inspection import attribution
from core.inspection.inside import TO_NOTHING, inspect_step
from core.inspection.scoring import score_text
from tests.tiny_models import ARCHITECTURES, CONTEXT, GROUPED, SHAPE, byte_level_tokenizer, save, some, widen

TEXT = "Once upon a time there was a fox."
EXPERTS = {"n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16}
DEEPSEEK_V4 = SHAPE | EXPERTS | {"num_attention_heads": 4, "head_dim": 16, "q_lora_rank": 12, "o_groups": 2}
FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    "deepseek_v4": ("DeepseekV4Config", DEEPSEEK_V4),
    "deepseek_v4_compressed": (
        "DeepseekV4Config",
        DEEPSEEK_V4
        | {"layer_types": ["sliding_attention", "compressed_sparse_attention", "heavily_compressed_attention"], "sliding_window": 8}
        | {"compress_rates": {"compressed_sparse_attention": 4, "heavily_compressed_attention": 8}}
        | {"index_n_heads": 2, "index_head_dim": 8, "index_topk": 2},
    ),
    "gemma3n": ARCHITECTURES["gemma3n"],
    "gpt1": ("OpenAIGPTConfig", {"n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": CONTEXT}),
    "minimax": ("MiniMaxConfig", GROUPED | {"head_dim": 8, "num_local_experts": 2, "num_experts_per_tok": 1}),
    "granite_hybrid": (
        "GraniteMoeHybridConfig",
        GROUPED
        | {"mamba_n_heads": 8, "mamba_d_head": 8, "mamba_d_state": 8, "layer_types": ["mamba"] * 3}
        | {"num_local_experts": 0, "shared_intermediate_size": 48},
    ),
    "jamba": (
        "JambaConfig",
        GROUPED
        | {"num_hidden_layers": 4, "attn_layer_period": 2, "attn_layer_offset": 1, "expert_layer_period": 2, "expert_layer_offset": 1}
        | {"num_experts": 2, "num_experts_per_tok": 1, "mamba_d_state": 8, "mamba_dt_rank": 4, "use_mamba_kernels": False},
    ),
    "recurrent_gemma": ("RecurrentGemmaConfig", GROUPED | {"lru_width": 32, "attention_window_size": 8}),
    "xlstm": ("xLSTMConfig", {"hidden_size": 32, "num_hidden_layers": 3, "num_heads": 4}),
    "cpmant": ("CpmAntConfig", {"hidden_size": 32, "num_attention_heads": 4, "dim_head": 8, "dim_ff": 48, "num_hidden_layers": 3}),
}


@pytest.fixture(scope="module")
def family(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    @cache
    def load(name: str) -> Any:
        folder, words = tmp_path_factory.mktemp(name), byte_level_tokenizer()
        own, settings = FAMILIES[name]
        ids = {"vocab_size": len(words) + 5, "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": None}
        torch.manual_seed(7)
        network = transformers.AutoModelForCausalLM.from_config(getattr(transformers, own)(**(ids | settings)))
        widen(network)
        network.save_pretrained(folder)
        words.save_pretrained(folder)
        return load_model(folder)

    return load


def steered(model: Any) -> Any:
    vector = attribution.steering_vector(model, ["good fox"], ["bad bear"], 2)
    return Generation(model, TEXT, SamplingSettings(seed=1), steering=Steering(vector, 2, 1.0)).generate(3)


def taught(model: Any) -> Any:
    tuning = FineTuning(model, "The fox is red.\nA bear is brown.", TrainingPlan(rehearsal=0.0))
    seen = [*teach(tuning, "The fox", 1), tuning.step(), tuning.taught("a student").engine.forward(model.encode(TEXT))]
    tuning.release()
    return seen


EXPERIMENTS: dict[str, Callable[[Any], Any]] = {
    "inspect": lambda model: inspect_step(model, model.encode(TEXT)),
    "gradients": lambda model: attribution.integrated_gradients(model, model.encode(TEXT), 40),
    "occlusion": lambda model: attribution.occlusion(model, model.encode(TEXT), 40),
    "patching": lambda model: attribution.activation_patching(model, model.encode(TEXT), [*model.encode(TEXT)[:-1], 60], 40, 41),
    "heads": lambda model: attribution.head_ablation(model, model.encode(TEXT), 40),
    "steering": steered,
    "beam search": lambda model: list(beam_search(model, "Once upon", 3, 4)),
    "several tries": lambda model: list(write_together(model, "Once upon", SamplingSettings(), 3, 4)),
    "quantize": lambda model: list(quantize(model, "Once", TEXT, (4,), length=2)),
    "teach": taught,
}
# What an architecture cannot do. All other experiments work with all others.
REFUSED = {
    *((family, name) for family in ("deepseek_v4", "deepseek_v4_compressed") for name in ("gradients", "steering")),
    *(("gemma3n", name) for name in ("patching", "steering")),
    *(("gpt1", name) for name in ("heads",)),
    *(("granite_hybrid", name) for name in ("heads",)),
    *(("jamba", name) for name in ("heads",)),
    *(("recurrent_gemma", name) for name in ("heads",)),
    *(("xlstm", name) for name in ("heads",)),
    *(("cpmant", name) for name in ("gradients", "heads", "patching", "steering", "quantize", "teach")),
}
USUAL = {
    ("deepseek_v4", "inspect"),
    ("gpt1", "steering"),
    ("minimax", "beam search"),
    ("minimax", "teach"),
    ("recurrent_gemma", "teach"),
    *REFUSED,
}
USUAL |= {("granite_hybrid", "several tries")}


@pytest.mark.parametrize(("name", "experiment"), some([(name, one) for name in FAMILIES for one in EXPERIMENTS], USUAL))
def test_an_experiment_works_or_says_in_one_sentence_that_it_does_not(name: str, experiment: str, family: Any) -> None:
    if (name, experiment) not in REFUSED:
        EXPERIMENTS[experiment](family(name))
        return
    with pytest.raises(ModelError) as raised:
        EXPERIMENTS[experiment](family(name))
    assert "architecture" in str(raised.value) and "{" not in str(raised.value)


@pytest.mark.parametrize("name", ["cpmant", "minimax"])
def test_several_tries_are_those_of_single_rows(name: str, family: Any) -> None:
    """CPM-Ant's network mixes the rows of a batch, so they are computed one after the other."""
    model, settings = family(name), SamplingSettings(greedy=True)
    alone = Generation(model, "Once upon", settings)
    alone.generate(5)
    *_each, last = write_together(model, "Once upon", settings, 3, 5)
    assert [[step.token_id for step in one.path] for one in last.tries] == [[step.token_id for step in alone.path]] * 3


def test_texts_that_are_compared_in_a_batch_are_computed_alone_where_a_batch_differs(family: Any) -> None:
    model, ids = family("cpmant"), family("cpmant").encode(TEXT)
    found = attribution.occlusion(model, ids, 40, method="omit")
    whole = model.engine.forward(ids).logits.values.double().log_softmax(-1)[40]
    for place, (start, stop) in enumerate(found.spans):
        left = [*ids[:start], *ids[stop:]]
        less = model.engine.forward(left).logits.values.double().log_softmax(-1)[40]
        assert found.effects[place] == pytest.approx(float(whole - less), abs=1e-4)


@pytest.fixture(scope="module")
def mixing(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A Llama that adds the rows of a batch to each other, and gives a row alone what a Llama gives."""
    model = load_model(save("large", tmp_path_factory.mktemp("mixing")))
    table = model.load_network().get_input_embeddings()
    table.register_forward_hook(lambda _table, _ids, states: states + states.sum(0) - states[:1].sum(0))
    model.engine.backend = TransformersBackend(model.load_network())
    return model


def test_no_experiment_uses_a_batch_that_mixes_its_rows(mixing: Any) -> None:
    ids, greedy = mixing.encode(TEXT), SamplingSettings(greedy=True)
    alone = Generation(mixing, TEXT, greedy)
    alone.generate(5)
    *_each, last = write_together(mixing, TEXT, greedy, 3, 5)
    assert [[step.token_id for step in one.path] for one in last.tries] == [[step.token_id for step in alone.path]] * 3
    found = attribution.occlusion(mixing, ids, 40, method="omit")
    whole = mixing.engine.forward(ids).logits.values.double().log_softmax(-1)[40]
    for place, (start, stop) in enumerate(found.spans):
        less = mixing.engine.forward([*ids[:start], *ids[stop:]]).logits.values.double().log_softmax(-1)[40]
        assert found.effects[place] == pytest.approx(float(whole - less), abs=1e-4)
    with pytest.raises(NotForThisModel, match="several texts at once"):
        attribution.activation_patching(mixing, ids, [ids[0], 60, *ids[2:]], 40, 41)


def test_a_step_of_training_is_that_of_single_rows(mixing: Any) -> None:
    lines, losses = ["The fox is red.", "A bear is brown and big."], []
    for text in lines:
        ids = torch.tensor([[*mixing.encode(text), *sorted(mixing.end_token_ids)[:1]]])
        logits = mixing.load_network()(ids[:, :-1]).logits[0].float()
        losses.append(torch.nn.functional.cross_entropy(logits, ids[0, 1:], reduction="none"))
    step = FineTuning(mixing, "\n".join(lines), TrainingPlan(rehearsal=0.0, rows=2)).step()
    assert step.loss == pytest.approx(float(torch.cat(losses).mean()), rel=1e-4)


def test_a_text_is_read_token_by_token_where_a_pass_looks_ahead(family: Any) -> None:
    """CPM-Ant's tokens attend to those behind them, so the places of one pass are not those of its beginnings."""
    model = family("cpmant")
    ids, scored = model.encode(TEXT), score_text(model, TEXT)
    for place in range(1, len(ids)):
        expected = model.engine.forward(ids[:place]).logits.values.double().softmax(-1)[ids[place]]
        assert scored.tokens[place].probability == pytest.approx(float(expected), abs=1e-6)
    with pytest.raises(NotForThisModel, match="see the tokens behind"):
        list(compared(model, TEXT, "Once", [REFERENCE, REFERENCE], length=2))


def test_only_weights_of_attention_over_tokens_are_shown(family: Any) -> None:
    """Not the mixing matrices of hyper-connections, the states of a linear attention, or compressed keys."""
    shown = inspect_step(family("deepseek_v4"), list(range(10, 14)))
    network = transformers.AutoModelForCausalLM.from_pretrained(shown.model.load_network().name_or_path, attn_implementation="eager").eval()
    with torch.inference_mode():
        weights = network(torch.tensor([shown.token_ids]), use_cache=False, output_attentions=True).attentions
    for row, expected in zip(shown.attention, weights, strict=True):
        assert row == pytest.approx(expected[0, :, -1].numpy(), abs=1e-4)
    assert TO_NOTHING in shown.notes
    compressed = inspect_step(family("deepseek_v4_compressed"), list(range(10, 27)))
    assert [row is None for row in compressed.attention] == [False, True, True]
    assert "The true attention weights of layers 2 and 3 are not known, so they are not shown." in compressed.notes
    linear = inspect_step(family("minimax"), list(range(10, 27)))
    assert [row is None for row in linear.attention] == [False, True, False]
    assert linear.notes == ("The true attention weights of layer 2 are not known, so they are not shown.",)


def test_no_wrong_pass_is_shown_as_another_order_of_sums(family: Any, tiny: Any) -> None:
    """A way of transformers gives the numbers of a plain pass but for rounding, or a sentence says why it is not used."""
    chunks, left, right = Way(EAGER, chunk=3), Way(EAGER, cache=False, batch=4), Way(EAGER, cache=False, batch=4, padding="right")
    ways = [REFERENCE, Way(EAGER, chunk=1), chunks, left, right, replace(left, cache=True), replace(right, cache=True)]
    refused = {
        "jamba": [2, 5, 6],
        "recurrent_gemma": [1, 2, 3, 5, 6],
        "xlstm": [1, 2, 3, 5, 6],
        "mamba": [2, 5, 6],
        "gemma2": [6],
        "llama": [],
    }
    for name, expected in refused.items():
        model = family(name) if name in FAMILIES else tiny(name)
        results = [each for each in compared(model, TEXT, "", ways, length=0) if isinstance(each, Comparison | Refused)]
        assert [each.way for each in results if isinstance(each, Refused)] == expected, name
        assert all(each.difference.largest < 1e-4 for each in results if isinstance(each, Comparison)), name
    sentences = [each.reason for each in compared(family("recurrent_gemma"), TEXT, "", ways, length=0) if isinstance(each, Refused)]
    assert "runs without a cache" in sentences[0] and "takes padding for text" in sentences[2]


def test_an_error_outside_of_a_network_stays_as_it_is() -> None:
    with pytest.raises(ZeroDivisionError), possible_with("a model"):
        _ = 1 / 0
    with pytest.raises(NotForThisModel, match="a model cannot do this"), possible_with("a model"):
        torch.nn.Linear(3, 4)(torch.from_numpy(np.zeros((1, 7), np.float32)))
