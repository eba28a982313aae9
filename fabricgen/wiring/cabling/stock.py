"""Stock lengths of cables: a run is rounded up to the next length of its medium."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from fabricgen.catalog.cable_models import ROUNDING_M, CableProfile
from fabricgen.wiring.arrays import Floats

FIBRE_STOCK_M = (1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 125, 150, 200, 250, 300, 400, 500)
"""Lengths of fibre that are stocked, m; beyond the last, whole multiples of `REEL_STEP_M` up to `DRUM_ABOVE_M`, then of
`DRUM_STEP_M`. Short ones as of NVIDIA's assembled fibres (MFP7E10, MFP7E30), which come in no half metres."""

REEL_STEP_M, DRUM_ABOVE_M, DRUM_STEP_M = 100, 2000, 1000
"""The step of long fibre on reels, m; the longest reel, m, beyond which fibre comes on drums; the step of these, m."""


def round_up_to_stock(profile: CableProfile, run_m: Floats) -> Floats:
    """Return the length of a medium to order for each run, m, float64; infinite if none so long is sold."""
    return _round_up(profile.stock_m, run_m) if profile.stock_m else round_up_fibre(run_m)


def round_up_fibre(run_m: Floats) -> Floats:
    """Return the length of fibre to order for each run, m, float64: a usual stock length, or whole reels or drums."""
    length_m = _round_up(FIBRE_STOCK_M, run_m)
    beyond = np.flatnonzero(np.isinf(length_m))
    least_m = run_m[beyond] - ROUNDING_M
    step = np.where(least_m > DRUM_ABOVE_M, DRUM_STEP_M, REEL_STEP_M)
    length_m[beyond] = np.ceil(least_m / step) * step
    return length_m


def _round_up(stock_m: Sequence[float], run_m: Floats) -> Floats:
    """Return the shortest sufficient length of a stock for each run, m; infinite beyond the longest."""
    stock = np.array([*stock_m, np.inf])
    length_m: Floats = stock[np.searchsorted(stock, run_m - ROUNDING_M)]
    return length_m


def find_longest_run(profile: CableProfile, most_m: float) -> float:
    """Return the longest run, m, that a cable of this medium can serve that is no longer than `most_m`, m.

    It is -1 if every length on sale is longer than `most_m`.
    """
    stock = profile.stock_m or FIBRE_STOCK_M
    if not profile.stock_m and most_m > stock[-1]:
        # `round_up_fibre` the other way: below the first whole drum beyond the reels, no more than the longest reel
        step = DRUM_STEP_M if most_m >= DRUM_ABOVE_M + DRUM_STEP_M else REEL_STEP_M
        return most_m // step * step if step == DRUM_STEP_M else min(float(DRUM_ABOVE_M), most_m // step * step)
    index = bisect_right(stock, most_m + ROUNDING_M)
    return float(stock[index - 1]) if index else -1.0


def choose_order_length(profile: CableProfile, run_m: Floats) -> Floats:
    """Return the length of a medium to order for each run, m, float64.

    For a run longer than any length on sale it is the usual fibre length, so that it has a length to print, also where
    it is copper; lint tells of such runs.
    """
    length_m = round_up_to_stock(profile, run_m)
    beyond = np.flatnonzero(np.isinf(length_m))
    length_m[beyond] = round_up_fibre(run_m[beyond])
    return length_m
