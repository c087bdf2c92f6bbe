"""The page “Why does it loop?”: a text that repeats itself, why it does, what ends it, and what that costs elsewhere."""

from __future__ import annotations

from core.experiments.looping import Looping, LoopingRuns
from core.experiments.shared.claim import Claim
from pages.ui.features import PASSES, WHAT_IF, Feature, Recorded
from pages.ui.i18n.controls import Control
from pages.ui.i18n.translation import N_
from pages.ui.session import current
from pages.ui.session.sampling_controls import ALL

CHOSEN_BY = {"greedy": N_("the likeliest token"), "own": N_("my settings")}
LOOP_VIEWS = (N_("One text"), N_("How often"))


def used_settings() -> frozenset[str]:
    """Texts are greedy, unless the visitor's own settings are chosen."""
    by_settings = current.field("looping_chosen_by") == "own" and current.field("looping_view") != LOOP_VIEWS[1]
    return ALL if by_settings else frozenset()


def _ends(result: Looping) -> bool:
    rises = result.each[-1].mean > result.each[0].mean
    prices = [tried.log_probability for tried in result.remedies if tried.ends_it]
    return rises and result.copies >= 3 and bool(prices) and max(prices) - min(prices) > 0.1


def _more_greedy_loops(observations: list[LoopingRuns]) -> bool:
    loops = {(runs.model, runs.temperature): runs.loops for runs in observations}
    return all(loops[model, 0.0] > loops[model, 1.0] for model, _temperature in loops)


FEATURE = Feature(
    group=WHAT_IF,
    place=50,
    title=N_("Why does it loop?"),
    tab=N_("Loops"),
    sight=N_("A text that repeats itself: why it does, what ends it, and what that costs elsewhere."),
    address="loop",
    settings=used_settings,
    needs=PASSES,
    recorded=(
        Recorded(
            "looping",
            "looping_start",
            Looping,
            card=(
                N_("A text that repeats itself"),
                N_("Each copy makes the next one likelier. Remedies from the same place, with their prices."),
            ),
            claim=Claim(
                "the copies become likelier, and the remedies that end the loop differ in price",
                lambda observations: _ends(observations[-1]),
            ),
        ),
        Recorded(
            "looping_runs",
            "looping_runs_start",
            LoopingRuns,
            view=("looping_view", LOOP_VIEWS[1]),
            claim=Claim(
                "greedy texts loop more often than those at temperature 1", lambda observations: _more_greedy_loops(list(observations))
            ),
        ),
    ),
    controls={
        "copies": Control(N_("the copies"), N_("{count} copies")),
        "chosen_by": Control(N_("how tokens are chosen"), names=CHOSEN_BY),
        "counted_texts": Control(N_("the number"), N_("{count} texts")),
    },
)
