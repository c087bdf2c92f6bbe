"""A pupil and a teacher: two models on the same words; the small one as far as it is sure; and what it took over from the large one."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from core.labs.cascade import LARGE_ONLY, SMALL_ONLY, CascadeScore, CascadeToken, cascade
from core.labs.school_report import SchoolReport, school_reports
from core.labs.two_models import JudgedParts, JudgedToken, ModelFigures, Side, judge, side
from pages.parts.charts import charts, serving_charts
from pages.parts.components.scored_text.scored_text import Word, reading_strip, shown
from pages.parts.layout import frame, palette, prompt_field, results
from pages.parts.layout.palette import DARKEST
from pages.parts.runtime import experiment, loaded_models
from pages.parts.session import current, provenance
from pages.parts.session.state import STAYS
from pages.parts.text import numbers
from pages.parts.text import pupil_words as words

frame.page()
NAME, CASCADE, SCHOOL = "pupil", "pupil_cascade", "pupil_school"
LENGTHS = (24, 48, 96)
DEEPEST = 6.0  # bits of difference beyond which a piece is tinted no deeper
LEAST = 0.05  # bits of surprise; less is not worth a number below a piece


def now() -> provenance.Provenance:
    """What a judged text would be made with."""
    chosen = {"the pupil": named(small), "the writer": words.WROTE.format(name=named(writer)), "the length": f"{length} tokens"}
    return provenance.now(chosen, model=large)


def now_cascade() -> provenance.Provenance:
    """What the three texts would be made with."""
    return provenance.now(
        {"the pupil": named(small), "the threshold": f"{threshold:g} bits", "the length": f"{length} tokens"}, model=large
    )


def now_school() -> provenance.Provenance:
    """What an examination would be made with."""
    return provenance.now({"the pupil": named(small)}, model=large, prompt=False, settings=False)


@current.error_boundary
def begin() -> None:
    """One writes, the other judges."""
    current.at(NAME)
    who = writer
    other = small if who == large else large
    one, two = current.model_named(who), current.model_named(other)
    prompt, settings, count = current.prompt(), current.settings(), length
    about = (ModelFigures.of(one), ModelFigures.of(two), len(one.encode(prompt)))
    experiment.start(NAME, lambda: judge(one, two, prompt, settings, count), now(), about)


@current.error_boundary
def begin_cascade() -> None:
    """Three texts: both together, and each alone."""
    current.at(CASCADE)
    one, two = current.model_named(small), current.model_named(large)
    prompt, settings, count, bits = current.prompt(), current.settings(), length, (float(threshold), SMALL_ONLY, LARGE_ONLY)
    experiment.start(CASCADE, lambda: cascade(one, two, prompt, settings, bits, count), now_cascade(), (small, large))


@current.error_boundary
def begin_school() -> None:
    """Facts, a story, agreement: for the teacher, the pupil, and the pupil's twin if there is one."""
    current.at(SCHOOL)
    teacher = current.model_named(large)
    examined = [teacher, *(current.model_named(name) for name in (small, *twins()))]
    experiment.start(SCHOOL, lambda: school_reports(examined, teacher, words.STORY, words.FACTS), now_school(), twins())


def twins() -> list[str]:
    """Bundled models that learnt as the pupil did, but from the texts alone."""
    return [name for name in current.model_names() if name == f"{small}-alone"]


def named(name: str) -> str:
    """A model as a person calls it."""
    return loaded_models.title(name)


def bits(value: float) -> str:
    """Bits of surprise in two figures, short enough to stand below a piece."""
    return "∞" if math.isinf(value) else f"{value:.1f}"


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
    told += [words.CARD_FAVOURITE.format(name=name, piece=seen.favourite) for name, seen in both if seen.rank > 1]
    below = f"{bits(mine.surprise)} · {bits(theirs.surprise)}" if max(mine.surprise, theirs.surprise) >= LEAST else ""
    return Word(text, "dice" if apart > 0 else "other", depth, head=f"id {one.token_id}", lines=tuple(told), below=below)


