"""FG736: storm control drops everything that is flooded."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule

LOST = {
    "broadcast": "ARP and DHCP",
    "multicast": "neighbour discovery of IPv6",
    "unknown_unicast": "the first packets to every host that has been silent",
}


class EverythingFloodedDropped(DesignRule):
    """A limit of storm control is 0, and drops what hosts need.

    Without broadcasts there is no ARP and no DHCP, without multicasts no neighbour discovery (RFC 4861), without
    unknown unicasts a host that has said nothing for five minutes is not reached. Some switches take 0 for no limit.

    State some percent, or leave the key out for no limit.
    """

    severity = Severity.ERROR
    bad = """
        fabrics:
          inband:
            protocol: ethernet
            access:
              storm_control: {broadcast: 0}  # <-
            tiers: {leaf: {switch: sn4600c}}
    """
    good = """
        fabrics:
          inband:
            protocol: ethernet
            access:
              storm_control: {broadcast: 0.5}
            tiers: {leaf: {switch: sn4600c}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag limits of storm control that are 0."""
        for name, spec in sorted(design.loaded.blueprint.fabrics.items()):
            for kind, lost in LOST.items():
                if getattr(spec.access.storm_control, kind) == 0:
                    path = ("fabrics", name, "access", "storm_control", kind)
                    yield self.flag(path, f"a limit of 0 drops {lost}", "state some percent, or remove it")
