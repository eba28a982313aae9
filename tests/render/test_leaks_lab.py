"""Leaks between VRFs in bgpd: what each VRF of a leaf and of a spine has of the others is what was stated.

Namespaces stand for VRFs here, and no next hop leads out of one, so that it is the tables of bgpd that are read, and no
packets that are sent.
"""

from __future__ import annotations

import time
from ipaddress import ip_network
from pathlib import Path

import pytest

from fabricgen.lab.fabric import Lab
from fabricgen.lab.files import Build
from tests.render import vrf_lab
from tests.render.lab_files import built

pytestmark = [pytest.mark.daemon, vrf_lab.TRIED_TWICE]

STATED = "10.128.0.0/28"
"""The first hosts of the first leaf."""
SETS = (
    'tenants.blue.nodes=["p1/su-*/node-1"]',
    'tenants.green.nodes=["p1/su-*/node-2"]',
    'tenants.red.nodes=["p1/su-*/node-3"]',
    f"leaks.some={{between: [blue, green], prefixes: {{green: {STATED}}}}}",
    "leaks.all={between: [green, red]}",
    "fabrics.compute.tiers.leaf.per=su",
    "fabrics.compute.tiers.leaf.uplinks=2 x 400G",
    "fabrics.compute.tiers.spine.count=2",
)


def test_each_vrf_has_what_is_stated_of_others(short_path: Path) -> None:
    """Green shows blue a part, and red all: neither sees what green has of the other."""
    build = Build(built("leaf-spine", *SETS))
    own = {vrf: hosts(build, vrf) for vrf in ("blue", "green", "red")}
    stated = {prefix for prefix in own["green"] if ip_network(prefix).subnet_of(ip_network(STATED))}  # type: ignore[arg-type]
    assert stated
    assert stated < own["green"]
    assert all(own.values())
    should = {
        "blue": own["blue"] | stated,
        "green": own["green"] | own["blue"] | own["red"],
        "red": own["red"] | own["green"],
    }
    with vrf_lab.lab(build, short_path) as lab:
        deadline = time.monotonic() + 300
        wanted = {(switch, vrf): table for switch in build.switches for vrf, table in should.items()}
        while (found := tables(lab, wanted)) != wanted and time.monotonic() < deadline:
            time.sleep(0.3)
        assert found == wanted, {key: found[key] ^ table for key, table in wanted.items() if found[key] != table}


def hosts(build: Build, vrf: str) -> set[str]:
    """The links of the hosts of a VRF, by the files of their leaves."""
    every = (port for form in build.forms.values() for port in form.interfaces.values())
    return {str(ip_network(address, strict=False)) for port in every if port.vrf == vrf for address in port.addresses}


def tables(lab: Lab, keys: dict[tuple[str, str], set[str]]) -> dict[tuple[str, str], set[str]]:
    """What bgpd has in the VRFs of switches."""
    found = {}
    for switch, vrf in keys:
        (table,) = lab.json(switch, f"show bgp vrf Vrf_{vrf} ipv4 unicast")
        found[switch, vrf] = set(table.get("routes", {}))
    return found