def card(name: str, share: float, surprise: float, rank: int) -> str:
    """What one model made of a piece, in one line."""
    return words.CARD.format(name=name, share=numbers.percent(share), bits=numbers.bits(surprise), rank=f"{rank:,}")


def place_looked_at(seen: list[JudgedToken], running: bool) -> int:
    """Which place's odds are shown: the newest while it runs, afterwards the chosen one, at first where the two differ most."""
    count = len(seen)
    if running or count < 2:
        return count - 1
    least = min(range(count), key=lambda place: seen[place].overlap)
    return int(st.slider(words.PLACE, 1, count, least + 1, key=f"pupil_place_{count}", help=words.PLACE_HELP)) - 1


def odds(one: JudgedToken, names: tuple[str, str]) -> None:
    """Both odds of one place, mirrored."""
    assert one.judge is not None
    colours = palette.of(charts.theme())
    frame.legend((colours.dice, names[0]), (colours.other, names[1]))
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
    charts.draw(serving_charts.mirrored, table, key="pupil_odds", alt_text=f"{words.ODDS}: {told}", rows=len(table))
    st.caption(
        words.SHARED.format(
            share=numbers.percent(one.overlap), writer=numbers.bits(one.writer.entropy), judge=numbers.bits(one.judge.entropy)
        )
    )


def figures(seen: list[JudgedToken], names: tuple[str, str], models: tuple[ModelFigures, ModelFigures], prompt_tokens: int) -> None:
    """What each of them is and costs, and what it made of the text."""
    frame.section(words.FIGURES, words.FIGURES_TERM)
    judged = [one for one in seen if one.judge is not None]
    if judged:
        same = sum(one.agreed for one in judged)
        overlap = sum(one.overlap for one in judged) / len(judged)
        share = numbers.percent(same / len(judged))
        st.markdown(words.AGREED.format(same=same, count=len(judged), share=share, overlap=numbers.percent(overlap)))
    context = prompt_tokens + len(seen)
    sides = [side(models[0], [one.writer for one in seen], context)]
    if judged:
        sides.append(side(models[1], [one.judge for one in judged if one.judge is not None], context))
    columns = [_column(one) for one in sides]
    lines = "\n".join(f"| {name} | " + " | ".join(column[at] for column in columns) + " |" for at, name in enumerate(words.ROWS.values()))
    head = "| | " + " | ".join(names[: len(sides)]) + " |\n|---|" + "---:|" * len(sides)
    st.markdown(f"{head}\n{lines}")
    if judged and len(sides) == 2 and all(math.isfinite(one.bits_per_token) for one in sides):
        more = sides[1].bits_per_token - sides[0].bits_per_token
        said = words.OWN_TEXT if more >= 0 else words.OWN_TEXT_LESS
        st.caption(said.format(writer=names[0], judge=names[1], more=numbers.bits(abs(more))))


def _column(one: Side) -> list[str]:
    speed = "–"
    if one.seconds_per_token:
        speed = f"{numbers.duration(one.seconds_per_token)} · {1 / one.seconds_per_token:,.0f}"
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
    frame.section(words.PARTS, words.PARTS_TERM)
    told = []
    for one in found.parts:
        mine, theirs = one.writer_bits / len(one.text), one.judge_bits / len(one.text)
        depth = DARKEST * min(1.0, abs(one.difference) / (DEEPEST / 3))
        lines = tuple(f"{name}: {value:.2f} bits a character" for name, value in zip(names, (mine, theirs), strict=True))
        colour, below = "dice" if one.difference > 0 else "other", f"{mine:.1f} · {theirs:.1f}"
        told.append(Word(one.text.replace(" ", "␣"), colour, depth, lines=lines, below=below))
    reading_strip(told, key="pupil_parts", alt_text=words.PARTS, size="1.15rem")
    characters = sum(len(one.text) for one in found.parts)
    if characters:
        mine = sum(one.writer_bits for one in found.parts) / characters
        theirs = sum(one.judge_bits for one in found.parts) / characters
        said = words.PARTS_WHY.format(writer=names[0], judge=names[1], mine=numbers.bits(mine), theirs=numbers.bits(theirs))
        st.caption(said)


