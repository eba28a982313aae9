"""Switches that share an AS number take each other's routes from above; the others drop their own number as a loop."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from test_services import ROUTED_VRF, converged
from test_services import files_of as files_of_view

from fabricgen.views.switch import SwitchView
from tests.render.rendered import ALL_EOS, DUAL, ONE_NUMBER, PER_RACK, V6, cluster_of, files_of


def routing(sets: tuple[str, ...]) -> list[tuple[SwitchView, str]]:
    files = files_of("leaf-spine", *sets)
    return [
        (view, "".join(text for path, text in files.items() if path.startswith(f"configs/{view.name}/")))
        for view in cluster_of("leaf-spine", *sets).switches()
    ]


def words(text: str) -> list[str]:
    return re.findall(r"neighbor \S+ allowas-in \d+", text)


@pytest.mark.parametrize("platform", [(), ALL_EOS], ids=["sonic", "eos"])
@pytest.mark.parametrize("plan", [PER_RACK, ONE_NUMBER])
def test_leaves_that_share_a_number(plan: tuple[str, ...], platform: tuple[str, ...]) -> None:
    for view, text in routing((*plan, *platform)):
        assert words(text) == (["neighbor UP allowas-in 1"] if view.is_lowest else []), view.name


@pytest.mark.tenth
@pytest.mark.parametrize(("ip", "groups"), [(V6, ["UP6"]), (DUAL, ["UP", "UP6"])])
@pytest.mark.parametrize("platform", [(), ALL_EOS], ids=["sonic", "eos"])
def test_leaves_that_share_a_number_do_so_in_each_family(
    platform: tuple[str, ...], ip: tuple[str, ...], groups: list[str]
) -> None:
    for view, text in routing((*PER_RACK, *ip, *platform)):
        assert words(text) == ([f"neighbor {g} allowas-in 1" for g in groups] if view.is_lowest else []), view.name


@pytest.mark.parametrize("platform", [(), ALL_EOS], ids=["sonic", "eos"])
def test_nobody_else_does(platform: tuple[str, ...]) -> None:
    for plan in ("rfc7938", "per-switch"):
        for _, text in routing((f"routing.asn.plan={plan}", *platform)):
            assert not words(text)


def test_a_vrf_does_as_its_switch() -> None:
    shared = replace(converged(ROUTED_VRF, *ALL_EOS), shares_asn=True)
    (text,) = files_of_view(shared).values()
    instance = text.partition("   vrf storage\n      router-id")[2]
    ups = [sub.pairs[0][1].partition("/")[0] for port in shared.ports for sub in port.subinterfaces]
    assert words(instance) == [f"neighbor {address} allowas-in 1" for address in ups]
    frr = files_of_view(replace(converged(ROUTED_VRF), shares_asn=True))["frr.conf"]
    assert words(frr) == ["neighbor UP allowas-in 1"] * 2
