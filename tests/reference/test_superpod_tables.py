"""The published tables that the example blueprints must reproduce through `--set pods.p1.su=N` alone.

Sources: NVIDIA DGX SuperPOD B200 reference architecture, network fabrics, Table 4; NVIDIA DGX SuperPOD B300
reference architecture, Spectrum-4 Ethernet (its cable columns count 800G cages).
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter

import pytest

from fabricgen.design.summary import summarize_design
from fabricgen.export.files import cables, devices, links
from fabricgen.reports.table import Table, write_table
from tests.conftest import example_cluster, example_design

# su, nodes, accelerators, leaf, spine, node+UFM to leaf links, leaf to spine links
B200_TABLE_4 = [
    (1, 31, 248, 8, 4, 252, 256),
    (2, 63, 504, 16, 8, 508, 512),
    (3, 95, 760, 24, 16, 764, 768),
    (4, 127, 1016, 32, 16, 1020, 1024),
]

# su, nodes, accelerators, leaf, spine, node to leaf cables, leaf to spine cables
B300 = [
    (1, 64, 512, 16, 8, 512, 512),
    (2, 128, 1024, 32, 16, 1024, 1024),
    (4, 256, 2048, 64, 32, 2048, 2048),
    (8, 512, 4096, 128, 64, 4096, 4096),
    (16, 1024, 8192, 256, 128, 8192, 8192),
]

# The same guide without the UFM exception: su, nodes, leaf, spine, node-leaf, leaf-spine
B200_ARCHITECTURE_TWO_TIERS = [
    (2, 64, 16, 8, 512, 512),
    (4, 128, 32, 16, 1024, 1024),
    (8, 256, 64, 32, 2048, 2048),
]

# su, nodes, leaf, spine, core, links at every tier
B200_ARCHITECTURE_THREE_TIERS = [
    (16, 512, 128, 128, 64, 4096),
    (32, 1024, 256, 256, 128, 8192),
    (64, 2048, 512, 512, 256, 16384),
]


@pytest.mark.parametrize("row", B200_TABLE_4, ids=lambda row: f"{row[0]}su")
def test_b200_table_4(row: tuple[int, ...]) -> None:
    su, nodes, accelerators, leaf, spine, node_leaf, leaf_spine = row
    figures = summarize_design(example_design("superpod-b200", f"pods.p1.su={su}"))
    compute = figures["fabrics"]["compute"]
    assert (figures["nodes"], figures["accelerators"]) == (nodes, accelerators)
    assert compute["switches"] == {"leaf": leaf, "spine": spine}
    assert compute["links"] == {"node-leaf": node_leaf, "leaf-spine": leaf_spine}
    assert compute["cables"] == compute["links"]  # twin-port cages: a fibre for each 400G port


@pytest.mark.parametrize("row", B300, ids=lambda row: f"{row[0]}su")
def test_b300(row: tuple[int, ...]) -> None:
    su, nodes, accelerators, leaf, spine, node_leaf, leaf_spine = row
    figures = summarize_design(example_design("superpod-b300", f"pods.p1.su={su}"))
    compute = figures["fabrics"]["compute"]
    assert (figures["nodes"], figures["accelerators"]) == (nodes, accelerators)
    assert compute["switches"] == {"leaf": leaf, "spine": spine}
    assert compute["cables"] == {"node-leaf": node_leaf, "leaf-spine": leaf_spine}
    assert compute["links"] == {"node-leaf": 2 * node_leaf, "leaf-spine": 2 * leaf_spine}


PLAIN_B200 = """
fabricgen: 1
name: b200
scalable_unit: {{nodes: 32 x dgx-b200, racks: {{nodes_per_rack: 4}}}}
pods: {{p: {{su: {su}, count: {pods}}}}}
fabrics:
  compute:
    protocol: infiniband
    tiers: {tiers}