def course() -> None:
    """All that moves while one writes and the other judges."""
    with results.shown(NAME, now(), begin) as run:
        seen = [one for one in run.seen if isinstance(one, JudgedToken)]
        if not seen:
            if not run.running and not run.error:
                st.caption(words.FIRST)
            return
        one, two, prompt_tokens = run.about
        names = (named(one.name), named(two.name))
        frame.section(words.TEXT, words.TEXT_TERM)
        colours = palette.of(charts.theme())
        same = seen[0].judge is not None
        if same:
            entries = zip((colours.dice, colours.other), names, strict=True)
            frame.legend(*((shade, words.EXPECTED.format(name=name)) for shade, name in entries))
        reading_strip([word(piece, names) for piece in seen], key="pupil_text", alt_text=words.TEXT, size="1.15rem", tall="17rem")
        if same:
            st.caption(words.BELOW.format(writer=names[0], judge=names[1]))
            left, right = st.columns(2, gap="large")
            with left:
                frame.section(words.ODDS, words.ODDS_TERM)
                odds(seen[place_looked_at(seen, run.running)], names)
            with right:
                frame.section(words.SURPRISES, words.SURPRISES_TERM.format(writer=names[0], judge=names[1]))
                surprises(seen)
        for found in run.seen:
            if isinstance(found, JudgedParts):
                parts(found, names)
        figures(seen, names, (one, two), prompt_tokens)


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
    charts.draw(serving_charts.two_surprises, table, key="pupil_surprises", alt_text=words.SURPRISES, height=260)


def cascaded() -> None:
    """Three texts with the same dice, and what each cost."""
    with results.shown(CASCADE, now_cascade(), begin_cascade) as run:
        tokens = [one for one in run.seen if isinstance(one, CascadeToken)]
        if not tokens:
            if not run.running and not run.error:
                st.caption(words.CASCADE_FIRST)
            return
        colours = palette.of(charts.theme())
        frame.legend((colours.computed, words.TAKEN_OVER))
        small_name, large_name = (named(name) for name in run.about)
        titles = (words.TOGETHER, words.ALONE_SMALL.format(name=small_name), words.ALONE_LARGE.format(name=large_name))
        scores = {one.run: one.bits_per_token for one in run.seen if isinstance(one, CascadeScore)}
        lines, sums = [words.CASCADE_HEAD, "|---|---:|---:|---:|---:|"], list[tuple[float, int, float]]()
        for number, (home, title) in enumerate(zip(st.columns(3, gap="large"), titles, strict=True)):
            mine = [one for one in tokens if one.run == number]
            with home:
                st.caption(title)
                told = [
                    Word(_piece(one), "computed", 0.3 if one.by_large and number == 0 else 0.0, lines=(_told(one),))
                    for one in mine
                    if one.text  # an end token writes nothing, and a character may need several
                ]
                reading_strip(told, key=f"pupil_cascade_{number}", alt_text=title, size="1rem", tall="14rem")
            if mine:
                share = sum(not one.by_large for one in mine) / len(mine)
                work, seconds = sum(one.multiply_adds for one in mine), sum(one.seconds for one in mine)
                sums.append((share, work, seconds))
                bits_told = numbers.bits(scores[number]) if number in scores else "…"
                lines.append(f"| {title} | {numbers.percent(share)} | {bits_told} | {numbers.count(work)} | {numbers.duration(seconds)} |")
        st.markdown("\n".join(lines))
        if not run.running and len(sums) == 3:
            together, _, alone = sums
            wrote, factors = numbers.percent(together[0]), [f"{together[at] / alone[at]:.2g} ×" for at in (1, 2)]
            st.markdown(words.CASCADE_VERDICT.format(share=wrote, work=factors[0], time=factors[1]))
            st.caption(words.CASCADE_WHY)


def _piece(one: CascadeToken) -> str:
    return one.text.replace(" ", "␣").replace("\n", "↵")


