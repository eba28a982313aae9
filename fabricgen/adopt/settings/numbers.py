"""Infer AS numbers and address pools: the plan and prefixes from which the page's rules derive the running numbers.

Candidates are put into the page one after the other, and the cluster is numbered. The candidate that gives most numbers
as they run wins; of equal ones, the one with the fewest settings. Numbers that no rule gives become rows of a list for
`lock --import`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from ipaddress import ip_address, ip_interface, ip_network
from itertools import product
from typing import Any, NamedTuple

from fabricgen.adopt.settings.draft import ALL_SWITCHES, MAX_SAMPLE_OF_TIER, Draft, Keys, Remark, Setting, edit_page
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
"""The columns of a list that `lock --import` takes."""

MOST_LENGTHS = 6
"""How many prefix lengths are tried for a pool, from the smallest prefix that fits on."""

MAX_RESERVE = 4096
"""The most slots of a pod that are inferred from its numbers."""

ASN = ("routing", "asn")


class Number(NamedTuple):
    """An AS number or an address of a switch, as an integer.

    `what` is asn, loopback, mgmt, port (`port` is its name) or vlan (`port` is its number). `pool` is the pool that the
    number is drawn from: asn, loopback, management, fabric or hosts; `fabric` the fabric that draws it.
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
        """The number as a row of a list has it."""
        family = FAMILIES[self.v6]
        return str(self.value if self.what == "asn" else family.network(self.value, family.bits).network_address)


Numbers = dict[tuple[str, str, str, bool], Number]
"""Numbers by device, `what`, `port` and whether they are of IPv6."""
Owners = Sequence[tuple[str, list[str]]]
"""(the fabric that states a pool, or "" if the cluster does; the fabrics that draw from this pool)."""


def _list_numbers(view: SwitchView, model: Switch | None) -> Iterator[Number]:
    """Yield the AS number and the addresses of a switch: the planned ones, or with `model` those that it runs instead.

    These are loopbacks, management addresses with a gateway, and addresses of ports and of the gateways of VLANs, each
    with the pool that it is drawn from. Without IPv4 the router id counts as a loopback.
    """
    fabric, bgp = view.fabric.name, model.bgp.get("") if model else None
    if asn := (bgp.asn if bgp else 0) if model else view.asn:
        yield Number(view.name, "asn", "", "asn", fabric, view.tier.name, asn)
    router_id = (bgp.router_id if bgp else "") if model else view.router_id
    loopbacks = [a.partition("/")[0] for a in model.loopbacks] if model else [view.loopback, view.loopback6]
    managements = model.management.addresses if model else view.managements
    addresses_by_use: list[tuple[str, str, str, str, Iterable[str]]] = [
        ("loopback", "", "loopback", fabric, loopbacks if view.has_v4 else [*loopbacks, router_id]),
        ("mgmt", "", "management", fabric, [address for address, gateway in managements if gateway]),
    ]
    for port in view.ports:
        interface = model.interfaces.get(port.name) if model else None
        pool = "fabric" if port.role in ("up", "peer") else "hosts" if port.role == "host" else ""
        if pool and (port.addresses or not port.bond):
            addresses = (interface.addresses if interface else ()) if model else port.addresses
            addresses_by_use.append(("port", port.name, pool, port.service or fabric, addresses))
    for service in view.services:
        vlan = model.vlans.get(service.vlan) if model else None
        gateways = (vlan.gateways if vlan else ()) if model else service.gateways
        addresses_by_use.append(("vlan", str(service.vlan), "hosts", service.fabric, gateways))
    for use, port_name, pool, owner, texts in addresses_by_use:
        for host in (ip_interface(text).ip for text in texts if text):
            yield Number(view.name, use, port_name, pool, owner, view.tier.name, int(host), host.version == 6)


def _list_planned_numbers(draft: Draft, cluster: Cluster, most: int = MAX_SAMPLE_OF_TIER) -> Numbers:
    """Return the planned numbers of the switches that were read; host pools of management fabrics count as
    management.
    """
    manages = {fabric.name for fabric in cluster.design.fabrics if fabric.manages}
    numbers = (n for switch in draft.iterate_switches(cluster, most) for n in _list_numbers(switch.view, None))
    placed = (n._replace(pool="management") if n.pool == "hosts" and n.fabric in manages else n for n in numbers)
    return {(n.device, n.what, n.port, n.v6): n for n in placed}


