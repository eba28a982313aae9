"""FRR's running configuration read back: sections that it shows for a VRF, whatever order they come in."""

from __future__ import annotations

import pytest

from fabricgen.nos.frr.routing import read_frr
from fabricgen.running.tree import LineRules, UnknownTextError, tolerate_unknown_text
from fabricgen.switch.routing import StaticRoute

SHOWN = """
hostname border-01
!
vrf Vrf_blue
 ip route 10.9.0.0/16 192.0.2.1 Ethernet0
 ipv6 route fd00:9::/48 fd00:2::1 Ethernet0
 vni 4001
exit-vrf
!
vrf Vrf_red
 ip route 10.8.0.0/16 192.0.2.3 Ethernet4 tag 7
exit-vrf
!
router bgp 65001
 bgp router-id 10.0.0.1
 no bgp default ipv4-unicast
!
router bgp 65001 vrf Vrf_blue
 bgp router-id 10.0.0.1
 no bgp default ipv4-unicast
 address-family l2vpn evpn
  rd 10.0.0.1:4001
  route-target import 1:4001
  route-target export 1:4001
 exit-address-family
"""


def test_a_vrf_section_has_static_routes_beside_its_vni() -> None:
    found = read_frr(SHOWN)
    assert found.make_static_routes() == {
        ("blue", "10.9.0.0/16"): StaticRoute(frozenset({("Ethernet0", "192.0.2.1")}), False),
        ("blue", "fd00:9::/48"): StaticRoute(frozenset({("Ethernet0", "fd00:2::1")}), False),
        ("red", "10.8.0.0/16"): StaticRoute(frozenset({("Ethernet4", "192.0.2.3")}), False),
    }
    assert {vrf: lines.vni for vrf, lines in found.over_evpn.items()} == {"blue": 4001}
    assert set(found.instances) == {"", "blue"}


def test_a_line_of_a_vrf_that_no_reader_knows_is_told() -> None:
    strange = "vrf Vrf_blue\n ip protocol bgp route-map x\nexit-vrf\n"
    with pytest.raises(UnknownTextError, match="vrf Vrf_blue / ip protocol bgp"):
        read_frr(strange)
    with tolerate_unknown_text() as notes:
        read_frr(strange)
    assert notes.unknown == ["ip"]


def test_two_readers_for_the_same_lines_are_refused() -> None:
    rules = LineRules()
    rules.ignore_lines("exit-vrf")
    with pytest.raises(ValueError, match="two readers for lines `exit-vrf`"):
        rules.line("exit-vrf")(lambda line: None)
