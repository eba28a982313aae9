"""paths/: the paths that NICs choose among in fabrics with SRv6, as identifiers; on request.

There are three kinds of tables, because every path is a way up from a leaf and one down from the switch where it turns;
ports of a leaf share all of its ways up.

- `paths/nodes/NODE.csv` has a row for each port: its plane, its leaf and the port there; the identifier of that port,
which is the last of every path to it, and the address at which packets arrive; its rail, and the address that packets
inside are for, which all planes of a NIC may share (`address_per: nic`).

- `paths/up/LEAF.csv` has a row for each way up from a leaf: its number, the number of tiers that it climbs, the switch
where it turns, its number among those that turn there, its identifiers, and the ports by which it leaves switches.

- `paths/down/SWITCH.csv` has a row for each way down from a switch to a leaf, numbered for each leaf.

Two leaves use the ways up that climb the fewest tiers to a switch with ways down to the other leaf. Path n from a port
to another one has the identifiers of way up n of its leaf, then those of way down `down` modulo the number of ways down
from there to the other's leaf, then that of the other port. Its address is the block followed by these
(`numbering/srv6.py:Srv6Block`). Between ports of one leaf the path is the identifier of the leaf (none, if links have
identifiers) and that of the port.

Paths name switches, or with `links` the links between them. If several links join two switches and have no identifiers,
a step lists all of its ports, separated by `|`: the switch chooses one by hashing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.ports import PortRun
from fabricgen.export.host_links import list_host_links, split_by_device
from fabricgen.export.table import ExportContext, File, make_csv_file
from fabricgen.numbering.srv6 import Srv6Block
from fabricgen.reports.table import Table
from fabricgen.wiring.arrays import Ints, Ints64


@dataclass(frozen=True, slots=True)
class PathStep:
    """A step from a switch to the next one, `peer` (a row of the device table): the ports that it may leave by, and its
    identifier.
    """

    peer: int
    ports: tuple[str, ...]
    identifier: int


@dataclass(frozen=True, slots=True)
class Way:
    """Steps up from a leaf, or down to one: the switch at its end (a row of the device table), and the identifiers and
    ports on the way.

    A hop is a switch and the ports by which packets may leave it: `leaf-01:Ethernet0|Ethernet8`.
    """

    end: int
    identifiers: tuple[int, ...]
    hops: tuple[str, ...]

    def take_step(self, name: str, step: PathStep) -> Way:
        """Return the way with one step more, from the switch with this name."""
        return Way(step.peer, (*self.identifiers, step.identifier), (*self.hops, f"{name}:{'|'.join(step.ports)}"))


@dataclass(frozen=True)
class SteeredPaths:
    """The ways (`Way`) up from leaves and down to leaves in a fabric with SRv6, computed when they are asked for."""

    cluster: Cluster
    fabric: FabricDesign
    block: Srv6Block

    @cached_property
    def host_links(self) -> Ints64:
        """Rows of its links to hosts, by host; int64."""
        rows, segments = list_host_links(self.cluster), self.cluster.plan.links.segments
        is_own = np.array([segment.fabric == self.fabric.name for segment in segments], dtype=bool)
        return np.asarray(rows[is_own[self.cluster.plan.links.segment[rows]]])

    @cached_property
    def leaves(self) -> frozenset[int]:
        """The switches with ports of hosts."""
        return frozenset(np.unique(self.cluster.plan.links.b_device[self.host_links]).tolist())

    @cached_property
    def _link_indexes(self) -> tuple[tuple[Ints64, Ints64], tuple[Ints64, Ints64]]:
        """The links between switches in two orders: (by lower switch, by upper switch).

        Each is (starts, rows), int64: `rows` are rows of links, and those of device i are `rows[starts[i]:starts[i +
        1]]`.
        """
        links, segments = self.cluster.plan.links, self.cluster.plan.links.segments
        is_switch_segment = [s.fabric == self.fabric.name and isinstance(s.a, PortRun) for s in segments]
        rows = np.flatnonzero(np.array(is_switch_segment, dtype=bool)[links.segment])
        devices_and_ports = ((links.a_device, links.a_port), (links.b_device, links.b_port))
        by_lower, by_upper = (rows[np.lexsort((port[rows], device[rows]))] for device, port in devices_and_ports)
        devices = np.arange(len(self.cluster.plan.devices) + 1)
        lower_starts, upper_starts = (
            np.searchsorted(device[sorted_rows], devices)
            for device, sorted_rows in ((links.a_device, by_lower), (links.b_device, by_upper))
        )
        return (lower_starts, by_lower), (upper_starts, by_upper)

    def list_steps(self, switch: int, *, down: bool) -> Iterator[PathStep]:
        """Yield the steps from a switch up, or down if `down`, in the order of its ports.

        There is a step to each next switch over all ports that lead there; if the SRv6 block of the fabric has
        identifiers for links, there is a step over each link.
        """
        links, identifiers = self.cluster.plan.links, self.cluster.addresses.identifiers
        # the first entry (False) is by lower switch, whose links lead up
        first_link, sorted_rows = self._link_indexes[down]
        rows = sorted_rows[first_link[switch] : first_link[switch + 1]]
        peers: Ints = (links.a_device if down else links.b_device)[rows]
        ports = (self.cluster.b_port if down else self.cluster.a_port)[rows].tolist()
        if self.block.links:
            link_identifiers = self.cluster.views.list_local_identifiers(
                rows.astype(np.int32), np.full(len(rows), down)
            )
            for peer, port, identifier in zip(peers.tolist(), ports, link_identifiers.tolist(), strict=True):
                yield PathStep(peer, (port,), identifier)
            return
        ports_by_peer: dict[int, list[str]] = {}
        for peer, port in zip(peers.tolist(), ports, strict=True):
            ports_by_peer.setdefault(peer, []).append(port)
        for peer, ports_to_peer in ports_by_peer.items():
            yield PathStep(peer, tuple(ports_to_peer), int(identifiers[peer]))

    def list_ways(self, switch: int, *, down: bool) -> Iterator[Way]:
        """Yield the ways up from a leaf, those that turn in the lowest tier first; or, if `down`, the ways down from a
        switch that end at leaves.

        A way up begins with the identifier of the leaf, unless identifiers are of links.
        """
        ways = [Way(switch, () if down or self.block.links else (int(self.cluster.addresses.identifiers[switch]),), ())]
        while ways := [
            way.take_step(self.cluster.names[way.end], step)
            for way in ways
            for step in self.list_steps(way.end, down=down)
        ]:
            yield from (way for way in ways if not down or way.end in self.leaves)


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield the tables of each fabric with SRv6: nodes, ways up by leaf, ways down by switch."""
    for fabric in cluster.design.fabrics:
        if block := cluster.intent(fabric).srv6:
            paths = SteeredPaths(cluster, fabric, block)
            yield from _list_node_tables(paths)
            turns = dict[int, None]()
            for leaf in sorted(paths.leaves):
                ways = list(paths.list_ways(leaf, down=False))
                turns |= dict.fromkeys(way.end for way in ways)
                tiers = [len(way.hops) for way in ways]
                yield _make_way_table(paths, f"up/{paths.cluster.names[leaf]}", "turn", ways, tiers=tiers)
            for switch in sorted(turns):
                ways = list(paths.list_ways(switch, down=True))
                yield _make_way_table(paths, f"down/{paths.cluster.names[switch]}", "leaf", ways)


