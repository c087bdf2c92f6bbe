"""Batching: the same requests under two schedulers side by side, larger batches measured, and how many requests fit into a memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.batching.batch_server import ServerSettings
from core.batching.scheduler import Policy
from core.experiments.batching.batch_curve import batch_curve
from core.experiments.batching.compared_policies import compare_alone, serve
from core.experiments.shared.planned_requests import PlannedRequest, planned_requests
from pages.batching import batching_view
from pages.batching.burst_view import burst_page
from pages.batching.memory_calculator import calculator
from pages.ui.experiments import experiment, results
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import names
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.i18n.translation import N_, _, said
from pages.ui.session import current, elements, provenance
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.shell import frame, prompt_field, remote_model_notes
from pages.ui.views import receipt

frame.page()
NAME, CHECK, CURVE = "batching", "batching_check", "batching_curve"
COUNTS = (2, 4, 8, 16)
SLOTS = (1, 2, 4, 8, 16)
BUDGETS = (16, 32, 64, 128, 256, 512)
BLOCKS = (8, 12, 16, 24, 32, 48, 64, 96, 128, 256)
ARRIVALS = (N_("all at once"), N_("one by one"))


@dataclass(frozen=True, slots=True)
class Options:
    """The values of the controls. policies: left and right. rate: arrivals per second, None if all arrive at once."""

    policies: tuple[Policy, Policy]
    count: int
    rate: int | None
    lengths: tuple[int, int] = (8, 48)
    common: int = 0
    slots: int = 8
    budget: int = 64
    blocks: int = 48
    share: bool = True

    def requests(self) -> tuple[PlannedRequest, ...]:
        """Return the requests. Raises ViewerError."""
        return planned_requests(
            current.model(),
            (current.prompt(), *EXAMPLES.openings[1:]),
            self.count,
            *self.lengths,
            rate=None if self.rate is None else float(self.rate),
            settings=current.settings(),
            background=EXAMPLES.valley,
            background_tokens=self.common,
        )

    def sides(self) -> list[ServerSettings]:
        """Return the settings of both servers."""
        return [ServerSettings(policy, self.slots, max(self.budget, self.slots), self.blocks, self.share) for policy in self.policies]

    def provenance(self) -> provenance.Provenance:
        """Return what makes a result."""
        return provenance.now(
            policies=[policy.value for policy in self.policies],
            requests=self.count,
            arrivals=self.rate,
            lengths=self.lengths,
            **{name: getattr(self, name) for name in ("slots", "budget", "blocks", "share", "common")},
        )


def main_controls() -> tuple[tuple[Policy, Policy], int, bool]:
    """Draw the controls in sight: both schedulers, the number of requests, whether they arrive one by one."""
    kinds, named = list(names.SCHEDULERS), said(names.SCHEDULERS).__getitem__
    widget_options = {"format_func": named, "width": 230, **PERSISTENT}
    left = st.selectbox(_("Left"), kinds, index=0, key="batching_left", **widget_options)
    right = st.selectbox(_("Right"), kinds, index=2, key="batching_right", **widget_options)
    count = elements.choice(_("Requests"), COUNTS, 8, "batching_readers")
    arrive = elements.choice(_("They arrive"), ARRIVALS, ARRIVALS[0], "batching_arrive", format_func=_)
    return (left, right), count, arrive == ARRIVALS[1]


def more_controls(policies: tuple[Policy, Policy], count: int, one_by_one: bool) -> Options:
    """Draw the controls of the servers, and return all options."""
    with st.expander(_("More"), icon=":material/tune:"):
        left, middle, right = st.columns(3, gap="large")
        drawn = _("In tokens. The length of each answer is drawn from this range. A text can end earlier by itself.")
        lengths = left.slider(_("Length of the answers"), 1, 128, (8, 48), key="batching_lengths", help=drawn, **PERSISTENT)
        story = _("Every prompt begins with this many tokens of the same story, like a system prompt. 0: none.")
        common = left.slider(_("Common prefix"), 0, 192, 0, 16, key="batching_common", help=story, **PERSISTENT)
        most = _("The largest number of requests in one pass (max_num_seqs).")
        slots = middle.select_slider(_("Slots"), SLOTS, 8, key="batching_slots", help=most, **PERSISTENT)
        tokens = _("How many tokens one pass takes, prompt tokens included (max_num_batched_tokens). Unchunked prompts can exceed it.")
        budget = middle.select_slider(_("Tokens per pass"), BUDGETS, 64, key="batching_budget", help=tokens, **PERSISTENT)
        poisson = _("Requests arrive at random times (a Poisson process). The seed in the sidebar decides the times.")
        widget_options = {"help": poisson, "disabled": not one_by_one, **PERSISTENT}
        rate = middle.slider(_("Requests per second"), 1, 40, 10, key="batching_rate_a_second", **widget_options)
        memory = _(
            "Memory for keys and values, in blocks of 16 tokens. When it is full, the newest request is preempted, to be computed again."
        )
        blocks = right.select_slider(_("Blocks of the KV cache"), BLOCKS, 48, key="batching_blocks", help=memory, **PERSISTENT)
        prefix = _("Blocks with the same tokens from the beginning on are stored and computed once (prefix caching).")
        share = right.toggle(_("Share the common prefix"), value=True, key="batching_share", help=prefix, **PERSISTENT)
    return Options(policies, count, rate if one_by_one else None, lengths, common, slots, budget, blocks, share)


def check_view(run: Experiment) -> None:
    """Draw the check: each request of the right side runs once more alone, with the model that made the result."""
    assert run.made_by is not None
    by, who = run.made_by, run.about[0]

    def finished() -> Iterator[Any]:
        finished_requests = [request for iteration in batching_view.board(run).sides[1].iterations for request in iteration.finished]
        return compare_alone(current.model_named(by.model), who, finished_requests)

    begin = results.starter(CHECK, by, finished)
    about = _("Runs every request of the right side once more, alone, with the same dice.")
    results.start_button(CHECK, _("Compare with single requests"), begin, key="batching_check", help=about, icon=":material/balance:")
    results.part(CHECK, by, begin, batching_view.draw_check)


def requests_view() -> None:
    """Draw the controls, both servers, and the check."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="batching_controls"):
        main = main_controls()
        board_place = st.container()
    options = more_controls(*main)
    now = options.provenance()

    def serve_both() -> Iterator[Any]:
        experiment.forget(CHECK)
        return serve(current.model(), options.requests(), options.sides())

    def about() -> object:
        places = tuple(1 if policy is Policy.ONE_AT_A_TIME else options.slots for policy in options.policies)
        return options.requests(), options.policies, places

    begin = results.starter(NAME, now, serve_both, about)
    with board_place:
        results.start_button(NAME, _("Run"), begin, type="primary", icon=":material/group_add:")
    results.part(NAME, now, begin, batching_view.draw_board, _("Press the button to serve the requests."))
    run = experiment.started_or_recorded(NAME)
    if run.observations and not run.running and not run.recorded_on:
        check_view(run)


def curve_view() -> None:
    """Draw larger batches: tokens per second for all requests, and the wait of each."""
    elements.section(_("What does a larger batch change?"), _("batch size, throughput, latency"))
    now = provenance.now()

    def passes() -> Iterator[Any]:
        model = current.model()
        return batch_curve(model, current.prompt(), receipt.peak(model.device, model.dtype), current.settings())

    def about() -> object:
        model = current.model()
        return receipt.peak(model.device, model.dtype), model.weight_bytes

    begin = results.starter(CURVE, now, passes, about)
    results.start_button(CURVE, _("Measure"), begin, icon=":material/speed:")
    results.part(CURVE, now, begin, batching_view.draw_curve, _("Press the button: passes with 1 to 32 requests, measured in turns."))
    st.caption(_("Every pass here is a real forward pass with a real block pool. Servers such as vLLM do the same on many machines."))


frame.header(
    _("Many requests, one pass"),
    _("batching"),
    _(
        "A pass reads all weights once, for one request or for many. On a GPU this reading takes most "
        "of the time. Each side has its own clock."
    ),
)
with drawing_boundary():
    if remote_model_notes.is_served():
        burst_page(prompt_field.own_text)
    else:
        requests_view()
        curve_view()
with drawing_boundary():
    calculator()
