"""Logit bias on Watch: never this token, more of it, less of it, for a token of the bars or of a text."""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

from core.engine.model import LanguageModel
from core.record.step import TokenDistribution
from core.sources.capabilities import Can
from core.tokens.token_text import Token
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _, quoted
from pages.ui.session import current, elements, sampler_actions

STEP = 1.0  # added to a logit by one press
LONGEST = 60  # characters of a text


def token_bias(distribution: TokenDistribution) -> None:
    """Draw the popover with a field for a text, the tokens, and the three buttons."""
    if Can.NEW_TOKENS not in current.run().can:
        return
    about = _("Make a token more or less likely at every step, or exclude it (logit bias).")
    with st.popover(_("Bias"), help=about, key="bias", on_change="rerun") as popover:
        if not popover.open:
            return
        hint = _("A word that is not among the bars. Leave it empty to choose a bar.")
        written = str(st.text_input(_("Text"), key="bias_text", max_chars=LONGEST, help=hint) or "")
        forms = forms_of(current.model(), written)
        for form in forms:
            st.caption(plain(described(form)))
        tokens = {token.key: token.piece for form in forms for token in form}
        tokens = tokens or {int(i): distribution.vocabulary.token(int(i)).piece for i in distribution.token_ids}
        chosen = st.selectbox(_("Token"), list(tokens), format_func=lambda token_id: plain(tokens[token_id]), key="bias_token")
        with st.container(horizontal=True, gap="xsmall"):
            for name, label, change in (
                ("never", _("Never this token"), -math.inf),
                ("more", _("More of this"), STEP),
                ("less", _("Less of this"), -STEP),
            ):
                verb = (sampler_actions.bias, (), chosen, change)
                st.button(label, on_click=elements.run_and_rerun, args=verb, key=f"bias_{name}")


def forms_of(model: LanguageModel, text: str) -> list[list[Token]]:
    """Return the tokens of a text as it stands after other words, with a space before it, and without the space; [] for no text."""
    bare = text.strip()
    return [_after_a_line(model, form) for form in (f" {bare}", bare)] if bare else []


def _after_a_line(model: LanguageModel, text: str) -> list[Token]:
    """Return the tokens of a text in a new line, because SentencePiece tokenizers put a space before the first word of all."""
    line, both, alone = ([token for token in model.tokenize(form) if not token.special] for form in ("\n", f"\n{text}", text))
    follows = [token.key for token in both[: len(line)]] == [token.key for token in line]
    return both[len(line) :] if follows else alone


def described(tokens: Sequence[Token]) -> str:
    """Return in one sentence which tokens a text becomes."""
    pieces = " + ".join(token.piece for token in tokens)
    text = quoted("".join(token.piece for token in tokens))
    if len(tokens) == 1:
        return _("{text} is one token.").format(text=text)
    return _("{text} is {count} tokens: {pieces}. A bias on the first one changes all words that begin with it.").format(
        text=text, count=len(tokens), pieces=pieces
    )
