"""Widgets of the tour's stops that run an experiment, smaller than on the experiment's page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import streamlit as st

from core.batching.batch_server import ServerSettings
from core.batching.scheduler import Policy
from core.experiments.batching.compared_policies import serve
from core.experiments.cache import CACHED, UNCACHED, race
from core.experiments.memory.cache_budget import (
    POLICIES,
    RED_POT,
    Answer,
    CacheStep,
    MemoryBudget,
    before_and_after,
    key_tokens,
    kv_bytes_per_token,
)
from core.experiments.shared.planned_requests import PlannedRequest, planned_requests
from core.experiments.shared.prompting_styles import CHAIN_OF_THOUGHT
from core.experiments.speculative import PlainStep, SpeculativeRound, gain, speculate
from core.experiments.think.thinking import Question
from pages.ui.charts import cost_charts, race_rows
from pages.ui.charts.css_colours import legend
from pages.ui.charts.serving_board_rows import Board
from pages.ui.experiments import experiment, results
from pages.ui.experiments.experiment import Experiment
from pages.ui.i18n import names, numbers
from pages.ui.i18n.controls import Value
from pages.ui.i18n.example_texts import EXAMPLES, FIRST_PROMPT
from pages.ui.i18n.translation import _
from pages.ui.presenting import tour_state
from pages.ui.session import current, elements, provenance
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.provenance import Provenance
from pages.ui.views import cache_text, chart, think_view
from pages.ui.views.serving_board import serving_board
from pages.ui.views.speculative_text import speculative_text, verdicts
from pages.ui.views.tinted_text import tinted_text

LENGTH = 48  # tokens of the race and of the speculative run
PAGES = 40  # tokens that fit into the small notepad
GUESSES = 4
REQUESTS = 6


def made_by(prompt: str | None = FIRST_PROMPT, **controls: Value) -> Provenance:
    """Return the provenance of an experiment of the tour."""
    return Provenance(tour_state.model().name, prompt, tour_state.SETTINGS if prompt else None, provenance.stored(**controls))


def widget(
    stop: str,
    now: Provenance,
    make: Callable[[], Iterator[Any]],
    draw: Callable[[Experiment], None],
    about: Any = None,
    **button: Any,
) -> None:
    """Draw the button and the result of a stop's experiment; the stop counts as tried once it ran here. See `results.starter`."""
    name = f"tour_{stop}"
    begin = results.starter(name, now, make, about)
    results.start_button(name, begin=begin, type="primary", **button)
    results.part(name, now, begin, draw)
    run = experiment.of(name)
    if run.seen and not run.recorded_on:
        tour_state.tried(stop)


def notepad() -> None:
    """Stop "notepad": the same text with and without a KV cache."""

    def draw(run: Experiment) -> None:
        steps = {runner: [step for step in run.seen if step.runner == runner] for runner in (CACHED, UNCACHED)}
        kinds = (("dice", _("With notes")), ("other", _("Without notes")))
        legend(*kinds)
        if not all(steps.values()):
            return
        chart.draw(
            cost_charts.race,
            race_rows.table(steps, "total_positions"),
            key="tour_race",
            legend=kinds,
            alt_text=_("Two lines: tokens computed so far with and without the notepad (KV cache)."),
            length=LENGTH,
            column="total_positions",
            unit="",
        )
        cached, plain = (steps[runner][-1].total_positions for runner in (CACHED, UNCACHED))
        count = min(map(len, steps.values()))
        st.markdown(
            _("With notes **{cached}** tokens were computed, without notes **{plain}**, for the same {count} new tokens.").format(
                cached=numbers.whole(cached), plain=numbers.whole(plain), count=count
            )
        )

    make = lambda: race(tour_state.model(), FIRST_PROMPT, tour_state.SETTINGS, LENGTH)  # noqa: E731 (passed on)
    widget("notepad", made_by(), make, draw, label=_("Start the race"), icon=":material/flag:")


