"""The cost of one request while its answer is written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.checked_number import whole_number
from core.costs.assumptions import Assumptions
from core.costs.measured_hardware import energy_joules
from core.costs.receipt import Account, Receipt
from core.engine.model import LanguageModel
from core.experiments.result_file import StoredStep
from core.generation.generation import Generation
from core.message import Message
from core.record.step import Step
from core.sampling.settings import SamplingSettings

LONGEST = 512  # tokens of one answer


@dataclass(frozen=True, slots=True)
class RequestCost:
    """The answer so far and its receipt. Energy is measured if the device has a counter. finished: why it ended, or None."""

    step: StoredStep
    text: str
    receipt: Receipt
    finished: str | None


def request(
    model: LanguageModel, prompt: str, settings: SamplingSettings | None = None, length: int = 48, assumptions: Assumptions | None = None
) -> Iterator[RequestCost]:
    """Answer a prompt; yield the cost after every token. Raises EmptyPrompt, PromptTooLong, BadSetting."""
    length = whole_number(length, Message("The length"), 1, LONGEST)
    run = Generation(model, prompt, settings, top_n=1)
    account, text = Account(model.shape, item_size(model)), ""
    path: list[Step] = []
    joules_before = energy_joules(model.device)
    try:
        for step in run.stream(length):
            path.append(step)
            text += step.text
            joules = energy_joules(model.device)
            used = None if joules is None or joules_before is None or joules < joules_before else joules - joules_before
            yield RequestCost(step, text, account.bill(path, assumptions=assumptions or Assumptions(), joules=used), run.finished)
    finally:
        run.release()


def item_size(model: LanguageModel) -> float:
    """Return the bytes per weight of the model's tensors."""
    return model.weight_bytes / model.parameter_count
