"""Numbers as people read them: 12 %, 0.03 %, 4.2 MB, 38 ms. Nothing that is there is ever shown as zero."""

from __future__ import annotations

import math

_SPACE = "\u00a0"  # keeps a number and its unit on one line


def percent(share: float | None) -> str:
    """A share of 1 as a percentage one can read; small ones keep two figures.

    >>> percent(0.4132), percent(0.0618), percent(0.000312)
    ('41\\xa0%', '6.2\\xa0%', '0.031\\xa0%')
    """
    if share is None or not math.isfinite(share):
        return "–"
    value = share * 100
    if value <= 0:
        return f"0{_SPACE}%"
    if value < 0.00001:
        return f"<{_SPACE}0.00001{_SPACE}%"
    if value >= 100:
        return f"100{_SPACE}%"
    if value > 99.9:
        return f">{_SPACE}99.9{_SPACE}%"
    return f"{_figures(value, 2 if value < 99.5 else 3)}{_SPACE}%"


def chance(share: float | None) -> str:
    """A probability as one would say it: a percentage, and below 0.01 % how many times one would have to try.

    >>> chance(0.000312), chance(0.00003123), chance(1.4e-8)
    ('0.031\\xa0%', '1\\xa0in\\xa032,000', '1\\xa0in\\xa071\\xa0million')
    """
    if share is None or not math.isfinite(share) or not 0 < share < 0.0001:
        return percent(share)
    if share < 1e-12:
        return f"<{_SPACE}1{_SPACE}in{_SPACE}a{_SPACE}trillion"
    times = 1 / share
    digits = math.floor(math.log10(times)) - 1
    return f"1{_SPACE}in{_SPACE}{count(round(times / 10**digits) * 10**digits)}"


def size(count: float) -> str:
    """Bytes in plain units of a thousand: 860 B, 86 KB, 4.2 MB."""
    units = ("B", "KB", "MB", "GB", "TB")
    power = 0
    while abs(count) >= 999.5 and power < len(units) - 1:
        count, power = count / 1000, power + 1
    unit = units[power]
    return f"{count:.0f}{_SPACE}{unit}" if unit == "B" else f"{_figures(count, 2)}{_SPACE}{unit}"


def duration(seconds: float) -> str:
    """A time in the unit one would say it in: 0.4 ms, 38 ms, 1.2 s, 3 min."""
    if seconds >= 119.5:
        return f"{seconds / 60:.0f}{_SPACE}min"
    if seconds >= 0.9995:
        return f"{_figures(seconds, 2)}{_SPACE}s"
    return f"{_figures(seconds * 1000, 2)}{_SPACE}ms"


def count(number: float) -> str:
    """A count in words that can be read aloud: 47, 12,345, 5.7 million, 8 billion."""
    for limit, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if number >= limit * 0.9995:
            return f"{_figures(number / limit, 2)}{_SPACE}{word}"
    return f"{number:,.0f}"


def bits(value: float) -> str:
    """Entropy or surprise in bits, one decimal."""
    return f"{value:.1f}{_SPACE}bits" if math.isfinite(value) else "–"


def _figures(value: float, figures: int) -> str:
    """At least `figures` figures, no exponent, no zeros without meaning: 41, 6.2, 0.031, 128."""
    if value == 0:
        return "0"
    places = max(0, figures - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:.{places}f}"
    whole = f"{round(value):,}" if places == 0 else text
    return whole.rstrip("0").rstrip(".") if "." in whole else whole
