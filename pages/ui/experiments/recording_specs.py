"""The experiments that are bundled as recordings, and how each is started on its page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.batching.scheduler import Policy
from core.costs.machine import Peak
from core.engine.shape import ModelShape
from core.experiments.ablated_heads import AblatedHeads, WithoutHeads
from core.experiments.batch_curve import CurvePoint
from core.experiments.batching import PlannedRequest, Served
from core.experiments.beam import BeamStep
from core.experiments.cache_budget import Answer, CacheStep, MemoryBudget, PolicyOutcome, RecallTask
from core.experiments.cache_race import RaceStep
from core.experiments.candidate_sequence import BatchStep
from core.experiments.cascade import CascadeScore, CascadeToken
from core.experiments.context import LengthPoint, LimitReached
from core.experiments.hidden_words import HiddenWords
from core.experiments.logit_sum import LogitSum
from core.experiments.quantization import PartDamage, Rounded
from core.experiments.request import RequestCost
from core.experiments.rounded_cache import RoundedCache
from core.experiments.scratch_training import ScratchTrainingStep
from core.experiments.speculative import PlainStep, SpeculativeRound
from core.experiments.steered_run import SteeredRun
from core.experiments.student_report import StudentReport
from core.experiments.sweep import ComparisonStep, SweepResult
from core.experiments.teach import Ended, Probe, Waiting
from core.experiments.thinking import Answered, PromptingStyle, Question, ReasoningStep
from core.experiments.traced_fact import TracedFact
from core.experiments.training_step import StepComparison
from core.experiments.two_models import JudgedParts, JudgedToken, ModelFigures
from core.experiments.waiting import LoadPoint, ServiceTimes, Watched
from core.finetuning.finetune import TrainingStep
from core.sampling.settings import SamplingSettings
from pages.ui.experiments.finetuning_record import Lesson
from pages.ui.i18n import example_texts, names


@dataclass(frozen=True, slots=True)
class RecordingSpec:
    """name: the experiment; page: its file; press: the key of its button; before: controls to set first, (kind, key, value).

    seen, about: the types of its observations and of the values that the page stores with them. A file can contain only these.

    query: the query of the page's address.
    """

    name: str
    page: str
    press: str
    seen: Any
    about: Any = None
    before: tuple[tuple[str, str, object], ...] = ()
    query: tuple[tuple[str, str], ...] = ()


WHY = (("prompt", example_texts.WHY_PROMPT),)
SUM_ALOUD = (("prompt", example_texts.FORESEEN[example_texts.SUM_ALOUD]),)
DRAFTS = SpeculativeRound | PlainStep
MEMORY = CacheStep | Answer
THOUGHTS = tuple[PromptingStyle, ReasoningStep]
REQUESTS = tuple[PlannedRequest, ...]


def _view(key: str, view: str) -> tuple[tuple[str, str, object], ...]:
    return (("segmented_control", key, view),)


RECORDING_SPECS = (
    RecordingSpec("compare", "compare.py", "compare_start", ComparisonStep, tuple[str, list[tuple[str, str, SamplingSettings]]]),
    RecordingSpec("compare_sweep", "compare.py", "compare_sweep_start", SweepResult, str, _view("compare_view", names.COMPARE_VIEWS[1])),
    RecordingSpec(
        "compare_stream", "waiting.py", "compare_stream_start", ComparisonStep, before=_view("waiting_view", names.WAITING_VIEWS[1])
    ),
    RecordingSpec("candidates", "candidates.py", "candidates_start", BatchStep, tuple[str, SamplingSettings]),
    RecordingSpec("candidates_beam", "candidates.py", "candidates_beam_all", BeamStep, int, _view("candidates_view", names.TRIES_VIEWS[1])),
    RecordingSpec("why_words", "why.py", "why_words_start", HiddenWords, query=WHY),
    RecordingSpec("why_heads", "why.py", "why_heads_start", AblatedHeads, None, _view("why_view", names.WHY_VIEWS[1]), WHY),
    RecordingSpec("why_without", "why.py", "why_without_start", WithoutHeads, None, _view("why_view", names.WHY_VIEWS[1]), WHY),
    RecordingSpec("why_fact", "why.py", "why_fact_start", TracedFact, None, _view("why_view", names.WHY_VIEWS[2]), WHY),
    RecordingSpec("why_sum", "why.py", "why_sum_start", LogitSum, None, _view("why_view", names.WHY_VIEWS[3]), WHY),
    RecordingSpec("why_steer", "why.py", "why_steer_start", SteeredRun, None, _view("why_view", names.WHY_VIEWS[4]), WHY),
    RecordingSpec("think", "think.py", "think_start", THOUGHTS, Question),
    RecordingSpec("think_set", "think.py", "think_set_start", Answered, int, _view("think_view", names.THINK_VIEWS[1])),
    RecordingSpec("race", "cache.py", "cache_start", RaceStep, tuple[int, ModelShape | None, int, str]),
    RecordingSpec("memory", "memory.py", "memory_start", MEMORY, tuple[MemoryBudget, RecallTask | None, str, list[str], tuple[int, ...]]),
    RecordingSpec("memory_ways", "memory.py", "memory_ways_start", PolicyOutcome),
    RecordingSpec("context", "context.py", "context_start", LengthPoint, tuple[int, int, int]),
    RecordingSpec("context_end", "context.py", "context_end_start", LimitReached),
    RecordingSpec("cost_two", "cost.py", "cost_two_start", tuple[int, RequestCost]),
    RecordingSpec("batching", "batching.py", "batching_start", Served, tuple[REQUESTS, tuple[Policy, Policy], tuple[int, int]]),
    RecordingSpec("batching_curve", "batching.py", "batching_curve_start", CurvePoint, tuple[Peak, int]),
    RecordingSpec("speculative", "speculative.py", "speculative_start", DRAFTS, tuple[str, int], query=SUM_ALOUD),
    RecordingSpec("quantization", "quantization.py", "quantization_start", Rounded, tuple[str, int]),
    RecordingSpec("quantization_parts", "quantization.py", "quantization_parts_start", PartDamage, int),
    RecordingSpec("quantization_notepad", "memory.py", "quantization_notepad_start", RoundedCache),
    RecordingSpec("pupil", "pupil.py", "pupil_start", JudgedToken | JudgedParts, tuple[ModelFigures, ModelFigures, int]),
    RecordingSpec("pupil_cascade", "pupil.py", "pupil_cascade_start", CascadeToken | CascadeScore, tuple[str, str], query=SUM_ALOUD),
    RecordingSpec("pupil_school", "pupil.py", "pupil_school_start", StudentReport, list[str]),
    RecordingSpec("waiting", "waiting.py", "waiting_start", Watched),
    RecordingSpec("waiting_curve", "waiting.py", "waiting_curve_start", ServiceTimes | LoadPoint),
    RecordingSpec("teach", "teach.py", "teach_start", Probe | TrainingStep | Ended | Waiting, Lesson),
    RecordingSpec("teach_step", "growing.py", "teach_step_start", StepComparison, None, _view("growing_view", names.GROWING_VIEWS[2])),
    RecordingSpec(
        "newborn", "growing.py", "newborn_start", ScratchTrainingStep | Ended | Waiting, str, _view("growing_view", names.GROWING_VIEWS[1])
    ),
    *(
        RecordingSpec(f"tour_{stop}", "tour.py", f"tour_{stop}_start", seen, about, query=(("stop", stop),))
        for stop, seen, about in (
            ("notepad", RaceStep, None),
            ("full", MEMORY, tuple[MemoryBudget, list[str], tuple[int, ...]]),
            ("many", Served, REQUESTS),
            ("guess", DRAFTS, None),
            ("aloud", THOUGHTS, None),
        )
    ),
)
