"""Which parts explain what probes measured: the likeliest part first, then other parts for what is left.

Each part (a link in one direction, a link, a module or half of one, a switch) adds something to all probes that cross
it: losses, as a share of packets; latency; or time for each byte. Parts are chosen one by one: the part whose likeliest
amount explains most comes first, and the others are judged again by what is left (greedy maximum likelihood, like
matching pursuit: Mallat and Zhang 1993; for losses in networks: Duffield 2006, Network Tomography of Binary Network
Performance Characteristics). At first, a part that contains two faulty ones may be chosen in their place; it is given
up when the others explain the measurements as well. A part is named if its log-likelihood ratio exceeds what chance
gives to the best of so many parts in one healthy hall of a hundred (Wilks' theorem and a union bound).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from fabricgen.api import Floats, Ints64

FALSE_ALARMS = 0.01
"""Share of healthy halls in which a part may be named."""
MOST = 100
"""The most parts that are named."""
NEAR = 3.0
"""Parts whose log-likelihood is this near to that of the best, a twentieth of its likelihood, may be meant as well."""
ALIKE = 1e-6
"""Figures that differ by less than this share differ by rounding alone."""
ROUNDS = 24
"""Steps in which amounts are fitted together; after them they change by less than a hundredth."""
STRAYS = (0.6745, 1.6449)
"""Half, and nine in ten, of a normal distribution are within these multiples of its deviation."""
MEDIAN_STRAY = 0.455
"""Median of the squared difference from a mean, divided by the variance: chi-square with one degree of freedom."""
LEAST_SIGMA, CUT = 0.01, 8.0
"""Noise is at least a hundredth of the usual figure, because clocks and counters are that coarse.

