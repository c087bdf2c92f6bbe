"""Guess the next token: ten tokens against the model's likeliest token, and a result that can be sent."""

from __future__ import annotations

from urllib.parse import urlsplit

import pandas as pd
import streamlit as st

from pages.guess import guess_game
from pages.guess.guess_game import Game
from pages.ui.charts import distribution_rows
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _, ngettext
from pages.ui.presenting.vote_button import vote_button
from pages.ui.session import current, elements
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.shell import frame
from pages.ui.shell.prompt_field import own_text
from pages.ui.views import chart
from pages.ui.views.distribution_legend import entries

frame.page()

COLUMNS = (_("token"), _("probability"), _("your guess"), _("points"), _("points of the likeliest"))


def question(now: Game) -> None:
    """Draw the field for the next guess."""
    counter = _("Token {number} of {words}").format(number=len(now.rounds) + 1, words=guess_game.WORDS)
    with st.form("guess_form", clear_on_submit=True, border=False):
        label = f"{_('What comes next?')} :gray[:small[{counter}]]"
        st.text_input(label, key=guess_game.FIELD, placeholder=_("one word, then Enter"), max_chars=60)
        st.form_submit_button(_("Guess"), on_click=guess_game.word_guessed, type="primary")
    vote_button("guess_vote")


def answer(now: Game) -> None:
    """Draw the last token, the guess, and the probabilities that were hidden before."""
    last, step = now.rounds[-1], current.run().path[-1]
    guess = last.guesses[0]
    sentences = [
        _("The token was “{piece}”, rank {rank}: {chance} for the model, {used} after your settings.").format(
            piece=step.piece.removeprefix("␣"),
            chance=numbers.chance(step.model_probability),
            used=numbers.chance(step.sampling_probability),
            rank=numbers.whole(step.rank),
        )
    ]
    if last.hit:
        sentences.append(_("You guessed it: {points} points.").format(points=numbers.decimal(last.points, 1)))
    elif guess.rank is None:
        sentences.append(_("You guessed “{said}”: not in the list.").format(said=guess.said))
    else:
        sentences.append(
            _("You guessed “{said}”, rank {rank}: {chance} for the model.").format(
                said=guess.said, chance=numbers.chance(guess.probability), rank=numbers.whole(guess.rank)
            )
        )
    if guess.piece and not guess.whole:
        sentences.append(_("“{said}” begins with the token “{piece}”.").format(said=guess.said, piece=guess.piece.removeprefix("␣")))
    st.text(" ".join(sentences))
    alt_text = _("Bars: the model's probability (pale) and the probability after the settings (solid) of each token, 0 to 100 percent.")
    chart.bars(step, distribution_rows.USUAL, entries(), key="guess_odds", alt_text=alt_text, title=_("What came next?"))


def result(now: Game) -> None:
    """Draw all ten tokens and the link."""
    hits = sum(guessed_round.hit for guessed_round in now.rounds)
    sentence = (
        _("A friend's result: {own} points with {hits}; the likeliest token {favourite} points. Can you do better?")
        if now.theirs
        else _("Ten tokens: you {own} points with {hits}; the likeliest token {favourite} points.")
    )
    counted = ngettext("{count} hit", "{count} hits", hits).format(count=hits)
    st.markdown(
        f"### {sentence.format(own=numbers.decimal(now.points, 1), hits=counted, favourite=numbers.decimal(now.favourite_points, 1))}"
    )
    steps = current.run().path[now.begun_at :]
    rows = [
        (
            step.piece.removeprefix("␣"),
            numbers.chance(step.model_probability),
            guessed_round.guesses[0].said,
            numbers.decimal(guessed_round.points, 1) if guessed_round.hit else "–",
            numbers.decimal(guessed_round.favourite_points, 1) if guessed_round.favourite_points else "–",
        )
        for step, guessed_round in zip(steps, now.rounds, strict=False)
    ]
    st.dataframe(pd.DataFrame(rows, columns=list(COLUMNS)), hide_index=True, width="stretch", key="guess_result")
    st.caption(
        _(
            "In a study, people guessed about three in ten tokens at the first try, and small language models more "
            "(Shlegeris and others, 2022, arXiv:2212.11281)."
        )
    )
    with st.container(horizontal=True):
        st.button(
            _("Play these ten"), on_click=guess_game.play_again, args=(True,), key="guess_same", icon=":material/replay:", type="primary"
        )
        st.button(_("Ten others"), on_click=guess_game.play_again, args=(False,), key="guess_other", icon=":material/casino:")
    st.caption(_("Send the result: this link shows it and plays the same ten tokens."))
    here = urlsplit(st.context.url or "")
    st.code(f"{here.scheme}://{here.netloc}{here.path}?{guess_game.link()}" if here.netloc else f"?{guess_game.link()}", language=None)


frame.header(
    _("Guess the next word"),
    _("next-token prediction"),
    _("Guess ten tokens. After each guess you see the probabilities and the roll. The rolled token is correct, not the likeliest one."),
)
with drawing_boundary():
    run, now = current.run(), guess_game.game()
    chart.text(run.prompt_tokens, run.path, key="guess_strip", tint="none", accent=bool(now.rounds))
    if now.rounds:
        points = _("You {own} · the likeliest token {favourite}").format(
            own=numbers.decimal(now.points, 1), favourite=numbers.decimal(now.favourite_points, 1)
        )
        st.markdown(
            f"**{points}**",
            help=_(
                "A hit gives the surprise of the token in bits as points: 1 point for a probability of 1/2, 3 points for 1/8. "
                "The model's likeliest token plays, too."
            ),
        )
    if now.over or (run.finished and now.rounds):
        result(now)
        if not now.over:
            st.caption(_("The text ended before the tenth token."))
    else:
        question(now)
    elements.notices("guess")
    if now.rounds and not now.theirs:
        answer(now)
    if not now.rounds:
        own_text()
