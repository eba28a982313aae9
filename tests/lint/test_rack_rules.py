"""Budgets of racks: what counts, what does not, and what a rack cannot hold at all."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fabricgen.cluster import build_cluster
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.engine import lint
from fabricgen.lint.rack_loads import fullest_node_rack, power_kw, weight_kg

DesignOf = Callable[..., Design]

BLUEPRINT = """\
fabricgen: 1
name: racks
scalable_unit: {nodes: 8 x dgx-b200, racks: {nodes_per_rack: 4, devices: {cdu: 1 x cdu-4u}}}
pods: {p1: {su: 2}}
fabrics:
  oob: {protocol: ethernet, attach: bmc, tiers: {leaf: {switch: sn2201, per: rack}, spine: {switch: sn2201}}}
"""


def codes(design: Design) -> list[str]:
    return [d.code for d in lint(design, build_cluster(design)).findings if d.code in ("FG611", "FG612", "FG613")]


def test_a_node_rack_holds_nodes_what_is_beside_them_and_rack_switches(design_of: DesignOf) -> None:
    design = design_of(BLUEPRINT)
    load = fullest_node_rack(design, design.layout.kind, weight_kg)
    assert dict(load.devices) == {"dgx-b200": 4, "cdu-4u": 1, "sn2201": 1}
    assert load.total >= 4 * 142.4


def test_the_design_agrees_with_a_count_over_the_plan(design_of: DesignOf) -> None:
    design = design_of(BLUEPRINT + "omit: [p1/su-1/node-1]\n")
    devices = build_cluster(design).plan.devices
    drawn: dict[int, float] = {}
    for cls in devices.classes:
        for rack in devices.rack[cls.rows].tolist():
            drawn[rack] = drawn.get(rack, 0) + (power_kw(cls.profile) or 0)
    assert fullest_node_rack(design, design.layout.kind, power_kw).total == pytest.approx(max(drawn.values()))


def test_a_slot_that_every_unit_lacks_does_not_count(design_of: DesignOf) -> None:
    omitted = "'p1/su-*/node-1', p1/su-1/node-5", "'p1/su-*/node-1', 'p1/su-*/node-5'"
    designs = [design_of(BLUEPRINT + f"omit: [{nodes}]\n") for nodes in omitted]
    one, both = (fullest_node_rack(design, design.layout.kind, power_kw) for design in designs)
    assert dict(one.devices)["dgx-b200"] == 4
    assert dict(both.devices)["dgx-b200"] == 3


@pytest.mark.parametrize(
    ("place", "enough", "too_little", "code"),
    [
        ("scalable_unit.racks.power_kw", 58, 57, "FG611"),
        ("scalable_unit.racks.weight_kg", 700, 569, "FG612"),
        ("floor.network_rack_kw", 10, 0.01, "FG613"),
    ],
)
def test_a_budget_is_judged_once(design_of: DesignOf, place: str, enough: float, too_little: float, code: str) -> None:
    assert codes(design_of(BLUEPRINT, [f"{place}={enough}"])) == []
    assert codes(design_of(BLUEPRINT, [f"{place}={too_little}"])) == [code]


def test_a_device_higher_than_a_rack_is_refused(design_of: DesignOf) -> None:
    tall = BLUEPRINT[: BLUEPRINT.index("  oob:")].replace("8 x dgx-b200, racks: {", "8 x mi300x-8, racks: {units: 20, ")
    tall = tall.replace("nodes_per_rack: 4", "nodes_per_rack: 1").replace("{cdu: 1 x cdu-4u}", "{}")
    with pytest.raises(InputError, match=r"7816r4 is \d+ U high, a rack has 20 U"):
        design_of(tall + "  compute: {protocol: ethernet, tiers: {leaf: {switch: 7816r4}}}\n")
