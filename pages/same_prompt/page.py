"""Same prompt, other number: one text computed in two ways, what both write, the noise of one way, and a table of all ways."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from core.experiments.same_prompt import REFERENCE, Difference, FreeRun, Progress, Refused, compared, two_orders
from core.record.csv_text import csv_text
from pages.same_prompt import WAY, same_prompt_charts, ways
from pages.same_prompt.same_prompt_charts import BIT, number
from pages.ui.charts.css_colours import DARKEST, legend
from pages.ui.charts.step_tables import Word
from pages.ui.components.scored_text.scored_text import scored_text
from pages.ui.experiments import results
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.controls import Values
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.i18n.numbers import written
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _
from pages.ui.session import current, elements, provenance
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.shell import frame, prompt_field
from pages.ui.views import chart

frame.page()
NAME, NOISE, TABLE = "same_prompt", "same_prompt_noise", "same_prompt_table"
LONGEST = 2_000  # characters
REPEATS = 10
SUM = (0.1, 0.3, 0.5)


def results_of(run: Experiment) -> list[Any]:
    """Draw how far an experiment is, and return its comparisons so far."""
    if isinstance(last := run.observations[-1], Progress):
        st.progress(last.done / last.total, text=_("{done} of {total} tokens").format(done=last.done, total=last.total))
    return [observation for observation in run.observations if not isinstance(observation, Progress)]


def of_pair(run: Experiment) -> None:
    """Draw a comparison: its text, its numbers, and what both ways write."""
    for seen in results_of(run):
        of_text(seen.difference)
        elements.section(_("What both write"), _("free running"))
        for home, free in zip(st.columns(2, gap="large"), seen.runs, strict=False):
            with home:
                of_free_run(free, run.about)


def of_text(difference: Difference) -> None:
    """Draw how both ways differ along the text."""
    largest, median, kl, total = difference.largest, difference.median, max(difference.kl[1:]), len(difference.token_ids) - 1
    sentence = _("Nothing differs: both ways give every token the same log-probability.")
    if largest:
        sentence = _(
            "{count} of {total} log-probabilities differ, by at most {nats} nats ({bits} bits), at “{token}”. The median is {median} nats."
        )
    count, token = int(np.count_nonzero(difference.differences)), plain(difference.pieces[int(abs(difference.differences).argmax()) + 1])
    values = {"nats": number(largest), "bits": number(largest / BIT), "median": number(median)}
    elements.section(sentence.format(count=numbers.whole(count), total=numbers.whole(total), token=token, **values))
    kinds, table = (
        (("dice", _("likelier in the second way")), ("other", _("less likely in the second way"))),
        same_prompt_charts.table(difference),
    )
    legend(*kinds)
    scored_text(
        same_prompt_charts.words(table), key=f"{NAME}_text", alt_text=_("The text, each token tinted by its difference."), size="1.15rem"
    )
    title = _("Difference of the log-probabilities, nats")
    chart.draw(same_prompt_charts.differences, same_prompt_charts.bars(table), key=f"{NAME}_bars", alt_text=title, legend=kinds)
    counted = [index for index in difference.changed if index]
    elements.table(
        (_("of {count} tokens").format(count=total), _("nats"), _("bits")),
        [
            (_("largest difference"), number(largest), number(largest / BIT)),
            (_("median difference"), number(median), number(median / BIT)),
            (_("largest KL divergence"), number(kl), number(kl / BIT)),
            (_("probability changed by more than 10 %"), numbers.tokens(len(difference.outside)), ""),
            (_("another likeliest token"), numbers.tokens(len(counted)), ""),
        ],
    )
    st.caption(_("The log-probabilities are **measured** with real passes of both ways. All other numbers are **computed** from them."))
    for index in counted[:3]:
        before, after = map(plain, difference.favourites[index])
        sentence = _("Before token {place}, the likeliest token is “{after}” instead of “{before}”: the first two were {lead} nats apart.")
        st.caption(sentence.format(place=index + 1, before=before, after=after, lead=number(difference.leads[index])))
    elements.table_button(lambda: csv_text(table), "same_prompt.csv", f"{NAME}_csv")


def of_free_run(free: FreeRun, labels: tuple[Values, Values]) -> None:
    """Draw what both ways write, and why their texts part."""
    title, parted = _("The likeliest token each time") if free.greedy else _("With your settings and the same dice"), free.parted
    st.markdown(f"**{title}**")
    for side, (label, tokens) in enumerate(zip(labels, (free.first, free.second), strict=True)):
        words = [Word(token, "other", DARKEST / 2 * (parted is not None and index >= parted)) for index, token in enumerate(tokens)]
        scored_text(words, key=f"{NAME}_run_{free.greedy}_{side}", alt_text=title, size="1rem")
        st.caption(plain(WAY.words(label)))
    if parted is None:
        st.markdown(_("Both texts are the same."))
        return
    if not free.greedy:
        sentence = _("They part at token {place}: the roll {roll} was {gap} from the border of “{first}”, and the border moved by {shift}.")
    elif free.shift > free.gap:
        sentence = _("They part at token {place}: “{first}” and “{second}” were {gap} nats apart, and the computations differ by {shift}.")
    else:
        sentence = _("They part at token {place}: “{first}” and “{second}” were {gap} nats apart. In the second way they are equal.")
    digits = next((count for count in range(2, 18) if number(free.gap, count) != number(free.shift, count)), 2)
    gap, shift = number(free.gap, digits), number(free.shift, digits)
    first, second = plain(free.first[parted]), plain(free.second[parted])
    st.markdown(sentence.format(place=parted + 1, first=first, second=second, gap=gap, shift=shift, roll=number(free.roll, 4)))


def of_noise(run: Experiment) -> None:
    """Draw how far a way differs from itself."""
    if not (repeats := [repeat.difference.largest for repeat in results_of(run)]):
        return
    sentence = _("Computed {count} times again, no log-probability of any token differs. It is the order of the sums, not chance.")
    if max(repeats):
        sentence = _(
            "Computed {count} times again, log-probabilities differ by up to {largest} nats: this way does not always add in one order."
        )
    st.markdown(sentence.format(count=len(repeats), largest=number(max(repeats))))


def of_table(run: Experiment) -> None:
    """Draw one row for each way against the reference."""
    rows = []
    for row in results_of(run):
        name = plain(", ".join(WAY.words((name,)) for name in run.about[row.way - 1]))
        if isinstance(row, Refused):
            rows.append((name, plain(_(row.reason)), "", "", ""))
            continue
        difference, parted = row.difference, row.runs[0].parted
        where = _("nowhere") if parted is None else numbers.whole(parted + 1)
        rows.append((name, number(difference.largest), number(difference.median), numbers.whole(len(difference.changed)), where))
    head = (
        _("changed"),
        _("largest, nats"),
        _("median, nats"),
        _("other likeliest tokens"),
        _("greedy text parts from the reference's at token"),
    )
    elements.table(head, rows)
    st.caption(
        _("The reference: transformers' eager attention, float32, one text, all tokens at once, no cache. Everything is **measured**.")
    )


def why() -> None:
    """Draw why the order of a sum matters, with a sum of three numbers that is computed now."""
    elements.section(_("Why is that so?"), _("non-associative sums, batch invariance"))
    st.markdown(
        _(
            "A computer rounds each sum, so the result depends on the order in which it adds. Another batch, kernel, precision or cache "
            "adds in another order. For each token a model adds millions of numbers, and where two tokens are nearly equal, the last "
            "digit decides."
        )
    )
    a, b, c = map(numbers.short, SUM)
    rows = [(dtype, *(written(total, ".10g") for total in two_orders(dtype, SUM))) for dtype in ("float32", "bfloat16")]
    elements.table((_("precision"), f"({a} + {b}) + {c}", f"{a} + ({b} + {c})"), rows)


frame.header(
    _("Why does the same prompt get another number?"),
    _("batch invariance, bfloat16, non-associative sums"),
    _("One text is computed in two ways. See which log-probabilities differ, and where the written texts part."),
)
with drawing_boundary():
    prompt_field.own_text()
    first = next(iter(EXAMPLES.to_read.values()))
    text = st.text_area(_("The text that both read"), first, key=f"{NAME}_read", height=90, max_chars=LONGEST, **PERSISTENT) or ""
    st.button(_("What it wrote"), on_click=current.fill, args=(f"{NAME}_read", current.run().text), key=f"{NAME}_own", type="tertiary")
    (label, way), (other_label, other_way) = ways.choose()
    now = provenance.now(first_way=label, second_way=other_label, text_before=text)
    model, prompt, settings = current.model(), current.prompt(), current.settings()
    begin = results.starter(NAME, now, lambda: compared(model, text, prompt, (way, other_way), settings), (label, other_label))
    results.start_button(NAME, _("Compare"), begin, type="primary", icon=":material/compare:")
    results.part(NAME, now, begin, of_pair, _("Press Compare: both ways read the text, and write after the prompt."))
    why()
    elements.section(_("Does a way differ from itself?"), _("noise"))
    now = provenance.now(first_way=label, text_before=text, prompt=False, settings=way.settings is not None)
    begin = results.starter(NOISE, now, lambda: compared(model, text, "", [way] * (REPEATS + 1), length=0))
    results.start_button(NOISE, _("Repeat the first way {count} times").format(count=REPEATS), begin, icon=":material/repeat:")
    results.part(NOISE, now, begin, of_noise)
    elements.section(_("All ways against one reference"))
    now = provenance.now(text_before=text, settings=False)
    all_ways = [REFERENCE, *(ways.way_of(names, REFERENCE) for names in ways.ROWS)]
    begin = results.starter(TABLE, now, lambda: compared(model, text, prompt, all_ways), ways.ROWS)
    results.start_button(TABLE, _("Compare all ways"), begin, icon=":material/table_rows:")
    results.part(TABLE, now, begin, of_table)
