"""What a NIC is told of a fabric's QoS: the same intent that its switches are configured from.

Other traffic is priority and class 0 on hosts, whatever the NOS calls it. DSCPs share priorities by eights until told
otherwise (mlnx_qos, trust dscp), so that those beside RoCE's and the notifications' are moved out of their priorities:
PFC would pause them, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from fabricgen.design.qos import QosIntent

PRIORITIES = range(8)
OTHERS = 0
"""Priority and class of all other traffic."""

CNP_GBPS = 10
"""AMD's limit of the strict queue of a Pollara port where the blueprint states none, Gb/s: nicctl takes no 0 there
(AMD Instinct system acceptance, Network configuration for performance optimization).
"""


@dataclass(frozen=True, slots=True)
class HostQos:
    """Settings of a NIC's ports in one lossless fabric: lists are by priority or class, as tools take them."""

    intent: QosIntent
    speed_gbps: int

    @property
    def pfc(self) -> str:
        """Which priorities are paused, for `mlnx_qos --pfc`."""
        return _listed(int(p == self.intent.roce_class) for p in PRIORITIES)

    @property
    def classes(self) -> str:
        """The class of each priority, for `mlnx_qos --prio_tc`."""
        return _listed(p if p in self._own else OTHERS for p in PRIORITIES)

    @property
    def algorithms(self) -> str:
        """How each class is sent, for `mlnx_qos --tsa`: notifications first, others by their share."""
        return ",".join("strict" if p == self.intent.cnp_class else "ets" for p in PRIORITIES)

    @property
    def shares(self) -> str:
        """The share of each class, percent, for `mlnx_qos --tcbw`."""
        shares = {OTHERS: self.others_percent, self.intent.roce_class: self.intent.roce_percent}
        return _listed(shares.get(p, 0) for p in PRIORITIES)

    @property
    def others_percent(self) -> int:
        """The share of all other traffic, percent."""
        return 100 - self.intent.roce_percent

    @property
    def moved(self) -> tuple[tuple[int, int], ...]:
        """(DSCP, its priority) where that is not DSCP / 8, or matters."""
        own = self._own_dscps
        alone = {dscp: own.get(dscp, OTHERS) for p in self._own for dscp in range(8 * p, 8 * p + 8)}
        return tuple(sorted({**alone, **own}.items()))

    @property
    def others(self) -> str:
        """The DSCPs of all other traffic as ranges, for nicctl: 0-25,27-47,49-63."""
        rest = [dscp for dscp in range(64) if dscp not in self._own_dscps]
        runs = [[dscp for _, dscp in run] for _, run in groupby(enumerate(rest), lambda pair: pair[1] - pair[0])]
        return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)

    @property
    def mask(self) -> int:
        """The RoCE priority as a bit, for ROCE_CC_PRIO_MASK."""
        return 1 << self.intent.roce_class

    @property
    def cnp_gbps(self) -> int:
        """How much of a port notifications may take, Gb/s."""
        percent = self.intent.cnp_max_percent
        return max(1, self.speed_gbps * percent // 100) if percent else CNP_GBPS

    @property
    def traffic_class(self) -> int:
        """The byte of IP that has the DSCP in its upper six bits; the lower two are ECN's."""
        return self.intent.roce_dscp << 2

    @property
    def _own(self) -> tuple[int, int]:
        return self.intent.roce_class, self.intent.cnp_class

    @property
    def _own_dscps(self) -> dict[int, int]:
        return {self.intent.roce_dscp: self.intent.roce_class, self.intent.cnp_dscp: self.intent.cnp_class}


def _listed(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers))
