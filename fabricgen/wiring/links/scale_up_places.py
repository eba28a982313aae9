"""Scale-up domains as columns: the domain of each node, domain names, and coordinates of switch trays."""

from collections.abc import Iterator
from functools import partial
from itertools import accumulate
from typing import Literal, NamedTuple

import numpy as np

from fabricgen.catalog.scale_up_models import ScaleUpDomainProfile
from fabricgen.design.floor.unit_kind import UnitKind
from fabricgen.design.layout import Layout
from fabricgen.design.management.managed import TRAY_TIER
from fabricgen.design.model import Design
from fabricgen.design.scale_up.domains import count_taken_ports, list_domain_links, load_kind
from fabricgen.design.scale_up.model import DomainPlacement, ScaleUpDesign
from fabricgen.wiring.arrays import Flags, Ints, unique_values
from fabricgen.wiring.links.columns import Columns, find_pod_sites, make_node_columns, make_unit_columns
from fabricgen.wiring.links.fabric import SegmentLinks
from fabricgen.wiring.tables import NODE, TRAY, DeviceTable, ScaleUpPort, Segment


def find_node_domains(layout: Layout, places: DomainPlacement, coords: Columns) -> tuple[Ints, Ints]:
    """Return (domain of each node, -1 for none; index of the node in its domain), int32.

    `coords` are the columns pod, su, unit and node of the nodes.
    """
    kind_number, node = {kind.name: n for n, kind in enumerate(layout.kinds)}, coords["node"]
    max_members = max(kind.members for kind in layout.kinds)
    # tables by (kind of unit, node): which of the unit's domains it is in, and its number there
    group_of = np.full((len(kind_number), max_members), -1, dtype=np.int32)
    rank_of = np.zeros((len(kind_number), max_members), dtype=np.int32)
    for kind, groups in places.groups.items():
        for nth, nodes in enumerate(groups):
            group_of[kind_number[kind], list(nodes)] = nth
            rank_of[kind_number[kind], list(nodes)] = np.arange(len(nodes), dtype=np.int32)
    kind_of_pod = np.array([kind_number[kind.name] for kind in layout.kind_of_pod], dtype=np.int32)
    group, rank = (table[kind_of_pod[coords["pod"]], node] for table in (group_of, rank_of))
    domains_before = np.array(places.count_domains_before(layout), dtype=np.int32)
    nodes_per_unit = places.nodes // places.units
    if places.per == "pod":
        forming = np.full(len(layout.pods), -1, dtype=np.int32)
        forming[list(places.list_pods(layout))] = np.arange(len(places.list_pods(layout)), dtype=np.int32)
        domain, rank = forming[coords["pod"]], coords["su"] * nodes_per_unit + rank
    elif places.per == "cluster":
        domain, rank = np.zeros_like(coords["pod"]), domains_before[coords["unit"]] * nodes_per_unit + rank
    else:
        domain = domains_before[coords["unit"]] + group
    return np.where(group < 0, -1, domain).astype(np.int32), rank.astype(np.int32)


def find_device_domains(
    design: Design, devices: DeviceTable, places: DomainPlacement, rows: slice
) -> tuple[Ints, Ints]:
    """Return (domain, index in the domain) as `find_node_domains` does, of `rows` of the device table, all nodes."""
    coords = {name: getattr(devices, name)[rows] for name in ("pod", "su", "unit", "node")}
    return find_node_domains(design.layout, places, coords)


def list_present_domains(design: Design, scale_up: ScaleUpDesign) -> Ints:
    """Return the numbers of the domains that have a node, ascending; int32."""
    layout, places = design.layout, scale_up.places
    kinds = [kind for kind in layout.kinds if kind.name in places.groups]
    domain = np.concatenate([find_node_domains(layout, places, make_node_columns(layout, kind))[0] for kind in kinds])
    return np.array(unique_values(domain[domain >= 0]), dtype=np.int32)


