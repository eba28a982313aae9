"""What only Junos has: every switch of its maker, and ways out by policies that name protocols."""

from __future__ import annotations

from contextlib import suppress

import pytest

from fabricgen.bom.bill import make_bill
from fabricgen.catalog.loader import Catalog
from fabricgen.running.tree import UnknownTextError
from fabricgen.switch.model import list_differences
from tests.parity.switches import first, read, switches_of, wanted
from tests.parity.test_exit_parity import KINDS, ON
from tests.render.rendered import EVPN_JUNOS, cluster_of

TIERS = ("leaf", "spine")


def on_leaf_spine(switch: str, *sets: str) -> tuple[str, tuple[str, ...]]:
    return "leaf-spine", ("nos=junos", *(f"fabrics.compute.tiers.{tier}.switch={switch}" for tier in TIERS), *sets)


SWITCHES = {
    "qfx5130-32cd": on_leaf_spine("qfx5130-32cd"),
    "qfx5220-128c": on_leaf_spine("qfx5220-128c", "fabrics.compute.tiers.leaf.uplinks=4 x 100G"),
    "qfx5220-32cd": on_leaf_spine("qfx5220-32cd"),
    "qfx5230-64cd": on_leaf_spine("qfx5230-64cd"),
    "qfx5240-64od": ("evpn-guests", EVPN_JUNOS),
}
"""An example with each of Juniper's switches as leaf and spine."""


def test_every_switch_that_runs_junos_is_built_here() -> None:
    catalog = Catalog()
    assert sorted(SWITCHES) == [id_ for id_ in catalog.ids("switches") if "junos" in catalog.switch(id_).nos]


@pytest.mark.slow
@pytest.mark.parametrize("switch", SWITCHES)
def test_a_switch_is_built_read_back_and_bought(switch: str) -> None:
    name, sets = SWITCHES[switch]
    cluster = cluster_of(name, *sets)
    for view, files in switches_of(name, sets, 2):
        if view.profile.id == switch:
            assert list(files) == ["juniper.conf"]
            unlike = list(list_differences(read(view, files), wanted(cluster, view)))
            assert not unlike, f"{view.name}\n{first(unlike)}"
    views = [view for view in cluster.switches() if view.profile.id == switch]
    assert {view.tier.name for view in views} == set(TIERS)
    bought = {line.part: line.quantity for line in make_bill(cluster).lines}
    assert bought[switch] == len(views)


def border(kind: str) -> str:
    """The file of a border of two exits."""
    for view, files in switches_of("two-exits", (*ON["junos"], *KINDS[kind])):
        if view.name == "compute-border-01":
            return files["juniper.conf"]
    raise AssertionError(kind)


def test_what_an_exit_is_asked_is_in_its_session() -> None:
    text = border("between-loopbacks")
    for line in (
        "local-as 65000 private no-prepend-global-as;",
        "as-path-expand last-as count 8;",
        "authentication-key <env:FABRICGEN_X>;",
        'as-path AS65101 "65101 .*";',
        "community EXIT-wan-OUT members [ 65101:1 ];",
        "route 192.0.2.9/32 next-hop [",
    ):
        assert text.count(line) == 1, line
    assert "        route 172.16.0.0/16 {\n            brief;\n            discard;\n        }\n" in text


FAULTS = [
    ("static", "protocol [ static ];\n                route-filter-list OUTSIDE;", "route-filter-list OUTSIDE;"),
    ("static", "protocol [ static ]", "protocol [ direct ]"),
    ("static", "0.0.0.0/0 next-hop [ 10.64.0.17 ]", "0.0.0.0/0 next-hop [ 10.99.0.17 ]"),
    ("static", "    static {\n        route 0", "    rib inet6.0 static {\n        route 0"),
    ("between-loopbacks", "                as-path-group EXITS;\n", ""),
    ("between-loopbacks", "65101 .*", "65102 .*"),
    ("between-loopbacks", " private no-prepend-global-as", " private"),
    ("between-loopbacks", "            brief;\n", ""),
    ("between-loopbacks", "protocol [ aggregate ]", "protocol [ aggregate bgp ]"),
    ("between-loopbacks", "protocol [ aggregate ]", "protocol [ bgp ]"),
    ("between-loopbacks", "local-address 10.0.0.1", "local-address 10.64.0.16"),
]


@pytest.mark.parametrize(("kind", "old", "new"), FAULTS)
def test_a_border_that_says_other_than_planned_is_found_out(kind: str, old: str, new: str) -> None:
    sets = (*ON["junos"], *KINDS[kind])
    view, files = next(pair for pair in switches_of("two-exits", sets) if pair[0].name == "compute-border-01")
    assert old in files["juniper.conf"]
    broken = {"juniper.conf": files["juniper.conf"].replace(old, new, 1)}
    with suppress(UnknownTextError):
        assert list(list_differences(read(view, broken), wanted(cluster_of("two-exits", *sets), view)))