def _list_running_numbers(draft: Draft, most: int = MAX_SAMPLE_OF_TIER) -> Numbers:
    switches = draft.iterate_switches(draft.cluster, most)
    numbers = (number for switch in switches for number in _list_numbers(switch.view, switch.running))
    return {(n.device, n.what, n.port, n.v6): n for n in numbers}


def _add_best(draft: Draft, running: Numbers, candidates: Iterable[list[Setting]], fewest_possible: int = 0) -> None:
    """Put into the page the candidate with which the fewest numbers differ from the running ones, of equals the
    shortest.

    The search ends at a candidate with at most `fewest_possible` differences: no candidate can have fewer. Candidates
    that cannot be built are passed over.
    """
    best, fewest_differing = list[Setting](), len(running) + 1
    for settings in candidates:
        try:
            cluster = draft.build(edit_page(draft.page, settings)) if settings else draft.cluster
            planned = _list_planned_numbers(draft, cluster)
        except InputError:
            continue
        differing = sum(
            number_key not in planned or planned[number_key].value != number.value
            for number_key, number in running.items()
        )
        if (differing, len(settings)) < (fewest_differing, len(best)):
            best, fewest_differing = settings, differing
        if differing <= fewest_possible:
            break
    draft.add_settings(setting._replace(facts=len(running) - fewest_differing) for setting in best)


def infer_reserves(draft: Draft) -> None:
    """Put into the page the `reserve` of pods with which their numbers are as far apart as they run.

    Slots for more units change no link, but what each pod takes of a pool: if running addresses of hosts begin 7.5
    times as far apart as planned ones, a pod of two units has fifteen slots.
    """
    pods: dict[str, dict[str, Any]] = draft.page.get("pods") or {}
    pod_of = dict(zip(draft.cluster.names, draft.cluster.plan.devices.pod.tolist(), strict=True))
    running = _list_running_numbers(draft, ALL_SWITCHES)
    # the first numbers of each pod, (planned, running), by fabric and whether they are of IPv6
    first_by_pod: dict[tuple[str, bool], dict[int, tuple[int, int]]] = defaultdict(dict)
    for number_key, number in _list_planned_numbers(draft, draft.cluster, ALL_SWITCHES).items():
        pod = pod_of[number.device]
        if number.pool == "hosts" and number_key in running and pod >= 0:
            first_numbers = first_by_pod[number.fabric, number.v6].get(pod, (number.value, running[number_key].value))
            first_by_pod[number.fabric, number.v6][pod] = min(first_numbers, (number.value, running[number_key].value))
    candidates: list[list[Setting]] = [[]]
    for first_of_pod in first_by_pod.values():
        settings = list[Setting]()
        for index, (name, stated) in enumerate(pods.items()):
            if not {index, index + 1} <= first_of_pod.keys():
                continue
            planned_step, running_step = (
                next_first - this_first
                for this_first, next_first in zip(first_of_pod[index], first_of_pod[index + 1], strict=True)
            )
            slots = Fraction(int(stated.get("reserve", stated["su"])) * running_step, planned_step)
            if running_step > planned_step and slots.denominator == 1 and slots <= MAX_RESERVE:
                settings.append(Setting(("pods", name, "reserve"), int(slots)))
        candidates += [settings] if settings else []
    if len(candidates) > 1:
        _add_best(draft, _list_running_numbers(draft), candidates)


def infer_asns(draft: Draft) -> None:
    """Put into the page the `routing.asn` with which most switches get the AS numbers that they run."""
    running = {key: number for key, number in _list_running_numbers(draft).items() if number.what == "asn"}
    if running:
        _add_best(draft, running, _list_asn_candidates(draft, running))


