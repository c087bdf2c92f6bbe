"""The cost of one request while its answer is written."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

from core.checked_number import whole_number
from core.costs.assumptions import Assumptions
from core.costs.measured_hardware import energy_joules
from core.costs.receipt import Account, Receipt
from core.engine.model import LanguageModel
from core.experiments.shared.result_file import StoredStep
from core.generation.generation import Generation
from core.message import Message
from core.record.step import Step
from core.sampling.settings import SamplingSettings
from core.sources.capabilities import Can, require

LONGEST = 512  # tokens of one answer
ANSWERS = 3  # to each of two prompts, so that their times can be compared
LONGEST_ROUND = 5.0  # seconds for one answer to each of them; slower models answer once


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
    """Answer a prompt; yield the cost after every token. Raises EmptyPrompt, PromptTooLong, BadSetting, NotForThisModel."""
    length = whole_number(length, Message("The length"), 1, LONGEST)
    require(model, Can.SHAPE)
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


def two_requests(
    model: LanguageModel,
    prompts: Sequence[str],
    settings: SamplingSettings | None = None,
    length: int = 48,
    assumptions: Assumptions | None = None,
) -> Iterator[tuple[int, RequestCost]]:
    """Answer the prompts in turn, up to ANSWERS times; yield the prompt's index and the cost after every token.

    A short answer before them is not counted: a model's first passes are slower. Raises what `request` raises.
    """
    for _warming in request(model, prompts[0], settings, 2, assumptions):
        pass
    began = perf_counter()
    for _round in range(ANSWERS):
        for index, prompt in enumerate(prompts):
            for progress in request(model, prompt, settings, length, assumptions):
                yield index, progress
        if perf_counter() - began > LONGEST_ROUND:
            return


def answers(observations: Sequence[tuple[int, RequestCost]], index: int) -> list[list[RequestCost]]:
    """Return the answers to one of the prompts, each with its costs after every token, the one of median time first."""
    runs: list[list[RequestCost]] = []
    for number, progress in observations:
        if number == index:
            if progress.receipt.new_tokens == 1:
                runs.append([])
            runs[-1].append(progress)
    by_time = sorted(runs, key=lambda run: run[-1].receipt.seconds)
    return [by_time[len(runs) // 2], *(run for run in runs if run is not by_time[len(runs) // 2])] if runs else []


def is_compared(observations: Sequence[tuple[int, RequestCost]]) -> bool:
    """Return whether both prompts get the same answer, and the second costs at least twice the work and, in the median, no less time."""
    if min(len(answers(observations, index)) for index in (0, 1)) < ANSWERS:
        return False
    brief, long = (answers(observations, index)[0][-1] for index in (0, 1))
    return (
        brief.text.strip() == long.text.strip()
        and (long.receipt.multiply_adds or 0.0) >= 2 * (brief.receipt.multiply_adds or math.inf)
        and long.receipt.seconds >= brief.receipt.seconds
    )


def item_size(model: LanguageModel) -> float:
    """Return the bytes per weight of the model's tensors."""
    return model.weight_bytes / model.parameter_count
