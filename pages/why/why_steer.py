"""What Why this token? draws of a steered run: both texts with the same dice, and how strange the steered one is."""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st

from core.experiments.why.steered_run import BROKEN, SteeredRun, steered_run
from pages.ui.experiments import results
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _
from pages.ui.session import current, elements, notices, provenance
from pages.ui.session.elements import PERSISTENT
from pages.why import OWN_LISTS

NAME = "why_steer"
LONGEST = 1_500  # characters of a list
STRONGEST = 20.0


def lines_of(text: str) -> list[str]:
    """Return the lines of a list that are not empty."""
    return [line for line in text.splitlines() if line.strip()]


def steer_view() -> None:
    """Draw the controls and the result."""
    pairs = EXAMPLES.steering
    first, second, beginning, usual_layer, usual_strength = next(iter(pairs.values()))
    with st.container(horizontal=True, vertical_alignment="center", key="why_lists"):
        st.caption(_("Try one"), width="content")
        elements.examples(pairs, ("why_more", "why_less", "why_beginning", "why_layer", "why_strength"), "why_list", type="tertiary")
    left, right = st.columns(2, gap="large")
    widget_options = {"height": 108, **PERSISTENT}
    with left:
        more = st.text_area(_("More of these, one text per line"), first, key="why_more", max_chars=LONGEST, **widget_options) or ""
    with right:
        less = st.text_area(_("Less of these, one text per line"), second, key="why_less", max_chars=LONGEST, **widget_options) or ""
    layers = current.model().shape.layer_count
    with st.container(horizontal=True, vertical_alignment="bottom", key="why_steer_controls"):
        prompt = st.text_input(_("Beginning"), beginning, key="why_beginning", max_chars=LONGEST, width=260, **PERSISTENT) or ""
        added = _("The difference is read and added after this layer.")
        if (current.field("why_layer") or 0) > layers:
            st.session_state["why_layer"] = layers
        layer = st.slider(_("Layer"), 0, layers, min(usual_layer, layers), key="why_layer", width=200, help=added, **PERSISTENT)
        turned = _("How many times the difference is added. 0: nothing changes. Below 0: the other direction.")
        widget_options = {"key": "why_strength", "width": 260, "help": turned, **PERSISTENT}
        strength = st.slider(_("Strength"), -STRONGEST, STRONGEST, usual_strength, 0.5, **widget_options)
        lists = next((title for title, texts in pairs.items() if texts[:2] == (more, less)), OWN_LISTS)
        now = provenance.now(
            lists=lists, steered_beginning=prompt, steered_layer=layer, strength=strength, texts=(more, less), prompt=False
        )

        def write() -> Iterator[SteeredRun]:
            lists = lines_of(more), lines_of(less)
            return steered_run(current.model(), prompt, *lists, int(layer), float(strength), current.settings())

        begin = results.starter(NAME, now, write)
        results.start_button(NAME, _("Write both"), begin, type="primary", icon=":material/tune:")
    results.part(NAME, now, begin, draw)


def draw(run: Experiment) -> None:
    """Draw both texts and what became of the steered one."""
    result: SteeredRun = run.observations[-1]
    if run.running:
        st.progress(result.done / result.total, text=_("{done} of {total} tokens").format(done=result.done, total=result.total))
    steered = _("with strength {strength} at layer {layer}").format(strength=numbers.decimal(result.strength, 1), layer=result.layer)
    sides = (
        (_("As usual"), _("unchanged"), result.usual, result.usual_perplexity),
        (_("Turned up"), steered, result.steered, result.steered_perplexity),
    )
    for number, (home, (title, term, text, perplexity)) in enumerate(zip(st.columns(2, gap="large"), sides, strict=True)):
        with home:
            elements.section(title, term)
            with st.container(key=f"why_steer_text_{number}"):
                space = " " if text[:1].isspace() else ""
                st.markdown(f":gray[{plain(result.prompt)}]{space}{plain(text)}")
            if perplexity is not None:
                st.caption(_("perplexity under the unchanged model: {value}").format(value=numbers.perplexity(perplexity)))
    verdict(result)


def verdict(result: SteeredRun) -> None:
    """Say when steering did nothing, or broke the text."""
    if result.usual_perplexity is None or result.steered_perplexity is None:
        return
    if result.same:
        notices.show_notice(_("Both texts are the same: at this layer and strength, the difference does nothing here. Turn it up."))
    elif result.steered_perplexity > BROKEN * result.usual_perplexity:
        notices.show_notice(_("The steered text is far less likely for the unchanged model. This strength breaks the text. Turn it down."))
    else:
        st.caption(_("Model, settings and dice are the same on both sides. Only the difference was added, at every position."))
