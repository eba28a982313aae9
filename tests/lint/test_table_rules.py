"""What BGP makes of a design, against prefix limits and published tables: just within, just beyond."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.cluster import build_cluster
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic
from fabricgen.lint.rule import DesignRule, load_all_rules
from fabricgen.lint.subjects.route_counts import count_announced, count_ecmp_groups, count_ecmp_paths, count_sessions
from fabricgen.numbering.underlay import runs_bgp
from fabricgen.views.model.routing import model_bgp
from fabricgen.wiring.tables import SWITCH
from tests.conftest import EXAMPLES, example_cluster, example_design

RULES = {rule.id: rule for rule in load_all_rules() if isinstance(rule, DesignRule)}
PROFILE = Path(__file__).parents[2] / "fabricgen/catalog/data/switches/sn4700.yaml"
BLUEPRINT = """\
fabricgen: 1
name: tables
scalable_unit: {nodes: 4 x generic-server}
pods: {p1: {su: 2}}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: small, per: [su, rail], uplinks: 8 x 200G}
      spine: {switch: small, count: 4}
"""
"""Each leaf has two links to each of four spines; 4 leaves of 4 nodes."""

DesignOf = Callable[..., Design]


def found(design: Design, code: str) -> list[Diagnostic]:
    return list(RULES[code].check(design))


@pytest.mark.parametrize(("name", "limit"), [("leaf-spine", 16), ("superpod-b300", 2016), ("two-site", 1552)])
def test_a_leaf_is_announced_what_fits_and_no_more(name: str, limit: int) -> None:
    """By the least that is announced: one loopback of each leaf, and the links of all other leaves to hosts."""
    routing = "routing={max_prefixes: %d}"
    design = example_design(name, routing % 100_000)
    least = count_announced(design, design.fabric("compute"))
    assert least is not None
    assert least.prefixes == limit, least
    assert not found(example_design(name, routing % limit), "FG718")
    (one,) = found(example_design(name, routing % (limit - 1)), "FG718")
    assert f"`max_prefixes` is {limit - 1:,}" in one.message


def test_no_limit_is_never_too_low() -> None:
    assert not found(example_design("leaf-spine", "routing={max_prefixes: 0}"), "FG718")


@pytest.mark.tenth
@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "colossus-200k"])
def test_sessions_are_those_of_the_configurations(name: str) -> None:
    """The design's count of a tier is that of its busiest switch's configuration."""
    cluster = example_cluster(name)
    views = cluster.views
    for fabric in cluster.design.fabrics:
        for tier in fabric.tiers if runs_bgp(cluster.design, fabric) else ():
            rows = [
                row
                for cls in cluster.plan.devices.classes
                if cls.kind == SWITCH and cls.key == tier.key
                for row in {cls.rows.start, cls.rows.stop - 1}
            ]
            most = max(
                sum(not peer.is_exit for peer in model_bgp(views.switch(row))[""].peers.values()) for row in rows
            )
            assert count_sessions(cluster.design, fabric, tier) >= most, (name, tier.key)
            assert count_ecmp_paths(tier) <= max(1, count_sessions(cluster.design, fabric, tier))


@pytest.fixture
def small(tmp_path: Path, design_of: DesignOf) -> Callable[..., Design]:
    """Design a blueprint whose switches have tables of a size."""
    folder = tmp_path / "catalog" / "switches"
    folder.mkdir(parents=True)

    def make(tables: str, *sets: str) -> Design:
        text = PROFILE.read_text(encoding="utf-8").replace("id: sn4700", "id: small")
        kept = [line for line in text.splitlines() if not line.startswith("tables:")]
        lines = [*kept, f"tables: {{{tables}, source: made up for a test}}", ""]
        (folder / "small.yaml").write_text("\n".join(lines), encoding="utf-8")
        return design_of(BLUEPRINT, ["nos=cumulus", *sets])

    return make


@pytest.mark.parametrize(
    ("table", "enough", "said"),
    [
        ("bgp_neighbors", 8, "has 8 BGP neighbours, and small is for 7 at most"),
        ("ecmp_groups", 4, "compute spine needs 4 ECMP groups, and small holds 3"),
        ("ecmp_width", 8, "compute leaf has 8 equal-cost paths up, and small uses 7 at most"),
        ("routes_v4", 16, "is announced 4 loopbacks and 12 prefixes of hosts, and small holds 15 routes of IPv4"),
    ],
)
def test_what_is_published_is_enough_and_one_less_is_not(small, table: str, enough: int, said: str) -> None:
    assert not found(small(f"{table}: {enough}"), "FG728")
    beyond = found(small(f"{table}: {enough - 1}"), "FG728")
    assert beyond
    assert all(said in one.message for one in beyond)


def test_both_families_have_neighbours_and_groups_of_their_own(small) -> None:
    tables = "bgp_neighbors: 15, ecmp_groups: 7, routes_v6: 15"
    said = {one.message.partition(",")[0] for one in found(small(tables, "ip=dual"), "FG728")}
    assert said == {
        "compute leaf has 16 BGP neighbours",
        "compute spine has 16 BGP neighbours",
        "compute spine needs 8 ECMP groups",
        "compute leaf is announced 4 loopbacks and 12 prefixes of hosts",
        "compute spine is announced 4 loopbacks and 12 prefixes of hosts",
    }


def test_static_routes_and_what_is_not_published_are_not_judged(small) -> None:
    assert not found(small("bgp_neighbors: 1, ecmp_groups: 1", "routing={underlay: static}"), "FG728")
    assert not found(example_design("leaf-spine"), "FG728")


def test_groups_are_counted_for_parallel_links_alone(small) -> None:
    one_each = small("ecmp_groups: 4096", "fabrics.compute.tiers.leaf.uplinks=4 x 400G")
    fabric = one_each.fabric("compute")
    assert [count_ecmp_groups(one_each, fabric, tier) for tier in fabric.tiers] == [1, 0]
    assert build_cluster(one_each)
