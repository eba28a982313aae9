"""Forms of fabrics and their links, QoS, the choice among equal paths, and sessions, by what most switches have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.adopt.settings.draft import Draft, Pair, Stated, Vote, find_majority, state_by_fabric
from fabricgen.blueprint.sections.qos import Trim
from fabricgen.blueprint.sections.routing import FLOW_AGING_S, LoadBalance
from fabricgen.design.linked import group_linked_fabrics
from fabricgen.design.qos import QosIntent, compute_ecn_thresholds
from fabricgen.design.tenants.overlay import FIRST_VNI
from fabricgen.numbering.addresses.demand import LEAST_HOSTS
from fabricgen.switch.model import Switch
from fabricgen.switch.qos import SwitchQos
from fabricgen.switch.routing import Peer, SessionBfd
from fabricgen.views.balancing import choose_hash_seed
from fabricgen.views.model.routing import is_routed_by_daemon

LONGEST_OF_RAILS = 33 - LEAST_HOSTS.bit_length()
"""Prefix length of the smallest subnet of a rail."""


def infer_nos(draft: Draft) -> list[Stated]:
    """The NOS of all switches in one word or, where they differ, that of each tier of a fabric."""
    by_tier: dict[str, dict[str, list[tuple[str, str]]]] = defaultdict(lambda: defaultdict(list))
    devices, votes = draft.cluster.plan.devices, dict[str, Vote]()
    for row in draft.cluster.switch_rows():
        cls, name = devices.classes[devices.device_class[row]], draft.cluster.names[row]
        if name in draft.switches:
            by_tier[cls.fabric][cls.tier].append((name, draft.switches[name].nos))
    for fabric, ballots in by_tier.items():
        of_tiers = {tier: vote for tier, ballot in ballots.items() if (vote := find_majority(ballot))}
        words = {tier: vote.value for tier, vote in of_tiers.items()}
        facts = sum(vote.facts for vote in of_tiers.values())
        against = tuple(name for vote in of_tiers.values() for name in vote.against)
        votes[fabric] = Vote(words if len(set(words.values())) > 1 else next(iter(words.values())), facts, against)
    return state_by_fabric(votes, ("nos",))


def infer_protocols(draft: Draft) -> list[Stated]:
    """RoCE, where switches of a fabric that is called plain Ethernet pause a class of it."""

    def ask(fabric: str, pair: Pair) -> Iterator[bool]:
        qos = pair.running.qos
        if pair.fabric == fabric and pair.view.ports:
            yield bool(qos and any(port.pfc for port in qos.ports.values()))

    plain = [fabric.name for fabric in draft.list_fabrics() if fabric.protocol == "ethernet" and fabric.tiers]
    votes = draft.count_votes(plain, ask).items()
    return [Stated(("fabrics", n, "protocol"), "roce", vote.facts, vote.against) for n, vote in votes if vote.value]


def infer_links(draft: Draft) -> list[Stated]:
    """Families and underlay, alike in all fabrics that are linked, and overlay."""
    blueprint = draft.cluster.design.loaded.blueprint
    part_of = {name: tuple(part) for part in group_linked_fabrics(blueprint.fabrics) for name in part}
    owners = [fabric.name for fabric in draft.list_fabrics() if fabric.tiers]
    stated = list[Stated]()
    questions = (("ip",), "v4", _name_families), (("routing", "underlay"), "ebgp-numbered", _name_underlay)
    for keys, usual, name_form in questions:

        def ask(fabric: str, pair: Pair, name_form: object = name_form) -> Iterator[str]:
            if pair.fabric in part_of[fabric] and (word := name_form(pair)):  # type: ignore[operator]
                yield word

        stated += state_by_fabric(draft.count_votes(owners, ask), keys, usual)
    over_evpn = {pair.fabric for pair in draft.list_pairs() if pair.running.overlay}
    overlays = {n: Vote("none" if over_evpn.isdisjoint(part_of[n]) else "evpn", 1, ()) for n in owners}
    return stated + state_by_fabric(overlays, ("routing", "overlay"), "none")


def _name_families(pair: Pair) -> str:
    """The families of a switch by its loopbacks, "" where it has none."""
    words = {"v6" if ":" in address else "v4" for address in pair.running.loopbacks}
    return "dual" if len(words) > 1 else next(iter(words), "")


def _name_underlay(pair: Pair) -> str:
    """How a switch reaches others; "" where its links do not tell."""
    names = [port.name for port in pair.list_links() if port.name in pair.running.interfaces]
    bgp, addressed = pair.running.bgp.get(""), any(pair.running.interfaces[name].addresses for name in names)
    if pair.running.srv6:
        return "srv6"
    if bgp:
        return "ebgp-unnumbered" if any(name in bgp.peers for name in names) else "ebgp-numbered"
    return "static" if addressed else "none" if names else ""


def infer_hosts(draft: Draft) -> list[Stated]:
    """How the hosts of each fabric attach: routed or bridged, bonded or not."""
    blueprint, stated = draft.cluster.design.loaded.blueprint, list[Stated]()
    fabrics = {fabric.name: fabric for fabric in draft.list_fabrics()}
    for key, ask in (("hosts", _find_host_forms), ("bond", _find_bonds), ("lacp_fallback", _find_fallbacks)):
        for name, vote in draft.count_votes(fabrics, ask).items():
            present = fabrics[name].hosts if key == "hosts" else getattr(blueprint.fabrics[name], key) or None
            if (vote.value or None) != present:
                stated.append(Stated(("fabrics", name, key), vote.value or None, vote.facts, vote.against))
    return stated


def find_vlans(running: Switch, port: str) -> tuple[int, tuple[int, ...]]:
    """The untagged VLAN and the tagged ones, ascending, of a port or of the bond that it is in."""
    interface = running.interfaces.get(port)
    carrier = running.bonds.get(interface.bond, interface) if interface else None
    return (carrier.access_vlan, tuple(sorted(carrier.tagged_vlans))) if carrier else (0, ())


def _find_host_forms(fabric: str, pair: Pair) -> Iterator[str]:
    """How the hosts of a fabric attach to a switch, once; tenants of bridged hosts have VLANs of their own in VRFs."""
    running, names = pair.running, [port.name for port in pair.list_hosts(fabric)]
    first = {
        name: ([vlan for vlan in (find_vlans(running, name)[0], *find_vlans(running, name)[1]) if vlan] or [0])[0]
        for name in names
    }
    plain = {vlan for vlan in first.values() if vlan in running.vlans and not running.vlans[vlan].vrf}
    if any(running.interfaces[name].addresses for name in names):
        yield "routed"
    elif names:
        yield "rail-subnets" if len(plain) > 1 else "bridged" if any(first.values()) else "none"


def _find_bonds(fabric: str, pair: Pair) -> Iterator[str]:
    """`node` or `nic` for each host of a fabric by what of its ports is one bond, "" for none."""
    bonds_by_host: dict[str, list[int]] = defaultdict(list)
    for port in pair.list_hosts(fabric):
        bonds_by_host[port.peer].append(max(0, pair.running.interfaces[port.name].bond))
    for bonds in bonds_by_host.values():
        several = sorted({bond for bond in bonds if bond})
        shared = any(
            pair.running.bonds[b].mlag_id or pair.running.bonds[b].segment for b in several if b in pair.running.bonds
        )
        if len(several) != 1 or len(bonds) > 1 or shared:
            yield "" if not several else "nic" if len(several) > 1 else "node"


def _find_fallbacks(fabric: str, pair: Pair) -> Iterator[bool]:
    numbers = {pair.running.interfaces[port.name].bond for port in pair.list_hosts(fabric)}
    yield from (pair.running.bonds[number].fallback for number in sorted(numbers) if number in pair.running.bonds)


def infer_pairs(draft: Draft) -> list[Stated]:
    """What bonds over two switches of a tier take: EVPN multihoming, or MLAG where not every image has that."""
    ballots: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for pair in draft.list_pairs():
        by_image = pair.view.naming.configuration.pairs.mlag_by_image
        segments = any(bond.segment for bond in pair.running.bonds.values())
        word = "evpn" if segments else "mclag" if pair.running.pair and by_image else ""
        ballots[pair.fabric, pair.view.tier.name].append((pair.view.name, word))
    majorities = {key: vote for key, votes in ballots.items() if (vote := find_majority(votes)) and vote.value}
    return [Stated(("fabrics", f, "tiers", t, "pair"), vote.value, vote.facts) for (f, t), vote in majorities.items()]


def infer_vlans(draft: Draft) -> list[Stated]:
    """VLANs and VRFs of fabrics, by the place that each has among the VLANs of a port as planned and as it runs."""
    stated, design, fabrics = list[Stated](), draft.cluster.design, [fabric.name for fabric in draft.list_fabrics()]
    known = {tenant.name for tenant in design.tenants}

    def ask_vrf(fabric: str, pair: Pair) -> Iterator[str]:
        of_vlans = [
            pair.running.vlans[vlan].vrf for _, vlan in _match_vlans(fabric, pair) if vlan in pair.running.vlans
        ]
        ports = [pair.running.interfaces[port.name] for port in pair.list_hosts(fabric)]
        yield from (vrf for vrf in (*of_vlans, *(port.vrf for port in ports if port.addresses)) if vrf not in known)

    def ask_vlan(fabric: str, pair: Pair) -> Iterator[int]:
        if vlans := [vlan for _, vlan in _match_vlans(fabric, pair)]:
            yield min(vlans)

    for fabric, vote in draft.count_votes(fabrics, ask_vlan).items():
        if vote.value != draft.cluster.intent(design.fabric(fabric)).vlan:
            stated.append(Stated(("fabrics", fabric, "vlan"), vote.value, vote.facts, vote.against))
    for fabric, vote in draft.count_votes(fabrics, ask_vrf).items():
        if design.fabric(fabric).vrf not in ("", vote.value):
            stated.append(Stated(("fabrics", fabric, "vrf"), vote.value or "default", vote.facts, vote.against))
    return stated


def infer_subnets(draft: Draft) -> list[Stated]:
    """Rails with subnets of their own of which each leaf has but one: as large as those of rails are."""

    def ask_subnets(fabric: str, pair: Pair) -> Iterator[bool]:
        # a subnet of a rail is a /24 or larger, and may be alone on its leaf
        for service in pair.view.services:
            if service.fabric == fabric and service.hosts == "bridged" and service.vlan in pair.running.vlans:
                gateways = pair.running.vlans[service.vlan].gateways, service.gateways
                running, planned = ({int(a.rpartition("/")[2]) for a in of if ":" not in a} for of in gateways)
                yield max(running, default=0) <= LONGEST_OF_RAILS < min(planned, default=0)

    votes = draft.count_votes([fabric.name for fabric in draft.list_fabrics() if not fabric.manages], ask_subnets)
    return [Stated(("fabrics", n, "hosts"), "rail-subnets", v.facts, v.against) for n, v in votes.items() if v.value]


def _match_vlans(fabric: str, pair: Pair) -> Iterator[tuple[str, int]]:
    """(port, VLAN that runs) of the planned VLANs of a fabric: untagged by untagged, tagged in their order."""
    services = {service.vlan: service.fabric for service in pair.view.services if not service.tenant}
    for port in pair.view.ports:
        if port.role == "host" and not port.tenant:
            planned, running = pair.view.list_vlans(port), find_vlans(pair.running, port.name)
            for planned_vlan, vlan in ((planned[0], running[0]), *zip(planned[1], running[1], strict=False)):
                if vlan and services.get(planned_vlan) == fabric:
                    yield port.name, vlan


def infer_vnis(draft: Draft) -> list[Stated]:
    """The first VNI of fabrics over EVPN, by how far numbers are from those planned."""
    blueprint, stated = draft.cluster.design.loaded.blueprint, list[Stated]()
    for fabric, vote in draft.count_votes([f.name for f in draft.list_fabrics() if f.tiers], _find_vni_offsets).items():
        present = blueprint.fabrics[fabric].routing.first_vni or blueprint.routing.first_vni or FIRST_VNI
        if vote.value:
            stated.append(Stated(("fabrics", fabric, "routing", "first_vni"), present + vote.value, vote.facts))
    return stated


def _find_vni_offsets(fabric: str, pair: Pair) -> Iterator[int]:
    planned, running = pair.view.overlay, pair.running.overlay
    if pair.fabric == fabric and planned and running:
        common = sorted(planned.vrfs.keys() & running.vrfs.keys())
        yield from (running.vrfs[name].vni - planned.vrfs[name].vni for name in common)


AUTO = LoadBalance.model_construct(seeds="auto")


def infer_qos(draft: Draft) -> list[Stated]:
    """The keys of `qos` in which a fabric differs from what the page gives it."""
    ballots: dict[tuple[str, str], list[tuple[str, Any]]] = defaultdict(list)
    for pair in draft.list_pairs():
        for key, value in _list_qos(draft, pair) if pair.view.ports else ():
            ballots[pair.fabric, key].append((pair.view.name, value))
    votes = {
        place: vote for place, ballot in ballots.items() if (vote := find_majority(ballot)) and vote.value is not None
    }
    return [
        Stated(("fabrics", f, "qos", key), vote.value, vote.facts, vote.against) for (f, key), vote in votes.items()
    ]


def _list_qos(draft: Draft, pair: Pair) -> Iterator[tuple[str, Any]]:
    """(key, value) of what a switch has, None where it is as the page gives it."""
    intent, qos, trimming = pair.view.fabric.qos, pair.running.qos, pair.running.trimming
    lossless = bool(qos and (qos.watchdog or any(port.pfc for port in qos.ports.values())))
    profile = "best-effort" if qos is None else "roce-lossless" if lossless else "roce-lossy"
    planned = "roce-lossless" if intent.lossless else "roce-lossy" if intent.marks else "best-effort"
    # what may drop packets is said beside the trimming of them
    yield "profile", profile if profile != planned or (trimming and not intent.trim) else None
    if not pair.view.lacks("packet-trim"):
        usual, cut = Trim.model_construct(), trimming
        present = (intent.trim.dscp, intent.trim.size, intent.trim.traffic_class) if intent.trim else None
        trim = (cut.dscp, cut.size, cut.traffic_class) if cut else None
        names = zip(("dscp", "size", "traffic_class"), trim or (), strict=False)
        keys = {name: value for name, value in names if value != getattr(usual, name)}
        yield "trim", keys if trim and trim != present else None
    if qos is not None and qos.ports:
        yield from _list_classes(draft, pair, qos, intent)


def _list_classes(draft: Draft, pair: Pair, qos: SwitchQos, intent: QosIntent) -> Iterator[tuple[str, Any]]:
    """The same of RoCE's class, where there is one, and of the watchdog."""
    try:
        _, cnp_class, roce_class = qos.classes
        queues = next(iter(qos.ports.values())).queues
        data, notifications = queues[roce_class], queues[cnp_class]
    except (LookupError, StopIteration):
        draft.tell("unexplained", f"{pair.view.name}.qos", "its queues are not those of RoCE and of its notifications")
        return
    values: dict[str, Any] = {"roce_class": roce_class, "cnp_class": cnp_class, "roce_percent": data.share}
    for key, traffic_class in (("roce_dscp", roce_class), ("cnp_dscp", cnp_class)):
        dscps = [dscp for dscp, number in enumerate(qos.class_of) if number == traffic_class]
        values[key] = dscps[0] if len(dscps) == 1 else getattr(intent, key)
        if len(dscps) != 1:
            draft.tell("unexplained", f"{pair.view.name}.qos.{key}", f"class {traffic_class} has DSCPs {dscps}")
    if data.ecn:
        values["mark_percent"] = data.ecn.percent
    if not pair.view.lacks("cnp-shaping"):
        values["cnp_max_percent"] = notifications.limit
    for key, value in values.items():
        yield key, value if value != getattr(intent, key) else None
    if not pair.view.dialect.ecn_fill:
        yield "ecn", _list_thresholds(pair, qos, intent)
    if qos.watchdog:
        lacks = {"restore_ms": pair.view.lacks("watchdog-restore"), "poll_ms": pair.view.lacks("watchdog-poll")}
        times = ("detect_ms", "restore_ms", "poll_ms")
        running = {key: getattr(qos.watchdog, key) for key in times if not lacks.get(key)}
        running |= {} if pair.view.lacks("watchdog-forward") else {"action": qos.watchdog.action}
        named = {"action": intent.watchdog_action} | {key: getattr(intent, key) for key in times}
        yield "watchdog", running if any(v != named[key] for key, v in running.items()) else None