A probe counts for at most CUT times the noise, so that a single stray probe does not pass for a link.
"""
UNEVEN = 1 / 3
"""A part may add more to one probe than to another, as a queue does: by this share of what it adds."""


@dataclass(frozen=True)
class Parts:
    """Which probes cross which parts: an entry for each such pair, int64, sorted by part; `count` counts all parts."""

    probe: Ints64
    part: Ints64
    count: int

    def find_probes(self, part: int) -> Ints64:
        """Return the probes of a part."""
        return self.probe[slice(*np.searchsorted(self.part, (part, part + 1)))]

    def sum_up(self, values: Floats) -> Floats:
        """Return, by part, the sum of a value of its probes."""
        return np.bincount(self.part, values[self.probe], self.count).astype(np.float64)


@dataclass(frozen=True)
class Suspect:
    """A part (its number), the `amount` that it adds to a probe, its log-likelihood ratio (`gain`), and the numbers of
    other parts that are nearly as likely.
    """

    part: int
    amount: float
    gain: float
    others: tuple[int, ...]


class Measure(ABC):
    """One kind of result of all probes, such as losses, and how parts explain it.

    `amounts` has what each of the chosen parts adds to a probe that crosses it, by part.
    """

    def __init__(self, parts: Parts, probes: int) -> None:
        self._parts, self._probes, self.amounts = parts, probes, dict[int, float]()

    @abstractmethod
    def rate_parts(self) -> tuple[Floats, Floats]:
        """Return (log-likelihood ratios, amounts), both by part: how well the part alone would explain what is left to
        explain.

        The amount is the likeliest one that the part adds; the ratio compares this with adding nothing.
        """

    @abstractmethod
    def weigh_part(self, part: int) -> float:
        """Return by how much the log-likelihood of the measurements falls if a chosen part is taken away, and its
        amount with it.
        """

    @abstractmethod
    def fit_amounts(self) -> None:
        """Fit what the chosen parts add, all together."""

    def sum_amounts(self) -> Floats:
        """Return, by probe, what all chosen parts add to it."""
        added = np.zeros(self._probes)
        for part, amount in self.amounts.items():
            added[self._parts.find_probes(part)] += amount
        return added


def find_suspects(parts: Parts, measure: Measure) -> list[Suspect]:
    """Return the parts that explain what was measured, in the order in which they were chosen.

    Each step chooses the part that adds most to the likelihood, until none adds enough; then chosen parts without which
    the others explain as much are dropped. The `others` of a suspect are nearly as likely, and no suspects themselves.
    """
    suspects: dict[int, Suspect] = {}
    min_gain = float(np.log(max(int((np.bincount(parts.part, minlength=parts.count) > 0).sum()), 1) / FALSE_ALARMS))
    while parts.count and len(suspects) < MOST:
        gains, amounts = measure.rate_parts()
        gains[list(suspects)] = 0
        # among equally likely parts (all whose probes count as much as they may), the first of those that add most
        equally_likely = np.flatnonzero(gains >= gains.max() * (1 - ALIKE))
        likeliest = int(
            equally_likely[(amounts[equally_likely] >= amounts[equally_likely].max() * (1 - ALIKE)).argmax()]
        )
        if gains[likeliest] < min_gain:
            break
        rivals = set(np.flatnonzero(gains >= gains[likeliest] - NEAR).tolist()) - {likeliest}
        suspects[likeliest] = Suspect(
            likeliest, 0.0, float(gains[likeliest]), tuple(sorted(rivals, key=lambda p: (-gains[p], p)))
        )
        measure.amounts[likeliest] = float(amounts[likeliest])
        measure.fit_amounts()
    while suspects:
        weights = {part: measure.weigh_part(part) for part in suspects}
        lightest = min(suspects, key=weights.__getitem__)
        if weights[lightest] >= min_gain:
            break
        del suspects[lightest], measure.amounts[lightest]
        measure.fit_amounts()
    return [
        Suspect(part, measure.amounts[part], suspect.gain, tuple(o for o in suspect.others if o not in suspects))
        for part, suspect in suspects.items()
    ]


class Losses(Measure):
    """Packets that probes lost: Poisson, with a rate that all probes share, and what parts add."""

    def __init__(self, parts: Parts, sent: Floats, lost: Floats) -> None:
        super().__init__(parts, len(sent))
        self._sent, self._lost = sent, lost
        self._sums = np.maximum(parts.sum_up(sent), 1.0)
        # only probes that lost packets change the rates
        crosses_with_loss = lost[parts.probe] > 0
        self._part, self._probe = parts.part[crosses_with_loss], parts.probe[crosses_with_loss]
        # in a busy hall probes stray more than by chance: likelihoods are divided by that factor
        measured = sent > 0
        usual_losses = sent[measured] * float(np.median(lost[measured] / sent[measured]))
        strays = float(np.median((lost[measured] - usual_losses) ** 2 / np.maximum(usual_losses, 1))) / MEDIAN_STRAY
        self._busy = max(strays, 1.0) if np.median(usual_losses) > 1 else 1.0
        self.fit_amounts()

    def fit_amounts(self) -> None:
        """Fit the rates of the background and of all chosen parts, by expectation maximisation."""
        total = float(self._sent.sum())
        background = max(float(self._lost.sum()), 0.5) / total
        for _ in range(ROUNDS if self.amounts else 0):
            losses_by_rate = self._lost / (background + self.sum_amounts())
            background = max(background * float(losses_by_rate.sum()), 0.5) / total
            for part in self.amounts:
                probes = self._parts.find_probes(part)
                self.amounts[part] *= float(losses_by_rate[probes].sum()) / float(self._sent[probes].sum())
        self._expected = background + self.sum_amounts()

    def rate_parts(self) -> tuple[Floats, Floats]:
        """As `Measure.rate_parts`; amounts are the shares of packets that parts lose.

        If losses vary more from probe to probe than by chance, ratios are divided by how many times more.
        """
        part_of_crossing, part_count, packets_of_part = self._part, self._parts.count, self._sums
        losses, expected_share = self._lost[self._probe], self._expected[self._probe]
        rate = np.bincount(part_of_crossing, losses, part_count) / packets_of_part
        # each round gives a part its share of the losses of its probes (expectation maximisation)
        for _ in range(ROUNDS):
            rate = (
                rate
                * np.bincount(part_of_crossing, losses / (expected_share + rate[part_of_crossing]), part_count)
                / packets_of_part
            )
        gain = (
            np.bincount(part_of_crossing, losses * np.log1p(rate[part_of_crossing] / expected_share), part_count)
            - rate * packets_of_part
        )
        return gain / self._busy, rate

    def weigh_part(self, part: int) -> float:
        """As `Measure.weigh_part`."""
        probes, amount = self._parts.find_probes(part), self.amounts[part]
        expected = self._expected[probes]
        gains = -self._lost[probes] * np.log1p(-amount / expected) - self._sent[probes] * amount
        return float(gains.sum()) / self._busy


class Delays(Measure):
    """By how much probes took longer than is usual for their like: Gaussian noise, estimated robustly by medians."""

    def __init__(self, parts: Parts, took: Floats, group_of_probe: Ints64 | Floats) -> None:
        super().__init__(parts, len(took))
        measured = ~np.isnan(took)
        usual_times = np.full(len(took), np.nan)
        for group in np.unique(group_of_probe[measured]):
            in_group = measured & (group_of_probe == group)
            usual_times[in_group] = np.median(took[in_group])
        # the larger of two estimates, which are equal for a normal distribution: on busy machines a few stray far
        strays = np.quantile(np.abs(took - usual_times)[measured], (0.5, 0.9)) / STRAYS
        self._sigma = max(float(strays.max()), LEAST_SIGMA * float(np.median(usual_times[measured])), 1e-12)
        self._excess = np.nan_to_num(took - usual_times)
        self._weights = np.maximum(np.bincount(parts.part, minlength=parts.count), 1)

    def fit_amounts(self) -> None:
        """Fit what parts add by least squares, one after the other and repeatedly; never less than nothing."""
        unexplained = self._excess - self.sum_amounts()
        for _ in range(ROUNDS):
            for part, amount in self.amounts.items():
                probes = self._parts.find_probes(part)
                self.amounts[part] = max(amount + float(unexplained[probes].mean()), 0.0)
                unexplained[probes] += amount - self.amounts[part]

    def rate_parts(self) -> tuple[Floats, Floats]:
        """As `Measure.rate_parts`; amounts are in the unit of what was measured."""
        added = self.sum_amounts()
        unexplained = self._excess - added
        sums = np.maximum(self._parts.sum_up(self._count_noise(unexplained, added)), 0.0)
        return sums**2 / (2 * self._weights), self._parts.sum_up(unexplained) / self._weights

    def weigh_part(self, part: int) -> float:
        """As `Measure.weigh_part`."""
        probes, amount, added = self._parts.find_probes(part), self.amounts[part], self.sum_amounts()
        unexplained, added = (self._excess - added)[probes], added[probes]
        without_part = self._count_noise(unexplained + amount, added - amount)
        return float((without_part**2 - self._count_noise(unexplained, added) ** 2).sum()) / 2

    def _count_noise(self, unexplained: Floats, added: Floats) -> Floats:
        """Return, by probe, the unexplained time in multiples of the noise, from -CUT to CUT.

        The noise is larger for probes to which parts add time (`added`), because these additions are uneven.
        """
        return np.clip(unexplained / np.hypot(self._sigma, UNEVEN * added), -CUT, CUT)
