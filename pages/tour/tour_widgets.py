"""Widgets of the tour's own stops; the others are `tour_stop.py` of the page that shows more.

Each function draws a stop and calls `tour_state.tried(stop)` when its task was done.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import streamlit as st

from core import SamplingSettings
from core.inspection.embeddings import neighbours, tokens_of_words
from core.inspection.inside import Inside, inspect_step
from core.record.step import Step, TokenDistribution
from pages.ui.charts import layer_charts, run_charts, step_tables
from pages.ui.components.live.live import typed_text
from pages.ui.i18n import example_texts, numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import N_, _
from pages.ui.presenting import tour_state
from pages.ui.session import current
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import action_boundary
from pages.ui.views import chart, receipt, token_chips

TYPED_EXAMPLES = {N_("A long word"): "incomprehensibilities", N_("An emoji"): "🦊", N_("Numbers"): "42 and 4242"}
FOX = "The little fox asked: “Is strawberry 🍓 a word?”"
KETTLE = 0.1  # kWh to bring a litre of water from 15 to 100 °C, nothing lost: 4.19 kJ/K x 85 K / 3600 = 0.099
WORDS = ("fox", "river", "happy", "mother", "red", "seven")
REASONS = ("The", "opposite", "of", "hot", "is")
BEGINNINGS = ("Once upon a", example_texts.FIRST_PROMPT, "Dear diary,", "The")


ENOUGH = 3  # tokens to write for the first stop's task
PEOPLE = (1, 1_000, 1_000_000, 100_000_000, 1_000_000_000)


def sentence() -> None:
    """Draw the tour's story so far."""
    run = tour_state.run()
    chart.text(run.prompt_tokens, run.path, key="tour_strip", accent=bool(run.path))


def send() -> None:
    """Stop "send": one press writes one token."""
    sentence()
    with st.container(horizontal=True, key="tour_send"):
        st.button(_("One token"), on_click=tour_state.write, args=(1,), type="primary", icon=":material/add:", key="tour_one")
        st.button(_("From the start"), on_click=tour_state.from_the_start, type="tertiary", key="tour_start_again")
    if len(tour_state.run().path) >= ENOUGH:
        tour_state.tried("send")


def pieces() -> None:
    """Stop "pieces": the tokens of a typed text."""
    text = typed_text(
        FOX,
        key="tour_text",
        label=_("Your text"),
        examples={_(title): text for title, text in TYPED_EXAMPLES.items()},
        limit=300,
    )
    token_chips.chips(tour_state.model().tokenize(text), "tour_pieces")
    if text != FOX:
        tour_state.tried("pieces")


def meaning() -> None:
    """Stop "meaning": a word and its nearest neighbours."""
    model = tour_state.model()
    token_ids = tokens_of_words(model, WORDS)
    picked = st.pills(
        _("A word"),
        token_ids,
        default=token_ids[0],
        key="tour_word",
        format_func=lambda i: plain(layer_charts.label(model.piece(i))),
        label_visibility="collapsed",
        required=True,
        **PERSISTENT,
    )
    near = layer_charts.neighbour_rows(neighbours(model, token_ids[0] if picked is None else picked, 6))
    chart.draw(
        layer_charts.neighbours,
        near,
        key="tour_near",
        alt_text=_("Bars: the tokens whose embeddings are closest to that of the chosen word."),
        rows=len(near),
    )
    if picked not in (None, token_ids[0]):
        tour_state.tried("meaning")


def layers() -> None:
    """Stop "layers": the likeliest tokens after each layer up to the chosen one."""
    stored, model = tour_state.tour().values, tour_state.model()
    result = stored.get("inside")
    if not isinstance(result, Inside):
        result = stored["inside"] = inspect_step(model, model.encode(example_texts.FIRST_PROMPT), top_n=layer_charts.GUESSES)
    last = len(result.layers)
    chosen_layer = int(st.select_slider(_("Stop after layer"), range(1, last + 1), 1, key="tour_layer", **PERSISTENT))
    rows = layer_charts.logit_lens_rows(result, None)
    chart.draw(
        layer_charts.logit_lens,
        rows[rows.layer <= chosen_layer] if not rows.empty else rows,
        key="tour_lens",
        alt_text=_("After each layer up to the chosen one: the likeliest next tokens if this were the last layer."),
        layers=last + 1,
        guesses=layer_charts.GUESSES,
    )
    best = result.layers[chosen_layer - 1].candidates[0]
    st.markdown(
        _("If this were the last layer: **{piece}**, {share}.").format(
            piece=plain(best.piece), share=numbers.percent(best.model_probability)
        )
    )
    if chosen_layer == last:
        tour_state.tried("layers")


def bars(distribution: TokenDistribution | Step, key: str, rows: int = 6) -> None:
    """Draw the next-token probabilities."""
    chart.bars(distribution, rows, (), key=key, alt_text=_("Bars from 0 to 100 percent: how likely each next token is."))


