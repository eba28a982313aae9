"""Infer NOSes, protocols, address families, underlays, host ports, VLANs, QoS, load balancing and BGP sessions.

Each setting is what most switches of a fabric have.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from fabricgen.adopt.settings.draft import (
    ALL_SWITCHES,
    ComparedSwitch,
    Draft,
    Setting,
    Vote,
    count_votes,
    find_majority,
    make_settings_by_fabric,
)
from fabricgen.adopt.words import drop_empty
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
"""The prefix length of the smallest subnet that a rail gets."""


def infer_nos(draft: Draft) -> list[Setting]:
    """Return the NOS of all switches or, for a fabric whose tiers differ, a mapping of its tiers to their NOSes."""
    devices, names, votes = draft.cluster.plan.devices, draft.cluster.names, dict[str, Vote]()
    ballots = (
        (devices.classes[devices.device_class[row]].key, (names[row], draft.switches[names[row]].nos))
        for row in draft.cluster.switch_rows()
        if names[row] in draft.switches
    )
    of_fabrics: dict[str, dict[str, Vote]] = defaultdict(dict)
    for key, vote in count_votes(ballots).items():
        of_fabrics[key.fabric][key.tier] = vote
    for fabric, of_tiers in of_fabrics.items():
        nos_of_tier = {tier: vote.value for tier, vote in of_tiers.items()}
        facts = sum(vote.facts for vote in of_tiers.values())
        against = tuple(name for vote in of_tiers.values() for name in vote.against)
        systems = list(dict.fromkeys(nos_of_tier.values()))
        votes[fabric] = Vote(nos_of_tier if len(systems) > 1 else systems[0], facts, against)
    return make_settings_by_fabric(votes, ("nos",))


def infer_protocols(draft: Draft) -> list[Setting]:
    """Return `protocol: roce` for each fabric of plain Ethernet whose switches pause (PFC) a traffic class."""
    plain = [fabric.name for fabric in draft.list_fabrics() if fabric.protocol == "ethernet" and fabric.tiers]
    votes = draft.collect_votes(
        plain,
        lambda fabric, s: [_has_paused_class(s.running.qos)] if s.fabric == fabric and s.view.ports else [],
    ).items()
    return [Setting(("fabrics", n, "protocol"), "roce", vote.facts, vote.against) for n, vote in votes if vote.value]


def _has_paused_class(qos: SwitchQos | None) -> bool:
    """Whether any port pauses a traffic class (PFC)."""
    return qos is not None and any(port.pfc for port in qos.ports.values())


def infer_links(draft: Draft) -> list[Setting]:
    """Return settings of address families (`ip`), underlay and overlay of fabrics, as most of their switches run them.

    Linked fabrics have the same families and underlay, and an overlay if any of them has one.
    """
    blueprint = draft.cluster.design.loaded.blueprint
    linked_with = {name: tuple(group) for group in group_linked_fabrics(blueprint.fabrics) for name in group}
    owners = [fabric.name for fabric in draft.list_fabrics() if fabric.tiers]
    settings = list[Setting]()
    settings_to_infer = (
        (("ip",), "v4", lambda switch: _name_families(switch.running.loopbacks)),
        (("routing", "underlay"), "ebgp-numbered", _name_underlay),
    )
    read_switches = draft.switches.items()
    without_bgp = {name for name, switch in read_switches if any(text.startswith("BGP: ") for text in switch.unread)}
    addresses = {address for s in draft.list_switches() for address, _ in s.running.management.addresses}
    managed = _name_families(addresses)
    for path, default, name_value in settings_to_infer:

        def ask(fabric: str, switch: ComparedSwitch, name_value: object = name_value) -> Iterator[str]:
            # a switch whose sessions could not be read does not say that there are none
            if name_value is _name_underlay and switch.view.name in without_bgp:
                return
            if switch.fabric in linked_with[fabric] and (value := name_value(switch)):  # type: ignore[operator]
                yield value

        votes = draft.collect_votes(owners, ask)
        # families of the cluster are those of management as well
        per_fabric = path == ("ip",) and bool(managed) and all(vote.value != managed for vote in votes.values())
        settings += make_settings_by_fabric(votes, path, default, per_fabric=per_fabric)
    with_overlay = {switch.fabric for switch in draft.list_switches() if switch.running.overlay}
    overlays = {name: Vote("none" if with_overlay.isdisjoint(linked_with[name]) else "evpn", 1, ()) for name in owners}
    return settings + make_settings_by_fabric(overlays, ("routing", "overlay"), "none")


def _name_families(addresses: Iterable[str]) -> str:
    """Return "v4", "v6" or "dual" by the families of some addresses, "" if there are none."""
    words = {"v6" if ":" in address else "v4" for address in addresses}
    return "dual" if len(words) > 1 else next(iter(words), "")


def _name_underlay(switch: ComparedSwitch) -> str:
    """Return the `underlay` of a switch by its sessions and the addresses of its links, "" if it has no links."""
    names = [port.name for port in switch.list_links() if port.name in switch.running.interfaces]
    bgp, addressed = switch.running.bgp.get(""), any(switch.running.interfaces[name].addresses for name in names)
    if switch.running.srv6:
        return "srv6"
    if bgp:
        # where the page has other ports for its links, sessions of any port tell
        return "ebgp-unnumbered" if any(n in bgp.peers for n in names or switch.running.interfaces) else "ebgp-numbered"
    return "static" if addressed else "none" if names else ""


def infer_hosts(draft: Draft) -> Iterator[Setting]:
    """Yield `hosts` (routed, bridged, ...), `bond` and `lacp_fallback` of each fabric if they differ from the page."""
    blueprint = draft.cluster.design.loaded.blueprint
    fabrics = {fabric.name: fabric for fabric in draft.list_fabrics()}
    for key, ask in (("hosts", _find_host_attachment), ("bond", _find_bonds), ("lacp_fallback", _find_fallbacks)):
        for name, vote in draft.collect_votes(fabrics, ask).items():
            present = fabrics[name].hosts if key == "hosts" else getattr(blueprint.fabrics[name], key) or None
            if (vote.value or None) != present:
                yield Setting(("fabrics", name, key), vote.value or None, vote.facts, vote.against)
    yield from _infer_shared_addresses(draft)


def _infer_shared_addresses(draft: Draft) -> Iterator[Setting]:
    """Yield `address_per: nic` for fabrics with planes in which most subnets of hosts are on several switches."""
    counts: dict[str, Counter[str]] = {fabric.name: Counter() for fabric in draft.list_fabrics() if fabric.planes > 1}
    for switch in draft.iterate_switches(draft.cluster, ALL_SWITCHES) if counts else ():
        for port in switch.view.ports:
            if port.role == "host" and port.service in counts and port.name in switch.running.interfaces:
                counts[port.service].update(switch.running.interfaces[port.name].addresses)
    for fabric, of_fabric in counts.items():
        shared = sum(count > 1 for count in of_fabric.values())
        if 2 * shared > len(of_fabric):
            yield Setting(("fabrics", fabric, "address_per"), "nic", shared)


def find_vlans(running: Switch, port: str) -> tuple[int, tuple[int, ...]]:
    """Return (untagged VLAN or 0, tagged VLANs ascending) of a port, or of the bond that it is a member of."""
    interface = running.interfaces.get(port)
    carrier = running.bonds.get(interface.bond, interface) if interface else None
    return (carrier.access_vlan, tuple(sorted(carrier.tagged_vlans))) if carrier else (0, ())


def _find_host_attachment(fabric: str, switch: ComparedSwitch) -> Iterator[str]:
    """Yield the `hosts` of a fabric on a switch: routed, rail-subnets, bridged or none; nothing without host ports.

    Several VLANs outside of VRFs are subnets of rails; tenants of bridged hosts have VLANs in VRFs.
    """
    running, names = switch.running, [port.name for port in switch.list_hosts(fabric)]
    first_vlans = set[int]()
    for untagged, tagged in (find_vlans(running, name) for name in names):
        first_vlans.add(untagged or next(iter(tagged), 0))
    outside_vrfs = {vlan for vlan in first_vlans if vlan in running.vlans and not running.vlans[vlan].vrf}
    if any(running.interfaces[name].addresses for name in names):
        yield "routed"
    elif names:
        yield "rail-subnets" if len(outside_vrfs) > 1 else "bridged" if any(first_vlans) else "none"


def _find_bonds(fabric: str, switch: ComparedSwitch) -> Iterator[str]:
    """Yield for each host of a fabric on a switch "node" if all its ports are one bond, "nic" for several, "" for none.

    A host with one port, in one bond that is not shared with another switch, does not tell, and yields nothing.
    """
    bonds_by_host: dict[str, list[int]] = defaultdict(list)
    for port in switch.list_hosts(fabric):
        bonds_by_host[port.peer].append(max(0, switch.running.interfaces[port.name].bond))
    for bonds in bonds_by_host.values():
        numbers = sorted({bond for bond in bonds if bond})
        known = [switch.running.bonds[number] for number in numbers if number in switch.running.bonds]
        if len(numbers) != 1 or len(bonds) > 1 or any(bond.mlag_id or bond.segment for bond in known):
            yield "" if not numbers else "nic" if len(numbers) > 1 else "node"


def _find_fallbacks(fabric: str, switch: ComparedSwitch) -> Iterator[bool]:
    """Yield for each bond of hosts of a fabric whether it forwards without LACP (`lacp_fallback`)."""
    numbers = {switch.running.interfaces[port.name].bond for port in switch.list_hosts(fabric)}
    yield from (switch.running.bonds[number].fallback for number in sorted(numbers) if number in switch.running.bonds)


def infer_pairs(draft: Draft) -> list[Setting]:
    """Return `pair` of tiers with bonds over two switches: evpn (multihoming), or mclag if the image decides."""

    def find_pair(switch: ComparedSwitch) -> str:
        by_image = switch.view.naming.configuration.pairs.mlag_by_image
        segments = any(bond.segment for bond in switch.running.bonds.values())
        return "evpn" if segments else "mclag" if switch.running.pair and by_image else ""

    ballots = (((s.fabric, s.view.tier.name), (s.view.name, find_pair(s))) for s in draft.list_switches())
    return [
        Setting(("fabrics", fabric, "tiers", tier, "pair"), vote.value, vote.facts)
        for (fabric, tier), vote in count_votes(ballots).items()
        if vote.value
    ]


def infer_carried(draft: Draft) -> list[Setting]:
    """Return a fabric for each VLAN that many host ports of another carry tagged beside the planned VLANs.

    It is called as the VRF of that VLAN, or after its number.
    """
    ports, carrying, name_of = Counter[str](), Counter[tuple[str, int]](), dict[int, str]()
    for switch in draft.list_switches():
        for port in [port for port in switch.view.ports if port.role == "host" and not port.tenant]:
            ports[port.service] += 1
            _, planned_tagged = switch.view.list_vlans(port)
            for vlan in find_vlans(switch.running, port.name)[1][len(planned_tagged) :]:
                carrying[port.service, vlan] += 1
                name_of[vlan] = (vlan in switch.running.vlans and switch.running.vlans[vlan].vrf) or f"vlan-{vlan}"
    return [
        Setting(
            ("fabrics", name_of[vlan]),
            {"protocol": "ethernet", "carried_by": carrier, "host_ports": "tagged", "vlan": vlan},
            count,
        )
        for (carrier, vlan), count in carrying.items()
        if count >= MIN_CARRYING * ports[carrier]
    ]


def infer_vlans(draft: Draft) -> list[Setting]:
    """Return `vlan` and `vrf` of the fabrics whose switches run others than the page gives them.

    A running VLAN is that of the fabric whose planned VLAN has its place on a port.
    """
    design, fabrics = draft.cluster.design, [fabric.name for fabric in draft.list_fabrics()]
    tenants = {tenant.name for tenant in design.tenants}

    def ask_vrf(fabric: str, switch: ComparedSwitch) -> Iterator[str]:
        vlans, ports = switch.running.vlans, [switch.running.interfaces[p.name] for p in switch.list_hosts(fabric)]
        vrfs = [vlans[vlan].vrf for vlan in _match_vlans(fabric, switch) if vlan in vlans]
        yield from (vrf for vrf in (*vrfs, *(port.vrf for port in ports if port.addresses)) if vrf not in tenants)

    vlans = [
        Setting(("fabrics", fabric, "vlan"), vote.value, vote.facts, vote.against)
        for fabric, vote in draft.collect_votes(fabrics, lambda f, switch: sorted(_match_vlans(f, switch))[:1]).items()
        if vote.value != draft.cluster.intent(design.fabric(fabric)).vlan
    ]
    vrfs = [
        Setting(("fabrics", fabric, "vrf"), vote.value or "default", vote.facts, vote.against)
        for fabric, vote in draft.collect_votes(fabrics, ask_vrf).items()
        if design.fabric(fabric).vrf not in ("", vote.value)
    ]
    return vlans + vrfs


def infer_subnets(draft: Draft) -> list[Setting]:
    """Return `hosts: rail-subnets` of fabrics whose leaves have one rail each, by the size of their subnets (/24 or
    more).
    """

    def ask_subnets(fabric: str, switch: ComparedSwitch) -> Iterator[bool]:
        # a subnet of a rail is a /24 or larger, and may be alone on its leaf
        for service in switch.view.services:
            if service.fabric == fabric and service.hosts == "bridged" and service.vlan in switch.running.vlans:
                gateways = switch.running.vlans[service.vlan].gateways, service.gateways
                running, planned = ({int(a.rpartition("/")[2]) for a in of if ":" not in a} for of in gateways)
                yield max(running, default=0) <= LONGEST_OF_RAILS < min(planned, default=0)

    votes = draft.collect_votes([fabric.name for fabric in draft.list_fabrics() if not fabric.manages], ask_subnets)
    return [Setting(("fabrics", n, "hosts"), "rail-subnets", v.facts, v.against) for n, v in votes.items() if v.value]


def _match_vlans(fabric: str, switch: ComparedSwitch) -> Iterator[int]:
    """Yield the running VLANs that stand for the planned ones of a fabric, port by port.

    The untagged VLAN of a port stands for the planned untagged one, the n-th tagged one for the n-th planned one.
    """
    services = {service.vlan: service.fabric for service in switch.view.services if not service.tenant}
    for port in switch.view.ports:
        if port.role == "host" and not port.tenant:
            planned_untagged, planned_tagged = switch.view.list_vlans(port)
            untagged, tagged = find_vlans(switch.running, port.name)
            for planned, running in ((planned_untagged, untagged), *zip(planned_tagged, tagged, strict=False)):
                if running and services.get(planned) == fabric:
                    yield running


def infer_vnis(draft: Draft) -> list[Setting]:
    """Return `routing.first_vni` of fabrics with EVPN: the planned first VNI plus what running VNIs are above
    planned.
    """
    blueprint = draft.cluster.design.loaded.blueprint
    routings = {f.name: blueprint.fabrics[f.name].routing for f in draft.list_fabrics() if f.tiers}
    first_vnis = {name: own.first_vni or blueprint.routing.first_vni or FIRST_VNI for name, own in routings.items()}
    return [
        Setting(("fabrics", name, "routing", "first_vni"), first_vnis[name] + vote.value, vote.facts)
        for name, vote in draft.collect_votes(first_vnis, _find_vni_offsets).items()
        if vote.value
    ]


def _find_vni_offsets(fabric: str, switch: ComparedSwitch) -> Iterator[int]:
    planned, running = switch.view.overlay, switch.running.overlay
    if switch.fabric == fabric and planned and running:
        common = sorted(planned.vrfs.keys() & running.vrfs.keys())
        yield from (running.vrfs[name].vni - planned.vrfs[name].vni for name in common)


MIN_CARRYING = 0.3
"""The share of a fabric's host ports that carry a VLAN of a further fabric: extra devices beside nodes may not."""
AUTO = LoadBalance.model_construct(seeds="auto")
"""A load balance whose hash seeds are derived from tiers."""


