"""Links to peers and to other sites keep their ports and addresses when more of them come."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.lock.test_one_to_several import KEYS, edit_tree, find_changed_rows
from tests.lock.test_one_to_several import build_tables as compiled_tables
from tests.properties.halls import Tree

SITES: Tree = yaml.safe_load("""
fabricgen: 1
name: sites
scalable_unit: {nodes: 2 x dgx-b200}
pods: {e1: {site: east}, w1: {site: west}}
fabrics:
  compute:
    protocol: roce
    tiers: {leaf: {switch: sn5600, per: su}, spine: {switch: sn5600, count: 2}}
  across:
    protocol: roce
    oversubscription: "8:1"
    tiers: {border: {switch: 7280r4-32qf-32df, count: 2, above: compute.spine}}
    spans: {haul: {between: [east, west], km: 8, links: 4 x 400G, lossless: false}}
""")
PAIR: Tree = yaml.safe_load("""
fabricgen: 1
name: pair
scalable_unit: {nodes: 6 x dgx-h100, racks: {nodes_per_rack: 3}}
fabrics:
  inband:
    protocol: ethernet
    bond: node
    speed: 100G
    tiers: {leaf: {switch: sn5600, count: 2, peer: 2 x 400G}}
nos: cumulus
""")


def make_span(*between: str) -> dict[str, Any]:
    return {"between": list(between), "km": 8, "links": "4 x 400G", "lossless": False}


STEPS: dict[str, tuple[Tree, dict[str, Any]]] = {
    "more links of a span": (SITES, {"fabrics.across.spans.haul.links": "8 x 400G"}),
    "a span that comes first": (SITES, {"fabrics.across.spans.a": make_span("east", "west")}),
    "a span that comes last": (SITES, {"fabrics.across.spans.z": make_span("west", "east")}),
    "a site": (SITES, {"pods.n1": {"site": "north"}, "fabrics.across.spans.z": make_span("east", "north")}),
    "a ring": (
        SITES,
        {
            "pods.c1": {"site": "center"},
            "fabrics.across.spans.a": make_span("center", "east"),
            "fabrics.across.spans.z": make_span("west", "center"),
        },
    ),
    "more peer links": (PAIR, {"fabrics.inband.tiers.leaf.peer": "8 x 400G"}),
    "peer links of a unit": (
        edit_tree(PAIR, {"fabrics.inband.tiers.leaf.peer": "2 x 400G per su", "pods.p1": {"reserve": 3}}),
        {"pods.p1.su": 3},
    ),
}


@pytest.mark.tenth
@pytest.mark.parametrize("step", STEPS)
def test_links_within_a_tier_stay_when_more_come(step: str) -> None:
    before, values = STEPS[step]
    first, was = compiled_tables(before)
    second, now = compiled_tables(edit_tree(before, values), first)
    assert {name: lost for name in KEYS if (lost := find_changed_rows(was[name], now[name]))} == {}
    assert len({row["prefix"] for row in now["addresses.csv"].values()}) == len(now["addresses.csv"])
    again = compiled_tables(edit_tree(before, values), second)[1]
    assert again == now
    back = compiled_tables(before, second)[1]
    assert {name: lost for name in KEYS if (lost := find_changed_rows(was[name], back[name]))} == {}


def test_a_second_growth_keeps_what_the_first_added() -> None:
    first, _ = compiled_tables(PAIR)
    second, was = compiled_tables(edit_tree(PAIR, {"fabrics.inband.tiers.leaf.peer": "4 x 400G"}), first)
    _, now = compiled_tables(edit_tree(PAIR, {"fabrics.inband.tiers.leaf.peer": "8 x 400G"}), second)
    assert {name: lost for name in KEYS if (lost := find_changed_rows(was[name], now[name]))} == {}
