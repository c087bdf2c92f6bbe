"""What the page of pupil and teacher draws: a text that two models judged, both odds at one place, and figures."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from core.experiments.cascade import CascadeToken
from core.experiments.two_models import JudgedParts, JudgedToken, ModelFigures, Side, side
from core.language import N_, _
from pages.ui.charts import charts, palette, serving_charts
from pages.ui.charts.legend import legend
from pages.ui.charts.palette import DARKEST
from pages.ui.charts.token_text import Word, shown
from pages.ui.components.scored_text.scored_text import scored_text
from pages.ui.i18n import numbers
from pages.ui.server import loaded_models
from pages.ui.session import elements

ROWS = {
    "parameters": N_("parameters"),
    "bits": N_("surprise at this text, a token"),
    "speed": N_("time for a token · tokens a second"),
    "bytes": N_("weights"),
    "cache": N_("notepad for this text (computed)"),
    "work": N_("multiply-adds for a token (computed)"),
}


DEEPEST = 6.0  # bits of difference beyond which a piece is tinted no deeper


LEAST = 0.05  # bits of surprise; less is not worth a number below a piece


def named(name: str) -> str:
    """A model as a person calls it."""
    return loaded_models.title(name)


def bits(value: float) -> str:
    """Bits of surprise in two figures, short enough to stand below a piece."""
    return "∞" if math.isinf(value) else numbers.decimal(value, 1)


def word(one: JudgedToken, names: tuple[str, str]) -> Word:
    """A piece with both surprises below, tinted by who had expected it more."""
    mine, theirs = one.writer, one.judge
    text = shown(one.text, one.piece, one.raw)
    if theirs is None:
        lines = (card(names[0], mine.probability, mine.surprise, mine.rank),)
        return Word(text, head=f"id {one.token_id}", lines=lines, below=bits(mine.surprise))
    apart = theirs.surprise - mine.surprise
    depth = DARKEST * min(1.0, abs(apart) / DEEPEST) if math.isfinite(apart) else DARKEST
    both = list(zip(names, (mine, theirs), strict=True))
    told = [card(name, seen.probability, seen.surprise, seen.rank) for name, seen in both]
    told += [_("favourite of {name}: {piece}").format(name=name, piece=seen.favourite) for name, seen in both if seen.rank > 1]
    below = f"{bits(mine.surprise)} · {bits(theirs.surprise)}" if max(mine.surprise, theirs.surprise) >= LEAST else ""
    return Word(text, "dice" if apart > 0 else "other", depth, head=f"id {one.token_id}", lines=tuple(told), below=below)


def card(name: str, share: float, surprise: float, rank: int) -> str:
    """What one model made of a piece, in one line."""
    return _("{name}: {share}, {bits}, its choice no. {rank}").format(
        name=name, share=numbers.percent(share), bits=numbers.bits(surprise), rank=numbers.whole(rank)
    )


def place_looked_at(seen: list[JudgedToken], running: bool) -> int:
    """Which place's odds are shown: the newest while it runs, afterwards the chosen one, at first where the two differ most."""
    count = len(seen)
    if running or count < 2:
        return count - 1
    least = min(range(count), key=lambda place: seen[place].overlap)
    return (
        int(
            st.slider(
                _("Place in the text"),
                1,
                count,
                least + 1,
                key=f"pupil_place_{count}",
                help=_("Which piece's odds are shown. At first the place where the two differ most."),
            )
        )
        - 1
    )


def odds(one: JudgedToken, names: tuple[str, str]) -> None:
    """Both odds of one place, mirrored."""
    assert one.judge is not None
    colours = palette.of(charts.theme())
    legend((colours.dice, names[0]), (colours.other, names[1]))
    table = pd.DataFrame(
        [
            {
                "place": number,
                "piece": piece,
                "left": mine,
                "right": theirs,
                "left_label": numbers.percent(mine),
                "right_label": numbers.percent(theirs),
                "chosen": number == one.place,
            }
            for number, (piece, mine, theirs) in enumerate(zip(one.pieces, one.writer_odds, one.judge_odds, strict=True))
        ]
    )
    told = "; ".join(f"{row.piece} {row.left_label} {row.right_label}" for row in table.itertuples())
    charts.draw(serving_charts.mirrored, table, key="pupil_odds", alt_text=f"{_('One place, both odds')}: {told}", rows=len(table))
    st.caption(
        _("{share} of their odds are the same here (overlap). How unsure they are: {writer} and {judge} (entropy).").format(
            share=numbers.percent(one.overlap), writer=numbers.bits(one.writer.entropy), judge=numbers.bits(one.judge.entropy)
        )
    )


