"""Inside one step: the way of one piece through the model, from letters to dice."""

from __future__ import annotations

import streamlit as st

from core.engine.model import LanguageModel
from core.inspection.embeddings import flat_map, tokens_of_words
from core.inspection.look import Inside
from core.record.step import Step
from core.record.tokens import Token
from pages.parts.charts import charts, inside_charts, inside_rows
from pages.parts.components.announcer import announcer
from pages.parts.components.dice import dice
from pages.parts.components.live_text.live_text import live_text
from pages.parts.components.roll_tally.roll_tally import dice_tally
from pages.parts.components.scored_text.scored_text import Word, reading_strip, shown
from pages.parts.components.token_strip import token_strip
from pages.parts.layout import frame, palette, results
from pages.parts.runtime.selected_step import SelectedStep, inside_of, selected_step
from pages.parts.session import current, provenance
from pages.parts.session.provenance import Provenance
from pages.parts.text import inside_words, numbers

frame.page()

LONGEST = 2_000  # characters that can be typed to see them cut
MOST_CHOICES = 24  # pieces to choose from
MANY_LAYERS = 12  # up to here each layer has a button
ALL = -1  # all layers together


def sentence(step: SelectedStep) -> None:
    """The text so far and the step that is looked into; one can go on, back, and to any earlier step."""
    run = current.run()
    token_strip.token_strip(
        run.prompt_tokens,
        run.path,
        key="strip",
        opened=current.selected_index(),
        accent=isinstance(step.distribution, Step),
        on_click=current.word_clicked,
    )
    announcer.announcer(step.distribution, key="inside_announcer")
    with st.container(horizontal=True, vertical_alignment="center", key="inside_where"):
        if isinstance(step.distribution, Step):
            told = inside_words.LOOKED_AT_STEP.format(
                place=f"{step.distribution.position + 1:,}",
                piece=inside_rows.plain(step.distribution.piece),
                number=f"{step.distribution.index + 1:,}",
            )
        else:
            told = inside_words.LOOKED_AT_COMING.format(count=step.distribution.position)
        st.markdown(f"**{told}**", width="stretch")
        st.button("Back", on_click=current.go_back, icon=":material/undo:", shortcut="Left", key="inside_back")
        st.button("Step", on_click=current.step, icon=":material/arrow_forward:", shortcut="Right", type="primary", key="inside_step")
        st.page_link(frame.PAGES / "watch.py", label=inside_words.TO_WATCH, icon=":material/visibility:", width="content")


def chips(tokens: list[Token], key: str) -> None:
    """Pieces with their numbers below."""
    reading_strip(
        [
            Word(
                text=shown(token.text, token.piece, token.raw),
                colour="muted_text",
                depth=0.12 if place % 2 else 0.24,
                head=f"id {token.token_id}",
                lines=(("a mark for the model, not text",) if token.special else (f"bytes {token.raw.hex(' ').upper()}",)),
                below=str(token.token_id),
            )
            for place, token in enumerate(tokens)
        ],
        key=key,
        alt_text=inside_words.PIECES_ALT,
        size="1.25rem",
        tall="16rem",
    )
    characters, texts = sum(len(token.text) for token in tokens), sum(not token.special for token in tokens)
    each = f" · {characters / texts:.1f} characters a piece" if texts else ""
    st.caption(f"{len(tokens):,} pieces · {characters:,} characters{each}")


@st.fragment
def pieces() -> None:
    """Type, and the pieces form."""
    with frame.error_boundary():
        model, prompt = current.model(), current.run().prompt
        text = live_text(prompt, key="inside_text", label=inside_words.PIECES_LABEL, examples=inside_words.PIECES_EXAMPLES, limit=LONGEST)
        own = model.tokenize(text)
        chips(own, "inside_chips")
        others = [name for name in current.model_names() if name != current.model_name()]
        if others:
            other = st.selectbox(
                inside_words.PIECES_OTHER, others, index=None, placeholder=inside_words.NOBODY, key="inside_other", width=320
            )
            if other:
                beside = current.model_named(other).tokenize(text)
                if [(t.token_id, t.raw) for t in beside] == [(t.token_id, t.raw) for t in own]:
                    st.caption(inside_words.PIECES_SAME.format(name=other.capitalize()))
                else:
                    chips(beside, "inside_chips_other")


