"""Charts of “Growing up”, and their rows: what a model thought after so many tokens of its training."""

from collections.abc import Callable, Sequence

import altair as alt
import pandas as pd

from core.models.growth_record import Moment
from pages.ui.charts.css_colours import Palette
from pages.ui.charts.layer_charts import GUESSES, labels, share_shown
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, shades, tips
from pages.ui.i18n import numbers
from pages.ui.i18n.numbers import written
from pages.ui.i18n.translation import N_, _

TRAINED = N_("training text")
HELD_OUT = N_("held out")  # loss on text that was not in the training data


def growth_rows(moments: Sequence[Moment], prompt: int, shown: Callable[[int], str]) -> pd.DataFrame:
    """Return checkpoints of a training x likeliest tokens, as `logit_lens_rows`.

    shown: returns the text of a token by its id. "followed": the trained model's likeliest token.
    """
    favourite = moments[-1].prompts[prompt].top[0][0]
    rows = [
        {
            "layer": number,
            "name": read_so_far(moment.tokens),
            "place": column,
            "label": name,
            "share": share,
            "share_text": numbers.percent(share),
            "shown": share_shown(share),
            "piece": shown(token_id),
            "rank": f"{column + 1}",
            "read": _("{count} tokens").format(count=numbers.count(moment.tokens)),
            "kind": "followed" if token_id == favourite else "",
        }
        for number, moment in enumerate(moments)
        for (column, (token_id, share)), name in zip(
            enumerate(moment.prompts[prompt].top[:GUESSES]),
            labels([shown(token_id) for token_id, _score in moment.prompts[prompt].top[:GUESSES]]),
            strict=True,
        )
    ]
    return pd.DataFrame(rows)


def spread(moments: Sequence[Moment], most: int) -> list[Moment]:
    """Return at most so many moments, evenly spread, with the first and the last one."""
    count = min(most, len(moments))
    return [moments[round(row * (len(moments) - 1) / max(1, count - 1))] for row in range(count)]


def loss_rows(moments: Sequence[Moment]) -> pd.DataFrame:
    """Return the recorded losses in nats. Columns: slot, name, kind, on (text of kind), loss, loss_text, read."""
    rows = [
        {
            "slot": slot,
            "name": read_so_far(moment.tokens),
            "kind": kind,
            "on": _(kind),
            "loss": loss,
            "loss_text": _("{count} nats").format(count=numbers.decimal(loss, 2)),
            "read": _("{count} tokens").format(count=numbers.count(moment.tokens)),
        }
        for slot, moment in enumerate(moments)
        for kind, loss in ((TRAINED, moment.loss), (HELD_OUT, moment.held_out_loss))
        if loss is not None
    ]
    return pd.DataFrame(rows, columns=["slot", "name", "kind", "on", "loss", "loss_text", "read"])


def read_so_far(tokens: int) -> str:
    """Return a count of tokens as a short row name: 0, 41 K, 0.82 M, 47 M."""
    if tokens < 1e5:
        return f"{tokens / 1e3:.0f} K" if tokens else "0"
    return f"{written(tokens / 1e6, '.2g' if tokens < 9.95e6 else ',.0f')} M"


@chart_spec(8)
def loss(colours: Palette) -> alt.TopLevelMixin:
    """The loss at the checkpoints of a training, from 0: dots joined by straight lines. Columns: see `loss_rows`."""
    base = CHART.encode(
        x=alt.X(
            "name:O",
            sort=alt.SortField("slot", "ascending"),
            axis=grey_axis(colours, labelAngle=0),
            scale=alt.Scale(type="point", padding=0.4),
        ),
        y=alt.Y("loss:Q", axis=grey_axis(colours, tickCount=4), scale=alt.Scale(domainMin=0)),
        color=shades("kind", {TRAINED: colours.dice, HELD_OUT: colours.other}),
    )
    lines = base.mark_line(strokeWidth=1.5, opacity=0.55, interpolate="linear", tooltip=None)
    dots = base.mark_circle(size=55, opacity=1).encode(
        tooltip=tips(("loss_text", _("loss")), ("on", _("measured on")), ("read", _("after")))
    )
    return alt.layer(lines, dots).properties(height=150)