def _list_thresholds(pair: Pair, qos: SwitchQos, intent: QosIntent) -> dict[str, str] | None:
    """Thresholds of all speeds of a switch where one of them is not as derived, else None."""
    speeds = {port.name: port.speed_gbps for port in pair.view.ports}
    found = dict[int, tuple[int, int]]()
    for name, port in qos.ports.items():
        marking = next((queue.ecn for queue in port.queues.values() if queue.ecn), None)
        if name in speeds and marking:
            found.setdefault(speeds[name], (marking.min_kb, marking.max_kb))
    as_derived = all(kb == compute_ecn_thresholds(intent, pair.view.is_lowest, speed) for speed, kb in found.items())
    return None if as_derived else {f"{speed}G": f"{low}-{high}" for speed, (low, high) in sorted(found.items())}


def infer_balancing(draft: Draft) -> list[Stated]:
    """`load_balance` of fabrics: by load, by flow or in turn, and what hashes begin with."""
    votes = dict[str, Vote]()
    for fabric in (fabric for fabric in draft.list_fabrics() if fabric.tiers):
        pairs = [pair for pair in draft.list_pairs() if pair.fabric == fabric.name]
        modes = find_majority((pair.view.name, mode) for pair in pairs if (mode := _find_mode(pair)))
        if not pairs:
            continue
        running = [pair.running.balancing for pair in pairs if not pair.view.lacks("hash-queue-pairs")]
        seeds = {p.view.tier.name: p.running.balancing.seed for p in pairs if p.running.balancing.seed is not None}
        derived = {p.view.tier.name: choose_hash_seed(AUTO, p.view.tier.name, p.view.level) for p in pairs}
        aging = find_majority((p.view.name, p.running.balancing.aging_s) for p in pairs if p.running.balancing.groups)
        stated: dict[str, Any] = {
            "mode": modes.value if modes else "hash",
            "queue_pairs": any(balancing.queue_pairs for balancing in running),
            "seeds": "auto" if seeds and all(derived[tier] == seed for tier, seed in seeds.items()) else seeds,
            "flow_aging_s": aging.value if aging and aging.value != FLOW_AGING_S else 0,
        }
        setting = {key: value for key, value in stated.items() if value}
        if modes and modes.value == "dynamic" and any(not pair.view.lacks("packet-spray") for pair in pairs):
            text = "`dynamic` or `spray`: what is read of a configuration does not tell which"
            draft.tell("unsure", f"fabrics.{fabric.name}.routing.load_balance", text, modes.facts)
        value = setting if len(setting) > 1 else setting["mode"]
        votes[fabric.name] = Vote(value, modes.facts if modes else len(pairs), modes.against if modes else ())
    return state_by_fabric(votes, ("routing", "load_balance"), "hash")


