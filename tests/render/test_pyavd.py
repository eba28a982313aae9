"""EOS against an independent template set: Arista's pyavd renders what the plan says, and both texts are one tree.

Arista's schema accepts the structured config, so what is compared is what EOS knows: speeds, ranges, keys. A difference
that is meant stands in `ACCEPTED` with its reason.
"""

from __future__ import annotations

import pytest
from avd_structured import structured_config
from config_tree import Tree, differences, tree_of
from pyavd import get_device_config, validate_structured_config
from test_services import BRIDGED as BRIDGED_GUEST
from test_services import BRIDGED_VRF, ROUTED_VRF, converged
from test_services import files_of as files_of_view

from fabricgen.catalog.loader import Catalog
from fabricgen.nos.eos.statements import read_statements
from fabricgen.render.engine import Renderer, make_render_options
from fabricgen.views.asked import list_asked_intents
from fabricgen.views.service import Service
from fabricgen.views.switch import SwitchView
from tests.laws import law_cases
from tests.render.rendered import (
    ALL_EOS,
    BARE,
    BFD,
    BRIDGED,
    BY_HAND,
    COPPER,
    DUAL,
    EVPN_EOS,
    EVPN_LEAKS,
    EVPN_PAIRS,
    LEAKS,
    MANAGED,
    ONE_NUMBER,
    PER_RACK,
    RADIUS,
    RAILS,
    STATIC,
    TUNED,
    UNNUMBERED,
    V6,
    cluster_of,
)

PAIR = ("nos=eos", "fabrics.compute.tiers.leaf.switch=7060x6-64pe-b", "fabrics.oob.nos=sonic")

MLAG = (
    "nos={leaf: eos}",
    "fabrics.oob.nos=cumulus",
    "fabrics.inband.tiers.leaf.switch=7060dx5-32",
    "fabrics.storage.tiers.leaf.switch=7060dx5-32",
)
PAIRED = "{{switch: {}, per: su, count: 2, spread: stripe, peer: 2 x 400G, uplinks: 2 x 400G}}"
MATES = (*ALL_EOS, "fabrics.compute.tiers.leaf=" + PAIRED.format("7060dx5-64s"))
EVPN_MATES = (*EVPN_EOS, "fabrics.compute.tiers.leaf=" + PAIRED.format("7060x6-64de"))
LEAF_DRAINED = "config_of.compute-leaf-p1-su01-01.maintenance=true"
EVPN_DRAINED = (LEAF_DRAINED, "config_of.compute-spine-01.maintenance=true")
ONE_LEAF = ("fabrics.compute.tiers.leaf.per=su",)

ENCRYPTED = "fabrics.across.spans.haul.macsec={ckn: 0123456789abcdef0123456789abcdef, cak: 'env:FABRICGEN_CAK'}"
ADVERTISED = ("fabrics.compute.router_advertisements={resolvers: ['fd00:99::53'], other: true}",)
FILES_RELAY = ("fabrics.files.dhcp={servers: 10.99.0.9}", "fabrics.inband.router_advertisements=false")
RELAY = ("fabrics.compute.dhcp={servers: [10.99.0.10, 'fd00:99::9', 10.99.0.9]}",)

EXIT = "fabrics.compute.exits.wan="
BORDERS = (
    "nos=eos",
    *(f"fabrics.compute.tiers.{tier}.switch=7060dx5-64s" for tier in ("leaf", "spine")),
    "fabrics.compute.tiers.border.switch=7060x6-64pe",
)
POOL_EXIT = f"{EXIT}{{to: wan, asn: 65101, prefer: backup, announce: [172.16.0.0/16], communities: ['65101:1']}}"
LOOPBACK_EXIT = (
    f"{EXIT}{{to: wan, asn: 65101, local_as: 65000, bfd: true, prefer: backup, announce: [172.16.0.0/16], "
    "devices: {wan-1: {loopback: 192.0.2.9}}}"
)
GUEST_WAN = "fabrics.inband.extra={wan: {device: external-router, names: [wan-1, wan-2], ports: 1, speed: 200G}}"
GUEST_EXIT = "fabrics.inband.exits.wan={to: wan, asn: 65101, announce: [10.128.0.0/9], accept: [203.0.113.0/24 le 28]}"

