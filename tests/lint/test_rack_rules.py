"""Budgets of racks: what counts, what does not, and what a rack cannot hold at all."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fabricgen.cluster import build_cluster
from fabricgen.design.model import Design
from fabricgen.export.drawings.rack_contents import FilledRacks, format_total
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.engine import lint
from fabricgen.lint.subjects.rack_loads import find_fullest_node_rack, power_kw, weight_kg

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
    load = find_fullest_node_rack(design, design.layout.kind, weight_kg)
    assert dict(load.devices) == {"dgx-b200": 4, "cdu-4u": 1, "sn2201": 1}
    assert load.total >= 4 * 142.4


def test_the_design_agrees_with_a_count_over_the_plan(design_of: DesignOf) -> None:
    design = design_of(BLUEPRINT + "omit: [p1/su-1/node-1]\n")
    devices = build_cluster(design).plan.devices
    drawn: dict[int, float] = {}
    for cls in devices.classes:
        for rack in devices.rack[cls.rows].tolist():
            drawn[rack] = drawn.get(rack, 0) + (power_kw(cls.profile) or 0)
    assert find_fullest_node_rack(design, design.layout.kind, power_kw).total == pytest.approx(max(drawn.values()))


def test_a_slot_that_every_unit_lacks_does_not_count(design_of: DesignOf) -> None:
    omitted = "'p1/su-*/node-1', p1/su-1/node-5", "'p1/su-*/node-1', 'p1/su-*/node-5'"
    designs = [design_of(BLUEPRINT + f"omit: [{nodes}]\n") for nodes in omitted]
    one, both = (find_fullest_node_rack(design, design.layout.kind, power_kw) for design in designs)
    assert dict(one.devices)["dgx-b200"] == 4
    assert dict(both.devices)["dgx-b200"] == 3


@pytest.mark.slow
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


OPTICAL = """\
fabricgen: 1
name: optical
scalable_unit: {nodes: 4 x dgx-b300, racks: {nodes_per_rack: 4}}
fabrics: {compute: {protocol: roce, media: DR, tiers: {leaf: {switch: %s, count: 1, per: su}}}}
"""
"""Four nodes of 14.5 kW with eight transceivers of 17 W each, and a leaf with sixteen."""


def told(design: Design) -> list[str]:
    found = lint(design, build_cluster(design)).findings
    return [d.text() for d in found if d.code in ("FG611", "FG613", "FG616", "FG640", "FG645")]


@pytest.mark.parametrize("key", ["power_kw", "air_kw"])
def test_the_optics_of_nodes_are_in_their_rack(design_of: DesignOf, key: str) -> None:
    of = OPTICAL % "sn5600"
    assert told(design_of(of, [f"scalable_unit.racks.{key}=58.6"])) == []
    (over,) = told(design_of(of, [f"scalable_unit.racks.{key}=58.5"]))
    assert "error[FG645]" in over
    assert "p1-su01-rk01 has 58.544 kW (58 kW of devices + 0.544 kW of optics)" in over


def test_the_optics_of_switches_are_in_their_rack(design_of: DesignOf) -> None:
    typical, most = ([OPTICAL % switch, ["floor.network_rack_kw=1.4"]] for switch in ("sn5600", "sn5610"))
    (over,) = told(
        design_of(
            *typical,
        )
    )
    assert "(0.94 kW of devices + 0.544 kW of optics; 1 x sn5600)" in over
    (over,) = told(design_of(*most))
    assert "2.08 kW (2.08 kW of devices + 0 kW of optics; 1 x sn5610)" in over, "its maximum is with optics"


def test_a_typical_draw_is_named_where_power_is_judged(design_of: DesignOf) -> None:
    def named(*sets: str) -> list[str]:
        return [d.message for d in lint(design_of(OPTICAL % "sn5600", sets)).findings if d.code == "FG604"]

    assert named() == []
    assert named("floor.network_rack_kw=9")[0].startswith("no maximum power is published for sn5600 (1 x 940 W)")


def test_a_limit_of_network_racks_names_what_it_leaves_out(design_of: DesignOf) -> None:
    def found(switch: str, limit: str) -> list[str]:
        return told(design_of(OPTICAL % switch, [f"floor.{limit}"]))

    for limit, unit in (("network_rack_kw=9", "9 kW"), ("network_rack_kg=900", "900 kg")):
        (left_out,) = found("sn5640", limit)
        assert f"warning[FG640]: {unit} a rack is judged without 1 x sn5640, whose figure is unknown" in left_out
        assert "so in 1 of 1 network racks" in left_out
        assert found("sn5600", limit) == []
    (over,) = found("sn5640", "network_rack_kw=0.1")
    assert "error[FG613]" in over, "its optics alone exceed it"


def test_a_rack_that_is_sold_complete_is_judged_whole(design_of: DesignOf) -> None:
    of = "racks: {type: nvl72-gb200, nodes_per_rack: 18"
    text = f"fabricgen: 1\nname: nvl\nscalable_unit: {{nodes: 18 x gb200-tray, {of}, weight_kg: %d}}}}\n"
    oob = "fabrics: {oob: {protocol: ethernet, attach: bmc, tiers: {leaf: {switch: sn2201, per: rack}}}}\n"
    light, heavy = (lint(design_of(text % kg + oob)).findings for kg in (1500, 1300))
    assert [d.message for d in light if d.code in ("FG612", "FG640")] == []
    (over,) = [d.message for d in heavy if d.code == "FG612"]
    assert over == "a node rack holds 1360 kg; the limit is 1300 kg (1 x nvl72-gb200, complete)"


def test_an_elevation_and_lint_agree_on_what_is_over(design_of: DesignOf) -> None:
    for limit, is_over in ((58.54, True), (58.544, False)):
        design = design_of(OPTICAL % "sn5600", [f"scalable_unit.racks.power_kw={limit}"])
        drawn = format_total(FilledRacks(build_cluster(design)).make_rack(0).power_kw)
        assert ("OVER" in drawn, bool(told(design))) == (is_over, is_over)


def test_a_device_higher_than_a_rack_is_refused(design_of: DesignOf) -> None:
    tall = BLUEPRINT[: BLUEPRINT.index("  oob:")].replace("8 x dgx-b200, racks: {", "8 x mi300x-8, racks: {units: 20, ")
    tall = tall.replace("nodes_per_rack: 4", "nodes_per_rack: 1").replace("{cdu: 1 x cdu-4u}", "{}")
    with pytest.raises(InputError, match=r"7816r4 is \d+ U high, a rack has 20 U"):
        design_of(tall + "  compute: {protocol: ethernet, tiers: {leaf: {switch: 7816r4}}}\n")
