"""AS numbers and pools: the plan and the prefixes with which the rules of blocks give switches what they have.

A candidate is put into the page and the cluster numbered by it; the one by which most numbers are as they run wins, and
of equal ones that which says least. What no rule gives becomes a row of a list for `lock --import`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from ipaddress import ip_interface, ip_network
from typing import Any, NamedTuple

from fabricgen.adopt.settings.draft import (
    EVERY,
    MOST_OF_A_TIER,
    Draft,
    Evidence,
    Page,
    Pair,
    Stated,
    edit_page,
    find_value,
)
from fabricgen.cluster import Cluster
from fabricgen.kernel.diagnostics import InputError
from fabricgen.numbering.addresses.demand import list_pool_demands
from fabricgen.numbering.asn import list_asn_demands
from fabricgen.numbering.blocks.family import FAMILIES, Family
from fabricgen.numbering.blocks.pools import find_pool_prefixes
from fabricgen.switch.model import Switch
from fabricgen.switch.routing import Permit
from fabricgen.views.switch import SwitchView

COLUMNS = ("device", "asn", "loopback", "mgmt", "port", "address")
"""Of a list that `lock --import` takes."""

MOST_LENGTHS = 6
"""So many lengths of a prefix are tried, from the smallest on."""


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


Key = tuple[str, str, str, bool]
Numbers = dict[Key, Number]


def list_numbers(view: SwitchView, model: Switch | None) -> Iterator[Number]:
    """The numbers of a switch as planned or, with a model, those that it runs at the same places."""
    fabric, tier, is_own = view.fabric.name, view.tier.name, model is None
    bgp = model.bgp.get("") if model else None
    asn = view.asn if is_own else bgp.asn if bgp else 0
    if asn:
        yield Number(view.name, "asn", "", "asn", fabric, tier, asn)
    loopbacks = (view.loopback, view.loopback6) if is_own else [a.partition("/")[0] for a in model.loopbacks]  # type: ignore[union-attr]
    if not view.loopback and view.has_v6:
        loopbacks = [*loopbacks, view.router_id if is_own else bgp.router_id if bgp else ""]
    yield from _read_all(view, "loopback", "", "loopback", fabric, loopbacks)
    managements = view.managements if is_own else model.management.addresses  # type: ignore[union-attr]
    yield from _read_all(
        view, "mgmt", "", "management", fabric, [address for address, gateway in managements if gateway]
    )
    for port in view.ports:
        interface = model.interfaces.get(port.name) if model else None
        addresses = port.addresses if is_own else interface.addresses if interface else ()
        pool = "fabric" if port.role in ("up", "peer") else "hosts" if port.role == "host" else ""
        if pool and not (port.bond and not port.addresses):
            yield from _read_all(view, "port", port.name, pool, port.service or fabric, addresses)
    for service in view.services:
        vlan = model.vlans.get(service.vlan) if model else None
        gateways = service.gateways if is_own else vlan.gateways if vlan else ()
        yield from _read_all(view, "vlan", str(service.vlan), "hosts", service.fabric, gateways)


def _read_all(
    view: SwitchView, what: str, port: str, pool: str, fabric: str, addresses: Iterable[str]
) -> Iterator[Number]:
    for address in addresses:
        if address:
            host = ip_interface(address).ip
            yield Number(view.name, what, port, pool, fabric, view.tier.name, int(host), host.version == 6)


def _index(numbers: Iterable[Number]) -> Numbers:
    return {(n.device, n.what, n.port, n.v6): n for n in numbers}


def _plan(draft: Draft, cluster: Cluster, most: int = MOST_OF_A_TIER) -> Numbers:
    """The numbers of a cluster, of the switches that were read; pools of management fabrics are that of management."""
    manages = {fabric.name for fabric in cluster.design.fabrics if fabric.manages}
    views = (pair.view for pair in draft.iterate_pairs(cluster, most))
    numbers = (number for view in views for number in list_numbers(view, None))
    return _index(n._replace(pool="management") if n.pool == "hosts" and n.fabric in manages else n for n in numbers)


def _run(draft: Draft, most: int = MOST_OF_A_TIER) -> Numbers:
    pairs = draft.iterate_pairs(draft.cluster, most)
    return _index(number for pair in pairs for number in list_numbers(pair.view, pair.running))


def infer_asns(draft: Draft) -> None:
    """State the AS numbers: the plan and pool by which most switches have theirs, or numbers of tiers."""
    running = {key: number for key, number in _run(draft).items() if number.what == "asn"}
    if not running:
        return
    best: tuple[int, int, Page] | None = None
    for values in _list_asn_plans(draft, running):
        page = edit_page(draft.page, values)
        missed = _count_missed(draft, page, running)
        if missed is not None and (best is None or (missed, len(values)) < best[:2]):
            best, chosen = (missed, len(values), page), values
        if best and best[0] == 0:
            break
    if best and chosen:
        draft.state(stated._replace(facts=len(running) - best[0]) for stated in chosen)


def _list_asn_plans(draft: Draft, running: Numbers) -> Iterator[list[Stated]]:
    """Candidates, from the one that says least on."""
    path = ("routing", "asn")
    yield []
    by_tier: dict[tuple[str, str], set[int]] = defaultdict(set)
    for number in running.values():
        by_tier[number.fabric, number.tier].add(number.value)
    single = {tier for tier, numbers in by_tier.items() if len(numbers) == 1}
    sizes = Counter((number.fabric, number.tier) for number in running.values())
    for plan in ("rfc7938", "per-switch", "per-rack"):
        words = [] if plan == "rfc7938" else [Stated((*path, "plan"), plan)]
        try:
            cluster = draft.build(edit_page(draft.page, words))
        except InputError:
            continue
        if words:
            yield words
        planned = _plan(draft, cluster)
        offsets = Counter(number.value - planned[key].value for key, number in running.items() if key in planned)
        if offsets and (offset := offsets.most_common(1)[0][0]):
            yield [*words, Stated((*path, "pool"), _write_pool(cluster, offset, running))]
        # one number for all of a tier, and ranges for those that have several
        tiers = {
            tier: str(min(numbers))
            if (fabric, tier) in single and sizes[fabric, tier] > 1
            else f"{min(numbers)}-{max(numbers)}"
            for (fabric, tier), numbers in by_tier.items()
        }
        if any(sizes[key] > 1 for key in single) and len({tier for _, tier in by_tier}) == len(by_tier):
            shared = {tier: int(text) for tier, text in tiers.items() if "-" not in text}
            yield [*words, Stated((*path, "tiers"), shared)]
            ranges = {t: int(v) if v.isdecimal() else v for t, v in tiers.items()}
            yield [*words, Stated((*path, "tiers"), ranges)]


def _write_pool(cluster: Cluster, offset: int, running: Numbers) -> str:
    """The smallest range that has what runs and every number that is reserved."""
    demands = list(list_asn_demands(cluster.design))
    first = min(window.first for demand in demands for window in demand.windows) + offset
    wanted = sum(demand.reserved for demand in demands)
    return f"{first}-{max(first + wanted, *(number.value for number in running.values()))}"


def _count_missed(draft: Draft, page: Page, running: Numbers) -> int | None:
    """How many numbers are not as they run; None for a page that cannot be built."""
    try:
        return _count_differing(_plan(draft, draft.build(page)), running)
    except InputError:
        return None


def _count_differing(planned: Numbers, running: Numbers) -> int:
    return sum(key not in planned or planned[key].value != number.value for key, number in running.items())


def infer_pools(draft: Draft) -> None:
    """State the pools: what policies name, else the smallest prefix with which the rules give the same addresses."""
    running = {key: number for key, number in _run(draft).items() if number.what != "asn"}
    permits, cluster, numbers = _Permits(draft), draft.cluster, _plan(draft, draft.cluster)
    for pool in ("loopback", "fabric", "hosts", "management"):
        for family in FAMILIES:
            if cluster is not draft.cluster:
                cluster, numbers = draft.cluster, _plan(draft, draft.cluster)
            v6 = family.word == "v6"
            planned = {key: number for key, number in numbers.items() if number.pool == pool and number.v6 == v6}
            of_pool = {key: number for key, number in running.items() if key in planned}
            if of_pool:
                _infer_pool(draft, pool, family, planned, of_pool, permits)


def _infer_pool(draft: Draft, pool: str, family: Family, planned: Numbers, running: Numbers, permits: _Permits) -> None:
    """State one pool in one family: the cluster's and, where addresses tell so, those of single fabrics."""
    fabrics = list(dict.fromkeys(number.fabric for number in planned.values()))
    missed = _count_differing(planned, running)
    named = {fabric: permits.find(fabric, pool, family) for fabric in fabrics}
    present = {f: find_pool_prefixes(draft.cluster.design.loaded.blueprint, f, pool, family)[0] for f in fabrics}
    if not missed and all(not prefixes or set(prefixes) == set(present[f]) for f, prefixes in named.items()):
        return
    own = {fabric: _find_offset(planned, running, fabric) for fabric in fabrics}
    common = Counter(offset for offset in own.values() if offset is not None).most_common(1)
    apart = [fabric for fabric in fabrics if common and own[fabric] != common[0][0]]
    best: tuple[int, int] | None = None
    chosen: list[Stated] = []
    for split in dict.fromkeys([(), *((f,) for f in (*apart, *fabrics)), tuple(apart), tuple(fabrics)]):
        shared = [fabric for fabric in fabrics if fabric not in split]
        groups = [*([("", shared)] if shared else []), *((fabric, [fabric]) for fabric in split)]
        for values in _list_prefixes(draft, pool, family, groups, running, named):
            missed_by = _count_missed(draft, edit_page(draft.page, values), running)
            if missed_by is not None and (best is None or (missed_by, len(values)) < best):
                best, chosen = (missed_by, len(values)), values
            if missed_by == 0:
                break
        if best and best[0] == 0:
            break
    if best and best[0] <= missed:
        draft.state(stated._replace(facts=len(running) - best[0]) for stated in chosen)