def _told(one: CascadeToken) -> str:
    who = words.BY_LARGE if one.by_large else words.BY_SMALL
    return who if math.isnan(one.entropy) else f"{who}; {numbers.bits(one.entropy)} of doubt"


def examined() -> None:
    """Facts, perplexity, agreement."""
    with results.shown(SCHOOL, now_school(), begin_school) as run:
        found: dict[str, SchoolReport] = {one.name: one for one in run.seen}
        if not found:
            if not run.running and not run.error:
                st.caption(words.SCHOOL_FIRST.format(count=words.FACTS))
            return
        lines = [words.SCHOOL_HEAD, "|---|---:|---:|---:|---:|---:|"]
        for one in found.values():
            kl = "–" if math.isnan(one.kl) else f"{one.kl:.2g}"
            facts = f"{one.right} of {one.asked}" if one.asked else "…"
            along = f"{one.perplexity:,.0f} | {numbers.percent(one.kept)} | {kl}"
            lines.append(f"| {named(one.name)} | {numbers.count(one.parameters)} | {facts} | {along} |")
        st.markdown("\n".join(lines))
        st.caption(words.SCHOOL_WHY)
        st.caption(words.TWIN.format(twin=named(run.about[0])) if run.about else words.NO_TWIN)


def button(name: str, start: str, again: str, press: object, icon: str) -> None:
    """Start or stop."""
    state = experiment.of(name)
    if state.running:
        st.button(words.STOP, on_click=experiment.stop, args=(name,), icon=":material/stop:", key=f"{name}_stop")
    elif st.button(
        again if state.seen and not state.recorded_on else start,
        type="primary" if name == NAME else "secondary",
        icon=icon,
        key=f"{name}_start",
    ):
        assert callable(press)
        press()
        st.rerun()


frame.header(words.TITLE, words.TERM, words.LEAD)
with frame.error_boundary():
    names = current.model_names()
    if len(names) < 2:
        frame.show_notice(words.ONLY_ONE)
    else:
        prompt_field.own_text()
        with st.container(horizontal=True, vertical_alignment="bottom", key="pupil_controls"):
            teachers = names.index(current.model_name()) if not current.model_name().endswith("-mini") else 0
            large = st.selectbox(
                words.LARGE, names, index=teachers, format_func=named, key="pupil_large", help=words.LARGE_HELP, width=200, **STAYS
            )
            others = [name for name in names if name != large]
            first = next((place for place, name in enumerate(others) if name.endswith("-mini")), 0)
            small = st.selectbox(
                words.SMALL, others, index=first, format_func=named, key="pupil_small", help=words.SMALL_HELP, width=200, **STAYS
            )
            ways = {words.SMALL: small, words.LARGE: large}
            chosen = st.segmented_control(words.WRITER, list(ways), default=words.LARGE, key="pupil_writer", required=True, **STAYS)
            writer = ways[chosen or words.LARGE]
            length = st.segmented_control(words.LENGTH, LENGTHS, default=48, key="pupil_length", required=True, **STAYS) or 48
            button(NAME, words.START, words.AGAIN, begin, ":material/edit:")
        results.live(course, NAME, key="pupil_course")
        frame.section(words.CASCADE, words.CASCADE_TERM)
        st.caption(words.CASCADE_LEAD)
        with st.container(horizontal=True, vertical_alignment="bottom", key="pupil_cascade_controls"):
            threshold = st.slider(
                words.THRESHOLD,
                0.0,
                8.0,
                2.0,
                0.25,
                format="%.2f bits",
                key="pupil_threshold",
                help=words.THRESHOLD_HELP,
                width=320,
                **STAYS,
            )
            button(CASCADE, words.CASCADE_START, words.CASCADE_AGAIN, begin_cascade, ":material/alt_route:")
        results.live(cascaded, CASCADE, key="pupil_cascade_course")
        frame.section(words.SCHOOL, words.SCHOOL_TERM)
        button(SCHOOL, words.SCHOOL_START, words.SCHOOL_AGAIN, begin_school, ":material/school:")
        results.live(examined, SCHOOL, key="pupil_school_course")
