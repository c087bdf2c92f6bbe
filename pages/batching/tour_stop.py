"""Stop “many” of the tour. Six requests, one after the other and together."""

from __future__ import annotations

from core.batching.batch_server import ServerSettings
from core.batching.scheduler import Policy
from core.experiments.batching.compared_policies import serve
from core.experiments.shared.planned_requests import PlannedRequest, planned_requests
from pages.batching.serving_board import serving_board
from pages.batching.serving_board_rows import Board
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import names
from pages.ui.i18n.example_texts import EXAMPLES, FIRST_PROMPT
from pages.ui.i18n.translation import _
from pages.ui.presenting import tour_state
from pages.ui.presenting.tour_experiment import made_by, widget

REQUESTS = 6


def draw() -> None:
    """Draw the button and the result."""
    policies = (Policy.ONE_AT_A_TIME, Policy.CONTINUOUS)
    now = made_by(requests=REQUESTS)

    def who() -> tuple[PlannedRequest, ...]:
        prompts = (FIRST_PROMPT, *EXAMPLES.openings[1:])
        return planned_requests(tour_state.model(), prompts, REQUESTS, 8, 28, settings=tour_state.SETTINGS)

    def result(run: Experiment) -> None:
        board = Board.of(run.about)
        board.take(run.observations)
        titles = [_(names.SCHEDULERS[policy]) for policy in policies]
        lines = [_(names.SCHEDULER_LINES[policy]) for policy in policies]
        serving_board(board, (titles[0], titles[1]), (lines[0], lines[1]), (1, 8), key="tour_board")

    sides = [ServerSettings(policy, 8, 64, 48) for policy in policies]
    widget("many", now, lambda: serve(tour_state.model(), who(), sides), result, who, label=_("Run"), icon=":material/group_add:")
