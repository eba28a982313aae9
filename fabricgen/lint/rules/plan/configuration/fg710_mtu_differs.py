"""FG710: the two ends of a link have different MTUs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class MtuDiffers(PlanRule):
    """A port between switches has an MTU of its own, and the port at the far end has a different one.

    Routed packets that are too large for the smaller end are dropped or fragmented there. Nothing shows this until
    a host sends packets of that size: BGP, whose packets are small, stays up. Set the same MTU on both ports.

    All NOSes count alike, without the Ethernet header. Where nothing is stated, both ends have the largest MTU that
    both support: 9,214 bytes between SONiC and EOS.
    """

    severity = Severity.WARNING
    bad = """
        config_of:
          compute-spine-01:
            ports:
              Ethernet0: {mtu: 9000}  # <-
    """
    good = """
        config_of:
          compute-spine-01:
            ports:
              Ethernet0: {mtu: 9216}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Look up the far end of every port with an MTU of its own; a link with two of them is reported once."""
        stated = cluster.design.loaded.blueprint.config_of
        if not any(port.mtu for device in stated.values() for port in device.ports.values()):
            return
        from fabricgen.numbering.ports import LinkEnds
        from fabricgen.views.mtu import find_largest_mtu, find_usual_mtu

        links, ends = cluster.plan.links, LinkEnds(cluster.plan, (cluster.a_port, cluster.b_port))
        rows = {name: row for row, name in enumerate(cluster.names) if name in stated}
        devices, catalog = cluster.plan.devices, cluster.design.catalog
        reported: set[int] = set()
        for device, config in sorted(stated.items()):
            near_class = devices.classes[devices.device_class[rows[device]]]
            for port, settings in sorted(config.ports.items()):
                link, upper = ends.list_device_links(rows[device])[port]
                far = int((links.a_device if upper else links.b_device)[link])
                far_class = devices.classes[devices.device_class[far]]
                to_node = links.segments[links.segment[link]].lower == "node"
                if settings.mtu is None or link in reported or to_node:
                    continue
                far_name, far_port = cluster.names[far], str((cluster.a_port if upper else cluster.b_port)[link])
                far_settings = stated[far_name].ports.get(far_port) if far_name in stated else None
                mtu = min(settings.mtu, find_largest_mtu(catalog, near_class))
                far_mtu = min(
                    (far_settings and far_settings.mtu) or find_usual_mtu(catalog, far_class, near_class),
                    find_largest_mtu(catalog, far_class),
                )
                if mtu != far_mtu:
                    reported.add(link)
                    message = f"{device} {port} has an MTU of {mtu} bytes, but {far_name} {far_port} has {far_mtu}"
                    hint = f"set `mtu: {min(mtu, far_mtu)}` at both ends"
                    yield self.flag(("config_of", device, "ports", port, "mtu"), message, hint)
