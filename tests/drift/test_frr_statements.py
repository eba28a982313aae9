"""FRR's statements: one spelling for what FRR prints in one, and others for what does something else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.nos.frr.statements import files_of, read_statements
from fabricgen.running.differences import load_rules
from fabricgen.running.statements import Statements

BGP = "router bgp 65000\n"
GROUP = BGP + " neighbor UP peer-group\n neighbor 10.0.0.1 peer-group UP\n"
FAMILY = GROUP + " address-family ipv4 unicast\n  neighbor UP activate\n"


def of(text: str) -> Statements:
    return read_statements({"frr.conf": text})


def errors(running: str, planned: str) -> list[tuple[str, ...]]:
    return [each.difference.path for each in load_rules("frr").judge(of(running), of(planned)).errors]


@pytest.mark.parametrize(
    ("printed", "written"),
    [
        (BGP + " bgp router-id 10.0.0.1\nexit\n!\nend\n", BGP + "bgp router-id 10.0.0.1\n"),
        ("Building configuration...\n\nCurrent configuration:\n!\nhostname a\n!\nend\n", "  hostname   a\n"),
        ("hostname a\n", "leaf-01# show running-config\nBuilding configuration...\nhostname a\nend\nleaf-01#\n"),
        ("router bgp 4259840001 vrf Vrf_a\n", "router bgp 65000.1 vrf Vrf_a\n"),
        (BGP + " neighbor fd00::1 remote-as 65536\n", BGP + " neighbor FD00:0::01 remote-as 1.0\n"),
        (
            BGP + " address-family ipv4 unicast\n network 10.2.3.0/24\n",
            BGP + " address-family ipv4\n network 10.2.3.4/24\n",
        ),
        (
            BGP + " address-family ipv4 unicast\n  maximum-paths 8\n  redistribute connected\n exit-address-family\n",
            BGP
            + " address-family ipv4 unicast\n  redistribute connected\n exit-address-family\n"
            + " address-family ipv4 unicast\n  maximum-paths 8\n exit-address-family\n",
        ),
        (GROUP + " neighbor UP bfd\n", GROUP + " neighbor UP bfd\n neighbor 10.0.0.1 bfd\n"),
        (FAMILY, FAMILY + "  neighbor 10.0.0.1 activate\n"),
        (GROUP + " neighbor UP remote-as 65001\n", GROUP + " neighbor 10.0.0.1 remote-as 65001\n"),
        (
            BGP + " neighbor UP peer-group\n neighbor swp1 interface peer-group UP\n neighbor swp1 remote-as 65001\n",
            BGP + " neighbor UP peer-group\n neighbor swp1 interface remote-as 65001\n neighbor swp1 peer-group UP\n",
        ),
        (BGP + " neighbor 10.0.0.1 ebgp-multihop\n", BGP + " neighbor 10.0.0.1 ebgp-multihop 255\n"),
        ("ip prefix-list A seq 5 permit 10.0.0.0/8 ge 24\n", "ip prefix-list A permit 10.1.2.3/8 le 32 ge 24\n"),
        (
            "ip prefix-list A seq 12 permit any\nip prefix-list A permit any\n",
            "ip prefix-list A seq 17 permit 0.0.0.0/0 le 32\nip prefix-list A seq 12 permit 0.0.0.0/0 le 32\n",
        ),
        (
            "bgp as-path access-list A seq 12 permit 1\nbgp as-path access-list A seq 15 permit 2\n",
            "ip as-path access-list A seq 12 permit 1\nbgp as-path access-list A permit 2\n",
        ),
        (
            "bgp community-list standard A seq 5 permit graceful-shutdown\n",
            "bgp community-list standard A seq 5 permit 65535:0\n",
        ),
        (
            "route-map A permit 10\n set community 20:1 100:2 graceful-shutdown additive\n",
            "route-map A permit 10\n set community additive 65535:0 100:2 20:1\n",
        ),
        ("ip route 10.9.0.0/16 10.0.0.1 Ethernet0 tag 7 20\n", "ip route 10.9.1.1/16 10.0.0.1 Ethernet0 20 tag 7\n"),
        ("ip route 10.9.0.0/16 10.0.0.1\n", "ip route 10.9.0.0/16 10.0.0.1 1\n"),
        ("vrf Vrf_a\n ip route 10.9.0.0/16 10.0.0.1\nexit-vrf\n", "ip route 10.9.0.0/16 10.0.0.1 vrf Vrf_a\n"),
        (
            "route-map A permit 10\n!\nip route 10.9.0.0/16 10.0.0.1\n",
            "ip route 10.9.0.0/16 10.0.0.1\nroute-map A permit 10\n",
        ),
        ("hostname a\n", "hostname a\nvrf Vrf_a\nexit-vrf\ninterface Ethernet0\nexit\n"),
        (
            "interface Ethernet0\n evpn mh es-sys-mac aa:bb:cc:dd:ee:ff\n",
            "interface Ethernet0\n evpn mh es-sys-mac AA:BB:CC:DD:EE:FF\n",
        ),
        (
            "router bgp 1\n address-family l2vpn evpn\n  vni 7\n   rd 1:7\n  exit-vni\n  advertise-all-vni\n",
            "router bgp 1\n address-family l2vpn evpn\n  advertise-all-vni\n  vni 7\n   rd 1:7\n",
        ),
        (
            "router bgp 1\n address-family l2vpn evpn\n  route-target import 1:7\n  route-target export 1:7\n",
            "router bgp 1\n address-family l2vpn evpn\n  route-target both 1:7\n",
        ),
    ],
)
def test_what_frr_prints_in_one_way_has_one_spelling(printed: str, written: str) -> None:
    assert of(printed) == of(written)
    assert of(files_of(of(printed))["frr.conf"]) == of(printed)


@pytest.mark.parametrize(
    ("planned", "running", "path"),
    [
        (GROUP, GROUP + " neighbor 10.0.0.1 shutdown\n", ("router bgp", "neighbor 10.0.0.1", "shutdown")),
        (GROUP, GROUP + " neighbor UP shutdown message maintenance\n", ("router bgp", "neighbor UP", "shutdown")),
        (BGP, BGP + " bgp shutdown\n", ("router bgp", "bgp shutdown")),
        (BGP, BGP + " bgp graceful-shutdown\n", ("router bgp", "bgp graceful-shutdown")),
        (
            FAMILY,
            FAMILY + "  no neighbor 10.0.0.1 activate\n",
            ("router bgp", "address-family ipv4 unicast", "neighbor 10.0.0.1", "activate"),
        ),
        (
            GROUP + " neighbor UP bfd\n",
            GROUP + " neighbor UP bfd\n no neighbor 10.0.0.1 bfd\n",
            ("router bgp", "neighbor 10.0.0.1", "bfd"),
        ),
        (
            GROUP + " neighbor UP timers connect 10\n",
            GROUP + " neighbor UP timers connect 10\n neighbor 10.0.0.1 timers connect 120\n",
            ("router bgp", "neighbor 10.0.0.1", "timers connect"),
        ),
        (
            GROUP + " neighbor 10.0.0.1 remote-as 65001\n",
            GROUP + " neighbor UP remote-as 65002\n neighbor 10.0.0.1 remote-as 65001\n",
            ("router bgp", "neighbor UP", "remote-as"),
        ),
        (BGP, BGP + " neighbor 10.0.0.1 password hunter2\n", ("router bgp", "neighbor 10.0.0.1", "password")),
        ("", "interface Ethernet232\n shutdown\nexit\n", ("interface Ethernet232", "shutdown")),
        ("", "ip route 203.0.113.0/24 Null0\n", ("ip route 203.0.113.0/24 Null0",)),
        ("", "vrf Vrf_a\n ipv6 route fd00::/8 blackhole\nexit-vrf\n", ("vrf Vrf_a", "ipv6 route fd00::/8 blackhole")),
        ("", "no ip forwarding\n", ("ip forwarding",)),
        ("", "frobnicate the fabric\n", ("frobnicate the fabric",)),
        (
            "ip prefix-list A seq 5 deny any\nip prefix-list A seq 10 permit any\n",
            "ip prefix-list A seq 10 permit any\nip prefix-list A seq 15 deny any\n",
            ("ip prefix-list A seq 5",),
        ),
        ("route-map A permit 10\nexit\n", "route-map A deny 10\nexit\n", ("route-map A 10",)),
        (
            "interface lo\n ip address 10.0.0.1/24\n",
            "interface lo\n ip address 10.0.0.2/24\n",
            ("interface lo", "ip address 10.0.0.1/24"),
        ),
    ],
)
def test_what_does_something_else_is_told_at_its_path(planned: str, running: str, path: tuple[str, ...]) -> None:
    assert path in errors(running, planned)


def test_a_neighbor_and_its_peer_group_are_told_apart() -> None:
    assert of(FAMILY + "  no neighbor 10.0.0.1 activate\n")[
        ("router bgp", "address-family ipv4 unicast", "neighbor 10.0.0.1", "activate")
    ] == ("no, unlike UP")
    assert not errors(FAMILY + "  neighbor 10.0.0.1 activate\n", FAMILY)


WORDS = st.sampled_from(
    [
        "no",
        "exit",
        "end",
        "!",
        "router",
        "bgp",
        "1",
        "65000.1",
        "99999.99999",
        "neighbor",
        "UP",
        "10.0.0.1",
        "fd00::/200",
        "peer-group",
        "remote-as",
        "interface",
        "vrf",
        "address-family",
        "ipv4",
        "ip",
        "route",
        "prefix-list",
        "seq",
        "5",
        "permit",
        "any",
        "le",
        "vni",
        "7",
        "set",
        "community",
        "additive",
        "1:2",
        "description",
        "exit-vni",
        "tag",
        "line",
        "vty",
        "route-map",
        "A",
        "deny",
        "route-target",
        "both",
    ]
)


@pytest.mark.slow
@given(st.lists(st.lists(WORDS, max_size=7).map(" ".join), max_size=12).map("\n".join) | st.text())
def test_any_text_is_read_and_written_back(text: str) -> None:
    stated = of(text)
    assert of(files_of(of(files_of(stated)["frr.conf"]))["frr.conf"]) == of(files_of(stated)["frr.conf"])
