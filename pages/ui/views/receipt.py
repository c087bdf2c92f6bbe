"""The receipt: what was measured, computed and assumed, each with its mark.

receipt.slip(run.path, visit.model())            # two lines, for other pages
receipt.paper(bill, "This text")                 # the whole receipt, a `core.costs.receipt.Receipt`
receipt.kinds()                                  # what the three marks mean
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import Any

import streamlit as st

from core.costs.assumptions import Assumptions
from core.costs.measured_hardware import Peak, measure
from core.costs.receipt import Account, Amount, Receipt
from core.engine.model import LanguageModel
from core.record.step import Step
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, _, figures
from pages.ui.session import current
from pages.ui.session.state import memory

KINDS = {
    N_("measured"): N_("a clock or a counter"),
    N_("computed"): N_("a formula, shown"),
    N_("assumed"): N_("it cannot be measured here, and you can change it"),
}


MARKS = {"measured": "●", "computed": "ƒ", "assumed": "✎"}
_GROUPS = {"Forward passes": N_("Work"), "Operations": N_("Resources"), "Energy": N_("Price")}
_RATES = {"FLOP/s", "B/s", "share"}  # units; a talk leaves these rows out


@dataclass(slots=True)
class Costs:
    """assumptions: the visitor's; account: of their text, cached between draws, because a text can have thousands of steps."""

    assumptions: Assumptions | None = None
    account: Account | None = None


def assume(assumptions: Assumptions) -> None:
    """Set the visitor's assumptions."""
    memory(Costs).assumptions = assumptions


def assumptions() -> Assumptions:
    """Return the visitor's assumptions on watts and prices; the usual ones for the device until they change them."""
    return memory(Costs).assumptions or Assumptions.for_device(getattr(current.model(), "device", "cpu"))


def bill(path: Sequence[Step], model: LanguageModel | Any, peak: Peak | None = None) -> Receipt:
    """Return the receipt of these steps with the visitor's assumptions. Nothing is computed for a model without a shape."""
    shape, parameters = model.known_shape, getattr(model, "parameter_count", 0)
    item = model.weight_bytes / parameters if shape is not None and parameters else 4.0
    item_size = model.cache_bytes_per_token / shape.cache_numbers_per_token if shape is not None and shape.cache_numbers_per_token else item
    costs = memory(Costs)
    account = costs.account
    if account is None or (account.shape, account.item_size, account.cache_item_size) != (shape, item, item_size):
        account = costs.account = Account(shape, item, item_size)
    return account.bill(path, assumptions=assumptions(), peak=peak)


@lru_cache(maxsize=8)
def peak(device: str, dtype: str) -> Peak:
    """Return the speed of this machine, measured once."""
    return measure(device, dtype)


def kinds() -> None:
    """Draw the meaning of the three marks."""
    parts = "".join(
        f'<span style="margin-right:1.1rem;display:inline-block">{_mark(kind)} <b>{escape(_(kind))}</b> {escape(_(meaning))}</span>'
        for kind, meaning in KINDS.items()
    )
    st.html(f'<div style="font-size:0.9rem;line-height:1.7;color:var(--tv-muted-text)">{parts}</div>')


