"""Guess the next word: ten words against the model's favourite, and a result that can be sent."""

from __future__ import annotations

from urllib.parse import urlsplit

import pandas as pd
import streamlit as st

from pages.parts.charts import charts, step_rows
from pages.parts.components.token_strip import token_strip
from pages.parts.layout import frame
from pages.parts.layout.prompt_field import own_text
from pages.parts.session import current, guess_game
from pages.parts.session.guess_game import Game
from pages.parts.text import guess_words as words
from pages.parts.text import numbers
from pages.parts.text.words import ODDS_ALT

frame.page()


def question(now: Game) -> None:
    """The field, while there is something to guess."""
    with st.form("guess_form", clear_on_submit=True, border=False):
        st.text_input(
            f"{words.FIELD} :gray[:small[{words.ASKED.format(number=len(now.rounds) + 1, words=guess_game.WORDS)}]]",
            key=guess_game.FIELD,
            placeholder=words.PLACEHOLDER,
        )
        st.form_submit_button(words.FIELD.rstrip("?"), on_click=guess_game.guessed, type="primary")


def answer(now: Game) -> None:
    """What came at the last question, what was guessed, and the odds that nobody saw before."""
    last, step = now.rounds[-1], current.run().path[-1]
    guess = last.guesses[0]
    told = [words.CAME.format(piece=step.piece.removeprefix("␣"), chance=numbers.chance(step.model_probability), rank=f"{step.rank:,}")]
    if last.hit:
        told.append(words.HIT.format(points=f"{last.points:.1f}"))
    elif guess.rank is None:
        told.append(words.MISSED_UNKNOWN.format(said=guess.said))
    else:
        told.append(words.MISSED.format(said=guess.said, chance=numbers.chance(guess.probability), rank=f"{guess.rank:,}"))
    if guess.piece and not guess.whole:
        told.append(words.BEGINS.format(said=guess.said, piece=guess.piece.removeprefix("␣")))
    st.text(" ".join(told))
    table = step_rows.distribution_rows(step, step_rows.USUAL)
    charts.draw(charts.distribution, table, key="guess_odds", alt_text=ODDS_ALT, rows=step_rows.USUAL + 1)


def result(now: Game) -> None:
    """All ten, and the link."""
    hits = sum(one.hit for one in now.rounds)
    said = words.THEIRS if now.theirs else words.OVER
    st.markdown(f"### {said.format(own=f'{now.points:.1f}', hits=hits, favourite=f'{now.favourite_points:.1f}')}")
    steps = current.run().path[now.begun_at :]
    rows = [
        (
            step.piece.removeprefix("␣"),
            numbers.chance(step.model_probability),
            one.guesses[0].said,
            f"{one.points:.1f}" if one.hit else "–",
            f"{one.favourite_points:.1f}" if one.favourite_points else "–",
        )
        for step, one in zip(steps, now.rounds, strict=False)
    ]
    st.dataframe(pd.DataFrame(rows, columns=list(words.COLUMNS)), hide_index=True, width="stretch", key="guess_result")
    st.caption(words.HUMANS)
    with st.container(horizontal=True):
        st.button(words.SAME, on_click=guess_game.play_again, args=(True,), key="guess_same", icon=":material/replay:", type="primary")
        st.button(words.OTHER, on_click=guess_game.play_again, args=(False,), key="guess_other", icon=":material/casino:")
    st.caption(words.SHARE)
    here = urlsplit(st.context.url or "")
    st.code(f"{here.scheme}://{here.netloc}{here.path}?{guess_game.link()}" if here.netloc else f"?{guess_game.link()}", language=None)


frame.header(words.TITLE, words.TERM, words.LEAD)
with frame.error_boundary():
    run, now = current.run(), guess_game.game()
    token_strip.token_strip(run.prompt_tokens, run.path, key="guess_strip", tint="none", accent=bool(now.rounds))
    if now.rounds:
        points = words.POINTS.format(own=f"{now.points:.1f}", favourite=f"{now.favourite_points:.1f}")
        st.markdown(f"**{points}**", help=words.POINTS_HELP)
    if now.over or (run.finished and now.rounds):
        result(now)
        if not now.over:
            st.caption(words.FINISHED)
    else:
        question(now)
    frame.notices("guess")
    if now.rounds and not now.theirs:
        answer(now)
    if not now.rounds:
        own_text()