def make_tray_columns(design: Design, scale_up: ScaleUpDesign) -> Columns:
    """Return the coordinates of every switch tray, domain by domain; `index` is that of the tray in its domain.

    Trays are spread over the racks of the domain's nodes. Those of a domain of a pod or more stand in network racks,
    and have no unit, su or rack.
    """
    layout, places = design.layout, scale_up.places
    domains, trays_per_domain = list_present_domains(design, scale_up), scale_up.trays_each
    index = np.tile(np.arange(trays_per_domain, dtype=np.int32), len(domains))
    if scale_up.tray_scope != "rack":
        pods = np.array(places.list_pods(layout), dtype=np.int32)
        pod = pods[domains] if places.per == "pod" else np.full(len(domains), -1, dtype=np.int32)
        # -1 reads the last pod here, and is put right by `where`
        site = np.where(pod >= 0, find_pod_sites(layout)[pod], 0)
        return {"site": np.repeat(site, trays_per_domain), "pod": np.repeat(pod, trays_per_domain), "index": index}
    unit, rack = (np.array(column, dtype=np.int32) for column in _spread_trays(layout, places, trays_per_domain))
    columns = {
        name: np.repeat(column[unit[domains]], trays_per_domain) for name, column in make_unit_columns(layout).items()
    }
    return columns | {"rack": rack[domains].reshape(-1), "index": index}