def paper(bill: Receipt, title: str) -> None:
    """Draw the whole receipt, in all and per token."""
    grey = "color:var(--tv-muted-text)"
    small = f"font-size:0.78rem;line-height:1.25;{grey}"
    rows = []
    for amount in bill.amounts:
        if amount.name in _GROUPS:
            head = f"padding:0.85rem 0 0.2rem;font-size:0.85rem;{grey}"
            rows.append(f'<tr><td colspan="2" style="{head}">{escape(_(_GROUPS[amount.name]))}</td></tr>')
        each = bill.per_token(amount)
        per_token = _("{amount} per token").format(amount=said(amount, each)) if each is not None else ""
        rows.append(
            f'<tr class="{"rate" if amount.unit in _RATES else "amount"}" style="border-top:1px dashed var(--tv-line);vertical-align:top">'
            f'<td style="padding:0.22rem 0.4rem 0.22rem 0">{_mark(amount.kind)} {escape(_(amount.name))}'
            f'<div style="{small};padding-left:1.45em">{escape(_(amount.how))}</div></td>'
            f'<td style="text-align:right;white-space:nowrap;padding:0.22rem 0">'
            f'<span style="font-weight:600;{_value(amount.kind)}">{escape(said(amount))}</span>'
            f'<div style="{small}">{escape(per_token)}</div></td></tr>'
        )
    counted = _("{read} tokens read, {written} written").format(
        read=numbers.whole(bill.prompt_tokens), written=numbers.whole(bill.new_tokens)
    )
    sheet = "background:var(--tv-card);border:1px solid var(--tv-line);border-radius:0.7rem;padding:1.1rem 1.3rem 1rem"
    st.html(
        f'<div style="{sheet}"><div style="display:flex;justify-content:space-between;align-items:baseline;flex-wrap:wrap;gap:0.2rem 1rem">'
        f'<span style="font-size:1.15rem;font-weight:600">{escape(title)}</span>'
        f'<span style="{grey}">{escape(counted)}</span></div><div style="{grey}">{_summary(bill)}</div>'
        f'<table style="width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:0.95rem">'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _summary(receipt: Receipt) -> str:
    """Return operations, time, energy and price of a receipt in one line of HTML."""
    parts = [
        f'<span title="{escape(_(amount.kind) + ": " + _(amount.how))}" style="white-space:nowrap">{_mark(amount.kind)} '
        f"{escape(said(amount))}</span>"
        for amount in receipt.amounts
        if amount.name in ("Operations", "Time computing", "Energy", "Price, by the token")
    ]
    return " · ".join(parts)


def slip(path: Sequence[Step], model: LanguageModel | Any) -> None:
    """Draw the receipt in two lines: the work and its price."""
    if path and not path[0].forward.measured:
        st.html(f'<div style="font-size:0.9rem;color:var(--tv-muted-text)">{escape(_("Its cost is not in this file."))}</div>')
        return
    text = _summary(bill(path, model)) if path else escape(_("No cost yet."))
    st.html(f'<div style="font-size:0.9rem;line-height:1.6;font-variant-numeric:tabular-nums;color:var(--tv-muted-text)">{text}</div>')


def said(amount: Amount, value: float | None = None) -> str:
    """Return an amount, or another value of its unit, for people."""
    number = amount.value if value is None else value
    if amount.unit == "s":
        return numbers.duration(number)
    if amount.unit == "B":
        return numbers.size(number)
    if amount.unit == "B/s":
        return f"{numbers.size(number)}/s"
    if amount.unit == "share":
        return f"{numbers.whole(number * 100)}\u00a0%" if number >= 1 else numbers.percent(number)
    if amount.unit == "$":
        return money(number)
    if amount.unit in ("FLOP", "FLOP/s", "Wh"):
        return numbers.prefixed(number, amount.unit)
    return figures(f"{number:,.1f}".removesuffix(".0")) if number < 1000 else numbers.count(number)


def money(dollars: float) -> str:
    """Return dollars, or cents for small amounts; "0" for zero only.

    >>> money(12.5), money(0.0042), money(0.0000251)
    ('$12.50', '0.42\\xa0cents', '0.0025\\xa0cents')
    """
    if dollars == 0:
        return _("${dollars}").format(dollars="0")
    if dollars >= 0.995:
        return _("${dollars}").format(dollars=numbers.decimal(dollars, 2))
    cents = dollars * 100
    if cents < 1e-7:
        return _("{cents}\u00a0cents").format(cents=figures("<\u00a00.0000001"))
    places = max(0, 1 - math.floor(math.log10(cents)))
    text = f"{cents:.{places}f}"
    return _("{cents}\u00a0cents").format(cents=figures(text.rstrip("0").rstrip(".") if "." in text else text))


def _mark(kind: str) -> str:
    """Return the mark of a kind: a dot, a formula's f, a pencil."""
    shade = {"measured": "computed-text", "computed": "dice-text", "assumed": "muted-text"}[kind]
    lean = ";font-style:italic;font-family:serif;font-weight:700" if kind == "computed" else ""
    style = f"display:inline-block;width:1.15em;text-align:center;color:var(--tv-{shade}){lean}"
    return f'<span role="img" aria-label="{escape(_(kind))}" style="{style}">{MARKS[kind]}</span>'


def _value(kind: str) -> str:
    """Return the style of a value; assumed numbers have a dotted line, because they can be changed."""
    return "text-decoration:underline dotted var(--tv-muted-text);text-underline-offset:0.25em" if kind == "assumed" else ""
