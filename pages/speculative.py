"""Speculative decoding: a small model guesses ahead, the large one checks; what was kept, what it brought, and where it is a loss."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.labs.speculative import BONUS, PlainStep, SpeculativeRound, speculate
from core.labs.speculative_gain import Gain, expected_tokens, gain
from pages.parts.charts import charts, serving_charts
from pages.parts.components.spurts.spurts import guesses, spurts
from pages.parts.layout import frame, palette, results
from pages.parts.layout.prompt_field import own_text
from pages.parts.runtime import experiment, loaded_models
from pages.parts.session import current, provenance
from pages.parts.session.state import STAYS
from pages.parts.text import numbers
from pages.parts.text import serving_words as words
from pages.parts.text.plain import plain as as_plain

frame.page()
NAME = "speculative"
LENGTHS = (32, 64, 128)
MOST = 12  # guesses
EVEN = (0.95, 1.05)  # times the speed of plain decoding that nobody would call a gain or a loss


def now() -> provenance.Provenance:
    """What a pair of texts would be made with."""
    return provenance.now({words.BY_GUESSER: named(drafter), words.BY_GUESSES: f"{ahead} guesses", words.BY_LENGTH: f"{length} tokens"})


@current.error_boundary
def begin() -> None:
    """Write the text twice, guessed and checked and plainly."""
    current.at(NAME)
    model, prompt, settings = current.model(), current.prompt(), current.settings()
    draft = None if drafter == words.NGRAMS else current.model_named(drafter)
    guessed, written = ahead, length
    experiment.start(NAME, lambda: speculate(model, draft, prompt, settings, guessed, written), now(), (prompt, guessed))


def safe(text: str) -> str:
    """A token inside a sentence of Markdown: nothing in it may mean anything."""
    return as_plain(text) or "␣"


def told(figures: Gain) -> None:
    """What it brought, in figures."""
    with st.container(horizontal=True, key="speculative_figures"):
        st.metric(words.SAVED, f"{figures.written - figures.passes} of {figures.written}", help=words.SAVED_HELP)
        st.metric(words.PER_PASS, f"{figures.tokens_per_pass:.2f}", help=words.PER_PASS_HELP)
        everything = numbers.percent(figures.accepted / figures.drafted if figures.drafted else None)
        st.metric(words.ACCEPTANCE, numbers.percent(figures.acceptance_rate), help=words.ACCEPTANCE_HELP.format(all=everything))
        times = f"{numbers.duration(figures.draft_seconds)} · {numbers.duration(figures.verify_seconds)}"
        st.metric(words.TIMES, times, help=words.TIMES_HELP)
        st.metric(words.NET, "–" if figures.speed_up is None else f"× {figures.speed_up:.2f}", help=words.NET_HELP)


def verdict(speed_up: float) -> None:
    """A gain, even, or a loss."""
    said = words.LOST if speed_up < EVEN[0] else words.GAINED if speed_up > EVEN[1] else words.EVEN
    st.markdown(said.format(factor=f"{speed_up:.2f}"))
    st.caption(words.WHEN)


def looked_into(one: SpeculativeRound) -> None:
    """One pass: every guess with both odds and its roll, and what the large model added."""
    guesses(one, key="speculative_guesses")
    if one.token_id < 0:
        st.caption(words.LAST_END)
    elif not one.drafted:
        st.markdown(words.NO_GUESSES.format(token=safe(one.text)))
    else:
        said = words.LAST_BONUS if one.kind == BONUS else words.LAST_RECOVERED
        st.markdown(said.format(token=safe(one.text)))


def curve(figures: Gain, ahead: int) -> None:
    """What more or fewer guesses would bring, for the acceptance that was measured."""
    frame.section(words.GUESS_CURVE, words.GUESS_CURVE_TERM)
    rows = [
        {
            "guesses": count,
            "expected": expected_tokens(figures.acceptance_rate, count),
            "measured": figures.tokens_per_pass if count == ahead else None,
            "label": f"{figures.tokens_per_pass:.2f}" if count == ahead else "",
        }
        for count in range(MOST + 1)
    ]
    charts.draw(serving_charts.guess_curve, pd.DataFrame(rows), key="speculative_curve", alt_text=words.GUESS_CURVE)
    rate, measured = numbers.percent(figures.acceptance_rate), f"{figures.tokens_per_pass:.2f}"
    st.caption(words.GUESS_CURVE_LINE.format(rate=rate, measured=measured))


def course() -> None:
    """All that moves."""
    with results.shown(NAME, now(), begin) as run:
        rounds = [one for one in run.seen if isinstance(one, SpeculativeRound)]
        plain = [one for one in run.seen if isinstance(one, PlainStep)]
        colours = palette.of(charts.theme())
        shades = (colours.computed, colours.removed, colours.other, colours.dice)
        frame.legend(*zip(shades, list(words.VERDICTS.values())[:4], strict=True))
        prompt, guessed = run.about or (current.prompt(), ahead)
        place, opened = st.container(), None
        if rounds:
            figures = gain(list(run.seen), guessed)
            told(figures)
            if not run.running and figures.speed_up is not None:
                verdict(figures.speed_up)
            left, right = st.columns([0.58, 0.42], gap="large")
            with left:
                opened = looked_at(rounds, run.running)
                looked_into(rounds[opened])
            with right:
                if figures.judged:
                    curve(figures, guessed)
            frame.section(words.PLAIN, words.PLAIN_TERM)
            st.caption(safe("".join(one.text for one in plain)) if plain else "…")
        elif not run.running:
            st.caption(words.GUESS_FIRST)
        with place:
            spurts(prompt, rounds, key="speculative_text", opened=opened)


def looked_at(rounds: list[SpeculativeRound], running: bool) -> int:
    """Which pass is looked into: the newest while it runs, afterwards the chosen one, at first the last that guessed anything."""
    count = len(rounds)
    frame.section(words.ROUND, words.ROUND_TERM, help=words.ROUND_HELP)
    if running or count < 2:
        return count - 1
    telling = next((place for place in range(count, 0, -1) if rounds[place - 1].drafted), count)
    return int(st.slider(words.ROUND_PICK, 1, count, telling, key=f"speculative_pick_{count}")) - 1


frame.header(words.GUESS_TITLE, words.GUESS_TERM, words.GUESS_LEAD)
with frame.error_boundary():
    own_text()
    others = [name for name in current.model_names() if name != current.model_name()]
    options = [*others, words.NGRAMS]
    small = next((place for place, name in enumerate(options) if name.endswith("-mini")), len(options) - 1)

    def named(name: str) -> str:
        """The draft as a person calls it."""
        return name if name == words.NGRAMS else loaded_models.title(name)

    with st.container(horizontal=True, vertical_alignment="bottom", key="speculative_controls"):
        drafter = st.selectbox(
            words.DRAFT, options, index=small, format_func=named, key="speculative_draft", help=words.DRAFT_HELP, width=240, **STAYS
        )
        ahead = st.slider(words.GUESSES, 1, MOST, 4, key="speculative_guesses_ahead", help=words.GUESSES_HELP, width=220, **STAYS)
        length = st.segmented_control(words.GUESS_LENGTH, LENGTHS, default=64, key="speculative_length", required=True, **STAYS) or 64
        state = experiment.of(NAME)
        if state.running:
            st.button(words.STOP, on_click=experiment.stop, args=(NAME,), icon=":material/stop:", key="speculative_stop")
        else:
            label = words.GUESS_AGAIN if state.seen else words.GUESS_START
            if st.button(label, type="primary", icon=":material/fast_forward:", key="speculative_start"):
                begin()
                st.rerun()
    results.live(course, NAME, key="speculative_course")
