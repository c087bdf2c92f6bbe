"""The ways of Same prompt, other number give the numbers of plain passes of transformers, bit for bit; equal ways differ by nothing."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from core import SamplingSettings, load_model
from core.backends.transformers_backend import TransformersBackend
from core.device import network_threads, torch_threads
from core.engine.model import LanguageModel
from core.errors import BadSetting, BrokenLogits, EmptyPrompt, InputError, ModelError, NotForThisModel, PromptTooLong
from core.experiments import same_prompt
from core.experiments.same_prompt import Comparison, Progress, Refused, Way, compare, compared
from core.experiments.shared.result_file import RecordedExperiment, experiment_file
from core.message import Message
from core.models import hub
from core.sampling import dice
from tests.benchmarks.shapes import SHAPES, model_of, networks
from tests.core.remote import serving
from tests.core.remote.serving import TINY, FakeLlama, FakeVLLM, connect, serve, truth
from tests.tiny_models import some

TEXT = "Once upon a time there was a small dragon."
DRAGON = "The capital of France is Paris, and the sea."
Plain = Callable[..., np.ndarray]


def plain_logs(folder: Path, ids: list[int], attention: str = "eager", dtype: str = "float32", **inputs: Any) -> np.ndarray:
    """The log-probabilities of a pass of transformers that knows nothing of this app: float64 [rows, tokens, vocabulary]."""
    network = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=getattr(torch, dtype), attn_implementation=attention).eval()
    given = {"input_ids": torch.tensor([ids]), "use_cache": False} | inputs
    with torch.inference_mode(), torch_threads(network_threads(network.num_parameters())):
        return network(**given).logits.float().double().log_softmax(-1).numpy()


def of_tokens(logs: np.ndarray, ids: list[int]) -> list[float]:
    """The log-probability of each token but the first."""
    return [float(row[token]) for row, token in zip(logs, ids[1:], strict=False)]


@pytest.fixture(scope="module", params=some(["llama", "gpt2", "storyteller"], ["llama", "gpt2"]))
def pair(request: Any, tiny: Any, tiny_folder: Any) -> tuple[Any, Path]:
    """A model as the app has it, and its folder."""
    if request.param == "storyteller":
        return load_model("storyteller", device="cpu", dtype="float32"), hub.BUNDLED / "storyteller"
    return tiny(request.param), tiny_folder(request.param)


def test_differences_are_those_of_two_passes_of_transformers_bit_for_bit(pair: tuple[Any, Path]) -> None:
    model, folder = pair
    ids = model.encode(TEXT)
    for attention, dtype in (("eager", "bfloat16"), ("sdpa", "float32"), ("sdpa", "bfloat16")):
        found = compare(model, TEXT, Way("eager", cache=False), Way(attention, dtype=dtype, cache=False))
        first, second = plain_logs(folder, ids)[0], plain_logs(folder, ids, attention, dtype)[0]
        assert list(found.token_ids) == ids and math.isnan(found.first[0]) and math.isnan(found.kl[0])
        assert list(found.first[1:]) == of_tokens(first, ids)
        assert list(found.second[1:]) == of_tokens(second, ids)
        assert found.differences.tolist() == (np.array(of_tokens(second, ids)) - np.array(of_tokens(first, ids))).tolist()
        kl = (np.exp(first) * (first - second)).sum(1)[:-1]
        np.testing.assert_allclose(found.kl[1:], np.maximum(kl, 0), atol=1e-12)
        changed = np.flatnonzero(first[:-1].argmax(1) != second[:-1].argmax(1)) + 1
        assert found.changed == tuple(changed.tolist())


@pytest.mark.parametrize("padding", ["left", "right"])
def test_a_padded_batch_is_the_padded_call_of_transformers(padding: str, pair: tuple[Any, Path]) -> None:
    model, folder = pair
    ids = model.encode(TEXT)
    rows = [ids] + [[ids[(row + at) % len(ids)] for at in range(len(ids) + 4 * row)] for row in (1, 2)]
    width = len(rows[-1])
    before = [width - len(row) if padding == "left" else 0 for row in rows]
    padded = torch.tensor([[0] * b + row + [0] * (width - b - len(row)) for b, row in zip(before, rows, strict=True)])
    mask = torch.tensor([[0] * b + [1] * len(row) + [0] * (width - b - len(row)) for b, row in zip(before, rows, strict=True)])
    positions = (mask.cumsum(1) - 1).clamp(min=0)
    logs = plain_logs(folder, ids, input_ids=padded, attention_mask=mask, position_ids=positions)[0]
    found = compare(model, TEXT, Way("eager"), Way("eager", batch=3, padding=padding))
    assert list(found.second[1:]) == of_tokens(logs[before[0] :], ids)
    assert found.largest < 1e-4


WAYS = (
    Way("sdpa"),
    Way(),
    Way("eager", chunk=1),
    Way("eager", chunk=16),
    Way("eager", batch=4),
    Way("eager", batch=4, padding="right"),
    Way("sdpa", cache=False, batch=4, padding="ragged"),
    Way("eager", threads=2),
    Way("eager", batch=2, chunk=3),
    Way("sdpa", batch=3, padding="right", chunk=1),
    Way("eager", chunk=5, cache=False),
)


def test_every_way_in_float32_has_the_same_numbers_within_rounding(pair: tuple[Any, Path]) -> None:
    steps = compared(pair[0], TEXT, "Once upon", (same_prompt.REFERENCE, *WAYS), SamplingSettings(seed=3), 6)
    found = [seen for seen in steps if not isinstance(seen, Progress)]
    assert len(found) == len(WAYS)
    for way, seen in zip(WAYS, found, strict=True):
        assert isinstance(seen, Comparison), way
        assert seen.difference.largest < 1e-4 and max(seen.difference.kl[1:]) < 1e-7, way
        assert [run.parted for run in seen.runs] == [None, None], way


@pytest.mark.parametrize("way", [Way(), Way("eager", dtype="bfloat16"), Way("sdpa", batch=4), Way("eager", bits=4, chunk=1)])
def test_a_way_against_itself_is_zero(way: Way, tiny: Any) -> None:
    found = compare(tiny("llama"), TEXT, way, way)
    assert found.largest == found.median == 0.0 and set(found.kl[1:]) == {0.0} and found.changed == found.outside == ()
    repeats = [seen for seen in compared(tiny("llama"), TEXT, "", [way] * 3, length=0) if isinstance(seen, Comparison)]
    assert [(seen.way, seen.difference.largest, seen.runs) for seen in repeats] == [(1, 0.0, ()), (2, 0.0, ())]


def test_the_network_of_the_model_stays_as_it_is(tiny: Any) -> None:
    network = tiny("llama").load_network()
    before = {name: (id(weight), weight.clone()) for name, weight in network.named_parameters()}
    for way in (Way("eager", dtype="bfloat16"), Way("sdpa", bits=4), Way("eager")):
        compare(tiny("llama"), TEXT, Way(), way)
    assert all(before[name][0] == id(weight) and torch.equal(before[name][1], weight) for name, weight in network.named_parameters())


def test_where_texts_part_the_gap_is_smaller_than_the_shift(tiny: Any) -> None:
    model, settings = tiny("llama"), SamplingSettings(temperature=1.2, seed=5)
    *_progress, seen = compared(model, TEXT, "The capital", (Way("eager"), Way("eager", bits=4)), settings, 40)
    assert isinstance(seen, Comparison)
    for run in seen.runs:
        assert run.parted is not None and run.first[: run.parted] == run.second[: run.parted]
        assert run.first[run.parted] != run.second[run.parted]
        assert 0 <= run.gap <= run.shift + 1e-9
    assert math.isnan(seen.runs[0].roll) and seen.runs[1].roll == dice.roll(5, seen.runs[1].parted or 0)


def test_greedy_texts_are_those_of_generate(tiny: Any, tiny_folder: Any) -> None:
    model = tiny("llama")
    *_progress, seen = compared(model, TEXT, DRAGON, (Way("eager"), Way("sdpa", cache=False)), None, 12)
    ids = torch.tensor([model.encode(DRAGON)])
    network = transformers.AutoModelForCausalLM.from_pretrained(tiny_folder("llama"), attn_implementation="eager").eval()
    written = network.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=12, do_sample=False, pad_token_id=0)
    assert isinstance(seen, Comparison)
    assert list(seen.runs[0].first) == [model.piece(token) for token in written[0, ids.shape[1] :].tolist()]


def test_log_probabilities_after_the_settings_exclude_tokens(tiny: Any) -> None:
    cut = SamplingSettings(temperature=0.5, top_k=2)
    found = compare(tiny("llama"), TEXT, Way(), Way(settings=cut))
    assert -math.inf in found.second and math.inf in np.abs(found.differences)
    assert compare(tiny("llama"), TEXT, Way(settings=cut), Way(settings=cut)).largest == 0.0


def test_many_ways_are_compared_with_the_first_and_an_impossible_one_says_why(tiny: Any) -> None:
    ways = (same_prompt.REFERENCE, Way("sdpa"), Way(batch=2), Way("eager", bits=4))
    seen = list(compared(tiny("llama"), TEXT, "The capital", ways, length=4))
    rows = [row for row in seen if not isinstance(row, Progress)]
    assert [type(row) for row in rows] == [Comparison, Refused, Comparison] and [row.way for row in rows] == [1, 2, 3]
    assert rows[1] == Refused(2, same_prompt.why_not(tiny("llama"), ways[2]))
    assert isinstance(rows[2], Comparison) and rows[2].difference == compare(tiny("llama"), TEXT, ways[0], ways[3])
    done = [step.done for step in seen if isinstance(step, Progress)]
    assert done == sorted(set(done)) and {step.total for step in seen if isinstance(step, Progress)} == {done[-1]}


def test_a_precision_that_this_machine_lacks_is_said_and_kept_as_a_sentence(tiny: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = Message("This machine cannot compute in {dtype}.", dtype="float16")
    monkeypatch.setattr(same_prompt, "why_not", lambda _model, way: sentence if way.dtype == "float16" else "")
    ways = (Way("eager"), Way("eager", dtype="float16"), Way("sdpa"))
    seen = tuple(row for row in compared(tiny("llama"), TEXT, "", ways, length=0) if not isinstance(row, Progress))
    assert isinstance(seen[0], Refused) and seen[0].reason == "This machine cannot compute in float16." and isinstance(seen[1], Comparison)
    file = experiment_file(Progress | Comparison | Refused)
    kept = RecordedExperiment("table", "2026-11-28", seen, (0.0, 0.0))
    (read, _other) = RecordedExperiment.loads(kept.dumps(file), {"table": file}).observations
    assert isinstance(read.reason, Message) and read.reason.parameters == {"dtype": "float16"}


@pytest.mark.parametrize("kind", [FakeVLLM(limit=20), FakeLlama()], ids=["vLLM", "llama-server"])
def test_a_server_is_a_way(kind: Any, tiny: Any) -> None:
    with serve(kind) as server:
        model = connect(server)
        text = "def main(argv): return 0"
        *_progress, seen = compared(model, text, "def", (Way(model), Way(model)), None, 3)
        assert isinstance(seen, Comparison)
        ids = model.encode(text)
        expected = [truth(ids[:place])[ids[place]] for place in range(1, len(ids))]
        np.testing.assert_allclose(seen.difference.first[1:], expected, atol=2e-5)
        assert seen.difference.largest < 1e-4 and seen.runs[0].parted is None
        with pytest.raises(NotForThisModel, match="no layers on this machine"):
            compare(model, text, Way(), Way(model))
        with pytest.raises(ModelError, match="different tokens: token 1 has the id"):
            compare(tiny("llama"), TEXT, Way(), Way(model))


def test_the_same_model_here_and_on_a_server_differs_by_rounding(tiny: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    config = transformers.AutoConfig.from_pretrained(TINY)
    torch.manual_seed(1)
    network = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()
    here = LanguageModel("tiny", network, transformers.AutoTokenizer.from_pretrained(TINY), TransformersBackend(network))

    def served(ids: list[int]) -> np.ndarray:
        with torch.inference_mode():
            logs: np.ndarray = network(torch.tensor([ids])).logits[0, -1].double().log_softmax(0).numpy()
        return logs

    monkeypatch.setattr(serving, "truth", served)
    with serve(FakeVLLM(limit=20)) as server:
        there = connect(server)
        *_progress, seen = compared(here, "def main(argv): return 0", "def", (Way("sdpa"), Way(there)), None, 5)
    assert isinstance(seen, Comparison)
    assert 0 < seen.difference.largest < 1e-4 and max(seen.difference.kl[1:]) < 1e-4 and seen.difference.changed == ()
    assert seen.runs[0].parted is None and len(seen.runs[0].first) == 5


def test_an_impossible_text_gets_one_sentence(tiny: Any) -> None:
    model, way = tiny("llama"), Way("eager")
    with pytest.raises(BadSetting, match="single token"):
        compare(tiny("gpt2"), "a", way, way)
    for text, kind in (("", EmptyPrompt), ("dragon " * 100, PromptTooLong), ("\ud800 fox", InputError)):
        with pytest.raises(kind):
            compare(model, text, way, way)
    for text in ("a\0b", "<script>alert(1)</script> & *b*"):
        assert compare(model, text, way, way).largest == 0.0


def test_a_way_that_is_impossible_here_says_why(tiny: Any) -> None:
    for way in (Way(batch=2), Way(chunk=4), Way("eager", batch=2, padding="ragged")):
        sentence = same_prompt.why_not(tiny("llama"), way)
        with pytest.raises(NotForThisModel, match=sentence[:20]):
            compare(tiny("llama"), TEXT, Way(), way)


def test_nan_logits_get_one_sentence(tiny_folder: Any) -> None:
    model = load_model(str(tiny_folder("llama")), device="cpu", dtype="float32")
    with torch.no_grad():
        model.load_network().get_input_embeddings().weight.fill_(math.nan)
    with pytest.raises(BrokenLogits):
        compare(model, TEXT, Way("eager"), Way("sdpa"))


@pytest.mark.exhaustive
def test_the_recommended_pairs_on_a_published_shape() -> None:
    plain, kept = networks(SHAPES["SmolLM2-135M"])
    model, usual = model_of("SmolLM2-135M", kept), Way("sdpa", cache=False)
    ids = model.encode(TEXT)
    narrow = deepcopy(plain)
    for weight in narrow.parameters():
        weight.data = weight.data.to(torch.bfloat16)
    with torch.inference_mode(), torch_threads(network_threads(model.parameter_count)):
        expected = [network(torch.tensor([ids]), use_cache=False).logits[0].double().log_softmax(-1).numpy() for network in (plain, narrow)]
    found = compare(model, TEXT, usual, replace(usual, dtype="bfloat16"))
    assert list(found.first[1:]) == of_tokens(expected[0], ids) and list(found.second[1:]) == of_tokens(expected[1], ids)
    assert 1e-3 < found.largest < 0.1
    batched = compare(model, TEXT, replace(usual, dtype="bfloat16"), replace(usual, dtype="bfloat16", batch=4))
    assert batched.first == found.second and batched.largest < 0.1


@pytest.mark.slow
def test_there_is_one_copy_of_the_network_at_a_time_and_none_afterwards(tiny_folder: Any) -> None:
    model = load_model(str(tiny_folder("llama")), device="cpu", dtype="float32")
    gc.freeze()  # what there is now is not looked through again
    for way in (Way("sdpa"), Way("eager", bits=4)):
        for _step in compared(model, TEXT, "The", (Way("eager", dtype="bfloat16"), way), SamplingSettings(seed=1), 1):
            assert copies(model) <= 1
        assert copies(model) == 0
    stopped = compared(model, TEXT, "The", (Way("eager", chunk=1), Way("eager")), None, 3)
    next(stopped)
    stopped.close()  # type: ignore[attr-defined]
    assert copies(model) == 0
    gc.unfreeze()
    with model.engine.lock.acquire() as waited:
        assert waited < 1.0


def copies(model: LanguageModel) -> int:
    """The number of networks like this model's that were made since `gc.freeze`."""
    return sum(type(held) is type(model.network) for held in gc.get_objects())
