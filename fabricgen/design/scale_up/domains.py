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
from fabricgen.design.scale_up.model import (
    DomainPlacement,
    DomainSize,
    LocalLink,
    MisfitError,
    ScaleUpDesign,
    ScaleUpKind,
    place_domains,
)
from fabricgen.kernel import discovery
from fabricgen.kernel.diagnostics import InputError, Path, did_you_mean, fault
from fabricgen.kernel.grouping import group_pairs

KINDS = "fabricgen.design.scale_up.kinds"


def load_kind(domain: ScaleUpDomainProfile, path: Path) -> ScaleUpKind:
    """Return the module for the kind of a domain; raises InputError (FG011) if there is none."""
    try:
        return cast(ScaleUpKind, discovery.load_module(KINDS, domain.shape))
    except KeyError:
        kinds = discovery.list_modules(KINDS)
        raise fault(
            "FG011",
            f"scale-up domain {domain.id} is of unknown shape '{domain.shape}'",
            path=path,
            hint=did_you_mean(domain.shape, kinds),
        ) from None


def list_domain_links(scale_up: ScaleUpDesign) -> Iterable[LocalLink]:
    """Return every link of a full domain."""
    return load_kind(scale_up.profile, scale_up.path).links(scale_up.profile, scale_up.size.accelerators)


def can_join(profile: NodeProfile, domain: ScaleUpDomainProfile) -> bool:
    """Whether a domain can join nodes of a profile: they name it, or name none, or the domain sets `any_node`."""
    named = domain.any_node or profile.scale_up in ("", domain.id) or domain.id in profile.scale_up_too
    return profile.accelerators is not None and named


def design_scale_up(blueprint: Blueprint, catalog: Catalog, layout: Layout) -> tuple[ScaleUpDesign, ...]:
    """Return the scale-up entries of a cluster with their domains placed and counted, entries that join others last.
    Accelerators of omitted nodes are not counted.

    Raises InputError if a place does not hold whole domains or would span sites (FG301), if a domain cannot be wired
    (FG302), or if a profile, tray or cable is not in the catalogue (FG011).
    """
    designs: list[ScaleUpDesign] = []
    domains_by_path: dict[Path, list[ScaleUpDesign]] = {}
    for name, spec in sorted(blueprint.scale_up.items(), key=lambda item: (item[1].joins is not None, item[0])):
        if spec.per == "cluster" and len(layout.sites) > 1:
            raise fault(
                "FG301",
                f"a domain of the whole cluster would span {len(layout.sites)} sites; its links reach a few metres",
                path=("scale_up", name, "per"),
                hint="form domains per pod, su, rack or node",
            )
        if spec.joins is not None:
            lower_domains = _find_joined(name, spec, designs, catalog)
            designs.append(_join_domains(name, spec, lower_domains, catalog, layout))
            continue
        members = _list_members(name, spec, catalog, layout)
        designs.append(_design_domains(name, spec, members, catalog, layout))
        for node_set in members:
            _check_ports_unshared(designs[-1], domains_by_path.setdefault(node_set.path, []), node_set.profile)
    return tuple(designs)


def _check_ports_unshared(scale_up: ScaleUpDesign, earlier_domains: list[ScaleUpDesign], node: NodeProfile) -> None:
    """Raise InputError (FG301) if ports of accelerators would be in two domains; else add `scale_up` to
    `earlier_domains`, the domains of the same nodes.
    """
    for earlier in earlier_domains:
        shared = _list_ports(scale_up) & _list_ports(earlier)
        if shared:
            raise fault(
                "FG301",
                f"the {node.id} nodes form scale-up domains of '{earlier.name}' already, and ports {min(shared)} to "
                f"{max(shared)} of their accelerators would be in both",
                path=("scale_up", scale_up.name),
                hint="keep one of the two; domains of other ports (`first_port` of their profiles) may stand beside",
            )
    # in the list of the caller, so that later entries are compared with this one too
    earlier_domains.append(scale_up)


