"""Training: the bundled model at moments of its training, a new model trained here from random weights, and what training costs."""

from __future__ import annotations

import math
from textwrap import shorten

import streamlit as st

from core import list_models
from core.engine.model import LanguageModel
from core.models.bundled_models import TRAINING_DATA, card_section
from core.models.growth_record import GrowthRecord, growth_of
from pages.training import TRAINING_VIEWS, training_bill, training_charts
from pages.training import new_model as scratch_training
from pages.ui.charts import layer_charts
from pages.ui.charts.css_colours import legend
from pages.ui.experiments import results
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import N_, _
from pages.ui.presenting import talk
from pages.ui.server import offered_models
from pages.ui.session import current, elements, notices, provenance
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.session.provenance import Provenance
from pages.ui.shell import frame
from pages.ui.views import chart

LONGEST_SAMPLE = 200  # characters; the samples have equally many tokens, and those of an untrained model are the longest words

frame.page()
ROWS_IN_A_TALK = 13  # as many as a projector's 720 pixels have room for
TIPS = (("rank", N_("rank")), ("read", N_("after")))


def recorded_training() -> tuple[str, GrowthRecord] | None:
    """Return the model whose record is shown: the visitor's own, or the first bundled one with a record."""
    for name in [current.model_name(), *(entry.name for entry in list_models())]:
        if record := growth_of(name):
            return name, record
    return None


@st.fragment
def expected(record: GrowthRecord, model: LanguageModel, name: str) -> None:
    """Draw what the model expected after one prompt, at every moment of its training."""
    with drawing_boundary():
        title = lambda number: f"{' '.join(record.prompts[number].split())} …"  # noqa: E731 (a short format function)
        usual, count = min(1, len(record.prompts) - 1), range(len(record.prompts))
        asked = st.selectbox(_("Prompt"), count, format_func=title, index=usual, key="training_prompt") or 0
        by = Provenance(name, record.prompts[asked])
        moments = record.moments if talk.active_talk() is None else training_charts.spread(record.moments, ROWS_IN_A_TALK)
        results.provenance_line("training_guesses", by, [])
        with provenance.of_result(by):
            chart.draw(
                layer_charts.logit_lens,
                training_charts.growth_rows(moments, asked, model.piece),
                key="training_lens",
                title=_("What did it expect next?"),
                alt_text=_("One row for each moment of the training, with its five likeliest next tokens, bluer where they are likelier."),
                layers=len(moments),
                guesses=layer_charts.GUESSES,
                more=TIPS,
            )
        st.caption(_("Top: before the training, no token is likely. Bottom: the trained model; **bold** is its likeliest token."))


@st.fragment
def wrote(record: GrowthRecord, name: str) -> None:
    """Draw what the model wrote at one moment of its training."""
    with drawing_boundary():
        age_of = lambda at: training_charts.read_so_far(record.moments[at].tokens)  # noqa: E731 (a short format function)
        number = st.select_slider(_("Tokens read so far"), range(len(record.moments)), format_func=age_of, key="training_age")
        moment = record.moments[number]
        age = _("as it was after {age}, written down in its training").format(age=age_of(number))
        results.provenance_line("training_wrote", Provenance(name, controls=provenance.stored(age=age)), [])
        with st.container(border=True, key="training_sample"):
            st.markdown(plain(shorten(moment.sample, LONGEST_SAMPLE, placeholder=" …")))
        if moment.loss is not None:
            bits = numbers.bits(moment.loss / math.log(2))
            st.caption(_("Mean surprise per token of its training text: {bits} (the loss divided by ln 2).").format(bits=bits))


def losses(record: GrowthRecord, model: LanguageModel) -> None:
    """Draw the loss at every moment."""
    rows = training_charts.loss_rows(record.moments)
    if rows.empty:
        return
    elements.section(_("How wrong was it, on average?"), _("loss, nats per token"))
    held_out = bool((rows.kind == training_charts.HELD_OUT).any())
    kinds = (("dice", _("training text")), ("other", _("held-out text"))) if held_out else ()
    if held_out:
        legend(*kinds)
    alt_text = _("One dot for each moment of the training: the mean negative log-likelihood of a token, in nats.")
    with provenance.of_result(Provenance(model.name)):
        chart.draw(
            training_charts.loss, rows, key="training_loss", alt_text=alt_text, title=_("How wrong was it, on average?"), legend=kinds
        )
    size = model.vocabulary_size
    notes = [
        _("Equal probabilities for all {size} tokens would be {loss}. The mixture of texts changed during the training.").format(
            size=numbers.whole(size), loss=numbers.decimal(math.log(size), 2)
        )
    ]
    if any(moment.loss is None for moment in record.moments[1:]):
        notes.append(_("In moments without a dot the model was trained together with a smaller one, on another loss."))
    if not held_out:
        notes.append(_("Held-out text was not measured during the training."))
    st.caption(" ".join(notes))


def bundled_model() -> None:
    """Draw the record of the bundled model's training."""
    training = recorded_training()
    if training is None:
        notices.show_notice(_("None of the models here has a record of its training."))
        return
    name, record = training
    newest = record.moments[-1]
    lead = _(
        "{name} read {read} tokens in {updates} steps of about {each} tokens. These are {count} moments, recorded during the training."
    )
    st.caption(
        lead.format(
            name=plain(offered_models.title(name)),
            read=numbers.count(newest.tokens),
            updates=numbers.whole(newest.step),
            each=numbers.whole(round(record.guesses_per_update, -2)),
            count=len(record.moments),
        )
    )
    if name != current.model_name():
        other = _("{name} has no such record. This is {known}, the model that came with the app.")
        st.caption(other.format(name=plain(current.model_name()), known=name))
    model = current.model_named(name)
    left, right = st.columns(layer_charts.LENS_AND_REST, gap="large")
    with left:
        elements.section(_("What did it expect next?"), _("its five likeliest tokens"))
        expected(record, model, name)
    with right:
        elements.section(_("What did it write?"), _("the same prompt and the same dice every time"))
        wrote(record, name)
    left, right = st.columns(layer_charts.LENS_AND_REST, gap="large")
    with left:
        losses(record, model)
    if source := card_section(name, TRAINING_DATA):
        with right:
            elements.section(_("What did it read?"), _("training data, from the model's card"))
            with st.container(key="training_sources"):
                st.caption(source)


frame.header(
    _("How did it learn to speak?"),
    _("training"),
    _("A model has no written rules. It predicts the next token of a text, and each error changes its weights a little."),
)
with drawing_boundary():
    views = {
        TRAINING_VIEWS[0]: bundled_model,
        TRAINING_VIEWS[1]: scratch_training.newborn,
        TRAINING_VIEWS[2]: training_bill.training_bill,
    }
    views[results.view(TRAINING_VIEWS, "training_view")]()
