"""Inside one step: the way of one piece through the model, from letters to dice."""

from __future__ import annotations

import streamlit as st

from core.engine.model import LanguageModel
from core.inspection.embeddings import flat_map, tokens_of_words
from core.inspection.inside import Inside
from core.language import _
from core.record.step import Step
from pages.ui.charts import charts, inside_charts, inside_rows, palette, sampling_rows
from pages.ui.charts.legend import legend
from pages.ui.components.browser import browser
from pages.ui.components.dice import dice
from pages.ui.components.live_text.live_text import live_text
from pages.ui.components.scored_text.scored_text import scored_text
from pages.ui.components.token_strip import token_strip
from pages.ui.experiments import results
from pages.ui.i18n import example_texts, names, numbers, page_titles
from pages.ui.session import current, elements, provenance, state
from pages.ui.session.provenance import Provenance
from pages.ui.session.selected_step import SelectedStep, inside_of, selected_step
from pages.ui.shell import frame
from pages.ui.views import cut_text
from pages.ui.views.roll_tally import roll_tally

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
        memory=state.results(),
        opened=current.selected_index(),
        accent=isinstance(step.distribution, Step),
        on_click=current.word_clicked,
    )
    browser.announce_step(step.distribution, key="inside_announcer")
    with st.container(horizontal=True, vertical_alignment="center", key="inside_where"):
        if isinstance(step.distribution, Step):
            told = _("Piece {place} of the text, {piece}: number {number} of those that the model wrote").format(
                place=numbers.whole(step.distribution.position + 1),
                piece=inside_rows.plain(step.distribution.piece),
                number=numbers.whole(step.distribution.index + 1),
            )
        else:
            told = _("The piece to come, after these {count} pieces").format(count=step.distribution.position)
        st.markdown(f"**{told}**", width="stretch")
        st.button(_("Back"), on_click=current.go_back, icon=":material/undo:", shortcut="Left", key="inside_back")
        st.button(_("Step"), on_click=current.step, icon=":material/arrow_forward:", shortcut="Right", type="primary", key="inside_step")
        st.page_link(page_titles.FOLDER / "watch.py", label=_("Back to Watch"), icon=":material/visibility:", width="content")


@st.fragment
def pieces() -> None:
    """Type, and the pieces form."""
    with elements.error_boundary():
        model, prompt = current.model(), current.run().prompt
        text = live_text(
            prompt,
            key="inside_text",
            label=_("Type something"),
            examples={_(title): text for title, text in example_texts.TO_CUT.items()},
            limit=LONGEST,
        )
        own = model.tokenize(text)
        cut_text.chips(own, "inside_chips")
        others = [name for name in current.model_names() if name != current.model_name()]
        if others:
            other = st.selectbox(
                _("Beside it, as another model cuts it"), others, index=None, placeholder=_("choose a model"), key="inside_other", width=320
            )
            if other:
                beside = current.model_named(other).tokenize(text)
                if [(t.token_id, t.raw) for t in beside] == [(t.token_id, t.raw) for t in own]:
                    st.caption(_("{name} cuts it in just the same way.").format(name=other.capitalize()))
                else:
                    cut_text.chips(beside, "inside_chips_other")


