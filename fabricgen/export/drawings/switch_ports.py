"""The ports of a switch and their far ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from fabricgen.catalog.models import SwitchProfile
from fabricgen.cluster import Cluster
from fabricgen.design.capacity.reserved import list_reserved_ports
from fabricgen.design.fabric_model import TierKey
from fabricgen.design.ports import PortRun
from fabricgen.export.palette import Swatch, choose_cluster_swatches, make_plane_mark, shade_for_rail
from fabricgen.export.table import name_cable_end
from fabricgen.wiring.arrays import Flags, Ints, Ints64
from fabricgen.wiring.tables import SWITCH, ManagementPort, Segment

DOWN, UP, PEER, MANAGEMENT, KEPT = "down", "up", "peer", "mgmt", "kept"
"""Role of a port: to a node or lower tier, to a higher tier, inside the tier, management, or kept without a cable."""


@dataclass(frozen=True, slots=True)
class FacePort:
    """A port of a switch, with its far end.

    `cage` counts from 1, and is 0 for a management port; `sub` is the port's number in the cage, from 0, `ways` the
    number of ports of the cage. `device`, `place` (cage and port), `rack` and `u` tell the far end; a port kept for a
    purpose has that purpose as `device`. `fill` is the colour of its fabric and rail, `pattern` that of its plane (""
    if the fabric has one plane), `tag` the code for fabric, rail and plane.
    """

    cage: int
    sub: int
    ways: int
    role: str
    tag: str
    fill: str
    pattern: str
    device: str
    place: str
    rack: str
    u: int


@dataclass(frozen=True, slots=True)
class SwitchPorts:
    """A switch and its ports in the order of its front; `closed` are cages that the breakout of a neighbour
    disables.
    """

    name: str
    profile: SwitchProfile
    swatch: Swatch
    rack: str
    u: int
    ports: tuple[FacePort, ...]
    closed: frozenset[int]


@dataclass(frozen=True, slots=True)
class _CabledEnds:
    """Ends of cabled links at switches, sorted by device and port, int32; `upper` is 1 for a b end, 0 for an a end.

    `device` and `link` are rows of their tables; `cage`, `sub` and `ways` are as in `FacePort`.
    """

    device: Ints
    cage: Ints
    sub: Ints
    ways: Ints
    link: Ints
    upper: Ints


class PortMaps:
    """The ports of every switch, computed one switch at a time."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._devices, self._links = cluster.plan.devices, cluster.plan.links
        self._swatches = choose_cluster_swatches(cluster)
        self._rack_names = np.array(cluster.plan.racks.names, dtype=object)
        self._find_look, self._find_kept_ports = cache(self._make_look), cache(self._make_kept_ports)

    def list_switches(self, devices: list[int]) -> Iterator[SwitchPorts]:
        """Yield the switches with cabled ports on their front among some devices, given by row."""
        for row in devices:
            cls = self._devices.classes[int(self._devices.device_class[row])]
            if cls.kind == SWITCH and isinstance(cls.profile, SwitchProfile):
                yield SwitchPorts(
                    self._cluster.names[row],
                    cls.profile,
                    self._swatches[cls.fabric],
                    self._cluster.plan.racks.names[int(self._devices.rack[row])],
                    int(self._devices.u[row]),
                    tuple(self._list_ports(row)),
                    self._find_closed_cages(row, cls.profile),
                )

    def _find_end_rows(self, device: int) -> slice:
        """Return the rows of `_link_ends` that belong to a switch."""
        start, stop = np.searchsorted(self._link_ends.device, np.array([device, device + 1], dtype=np.int32)).tolist()
        return slice(start, stop)

    def _list_ports(self, device: int) -> list[FacePort]:
        """Return the ports of a switch with their far ends, and the ports kept for a purpose, sorted by cage."""
        ends, rows, links = self._link_ends, self._find_end_rows(device), self._links
        link_rows, is_upper_end = ends.link[rows], ends.upper[rows].astype(bool)
        far_device = np.where(is_upper_end, links.a_device[link_rows], links.b_device[link_rows])
        far_places = self._name_far_places(link_rows, is_upper_end)
        numbers = (column[rows].tolist() for column in (ends.cage, ends.sub, ends.ways))
        look_columns = (
            column.tolist()
            for column in (links.segment[link_rows], is_upper_end, links.rail[link_rows], links.plane[link_rows])
        )
        looks = [self._find_look(*values) for values in zip(*look_columns, strict=True)]
        names, racks = (
            self._cluster.name_column[far_device].tolist(),
            self._rack_names[self._devices.rack[far_device]].tolist(),
        )
        far_ends = zip(names, far_places, racks, self._devices.u[far_device].tolist(), strict=True)
        ports = [
            FacePort(cage, sub, split, *look, *end)
            for cage, sub, split, look, end in zip(*numbers, looks, far_ends, strict=True)
        ]
        kept_ports = self._find_kept_ports(self._devices.classes[int(self._devices.device_class[device])].key)
        return sorted([*ports, *kept_ports], key=lambda port: (port.cage, port.sub)) if kept_ports else ports

    def _make_kept_ports(self, key: TierKey) -> tuple[FacePort, ...]:
        """Return the ports of a tier's switches that are kept for a purpose."""
        design = self._cluster.design
        tier = next((tier for tier in design.tiers if tier.key == key), None)
        code, fill = self._swatches[key.fabric].code, shade_for_rail(self._swatches[key.fabric].fill, 0)
        return tuple(
            FacePort(port.cage, port.sub, port.ways, KEPT, code, fill, "", port.purpose, "", "", 0)
            for port in (list_reserved_ports(design, tier) if tier else ())
        )

    def _make_look(self, segment: int, upper: bool, rail: int, plane: int) -> tuple[str, str, str, str]:
        """Return (role, tag, fill, pattern), as in `FacePort`, of the ports at one end of links with a rail and a
        plane.

        `segment` is the index of the links' segment; `upper` says whether it is their upper end. A rail or plane that
        is the only one of its fabric is not shown.
        """
        link_segment = self._links.segments[segment]
        has_rails, has_planes = self._has_rails_and_planes.get(link_segment.fabric, (False, False))
        # times False is 0, for none: a single rail or plane is not shown
        swatch, mark = self._swatches[link_segment.fabric], make_plane_mark(plane * has_planes)
        return (
            find_role(link_segment, upper),
            (swatch.code + (str(rail) if rail and has_rails else "") + (f" {mark.letter}" if mark else "")),
            shade_for_rail(swatch.fill, rail * has_rails),
            mark.pattern if mark else "",
        )

    def _name_far_places(self, link_rows: Ints, upper: Flags) -> list[str]:
        """Return cage and port of the far ends of links, as text; `upper` says which ends are b ends."""
        cages, ports = self._cluster.cages, (self._cluster.a_port, self._cluster.b_port)
        cage, port = (np.where(upper, ends[0][link_rows], ends[1][link_rows]).tolist() for ends in (cages, ports))
        return [name_cable_end(c, p, several=False) for c, p in zip(cage, port, strict=True)]

    @cached_property
    def _has_rails_and_planes(self) -> dict[str, tuple[bool, bool]]:
        """By fabric, whether it has several rails and several planes; a single one is not shown."""
        return {f.name: (f.sizes["rail"] > 1, f.sizes["plane"] > 1) for f in self._cluster.design.fabrics}

    def _find_closed_cages(self, device: int, profile: SwitchProfile) -> frozenset[int]:
        """Return the cages of a switch that are blocked because the cage before them is split."""
        ends, rows = self._link_ends, self._find_end_rows(device)
        closed: set[int] = set()
        for cage, split in set(zip(ends.cage[rows].tolist(), ends.ways[rows].tolist(), strict=True)):
            if cage:
                # a split cage takes the positions of its whole block, which it is the first of
                closed.update(range(cage + 1, cage + profile.find_cage_class(cage).block(split)))
        return frozenset(closed)

    @cached_property
    def _link_ends(self) -> _CabledEnds:
        """The ends of links on switches, sorted by device, cage and port, so that those of a switch are a slice."""
        links = self._links
        kinds = np.array([cls.kind for cls in self._devices.classes])[self._devices.device_class]
        columns_by_segment: list[list[Ints | Ints64]] = [[] for _ in range(6)]
        for i, segment in enumerate(links.segments):
            rows = np.arange(len(links), dtype=np.int32)[links.find_rows(i)]
            for upper, end in enumerate((segment.a, segment.b)):
                if segment.backplane or not isinstance(end, PortRun | ManagementPort):
                    continue
                device, port = (links.b_device, links.b_port) if upper else (links.a_device, links.a_port)
                switch_rows = rows[kinds[device[rows]] == SWITCH]
                for column, value in zip(
                    columns_by_segment,
                    (
                        device[switch_rows],
                        *_locate_ports(end, port[switch_rows]),
                        switch_rows,
                        np.full(len(switch_rows), upper),
                    ),
                    strict=True,
                ):
                    column.append(value)
        columns = [
            np.concatenate([*column, np.empty(0, dtype=np.int32)]).astype(np.int32) for column in columns_by_segment
        ]
        order = np.lexsort((columns[2], columns[1], columns[0]))
        return _CabledEnds(*(column[order] for column in columns))


def _locate_ports(end: PortRun | ManagementPort, port: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the cage (from 1), the number in the cage (from 0) and the ports of the cage of ports at an end; int32.

    Management ports are in cage 0.
    """
    if isinstance(end, ManagementPort):
        return np.zeros_like(port), port, np.ones_like(port)
    cages = np.array(end.cages, dtype=np.int32)
    return cages[port // end.ways], port % end.ways, np.full_like(port, end.ways)


def find_role(segment: Segment, upper: bool) -> str:
    """Return what the port at a link's lower or upper end is for, as seen from its switch.

    It is MANAGEMENT for a management port, PEER for a link within a tier, else DOWN at an upper end and UP at a lower
    end.
    """
    if isinstance(segment.b if upper else segment.a, ManagementPort):
        return MANAGEMENT
    if segment.lower_tier == segment.tier:
        return PEER
    return DOWN if upper else UP
