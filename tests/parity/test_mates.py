"""A switch of a pair tells its mate what came from above, and those above its own routes alone, on every NOS."""

from __future__ import annotations

import re

import pytest

from fabricgen.switch.model import list_differences
from tests.parity.switches import first, read, switches_of, wanted
from tests.render.rendered import BFD, BRIDGED, DUAL, EVPN_LEAKS, LEAKS, UNNUMBERED, V6, cluster_of

NOSES = ("cumulus", "eos", "sonic")
BONDED = (*BRIDGED, "fabrics.compute.bond=node")
DRAINED = "config_of.compute-leaf-p1-su01-01.maintenance=true"
OWN_EXIT = (
    "fabrics.compute.extra.wan={device: external-router, names: [wan-1, wan-2], ports: 1, to: leaf, speed: 200G}",
    "fabrics.compute.exits.wan={to: wan, asn: 65101, announce: [172.16.0.0/16]}",
)
OF_VRF = ("routing.overlay=none",)
CASES: dict[str, tuple[str, tuple[str, ...]]] = {
    "routed-dual": ("leaf-spine", (*DUAL, *BFD)),
    "routed-unnumbered-drained": ("leaf-spine", (*DUAL, *UNNUMBERED, DRAINED)),
    "bonded-v6": ("leaf-spine", (*BONDED, *V6)),
    "bonded-dual-drained": ("leaf-spine", (*BONDED, *DUAL, DRAINED)),
    "leaks-dual": ("leaf-spine", (*DUAL, *LEAKS)),
    "leaks-over-evpn": ("leaf-spine", EVPN_LEAKS),
    "vrfs": ("evpn-guests", OF_VRF),
    "vrfs-dual-drained": ("evpn-guests", (*OF_VRF, *DUAL, DRAINED)),
    "evpn": ("evpn-guests", ()),
    "evpn-drained": ("evpn-guests", (DRAINED, "config_of.compute-spine-01.maintenance=true")),
    "evpn-dual-unnumbered": ("evpn-guests", (*DUAL, *UNNUMBERED)),
    "exits-above": ("two-exits", DUAL),
    "exits-drained": ("two-exits", (*DUAL, DRAINED)),
    "exits-of-the-pair": ("two-exits", (*DUAL, *OWN_EXIT)),
    "exits-of-a-tenant": ("two-exits", (*DUAL, "tenants={blue: {nodes: [p1/su-1/node-1], extra: [wan]}}")),
}


def pairs(nos: str, name: str, sets: tuple[str, ...]) -> tuple[str, ...]:
    """An example with pairs of leaves below its spines."""
    model, speed = (
        ("7060x6-64de" if name == "evpn-guests" else "7060dx5-64s", "400G") if nos == "eos" else ("sn5600", "800G")
    )
    links = f"peer: 2 x {speed}, uplinks: 2 x {speed}"
    tiers = {"leaf": f"{{switch: {model}, per: su, count: 2, spread: stripe, {links}}}"}
    tiers["spine"] = f"{{switch: {model}, count: 2}}"
    border = ("fabrics.compute.tiers.border.switch=7060x6-64pe",) if nos == "eos" and name == "two-exits" else ()
    return (f"nos={nos}", *sets, *(f"fabrics.compute.tiers.{tier}={text}" for tier, text in tiers.items()), *border)


@pytest.mark.tenth
@pytest.mark.parametrize("nos", NOSES)
@pytest.mark.parametrize("case", CASES)
def test_mates_hear_what_came_from_above(nos: str, case: str) -> None:
    name, sets = CASES[case]
    sets = pairs(nos, name, sets)
    cluster, seen = cluster_of(name, *sets), 0
    for switch, files in switches_of(name, sets):
        form = read(switch, files)
        found = list(list_differences(form, wanted(cluster, switch)))
        assert not found, f"{switch.name}\n{first(found)}"
        mates = {port.peer for port in switch.ports if port.role == "peer"}
        by_port = {port.name: port.peer for port in switch.ends}
        for vrf, bgp in form.bgp.items():
            for key, peer in bgp.peers.items():
                told = by_port.get(key) or peer.description.split()[0]
                if mates and peer.policy_out and " exit " not in peer.description:
                    assert peer.policy_out.own_only is (told not in mates), (switch.name, vrf, key)
                    seen += told in mates
        for over in form.overlay.peers.values() if form.overlay and mates else ():
            assert over.own_only is (over.description not in mates)
            seen += over.description in mates
    assert seen >= 2


@pytest.mark.parametrize("nos", NOSES)
def test_a_mate_that_hears_own_routes_alone_is_found_out(nos: str) -> None:
    """In the default VRF and in one over sub-interfaces."""
    sets = pairs(nos, "evpn-guests", OF_VRF)
    cluster = cluster_of("evpn-guests", *sets)
    switch, files = next((s, f) for s, f in switches_of("evpn-guests", sets) if s.is_lowest)
    for to_mates in ("route-map FABRIC-PEER out", "route-map: FABRIC-PEER", "route-map PEER-", "route-map: PEER-"):
        as_to_spines = to_mates.replace("PEER", "OUT")
        wrong = {
            n: "\n".join(_changed(line, to_mates, as_to_spines) for line in t.splitlines()) for n, t in files.items()
        }
        if (": " in to_mates) is (nos == "cumulus"):
            found = [str(line) for line in list_differences(read(switch, wrong), wanted(cluster, switch))]
            assert found
            assert all("policy_out.own_only" in line for line in found)


def test_a_mate_that_hears_own_routes_alone_over_evpn_is_found_out() -> None:
    """The map of the session for EVPN."""
    sets = pairs("sonic", "evpn-guests", ())
    switch, files = next((s, f) for s, f in switches_of("evpn-guests", sets) if s.is_lowest)
    wrong = {n: t.replace("route-map OVERLAY-PEER out", "route-map OVERLAY-OUT out") for n, t in files.items()}
    assert wrong != files
    found = list(list_differences(read(switch, wrong), wanted(cluster_of("evpn-guests", *sets), switch)))
    assert len(found) == 1
    assert ".own_only: True, wanted False" in str(found[0])


@pytest.mark.parametrize("nos", NOSES)
def test_a_drain_that_leaves_out_the_overlay_is_found_out(nos: str) -> None:
    sets = pairs(nos, "evpn-guests", (DRAINED,))
    switch, files = next((s, f) for s, f in switches_of("evpn-guests", sets) if s.maintenance)
    starts = r"^(          )?(route-map )?OVERLAY-(OUT|PEER)( permit 10|:)$"
    for number in range(2):
        wrong = {n: _without_drain(t, starts, number) for n, t in files.items()}
        assert wrong != files
        with pytest.raises(ValueError, match=r"some sessions are drained, and others are not"):
            read(switch, wrong)


def _without_drain(text: str, starts: str, number: int) -> str:
    """A text of which one of the maps that begin so sets nothing."""
    maps = [found.start() for found in re.finditer(starts, text, re.M)][number : number + 1]
    for at in maps:
        text = text[:at] + re.sub(r"(^ +set(: | as-path| community).*\n)+", "", text[at:], count=1, flags=re.M)
    return text


def _changed(line: str, old: str, new: str) -> str:
    """A line that says what a session announces, changed; not the map itself."""
    return line.replace(old, new) if line.endswith(" out") or "outbound" in line else line
