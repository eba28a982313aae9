"""Money and power as integers, so that sums are exact however they are split."""

from __future__ import annotations

PRICE_STEPS = 10_000
"""Prices are held in ten-thousandths of the currency's unit."""

POWER_STEPS = 1_000
"""Power is held in milliwatts."""


def price_units(price: float) -> int:
    """A price in ten-thousandths, rounded."""
    return round(price * PRICE_STEPS)


def as_price(units: int) -> int | float:
    """A price from ten-thousandths; an int where that is exact."""
    return units // PRICE_STEPS if units % PRICE_STEPS == 0 else units / PRICE_STEPS


def power_units(power_w: float) -> int:
    """A power in milliwatts, rounded."""
    return round(power_w * POWER_STEPS)


def as_watts(units: int) -> int | float:
    """A power in W from milliwatts; an int where that is exact."""
    return units // POWER_STEPS if units % POWER_STEPS == 0 else units / POWER_STEPS