def odds() -> None:
    """Stop "odds": the next-token probabilities after a prompt."""
    first = BEGINNINGS[1]
    asked = st.pills(
        _("A beginning"),
        BEGINNINGS,
        default=first,
        key="tour_beginning",
        format_func="{} …".format,
        label_visibility="collapsed",
        required=True,
        **PERSISTENT,
    )
    run = tour_state.run("odds", asked or first)
    coming = run.next_distribution(SamplingSettings())
    bars(coming, "tour_odds", 8)
    if asked not in (None, first):
        tour_state.tried("odds")


def why() -> None:
    """Stop "why": the next token's probabilities without one word of the text."""
    places = range(len(REASONS))
    asked = st.pills(
        _("Leave out a word"),
        places,
        default=None,
        key="tour_hidden",
        format_func=REASONS.__getitem__,
        **PERSISTENT,
    )
    full = tour_state.run("why", " ".join(REASONS)).next_distribution(SamplingSettings())
    best = full.candidates[0]
    shorter = " ".join(word for index, word in enumerate(REASONS) if index != asked)
    without = full if asked is None else tour_state.run("without", shorter).next_distribution(SamplingSettings())
    bars(without, "tour_reasons")
    if asked is None:
        return
    now = next((candidate.model_probability for candidate in without.candidates if candidate.token_id == best.token_id), 0.0)
    template = _("“{text} …”: “{token}” has {after} instead of {before}.")
    share = numbers.percent(now) if now else _("almost nothing")
    st.markdown(template.format(text=shorter, token=best.text.strip(), after=share, before=numbers.percent(best.model_probability)))
    tour_state.tried("why")


def roll() -> None:
    """Roll the dice once more for the same step, at the chosen temperature."""
    stored = tour_state.tour().values
    stored["throws"] = (*stored.get("throws", ()), float(current.field("tour_temperature") or 1.0))


def throw() -> None:
    """Stop "dice": temperature, dice strip, and the rolls so far."""
    run, stored = tour_state.run("dice"), tour_state.tour().values
    with st.container(horizontal=True, vertical_alignment="bottom", key="tour_dice_controls"):
        heat = st.slider(_("Temperature"), 0.2, 2.0, 1.0, 0.1, key="tour_temperature", width=320, **PERSISTENT)
        st.button(_("Roll"), on_click=action_boundary(roll), type="primary", icon=":material/casino:", key="tour_roll")
    throws: tuple[float, ...] = stored.get("throws", ())
    settings = replace(tour_state.SETTINGS, temperature=heat, top_p=1.0)
    coming = run.next_distribution(settings)
    steps = []
    for attempt, temperature in enumerate(throws[-12:], start=max(0, len(throws) - 12)):
        run.settings = replace(settings, temperature=temperature)
        steps.append(run.step(attempt))
        run.go_to(-1)
    newest = steps[-1] if steps and throws[-1] == heat else None
    bars(newest or coming, "tour_bars")
    chart.dice(newest or coming, key="tour_dice")
    tally = Counter(plain(step.text.strip() or step.piece) for step in steps)
    counts = ", ".join(f"{token} × {times}" for token, times in tally.most_common())
    st.caption(_("So far: {tally}").format(tally=counts) if counts else _("Not rolled yet."))
    if any(temperature != 1.0 for temperature in throws):
        tour_state.tried("dice")


def loop() -> None:
    """Stop "loop": step after step, with the time of each."""
    sentence()
    with st.container(horizontal=True, key="tour_loop"):
        st.button(_("Ten tokens"), on_click=tour_state.write, args=(10,), type="primary", icon=":material/all_inclusive:", key="tour_ten")
        st.button(_("From the start"), on_click=tour_state.from_the_start, type="tertiary", key="tour_start_again")
    path = tour_state.run().path
    chart.draw(
        run_charts.step_time,
        step_tables.step_slots(path),
        key="tour_times",
        alt_text=_("One bar per token: the time of its pass through the model."),
    )
    if len(path) >= 10:
        tour_state.tried("loop")


def price() -> None:
    """Stop "price": the cost of the text, and of the same text for many people."""
    run = tour_state.run()
    while len(run.path) < 12 and not run.finished:
        run.step()
    bill = receipt.bill(run.path, run.model)
    people = st.select_slider(_("How many people ask the same"), PEOPLE, 1, format_func=numbers.whole, key="tour_people", **PERSISTENT)
    hours, work = bill.watt_hours.value, 2 * (bill.multiply_adds or 0)
    sentence_shown = _("These {count} tokens: **{work}** ƒ and **{energy}** ✎.").format(
        count=len(run.path), work=numbers.prefixed(work, "FLOP"), energy=numbers.prefixed(hours, "Wh")
    )
    if people > 1:
        litres = hours * people / 1000 / KETTLE
        much = _("less than a litre") if litres < 1 else _("{count} litres").format(count=numbers.count(round(litres)))
        sentence_shown += " " + _("For {people}: **{energy}** ✎, enough to boil **{litres}** of water.").format(
            people=_("{count} people").format(count=numbers.whole(people)), energy=numbers.prefixed(hours * people, "Wh"), litres=much
        )
    st.markdown(sentence_shown)
    with st.expander(_("The receipt, line by line")):
        receipt.paper(bill, _("These tokens"))
    if people != PEOPLE[0]:
        tour_state.tried("price")
