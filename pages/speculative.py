"""Speculative decoding: a small model guesses ahead, the large one checks; what was kept, what it brought, and where it is a loss."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.experiments.speculative import BONUS, PlainStep, SpeculativeRound, speculate
from core.experiments.speculative_gain import Gain, expected_tokens, gain
from core.language import N_, _, said
from pages.ui.charts import charts, palette, serving_charts
from pages.ui.charts.legend import legend
from pages.ui.experiments import experiment, results
from pages.ui.i18n import example_texts, names, numbers
from pages.ui.i18n.safe_text import plain as as_plain
from pages.ui.server import loaded_models
from pages.ui.session import current, elements, provenance
from pages.ui.session.state import PERSISTENT
from pages.ui.shell import frame
from pages.ui.shell.prompt_field import own_text
from pages.ui.views.speculative_text import draft_tokens, speculative_text

frame.page()
NAME = "speculative"
N_GRAMS = N_("The text itself (n-grams)")
LENGTHS = (32, 64, 128)
MOST = 12  # guesses
EVEN = (0.95, 1.05)  # times the speed of plain decoding that nobody would call a gain or a loss


def now() -> provenance.Provenance:
    """What a pair of texts would be made with."""
    return provenance.now(
        {
            N_("the guesser"): named(drafter),
            N_("the guesses"): N_("{count} guesses").format(count=ahead),
            N_("the length"): N_("{count} tokens").format(count=length),
        }
    )


@current.error_boundary
def begin() -> None:
    """Write the text twice, guessed and checked and plainly."""
    current.anchor_notices(NAME)
    model, prompt, settings = current.model(), current.prompt(), current.settings()
    draft = None if drafter == N_GRAMS else current.model_named(drafter)
    guessed, written = ahead, length
    experiment.start(NAME, lambda: speculate(model, draft, prompt, settings, guessed, written), now(), (prompt, guessed))


@current.error_boundary
def try_with(text: str, guesser: str) -> None:
    """Take this text, and whoever guesses it best."""
    current.use_prompt(text)
    current.fill("speculative_draft", guesser)


def examples(small_one: str) -> None:
    """Texts to try, for which guessing ahead pays, or does not."""
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="speculative_examples"):
        for name, text in example_texts.FORESEEN.items():
            guesser = N_GRAMS if name == example_texts.REPEATS else small_one
            st.button(_(name), on_click=try_with, args=(text, guesser), help=as_plain(text), key=f"foreseen_{name}", type="tertiary")


def safe(text: str) -> str:
    """A token inside a sentence of Markdown: nothing in it may mean anything."""
    return as_plain(text) or "␣"


def told(figures: Gain) -> None:
    """What it brought, in figures."""
    with st.container(horizontal=True, key="speculative_figures"):
        st.metric(
            _("Passes saved"),
            _("{count} of {total}").format(count=figures.written - figures.passes, total=figures.written),
            help=_("Tokens written minus passes of the large model."),
        )
        st.metric(
            _("Tokens per pass"),
            numbers.decimal(figures.tokens_per_pass, 2),
            help=_(
                "Tokens written divided by passes of the large model, the one it adds itself included (the "
                "mean accepted length plus one, in other tools)."
            ),
        )
        everything = numbers.percent(figures.accepted / figures.drafted if figures.drafted else None)
        st.metric(
            _("Guesses kept"),
            numbers.percent(figures.acceptance_rate),
            help=_(
                "Accepted / (accepted + rejected): guesses behind a struck one, which nobody looked at, are "
                "not counted. Of all drafted: {all}."
            ).format(all=everything),
        )
        times = f"{numbers.duration(figures.draft_seconds)} · {numbers.duration(figures.verify_seconds)}"
        st.metric(
            _("Guessing · checking"), times, help=_("Seconds spent in the small model and in the large one, dice included; measured.")
        )
        st.metric(
            _("Against plain"),
            "–" if figures.speed_up is None else f"× {numbers.decimal(figures.speed_up, 2)}",
            help=_(
                "Seconds per token plainly, divided by seconds per token guessed and checked; both measured "
                "here, in turns, the prompt's pass aside."
            ),
        )


def verdict(speed_up: float) -> None:
    """A gain, even, or a loss."""
    said = (
        _(
            ":red[**A loss here:** {factor} times the speed of plain decoding.] Fewer passes of the "
            "large model, but guessing and checking took longer than they saved."
        )
        if speed_up < EVEN[0]
        else _("It paid here: **{factor} times** as many tokens a second as plain decoding, measured in turns on this machine.")
        if speed_up > EVEN[1]
        else _("It came out even here: {factor} times the speed of plain decoding, measured in turns on this machine.")
    )
    st.markdown(said.format(factor=numbers.decimal(speed_up, 2)))
    st.caption(
        _(
            "It pays where a pass takes its time for fetching weights, so that checking five words costs "
            "little more than writing one; where the guesses are good; and where guessing is cheap. On a "
            "busy machine with few cores, or with a text that the small one cannot foresee, it does not."
        )
    )


def looked_into(one: SpeculativeRound) -> None:
    """One pass: every guess with both odds and its roll, and what the large model added."""
    draft_tokens(one, key="speculative_guesses")
    if one.token_id < 0:
        st.caption(_("The text ends here."))
    elif not one.drafted:
        st.markdown(
            _(
                "Nothing was guessed here (one piece was left to write, or the draft knew none): the large model wrote **{token}** itself."
            ).format(token=safe(one.text))
        )
    else:
        said = (
            _(
                "All were kept, so the large model adds one of its own: **{token}**, from its odds for the "
                "next place, which the same pass told."
            )
            if one.kind == BONUS
            else _("In the struck one's place: **{token}**, drawn from what the large model gives beyond the small one, max(0, p − q).")
        )
        st.markdown(said.format(token=safe(one.text)))


def curve(figures: Gain, ahead: int) -> None:
    """What more or fewer guesses would bring, for the acceptance that was measured."""
    elements.section(_("Tokens per pass, by words guessed ahead"), _("computed for the acceptance seen here; the dot is measured"))
    rows = [
        {
            "guesses": count,
            "expected": expected_tokens(figures.acceptance_rate, count),
            "measured": figures.tokens_per_pass if count == ahead else None,
            "label": numbers.decimal(figures.tokens_per_pass, 2) if count == ahead else "",
        }
        for count in range(MOST + 1)
    ]
    charts.draw(
        serving_charts.speculation_curve, pd.DataFrame(rows), key="speculative_curve", alt_text=_("Tokens per pass, by words guessed ahead")
    )
    rate, measured = numbers.percent(figures.acceptance_rate), numbers.decimal(figures.tokens_per_pass, 2)
    st.caption(
        _(
            "Line: 1 + a + a² + … + aᴷ with a = {rate}, **computed** as if every guess had the same chance. Dot: **measured**, {measured}."
        ).format(rate=rate, measured=measured)
    )


def course() -> None:
    """All that moves."""
    with results.shown(NAME, now(), begin) as run:
        rounds = [one for one in run.seen if isinstance(one, SpeculativeRound)]
        plain = [one for one in run.seen if isinstance(one, PlainStep)]
        colours = palette.of(charts.theme())
        shades = (colours.computed, colours.removed, colours.other, colours.dice)
        legend(*zip(shades, list(said(names.VERDICTS).values())[:4], strict=True))
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
            elements.section(_("Plain, with the same dice"), _("one pass, one token"))
            st.caption(safe("".join(one.text for one in plain)) if plain else "…")
        elif not run.running:
            st.caption(
                _("Press the button: the text is written twice, guessed and checked, and plainly; both clocks are measured in turns.")
            )
        with place:
            speculative_text(prompt, rounds, key="speculative_text", opened=opened)


def looked_at(rounds: list[SpeculativeRound], running: bool) -> int:
    """Which pass is looked into: the newest while it runs, afterwards the chosen one, at first the last that guessed anything."""
    count = len(rounds)
    elements.section(
        _("One pass of the large model, looked into"),
        _("p, q and the roll"),
        help=_(
            "Pale: what the small model gave its guess (q). Deep: what the large one gives it (p). The "
            "mark is the roll times q: if it falls inside the deep bar, the guess stays, which happens "
            "with probability p / q, or always where p is larger."
        ),
    )
    if running or count < 2:
        return count - 1
    telling = next((place for place in range(count, 0, -1) if rounds[place - 1].drafted), count)
    return int(st.slider(_("Pass"), 1, count, telling, key=f"speculative_pick_{count}")) - 1


frame.header(
    _("A small one guesses, the large one checks"),
    _("speculative decoding"),
    _(
        "The small model runs ahead by a few words; the large one looks at all of them in a single "
        "pass and keeps those it could have said itself. Whatever is guessed, the text has the large "
        "model's own odds."
    ),
)
with elements.error_boundary():
    own_text()
    others = [name for name in current.model_names() if name != current.model_name()]
    options = [*others, N_GRAMS]
    small = next((place for place, name in enumerate(options) if name.endswith("-mini")), len(options) - 1)
    examples(options[small])

    def named(name: str) -> str:
        """The draft as a person calls it."""
        return name if name == N_GRAMS else loaded_models.title(name)

    with st.container(horizontal=True, vertical_alignment="bottom", key="speculative_controls"):
        drafter = st.selectbox(
            _("Who guesses"),
            options,
            index=small,
            format_func=lambda name: _(named(name)),
            key="speculative_draft",
            help=_(
                "The draft: a smaller model with the same tokenizer, or no model at all: what followed the "
                "last time these words stood in the text."
            ),
            width=240,
            **PERSISTENT,
        )
        ahead = st.slider(
            _("Words guessed ahead"),
            1,
            MOST,
            4,
            key="speculative_guesses_ahead",
            help=_("How many tokens are drafted before the large model looks (K)."),
            width=220,
            **PERSISTENT,
        )
        length = st.segmented_control(_("Tokens"), LENGTHS, default=64, key="speculative_length", required=True, **PERSISTENT) or 64
        state = experiment.of(NAME)
        if state.running:
            st.button(_("Stop"), on_click=experiment.stop, args=(NAME,), icon=":material/stop:", key="speculative_stop")
        else:
            label = _("Once more") if state.seen else _("Guess and check")
            if st.button(label, type="primary", icon=":material/fast_forward:", key="speculative_start"):
                begin()
                st.rerun()
    results.live(course, NAME, key="speculative_course")
