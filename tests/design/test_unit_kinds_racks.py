"""Whole clusters of several kinds of units: every device in a rack of its own unit, no rack empty, all racks billed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from fabricgen.blueprint.beside.lock import format_lock, parse_lock
from fabricgen.bom.bill import make_bill
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.floor.floor_plan import FloorPlan
from fabricgen.design.model import Design
from fabricgen.export.drawings.floor_marks import RackKinds
from fabricgen.export.drawings.rack_contents import FilledRacks
from fabricgen.export.files.racks import make_table
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.engine import lint
from fabricgen.phases.summary import summarize_phase
from fabricgen.phases.tables import build_at_phase
from fabricgen.wiring.links.scale_up_places import expand_domains, name_domains
from tests.design.test_floor import FLOOR, check_apart, check_design_agrees, locked, stands
from tests.design.test_floor import VARIANTS as USUAL

DesignOf = Callable[..., Design]

MIXED = """\
fabricgen: 1
name: mixed
scalable_units:
  h100: {nodes: 8 x dgx-h100, racks: {nodes_per_rack: 4}}
  gb: {nodes: 36 x gb300-tray, racks: {type: nvl72-gb300, devices: {shelf: 4 x power-shelf}}}
pods: {p1: {unit: h100, su: 2}, p2: {unit: gb, su: 3}, p3: {unit: h100, su: 1}}
scale_up: {hgx: {domain: hgx-h100, per: node}, nvl72: {domain: nvl72-gb300, per: rack}}
fabrics:
  compute:
    protocol: roce
    tiers: {leaf: {switch: sn5600, per: [su, rail]}, spine: {switch: sn5600, count: 18}}
  oob:
    protocol: ethernet
    attach: bmc
    also: switches
    tiers: {leaf: {switch: sn2201, per: rack}, spine: {switch: sn5600}}
"""
LEAF = "fabrics.compute.tiers.leaf"
VARIANTS: dict[str, tuple[str, ...]] = {
    "as usual": (),
    "rack top": ("fabrics.oob.tiers.leaf.stand=unit-end", f"{LEAF}.stand=unit-middle"),
    "row end": (f"{LEAF}.stand=row-end", "floor.racks_per_row=24"),
    "leaves in network rows": (f"{LEAF}.stand=network-row", f"{LEAF}.racks=2"),
    "rows between": ("floor.network_rows={at: middle, rows: 3}",),
    "halls": (
        "floor.halls={h1: {rows: 3, racks_per_row: 16}, h2: {rows: 4, storey: 1, at_m: [0, 0]}}",
        "floor.network_rows={at: last, rows: 2}",
    ),
    "a pod of its own spines": ("pods.p3.tiers={compute.leaf: {switch: sn5610}}",),
    "names": ("names.racks={nodes: '{pod}-{su}-{rack}', network: '{pod}-{su}-n{rack}', shared: '{run}-{n}'}",),
}


def check_racks(cluster: Cluster) -> None:
    """Devices of a unit stand in its racks and those of its type; no rack is empty; all racks are in the bill."""
    devices, racks, layout = cluster.plan.devices, cluster.plan.racks, cluster.design.layout
    floor = FloorPlan(cluster.design)
    assert (devices.rack >= 0).all()
    assert set(devices.rack.tolist()) == set(range(len(racks)))
    first = np.array(floor.first_racks)
    inside = np.flatnonzero(devices.rack < first[-1])
    assert (np.searchsorted(first, devices.rack[inside], side="right") - 1 == devices.unit[inside]).all()
    for pod, kind in zip(layout.pods, layout.kind_of_pod, strict=True):
        for unit in range(pod.first_su, pod.first_su + pod.su):
            mine = range(first[unit], first[unit] + kind.racks)
            assert {racks.kinds[racks.kind[rack]].id for rack in mine} == {kind.node_rack.id}
    billed = sum(line.quantity for line in make_bill(cluster).lines if line.kind == "rack")
    assert billed == len(racks) == len(make_table(cluster).columns["rack"])


@pytest.mark.tenth
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_device_stands_in_a_rack_of_its_unit(design_of: DesignOf, variant: str) -> None:
    design = design_of(MIXED, list(VARIANTS[variant]))
    cluster = build_cluster(design)
    check_apart(cluster)
    check_racks(cluster)
    if variant != "names":
        check_design_agrees(design, cluster)
    assert not [found for found in lint(design, cluster).findings if found.code == "FG900"]


def test_floor_plans_draw_each_unit_with_its_own_racks(design_of: DesignOf) -> None:
    cluster = build_cluster(design_of(MIXED))
    racks = RackKinds(cluster, FilledRacks(cluster))
    runs = Counter[str]()
    for name, run in racks.split_by_unit(range(len(cluster.plan.racks))):
        runs[name] += len(run)
        assert {cluster.plan.racks.names[rack].rpartition("-")[0] for rack in run} == {name}
    floor = FloorPlan(cluster.design)
    assert sorted(runs.values()) == sorted(floor.find_plan(unit).racks for unit in range(cluster.design.layout.units))


def test_runs_of_racks_of_two_tiers_do_not_share_a_name(design_of: DesignOf) -> None:
    text = MIXED.replace("spine: {switch: sn5600, count: 18}", "leaf-gb: {switch: sn5600, count: 18, above: leaf}")
    with pytest.raises(InputError) as fault:
        design_of(text, [f"{LEAF}.stand=network-row"])
    assert fault.value.diagnostics[0].code == "FG039"


GROWTH: dict[str, tuple[str, ...]] = {
    "units": ("pods.p1.su=3", "pods.p2.su=4"),
    "a kind": ("scalable_units.a={nodes: 4 x dgx-b200, racks: {nodes_per_rack: 1}}", "pods.p0={unit: a, su: 2}"),
    "a fabric": (
        "fabrics.store={protocol: roce, attach: storage, tiers: {leaf: {switch: sn5600, per: su, count: 2}}}",
    ),
}


def test_a_pod_that_states_tiers_later_keeps_its_place(tmp_path: Path) -> None:
    before = locked(MIXED, tmp_path, None)
    after = locked(MIXED, tmp_path, before, ("pods.p3.tiers={compute.leaf: {spare_ports: 1}}",))
    check_racks(after)
    assert stands(before) == stands(after)


@pytest.mark.tenth
@pytest.mark.parametrize("growth", GROWTH)
@pytest.mark.parametrize("variant", ["as usual", "rack top", "leaves in network rows"])
def test_growth_with_a_lock_moves_no_rack_and_no_device(tmp_path: Path, variant: str, growth: str) -> None:
    before = locked(MIXED, tmp_path, None, VARIANTS[variant])
    after = locked(MIXED, tmp_path, before, (*VARIANTS[variant], *GROWTH[growth]))
    check_apart(after)
    check_racks(after)
    assert stands(before).items() <= stands(after).items()
    text = format_lock(after.lock)
    assert format_lock(parse_lock(text.encode(), "lock")) == text


def test_a_phase_of_one_kind_has_its_racks_and_figures_alone(design_of: DesignOf) -> None:
    cluster = build_at_phase(design_of(MIXED + "phases: {now: {pods: [p1, p3]}, all: {}}\n"), "now")
    figures, whole = summarize_phase(cluster), summarize_phase(build_at_phase(cluster.design, "all"))
    assert {kind.id for kind in np.array(cluster.plan.racks.kinds)[cluster.plan.racks.kind]} == {"rack-48u"}
    assert (figures["nodes"], figures["accelerators"]) == (24, 192)
    assert figures["fabrics"]["compute"]["parts"] == {"h100": whole["fabrics"]["compute"]["parts"]["h100"]}
    assert figures["fabrics"]["compute"]["switches"] == {"leaf": 24, "spine": 18}
    assert [figures["scale_up"][name]["domains"] for name in ("hgx", "nvl72")] == [24, 0]
    assert [whole["scale_up"][name]["domains"] for name in ("hgx", "nvl72")] == [24, 6]


def test_domains_of_pods_join_the_nodes_of_pods_that_form_them(design_of: DesignOf) -> None:
    cluster = build_cluster(
        design_of(
            """\
