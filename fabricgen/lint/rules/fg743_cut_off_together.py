"""FG743: what is shut or in maintenance at once leaves devices without a link."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.subjects.links_left import cut_off, segments_between, segments_of_hosts, segments_up

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.design.fabric_model import FabricDesign
    from fabricgen.wiring.tables import Flags, Ints64, WiringPlan

SHOWN = 3
"""So many names are told, and how many more there are."""


class Cause(NamedTuple):
    """A device in maintenance (`link` is -1) or a port that is shut: its row and name, the link, and the statement."""

    device: int
    link: int
    text: str
    path: Path


class Loss(NamedTuple):
    """What some devices lose: a flag a link, and the effect in words; `of_hosts`: their links in a fabric."""

    links: Flags
    effect: str
    of_hosts: bool = False


class CutOffTogether(PlanRule):
    """Ports that are shut and switches in maintenance, each of which has a stand-in, take out each other's.

    Both ports of a bond, both switches of a pair, all spines of a plane, all links out or between two sites: each by
    itself costs bandwidth (FG726, FG745), together they cut off what is behind them. Maintenance drains nothing then,
    as there is no other way to prefer, and when the switches go, so does the traffic. A management port that is shut
    hides its switch until somebody stands in front of it.

    Let one of them stay until the others are back. A single leaf in maintenance with nodes on it alone is FG744's.
    """

    id = "FG743"
    severity = Severity.WARNING
    title = "what is shut or in maintenance at once leaves devices without a link"
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
        """Take out what is shut or drained, and look for devices that are left without links of a kind."""
        causes = _causes(cluster)
        for fabric in cluster.design.fabrics if causes else ():
            for loss in _losses(cluster, fabric, causes):
                by = _causes_of(cluster.plan, causes, loss.links)
                if loss.of_hosts and [cause.link for cause in by] == [-1]:
                    continue
                hint = "let one of them stay until the others are back" if by[1:] else "remove it"
                without = _listed([cause.text for cause in by])
                yield self.flag(by[0].path, f"without {without}, {loss.effect}", hint)


def _causes(cluster: Cluster) -> list[Cause]:
    """All that `config_of` drains or shuts, by name."""
    from fabricgen.numbering.link_ends import LinkEnds

    stated = cluster.design.loaded.blueprint.config_of
    ends = LinkEnds(cluster.plan, (cluster.a_port, cluster.b_port))
    causes = []
    for device, row in sorted((name, row) for row, name in enumerate(cluster.names) if name in stated):
        if stated[device].maintenance:
            causes.append(Cause(row, -1, device, ("config_of", device, "maintenance")))
        for port in sorted(name for name, settings in stated[device].ports.items() if settings.shutdown):
            path = ("config_of", device, "ports", port, "shutdown")
            causes.append(Cause(row, ends.of(row)[port][0], f"{port} of {device}", path))
    return causes


def _losses(cluster: Cluster, fabric: FabricDesign, causes: Sequence[Cause]) -> Iterator[Loss]:
    """What devices of a fabric lose: hosts their links, switches those upwards, pairs those between them."""
    import numpy as np

    from fabricgen.phases.presence import Presence

    plan, links = cluster.plan, cluster.plan.links
    drained, shut = np.zeros(len(plan.devices), dtype=bool), np.zeros(len(links), dtype=bool)
    drained[[cause.device for cause in causes if cause.link < 0]] = True
    shut[[cause.link for cause in causes if cause.link >= 0]] = True
    gone = shut | drained[links.a_device] | drained[links.b_device]
    hosts, ups = segments_of_hosts(plan, fabric.name), segments_up(plan, fabric.name)
    for segments, lacks in ((hosts, f"no link in {fabric.name}"), (ups, "no link up")):
        rows = cut_off(plan, Presence(~drained, ~gone), segments)
        if len(rows):
            lost = gone & np.isin(links.segment, segments) & np.isin(links.a_device, rows)
            effect = f"{_devices(cluster, rows)} {lacks}{_exits_lost(cluster, fabric, rows)}"
            yield Loss(lost, effect, segments is hosts)
    between = segments_between(plan, fabric.name)
    for row in cut_off(plan, Presence(np.ones_like(drained), ~shut), between).tolist():
        lost = shut & np.isin(links.segment, between) & (links.a_device == row)
        mate = cluster.names[int(links.b_device[np.flatnonzero(lost)[0]])]
        yield Loss(lost, f"{cluster.names[row]} and {mate} have no link between them")
    yield from _sites_parted(cluster, fabric, gone)
    yield from _bonds_lost(cluster, hosts, gone)


def _sites_parted(cluster: Cluster, fabric: FabricDesign, gone: Flags) -> Iterator[Loss]:
    """Pairs of sites all of whose links in a fabric are gone."""
    import numpy as np

    links = cluster.plan.links
    spans = np.isin(links.segment, [i for i, s in enumerate(links.segments) if s.km and s.fabric == fabric.name])
    ends = np.sort(cluster.plan.devices.site[np.stack([links.a_device, links.b_device])], axis=0)
    for one, other in sorted(set(zip(*ends[:, spans & gone].tolist(), strict=True))):
        between = spans & (ends[0] == one) & (ends[1] == other)
        if not (between & ~gone).any():
            sites = cluster.design.layout.sites
            yield Loss(between, f"{sites[one]} and {sites[other]} have no link between them in {fabric.name}")


def _bonds_lost(cluster: Cluster, hosts: list[int], gone: Flags) -> Iterator[Loss]:
    """Bonds of single NICs whose ports are all gone, of nodes that have other links in the fabric."""
    import numpy as np

    links, bonds = cluster.plan.links, cluster.plan.bonds
    if bonds is None:
        return
    of_hosts = np.isin(links.segment, hosts)
    left = np.unique(links.a_device[of_hosts & ~gone])
    bonded = of_hosts & (bonds.of_link >= 0) & np.isin(links.a_device, left)
    whole, missing = (np.bincount(bonds.of_link[mask], minlength=len(bonds.first)) for mask in (bonded, bonded & gone))
    lost = np.flatnonzero((whole > 0) & (whole == missing) & (bonds.nic > 0))
    if len(lost):
        nodes = dict.fromkeys(cluster.names[row] for row in links.a_device[bonds.first[lost]].tolist())
        effect = f"{len(lost):,} bond{'s' * (len(lost) > 1)} of {_listed(list(nodes))} lost all ports"
        yield Loss(bonded & gone & np.isin(bonds.of_link, lost), effect)


def _causes_of(plan: WiringPlan, causes: Sequence[Cause], lost: Flags) -> list[Cause]:
    """Those of some causes that take out a link of those lost."""
    import numpy as np

    rows = np.flatnonzero(lost)
    touched = {*plan.links.a_device[rows].tolist(), *plan.links.b_device[rows].tolist()}
    return [cause for cause in causes if (cause.device in touched if cause.link < 0 else bool(lost[cause.link]))]


def _exits_lost(cluster: Cluster, fabric: FabricDesign, rows: Ints64) -> str:
    """The exits of a fabric all of whose far devices are among some without links, in words."""
    from fabricgen.design.extras.exits import exits_of

    names = {cluster.names[row] for row in rows}
    exits = [e.name for e in exits_of(cluster.design) if e.fabric is fabric and names.issuperset(e.extra.devices)]
    return f", and nothing leads out by {' and '.join(exits)}" if exits else ""


def _devices(cluster: Cluster, rows: Ints64) -> str:
    names = [cluster.names[row] for row in rows.tolist()]
    return f"{_listed(names)} {'have' if names[1:] else 'has'}"


def _listed(names: Sequence[str]) -> str:
    """Names in words, the first of many: `a, b, c and 4 more`."""
    shown = names[:SHOWN] if len(names) > SHOWN + 1 else names
    last = f"{len(names) - SHOWN} more" if len(shown) < len(names) else shown[-1]
    first = shown if len(shown) < len(names) else shown[:-1]
    return f"{', '.join(first)} and {last}" if first else last
