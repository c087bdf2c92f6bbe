"""The page “Training”: how the model was trained, a new model from random weights, and what training costs."""

from __future__ import annotations

from core.experiments.shared.claim import Claim
from core.experiments.shared.training_queue import Ended, Waiting
from core.experiments.training.scratch_training import ScratchTrainingStep, loss_falls
from core.experiments.training.training_step import StepComparison
from pages.ui.features import LEARNING, NONE, Feature, Recorded
from pages.ui.i18n.translation import N_

TRAINING_VIEWS = (N_("The bundled model"), N_("A new model"), N_("What training costs"))

FEATURE = Feature(
    group=LEARNING,
    place=10,
    title=N_("Training"),
    sight=N_("How the model was trained, a new model from random weights, and what training costs."),
    former=("growing",),
    settings=NONE,
    recorded=(
        Recorded(
            "teach_step",
            "teach_step_start",
            StepComparison,
            view=("training_view", TRAINING_VIEWS[2]),
            claim=Claim(
                "training changes weights and takes longer than inference",
                lambda observations: (
                    observations[-1].changed > 0
                    and observations[-1].training.forward_seconds
                    + observations[-1].training.backward_seconds
                    + observations[-1].training.update_seconds
                    > observations[-1].inference_seconds
                ),
            ),
        ),
        Recorded(
            "newborn",
            "newborn_start",
            ScratchTrainingStep | Ended | Waiting,
            str,
            view=("training_view", TRAINING_VIEWS[1]),
            card=(N_("From nothing"), N_("A model grew up on one text, from noise to words.")),
            claim=Claim("the loss falls to less than half", loss_falls),
        ),
    ),
)
