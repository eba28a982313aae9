"""Which fabric of a host has its default route, and with it the address by which operators reach the host."""

from __future__ import annotations

from fabricgen.blueprint.sections.exits import parse_accepted
from fabricgen.design.extras.exits import exits_of
from fabricgen.design.linked import linked_fabrics
from fabricgen.design.model import Design

DEFAULT_ROLES = ("inband", "frontend")
"""NIC roles that lead to users and services, the first one first: where exits do not decide, they do."""

BEYOND = 2 * (len(DEFAULT_ROLES) + 1)
"""From this preference on, no exit leads out of a fabric."""

NEVER = BEYOND + len(DEFAULT_ROLES)
"""The preference of a fabric that never has the default route."""


class DefaultRoutes:
    """The fabrics of a design by how far a default route on them leads.

    A fabric from which an exit leads to everywhere is before one from which none does, a NIC of a role of
    `DEFAULT_ROLES` before others, and the fabric that states the exit before those that share its VRF.
    """

    def __init__(self, design: Design) -> None:
        self._design = design
        self._part = {
            name: i for i, part in enumerate(linked_fabrics(design.loaded.blueprint.fabrics)) for name in part
        }
        self._exits = list(exits_of(design))
        leading = [exit_ for exit_ in self._exits if exit_.spec.default]
        self._vrfs = {(self._part[exit_.fabric.name], exit_.vrf) for exit_ in leading}
        self._own = {(exit_.fabric.name, exit_.vrf) for exit_ in leading}

    def vrf_of_hosts(self, fabric: str, tenant: int) -> str:
        """The VRF of hosts in a fabric, "" for the default one. `tenant` is theirs, an index into those of the design,
        -1 for none.
        """
        of_tenant = self._design.tenants[tenant] if tenant >= 0 else None
        if of_tenant is not None and fabric in of_tenant.fabrics:
            return of_tenant.name
        return self._design.fabric(fabric).vrf

    def leads_out(self, fabric: str, tenant: int) -> bool:
        """Whether an exit to everywhere is in the VRF of a tenant's hosts in a fabric."""
        return (self._part[fabric], self.vrf_of_hosts(fabric, tenant)) in self._vrfs

    def rank_fabric(self, fabric: str, role: str, tenant: int, *, is_shared: bool) -> int:
        """How soon a fabric has the default route of a host, the lowest first; `NEVER` for never.

        `role` is that of the NIC; `is_shared`: whether the fabric is a VLAN on ports of another.
        """
        rank = DEFAULT_ROLES.index(role) if role in DEFAULT_ROLES else len(DEFAULT_ROLES)
        if self.leads_out(fabric, tenant):
            # by role first; the fabric that states the exit before one that shares its VRF
            return 2 * rank + ((fabric, self.vrf_of_hosts(fabric, tenant)) not in self._own)
        return NEVER if is_shared else BEYOND + rank

    def list_accepted_prefixes(self, fabric: str, tenant: int, *, v6: bool) -> tuple[str, ...]:
        """The prefixes that exits of a fabric lead to beside a default route, for hosts of a tenant; in order."""
        vrf = self.vrf_of_hosts(fabric, tenant)
        exits = (exit_ for exit_ in self._exits if exit_.fabric.name == fabric and exit_.vrf == vrf)
        prefixes = {parse_accepted(text)[0] for exit_ in exits for text in exit_.spec.accept}
        return tuple(sorted(prefix for prefix in prefixes if (":" in prefix) == v6))
