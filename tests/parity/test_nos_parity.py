"""The same fabric on every NOS that its hardware can run: it renders, and the switches are told the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache

import pytest

from fabricgen.catalog.loader import Catalog
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.kernel.nos_rooms import list_nos
from fabricgen.render.nos_protocol import known_nos
from fabricgen.switch.interfaces import Interface
from fabricgen.switch.model import Switch, list_differences
from fabricgen.views.model.ports import place_ports
from fabricgen.views.switch import SwitchView
from tests.conftest import SMALLER
from tests.parity.asked import MANAGED, TUNED
from tests.parity.nos_differences import BGPCFGD, CUMULUS, DIFFERENCES, Difference, levelled
from tests.parity.switches import Files, first, read, switches_of, wanted
from tests.render.rendered import (
    BFD,
    BRIDGED,
    DUAL,
    EXAMPLES,
    ONE_NUMBER,
    RAILS,
    STATIC,
    UNNUMBERED,
    V6,
    cluster_of,
)

PER_TIER = 2
RENDERED = known_nos(whole_fabric=False)
ARISTA = tuple(f"fabrics.compute.tiers.{tier}.switch=7060dx5-32" for tier in ("leaf", "spine"))
"""A switch that runs two NOSes, in the place of one that runs other two."""

ASKED = MANAGED + TUNED
OVER_EVPN = ("routing.overlay=evpn", "tenants={blue: {nodes: [p1/su-1]}}")
LOSSY = ("qos={profile: roce-lossy, roce_percent: 60}",)
VARIANTS = [
    ("leaf-spine", ARISTA + sets)
    for sets in (
        (),
        UNNUMBERED,
        BRIDGED,
        STATIC,
        DUAL,
        V6 + UNNUMBERED,
        DUAL + RAILS,
        ONE_NUMBER,
        BFD,
        MANAGED,
        ASKED,
        LOSSY,
    )
] + [("leaf-spine", ASKED)]
CASES = [(name, SMALLER.get(name, ())) for name in EXAMPLES] + VARIANTS


def can_run(tier: TierDesign, nos: str, catalog: Catalog) -> bool:
    """Whether the switches of a tier run a NOS, and the catalogue knows their ports in it."""
    return nos in tier.profile.nos and (nos != "sonic" or catalog.sonic_platform(tier.profile.id) is not None)


def ethernet(name: str, sets: tuple[str, ...]) -> list[FabricDesign]:
    return [f for f in cluster_of(name, *sets).design.fabrics if f.protocol != "infiniband" and f.tiers]


@cache
def on(name: str, sets: tuple[str, ...], nos: str) -> tuple[str, ...]:
    """What to set so that every tier that can run a NOS does, and the others stay as they are."""
    catalog = cluster_of(name, *sets).design.catalog
    found = []
    for fabric in ethernet(name, sets):
        able = {t.name for t in fabric.tiers if can_run(t, nos, catalog)}
        tiers = {tier.name: nos if tier.name in able else tier.nos for tier in fabric.tiers}
        words = ", ".join(f"{tier}: {word}" for tier, word in tiers.items())
        found.append(f"fabrics.{fabric.name}.nos={{{words}}}")
    return (*sets, *found)


def nos_of(name: str, sets: tuple[str, ...]) -> list[str]:
    """Every NOS that some tier of an example can run."""
    catalog = cluster_of(name, *sets).design.catalog
    tiers = [tier for fabric in ethernet(name, sets) for tier in fabric.tiers]
    return [nos for nos in RENDERED if any(can_run(tier, nos, catalog) for tier in tiers)]


every_case = pytest.mark.parametrize(
    ("name", "sets"), CASES, ids=lambda v: "+".join(part.partition("=")[2] for part in v) if isinstance(v, tuple) else v
)


@pytest.mark.tenth
@every_case
@pytest.mark.slow
def test_an_example_is_the_same_on_every_nos(name: str, sets: tuple[str, ...]) -> None:
    """Renders on each, says there what was planned, and says the same on any two."""
    sides: dict[str, dict[str, Switch]] = {}
    for nos in nos_of(name, sets):
        cluster = cluster_of(name, *on(name, sets, nos))
        for switch, files in switches_of(name, on(name, sets, nos), PER_TIER):
            form = read(switch, files)
            found = list(list_differences(form, wanted(cluster, switch)))
            assert not found, f"{switch.name} on {switch.tier.nos}\n{first(found)}"
            sides.setdefault(switch.name, {})[kind_of(switch, files)] = in_place(switch, form, cluster.design.catalog)
    for device, forms in sides.items():
        for kind, other in pairs(forms):
            found = list(compared(forms, kind, other))
            assert not found, f"{device} on {kind} and on {other}\n{first(found)}"


def kind_of(switch: SwitchView, files: Files) -> str:
    by_bgpcfgd = switch.tier.nos == "sonic" and "frr.conf" not in files and switch.asn
    return BGPCFGD if by_bgpcfgd else switch.tier.nos


def rename_ports(switch: Switch, name: Callable[[str], str]) -> Switch:
    """The same switch with other names of its ports; names of sessions that are addresses stay."""

    def peer_name(key: str, ports: Mapping[str, Interface]) -> str:
        return name(key) if key in ports else key

    return replace(
        switch,
        interfaces={name(port): value for port, value in switch.interfaces.items()},
        unused=frozenset(map(name, switch.unused)),
        subinterfaces={(name(port), vlan): value for (port, vlan), value in switch.subinterfaces.items()},
        bonds={
            number: replace(bond, members=frozenset(map(name, bond.members))) for number, bond in switch.bonds.items()
        },
        pair=switch.pair and replace(switch.pair, members=frozenset(map(name, switch.pair.members))),
        bgp={
            vrf: replace(bgp, peers={peer_name(key, switch.interfaces): peer for key, peer in bgp.peers.items()})
            for vrf, bgp in switch.bgp.items()
        },
        routes={
            key: replace(route, hops=frozenset((name(port), hop) for port, hop in route.hops))
            for key, route in switch.routes.items()
        },
        balancing=replace(
            switch.balancing,
            groups={host: frozenset(map(name, ports)) for host, ports in switch.balancing.groups.items()},
        ),
        qos=switch.qos and replace(switch.qos, ports={name(port): value for port, value in switch.qos.ports.items()}),
        trimming=switch.trimming
        and replace(switch.trimming, ports={name(port): value for port, value in switch.trimming.ports.items()}),
    )


def in_place(switch: SwitchView, form: Switch, catalog: Catalog) -> Switch:
    """A switch with its ports by their places on the face."""
    names = place_ports(switch, catalog)
    form = replace(form, management=replace(form.management, from_loopback=False))  # bgpcfgd of SONiC does it unasked
    return rename_ports(form, names.__getitem__)


def pairs(forms: dict[str, Switch]) -> Iterator[tuple[str, str]]:
    kinds = sorted(forms)
    yield from ((kind, other) for n, kind in enumerate(kinds) for other in kinds[n + 1 :])


def compared(forms: dict[str, Switch], kind: str, other: str, leave: str = "") -> Iterator[str]:
    """What two forms of one switch differ in beside what they may."""
    kinds = frozenset({kind, other})
    return list_differences(levelled(forms[kind], kinds, leave), levelled(forms[other], kinds, leave))


@pytest.mark.tenth
@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda difference: difference.what)
def test_every_difference_that_is_allowed_is_there(difference: Difference) -> None:
    """Of the lowest switches of examples on two NOSes, and a wide spine: no entry of the table is dead."""
    wide = difference.what == "most equal paths"
    nvidia = difference.kinds == CUMULUS or difference.what == "pairs"
    seen = False
    of_nvidia = [("leaf-spine", ()), ("leaf-spine", ASKED), ("superpod-b200", ()), ("bonded-pair", ())]
    of_nvidia = [("full-cluster", ())] if wide else of_nvidia
    of_arista = [("leaf-spine", ARISTA + more) for more in ((), ASKED, BRIDGED, OVER_EVPN)]
    for name, sets in of_nvidia if nvidia else of_arista:
        sides: dict[str, dict[str, Switch]] = {}
        for nos in ("sonic", "cumulus" if nvidia else "eos"):
            catalog = cluster_of(name, *on(name, sets, nos)).design.catalog
            for switch, files in switches_of(name, on(name, sets, nos), PER_TIER):
                if switch.is_lowest or wide:
                    form = in_place(switch, read(switch, files), catalog)
                    sides.setdefault(switch.name, {})[kind_of(switch, files)] = form
        for forms in sides.values():
            kind, other = sorted(forms)
            seen |= bool(list(compared(forms, kind, other, leave=difference.what)))
            assert not list(compared(forms, kind, other))
    assert seen


def test_switches_of_both_vendors_run_two_nos() -> None:
    """What is compared is not a thing with itself."""
    assert nos_of("leaf-spine", ARISTA) == [nos for nos in RENDERED if nos in ("eos", "sonic")]
    assert len(nos_of("mi300x-roce", ())) > 1


def test_every_nos_of_switches_is_read_back() -> None:
    """A NOS without a reader would be compared with nothing."""
    assert set(RENDERED) <= set(list_nos("reader"))
