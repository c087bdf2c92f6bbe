"""Which experiments come with the app as recordings, and how each is started on its page. A new one is one more line."""

from __future__ import annotations

from dataclasses import dataclass

from pages.ui.i18n import names


@dataclass(frozen=True, slots=True)
class Take:
    """name: the experiment; page: its file; press: the key of its button; before: controls to set first, (kind, key, value).

    query: what stands behind the question mark.
    """

    name: str
    page: str
    press: str
    before: tuple[tuple[str, str, object], ...] = ()
    query: tuple[tuple[str, str], ...] = ()


TAKES = (
    Take("compare", "compare.py", "compare_start"),
    Take("compare_sweep", "compare.py", "compare_sweep_start", (("segmented_control", "compare_view", names.COMPARE_VIEWS[1]),)),
    Take("compare_stream", "compare.py", "compare_stream_start", (("segmented_control", "compare_view", names.COMPARE_VIEWS[2]),)),
    Take("candidates", "candidates.py", "candidates_start"),
    Take(
        "candidates_beam",
        "candidates.py",
        "candidates_beam_all",
        (("segmented_control", "candidates_view", names.TRIES_VIEWS[1]),),
    ),
    Take("think", "think.py", "think_start"),
    Take("think_set", "think.py", "think_set_start", (("segmented_control", "think_view", names.THINK_VIEWS[1]),)),
    Take("race", "cache.py", "cache_start"),
    Take("memory", "memory.py", "memory_start"),
    Take("memory_ways", "memory.py", "memory_all"),
    Take("context", "context.py", "context_start"),
    Take("context_end", "context.py", "context_end"),
    Take("cost_two", "cost.py", "cost_two"),
    Take("cost_timed", "cost.py", "cost_timed"),
    Take("batching", "batching.py", "batching_start"),
    Take("batching_curve", "batching.py", "batching_measure"),
    Take("speculative", "speculative.py", "speculative_start"),
    Take("quantization", "quantization.py", "quantization_start"),
    Take("quantization_parts", "quantization.py", "quantization_parts"),
    Take("quantization_notepad", "quantization.py", "quantization_notepad"),
    Take("pupil", "pupil.py", "pupil_start"),
    Take("pupil_cascade", "pupil.py", "pupil_cascade_start"),
    Take("pupil_school", "pupil.py", "pupil_school_start"),
    Take("waiting", "waiting.py", "waiting_start"),
    Take("waiting_curve", "waiting.py", "waiting_curve_start"),
    Take("teach", "teach.py", "teach_start"),
    Take("teach_step", "teach.py", "teach_step_start"),
    Take("newborn", "teach.py", "newborn_start"),
    *(
        Take(f"tour_{stop}", "tour.py", f"tour_{stop}_start", query=(("stop", stop),))
        for stop in ("notepad", "full", "many", "guess", "aloud")
    ),
)