def infer_qos(draft: Draft) -> list[Setting]:
    """Return the keys of `qos` whose values on most switches of a fabric are not those that the page gives them."""
    ballots = (
        ((switch.fabric, key), (switch.view.name, value))
        for switch in draft.list_switches()
        for key, value in (_list_qos_keys(draft, switch) if switch.view.ports else ())
    )
    return [
        Setting(("fabrics", fabric, "qos", key), vote.value, vote.facts, vote.against)
        for (fabric, key), vote in count_votes(ballots).items()
        if vote.value is not None
    ]


def _list_qos_keys(draft: Draft, switch: ComparedSwitch) -> Iterator[tuple[str, Any]]:
    """Yield (key of `qos`, value that a switch runs); the value is None if it is the one that the page gives."""
    intent, qos, trimming = switch.view.fabric.qos, switch.running.qos, switch.running.trimming
    lossless = bool(qos and qos.watchdog) or _has_paused_class(qos)
    profile = "best-effort" if qos is None else "roce-lossless" if lossless else "roce-lossy"
    planned = "roce-lossless" if intent.lossless else "roce-lossy" if intent.marks else "best-effort"
    # with packet trimming the profile is stated even if it is the planned one: `trim` needs it beside it
    yield "profile", profile if profile != planned or (trimming and not intent.trim) else None
    if not switch.view.lacks("packet-trim"):
        default = Trim.model_construct()
        running, planned_trim = (
            {trim_key: getattr(trim, trim_key) for trim_key in ("dscp", "size", "traffic_class")} if trim else {}
            for trim in (trimming, intent.trim)
        )
        trim_settings = {trim_key: value for trim_key, value in running.items() if value != getattr(default, trim_key)}
        yield "trim", trim_settings if running and running != planned_trim else None
    if qos is not None and qos.ports:
        # a configuration does not say which of its queues is that of trimmed packets; the trimming does
        qos_with_trim_class = replace(qos, trim_class=trimming.traffic_class if trimming else 0)
        yield from _list_class_keys(draft, switch, qos_with_trim_class, intent)