def _find_offset(planned: Numbers, running: Numbers, fabric: str) -> int | None:
    offsets = Counter(n.value - planned[key].value for key, n in running.items() if n.fabric == fabric)
    return offsets.most_common(1)[0][0] if offsets else None


def _list_prefixes(
    draft: Draft,
    pool: str,
    family: Family,
    groups: Sequence[tuple[str, list[str]]],
    running: Numbers,
    named: Mapping[str, tuple[str, ...]],
) -> Iterator[list[Stated]]:
    """Values of pools, one a group of (fabric or "" for the cluster, fabrics that draw on it), from the smallest on."""
    choices: list[list[tuple[Keys, list[str]]]] = []
    for owner, fabrics in groups:
        numbers = [number.value for number in running.values() if number.fabric in fabrics]
        texts = list(dict.fromkeys(prefix for fabric in fabrics for prefix in named.get(fabric, ())))
        path: Keys = (*(("fabrics", owner) if owner else ()), "pools", pool)
        covering = [text for text in texts if any(_holds(text, number) for number in numbers)]
        if covering and all(any(_holds(text, number) for text in covering) for number in numbers):
            choices.append([(path, covering)])
        elif numbers:
            demand = _sum_demand(draft, pool, family, fabrics)
            choices.append([(path, [text]) for text in _list_covers(numbers, demand, family)])
    for step in range(max(map(len, choices), default=0)):
        values = []
        for options in choices:
            path, texts = options[min(step, len(options) - 1)]
            values.append(Stated(path, _merge_families(draft, path, texts, family)))
        yield values


