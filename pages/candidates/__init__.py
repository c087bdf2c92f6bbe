"""The page “Several tries”: many candidates at once, one is picked; and beam search."""

from __future__ import annotations

from core.experiments.beam import BeamStep
from core.experiments.candidates import BatchStep
from core.sampling.settings import SamplingSettings
from pages.ui.features import IDS, NONE, WHAT_IF, Feature, Recorded
from pages.ui.i18n import names
from pages.ui.i18n.translation import N_
from pages.ui.session import current
from pages.ui.session.sampling_controls import ALL


def used_settings() -> frozenset[str]:
    """Beam search does not sample."""
    return NONE if current.field("candidates_view") == names.TRIES_VIEWS[1] else ALL


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
        ),
        Recorded(
            "candidates_beam",
            "candidates_beam_all",
            BeamStep,
            int,
            view=("candidates_view", names.TRIES_VIEWS[1]),
        ),
    ),
)
