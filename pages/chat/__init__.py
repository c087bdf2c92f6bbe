"""The page “Chat”: a conversation on Watch; for a model that cannot have one, the models that can."""

from __future__ import annotations

from core.experiments.shared.claim import Claim
from core.experiments.shared.template_check import SURE_BITS, TemplateCheck, checked_question
from pages.ui.features import NONE, WATCH, Feature, Recorded
from pages.ui.i18n.translation import N_

FEATURE = Feature(
    group=WATCH,
    place=20,
    title=N_("Chat"),
    sight=N_("Talk with a chat model, and see every token of it."),
    settings=NONE,
    recorded=(
        Recorded(
            "watch_template",
            "watch_template_start",
            TemplateCheck,
            make=checked_question,
            claim=Claim(
                "the template has no fault, and the end token after an answer surprises the model by less than 1 bit",
                lambda observations: not observations[-1].faults and observations[-1].end_bits < SURE_BITS,
            ),
        ),
    ),
)
