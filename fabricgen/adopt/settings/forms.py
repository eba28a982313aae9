"""The form of a network: the NOS of each tier, families, underlay and overlay, how hosts attach, VLANs, VRFs, bonds."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from fabricgen.adopt.settings.draft import Draft, Pair, Stated, Vote, find_majority, state_by_fabric
from fabricgen.design.linked import find_fabric_overlay, group_linked_fabrics
from fabricgen.design.tenants.overlay import FIRST_VNI
from fabricgen.switch.model import Switch
from fabricgen.views.switch import SwitchPort


def infer_nos(draft: Draft) -> list[Stated]:
    """The NOS of all switches in one word or, where they differ, that of each tier of a fabric."""
    votes: dict[str, dict[str, Vote]] = defaultdict(dict)
    names_by_class: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in draft.cluster.switch_rows():
        cls = draft.cluster.plan.devices.classes[draft.cluster.plan.devices.device_class[row]]
        if draft.cluster.names[row] in draft.switches:
            names_by_class[cls.fabric, cls.tier].append(draft.cluster.names[row])
    for (fabric, tier), names in names_by_class.items():
        if vote := find_majority((name, draft.switches[name].nos) for name in names):
            votes[fabric][tier] = vote
    words = Counter(vote.value for tiers in votes.values() for vote in tiers.values())
    if not words:
        return []
    top = words.most_common(1)[0][0]
    facts = sum(vote.facts for tiers in votes.values() for vote in tiers.values() if vote.value == top)
    stated = [Stated(("nos",), top, facts)]
    for fabric, tiers in votes.items():
        values = {tier: vote.value for tier, vote in tiers.items()}
        against = tuple(name for vote in tiers.values() for name in vote.against)
        count = sum(vote.facts for vote in tiers.values())
        if set(values.values()) != {top}:
            value = values if len(set(values.values())) > 1 else next(iter(values.values()))
            stated.append(Stated(("fabrics", fabric, "nos"), value, count, against))
    return stated


def infer_links(draft: Draft) -> list[Stated]:
    """Families and underlay, alike in all fabrics that are linked, and overlay."""
    design = draft.cluster.design
    owners = [fabric.name for fabric in draft.list_fabrics() if fabric.tiers]
    part_of = {name: part[0] for part in group_linked_fabrics(design.loaded.blueprint.fabrics) for name in part}
    families, underlays, overlays = dict[str, Vote](), dict[str, Vote](), dict[str, Vote]()
    for part in dict.fromkeys(part_of[name] for name in owners):
        members = [name for name in owners if part_of[name] == part]
        pairs = [pair for pair in draft.list_pairs() if pair.fabric in members]
        ip = find_majority((pair.view.name, word) for pair in pairs if (word := _name_families(pair.running)))
        links = find_majority((pair.view.name, word) for pair in pairs if (word := _name_underlay(pair)))
        evpn = any(pair.running.overlay for pair in pairs)
        for name in members:
            if ip:
                families[name] = ip
            if links:
                underlays[name] = links
            overlays[name] = Vote("evpn" if evpn else "none", len(pairs), ())
    stated = state_by_fabric(families, ("ip",), "v4")
    stated += state_by_fabric(underlays, ("routing", "underlay"), "ebgp-numbered")
    return stated + state_by_fabric(overlays, ("routing", "overlay"), "none")


def _name_families(running: Switch) -> str:
    """The families of a switch by its loopbacks, "" where it has none."""
    words = {"v6" if ":" in address else "v4" for address in running.loopbacks}
    return "dual" if len(words) > 1 else next(iter(words), "")


def _name_underlay(pair: Pair) -> str:
    """How a switch reaches others; "" where its links do not tell."""
    running, ports = pair.running, [port for port in pair.list_links() if port.name in pair.running.interfaces]
    if running.srv6:
        return "srv6"
    bgp = running.bgp.get("")
    interfaces = [running.interfaces[port.name] for port in ports]
    if not interfaces:
        return "ebgp-numbered" if bgp else ""
    if bgp and any(port.name in bgp.peers for port in ports):
        return "ebgp-unnumbered"
    if any(interface.addresses for interface in interfaces):
        return "ebgp-numbered" if bgp else "static"
    return "none"


def infer_hosts(draft: Draft) -> list[Stated]:
    """How the hosts of each fabric attach: routed or bridged, in which VLAN and VRF, bonded or not."""
    fabrics = {fabric.name: fabric for fabric in draft.list_fabrics()}
    hosts = draft.count_votes(fabrics, _find_host_forms)
    stated = [
        Stated(("fabrics", name, "hosts"), vote.value, vote.facts, vote.against)
        for name, vote in hosts.items()
        if vote.value != fabrics[name].hosts
    ]
    for key, ask in (("bond", _find_bonds), ("lacp_fallback", _find_fallbacks)):
        for name, vote in draft.count_votes(fabrics, ask).items():
            present = getattr(draft.cluster.design.loaded.blueprint.fabrics[name], key) or None
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
    running, vlans, addressed, seen = pair.running, set[int](), False, False
    for port in pair.list_hosts(fabric):
        interface, (untagged, tagged) = running.interfaces.get(port.name), find_vlans(running, port.name)
        if interface is None or _leads_outside(pair, port):
            continue
        seen, addressed = True, addressed or bool(interface.addresses)
        vlans |= {vlan for vlan in (untagged, *tagged[: not untagged]) if vlan}
    if seen:
        plain = {vlan for vlan in vlans if vlan in running.vlans and not running.vlans[vlan].vrf}
        yield "routed" if addressed else "none" if not vlans else "rail-subnets" if len(plain) > 1 else "bridged"


def _leads_outside(pair: Pair, port: SwitchPort) -> bool:
    """Whether a port has a session or a static route over it, as one of hosts has not."""
    return port.name in pair.far_ends


def _find_bonds(fabric: str, pair: Pair) -> Iterator[str]:
    """`node` or `nic` for each host of a fabric by what of its ports is one bond, "" for none."""
    bonds_by_host: dict[str, list[int]] = defaultdict(list)
    for port in pair.list_hosts(fabric):
        if port.name in pair.running.interfaces and not _leads_outside(pair, port):
            bonds_by_host[port.peer].append(max(0, pair.running.interfaces[port.name].bond))
    for bonds in bonds_by_host.values():
        several = {bond for bond in bonds if bond}
        if len(several) > 1 or not several or len(bonds) > 1 or _is_shared(pair, next(iter(several))):
            yield "" if not several else "nic" if len(several) > 1 else "node"


def _is_shared(pair: Pair, bond: int) -> bool:
    """Whether a bond has ports on another switch, too."""
    running = pair.running.bonds.get(bond)
    return bool(running and (running.mlag_id or running.segment))


def _find_fallbacks(fabric: str, pair: Pair) -> Iterator[bool]:
    numbers = {
        pair.running.interfaces[p.name].bond for p in pair.list_hosts(fabric) if p.name in pair.running.interfaces
    }
    yield from (pair.running.bonds[number].fallback for number in sorted(numbers) if number in pair.running.bonds)


def infer_pairs(draft: Draft) -> list[Stated]:
    """What bonds over two switches of a tier take: EVPN multihoming, or MLAG where not every image has that."""
    ballots: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for pair in draft.list_pairs():
        by_image = draft.catalog.naming(pair.nos).configuration.pairs.mlag_by_image
        segments = any(bond.segment for bond in pair.running.bonds.values())
        word = "evpn" if segments else "mclag" if pair.running.pair and by_image else ""
        ballots[pair.fabric, pair.view.tier.name].append((pair.view.name, word))
    majorities = {key: vote for key, votes in ballots.items() if (vote := find_majority(votes)) and vote.value}
    return [Stated(("fabrics", f, "tiers", t, "pair"), vote.value, vote.facts) for (f, t), vote in majorities.items()]


def infer_vlans(draft: Draft) -> list[Stated]:
    """VLANs and VRFs of fabrics, by the place that each has among the VLANs of a port as planned and as it runs."""
    vlans: dict[str, list[tuple[str, int]]] = defaultdict(list)
    vrfs: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for pair in draft.list_pairs():
        least = dict[str, int]()
        for fabric, vlan in _match_vlans(pair):
            least[fabric] = min(vlan, least.get(fabric, vlan))
            if vlan in pair.running.vlans:
                vrfs[fabric].append((pair.view.name, pair.running.vlans[vlan].vrf))
        for fabric, vlan in least.items():
            vlans[fabric].append((pair.view.name, vlan))
        for port in pair.view.ports:
            interface = pair.running.interfaces.get(port.name)
            if port.role == "host" and interface and interface.addresses and not _leads_outside(pair, port):
                vrfs[port.service].append((pair.view.name, interface.vrf))
    stated, design = list[Stated](), draft.cluster.design
    known = {tenant.name for tenant in design.tenants}
    for fabric, ballots in vlans.items():
        vote = find_majority(ballots)
        if vote and vote.value != draft.cluster.intent(design.fabric(fabric)).vlan:
            stated.append(Stated(("fabrics", fabric, "vlan"), vote.value, vote.facts, vote.against))
    for fabric, of_ports in vrfs.items():
        vote = find_majority((name, vrf) for name, vrf in of_ports if vrf not in known)
        planned = design.fabric(fabric)
        if vote and planned.vrf and vote.value != planned.vrf:
            stated.append(Stated(("fabrics", fabric, "vrf"), vote.value or "default", vote.facts, vote.against))
    return stated


def _match_vlans(pair: Pair) -> Iterator[tuple[str, int]]:
    """(fabric, VLAN that runs) of the planned VLANs of host ports: untagged by untagged, tagged in their order."""
    services = {service.vlan: service.fabric for service in pair.view.services if not service.tenant}
    for port in pair.view.ports:
        if port.role == "host" and not port.tenant:
            planned, running = pair.view.list_vlans(port), find_vlans(pair.running, port.name)
            for planned_vlan, vlan in ((planned[0], running[0]), *zip(planned[1], running[1], strict=False)):
                if planned_vlan in services and vlan:
                    yield services[planned_vlan], vlan


def infer_vnis(draft: Draft) -> list[Stated]:
    """The first VNI of fabrics over EVPN, by how far numbers are from those planned."""
    blueprint, stated = draft.cluster.design.loaded.blueprint, list[Stated]()
    votes = draft.count_votes([f.name for f in draft.list_fabrics() if f.tiers], _find_first_vni)
    for fabric, vote in votes.items():
        routing = blueprint.fabrics[fabric].routing
        present = routing.first_vni or blueprint.routing.first_vni or FIRST_VNI
        if vote.value and find_fabric_overlay(blueprint, fabric) == "evpn":
            votes[fabric] = vote._replace(value=present + vote.value)
            stated.append(Stated(("fabrics", fabric, "routing", "first_vni"), present + vote.value, vote.facts))
    return stated


def _find_first_vni(fabric: str, pair: Pair) -> Iterator[int]:
    planned, running = pair.view.overlay, pair.running.overlay
    if pair.fabric == fabric and planned and running:
        common = planned.vrfs.keys() & running.vrfs.keys()
        yield from (running.vrfs[name].vni - planned.vrfs[name].vni for name in sorted(common))
