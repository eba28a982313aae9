"""FG810: nodes attach to no fabric."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.capacity.failure import is_for_management
from fabricgen.design.extras.exits import list_exits
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class IdleNodeSet(DesignRule):
    """A set of nodes has no port in any fabric: it takes racks, power and money, and cannot be reached.

    Its NICs have other roles than the fabrics ask for with `attach`, or the set is left over. Let a fabric attach
    one of its roles, or remove the set. Likewise extra devices that only their BMCs or management ports attach, but for
    those that an exit leads to.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        scalable_unit:
          nodes:
            node: 4 x dgx-b200
            spare: 1 x storage-array  # <-
    """
    good = """
        scalable_unit: {nodes: {node: 4 x dgx-b200}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag sets of nodes that no fabric attaches (devices of a rack are no nodes), and extra devices with other
        ports that attach to fabrics for management alone.
        """
        attached = {nodes.path for fabric in design.fabrics for nodes, _ in fabric.attachments}
        for nodes in design.layout.node_sets:
            if not nodes.per_rack and nodes.path not in attached:
                message = f"no fabric attaches the {nodes.count} x {nodes.profile.id} of each unit"
                hint = f"`attach` one of the roles of their ports: {', '.join(sorted(nodes.profile.roles)) or 'none'}"
                yield self.flag(nodes.path, message, hint)
        extras = [(extra, fabric) for fabric in design.fabrics for extra in fabric.extras]
        used = {extra.attachment.profile.id for extra, fabric in extras if not is_for_management(fabric)}
        led_to = {exit_.extra.path for exit_ in list_exits(design)}
        for extra, fabric in extras:
            roles = sorted(set(extra.attachment.profile.roles) - {"bmc"})
            # a device of a used profile may be one device under two names, which FG319 tells
            if roles and extra.path not in led_to and extra.attachment.profile.id not in used:
                message = f"{extra.devices[0]} has a link in {fabric.name} alone, which is for management"
                hint = f"attach it where its other ports ({', '.join(roles)}) are meant to be, or remove it"
                yield self.flag(extra.path, message, hint)
