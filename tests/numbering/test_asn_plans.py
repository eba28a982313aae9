"""AS numbers by plan: who shares one, where they come from, and who then takes routes with its own number."""

from __future__ import annotations

from collections import defaultdict

import pytest

from fabricgen.blueprint.sections.asn import RESERVED, parse_asn, parse_asns
from fabricgen.cluster import Cluster
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.engine import lint
from tests.conftest import example_cluster, example_design

PER_RACK = "routing.asn={plan: per-rack}"


def group_asns_by_tier(cluster: Cluster) -> dict[str, set[int]]:
    """Tier -> AS numbers of its switches."""
    asns_by_tier: dict[str, set[int]] = defaultdict(set)
    for view in cluster.switches():
        asns_by_tier[f"{view.fabric.name}.{view.tier.name}"].add(view.asn)
    return asns_by_tier


@pytest.mark.parametrize(
    ("text", "number"), [(65001, 65001), ("65001", 65001), ("1.10", 65546), ("64086.59905", 4200000001), ("0.7", 7)]
)
def test_numbers_are_read_in_both_notations(text: str | int, number: int) -> None:
    assert parse_asn(text) == number


@pytest.mark.parametrize("text", [*RESERVED, "0.0", "0.23456", "65535.65535", "1.65536", 4294967296, "as1", 1.5, True])
def test_what_is_no_number_or_reserved_is_refused(text: object) -> None:
    with pytest.raises(ValueError, match=r"AS number"):
        parse_asn(text)


def test_ranges_run_upwards_and_hold_nothing_reserved() -> None:
    assert parse_asns("65000.1-65000.500") == (4259840001, 4259840500)
    assert parse_asns("64512-65534") == (64512, 65534)
    for text in ("2-1", "65000-66000", "1-30000", "1-", "1-2-3"):
        with pytest.raises(ValueError, match=r".+"):
            parse_asns(text)


def test_dual_tors_of_a_rack_share_a_number_and_hear_each_other() -> None:
    cluster = example_cluster("top-of-rack", "fabrics.compute.tiers.leaf.count=2", PER_RACK)
    by_rack: dict[str, set[int]] = defaultdict(set)
    for view in cluster.switches():
        if view.is_lowest and view.fabric.name == "compute":
            by_rack[view.name.rpartition("-")[0]].add(view.asn)
            assert view.shares_asn
    assert len(by_rack) > 1
    assert all(len(rack_asns) == 1 for rack_asns in by_rack.values())
    assert len(set().union(*by_rack.values())) == len(by_rack)
    assert not any(view.shares_asn for view in cluster.switches() if not view.is_lowest)


def test_tors_of_two_planes_keep_numbers_of_their_own() -> None:
    cluster = example_cluster("dual-tor", PER_RACK)
    planes: dict[int, set[str]] = defaultdict(set)
    for view, row in ((cluster.switch(row), row) for row in cluster.switch_rows()):
        plane = int(cluster.plan.devices.plane[row])
        if view.fabric.name == "compute" and plane >= 0:
            planes[view.asn].add(str(plane))
    assert planes
    assert all(len(planes_of_asn) == 1 for planes_of_asn in planes.values())


def test_leaves_that_serve_more_than_a_rack_share_with_their_place() -> None:
    asns = {view.name: view.asn for view in example_cluster("leaf-spine", PER_RACK).switches() if view.is_lowest}
    assert asns["compute-leaf-p1-su01-r1-01"] == asns["compute-leaf-p1-su01-r2-01"]
    assert asns["compute-leaf-p1-su01-r1-01"] != asns["compute-leaf-p1-su02-r1-01"]


def test_without_sharing_nobody_takes_its_own_number() -> None:
    for plan in ("rfc7938", "per-switch"):
        cluster = example_cluster("superpod-b200-3tier", f"routing.asn={{plan: {plan}}}")
        assert not any(view.shares_asn for view in cluster.switches())


def test_a_tier_has_the_number_or_range_that_is_stated() -> None:
    setting = "routing.asn={tiers: {spine: 65000, leaf: 65100-65199}}"
    asns = group_asns_by_tier(example_cluster("leaf-spine", setting))
    assert asns["compute.spine"] == {65000}
    assert asns["compute.leaf"] <= set(range(65100, 65200))
    assert len(asns["compute.leaf"]) == 4


def test_stated_numbers_are_not_given_to_others_of_the_pool() -> None:
    asns = group_asns_by_tier(
        example_cluster("leaf-spine", "routing.asn={pool: 65000-65099, tiers: {leaf: 65000-65015}}")
    )
    assert asns["compute.leaf"] <= set(range(65000, 65016))
    assert not asns["compute.spine"] & set(range(65000, 65016))


@pytest.mark.parametrize("stated", ["65004-65099", "65010", "64000-65003", "65400-65500"])
def test_a_pool_goes_on_around_what_is_stated(stated: str) -> None:
    tiers = f"routing.asn={{pool: 65000-65299, tiers: {{leaf: {stated}}}, plan: per-switch}}"
    if stated == "65010":
        tiers = tiers.replace("leaf", "spine")
    asns = group_asns_by_tier(example_cluster("leaf-spine", tiers))
    named, derived = ("spine", "leaf") if stated == "65010" else ("leaf", "spine")
    first, last = parse_asns(stated)
    assert asns[f"compute.{named}"] <= set(range(first, last + 1))
    assert len(asns[f"compute.{derived}"]) == 4
    assert asns[f"compute.{derived}"] <= set(range(65000, 65300)) - set(range(first, last + 1))


def test_pods_with_one_number_for_all_spines_hear_each_other() -> None:
    cluster = example_cluster("four-tier", "routing.asn={tiers: {agg: 65000, super-spine: 65001}}")
    shared = {view.tier.name for view in cluster.switches() if view.shares_asn}
    assert shared == {"agg"}


def test_fabrics_share_no_number_even_where_their_pools_overlap() -> None:
    cluster = example_cluster(
        "superpod-b300",
        "routing.asn.pool=4200000000-4200099999",
        "fabrics.oob.routing.asn={pool: 4200000000-4200000999}",
    )
    asns = group_asns_by_tier(cluster)
    compute = asns["compute.leaf"] | asns["compute.spine"]
    assert not compute & (asns["oob.leaf"] | asns["oob.spine"])
    assert max(asns["oob.leaf"]) <= 4200000999


def test_keys_of_a_fabric_override_those_of_the_cluster_one_by_one() -> None:
    cluster = example_cluster(
        "leaf-spine", "routing.asn.pool=65000-65399", "fabrics.compute.routing.asn={plan: per-switch}"
    )
    asns = group_asns_by_tier(cluster)
    assert len(asns["compute.spine"]) == 4
    assert max(asns["compute.spine"] | asns["compute.leaf"]) <= 65399


def test_a_number_that_two_fabrics_want_is_refused() -> None:
    with pytest.raises(InputError, match=r"AS number range of the tier"):
        example_cluster("superpod-b300", "routing.asn={tiers: {spine: 65000}}")


def test_public_numbers_of_tiers_and_devices_are_flagged() -> None:
    design = example_design(
        "leaf-spine", "routing.asn={tiers: {spine: 3356}}", "address_of={compute-leaf-p1-su01-r1-01: {asn: 1299}}"
    )
    paths = {finding.path for finding in lint(design).findings if finding.code == "FG505"}
    assert paths == {("routing", "asn", "tiers", "spine"), ("address_of", "compute-leaf-p1-su01-r1-01", "asn")}
