"""The page “Why this token?”: take a word or a part of the model away, and see what changes."""

from __future__ import annotations

from functools import partial

import numpy as np

from core.experiments.shared.claim import BIT, Claim
from core.experiments.why.ablated_heads import AblatedHeads, WithoutHeads
from core.experiments.why.hidden_words import HiddenWords, speaks_for_both
from core.experiments.why.logit_sum import LogitSum
from core.experiments.why.steered_run import SteeredRun, steered
from core.experiments.why.traced_fact import TracedFact, fact_is_found
from pages.ui.features import INSIDE, NONE, PASSES, Feature, Recorded
from pages.ui.i18n import names, numbers
from pages.ui.i18n.controls import Control
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.i18n.translation import N_
from pages.ui.session import current
from pages.ui.session.sampling_controls import ALL

OWN_LISTS = N_("your own lists")


def used_settings() -> frozenset[str]:
    """Only texts that are written use the settings: without some heads, and steered."""
    return ALL if current.field("why_view") in (names.WHY_VIEWS[1], names.WHY_VIEWS[4]) else NONE


FEATURE = Feature(
    group=INSIDE,
    place=20,
    title=N_("Why this token?"),
    sight=N_("Take a word or a part of the model away, and see what changes."),
    settings=used_settings,
    needs=PASSES,
    recorded=(
        Recorded(
            "why_words",
            "why_words_start",
            HiddenWords,
            query=(("prompt", EXAMPLES.why_prompt),),
            card=(N_("Which word mattered"), N_("Each word was hidden once, and the probability of the next one was measured.")),
            claim=Claim(
                "hiding one word takes at least 3 bits", lambda observations: max(part.effect for part in observations[-1].parts) >= 3 * BIT
            ),
        ),
        Recorded(
            "why_two",
            "why_two_start",
            HiddenWords,
            view=("why_view", names.WHY_VIEWS[5]),
            query=(("prompt", EXAMPLES.why_two[0]), ("against", EXAMPLES.why_two[1])),
            card=(N_("Why this, and not that?"), N_("Each word was hidden once: for which of two tokens does it speak?")),
            claim=Claim("one word speaks for each of the two tokens, by at least 1 bit", speaks_for_both),
        ),
        Recorded(
            "why_heads",
            "why_heads_start",
            AblatedHeads,
            view=("why_view", names.WHY_VIEWS[1]),
            query=(("prompt", EXAMPLES.why_prompt),),
            claim=Claim(
                "switching off one head takes at least 2 bits, and its attention is shown",
                lambda observations: (
                    max(effect for layer in observations[-1].effects for effect in layer) >= 2 * BIT and bool(observations[-1].attention)
                ),
            ),
        ),
        Recorded(
            "why_without",
            "why_without_start",
            WithoutHeads,
            view=("why_view", names.WHY_VIEWS[1]),
            query=(("prompt", EXAMPLES.why_prompt),),
            claim=Claim(
                "without the head the likeliest token is another one",
                lambda observations: np.argmax(observations[-1].usual) != np.argmax(observations[-1].changed),
            ),
        ),
        Recorded(
            "why_fact",
            "why_fact_start",
            TracedFact,
            view=("why_view", names.WHY_VIEWS[2]),
            query=(("prompt", EXAMPLES.why_prompt),),
            card=(
                N_("Where a fact comes from"),
                N_("Activations of one sentence were put into another, one at a time. How much of the first answer comes back?"),
            ),
            claim=Claim("the answer comes back from the word first, and from the last position at the end", fact_is_found),
        ),
        Recorded(
            "why_sum",
            "why_sum_start",
            LogitSum,
            view=("why_view", names.WHY_VIEWS[3]),
            query=(("prompt", EXAMPLES.why_prompt),),
            claim=Claim(
                "the parts add up to the logit, and one adds at least 2",
                lambda observations: (
                    abs(observations[-1].sum - observations[-1].logit) < 0.01 and max(part.value for part in observations[-1].parts) >= 2
                ),
            ),
        ),
        Recorded(
            "why_steer",
            "why_steer_start",
            SteeredRun,
            view=("why_view", names.WHY_VIEWS[4]),
            query=(("prompt", EXAMPLES.why_prompt),),
            card=(
                N_("Night, turned up"),
                N_("One direction was added while the model wrote: from texts about the day to texts about the night."),
            ),
            claim=Claim("the steered text is about the night, and not broken", steered),
        ),
    ),
    controls={
        "hidden_unit": Control(N_("what is hidden"), names=names.HIDDEN_UNITS),
        "hiding": Control(N_("how it is hidden"), names=names.HIDING),
        "passage": Control(N_("the passage")),
        "token": Control(N_("the token"), shown=False),
        "against": Control(N_("the other token"), shown=False),
        "head_value": Control(N_("the value of a head"), names=names.HEAD_VALUES),
        "heads": Control(N_("the heads"), shown=False),
        "first_prompt": Control(N_("the first prompt")),
        "second_prompt": Control(N_("the second prompt")),
        "by_words": Control(N_("the alignment"), names={True: N_("aligned by words")}),
        "lists": Control(N_("the lists"), names={title: title for title in (*EXAMPLES.steering, OWN_LISTS)}),
        "steered_beginning": Control(N_("the beginning")),
        "steered_layer": Control(N_("the layer"), N_("layer {count}")),
        "strength": Control(N_("the strength"), N_("strength {count}"), number=partial(numbers.decimal, places=1)),
        "texts": Control(N_("the texts"), shown=False),
    },
)
