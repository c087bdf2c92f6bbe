"""Memory calculator for KV caches: any known model on any known card, how many readers fit, and why."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from core.costs.formulas import CARDS, MODELS, ModelShape, cache_bytes, readers_that_fit, weight_bytes
from pages.parts.charts import charts, cost_charts
from pages.parts.layout import frame, palette
from pages.parts.session import current
from pages.parts.session.state import STAYS
from pages.parts.text import cost_words as words
from pages.parts.text import numbers

LENGTHS = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000)
THIS = "this model"


def calculator() -> None:
    """Any known model on any known card: how many readers, and why."""
    frame.section(words.CALCULATOR, words.CALCULATOR_TERM)
    st.caption(words.CALCULATOR_LEAD)
    shapes: dict[str, ModelShape] = {name: known.shape for name, known in MODELS.items()}
    if (own := getattr(current.model(), "shape", None)) is not None:
        shapes = {THIS: own, **shapes}
    titles = {THIS: current.model().name} | {name: known.title for name, known in MODELS.items()}
    one, two, three = st.columns(3, gap="medium")
    name = one.selectbox(
        "Model", list(shapes), index=list(shapes).index("llama-3.1-8b"), key="memory_model", format_func=lambda key: titles[key], **STAYS
    )
    card = CARDS[two.selectbox("Card", list(CARDS), index=1, key="memory_card", format_func=lambda key: CARDS[key].title, **STAYS)]
    shape = shapes[name]
    tokens = three.select_slider(
        "Text of each reader", LENGTHS, value=8_000, key="memory_context", format_func=lambda n: f"{n:,} tokens", **STAYS
    )
    one, two, _ = st.columns(3, gap="medium")
    shipped = words.AS_SHIPPED
    bits: tuple[str | int, ...] = (shipped, 16, 8, 4)
    weights: Any = one.segmented_control("Bits per weight", bits, default=shipped, key="memory_weights", required=True, **STAYS) or shipped
    notes = (
        two.segmented_control("Bits per number in the notepad", (16, 8, 4), default=16, key="memory_notes", required=True, **STAYS) or 16
    )
    model = current.model()
    own_item = model.weight_bytes / max(1, model.parameter_count)
    item = (MODELS[name].item_size if name in MODELS else own_item) if isinstance(weights, str) else float(weights) / 8
    verdict(shape, card.title, card.memory_bytes, int(tokens), item, notes / 8)
    if isinstance(weights, str) and name in MODELS and MODELS[name].expert_bits != MODELS[name].other_bits:
        st.caption(words.SHIPPED.format(experts=f"{MODELS[name].expert_bits:g}", others=f"{MODELS[name].other_bits:g}"))


def verdict(shape: ModelShape, card: str, memory: int, tokens: int, weight_item: float, item: float) -> None:
    """How many fit, as a sentence, as a bar, as a formula."""
    readers = readers_that_fit(shape, memory, tokens, weight_item, item)
    taken, each = weight_bytes(shape, weight_item), cache_bytes(shape, tokens, item)
    said = {
        "weights": numbers.size(taken),
        "card": card,
        "memory": numbers.size(memory),
        "context": f"{tokens:,}",
        "readers": f"{readers:,}",
    }
    if taken > memory:
        sentence = words.FITS_NONE
    elif readers == 0:
        sentence = words.FITS_TIGHT
        said |= {"each": numbers.size(each), "free": numbers.size(memory - taken)}
    else:
        sentence = words.FITS_ONE if readers == 1 else words.FITS
    st.markdown(f"### {sentence.format(**said)}")
    charts.draw(
        cost_charts.shelf, shelf(memory, taken, each, readers), key="memory_shelf", alt_text=sentence.format(**said).replace("*", "")
    )
    colours = palette.of(charts.theme())
    frame.legend(
        (colours.removed, f"weights, {said['weights']}"), (colours.computed, f"one notepad, {numbers.size(each)}"), (colours.line, "free")
    )
    window = words.WINDOWED.format(count=shape.window_layers, window=f"{shape.window:,}") if shape.window else ""
    numbers_kept = (
        f"{shape.kv_head_count} KV heads × ({shape.key_size} + {shape.value_size})" if not shape.latent_size else str(shape.latent_size)
    )
    st.caption(
        words.FORMULA.format(
            layers=shape.attention_layers,
            numbers=numbers_kept,
            item=f"{item:g}",
            each=numbers.size(cache_bytes(shape, 1, item)),
            window=window,
        )
    )
    if tokens > shape.context_length:
        st.caption(words.BEYOND.format(limit=f"{shape.context_length:,}"))


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
                f"reader {index + 1}" if shown == readers else f"{readers:,} readers",
            )
        )
    end = start + shown * width
    rows.append((end, 1.0, "free", numbers.size(max(0, memory - taken - each * readers))))
    return pd.DataFrame(rows, columns=["start", "end", "part", "tip"])
