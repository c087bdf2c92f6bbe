"""Why this token?: a word, a part of the model or an activation is taken away or changed, and real passes show what changes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.ui.experiments import results
from pages.ui.i18n import names
from pages.ui.i18n.language import _
from pages.ui.session import elements
from pages.ui.shell import frame, prompt_field
from pages.ui.views import why_fact, why_heads, why_steer, why_sum, why_token, why_words

frame.page()
WORDS, HEADS, FACT, SUM, STEER = names.WHY_VIEWS
LEADS = {
    WORDS: _("Hide one word of the text at a time. The more the probability of the token falls, the more it depended on that word."),
    HEADS: _("Each layer has several attention heads. Switch off one at a time and see what that does to the probability of the token."),
    FACT: _("Two prompts differ in one word. One activation of one is put into the other: how much of the first answer comes back?"),
    SUM: _("The score of a token (its logit) is a sum. Each layer adds what its attention and its feed-forward computed."),
    STEER: _("The difference between two lists of texts is a direction inside the model. Add it while the model writes."),
}
OF_A_TOKEN: dict[str, Callable[..., None]] = {WORDS: why_words.words_view, HEADS: why_heads.heads_view, SUM: why_sum.sum_view}
OTHERS: dict[str, Callable[[], None]] = {FACT: why_fact.fact_view, STEER: why_steer.steer_view}

frame.header(
    _("Why this token?"),
    _("attribution"),
    _("Remove a part and measure what changes. Every number compares the model with and without that part."),
)
with elements.error_boundary():
    why_token.read_link()
    view = results.view(names.WHY_VIEWS, "why_view")
    st.caption(LEADS[view])
    if view in OF_A_TOKEN:
        token = why_token.source(partial(prompt_field.own_text, check=False))
        OF_A_TOKEN[view](token)
    else:
        OTHERS[view]()
    why_token.write_link()
    st.caption(_("All passes here run on the network of transformers, because the compiled passes of this app cannot be changed inside."))
