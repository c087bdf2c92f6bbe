"""What the constraint did to the step that Watch shows, in one line below its bars."""

from __future__ import annotations

import streamlit as st

from core.record.constrained import Constrained, constrained
from core.record.step import TokenDistribution
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _, quoted


def constraint_line(seen: TokenDistribution) -> None:
    """Draw the line; nothing without a constraint."""
    done = constrained(seen)
    if done is not None:
        st.caption(plain(sentence(done)))


def sentence(done: Constrained) -> str:
    """Return what the constraint does not allow, what the model wanted, and whether one token alone is left."""
    share = numbers.chance(done.excluded)
    sentences = [
        _("The constraint excludes at least {share} of the probability.").format(share=share)
        if done.at_least
        else _("The constraint excludes {share} of the probability.").format(share=share)
    ]
    if done.wanted is not None:
        token, model = quoted(done.wanted.piece), numbers.chance(done.wanted.model_probability)
        sentences.append(_("The model's likeliest token, {piece} ({share}), is not allowed.").format(piece=token, share=model))
    if done.allowed == 1:
        sentences.append(_("One token alone is allowed, so it is forced."))
    return " ".join(sentences)
