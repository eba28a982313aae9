"""The arithmetic of Clos networks with switches of the catalogue, and its limits.

Two tiers of radix R carry R^2/2 endpoints with R leaves and R/2 spines, three tiers R^3/4 with 5R^2/4 switches.
"""

from __future__ import annotations

import pytest

from fabricgen.design.summary import summarize_design
from fabricgen.kernel.diagnostics import InputError

TWO = """
fabricgen: 1
name: two
scalable_unit: {{nodes: {nodes} x {node}}}
pods: {{p1: {{su: {su}}}}}
fabrics: {{compute: {{protocol: {protocol}, planes: {planes}, tiers: {{
  leaf: {{switch: {switch}, per: {leaf}}}, spine: {{switch: {switch}, per: {spine}}}}}}}}}
"""

# radix, switch, node, nodes of a unit, planes, `per` of leaf and spine, protocol
RADIX = [
    (64, "qm9700", "dgx-b200", 32, 1, "[su, rail]", "[]", "infiniband"),
    (128, "sn5600", "dgx-b200", 64, 1, "[su, rail]", "[]", "roce"),
    (128, "7060x6-64pe", "mi300x-8", 64, 1, "[su, rail]", "[]", "roce"),
    (512, "sn5640", "dgx-b300-8p", 32, 8, "[su, plane]", "[plane]", "roce"),
]


@pytest.mark.slow
@pytest.mark.parametrize("row", RADIX, ids=lambda row: f"{row[0]}-{row[1]}")
def test_two_tiers_carry_half_the_square_of_the_radix(
    row: tuple[int, str, str, int, int, str, str, str], design_of
) -> None:
    radix, switch, node, nodes, planes, leaf, spine, protocol = row
    su = radix**2 // 2 // (nodes * 8)
    keys = {"nodes": nodes, "node": node, "protocol": protocol, "planes": planes, "switch": switch}
    text = TWO.format(**keys, leaf=leaf, spine=spine, su=su)
    figures = summarize_design(design_of(text))
    compute = figures["fabrics"]["compute"]
    assert figures["accelerators"] == radix**2 // 2
    assert compute["switches"] == {"leaf": planes * radix, "spine": planes * radix // 2}
    assert set(compute["links"].values()) == {planes * radix**2 // 2}
    assert compute["oversubscription"] == {"leaf": 1}
    with pytest.raises(InputError, match=r"(?s)FG101.*a tier above"):
        design_of(TWO.format(**keys, leaf=leaf, spine=spine, su=su + 1))


def test_the_figures_of_the_reference() -> None:
    assert {r: (r**2 // 2, r**3 // 4) for r in (64, 128)} == {64: (2048, 65536), 128: (8192, 524288)}
    assert 512**2 // 2 == 131072


THREE = """
fabricgen: 1
name: three
scalable_unit: {{nodes: {half} x dgx-b200}}
pods: {{p1: {{su: {half}, count: {pods}}}}}
fabrics: {{compute: {{protocol: {protocol}, tiers: {{
  leaf: {{switch: {switch}, per: [su, rail]}},
  spine: {{switch: {switch}, per: [pod, rail]}},
  core: {{switch: {switch}, per: [rail, spine]}}}}}}}}
"""


@pytest.mark.slow
@pytest.mark.parametrize(("radix", "switch", "protocol"), [(64, "qm9700", "infiniband"), (128, "sn5600", "roce")])
def test_three_tiers_carry_a_quarter_of_the_cube_of_the_radix(
    radix: int, switch: str, protocol: str, design_of
) -> None:
    pods = radix // 8  # each rail of eight is a network of its own, of R^3/32 endpoints
    figures = summarize_design(design_of(THREE.format(half=radix // 2, pods=pods, switch=switch, protocol=protocol)))
    compute = figures["fabrics"]["compute"]
    assert figures["accelerators"] == radix**3 // 4
    assert compute["switches"] == {"leaf": radix**2 // 2, "spine": radix**2 // 2, "core": radix**2 // 4}
    assert sum(compute["switches"].values()) == 5 * radix**2 // 4
    assert set(compute["links"].values()) == {radix**3 // 4}
    # a rail's cores have room for R pods: the limit without rails is the same cube
    more = summarize_design(design_of(THREE.format(half=radix // 2, pods=radix, switch=switch, protocol=protocol)))
    assert more["accelerators"] == 8 * radix**3 // 4
    with pytest.raises(InputError, match="FG101"):
        design_of(THREE.format(half=radix // 2, pods=radix + 1, switch=switch, protocol=protocol))


NVL72 = """
fabricgen: 1
name: gb200
scalable_unit: {{nodes: 144 x gb200-tray, racks: {{nodes_per_rack: 18}}}}
pods: {{p1: {{su: {su}, count: {pods}}}}}
scale_up: {{nvlink: {{domain: nvl72-gb200, per: rack}}}}
fabrics:
  compute: {{protocol: infiniband, tiers: {{
    leaf: {{switch: qm9700, per: [su, rail]}},
    spine: {{switch: qm9700, per: [pod, rail]}},
    core: {{switch: qm9700, per: [rail, spine]}}}}}}
"""

# scalable units, racks, GPUs
GB200 = [(1, 8, 576), (2, 16, 1152), (4, 32, 2304), (8, 64, 4608), (16, 128, 9216)]


@pytest.mark.parametrize("row", GB200, ids=lambda row: f"{row[0]}su")
def test_gb200_nvl72_superpods(row: tuple[int, int, int], design_of) -> None:
    su, racks, gpus = row
    design = design_of(NVL72.format(su=min(su, 4), pods=max(1, su // 4)))
    figures = summarize_design(design)
    assert (figures["nodes"], figures["accelerators"]) == (18 * racks, gpus)
    assert figures["scale_up"]["nvlink"] == {
        "domains": racks,
        "accelerators": gpus,
        "switches": 18 * racks,
        "links": 1296 * racks,
        "gbps_per_accelerator": 7200,
    }
    assert design.scale_up[0].trays == 9 * racks
    assert figures["fabrics"]["compute"]["rails"] == 4
    assert figures["fabrics"]["compute"]["links"] == dict.fromkeys(("node-leaf", "leaf-spine", "spine-core"), gpus)
