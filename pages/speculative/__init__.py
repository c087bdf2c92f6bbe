"""The page “Guess and check”: A small model guesses ahead, the large one checks: the same probabilities, fewer passes."""

from __future__ import annotations

from core.experiments.shared.claim import Claim
from core.experiments.speculative import PlainStep, SpeculativeRound, verified_in_few_passes
from pages.ui.features import PASSES, TWO_MODELS, Feature, Recorded
from pages.ui.i18n import example_texts
from pages.ui.i18n.controls import Control
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.i18n.translation import N_
from pages.ui.server import offered_models

N_GRAMS = "n-grams"
FEATURE = Feature(
    group=TWO_MODELS,
    place=10,
    title=N_("Guess and check"),
    sight=N_("A small model guesses ahead, the large one checks: the same probabilities, fewer passes."),
    address="guess-and-check",
    needs=PASSES,
    recorded=(
        Recorded(
            "speculative",
            "speculative_start",
            SpeculativeRound | PlainStep,
            tuple[str, int],
            query=(("prompt", EXAMPLES.foreseen[example_texts.SUM_ALOUD]),),
            card=(N_("A speculated run"), N_("A small model guessed ahead, the large one checked.")),
            claim=Claim("at least 80 % of the drafts are accepted, three tokens for each large pass", verified_in_few_passes),
        ),
        Recorded(
            "tour_guess",
            "tour_guess_start",
            SpeculativeRound | PlainStep,
            page="tour",
            query=(("stop", "guess"),),
            claim=Claim(
                "some drafts are accepted",
                lambda observations: any(step.accepted for step in observations if isinstance(step, SpeculativeRound)),
            ),
        ),
    ),
    controls={
        "draft": Control(N_("the draft"), names={N_GRAMS: N_("The text itself (n-grams)")}, text=offered_models.title),
    },
)
