"""The QoS settings of a NIC: the same intent that the switches of its fabric are configured from.

On hosts, other traffic is priority and class 0, whatever the NOS calls it. By default eight DSCPs share a priority
(mlnx_qos, trust dscp). Therefore the DSCPs that share a priority with one that has a class of its own are moved to
priority 0: PFC would pause them, too.
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
"""Limit of the strict queue of a Pollara port in Gb/s if the blueprint states none: nicctl does not accept 0 there (AMD
Instinct system acceptance, Network configuration for performance optimization).
"""


@dataclass(frozen=True, slots=True)
class HostQos:
    """Settings of a NIC's ports in a fabric in which RoCE has a class of its own.

    Lists are by priority or by class, in the form that tools accept. `speed_gbps` is that of a port; only `cnp_gbps`
    needs it.
    """

    intent: QosIntent
    speed_gbps: int

    @property
    def pfc(self) -> str:
        """Which priorities are paused, for `mlnx_qos --pfc`."""
        return _join_numbers(int(self.intent.lossless and p == self.intent.roce_class) for p in PRIORITIES)

    @property
    def classes(self) -> str:
        """The class of each priority, for `mlnx_qos --prio_tc`."""
        return _join_numbers(p if p in self._marked_classes else OTHERS for p in PRIORITIES)

    @property
    def algorithms(self) -> str:
        """How each class is scheduled, for `mlnx_qos --tsa`: notifications strictly first, others by their share."""
        return ",".join("strict" if p == self.intent.cnp_class else "ets" for p in PRIORITIES)

    @property
    def shares(self) -> str:
        """The share of each class in percent, for `mlnx_qos --tcbw`."""
        return _join_numbers(dict(self.weights).get(p, 0) for p in PRIORITIES)

    @property
    def weights(self) -> tuple[tuple[int, int], ...]:
        """(class, share in percent) of each class that is scheduled by share: RoCE, other traffic, and
        trimmed packets.
        """
        intent = self.intent
        trimmed = ((intent.trim.traffic_class, intent.trim_percent),) if intent.trim else ()
        return (intent.roce_class, intent.roce_percent), (OTHERS, self.others_percent), *trimmed

    @property
    def others_percent(self) -> int:
        """The share of all other traffic, percent."""
        return 100 - self.intent.roce_percent - self.intent.trim_percent

    @property
    def moved(self) -> tuple[tuple[int, int], ...]:
        """(DSCP, its priority) of each DSCP whose priority has to be set, because it is marked or shares a priority
        with one that is.
        """
        marked_dscps = self.marked_dscps
        class_dscps = {
            dscp: marked_dscps.get(dscp, OTHERS) for p in self._marked_classes for dscp in range(8 * p, 8 * p + 8)
        }
        return tuple(sorted({**class_dscps, **marked_dscps}.items()))

    @property
    def others(self) -> str:
        """The DSCPs of all other traffic as ranges, for nicctl: 0-25,27-47,49-63."""
        unmarked = [dscp for dscp in range(64) if dscp not in self.marked_dscps]
        runs = [[dscp for _, dscp in span] for _, span in groupby(enumerate(unmarked), lambda pair: pair[1] - pair[0])]
        return ",".join(f"{span[0]}-{span[-1]}" if len(span) > 1 else str(span[0]) for span in runs)

    @property
    def mask(self) -> int:
        """The RoCE priority as a bit, for ROCE_CC_PRIO_MASK."""
        return 1 << self.intent.roce_class

    @property
    def cnp_gbps(self) -> int:
        """The most of a port's speed that congestion notifications may take, Gb/s."""
        percent = self.intent.cnp_max_percent
        return max(1, self.speed_gbps * percent // 100) if percent else CNP_GBPS

    @property
    def traffic_class(self) -> int:
        """The traffic class byte of IP: the DSCP in its upper six bits, ECN in the lower two."""
        return self.intent.roce_dscp << 2

    @property
    def _marked_classes(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(self.marked_dscps.values()))

    @property
    def marked_dscps(self) -> dict[int, int]:
        """DSCP -> class of all traffic that has a class of its own."""
        intent = self.intent
        return {
            **({intent.trim.dscp: intent.trim.traffic_class} if intent.trim else {}),
            intent.roce_dscp: intent.roce_class,
            intent.cnp_dscp: intent.cnp_class,
        }


def _join_numbers(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers))
