"""Edges of the rules on services of hosts: just within, just beyond."""

from __future__ import annotations

import pytest

from fabricgen.lint.engine import LintSettings, lint
from fabricgen.lint.rules.design.addressing import fg520_dhcp_server_out_of_reach
from fabricgen.lint.rules.design.management import fg735_relay_hears_no_reply
from fabricgen.lint.rules.plan.configuration import fg734_narrow_for_the_overlay
from tests.conftest import example_cluster, example_design

OVERLAY = "routing.overlay=evpn"
PORT = "config_of.compute-spine-01.ports.Ethernet0.mtu"
BRIDGED = "fabrics.compute.hosts=bridged"


@pytest.mark.tenth
@pytest.mark.parametrize(("mtu", "count"), [(8999, 0), (9000, 1), (9049, 1), (9050, 0), (9216, 0)])
def test_vxlan_needs_fifty_bytes_more(mtu: int, count: int) -> None:
    cluster = example_cluster("leaf-spine", OVERLAY, f"{PORT}={mtu}")
    rule = fg734_narrow_for_the_overlay.NarrowForTheOverlay()
    assert len(list(rule.check(cluster))) == count
    assert not list(rule.check(example_cluster("leaf-spine", f"{PORT}={mtu}"))), "without VXLAN it is FG717's"


@pytest.mark.parametrize(("server", "count"), [("10.128.0.67", 0), ("10.0.0.1", 0), ("192.0.2.1", 1), ("fd00::1", 1)])
def test_a_server_is_where_routes_lead(server: str, count: int) -> None:
    design = example_design("leaf-spine", BRIDGED, f"fabrics.compute.dhcp.servers={server}")
    assert len(list(fg520_dhcp_server_out_of_reach.DhcpServerOutOfReach().check(design))) == count


def test_no_relay_is_deaf_at_unnumbered_links_or_of_v4() -> None:
    sets = (BRIDGED, "fabrics.compute.dhcp.servers='fd00:99::9'", "routing.underlay=ebgp-unnumbered")
    rule = fg735_relay_hears_no_reply.RelayHearsNoReply()
    assert not list(rule.check(example_design("leaf-spine", *sets)))
    for nos in ("sonic", "cumulus"):
        four = ("fabrics.inband.dhcp.servers=10.128.0.67", f"nos={nos}")
        assert not list(rule.check(example_design("evpn-guests", *four)))


def test_what_a_nos_lacks_of_them_is_said() -> None:
    stated = ("fabrics.compute.dhcp={servers: 10.128.0.67, option_82: false}", "fabrics.compute.access.bpdu_guard=true")
    more = ("ip=dual", BRIDGED, "fabrics.compute.router_advertisements={other: true, lifetime_s: 600}")
    found = lint(example_design("leaf-spine", *stated, *more), None, LintSettings())
    said = " ".join(d.message for d in found.findings if d.code == "FG703")
    assert all(word in said for word in ("no-option-82", "bpdu-guard", "ra-settings", "ra-lifetime")), said


def test_tenants_have_vrfs_too() -> None:
    rule = fg735_relay_hears_no_reply.RelayHearsNoReply()
    (found,) = rule.check(example_design("tenants", "fabrics.storage.dhcp.servers='fd00:99::9'"))
    assert "storage leaf runs sonic" in found.message
    assert "VRF blue" in found.message
    assert not list(rule.check(example_design("tenants", "fabrics.compute.dhcp.servers='fd00:99::9'"))), "EOS"
    (found,) = rule.check(
        example_design("tenants", "fabrics.storage.dhcp.servers=fd00:99::9", "fabrics.storage.nos=cumulus")
    )
    assert "storage leaf runs cumulus" in found.message
    assert "whose addresses nobody has a route to" in found.message


@pytest.mark.parametrize(
    ("underlay", "count"), [("static", 1), ("ebgp-numbered", 0), ("ebgp-unnumbered", 0), ("none", 0)]
)
def test_a_relay_of_cumulus_is_answered_by_bgp_alone(underlay: str, count: int) -> None:
    """Its loopback is the source of routes by BGP; without routing the servers are in its VLANs."""
    sets = ("ip=dual", BRIDGED, "nos=cumulus", f"routing.underlay={underlay}")
    rule = fg735_relay_hears_no_reply.RelayHearsNoReply()
    found = list(rule.check(example_design("leaf-spine", *sets, "fabrics.compute.dhcp.servers=fd00:99::9")))
    assert len(found) == count
    assert all("addresses of links" in each.message and "ebgp" in each.hint for each in found)


def test_sonic_alone_hears_no_reply_of_v6_over_vxlan() -> None:
    rule = fg735_relay_hears_no_reply.RelayHearsNoReply()
    server = "fabrics.inband.dhcp.servers='fd00:99::9'"
    (found,) = rule.check(example_design("evpn-guests", server))
    assert "comes in VXLAN" in found.message
    assert not list(rule.check(example_design("evpn-guests", server, "nos=cumulus")))
    (found,) = rule.check(example_design("evpn-guests", server, "nos=cumulus", "routing.overlay=none"))
    assert "VRF inband comes over sub-interfaces" in found.message
