"""FG748: packets are sprayed at NICs that may want them in order."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.views.balancing import find_balancing


class SprayedOutOfOrder(DesignRule):
    """`load_balance: spray` sends the packets of one flow over many links, and a NIC is not known to take them so.

    Packets overtake each other on links of unlike load. A NIC that takes RoCE in order only drops what comes early and
    asks for all of it again, and a little reordering costs most of the bandwidth. The catalogue says of which NICs a
    document says that they put data in place out of order; their drivers have to be set up for it.

    Use such NICs, or `dynamic`, which keeps the packets of a burst on one link. Put `out_of_order` into the profile of
    a NIC that you know better.
    """

    severity = Severity.WARNING
    bad = """
        scalable_unit: {nodes: 4 x mi300x-8}
        routing:
          load_balance: spray  # <-
    """
    good = """
        routing: {load_balance: dynamic}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag RoCE fabrics that spray packets at NICs which are not known to take packets out of order."""
        blueprint = design.loaded.blueprint
        for fabric in design.fabrics:
            routing = blueprint.fabrics[fabric.name].routing
            if fabric.protocol != "roce" or find_balancing(routing, blueprint.routing).mode != "spray":
                continue
            nics = {
                (attachment.profile.id, port.nic)
                for _, attachment in fabric.attachments
                for port in attachment.profile.roles[attachment.role].ports
                if not ((profile := design.catalog.nic(port.nic)) and profile.out_of_order)
            }
            if nics:
                words = ", ".join(f"{nic or 'NICs without a profile'} of {node}" for node, nic in sorted(nics))
                path = (*(fabric.path if routing.load_balance else ()), "routing", "load_balance")
                yield self.flag(
                    path, f"{fabric.name} sprays packets, and {words} may want them in order", "use `dynamic`"
                )
