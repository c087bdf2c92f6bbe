"""The receipt, as paper: what was measured, what was computed, what is assumed, each visibly of its own kind.

receipt.slip(run.path, visit.model())            # two quiet lines, for a page that is about something else
receipt.paper(bill, "This text")                 # the whole bill, a `core.costs.receipt.Receipt`
receipt.kinds()                                  # what the three marks mean
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.costs.machine import Peak, measure
from core.costs.receipt import Account, Amount, Assumptions, Receipt
from core.record.step import Step
from pages.parts.charts import charts
from pages.parts.layout import palette
from pages.parts.session import current
from pages.parts.text import cost_words, numbers

if TYPE_CHECKING:
    from core.engine.model import LanguageModel

MARKS = {"measured": "●", "computed": "ƒ", "assumed": "✎"}
_GROUPS = {"Forward passes": "What it did", "Operations": "What that took", "Energy": "What that costs"}
NOTICEABLE = 1.05  # times the work: less is no difference worth a sentence
_SI = ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))


def assumptions() -> Assumptions:
    """What this visitor assumes about watts and prices; the usual for the device until they change it."""
    known = current.results().get("assumptions")
    return known if isinstance(known, Assumptions) else usual(current.model())


def usual(model: Any) -> Assumptions:
    """Assumptions to begin with: a laptop's processor, or a graphics card by the hour."""
    return Assumptions() if getattr(model, "device", "cpu") == "cpu" else Assumptions(watts=400.0, price_hour=2.5)


def bill(path: Sequence[Step], model: LanguageModel | Any, peak: Peak | None = None) -> Receipt:
    """The receipt of these steps under this visitor's assumptions. A model that is not here has no shape: nothing is computed for it."""
    shape, parameters = getattr(model, "shape", None), getattr(model, "parameter_count", 0)
    item = model.weight_bytes / parameters if shape is not None and parameters else 4.0
    kept = model.cache_bytes_per_token / shape.cache_numbers_per_token if shape is not None and shape.cache_numbers_per_token else item
    account = current.results().get("account")  # it goes on from draw to draw, since a text may have thousands of steps
    if not isinstance(account, Account) or (account.shape, account.item_size, account.cache_item_size) != (shape, item, kept):
        account = current.results()["account"] = Account(shape, item, kept)
    return account.bill(path, assumptions=assumptions(), peak=peak)


@st.cache_resource(show_spinner="Measuring what this machine can do ...", max_entries=8)
def peak(device: str, dtype: str) -> Peak:
    """What this machine can do, measured once."""
    return measure(device, dtype)


def kinds() -> None:
    """What the three marks mean."""
    parts = "".join(
        f'<span style="margin-right:1.1rem;display:inline-block">{_mark(kind)} <b>{kind}</b> {escape(told)}</span>'
        for kind, told in cost_words.KINDS.items()
    )
    st.html(f'<div style="font-size:0.9rem;line-height:1.7;color:{_colours().muted_text}">{parts}</div>')


