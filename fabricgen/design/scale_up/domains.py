"""Scale-up domains: how many there are and what they hold. Each kind of domain is a module of `scale_up.kinds`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.models import ScaleUp as ScaleUpSpec
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import NodeProfile
from fabricgen.catalog.scale_up_models import ScaleUpDomainProfile
from fabricgen.design.floor.unit_kind import NodeSet
from fabricgen.design.layout import Layout
from fabricgen.design.scale_up.model import DomainSize, LocalLink, MisfitError, ScaleUpDesign, ScaleUpKind
from fabricgen.design.scale_up.placement import DomainPlacement, place_domains
from fabricgen.kernel import discovery
from fabricgen.kernel.diagnostics import InputError, Path, did_you_mean, fault

KINDS = "fabricgen.design.scale_up.kinds"


def load_kind(domain: ScaleUpDomainProfile, path: Path) -> ScaleUpKind:
    """The module for the kind of a domain; raises InputError when there is none."""
    try:
        return cast(ScaleUpKind, discovery.load_module(KINDS, domain.shape))
    except KeyError:
        known = discovery.list_modules(KINDS)
        raise fault(
            "FG011",
            f"scale-up domain {domain.id} is of unknown shape '{domain.shape}'",
            path=path,
            hint=did_you_mean(domain.shape, known),
        ) from None


def list_domain_links(scale_up: ScaleUpDesign) -> Iterable[LocalLink]:
    """Every link of a full domain."""
    return load_kind(scale_up.profile, scale_up.path).links(scale_up.profile, scale_up.size.accelerators)


def can_join(profile: NodeProfile, domain: ScaleUpDomainProfile) -> bool:
    """Whether a domain joins nodes of a profile: those that name it, those that name none, or any if
    `any_node` is set.
    """
    named = domain.any_node or profile.scale_up in ("", domain.id) or domain.id in profile.scale_up_too
    return profile.accelerators is not None and named


def design_scale_up(blueprint: Blueprint, catalog: Catalog, layout: Layout) -> tuple[ScaleUpDesign, ...]:
    """Count the scale-up domains of a cluster; accelerators of omitted nodes are not counted.

    Raises InputError when a place does not hold whole domains, or a domain cannot be wired.
    """
    designs: list[ScaleUpDesign] = []
    domain_by_path: dict[Path, str] = {}
    for name, spec in sorted(blueprint.scale_up.items()):
        if spec.per == "cluster" and len(layout.sites) > 1:
            raise fault(
                "FG301",
                f"a domain of the whole cluster would span {len(layout.sites)} sites; its links reach a few metres",
                path=("scale_up", name, "per"),
                hint="form domains per pod, su, rack or node",
            )
        members = _list_members(name, spec, catalog, layout)
        for node_set in members:
            other_domain = domain_by_path.setdefault(node_set.path, name)
            if other_domain != name:
                raise fault(
                    "FG301",
                    f"the {node_set.profile.id} nodes form scale-up domains of '{other_domain}' already",
                    path=("scale_up", name),
                    hint="an accelerator is in one scale-up domain; keep one of the two",
                )
        designs.append(_design_domains(name, spec, members, catalog, layout))
    return tuple(designs)


def _list_members(name: str, spec: ScaleUpSpec, catalog: Catalog, layout: Layout) -> list[NodeSet]:
    # the node sets whose nodes form the domain of a scale-up entry; InputError (FG301) where there are none
    path: Path = ("scale_up", name, "domain")
    domain = catalog.scale_up(spec.domain, path)
    members = [s for s in layout.node_sets if can_join(s.profile, domain)]
    if not members:
        models = ", ".join(sorted({s.profile.id for s in layout.node_sets}))
        raise fault("FG301", f"no node forms {domain.id} domains; nodes are {models}", path=path)
    return members


def _design_domains(
    name: str, spec: ScaleUpSpec, members: list[NodeSet], catalog: Catalog, layout: Layout
) -> ScaleUpDesign:
    # a scale-up entry with its domains placed and counted; raises InputError (FG301) where its nodes make no whole
    # domains
    path: Path = ("scale_up", name)
    domain = catalog.scale_up(spec.domain)
    places = place_domains(spec, members, layout, path)
    kind = load_kind(domain, (*path, "domain"))
    size = _size_domain(kind, domain, places.accelerators, _count_ports(domain, members, catalog), (*path, "domain"))
    if domain.accelerators not in (None, places.accelerators):
        raise _explain_mismatch(domain, places, layout, members, path)
    _check_ports(domain, members, path)
    _check_parts(domain, catalog, (*path, "domain"))
    _check_switches(domain, size, places, path)
    _check_backplane(domain, places, layout, path)
    missing = _find_missing_nodes(places, layout)
    empty = sum(len(missing_nodes) == places.nodes for missing_nodes in missing.values())
    domains = places.slots - empty
    accelerators = places.slots * size.accelerators - sum(map(len, missing.values())) * places.per_node
    links = domains * size.links
    partial = [missing_nodes for missing_nodes in missing.values() if len(missing_nodes) < places.nodes]
    if partial:
        local = list(kind.links(domain, size.accelerators))
        # links of nodes that are not there, in domains that have others
        links -= sum(
            not is_present(link, missing_nodes, places.per_node) for missing_nodes in partial for link in local
        )
    return ScaleUpDesign(name, domain, places, size, domains, accelerators, links, path)


def _size_domain(kind: ScaleUpKind, domain: ScaleUpDomainProfile, held: int, ports: int, path: Path) -> DomainSize:
    """Size a domain; raises InputError when it does not fit one switch tier, or takes more ports than an accelerator
    has.
    """
    try:
        if domain.max_accelerators and held > domain.max_accelerators:
            raise MisfitError(
                f"{held:,} accelerators are more than the {domain.max_accelerators:,} that such a domain may have",
                "take smaller domains: `per: rack` or `per: su`, and join them by the scale-out network",
            )
        return kind.size(domain, held, ports)
    except MisfitError as misfit:
        raise fault("FG302", f"scale-up domain {domain.id}: {misfit}", path=path, hint=misfit.hint) from misfit


def _count_ports(domain: ScaleUpDomainProfile, members: list[NodeSet], catalog: Catalog) -> int:
    """Ports of an accelerator for the domain: as its profile states, else as many as the domain that its node names
    uses.
    """
    if domain.ports:
        return domain.ports - domain.scale_out_ports
    counts = []
    for node in {s.profile.id: s.profile for s in members}.values():
        names_other = node.scale_up and domain.id not in (node.scale_up, *node.scale_up_too)
        profile = catalog.scale_up(node.scale_up) if names_other else domain
        if profile.ports:
            counts.append(profile.ports - profile.scale_out_ports)
        elif profile.accelerators:
            try:
                counts.append(load_kind(profile, ()).size(profile, profile.accelerators, 0).links_each)
            except (InputError, MisfitError):  # that domain is not the one that is asked for, and tells nothing
                continue
    return min(counts, default=0)


def _find_missing_nodes(places: DomainPlacement, layout: Layout) -> dict[int, set[int]]:
    """Domain -> positions in it of omitted nodes."""
    missing: dict[int, set[int]] = {}
    for slot in layout.omitted:
        position = places.find_domain(layout, slot)
        if position is not None:
            missing.setdefault(position[0], set()).add(position[1])
    return missing


def is_present(link: LocalLink, missing_nodes: set[int], per_node: int) -> bool:
    """Whether both ends of a link exist when nodes of its domain are omitted."""
    ends = [link.accelerator] if link.far_switch else [link.accelerator, link.far]
    return all(end // per_node not in missing_nodes for end in ends)


def _check_ports(domain: ScaleUpDomainProfile, members: list[NodeSet], path: Path) -> None:
    """Raise InputError where a node profile does not bring as many ports to scale-out as the domain leaves for it."""
    for profile in (s.profile for s in members):
        role = profile.roles.get("compute")
        if not domain.scale_out_ports or profile.accelerators is None:
            continue
        node_gbps = len(role.ports) * max(role.speeds) if role else 0
        left_gbps = profile.accelerators.count * domain.scale_out_ports * domain.link_gbps
        if node_gbps != left_gbps:
            raise fault(
                "FG301",
                f"{domain.id} leaves {left_gbps:g} Gb/s of {profile.accelerators.count} accelerators to the scale-out "
                f"network, the compute ports of {profile.id} have {node_gbps:g} Gb/s",
                path=(*path, "domain"),
                hint="`scale_out_ports` of the domain and the node's `compute` role must agree",
            )


def _check_parts(domain: ScaleUpDomainProfile, catalog: Catalog, path: Path) -> None:
    """Raise InputError where its switch tray or cables are not in the catalogue."""
    if domain.tray:
        catalog.switch(domain.tray, path)
    for name in (*domain.media, *domain.switch_media):
        if name not in catalog.ids("cables"):
            raise fault(
                "FG011",
                f"scale-up domain {domain.id} names no cable of the catalogue: '{name}'",
                path=path,
                hint=did_you_mean(name, catalog.ids("cables")),
            )


def _check_switches(domain: ScaleUpDomainProfile, size: DomainSize, places: DomainPlacement, path: Path) -> None:
    """Raise InputError unless switches on a board join accelerators of that board, and switches in trays those of a
    rack or more.
    """
    if domain.tray and places.per == "node":
        raise fault(
            "FG301",
            f"the switches of {domain.id} are trays in a rack; its domain cannot be a node",
            path=(*path, "per"),
            hint="say `per: rack`, or su, pod or cluster",
        )
    if size.switches and not domain.tray and places.per != "node":
        raise fault(
            "FG301",
            f"the switches of {domain.id} are on a node's board; "
            f"its domain cannot be {places.what.removesuffix(' of')}",
            path=(*path, "per"),
            hint="say `per: node`, or name the switch tray (`tray`) in a profile of your own",
        )


def _check_backplane(domain: ScaleUpDomainProfile, places: DomainPlacement, layout: Layout, path: Path) -> None:
    """Raise InputError for a backplane that would span racks."""
    per_rack = {kind.name: kind.nodes_per_rack for kind in layout.kinds}
    racks = max(len({n // per_rack[kind] for n in nodes}) for kind, groups in places.groups.items() for nodes in groups)
    if domain.backplane and (racks > 1 or places.units > 1):
        raise fault(
            "FG301",
            f"links of {domain.id} run in the backplane of a rack; "
            f"its domain cannot be {places.what.removesuffix(' of')}",
            path=path,
            hint="say `per: rack`, or state `backplane: false` and a form_factor in a profile of your own",
        )


def _explain_mismatch(
    domain: ScaleUpDomainProfile, places: DomainPlacement, layout: Layout, members: list[NodeSet], path: Path
) -> InputError:
    # the error (FG301) of a profile whose accelerators are not those of the place that a domain is formed of
    holder = places.what
    if places.per == "node":
        holder = f"a {members[0].profile.id}"
    elif places.per == "rack":
        per_rack = next(kind.nodes_per_rack for kind in layout.kinds if kind.name == members[0].unit)
        holder += f" {per_rack} nodes"
    return fault(
        "FG301",
        f"{domain.id} is a domain of {domain.accelerators} accelerators, {holder} holds {places.accelerators:,}",
        path=path,
        hint="check `per`, `racks`, `nodes_per_rack` and the domain",
    )
