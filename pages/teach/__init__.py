"""The page “Teach it”: train a copy of the model on your sentence and watch its probabilities change."""

from __future__ import annotations

from core.experiments import claims
from core.experiments.claims import Claim
from core.experiments.teach import Ended, Probe
from core.experiments.training_queue import Waiting
from core.finetuning.finetune import TrainingStep
from pages.ui.experiments.finetuning_record import Lesson
from pages.ui.features import HOW_IT_WORKS, NONE, PASSES, Feature, Recorded
from pages.ui.i18n.translation import N_

FEATURE = Feature(
    group=HOW_IT_WORKS,
    place=40,
    title=N_("Teach it"),
    sight=N_("Train a copy of the model on your sentence and watch its probabilities change."),
    settings=NONE,
    needs=PASSES,
    recorded=(
        Recorded(
            "teach",
            "teach_start",
            Probe | TrainingStep | Ended | Waiting,
            Lesson,
            card=(N_("A lesson"), N_("A copy learned a sentence, and its probabilities changed.")),
            claim=Claim("a token below 50 % is above 50 % after the lesson", claims.learned),
        ),
    ),
)
