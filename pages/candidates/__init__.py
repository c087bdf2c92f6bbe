"""The page “Several tries”: many candidates at once, one is picked; and beam search."""

from __future__ import annotations

from core.experiments.candidates.beam import BeamStep
from core.experiments.shared.claim import Claim, different_texts
from core.experiments.shared.written_rows import BatchStep
from core.sampling.settings import SamplingSettings
from pages.ui.features import IDS, NONE, WHAT_IF, Feature, Recorded
from pages.ui.i18n.controls import Control
from pages.ui.i18n.translation import N_
from pages.ui.session import current
from pages.ui.session.sampling_controls import ALL

TRIES_VIEWS = (N_("Several tries"), N_("Beam search"))


def used_settings() -> frozenset[str]:
    """Beam search does not sample."""
    return NONE if current.field("candidates_view") == TRIES_VIEWS[1] else ALL


FEATURE = Feature(
    group=WHAT_IF,
    place=30,
    title=N_("Several tries"),
    sight=N_("Many candidates at once, one is picked; and beam search."),
    address="several-tries",
    settings=used_settings,
    needs=IDS,
    recorded=(
        Recorded(
            "candidates",
            "candidates_start",
            BatchStep,
            tuple[str, SamplingSettings],
            card=(N_("Eight tries at once"), N_("One is picked. All eight were paid for.")),
            claim=Claim(
                "eight tries, at least five different texts",
                lambda observations: different_texts([t.path for t in observations[-1].tries], 5),
            ),
        ),
        Recorded(
            "candidates_beam",
            "candidates_beam_all",
            BeamStep,
            int,
            view=("candidates_view", TRIES_VIEWS[1]),
            claim=Claim(
                "three answers, the best first",
                lambda observations: (
                    len(scores := [beam.score for beam in observations[-1].answers]) == 3 and scores == sorted(scores, reverse=True)
                ),
            ),
        ),
    ),
    controls={
        "tries": Control(N_("the tries"), N_("{count} tries")),
        "beams": Control(N_("the beams"), N_("{count} beams")),
        "penalty": Control(N_("the penalty"), N_("length penalty {penalty}")),
    },
)
