"""Which parts explain what probes measured: the most likely one first, then what is left by others.

Each part (a link in one direction, a link, a module or half of one, a switch) adds something to all probes that cross
it: losses, as a share of packets; latency; or time for each byte. Parts are taken one by one, the one whose own amount,
as likely as it can be, explains most; the others are asked again of what is left (greedy maximum likelihood, as
matching pursuit has it: Mallat and Zhang 1993; of losses in networks: Duffield 2006, Network Tomography of Binary
Network Performance Characteristics). A part is named where its log-likelihood ratio passes what chance gives to the
best of so many parts in one healthy hall of a hundred (Wilks' theorem and a union bound).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fabricgen.addons.probing.graph import Flags, Floats, Ints

FALSE_ALARMS = 0.01
"""Healthy halls of which one may be accused: a hundredth."""
MOST = 100
"""Parts that are named at most."""
NEAR = 3.0
"""Parts whose log-likelihood is so near to that of the best, a twentieth of its likelihood, may be meant as well."""
ROUNDS = 24
"""Steps of expectation maximisation; rates change by less than a hundredth after these."""
MEDIAN_STRAY = 0.455
"""Of the square of what strays from a mean, over its variance: the median of chi-square with one degree of freedom."""
LEAST_SIGMA, CUT = 0.01, 8.0
"""Noise is a hundredth of what is usual at least, since clocks and counters are that coarse; a probe counts for so many
times the noise at most, so that a single one that strays does not pass for a link."""


@dataclass(frozen=True)
class Parts:
    """Which probes cross which parts: an entry each, int64, by part."""

    probe: Ints
    part: Ints
    count: int

    @cached_property
    def start(self) -> Ints:
        """Where the entries of each part begin, and an end."""
        return np.searchsorted(self.part, np.arange(self.count + 1))

    def find_probes(self, part: int) -> Ints:
        """The probes of a part."""
        return self.probe[self.start[part] : self.start[part + 1]]

    def sum_up(self, values: Floats, entries: Flags | slice = slice(None)) -> Floats:
        """By part, the sum of a value of its probes."""
        return np.bincount(self.part[entries], values[self.probe[entries]], self.count).astype(np.float64)


@dataclass(frozen=True)
class Suspect:
    """A part, what it adds to a probe, its log-likelihood ratio, and parts that are nearly as likely."""

    part: int
    amount: float
    gain: float
    others: tuple[int, ...]


def find_suspects(parts: Parts, measure: Losses | Delays) -> list[Suspect]:
    """The parts that explain what was measured, in the order in which they do."""
    suspects: list[Suspect] = []
    used = np.bincount(parts.part, minlength=parts.count) > 0
    least = np.log(max(int(used.sum()), 1) / FALSE_ALARMS)
    while len(suspects) < MOST:
        gains, amounts = measure.rate_parts()
        gains[[suspect.part for suspect in suspects]] = 0
        best = int(gains.argmax()) if len(gains) else 0
        if not len(gains) or gains[best] < least:
            break
        near = np.flatnonzero(gains >= gains[best] - NEAR)
        near = near[np.argsort(-gains[near], kind="stable")]
        others = tuple(int(part) for part in near if part != best)
        suspects.append(Suspect(best, float(amounts[best]), float(gains[best]), others))
        measure.take_for_cause(best, float(amounts[best]))
    return [replace(suspect, amount=amount) for suspect, amount in zip(suspects, measure.amounts, strict=True)]


class Losses:
    """Packets that probes lost: Poisson, of a rate that all share, and what parts add."""

    amounts: list[float]
    """What the parts that were taken to explain it add, in their order."""

    def __init__(self, parts: Parts, sent: Floats, lost: Floats) -> None:
        self._parts, self._sent, self._lost = parts, sent, lost
        self._chosen: list[Ints] = []
        self.amounts = []
        self._sums = parts.sum_up(sent)
        self._entries = lost[parts.probe] > 0
        # in a busy hall probes stray more than chance has it: by so much is everything less likely
        measured = sent > 0
        usual = sent[measured] * float(np.median(lost[measured] / sent[measured]))
        strays = float(np.median((lost[measured] - usual) ** 2 / np.maximum(usual, 1))) / MEDIAN_STRAY
        self._busy = max(strays, 1.0) if np.median(usual) > 1 else 1.0
        self._fit_rates()

    def _fit_rates(self) -> None:
        # the rates of the background, and of parts that are known, that are likeliest together
        total = float(self._sent.sum())
        background = max(float(self._lost.sum()), 0.5) / total
        for _ in range(ROUNDS if self._chosen else 0):
            share = self._lost / self._expect_losses(background)
            background = max(background * float(share.sum()), 0.5) / total
            for number, probes in enumerate(self._chosen):
                self.amounts[number] *= float(share[probes].sum()) / float(self._sent[probes].sum())
        self._expected = self._expect_losses(background)

    def _expect_losses(self, background: float) -> Floats:
        """By probe, the share of its packets that should be lost."""
        expected = np.full(len(self._sent), background)
        for probes, rate in zip(self._chosen, self.amounts, strict=True):
            expected[probes] += rate
        return expected

    def rate_parts(self) -> tuple[Floats, Floats]:
        """By part, (the log-likelihood ratio of the share of packets that it is most likely to lose, that share)."""
        part, probe = self._parts.part[self._entries], self._parts.probe[self._entries]
        lost, expected = self._lost[probe], self._expected[probe]
        count, sums = self._parts.count, np.maximum(self._sums, 1.0)
        rate = np.bincount(part, lost, count) / sums
        for _ in range(ROUNDS):
            rate = rate * np.bincount(part, lost / (expected + rate[part]), count) / sums
        gain = np.bincount(part, lost * np.log1p(rate[part] / expected), count) - rate * sums
        return gain / self._busy, rate

    def take_for_cause(self, part: int, amount: float) -> None:
        """Take it that a part loses such a share, about: all are fitted together."""
        self._chosen.append(self._parts.find_probes(part))
        self.amounts.append(amount)
        self._fit_rates()


class Delays:
    """What probes took longer than is usual for their like: Gaussian noise, as robust as medians are."""

    def __init__(self, parts: Parts, took: Floats, alike: Ints | Floats) -> None:
        measured = ~np.isnan(took)
        usual = np.full(len(took), np.nan)
        for kind in np.unique(alike[measured]):
            usual[measured & (alike == kind)] = np.median(took[measured & (alike == kind)])
        noise = 1.4826 * float(np.median(np.abs(took - usual)[measured]))
        self._sigma = max(noise, LEAST_SIGMA * float(np.median(usual[measured])), 1e-12)
        self._parts, self._excess, self.amounts = parts, np.nan_to_num(took - usual), list[float]()
        self._weights = np.maximum(np.bincount(parts.part, minlength=parts.count), 1)

    def rate_parts(self) -> tuple[Floats, Floats]:
        """By part, (the log-likelihood ratio of what it is most likely to add, that amount)."""
        cut = np.clip(self._excess, -CUT * self._sigma, CUT * self._sigma)
        sums = np.maximum(self._parts.sum_up(cut), 0.0)
        amounts = self._parts.sum_up(self._excess) / self._weights
        return sums**2 / (2 * self._weights * self._sigma**2), amounts

    def take_for_cause(self, part: int, amount: float) -> None:
        """Take it that a part adds so much."""
        self._excess[self._parts.find_probes(part)] -= amount
        self.amounts.append(amount)
