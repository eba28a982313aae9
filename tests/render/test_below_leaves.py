"""Leaves with switches of another fabric below them pass on what these and the spines tell, the default route too."""

from __future__ import annotations

import pytest
from pyavd import get_device_config

from tests.parity.switches import read, switches_of, wanted
from tests.render.rendered import cluster_of

ARISTA = (
    "nos=eos",
    "management.users={ops: {ssh_keys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGRlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn]}}",
    *(f"fabrics.compute.tiers.{tier}.switch=7060x6-64pe" for tier in ("leaf", "spine")),
    *(f"fabrics.inband.tiers.{tier}.switch=7060dx5-32" for tier in ("leaf", "spine", "border")),
    "fabrics.oob.tiers.leaf.switch=7010tx",
    "fabrics.oob.tiers.leaf.uplinks=2 x 25G",
)
NOSES = {"sonic": (), "cumulus": ("nos=cumulus",), "eos": ARISTA}


@pytest.mark.slow
@pytest.mark.parametrize("nos", NOSES)
def test_a_small_cluster_has_a_default_route_everywhere(nos: str) -> None:
    forms = {s.name: (s, read(s, files)) for s, files in switches_of("monday", NOSES[nos])}
    for name, passes in (("inband-leaf-01", True), ("inband-spine-01", True), ("oob-leaf-p1-su01-01", False)):
        for peer in forms[name][1].bgp[""].peers.values():
            assert peer.policy_in
            assert any(permit.prefix == "0.0.0.0/0" for permit in peer.policy_in.permits)
            assert peer.policy_out
            assert peer.policy_out.own_only != passes
            assert any(permit.prefix == "0.0.0.0/0" for permit in peer.policy_out.permits) == passes


@pytest.mark.slow
@pytest.mark.parametrize("nos", NOSES)
def test_providers_get_no_answer_to_dhcp(nos: str) -> None:
    for switch, files in switches_of("monday", NOSES[nos]):
        form = read(switch, files)
        for port in switch.ports:
            if port.role == "exit":
                assert form.interfaces[port.name].relay is None, (switch.name, port.name)


@pytest.mark.slow
@pytest.mark.parametrize("nos", ["cumulus", "eos"])
def test_out_of_band_leaves_speak_to_servers_from_their_loopback(nos: str) -> None:
    """Links between switches are announced to nobody, so that answers to their addresses would not come back."""
    for switch, files in switches_of("monday", NOSES[nos]):
        form = read(switch, files)
        assert form.management.from_loopback == (switch.fabric.name == "oob")
        assert form.management == wanted(cluster_of("monday", *NOSES[nos]), switch).management


@pytest.mark.slow
def test_arista_writes_the_same() -> None:
    """Arista's own templates, of pyavd."""
    shown = get_device_config(
        {
            "ntp": {"local_interface": {"name": "Loopback0"}},
            "ip_domain_lookup": {"source_interfaces": [{"name": "Loopback0"}]},
            "logging": {"source_interface": "Loopback0"},
        }
    )
    (text,) = next(files for s, files in switches_of("monday", ARISTA) if s.fabric.name == "oob").values()
    lines = [line for line in text.splitlines() if "Loopback0" in line and line != "interface Loopback0"]
    assert len(lines) == 3
    assert set(lines) <= set(shown.splitlines())
