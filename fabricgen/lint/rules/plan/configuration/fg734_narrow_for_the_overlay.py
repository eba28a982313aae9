"""FG734: a link is too narrow for packets of hosts in VXLAN or SRv6."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.design.linked import find_fabric_overlay
from fabricgen.design.srv6 import uses_srv6
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

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
        """Look up the links between switches whose ends have an MTU of their own; without one they have the largest."""
        from fabricgen.views.mtu import HOST_MTU, SRV6_BYTES, VXLAN_BYTES

        blueprint = cluster.design.loaded.blueprint
        stated = {
            name: config for name, config in blueprint.config_of.items() if any(p.mtu for p in config.ports.values())
        }
        design = cluster.design
        overlaid = {
            f.name: ("VXLAN", VXLAN_BYTES) for f in design.fabrics if find_fabric_overlay(blueprint, f.name) == "evpn"
        }
        overlaid |= {f.name: ("SRv6", SRV6_BYTES) for f in design.fabrics if uses_srv6(design, f)}
        if not stated or not overlaid:
            return
        from fabricgen.numbering.ports import LinkEnds

        links, ends = cluster.plan.links, LinkEnds(cluster.plan, (cluster.a_port, cluster.b_port))
        rows = {name: row for row, name in enumerate(cluster.names) if name in stated}
        ports_by_fabric: dict[str, list[tuple[int, str, str]]] = {}
        for device, config in sorted(stated.items()):
            for name, port in sorted(config.ports.items()):
                link, _ = ends.list_device_links(rows[device])[name]
                segment = links.segments[links.segment[link]]
                passes = segment.fabric in overlaid and (segment.lower != "node" or "SRv6" in overlaid[segment.fabric])
                if port.mtu and passes:
                    ports_by_fabric.setdefault(segment.fabric, []).append((port.mtu, device, name))
        for fabric, narrow in sorted(ports_by_fabric.items()):
            mtu, device, name = min(narrow)
            over, more = overlaid[fabric]
            need = HOST_MTU + more
            if HOST_MTU <= mtu < need:
                message = (
                    f"{fabric}: {device} {name} has an MTU of {mtu}, the narrowest on its paths, and packets of "
                    f"{HOST_MTU} bytes have {need} in {over}"
                )
                yield self.flag(("config_of", device, "ports", name, "mtu"), message, f"state {need}, or remove it")