def _list_class_keys(
    draft: Draft, switch: ComparedSwitch, qos: SwitchQos, intent: QosIntent
) -> Iterator[tuple[str, Any]]:
    """Yield as `_list_qos_keys` the keys on the classes of RoCE and of its notifications (CNP), and the watchdog.

    Queues or DSCPs that no key of `qos` can say become remarks.
    """
    try:
        _, cnp_class, roce_class = qos.classes
        queues = next(iter(qos.ports.values())).queues
        data, notifications = queues[roce_class], queues[cnp_class]
    except (LookupError, StopIteration):
        draft.add_remark(
            "unexplained", f"{switch.view.name}.qos", "its queues are not those of RoCE and of its notifications"
        )
        return
    values: dict[str, Any] = {"roce_class": roce_class, "cnp_class": cnp_class, "roce_percent": data.share}
    for key, traffic_class in (("roce_dscp", roce_class), ("cnp_dscp", cnp_class)):
        dscps = [dscp for dscp, number in enumerate(qos.class_of) if number == traffic_class]
        values[key] = dscps[0] if len(dscps) == 1 else getattr(intent, key)
        if len(dscps) != 1:
            draft.add_remark("unexplained", f"{switch.view.name}.qos.{key}", f"class {traffic_class} has DSCPs {dscps}")
    if data.ecn:
        values["mark_percent"] = data.ecn.percent
    if not switch.view.lacks("cnp-shaping"):
        values["cnp_max_percent"] = notifications.limit
    for key, value in values.items():
        yield key, value if value != getattr(intent, key) else None
    if not switch.view.dialect.ecn_fill:
        yield "ecn", _find_thresholds(switch, qos, intent)
    if qos.watchdog:
        lacks, planned = switch.view.lacks, dict[str, Any](detect_ms=intent.detect_ms)
        planned |= {} if lacks("watchdog-restore") else {"restore_ms": intent.restore_ms}
        planned |= {} if lacks("watchdog-poll") else {"poll_ms": intent.poll_ms}
        planned |= {} if lacks("watchdog-forward") else {"action": intent.watchdog_action}
        running = {key: getattr(qos.watchdog, key) for key in planned}
        yield "watchdog", running if running != planned else None