"""


@pytest.mark.parametrize("row", B200_ARCHITECTURE_TWO_TIERS, ids=lambda row: f"{row[0]}su")
def test_b200_architecture_in_two_tiers(row: tuple[int, ...], design_of) -> None:
    su, nodes, leaf, spine, node_leaf, leaf_spine = row
    tiers = "{leaf: {switch: qm9700, per: [su, rail]}, spine: {switch: qm9700}}"
    figures = summarize_design(design_of(PLAIN_B200.format(su=su, pods=1, tiers=tiers)))
    compute = figures["fabrics"]["compute"]
    assert figures["nodes"] == nodes
    assert compute["switches"] == {"leaf": leaf, "spine": spine}
    assert compute["links"] == {"node-leaf": node_leaf, "leaf-spine": leaf_spine}


@pytest.mark.parametrize("spine_per", ["[pod, rail]", "pod"])
@pytest.mark.parametrize("row", B200_ARCHITECTURE_THREE_TIERS, ids=lambda row: f"{row[0]}su")
def test_b200_architecture_in_three_tiers(row: tuple[int, ...], spine_per: str, design_of) -> None:
    su, nodes, leaf, spine, core, links_each = row
    core_per = "rail" if "rail" in spine_per else "spine"
    tiers = (
        "{leaf: {switch: qm9700, per: [su, rail]}, "
        f"spine: {{switch: qm9700, per: {spine_per}}}, core: {{switch: qm9700, per: {core_per}}}}}"
    )
    figures = summarize_design(design_of(PLAIN_B200.format(su=4, pods=su // 4, tiers=tiers)))
    compute = figures["fabrics"]["compute"]
    assert figures["nodes"] == nodes
    assert compute["switches"] == {"leaf": leaf, "spine": spine, "core": core}
    assert compute["links"] == {"node-leaf": links_each, "leaf-spine": links_each, "spine-core": links_each}


def test_gb200_nvl72_has_1296_links_a_rack() -> None:
    figures = summarize_design(example_design("nvl72-gb200"))
    assert figures["accelerators"] == 576
    assert figures["scale_up"]["nvlink"] == {
        "domains": 8,
        "accelerators": 576,
        "switches": 144,
        "links": 8 * 1296,
        "gbps_per_accelerator": 7200,
    }


def rows(table: Table) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(write_table(table, "csv").decode())))


@pytest.mark.tenth
@pytest.mark.parametrize(
    ("name", "sets"),
    [
        *(("superpod-b200", (f"pods.p1.su={row[0]}",)) for row in B200_TABLE_4),
        *(("superpod-b300", (f"pods.p1.su={row[0]}",)) for row in B300),
        ("leaf-spine", ()),
        ("nvl72-gb200", ()),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0].rpartition("=")[2] if value else "",
)
def test_the_built_lists_agree_with_the_counts(name: str, sets: tuple[str, ...]) -> None:
    cluster = example_cluster(name, *sets)
    figures = json.loads(json.dumps(summarize_design(cluster.design)))
    device_rows, link_rows, cable_rows = (rows(p.make_table(cluster)) for p in (devices, links, cables))
    tier = {row["device"]: row["tier"] for row in device_rows}
    switches = Counter((row["fabric"], row["tier"]) for row in device_rows if row["fabric"])
    # a switch in another fabric's links is there as a device that is managed
    side = lambda row, end: "node" if _is_endpoint(row, end, tier) else tier[row[f"{end}_device"]]  # noqa: E731
    found_links = Counter((row["fabric"], f"{side(row, 'a')}-{side(row, 'b')}") for row in link_rows)
    key_of_link = {row["cable"]: (row["fabric"], f"{side(row, 'a')}-{side(row, 'b')}") for row in link_rows}
    found_cables = Counter(key_of_link[cable] for cable in {row["cable"] for row in cable_rows})
    for fabric, counts in figures["fabrics"].items():
        for tier_name, count in counts["switches"].items():
            assert switches[fabric, tier_name] == count
        for key, count in counts["links"].items():
            assert found_links[fabric, key] == count
        for key, count in counts["cables"].items():
            assert found_cables[fabric, key] == count


def _is_endpoint(row: dict[str, str], end: str, tier: dict[str, str]) -> bool:
    return tier[row[f"{end}_device"]] == "node" or (end == "a" and row["a_port"] in ("eth0", "Management1", "mgmt0"))
