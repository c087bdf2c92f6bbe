"""Inside one step: tokens, embeddings, the guess of each layer, attention, sampling stages and dice of the step that Watch shows."""

from __future__ import annotations

import streamlit as st

from core.record.step import Step
from core.sources.capabilities import Can
from pages.inside import inside_view
from pages.inside.named_answers_view import named_answers_view
from pages.inside.roll_tally import roll_tally
from pages.ui import features
from pages.ui.charts.css_colours import legend
from pages.ui.components.browser import browser
from pages.ui.components.keys.key_bindings import bound
from pages.ui.components.live.live import typed_text
from pages.ui.experiments import results
from pages.ui.i18n import numbers
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import N_, _
from pages.ui.session import current, notices, player_actions, provenance, selection
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.session.provenance import Provenance
from pages.ui.session.selection import SelectedStep, inside_of, selected_step
from pages.ui.shell import frame
from pages.ui.views import chart, token_chips

STATIONS = {
    "pieces": N_("What does it read?"),
    "meaning": N_("What do tokens mean?"),
    "layers": N_("What does each layer say?"),
    "attention": N_("Where does it look?"),
    "settings": N_("What do the settings do?"),
    "dice": N_("What do the dice decide?"),
    "answers": N_("How likely is an answer?"),
}

frame.page()
LONGEST = 2_000  # characters that can be typed


def part(anchor: str, title: str, term: str, lead: str = "") -> None:
    """Draw the heading of a part. anchor: in the address and in the table of contents."""
    drawn.append(anchor)
    st.space("small")
    st.header(f"{title} :small[:gray[{term}]]", anchor=anchor)
    if lead:
        st.caption(lead)


def text_so_far(step: SelectedStep) -> None:
    """Draw the text with the step that is looked into, and the buttons to other steps."""
    run, seen = current.run(), step.distribution
    chart.text(
        run.prompt_tokens,
        run.path,
        key="strip",
        opened=current.selected_index(),
        accent=isinstance(seen, Step),
        on_click=selection.word_clicked,
    )
    browser.announce_step(seen, key="inside_announcer")
    with st.container(horizontal=True, vertical_alignment="center", key="inside_where"):
        if isinstance(seen, Step):
            position_text = _("Token {place} of the text, {piece}: number {number} of those that the model wrote").format(
                place=numbers.whole(seen.position + 1), piece=plain(seen.piece), number=numbers.whole(seen.index + 1)
            )
        else:
            position_text = _("The next token, after these {count} tokens").format(count=seen.position)
        st.markdown(f"**{position_text}**", width="stretch")
        st.button(_("Back"), on_click=player_actions.go_back, icon=":material/undo:", **bound("inside_back"))
        st.button(_("Step"), on_click=player_actions.step, icon=":material/arrow_forward:", type="primary", **bound("inside_step"))
        st.page_link(features.file_of("watch"), label=_("Back to Watch"), icon=":material/visibility:", width="content")


@st.fragment
def tokens() -> None:
    """Draw a text field and its tokens, beside those of another model."""
    with drawing_boundary():
        model = current.model()
        examples = {_(title): text for title, text in EXAMPLES.to_cut.items()}
        text = typed_text(current.run().prompt, key="inside_text", label=_("Type something"), examples=examples, limit=LONGEST)
        text_tokens = model.tokenize(text)
        token_chips.chips(text_tokens, "inside_chips")
        others = [name for name in current.model_names() if name != current.model_name()]
        if not others:
            return
        label, empty = _("Tokens of another model"), _("choose a model")
        other = st.selectbox(label, others, index=None, placeholder=empty, key="inside_other", width=320)
        if other:
            beside = current.model_named(other).tokenize(text)
            if [(t.token_id, t.raw) for t in beside] == [(t.token_id, t.raw) for t in text_tokens]:
                st.caption(_("{name} makes the same tokens.").format(name=other.capitalize()))
            else:
                token_chips.chips(beside, "inside_chips_other")