def _find_thresholds(switch: ComparedSwitch, qos: SwitchQos, intent: QosIntent) -> dict[str, str] | None:
    """Return the ECN thresholds in kB by speed, as {"400G": "150-1500"}; None if all are those that are derived.

    A speed has the thresholds of its first port that marks packets.
    """
    speeds = {port.name: port.speed_gbps for port in switch.view.ports}
    thresholds = dict[int, tuple[int, int]]()  # (least, most) by speed in Gb/s
    for name, port in qos.ports.items():
        marking = next((queue.ecn for queue in port.queues.values() if queue.ecn), None)
        if name in speeds and marking:
            thresholds.setdefault(speeds[name], (marking.low, marking.high))
    if all(
        limits == compute_ecn_thresholds(intent, switch.view.is_lowest, gbps) for gbps, limits in thresholds.items()
    ):
        return None
    return {f"{gbps}G": f"{min_kb}-{max_kb}" for gbps, (min_kb, max_kb) in sorted(thresholds.items())}


def infer_balancing(draft: Draft) -> list[Setting]:
    """Return `routing.load_balance` of fabrics: how switches choose among equal paths, and the seeds of their
    hashes.
    """
    votes = dict[str, Vote]()
    for fabric in (fabric for fabric in draft.list_fabrics() if fabric.tiers):
        switches = [switch for switch in draft.list_switches() if switch.fabric == fabric.name]
        if not switches:
            continue
        modes = find_majority((switch.view.name, mode) for switch in switches if (mode := _find_mode(switch)))
        modes = modes or Vote("hash", len(switches), ())
        seeds, as_derived, ages = dict[str, int](), list[bool](), list[tuple[str, int]]()
        for view, balancing in ((switch.view, switch.running.balancing) for switch in switches):
            if balancing.seed is not None:
                seeds[view.tier.name] = balancing.seed
                as_derived.append(balancing.seed == choose_hash_seed(AUTO, view.tier.name, view.level))
            if balancing.groups:
                ages.append((view.name, balancing.aging_s))
        aging = find_majority(ages)
        value = drop_empty(
            mode=modes.value,
            queue_pairs=any(
                switch.running.balancing.queue_pairs for switch in switches if not switch.view.lacks("hash-queue-pairs")
            )
            or None,
            seeds="auto" if seeds and all(as_derived) else seeds,
            flow_aging_s=aging.value if aging and aging.value != FLOW_AGING_S else 0,
        )
        if modes.value == "dynamic" and any(not switch.view.lacks("packet-spray") for switch in switches):
            text = "`dynamic` or `spray`: what is read of a configuration does not tell which"
            draft.add_remark("unsure", f"fabrics.{fabric.name}.routing.load_balance", text, modes.facts)
        votes[fabric.name] = modes._replace(value=value if len(value) > 1 else modes.value)
    return make_settings_by_fabric(votes, ("routing", "load_balance"), "hash")