def full() -> None:
    """Stop "full": a KV cache that is too small, and the answer that depends on it."""
    model = tour_state.model()
    policy = st.pills(
        _("When it is full"),
        POLICIES,
        default=POLICIES[1],
        key="tour_policy",
        format_func=lambda key: _(names.EVICTION[key]),
        required=True,
        **PERSISTENT,
    )
    plan = MemoryBudget(PAGES * kv_bytes_per_token(model), policy or POLICIES[1])
    now = made_by(None, eviction=plan.policy)

    def about() -> object:
        texts = [token.text or token.piece for token in model.tokenize(RED_POT.text + RED_POT.question)]
        return plan, texts, tuple(key_tokens(model, RED_POT))

    def draw(run: Experiment) -> None:
        planned, texts, marked = run.about
        cache_text.cache_and_fill([seen for seen in run.seen if isinstance(seen, CacheStep)], texts, planned.share, marked)
        answers = [seen for seen in run.seen if isinstance(seen, Answer)]
        cache_text.answer_bars(answers, (_("with a cache that holds everything"), _("with this one")))

    make = partial(before_and_after, model, plan, RED_POT)
    widget("full", now, make, draw, about, label=_("Read the story"), icon=":material/menu_book:")


def many() -> None:
    """Stop "many": six requests, one after the other and together."""
    policies = (Policy.ONE_AT_A_TIME, Policy.CONTINUOUS)
    now = made_by(requests=REQUESTS)

    def who() -> tuple[PlannedRequest, ...]:
        prompts = (FIRST_PROMPT, *EXAMPLES.openings[1:])
        return planned_requests(tour_state.model(), prompts, REQUESTS, 8, 28, settings=tour_state.SETTINGS)

    def draw(run: Experiment) -> None:
        board = Board.of(run.about)
        board.take(run.seen)
        titles = [_(names.SCHEDULERS[policy]) for policy in policies]
        lines = [_(names.SCHEDULER_LINES[policy]) for policy in policies]
        serving_board(board, (titles[0], titles[1]), (lines[0], lines[1]), (1, 8), key="tour_board")

    sides = [ServerSettings(policy, 8, 64, 48) for policy in policies]
    widget("many", now, lambda: serve(tour_state.model(), who(), sides), draw, who, label=_("Run"), icon=":material/group_add:")


def guess() -> None:
    """A small model guesses ahead, the large one checks."""
    now = made_by(drafted=GUESSES)

    def write() -> Iterator[Any]:
        model = tour_state.model()
        small = f"{model.name}-mini"
        draft = current.model_named(small) if small in current.model_names() else None
        return speculate(model, draft, FIRST_PROMPT, tour_state.SETTINGS, GUESSES, LENGTH)

    def draw(run: Experiment) -> None:
        rounds = [step for step in run.seen if isinstance(step, SpeculativeRound)]
        legend(*verdicts())
        speculative_text(FIRST_PROMPT, rounds, key="tour_speculative")
        if rounds:
            measured_gain = gain([step for step in run.seen if isinstance(step, SpeculativeRound | PlainStep)], GUESSES)
            line = _("**{passes}** passes of the large model wrote **{written}** tokens. **{accepted}** of {drafted} drafts were accepted.")
            st.markdown(
                line.format(
                    passes=measured_gain.passes,
                    written=measured_gain.written,
                    accepted=measured_gain.accepted,
                    drafted=measured_gain.drafted,
                )
            )

    widget("guess", now, write, draw, label=_("Run both models"), icon=":material/fast_forward:")


def aloud() -> None:
    """Stop "aloud": one sum, at once and step by step."""
    text, answer = EXAMPLES.sum
    question = Question(f"Question: {text}\n", answer)
    now = made_by(None, question=text)

    def draw(run: Experiment) -> None:
        for home, (way, title) in zip(st.columns([0.4, 0.6], gap="large"), think_view.TITLES.items(), strict=True):
            thoughts = [thought for whose, thought in run.seen if whose == way]
            with home:
                elements.section(_(title))
                tinted_text([thought.step for thought in thoughts], key=f"tour_{way.name[:3]}", other=way == CHAIN_OF_THOUGHT)
                if thoughts and not run.running:
                    st.markdown(think_view.verdict(thoughts[-1].given, question.answer))

    st.markdown(f"*{text}*")
    make = lambda: think_view.both_styles(tour_state.model(), question)  # noqa: E731 (passed on)
    widget("aloud", now, make, draw, label=_("Ask both ways"), icon=":material/help:")