def _list_asn_candidates(draft: Draft, running: Numbers) -> Iterator[list[Setting]]:
    """Yield candidates for `routing.asn`, those with the fewest settings first."""
    yield []
    by_tier: dict[str, list[int]] = defaultdict(list)
    for number in running.values():
        by_tier[number.tier].append(number.value)
    for plan in ("rfc7938", "per-switch", "per-rack"):
        settings = [] if plan == "rfc7938" else [Setting((*ASN, "plan"), plan)]
        try:
            cluster = draft.build(edit_page(draft.page, settings))
        except InputError:
            continue
        yield settings
        planned = _list_planned_numbers(draft, cluster)
        offsets = Counter(number.value - planned[key].value for key, number in running.items() if key in planned)
        if offsets and (offset := offsets.most_common(1)[0][0]):
            yield [*settings, Setting((*ASN, "pool"), _write_asn_pool(cluster, offset, running))]
        # a number for all switches of a tier, and a range for each tier with several numbers
        shared: dict[str, Any] = {t: ns[0] for t, ns in by_tier.items() if len(ns) > 1 and len(set(ns)) == 1}
        if shared:
            ranges = {tier: f"{min(ns)}-{max(ns)}" for tier, ns in by_tier.items() if tier not in shared}
            yield [*settings, Setting((*ASN, "tiers"), shared)]
            yield [*settings, Setting((*ASN, "tiers"), shared | ranges)]


def _write_asn_pool(cluster: Cluster, offset: int, running: Numbers) -> str:
    """Return the smallest range "FIRST-LAST" with all running AS numbers and all reserved ones, shifted by an
    offset.
    """
    demands = list(list_asn_demands(cluster.design))
    lowest = min(window.first for demand in demands for window in demand.windows) + offset
    highest = lowest + sum(demand.reserved for demand in demands)
    return f"{lowest}-{max(highest, *(number.value for number in running.values()))}"


def infer_pools(draft: Draft) -> None:
    """Put into the page the pools: prefixes that policies name, else the smallest with which the addresses come out."""
    running = {key: number for key, number in _list_running_numbers(draft).items() if number.what != "asn"}
    permits = _find_permits(draft)
    for pool, family in product(("loopback", "fabric", "hosts", "management"), FAMILIES):
        numbers = _list_planned_numbers(draft, draft.cluster).items()
        planned = {key: n for key, n in numbers if n.pool == pool and n.v6 == (family is V6)}
        running_of_pool = {key: number for key, number in running.items() if key in planned}
        fabrics = list(dict.fromkeys(number.fabric for number in planned.values()))
        if not running_of_pool:
            continue
        offsets: dict[str, Counter[int]] = {fabric: Counter() for fabric in fabrics}
        for key, number in running_of_pool.items():
            offsets[planned[key].fabric][number.value - planned[key].value] += 1
        # addresses that no pool gives: those whose distance from the planned one is not that of most of the fabric
        outliers = sum(counts.total() - max(counts.values(), default=0) for counts in offsets.values())
        permitted = {fabric: _list_permitted(draft, permits, fabric, pool, family) for fabric in fabrics}
        offset_of = {fabric: counts.most_common(1)[0][0] for fabric, counts in offsets.items() if counts}
        _add_best(
            draft,
            running_of_pool,
            _list_pool_candidates(draft, pool, family, running_of_pool, permitted, offset_of),
            outliers,
        )


def _list_pool_candidates(
    draft: Draft,
    pool: str,
    family: Family,
    running: Numbers,
    permitted: Mapping[str, list[str]],
    offset_of: Mapping[str, int],
) -> Iterator[list[Setting]]:
    """Yield candidates for a pool: none, a pool of the cluster, and pools of single fabrics beside it.

    `permitted` has the prefixes that policies of each fabric name, `offset_of` how far running addresses of a fabric
    are from the planned ones: fabrics with another offset than most draw from pools of their own.
    """
    blueprint, fabrics = draft.cluster.design.loaded.blueprint, list(permitted)
    present_prefixes = {fabric: find_pool_prefixes(blueprint, fabric, pool, family)[0] for fabric in fabrics}
    if all(not prefixes or set(prefixes) == set(present_prefixes[fabric]) for fabric, prefixes in permitted.items()):
        yield []
    common_offset = Counter(offset_of.values()).most_common(1)[0][0]
    fabrics_with_other_offset = tuple(
        fabric for fabric in fabrics if offset_of.get(fabric, common_offset) != common_offset
    )
    for own_pools in dict.fromkeys(
        [
            (),
            *((fabric,) for fabric in (*fabrics_with_other_offset, *fabrics)),
            fabrics_with_other_offset,
            tuple(fabrics),
        ]
    ):
        shared = [fabric for fabric in fabrics if fabric not in own_pools]
        owners = [*([("", shared)] if shared else []), *((fabric, [fabric]) for fabric in own_pools)]
        yield from _list_prefix_candidates(draft, pool, family, owners, running, permitted)


