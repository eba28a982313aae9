"""FG734: a link is too narrow for packets of hosts in VXLAN or SRv6."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.design.linked import find_fabric_overlay
from fabricgen.design.srv6 import uses_srv6
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.subjects.managed import list_stated_ports

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class NarrowForTheOverlay(PlanRule):
    """A link on the way from leaf to leaf takes packets of hosts, but not with the headers that VXLAN or SRv6 adds.

    From a host to its leaf a packet has up to 9,000 bytes; between leaves it travels in VXLAN, 50 bytes larger (RFC
    7348), and must not be fragmented there. With SRv6 the NIC puts an IPv6 header of 40 bytes in front of it, which it
    has on its links to the leaves, too. Small packets pass, so that the fault shows only under load. This rule walks
    the path and names its narrowest link. Elsewhere links of fewer than 9,000 bytes are FG717's, and ends that differ
    FG710's.

    Remove the MTU, or state at least 9,050, with SRv6 9,040.
    """

    severity = Severity.ERROR
    bad = """
        scalable_unit: {nodes: 4 x generic-server}
        routing: {overlay: evpn}
        fabrics:
          compute:
            protocol: roce
            tiers:
              leaf: {switch: sn4700, per: [su, rail], uplinks: 2 x 400G}
              spine: {switch: sn4700, count: 2}
        config_of:
          compute-spine-01:
            ports: {Ethernet0: {mtu: 9000}}  # <-
    """
    good = """
        scalable_unit: {nodes: 4 x generic-server}
        routing: {overlay: evpn}
        fabrics:
          compute:
            protocol: roce
            tiers:
              leaf: {switch: sn4700, per: [su, rail], uplinks: 2 x 400G}
              spine: {switch: sn4700, count: 2}
        config_of:
          compute-spine-01:
            ports: {Ethernet0: {mtu: 9216}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag the port with the lowest stated MTU in each fabric with VXLAN or SRv6, if encapsulated packets of hosts
        are larger; ports to nodes carry SRv6 alone. Ports that state no MTU have the largest.
        """
        from fabricgen.views.mtu import HOST_MTU, SRV6_BYTES, VXLAN_BYTES

        design, links = cluster.design, cluster.plan.links
        with_vxlan = (f for f in design.fabrics if find_fabric_overlay(design.loaded.blueprint, f.name) == "evpn")
        # (encapsulation, the bytes that it adds) by fabric
        overlays = {fabric.name: ("VXLAN", VXLAN_BYTES) for fabric in with_vxlan}
        overlays |= {fabric.name: ("SRv6", SRV6_BYTES) for fabric in design.fabrics if uses_srv6(design, fabric)}
        ports_by_fabric: dict[str, list[tuple[int, Path]]] = {}
        for port in list_stated_ports(cluster, "mtu") if overlays else ():
            segment = links.segments[links.segment[port.link]]
            if segment.fabric in overlays and (segment.lower != "node" or "SRv6" in overlays[segment.fabric]):
                ports_by_fabric.setdefault(segment.fabric, []).append((port.settings.mtu or 0, port.path))
        for fabric, ports in sorted(ports_by_fabric.items()):
            mtu, path = min(ports)
            encapsulation, added_bytes = overlays[fabric]
            needed = HOST_MTU + added_bytes
            if HOST_MTU <= mtu < needed:
                message = (
                    f"{fabric}: {path[1]} {path[3]} has an MTU of {mtu}, the narrowest on its paths, and packets of "
                    f"{HOST_MTU} bytes have {needed} in {encapsulation}"
                )
                yield self.flag((*path, "mtu"), message, f"state {needed}, or remove it")
