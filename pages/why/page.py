"""Why this token?: a word, a part of the model or an activation is taken away or changed, and real passes show what changes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.ui.experiments import results
from pages.ui.i18n import names
from pages.ui.i18n.translation import _
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.shell import frame, prompt_field
from pages.ui.views import why_token
from pages.why import why_fact, why_heads, why_steer, why_sum, why_words

frame.page()
WORDS, HEADS, FACT, SUM, STEER, TWO = names.WHY_VIEWS
LEADS = {
    WORDS: _("Hide one word of the text at a time. The more the probability of the token falls, the more it depended on that word."),
    HEADS: _("Each layer has several attention heads. Switch off one at a time and see what that does to the probability of the token."),
    FACT: _(
        "Two prompts differ in one word. The app copies one activation from the first into the second: does the first answer become likely?"
    ),
    SUM: _("The score of a token (its logit) is a sum. Each layer adds what its attention and its feed-forward computed."),
    TWO: _("Why did the model prefer one token to another? Hide one word at a time: it speaks for the one token, or for the other."),
    STEER: _("The app compares the model's activations for two lists of texts, and adds the difference while the model writes."),
}
OF_A_TOKEN: dict[str, Callable[..., None]] = {WORDS: why_words.words_view, HEADS: why_heads.heads_view, SUM: why_sum.sum_view}
OF_A_TOKEN[TWO] = partial(why_words.words_view, two=True)
OTHERS: dict[str, Callable[[], None]] = {FACT: why_fact.fact_view, STEER: why_steer.steer_view}

frame.header(
    _("Why this token?"),
    _("attribution"),
    _("Change one part of the text or of the model, and measure the effect on the token."),
)
with drawing_boundary():
    why_token.read_link()
    view = results.view(names.WHY_VIEWS, "why_view")
    st.caption(LEADS[view])
    if view in OF_A_TOKEN:
        token = why_token.source(partial(prompt_field.own_text, check=False), measures=view == WORDS)
        OF_A_TOKEN[view](token)
    else:
        OTHERS[view]()
    why_token.write_link()
    st.caption(_("The model computes more slowly here than on Watch, because its fast passes cannot be changed inside."))
