"""FG813: a port's MTU is above what its NOS supports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Edit, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class MtuCut(PlanRule):
    """`config_of` states an MTU above what the NOS of the switch supports; the highest supported one is written.

    EOS supports 9,214 bytes, SONiC and Cumulus Linux 9,216 (catalogue, `mtu_max`), and all of them count alike: the
    length of an IP packet, without the Ethernet header. A packet of 9,216 bytes does not pass a port of EOS.
    """

    severity = Severity.WARNING
    bad = """
        nos: {spine: eos}
        fabrics: {compute: {tiers: {spine: {switch: 7060x6-64pe, count: 4}}}}
        config_of:
          compute-spine-01:
            ports:
              Ethernet1/1:
                mtu: 9216  # <-
    """
    good = """
        nos: {spine: eos}
        fabrics: {compute: {tiers: {spine: {switch: 7060x6-64pe, count: 4}}}}
        config_of: {compute-spine-01: {ports: {Ethernet1/1: {mtu: 9214}}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Compare the MTUs stated for ports with the highest that their NOS supports."""
        stated = cluster.design.loaded.blueprint.config_of
        rows = {name: row for row, name in enumerate(cluster.names) if name in stated} if stated else {}
        for name, config in sorted(stated.items()):
            tier = cluster.switch(rows[name]).tier
            highest = cluster.design.catalog.naming(tier.nos).configuration.mtu_max
            for port, settings in sorted(config.ports.items()):
                if settings.mtu is not None and settings.mtu > highest:
                    path = ("config_of", name, "ports", port, "mtu")
                    message = (
                        f"{tier.nos} supports an MTU of at most {highest} bytes: {settings.mtu} is reduced to that"
                    )
                    yield self.flag(path, message, f"set `mtu: {highest}`", [Edit("set", path, str(highest))])
