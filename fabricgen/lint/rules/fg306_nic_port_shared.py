"""FG306: two fabrics attach the same NIC ports."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule

_OwnerAndRole = tuple[str, str]
"""The owner of ports (a node set or extra devices) and their role."""


def attached(design: Design, fabric: FabricDesign) -> Iterator[tuple[_OwnerAndRole, Path]]:
    """The ports that a fabric attaches, and the line that says so."""
    for index, attachment in fabric.attachments:
        node_set = design.layout.node_sets[index]
        yield (f"nodes of {node_set.profile.id}", attachment.role), (*fabric.path, "attach")
    for extra in fabric.extras:
        yield (f"extra devices {extra.name}", extra.attachment.role), (*extra.path, "attach")


class NicPortShared(DesignRule):
    """Two fabrics attach the same NIC role of the same devices, so each of these ports is cabled twice.

    A port takes one cable. Each fabric is wired as if the ports were its own, so the wiring list, the BOM and the
    configurations would ask technicians for the impossible.

    Give one of the fabrics another NIC role in `attach`, or serve both purposes with one fabric.
    """

    id = "FG306"
    counts_ports = False
    severity = Severity.ERROR
    impossible = True
    waivable = False
    title = "two fabrics attach the same NIC ports"
    bad = """
        fabrics:
          second:
            protocol: roce
            attach: compute  # <-
            tiers: {leaf: {switch: sn5600, per: [su, rail]}}
    """
    good = """
        fabrics:
          second:
            protocol: roce
            attach: storage
            tiers: {leaf: {switch: sn5600, per: [su, rail]}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag the later of two fabrics, in the usual order of fabrics, that attach the same ports."""
        taken: dict[_OwnerAndRole, str] = {}
        for fabric in design.fabrics:
            for (owner, role), path in attached(design, fabric):
                first = taken.setdefault((owner, role), fabric.name)
                if first != fabric.name:
                    yield self.flag(
                        path,
                        f"fabric {fabric.name} attaches the '{role}' ports of {owner}, "
                        f"which fabric {first} already cables",
                        "set `attach` to another NIC role, or use one fabric for both",
                    )
