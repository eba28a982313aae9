"""ztp/boot-order.csv: no switch boots before those that its request crosses, as links.csv has them."""

from __future__ import annotations

import csv
import io
from collections import defaultdict

import pytest

from fabricgen.cluster import Cluster
from fabricgen.export.integrations.ztp import list_boot_steps
from tests.conftest import built_files, example_cluster


def read_rows(cluster: Cluster, part: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(built_files(cluster, part)[f"{part}.csv"].decode())))


@pytest.mark.parametrize("name", ["dual-stack", pytest.param("full-cluster", marks=pytest.mark.slow)])
def test_a_switch_boots_after_what_its_request_crosses(name: str) -> None:
    cluster = example_cluster(name)
    fabrics = {fabric.name for fabric in cluster.design.fabrics}  # trays of a scale-up network have one of their own
    devices = (row for row in read_rows(cluster, "devices") if row["fabric"] in fabrics)
    tiers = {row["device"]: (row["fabric"], row["tier"]) for row in devices}
    crossed = defaultdict(set)
    for link in read_rows(cluster, "links"):
        lower, upper = link["a_device"], link["b_device"]
        if link["fabric"] == "oob" and lower in tiers and tiers[lower] != tiers[upper]:
            crossed[lower].add(upper)
    order = {boot.device: boot for boot in list_boot_steps(cluster)}
    assert set(order) == set(tiers)
    assert crossed
    for device, boot in order.items():
        assert set(boot.after) == crossed[device]
        assert boot.step == 1 + max((order[before].step for before in boot.after), default=0)
        assert boot.how.startswith("by hand: it carries") == (boot.fabric == "oob")


def test_leaves_do_not_wait_for_the_way_out_over_switches_that_they_manage() -> None:
    steps = {boot.device: boot.step for boot in list_boot_steps(example_cluster("monday"))}
    assert (steps["oob-leaf-p1-su01-01"], steps["inband-leaf-01"]) == (1, 2)


def test_without_a_management_network_all_boot_at_once() -> None:
    assert {(boot.step, boot.how, boot.after) for boot in list_boot_steps(example_cluster("leaf-spine"))} == {
        (1, "ztp", ())
    }
