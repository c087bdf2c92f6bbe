"""Read a text: how probable the model finds each token of a given text, beside another text or another model."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core import ScoredText
from core.engine.model import LanguageModel
from core.experiments.shared import watermark_score as scoring
from core.inspection.scored_answer import scored_answer
from core.sources.capabilities import Can
from pages.read import scoring_rows, scoring_view
from pages.ui import features
from pages.ui.charts import css_colours
from pages.ui.charts.css_colours import legend
from pages.ui.experiments import results
from pages.ui.i18n import numbers
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import N_, _
from pages.ui.server import offered_models
from pages.ui.session import current, elements, linked_controls, notices, provenance, selection
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.session.linked_controls import Linked, LinkedControl
from pages.ui.session.provenance import Provenance
from pages.ui.shell import frame
from pages.ui.views import watermark_score, why_token
from pages.ui.views.sure_parts import sure_parts

frame.page()

ANSWER = _("The saved answer")
MODES = {"one": _("One text"), "texts": _("Two texts"), "models": _("Two models")}
TINTS = {"rank": _("Rank"), "probability": _("Probability"), "entropy": _("Entropy")}
TINT_ENDS = {
    "rank": (_("likeliest token"), _("in the top 10"), _("in the top 100"), _("below")),
    "probability": (_("likely"), _("unlikely")),
    "entropy": (_("sure before it"), _("unsure before it")),
}
LONGEST = 200_000  # characters in the field
FIRST, SECOND, *_others = EXAMPLES.to_read.values()
LINKED: Linked = {
    "read": LinkedControl("read_mode", "one", tuple(MODES)),
    "tint": LinkedControl("read_tint", "rank", tuple(TINTS)),
    "text": LinkedControl("read_text", FIRST),
    "second": LinkedControl("read_second", SECOND),
    "sure": LinkedControl("read_one_sure", False, (True,)),
    "parts": LinkedControl("read_one_sure_of", "fields", ("words",)),
}
PROGRESS_FROM = 2_000  # characters; shorter texts take no noticeable time


def field(label: str, key: str, start: str) -> str:
    """Draw a field for a text, and return the text."""
    how = _("Paste or write a text, then press Ctrl + Enter.")
    widget_options = {"height": 108, "placeholder": how, "label_visibility": "collapsed", **PERSISTENT}
    return st.text_area(label, start, key=key, max_chars=LONGEST, **widget_options) or ""


def scored(model: LanguageModel, text: str) -> ScoredText:
    """Return the scored text; long texts show their progress."""
    if len(text) < PROGRESS_FROM:
        return scoring_rows.scored(model, text)
    bar = st.progress(0.0)
    sentence = _("Reading: {done} of {total} tokens")

    def tell(done: int, total: int) -> None:
        bar.progress(done / max(1, total), sentence.format(done=numbers.whole(done), total=numbers.whole(total)))

    score = scoring_rows.scored(model, text, tell)
    bar.empty()
    return score


def shown(model: LanguageModel, text: str, tint: str, key: str, wide: bool = False) -> None:
    """Draw one scored text. wide: the numbers are beside the text instead of below it."""
    with drawing_boundary():
        score = scored(model, text)
        if not score.scored_count:
            notices.show_notice(_("A single token cannot be scored, because no token comes before it. Write a little more."))
            return
        by = Provenance(model.name, text)
        results.provenance_line(f"read_{key}", by, [])
        left, right = st.columns([0.64, 0.36], gap="large") if wide else (st.container(), st.container())
        with left, provenance.of_result(by):
            scoring_view.text_and_curve(score, tint, key)
            sure_parts(lambda: score, f"read_{key}")
        with right:
            scoring_view.in_numbers(score, key)
            mark(model, score, key)
            why(score, key)


def mark(model: LanguageModel, reading: ScoredText, key: str) -> None:
    """Draw the score of this text for a watermark with a key."""
    with (
        st.expander(_("Score for a mark"), icon=":material/key:", key=f"read_mark_{key}", on_change="rerun") as opened,
        drawing_boundary(),
    ):
        if not opened.open:  # a long text takes a while
            return
        settings, _more = watermark_score.choose(f"read_mark_{key}")
        ids = [token.token_id for token in reading.written if not token.special]
        st.markdown(watermark_score.verdict(scoring.score(model, ids, settings), settings))
        st.caption(_("The score finds a mark of this model's tokenizer and this key alone. Leave the prompt out of the text."))


def why(score: ScoredText, key: str) -> None:
    """Draw the button that leads to what the most surprising token of this text depended on."""
    places = [token.position for token in score.most_surprising(len(score.written)) if token.position > 1 and token.text[:1].isspace()]
    if not features.is_here("why") or score.model.name != current.model_name() or not places or len(score.text) > why_token.LONGEST:
        return
    about = _("Hide words of this text, and see what a token depended on. It begins with the most surprising token.")
    if elements.pressed(_("Why this token?"), icon=":material/help_center:", type="tertiary", key=f"read_why_{key}", help=about):
        selection.ask_about(score.text, places[0])
        st.switch_page(features.file_of("why"))


def choose_tint() -> str:
    """Draw the choice of the tint and its legend, and return the tint."""
    with st.container(horizontal=True, vertical_alignment="center"):
        shows = _("What the colour shows: the rank of each token, its probability, or the entropy before it. Darker: less expected.")
        widget_options = {"format_func": TINTS.__getitem__, "help": shows, "label_visibility": "collapsed"}
        tint = elements.choice(_("Tint"), list(TINTS), "rank", "read_tint", **widget_options)
        colour = css_colours.css(scoring_rows.INK)
        depths = scoring_rows.RANKS if tint == "rank" else (scoring_rows.PALEST, css_colours.DARKEST)
        shades = [f"color-mix(in srgb, {colour} {depth:.0%}, transparent)" for depth in depths]
        legend(*zip(shades, TINT_ENDS[tint], strict=True))
    return tint


def choose_mode() -> str:
    """Draw the choice of what is compared and the example texts, and return the mode."""
    with st.container(horizontal=True, vertical_alignment="center"):
        names = {"answer": ANSWER, **MODES} if is_answer() else MODES
        widget_options = {"format_func": names.__getitem__, "label_visibility": "collapsed"}
        mode = elements.choice(_("Compare"), list(names), next(iter(names)), "read_mode", **widget_options)
        for name, text in {**EXAMPLES.to_read, N_("What it wrote"): current.run().text}.items():
            start, key = plain(text[:300]), f"read_example_{name}"
            st.button(_(name), on_click=current.fill, args=("read_text", text), help=start, key=key, type="tertiary")
    return mode


def is_answer() -> bool:
    """Return whether the visitor has opened a saved answer of a server."""
    return Can.FACTS not in current.run().can


def saved_answer() -> None:
    """Draw the saved answer with the probabilities in its file. No model reads it."""
    run, tint = current.run(), choose_tint()
    score, by = scored_answer(run), Provenance(run.model_name)
    if not score.scored_count:
        notices.show_notice(_("No token of this answer was measured."))
        return
    results.provenance_line("read_answer", by, [])
    left, right = st.columns([0.64, 0.36], gap="large")
    with left, provenance.of_result(by):
        st.caption(_("The probabilities are those in the file. Its tokens are those up to the one that Watch shows."))
        scoring_view.text_and_curve(score, tint, "answer")
        sure_parts(lambda: score, "read_answer")
    with right:
        scoring_view.in_numbers(score, "answer")


def two_texts(model: LanguageModel, first: str, second: str) -> None:
    """Draw two texts side by side, scored by one model."""
    left, right = st.columns(2, gap="large")
    with left:
        first_text = field(_("The text to be read"), "read_text", first)
    with right:
        second_text = field(_("The text beside it"), "read_second", second)
    tint = choose_tint()
    for home, text, key in zip(st.columns(2, gap="large"), (first_text, second_text), ("one", "other"), strict=True):
        with home:
            shown(model, text, tint, key)


def two_models(model: LanguageModel, first: str) -> None:
    """Draw one text twice, scored by two models."""
    text, tint = field(_("The text to be read"), "read_text", first), choose_tint()
    others = [name for name in current.model_names() if name != model.name]
    if not others:
        notices.show_notice(_("Only one model is here. Download another one on the Models page."))
        return
    left, right = st.columns(2, gap="large")
    options: dict[str, Any] = {"format_func": offered_models.title, "label_visibility": "collapsed"}
    with right:
        name = st.selectbox(_("The other model"), others, key="read_other", **options)
        shown(current.model_named(name), text, tint, "other")
    with left:
        st.selectbox(_("This model"), [model.name], disabled=True, key="read_this", **options)
        shown(model, text, tint, "one")


frame.header(
    _("How likely is each token of a text?"),
    _("scoring"),
    _("The model writes nothing here. For every token of a given text it shows the probability it gave to this token."),
)
linked_controls.read(LINKED)
with drawing_boundary():
    model, mode = current.model(), choose_mode()
    first, second = list(EXAMPLES.to_read.values())[:2]
    if mode == "answer":
        saved_answer()
    elif mode == "texts":
        two_texts(model, first, second)
    elif mode == "models":
        two_models(model, first)
    else:
        text = field(_("The text to be read"), "read_text", first)
        shown(model, text, choose_tint(), "one", wide=True)
linked_controls.write(LINKED)