def figures(seen: list[JudgedToken], names: tuple[str, str], models: tuple[ModelFigures, ModelFigures], prompt_tokens: int) -> None:
    """What each of them is and costs, and what it made of the text."""
    elements.section(_("In figures"), _("measured, unless it says computed"))
    judged = [one for one in seen if one.judge is not None]
    if judged:
        same = sum(one.agreed for one in judged)
        overlap = sum(one.overlap for one in judged) / len(judged)
        share = numbers.percent(same / len(judged))
        st.markdown(
            _("Same favourite at **{same} of {count}** places ({share}); on average {overlap} of their odds are the same.").format(
                same=same, count=len(judged), share=share, overlap=numbers.percent(overlap)
            )
        )
    context = prompt_tokens + len(seen)
    sides = [side(models[0], [one.writer for one in seen], context)]
    if judged:
        sides.append(side(models[1], [one.judge for one in judged if one.judge is not None], context))
    columns = [_column(one) for one in sides]
    lines = "\n".join(f"| {name} | " + " | ".join(column[at] for column in columns) + " |" for at, name in enumerate(map(_, ROWS.values())))
    head = "| | " + " | ".join(names[: len(sides)]) + " |\n|---|" + "---:|" * len(sides)
    st.markdown(f"{head}\n{lines}")
    if judged and len(sides) == 2 and all(math.isfinite(one.bits_per_token) for one in sides):
        more = sides[1].bits_per_token - sides[0].bits_per_token
        said = (
            _(
                "The text is {writer}'s own, so it has the easier part: the fair question is how much more "
                "surprise {judge} has. Here it is {more} more a token."
            )
            if more >= 0
            else _("Here {judge}, who did not write the text, is even less surprised than {writer}, by {more} a token.")
        )
        st.caption(said.format(writer=names[0], judge=names[1], more=numbers.bits(abs(more))))


def _column(one: Side) -> list[str]:
    speed = "–"
    if one.seconds_per_token:
        speed = f"{numbers.duration(one.seconds_per_token)} · {numbers.whole(1 / one.seconds_per_token)}"
    return [
        numbers.count(one.parameters),
        numbers.bits(one.bits_per_token),
        speed,
        numbers.size(one.weight_bytes),
        numbers.size(one.cache_bytes),
        numbers.count(one.multiply_adds),
    ]


def parts(found: JudgedParts, names: tuple[str, str]) -> None:
    """Two models with different tokens, by the character."""
    elements.section(_("The text, part by part"), _("surprise per character"))
    told = []
    for one in found.parts:
        mine, theirs = one.writer_bits / len(one.text), one.judge_bits / len(one.text)
        depth = DARKEST * min(1.0, abs(one.difference) / (DEEPEST / 3))
        lines = tuple(
            _("{name}: {bits} bits a character").format(name=name, bits=numbers.decimal(value, 2))
            for name, value in zip(names, (mine, theirs), strict=True)
        )
        colour, below = "dice" if one.difference > 0 else "other", f"{numbers.decimal(mine, 1)} · {numbers.decimal(theirs, 1)}"
        told.append(Word(one.text.replace(" ", "␣"), colour, depth, lines=lines, below=below))
    scored_text(told, key="pupil_parts", alt_text=_("The text, part by part"), size="1.15rem")
    characters = sum(len(one.text) for one in found.parts)
    if characters:
        mine = sum(one.writer_bits for one in found.parts) / characters
        theirs = sum(one.judge_bits for one in found.parts) / characters
        said = _(
            "The two cut text into different tokens. So only parts are compared at whose ends both have "
            "an end, by the character: {writer} needs {mine} a character, {judge} {theirs}."
        ).format(writer=names[0], judge=names[1], mine=numbers.bits(mine), theirs=numbers.bits(theirs))
        st.caption(said)


def surprises(seen: list[JudgedToken]) -> None:
    """Both models' surprise along the text."""
    most = 40.0
    table = pd.DataFrame(
        [
            {
                "place": one.index + 1,
                "up": min(most, one.writer.surprise),
                "down": min(most, one.judge.surprise),
                "tip": f"{one.piece}  {bits(one.writer.surprise)} · {bits(one.judge.surprise)}",
            }
            for one in seen
            if one.judge is not None
        ]
    )
    charts.draw(serving_charts.two_surprises, table, key="pupil_surprises", alt_text=_("Surprise along the text"))


def piece_of(one: CascadeToken) -> str:
    return one.text.replace(" ", "␣").replace("\n", "↵")


def told_of(one: CascadeToken) -> str:
    who = _("written by the large one") if one.by_large else _("written by the small one")
    return who if math.isnan(one.entropy) else _("{who}; {bits} of doubt").format(who=who, bits=numbers.bits(one.entropy))