def meaning(step: SelectedStep, model: LanguageModel, seen: Inside) -> None:
    """A piece as a list of numbers, its neighbours, and a map."""
    known = dict.fromkeys(token.token_id for token in reversed(step.tokens))
    choices = list(reversed(list(known)[:MOST_CHOICES]))
    picked = st.pills(
        _("Piece"),
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
        elements.section(
            _("The list of {piece}").format(piece=inside_rows.plain(model.piece(token_id))),
            _("vector of {count} numbers, faint is low, strong is high").format(count=numbers.whole(len(vector))),
        )
        charts.draw(
            inside_charts.vector,
            vector,
            key="inside_vector",
            alt_text=_("Every number of the vector as a small field, from faint (low) to strong (high)."),
            rows=int(vector.row.max()) + 1,
        )
        elements.section(_("Who is near?"), _("cosine similarity"))
        near = inside_rows.neighbour_rows(seen.neighbours(token_id, 8))
        charts.draw(
            inside_charts.neighbours,
            near,
            key="inside_near",
            alt_text=_("The tokens with the most similar vectors, with the cosine from 0 to 1."),
            rows=len(near),
        )
    with right:
        elements.section(_("A map of its words"), _("PCA of the embeddings"))
        familiar = tokens_of_words(model, example_texts.FAMILIAR)
        own = [i for i in choices if not model.token(i).special]
        flat = flat_map(model, [*own, *familiar])
        rows = inside_rows.embedding_map_rows(flat, [model.piece(i) for i in flat.token_ids], set(own), token_id)
        charts.draw(
            inside_charts.embedding_map,
            rows,
            key="inside_map",
            alt_text=_("Tokens of the text among familiar words on a plane; near means alike."),
        )
        st.caption(
            _("A plane keeps {share} of the differences between these lists; the rest had to be flattened.").format(
                share=numbers.percent(flat.kept)
            )
        )


def layers(step: SelectedStep, model: LanguageModel, seen: Inside) -> None:
    """The guess after every layer, and one token's way through them."""
    favourites = [guess.token_id for guess in seen.layers[-1].candidates]
    choices = list(dict.fromkeys([*([step.taken] if step.taken is not None else []), *favourites]))
    left, right = st.columns(inside_charts.LENS_AND_REST, gap="large", vertical_alignment="bottom")
    with right:
        followed = st.selectbox(
            _("One piece on its way"), choices, key=f"inside_follow_{current.clicks()}", format_func=model.piece, width=260
        )
        way = seen.follow(followed)
        charts.draw(
            inside_charts.token_by_layer,
            inside_rows.token_by_layer_rows(way, followed == step.taken),
            key="inside_way",
            alt_text=_("Probability of one token after every layer, 0 to 100 percent, with its rank."),
            layers=len(way),
        )
    with left:
        elements.section(_("The five favourites of each layer"))
        charts.draw(
            inside_charts.logit_lens,
            inside_rows.logit_lens_rows(seen, followed),
            key="inside_lens",
            alt_text=_("One row per layer, its five favourite next tokens, tinted by probability."),
            layers=len(seen.layers) + 1,
            guesses=inside_rows.GUESSES,
        )


def gaze(step: SelectedStep, seen: Inside) -> None:
    """Which pieces the last one looked at."""
    able = [index for index, row in enumerate(seen.attention) if row is not None]
    if not able:
        return
    part("attention", _("Which pieces did it look at?"), _("attention"), "")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        options = [ALL, *able]

        def name(index: int) -> str:
            return _("all") if index == ALL else str(index + 1)

        if len(able) <= MANY_LAYERS:
            chosen = st.segmented_control(
                _("Layer"), options, default=ALL, key="inside_layer", format_func=name, required=True, width="content"
            )
        else:
            chosen = st.select_slider(_("Layer"), options, value=ALL, key="inside_layer", format_func=name, width=420)
        layer = None if chosen in (None, ALL) else chosen
        rows = seen.attention[layer] if layer is not None else None
        head = None
        if rows is not None:
            head = st.selectbox(
                _("Head"),
                [None, *range(len(rows))],
                key="inside_head",
                format_func=lambda index: _("all heads, on average") if index is None else _("head {number}").format(number=index + 1),
                width=220,
            )
    shares = inside_rows.attention_shares(seen, layer, head)
    if shares is None:
        return
    st.caption(
        _(
            "To guess the next piece, the last one looks back. The stronger its tint, the more of the "
            "look went to a piece; the most was {most}."
        ).format(most=numbers.percent(float(shares.max())))
    )
    scored_text(
        inside_rows.attention_words(step.texts, step.tokens, shares),
        key="inside_gaze",
        alt_text=_("The text; the stronger the tint of a token, the more attention it got."),
        max_height="14rem",
    )
    st.caption(_("Much of it often rests on the first piece: that is where heads look when they find nothing to look for."))
    rows_of_heat = inside_rows.attention_rows(seen)
    count, window = len(step.tokens), inside_rows.HEAT
    whole = _("mean over heads, share of each layer's look; all {count} pieces").format(count=count)
    elements.section(
        _("Layer by layer"),
        whole
        if count <= window
        else _("mean over heads, share of each layer's look; the first and the newest {newest} of {count} pieces").format(
            count=numbers.whole(count), newest=window - 1
        ),
    )
    ink = palette.of(charts.theme()).text
    legend(
        *(
            (
                f"color-mix(in srgb, {ink} {inside_charts.heat_opacity(inside_rows.heat_depth(share)):.0%}, transparent)",
                numbers.percent(share),
            )
            for share in inside_rows.SHADES
        )
    )
    charts.draw(
        inside_charts.attention,
        rows_of_heat,
        key="inside_heat",
        alt_text=_("One row per layer, one column per token: the darker, the larger its share of the look, on one scale for all layers."),
        layers=len(able),
    )


def stages(step: SelectedStep) -> None:
    """The sampling stages, one after the other."""
    seen = sampling_rows.stage_rows(step.distribution)
    for start in range(0, len(seen), 4):
        places = st.columns(max(3, min(4, len(seen))), gap="medium")
        for place, (stage, told, table) in zip(places, seen[start : start + 4], strict=False):
            with place:
                setting = "" if stage.setting is None else f" {numbers.short(stage.setting)}"
                term = _("softmax") if stage.name == "model" else f"{_(stage.name)}{setting}"
                elements.section(_(names.STAGES.get(stage.name, stage.name)), term)
                charts.draw(
                    inside_charts.stage,
                    table,
                    key=f"inside_stage_{stage.name}",
                    alt_text=_("Bars of the likeliest tokens before (pale) and after (deep) this stage, 0 to 100 percent."),
                    rows=len(table),
                )
                st.caption(told)
    if len(seen) == 1:
        st.caption(_("All settings are off: the dice use the model's own odds as they are."))


def roll(step: SelectedStep) -> None:
    """The dice, once and many times."""
    dice.dice_strip(step.distribution, key="inside_dice")
    if step.distribution.settings.greedy:
        st.caption(_("Greedy is on: the favourite is taken and no dice are thrown. Switch it off at the left to roll."))
        return
    roll_tally(step.distribution, key="inside_tally")
    st.caption(_("The first roll is the one that the text itself gets. However often you roll, the text does not change."))


def made_with(step: SelectedStep) -> bool:
    """What this step was made with, in one line; whether that is from before: what was rolled is not rolled again by other settings."""
    run = current.run()
    by = Provenance(run.model_name if run.is_replay else current.model_name(), run.prompt, step.distribution.settings)
    changed = [] if run.is_replay else by.differences(provenance.now())
    results.provenance_line("inside", by, changed)
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
    st.markdown(" · ".join(f"[{_(names.STATIONS[place])}](#{place})" for place in stations))


stations: list[str] = []
frame.header(
    _("How does one piece come about?"),
    _("inside one step"),
    _(
        "Follow one piece through the model, from letters to dice. Everything below was computed "
        "just now by the model itself, for the very step you are looking at on Watch."
    ),
)
with elements.error_boundary():
    step, model = selected_step(), current.model()
    sentence(step)
    outdated = made_with(step)
    ways = st.container(key="inside_contents")

    part(
        "pieces",
        _("What does the model read?"),
        _("tokens"),
        _("Not letters and not words, but pieces, and each piece is only a number to it. Type, and watch the pieces form."),
    )
    pieces()
    st.caption(
        _(
            "Frequent words have a piece of their own; rare ones are put together from smaller pieces, "
            "down to single bytes. So the model never sees the letters of a word, only numbers; that is "
            "why counting the r in *strawberry* is hard for it."
        )
    )

    with elements.error_boundary():
        seen = inside_of(step)
        part(
            "meaning",
            _("What does a piece mean to it?"),
            _("embeddings"),
            _("The model looks the number up in a table and finds a list of {size} numbers. Pieces used alike have lists alike.").format(
                size=numbers.whole(model.shape.hidden_size)
            ),
        )
        meaning(step, model, seen)

        part(
            "layers",
            _("What would it say after each layer?"),
            _("logit lens"),
            _(
                "The lists flow through {count} layers. Here each layer is asked early: its list goes "
                "straight to the model's own exit. The last layer is the real answer."
            ).format(count=model.layer_count),
        )
        for note in seen.notes:
            elements.show_notice(_(note))
        if seen.layers:
            layers(step, model, seen)
        gaze(step, seen)
        st.caption(_("This took {time}, in passes of its own; writing does not wait for it.").format(time=numbers.duration(seen.seconds)))

    part(
        "settings",
        _("What do the settings do to the odds?"),
        _("sampling stages"),
        _(
            "Pale is before, deep is after. Move a slider at the left: this acts at once, for the model "
            "need not be asked again. Hover a bar for the arithmetic."
        ),
    )
    with results.dimmed("inside_settings", outdated):
        colours = palette.of(charts.theme())
        said = (_("before"), _("after"), _("taken"), _("removed"))
        legend(*zip((colours.model, colours.dice, colours.chosen, colours.removed), said, strict=True))
        stages(step)

    part(
        "dice",
        _("What do the dice decide?"),
        _("sampling"),
        _("The odds become pieces of a strip from 0 to 1; one number falls on it. What if it had fallen again?"),
    )
    with results.dimmed("inside_roll", outdated):
        roll(step)
    with ways:
        contents()
