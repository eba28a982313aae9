"""Ways out of every kind say the same on every NOS: what was planned."""

from __future__ import annotations

import pytest

from fabricgen.running.form import differences
from tests.parity.switches import first, read, switches_of, wanted
from tests.render.rendered import CUMULUS, DUAL, UNNUMBERED, cluster_of

TIERS = {"leaf": "7060dx5-64s", "spine": "7060dx5-64s", "border": "7060x6-64pe"}
EOS = (*(f"fabrics.compute.tiers.{tier}.switch={switch}" for tier, switch in TIERS.items()), "nos=eos")
EXIT = "fabrics.compute.exits.wan="
KINDS: dict[str, tuple[str, ...]] = {
    "static": (EXIT + "{to: wan, routing: static, accept: [203.0.113.0/24]}",),
    "between-loopbacks": (
        EXIT + "{to: wan, asn: 65101, local_as: 65000, password: 'env:FABRICGEN_X', bfd: true, prefer: backup, "
        "announce: [172.16.0.0/16], communities: ['65101:1'], devices: {wan-1: {loopback: 192.0.2.9}}}",
    ),
    "numbered-from-the-pool": (*DUAL, EXIT + "{to: wan, asn: 65101, announce: [172.16.0.0/16]}"),
    "without-limit-beside-a-relay": (
        EXIT + "{to: wan, asn: 65101}",
        "routing.max_prefixes=0",
        "fabrics.compute.dhcp.servers=192.0.2.67",
    ),
    "unnumbered-inside": UNNUMBERED,
    "drained": ("config_of.compute-border-01.maintenance=true",),
    "drained-static": (
        EXIT + "{to: wan, routing: static, accept: [203.0.113.0/24]}",
        "config_of.compute-border-01.maintenance=true",
    ),
    "drained-backup": (
        *DUAL,
        EXIT + "{to: wan, asn: 65101, prefer: backup, announce: [172.16.0.0/16]}",
        "config_of.compute-border-01.maintenance=true",
    ),
}


GUEST_EOS = (*(f"fabrics.compute.tiers.{tier}.switch=7060x6-64pe" for tier in ("leaf", "spine")), "nos=eos")
WAN = "fabrics.inband.extra={wan: {device: external-router, names: [wan-1, wan-2], ports: 1, speed: 200G}}"
IN_VRF: dict[str, tuple[str, ...]] = {
    "over-evpn": (
        WAN,
        "fabrics.inband.exits.wan={to: wan, asn: 65101, announce: [10.128.0.0/9], accept: [203.0.113.0/24 le 28]}",
    ),
    "static-over-evpn": (WAN, "fabrics.inband.exits.wan={to: wan, routing: static}"),
    "on-links": (WAN, "routing.overlay=none", "fabrics.inband.exits.wan={to: wan, asn: 65101}"),
}


@pytest.mark.parametrize("nos", [(), CUMULUS, GUEST_EOS], ids=["sonic", "cumulus", "eos"])
@pytest.mark.parametrize("kind", IN_VRF)
def test_files_say_what_was_planned_of_exits_in_a_vrf(nos: tuple[str, ...], kind: str) -> None:
    sets = (*nos, *IN_VRF[kind])
    cluster = cluster_of("evpn-guests", *sets)
    for switch, files in switches_of("evpn-guests", sets):
        found = list(differences(read(switch, files), wanted(cluster, switch, files)))
        assert not found, f"{switch.name}\n{first(found)}"


@pytest.mark.parametrize("nos", [(), CUMULUS, EOS], ids=["sonic", "cumulus", "eos"])
@pytest.mark.parametrize("kind", KINDS)
def test_files_say_what_was_planned_of_exits(nos: tuple[str, ...], kind: str) -> None:
    sets = (*nos, *KINDS[kind])
    cluster = cluster_of("two-exits", *sets)
    for switch, files in switches_of("two-exits", sets):
        found = list(differences(read(switch, files), wanted(cluster, switch, files)))
        assert not found, f"{switch.name}\n{first(found)}"


def test_a_border_that_drains_inward_alone_is_found_out() -> None:
    sets = ("config_of.compute-border-01.maintenance=true",)
    switch, files = next(each for each in switches_of("two-exits", sets) if each[0].name == "compute-border-01")
    text = files["frr.conf"]
    assert text.count(" set community 65101:100 65535:0\n") == 1
    half = text.replace(" set community 65101:100 65535:0\n", " set community 65101:100\n")
    with pytest.raises(ValueError, match="drains some"):
        read(switch, {**files, "frr.conf": half})