def _find_mode(switch: ComparedSwitch) -> str:
    """Return the `mode` of load balancing of a switch, "" if its NOS knows only one."""
    balancing = switch.running.balancing
    if balancing.groups:
        return "cluster"
    if balancing.by_load:
        return "spray" if switch.view.lacks("dynamic-load-balance") else "dynamic"
    by_load = not (switch.view.lacks("dynamic-load-balance") and switch.view.lacks("packet-spray"))
    return "hash" if by_load and switch.view.is_lowest else ""


def infer_sessions(draft: Draft) -> list[Setting]:
    """Return `routing.bfd` and `routing.max_prefixes` by the sessions between switches."""
    names = [fabric.name for fabric in draft.list_fabrics() if fabric.tiers]

    def ask_limit(fabric: str, switch: ComparedSwitch) -> Iterator[int | None]:
        if switch.fabric == fabric:
            running = {find_limit(peer) for peer in list_inner_peers(switch)}
            planned = 0 if is_routed_by_daemon(switch.view) else switch.view.fabric.max_prefixes
            if running:
                yield None if running == {planned} else max(running)

    bfd = draft.collect_votes(
        names, lambda fabric, s: [write_bfd(peer.bfd) for peer in list_inner_peers(s) if s.fabric == fabric]
    )
    limits = {name: vote for name, vote in draft.collect_votes(names, ask_limit).items() if vote.value is not None}
    return make_settings_by_fabric(bfd, ("routing", "bfd"), False) + make_settings_by_fabric(
        limits, ("routing", "max_prefixes")
    )


def find_limit(peer: Peer) -> int:
    """Return the most prefixes that a neighbour may announce in any address family, 0 if there is no limit."""
    return max(peer.max_prefixes.values(), default=0)


def write_bfd(bfd: SessionBfd | None) -> bool | Mapping[str, int]:
    """Return `bfd` as a page has it: whether it is on, or its timers if these are not the default ones."""
    if bfd is None or bfd == SessionBfd():
        return bfd is not None
    return {"interval_ms": bfd.interval_ms, "multiplier": bfd.multiplier}


def list_inner_peers(switch: ComparedSwitch) -> Iterator[Peer]:
    """Yield the BGP sessions of the default VRF over links to other switches."""
    bgp = switch.running.bgp.get("")
    names = {port.name for port in switch.list_links()}
    addresses = {end.address for name in names for end in switch.far_ends.get(name, ())}
    for neighbor, peer in bgp.peers.items() if bgp else ():
        if neighbor in names or neighbor in addresses:
            yield peer
