"""Scale-up domains: how many, and what they hold. Each kind of domain is a module of scale_up_kinds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, cast

from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.models import ScaleUp as ScaleUpSpec
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import ScaleUpDomainProfile
from fabricgen.design.layout import Layout, NodeSet
from fabricgen.design.model import ScaleUpDesign
from fabricgen.kernel import discovery
from fabricgen.kernel.diagnostics import Path, did_you_mean, fault

KINDS = "fabricgen.design.scale_up_kinds"


class LocalLink(NamedTuple):
    """One link of a domain; accelerators, switches and their ports count from 0.

    `far_switch` tells whether the far end is switch `far` or accelerator `far`.
    """

    accelerator: int
    port: int
    far_switch: bool
    far: int
    far_port: int


class ScaleUpKind(Protocol):
    """What a module of scale_up_kinds offers."""

    def links(self, domain: ScaleUpDomainProfile) -> Sequence[LocalLink]:
        """Every link of a full domain; raises ValueError when the profile does not fit its kind."""


def kind_of(domain: ScaleUpDomainProfile, path: Path) -> ScaleUpKind:
    """The kind of a domain; raises InputError when no module has its name."""
    try:
        return cast(ScaleUpKind, discovery.load(KINDS, domain.shape))
    except KeyError:
        known = discovery.module_names(KINDS)
        raise fault(
            "FG011",
            f"scale-up domain {domain.id} is of unknown shape '{domain.shape}'",
            path=path,
            hint=did_you_mean(domain.shape, known),
        ) from None


def domain_links(domain: ScaleUpDomainProfile, path: Path) -> Sequence[LocalLink]:
    """Every link of a full domain; raises InputError when it does not fit one switch tier."""
    try:
        return kind_of(domain, path).links(domain)
    except ValueError as error:
        raise fault("FG302", f"scale-up domain {domain.id}: {error}", path=path) from error


def design_scale_up(blueprint: Blueprint, catalog: Catalog, layout: Layout) -> tuple[ScaleUpDesign, ...]:
    """Count the scale-up domains of a cluster; omitted nodes leave their accelerators out.

    Raises InputError when a node or rack does not hold a whole domain.
    """
    return tuple(_design(name, spec, catalog, layout) for name, spec in sorted(blueprint.scale_up.items()))


def _design(name: str, spec: ScaleUpSpec, catalog: Catalog, layout: Layout) -> ScaleUpDesign:
    path: Path = ("scale_up", name)
    domain = catalog.scale_up(spec.domain, (*path, "domain"))
    members = [s for s in layout.node_sets if s.profile.accelerators and s.profile.scale_up in ("", domain.id)]
    if not members:
        models = ", ".join(sorted({s.profile.id for s in layout.node_sets}))
        raise fault("FG301", f"no node forms {domain.id} domains; nodes are {models}", path=(*path, "domain"))
    local = domain_links(domain, (*path, "domain"))
    if spec.per == "node":
        return _per_node(name, domain, members, layout, local, path)
    return _per_rack(name, domain, members, layout, local, path)


def _per_node(
    name: str,
    domain: ScaleUpDomainProfile,
    members: list[NodeSet],
    layout: Layout,
    local: Sequence[LocalLink],
    path: Path,
) -> ScaleUpDesign:
    for nodes in members:
        held = nodes.profile.accelerators.count if nodes.profile.accelerators else 0
        if held != domain.accelerators:
            raise _mismatch(domain, held, f"a {nodes.profile.id}", path)
    domains = sum(s.count * layout.units - layout.omitted_of(s) for s in members)
    accelerators = domains * domain.accelerators
    switches = domains * domain.switches
    return ScaleUpDesign(name, domain, "node", domains, accelerators, switches, domains * len(local), domains, path)


def _per_rack(
    name: str,
    domain: ScaleUpDomainProfile,
    members: list[NodeSet],
    layout: Layout,
    local: Sequence[LocalLink],
    path: Path,
) -> ScaleUpDesign:
    per_node = {s.profile.accelerators.count for s in members if s.profile.accelerators}
    held = layout.nodes_per_rack * max(per_node)
    if len(members) != len(layout.node_sets) or len(per_node) > 1 or held != domain.accelerators:
        raise _mismatch(domain, held, f"a rack of {layout.nodes_per_rack} nodes", path)
    if layout.nodes_per_su % layout.nodes_per_rack:
        raise _mismatch(
            domain,
            layout.nodes_per_su % layout.nodes_per_rack * max(per_node),
            "the last rack of a unit",
            path,
        )
    missing: dict[tuple[int, int], set[int]] = {}
    for slot in layout.omitted:
        rack, tray = divmod(slot.node - 1, layout.nodes_per_rack)
        missing.setdefault((layout.unit_index(slot), rack), set()).add(tray)
    empty = sum(len(trays) == layout.nodes_per_rack for trays in missing.values())
    slots = layout.units * layout.racks_per_su
    domains = slots - empty
    links = domains * len(local)
    for trays in missing.values():
        if len(trays) < layout.nodes_per_rack:
            links -= sum(not present(link, trays, max(per_node)) for link in local)
    accelerators = layout.nodes * max(per_node)
    return ScaleUpDesign(name, domain, "rack", domains, accelerators, domains * domain.switches, links, slots, path)


def present(link: LocalLink, missing_nodes: set[int], per_node: int) -> bool:
    """Whether both ends of a link are there when some nodes of its domain are missing."""
    ends = [link.accelerator] if link.far_switch else [link.accelerator, link.far]
    return all(end // per_node not in missing_nodes for end in ends)


def _mismatch(domain: ScaleUpDomainProfile, held: int, holder: str, path: Path) -> Exception:
    return fault(
        "FG301",
        f"{domain.id} is a domain of {domain.accelerators} accelerators, {holder} holds {held}",
        path=path,
        hint="check `per`, `nodes_per_rack` and the domain",
    )
