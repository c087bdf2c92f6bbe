"""Sentences that compare the receipts of two questions."""

from __future__ import annotations

from collections.abc import Sequence

from core.costs.receipt import Receipt
from core.experiments.cost import ANSWERS
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _

NOTICEABLE = 1.05  # times the work; below it both are called equal


def verdict(brief: tuple[Receipt, Receipt], long: tuple[Receipt, Receipt]) -> str:
    """Return which question cost more. brief, long: the receipt after the first token, and the whole one."""
    reading, total = [bill.flops or 0 for bill in (brief[0], long[0])], [bill.flops or 0 for bill in (brief[1], long[1])]
    if not all(work > 0 for work in (*reading, *total)):  # NaN is not
        return _("No comparison: the shape of this model is not known here, so its work cannot be computed.")
    even = brief[1].new_tokens == long[1].new_tokens
    brief_work, long_work = total if even else reading
    factor = numbers.decimal(max(brief_work, long_work) / min(brief_work, long_work), 1)
    if max(brief_work, long_work) / min(brief_work, long_work) < NOTICEABLE:
        sentence = _("Both need the same work within 5 %.") if even else _("Reading both questions takes the same work within 5 %.")
    elif even:
        sentence = (
            _("The second question costs **{factor} times** the work of the first one, for the same number of new tokens.")
            if long_work > brief_work
            else _("The first question costs **{factor} times** the work of the second one, for the same number of new tokens.")
        ).format(factor=factor)
    else:
        sentence = (
            _("Reading the second question takes **{factor} times** the work of reading the first one.")
            if long_work > brief_work
            else _("Reading the first question takes **{factor} times** the work of reading the second one.")
        ).format(factor=factor)
    if even:
        return sentence
    uneven = _("The answers cannot be compared: one has {brief} tokens, the other {long}.")
    return f"{sentence} {uneven.format(brief=brief[1].new_tokens, long=long[1].new_tokens)}"


def times(brief: Sequence[float], long: Sequence[float]) -> str:
    """Return the median times of the answers to both questions; "" if each was not answered several times. The median one is the first."""
    if min(len(brief), len(long)) < ANSWERS:
        return ""
    counted = _("Measured, median of {count} answers each: {brief} for the first question, {long} for the second.").format(
        count=numbers.whole(min(len(brief), len(long))), brief=numbers.duration(brief[0]), long=numbers.duration(long[0])
    )
    if max(brief) < min(long) or max(long) < min(brief):
        return counted
    return f"{counted} {_('The times of single answers overlap, so they do not say which question is slower.')}"
