"""Leaks between VRFs say the same on every NOS: what was planned, and what is not stated is not there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabricgen.lint.tenant_walk import joined
from fabricgen.running.form import Permit, Policy, differences
from fabricgen.running.tree import UnknownTextError
from tests.parity.switches import first, read, switches_of, wanted
from tests.render.rendered import ALL_EOS, CUMULUS, DUAL, EVPN_LEAKS, LEAKS, cluster_of


@pytest.mark.parametrize("nos", [(), CUMULUS, ALL_EOS], ids=["sonic", "cumulus", "eos"])
@pytest.mark.parametrize("families", [(), DUAL], ids=["v4", "dual"])
def test_files_say_what_was_planned_of_leaks(nos: tuple[str, ...], families: tuple[str, ...]) -> None:
    sets = (*nos, *families, *LEAKS)
    cluster = cluster_of("leaf-spine", *sets)
    for switch, files in switches_of("leaf-spine", sets):
        found = list(differences(read(switch, files), wanted(cluster, switch, files)))
        assert not found, f"{switch.name}\n{first(found)}"


@pytest.mark.parametrize("nos", [(), CUMULUS], ids=["sonic", "cumulus"])
@pytest.mark.parametrize("families", [(), DUAL], ids=["v4", "dual"])
def test_files_say_what_was_planned_of_leaks_over_evpn(nos: tuple[str, ...], families: tuple[str, ...]) -> None:
    """A leak brings the other VRF to each leaf: own subnets alone pass from one to the other."""
    sets = (*nos, *families, *EVPN_LEAKS)
    cluster = cluster_of("leaf-spine", *sets)
    for switch, files in switches_of("leaf-spine", sets):
        form = read(switch, files)
        found = list(differences(form, wanted(cluster, switch, files)))
        assert not found, f"{switch.name}\n{first(found)}"
        assert set(switch.vrfs) == ({"blue", "green", "red"} if switch.is_lowest else set())
        into = {vrf: set(bgp.leaks) for vrf, bgp in form.bgp.items() if bgp.leaks}
        assert into == ({"blue": {"green"}, "green": {"blue", "red"}, "red": {"green"}} if switch.is_lowest else {})
        assert all(policy.own_only for bgp in form.bgp.values() for policy in bgp.leaks.values())


@pytest.mark.parametrize("nos", [(), CUMULUS], ids=["sonic", "cumulus"])
@pytest.mark.parametrize("old", ["[0-9]", "^4294967294$"])
def test_a_leak_over_evpn_that_is_not_as_stated_is_noticed(nos: tuple[str, ...], old: str) -> None:
    sets = (*nos, *EVPN_LEAKS)
    cluster = cluster_of("leaf-spine", *sets)
    switch, files = next(each for each in switches_of("leaf-spine", sets) if each[0].is_lowest)
    broken = {name: text.replace(old, "_4294967294_", 1) for name, text in files.items()}
    assert broken != files
    assert list(differences(read(switch, broken), wanted(cluster, switch, files)))


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
    sets = (*nos, *LEAKS)
    cluster = cluster_of("leaf-spine", *sets)
    switch, files = switches_of("leaf-spine", sets)[0]
    broken = {name: text.replace(old, new, 1) for name, text in files.items()}
    assert broken != files
    try:
        found = first(differences(read(switch, broken), wanted(cluster, switch, files)))
    except UnknownTextError as error:
        found = str(error)
    assert found


def test_lint_allows_what_is_stated_and_nothing_else() -> None:
    cluster = cluster_of("leaf-spine", *LEAKS)
    switches = [switch for switch, _ in switches_of("leaf-spine", LEAKS)]
    assert all(len(found.ports) == 1 for found in joined(switches, cluster.design))
    secret = replace(cluster.design, leaks=())
    assert any(set(found.ports) == {"blue", "green", ""} for found in joined(switches, secret))
