"""FG710: the two ends of a link have different MTUs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.subjects.managed import list_stated_ports

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
        """Compare the MTU of every port that states one with the far end's; a link between two such ports is reported
        once.
        """
        from fabricgen.views.mtu import find_largest_mtu, find_usual_mtu

        stated = cluster.design.loaded.blueprint.config_of
        links, devices, catalog = cluster.plan.links, cluster.plan.devices, cluster.design.catalog
        reported: set[int] = set()
        for port in list_stated_ports(cluster, "mtu"):
            link = port.link
            if link in reported or links.segments[links.segment[link]].lower == "node":
                continue
            lower, upper = int(links.a_device[link]), int(links.b_device[link])
            near, far = (upper, lower) if port.is_upper else (lower, upper)
            near_class, far_class = (devices.classes[devices.device_class[row]] for row in (near, far))
            far_name, far_port = cluster.names[far], str((cluster.a_port if port.is_upper else cluster.b_port)[link])
            far_settings = stated[far_name].ports.get(far_port) if far_name in stated else None
            mtu = min(port.settings.mtu or 0, find_largest_mtu(catalog, near_class))
            far_mtu = min(
                (far_settings and far_settings.mtu) or find_usual_mtu(catalog, far_class, near_class),
                find_largest_mtu(catalog, far_class),
            )
            if mtu != far_mtu:
                reported.add(link)
                ends = f"{port.device} {port.name} has an MTU of {mtu} bytes, but {far_name} {far_port}"
                hint = f"set `mtu: {min(mtu, far_mtu)}` at both ends"
                yield self.flag((*port.path, "mtu"), f"{ends} has {far_mtu}", hint)
