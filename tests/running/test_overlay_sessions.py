"""Sessions for EVPN as readers gather them: what does not fit is told by the neighbour's address alone."""

from __future__ import annotations

import pytest

from fabricgen.nos.junos.reading.routing import MacVrf
from fabricgen.running.bgp import Instance, Neighbor, make_overlay
from fabricgen.running.policy import Policies
from fabricgen.running.tree import UnknownTextError, tolerate_unknown_text
from fabricgen.switch.routing import EVPN, OverlayVlan


def test_a_session_that_carries_more_is_told_without_its_password() -> None:
    neighbor = Neighbor(remote_asn=65001, password="correct-horse", active={EVPN, "v4"}, source="10.0.0.1")
    with pytest.raises(UnknownTextError, match=r"carries more: 10\.0\.0\.9$"):
        make_overlay(Instance(65000, neighbors={"10.0.0.9": neighbor}), Policies(), {}, "")
    neighbor.active = {EVPN}
    overlay = make_overlay(Instance(65000, neighbors={"10.0.0.9": neighbor}), Policies(), {}, "")
    assert overlay is not None
    assert overlay.peers["10.0.0.9"].remote_asn == 65001


def test_a_running_vlan_without_number_or_target_is_not_over_evpn() -> None:
    mac_vrf = MacVrf(distinguisher="1:1", target_of={100: "65000:100"}, vni_of={"blue": 100, "green": 200, "gone": 100})
    vlans = {"blue": 10, "green": 20}
    with tolerate_unknown_text():
        assert mac_vrf.make_vlans(vlans, set()) == {10: OverlayVlan(100, "1:1", frozenset({"65000:100"}))}
    with pytest.raises(UnknownTextError, match="MAC-VRF lacks words, ports, VLANs or targets"):
        mac_vrf.make_vlans(vlans, set())
