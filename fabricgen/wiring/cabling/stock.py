"""Stock lengths of cables: a run is rounded up to the next length of its medium."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from fabricgen.catalog.models import CableProfile
from fabricgen.wiring.arrays import Floats

FIBRE_STOCK_M = (1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 125, 150, 200, 250, 300, 400, 500)
"""Lengths of fibre that are stocked, m; beyond the last, whole multiples of `BY_REEL_M` up to `BY_DRUM_M`, then whole
kilometres. Short ones as of NVIDIA's assembled fibres (MFP7E10, MFP7E30), which come in no half metres."""

BY_REEL_M, BY_DRUM_M, DRUM_M = 100, 2000, 1000
"""Steps of long fibre, m, and the length from which it is ordered by the drum."""

_ROUNDING_M = 1e-9
"""The tolerance of a run against a stock length, m: rounding errors of sums."""


def round_up_to_stock(profile: CableProfile, run_m: Floats) -> Floats:
    """The length to order of a medium for each run, m, float64; infinite where none so long is sold."""
    return _round_up(profile.stock_m, run_m) if profile.stock_m else round_up_fibre(run_m)


def round_up_fibre(run_m: Floats) -> Floats:
    """The length to order of fibre for each run, m, float64, by the usual stock lengths."""
    length_m = _round_up(FIBRE_STOCK_M, run_m)
    beyond = np.flatnonzero(np.isinf(length_m))
    step = np.where(run_m[beyond] > BY_DRUM_M + 1e-6, DRUM_M, BY_REEL_M)
    length_m[beyond] = np.ceil(run_m[beyond] / step - _ROUNDING_M) * step
    return length_m


def _round_up(stock_m: Sequence[float], run_m: Floats) -> Floats:
    """The shortest sufficient length of a stock for each run, m; infinite beyond the longest."""
    stock = np.array([*stock_m, np.inf])
    length_m: Floats = stock[np.searchsorted(stock, run_m - _ROUNDING_M)]
    return length_m


def find_longest_run(profile: CableProfile, most_m: float) -> float:
    """The longest run that a medium serves if no cable of it may be longer than `most_m`, m; -1 for none."""
    stock = profile.stock_m or FIBRE_STOCK_M
    if not profile.stock_m and most_m > stock[-1]:
        # `round_up_fibre` the other way: below the first whole drum beyond the reels, no more than the longest reel
        step = DRUM_M if most_m >= BY_DRUM_M + DRUM_M else BY_REEL_M
        return most_m // step * step if step == DRUM_M else min(float(BY_DRUM_M), most_m // step * step)
    index = bisect_right(stock, most_m + _ROUNDING_M)
    return float(stock[index - 1]) if index else -1.0


def choose_order_length(profile: CableProfile, run_m: Floats) -> Floats:
    """As `round_up_to_stock`, but the usual fibre length where none so long is sold; lint tells of those."""
    length_m = round_up_to_stock(profile, run_m)
    beyond = np.flatnonzero(np.isinf(length_m))
    length_m[beyond] = round_up_fibre(run_m[beyond])
    return length_m
