"""FG739: it is not known how the NICs of RoCE nodes are set up."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.lossless import SET_UP, list_node_nics


class NicNotSetUp(DesignRule):
    """Ports of nodes on a fabric with a class for RoCE are of a NIC that is not known, or not how it is set up.

    PFC, ECN and the DSCPs have to be the same at both ends of a link. `rdma-setup` of the part `hosts` tells ConnectX,
    BlueField and AMD Pollara NICs what switches are told, and leaves others as they are. Name the NIC (`nic`) in a
    profile of the node in the blueprint's own `catalog/`, or set the hosts up by other means.
    """

    counts_ports = False
    severity = Severity.INFO
    to_do = ToDo.DO_ELSEWHERE
    bad = """
        scalable_unit: {nodes: 4 x mi300x-8}
        fabrics: {compute: {
          protocol: roce}}  # <-
    """
    good = """
        scalable_unit: {nodes: 4 x mi355x-8}
        fabrics: {compute: {protocol: roce}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag fabrics that mark RoCE and have nodes with NICs of unknown drivers, and name these nodes."""
        for fabric, nics in list_node_nics(design, marking=True):
            pairs = [(node, nic) for node, nic in nics if not nic or nic.driver not in SET_UP]
            names = ", ".join(dict.fromkeys(f"{node} ({nic.name if nic else 'no NIC stated'})" for node, nic in pairs))
            if names:
                path: Path = (*fabric.path, "protocol") if fabric.protocol == "roce" else fabric.path
                yield self.flag(path, f"{fabric.name}: NICs of {names} are not set up for RoCE by the part `hosts`")
