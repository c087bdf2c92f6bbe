"""What Inside one step draws of the network and the sampling stages: embeddings, layers, attention, stages."""

from __future__ import annotations

import streamlit as st

from core.engine.model import LanguageModel
from core.inspection.embeddings import flat_map, tokens_of_words
from core.inspection.inside import Inside
from core.sampling.settings import STAGES
from pages.inside import inside_charts, sampling_rows
from pages.ui.charts import layer_charts
from pages.ui.charts.css_colours import css, legend
from pages.ui.components.scored_text.scored_text import scored_text
from pages.ui.i18n import numbers
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import N_, _
from pages.ui.session import current, elements
from pages.ui.session.selection import SelectedStep
from pages.ui.views import chart

# Headings of the distributions that no row of the settings table makes; a stage's own is in its row.
DISTRIBUTIONS = {
    "model": N_("The model's probabilities"),
    "dynamic temperature": N_("Sharpen where certain, flatten where not"),
    "greedy": N_("Only the likeliest"),
}

MOST_CHOICES = 24  # tokens to choose from
MANY_LAYERS = 12  # up to here each layer has a button
ALL = -1  # all layers together


def meaning(step: SelectedStep, model: LanguageModel, result: Inside) -> None:
    """Draw a token's vector, its nearest neighbours, and a map."""
    token_ids = dict.fromkeys(token.token_id for token in reversed(step.tokens))
    choices = list(reversed(list(token_ids)[:MOST_CHOICES]))

    def title(token_id: int) -> str:
        return plain(model.piece(token_id))

    picked = st.pills(
        _("Token"),
        choices,
        default=choices[-1],
        key=f"inside_piece_{current.clicks()}",
        format_func=title,
        label_visibility="collapsed",
        required=True,
    )
    token_id = choices[-1] if picked is None else picked
    left, right = st.columns(2, gap="large")
    with left:
        vector = inside_charts.vector_rows(result.embedding(token_id))
        size = _("{count} numbers, faint is low, strong is high").format(count=numbers.whole(len(vector)))
        elements.section(_("The vector of {piece}").format(piece=title(token_id)), size)
        alt_text = _("Every number of the vector as a small field, from faint (low) to strong (high).")
        chart.draw(inside_charts.vector, vector, key="inside_vector", alt_text=alt_text, rows=int(vector.row.max()) + 1)
        elements.section(_("Which tokens are near?"), _("cosine similarity"))
        near = layer_charts.neighbour_rows(result.neighbours(token_id, 8))
        alt_text = _("The tokens with the most similar vectors, with the cosine from 0 to 1.")
        chart.draw(layer_charts.neighbours, near, key="inside_near", alt_text=alt_text, rows=len(near), title=_("Which tokens are near?"))
    with right:
        elements.section(_("A map of its tokens"), _("PCA of the embeddings"))
        ordinary = [i for i in choices if not model.token(i).special]
        flat = flat_map(model, [*ordinary, *tokens_of_words(model, EXAMPLES.familiar)])
        rows = inside_charts.embedding_map_rows(flat, [model.piece(i) for i in flat.token_ids], set(ordinary), token_id)
        alt_text = _("Tokens of the text among familiar words on a plane; near means similar.")
        chart.draw(inside_charts.embedding_map, rows, key="inside_map", alt_text=alt_text, title=_("A map of its tokens"))
        st.caption(_("The map shows {share} of the variance of these vectors.").format(share=numbers.percent(flat.kept)))


def layers(step: SelectedStep, model: LanguageModel, result: Inside) -> None:
    """Draw the likeliest tokens after every layer, and the probability of one token after every layer."""
    likeliest = [guess.token_id for guess in result.layers[-1].candidates]
    choices = list(dict.fromkeys([*([step.taken] if step.taken is not None else []), *likeliest]))
    left, right = st.columns(layer_charts.LENS_AND_REST, gap="large", vertical_alignment="bottom")
    with right:
        key = f"inside_follow_{current.clicks()}"
        followed = st.selectbox(_("One token through the layers"), choices, key=key, format_func=model.piece, width=260)
        way = result.follow(followed)
        rows = inside_charts.token_by_layer_rows(way, followed == step.taken)
        alt_text = _("Probability of one token after every layer, with its rank.")
        chart.draw(inside_charts.token_by_layer, rows, key="inside_way", alt_text=alt_text, layers=len(way))
    with left:
        elements.section(_("The five likeliest tokens of each layer"))
        chart.draw(
            layer_charts.logit_lens,
            layer_charts.logit_lens_rows(result, followed),
            key="inside_lens",
            title=_("The five likeliest tokens of each layer"),
            alt_text=_("One row per layer, its five likeliest next tokens, tinted by probability."),
            layers=len(result.layers) + 1,
            guesses=layer_charts.GUESSES,
        )


