"""Leaves with switches of another fabric below them pass on what these and the spines tell, the default route too."""

from __future__ import annotations

import pytest

from tests.parity.switches import read, switches_of

ARISTA = (
    "nos=eos",
    "management.users={ops: {ssh_keys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGRlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn]}}",
    *(f"fabrics.compute.tiers.{tier}.switch=7060x6-64pe" for tier in ("leaf", "spine")),
    *(f"fabrics.inband.tiers.{tier}.switch=7060dx5-32" for tier in ("leaf", "spine", "border")),
    "fabrics.oob.tiers.leaf.switch=7010tx",
    "fabrics.oob.tiers.leaf.uplinks=2 x 25G",
)
NOSES = {"sonic": (), "cumulus": ("nos=cumulus",), "eos": ARISTA}


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


@pytest.mark.parametrize("nos", NOSES)
def test_providers_get_no_answer_to_dhcp(nos: str) -> None:
    for switch, files in switches_of("monday", NOSES[nos]):
        form = read(switch, files)
        for port in switch.ports:
            if port.role == "exit":
                assert form.interfaces[port.name].relay is None, (switch.name, port.name)
