"""The page “Pupil and teacher”: A small model beside a large one, on the same text."""

from __future__ import annotations

from core.experiments.pupil.cascade import CascadeScore, CascadeToken, cascade_is_worth_it
from core.experiments.pupil.student_report import StudentReport, teacher_is_better
from core.experiments.pupil.two_models import JudgedParts, JudgedToken, ModelFigures
from core.experiments.shared.claim import Claim
from pages.ui.features import PASSES, TWO_MODELS, Feature, Recorded
from pages.ui.i18n import example_texts
from pages.ui.i18n.controls import Control
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.i18n.translation import N_
from pages.ui.server import offered_models

FEATURE = Feature(
    group=TWO_MODELS,
    place=20,
    title=N_("Pupil and teacher"),
    sight=N_("A small model beside a large one, on the same text."),
    needs=PASSES,
    recorded=(
        Recorded(
            "pupil",
            "pupil_start",
            JudgedToken | JudgedParts,
            tuple[ModelFigures, ModelFigures, int],
            claim=Claim(
                "the models differ, and the writer is less surprised",
                lambda observations: sum(t.writer.surprise for t in observations) < sum(t.judge.surprise for t in observations),
            ),
        ),
        Recorded(
            "pupil_cascade",
            "pupil_cascade_start",
            CascadeToken | CascadeScore,
            tuple[str, str],
            query=(("prompt", EXAMPLES.foreseen[example_texts.SUM_ALOUD]),),
            claim=Claim("60 % by the small model, less work, and better than the small one alone", cascade_is_worth_it),
        ),
        Recorded(
            "pupil_school",
            "pupil_school_start",
            StudentReport,
            list[str],
            claim=Claim("the teacher is best, and the pupil better than its twin", teacher_is_better),
        ),
    ),
    controls={
        "pupil": Control(N_("the pupil"), text=offered_models.title),
        "writer": Control(N_("the writer"), N_("{name} writes"), text=offered_models.title),
        "threshold": Control(N_("the threshold"), N_("{count} bits")),
    },
)
