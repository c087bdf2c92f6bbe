"""The page “Pupil and teacher”: A small model beside a large one, on the same text."""

from __future__ import annotations

from core.experiments.cascade import CascadeScore, CascadeToken
from core.experiments.student_report import StudentReport
from core.experiments.two_models import JudgedParts, JudgedToken, ModelFigures
from pages.ui.features import PASSES, SERVING, Feature, Recorded
from pages.ui.i18n import example_texts
from pages.ui.i18n.translation import N_

FEATURE = Feature(
    group=SERVING,
    place=50,
    title=N_("Pupil and teacher"),
    sight=N_("A small model beside a large one, on the same text."),
    needs=PASSES,
    recorded=(
        Recorded("pupil", "pupil_start", JudgedToken | JudgedParts, tuple[ModelFigures, ModelFigures, int]),
        Recorded(
            "pupil_cascade",
            "pupil_cascade_start",
            CascadeToken | CascadeScore,
            tuple[str, str],
            query=(("prompt", example_texts.FORESEEN[example_texts.SUM_ALOUD]),),
        ),
        Recorded("pupil_school", "pupil_school_start", StudentReport, list[str]),
    ),
)
