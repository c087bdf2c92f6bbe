"""What is assumed where nothing is measured: watts and prices, with the values that stand until a visitor changes them."""

from __future__ import annotations

from dataclasses import dataclass, fields

from core.errors import BadSetting

HIGHEST_ASSUMPTION = 1_000_000.0
# Dollars per million tokens of published models.
MODEL_PRICES = {"llama-2-7b": 0.20, "llama-3.1-70b": 0.90, "llama-3.1-405b": 3.50}


@dataclass(frozen=True, slots=True)
class Assumptions:
    """Assumed values: watts while computing; dollars per million tokens read and written, and per hour of hardware.

    Raises BadSetting for a value that is not a number from 0 to a million.
    """

    watts: float = 45.0
    price_input: float = 0.20
    price_output: float = 0.60
    price_hour: float = 0.10

    @classmethod
    def for_device(cls, device: str) -> Assumptions:
        """Return the usual values: those of a laptop's processor for "cpu", else those of a graphics card that is rented by the hour."""
        return cls() if device == "cpu" else cls(watts=400.0, price_hour=2.5)

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= HIGHEST_ASSUMPTION:
                name = entry.name.replace("_", " ")
                raise BadSetting("The {name} must be a number from 0 to a million, not {value}.", name=name, value=str(value)[:20])
