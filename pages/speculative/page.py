"""Speculative decoding: a small model drafts tokens, the large one verifies them in one pass; what was accepted and what it gained."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import streamlit as st

from core.experiments.speculative import speculate
from pages.speculative import FEATURE, N_GRAMS, speculative_view
from pages.ui.experiments import results
from pages.ui.i18n import example_texts
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _
from pages.ui.session import current, elements, provenance
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import action_boundary, drawing_boundary
from pages.ui.session.own_models import follow_model
from pages.ui.shell import frame
from pages.ui.shell.prompt_field import own_text

frame.page()
DRAFT = FEATURE.controls["draft"]
NAME = "speculative"
LENGTHS = (32, 64, 128)


@action_boundary
def use_example(text: str, draft: str) -> None:
    """Use this prompt, with the draft that suits it."""
    current.use_prompt(text)
    current.fill("speculative_draft", draft)


frame.header(
    _("A small one guesses, the large one checks"),
    _("speculative decoding"),
    _("The small model drafts a few tokens. The large one verifies all of them in one pass, without changing its own probabilities."),
)
with drawing_boundary():
    own_text()
    drafts = [*(name for name in current.model_names() if name != current.model_name()), N_GRAMS]
    # A draft needs the tokenizer of the large model: the text itself always has it.
    mini = f"{current.model_name()}-mini"
    usual = drafts.index(mini) if mini in drafts else len(drafts) - 1
    follow_model("speculative_draft", drafts[usual])
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="speculative_examples"):
        for name, text in EXAMPLES.foreseen.items():
            draft = N_GRAMS if name == example_texts.REPEATS else drafts[usual]
            st.button(_(name), on_click=use_example, args=(text, draft), help=plain(text), key=f"foreseen_{name}", type="tertiary")
    with st.container(horizontal=True, vertical_alignment="bottom", key="speculative_controls"):
        same = _("A smaller model with the same tokenizer, or no model: the tokens that followed the same words earlier in the text.")
        options = {"format_func": lambda name: DRAFT.words((name,)), "help": same, "width": 240, **PERSISTENT}
        draft = st.selectbox(_("Draft"), drafts, index=usual, key="speculative_draft", **options)
        each = _("How many tokens are drafted before the large model verifies them (K).")
        options = {"help": each, "width": 220, **PERSISTENT}
        ahead = st.slider(_("Drafted tokens per pass"), 1, speculative_view.MOST, 4, key="speculative_guesses_ahead", **options)
        length = elements.choice(_("Tokens"), LENGTHS, 64, "speculative_length")
        now = provenance.now(draft=draft, drafted=ahead, length=length)

        def write() -> Iterator[Any]:
            small = None if draft == N_GRAMS else current.model_named(draft)
            return speculate(current.model(), small, current.prompt(), current.settings(), ahead, length)

        begin = results.starter(NAME, now, write, lambda: (current.prompt(), ahead))
        results.start_button(NAME, _("Write"), begin, type="primary", icon=":material/fast_forward:")
    hint = _("Press the button: the text is written with and without drafts; both times are measured in turns.")
    results.part(NAME, now, begin, speculative_view.draw, hint)
