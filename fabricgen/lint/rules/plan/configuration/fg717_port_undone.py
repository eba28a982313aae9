"""FG717: a port setting drops traffic that the fabric carries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.design.capacity.failure import is_for_management
from fabricgen.design.extras.exits import list_exits
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.subjects.managed import list_stated_ports

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster

RS_FROM_GBPS, RS_FROM_GBPS_A_LANE = 100, 50
"""From these speeds on, of a link or of a lane, links need RS-FEC: PAM4 lanes (IEEE 802.3cd, 802.3ck), and 100G of 25G
lanes except LR4."""


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
        """Flag ports whose FEC is not what their link needs, or whose MTU is below that of hosts. Management fabrics
        may have a lower MTU, and so may exits: the MTU is the provider's, and hosts are told by ICMP (RFC 1191).
        """
        from fabricgen.views.mtu import HOST_MTU

        exit_paths = {exit_.extra.path for exit_ in list_exits(cluster.design)}
        for_management = {fabric.name for fabric in cluster.design.fabrics if is_for_management(fabric)}
        links = cluster.plan.links
        for port in list_stated_ports(cluster, "mtu", "fec"):
            segment, mtu, fec = links.segments[int(links.segment[port.link])], port.settings.mtu, port.settings.fec
            is_fast = segment.speed_gbps >= RS_FROM_GBPS or segment.lane_gbps >= RS_FROM_GBPS_A_LANE
            needs_rs = is_fast and not any(segment.has_own_fec(end) for end in (segment.a, segment.b))
            if fec in ("none", "fc") and needs_rs:
                message = f"`fec: {fec}` is not RS-FEC, which links of {segment.speed_gbps:g}G need at both ends"
                yield self.flag((*port.path, "fec"), message, "remove it")
            may_be_small = segment.fabric in for_management or segment.path in exit_paths
            if mtu is not None and mtu < HOST_MTU and not may_be_small:
                message = f"an MTU of {mtu} drops the {HOST_MTU:,}-byte packets that hosts send"
                yield self.flag((*port.path, "mtu"), message, "remove it, or lower the MTU of all hosts too")
