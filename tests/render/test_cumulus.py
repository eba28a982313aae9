"""Cumulus Linux: excerpts checked by hand against NVIDIA's documents, every tree held against the model of NVUE."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cumulus_trees import HOSTILE, LEAF, SN5600, SPINE, switch_of, text_of, tree_of
from nvue_model import faults
from test_services import BRIDGED_VRF, ROUTED_VRF, converged

from fabricgen.nos.cumulus.writer import make_vrf_name
from tests.conftest import SMALLER, example_design
from tests.render.rendered import (
    BARE,
    BFD,
    BRIDGED,
    CUMULUS,
    DUAL,
    EXAMPLES,
    LEAKS,
    PER_RACK,
    RAILS,
    STATIC,
    UNNUMBERED,
    V6,
    cluster_of,
    files_of,
    startup,
)


def runs_cumulus(name: str) -> tuple[str, ...]:
    """What puts Cumulus Linux on each tier of an example whose switches run it."""
    sets = []
    for fabric in example_design(name).fabrics:
        able = [t for t in fabric.tiers if "cumulus" in t.profile.nos and fabric.protocol != "infiniband"]
        chosen = {tier.name: "cumulus" if tier in able else tier.nos for tier in fabric.tiers}
        words = ", ".join(f"{tier}: {nos}" for tier, nos in chosen.items())
        sets += [f"fabrics.{fabric.name}.nos={{{words}}}"] if able else []
    return (*SMALLER.get(name, ()), *sets) if sets else ()


ABLE = {name: sets for name in EXAMPLES if (sets := runs_cumulus(name))}
"""Examples with switches that run Cumulus Linux, and what puts it there."""


def test_ports_of_a_leaf() -> None:
    ports = tree_of(switch_of("leaf-spine", LEAF))["interface"]
    assert ports["swp1"] == {"link": {"breakout": {"2x": {"lanes-per-port": "4"}}}, "type": "swp"}
    assert ports["swp29"] == {
        "description": f"{SPINE} swp1 cable {LEAF}:29",
        "ipv4": {"address": {"10.64.0.1/31": {}}},
        "link": {"fec": "rs", "mtu": 9216, "speed": "400G", "state": {"up": {}}},
        "qos": {
            "congestion-control": {"profile": "ROCE-400G"},
            "egress-scheduler": {"profile": "ROCE"},
            "mapping": {"profile": "ROCE"},
            "pfc": {"profile": "ROCE"},
            "pfc-watchdog": {"state": "enable"},
        },
        "type": "swp",
    }
    assert ports["swp3"] == {"link": {"state": {"down": {}}}, "type": "swp"}
    assert ports["lo"] == {
        "description": "router id",
        "ipv4": {"address": {"10.0.0.9/32": {}}},
        "type": "loopback",
    }
    assert ports["eth0"] == {
        "description": "out-of-band management",
        "ipv4": {"address": {"10.16.0.2/28": {}}, "gateway": {"10.16.0.1": {}}},
        "type": "eth",
        "vrf": "mgmt",
    }


def test_every_cage_is_either_used_or_shut() -> None:
    switch = switch_of("leaf-spine", LEAF, *SN5600)
    ports = tree_of(switch)["interface"]
    assert {int(n[3:]) for n in ports if n.startswith("swp") and n[3:].isdecimal()} == set(range(1, 66))
    for port in switch.ports:
        assert ports[port.name]["link"]["state"] == {"up": {}}
    up = {port.name for port in switch.ports}
    shut = {n for n, row in ports.items() if row.get("link", {}).get("state") == {"down": {}}}
    split = {n for n, row in ports.items() if "breakout" in row.get("link", {})}
    assert {n for n in ports if n.startswith("swp")} == up | shut | split
    assert not up & shut


def test_numbered_sessions() -> None:
    tree = tree_of(switch_of("leaf-spine", LEAF))
    assert tree["router"]["bgp"] == {
        "autonomous-system": 4200000001,
        "router-id": "10.0.0.9",
        "state": "enabled",
        "wait-for-install": "enabled",
    }
    bgp = tree["vrf"]["default"]["router"]["bgp"]
    assert bgp["neighbor"]["10.64.0.0"] == {
        "description": f"{SPINE} swp1",
        "peer-group": "UP",
        "remote-as": 4200000000,
        "type": "numbered",
    }
    assert bgp["path-selection"] == {"multipath": {"aspath-ignore": "enabled"}}
    assert bgp["timers"] == {"connection-retry": 10, "hold": 9, "keepalive": 3}
    assert bgp["address-family"] == {
        "ipv4-unicast": {
            "multipaths": {"ebgp": 4},
            "redistribute": {"connected": {"route-map": "CONNECTED", "state": "enabled"}},
            "state": "enabled",
        }
    }
    group = bgp["peer-group"]["UP"]
    assert group["address-family"]["ipv4-unicast"]["policy"] == {
        "inbound": {"route-map": "FABRIC-IN"},
        "outbound": {"route-map": "FABRIC-OUT"},
    }
    assert "bfd" not in group


def test_only_loopbacks_and_host_prefixes_travel() -> None:
    policy = tree_of(switch_of("leaf-spine", LEAF))["router"]["policy"]
    assert policy["prefix-list"] == {
        "HOSTS": {
            "rule": {"10": {"action": "permit", "match": {"10.128.0.0/9": {"max-prefix-len": 31}}}},
            "type": "ipv4",
        },
        "LOOPBACKS": {
            "rule": {
                "10": {"action": "permit", "match": {"10.0.0.0/12": {"max-prefix-len": 32, "min-prefix-len": 32}}}
            },
            "type": "ipv4",
        },
    }
    assert policy["as-path-list"] == {"OWN": {"rule": {"10": {"action": "permit", "aspath-exp": "^$"}}}}
    out = policy["route-map"]["FABRIC-OUT"]["rule"]
    assert out == {
        "10": {
            "action": {"permit": {}},
            "match": {"as-path-list": "OWN", "ip-prefix-list": "LOOPBACKS", "type": "ipv4"},
        },
        "20": {"action": {"permit": {}}, "match": {"as-path-list": "OWN", "ip-prefix-list": "HOSTS", "type": "ipv4"}},
    }
    above = tree_of(switch_of("leaf-spine", SPINE))["router"]["policy"]
    assert "as-path-list" not in above
    assert all("as-path-list" not in r["match"] for r in above["route-map"]["FABRIC-OUT"]["rule"].values())


def test_unnumbered_sessions_with_bfd() -> None:
    tree = tree_of(switch_of("leaf-spine", LEAF, *UNNUMBERED, "routing.bfd={interval_ms: 150, multiplier: 4}"))
    assert tree["router"]["bfd"] == {
        "profile": {"FABRIC": {"detect-multiplier": 4, "min-rx-interval": 150, "min-tx-interval": 150}},
        "state": "enabled",
    }
    bgp = tree["vrf"]["default"]["router"]["bgp"]
    assert bgp["neighbor"]["swp29"]["type"] == "unnumbered"
    assert bgp["peer-group"]["UP"]["bfd"] == {"profile": "FABRIC"}
    assert bgp["peer-group"]["UP"]["capabilities"] == {"extended-nexthop": "enabled"}
    assert not {"ipv4", "ipv6"} & set(tree["interface"]["swp29"])


def test_limits_of_prefixes() -> None:
    bgp = tree_of(switch_of("leaf-spine", LEAF, "routing.max_prefixes=500"))["vrf"]["default"]["router"]["bgp"]
    family = bgp["peer-group"]["UP"]["address-family"]["ipv4-unicast"]
    assert family["prefix-limits"] == {"inbound": {"maximum": 500}}


def test_each_family_goes_over_its_own_sessions() -> None:
    bgp = tree_of(switch_of("leaf-spine", LEAF, *DUAL))["vrf"]["default"]["router"]["bgp"]
    groups = {name: group["address-family"] for name, group in bgp["peer-group"].items()}
    assert groups["UP"]["ipv4-unicast"]["state"] == "enabled"
    assert "enabled" not in str(groups["UP"].get("ipv6-unicast"))
    assert groups["UP6"]["ipv4-unicast"] == {"state": "disabled"}
    assert groups["UP6"]["ipv6-unicast"]["policy"]["outbound"] == {"route-map": "FABRIC-OUT6"}


def test_switches_that_share_a_number_take_their_own() -> None:
    tree = tree_of(next(s for s in cluster_of("leaf-spine", *CUMULUS, *PER_RACK).switches() if s.shares_asn))
    family = tree["vrf"]["default"]["router"]["bgp"]["peer-group"]["UP"]["address-family"]["ipv4-unicast"]
    assert family["aspath"] == {"allow-my-asn": {"occurrences": 1, "state": "enabled"}}


def test_static_routes() -> None:
    tree = tree_of(switch_of("leaf-spine", LEAF, *STATIC))
    assert "router" not in tree
    switch = switch_of("leaf-spine", LEAF, *STATIC)
    routes = tree["vrf"]["default"]["router"]["static"]
    assert set(routes) == {prefix for _, prefix in switch.routes}
    for (_, prefix), route in switch.routes.items():
        own = routes[prefix]
        assert {k for k in own["via"] if k != "blackhole"} == {address for _, address in route.hops}
        discards = "blackhole" in own["via"] or "distance" in own
        assert discards == route.discard
    to_spines = next(prefix for (_, prefix), r in switch.routes.items() if len(r.hops) == 4)
    assert routes[to_spines]["via"]["10.64.0.0"] == {"interface": "swp29", "type": "ipv4-address"}


def test_without_an_underlay_nothing_is_routed() -> None:
    tree = tree_of(switch_of("leaf-spine", LEAF, *BARE))
    assert not {"router", "vrf"} & set(tree)


def test_bridged_hosts() -> None:
    tree = tree_of(switch_of("leaf-spine", LEAF, *BRIDGED))
    assert tree["bridge"] == {"domain": {"br_default": {"vlan": {"100": {}}}}}
    assert tree["interface"]["swp1s0"]["bridge"] == {
        "domain": {"br_default": {"access": 100, "stp": {"admin-edge": "enabled", "bpdu-guard": "enabled"}}}
    }
    assert tree["interface"]["vlan100"] == {
        "description": "gateway of compute",
        "ipv4": {"address": {"10.128.0.1/26": {}}},
        "link": {"mtu": 9216},
        "type": "svi",
        "vlan": 100,
    }


def test_a_guest_in_a_vrf_goes_over_subinterfaces() -> None:
    base = tree_of(converged(ROUTED_VRF, *CUMULUS))
    assert base["interface"]["swp29.120"] == {
        "base-interface": "swp29",
        "description": f"{SPINE} swp1 vrf storage",
        "ipv4": {"address": {"10.70.0.1/31": {}}},
        "link": {"mtu": 9216},
        "type": "sub",
        "vlan": 120,
        "vrf": "storage",
    }
    bgp = base["vrf"]["storage"]["router"]["bgp"]
    assert bgp["neighbor"]["10.70.0.0"]["remote-as"] == 4200000000
    hosts = [row for row in base["interface"].values() if row["type"] == "swp" and row.get("vrf") == "storage"]
    assert len(hosts) == 2
    bridged = tree_of(converged(BRIDGED_VRF, *CUMULUS))
    assert bridged["interface"]["vlan110"]["vrf"] == "inband"


def test_names_that_the_kernel_has_are_no_vrf() -> None:
    taken = ("default", "mgmt", "lo", "eth0", "swp1", "vlan7", "bridge")
    assert [make_vrf_name(name) for name in taken] == [f"vrf_{name}" for name in taken]
    assert (make_vrf_name("storage"), make_vrf_name("")) == ("storage", "")


def test_lossless_profiles() -> None:
    qos = tree_of(switch_of("leaf-spine", LEAF))["qos"]
    classes = {dscp: row["switch-priority"] for dscp, row in qos["mapping"]["ROCE"]["dscp"].items()}
    assert len(classes) == 64
    assert {dscp: n for dscp, n in classes.items() if n} == {"26": 3, "48": 6}
    assert qos["mapping"]["ROCE"]["trust"] == "l3"
    assert qos["pfc"] == {"ROCE": {"rx": "enable", "switch-priority": {"3": {}}, "tx": "enable"}}
    assert qos["congestion-control"]["ROCE-400G"] == {
        "traffic-class": {"3": {"ecn": "enable", "max-threshold": 512000, "min-threshold": 256000, "probability": 100}}
    }
    assert qos["egress-scheduler"] == {
        "ROCE": {
            "traffic-class": {
                "0": {"bw-percent": 50, "mode": "dwrr"},
                "3": {"bw-percent": 50, "mode": "dwrr"},
                "6": {"mode": "strict"},
            }
        }
    }
    assert qos["pfc-watchdog"] == {"polling-interval": 100, "robustness": 2}
    assert "egress-shaper" not in qos


def test_cages_that_a_split_disables_say_so_and_have_no_port() -> None:
    """Eight ports of a cage of the SN5600 take the next one's as well (catalog/data/switches/sn5600.yaml)."""
    sets = (
        "scalable_unit={nodes: 12 x generic-server}",
        "fabrics.compute.speed=100G",
        "fabrics.compute.tiers.leaf={switch: sn5600, per: [su, rail], breakout: 8x100, uplinks: 4 x 400G}",
    )
    ports = tree_of(switch_of("leaf-spine", LEAF, *sets))["interface"]
    split = {name: row["link"]["breakout"] for name, row in ports.items() if "breakout" in row.get("link", {})}
    eight, two, disabled = {"8x": {"lanes-per-port": "1"}}, {"2x": {"lanes-per-port": "4"}}, {"disabled": {}}
    assert split == {"swp1": eight, "swp2": disabled, "swp3": eight, "swp4": disabled, "swp63": two, "swp64": two}
    down = {"link": {"state": {"down": {}}}, "type": "swp"}
    unused = {name for name, row in ports.items() if row == down}
    assert unused == {*(f"swp3s{n}" for n in range(4, 8)), *(f"swp{n}" for n in range(5, 63)), "swp65"}


