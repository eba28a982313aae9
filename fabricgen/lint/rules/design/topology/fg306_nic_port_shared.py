"""FG306: two fabrics attach the same NIC ports."""

from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule


class _Ports(NamedTuple):
    """The ports of one role of nodes (`owner` is their path) or extra devices (`owner` is their name), and the owner in
    words.
    """

    owner: Path | str
    role: str
    text: str


def list_attached_ports(fabric: FabricDesign) -> Iterator[tuple[_Ports, Path]]:
    """Yield (ports that a fabric attaches, path of the statement that attaches them)."""
    for nodes, attachment in fabric.attachments:
        yield _Ports(nodes.path, attachment.role, f"nodes of {nodes.profile.id}"), (*fabric.path, "attach")
    for extra in fabric.extras:
        yield _Ports(extra.name, extra.attachment.role, f"extra devices {extra.name}"), (*extra.path, "attach")


class NicPortShared(DesignRule):
    """Two fabrics attach the same NIC role of the same devices, so each of these ports is cabled twice.

    A port takes one cable. Each fabric is wired as if the ports were its own, so the wiring list, the BOM and the
    configurations would ask technicians for the impossible.

    Give one of the fabrics another NIC role in `attach`, or serve both purposes with one fabric.
    """

    counts_ports = False
    severity = Severity.ERROR
    impossible = True
    waivable = False
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
        fabric_of_ports: dict[_Ports, str] = {}
        for fabric in design.fabrics:
            for ports, path in list_attached_ports(fabric):
                first_fabric = fabric_of_ports.setdefault(ports, fabric.name)
                if first_fabric != fabric.name:
                    is_carried = fabric.carrier == first_fabric
                    shared = ", `host_ports: tagged` for a VLAN of its own on them" if is_carried else ""
                    yield self.flag(
                        path,
                        f"fabric {fabric.name} attaches the '{ports.role}' ports of {ports.text}, "
                        f"which fabric {first_fabric} already cables",
                        f"set `attach` to another NIC role{shared}, or use one fabric for both",
                    )
