"""What a leaf does for its hosts is read back from the files of every NOS as the plan has it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ruamel.yaml import YAML

from fabricgen.render.checks.config_db import check_config_db
from fabricgen.running.tree import UnknownTextError
from fabricgen.switch.model import list_differences
from tests.parity.switches import first, read, switches_of, wanted
from tests.render.nvue_model import faults
from tests.render.rendered import (
    ALL_EOS,
    BRIDGED,
    DUAL,
    EVPN_JUNOS,
    EVPN_PAIRS,
    EVPN_PAIRS_CUMULUS,
    EVPN_PAIRS_JUNOS,
    EVPN_PAIRS_SONIC,
    JUNOS,
    UNNUMBERED,
    V6,
    cluster_of,
)

MLAG = (
    "nos={leaf: eos}",
    "fabrics.oob.nos=cumulus",
    "fabrics.inband.tiers.leaf.switch=7060dx5-32",
    "fabrics.storage.tiers.leaf.switch=7060dx5-32",
)
MCLAG = ("fabrics.inband.nos=sonic", "fabrics.inband.tiers.leaf.pair=mclag")
UNROUTED = ("routing.underlay=none", "fabrics.files.vrf=default", "fabrics.oob.vrf=default")
UNMARKED = ("fabrics.compute.dhcp={servers: [10.99.0.9, 'fd00:99::9'], option_82: false}",)
MLAG_LEAF = "fabrics.compute.tiers.leaf={switch: sn5600, per: su, count: 2, spread: stripe, peer: 2 x 400G}"
SILENT = ("fabrics.compute.router_advertisements=false",)
ONE_LEAF = "fabrics.compute.tiers.leaf.per=su"
ACCESS = (
    "access={storm_control: {broadcast: 0.5, multicast: 2, unknown_unicast: 1.25}, dhcp_guard: true, ra_guard: true}"
)
RELAY = "dhcp={servers: [10.99.0.10, 'fd00:99::9', 10.99.0.9]}"
RA = "router_advertisements={managed: true, other: true, resolvers: ['fd00:99::53']}"
FILES = (f"fabrics.inband.{RELAY}", f"fabrics.files.{RELAY}", f"fabrics.oob.{RELAY}")
CUMULUS = "nos=cumulus"
CASES = {
    "eos-relay": ("leaf-spine", (*ALL_EOS, *DUAL, *BRIDGED, f"fabrics.compute.{RELAY}", f"fabrics.compute.{RA}")),
    "eos-routed": ("leaf-spine", (*ALL_EOS, *DUAL, f"fabrics.compute.{RELAY}", *SILENT)),
    "eos-silent": ("leaf-spine", (*ALL_EOS, *V6, *BRIDGED, *UNMARKED, *SILENT)),
    "eos-pair-relay": ("bonded-pair", (*MLAG, *DUAL, f"fabrics.files.{RELAY}", f"fabrics.inband.{RA}")),
    "sonic-relay": ("leaf-spine", (*DUAL, *BRIDGED, f"fabrics.compute.{RELAY}", f"fabrics.compute.{RA}")),
    "sonic-silent": ("leaf-spine", (*DUAL, *BRIDGED, *UNMARKED, *SILENT)),
    "sonic-routed": ("leaf-spine", (f"fabrics.compute.{RELAY}",)),
    "cumulus-relay": ("leaf-spine", (CUMULUS, *DUAL, *BRIDGED, f"fabrics.compute.{RELAY}", f"fabrics.compute.{RA}")),
    "cumulus-unnumbered": ("leaf-spine", (CUMULUS, *DUAL, *UNNUMBERED, *BRIDGED, *UNMARKED, *SILENT)),
    "cumulus-routed": ("leaf-spine", (CUMULUS, f"fabrics.compute.{RELAY}")),
    "cumulus-pair-relay": ("bonded-pair", (*DUAL, *FILES)),
    "eos-segment-relay": ("evpn-guests", (*EVPN_PAIRS, *DUAL, f"fabrics.compute.{RELAY}")),
    "cumulus-segment-relay": ("evpn-guests", (*EVPN_PAIRS_CUMULUS, *DUAL, f"fabrics.compute.{RELAY}")),
    "eos-segment-relay-in-vrf": ("evpn-guests", (*EVPN_PAIRS, *DUAL, f"fabrics.inband.{RELAY}")),
    "eos-segment-relay-of-tenants": (
        "evpn-guests",
        (*EVPN_PAIRS, *DUAL, f"fabrics.compute.{RELAY}", "tenants={blue: {nodes: [p1/su-1]}, red: {nodes: [p1/su-2]}}"),
    ),
    "cumulus-segment-relay-in-vrf": ("evpn-guests", (*EVPN_PAIRS_CUMULUS, *DUAL, f"fabrics.inband.{RELAY}")),
    "cumulus-segment-relay-of-tenants": (
        "evpn-guests",
        (*EVPN_PAIRS_CUMULUS, *DUAL, f"fabrics.compute.{RELAY}", "tenants={blue: {nodes: [p1/su-1]}}"),
    ),
    "sonic-segment-relay": ("evpn-guests", (*EVPN_PAIRS_SONIC, *DUAL, f"fabrics.compute.{RELAY}")),
    "sonic-segment-relay-in-vrf": ("evpn-guests", (*EVPN_PAIRS_SONIC, *DUAL, f"fabrics.inband.{RELAY}")),
    "sonic-segment-relay-of-tenants": (
        "evpn-guests",
        (*EVPN_PAIRS_SONIC, f"fabrics.compute.{RELAY}", "tenants={blue: {nodes: [p1/su-1]}}"),
    ),
    "cumulus-mlag-relay-over-evpn": (
        "evpn-guests",
        (*EVPN_PAIRS_CUMULUS, *DUAL, MLAG_LEAF, f"fabrics.inband.{RELAY}"),
    ),
    "cumulus-v6-relay-over-evpn": ("evpn-guests", (CUMULUS, *DUAL, f"fabrics.inband.{RELAY}")),
    "cumulus-routed-relay-over-evpn": ("evpn-guests", (CUMULUS, *DUAL, f"fabrics.storage.{RELAY}")),
    "sonic-unnumbered": ("leaf-spine", (*DUAL, *UNNUMBERED, *BRIDGED, f"fabrics.compute.{RELAY}")),
    "sonic-relay-over-evpn": ("evpn-guests", (f"fabrics.inband.{RELAY}",)),
    "cumulus-relay-over-evpn": ("evpn-guests", (CUMULUS, f"fabrics.inband.{RELAY}")),
    "sonic-pair-relay": ("bonded-pair", (*MCLAG, *DUAL, *FILES)),
    "sonic-pair-relay-without-routing": ("bonded-pair", (*MCLAG, *UNROUTED, f"fabrics.inband.{RELAY}")),
    "junos-relay": ("leaf-spine", (*JUNOS, *DUAL, *BRIDGED, f"fabrics.compute.{RELAY}")),
    "junos-advertising": (
        "leaf-spine",
        (
            *JUNOS,
            *V6,
            *UNNUMBERED,
            *BRIDGED,
            f"fabrics.compute.{RA}",
            "fabrics.compute.router_advertisements.lifetime_s=900",
        ),
    ),
    "junos-autoconfig": (
        "leaf-spine",
        (*JUNOS, *DUAL, *BRIDGED, "fabrics.compute.router_advertisements={autoconfig: true}"),
    ),
    "junos-silent": ("leaf-spine", (*JUNOS, *DUAL, *BRIDGED, *SILENT)),
    "junos-unmarked": ("leaf-spine", (*JUNOS, *V6, *BRIDGED, *UNMARKED)),
    "junos-routed": ("leaf-spine", (*JUNOS, *DUAL, f"fabrics.compute.{RELAY}")),
    "junos-relay-over-evpn": (
        "evpn-guests",
        (*EVPN_JUNOS, *DUAL, f"fabrics.inband.{RELAY}", f"fabrics.storage.{RELAY}"),
    ),
    "junos-segment-relay": ("evpn-guests", (*EVPN_PAIRS_JUNOS, *DUAL, f"fabrics.compute.{RELAY}")),
    "junos-segment-relay-of-tenants": (
        "evpn-guests",
        (*EVPN_PAIRS_JUNOS, *DUAL, *UNNUMBERED, f"fabrics.compute.{RELAY}", "tenants={blue: {nodes: [p1/su-1]}}"),
    ),
    "junos-bonds": (
        "leaf-spine",
        (*JUNOS, *BRIDGED, "fabrics.compute.bond=node", "fabrics.compute.lacp_fallback=true", ONE_LEAF),
    ),
    "tenants": ("tenants", (f"fabrics.compute.{RELAY}", f"fabrics.storage.{RELAY}", f"fabrics.storage.{ACCESS}")),
    "sonic-v6-relay": ("leaf-spine", (*V6, *BRIDGED, f"fabrics.compute.{RELAY}")),
    "sonic-one-advertises": ("evpn-guests", (*DUAL, "fabrics.compute.hosts=bridged", f"fabrics.inband.{RA}")),
    "copper": ("mi300x-roce", ("fabrics.oob.nos=cumulus", f"fabrics.oob.{ACCESS}")),
    "management": ("mi300x-roce", (f"fabrics.oob.{RELAY}",)),
    "eos": ("leaf-spine", (*ALL_EOS, *BRIDGED, f"fabrics.compute.{ACCESS}")),
    "sonic": ("leaf-spine", (*BRIDGED, f"fabrics.compute.{ACCESS}")),
    "cumulus": ("leaf-spine", ("nos=cumulus", *BRIDGED, f"fabrics.compute.{ACCESS}")),
    "eos-dhcp": ("leaf-spine", (*ALL_EOS, *BRIDGED, "fabrics.compute.access={dhcp_guard: true, bpdu_guard: false}")),
    "cumulus-ra": (
        "leaf-spine",
        ("nos=cumulus", *BRIDGED, "fabrics.compute.access={ra_guard: true, bpdu_guard: false}"),
    ),
    "eos-pair": ("bonded-pair", (*MLAG, f"fabrics.inband.{ACCESS}", "fabrics.inband.lacp_fallback=true")),
    "cumulus-pair": ("bonded-pair", (f"fabrics.inband.{ACCESS}", "fabrics.inband.lacp_fallback=true")),
    "sonic-bonds": ("leaf-spine", (*BRIDGED, "fabrics.compute.bond=node", ONE_LEAF, f"fabrics.compute.{ACCESS}")),
}


@pytest.mark.tenth
@pytest.mark.parametrize(("name", "sets"), CASES.values(), ids=CASES)
def test_what_hosts_are_given_is_said(name: str, sets: tuple[str, ...]) -> None:
    cluster = cluster_of(name, *sets)
    for switch, files in switches_of(name, sets, 2):
        found = list(list_differences(read(switch, files), wanted(cluster, switch)))
        assert not found, f"{switch.name}\n{first(found)}"


OF_SONIC = [
    *("sonic", "sonic-bonds", "sonic-relay", "sonic-unnumbered", "sonic-relay-over-evpn", "sonic-pair-relay"),
    *("sonic-segment-relay", "sonic-segment-relay-in-vrf", "sonic-segment-relay-of-tenants"),
]


@pytest.mark.tenth
@pytest.mark.parametrize("case", OF_SONIC)
def test_tables_are_sonics(case: str) -> None:
    name, sets = CASES[case]
    for _, files in switches_of(name, sets, 2):
        if "config_db.json" not in files:
            continue
        tables = json.loads(files["config_db.json"])
        assert not list(check_config_db(tables, cluster_of(name, *sets).design.catalog))


OF_NVUE = [
    *("cumulus", "cumulus-ra", "cumulus-pair", "cumulus-relay", "cumulus-pair-relay", "cumulus-segment-relay"),
    *("cumulus-relay-over-evpn", "cumulus-v6-relay-over-evpn", "cumulus-routed-relay-over-evpn"),
    *("cumulus-segment-relay-in-vrf", "cumulus-segment-relay-of-tenants"),
    "cumulus-mlag-relay-over-evpn",
]


@pytest.mark.tenth
@pytest.mark.parametrize("case", OF_NVUE)
def test_trees_are_nvues(case: str) -> None:
    for _, files in switches_of(*CASES[case], 2):
        (item,) = YAML(typ="safe").load(files["startup.yaml"])
        assert not list(faults(item["set"]))


def test_each_switch_of_a_sonic_pair_is_answered() -> None:
    """sonic-net/SONiC, DHCPv4-relay-agent-High-Level-Design.md: by its loopback, which a VRF has none of."""
    boxes = [
        json.loads(files["config_db.json"])
        for switch, files in switches_of(*CASES["sonic-pair-relay"], 2)
        if switch.name.startswith("inband-leaf")
    ]
    assert len(boxes) == 2
    loopbacks = [key for box in boxes for key in box["LOOPBACK_INTERFACE"] if "|" in key and "." in key]
    assert len(set(loopbacks)) == 2
    for box in boxes:
        assert box["DEVICE_METADATA"]["localhost"]["has_sonic_dhcpv4_relay"] == "True"
        assert not any("dhcp_servers" in row for row in box["VLAN"].values())
        for vlan, row in box["DHCPV4_RELAY"].items():
            in_vrf = "vrf_name" in box["VLAN_INTERFACE"][vlan]
            assert (row.get("source_interface"), row.get("link_selection")) == (
                (None, None) if in_vrf else ("Loopback0", "enable")
            )
        assert {"vrf_name" in box["VLAN_INTERFACE"][vlan] for vlan in box["DHCPV4_RELAY"]} == {True, False}


BROKEN = {
    "isc-on-a-pair": ("VLAN", {"dhcp_servers": ["10.99.0.9"]}, "by an agent that does not run"),
    "no-link-selection": ("DHCPV4_RELAY", {"link_selection": "disable"}, "link selection"),
    "no-loopback": ("DHCPV4_RELAY", {"source_interface": "Loopback1"}, "Loopback1"),
}


@pytest.mark.parametrize("case", BROKEN.values(), ids=BROKEN)
def test_a_relay_of_a_pair_that_is_changed_is_seen(case: tuple[str, dict[str, Any], str]) -> None:
    table, fields, said = case
    pair = switches_of(*CASES["sonic-pair-relay"], 2)
    switch, files = next(each for each in pair if each[0].name == "inband-leaf-01")
    box = json.loads(files["config_db.json"])
    box[table]["Vlan100"] |= fields
    with pytest.raises(UnknownTextError, match=said):
        read(switch, {**files, "config_db.json": json.dumps(box)})


IN_EOS, IN_CUMULUS, V6_IN_CUMULUS = (
    *("eos-segment-relay-in-vrf", "cumulus-segment-relay-in-vrf"),
    "cumulus-v6-relay-over-evpn",
)
DEAF = {
    "source-of-another-vrf": (IN_EOS, "source-interface Loopback2", "source-interface Loopback0"),
    "no-source": (IN_EOS, " source-interface Loopback2", ""),
    "source-of-v6-of-another-vrf": (IN_EOS, "local-interface Loopback2", "local-interface Loopback0"),
    "loopback-in-another-vrf": (IN_EOS, "in inband\n   vrf inband", "in inband\n   vrf storage"),
    "unannounced": (IN_EOS, "   seq 20 permit 10.0.0.41/32\n", ""),
    "no-link-selection": (IN_EOS, "ip dhcp relay information option\n", ""),
    "gateway-of-another-vrf": (
        IN_CUMULUS,
        "gateway-interface:\n            inband:",
        "gateway-interface:\n            lo:",
    ),
    "gateway-of-another-switch": (IN_CUMULUS, "inband: {address: 10.0.0.41}", "inband: {address: 10.0.0.42}"),
    "not-at-the-vni": (V6_IN_CUMULUS, "              vlan3401_l3: {}\n    system", "    system"),
    "no-address-of-v6": (V6_IN_CUMULUS, "fd00:fab::45/128", "10.0.0.45/32"),
}


@pytest.mark.parametrize(("case", "old", "new"), DEAF.values(), ids=DEAF)
def test_a_relay_that_would_hear_no_reply_is_noticed(case: str, old: str, new: str) -> None:
    name, sets = CASES[case]
    switch, files = next((s, f) for s, f in switches_of(name, sets, 2) if s.vrf_loopbacks)
    broken = {file: text.replace(old, new, 1) for file, text in files.items()}
    assert broken != files, "\n".join(files.values())
    try:
        found = first(list_differences(read(switch, broken), wanted(cluster_of(name, *sets), switch)))
    except UnknownTextError as error:
        found = str(error)
    assert found


def test_a_relay_of_v6_that_sends_from_a_link_is_noticed() -> None:
    """Servers would answer to an address that only the two switches at the link have a route to."""
    name, sets = CASES["cumulus-relay"]
    switch, files = next((s, f) for s, f in switches_of(name, sets, 2) if s.services)
    for old, new in (
        ("          rib:\n            ipv6:\n", "          ignored:\n"),
        (f'{switch.loopback6}"}}', 'fd00::1"}'),
    ):
        broken = {file: text.replace(old, new, 1) for file, text in files.items()}
        assert broken != files, old
        try:
            found = first(list_differences(read(switch, broken), wanted(cluster_of(name, *sets), switch)))
        except UnknownTextError as error:
            found = str(error)
        assert found, old


def test_a_relay_hears_its_servers() -> None:
    """SONiC's own agent runs where isc-dhcp-relay would hear no reply, and Cumulus Linux names the VNI's interface."""
    name, sets = CASES["sonic-relay-over-evpn"]
    box = next(json.loads(files["config_db.json"]) for switch, files in switches_of(name, sets, 2) if switch.services)
    relayed = box["DHCPV4_RELAY"]
    assert [set(row["dhcpv4_servers"]) for row in relayed.values()] == [{"10.99.0.9", "10.99.0.10"}]
    assert box["DEVICE_METADATA"]["localhost"]["has_sonic_dhcpv4_relay"] == "True"
    assert [box["VLAN_INTERFACE"][vlan]["vrf_name"] for vlan in relayed] == ["Vrf_inband"]
    assert set(box["VXLAN_TUNNEL"]) == {"VXLAN"}
    assert not any("dhcp_servers" in row for row in box["VLAN"].values())
    name, sets = CASES["cumulus-relay-over-evpn"]
    tree = next(YAML(typ="safe").load(files["startup.yaml"])[0]["set"] for _, files in switches_of(name, sets, 2))
    (group,) = tree["service"]["dhcp-relay"]["inband"]["server-group"].values()
    assert set(group["upstream-interface"]) == {f"vlan{tree['vrf']['inband']['evpn']['vlan']}_l3"}
