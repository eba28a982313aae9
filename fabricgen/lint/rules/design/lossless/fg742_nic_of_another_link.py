"""FG742: a NIC cannot be what its fabric needs."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.lossless import list_node_nics


class NicOfAnotherLink(DesignRule):
    """Nodes attach to an InfiniBand fabric with NICs that are Ethernet alone, or the other way round.

    A port of a ConnectX or BlueField is either, as its firmware is told (LINK_TYPE); others have one link layer, and
    the link never comes up on the other. Change the fabric's protocol, or the node.
    """

    counts_ports = False
    severity = Severity.ERROR
    bad = """
        scalable_unit: {nodes: 4 x mi355x-8}
        fabrics: {compute: {
          protocol: infiniband,  # <-
          tiers: {leaf: {switch: qm9700}, spine: {switch: qm9700}}}}
    """
    good = """
        scalable_unit: {nodes: 4 x mi355x-8}
        fabrics: {compute: {protocol: roce}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag NICs of nodes that do not have the link layer of their fabric."""
        for fabric, nics in list_node_nics(design):
            link = "infiniband" if fabric.protocol == "infiniband" else "ethernet"
            for node, nic in nics:
                if nic and link not in nic.link_types:
                    layers = " and ".join(nic.link_types)
                    message = f"{fabric.name} is {link}, and the {nic.name} of {node} is {layers} alone"
                    yield self.flag((*fabric.path, "protocol"), message)