CASES: dict[str, tuple[str, tuple[str, ...]]] = {
    "evpn": ("evpn-guests", EVPN_EOS),
    "evpn-dual-unnumbered-shared-asn": ("evpn-guests", (*EVPN_EOS, *DUAL, *UNNUMBERED, *ONE_NUMBER)),
    "exits": ("two-exits", BORDERS),
    "exits-dual-drained": ("two-exits", (*BORDERS, *DUAL, POOL_EXIT, "config_of.compute-border-01.maintenance=true")),
    "exits-between-loopbacks": ("two-exits", (*BORDERS, LOOPBACK_EXIT)),
    "exits-static": ("two-exits", (*BORDERS, f"{EXIT}{{to: wan, routing: static, accept: [203.0.113.0/24]}}")),
    "exits-over-evpn": ("evpn-guests", (*EVPN_EOS, GUEST_WAN, GUEST_EXIT)),
    "exits-over-evpn-drained": ("evpn-guests", (*EVPN_EOS, GUEST_WAN, GUEST_EXIT, *EVPN_DRAINED)),
    "exits-of-a-tenant": ("two-exits", (*BORDERS, *DUAL, "tenants={blue: {nodes: [p1/su-1/node-1], extra: [wan]}}")),
    "multihomed": ("evpn-guests", EVPN_PAIRS),
    "multihomed-tenants": (
        "evpn-guests",
        (*EVPN_PAIRS, *DUAL, "tenants={blue: {nodes: [p1/su-1]}, red: {nodes: [p1/su-2/node-1]}}"),
    ),
    "multihomed-dual-unnumbered": ("evpn-guests", (*EVPN_PAIRS, *DUAL, *UNNUMBERED)),
    "numbered": ("leaf-spine", ALL_EOS),
    "leaks-dual": ("leaf-spine", (*ALL_EOS, *DUAL, *LEAKS)),
    "leaks-over-evpn-dual": ("leaf-spine", (*ALL_EOS, *DUAL, *EVPN_LEAKS)),
    "unnumbered": ("leaf-spine", (*ALL_EOS, *UNNUMBERED)),
    "dual": ("leaf-spine", (*ALL_EOS, *DUAL)),
    "dual-unnumbered": ("leaf-spine", (*ALL_EOS, *DUAL, *UNNUMBERED)),
    "v6": ("leaf-spine", (*ALL_EOS, *V6)),
    "v6-unnumbered-managed": ("leaf-spine", (*ALL_EOS, *V6, *UNNUMBERED, *MANAGED)),
    "bfd-shared-asn": ("leaf-spine", (*ALL_EOS, *BFD, *PER_RACK)),
    "bridged-dual": ("leaf-spine", (*ALL_EOS, *BRIDGED, *DUAL)),
    "rail-subnets": ("leaf-spine", (*ALL_EOS, *RAILS)),
    "static-dual": ("leaf-spine", (*ALL_EOS, *STATIC, *DUAL)),
    "bare": ("leaf-spine", (*ALL_EOS, *BARE)),
    "best-effort": ("leaf-spine", (*ALL_EOS, "qos.profile=best-effort")),
    "lossy": ("leaf-spine", (*ALL_EOS, "qos={profile: roce-lossy, cnp_max_percent: 5}")),
    "lossy-of-a-chassis": ("modular-spine", ("qos={profile: roce-lossy, ecn: {400G: 200-300}}",)),
    "lossy-bonds": (
        "leaf-spine",
        (*ALL_EOS, *BRIDGED, "fabrics.compute.bond=node", *ONE_LEAF, "qos.profile=roce-lossy"),
    ),
    "managed": ("leaf-spine", (*ALL_EOS, *MANAGED)),
    "radius": ("leaf-spine", (*ALL_EOS, *RADIUS)),
    "tuned": ("leaf-spine", (*ALL_EOS, *TUNED)),
    "by-hand": ("leaf-spine", (*ALL_EOS, *BY_HAND)),
    "three-tiers": ("dual-tor", ()),
    "spread-by-queue-pair": ("leaf-spine", (*ALL_EOS, *DUAL, "routing.load_balance={queue_pairs: true}")),
    "spread-by-queue-pair-of-a-chassis": ("modular-spine", ("routing.load_balance={queue_pairs: true}",)),
    "spread-in-turn": ("leaf-spine", (*ALL_EOS, "routing.load_balance=cluster")),
    "chassis-tuned-managed": ("modular-spine", (*TUNED, *MANAGED)),
    "breakouts": ("superpod-b300", ()),
    "border-of-a-span": ("two-site", ()),
    "border-of-a-lossless-span": ("two-site", ("fabrics.across.spans.haul.lossless=true",)),
    "border-of-an-encrypted-span": ("two-site", (ENCRYPTED,)),
    "collapsed-pair": ("collapsed-pair", PAIR),
    "collapsed-pair-dual": ("collapsed-pair", (*PAIR, *DUAL)),
    "mates-below-spines-dual": ("leaf-spine", (*MATES, *DUAL)),
    "mates-below-spines-bonded": ("leaf-spine", (*MATES, *BRIDGED, "fabrics.compute.bond=node", *UNNUMBERED)),
    "mates-with-vrfs-drained": ("evpn-guests", (*EVPN_MATES, *DUAL, "routing.overlay=none", LEAF_DRAINED)),
    "mates-over-evpn": ("evpn-guests", EVPN_MATES),
    "mates-over-evpn-drained": ("evpn-guests", (*EVPN_MATES, LEAF_DRAINED)),
    "mates-below-exits": ("two-exits", (*BORDERS, *DUAL, "fabrics.compute.tiers.leaf=" + PAIRED.format("7060dx5-64s"))),
    "mlag": ("bonded-pair", MLAG),
    "mlag-dual": ("bonded-pair", (*MLAG, *DUAL)),
    "mlag-unnumbered": ("bonded-pair", (*MLAG, *UNNUMBERED)),
    "mlag-v6-unnumbered": ("bonded-pair", (*MLAG, *V6, *UNNUMBERED)),
    "mlag-bare": ("bonded-pair", (*MLAG, *BARE)),
    "lossless-bonds": ("leaf-spine", (*ALL_EOS, *BRIDGED, "fabrics.compute.bond=node", *ONE_LEAF)),
    "relay": ("leaf-spine", (*ALL_EOS, *DUAL, *BRIDGED, *RELAY, *ADVERTISED)),
    "relay-routed": ("leaf-spine", (*ALL_EOS, *DUAL, *RELAY, "fabrics.compute.router_advertisements=false")),
    "relay-multihomed": ("evpn-guests", (*EVPN_PAIRS, *DUAL, *RELAY)),
    "relay-multihomed-in-vrf": (
        "evpn-guests",
        (*EVPN_PAIRS, *DUAL, "fabrics.inband.dhcp={servers: [10.99.0.10, 'fd00:99::9', 10.99.0.9]}"),
    ),
    "relay-multihomed-of-a-tenant": ("evpn-guests", (*EVPN_PAIRS, *DUAL, *RELAY, "tenants={blue: {nodes: [p1/su-1]}}")),
    "relay-pair": ("bonded-pair", (*MLAG, *DUAL, *FILES_RELAY)),
    "guarded": (
        "leaf-spine",
        (
            *ALL_EOS,
            *BRIDGED,
            "fabrics.compute.access={storm_control: {broadcast: 0.5}, dhcp_guard: true, ra_guard: true}",
        ),
    ),
    "limited-polled": (
        "leaf-spine",
        (
            *(*ALL_EOS, *DUAL, *RELAY, "fabrics.compute.dhcp.option_82=false", "routing.max_prefixes=5003"),
            "management.dns={servers: [10.9.0.1, 10.9.0.2, 10.9.0.3, 10.9.0.4]}",
            "management.snmp={users: {p: {auth: 'env:FABRICGEN_AUTH', privacy: 'env:FABRICGEN_PRIVACY'}}}",
        ),
    ),
    "open": (
        "leaf-spine",
        (
            *(*ALL_EOS, *BRIDGED, "fabrics.compute.access={bpdu_guard: false, ra_guard: true}"),
            "management.dns={domain: lab.example}",
        ),
    ),
    "guarded-against-bridges": ("leaf-spine", (*ALL_EOS, *BRIDGED, "fabrics.compute.access.bpdu_guard=true")),
    "fallback": (
        "bonded-pair",
        (
            *MLAG,
            "fabrics.inband.lacp_fallback=true",
            "fabrics.inband.access={dhcp_guard: true, storm_control: {unknown_unicast: 1}}",
        ),
    ),
    "in-band-copper": ("mi300x-roce", (*COPPER, *MANAGED)),
}

