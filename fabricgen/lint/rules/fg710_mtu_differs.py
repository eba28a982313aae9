"""FG710: the two ends of a link have different MTUs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster

TOLERANCE_BYTES = 2
"""The difference, bytes, between NOSes that count an MTU differently; not a fault."""


class MtuDiffers(PlanRule):
    """A port between switches has an MTU of its own, and the port at the far end has a different one.

    Routed packets that are too large for the smaller end are dropped or fragmented there. Nothing shows this until
    a host sends packets of that size: BGP, whose packets are small, stays up. Set the same MTU on both ports.
    """

    id = "FG710"
    severity = Severity.WARNING
    title = "the two ends of a link have different MTUs"
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
        from fabricgen.numbering.link_ends import LinkEnds
        from fabricgen.wiring.tables import SWITCH

        links, ends = cluster.plan.links, LinkEnds(cluster.plan, (cluster.a_port, cluster.b_port))
        rows = {name: row for row, name in enumerate(cluster.names) if name in stated}
        devices = cluster.plan.devices
        reported: set[int] = set()
        for device, own in sorted(stated.items()):
            for port, settings in sorted(own.ports.items()):
                link, upper = ends.of(rows[device])[port]
                far = int((links.a_device if upper else links.b_device)[link])
                far_class = devices.classes[devices.device_class[far]]
                if settings.mtu is None or link in reported or far_class.kind != SWITCH:
                    continue
                far_name, far_port = cluster.names[far], str((cluster.a_port if upper else cluster.b_port)[link])
                there = stated[far_name].ports.get(far_port) if far_name in stated else None
                usual = cluster.design.catalog.naming(far_class.nos, far_class.path).configuration.mtu_max
                mtu = there.mtu if there and there.mtu else usual
                if abs(mtu - settings.mtu) > TOLERANCE_BYTES:
                    reported.add(link)
                    message = f"{device} {port} has an MTU of {settings.mtu} bytes, but {far_name} {far_port} has {mtu}"
                    yield self.flag(
                        ("config_of", device, "ports", port, "mtu"), message, f"set `mtu: {mtu}` at both ends"
                    )
