"""Ranges of exactly as many AS numbers as there are switches: no room for growth is asked of who leaves none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.blueprint.beside.lock import format_lock
from fabricgen.cluster import Cluster
from fabricgen.kernel.diagnostics import InputError
from fabricgen.pipeline import compile_cluster, compile_design

BLUEPRINT = """\
fabricgen: 1
name: exact
scalable_unit: {nodes: 4 x dgx-h100}
pods: {p1: {su: 1}}
routing: {asn: {plan: per-switch, PLAN}}
fabrics:
  compute:
    protocol: roce
    tiers: {leaf: {switch: sn5600, count: LEAVES, uplinks: 12}, spine: {switch: sn5600, count: 3}}
"""
Built = Callable[..., Cluster]


@pytest.fixture
def built(tmp_path: Path) -> Built:
    """The cluster of three spines over some leaves, under the lock that is there."""

    def compiled(plan: str, leaves: int = 3) -> Cluster:
        file = tmp_path / "exact.yaml"
        file.write_text(BLUEPRINT.replace("PLAN", plan).replace("LEAVES", str(leaves)), encoding="utf-8")
        return compile_cluster(compile_design(str(file)))

    return compiled


def list_tier_asns(cluster: Cluster, tier: str) -> list[int]:
    return [int(asn) for name, asn in zip(cluster.names, cluster.addresses.asn, strict=True) if f"-{tier}-" in name]


@pytest.mark.parametrize(
    "plan", ["tiers: {spine: 65001-65003, leaf: 65011-65013}", "pool: 65001-65006", "pool: 65001-65064"]
)
def test_as_many_numbers_as_switches_suffice(plan: str, built: Built) -> None:
    cluster = built(plan)
    asns = list_tier_asns(cluster, "spine") + list_tier_asns(cluster, "leaf")
    assert len(set(asns)) == 6
    assert all(65001 <= asn <= 65064 for asn in asns)


def test_one_number_less_is_refused_with_what_is_needed(built: Built) -> None:
    with pytest.raises(InputError, match=r"range of the tier \(65001-65002\) has 2 numbers.*compute spine needs 3"):
        built("tiers: {spine: 65001-65002}")


def test_a_range_that_is_widened_later_renumbers_nothing(built: Built, tmp_path: Path) -> None:
    before = built("tiers: {leaf: 65011-65013}")
    (tmp_path / "exact.lock.yaml").write_text(format_lock(before.lock), encoding="utf-8")
    after = built("tiers: {leaf: 65011-65014}", leaves=4)
    assert list_tier_asns(after, "leaf") == [*list_tier_asns(before, "leaf"), 65014]
    assert list_tier_asns(after, "spine") == list_tier_asns(before, "spine")
