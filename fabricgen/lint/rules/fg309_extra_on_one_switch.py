"""FG309: all links of an extra device end on one switch."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.fabric_model import ExtraSet
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.rules.fg401_single_homed_nodes import single_homed


class ExtraOnOneSwitch(DesignRule):
    """An extra device has several links in a fabric, and all of them end on one switch of several.

    Storage arrays, management servers, firewalls and UFM have two ports to outlive a cable or a switch (NVIDIA HGX AI
    Factory reference architecture, Network Logical Architecture: two ports to two separate switches provide
    redundancy). On one switch the second port adds bandwidth and no safety. A fabric whose nodes attach to a single
    switch is not judged: there is no other; nor one whose nodes are on one switch as well, of which FG401 tells.

    Name two `switches`, or none and let ports be dealt over all; raise the `count` of the tier, or leave free ports on
    more than one of its switches (`spare_ports`).
    """

    id = "FG309"
    severity = Severity.WARNING
    title = "all links of an extra device end on one switch"
    bad = """
        fabrics: {storage: {protocol: roce,
          tiers: {leaf: {switch: sn5600, per: [su, rail]}, spine: {switch: sn5600, count: 4}},
          extra: {array: {device: storage-array, count: 2, switches: [storage-leaf-p1-su01-r1-01]}}}}  # <-
    """
    good = """
        fabrics: {storage: {protocol: roce,
          tiers: {leaf: {switch: sn5600, per: [su, rail]}, spine: {switch: sn5600, count: 4}},
          extra: {array: {device: storage-array, count: 2}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Count the switches that the links of each device end on."""
        for fabric in design.fabrics:
            leaf = design.leaf(fabric)
            for extra in fabric.extras:
                tier = design.tier(extra.tier)
                if leaf is tier and single_homed(fabric, tier):
                    continue
                alone = _on_one_switch(extra)
                if tier.switches > len(design.layout.sites) and alone:
                    links = len(extra.links) // extra.count
                    yield self.flag(
                        extra.path,
                        f"{alone} of {extra.count} {extra.name} devices have all {links} of their {fabric.name} links "
                        f"on one {tier.name} switch, of {tier.switches}",
                        f"let their ports be dealt over two {tier.name} switches or more",
                    )


def _on_one_switch(extra: ExtraSet) -> int:
    """How many devices have several links, and all of them on one switch."""
    switches: dict[int, list[int]] = {}
    for link in extra.links:
        switches.setdefault(link.device, []).append(link.switch)
    return sum(len(of) > 1 and len(set(of)) == 1 for of in switches.values())
