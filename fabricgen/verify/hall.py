"""A hall as a verification found it, as networks: links end where they were seen, and dark ones carry nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fabricgen.analyze.network import Network, networks_of
from fabricgen.cluster import Cluster
from fabricgen.design.fabric_model import TierKey
from fabricgen.verify.actions import Action, AsFound, Diagnosis, Kind
from fabricgen.wiring.tables import Flags, Ints64, Segment


class Pair(NamedTuple):
    """Two ports that are joined and that no link of the plan joins; numbers as in AsFound, `low` is a planned one."""

    low: int
    high: int


class _Joined(NamedTuple):
    """A link that is there in place of one of the plan: its row, its devices, and the number of its upper port."""

    row: int
    a_device: int
    b_device: int
    b_port: int


@dataclass(frozen=True)
class Hall:
    """The cluster of a plan, and what was found of its links."""

    cluster: Cluster
    diagnosis: Diagnosis

    def found(self, action: Action | None = None) -> dict[str, Network]:
        """Networks by fabric as all was found, or with one action alone."""
        cluster, dark, _ = self._wired(*(self._all if action is None else self._of_action(action)))
        return {each.fabric.name: each for each in networks_of(cluster, dark)}

    def carry_nothing(self) -> list[str]:
        """The ids of the actions that tell of what joins what no plan joins."""
        odd = self._wired(*self._all)[2]
        links = sorted({port >> 1 for pair in odd for port in pair if port < self._planned})
        moved = [action for action in self.diagnosis.actions if action.kind is not Kind.DARK]
        return [action.id for action in moved if self._links(action.concerned)[links].any()] if links else []

    def is_told(self, action: Action) -> bool:
        """Whether it is known which links an action is about: not of modules, nor of ports that tell too little."""
        return action.kind not in (Kind.OPTIC, Kind.PORT) or bool(self._of_action(action)[0].any())

    @property
    def _as_found(self) -> AsFound:
        found = self.diagnosis.as_found
        if found is None:
            raise ValueError("a diagnosis that is not of sightings tells of no links")
        return found

    @property
    def _planned(self) -> int:
        """The number of planned ports."""
        return 2 * len(self._as_found.gone)

    @cached_property
    def _rows(self) -> Ints64:
        """The row of each link of the planned cabling, which leaves out those without a cable."""
        return np.flatnonzero(self.cluster.plan.links.cable >= 0)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {cable: number for number, cable in enumerate(self.cluster.cable_ids)}

    @cached_property
    def _device_rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.cluster.names)}

    @cached_property
    def _all(self) -> tuple[Flags, list[Pair]]:
        """(Planned links that are not there; ports that are joined in their place.)"""
        mate = self._as_found.mate[: self._planned]
        port = np.flatnonzero((mate >= 0) & (mate != np.arange(self._planned) ^ 1))
        port = port[port < mate[port]]
        return self._as_found.gone, [Pair(*each) for each in zip(port.tolist(), mate[port].tolist(), strict=True)]

    def _links(self, cables: Iterable[str]) -> Flags:
        """Which links are of some cables, by id."""
        wanted = np.zeros(len(self._numbers), dtype=np.bool_)
        wanted[[self._numbers[name] for name in cables]] = True
        found: Flags = wanted[self.cluster.plan.links.cable[self._rows]]
        return found

    @cached_property
    def _dark(self) -> Flags:
        """The links of dark cables, and of missing ones, one end of which may be in the cage of another."""
        dark = [action for action in self.diagnosis.actions if action.kind is Kind.DARK]
        mate = self._as_found.mate[: self._planned]
        lone = (mate[0::2] < 0) | (mate[1::2] < 0)
        return self._links(cable for action in dark for cable in action.cables) & self._as_found.gone & lone

    def _of_action(self, action: Action) -> tuple[Flags, list[Pair]]:
        """What one action says of links, as `_all`: a place that another plug is in has lost its own link."""
        own, gone = self._links(action.concerned), self._as_found.gone
        if action.kind is Kind.DARK:
            return own & self._dark, []
        lost, pairs = own & gone & ~self._dark, []
        for pair in self._all[1]:
            links = [port >> 1 for port in pair if port < self._planned]
            if own[links].any():
                lost[links] = True
                pairs.append(pair)
        return lost, pairs

    def _wired(self, gone: Flags, pairs: Sequence[Pair]) -> tuple[Cluster, Ints64, list[Pair]]:
        """(The cluster with pairs of ports joined, rows of links that are not there, pairs that no plan joins.)"""
        plan = self.cluster.plan
        columns = {name: getattr(plan.links, name).copy() for name in ("a_device", "b_device", "b_port")}
        taken, odd = set[int](), []
        for pair in sorted(pairs, key=lambda pair: self._by_lower(pair) is None):
            joined = self._by_lower(pair) or next((j for j in self._by_either(pair) if j.row not in taken), None)
            if joined is None:
                odd.append(pair)
                continue
            taken.add(joined.row)
            for name, column in columns.items():
                column[joined.row] = getattr(joined, name)
        dark = np.setdiff1d(self._rows[gone], np.array(sorted(taken), dtype=np.int64))
        if not taken:
            return self.cluster, dark, odd
        return replace(self.cluster, plan=replace(plan, links=replace(plan.links, **columns))), dark, odd

    def _by_lower(self, pair: Pair) -> _Joined | None:
        """The link of a lower port that is planned, to a port as far up as its own."""
        links = self.cluster.plan.links
        for low, up in (pair, pair[::-1]):
            if low >= self._planned or low & 1:
                continue
            row, segment = self._row(low), self._segment(low)
            if up >= self._planned:
                device = self._device(up)
                if self._tier(device) == segment.tier:
                    return _Joined(row, int(links.a_device[row]), device, int(links.b_port[row]))
            elif up & 1 and _kin(self._segment(up)) == _kin(segment):
                return _Joined(row, int(links.a_device[row]), self._device(up), int(links.b_port[self._row(up)]))
        return None

    def _by_either(self, pair: Pair) -> Iterator[_Joined]:
        """The link of an upper port to a spare one of a lower switch, or between two equal ones, in a row of theirs."""
        links = self.cluster.plan.links
        for one, other in (pair, pair[::-1]):
            if one >= self._planned:
                continue
            row, segment = self._row(one), self._segment(one)
            if other >= self._planned:
                fits = one & 1 and self._tier(self._device(other)) == segment.lower_tier
            else:
                fits = segment.lower_tier == segment.tier and _kin(self._segment(other)) == _kin(segment)
            if fits:
                yield _Joined(row, self._device(other), self._device(one), int(links.b_port[row]))

    def _row(self, port: int) -> int:
        return int(self._rows[port >> 1])

    def _segment(self, port: int) -> Segment:
        links = self.cluster.plan.links
        return links.segments[int(links.segment[self._row(port)])]

    def _device(self, port: int) -> int:
        """The device of a planned or spare port."""
        if port >= self._planned:
            return self._device_rows[self._as_found.spare[port - self._planned]]
        links = self.cluster.plan.links
        return int((links.b_device if port & 1 else links.a_device)[self._row(port)])

    def _tier(self, device: int) -> TierKey:
        devices = self.cluster.plan.devices
        return devices.classes[int(devices.device_class[device])].key


def _kin(segment: Segment) -> tuple[object, ...]:
    """What links have in common whose ends can be exchanged."""
    return segment.fabric, segment.lower, segment.upper, segment.lower_tier, segment.tier, segment.speed_gbps
