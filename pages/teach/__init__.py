"""The page “Teach it”: train a copy of the model on your sentence and watch its probabilities change."""

from __future__ import annotations

from core.experiments.shared.claim import Claim
from core.experiments.shared.training_queue import Ended, Waiting
from core.experiments.teach import Probe, learned
from core.finetuning.finetune import TrainingStep
from pages.teach.finetuning_record import Lesson
from pages.ui.features import LEARNING, NONE, PASSES, Feature, Recorded
from pages.ui.i18n import numbers
from pages.ui.i18n.controls import Control
from pages.ui.i18n.translation import N_

FEATURE = Feature(
    group=LEARNING,
    place=20,
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
            claim=Claim("a token below 50 % is above 50 % after the lesson", learned),
        ),
    ),
    controls={
        "sentences": Control(N_("the sentences")),
        "rehearsal": Control(N_("the rehearsal"), N_("{share} old training texts"), number=numbers.percent),
        "taught_beginning": Control(N_("the beginning"), shown=False),
        "known_beginning": Control(N_("the beginning of what it knew"), shown=False),
        "rate": Control(N_("the rate"), shown=False),
    },
)
