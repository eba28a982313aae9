"""The form of a network: the NOS of each tier, families, underlay and overlay, how hosts attach, VLANs, VRFs, bonds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from fabricgen.adopt.settings.draft import Draft, Pair, Stated, Vote, find_majority, state_by_fabric
from fabricgen.design.linked import group_linked_fabrics
from fabricgen.design.tenants.overlay import FIRST_VNI
from fabricgen.numbering.addresses.demand import LEAST_HOSTS
from fabricgen.switch.model import Switch

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