ACCEPTED = {"- end": "closes a startup configuration, as EOS writes it itself; AVD leaves it out"}
"""Lines that only one of the two says, and why that is right."""


def shapes(name: str, sets: tuple[str, ...]) -> list[SwitchView]:
    """One EOS switch for each tier and model."""
    found: dict[tuple[str, str], SwitchView] = {}
    for switch in cluster_of(name, *sets).switches():
        if switch.tier.nos == "eos":
            found.setdefault((switch.tier.key, switch.profile.id), switch)
    assert found, "the case has no EOS switch"
    return list(found.values())


def text_of(switch: SwitchView, name: str, sets: tuple[str, ...]) -> str:
    cluster = cluster_of(name, *sets)
    ((_, content),) = Renderer(make_render_options(cluster)).files(switch, cluster.design.catalog)
    return content.decode()


def as_arista_has_it(switch: SwitchView) -> Tree:
    """What pyavd renders of the plan, once its schema has accepted it."""
    structured = structured_config(switch)
    result = validate_structured_config(structured).validation_result
    assert [f"{violation.path}: {violation.message}" for violation in result.violations] == []
    assert list(result.ignored_eos_config_keys) == []
    return tree_of(get_device_config(structured))


def unexplained(ours: str, switch: SwitchView) -> list[str]:
    return [line for line in differences(tree_of(ours), as_arista_has_it(switch)) if line not in ACCEPTED]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "sets"), CASES.values(), ids=CASES)
