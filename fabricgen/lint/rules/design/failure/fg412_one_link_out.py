"""FG412: one link leads out of the cluster."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class OneLinkOut(DesignRule):
    """A fabric has a single link to routers of a provider or of another team.

    The border switches may come in pairs (FG308), but with one link out, its optic, its fibre or the router at its
    far end cut everybody off: users, data sets, the registry that jobs start from.

    Give the router two `ports`, or the fabric two routers, each on a border switch of its own.
    """

    severity = Severity.WARNING
    bad = """
        fabrics: {compute: {extra: {
          wan: {device: external-router, ports: 1, attach: inband}}}}  # <-
    """
    good = """
        fabrics: {compute: {extra: {
          wan: {device: external-router, count: 2, attach: inband}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag fabrics with a single link to external devices."""
        for fabric in design.fabrics:
            outside = [extra for extra in fabric.extras if extra.attachment.profile.external]
            if sum(len(extra.links) for extra in outside) == 1:
                extra = next(extra for extra in outside if extra.links)
                yield self.flag(
                    extra.path,
                    f"{fabric.name} has one link out, to {extra.devices[extra.links[0].device]}",
                    "use two ports, or two routers, on two switches",
                )
