"""Teaching a copy: a step does what torch does by hand, undo is exact, and no other model changes."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn import functional

from core import Generation, SamplingSettings
from core.errors import BadSetting, InputError, ModelError
from core.experiments.training.training_step import fingerprint
from core.finetuning import finetune
from core.finetuning.finetune import FineTuning, TrainingPlan

TEXT = "Once upon a time there was a dragon.\nThe sea looked back.\n\nShe could not breathe fire."
ALONE = TrainingPlan(rehearsal=0.0)


@pytest.mark.parametrize("architecture", ["llama", "gpt2", "qwen3"])
def test_the_first_step_is_a_plain_forward_and_backward_pass(architecture: str, tiny: Callable[[str], Any]) -> None:
    model = tiny(architecture)
    tuning = FineTuning(model, TEXT, TrainingPlan(rows=3, rehearsal=0.0))
    by_hand = copy.deepcopy(model.network).float().eval()
    for weight in by_hand.parameters():
        weight.requires_grad_(True)
    total, count = torch.zeros(()), 0
    with torch.enable_grad():
        for row in tuning.documents:  # one by one: no padding, no mask
            ids = torch.tensor([row])
            logits = by_hand(input_ids=ids[:, :-1], use_cache=False).logits
            total = total + functional.cross_entropy(logits[0], ids[0, 1:], reduction="sum")
            count += len(row) - 1
        (total / count).backward()
    norm = torch.sqrt(sum((weight.grad**2).sum() for weight in by_hand.parameters() if weight.grad is not None))
    step = tuning.step()
    assert step.tokens == count
    assert step.loss == pytest.approx(float(total.detach()) / count, rel=1e-5)
    assert step.gradient_norm == pytest.approx(float(norm), rel=1e-4)
    assert step.gradient_bytes == step.weight_bytes == sum(weight.numel() * 4 for weight in model.network.parameters())
    assert step.optimizer_bytes >= 2 * step.weight_bytes
    assert step.activation_bytes > 0
    assert min(step.forward_seconds, step.backward_seconds, step.update_seconds) > 0


def test_nobody_elses_model_changes_and_undoing_is_exact(tiny: Callable[[str], Any]) -> None:
    model = tiny("llama")
    shared = fingerprint(model.network)
    tuning = FineTuning(model, TEXT, ALONE)
    prints = {0: fingerprint(tuning.network)}
    assert prints[0] == shared
    for _ in range(4):
        tuning.step()
        tuning.keep()
        prints[tuning.index] = fingerprint(tuning.network)
    assert len(set(prints.values())) == 5
    taught = tuning.taught("Anna")
    tuning.undo(2)
    assert fingerprint(tuning.network) == prints[2] and tuning.moments == [0, 1, 2]
    tuning.step()
    tuning.undo(0)
    assert fingerprint(tuning.network) == shared == fingerprint(model.network)
    assert fingerprint(taught.network) == prints[4], "what was taken away stays"
    with pytest.raises(BadSetting, match="Checkpoints exist"):
        tuning.undo(7)


def test_it_learns_and_the_taught_model_works_like_any_other(tiny: Callable[[str], Any]) -> None:
    tuning = FineTuning(tiny("llama"), "one two three four", TrainingPlan(learning_rate=0.01, rehearsal=0.0))
    losses = [tuning.step().loss for _ in range(40)]
    assert losses[-1] < 0.1 < losses[0]
    run = Generation(tuning.taught("counts"), "one two", SamplingSettings(greedy=True))
    run.step()
    while run.finished is None and len(run.path) < 12:
        run.step()
    assert run.text.startswith("one two three four")
    tuning.release()


@pytest.mark.slow
def test_a_larger_model_learns_with_adapters_on_weights_that_stay_shared(
    tiny: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finetune, "ALL_WEIGHTS", 10)
    model = tiny("qwen3")
    before = fingerprint(model.network)
    tuning = FineTuning(model, TEXT, TrainingPlan(learning_rate=0.01, rehearsal=0.0))
    assert tuning.adapted and all("lora" in name for name in tuning.trained)
    first, *_, last = [tuning.step() for _ in range(12)]
    assert last.loss < first.loss and first.gradient_bytes < first.weight_bytes / 2
    taught = tuning.taught("adapted")
    assert fingerprint(model.network) == before
    ids = model.encode("Once upon")
    assert not torch.allclose(taught.engine.forward(ids).logits.values, model.engine.forward(ids).logits.values)


@pytest.mark.parametrize("text", ["", " \n\n ", "...", "?!", "x" * 100_001])
def test_a_text_with_nothing_in_it_or_far_too_much_is_one_sentence(text: str, tiny: Callable[[str], Any]) -> None:
    with pytest.raises(InputError) as said:
        FineTuning(tiny("llama"), text, ALONE)
    assert len(str(said.value)) < 130


def test_the_work_of_a_step_is_what_torch_counts(tiny: Callable[[str], Any]) -> None:
    from torch.utils.flop_counter import FlopCounterMode

    from core.costs.training import training_step_work

    model = tiny("llama")
    tuning = FineTuning(model, TEXT, TrainingPlan(rows=1, rehearsal=0.0))
    length = len(tuning.documents[0]) - 1
    tuning.documents = tuning.documents[:1]
    with FlopCounterMode(display=False) as counter:
        tuning.step()
    work = training_step_work(model.shape, 1, length)
    counted = counter.get_total_flops() / 2
    assert counted == pytest.approx(work.forward + work.backward, rel=0.1)


def test_a_taught_model_is_saved_as_a_folder_and_opened_again(tiny: Callable[[str], Any], tmp_path: Any) -> None:
    import zipfile

    from transformers import AutoModelForCausalLM, AutoTokenizer

    from core.models.archive import open_zip, zip_of

    tuning = FineTuning(tiny("llama"), TEXT, ALONE)
    tuning.step()
    taught = tuning.taught("Anna's model")
    data = zip_of(taught)
    again = open_zip(data)
    ids = taught.encode("Once upon a time")
    torch.testing.assert_close(again.engine.forward(ids).logits.values, taught.engine.forward(ids).logits.values)
    assert again.name == "Anna-s model"
    (tmp_path / "a.zip").write_bytes(data)
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        archive.extractall(tmp_path)
    plain = AutoModelForCausalLM.from_pretrained(tmp_path / "Anna-s model").eval()
    assert AutoTokenizer.from_pretrained(tmp_path / "Anna-s model").encode("Once upon a time") == ids
    with torch.no_grad():
        torch.testing.assert_close(plain(torch.tensor([ids])).logits[0, -1], taught.engine.forward(ids).logits.values, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", ["nothing", "noise", "cut", "outside", "empty", "twice", "lies"])
def test_a_zip_from_a_stranger_is_one_sentence(kind: str, tiny: Callable[[str], Any]) -> None:
    import io
    import tempfile
    import zipfile

    from core.models.archive import open_zip, zip_of

    good = zip_of(tiny("llama"))
    data = {"nothing": b"", "noise": bytes(range(256)) * 40, "cut": good[: len(good) // 2]}.get(kind)
    if data is None:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            if kind == "outside":
                archive.writestr("../../config.json", "{}")
            elif kind == "twice":
                for folder in ("a", "b"):
                    for name in ("config.json", "model.safetensors", "tokenizer.json"):
                        archive.writestr(f"{folder}/{name}", "{}")
            elif kind == "lies":
                for name in ("config.json", "model.safetensors", "tokenizer.json"):
                    archive.writestr(name, "[" * 10_000)
        data = packed.getvalue()
    with pytest.raises(ModelError) as said:
        open_zip(data)
    assert len(str(said.value)) < 160 and tempfile.gettempdir() not in str(said.value)


def test_the_moments_of_all_trainings_together_stay_within_their_memory(
    tiny: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    trainings = [FineTuning(tiny("llama"), TEXT, ALONE) for _ in range(3)]
    each = sum(weight.numel() * 4 for weight in trainings[0].trained.values())
    together = 12 * each // 1_000_000 + 1
    monkeypatch.setenv("TOKEN_VIEWER_TRAINING_MEGABYTES", str(together))
    for training in trainings:
        for _ in range(12):
            training.step()
            training.keep()
    others = sum(one.stored_bytes for one in finetune._ALL if one not in trainings)
    assert sum(one.stored_bytes for one in trainings) <= max(together * 1_000_000, 9 * each) + others
    assert all(one.moments[0] == 0 and one.moments[-1] == one.index for one in trainings)
    assert len(trainings[0].moments) <= 3 < len(trainings[2].moments), "who has rested longest makes room for who learns now"
    trainings[0].release()
    assert trainings[0].stored_bytes == 0 and trainings[0] not in finetune._ALL