def meaning(step: SelectedStep, model: LanguageModel, seen: Inside) -> None:
    """A piece as a list of numbers, its neighbours, and a map."""
    known = dict.fromkeys(token.token_id for token in reversed(step.tokens))
    choices = list(reversed(list(known)[:MOST_CHOICES]))
    picked = st.pills(
        inside_words.MEANING_PICK,
        choices,
        default=choices[-1],
        key=f"inside_piece_{current.clicks()}",
        format_func=lambda i: inside_rows.plain(model.piece(i)),
        label_visibility="collapsed",
        required=True,
    )
    token_id = choices[-1] if picked is None else picked
    left, right = st.columns(2, gap="large")
    with left:
        vector = inside_rows.vector_rows(seen.embedding(token_id))
        frame.section(
            inside_words.VECTOR.format(piece=inside_rows.plain(model.piece(token_id))),
            inside_words.VECTOR_TERM.format(count=f"{len(vector):,}"),
        )
        charts.draw(inside_charts.vector, vector, key="inside_vector", alt_text=inside_words.VECTOR_ALT, rows=int(vector.row.max()) + 1)
        frame.section(inside_words.NEAR, inside_words.NEAR_TERM)
        near = inside_rows.neighbour_rows(seen.neighbours(token_id, 8))
        charts.draw(inside_charts.neighbours, near, key="inside_near", alt_text=inside_words.NEAR_ALT, rows=len(near))
    with right:
        frame.section(inside_words.MAP, inside_words.MAP_TERM)
        familiar = tokens_of_words(model, inside_words.FAMILIAR)
        own = [i for i in choices if not model.token(i).special]
        flat = flat_map(model, [*own, *familiar])
        rows = inside_rows.map_rows(flat, [model.piece(i) for i in flat.token_ids], set(own), token_id)
        charts.draw(inside_charts.landscape, rows, key="inside_map", alt_text=inside_words.MAP_ALT)
        st.caption(inside_words.MAP_KEPT.format(share=numbers.percent(flat.kept)))


def layers(step: SelectedStep, model: LanguageModel, seen: Inside) -> None:
    """The guess after every layer, and one token's way through them."""
    favourites = [guess.token_id for guess in seen.layers[-1].candidates]
    choices = list(dict.fromkeys([*([step.taken] if step.taken is not None else []), *favourites]))
    left, right = st.columns(inside_charts.LENS_AND_REST, gap="large", vertical_alignment="bottom")
    with right:
        followed = st.selectbox(inside_words.FOLLOW, choices, key=f"inside_follow_{current.clicks()}", format_func=model.piece, width=260)
        way = seen.follow(followed)
        charts.draw(
            inside_charts.way,
            inside_rows.way_rows(way, followed == step.taken),
            key="inside_way",
            alt_text=inside_words.FOLLOWED_ALT,
            layers=len(way),
        )
    with left:
        frame.section(inside_words.FAVOURITES)
        charts.draw(
            inside_charts.lens,
            inside_rows.lens_rows(seen, followed),
            key="inside_lens",
            alt_text=inside_words.LAYERS_ALT,
            layers=len(seen.layers) + 1,
            guesses=inside_rows.GUESSES,
        )


def gaze(step: SelectedStep, seen: Inside) -> None:
    """Which pieces the last one looked at."""
    able = [index for index, row in enumerate(seen.attention) if row is not None]
    if not able:
        return
    part("attention", inside_words.GAZE, inside_words.GAZE_TERM, "")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        options = [ALL, *able]

        def name(index: int) -> str:
            return inside_words.GAZE_ALL if index == ALL else str(index + 1)

        if len(able) <= MANY_LAYERS:
            chosen = st.segmented_control(
                inside_words.GAZE_LAYER, options, default=ALL, key="inside_layer", format_func=name, required=True, width="content"
            )
        else:
            chosen = st.select_slider(inside_words.GAZE_LAYER, options, value=ALL, key="inside_layer", format_func=name, width=420)
        layer = None if chosen in (None, ALL) else chosen
        rows = seen.attention[layer] if layer is not None else None
        head = None
        if rows is not None:
            head = st.selectbox(
                inside_words.GAZE_HEAD,
                [None, *range(len(rows))],
                key="inside_head",
                format_func=lambda index: inside_words.GAZE_MEAN if index is None else f"head {index + 1}",
                width=220,
            )
    shares = inside_rows.gaze(seen, layer, head)
    if shares is None:
        return
    st.caption(inside_words.GAZE_LEAD.format(most=numbers.percent(float(shares.max()))))
    reading_strip(inside_rows.gaze_words(step.texts, step.tokens, shares), key="inside_gaze", alt_text=inside_words.GAZE_ALT, tall="14rem")
    st.caption(inside_words.GAZE_SINK)
    rows_of_heat = inside_rows.heat_rows(seen)
    count, window = len(step.tokens), inside_rows.HEAT
    whole = inside_words.HEAT_WHOLE.format(count=count)
    frame.section(inside_words.HEAT, whole if count <= window else inside_words.HEAT_PART.format(count=f"{count:,}", newest=window - 1))
    ink = palette.of(charts.theme()).text
    frame.legend(
        *(
            (
                f"color-mix(in srgb, {ink} {inside_charts.heat_opacity(inside_rows.heat_depth(share)):.0%}, transparent)",
                numbers.percent(share),
            )
            for share in inside_rows.SHADES
        )
    )
    charts.draw(inside_charts.heat, rows_of_heat, key="inside_heat", alt_text=inside_words.HEAT_ALT, layers=len(able))