def paper(bill: Receipt, title: str) -> None:
    """The whole bill, in all and per token."""
    colours = _colours()
    grey = f"color:{colours.muted_text}"
    small = f"font-size:0.78rem;line-height:1.25;{grey}"
    rows = []
    for amount in bill.amounts:
        if amount.name in _GROUPS:
            head = f"padding:0.85rem 0 0.2rem;font-size:0.85rem;{grey}"
            rows.append(f'<tr><td colspan="2" style="{head}">{_GROUPS[amount.name]}</td></tr>')
        each = bill.per_token(amount)
        per_token = f"{said(amount, each)} a token" if each is not None else ""
        rows.append(
            f'<tr style="border-top:1px dashed {colours.line};vertical-align:top">'
            f'<td style="padding:0.22rem 0.4rem 0.22rem 0">{_mark(amount.kind)} {escape(amount.name)}'
            f'<div style="{small};padding-left:1.45em">{escape(amount.how)}</div></td>'
            f'<td style="text-align:right;white-space:nowrap;padding:0.22rem 0">'
            f'<span style="font-weight:600;{_value(amount.kind)}">{escape(said(amount))}</span>'
            f'<div style="{small}">{escape(per_token)}</div></td></tr>'
        )
    sheet = f"background:{colours.card};border:1px solid {colours.line};border-radius:0.7rem;padding:1.1rem 1.3rem 1rem"
    st.html(
        f'<div style="{sheet}"><div style="display:flex;justify-content:space-between;align-items:baseline;flex-wrap:wrap;gap:0.2rem 1rem">'
        f'<span style="font-size:1.15rem;font-weight:600">{escape(title)}</span>'
        f'<span style="{grey}">{bill.prompt_tokens:,} tokens read, {bill.new_tokens:,} written</span></div>'
        f'<table style="width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:0.95rem">'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def slip(path: Sequence[Step], model: LanguageModel | Any) -> None:
    """The bill so far in two lines: what it took, what it cost."""
    made = bill(path, model)
    wanted = {"Operations": "{}", "Time computing": "{}", "Energy": "{}", "Price, by the token": "{}"}
    parts = [
        f'<span title="{escape(amount.kind + ": " + amount.how)}" style="white-space:nowrap">{_mark(amount.kind)} '
        f"{escape(wanted[amount.name].format(said(amount)))}</span>"
        for amount in made.amounts
        if amount.name in wanted
    ]
    text = " · ".join(parts) if path else "Nothing to pay yet."
    st.html(f'<div style="font-size:0.9rem;line-height:1.6;font-variant-numeric:tabular-nums;color:{_colours().muted_text}">{text}</div>')


def verdict(brief: tuple[Receipt, Receipt], long: tuple[Receipt, Receipt]) -> str:
    """Which question cost more, where that can be said. brief, long: the bill after the first token, and the whole one."""
    reading, whole = [bill.flops or 0 for bill in (brief[0], long[0])], [bill.flops or 0 for bill in (brief[1], long[1])]
    if not all((*reading, *whole)):
        return cost_words.TWO_UNKNOWN
    even = brief[1].new_tokens == long[1].new_tokens
    one, other = whole if even else reading
    factor = f"{max(one, other) / min(one, other):.1f}"
    if max(one, other) / min(one, other) < NOTICEABLE:
        said = cost_words.TWO_SAME if even else cost_words.TWO_READ_SAME
    elif even:
        said = (cost_words.TWO_SAYS if other > one else cost_words.TWO_LESS).format(factor=factor)
    else:
        said = (cost_words.TWO_READ if other > one else cost_words.TWO_READ_LESS).format(factor=factor)
    return said if even else f"{said} {cost_words.TWO_UNEVEN.format(brief=brief[1].new_tokens, long=long[1].new_tokens)}"


def said(amount: Amount, value: float | None = None) -> str:
    """An amount, or another value of its unit, as one would say it."""
    number = amount.value if value is None else value
    if amount.unit == "s":
        return numbers.duration(number)
    if amount.unit == "B":
        return numbers.size(number)
    if amount.unit == "B/s":
        return f"{numbers.size(number)}/s"
    if amount.unit == "share":
        return f"{number * 100:.0f}\u00a0%" if number >= 1 else numbers.percent(number)
    if amount.unit == "$":
        return money(number)
    if amount.unit in ("FLOP", "FLOP/s", "Wh"):
        return prefixed(number, amount.unit)
    return f"{number:,.1f}".removesuffix(".0") if number < 1000 else numbers.count(number)


def money(dollars: float) -> str:
    """Dollars, or cents where a dollar is too large a word; never zero for something.

    >>> money(12.5), money(0.0042), money(0.0000251)
    ('$12.50', '0.42\\xa0cents', '0.0025\\xa0cents')
    """
    if dollars == 0:
        return "$0"
    if dollars >= 0.995:
        return f"${dollars:,.2f}"
    cents = dollars * 100
    if cents < 1e-7:
        return "<\u00a00.0000001\u00a0cents"
    places = max(0, 1 - math.floor(math.log10(cents)))
    text = f"{cents:.{places}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text}\u00a0cents"


def prefixed(value: float, unit: str) -> str:
    """A number with the prefix that leaves one to three figures before the point.

    >>> prefixed(0.0068, "Wh"), prefixed(9.5e8, "FLOP/s")
    ('6.8\\xa0mWh', '950\\xa0MFLOP/s')
    """
    for size, letter in _SI:
        if abs(value) >= size * 0.9995:
            number = value / size
            return f"{number:.0f}\u00a0{letter}{unit}" if number >= 99.5 else f"{number:.2g}\u00a0{letter}{unit}"
    return f"{value:.2g}\u00a0{unit}" if value else f"0\u00a0{unit}"


def _colours() -> palette.Palette:
    return palette.of(charts.theme())


def _mark(kind: str) -> str:
    """The mark of a kind: a full dot, a formula's f, a pencil."""
    colours = _colours()
    shade = {"measured": colours.computed_text, "computed": colours.dice_text, "assumed": colours.muted_text}[kind]
    lean = ";font-style:italic;font-family:serif;font-weight:700" if kind == "computed" else ""
    style = f"display:inline-block;width:1.15em;text-align:center;color:{shade}{lean}"
    return f'<span role="img" aria-label="{kind}" style="{style}">{MARKS[kind]}</span>'


def _value(kind: str) -> str:
    """Assumed numbers stand on a dotted line: they can be moved."""
    return f"text-decoration:underline dotted {_colours().muted_text};text-underline-offset:0.25em" if kind == "assumed" else ""
