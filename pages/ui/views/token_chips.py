"""The tokens of a text: each with its id below it, and its bytes on hover."""

from __future__ import annotations

import streamlit as st

from core.tokens.token_text import Token
from pages.ui.charts.step_tables import Word, shown
from pages.ui.components.scored_text.scored_text import scored_text
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _


def chips(tokens: list[Token], key: str) -> None:
    """Draw the tokens with their ids."""
    scored_text(
        [
            Word(
                text=shown(token.text, token.piece, token.raw),
                colour="muted_text",
                depth=0.12 if index % 2 else 0.24,
                head=f"id {token.token_id}",
                lines=(_("a special token, not text") if token.special else _("bytes {bytes}").format(bytes=token.raw.hex(" ").upper()),),
                below=str(token.token_id),
            )
            for index, token in enumerate(tokens)
        ],
        key=key,
        alt_text=_("The tokens of the text; hover shows id and bytes."),
        size="1.25rem",
        max_height="16rem",
    )
    characters, texts = sum(len(token.text) for token in tokens), sum(not token.special for token in tokens)
    counts = [numbers.tokens(texts), _("{count} characters").format(count=numbers.whole(characters))]
    if texts < len(tokens):
        counts.insert(1, _("special tokens: {count}").format(count=numbers.whole(len(tokens) - texts)))
    if texts:
        counts.append(_("{count} characters per token").format(count=numbers.decimal(characters / texts, 1)))
    st.caption(" · ".join(counts))
