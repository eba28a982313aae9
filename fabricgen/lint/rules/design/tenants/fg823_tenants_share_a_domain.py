"""FG823: two tenants share a scale-up domain."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.slots import NodeSlot
from fabricgen.design.model import Design
from fabricgen.design.scale_up.model import ScaleUpDesign
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule

Domain = tuple[int, ...]
"""The leading ones of (pod, unit, group of nodes in the unit) that tell a domain from others."""


class TenantsShareADomain(DesignRule):
    """Nodes of two tenants are in one scale-up domain.

    VRFs and partitions keep networks apart; accelerators of one domain reach each other's memory over its switches
    besides, which one fabric manager programs for all (NVIDIA, Fabric Manager for NVIDIA NVSwitch Systems User Guide).
    Give each tenant whole domains, or partition the domain by its fabric manager, which is not planned here, and waive
    this.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        scalable_unit: {nodes: 18 x gb200-tray, racks: {nodes_per_rack: 18}}
        scale_up: {nvlink: {domain: nvl72-gb200, per: rack}}
        tenants:
          blue: {nodes: [p1/su-1/node-1]}
          red: {nodes: [p1/su-1/node-2, p1/su-2]}  # <-
    """
    good = """
        scalable_unit: {nodes: 18 x gb200-tray, racks: {nodes_per_rack: 18}}
        scale_up: {nvlink: {domain: nvl72-gb200, per: rack}}
        tenants:
          blue: {nodes: [p1/su-1]}
          red: {nodes: [p1/su-2]}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag pairs of tenants whose nodes share scale-up domains of several nodes."""
        for scale_up in design.scale_up if len(design.tenants) > 1 else ():
            if scale_up.per != "node":
                yield from self._check_domains(design, scale_up)

    def _check_domains(self, design: Design, scale_up: ScaleUpDesign) -> Iterator[Diagnostic]:
        """Flag each pair of tenants that share domains of a kind, with a slot of both in the first of these domains."""
        owners = _list_owners(design, scale_up)
        shared: dict[tuple[str, str], list[Domain]] = {}
        for domain, tenants in sorted(owners.items()):
            names = list(tenants)
            for name in names[1:]:
                shared.setdefault((names[0], name), []).append(domain)
        for (a, b), domains in shared.items():
            slots = [_write_slot(design, owners[domains[0]][name]) for name in (a, b)]
            count = f"{len(domains):,} {scale_up.name} domain{'s' * (len(domains) > 1)}"
            example = f"{slots[0]} is {a}'s and {slots[1]} is {b}'s in one"
            yield self.flag(
                ("tenants", b, "nodes"),
                f"{count} of {scale_up.profile.id} {'are' if len(domains) > 1 else 'is'} shared with {a}: {example}",
                f"give each tenant {scale_up.places.place_text.removesuffix(' of')} as a whole",
            )


def _list_owners(design: Design, scale_up: ScaleUpDesign) -> dict[Domain, dict[str, NodeSlot]]:
    """Return for each domain its tenants by name, each with the first of its slots there."""
    # slots count the nodes of a unit from 1, groups from 0
    groups = {
        kind: {node + 1: index for index, nodes in enumerate(groups_of_kind) for node in nodes}
        for kind, groups_of_kind in scale_up.places.groups.items()
    }
    # how much of (pod, unit, group) tells a domain apart: all of it, the pod alone, or nothing
    length = {"pod": 1, "cluster": 0}.get(scale_up.per, 3)
    owners: dict[Domain, dict[str, NodeSlot]] = {}
    for tenant in design.tenants:
        for slot in sorted(tenant.slots):
            group = groups.get(design.layout.kind_of_pod[slot.pod].name, {}).get(slot.node)
            if group is not None:
                owners.setdefault((slot.pod, slot.su, group)[:length], {}).setdefault(tenant.name, slot)
    return owners


def _write_slot(design: Design, slot: NodeSlot) -> str:
    return f"{design.layout.pods[slot.pod].name}/su-{slot.su}/node-{slot.node}"
