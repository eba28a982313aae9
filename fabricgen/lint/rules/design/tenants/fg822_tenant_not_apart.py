"""FG822: a tenant's nodes are in a fabric that does not keep them apart."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.design.tenants.model import TenantDesign
from fabricgen.design.tenants.stated import has_attachment
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.numbering.underlay import find_underlay


class TenantNotApart(DesignRule):
    """A tenant's nodes are in a fabric that keeps them apart from nobody.

    Either the tenant states `fabrics` without it, so that there its nodes are with all others; or the links between its
    switches are bare (`routing: {underlay: none}`), and so carry no VRFs: then a controller has to. Fabrics of
    management ports are not meant. Waive this for a fabric that all tenants share on purpose.
    """

    severity = Severity.WARNING
    counts_ports = False
    bad = """
        fabrics:
          storage:
            protocol: ethernet
            tiers: {leaf: {switch: sn5600, count: 2, spread: stripe}}
        tenants:
          blue: {nodes: [p1/su-1/node-1], fabrics: [compute]}  # <-
    """
    good = """
        fabrics:
          storage:
            protocol: ethernet
            tiers: {leaf: {switch: sn5600, count: 2, spread: stripe}}
        tenants:
          blue: {nodes: [p1/su-1/node-1], fabrics: [compute, storage]}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag fabrics that a tenant's nodes attach to and in which nothing keeps the tenant apart."""
        for tenant in design.tenants:
            stated = design.loaded.blueprint.tenants[tenant.name].fabrics
            path: Path = (*tenant.path, "fabrics") if stated else tenant.path
            for name, why, hint in self._list_open_fabrics(design, tenant):
                message = f"nodes of {tenant.name} are in {name}, where nothing keeps them apart: {why}"
                yield self.flag(path, message, hint)

    def _list_open_fabrics(self, design: Design, tenant: TenantDesign) -> Iterator[tuple[str, str, str]]:
        """Yield (name of a fabric, why nothing keeps a tenant apart in it, what would) for each such fabric."""
        for fabric in design.fabrics:
            if fabric.manages or not has_attachment(design, fabric, tenant.slots, tenant.extras):
                continue
            if fabric.name not in tenant.fabrics:
                yield fabric.name, "it is not among its `fabrics`", f"add {fabric.name}, or waive this"
            elif fabric.protocol != "infiniband" and fabric.tiers and find_underlay(design, fabric) == "none":
                yield fabric.name, "the links between its switches are bare", "use an ebgp underlay"