def _list_node_tables(paths: SteeredPaths) -> Iterator[File]:
    """Yield paths/nodes/NODE.csv of every host."""
    cluster, links = paths.cluster, paths.cluster.plan.links
    leaf_addresses = cluster.addresses.families[-1].b  # IPv6, which SRv6 asks for (FG127)
    for first, end in split_by_device(links.a_device[paths.host_links], 1):
        rows = paths.host_links[first:end]
        local = cluster.views.list_local_identifiers(rows.astype(np.int32), np.full(len(rows), True)).tolist()
        yield make_csv_file(
            Table(
                f"paths/nodes/{cluster.names[links.a_device[rows[0]]]}",
                {
                    "port": cluster.a_port[rows].tolist(),
                    "plane": [plane or "" for plane in links.plane[rows].tolist()],
                    "leaf": [cluster.names[leaf] for leaf in links.b_device[rows].tolist()],
                    "leaf_port": cluster.b_port[rows].tolist(),
                    "identifier": _write_identifiers((identifier,) for identifier in local),
                    "address": [str(paths.block.make_address([identifier])) for identifier in local],
                    "rail": links.rail[rows].tolist(),
                    "ip": leaf_addresses[rows].plus(1).texts(),  # the odd one of each pair is the NIC's
                },
            )
        )


def _make_way_table(
    paths: SteeredPaths, name: str, end: str, ways: Sequence[Way], **extra_columns: Sequence[int]
) -> File:
    """Return a table of ways as the file paths/NAME.csv.

    `end` is the name of the column with the switch at which each way ends: `turn` for ways up, `leaf` for ways down.
    `extra_columns` are columns that only ways up have; these are also numbered, in the column `path`.
    """
    # counts, from 0, the ways that end at each switch
    numbers: defaultdict[int, Iterator[int]] = defaultdict(count)
    return make_csv_file(
        Table(
            f"paths/{name}",
            {
                **({"path": list(range(len(ways)))} if extra_columns else {}),
                **extra_columns,
                end: [paths.cluster.names[way.end] for way in ways],
                "down": [next(numbers[way.end]) for way in ways],
                "identifiers": _write_identifiers(way.identifiers for way in ways),
                "ports": [" ".join(way.hops) for way in ways],
            },
        )
    )


def _write_identifiers(chains: Iterable[tuple[int, ...]]) -> list[str]:
    """Return the identifiers of each way in hexadecimal, separated by spaces."""
    return [" ".join(f"{identifier:04x}" for identifier in chain) for chain in chains]
