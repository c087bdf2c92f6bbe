"""Why does it loop?: a text that repeats itself, why, what ends it at which price, and how often it happens."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.experiments.looping import Looping, Remedy, looping, looping_runs
from core.record.csv_text import csv_text
from core.sampling.settings import SETTINGS, SamplingSettings
from pages.looping import CHOSEN_BY, LOOP_VIEWS, looping_charts
from pages.ui.charts.css_colours import legend
from pages.ui.experiments import results
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _, said
from pages.ui.server import offered_models
from pages.ui.session import current, elements, linked_controls, provenance
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.session.linked_controls import Linked, LinkedControl
from pages.ui.shell import frame
from pages.ui.views import chart

frame.page()
ONE, MANY = "looping", "looping_runs"
LENGTHS, COPIES, TEXTS = (100, 200, 400), (3, 4, 6), (12, 24, 48)
LINKED: Linked = {
    "loop": LinkedControl("looping_view", LOOP_VIEWS[0], LOOP_VIEWS),
    "text": LinkedControl("looping_prompt", EXAMPLES.loops[0]),
    "length": LinkedControl("looping_length", 200, LENGTHS),
    "copies": LinkedControl("looping_copies", 4, COPIES),
    "chosen_by": LinkedControl("looping_chosen_by", "greedy", tuple(CHOSEN_BY)),
    "texts": LinkedControl("looping_texts", 24, TEXTS),
}
SHOWN_TEXT, LONGEST = 90, 400  # characters of what a remedy writes, and of the text before the loop
LONGEST_SHOWN = 2_000  # characters of a text without a loop


def one_view() -> None:
    """Draw one text, its loop, and what ends it."""
    with st.container(horizontal=True, vertical_alignment="center", key="looping_ready"):
        st.caption(_("Try one"), width="content")
        picked = elements.examples({text: (text,) for text in EXAMPLES.loops}, ("looping_prompt",), "looping_example")
    with st.container(horizontal=True, vertical_alignment="bottom", key="looping_controls"):
        prompt = st.text_input(_("Prompt"), EXAMPLES.loops[0], max_chars=2000, key="looping_prompt", width=300, **PERSISTENT)
        length = elements.choice(_("Longest text"), LENGTHS, 200, "looping_length")
        copies = elements.choice(_("Copies"), COPIES, 4, "looping_copies")
        how = elements.choice(_("Chosen by"), list(CHOSEN_BY), "greedy", "looping_chosen_by", format_func=said(CHOSEN_BY).__getitem__)
        by_settings = how == "own"
        now = provenance.now(text=prompt, length=length, copies=copies, chosen_by=how, prompt=False, settings=by_settings)

        def settings() -> SamplingSettings:
            return current.settings() if by_settings else SamplingSettings(greedy=True)

        begin = results.starter(ONE, now, lambda: looping(current.model(), prompt, settings(), length, copies))
        if picked:
            begin()
        results.start_button(ONE, _("Write until it loops"), begin, type="primary", icon=":material/all_inclusive:")
    results.part(ONE, now, begin, draw_one, _("Press the button: the model writes until the text repeats itself."))


def draw_one(run: Experiment) -> None:
    """Draw what is known of the loop so far."""
    result: Looping = run.observations[-1]
    if not result.period:
        st.markdown(f":gray[{plain(result.text[-LONGEST_SHOWN:])}]")
        if result.done:
            st.info(_("No loop within {tokens}. Try another prompt, or a longer text.").format(tokens=numbers.tokens(result.tokens)))
        if result.own is not None:
            draw_own_price(result)
        return
    first = numbers.whole(result.start + 1)
    sentence = _("From token {first} on, {tokens} come again and again: {copies} copies.")
    st.markdown(sentence.format(first=first, tokens=f"**{numbers.tokens(result.period)}**", copies=numbers.whole(result.copies)))
    before = result.text.removesuffix("".join(result.written))[-LONGEST:]
    copies = (f":blue-background[{plain(text)}]" if number % 2 else plain(text) for number, text in enumerate(result.written, 1))
    st.markdown(f":gray[{plain(before)}] {' '.join(copies)}")
    draw_copies(result)
    if result.remedies:
        draw_remedies(result)
    elif result.done:
        st.caption(_("The context is full here, so nothing can be tried from this place. Use a shorter prompt."))
    if result.attending:
        draw_heads(result)


def draw_own_price(result: Looping) -> None:
    """Draw what the visitor's settings cost, with which the text did not loop."""
    changed, usual = result.own, result.usual
    assert changed is not None and usual is not None
    elements.section(_("What your settings cost elsewhere"), _("on a text that was never in the training"))
    head = ("", _("log-prob\u00adability"), _("made impossible"), _("facts"))
    rows = [(_("your settings"), *_price(changed)), (_("none of them"), *_price(usual))]
    elements.table(head, rows)
    st.caption(f"{_about_price(result)} {_('To see why it would loop, choose the likeliest token.')}")