def attention(step: SelectedStep, result: Inside) -> None:
    """Draw which tokens the last one attends to."""
    layer, head = choose_head(result)
    shares = inside_charts.attention_shares(result, layer, head)
    if shares is None:
        return
    tint = _("The last token attends to the tokens before it. The stronger the tint, the more attention; the largest share is {most}.")
    st.caption(tint.format(most=numbers.percent(float(shares.max()))))
    alt_text = _("The text; the stronger the tint of a token, the more attention it got.")
    scored_text(inside_charts.attention_words(step.texts, step.tokens, shares), key="inside_gaze", alt_text=alt_text, max_height="14rem")
    st.caption(_("Much of it often goes to the first token, where heads attend when no other token matters to them."))
    count, window = len(step.tokens), inside_charts.HEAT
    shown = _("all {count} tokens").format(count=count)
    if count > window:
        shown = _("the first and the newest {newest} of {count} tokens").format(count=numbers.whole(count), newest=window - 1)
    elements.section(_("Layer by layer"), _("mean over heads, % of each layer; {shown}").format(shown=shown))
    depths = [(share, inside_charts.heat_opacity(inside_charts.heat_depth(share))) for share in inside_charts.SHADES]
    legend(*((f"color-mix(in srgb, {css('text')} {depth:.0%}, transparent)", numbers.percent(share)) for share, depth in depths))
    alt_text = _("One row per layer, one column per token: the darker, the larger its part of the attention.")
    rows = sum(row is not None for row in result.attention)
    chart.draw(
        inside_charts.attention,
        inside_charts.attention_rows(result),
        key="inside_heat",
        alt_text=alt_text,
        layers=rows,
        title=_("Layer by layer"),
    )


def choose_head(result: Inside) -> tuple[int | None, int | None]:
    """Draw the choice of a layer and a head, and return both; None for all of them."""
    measured = [index for index, row in enumerate(result.attention) if row is not None]
    options = [ALL, *measured]

    def layer_title(index: int) -> str:
        return _("all") if index == ALL else str(index + 1)

    def head_title(index: int | None) -> str:
        return _("all heads, on average") if index is None else _("head {number}").format(number=index + 1)

    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(measured) <= MANY_LAYERS:
            chosen = elements.choice(_("Layer"), options, ALL, "inside_layer", format_func=layer_title, width="content")
        else:
            chosen = st.select_slider(_("Layer"), options, value=ALL, key="inside_layer", format_func=layer_title, width=420)
        if chosen == ALL or (rows := result.attention[chosen]) is None:
            return None, None
        return chosen, st.selectbox(_("Head"), [None, *range(len(rows))], key="inside_head", format_func=head_title, width=220)


def heading_of(name: str) -> str:
    """Return what a stage does, or what the distribution of this name is; the name of an unknown one, as in another's recording."""
    return _(STAGES[name].heading if name in STAGES else DISTRIBUTIONS.get(name, name))


def stages(step: SelectedStep) -> None:
    """Draw the probabilities before and after each sampling stage."""
    rows = sampling_rows.stage_rows(step.distribution)
    for start in range(0, len(rows), 4):
        places = st.columns(max(3, min(4, len(rows))), gap="medium")
        for column, (stage, caption, table) in zip(places, rows[start : start + 4], strict=False):
            with column:
                setting = "" if stage.setting is None else f" {numbers.short(stage.setting)}"
                term = _("softmax") if stage.name == "model" else f"{_(stage.name)}{setting}"
                elements.section(heading_of(stage.name), term)
                alt_text = _("Bars of the likeliest tokens before (pale) and after (solid) this stage, 0 to 100 percent.")
                chart.draw(inside_charts.stage, table, key=f"inside_stage_{stage.name}", alt_text=alt_text, rows=len(table))
                st.caption(caption)
    if len(rows) == 1:
        st.caption(_("All settings are off, so the model's own probabilities are used."))
