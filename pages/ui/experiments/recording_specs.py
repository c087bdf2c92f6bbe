"""The experiments that are bundled as recordings, and how each is started on its page."""

from __future__ import annotations

from dataclasses import dataclass

from pages.ui.i18n import example_texts, names


@dataclass(frozen=True, slots=True)
class RecordingSpec:
    """name: the experiment; page: its file; press: the key of its button; before: controls to set first, (kind, key, value).

    query: the query of the page's address.
    """

    name: str
    page: str
    press: str
    before: tuple[tuple[str, str, object], ...] = ()
    query: tuple[tuple[str, str], ...] = ()


WHY = (("prompt", example_texts.WHY_PROMPT),)
SUM_ALOUD = (("prompt", example_texts.FORESEEN[example_texts.SUM_ALOUD]),)


def _view(key: str, view: str) -> tuple[tuple[str, str, object], ...]:
    return (("segmented_control", key, view),)


RECORDING_SPECS = (
    RecordingSpec("compare", "compare.py", "compare_start"),
    RecordingSpec("compare_sweep", "compare.py", "compare_sweep_start", (("segmented_control", "compare_view", names.COMPARE_VIEWS[1]),)),
    RecordingSpec("compare_stream", "waiting.py", "compare_stream_start", (("segmented_control", "waiting_view", names.WAITING_VIEWS[1]),)),
    RecordingSpec("candidates", "candidates.py", "candidates_start"),
    RecordingSpec(
        "candidates_beam", "candidates.py", "candidates_beam_all", (("segmented_control", "candidates_view", names.TRIES_VIEWS[1]),)
    ),
    RecordingSpec("why_words", "why.py", "why_words_start", query=WHY),
    RecordingSpec("why_heads", "why.py", "why_heads_start", _view("why_view", names.WHY_VIEWS[1]), WHY),
    RecordingSpec("why_without", "why.py", "why_without_start", _view("why_view", names.WHY_VIEWS[1]), WHY),
    RecordingSpec("why_fact", "why.py", "why_fact_start", _view("why_view", names.WHY_VIEWS[2]), WHY),
    RecordingSpec("why_sum", "why.py", "why_sum_start", _view("why_view", names.WHY_VIEWS[3]), WHY),
    RecordingSpec("why_steer", "why.py", "why_steer_start", _view("why_view", names.WHY_VIEWS[4]), WHY),
    RecordingSpec("think", "think.py", "think_start"),
    RecordingSpec("think_set", "think.py", "think_set_start", (("segmented_control", "think_view", names.THINK_VIEWS[1]),)),
    RecordingSpec("race", "cache.py", "cache_start"),
    RecordingSpec("memory", "memory.py", "memory_start"),
    RecordingSpec("memory_ways", "memory.py", "memory_ways_start"),
    RecordingSpec("context", "context.py", "context_start"),
    RecordingSpec("context_end", "context.py", "context_end_start"),
    RecordingSpec("cost_two", "cost.py", "cost_two_start"),
    RecordingSpec("batching", "batching.py", "batching_start"),
    RecordingSpec("batching_curve", "batching.py", "batching_curve_start"),
    RecordingSpec("speculative", "speculative.py", "speculative_start", query=SUM_ALOUD),
    RecordingSpec("quantization", "quantization.py", "quantization_start"),
    RecordingSpec("quantization_parts", "quantization.py", "quantization_parts_start"),
    RecordingSpec("quantization_notepad", "memory.py", "quantization_notepad_start"),
    RecordingSpec("pupil", "pupil.py", "pupil_start"),
    RecordingSpec("pupil_cascade", "pupil.py", "pupil_cascade_start", query=SUM_ALOUD),
    RecordingSpec("pupil_school", "pupil.py", "pupil_school_start"),
    RecordingSpec("waiting", "waiting.py", "waiting_start"),
    RecordingSpec("waiting_curve", "waiting.py", "waiting_curve_start"),
    RecordingSpec("teach", "teach.py", "teach_start"),
    RecordingSpec("teach_step", "growing.py", "teach_step_start", (("segmented_control", "growing_view", names.GROWING_VIEWS[2]),)),
    RecordingSpec("newborn", "growing.py", "newborn_start", (("segmented_control", "growing_view", names.GROWING_VIEWS[1]),)),
    *(
        RecordingSpec(f"tour_{stop}", "tour.py", f"tour_{stop}_start", query=(("stop", stop),))
        for stop in ("notepad", "full", "many", "guess", "aloud")
    ),
)