def _list_ports(scale_up: ScaleUpDesign) -> set[int]:
    """Return the ports of accelerators that links of a domain take."""
    links = list(list_domain_links(scale_up))
    ports = {link.port for link in links} | {link.far_port for link in links if not link.far_switch}
    return {scale_up.profile.first_port + port for port in ports}


def _list_members(name: str, spec: ScaleUpSpec, catalog: Catalog, layout: Layout) -> list[NodeSet]:
    """Return the node sets whose nodes form the domain of a scale-up entry; raises InputError (FG301) if none do."""
    path: Path = ("scale_up", name, "domain")
    domain = catalog.scale_up(spec.domain, path)
    if domain.joins:
        raise fault(
            "FG301",
            f"{domain.id} joins the switches of {' or '.join(domain.joins)} domains, and not accelerators",
            path=path,
            hint="state such domains in an entry of their own, and here `joins:` and its name",
        )
    members = [s for s in layout.node_sets if can_join(s.profile, domain)]
    if not members:
        models = ", ".join(sorted({s.profile.id for s in layout.node_sets}))
        raise fault("FG301", f"no node forms {domain.id} domains; nodes are {models}", path=path)
    return members


def _design_domains(
    name: str, spec: ScaleUpSpec, members: list[NodeSet], catalog: Catalog, layout: Layout
) -> ScaleUpDesign:
    """Return a scale-up entry with its domains placed and counted.

    Raises InputError (FG301, FG302) if its nodes make up no whole domains, or the domain cannot be wired.
    """
    path: Path = ("scale_up", name)
    domain = catalog.scale_up(spec.domain)
    places = place_domains(spec, members, layout, path)
    kind = load_kind(domain, (*path, "domain"))
    size = _size_domain(kind, domain, places.accelerators, _count_ports(domain, members, catalog), (*path, "domain"))
    if domain.accelerators not in (None, places.accelerators):
        raise _explain_mismatch(domain, places, layout, members, path)
    _check_scale_out_ports(domain, members, path)
    _check_parts(domain, catalog, (*path, "domain"))
    _check_switches(domain, size, places, path)
    _check_backplane(domain, places, layout, path)
    missing, domains, accelerators = _count_present(places, layout)
    links = domains * size.links
    partial = [missing_nodes for missing_nodes in missing.values() if len(missing_nodes) < places.nodes]
    if partial:
        local = list(kind.links(domain, size.accelerators))
        # links of omitted nodes, in domains that have other nodes
        links -= sum(
            not is_present(link, missing_nodes, places.per_node) for missing_nodes in partial for link in local
        )
    return ScaleUpDesign(name, domain, places, size, domains, accelerators, links, path)


def _find_joined(name: str, spec: ScaleUpSpec, designs: list[ScaleUpDesign], catalog: Catalog) -> ScaleUpDesign:
    """Return the domains that an entry joins.

    Raises InputError (FG301) if they do not exist, if its profile joins others, or if another entry joins them.
    """
    path: Path = ("scale_up", name, "joins")
    domain, joinable_designs = (
        catalog.scale_up(spec.domain, (*path[:2], "domain")),
        {design.name: design for design in designs if not design.below},
    )
    joined_by = next((design.name for design in designs if design.below and design.below.name == spec.joins), "")
    lower_domains = joinable_designs.get(spec.joins or "")
    if lower_domains and not joined_by and lower_domains.profile.id in domain.joins:
        return lower_domains
    profile_text = f"{domain.id} joins the switches of {' or '.join(domain.joins) or 'no'} domains"
    if joined_by:
        raise fault(
            "FG301", f"'{spec.joins}' is joined by '{joined_by}' already", path=path, hint="keep one of the two"
        )
    if lower_domains:
        raise fault("FG301", f"{profile_text}; those of '{spec.joins}' are {lower_domains.profile.id}", path=path)
    hint = did_you_mean(spec.joins or "", joinable_designs) or "name an entry of `scale_up` that joins none itself"
    raise fault("FG301", f"no scale-up domains '{spec.joins}' to join", path=path, hint=hint)