def draw_copies(result: Looping) -> None:
    """Draw the probability of every token in every copy, and the means of each copy."""
    rises = result.each[-1].mean > result.each[0].mean
    title = _("Each copy makes the next one likelier") if rises else _("How likely each copy is")
    elements.section(title, _("probability of the copied tokens"))
    alt_text = _("The model's probability of each token of the loop, a line for each copy.")
    st.caption(_("A line for each copy: the first is the palest, the newest the darkest."))
    with st.container(key="detail_looping"):
        chart.draw(looping_charts.copies, looping_charts.copy_rows(result), key="looping_copies_chart", title=alt_text, alt_text=alt_text)
    head = (_("copy"), _("mean probability"), _("tokens that became likelier"), _("tokens that are the likeliest"), _("entropy"))
    rows = [
        (
            numbers.whole(number),
            numbers.percent(each.mean),
            numbers.percent(each.risen),
            numbers.percent(each.likeliest),
            numbers.bits(each.entropy),
        )
        for number, each in enumerate(result.each, 1)
    ]
    elements.table(head, rows)
    first, last = result.each[0].mean, result.each[-1].mean
    sentence = (
        _("The mean probability rises from {first} in the first copy to {last} in the last one.")
        if rises
        else _("The mean probability does not rise: it is {first} in the first copy and {last} in the last one.")
    )
    st.caption(sentence.format(first=numbers.percent(first), last=numbers.percent(last)))


def draw_remedies(result: Looping) -> None:
    """Draw what every remedy does from the same place, with the same dice, and its price, the lowest first."""
    elements.section(_("What ends it, and what that costs"), _("same place, same dice, one batch"))
    usual = result.usual
    assert usual is not None
    ending = [tried for tried in result.remedies if tried.ends_it]
    if usual.left_at is not None:
        st.markdown(_("Without a remedy the text leaves the loop by itself after {tokens}.").format(tokens=numbers.tokens(usual.left_at)))
    counts = {"count": numbers.whole(len(ending)), "total": numbers.whole(len(result.remedies))}
    sentence = _("{count} of {total} remedies end the loop.").format(**counts)
    if ending:
        cheapest = _("The lowest price has {remedy}: it stands first. The others follow, each setting with its best value.")
        sentence = f"{sentence} {cheapest.format(remedy=f'**{_name(result.sorted_remedies()[0])}**')}"
    st.markdown(sentence)
    without = _("Without a remedy: {usual}, {told} facts.")
    usual_price = without.format(usual=numbers.decimal(usual.log_probability, 2), told=numbers.whole(usual.facts))
    st.caption(f"{_about_price(result)} {usual_price}")
    head = (_("remedy"), _("leaves the loop at token"), _("log-prob\u00adability"), _("made impossible"), _("facts"), _("what it writes"))
    tried = result.sorted_remedies()
    best = {remedy.setting: remedy for remedy in reversed(tried)}.values()  # of each setting the one that stands first
    elements.table(head, [_row(remedy) for remedy in tried if remedy in best], ends_in_text=True)
    if ending:
        most = min(ending, key=lambda remedy: remedy.log_probability)
        sentence = _("By the log-probability **{remedy}** costs most: {price} instead of {usual}, and {told} of {facts} facts.")
        values = {"remedy": _name(most), "price": numbers.decimal(most.log_probability, 2), "told": numbers.whole(most.facts)}
        st.markdown(sentence.format(usual=numbers.decimal(usual.log_probability, 2), facts=numbers.whole(result.facts), **values))
    with st.expander(_("All {count} values").format(count=numbers.whole(len(tried)))):
        elements.table(head, map(_row, tried), ends_in_text=True)
    elements.table_button(lambda: csv_text(pd.DataFrame(result.remedies)), "remedies.csv", "looping_csv")


def _row(tried: Remedy) -> tuple[str, ...]:
    left = numbers.whole(tried.left_at) if tried.left_at is not None else _("never")
    if tried.left_at is not None and tried.again:
        left = _("{left}, into a loop of {tokens}").format(left=left, tokens=numbers.tokens(tried.again))
    text = " ".join(tried.text.split())
    shown = text if len(text) <= SHOWN_TEXT else f"{text[:SHOWN_TEXT]}…"
    return _name(tried), left, *_price(tried), plain(shown).replace("|", "\\|")


def _name(tried: Remedy) -> str:
    return f"{_(SETTINGS[tried.setting].short)} {numbers.short(tried.value)}"


