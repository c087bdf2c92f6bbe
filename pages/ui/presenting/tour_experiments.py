"""Widgets of the tour's stops that run an experiment, smaller than on the experiment's page."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import streamlit as st

from core.batching.scheduler import Policy
from core.batching.server import ServerSettings
from core.experiments.answers import same_answer
from core.experiments.batching import planned_requests, serve
from core.experiments.cache_budget import POLICIES, RED_POT, Answer, CacheBlock, MemoryBudget, before_and_after, key_tokens, page_bytes
from core.experiments.cache_race import CACHED, UNCACHED, race
from core.experiments.speculative import PlainStep, SpeculativeRound, speculate
from core.experiments.speculative_gain import gain
from core.experiments.thinking import CHAIN_OF_THOUGHT, DIRECT, PromptingStyle, Question, ReasoningStep, think
from pages.ui.charts import cost_charts, race_rows
from pages.ui.charts.legend import legend
from pages.ui.charts.serving_rows import Board
from pages.ui.experiments import experiment, results
from pages.ui.i18n import example_texts, names, numbers
from pages.ui.i18n.language import N_, _
from pages.ui.presenting import tour_state
from pages.ui.session import current, elements
from pages.ui.session.provenance import Provenance
from pages.ui.session.state import PERSISTENT
from pages.ui.views import cache_text, chart
from pages.ui.views.saved_components import serving_board
from pages.ui.views.speculative_text import speculative_text, verdicts
from pages.ui.views.tinted_text import tinted_text

RACE, FULL, MANY, GUESS, ALOUD = "tour_notepad", "tour_full", "tour_many", "tour_guess", "tour_aloud"
LENGTH = 48  # tokens of the race and of the speculative run
PAGES = 40  # tokens that fit into the small notepad
GUESSES = 4
READERS = 6
STYLE_TITLES = {DIRECT: N_("At once"), CHAIN_OF_THOUGHT: N_("Step by step")}


def made_by(chosen: tuple[tuple[str, str], ...] = (), prompt: str | None = "Once upon a time, there was a little") -> Provenance:
    """Return the provenance of an experiment of the tour."""
    return Provenance(tour_state.model().name, prompt, tour_state.SETTINGS if prompt else None, chosen)


def start(name: str, label: str, begin: Callable[[], None], icon: str) -> None:
    """Draw the button that starts or stops an experiment."""
    if experiment.of(name).running:
        st.button(_("Stop"), on_click=experiment.stop, args=(name,), icon=":material/stop:", key=f"{name}_stop")
    else:
        elements.button(label, begin, type="primary", icon=icon, key=f"{name}_start")


def mark_tried(name: str, stop: str) -> None:
    """Note that the task of a stop was done, if its experiment ran here and is not a recording."""
    run = experiment.of(name)
    if run.seen and not run.recorded_on:
        tour_state.tried(stop)


def notepad() -> None:
    """Stop "notepad": the same text with and without a KV cache."""
    now = made_by()

    @current.error_boundary
    def begin() -> None:
        model = tour_state.model()
        experiment.start(RACE, lambda: race(model, "Once upon a time, there was a little", tour_state.SETTINGS, LENGTH), now)

    start(RACE, _("Start the race"), begin, ":material/flag:")

    def draw() -> None:
        with results.shown(RACE, now, begin) as run:
            steps = {runner: [step for step in run.seen if step.runner == runner] for runner in (CACHED, UNCACHED)}
            kinds = (("dice", _("With notes")), ("other", _("Without notes")))
            legend(*kinds)
            if all(steps.values()):
                table = race_rows.table(steps, "total_positions")
                chart.draw(
                    cost_charts.race,
                    table,
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

    results.live(draw, RACE, key="tour_race_fragment")
    mark_tried(RACE, "notepad")


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
    plan = MemoryBudget(PAGES * page_bytes(model), policy or POLICIES[1])
    now = made_by(((N_("what is done when it is full"), names.EVICTION[plan.policy]),), None)

    @current.error_boundary
    def begin() -> None:
        texts = [token.text or token.piece for token in model.tokenize(RED_POT.told + RED_POT.question)]
        experiment.start(FULL, lambda: before_and_after(model, plan, RED_POT), now, (plan, texts, key_tokens(model, RED_POT)))

    start(FULL, _("Read the story"), begin, ":material/menu_book:")

    def draw() -> None:
        with results.shown(FULL, now, begin) as run:
            if run.about is None:
                return
            planned, texts, marked = run.about
            cache_text.cache_and_fill([seen for seen in run.seen if isinstance(seen, CacheBlock)], texts, planned.share, marked)
            answers = [seen for seen in run.seen if isinstance(seen, Answer)]
            cache_text.answer_bars(answers, (_("with a cache that holds everything"), _("with this one")))

    results.live(draw, FULL, key="tour_full_fragment")
    mark_tried(FULL, "full")


def many() -> None:
    """Stop "many": six requests, one after the other and together."""
    policies = (Policy.ONE_AT_A_TIME, Policy.CONTINUOUS)
    now = made_by(((N_("the requests"), N_("{count} requests").format(count=READERS)),))

    @current.error_boundary
    def begin() -> None:
        model = tour_state.model()
        who = planned_requests(
            model, ("Once upon a time, there was a little", *example_texts.OPENINGS[1:]), READERS, 8, 28, settings=tour_state.SETTINGS
        )
        sides = [ServerSettings(policy, 8, 64, 48) for policy in policies]
        experiment.start(MANY, lambda: serve(model, who, sides), now, who)

    start(MANY, _("Run"), begin, ":material/group_add:")

    def draw() -> None:
        with results.shown(MANY, now, begin) as run:
            if run.about is None:
                return
            board = Board.of(run.about)
            board.take(run.seen)
            titles = [_(names.SCHEDULERS[policy]) for policy in policies]
            lines = [_(names.SCHEDULER_LINES[policy]) for policy in policies]
            serving_board(board, (titles[0], titles[1]), (lines[0], lines[1]), (1, 8), key="tour_board")

    results.live(draw, MANY, key="tour_many_fragment")
    mark_tried(MANY, "many")


def guess() -> None:
    """A small model guesses ahead, the large one checks."""
    now = made_by(((N_("the drafted tokens"), N_("{count} drafted tokens").format(count=GUESSES)),))

    @current.error_boundary
    def begin() -> None:
        model = tour_state.model()
        small = f"{model.name}-mini"
        draft = current.model_named(small) if small in current.model_names() else None
        experiment.start(
            GUESS, lambda: speculate(model, draft, "Once upon a time, there was a little", tour_state.SETTINGS, GUESSES, LENGTH), now
        )

    start(GUESS, _("Run both models"), begin, ":material/fast_forward:")

    def draw() -> None:
        with results.shown(GUESS, now, begin) as run:
            rounds = [one for one in run.seen if isinstance(one, SpeculativeRound)]
            legend(*verdicts())
            speculative_text("Once upon a time, there was a little", rounds, key="tour_speculative")
            if rounds:
                found = gain([one for one in run.seen if isinstance(one, SpeculativeRound | PlainStep)], GUESSES)
                told = _(
                    "**{passes}** passes of the large model wrote **{written}** tokens. **{accepted}** of {drafted} drafts were accepted."
                ).format(passes=found.passes, written=found.written, accepted=found.accepted, drafted=found.drafted)
                st.markdown(told)

    results.live(draw, GUESS, key="tour_guess_fragment")
    mark_tried(GUESS, "guess")


def aloud() -> None:
    """Stop "aloud": one sum, at once and step by step."""
    question = Question(f"Question: {'What is 39 + 57 + 59?'}\n", "155")
    now = made_by(((N_("the question"), "What is 39 + 57 + 59?"),), None)

    @current.error_boundary
    def begin() -> None:
        model = tour_state.model()

        def both() -> Iterator[tuple[PromptingStyle, ReasoningStep]]:
            for way in STYLE_TITLES:
                for thought in think(model, question, way):
                    yield way, thought

        experiment.start(ALOUD, both, now)

    st.markdown("*What is 39 + 57 + 59?*")
    start(ALOUD, _("Ask both ways"), begin, ":material/help:")

    def draw() -> None:
        with results.shown(ALOUD, now, begin) as run:
            for home, (way, title) in zip(st.columns([0.4, 0.6], gap="large"), STYLE_TITLES.items(), strict=True):
                thoughts = [thought for whose, thought in run.seen if whose == way]
                with home:
                    elements.section(_(title))
                    tinted_text([thought.step for thought in thoughts], key=f"tour_{way.name[:3]}", other=way == CHAIN_OF_THOUGHT)
                    if thoughts and not run.running:
                        st.markdown(verdict(thoughts[-1].given, question.answer))

    results.live(draw, ALOUD, key="tour_aloud_fragment")
    mark_tried(ALOUD, "aloud")


def verdict(given: str | None, answer: str) -> str:
    """Return a sentence that says whether an answer is right."""
    if given is None:
        return _("The model gives no answer.")
    said = "".join(c if c.isalnum() or c in " .,-" else "·" for c in given[:40])
    return (
        _("It says **{given}**. That is right.").format(given=said)
        if same_answer(given, answer)
        else _("It says **{given}**. The right answer is {answer}.").format(given=said, answer=answer)
    )
