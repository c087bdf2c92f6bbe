"""Memory calculator: how many requests with their KV caches fit beside the weights of a known model on a known card."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from core.costs.operations_and_bytes import CARDS, MODELS, ModelShape, cache_bytes, readers_that_fit, weight_bytes
from core.engine.kv_cache.quantized import GROUP
from pages.ui.charts import cost_charts
from pages.ui.charts.css_colours import legend
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, _
from pages.ui.session import current, elements, provenance
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.provenance import Provenance
from pages.ui.views import chart

LENGTHS = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000)
THIS = "this model"
SHIPPED = N_("as shipped")
MOST_DRAWN = 120  # caches drawn one by one


def weight_item(bits: int) -> float:
    """Return the bytes per weight; rounded weights share a scale of 16 bits per group of 32.

    >>> weight_item(16), 8 * weight_item(4)
    (2.0, 4.5)
    """
    return (bits + (16 / GROUP if bits < 16 else 0)) / 8


def cache_item(bits: int) -> float:
    """Return the bytes per number of the KV cache; rounded numbers share a scale and a lowest value of 16 bits each per group of 32.

    >>> cache_item(16), 8 * cache_item(4)
    (2.0, 5.0)
    """
    return (bits + (32 / GROUP if bits < 16 else 0)) / 8


def calculator() -> None:
    """Draw the controls and the result."""
    elements.section(_("How many requests fit?"), _("weights and KV caches in one memory"))
    st.caption(_("Model shapes and card memory are published values. Below 16 bits, one scale for every 32 numbers is counted, too."))
    model = current.model()
    shapes: dict[str, ModelShape] = {name: published.shape for name, published in MODELS.items()}
    if (shape := model.known_shape) is not None:
        shapes = {THIS: shape, **shapes}
    titles = {THIS: model.name} | {name: published.title for name, published in MODELS.items()}
    left, middle, right = st.columns(3, gap="medium")
    usual, title = list(shapes).index("llama-3.1-8b"), titles.__getitem__
    name = left.selectbox(_("Model"), list(shapes), index=usual, key="calculator_model", format_func=title, **PERSISTENT)
    with left:
        bits = elements.choice(_("Bits per weight"), (SHIPPED, "16", "8", "4"), SHIPPED, "calculator_weights", format_func=_)
    card_title = lambda key: _(CARDS[key].title)  # noqa: E731 (a short format function)
    card = CARDS[middle.selectbox(_("Card"), list(CARDS), index=1, key="calculator_card", format_func=card_title, **PERSISTENT)]
    with middle:
        cache_bits = elements.choice(_("Bits per number in the KV cache"), (16, 8, 4), 16, "calculator_cache")
    widget_options = {"format_func": numbers.tokens, **PERSISTENT}
    tokens = int(right.select_slider(_("Tokens of each request"), LENGTHS, value=8_000, key="calculator_context", **widget_options))
    if bits != SHIPPED:
        item = weight_item(int(bits))
    else:
        item = MODELS[name].item_size if name in MODELS else model.weight_bytes / max(1, model.parameter_count)
    by = Provenance(title(name), controls=provenance.stored(card=_(card.title), tokens=numbers.tokens(tokens)))
    with provenance.of_result(by):
        result(shapes[name], _(card.title), card.memory_bytes, tokens, item, cache_item(cache_bits))
    if bits == SHIPPED and name in MODELS and MODELS[name].expert_bits != MODELS[name].other_bits:
        shipped = _("As published: {experts} bits for each weight of an expert (MXFP4, scales included), {others} for all others.")
        st.caption(shipped.format(experts=numbers.short(MODELS[name].expert_bits), others=numbers.short(MODELS[name].other_bits)))


def result(shape: ModelShape, card: str, memory: int, tokens: int, weight: float, item: float) -> None:
    """Draw how many requests fit, as a sentence, a bar and a formula. weight, item: bytes per weight and per number of the cache."""
    requests = readers_that_fit(shape, memory, tokens, weight, item)
    taken, each = weight_bytes(shape, weight), cache_bytes(shape, tokens, item)
    is_bounded = each > 0  # neither NaN, which is not known, nor 0 of a model without a cache
    sentence = answer(requests, taken, each, card, memory, tokens)
    st.markdown(f"### {sentence}")
    kinds = (
        ("muted_text", _("weights, {size}").format(size=numbers.size(taken))),
        ("computed", _("one KV cache, {size}").format(size=numbers.size(each))),
        ("line", _("free")),
    )
    rows = shelf(memory, taken, each if is_bounded else 0.0, requests if is_bounded else 0)
    chart.draw(cost_charts.memory_bar, rows, key="calculator_shelf", alt_text=sentence.replace("*", ""), legend=kinds)
    legend(*kinds)
    if is_bounded:
        st.caption(formula(shape, item))
    if tokens > shape.context_length:
        longer = _("This model was trained for at most {limit} tokens. Longer texts fit into the memory, but not into the model.")
        st.caption(longer.format(limit=numbers.whole(shape.context_length)))


def answer(requests: int, taken: int, each: float, card: str, memory: int, tokens: int) -> str:
    """Return how many requests fit, as a sentence. taken, each: bytes of the weights and of one KV cache; NaN: not known."""
    if taken > memory:
        sentence = _("**None.** The weights alone take {weights}, and {card} has {memory}.")
    elif math.isnan(each):
        sentence = _(
            "**Not known for this architecture**, whose KV cache follows no formula. The weights take {weights}, and {free} are free."
        )
    elif not each:
        sentence = _("**Any number**, because this model runs without a KV cache. The weights take {weights}, and {free} are free.")
    elif requests == 0:
        sentence = _("**None.** The weights fit ({weights}), but one KV cache of {context} tokens takes {each}, and {free} are free.")
    elif requests == 1:
        sentence = _("**One request** at a time, with {context} tokens.")
    else:
        sentence = _("**{requests} requests** at once, each with {context} tokens.")
    return sentence.format(
        weights=numbers.size(taken),
        card=card,
        memory=numbers.size(memory),
        context=numbers.whole(tokens),
        requests=numbers.whole(requests),
        each=numbers.size(each),
        free=numbers.size(max(0, memory - taken)),
    )


def formula(shape: ModelShape, item: float) -> str:
    """Return the bytes per token as a formula."""
    per_layer = _("{heads} KV heads × ({key} + {value})").format(heads=shape.kv_head_count, key=shape.key_size, value=shape.value_size)
    if shape.latent_size or any(
        group.cached_numbers != shape.kv_head_count * (shape.key_size + shape.value_size) for group in shape.attention
    ):
        per_layer = numbers.short(shape.cache_numbers_per_token / max(1, shape.attention_layers))
    window = ""
    windows = [group for group in shape.attention if group.window]
    if windows:
        window = _("; {count} of its layers keep only the last {window} tokens").format(
            count=sum(group.layer_count for group in windows if group.cached_numbers), window=numbers.whole(windows[0].window or 0)
        )
    if shape.state_numbers:
        window += _("; recurrent states add {size}, however long the text is").format(size=numbers.size(shape.state_numbers * item))
    return _("{layers} layers × {numbers} numbers × {item} bytes = **{each}** per token{window}").format(
        layers=shape.attention_layers,
        numbers=per_layer,
        item=numbers.short(item),
        each=numbers.size(shape.cache_numbers_per_token * item),
        window=window,
    )


def shelf(memory: int, taken: int, each: float, requests: int) -> pd.DataFrame:
    """Return the parts of the memory from left to right, as fractions of the whole."""
    start = min(1.0, taken / memory)
    rows: list[tuple[float, float, str, str]] = [(0.0, start, "weights" if taken <= memory else "over", numbers.size(taken))]
    drawn = min(requests, MOST_DRAWN)
    width = each * requests / memory / drawn if drawn else 0.0
    for index in range(drawn):
        request_label = _("request {number}").format(number=index + 1)
        tip = request_label if drawn == requests else _("{count} requests").format(count=numbers.whole(requests))
        rows.append((start + index * width, start + (index + 1) * width, "notepads", tip))
    rows.append((start + drawn * width, 1.0, "free", numbers.size(max(0, memory - taken - each * requests))))
    return pd.DataFrame(rows, columns=["start", "end", "part", "tip"])