def _spread_trays(layout: Layout, places: DomainPlacement, tray_count: int) -> tuple[list[int], list[list[int]]]:
    """Return (unit of each domain; for each domain, the rack in that unit of each of its trays)."""
    racks_of_domains: dict[str, list[list[int]]] = {}
    for kind in layout.kinds:
        racks = [sorted({node // kind.nodes_per_rack for node in nodes}) for nodes in places.groups.get(kind.name, ())]
        racks_of_domains[kind.name] = [
            [domain_racks[tray * len(domain_racks) // tray_count] for tray in range(tray_count)]
            for domain_racks in racks
        ]
    unit_and_racks = [
        (pod.first_su + su, rack)
        for pod, kind in zip(layout.pods, layout.kind_of_pod, strict=True)
        for su in range(pod.su)
        for rack in racks_of_domains[kind.name]
    ]
    return [unit for unit, _ in unit_and_racks], [rack for _, rack in unit_and_racks]


def name_domains(design: Design, scale_up: ScaleUpDesign) -> list[str]:
    """Return the name of every domain: `nvlink-p1-su01-rk03`, or one that ends in `-n004` or in `-rk03-rk04`.

    A domain of a whole unit, pod or cluster is named after that alone.
    """
    layout, places = design.layout, scale_up.places
    if places.per == "cluster":
        return [scale_up.name]
    if places.per == "pod":
        return [f"{scale_up.name}-{layout.pods[pod].name}" for pod in places.list_pods(layout)]
    suffixes = {kind.name: _list_suffixes(kind, places) for kind in layout.kinds if kind.name in places.groups}
    return [
        f"{scale_up.name}-{layout.pods[pod].name}-su{su + 1:02d}{suffix}"
        for pod in places.list_pods(layout)
        for su in range(layout.pods[pod].su)
        for suffix in suffixes[layout.kind_of_pod[pod].name]
    ]


def _list_suffixes(kind: UnitKind, places: DomainPlacement) -> list[str]:
    """Return the name suffixes that distinguish the domains of a unit of a kind, in the order of the domains.

    It is the first node of a domain, or its rack, or its first and last rack; "" for a domain that is the whole unit.
    """
    if places.per == "su":
        return [""]
    groups = places.groups[kind.name]
    if places.per == "node":
        return [f"-n{nodes[0] + 1:03d}" for nodes in groups]
    # the first rack of the domain, down to a multiple of its racks
    first_racks = [nodes[0] // kind.nodes_per_rack // places.racks * places.racks + 1 for nodes in groups]
    last_rack_suffixes = [f"-rk{rack + places.racks - 1:02d}" if places.racks > 1 else "" for rack in first_racks]
    return [f"-rk{rack:02d}{ending}" for rack, ending in zip(first_racks, last_rack_suffixes, strict=True)]


# Links of scale-up domains: all of them as columns, and those that leave a chassis as segments of the link table.


class DomainLinks(NamedTuple):
    """Every link of the domains of one scale-up entry, int32 columns of one length, domain by domain.

    `a` and `b` say what the ports at the lower and the upper end are. A switch on a node's board has that node as its
    device. `at_switch` (bool) tells which b ends are switches; the others are accelerators.
    """

    a: ScaleUpPort
    b: ScaleUpPort
    domain: Ints
    a_device: Ints
    a_port: Ints
    b_device: Ints
    b_port: Ints
    at_switch: Flags


def expand_domains(design: Design, devices: DeviceTable, scale_up: ScaleUpDesign) -> DomainLinks:
    """Return all links of the domains of a scale-up entry, except those of omitted nodes and of trays not there yet."""
    if scale_up.below:
        return _expand_joined(design, devices, scale_up, scale_up.below)
    profile, per_node = scale_up.profile, scale_up.places.per_node
    # by link of a domain: an accelerator and its port there; the switch (`at_switch`) or other accelerator at the far
    # end, and its port; five columns, also if a domain has no links
    links_of_domain = np.array([tuple(link) for link in list_domain_links(scale_up)], dtype=np.int32).reshape(-1, 5)
    accelerator, port, at_switch, far_member, far_member_port = links_of_domain.T
    domains = list_present_domains(design, scale_up)
    node_at = _index_nodes(design, devices, scale_up)[domains]
    to_switch = at_switch.astype(bool)
    # ports of an accelerator are numbered without gaps up to the highest that any link uses, on either end
    ports_each = profile.first_port + 1 + int(max(port.max(initial=0), far_member_port[~to_switch].max(initial=0)))
    # accelerators of a domain are numbered node by node; 0 stands for a far end that is a switch, and is not used
    a_node = node_at[:, accelerator // per_node]
    b_node = node_at[:, np.where(to_switch, 0, far_member // per_node)]
    switches_each = profile.switches_per_tray if scale_up.trays_each else max(1, profile.switches)
    if scale_up.trays_each:
        trays = _index_trays(devices, scale_up)
        b_device = np.where(to_switch, trays[:, np.where(to_switch, far_member // switches_each, 0)], b_node)
    else:
        b_device = np.where(to_switch, a_node, b_node)
    # links of omitted nodes are left out; -1 stands for these in `node_at`
    is_present = ((a_node >= 0) & (b_device >= 0)).ravel()

    repeat = partial(_repeat_for_domains, len(domains), is_present)
    at_accelerator = far_member % per_node * ports_each + profile.first_port + far_member_port
    at_asic = far_member % switches_each * profile.ports_of_switch + far_member_port
    ocs = bool(profile.tray) and design.catalog.switch(profile.tray).protocol == "optical-circuit"
    return DomainLinks(
        a=_make_side(scale_up, "gpu", ports_each),
        b=_make_side(scale_up, "ocs" if ocs else "asic", max(1, profile.ports_of_switch)),
        domain=np.repeat(domains, len(links_of_domain))[is_present],
        a_device=a_node.ravel().astype(np.int32)[is_present],
        a_port=repeat(accelerator % per_node * ports_each + profile.first_port + port),
        b_device=b_device.ravel().astype(np.int32)[is_present],
        b_port=repeat(np.where(to_switch, at_asic, at_accelerator)),
        at_switch=np.tile(to_switch, len(domains))[is_present],
    )


def _repeat_for_domains(domains: int, is_present: Flags, values: Ints) -> Ints:
    """Return a column of the links of all domains, int32, if each has the `values` of one domain's links.

    Only links that are there have a row: `is_present` has a flag for each link of each domain.
    """
    column: Ints = np.tile(values, domains).astype(np.int32)[is_present]
    return column


def _index_nodes(design: Design, devices: DeviceTable, scale_up: ScaleUpDesign) -> Ints:
    """Return the device row of each node by (domain, index in it), int32; -1 for omitted nodes."""
    table = np.full((scale_up.places.slots, scale_up.places.nodes), -1, dtype=np.int32)
    for cls in devices.classes:
        if cls.kind == NODE:
            domain, index = find_device_domains(design, devices, scale_up.places, cls.rows)
            inside = domain >= 0
            table[domain[inside], index[inside]] = np.flatnonzero(inside) + cls.first
    return table


def _index_trays(devices: DeviceTable, scale_up: ScaleUpDesign) -> Ints:
    """Return the device row of each switch tray by (domain with a node, index in it), int32; -1 for trays not there
    yet.
    """
    trays = next(c for c in devices.classes if c.kind == TRAY and c.fabric == scale_up.name)
    row_of = np.full(scale_up.trays, -1, dtype=np.int32)  # at a phase not all are there
    row_of[devices.ordinal[trays.rows]] = np.arange(trays.first, trays.first + trays.count, dtype=np.int32)
    return row_of.reshape(-1, scale_up.trays_each)


def _expand_joined(design: Design, devices: DeviceTable, scale_up: ScaleUpDesign, below: ScaleUpDesign) -> DomainLinks:
    """Return all links from switches of the domains of `below` to the tier of trays above that joins them.

    Links whose ends are not all there yet are left out.
    """
    profile, per_tray = scale_up.profile, scale_up.profile.switches_per_tray
    switches = scale_up.places.nodes // below.places.nodes * below.size.switches
    local = np.array([tuple(link) for link in load_kind(profile, ()).links(profile, switches)], dtype=np.int32)
    switch, port, _, upper_switch, upper_port = local.T
    domains = list_present_domains(design, scale_up)
    a_side, starts = _make_side_below(below, profile)
    a_device = _index_switches(design, devices, scale_up, below)[domains][:, switch // len(starts)]
    b_device = _index_trays(devices, scale_up)[:, upper_switch // per_tray]
    is_present = ((a_device >= 0) & (b_device >= 0)).ravel()

    repeat = partial(_repeat_for_domains, len(domains), is_present)
    return DomainLinks(
        a=a_side,
        b=_make_side_above(profile),
        domain=np.repeat(domains, len(local))[is_present],
        a_device=a_device.ravel()[is_present],
        a_port=repeat(np.array(starts, dtype=np.int32)[switch % len(starts)] + port),
        b_device=b_device.ravel()[is_present],
        b_port=repeat(_number_above(profile, upper_switch % per_tray, upper_port)),
        at_switch=np.ones(int(is_present.sum()), dtype=bool),
    )


def _number_above(profile: ScaleUpDomainProfile, asic: Ints, port: Ints) -> Ints:
    """Return the numbers of ports in a tray of the tier above, int32, counted through all switches of the tray.

    `asic` is the number of each port's switch in the tray, `port` that of the port in the switch. If a cage has links
    of several switches, these take turns, so that the ports of a cage follow each other.
    """
    links_per_switch = profile.links_per_switch[0]
    switches_per_cage = max(1, profile.links_per_cage // links_per_switch)
    ports_per_block = -(-profile.ports_of_switch // links_per_switch) * links_per_switch * switches_per_cage
    numbers: Ints = (
        asic // switches_per_cage * ports_per_block
        + port // links_per_switch * links_per_switch * switches_per_cage
        + asic % switches_per_cage * links_per_switch
        + port % links_per_switch
    )
    return numbers


def _make_side_above(profile: ScaleUpDomainProfile) -> ScaleUpPort:
    """Return the upper end of links to a tier above: the ports of all switches in a tray."""
    ports = profile.ports_of_switch
    asic, port = np.divmod(np.arange(profile.switches_per_tray * ports, dtype=np.int32), np.int32(ports))
    numbers = _number_above(profile, asic, port)
    names = [""] * (int(numbers.max()) + 1)
    for number, (a, p) in zip(numbers.tolist(), zip(asic.tolist(), port.tolist(), strict=True), strict=True):
        names[number] = f"asic{a}/{profile.link_name}{p}"
    return ScaleUpPort(
        "asic", ports, profile.link_name, profile.form_factor, profile.links_per_cage, listed=tuple(names)
    )


def _make_side_below(below: ScaleUpDesign, profile: ScaleUpDomainProfile) -> tuple[ScaleUpPort, list[int]]:
    """Return (lower end of the links to a tier above, first port of each switch there).

    The ports are those of all switches of one node or tray.
    """
    links_per_upper_switch, taken_ports = profile.links_per_switch[0], count_taken_ports(below)
    asics_in_device = below.profile.switches_per_tray if below.trays_each else below.size.switches
    # on a board each switch has ports for the upper switches it meets; trays are alike, so that all have ports for the
    # most that one meets
    upper_switches_by_asic = (
        (profile.planes * asics_in_device)[:asics_in_device]
        if not below.trays_each
        else [max(profile.planes)] * asics_in_device
    )
    names = [
        f"asic{asic}/{profile.link_name}{max(taken_ports) + port}"
        for asic, upper_switches in enumerate(upper_switches_by_asic)
        for port in range(upper_switches * links_per_upper_switch)
    ]
    first_ports = list(
        accumulate((upper_switches * links_per_upper_switch for upper_switches in upper_switches_by_asic), initial=0)
    )[:-1]
    side = ScaleUpPort("asic", 1, profile.link_name, profile.form_factor, profile.links_per_cage, tuple(names), 1 << 16)
    return side, first_ports


def _index_switches(design: Design, devices: DeviceTable, scale_up: ScaleUpDesign, below: ScaleUpDesign) -> Ints:
    """Return the device rows of the nodes or trays with the switches of the domains of `below`, int32; -1 for none.

    There is a row for each domain of `scale_up`, with the nodes or trays of all domains of `below` in it, in order.
    """
    nodes = _index_nodes(design, devices, scale_up)
    if not below.trays_each:
        return nodes
    trays_by_node = np.full((len(devices), below.trays_each), -1, dtype=np.int32)
    trays, present = _index_trays(devices, below), list_present_domains(design, below)
    for cls in devices.classes:
        if cls.kind == NODE:
            domain, _ = find_device_domains(design, devices, below.places, cls.rows)
            inside = np.flatnonzero(domain >= 0)
            trays_by_node[inside + cls.first] = trays[np.searchsorted(present, domain[inside])]
    # any node of a domain below tells its trays: the last row stands for nodes that are not there
    by_node = np.where(nodes[..., None] >= 0, trays_by_node[nodes], -1)
    by_domain = by_node.reshape(len(nodes), -1, below.places.nodes, below.trays_each).max(axis=2)
    rows: Ints = by_domain.reshape(len(nodes), -1)
    return rows


def _make_side(scale_up: ScaleUpDesign, role: Literal["gpu", "asic", "ocs"], ports_each: int) -> ScaleUpPort:
    """Return one end of the links of a scale-up entry, named as its profile has it."""
    profile = scale_up.profile
    # ports of other domains of the same accelerators are numbered below
    first_cage = profile.first_port << 10 if role == "gpu" else 0
    return ScaleUpPort(role, ports_each, profile.link_name, profile.form_factor, first_cage=first_cage)


def list_scale_up_links(design: Design, devices: DeviceTable) -> Iterator[SegmentLinks]:
    """Yield the links of every domain that leave a chassis: between nodes, then from nodes to switch trays."""
    for scale_up in design.scale_up:
        if scale_up.per == "node":
            continue
        links = expand_domains(design, devices, scale_up)
        profile = scale_up.profile
        between_nodes = (links.a_device != links.b_device) & ~links.at_switch
        for rows, upper, upper_side, media in (
            (between_nodes, "node", links.a, profile.media),
            (links.at_switch, TRAY_TIER, links.b, profile.switch_media or profile.media),
        ):
            if rows.any():
                segment = Segment(
                    fabric=scale_up.name,
                    lower=TRAY_TIER if scale_up.below and scale_up.below.trays_each else "node",
                    upper=upper,
                    speed_gbps=profile.link_gbps,
                    lane_gbps=profile.lane_gbps,
                    a=links.a,
                    b=upper_side,
                    backplane=profile.backplane,
                    path=scale_up.path,
                    media=media,
                )
                no_rail = np.zeros(int(rows.sum()), dtype=np.int32)
                end_columns = (links.a_device[rows], links.a_port[rows], links.b_device[rows], links.b_port[rows])
                yield SegmentLinks(segment, *end_columns, no_rail, no_rail)