Keys = tuple[str, ...]


def _merge_families(draft: Draft, path: Keys, texts: list[str], family: Family) -> Any:
    """Prefixes of a family beside those that the page has of the other one."""
    present = find_value(draft.page, path) or []
    others = [p for p in ([present] if isinstance(present, str) else present) if (":" in p) != (family.word == "v6")]
    merged = sorted({*others, *texts}, key=lambda text: (":" in text, int(ip_network(text).network_address)))
    return merged[0] if len(merged) == 1 else merged


def _holds(prefix: str, number: int) -> bool:
    network = ip_network(prefix)
    return int(network.network_address) <= number <= int(network.broadcast_address)


def _sum_demand(draft: Draft, pool: str, family: Family, fabrics: Sequence[str]) -> int:
    """The addresses that fabrics, or the cluster's management, ask of a pool, reserved ones included."""
    demands = list_pool_demands(draft.cluster.design)
    return sum(
        d.block for d in demands if d.pool == pool and d.family is family and (d.fabric in fabrics or not d.fabric)
    )


def _list_covers(numbers: Sequence[int], demand: int, family: Family) -> Iterator[str]:
    """Prefixes that hold some numbers, from the smallest that has room for a demand on."""
    low, high = min(numbers), max(numbers)
    bits = max((low ^ high).bit_length(), (max(1, demand) - 1).bit_length())
    for width in range(bits, min(bits + MOST_LENGTHS, family.bits - 1)):
        base = low >> width << width
        yield str(family.network(base, family.bits - width))


