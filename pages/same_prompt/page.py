"""Same prompt, other number: one text computed in two ways, what both write, the noise of one way, and a table of all ways."""

from __future__ import annotations

import streamlit as st

from core.experiments.same_prompt import REFERENCE, Comparison, FreeRun, Progress, compared, noise, table, two_orders
from core.record.tables import csv_text
from pages.same_prompt import same_prompt_charts, ways
from pages.same_prompt.same_prompt_charts import BIT, number
from pages.ui.charts.palette import legend
from pages.ui.components.scored_text.scored_text import scored_text
from pages.ui.experiments import results
from pages.ui.experiments.experiment import Experiment
from pages.ui.i18n import example_texts, numbers
from pages.ui.i18n.control_values import translated
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import N_, _, written
from pages.ui.session import current, elements, provenance
from pages.ui.session.provenance import TEXT
from pages.ui.session.state import PERSISTENT
from pages.ui.shell import frame, prompt_field
from pages.ui.views import chart

frame.page()
NAME, NOISE, TABLE = "same_prompt", "same_prompt_noise", "same_prompt_table"
LONGEST = 2_000  # characters
REPEATS = 10
SUM = (0.1, 0.3, 0.5)


def draw(run: Experiment) -> None:
    """Draw a comparison: its text, its numbers, and what both ways write."""
    seen = run.seen[-1]
    if isinstance(seen, Progress):
        st.progress(seen.done / seen.total, text=_("{done} of {total} tokens").format(done=seen.done, total=seen.total))
        return
    assert isinstance(seen, Comparison)
    difference = seen.difference
    largest = int(abs(difference.differences).argmax()) + 1
    sentence = (
        _("The log-probability of “{token}” differs most: by {nats} nats ({bits} bits).") if difference.largest else _("Nothing differs.")
    )
    elements.section(
        sentence.format(token=plain(difference.pieces[largest]), nats=number(difference.largest), bits=number(difference.largest / BIT))
    )
    legend(("dice", _("likelier in the second way")), ("other", _("less likely in the second way")))
    tinted = _("The text, each token tinted by its difference.")
    scored_text(same_prompt_charts.words(difference), key=f"{NAME}_text", alt_text=tinted, size="1.15rem")
    title = _("Difference of the log-probabilities, nats")
    chart.draw(same_prompt_charts.differences, same_prompt_charts.rows(difference), key=f"{NAME}_bars", alt_text=title)
    counted = [index for index in difference.changed if index]
    elements.table(
        (_("of {count} tokens").format(count=len(difference.token_ids) - 1), _("nats"), _("bits")),
        [
            (_("largest difference"), number(difference.largest), number(difference.largest / BIT)),
            (_("median difference"), number(difference.median), number(difference.median / BIT)),
            (_("largest KL divergence"), number(max(difference.kl[1:])), number(max(difference.kl[1:]) / BIT)),
            (_("probability changed by more than 10 %"), numbers.tokens(len(difference.outside)), ""),
            (_("another likeliest token"), numbers.tokens(len(counted)), ""),
        ],
    )
    for index in counted[:3]:
        before, after = map(plain, difference.favourites[index])
        sentence = _("Before token {place}, the likeliest token is “{after}” instead of “{before}”: the first two were {lead} nats apart.")
        st.caption(sentence.format(place=index + 1, before=before, after=after, lead=number(difference.leads[index])))
    elements.table_button(lambda: csv_text(same_prompt_charts.table(difference)), "same_prompt.csv", f"{NAME}_csv")
    elements.section(_("What both write"), _("free running"))
    for home, free in zip(st.columns(2, gap="large"), seen.runs, strict=False):
        with home:
            free_run(free, run.about)