def test_arista_renders_the_same_tree(name: str, sets: tuple[str, ...]) -> None:
    for switch in shapes(name, sets):
        assert unexplained(text_of(switch, name, sets), switch) == []


@pytest.mark.tenth
@pytest.mark.parametrize("guest", [BRIDGED_GUEST, BRIDGED_VRF, ROUTED_VRF], ids=["bridged", "bridged-vrf", "routed"])
@pytest.mark.parametrize("underlay", [(), UNNUMBERED, STATIC], ids=["numbered", "unnumbered", "static"])
def test_guests_in_vrfs_render_the_same_tree(guest: Service, underlay: tuple[str, ...]) -> None:
    switch = converged(guest, *ALL_EOS, *underlay)
    (text,) = files_of_view(switch).values()
    assert unexplained(text, switch) == []


@pytest.mark.slow
def test_every_kind_of_switch_is_compared() -> None:
    seen = [switch for name, sets in CASES.values() for switch in shapes(name, sets)]
    assert {switch.profile.asic.partition(" ")[0] for switch in seen} >= {"Tomahawk", "Jericho", "Jericho3-AI"}
    assert {switch.fabric.underlay for switch in seen} == {"ebgp-numbered", "ebgp-unnumbered", "static", "none"}
    assert any(switch.profile.line_cards for switch in seen)
    assert any(sub for switch in seen for port in switch.ports for sub in port.subinterfaces)
    assert {port.role for switch in seen for port in switch.ports} == {"host", "up", "down", "peer", "exit"}


UNJUDGED = {"session-passwords"}
"""AVD takes passwords as EOS keeps them, of type 7, and none in clear; docs/limits.md says so."""
OF_ONE_SWITCH = {"maintenance", "port-settings"}
"""Asked under `config_of`, in the cases that are drained and `by-hand`."""


@pytest.mark.slow
def test_every_claim_is_asked_for_in_a_case() -> None:
    """So that what a NOS says it can is judged by templates of its maker."""
    asked = {
        intent
        for name, sets in CASES.values()
        for intent, _, tiers in list_asked_intents(cluster_of(name, *sets).design)
        if any(tier.nos == "eos" for tier in tiers)
    }
    assert set(Catalog().naming("eos").configuration.claims) - asked == UNJUDGED | OF_ONE_SWITCH


@pytest.mark.slow
def test_a_wrong_line_is_noticed() -> None:
    """One line each of what matters most: left out, or saying another thing, it is found and placed."""
    (leaf, _) = shapes("leaf-spine", ALL_EOS)
    text = text_of(leaf, "leaf-spine", ALL_EOS)
    for line in ("   speed 100g-4\n", "   neighbor UP route-map FABRIC-OUT out\n", "   qos trust dscp\n"):
        at = text.index(line)
        assert unexplained(text[:at] + text[at + len(line) :], leaf)[0].endswith(f" / {line.strip()}")
    limit = "   neighbor UP maximum-routes 4096 warning-limit 80 percent\n"
    moved = text.replace(limit, "", 1).replace("end\n", f"{limit.strip()}\nend\n")
    assert len(unexplained(moved, leaf)) == 2


@pytest.mark.law
@pytest.mark.parametrize("case", law_cases("spellings of AVD", CASES))
@pytest.mark.slow
def test_arista_states_the_same(case: str) -> None:
    """What AVD renders of a plan is, to `check --running`, what a build writes of it."""
    name, sets = CASES[case]
    for switch in shapes(name, sets):
        of_arista = read_statements({"switch.cfg": get_device_config(structured_config(switch))})
        assert of_arista == read_statements({"switch.cfg": text_of(switch, name, sets)})