def _find_mode(pair: Pair) -> str:
    """The mode of a switch, "" where its NOS has but one."""
    balancing = pair.running.balancing
    if balancing.groups:
        return "cluster"
    if balancing.by_load:
        return "spray" if pair.view.lacks("dynamic-load-balance") else "dynamic"
    by_load = not (pair.view.lacks("dynamic-load-balance") and pair.view.lacks("packet-spray"))
    return "hash" if by_load and pair.view.is_lowest else ""


def infer_sessions(draft: Draft) -> list[Stated]:
    """BFD and limits of prefixes on sessions between switches."""
    names = [fabric.name for fabric in draft.list_fabrics() if fabric.tiers]

    def ask_bfd(fabric: str, pair: Pair) -> Iterator[bool | Mapping[str, int]]:
        if pair.fabric == fabric:
            yield from (write_bfd(peer.bfd) for peer in list_inner_peers(pair))

    def ask_limit(fabric: str, pair: Pair) -> Iterator[int | None]:
        if pair.fabric == fabric:
            running = {find_limit(peer) for peer in list_inner_peers(pair)}
            planned = 0 if is_routed_by_daemon(pair.view) else pair.view.fabric.max_prefixes
            if running:
                yield None if running == {planned} else max(running)

    bfd = draft.count_votes(names, ask_bfd)
    limits = {n: v for n, v in draft.count_votes(names, ask_limit).items() if v.value is not None}
    return state_by_fabric(bfd, ("routing", "bfd"), False) + state_by_fabric(limits, ("routing", "max_prefixes"))


def find_limit(peer: Peer) -> int:
    """The prefixes that a neighbour may announce, 0 for any number."""
    return max(peer.max_prefixes.values(), default=0)


def write_bfd(bfd: SessionBfd | None) -> bool | Mapping[str, int]:
    """BFD as the page has it."""
    if bfd is None or bfd == SessionBfd():
        return bfd is not None
    return {"interval_ms": bfd.interval_ms, "multiplier": bfd.multiplier}


def list_inner_peers(pair: Pair) -> Iterator[Peer]:
    """The sessions of the default VRF over links to other switches."""
    bgp = pair.running.bgp.get("")
    names = {port.name for port in pair.list_links()}
    far = {end.far for name in names for end in pair.far_ends.get(name, ())}
    for key, peer in bgp.peers.items() if bgp else ():
        if key in names or key in far:
            yield peer
