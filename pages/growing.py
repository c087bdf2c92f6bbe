"""The bundled model growing up: what it expected after the same beginnings at some moments of its training, and what it wrote."""

from __future__ import annotations

import math

import streamlit as st

from core import list_models
from core.engine.model import LanguageModel
from core.language import N_, _
from core.models.bundled_models import TRAINING_DATA, card_section
from core.models.growth import Growth, growth_of
from pages.ui.charts import charts, inside_charts, inside_rows, palette
from pages.ui.charts.legend import legend
from pages.ui.experiments import results
from pages.ui.i18n import numbers
from pages.ui.session import current, elements
from pages.ui.session.provenance import Provenance
from pages.ui.shell import frame

frame.page()

TIPS = (
    (
        "rank",
        N_("rank"),
    ),
    (
        "read",
        N_("after"),
    ),
)


def known() -> tuple[str, Growth] | None:
    """The model whose record is shown: the visitor's own, or the first that came with the app and has one."""
    for name in [current.model_name(), *(entry.name for entry in list_models())]:
        record = growth_of(name)
        if record:
            return name, record
    return None


@st.fragment
def guesses(record: Growth, model: LanguageModel, name: str) -> None:
    """One prompt, all moments."""
    with elements.error_boundary():
        asked = st.selectbox(
            _("Go on from"),
            range(len(record.prompts)),
            format_func=lambda number: f"{' '.join(record.prompts[number].split())} …",
            index=1 if len(record.prompts) > 1 else 0,
            key="growing_prompt",
        )
        results.provenance_line("growing_guesses", Provenance(name, record.prompts[asked or 0]), [])
        charts.draw(
            inside_charts.logit_lens,
            inside_rows.growth_rows(record.moments, asked or 0, model.piece),
            key="growing_lens",
            alt_text=_("One row for each moment of the training, its five likeliest next pieces in it, bluer when surer."),
            layers=len(record.moments),
            guesses=inside_rows.GUESSES,
            more=TIPS,
        )
        st.caption(
            _(
                "Top: before it had read anything, every piece is as good as any other. Bottom: today. The "
                "bluer, the surer; **bold** is what it expects first today. Where there is one right end it "
                "should grow sure; where many are right, as with a die, it should stay pale."
            )
        )


@st.fragment
def wrote(record: Growth, model: LanguageModel, name: str) -> None:
    """One moment: what it wrote then."""
    with elements.error_boundary():
        number = st.select_slider(
            _("Pieces read so far"),
            range(len(record.moments)),
            format_func=lambda at: inside_rows.read_so_far(record.moments[at].tokens),
            key="growing_age",
        )
        moment = record.moments[number]
        age = inside_rows.read_so_far(moment.tokens)
        results.provenance_line(
            "growing_wrote",
            Provenance(
                name, chosen=((N_("Pieces read so far"), N_("as it was after {age}, written down in its training").format(age=age)),)
            ),
            [],
        )
        with st.container(border=True, key="growing_sample"):
            st.markdown(inside_rows.plain(" ".join(moment.sample.split())))
        if moment.loss is not None:
            st.caption(
                _("{bits} of surprise at every piece of its lessons, on average.").format(bits=numbers.bits(moment.loss / math.log(2))),
                help=_(
                    "The training loss of that moment, divided by ln 2. It does not fall evenly, because the "
                    "mixture of lessons was changed on the way. Choosing among all {size} pieces by chance would "
                    "be {chance}."
                ).format(size=numbers.whole(model.vocabulary_size), chance=numbers.bits(math.log2(model.vocabulary_size))),
            )


def falling(record: Growth, model: LanguageModel) -> None:
    """How wrong it was on average, moment by moment."""
    rows = inside_rows.loss_rows(record.moments)
    if rows.empty:
        return
    elements.section(_("How wrong was it, on average?"), _("loss, nats per piece"))
    colours = palette.of(charts.theme())
    held_out = bool((rows.kind == inside_rows.HELD_OUT).any())
    if held_out:
        legend((colours.dice, _("text it learned from")), (colours.other, _("text it never learned from (held out)")))
    charts.draw(
        inside_charts.loss,
        rows,
        key="growing_loss",
        alt_text=_("One dot for each moment of the training: the mean negative log-likelihood of a piece, in nats."),
    )
    told = _(
        "Choosing blindly among all {size} pieces would be {blind}. It does not fall evenly, because "
        "the mixture of texts was changed on the way."
    ).format(blind=numbers.decimal(math.log(model.vocabulary_size), 2), size=numbers.whole(model.vocabulary_size))
    if any(moment.loss is None for moment in record.moments[1:]):
        told += " " + _(
            "Some moments have no dot for the text it learned from: there it learned together with its pupil, "
            "and was asked for more than the next piece."
        )
    st.caption(
        told
        if held_out
        else f"{told} {_('Measured on the text of that moment; text held out from the training was not measured along the way.')}"
    )


def read_what(name: str) -> None:
    """Where its text came from, in the words of its own card."""
    said = card_section(name, TRAINING_DATA)
    if said:
        elements.section(_("What did it read?"), _("training data, from the model's card"))
        with st.container(key="growing_sources"):
            st.caption(said)


with elements.error_boundary():
    found = known()
    if found is None:
        frame.header(_("How did it learn to speak?"), _("training"))
        elements.show_notice(_("None of the models here has a record of how it grew up."))
    else:
        name, record = found
        newest = record.moments[-1]
        lead = _(
            "Nobody wrote rules into {name}. It read {read} pieces of text and guessed every next piece. "
            "{updates} times it was nudged a little, each time by the mean of about {each} guesses. Here "
            "it is at {count} moments on the way: written down while it learned, and not edited."
        ).format(
            name=name,
            read=numbers.count(newest.tokens),
            updates=numbers.whole(newest.step),
            each=numbers.whole(round(record.guesses_per_update, -2)),
            count=len(record.moments),
        )
        frame.header(_("How did it learn to speak?"), _("training"), lead)
        if name != current.model_name():
            st.caption(
                _("Nobody kept such a record of {name}; this is {known}, the model that came with the app.").format(
                    name=inside_rows.plain(current.model_name()), known=name
                )
            )
        model = current.model_named(name)
        left, right = st.columns(inside_charts.LENS_AND_REST, gap="large")
        with left:
            elements.section(_("What did it expect next?"), _("its five favourites, after so many pieces read"))
            guesses(record, model, name)
        with right:
            elements.section(_("What did it write?"), _("the same beginning, the same dice, every time"))
            wrote(record, model, name)
        left, right = st.columns(inside_charts.LENS_AND_REST, gap="large")
        with left:
            falling(record, model)
        with right:
            read_what(name)
