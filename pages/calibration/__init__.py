"""The page “Sure or true?”: how often the tokens with a probability of 70 % really follow."""

from __future__ import annotations

from core.experiments.calibration import Calibration, teacher_is_calibrated
from core.experiments.shared.claim import Claim
from core.sources.capabilities import Can
from pages.ui.features import INSIDE, NONE, Feature, Recorded
from pages.ui.i18n.controls import Control
from pages.ui.i18n.translation import N_
from pages.ui.server import offered_models

STORIES, OWN = TEXTS = ("stories", "own")
TEXT_NAMES = {STORIES: N_("Unread stories"), OWN: N_("Your own text")}
NOBODY = "nobody"

FEATURE = Feature(
    group=INSIDE,
    place=30,
    title=N_("Sure or true?"),
    sight=N_("Is a probability of 70 % right seven times of ten? Every probability of a text is counted."),
    address="sure-or-true",
    settings=NONE,
    needs=(Can.TOKEN_IDS, Can.ALL_TOKENS),
    recorded=(
        Recorded(
            "calibration",
            "calibration_start",
            Calibration,
            card=(N_("Sure or true?"), N_("Is 70 % right seven times of ten? A teacher and its pupil, on stories that neither has read.")),
            claim=Claim(
                "the teacher is nearer to the diagonal than its pupil, and each is nearest within 0.1 of temperature 1",
                teacher_is_calibrated,
            ),
        ),
    ),
    controls={
        "read_text": Control(N_("the text"), names=TEXT_NAMES),
        "beside": Control(N_("the second model"), text=lambda name: offered_models.title(name) if name != NOBODY else "–"),
    },
)
