"""The page “Cache race”: the same text with and without the KV cache, against the clock."""

from __future__ import annotations

from core.engine.shape import ModelShape
from core.experiments.cache import CACHE_WINS, RaceStep
from pages.ui.features import PASSES, WHAT_IT_COSTS, Feature, Recorded
from pages.ui.i18n.controls import Control
from pages.ui.i18n.translation import N_

FEATURE = Feature(
    group=WHAT_IT_COSTS,
    place=20,
    title=N_("Cache race"),
    sight=N_("The same text with and without the KV cache, against the clock."),
    needs=PASSES,
    recorded=(
        Recorded(
            "race",
            "cache_start",
            RaceStep,
            tuple[int, ModelShape | None, int, str],
            card=(N_("With and without the notepad"), N_("The same text, timed with and without the KV cache.")),
            claim=CACHE_WINS,
        ),
        Recorded("tour_notepad", "tour_notepad_start", RaceStep, page="tour", query=(("stop", "notepad"),), claim=CACHE_WINS),
    ),
    controls={
        "race_length": Control(N_("the length"), N_("{count} tokens each")),
    },
)
