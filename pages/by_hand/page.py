"""By hand: an n-gram model, which counts what followed what, and its table as a sheet for dice."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.sources.ngram import PREFIX
from core.sources.ngram.ngram import LONGEST_TEXT, MOST, NGram
from core.sources.ngram.sheet import DICE, sheet, sheet_html
from pages.by_hand import model_before
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import N_, _, wording
from pages.ui.server import offered_models
from pages.ui.session import current, elements, own_models
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import action_boundary, drawing_boundary
from pages.ui.session.notices import anchor_notices, notify
from pages.ui.session.offered_files import save_button
from pages.ui.shell import frame

frame.page()

PASTED = min(LONGEST_TEXT, 200_000)  # characters of a visitor's own text
PASTED_COUNTS = 200_000  # of a visitor's own text; at most about 70 MB
UNITS = {"words": N_("words"), "characters": N_("characters")}
EXAMPLE = N_("the cat sat. the cat ran. the dog sat.")


@action_boundary
def count() -> None:
    """Count the text in the field, or the bundled stories, and use the model."""
    anchor_notices("by_hand_count")
    if not isinstance(current.model(), NGram):
        model_before.keep()
    text, (n, unit) = str(current.field("by_hand_text") or ""), numbers_of_the_model()
    if text.strip():
        name = own_models.free_name(_("{n}-gram of my text").format(n=n))
        own_models.use_taught(NGram(text, n, unit, name, PASTED_COUNTS))
    else:
        current.use_model(f"{PREFIX}{n}" + ("" if unit == "words" else f":{unit}"))
    sentence = _("{name} is used on every page. Press Step on Watch: the card of each bar shows its counts.")
    notify(sentence.format(name=offered_models.title(current.model_name())))


def numbers_of_the_model() -> tuple[int, str]:
    """Return how many tokens are counted together, and what a token is, as the controls say."""
    return current.field("by_hand_n") or 2, current.field("by_hand_unit") or "words"


def form() -> None:
    """Draw the text to count and the numbers of the model."""
    about = _("A blank line ends a text. Without a text of your own, {count} bundled children's stories are counted.")
    st.text_area(_("Your text"), key="by_hand_text", max_chars=PASTED, height=120, placeholder=about.format(count=400))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        elements.choice(_("Tokens in a count"), tuple(range(1, MOST + 1)), 2, "by_hand_n")
        st.selectbox(_("Tokens"), list(UNITS), format_func=lambda unit: _(UNITS[unit]), key="by_hand_unit", width=160, **PERSISTENT)
        st.button(_("Count"), on_click=count, key="by_hand_count", type="primary", icon=":material/edit:")
        if isinstance(current.model(), NGram):
            label = _("Back to {model}").format(model=plain(offered_models.title(model_before.name())))
            st.button(label, on_click=model_before.go_back, key="by_hand_back", icon=":material/undo:")
    elements.notices("by_hand_count")


def table() -> None:
    """Draw the sheet of the visitor's n-gram model, or of a text of three sentences, and the button that saves it."""
    used = current.model()  # not a global of this file: Streamlit keeps those for a while after the visitor has left
    if isinstance(used, NGram):
        model, title = used, _("The sheet of {name}").format(name=offered_models.title(used.name))
    else:
        model = NGram(_(EXAMPLE), *numbers_of_the_model(), "example", PASTED_COUNTS)
        title = _("The sheet of “{text}”").format(text=_(EXAMPLE))
    elements.section(title, _("{count} counts").format(count=numbers.whole(model.parameter_count)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        dice = st.selectbox(_("Dice"), list(DICE), format_func=_, key="by_hand_dice", width=200, **PERSISTENT)
        save_button(_("Save the sheet"), lambda: sheet_html(model, dice, wording()), "sheet.html", key="by_hand_sheet")
    how = _("Begin at ▶. Throw the dice, write the token beside your number, and look up the row of your last tokens. ■ ends the text.")
    st.caption(how)
    rows = sheet(model, dice)
    widest = max(len(row.followers) for row in rows)
    head = [_("last tokens"), *(str(rank) for rank in range(1, widest + 1))]
    lines = [[row.context or "▶", *(f"{faces}  {token}" for faces, token, _count in row.followers)] for row in rows]
    st.dataframe(pd.DataFrame([line + [""] * (widest + 1 - len(line)) for line in lines], columns=head), hide_index=True, width="stretch")


frame.header(
    _("Can you do it with dice?"),
    _("n-gram model"),
    _("Count what followed what in a text: that is a language model, too. It writes on every page that needs only probabilities."),
)
with drawing_boundary():
    form()
with drawing_boundary():
    table()