fabricgen: 1
name: cubes
scalable_units: {tpu: {nodes: 8 x tpu-v4}, cpu: {nodes: {cpu: 3 x generic-server}}}
pods: {p1: {unit: cpu, su: 2}, p2: {unit: tpu, su: 2}, p3: {unit: cpu}, p4: {unit: tpu, su: 2}}
scale_up: {cube: {domain: tpu-v4-cube, per: pod}}
fabrics: {oob: {protocol: ethernet, attach: bmc, tiers: {leaf: {switch: sn2201, per: su}, spine: {switch: sn5600}}}}
"""
        )
    )
    (cube,), plan = cluster.design.scale_up, cluster.plan
    assert (cube.domains, cube.accelerators) == (2, 2 * 64)
    assert name_domains(cluster.design, cube) == ["cube-p2", "cube-p4"]
    links = expand_domains(cluster.design, plan.devices, cube)
    assert np.bincount(links.domain).tolist() == [cube.links // 2] * 2
    pods = [plan.devices.pod[ends[~links.at_switch]] for ends in (links.a_device, links.b_device)]
    assert (pods[0] == pods[1]).all()
    assert set(pods[0].tolist()) == {1, 3}
    check_racks(cluster)


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["as usual", "rack top", "row end", "rows between", "leaves in network rows"])
def test_a_second_kind_beside_the_only_one_moves_nothing_coming_or_going(tmp_path: Path, variant: str) -> None:
    usual = tuple(value for value in USUAL[variant] if value != "pods.p1.su=4")
    kind = "scalable_units={b: {nodes: 6 x dgx-h100, racks: {nodes_per_rack: 1, devices: {cdu: 1 x cdu-4u}}}}"
    one = locked(FLOOR, tmp_path, None, usual)
    two = locked(FLOOR, tmp_path, one, (*usual, kind, "pods.a={unit: b, su: 3}"))
    more = locked(FLOOR, tmp_path, two, (*usual, kind, "pods.a={unit: b, su: 4}", "pods.p1.su=3"))
    check_apart(more)
    check_design_agrees(more.design, more)
    assert stands(one).items() <= stands(two).items() <= stands(more).items()
    assert stands(locked(FLOOR, tmp_path, more, usual)) == stands(one)
