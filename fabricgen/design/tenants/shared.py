"""Extra devices that tenants share on InfiniBand: members of several partitions, and the one way between tenants."""

from __future__ import annotations

from collections.abc import Collection

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import did_you_mean, fault


def check_shared(design: Design, name: str, fabrics: Collection[str]) -> None:
    """Raise InputError (FG094) where a tenant, kept apart in `fabrics`, shares what it cannot."""
    tenant = design.loaded.blueprint.tenants[name]
    on_infiniband = {
        extra.name for f in design.fabrics if f.protocol == "infiniband" and f.name in fabrics for extra in f.extras
    }
    for i, extra in enumerate(tenant.shared):
        why, hint = "", ""
        if extra not in design.extra_sets:
            why, hint = f"there are no extra devices '{extra}'", did_you_mean(extra, design.extra_sets)
        elif extra in tenant.extra:
            why, hint = f"the devices '{extra}' are its own", "remove it from `shared` or from `extra`"
        elif extra not in on_infiniband:
            why = f"the devices '{extra}' have no port in an InfiniBand fabric that it is kept apart in"
            hint = "on Ethernet, `leaks` join the VRFs of tenants"
        if why:
            raise fault("FG094", f"tenant {name}: {why}", path=("tenants", name, "shared", i), hint=hint)
