"""FG717: a port setting drops traffic that the fabric carries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.blueprint.sections.configuration import PortSettings
from fabricgen.design.capacity.failure import is_for_management
from fabricgen.design.extras.exits import list_exits
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.wiring.tables import Segment

RS_FROM_GBPS, RS_FROM_GBPS_A_LANE = 100, 50
"""Links that need RS-FEC: PAM4 lanes (IEEE 802.3cd, 802.3ck), and 100G of 25G lanes except LR4."""


class PortUndone(PlanRule):
    """A port has an MTU of its own below what hosts send, or no RS-FEC on a link that requires it.

    A port with the wrong FEC stays down or drops frames, and one with a small MTU drops every large packet; both
    look fine to a ping. Links from 100G, or from 50G per lane, expect RS-FEC at both ends (IEEE 802.3cd, 802.3ck;
    802.3bj and 802.3bm for 100G-CR4 and SR4). Management fabrics may have a small MTU: BMCs send no jumbo frames.

    Remove the setting; for 100G-LR4, which has no FEC, waive the finding.
    """

    severity = Severity.WARNING
    bad = """
        config_of:
          compute-spine-01:
            ports:
              Ethernet0: {fec: none}  # <-
    """
    good = """
        config_of:
          compute-spine-01:
            ports:
              Ethernet0: {description: "to be re-cabled"}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Look up the links at the ports that have an MTU or FEC of their own."""
        from fabricgen.views.mtu import HOST_MTU

        exit_paths = {exit_.extra.path for exit_ in list_exits(cluster.design)}
        small = {fabric.name for fabric in cluster.design.fabrics if is_for_management(fabric)}
        for path, port, segment in _list_stated_ports(cluster):
            fast = segment.speed_gbps >= RS_FROM_GBPS or segment.lane_gbps >= RS_FROM_GBPS_A_LANE
            fast = fast and not any(segment.has_own_fec(side) for side in (segment.a, segment.b))
            if port.fec in ("none", "fc") and fast:
                message = f"`fec: {port.fec}` is not RS-FEC, which links of {segment.speed_gbps:g}G need at both ends"
                yield self.flag((*path, "fec"), message, "remove it")
            is_way_out = (
                segment.path in exit_paths
            )  # whose MTU is that of a provider: hosts are told by ICMP (RFC 1191)
            if port.mtu is not None and port.mtu < HOST_MTU and segment.fabric not in small and not is_way_out:
                message = f"an MTU of {port.mtu} drops the {HOST_MTU:,}-byte packets that hosts send"
                yield self.flag((*path, "mtu"), message, "remove it, or lower the MTU of all hosts too")


def _list_stated_ports(cluster: Cluster) -> Iterator[tuple[Path, PortSettings, Segment]]:
    """(path, settings, kind of link) of every port that has an MTU or FEC of its own."""
    stated = cluster.design.loaded.blueprint.config_of
    if not any(port.mtu or port.fec for device in stated.values() for port in device.ports.values()):
        return
    from fabricgen.numbering.ports import LinkEnds

    links, ends = cluster.plan.links, LinkEnds(cluster.plan, (cluster.a_port, cluster.b_port))
    rows = {name: row for row, name in enumerate(cluster.names) if name in stated}
    for device, config in sorted(stated.items()):
        for name, port in sorted(config.ports.items()):
            if port.mtu or port.fec:
                link, _ = ends.list_device_links(rows[device])[name]
                yield ("config_of", device, "ports", name), port, links.segments[int(links.segment[link])]
