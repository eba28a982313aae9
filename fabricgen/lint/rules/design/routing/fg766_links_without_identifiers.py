"""FG766: SRv6 paths name switches that several links join."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.design.srv6 import find_srv6, uses_srv6
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import DesignRule


class LinksWithoutIdentifiers(DesignRule):
    """Two switches of a fabric with `underlay: srv6` are joined by several links, and a path names neither of them.

    An identifier of a switch (uN) says which switch comes next. Where several links lead there, the switch before it
    hashes packets over these: a NIC cannot leave the one link that is bad, and a probe does not take the link of the
    packets that were lost. A lost link itself is no harm, since both switches see it and use the others.

    Take as many upper switches as there are uplinks, as a cluster of full size has; or state `routing: {srv6: {links:
    true}}`, by which each link has an identifier (uA), where the images of the switches know it.
    """

    severity = Severity.INFO
    to_do = ToDo.WEIGH_CAPACITY
    bad = """
        fabrics:
          compute:
            ip: v6
            routing: {underlay: srv6}
            qos: {profile: best-effort}
            tiers:
              leaf: {switch: sn5600, per: [su, rail], uplinks: 8 x 400G}  # <-
              spine: {switch: sn5600, count: 4}
    """
    good = """
        fabrics:
          compute:
            ip: v6
            routing: {underlay: srv6}
            qos: {profile: best-effort}
            tiers:
              leaf: {switch: sn5600, per: [su, rail], uplinks: 4 x 400G}
              spine: {switch: sn5600, count: 4}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag tiers with several links to one upper switch in fabrics whose SRv6 paths name switches alone."""
        for fabric in design.fabrics:
            if not uses_srv6(design, fabric) or find_srv6(design, fabric).links:
                continue
            for tier in fabric.tiers:
                uplink = tier.uplink
                links = uplink.count_links_to(0) if uplink else 1
                if uplink and links > 1:
                    yield self.flag(
                        tier.path,
                        f"{links} links join a {tier.name} of {fabric.name} with a {uplink.upper.name}, and SRv6 paths "
                        "name the switch alone",
                        f"take {uplink.links_per_group} {uplink.upper.name} switches, or state `srv6: {{links: true}}`",
                    )
