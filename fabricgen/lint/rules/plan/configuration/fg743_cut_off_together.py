"""FG743: what is shut or in maintenance at once leaves devices without a link."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.subjects.after_loss import (
    find_lost_groups,
    list_host_segments,
    list_peer_segments,
    list_uplink_segments,
)

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.design.fabric_model import FabricDesign
    from fabricgen.wiring.arrays import Flags
    from fabricgen.wiring.tables import LinkTable

SHOWN = 3
"""How many names a message lists at most before it counts the others."""


class Cause(NamedTuple):
    """A device in maintenance (`link` is -1), or a port that is shut: the row of its device, its link, words for it,
    and the path of the statement.
    """

    device: int
    link: int
    text: str
    path: Path

    def takes_out(self, links: LinkTable, lost: Flags) -> bool:
        """Whether one of the lost links, which have a flag each, is at the device or is the link of the port."""
        links_of_device = (links.a_device == self.device) | (links.b_device == self.device)
        # a device in maintenance has no link of its own here (-1): any lost link at it counts
        return bool(lost[self.link] if self.link >= 0 else (lost & links_of_device).any())


class CutOffTogether(PlanRule):
    """Ports that are shut and switches in maintenance, each of which has a stand-in, take out each other's.

    Both ports of a bond, both switches of a pair, all spines of a plane, all links out or between two sites: each by
    itself costs bandwidth (FG726, FG745), together they cut off what is behind them. Maintenance drains nothing then,
    as there is no other way to prefer, and when the switches go, so does the traffic. A management port that is shut
    hides its switch until somebody stands in front of it.

    Let one of them stay until the others are back. A single leaf in maintenance with nodes on it alone is FG744's.
    """

    severity = Severity.WARNING
    bad = """
        config_of:
          compute-spine-01: {maintenance: true}  # <-
          compute-spine-02: {maintenance: true}
          compute-spine-03: {maintenance: true}
          compute-spine-04: {maintenance: true}
    """
    good = """
        config_of:
          compute-spine-01: {maintenance: true}
          compute-spine-02: {maintenance: true}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag what is shut or in maintenance if it leaves devices, pairs or sites without links of a kind; hosts that
        a single switch in maintenance cuts off are left to FG744.
        """
        causes = _list_causes(cluster)
        for fabric in cluster.design.fabrics if causes else ():
            for lost, effect, of_hosts in _find_losses(cluster, fabric, causes):
                culprits = [cause for cause in causes if cause.takes_out(cluster.plan.links, lost)]
                if not (of_hosts and [cause.link for cause in culprits] == [-1]):
                    hint = "let one of them stay until the others are back" if culprits[1:] else "remove it"
                    yield self.flag(
                        culprits[0].path, f"without {_list_names([cause.text for cause in culprits])}, {effect}", hint
                    )


def _list_causes(cluster: Cluster) -> list[Cause]:
    """Return the devices in maintenance and the ports that are shut, as `config_of` states, by name."""
    from fabricgen.numbering.ports import LinkEnds

    stated = cluster.design.loaded.blueprint.config_of
    if not stated:
        return []
    ends = LinkEnds(cluster.plan, (cluster.a_port, cluster.b_port))
    causes = []
    for device, row in sorted((name, row) for row, name in enumerate(cluster.names) if name in stated):
        if stated[device].maintenance:
            causes.append(Cause(row, -1, device, ("config_of", device, "maintenance")))
        for port in sorted(name for name, settings in stated[device].ports.items() if settings.shutdown):
            path = ("config_of", device, "ports", port, "shutdown")
            causes.append(Cause(row, ends.list_device_links(row)[port][0], f"{port} of {device}", path))
    return causes


def _find_losses(cluster: Cluster, fabric: FabricDesign, causes: Sequence[Cause]) -> Iterator[tuple[Flags, str, bool]]:
    """Yield (flags of the lost links, the effect in words, whether the links are of hosts) for each loss in a fabric.

    Losses are hosts without links, switches without links up or to the other of their pair, sites without links between
    them, and bonds of single NICs without ports.
    """
    import numpy as np

    plan, links, sites = cluster.plan, cluster.plan.links, cluster.design.layout.sites
    drained, shut = np.zeros(len(plan.devices), dtype=bool), np.zeros(len(links), dtype=bool)
    drained[[cause.device for cause in causes if cause.link < 0]] = True
    shut[[cause.link for cause in causes if cause.link >= 0]] = True
    gone = shut | drained[links.a_device] | drained[links.b_device]
    # a device in maintenance is not cut off itself: -1 is of no group
    lower = np.where(drained[links.a_device], -1, links.a_device)
    # both sites of a link in ascending order: a span is one group whichever end a link begins at
    ends = np.sort(plan.devices.site[np.stack([links.a_device, links.b_device])], axis=0)
    spans = [i for i, s in enumerate(links.segments) if s.km and s.fabric == fabric.name]
    hosts = list_host_segments(plan, fabric.name)
    # (segments, the group of each link, which links are gone, what a group without links lacks)
    for segments, groups, out, lacks in (
        (hosts, lower, gone, f"no link in {fabric.name}"),
        (list_uplink_segments(plan, fabric.name), lower, gone, "no link up"),
        # shut ports alone: a switch whose peer is in maintenance is meant to have no link to it. Both switches of a
        # pair lose the same links, so the lower one stands for it
        (list_peer_segments(plan, fabric.name), links.a_device, shut, "no link to the other of its pair"),
        (spans, ends[0] * len(sites) + ends[1], gone, f"no link between them in {fabric.name}"),
    ):
        lost, numbers = find_lost_groups(links, segments, groups, out)
        if numbers and segments is spans:
            pairs = [f"{sites[number // len(sites)]} and {sites[number % len(sites)]}" for number in numbers]
            yield lost, f"{' or '.join(pairs)} have {lacks}", False
        elif numbers:
            names = [cluster.names[row] for row in numbers]
            have = f"{'have' if names[1:] else 'has'} {lacks}{_name_lost_exits(cluster, fabric, names)}"
            yield lost, f"{_list_names(names)} {have}", segments is hosts
    if plan.bonds:
        # only bonds of single NICs, as bonds of whole devices are told above; a link of no bond has the number -1,
        # which takes the 0 at the end
        bonds = np.where(np.append(plan.bonds.nic, 0)[plan.bonds.of_link] > 0, plan.bonds.of_link, -1)
        lost, numbers = find_lost_groups(links, hosts, bonds, gone)
        devices = [cluster.names[row] for row in links.a_device[plan.bonds.first[numbers]].tolist()]
        if numbers:
            count = f"{len(numbers):,} bond{'s' * (len(numbers) > 1)}"
            yield lost, f"{count} of {_list_names(devices)} lost all ports", False


def _name_lost_exits(cluster: Cluster, fabric: FabricDesign, names: Sequence[str]) -> str:
    """Return the words that a fabric's exits all of whose far devices are among `names` lead nowhere; "" if there are
    none.
    """
    from fabricgen.design.extras.exits import list_exits

    exits = (exit_ for exit_ in list_exits(cluster.design) if exit_.fabric is fabric)
    lost = [exit_.name for exit_ in exits if set(names).issuperset(exit_.extra.devices)]
    return f", and nothing leads out by {' and '.join(lost)}" if lost else ""


def _list_names(names: Sequence[str]) -> str:
    """Return names as a text; of many names the first: `a, b, c and 4 more`."""
    shown = [*names] if len(names) <= SHOWN + 1 else [*names[:SHOWN], f"{len(names) - SHOWN} more"]
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if shown[1:] else shown[0]
