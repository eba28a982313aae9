"""Ways out of every kind say the same on every NOS: what was planned."""

from __future__ import annotations

import pytest

from fabricgen.lint.rules.plan.tenants.fg821_tenants_meet import walk_vrfs
from fabricgen.switch.model import list_differences
from tests.parity.switches import first, read, switches_of, wanted
from tests.render.rendered import CUMULUS, DUAL, EVPN_EXITS_JUNOS, EXITS_JUNOS, UNNUMBERED, cluster_of

TIERS = {"leaf": "7060dx5-64s", "spine": "7060dx5-64s", "border": "7060x6-64pe"}
EOS = (*(f"fabrics.compute.tiers.{tier}.switch={switch}" for tier, switch in TIERS.items()), "nos=eos")
EXIT = "fabrics.compute.exits.wan="
OF_TENANT = "tenants={blue: {nodes: [p1/su-1/node-1], extra: [wan]}}"
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
    "of-a-tenant-beside-a-leak": (*DUAL, OF_TENANT, "leaks.some={between: [blue, default]}"),
    "of-a-tenant-over-evpn": (OF_TENANT, "routing.overlay=evpn"),
    "of-a-tenant-without-hosts": (
        EXIT + "{to: wan, asn: 65101}",
        *(OF_TENANT, "routing.overlay=evpn", "fabrics.compute.hosts=none"),
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
TO = ("wan", "blue-wan", "green-wan")
WAN = "fabrics.inband.extra={wan: {device: external-router, names: [wan-1, wan-2], ports: 1, speed: 200G}}"
OF_TENANTS = (
    "fabrics.inband.extra={"
    + ", ".join(f"{n}: {{device: external-router, names: [{n}-1, {n}-2], ports: 1, speed: 200G}}" for n in TO)
    + "}",
    "fabrics.inband.exits.ours={to: wan, asn: 65101}",
    "fabrics.inband.exits.theirs={to: blue-wan, asn: 65102, announce: [10.128.0.0/9], accept: [203.0.113.0/24 le 28]}",
    "fabrics.inband.exits.fixed={to: green-wan, routing: static}",
    "tenants.blue={nodes: [p1/su-1/node-1, p1/su-2/node-1], extra: [blue-wan]}",
    "tenants.green={nodes: [p1/su-1/node-2], extra: [green-wan]}",
)
"""Ways out of two tenants, with a session and with static routes, beside one of the fabric."""
IN_VRF: dict[str, tuple[str, ...]] = {
    "over-evpn": (
        WAN,
        "fabrics.inband.exits.wan={to: wan, asn: 65101, announce: [10.128.0.0/9], accept: [203.0.113.0/24 le 28]}",
    ),
    "static-over-evpn": (WAN, "fabrics.inband.exits.wan={to: wan, routing: static}"),
    "on-links": (WAN, "routing.overlay=none", "fabrics.inband.exits.wan={to: wan, asn: 65101}"),
    "of-tenants-over-evpn": (*OF_TENANTS, "routing.overlay=evpn"),
    "of-tenants-on-links": (*OF_TENANTS, "routing.overlay=none"),
}


VRFS_ON_LINKS = ("of-a-tenant-beside-a-leak", "on-links", "of-tenants-on-links")
"""Cases of VRFs on links between switches, and of leaks, which Junos refuses."""
ON: dict[str, tuple[str, ...]] = {"sonic": (), "cumulus": CUMULUS, "eos": EOS, "junos": EXITS_JUNOS}
GUESTS_ON: dict[str, tuple[str, ...]] = {"sonic": (), "cumulus": CUMULUS, "eos": GUEST_EOS, "junos": EVPN_EXITS_JUNOS}
"""NOSes, and what makes the examples of two exits and of guests run them."""


def list_cases(kinds: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    """(NOS, kind) of each kind on each NOS that claims it."""
    return [(nos, kind) for nos in ON for kind in kinds if nos != "junos" or kind not in VRFS_ON_LINKS]


@pytest.mark.tenth
@pytest.mark.parametrize(("nos", "kind"), list_cases(IN_VRF))
def test_files_say_what_was_planned_of_exits_in_a_vrf(nos: str, kind: str) -> None:
    sets = (*GUESTS_ON[nos], *IN_VRF[kind])
    cluster = cluster_of("evpn-guests", *sets)
    for switch, files in switches_of("evpn-guests", sets):
        found = list(list_differences(read(switch, files), wanted(cluster, switch)))
        assert not found, f"{switch.name}\n{first(found)}"


@pytest.mark.tenth
@pytest.mark.parametrize(("nos", "kind"), list_cases(KINDS))
def test_files_say_what_was_planned_of_exits(nos: str, kind: str) -> None:
    sets = (*ON[nos], *KINDS[kind])
    cluster = cluster_of("two-exits", *sets)
    for switch, files in switches_of("two-exits", sets):
        found = list(list_differences(read(switch, files), wanted(cluster, switch)))
        assert not found, f"{switch.name}\n{first(found)}"


@pytest.mark.parametrize("kind", ["of-tenants-over-evpn", "of-tenants-on-links"])
def test_exits_of_tenants_do_not_join_them(kind: str) -> None:
    cluster = cluster_of("evpn-guests", *IN_VRF[kind])
    switches = [switch for switch, _ in switches_of("evpn-guests", IN_VRF[kind])]
    met = [set(found.ports) for found in walk_vrfs(switches, cluster.design)]
    assert all(len(tenants) == 1 for tenants in met)
    assert {"blue"} in met
    assert {"green"} in met
    everywhere = {"0.0.0.0/0", "::/0"}
    beyond: dict[str, set[str]] = {
        "": set(),
        "inband": everywhere,
        "blue": everywhere | {"203.0.113.0/24"},
        "green": everywhere,
    }
    for switch in switches:
        for vrf in set(switch.vrfs) & set(beyond):
            assert {each.prefix for each in switch.list_outside(vrf)} == beyond[vrf], (switch.name, vrf)
    ways = {(peer.device, vrf) for switch in switches for (vrf, _), peer in switch.exits.peers.items()}
    assert ways == {(f"{to}-{n}", vrf) for to, vrf in (("wan", "inband"), ("blue-wan", "blue")) for n in (1, 2)}


def test_an_exit_outside_of_its_tenants_vrf_is_found_out() -> None:
    sets = (*EOS, OF_TENANT)
    cluster = cluster_of("two-exits", *sets)
    switch, files = next(each for each in switches_of("two-exits", sets) if each[0].name == "compute-border-01")
    (name,) = [name for name, text in files.items() if "router bgp" in text]
    port = next(port for port in switch.ports if port.role == "exit")
    before, interface, after = files[name].partition(f"\ninterface {port.name}\n")
    assert "   vrf blue\n" in after.partition("!")[0]
    moved = {**files, name: before + interface + after.replace("   vrf blue\n", "", 1)}
    assert list(list_differences(read(switch, moved), wanted(cluster, switch)))


def test_a_border_that_drains_inward_alone_is_found_out() -> None:
    sets = ("config_of.compute-border-01.maintenance=true",)
    switch, files = next(each for each in switches_of("two-exits", sets) if each[0].name == "compute-border-01")
    text = files["frr.conf"]
    assert text.count(" set community 65101:100 65535:0\n") == 1
    half = text.replace(" set community 65101:100 65535:0\n", " set community 65101:100\n")
    with pytest.raises(ValueError, match="drains some"):
        read(switch, {**files, "frr.conf": half})
