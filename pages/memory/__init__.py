"""The page “Memory”: what happens when the KV cache is full."""

from __future__ import annotations

from core.experiments.memory.cache_budget import (
    FORGOTTEN,
    Answer,
    CacheStep,
    MemoryBudget,
    PolicyOutcome,
    RecallTask,
    only_smaller_numbers_remember,
)
from core.experiments.memory.rounded_cache import RoundedCache
from core.experiments.shared.claim import Claim
from pages.ui.features import NONE, PASSES, WHAT_IT_COSTS, Feature, Recorded
from pages.ui.i18n import numbers
from pages.ui.i18n.controls import Control
from pages.ui.i18n.translation import N_
from pages.ui.session import current
from pages.ui.session.sampling_controls import ALL

STORY = N_("The key under the red pot")


def used_settings() -> frozenset[str]:
    """A question is answered greedily. The visitor's own text without a question is continued with the settings."""
    is_continuation = current.field("memory_source") == "own" and not (current.field("memory_question") or "").strip()
    return ALL if is_continuation else NONE


FEATURE = Feature(
    group=WHAT_IT_COSTS,
    place=30,
    title=N_("Memory"),
    sight=N_("What happens when the KV cache is full."),
    settings=used_settings,
    needs=PASSES,
    recorded=(
        Recorded(
            "memory",
            "memory_start",
            CacheStep | Answer,
            tuple[MemoryBudget, RecallTask | None, str, list[str], tuple[int, ...]],
            card=(N_("The notepad full"), N_("The model can no longer attend to a dropped token.")),
            claim=FORGOTTEN,
        ),
        Recorded(
            "memory_ways",
            "memory_ways_start",
            PolicyOutcome,
            claim=Claim("only smaller numbers keep the answer", only_smaller_numbers_remember),
        ),
        Recorded(
            "quantization_notepad",
            "quantization_notepad_start",
            RoundedCache,
            claim=Claim(
                "8 bits are closer than 4",
                lambda observations: min(observations, key=lambda o: o.bits).kl > max(observations, key=lambda o: o.bits).kl,
            ),
        ),
        Recorded(
            "tour_full",
            "tour_full_start",
            CacheStep | Answer,
            tuple[MemoryBudget, list[str], tuple[int, ...]],
            page="tour",
            query=(("stop", "full"),),
            claim=FORGOTTEN,
        ),
    ),
    controls={
        "story": Control(N_("the text"), names={True: STORY}),
        "memory_budget": Control(N_("the budget"), number=numbers.size),
        "memory_requests": Control(N_("the requests"), N_("requests: {count}")),
        "sinks": Control(N_("the first tokens kept"), N_("first tokens kept: {count}")),
        "asked": Control(N_("the question"), shown=False),
    },
)