def made_with(step: SelectedStep) -> bool:
    """Draw what the step was made with, and return whether the settings are different now."""
    run = current.run()
    by = Provenance(run.model_name if Can.NEW_TOKENS not in run.can else current.model_name(), run.prompt, step.distribution.settings)
    changed = [] if Can.NEW_TOKENS not in run.can else by.differences(provenance.now())
    results.provenance_line("inside", by, changed)
    return bool(changed)


def roll(step: SelectedStep) -> None:
    """Draw the dice, once and many times."""
    chart.dice(step.distribution, key="inside_dice")
    if step.distribution.settings.greedy:
        st.caption(_("Greedy is on, so the likeliest token is chosen without dice. Switch it off in the sidebar to roll."))
        return
    roll_tally(step.distribution, key="inside_tally")
    st.caption(_("The text uses only the first roll. Further rolls do not change it."))


def network_parts(step: SelectedStep) -> None:
    """Draw embeddings, layers and attention."""
    model, result = current.model(), inside_of(step)
    lead = _("The model looks up each token id in a table and finds a vector of {size} numbers. Tokens used alike have similar vectors.")
    part("meaning", _("What does a token mean to it?"), _("embeddings"), lead.format(size=numbers.whole(model.shape.hidden_size)))
    inside_view.meaning(step, model, result)
    lead = _(
        "The vectors pass through {count} layers. Here each layer's vector goes directly to the "
        "output. The last row shows the model's real probabilities."
    )
    part("layers", _("What would it say after each layer?"), _("logit lens"), lead.format(count=model.layer_count))
    for note in result.notes:
        notices.show_notice(_(note))
    if result.layers:
        inside_view.layers(step, model, result)
    if any(row is not None for row in result.attention):
        part("attention", _("Which tokens did it look at?"), _("attention"))
        inside_view.attention(step, result)
    st.caption(_("This took {time}, in separate passes.").format(time=numbers.duration(result.seconds)))


drawn: list[str] = []  # the parts on the page
frame.header(
    _("How does the model compute one token?"),
    _("inside one step"),
    _("Follow one token through the model, from text to sampling. Everything is computed now, for the step that Watch shows."),
)
with drawing_boundary():
    step = selected_step()
    text_so_far(step)
    outdated = made_with(step)
    contents = st.container(key="inside_contents")
    lead = _("The model reads tokens. A token is a word or a piece of a word, and the model knows only its number. Type to see the tokens.")
    part("pieces", _("What does the model read?"), _("tokens"), lead)
    tokens()
    st.caption(
        _(
            "Frequent words have a token of their own. Rare words are made of several tokens, down to single bytes. The model never sees "
            "the letters of a word, so counting the r in *strawberry* is hard for it."
        )
    )
    with drawing_boundary():
        network_parts(step)
    lead = _(
        "Pale: before, solid: after. Move a slider in the sidebar: the model need not compute again. Hover over a bar for the formula."
    )
    part("settings", _("What do the settings do to the probabilities?"), _("sampling stages"), lead)
    with results.dimmed("inside_settings", outdated):
        titles = (_("before"), _("after"), _("chosen token"), _("excluded"))
        legend(*zip(("model", "dice", "chosen", "removed"), titles, strict=True))
        inside_view.stages(step)
    lead = _("The probabilities are placed side by side on a strip from 0 to 1, and a random number falls on one of them.")
    part("dice", _("What do the dice decide?"), _("sampling"), lead)
    with results.dimmed("inside_roll", outdated):
        roll(step)
    lead = _("Write words or phrases. The app computes the exact probability that the text continues with each of them.")
    part("answers", _("How likely is an answer?"), _("probability of a continuation"), lead)
    named_answers_view(step)
    contents.markdown(" · ".join(f"[{_(STATIONS[station])}](#{station})" for station in drawn))
