"""Rows of the charts of why a token came, and the tinted text."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from core.experiments.ablated_heads import AblatedHeads
from core.experiments.hidden_words import HiddenPart, HiddenWords
from core.experiments.traced_fact import TracedFact
from core.inspection.attribution.logit_parts import ATTENTION, CONSTANT, EMBEDDING, FEED_FORWARD, HEAD, LogitPart
from pages.ui.charts.palette import DARKEST
from pages.ui.charts.step_tables import Word
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, _

BIT = math.log(2)  # nats
MOST_BARS = 10
SMALL = 0.05  # bits; a smaller effect has no tint
NAMES = {
    EMBEDDING: N_("embedding"),
    ATTENTION: N_("layer {layer}, attention"),
    HEAD: N_("layer {layer}, head {head}"),
    FEED_FORWARD: N_("layer {layer}, feed-forward"),
    CONSTANT: N_("constant (biases)"),
}


def text_of(seen: HiddenWords, part: HiddenPart) -> str:
    """Return the text of a hidden part, in one line."""
    return " ".join("".join(seen.texts[part.start : part.stop]).replace("␣", " ").split())


def which_of(seen: HiddenWords, part: HiddenPart) -> str:
    """Return which of several parts with the same text this one is, "" if there is one alone."""
    same = [other_part for other_part in seen.parts if text_of(seen, other_part) == text_of(seen, part)]
    if len(same) < 2:
        return ""
    number = 1 + sum(other_part.start < part.start for other_part in same)
    return " " + _("({number} of {count} in the text)").format(number=number, count=len(same))


def word_of(token: str) -> str:
    """Return a token as a word in a sentence: without the mark of its space, unless it is nothing else."""
    return token.lstrip("␣") or token


def shortened(text: str, most: int = 24) -> str:
    """Return the text, or its start and its end."""
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-most // 2 + 1 :]}"


def signed_bits(nats: float) -> str:
    """Return an effect in bits with its sign."""
    bits = nats / BIT
    sign = "" if abs(bits) < SMALL else "+" if bits > 0 else "−"
    return sign + numbers.bits(abs(bits))


def strongest(seen: HiddenWords) -> list[HiddenPart]:
    """Return the parts with the largest effects, those for the token first, then those against it; parts without effect only if all are."""
    order = sorted((part for part in seen.parts if math.isfinite(part.effect)), key=lambda part: -abs(part.effect))
    most = [part for part in order[:MOST_BARS] if abs(part.effect) >= SMALL * BIT]
    return sorted(most or order[:3], key=lambda part: -part.effect)


def effect_rows(seen: HiddenWords) -> pd.DataFrame:
    """Return the largest effects in bits. Columns: see `why_charts.signed_bars`."""
    rows = []
    for row, part in enumerate(strongest(seen)):
        without = _("without it: {share}").format(share=numbers.percent(seen.without(part)))
        rows.append(
            {
                "place": row,
                "part": f"{shortened(text_of(seen, part))}{chr(0x200B) * row}",  # equal words are different rows
                "effect": part.effect / BIT,
                "second": None if part.gradient is None else part.gradient / BIT,
                "label": signed_bits(part.effect),
                "tip": f"{signed_bits(part.effect)}; {without}",
            }
        )
    return pd.DataFrame(rows, columns=["place", "part", "effect", "second", "label", "tip"])


def effect_words(seen: HiddenWords) -> list[Word]:
    """Return the text with every hidden part tinted by its effect, and the target at its end."""
    part_of = {position: part for part in seen.parts for position in range(part.start, part.stop)}
    most = max((abs(part.effect) for part in seen.parts if math.isfinite(part.effect)), default=1.0) or 1.0
    words = []
    for position, text in enumerate(seen.texts):
        part = part_of.get(position)
        if part is None:
            words.append(Word(text))
            continue
        effect = part.effect if abs(part.effect) > SMALL * BIT else 0.0
        lines = (_("{bits} for {piece}").format(bits=signed_bits(part.effect), piece=seen.target),)
        bars = (
            (_("with it"), seen.probability, numbers.percent(seen.probability), True),
            (_("without it"), seen.without(part), numbers.percent(seen.without(part)), False),
        )
        words.append(Word.signed(text, effect, most, lines=lines, bars=bars))
    return [*words, Word(word_of(seen.target), "chosen", DARKEST, marked=True, head=numbers.percent(seen.probability))]


def effect_table(seen: HiddenWords) -> pd.DataFrame:
    """Return all hidden parts, for a file. Columns: start, stop, text, effect_bits, probability_without, gradient_bits."""
    return pd.DataFrame(
        [
            {
                "start": part.start,
                "stop": part.stop,
                "text": "".join(seen.texts[part.start : part.stop]),
                "effect_bits": part.effect / BIT,
                "probability_without": seen.without(part),
                "gradient_bits": math.nan if part.gradient is None else part.gradient / BIT,
            }
            for part in seen.parts
        ]
    )


def head_rows(seen: AblatedHeads, chosen: Sequence[tuple[int, int]]) -> pd.DataFrame:
    """Return one row per measured head. Columns: see `why_charts.head_heat`."""
    measured = [(layer, head, effect) for layer, row in enumerate(seen.effects) for head, effect in enumerate(row) if effect is not None]
    most = max((abs(effect) for _layer, _head, effect in measured), default=0.0)
    return pd.DataFrame(
        [
            {
                "layer": layer + 1,
                "head": head + 1,
                "effect": effect / BIT,
                "share": effect / most if most else 0.0,
                "name": head_name((layer, head)),
                "tip": signed_bits(effect),
                "chosen": (layer, head) in chosen,
            }
            for layer, head, effect in measured
        ]
    )


def head_name(head: tuple[int, int]) -> str:
    """Return the name of a head."""
    return _("layer {layer}, head {head}").format(layer=head[0] + 1, head=head[1] + 1)


def attention_words(seen: AblatedHeads, head: tuple[int, int]) -> list[Word]:
    """Return the text tinted by what the last position attends to in this head."""
    shares = seen.attention[head[0]][head[1]]
    return [
        Word(text, "text", 0.4 * math.sqrt(share), lines=(numbers.percent(share),)) for text, share in zip(seen.texts, shares, strict=True)
    ]


def patch_rows(seen: TracedFact, chosen: tuple[int, int]) -> pd.DataFrame:
    """Return one row per layer and column. Columns: see `why_charts.patch_heat`. chosen: layer and column."""
    rows = []
    for layer, (recovered, chances) in enumerate(zip(seen.recovered, seen.chances, strict=True)):
        for column, (share, (target_share, other_share)) in enumerate(zip(recovered, chances, strict=True)):
            rows.append(
                {
                    "row": layer,
                    "place": column,
                    "layer": str(layer) if layer else _("embedding"),
                    "column": f"{column}|{column_name(seen, column)}",
                    "effect": share,
                    "share_text": numbers.percent(min(1.0, max(0.0, share))),
                    "tip": f"{seen.target} {numbers.percent(target_share)}, {seen.other} {numbers.percent(other_share)}",
                    "chosen": (layer, column) == chosen,
                }
            )
    return pd.DataFrame(rows)


def column_name(seen: TracedFact, column: int) -> str:
    """Return the word of a column; where the prompts differ, both words."""
    clean_word, corrupted_word = (row[column].strip() or row[column] for row in (seen.clean, seen.corrupted))
    return clean_word if clean_word == corrupted_word else f"{corrupted_word} ← {clean_word}"


def part_name(part: LogitPart) -> str:
    """Return the name of a summand of a logit."""
    return _(NAMES[part.kind]).format(layer=part.layer + 1, head=part.head + 1)


def sum_rows(parts: Sequence[LogitPart]) -> pd.DataFrame:
    """Return the summands of a logit. Columns: see `why_charts.signed_bars`."""
    rows = []
    for row, part in enumerate(parts):
        label = numbers.decimal(part.value, 2)
        rows.append({"place": row, "part": part_name(part), "effect": part.value, "second": None, "label": label, "tip": label})
    return pd.DataFrame(rows, columns=["place", "part", "effect", "second", "label", "tip"])


def sum_table(parts: Sequence[LogitPart]) -> pd.DataFrame:
    """Return the summands of a logit for a file. Columns: part, logit."""
    return pd.DataFrame([{"part": part.name, "logit": part.value} for part in parts])


def head_table(seen: AblatedHeads) -> pd.DataFrame:
    """Return all heads for a file. Columns: layer, head, effect_bits."""
    return head_rows(seen, ())[["layer", "head", "effect"]].rename(columns={"effect": "effect_bits"})


def patch_table(seen: TracedFact) -> pd.DataFrame:
    """Return all fields for a file. Columns: layer (0 is the embedding), token, recovered, target_probability, other_probability."""
    return pd.DataFrame(
        [
            {
                "layer": layer,
                "token": seen.clean[column],
                "recovered": share,
                "target_probability": target_share,
                "other_probability": other_share,
            }
            for layer, (recovered, chances) in enumerate(zip(seen.recovered, seen.chances, strict=True))
            for column, (share, (target_share, other_share)) in enumerate(zip(recovered, chances, strict=True))
        ]
    )