def _join_domains(
    name: str, spec: ScaleUpSpec, lower_domains: ScaleUpDesign, catalog: Catalog, layout: Layout
) -> ScaleUpDesign:
    """Return a scale-up entry that joins `lower_domains` by a tier above them, with its domains placed and counted.

    Raises InputError (FG301, FG302) if a domain does not join two or more whole lower ones, if its profile does not fit
    them or their place, or if switches have too few ports; (FG011) for a tray or cable that the catalogue lacks.
    """
    path: Path = ("scale_up", name)
    domain = catalog.scale_up(spec.domain)
    members = [
        node_set
        for node_set in layout.node_sets
        if node_set.unit in lower_domains.places.groups and can_join(node_set.profile, lower_domains.profile)
    ]
    places = place_domains(spec, members, layout, path)
    domains_joined, remainder = divmod(places.nodes, lower_domains.places.nodes)
    if remainder or domains_joined < 2:
        raise fault(
            "FG301",
            f"a domain of {places.nodes:,} node{'s' * (places.nodes > 1)} joins no two whole domains of "
            f"'{lower_domains.name}', which have {lower_domains.places.nodes:,} each",
            path=path,
            hint="say a wider `per`",
        )
    if domain.accelerators not in (None, places.accelerators):
        raise _explain_mismatch(domain, places, layout, members, path)
    _check_parts(domain, catalog, (*path, "domain"))
    _check_ports_above(domain, lower_domains, (*path, "domain"))
    switches = domains_joined * lower_domains.size.switches
    size = _size_domain(load_kind(domain, path), domain, places.accelerators, 0, (*path, "domain"), switches)
    _check_switches(domain, size, places, path)
    _check_backplane(domain, places, layout, path)
    _, domains, accelerators = _count_present(places, layout)
    return ScaleUpDesign(
        name,
        domain,
        places,
        size._replace(accelerators=places.accelerators),
        domains,
        accelerators,
        lower_domains.domains * (size.links // domains_joined),
        path,
        lower_domains,
    )


def count_taken_ports(scale_up: ScaleUpDesign) -> list[int]:
    """Return, for each switch of a domain, how many of its ports the domain's links take: ports from there on are
    free.
    """
    ports_taken = [0] * scale_up.size.switches
    for link in list_domain_links(scale_up):
        if link.far_switch:
            ports_taken[link.far] = max(ports_taken[link.far], link.far_port + 1)
    return ports_taken


def _check_ports_above(domain: ScaleUpDomainProfile, lower_domains: ScaleUpDesign, path: Path) -> None:
    """Raise InputError if the domains below have another number of switches than a profile joins (FG301), or if their
    switches have too few ports left (FG302).
    """
    planes, links = domain.planes, domain.links_per_switch[0]
    switches_below, ports = lower_domains.size.switches, lower_domains.profile.ports_of_switch
    if not switches_below or (domain.meets and switches_below != len(planes)):
        raise fault(
            "FG301",
            f"{domain.id} joins domains of {len(planes)} switches, one of '{lower_domains.name}' has {switches_below}",
            path=path,
            hint="state `meets` for each of these in a profile of your own",
        )
    for index, in_use in enumerate(count_taken_ports(lower_domains)):
        uppers = planes[index % len(planes)]
        if in_use + uppers * links > ports:
            raise fault(
                "FG302",
                f"switch {index + 1} of a {lower_domains.profile.id} domain has {ports} ports, {in_use} of them for "
                f"accelerators, and {domain.id} takes {uppers * links}: {links} to each of {uppers} switches above",
                path=path,
                hint=f"{ports - in_use} are left; a switch of {in_use + uppers * links} ports or more would do",
            )


def _size_domain(
    kind: ScaleUpKind, domain: ScaleUpDomainProfile, accelerators: int, ports: int, path: Path, switches_below: int = 0
) -> DomainSize:
    """Size a domain of `accelerators` accelerators, or a tier above `switches_below` switches.

    Raises InputError (FG302) if it does not fit one tier of switches, or takes more ports than an accelerator has.
    """
    try:
        if domain.max_accelerators and accelerators > domain.max_accelerators:
            raise MisfitError(
                f"{accelerators:,} accelerators are more than the {domain.max_accelerators:,} that such a domain may "
                "have",
                "take smaller domains: `per: rack` or `per: su`, and join them by the scale-out network",
            )
        return kind.size(domain, switches_below or accelerators, ports)
    except MisfitError as misfit:
        raise fault("FG302", f"scale-up domain {domain.id}: {misfit}", path=path, hint=misfit.hint) from misfit


def _count_ports(domain: ScaleUpDomainProfile, members: list[NodeSet], catalog: Catalog) -> int:
    """Return how many ports an accelerator has for the domain: as the domain's profile states, else as many as the
    domain that its node names uses; 0 if unknown.
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
            except (InputError, MisfitError):  # the domain that the node names is not the one designed here: skip it
                continue
    return min(counts, default=0)


def _count_present(places: DomainPlacement, layout: Layout) -> tuple[dict[int, set[int]], int, int]:
    """Return (positions of omitted nodes by domain, how many domains have nodes, how many accelerators these have)."""
    positions = filter(None, (places.find_domain(layout, slot) for slot in layout.omitted))
    missing = {domain: set(nodes) for domain, nodes in group_pairs(positions).items()}
    empty_domains = sum(len(nodes) == places.nodes for nodes in missing.values())
    missing_accelerators = sum(map(len, missing.values())) * places.per_node
    return missing, places.slots - empty_domains, places.slots * places.accelerators - missing_accelerators


def is_present(link: LocalLink, missing_nodes: set[int], per_node: int) -> bool:
    """Whether both ends of a link exist if nodes of its domain are omitted: `missing_nodes` are their positions in the
    domain, `per_node` is how many accelerators a node has.
    """
    ends = [link.accelerator] if link.far_switch else [link.accelerator, link.far]
    return all(end // per_node not in missing_nodes for end in ends)


def _check_scale_out_ports(domain: ScaleUpDomainProfile, members: list[NodeSet], path: Path) -> None:
    """Raise InputError (FG301) if a node profile has another bandwidth to scale-out than the domain leaves for it."""
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
    """Raise InputError (FG011) if the switch tray or a cable of a domain is not in the catalogue."""
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
    """Raise InputError (FG301) if switches on a node's board would join more than that node, or switches in trays only
    one node.
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
            f"its domain cannot be {places.place_text.removesuffix(' of')}",
            path=(*path, "per"),
            hint="say `per: node`, or name the switch tray (`tray`) in a profile of your own",
        )


def _check_backplane(domain: ScaleUpDomainProfile, places: DomainPlacement, layout: Layout, path: Path) -> None:
    """Raise InputError (FG301) for a backplane that would span racks."""
    per_rack = {kind.name: kind.nodes_per_rack for kind in layout.kinds}
    racks = max(
        len({node // per_rack[kind] for node in nodes}) for kind, groups in places.groups.items() for nodes in groups
    )
    if domain.backplane and (racks > 1 or places.units > 1):
        raise fault(
            "FG301",
            f"links of {domain.id} run in the backplane of a rack; "
            f"its domain cannot be {places.place_text.removesuffix(' of')}",
            path=path,
            hint="say `per: rack`, or state `backplane: false` and a form_factor in a profile of your own",
        )


def _explain_mismatch(
    domain: ScaleUpDomainProfile, places: DomainPlacement, layout: Layout, members: list[NodeSet], path: Path
) -> InputError:
    """Return the error (FG301) for a profile with another number of accelerators than the place that forms a domain."""
    holder = places.place_text
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
