"""Leaks between VRFs say the same on every NOS: what was planned, and what is not stated is not there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabricgen.lint.rules.plan.tenants.fg821_tenants_meet import walk_vrfs
from fabricgen.running.tree import UnknownTextError
from fabricgen.switch.model import list_differences
from fabricgen.switch.routing import Permit, Policy
from tests.parity.switches import first, read, switches_of, wanted
from tests.render.rendered import ALL_EOS, CUMULUS, DUAL, EVPN_LEAKS, LEAKS, cluster_of


@pytest.mark.slow
@pytest.mark.parametrize("nos", [(), CUMULUS, ALL_EOS], ids=["sonic", "cumulus", "eos"])
@pytest.mark.parametrize("families", [(), DUAL], ids=["v4", "dual"])
def test_files_say_what_was_planned_of_leaks(nos: tuple[str, ...], families: tuple[str, ...]) -> None:
    sets = (*nos, *families, *LEAKS)
    cluster = cluster_of("leaf-spine", *sets)
    for switch, files in switches_of("leaf-spine", sets):
        found = list(list_differences(read(switch, files), wanted(cluster, switch)))
        assert not found, f"{switch.name}\n{first(found)}"


@pytest.mark.tenth
@pytest.mark.parametrize("nos", [(), CUMULUS, ALL_EOS], ids=["sonic", "cumulus", "eos"])
@pytest.mark.parametrize("families", [(), DUAL], ids=["v4", "dual"])
def test_files_say_what_was_planned_of_leaks_over_evpn(nos: tuple[str, ...], families: tuple[str, ...]) -> None:
    """A leak brings the other VRF to each leaf: of FRR's, own subnets alone pass; EOS takes those of all leaves."""
    sets = (*nos, *families, *EVPN_LEAKS)
    cluster = cluster_of("leaf-spine", *sets)
    for switch, files in switches_of("leaf-spine", sets):
        form = read(switch, files)
        found = list(list_differences(form, wanted(cluster, switch)))
        assert not found, f"{switch.name}\n{first(found)}"
        assert set(switch.vrfs) == ({"blue", "green", "red"} if switch.is_lowest else set())
        into = {vrf: set(bgp.leaks) for vrf, bgp in form.bgp.items() if bgp.leaks}
        assert into == ({"blue": {"green"}, "green": {"blue", "red"}, "red": {"green"}} if switch.is_lowest else {})
        own_only = nos != ALL_EOS
        assert all(policy.own_only is own_only for bgp in form.bgp.values() for policy in bgp.leaks.values())


EVPN_FAULTS = [
    *((nos, old, "_4294967294_") for nos in ((), CUMULUS) for old in ("[0-9]", "^4294967294$")),
    (ALL_EOS, "      route-target import evpn 10001:10001\n      route-target import evpn route", "      route"),
    (ALL_EOS, "      route-target import evpn route-map LEAKED-green\n", ""),
    (ALL_EOS, "   match extcommunity VRF-blue\n!\n", "!\n"),
    (ALL_EOS, "permit rt 10000:10000", "permit rt 10001:10001"),
    (ALL_EOS, "   match ip address prefix-list LEAKED-green-blue\n", ""),
    (ALL_EOS, "route-map LEAKED-blue deny 5\n   match as-path LEAKED\n!\n", ""),
]


@pytest.mark.parametrize(("nos", "old", "new"), EVPN_FAULTS, ids=lambda v: v.strip() if isinstance(v, str) else "")
def test_a_leak_over_evpn_that_is_not_as_stated_is_noticed(nos: tuple[str, ...], old: str, new: str) -> None:
    assert _noticed((*nos, *EVPN_LEAKS), old, new)


def test_what_is_stated_leaks_and_nothing_else() -> None:
    """Within the hosts of a VRF; prefixes of others in the list bring nothing."""
    switch, files = switches_of("leaf-spine", LEAKS)[0]
    form = read(switch, files)
    everything = Policy(frozenset({Permit("10.128.0.0/9", 9, 31)}))
    stated = Policy(frozenset({Permit("10.128.0.0/24", 24, 31)}))
    assert {vrf: bgp.leaks for vrf, bgp in form.bgp.items()} == {
        "": {"blue": everything},
        "blue": {"": stated, "green": everything},
        "green": {"blue": everything},
    }


FAULTS = [
    ((), " match source-vrf default\n", ""),
    ((), " set as-path prepend 4294967294\n", ""),
    ((), "  import vrf route-map LEAKED-Vrf_green\n", ""),
    ((), " match as-path LEAKED\n", ""),
    (CUMULUS, "                  source-vrf: default\n", ""),
    (CUMULUS, "                set: {as-path-prepend: {as: 4294967294}}\n", ""),
    (ALL_EOS, "      route-target import vpn-ipv4 route-map LEAKED-green\n", ""),
    (ALL_EOS, "permit rt 2001:2001", "permit rt 2000:2000"),
    (ALL_EOS, "      route-target export vpn-ipv4 2001:2001\n", ""),
]


@pytest.mark.parametrize(("nos", "old", "new"), FAULTS, ids=lambda v: v.strip() if isinstance(v, str) else "")
def test_a_leak_that_is_not_as_stated_is_noticed(nos: tuple[str, ...], old: str, new: str) -> None:
    assert _noticed((*nos, *LEAKS), old, new)


def _noticed(sets: tuple[str, ...], old: str, new: str) -> str:
    """What readers say of the files of a leaf in which a text is another one."""
    cluster = cluster_of("leaf-spine", *sets)
    switch, files = next(each for each in switches_of("leaf-spine", sets) if each[0].is_lowest)
    broken = {name: text.replace(old, new, 1) for name, text in files.items()}
    assert broken != files
    try:
        return first(list_differences(read(switch, broken), wanted(cluster, switch)))
    except UnknownTextError as error:
        return str(error)


def test_lint_allows_what_is_stated_and_nothing_else() -> None:
    cluster = cluster_of("leaf-spine", *LEAKS)
    switches = [switch for switch, _ in switches_of("leaf-spine", LEAKS)]
    assert all(len(found.ports) == 1 for found in walk_vrfs(switches, cluster.design))
    secret = replace(cluster.design, leaks=())
    assert any(set(found.ports) == {"blue", "green", ""} for found in walk_vrfs(switches, secret))
