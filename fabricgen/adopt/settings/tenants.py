"""Tenants and what they share: VRFs that are of no fabric, by the nodes and extra devices whose ports are in them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from fabricgen.adopt.settings.draft import EVERY, Draft, Pair, Stated
from fabricgen.adopt.settings.forms import find_vlans
from fabricgen.switch.routing import Permit
from fabricgen.wiring.tables import NODE


class _Places(NamedTuple):
    """Where a VRF is: (pod, unit, node) slots, sets of extra devices, fabrics, and ports."""

    slots: set[tuple[int, int, int]]
    extras: set[str]
    fabrics: set[str]
    ports: list[str]


def infer_tenants(draft: Draft) -> list[Stated]:
    """Tenants of the page, and leaks between VRFs."""
    design = draft.cluster.design
    of_fabrics = {fabric.vrf for fabric in draft.list_fabrics()}
    places = {vrf: place for vrf, place in _find_places(draft).items() if vrf and vrf not in of_fabrics}
    stated = list[Stated]()
    for vrf, place in sorted(places.items()):
        spec: dict[str, Any] = {}
        if place.slots:
            spec["nodes"] = list(_write_slots(draft, place.slots))
        if place.extras:
            spec["extra"] = sorted(place.extras)
        usual = {f.name for f in draft.cluster.design.fabrics if not f.manages and _attaches(f, place, design)}
        if place.fabrics != usual:
            spec["fabrics"] = [f.name for f in design.fabrics if f.name in place.fabrics]
        stated.append(Stated(("tenants", vrf), spec, len(place.ports)))
    return stated


def _attaches(fabric: Any, place: _Places, design: Any) -> bool:
    owner = design.fabric(fabric.carrier) if fabric.shares_ports else fabric
    return bool(place.slots and owner.node_sets) or any(extra.name in place.extras for extra in fabric.extras)


def _find_places(draft: Draft) -> dict[str, _Places]:
    """By VRF, the ports of hosts that are in it."""
    devices, places = draft.cluster.plan.devices, dict[str, _Places]()
    row_of = {name: row for row, name in enumerate(draft.cluster.names)}
    extras = {(f.name, device): e.name for f in draft.list_fabrics() for e in f.extras for device in e.devices}
    for pair in draft.iterate_pairs(draft.cluster, EVERY):
        for port in pair.view.ports:
            if port.role not in ("host", "exit"):
                continue
            for fabric, vrf in _find_vrfs(pair, port.name, port.service, port.shared):
                place = places.setdefault(vrf, _Places(set(), set(), set(), []))
                place.fabrics.add(fabric)
                place.ports.append(f"{pair.view.name} {port.name}")
                row = row_of[port.peer]
                if devices.classes[devices.device_class[row]].kind == NODE:
                    place.slots.add((int(devices.pod[row]), int(devices.su[row]) + 1, int(devices.node[row]) + 1))
                elif (fabric, port.peer) in extras:
                    place.extras.add(extras[fabric, port.peer])
    return places


def _find_vrfs(pair: Pair, port: str, service: str, shared: Iterable[str]) -> Iterator[tuple[str, str]]:
    """(fabric, VRF) of a port: of its addresses, or of the gateway of each of its VLANs, in the order of these."""
    interface = pair.running.interfaces.get(port)
    if interface is None:
        return
    if interface.addresses:
        yield service, interface.vrf
        return
    untagged, tagged = find_vlans(pair.running, port)
    vlans = [vlan for vlan in (untagged, *tagged) if vlan in pair.running.vlans]
    for fabric, vlan in zip((service, *shared), vlans, strict=False):
        yield fabric, pair.running.vlans[vlan].vrf


def _write_slots(draft: Draft, slots: set[tuple[int, int, int]]) -> Iterator[str]:
    """Slots in the fewest words: whole pods, whole units, a node of all units, single nodes."""
    devices, names = draft.cluster.plan.devices, [pod.name for pod in draft.cluster.design.layout.pods]
    columns, rest = (devices.pod, devices.su, devices.node), set(slots)
    members: dict[tuple[int, str], set[tuple[int, int, int]]] = defaultdict(set)
    for rows in (cls.rows for cls in devices.classes if cls.kind == NODE):
        for pod, su, node in zip(*(column[rows].tolist() for column in columns), strict=True):
            unit, slot = f"{names[pod]}/su-{su + 1}", f"node-{node + 1}"
            for depth, text in enumerate((names[pod], unit, f"{names[pod]}/su-*/{slot}", f"{unit}/{slot}")):
                members[depth, text].add((pod, su + 1, node + 1))
    for (_, text), covered in sorted(members.items(), key=lambda entry: (entry[0][0], min(entry[1]))):
        if covered <= rest:
            rest -= covered
            yield text


def infer_leaks(draft: Draft) -> list[Stated]:
    """Leaks between pairs of VRFs, with the prefixes that are shown where these are not all of a VRF's hosts."""
    shown: dict[tuple[str, str], set[Permit]] = defaultdict(set)
    facts, fabrics = dict[frozenset[str], int](), dict[frozenset[str], set[str]]()
    for pair in draft.list_pairs():
        for vrf, bgp in pair.running.bgp.items():
            for source, policy in bgp.leaks.items():
                both = frozenset((vrf, source))
                facts[both] = facts.get(both, 0) + 1
                fabrics.setdefault(both, set()).add(pair.fabric)
                shown[source, vrf] |= policy.permits
    pools = {prefix for fabric in draft.list_fabrics() for prefix in draft.cluster.intent(fabric).host_pools}
    stated = list[Stated]()
    for both in sorted(facts, key=sorted):
        a, b = sorted(both)
        prefixes = {
            vrf or "default": sorted(permit.prefix for permit in shown[vrf, into])
            for vrf, into in ((a, b), (b, a))
            if {permit.prefix for permit in shown[vrf, into]} - pools
        }
        spec: dict[str, Any] = {"between": [a or "default", b or "default"]}
        if prefixes:
            spec["prefixes"] = prefixes
        stated.append(Stated(("leaks", f"{a or 'default'}-{b or 'default'}"), spec, facts[both]))
    return stated
