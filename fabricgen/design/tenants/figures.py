"""What each tenant has, in figures."""

from __future__ import annotations

from typing import Any

from fabricgen.design.model import Design


def tenant_figures(design: Design) -> dict[str, dict[str, Any]]:
    """By tenant: its nodes, the accelerators of those that are not spare, and the fabrics that it is kept apart in."""
    layout = design.layout
    return {
        tenant.name: {
            "nodes": len(tenant.slots),
            "accelerators": sum(
                layout.of_set(nodes, tenant.slots - layout.spare) * nodes.profile.accelerators.count
                for nodes in layout.node_sets
                if nodes.profile.accelerators
            ),
            "fabrics": list(tenant.fabrics),
        }
        for tenant in design.tenants
    }