def stages(step: SelectedStep) -> None:
    """The sampling stages, one after the other."""
    seen = inside_rows.stage_rows(step.distribution)
    for start in range(0, len(seen), 4):
        places = st.columns(max(3, min(4, len(seen))), gap="medium")
        for place, (stage, told, table) in zip(places, seen[start : start + 4], strict=False):
            with place:
                setting = "" if stage.setting is None else f" {stage.setting:g}"
                frame.section(
                    inside_words.STAGE_NAMES.get(stage.name, stage.name), f"{stage.name}{setting}" if stage.name != "model" else "softmax"
                )
                charts.draw(inside_charts.stage, table, key=f"inside_stage_{stage.name}", alt_text=inside_words.STAGES_ALT, rows=len(table))
                st.caption(told)
    if len(seen) == 1:
        st.caption(inside_words.STAGES_OFF)


def roll(step: SelectedStep) -> None:
    """The dice, once and many times."""
    dice.dice_strip(step.distribution, key="inside_dice")
    if step.distribution.settings.greedy:
        st.caption(inside_words.DICE_GREEDY)
        return
    dice_tally(step.distribution, key="inside_tally")
    st.caption(inside_words.DICE_FREE)


def made_with(step: SelectedStep) -> bool:
    """What this step was made with, in one line; whether that is from before: what was rolled is not rolled again by other settings."""
    run = current.run()
    by = Provenance(run.model_name if run.is_replay else current.model_name(), run.prompt, step.distribution.settings)
    changed = [] if run.is_replay else by.changed(provenance.now())
    results.made("inside", by, changed)
    return bool(changed)


def part(place: str, title: str, term: str, lead: str) -> None:
    """The head of one station on the way. place: what the table of contents calls it in the address."""
    st.space("small")
    st.header(f"{title} :small[:gray[{term}]]", anchor=place)
    if lead:
        st.caption(lead)
    stations.append(place)


def contents() -> None:
    """What there is on this long page, each entry a way there."""
    st.markdown(" · ".join(f"[{inside_words.CONTENTS[place]}](#{place})" for place in stations))


stations: list[str] = []
frame.header(inside_words.TITLE, inside_words.TERM, inside_words.LEAD)
with frame.error_boundary():
    step, model = selected_step(), current.model()
    sentence(step)
    outdated = made_with(step)
    ways = st.container(key="inside_contents")

    part("pieces", inside_words.PIECES, inside_words.PIECES_TERM, inside_words.PIECES_LEAD)
    pieces()
    st.caption(inside_words.PIECES_WHY)

    with frame.error_boundary():
        seen = inside_of(step)
        part(
            "meaning",
            inside_words.MEANING,
            inside_words.MEANING_TERM,
            inside_words.MEANING_LEAD.format(size=f"{model.shape.hidden_size:,}"),
        )
        meaning(step, model, seen)

        part("layers", inside_words.LAYERS, inside_words.LAYERS_TERM, inside_words.LAYERS_LEAD.format(count=model.layer_count))
        for note in seen.notes:
            frame.show_notice(note)
        if seen.layers:
            layers(step, model, seen)
        gaze(step, seen)
        st.caption(inside_words.AGREES.format(time=numbers.duration(seen.seconds)))

    part("settings", inside_words.STAGES, inside_words.STAGES_TERM, inside_words.STAGES_LEAD)
    with results.dimmed("inside_settings", outdated):
        colours = palette.of(charts.theme())
        frame.legend((colours.model, "before"), (colours.dice, "after"), (colours.chosen, "taken"), (colours.removed, "removed"))
        stages(step)

    part("dice", inside_words.DICE, inside_words.DICE_TERM, inside_words.DICE_LEAD)
    with results.dimmed("inside_roll", outdated):
        roll(step)
    with ways:
        contents()