def free_run(free: FreeRun, labels: tuple[str, str]) -> None:
    """Draw what both ways write, and why their texts part."""
    st.markdown(f"**{_('The likeliest token each time') if free.greedy else _('With your settings and the same dice')}**")
    for label, tokens in zip(labels, (free.first, free.second), strict=True):
        same = len(tokens) if free.parted is None else free.parted
        shared, other = ("".join(part).replace("␣", " ") for part in (tokens[:same], tokens[same:]))
        space, marked = " " * other.startswith(" "), f"**{plain(other.strip())}**" if other.strip() else ""
        st.markdown(f"{plain(shared)}{space}{marked}  \n:gray[{plain(translated(label))}]")
    sentence = _("Both texts are the same.")
    if free.parted is not None and free.greedy:
        sentence = _("They part at token {place}, where the two tokens were {gap} nats apart and the computations differ by {shift}.")
    elif free.parted is not None:
        sentence = _(
            "They part at token {place}. The roll was {gap} from the border of the first way's token, and the border moved by {shift}."
        )
    st.caption(sentence.format(place=(free.parted or 0) + 1, gap=number(free.gap), shift=number(free.shift)))


def of_noise(run: Experiment) -> None:
    """Draw how far a way differs from itself."""
    last = run.seen[-1]
    sentence = _("Computed {count} times again, no log-probability of any token differs. It is the order of the sums, not chance.")
    if last.largest:
        sentence = _(
            "Computed {count} times again, log-probabilities differ by up to {largest} nats: this way does not always add in one order."
        )
    st.markdown(sentence.format(count=last.repeats, largest=number(last.largest)))


def of_table(run: Experiment) -> None:
    """Draw one row for each way against the reference."""
    rows = []
    for row in run.seen:
        name = ", ".join(map(translated, run.about[row.way]))
        if row.comparison is None:
            rows.append((name, plain(_(row.refused)), "", "", ""))
            continue
        difference, parted = row.comparison.difference, row.comparison.runs[0].parted
        where = _("nowhere") if parted is None else numbers.whole(parted + 1)
        rows.append((name, number(difference.largest), number(difference.median), numbers.whole(len(difference.changed)), where))
    head = (_("changed"), _("largest, nats"), _("median, nats"), _("other likeliest tokens"), _("greedy texts part at token"))
    elements.table(head, rows)
    st.caption(_("The reference: transformers' eager attention, float32, one text, all tokens at once, no cache."))


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
with elements.error_boundary():
    prompt_field.own_text()
    first = next(iter(example_texts.TO_READ.values()))
    text = st.text_area(_("The text that both read"), first, key=f"{NAME}_read", height=90, max_chars=LONGEST, **PERSISTENT) or ""
    st.button(_("What it wrote"), on_click=current.fill, args=(f"{NAME}_read", current.run().text), key=f"{NAME}_own", type="tertiary")
    (label, way), (other_label, other_way) = ways.choose()
    chosen = {N_("the first way"): label, N_("the second way"): other_label}
    now = provenance.now(chosen, {TEXT: text})
    model, prompt, settings = current.model(), current.prompt(), current.settings()
    begin = results.starter(NAME, now, lambda: compared(model, text, prompt, way, other_way, settings), (label, other_label))
    results.start_button(NAME, _("Compare"), begin, type="primary", icon=":material/compare:")
    results.part(NAME, now, begin, draw, _("Press Compare: both ways read the text, and write after the prompt."))
    why()
    elements.section(_("Does a way differ from itself?"), _("noise"))
    now = provenance.now({N_("the first way"): label}, {TEXT: text}, prompt=False, settings=False)
    begin = results.starter(NOISE, now, lambda: noise(model, text, way, REPEATS))
    results.start_button(NOISE, _("Repeat the first way {count} times").format(count=REPEATS), begin, icon=":material/repeat:")
    results.part(NOISE, now, begin, of_noise)
    elements.section(_("All ways against one reference"))
    now = provenance.now(hidden_inputs={TEXT: text}, settings=False)
    begin = results.starter(
        TABLE, now, lambda: table(model, text, prompt, [ways.way_of(names, REFERENCE) for names in ways.ROWS]), ways.ROWS
    )
    results.start_button(TABLE, _("Compare all ways"), begin, icon=":material/table_rows:")
    results.part(TABLE, now, begin, of_table)
