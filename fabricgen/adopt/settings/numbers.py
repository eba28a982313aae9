"""AS numbers and pools: the plan and the prefixes with which the rules of blocks give switches what they have.

A candidate is put into the page and the cluster numbered by it; the one by which most numbers are as they run wins, and
of equal ones that which says least. What no rule gives becomes a row of a list for `lock --import`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from ipaddress import ip_address, ip_interface, ip_network
from itertools import product
from typing import Any, NamedTuple

from fabricgen.adopt.settings.draft import EVERY, MOST_OF_A_TIER, Draft, Evidence, Keys, Stated, edit_page
from fabricgen.adopt.words import get
from fabricgen.cluster import Cluster
from fabricgen.design.linked import group_linked_fabrics
from fabricgen.kernel.diagnostics import InputError
from fabricgen.numbering.addresses.demand import list_pool_demands
from fabricgen.numbering.asn import list_asn_demands
from fabricgen.numbering.blocks.family import FAMILIES, V6, Family
from fabricgen.numbering.blocks.pools import find_pool_prefixes
from fabricgen.switch.model import Switch
from fabricgen.switch.routing import Permit
from fabricgen.views.switch import SwitchView

COLUMNS = ("device", "asn", "loopback", "mgmt", "port", "address")
"""Of a list that `lock --import` takes."""

MOST_LENGTHS = 6
"""So many lengths of a prefix are tried, from the smallest on."""

ASN = ("routing", "asn")


class Number(NamedTuple):
    """A number of a switch: `what` is asn, loopback, mgmt, port or vlan; of a `pool` and a family unless it is an AS
    number.
    """

    device: str
    what: str
    port: str
    pool: str
    fabric: str
    tier: str
    value: int
    v6: bool = False

    @property
    def text(self) -> str:
        """The number as a list has it."""
        family = FAMILIES[self.v6]
        return str(self.value if self.what == "asn" else family.network(self.value, family.bits).network_address)


Numbers = dict[tuple[str, str, str, bool], Number]
Owners = Sequence[tuple[str, list[str]]]
"""(fabric that has a pool of its own, or "" for the cluster's; the fabrics that draw on it)."""


def _list_numbers(view: SwitchView, model: Switch | None) -> Iterator[Number]:
    """The numbers of a switch as planned or, with a model, those that it runs at the same places."""
    fabric, bgp = view.fabric.name, model.bgp.get("") if model else None
    if asn := (bgp.asn if bgp else 0) if model else view.asn:
        yield Number(view.name, "asn", "", "asn", fabric, view.tier.name, asn)
    router_id = (bgp.router_id if bgp else "") if model else view.router_id
    loopbacks = [a.partition("/")[0] for a in model.loopbacks] if model else [view.loopback, view.loopback6]
    managements = model.management.addresses if model else view.managements
    places: list[tuple[str, str, str, str, Iterable[str]]] = [
        ("loopback", "", "loopback", fabric, loopbacks if view.has_v4 else [*loopbacks, router_id]),
        ("mgmt", "", "management", fabric, [address for address, gateway in managements if gateway]),
    ]
    for port in view.ports:
        interface = model.interfaces.get(port.name) if model else None
        pool = "fabric" if port.role in ("up", "peer") else "hosts" if port.role == "host" else ""
        if pool and (port.addresses or not port.bond):
            addresses = (interface.addresses if interface else ()) if model else port.addresses
            places.append(("port", port.name, pool, port.service or fabric, addresses))
    for service in view.services:
        vlan = model.vlans.get(service.vlan) if model else None
        gateways = (vlan.gateways if vlan else ()) if model else service.gateways
        places.append(("vlan", str(service.vlan), "hosts", service.fabric, gateways))
    for what, port_name, pool, owner, texts in places:
        for host in (ip_interface(text).ip for text in texts if text):
            yield Number(view.name, what, port_name, pool, owner, view.tier.name, int(host), host.version == 6)


def _list_planned_numbers(draft: Draft, cluster: Cluster, most: int = MOST_OF_A_TIER) -> Numbers:
    """The numbers of a cluster, of the switches that were read; pools of management fabrics are that of management."""
    manages = {fabric.name for fabric in cluster.design.fabrics if fabric.manages}
    numbers = (n for pair in draft.iterate_pairs(cluster, most) for n in _list_numbers(pair.view, None))
    placed = (n._replace(pool="management") if n.pool == "hosts" and n.fabric in manages else n for n in numbers)
    return {(n.device, n.what, n.port, n.v6): n for n in placed}


def _list_running_numbers(draft: Draft, most: int = MOST_OF_A_TIER) -> Numbers:
    pairs = draft.iterate_pairs(draft.cluster, most)
    numbers = (number for pair in pairs for number in _list_numbers(pair.view, pair.running))
    return {(n.device, n.what, n.port, n.v6): n for n in numbers}


def _state_best(draft: Draft, running: Numbers, candidates: Iterable[list[Stated]], least: int = 0) -> None:
    """State the candidate by which most numbers are as they run; `least` are so by none."""
    chosen, rank = list[Stated](), (len(running) + 1, 0)
    for values in candidates:
        try:
            cluster = draft.build(edit_page(draft.page, values)) if values else draft.cluster
            planned = _list_planned_numbers(draft, cluster)
        except InputError:
            continue
        missed = sum(key not in planned or planned[key].value != n.value for key, n in running.items())
        if (missed, len(values)) < rank:
            chosen, rank = values, (missed, len(values))
        if missed <= least:
            break
    draft.state(stated._replace(facts=len(running) - rank[0]) for stated in chosen)


def infer_asns(draft: Draft) -> None:
    """State the AS numbers: the plan and pool by which most switches have theirs, or numbers of tiers."""
    running = {key: number for key, number in _list_running_numbers(draft).items() if number.what == "asn"}
    if running:
        _state_best(draft, running, _list_asn_plans(draft, running))


def _list_asn_plans(draft: Draft, running: Numbers) -> Iterator[list[Stated]]:
    """Candidates, from the one that says least on."""
    yield []
    by_tier: dict[str, list[int]] = defaultdict(list)
    for number in running.values():
        by_tier[number.tier].append(number.value)
    for plan in ("rfc7938", "per-switch", "per-rack"):
        words = [] if plan == "rfc7938" else [Stated((*ASN, "plan"), plan)]
        try:
            cluster = draft.build(edit_page(draft.page, words))
        except InputError:
            continue
        yield words
        planned = _list_planned_numbers(draft, cluster)
        offsets = Counter(number.value - planned[key].value for key, number in running.items() if key in planned)
        if offsets and (offset := offsets.most_common(1)[0][0]):
            yield [*words, Stated((*ASN, "pool"), _write_pool(cluster, offset, running))]
        # one number for all of a tier, and ranges for those that have several
        shared: dict[str, Any] = {t: ns[0] for t, ns in by_tier.items() if len(ns) > 1 and len(set(ns)) == 1}
        if shared:
            ranges = {tier: f"{min(ns)}-{max(ns)}" for tier, ns in by_tier.items() if tier not in shared}
            yield [*words, Stated((*ASN, "tiers"), shared)]
            yield [*words, Stated((*ASN, "tiers"), shared | ranges)]


def _write_pool(cluster: Cluster, offset: int, running: Numbers) -> str:
    """The smallest range that has what runs and every number that is reserved."""
    demands = list(list_asn_demands(cluster.design))
    first = min(window.first for demand in demands for window in demand.windows) + offset
    last = first + sum(demand.reserved for demand in demands)
    return f"{first}-{max(last, *(number.value for number in running.values()))}"


def infer_pools(draft: Draft) -> None:
    """State the pools: what policies name, else the smallest prefix with which the rules give the same addresses."""
    running = {key: number for key, number in _list_running_numbers(draft).items() if number.what != "asn"}
    permits, cluster, numbers = _find_permits(draft), draft.cluster, _list_planned_numbers(draft, draft.cluster)
    for pool, family in product(("loopback", "fabric", "hosts", "management"), FAMILIES):
        if cluster is not draft.cluster:
            cluster, numbers = draft.cluster, _list_planned_numbers(draft, draft.cluster)
        planned = {key: n for key, n in numbers.items() if n.pool == pool and n.v6 == (family is V6)}
        of_pool = {key: number for key, number in running.items() if key in planned}
        fabrics = list(dict.fromkeys(number.fabric for number in planned.values()))
        if not of_pool:
            continue
        offsets: dict[str, Counter[int]] = {fabric: Counter() for fabric in fabrics}
        for key, number in of_pool.items():
            offsets[planned[key].fabric][number.value - planned[key].value] += 1
        least = sum(counts.total() - max(counts.values(), default=0) for counts in offsets.values())
        named = {fabric: _name_pool(draft, permits, fabric, pool, family) for fabric in fabrics}
        own = {fabric: counts.most_common(1)[0][0] for fabric, counts in offsets.items() if counts}
        _state_best(draft, of_pool, _list_pools(draft, pool, family, of_pool, named, own), least)


def _list_pools(
    draft: Draft,
    pool: str,
    family: Family,
    running: Numbers,
    named: Mapping[str, list[str]],
    own: Mapping[str, int],
) -> Iterator[list[Stated]]:
    """Candidates: the page's pools as they are, one for all, and some of single fabrics, which `own` tells apart."""
    blueprint, fabrics = draft.cluster.design.loaded.blueprint, list(named)
    present = {fabric: find_pool_prefixes(blueprint, fabric, pool, family)[0] for fabric in fabrics}
    if all(not prefixes or set(prefixes) == set(present[fabric]) for fabric, prefixes in named.items()):
        yield []
    common = Counter(own.values()).most_common(1)[0][0]
    apart = tuple(fabric for fabric in fabrics if own.get(fabric, common) != common)
    for split in dict.fromkeys([(), *((fabric,) for fabric in (*apart, *fabrics)), apart, tuple(fabrics)]):
        shared = [fabric for fabric in fabrics if fabric not in split]
        owners = [*([("", shared)] if shared else []), *((fabric, [fabric]) for fabric in split)]
        yield from _list_prefixes(draft, pool, family, owners, running, named)


def _list_prefixes(
    draft: Draft, pool: str, family: Family, owners: Owners, running: Numbers, named: Mapping[str, list[str]]
) -> Iterator[list[Stated]]:
    """Values of pools by their owners, from the smallest prefixes on; those that policies name are as they are."""
    choices: list[tuple[Keys, list[list[str]]]] = []
    for owner, fabrics in owners:
        values = [number.value for number in running.values() if number.fabric in fabrics]
        addresses = [family.network(value, family.bits).network_address for value in values]
        texts = dict.fromkeys(text for fabric in fabrics for text in named[fabric])
        covering = [text for text in texts if any(address in ip_network(text) for address in addresses)]
        covers = [[text] for text in _list_covers(values, _sum_demand(draft, pool, family, fabrics), family)]
        is_named = all(any(address in ip_network(text) for text in covering) for address in addresses)
        if values:
            path = (*(("fabrics", owner) if owner else ()), "pools", pool)
            choices.append((path, [covering] if is_named else covers))
    for step in range(max((len(options) for _, options in choices), default=0)):
        steps = [(path, options[min(step, len(options) - 1)]) for path, options in choices]
        yield [Stated(path, _join_families(draft, path, texts, family)) for path, texts in steps]


def _join_families(draft: Draft, path: Keys, texts: list[str], family: Family) -> Any:
    """Prefixes of a family beside those that the page has of the other one."""
    present = get(draft.page, path) or []
    others = [text for text in ([present] if isinstance(present, str) else present) if (":" in text) != (family is V6)]
    joined = sorted({*others, *texts}, key=lambda text: (":" in text, int(ip_network(text).network_address)))
    return joined[0] if len(joined) == 1 else joined


def _sum_demand(draft: Draft, pool: str, family: Family, fabrics: Sequence[str]) -> int:
    """The addresses that fabrics, or the cluster's management, ask of a pool, reserved ones included."""
    demands = [d for d in list_pool_demands(draft.cluster.design) if d.pool == pool and d.family is family]
    return sum(demand.block for demand in demands if demand.fabric in fabrics or not demand.fabric)


def _list_covers(numbers: Sequence[int], demand: int, family: Family) -> Iterator[str]:
    """Prefixes that hold some numbers, from the smallest that has room for a demand on."""
    low, high = min(numbers, default=0), max(numbers, default=0)
    bits = max((low ^ high).bit_length(), (max(1, demand) - 1).bit_length())
    for width in range(bits, min(bits + MOST_LENGTHS, family.bits - 1)):
        yield str(family.network(low >> width << width, family.bits - width))


def _find_permits(draft: Draft) -> dict[str, set[Permit]]:
    """By fabric, what policies of sessions inside it let pass, but for what leaks and what is outside."""
    permits: dict[str, set[Permit]] = defaultdict(set)
    for pair in draft.list_pairs():
        leaked = {p for bgp in pair.running.bgp.values() for policy in bgp.leaks.values() for p in policy.permits}
        for vrf, bgp in pair.running.bgp.items():
            policies = {p.policy_in for p in bgp.peers.values() if p.policy_in and " exit " not in p.description}
            passed = {permit for policy in policies for permit in policy.permits} - set(pair.view.list_outside(vrf))
            permits[pair.fabric] |= {p for p in passed if p not in leaked or not any(_is_inside(p, q) for q in passed)}
    return permits


def _is_inside(inner: Permit, outer: Permit) -> bool:
    """Whether one permit is a part of another, of addresses of the same kind."""
    a, b = ip_network(inner.prefix), ip_network(outer.prefix)
    return a != b and a.version == b.version and inner.longest == outer.longest and a.subnet_of(b)  # type: ignore[arg-type]


def _name_pool(draft: Draft, permits: Mapping[str, set[Permit]], fabric: str, pool: str, family: Family) -> list[str]:
    """The prefixes of a pool as the switches that a fabric is on let them pass: loopbacks, or any address of hosts."""
    if pool == "fabric" or (pool == "management" and not draft.cluster.design.fabric(fabric).manages):
        return []
    part = next(part for part in group_linked_fabrics(draft.cluster.design.loaded.blueprint.fabrics) if fabric in part)
    # a NOS's own daemon names none, but those of linked fabrics name the same
    named = permits.get(draft.find_owner(fabric)) or {permit for name in part for permit in permits.get(name, ())}
    of_fabric = [permit for permit in named if (":" in permit.prefix) == (family is V6)]
    single = pool == "loopback"
    return sorted(
        p.prefix for p in of_fabric if p.longest == family.bits - (not single) and (p.shortest == p.longest) == single
    )


def list_exceptions(draft: Draft) -> list[dict[str, str]]:
    """The rows of a list for `lock --import`: numbers that no rule gives, and on which both ends of links agree."""
    planned, running, rows = (
        _list_planned_numbers(draft, draft.cluster, EVERY),
        _list_running_numbers(draft, EVERY),
        list[dict[str, str]](),
    )
    heard: dict[str, set[int]] = defaultdict(set)
    far_of: dict[tuple[str, str], tuple[str, str]] = {}
    for pair in draft.iterate_pairs(draft.cluster, EVERY):
        for port in pair.view.ports:
            ends = [end.peer for end in pair.far_ends.get(port.name, ()) if end.peer]
            heard[port.peer] |= {peer.remote_asn for peer in ends}
            far_of[pair.view.name, port.name] = port.peer, port.peer_port
    for key, number in running.items():
        if number.what == "vlan" or key not in planned or planned[key].value == number.value:
            continue
        far, far_port = far_of.get((number.device, number.port), ("", ""))
        interface = draft.switches[far].model.interfaces.get(far_port) if far in draft.switches else None
        networks = [ip_interface(address).network for address in interface.addresses] if interface else []
        # what the far end does not know of is drift, which is told with all other differences
        agrees = not networks or any(ip_address(number.text) in network for network in networks)
        if agrees and not (number.what == "asn" and heard[number.device] and number.value not in heard[number.device]):
            column = "address" if number.what == "port" else number.what
            rows.append(
                dict.fromkeys(COLUMNS, "") | {"device": number.device, "port": number.port, column: number.text}
            )
            text = f"{column} {number.text}, where rules give {planned[key].text}"
            draft.evidence.append(Evidence("kept", number.port, text, 1, number.device))
    return rows
