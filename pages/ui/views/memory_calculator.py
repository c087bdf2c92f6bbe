"""Memory calculator for KV caches: any known model on any known card, how many readers fit, and why."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from core.costs.formulas import CARDS, MODELS, ModelShape, cache_bytes, readers_that_fit, weight_bytes
from core.language import N_, _
from pages.ui.charts import charts, cost_charts, palette
from pages.ui.charts.legend import legend
from pages.ui.i18n import numbers
from pages.ui.session import current, elements
from pages.ui.session.state import PERSISTENT

LENGTHS = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000)
THIS = "this model"


def calculator() -> None:
    """Any known model on any known card: how many readers, and why."""
    elements.section(_("How many readers fit?"), _("weights and notepads in one memory"))
    st.caption(_("The same formula as above, for models you have heard of. Shapes as published; memory as on the card's data sheet."))
    shapes: dict[str, ModelShape] = {name: known.shape for name, known in MODELS.items()}
    if (own := getattr(current.model(), "shape", None)) is not None:
        shapes = {THIS: own, **shapes}
    titles = {THIS: current.model().name} | {name: known.title for name, known in MODELS.items()}
    one, two, three = st.columns(3, gap="medium")
    name = one.selectbox(
        _("Model"),
        list(shapes),
        index=list(shapes).index("llama-3.1-8b"),
        key="memory_model",
        format_func=lambda key: titles[key],
        **PERSISTENT,
    )
    card = CARDS[
        two.selectbox(_("Card"), list(CARDS), index=1, key="memory_card", format_func=lambda key: _(CARDS[key].title), **PERSISTENT)
    ]
    shape = shapes[name]
    tokens = three.select_slider(
        _("Text of each reader"), LENGTHS, value=8_000, key="memory_context", format_func=numbers.tokens, **PERSISTENT
    )
    one, two, _rest = st.columns(3, gap="medium")
    shipped = N_("as shipped")
    bits: tuple[str | int, ...] = (shipped, 16, 8, 4)
    weights: Any = (
        one.segmented_control(
            _("Bits per weight"),
            bits,
            default=shipped,
            format_func=lambda one: _(str(one)),
            key="memory_weights",
            required=True,
            **PERSISTENT,
        )
        or shipped
    )
    notes = (
        two.segmented_control(_("Bits per number in the notepad"), (16, 8, 4), default=16, key="memory_notes", required=True, **PERSISTENT)
        or 16
    )
    model = current.model()
    own_item = model.weight_bytes / max(1, model.parameter_count)
    item = (MODELS[name].item_size if name in MODELS else own_item) if isinstance(weights, str) else float(weights) / 8
    verdict(shape, _(card.title), card.memory_bytes, int(tokens), item, notes / 8)
    if isinstance(weights, str) and name in MODELS and MODELS[name].expert_bits != MODELS[name].other_bits:
        st.caption(
            _(
                "As its maker ships it: {experts} bits for each weight of an expert (MXFP4, scales included), {others} for all others."
            ).format(experts=numbers.short(MODELS[name].expert_bits), others=numbers.short(MODELS[name].other_bits))
        )


def verdict(shape: ModelShape, card: str, memory: int, tokens: int, weight_item: float, item: float) -> None:
    """How many fit, as a sentence, as a bar, as a formula."""
    readers = readers_that_fit(shape, memory, tokens, weight_item, item)
    taken, each = weight_bytes(shape, weight_item), cache_bytes(shape, tokens, item)
    said = {
        "weights": numbers.size(taken),
        "card": card,
        "memory": numbers.size(memory),
        "context": numbers.whole(tokens),
        "readers": numbers.whole(readers),
    }
    if taken > memory:
        sentence = _("**Not even one.** The weights alone take {weights}, and {card} holds {memory}.")
    elif readers == 0:
        sentence = _("**Nobody.** The weights fit ({weights}), but one notepad of {context} tokens takes {each}, and {free} are left.")
        said |= {"each": numbers.size(each), "free": numbers.size(memory - taken)}
    else:
        sentence = (
            _("**One reader** at a time, with {context} tokens.")
            if readers == 1
            else _("**{readers} readers** at once, each with {context} tokens.")
        )
    st.markdown(f"### {sentence.format(**said)}")
    charts.draw(
        cost_charts.memory_bar, shelf(memory, taken, each, readers), key="memory_shelf", alt_text=sentence.format(**said).replace("*", "")
    )
    colours = palette.of(charts.theme())
    legend(
        (colours.muted_text, _("weights, {size}").format(size=numbers.size(taken))),
        (colours.computed, _("one notepad, {size}").format(size=numbers.size(each))),
        (colours.line, _("free")),
    )
    window = (
        _("; {count} of its layers keep only the last {window} tokens").format(
            count=shape.window_layers, window=numbers.whole(shape.window)
        )
        if shape.window
        else ""
    )
    numbers_kept = (
        _("{heads} KV heads × ({key} + {value})").format(heads=shape.kv_head_count, key=shape.key_size, value=shape.value_size)
        if not shape.latent_size
        else str(shape.latent_size)
    )
    st.caption(
        _("{layers} layers × {numbers} numbers × {item} bytes = **{each}** a token{window}").format(
            layers=shape.attention_layers,
            numbers=numbers_kept,
            item=numbers.short(item),
            each=numbers.size(cache_bytes(shape, 1, item)),
            window=window,
        )
    )
    if tokens > shape.context_length:
        st.caption(
            _("This model was trained for {limit} tokens at most; longer texts would fit into memory, not into the model.").format(
                limit=numbers.whole(shape.context_length)
            )
        )


def shelf(memory: int, taken: int, each: int, readers: int) -> pd.DataFrame:
    """The memory from left to right, as shares of the whole."""
    rows: list[tuple[float, float, str, str]] = [
        (0.0, min(1.0, taken / memory), "weights" if taken <= memory else "over", numbers.size(taken))
    ]
    shown = min(readers, 120)
    width = each * readers / memory / shown if shown else 0.0
    start = rows[0][1]
    for index in range(shown):
        rows.append(
            (
                start + index * width,
                start + (index + 1) * width,
                "notepads",
                _("reader {number}").format(number=index + 1)
                if shown == readers
                else _("{count} readers").format(count=numbers.whole(readers)),
            )
        )
    end = start + shown * width
    rows.append((end, 1.0, "free", numbers.size(max(0, memory - taken - each * readers))))
    return pd.DataFrame(rows, columns=["start", "end", "part", "tip"])