def test_best_effort_has_no_profiles() -> None:
    oob = next(
        s for s in cluster_of("superpod-b200", *runs_cumulus("superpod-b200")).switches() if not s.fabric.qos.lossless
    )
    tree = tree_of(oob)
    assert "qos" not in tree
    assert all("qos" not in row for row in tree["interface"].values())


def test_hostile_words_stay_words() -> None:
    switch = switch_of("leaf-spine", LEAF)
    evil = replace(switch, ports=tuple(replace(p, peer=HOSTILE, cable=HOSTILE) for p in switch.ports))
    tree, plain = tree_of(evil), tree_of(switch)
    assert text_of(evil).count("\n") == text_of(switch).count("\n")
    assert tree["interface"].keys() == plain["interface"].keys()
    for port in switch.ports:
        row = tree["interface"][port.name]
        assert row | {"description": ""} == plain["interface"][port.name] | {"description": ""}
        assert "\n" not in row["description"]
    with pytest.raises(ValueError, match="cannot be a word"):
        text_of(replace(switch, name="a\nb"))


@pytest.mark.tenth
@pytest.mark.parametrize(
    "sets",
    [
        (),
        UNNUMBERED,
        UNNUMBERED + BFD,
        BFD,
        DUAL,
        DUAL + UNNUMBERED,
        V6,
        V6 + UNNUMBERED,
        STATIC,
        STATIC + DUAL,
        BARE,
        BRIDGED,
        BRIDGED + DUAL,
        RAILS,
        RAILS + V6,
        PER_RACK,
        SN5600,
        DUAL + LEAKS,
    ],
    ids="+".join,
)
def test_all_variants_are_trees_that_nvue_takes(sets: tuple[str, ...]) -> None:
    for switch in cluster_of("leaf-spine", *CUMULUS, *sets).switches():
        tree_of(switch)


@pytest.mark.tenth
@pytest.mark.parametrize("name", ABLE)
@pytest.mark.slow
def test_examples_run_cumulus_where_their_switches_can(name: str) -> None:
    sets = ABLE[name]
    files = files_of(name, *sets)
    seen: set[tuple[str, str, int]] = set()
    for switch in cluster_of(name, *sets).switches():
        kind = (switch.fabric.name, switch.tier.name, len(switch.ports))
        if switch.tier.nos == "cumulus" and kind not in seen:
            seen.add(kind)
            assert list(faults(startup(files, switch.name))) == []
    assert seen
