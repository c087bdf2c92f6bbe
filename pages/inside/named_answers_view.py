"""The probability of named answers at a step, and a search through its whole vocabulary."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.engine.model import LanguageModel
from core.inspection import named_answers
from core.inspection.named_answers import NamedAnswer
from core.record.csv_text import csv_text
from pages.inside import inside_charts
from pages.ui.charts.layer_charts import label
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _
from pages.ui.session import current, elements
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.session.selection import SelectedStep
from pages.ui.views import chart

Found = tuple[NamedAnswer, ...]


def named_answers_view(step: SelectedStep) -> None:
    """Draw the field for the answers and their bars, and the search."""
    with drawing_boundary():
        written = st.text_input(
            _("Answers, with semicolons"), key="inside_answers", max_chars=600, placeholder="girl; boy; dragon", **PERSISTENT
        )
        answers = tuple(dict.fromkeys(with_space(part.strip(), step) for part in (written or "").split(";") if part.strip()))
        if answers:
            model = current.model()
            _answers(_counted(model, id(model), step.token_ids, answers))
    with drawing_boundary():
        wanted = st.text_input(_("Find a token of the vocabulary"), key="inside_search", max_chars=40, **PERSISTENT)
        if wanted:
            model = current.model()
            _tokens(named_answers.search(model, step.token_ids, wanted))


def with_space(answer: str, step: SelectedStep) -> str:
    """Return the answer with a space before it, if it begins with a letter or digit and the text does not end with a space."""
    before = "".join(token.raw.decode("utf-8", "replace") for token in step.tokens[-2:] if not token.special)
    return f" {answer}" if before and answer[0].isalnum() and not before[-1].isspace() else answer


def _answers(answers: Found) -> None:
    rows = [
        {
            "row": row,
            "label": label(answer.text.replace(" ", "␣", 1)),
            "before": answer.probability,
            "after": answer.probability,
            "kind": "open",
            "number": numbers.percent(answer.probability),
            "piece": answer.text,
            "arithmetic": arithmetic(answer),
        }
        for row, answer in enumerate(answers)
    ]
    alt_text = _("Bars: the probability that the text goes on with each answer, 0 to 100 percent.")
    chart.draw(inside_charts.stage, pd.DataFrame(rows), key="inside_answer_bars", alt_text=alt_text, rows=len(rows))
    for answer in answers:
        st.caption(f"{plain(answer.text)}: {plain(arithmetic(answer))}")
    st.caption(_("All ways to split an answer into tokens are counted, and all longer words that begin with it, before any setting."))
    elements.table_button(lambda: csv_text(table(answers)), "answers.csv", "inside_answers_csv")


def arithmetic(answer: NamedAnswer) -> str:
    """Return the likeliest way as a product, the number of ways, and what was not counted."""
    product = " × ".join(f"{token} {numbers.percent(share)}" for token, share in answer.tokens)
    text = _("{product}; with all {count} ways {share}").format(
        product=product, count=numbers.whole(answer.ways), share=numbers.percent(answer.probability)
    )
    uncounted = answer.at_most - answer.probability
    return (
        text
        if uncounted < 1e-4 * max(answer.probability, 1e-9)
        else _("{text}, at most {share} more").format(text=text, share=numbers.percent(uncounted))
    )


def table(answers: Found) -> pd.DataFrame:
    """Return one row per answer."""
    return pd.DataFrame(
        {
            "answer": [answer.text for answer in answers],
            "probability": [answer.probability for answer in answers],
            "at_most": [answer.at_most for answer in answers],
            "ways": [answer.ways for answer in answers],
            "likeliest_way": ["|".join(token for token, _share in answer.tokens) for answer in answers],
        }
    )


def _tokens(rows: list[tuple[int, str, int, float]]) -> None:
    if not rows:
        st.caption(_("No token of the vocabulary contains this text."))
        return
    head = (_("token"), _("number"), _("rank"), _("model's probability"))
    elements.table(
        head, [(plain(token), str(token_id), numbers.whole(rank), numbers.percent(share)) for token_id, token, rank, share in rows]
    )


@st.cache_resource(max_entries=24, ttl=600, show_spinner=False)
def _counted(_model: LanguageModel, which: int, token_ids: tuple[int, ...], answers: tuple[str, ...]) -> Found:
    return tuple(named_answers.named_answers(_model, token_ids, answers))
