"""EOS: excerpts checked by hand, and every cabled port described."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from fabricgen.nos.eos.writer import find_speed_word
from tests.render.rendered import ALL_EOS, BFD, BRIDGED, COPPER, cluster_of, files_of

SPINE = "compute-spine-pl1-01"


def config(name: str, device: str, *sets: str) -> str:
    return files_of(name, *sets)[f"configs/{device}/{device}.cfg"]


def block(text: str, head: str) -> str:
    found = re.search(rf"^{re.escape(head)}\n((?:   .*\n)*)", text, re.M)
    assert found, head
    return found[1]


def test_unnumbered_spine() -> None:
    text = config("superpod-b300", SPINE)
    assert block(text, "interface Ethernet1/5") == (
        "   description compute-leaf-p1-su01-r1-pl1-01 Ethernet260 cable compute-leaf-p1-su01-r1-pl1-01:33\n"
        "   mtu 9214\n"
        "   speed 400g-4\n"
        "   error-correction encoding reed-solomon\n"
        "   no switchport\n"
        "   ipv6 enable\n"
        "   service-profile ROCE-400G\n"
        "   no shutdown\n"
    )
    assert "\nip routing ipv6 interfaces\n" in text
    assert "\nipv6 unicast-routing\n" in text
    assert block(text, "router bgp 4200000000").startswith(
        "   router-id 10.0.0.1\n"
        "   no bgp default ipv4-unicast\n"
        "   update wait-install\n"
        "   timers bgp 3 9\n"
        "   maximum-paths 128 ecmp 128\n"
        "   neighbor DOWN peer group\n"
        "   neighbor DOWN route-map FABRIC-IN in\n"
        "   neighbor DOWN route-map FABRIC-OUT out\n"
        "   neighbor DOWN maximum-routes 16384 warning-limit 80 percent\n"
        "   redistribute connected route-map CONNECTED\n"
        "   neighbor interface Ethernet1/1,1/5,33/1,33/5 peer-group DOWN remote-as 4200000002\n"
    )
    assert "      neighbor DOWN next-hop address-family ipv6 originate\n" in text
    assert block(text, "interface Management1") == (
        "   description out-of-band management\n   vrf MGMT\n   ip address 192.168.0.42/26\n"
    )
    assert "\nip route vrf MGMT 0.0.0.0/0 192.168.0.1\n" in text
    assert block(text, "interface Ethernet65") == "   shutdown\n"


def test_numbered_leaf() -> None:
    leaf = "compute-leaf-p1-su01-r1-01"
    text = config("leaf-spine", leaf, *ALL_EOS)
    assert block(text, "interface Ethernet1/5") == (
        f"   description p1-su01-n002 eth1 cable {leaf}:1\n"
        "   mtu 9214\n"
        "   speed 100g-4\n"
        "   error-correction encoding reed-solomon\n"
        "   no switchport\n"
        "   ip address 10.128.0.2/31\n"
        "   service-profile ROCE-100G\n"
        "   no shutdown\n"
    )
    assert "   speed 400g-8\n" in block(text, "interface Ethernet61/1")
    assert "   neighbor 10.64.0.0 peer group UP\n   neighbor 10.64.0.0 remote-as 4200000000\n" in text
    assert "\nip routing\n" in text
    assert "ipv6" not in text
    assert block(text, "route-map FABRIC-OUT permit 20") == (
        "   match as-path OWN\n   match ip address prefix-list HOSTS\n"
    )


def test_roce_profile_and_watchdog() -> None:
    text = config("superpod-b300", SPINE)
    assert block(text, "qos profile ROCE-400G") == (
        "   qos trust dscp\n"
        "   priority-flow-control on\n"
        "   priority-flow-control priority 3 no-drop\n"
        "   priority-flow-control pause watchdog\n"
        "   !\n"
        "   uc-tx-queue 1\n"
        "      no priority\n"
        "      bandwidth percent 50\n"
        "   !\n"
        "   uc-tx-queue 3\n"
        "      no priority\n"
        "      bandwidth percent 50\n"
        "      random-detect ecn minimum-threshold 512 kbytes maximum-threshold 768 kbytes"
        " max-mark-probability 100 weight 0\n"
        "      random-detect ecn count\n"
        "   !\n"
        "   uc-tx-queue 6\n"
        "      priority strict\n"
    )
    assert "\nqos map dscp 26 to traffic-class 3\nqos map dscp 48 to traffic-class 6\n" in text
    assert "qos map dscp 24 25 27 28 29 30 31 to traffic-class 1\n" in text
    mapped = re.findall(r"^qos map dscp ([\d ]+) to traffic-class (\d)$", text, re.M)
    classes = {int(dscp): int(number) for dscps, number in mapped for dscp in dscps.split()}
    assert classes == {**dict.fromkeys(range(64), 1), 26: 3, 48: 6}
    assert "priority-flow-control pause watchdog default timeout 0.20\n" in text
    assert "qos" not in config("leaf-spine", "compute-spine-01", *ALL_EOS, "qos.profile=best-effort")


def test_bridged_hosts_and_bfd() -> None:
    text = config("leaf-spine", "compute-leaf-p1-su01-r1-01", *ALL_EOS, *BRIDGED, *BFD)
    assert "\nvlan 100\n   name compute\n" in text
    assert "   switchport access vlan 100\n" in block(text, "interface Ethernet1/1")
    assert "   ip address 10.128.0.1/25\n" in block(text, "interface Vlan100")
    assert "   neighbor UP bfd\n" in text


@pytest.mark.parametrize(("name", "sets"), [("superpod-b300", ()), ("leaf-spine", ALL_EOS)])
def test_every_cabled_port_says_what_is_at_its_end(name: str, sets: tuple[str, ...]) -> None:
    for switch in cluster_of(name, *sets).switches():
        if switch.tier.nos != "eos":
            continue
        text = config(name, switch.name, *sets)
        described = re.findall(r"^interface (Ethernet\S+)\n   description (.*)$", text, re.M)
        assert dict(described) == {p.name: f"{p.peer} {p.peer_port} cable {p.cable}" for p in switch.ports}
        named = re.findall(r"^interface (Ethernet\S+)$", text, re.M)
        assert len(named) == len(set(named))
        assert len(named) >= switch.profile.cage_count


def test_queues_are_called_after_the_chip() -> None:
    xgs, jericho = config("modular-spine", "compute-leaf-p1-su01-r1-01"), config("modular-spine", "compute-spine-01")
    assert "   uc-tx-queue 3\n" in xgs
    assert "hardware counter" not in xgs
    assert "\n   tx-queue 3\n" in jericho
    assert "uc-tx-queue" not in jericho
    assert "random-detect ecn count" not in jericho
    assert "\nhardware counter feature ecn out\n" in jericho


def test_ports_of_a_chassis_are_named_by_slot() -> None:
    text = config("modular-spine", "compute-spine-01")
    found = re.findall(r"^interface Ethernet(\d+)/(\d+)/(\d+)$", text, re.M)
    assert {int(slot) for slot, _, _ in found} == set(range(3, 19))
    assert {int(cage) for _, cage, _ in found} == set(range(1, 37))
    assert block(text, "interface Management1/1")


def test_spanning_tree_runs_where_something_is_bridged() -> None:
    leaf, spine = "compute-leaf-p1-su01-r1-01", "compute-spine-01"
    assert "\nspanning-tree mode none\n" in config("leaf-spine", leaf, *ALL_EOS)
    bridged = config("leaf-spine", leaf, *ALL_EOS, *BRIDGED)
    assert "\nspanning-tree mode mstp\nspanning-tree edge-port bpduguard default\n" in bridged
    assert "   spanning-tree portfast\n" in block(bridged, "interface Ethernet1/1")
    assert "\nspanning-tree mode none\n" in config("leaf-spine", spine, *ALL_EOS, *BRIDGED)


def test_lldp_tells_the_address_to_manage_by() -> None:
    text = config("superpod-b300", SPINE)
    assert "\nlldp management-address Management1\nlldp management-address vrf MGMT\n" in text
    in_band = config("mi300x-roce", "oob-spine-01", *COPPER)
    assert "MGMT" not in in_band
    assert "lldp" not in in_band


def test_speeds_are_words_of_eos() -> None:
    (cage, *_) = next(s for s in cluster_of("leaf-spine", *ALL_EOS).switches()).profile.cages
    port = next(s for s in cluster_of("leaf-spine", *ALL_EOS).switches()).ports[0]
    for speed, lane, ways, word in [
        (400, 50, 1, "400g-8"),
        (200, 50, 2, "200g-4"),
        (100, 50, 4, "100g-2"),
        (100, 25, 2, "100g-4"),
        (50, 50, 4, "50g-1"),
        (40, 50, 2, "40g-4"),
        (25, 25, 4, "25g"),
        (10, 10, 1, "10g"),
    ]:
        assert find_speed_word(replace(port, speed_gbps=speed, lane_gbps=lane, ways=ways), cage) == word
