"""The page “Thinking aloud”: answered at once and step by step: what it helps, and what it costs."""

from __future__ import annotations

from core.experiments.shared.claim import Claim
from core.experiments.shared.prompting_styles import PromptingStyle
from core.experiments.think.thinking import THINKING_HELPS, Answered, Question, ReasoningStep, set_helps
from core.experiments.think.thinking_budget import BudgetedQuestion, BudgetPoint
from pages.ui.features import NONE, PASSES, WHAT_IF, Feature, Recorded
from pages.ui.i18n.controls import Control
from pages.ui.i18n.translation import N_
from pages.ui.session import current

SET_KINDS = {True: N_("that carry twice"), False: N_("any")}
THINK_VIEWS = (N_("One question"), N_("A whole set"), N_("How much is enough?"))


def used_settings() -> frozenset[str]:
    """Answers are greedy. The seed chooses the sums of a set."""
    return frozenset({"seed"}) if current.field("think_view") in THINK_VIEWS[1:] else NONE


FEATURE = Feature(
    group=WHAT_IF,
    place=40,
    title=N_("Thinking aloud"),
    sight=N_("Answered at once and step by step: what it helps, and what it costs."),
    settings=used_settings,
    needs=PASSES,
    recorded=(
        Recorded(
            "think",
            "think_start",
            tuple[PromptingStyle, ReasoningStep],
            Question,
            card=(N_("At once, and step by step"), N_("One sum asked twice.")),
            claim=THINKING_HELPS,
        ),
        Recorded(
            "think_set",
            "think_set_start",
            Answered,
            int,
            view=("think_view", THINK_VIEWS[1]),
            claim=Claim("more answers are right step by step", set_helps),
        ),
        Recorded(
            "thinking_budget",
            "thinking_budget_start",
            BudgetPoint,
            Question,
            view=("think_view", THINK_VIEWS[2]),
            card=(N_("How much thinking is enough?"), N_("Its thoughts are ended by force, earlier and later: when is the answer right?")),
            claim=Claim(
                "the answer is wrong without thoughts and right at their end",
                lambda observations: not observations[0].right and next(point for point in observations if point.is_own_end).right,
            ),
        ),
        Recorded(
            "thinking_budget_set",
            "thinking_budget_set_start",
            BudgetedQuestion,
            int,
            view=("think_view", THINK_VIEWS[2]),
            claim=Claim(
                "more answers are right after all thoughts than after half of them",
                lambda observations: (
                    sum(question.unforced.right for question in observations)
                    > sum(question.at(question.unforced.budget // 2).right for question in observations)
                ),
            ),
        ),
        Recorded(
            "tour_aloud",
            "tour_aloud_start",
            tuple[PromptingStyle, ReasoningStep],
            page="tour",
            query=(("stop", "aloud"),),
            claim=THINKING_HELPS,
        ),
    ),
    controls={
        "answer": Control(N_("the answer"), N_("right is {answer}")),
        "questions": Control(N_("the number"), N_("{count} questions")),
        "carries": Control(N_("which sums"), names=SET_KINDS),
    },
)