def _list_prefix_candidates(
    draft: Draft, pool: str, family: Family, owners: Owners, running: Numbers, permitted: Mapping[str, list[str]]
) -> Iterator[list[Setting]]:
    """Yield candidates for the pools of `owners`.

    A pool has the permitted prefixes if these contain all its running addresses; else each candidate has a larger
    prefix around them than the one before.
    """
    options_by_path: list[tuple[Keys, list[list[str]]]] = []  # (path of a pool, the values to try for it)
    for owner, fabrics in owners:
        values = [number.value for number in running.values() if number.fabric in fabrics]
        addresses = [family.network(value, family.bits).network_address for value in values]
        permitted_prefixes = dict.fromkeys(text for fabric in fabrics for text in permitted[fabric])
        prefixes_in_use = [
            text for text in permitted_prefixes if any(address in ip_network(text) for address in addresses)
        ]
        is_permitted = all(any(address in ip_network(text) for text in prefixes_in_use) for address in addresses)
        covering_prefixes = [
            [text] for text in _list_covering(values, _sum_demand(draft, pool, family, fabrics), family)
        ]
        if values:
            path = (*(("fabrics", owner) if owner else ()), "pools", pool)
            options_by_path.append((path, [prefixes_in_use] if is_permitted else covering_prefixes))
    for step in range(max((len(options) for _, options in options_by_path), default=0)):
        chosen_prefixes = [(path, options[min(step, len(options) - 1)]) for path, options in options_by_path]
        yield [Setting(path, _join_families(draft, path, prefixes, family)) for path, prefixes in chosen_prefixes]


def _join_families(draft: Draft, path: Keys, texts: list[str], family: Family) -> Any:
    """Return the value of a pool: prefixes of one address family, with those of the other that the page has already."""
    present = get(draft.page, path) or []
    others = [text for text in ([present] if isinstance(present, str) else present) if (":" in text) != (family is V6)]
    joined = sorted({*others, *texts}, key=lambda text: (":" in text, int(ip_network(text).network_address)))
    return joined[0] if len(joined) == 1 else joined


def _sum_demand(draft: Draft, pool: str, family: Family, fabrics: Sequence[str]) -> int:
    """Return how many addresses fabrics, or the cluster itself, need of a pool, reserved ones included."""
    demands = [d for d in list_pool_demands(draft.cluster.design) if d.pool == pool and d.family is family]
    return sum(demand.block for demand in demands if demand.fabric in fabrics or not demand.fabric)


def _list_covering(numbers: Sequence[int], demand: int, family: Family) -> Iterator[str]:
    """Yield prefixes that contain all numbers, each twice as large as the one before, at most MOST_LENGTHS of them.

    The first is the smallest with at least `demand` addresses.
    """
    lowest, highest = min(numbers, default=0), max(numbers, default=0)
    host_bits = max((lowest ^ highest).bit_length(), (max(1, demand) - 1).bit_length())
    for width in range(host_bits, min(host_bits + MOST_LENGTHS, family.bits - 1)):
        yield str(family.network(lowest >> width << width, family.bits - width))


def _find_permits(draft: Draft) -> dict[str, set[Permit]]:
    """Return, by fabric, the prefixes that policies of its running switches accept by BGP from inside the cluster.

    Left out are prefixes behind exits, and prefixes that VRFs leak to each other if a wider one is accepted too.
    """
    permits: dict[str, set[Permit]] = defaultdict(set)
    for switch in draft.list_switches():
        leaked = {p for bgp in switch.running.bgp.values() for policy in bgp.leaks.values() for p in policy.permits}
        for vrf, bgp in switch.running.bgp.items():
            # the description of a session with the outside has the word exit
            policies = {p.policy_in for p in bgp.peers.values() if p.policy_in and " exit " not in p.description}
            passed = {permit for policy in policies for permit in policy.permits} - set(switch.view.list_outside(vrf))
            # a leaked prefix inside a wider one is a subnet of it, one alone may be a pool
            permits[switch.fabric] |= {p for p in passed if p not in leaked or not any(_is_part(p, q) for q in passed)}
    return permits


