"""Numbers in the visitor's language: 12 %, 0.03 %, 4.2 MB, 38 ms; and a step in a sentence for screen readers.

A value above zero is never shown as zero.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date

from core import message
from core.record.step import Step
from core.reports.live_view.texts import SIGNS, SPEED, STEP
from pages.ui.i18n.spoken_language import current
from pages.ui.i18n.translation import N_, _, figures, ngettext

ORDINALS = (
    N_("first"),
    N_("second"),
    N_("third"),
    N_("fourth"),
    N_("fifth"),
    N_("sixth"),
    N_("seventh"),
    N_("eighth"),
    N_("ninth"),
    N_("tenth"),
)
UNITS = (N_("B"), N_("KB"), N_("MB"), N_("GB"), N_("TB"))
_SI = ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
_SPACE = "\u00a0"  # keeps a number and its unit on one line


def written(value: float, spec: str = ",") -> str:
    """Return a number in Python's format specification, with a minus sign and the separators of the current language.

    >>> written(12345), written(-0.25, ".1f")
    ('12,345', '−0.2')
    """
    if math.isnan(value):
        return "–"
    plain = format(value, spec)
    return figures(f"−{plain[1:]}" if plain.startswith("-") else plain)


def spoken_percent(share: float) -> str:
    """Return a probability in words.

    >>> spoken_percent(0.12)
    '12 percent'
    """
    spoken = percent(share).replace("\u00a0", " ").replace("%", _("percent"))
    return spoken.replace("<", _("less than")).replace(">", _("more than")) if spoken[:1] in "<>" else spoken


def token(displayed: str) -> str:
    """Return a token in words: without its leading space, with names for signs.

    >>> token("␣fox"), token("↵"), token("␣")
    ('fox', 'new line', 'space')
    """
    bare = displayed.removeprefix("␣") or displayed
    if bare in SIGNS:
        return _(SIGNS[bare])
    return bare.replace("␣", " ").replace("↵", f" {_(SIGNS['↵'])} ").strip()


def ordinal(rank: int) -> str:
    """Return an ordinal number.

    >>> ordinal(3), ordinal(11), ordinal(22), ordinal(103)
    ('third', '11th', '22nd', '103rd')
    """
    if rank <= len(ORDINALS):
        return _(ORDINALS[rank - 1])
    if current() != "en":
        return _("{rank}th").format(rank=written(rank))
    ending = "th" if 10 <= rank % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{written(rank)}{ending}"


def step(done: Step) -> str:
    """Return a step in one sentence: "fox, 12 percent, third choice"."""
    if not done.rank:
        return _("{token}, not measured.").format(token=token(done.piece))
    values = {"token": token(done.piece), "chance": spoken_percent(done.sampling_probability), "place": ordinal(done.rank)}
    if done.chosen_by == "server":
        return _("{token}, {chance}, {place} choice, the server chose it.").format(**values)
    if done.chosen_by == "budget":
        return _("{token}, {chance}, {place} choice, forced by the budget for thoughts.").format(**values)
    if done.chosen_by == "forced":
        return _("{token}, {chance}, {place} choice, you chose it.").format(**values)
    return _("{token}, {chance}, {place} choice.").format(**values)


def branches(pair: Sequence[Step | None]) -> str:
    """Return the newest step of both branches, one sentence each."""
    return " ".join(
        _("The {place} branch: {step}").format(place=_(ORDINALS[side]), step=step(newest))
        for side, newest in enumerate(pair)
        if newest is not None
    )


def percent(share: float | None) -> str:
    """Return a share of 1 as a percentage. Small values keep two digits.

    >>> percent(0.4132), percent(0.0618), percent(0.000312)
    ('41\\xa0%', '6.2\\xa0%', '0.031\\xa0%')
    """
    if share is None or not math.isfinite(share):
        return "–"
    return figures(message.percent(share).replace(" ", _SPACE))


def chance(share: float | None) -> str:
    """Return a probability as a percentage, and below 0.01 % as "1 in 32,000".

    >>> chance(0.000312), chance(0.00003123), chance(1.4e-8)
    ('0.031\\xa0%', '1\\xa0in\\xa032,000', '1\\xa0in\\xa071\\xa0million')
    """
    if share is None or not math.isfinite(share) or not 0 < share < 0.0001:
        return percent(share)
    if share < 1e-12:
        return _(STEP["trillion"])
    times = 1 / share
    digits = math.floor(math.log10(times)) - 1
    return _(STEP["one_in"]).format(times=count(round(times / 10**digits) * 10**digits))


def size(count: float) -> str:
    """Return bytes in units of a thousand: 860 B, 86 KB, 4.2 MB. NaN is a size that no formula of ours tells."""
    if math.isnan(count):
        return _("not known for this architecture")
    power = 0
    while abs(count) >= 999.5 and power < len(UNITS) - 1:
        count, power = count / 1000, power + 1
    return f"{_figures(count, 2) if power else f'{count:.0f}'}{_SPACE}{_(UNITS[power])}"


def duration(seconds: float) -> str:
    """Return a duration: 0.4 ms, 38 ms, 1.2 s, 3 min."""
    if seconds >= 119.5:
        return f"{seconds / 60:.0f}{_SPACE}{_('min')}"
    if seconds >= 0.9995:
        return f"{_figures(seconds, 2)}{_SPACE}{_('s')}"
    return f"{_figures(seconds * 1000, 2)}{_SPACE}{_('ms')}"


def count(number: float) -> str:
    """Return a count: 47, 12,345, 5.7 million, 8 billion. NaN is a count that no formula of ours tells."""
    if math.isnan(number):
        return _("not known for this architecture")
    if number >= 1e12 * 0.9995:
        return ngettext("{count}\u00a0trillion", "{count}\u00a0trillion", _plural(number / 1e12)).format(count=_figures(number / 1e12, 2))
    if number >= 1e9 * 0.9995:
        return ngettext("{count}\u00a0billion", "{count}\u00a0billion", _plural(number / 1e9)).format(count=_figures(number / 1e9, 2))
    if number >= 1e6 * 0.9995:
        return ngettext("{count}\u00a0million", "{count}\u00a0million", _plural(number / 1e6)).format(count=_figures(number / 1e6, 2))
    return whole(number)


def _plural(value: float) -> int:
    """Return 1 if the value is written as 1, else 2: 1.4 million is plural."""
    return 1 if _figures(value, 2) == "1" else 2


def whole(value: float) -> str:
    """Return a number with all its digits: 12,345."""
    return written(value, ",.0f")


def decimal(value: float, places: int) -> str:
    """Return a number with `places` decimals: 2.50."""
    return written(value, f",.{places}f")


def short(value: float) -> str:
    """Return a number with at most six digits and no trailing zeros: 0.8, 20."""
    return written(value, "g")


def perplexity(value: float) -> str:
    """Return a perplexity with one decimal below 100, else rounded once: 31.5, 1,487."""
    return count(value) if value >= 100 else decimal(value, 1)


def bits(value: float) -> str:
    """Return entropy or surprise in bits, with one decimal."""
    return _(STEP["bits"]).format(bits=decimal(value, 1)) if math.isfinite(value) else "–"


def nats(value: float) -> str:
    """Return a divergence with two digits; below 0.00001 it is not shown exactly."""
    return figures("< 0.00001") if value < 1e-5 else written(value, ".2g") if value >= 0.0001 else decimal(value, 5)


def tokens(count: int) -> str:
    """Return "12 tokens"."""
    return ngettext("{count} token", "{count} tokens", count).format(count=whole(count))


def passes(count: int) -> str:
    """Return "3 passes"."""
    return ngettext("{count} pass", "{count} passes", count).format(count=whole(count))


def prefixed(value: float, unit: str) -> str:
    """Return a number with the SI prefix that leaves one to three digits before the point.

    >>> prefixed(0.0068, "Wh"), prefixed(9.5e8, "FLOP/s")
    ('6.8\\xa0mWh', '950\\xa0MFLOP/s')
    """
    if math.isnan(value):
        return count(value)
    for size, letter in _SI:
        if abs(value) >= size * 0.9995:
            scaled = value / size
            return f"{written(scaled, '.0f' if scaled >= 99.5 else '.2g')}\u00a0{letter}{unit}"
    return f"{written(value, '.2g')}\u00a0{unit}" if value else f"0\u00a0{unit}"


def speed(steps: float) -> str:
    """Return "5 a second"."""
    return _(SPEED).format(count=short(steps))


def pace(times: float) -> str:
    """Return a speed of playback.

    >>> pace(0.5), pace(20.0)
    ('× 0.5', '× 20')
    """
    return f"× {short(times)}"


def roll(value: float) -> str:
    """Return the roll of the dice with three decimals. It is cut, not rounded, because a roll is below 1."""
    return decimal(math.floor(value * 1000) / 1000, 3)


def day(written: str) -> str:
    """Return a date in words.

    >>> day("2026-01-31")
    '31 January 2026'
    """
    at = date.fromisoformat(written)
    if current() == "en":
        return f"{at.day} {at:%B %Y}"
    from babel.dates import format_date

    return format_date(at, "long", locale=current())


def _figures(value: float, figures_shown: int) -> str:
    """Return a number with at least `figures_shown` significant digits, without exponent and trailing zeros: 41, 6.2, 0.031, 128."""
    if value == 0:
        return "0"
    places = max(0, figures_shown - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:.{places}f}"
    written = f"{round(value):,}" if places == 0 else text
    return figures(written.rstrip("0").rstrip(".") if "." in written else written)
