"""FG829: tenants do not reach an extra device that is nobody's."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.fabric_model import ExtraSet, FabricDesign
from fabricgen.design.model import Design
from fabricgen.design.tenants.model import TenantDesign
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class ExtraOutOfReach(DesignRule):
    """An extra device is in a fabric in which tenants are kept apart, in nobody's VRF, and no leak leads there.

    Storage or login servers that all tenants are meant to use stand in the VRF of the fabric then: the nodes of a
    tenant have no route to them, and configurations look complete. Devices of others and those of exits are not meant,
    nor fabrics of management ports.

    On InfiniBand it is in the partition of nobody, which no tenant's nodes are in; managers reach all of them.

    Let a leak join the VRF of each tenant with that of the fabric (`leaks`), on InfiniBand let tenants share the device
    (`shared`), give it to one tenant (`extra`), or waive this where it is for nodes of nobody alone.
    """

    severity = Severity.WARNING
    counts_ports = False
    bad = """
        fabrics:
          compute:
            extra: {array: {device: storage-array, count: 2, attach: storage}}  # <-
        tenants:
          blue: {nodes: [p1/su-1/node-1]}
    """
    good = """
        fabrics:
          compute:
            extra: {array: {device: storage-array, count: 2, attach: storage}}
        tenants:
          blue: {nodes: [p1/su-1/node-1]}
        leaks:
          files: {between: [blue, default]}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag extra devices of no tenant that tenants of the fabric do not reach."""
        owned = {name for tenant in design.tenants for name in tenant.extras}
        for fabric in (fabric for fabric in design.fabrics if design.tenants and not fabric.manages):
            tenants = [tenant for tenant in design.tenants if fabric.name in tenant.fabrics and tenant.slots]
            exits = {exit_.to for exit_ in design.loaded.blueprint.fabrics[fabric.name].exits.values()}
            for extra in fabric.extras:
                kept_out = [tenant.name for tenant in tenants if not _reaches(design, tenant, fabric, extra)]
                if extra.name in owned | exits or extra.attachment.profile.external or not kept_out:
                    continue
                vrf = fabric.vrf or "default"
                why = f"it is in the VRF {vrf}, and no leak joins theirs with it"
                hint = f"`leaks: {{{extra.name}: {{between: [{kept_out[0]}, {vrf}]}}}}`"
                if fabric.protocol == "infiniband":
                    why, hint = "it is in nobody's partition", f"`shared: [{extra.name}]` of them"
                yield self.flag(
                    extra.path,
                    f"nodes of {', '.join(kept_out)} do not reach {extra.name} in {fabric.name}: {why}",
                    f"state {hint}, or make it a tenant's `extra`",
                )


def _reaches(design: Design, tenant: TenantDesign, fabric: FabricDesign, extra: ExtraSet) -> bool:
    """Whether a tenant reaches extra devices of a fabric.

    On InfiniBand it does if it shares them or they are UFM appliances. Elsewhere a leak on the fabric's switches joins
    the tenant with the fabric's VRF, or another fabric of that VRF, in which the tenant is not apart, attaches both.
    """
    if fabric.protocol == "infiniband":
        return extra.name in tenant.shared or extra.attachment.profile.id.partition("-")[0] == "ufm"
    owner = fabric.carrier or fabric.name
    if any({tenant.name, fabric.vrf} == set(leak.between) and owner in leak.fabrics for leak in design.leaks):
        return True
    open_fabrics = (f for f in design.fabrics if f.name not in tenant.fabrics and not f.manages and f.vrf == fabric.vrf)
    return any(e.name == extra.name and f.attachments for f in open_fabrics for e in f.extras)