class _Permits:
    """The prefixes that policies of sessions between switches name: of loopbacks, and of hosts."""

    def __init__(self, draft: Draft) -> None:
        self._by_fabric: dict[str, Counter[Permit]] = defaultdict(Counter)
        for pair in draft.list_pairs():
            for permit in self._list_permits(pair):
                self._by_fabric[pair.fabric][permit] += 1
        self._draft = draft

    @staticmethod
    def _list_permits(pair: Pair) -> Iterator[Permit]:
        outside = set(pair.view.outside(""))
        for vrf, bgp in pair.running.bgp.items():
            exits = {key for key, peer in bgp.peers.items() if " exit " in peer.description}
            policies = {peer.policy_in for key, peer in bgp.peers.items() if peer.policy_in and key not in exits}
            yield from {permit for policy in policies for permit in policy.permits} - outside
            del vrf

    def find(self, fabric: str, pool: str, family: Family) -> tuple[str, ...]:
        """The prefixes of a pool as the switches that a fabric is on let them pass; () where they name none."""
        owner = self._draft.find_owner(fabric)
        if pool == "fabric":
            return ()
        lengths = (family.bits, family.bits) if pool == "loopback" else (None, family.bits - 1)
        manages = self._draft.cluster.design.fabric(fabric).manages
        if pool == "management" and not manages:
            return ()
        return tuple(
            sorted(
                permit.prefix
                for permit in self._by_fabric[owner]
                if permit.longest == lengths[1] and (lengths[0] is None or permit.shortest == lengths[0])
                if (":" in permit.prefix) == (family.word == "v6")
            )
        )


def list_exceptions(draft: Draft) -> list[dict[str, str]]:
    """The rows of a list for `lock --import`: numbers that no rule gives, in the order of devices."""
    planned, running = _plan(draft, draft.cluster, EVERY), _run(draft, EVERY)
    rows = list[dict[str, str]]()
    for key, number in running.items():
        if number.what == "vlan" or key not in planned or planned[key].value == number.value:
            continue
        row = dict.fromkeys(COLUMNS, "") | {"device": number.device}
        column = "address" if number.what == "port" else number.what
        row[column] = str(number.value) if number.what == "asn" else str(_format(number))
        row["port"] = number.port
        rows.append(row)
        text = f"{number.what} {row[column]}, where rules give {_format(planned[key])}"
        draft.evidence.append(Evidence("kept", number.port or number.what, text, 1, number.device))
    return rows


def _format(number: Number) -> str:
    if number.what == "asn":
        return str(number.value)
    family = next(family for family in FAMILIES if (family.word == "v6") == number.v6)
    return str(family.network(number.value, family.bits).network_address)