def _price(tried: Remedy) -> tuple[str, str, str]:
    return numbers.decimal(tried.log_probability, 2), numbers.percent(tried.excluded), numbers.whole(tried.facts)


def _about_price(result: Looping) -> str:
    """Say how a price is measured, and how it is read."""
    sentence = _(
        "The price is measured on a text that was never in the training: the mean logarithm of its tokens' probabilities (nearer to 0 is "
        "better), the share of its tokens that become impossible, and how many of {facts} facts stay the likeliest answer. A cut-off can "
        "look better than nothing, because the tokens that it makes impossible are not in the mean. Greedy settings are priced at "
        "temperature 1. Greedy ignores top-p, min-p and XTC, so they are tried at temperature 1 or more."
    )
    return sentence.format(facts=numbers.whole(result.facts))


def draw_heads(result: Looping) -> None:
    """Say which heads look at the earlier copy, and whether the loop goes on without them."""
    elements.section(_("Which attention heads copy?"), _("heads that look behind the earlier copy"))
    head = (_("layer and head"), _("attention to the token to copy"))
    rows = [
        (
            _("layer {layer}, head {head}").format(layer=numbers.whole(layer + 1), head=numbers.whole(head_number + 1)),
            numbers.percent(share),
        )
        for (layer, head_number), share in result.attending
    ]
    elements.table(head, rows)
    ending, others = result.ending_heads, result.others_off
    if ending is not None:
        counts = {"count": numbers.whole(len(ending.heads)), "tokens": numbers.tokens(ending.left_at or 0)}
        sentence = _("With the first {count} of them switched off the text leaves the loop after {tokens}.").format(**counts)
        if result.has_induction_heads:
            also = _("With as many heads that attend least it goes on: the first ones are induction heads of this loop.")
            sentence = f"{sentence} {also}"
        elif others is not None:
            also = _("With as many heads that attend least it leaves it, too, after {tokens}: so the first ones may not make the loop.")
            sentence = f"{sentence} {also.format(tokens=numbers.tokens(others.left_at or 0))}"
        st.markdown(sentence)
    elif result.switched_off:
        sentence = _("Also with {count} of them switched off the loop goes on, so they alone do not make it.")
        st.markdown(sentence.format(count=numbers.whole(len(result.switched_off[-1].heads))))


def many_view() -> None:
    """Draw how often texts loop, by temperature, for the model and its pupil."""
    names = [current.model_name()]
    mini = f"{current.model_name()}-mini"
    names += [mini] if mini in current.model_names() else []
    with st.container(horizontal=True, vertical_alignment="bottom", key="looping_runs_controls"):
        texts = elements.choice(_("Texts"), TEXTS, 24, "looping_texts")
        now = provenance.now(counted_texts=texts, prompt=False, settings=False)
        begin = results.starter(MANY, now, lambda: looping_runs([current.model_named(name) for name in names], runs=texts))
        results.start_button(MANY, _("Write them"), begin, type="primary", icon=":material/all_inclusive:")
    results.part(MANY, now, begin, draw_many, _("Press the button: each model writes texts of 150 tokens at four temperatures."))


def draw_many(run: Experiment) -> None:
    """Draw the share of texts that ended in a loop."""
    table = looping_charts.run_rows(run.observations)
    models = list(dict.fromkeys(observation.model for observation in run.observations))
    colours = tuple(zip(("dice", "other"), map(offered_models.title, models), strict=False))
    alt_text = _("The share of texts that end in a loop, by temperature, with 95 % intervals.")
    chart.draw(looping_charts.loops, table, key="looping_runs_chart", title=alt_text, alt_text=alt_text, legend=colours)
    legend(*colours)
    newest = list({(observation.model, observation.temperature): observation for observation in run.observations}.values())
    head = (_("model"), _("temperature"), _("in a loop"), _("95 % interval"))
    elements.table(
        head,
        [
            (
                plain(offered_models.title(seen.model)),
                numbers.short(seen.temperature),
                _("{loops} of {runs} texts").format(loops=numbers.whole(seen.loops), runs=numbers.whole(seen.runs)),
                f"{numbers.percent(seen.interval[0])} – {numbers.percent(seen.interval[1])}",
            )
            for seen in newest
        ],
    )


frame.header(
    _("Why does it loop?"),
    _("repetition"),
    _("Models fall into repeating themselves. See how each copy makes the next one likelier, and what ends the loop at the lowest price."),
)
linked_controls.read(LINKED, of_sidebar=True)
with drawing_boundary():
    wanted = results.view(LOOP_VIEWS, "looping_view")
    (many_view if wanted == LOOP_VIEWS[1] else one_view)()
linked_controls.write(LINKED)