def _is_part(inner: Permit, outer: Permit) -> bool:
    """Whether the prefix of a permit is a proper part of another's, with the same longest prefix length."""
    a, b = ip_network(inner.prefix), ip_network(outer.prefix)
    return a != b and a.version == b.version and inner.longest == outer.longest and a.subnet_of(b)  # type: ignore[arg-type]


def _list_permitted(
    draft: Draft, permits: Mapping[str, set[Permit]], fabric: str, pool: str, family: Family
) -> list[str]:
    """Return, sorted, the prefixes that policies accept for a pool of a fabric: for loopbacks those whose routes are
    single addresses, else those whose routes are subnets.

    [] for the pool of links, and for management of a fabric that does not manage.
    """
    if pool == "fabric" or (pool == "management" and not draft.cluster.design.fabric(fabric).manages):
        return []
    linked_fabrics = next(
        linked_fabrics
        for linked_fabrics in group_linked_fabrics(draft.cluster.design.loaded.blueprint.fabrics)
        if fabric in linked_fabrics
    )
    # a NOS that filters in a daemon of its own names no prefixes; linked fabrics name the same ones
    fabric_permits = permits.get(draft.find_owner(fabric)) or {
        permit for name in linked_fabrics for permit in permits.get(name, ())
    }
    of_fabric = [permit for permit in fabric_permits if (":" in permit.prefix) == (family is V6)]
    has_single_addresses = pool == "loopback"
    return sorted(
        p.prefix
        for p in of_fabric
        if p.longest == family.bits - (not has_single_addresses) and (p.shortest == p.longest) == has_single_addresses
    )


def list_exceptions(draft: Draft) -> list[dict[str, str]]:
    """Return rows for `lock --import`, keyed by COLUMNS: numbers that no rule gives, on which both ends of a link
    agree.

    Each row becomes a remark of `draft`. Numbers of VLANs are left out.
    """
    planned = _list_planned_numbers(draft, draft.cluster, ALL_SWITCHES)
    running, rows = _list_running_numbers(draft, ALL_SWITCHES), list[dict[str, str]]()
    expected_asns: dict[str, set[int]] = defaultdict(set)  # by device, as its neighbours have them
    far_end_of_port: dict[tuple[str, str], tuple[str, str]] = {}
    for switch in draft.iterate_switches(draft.cluster, ALL_SWITCHES):
        for port in switch.view.ports:
            peers = [end.peer for end in switch.far_ends.get(port.name, ()) if end.peer]
            expected_asns[port.peer] |= {peer.remote_asn for peer in peers if peer.remote_asn}
            far_end_of_port[switch.view.name, port.name] = port.peer, port.peer_port
    for number_key, number in running.items():
        if number.what == "vlan" or number_key not in planned or planned[number_key].value == number.value:
            continue
        far_device, far_port = far_end_of_port.get((number.device, number.port), ("", ""))
        interface = draft.switches[far_device].model.interfaces.get(far_port) if far_device in draft.switches else None
        networks = [ip_interface(address).network for address in interface.addresses] if interface else []
        # an address outside the far end's subnets is drift, which `list_differences` reports
        agrees = not networks or any(ip_address(number.text) in network for network in networks)
        expected = expected_asns[number.device] if number.what == "asn" else set[int]()
        if agrees and (not expected or number.value in expected):
            column = "address" if number.what == "port" else number.what
            rows.append(
                dict.fromkeys(COLUMNS, "") | {"device": number.device, "port": number.port, column: number.text}
            )
            text = f"{column} {number.text}, where rules give {planned[number_key].text}"
            draft.remarks.append(Remark("kept", number.port, text, 1, number.device))
    return rows
