"""The page “Take the tour”: from the first press to the last token, in fifteen stops."""

from __future__ import annotations

from core.experiments.batching.compared_policies import CONTINUOUS_IS_FASTER, Served
from core.experiments.cache import CACHE_WINS, RaceStep
from core.experiments.memory.cache_budget import FORGOTTEN, Answer, CacheStep, MemoryBudget
from core.experiments.shared.claim import Claim
from core.experiments.shared.planned_requests import PlannedRequest
from core.experiments.shared.prompting_styles import PromptingStyle
from core.experiments.speculative import PlainStep, SpeculativeRound
from core.experiments.think.thinking import THINKING_HELPS, ReasoningStep
from pages.ui.features import IDS, NONE, TOUR, Feature, Recorded
from pages.ui.i18n.translation import N_

DRAFTS_ACCEPTED = Claim("some drafts are accepted", lambda seen: any(step.accepted for step in seen if isinstance(step, SpeculativeRound)))

FEATURE = Feature(
    group=TOUR,
    place=10,
    title=N_("Take the tour"),
    sight=N_("From the first press to the last token, in fifteen stops."),
    settings=NONE,
    needs=IDS,
    recorded=tuple(
        Recorded(f"tour_{stop}", f"tour_{stop}_start", seen, about, query=(("stop", stop),), claim=claim)
        for stop, seen, about, claim in (
            ("notepad", RaceStep, None, CACHE_WINS),
            ("full", CacheStep | Answer, tuple[MemoryBudget, list[str], tuple[int, ...]], FORGOTTEN),
            ("many", Served, tuple[PlannedRequest, ...], CONTINUOUS_IS_FASTER),
            ("guess", SpeculativeRound | PlainStep, None, DRAFTS_ACCEPTED),
            ("aloud", tuple[PromptingStyle, ReasoningStep], None, THINKING_HELPS),
        )
    ),
)
