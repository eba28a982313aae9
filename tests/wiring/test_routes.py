"""Lengths of runs, each worked out by hand: what a technician would measure along racks and trays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from fabricgen.blueprint.sections.floor import Floor, Trays
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.floor.halls import Hall
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import InputError
from fabricgen.wiring.cabling.routes import (
    list_crossings,
    measure_detour,
    measure_device_runs,
    measure_ways_between_halls,
)

DesignOf = Callable[..., Design]

BLUEPRINT = """\
fabricgen: 1
name: routes
scalable_unit: {nodes: 8 x mi300x-8, racks: {nodes_per_rack: 2, units: 42}}
pods: {p1: {su: 2}}
floor: {slack: 0%, racks_per_row: 5, rack_pitch_m: 0.6, row_pitch_m: 2.4, tray_m: 1, network_fill: up}
fabrics:
  compute: {protocol: roce, tiers: {leaf: {switch: sn5600, per: su}, spine: {switch: sn5600, count: 2}}}
"""
U = 0.04445


def run_between(cluster: Cluster, a: str, b: str) -> float:
    """The run between two devices, m."""
    rows = [np.array([cluster.names.index(name)], dtype=np.int32) for name in (a, b)]
    floor = cluster.design.loaded.blueprint.floor
    return float(measure_device_runs(cluster.plan.devices, cluster.plan.racks, floor, *rows)[0])


def place(cluster: Cluster, name: str) -> tuple[str, int, int]:
    """(rack, rack unit, height) of a device."""
    devices, row = cluster.plan.devices, cluster.names.index(name)
    height = devices.classes[devices.device_class[row]].profile.rack_units
    return cluster.plan.racks.names[devices.rack[row]], int(devices.u[row]), height


NODE, LEAF = "p1-su01-n001", "compute-leaf-p1-su01-01"
INSIDE = 0.3 + 1.2 / 2  # from a port to the manager at the side, and from there to the middle of the tray
IN_RACK_1 = (42 - 4) * U  # the middle of an 8 U node at U1 is 4 U above the bottom of a rack of 42 U
LEAF_TOP = (42 - 1) * U  # that of a 2 U switch at U1 is 1 U above it
TO_LEAF = IN_RACK_1 + 1 + 4 * 0.6 + 1 + LEAF_TOP + 2 * INSIDE  # up, four racks along the row, down


@pytest.fixture
def built(design_of: DesignOf) -> Callable[..., Cluster]:
    return lambda *sets: build_cluster(design_of(BLUEPRINT, sets))


def test_places_are_those_that_the_cases_are_worked_out_for(built: Callable[..., Cluster]) -> None:
    cluster = built()
    assert place(cluster, NODE) == ("p1-su01-rk01", 1, 8)
    assert place(cluster, "p1-su01-n002") == ("p1-su01-rk01", 9, 8)
    assert place(cluster, LEAF) == ("p1-su01-net01", 1, 2)
    assert place(cluster, "p1-su02-n001") == ("p1-su02-rk01", 1, 8)


@pytest.mark.parametrize(
    ("ends", "sets", "metres"),
    [
        ((NODE, "p1-su01-n002"), (), 8 * U + 0.6),  # in one rack: the difference in height, and across it
        ((NODE, LEAF), (), TO_LEAF),
        ((NODE, "p1-su02-n001"), (), 2 * IN_RACK_1 + 2 * INSIDE + 2 + 2.4),  # straight across to the next row
        ((NODE, LEAF), ("floor.slack=10%",), 1.1 * TO_LEAF),
        ((NODE, LEAF), ("floor.trays.loop_m=0.5",), TO_LEAF + 2 * 0.5),
        ((NODE, LEAF), ("floor.trays.at=under-floor",), 4 * U + 1 + 4 * 0.6 + 1 + 1 * U + 2 * INSIDE),
        # across at the ends only: half a rack to the near end of the row, and half a rack back
        ((NODE, "p1-su02-n001"), ("floor.trays.cross=ends",), 2 * IN_RACK_1 + 2 * INSIDE + 2 + 2.4 + 2 * 0.3),
        # from the third rack it is 1.5 m to either end
        (("p1-su01-n005", "p1-su02-n005"), ("floor.trays.cross=ends",), 2 * IN_RACK_1 + 2 * INSIDE + 2 + 2.4 + 2 * 1.5),
        # a cross tray every two racks passes between the second and the third: half a rack off
        (("p1-su01-n005", "p1-su02-n005"), ("floor.trays.cross=2",), 2 * IN_RACK_1 + 2 * INSIDE + 2 + 2.4 + 2 * 0.3),
        # one that lies between the two ends costs nothing
        ((NODE, "p1-su02-n005"), ("floor.trays.cross=2",), 2 * IN_RACK_1 + 2 * INSIDE + 2 + 2.4 + 2 * 0.6),
        (
            (NODE, LEAF),
            ("floor.trays.cold_ports=[mi300x-8]",),
            TO_LEAF + 1.2,
        ),
        # 2 U below the two that stay free: its middle is 3 U below the top
        ((NODE, LEAF), ("floor.network_fill=down",), IN_RACK_1 + 1 + 4 * 0.6 + 1 + 3 * U + 2 * INSIDE),
    ],
)
def test_a_run_is_as_long_as_reckoned_by_hand(
    ends: tuple[str, str], sets: tuple[str, ...], metres: float, built: Callable[..., Cluster]
) -> None:
    assert run_between(built(*sets), *ends) == pytest.approx(metres)


def hall(name: str, x_m: float, y_m: float, storey: int = 0) -> Hall:
    return Hall(name, 0, storey, x_m, y_m, 0, 10, 0.6, 2.4, 2.4, 1.2)


def test_ways_between_halls_go_by_their_exits_and_the_nearest_riser() -> None:
    halls = (hall("east", 0, 0), hall("west", 40, 10), hall("above", 0, 0, storey=2))
    flat = measure_ways_between_halls(halls, Floor())
    assert flat[0, 1] == flat[1, 0] == 50
    assert flat[0, 2] == 2 * 5
    trays = Trays(exits={"east": (6, -3), "west": (40, -3)}, risers=((10, -3), (100, 0)))
    ways = measure_ways_between_halls(halls, Floor(trays=trays, storey_m=4))
    assert ways[0, 1] == 34
    assert ways[0, 2] == (10 - 6) + (10 + 3) + 2 * 4  # along to the riser, on to the corner above, and up two storeys


def test_a_detour_is_there_and_back_to_the_nearest_crossing() -> None:
    at = list_crossings(hall("h", 100, 0), 4)
    assert at.tolist() == pytest.approx([100, 102.4, 104.8, 106])
    a, b = np.array([100.3, 102.0, 103.0]), np.array([100.9, 103.0, 103.6])
    assert measure_detour(a, b, at).tolist() == pytest.approx([2 * 0.3, 0, 2 * 0.6])


def test_growth_changes_no_run_and_no_length_that_was_pulled(built: Callable[..., Cluster]) -> None:
    stated = ("pods.p1.reserve=6", "fabrics.compute.size_for=reserve", "fabrics.compute.tiers.spine.count=4")
    sets = (*stated, "floor.trays.cross=ends", "cabling.copper_to_m=2")
    before, after = (pulled(built(*sets, f"pods.p1.su={units}")) for units in (2, 5))
    assert len(after) > len(before)
    assert {cable: after.get(cable) for cable in before} == before


def pulled(cluster: Cluster) -> dict[str, tuple[float, float, str]]:
    """Cable -> run, length and medium."""
    cables = cluster.plan.cables
    media = [cables.media[m].id for m in cables.medium.tolist()]
    return dict(
        zip(
            cluster.cable_ids,
            zip(cables.run_m.tolist(), cables.length_m.tolist(), media, strict=True),
            strict=True,
        )
    )


@pytest.mark.parametrize("cross", ["diagonal", "8", "true", "0"])
def test_a_cross_tray_that_is_none_is_refused(cross: str, design_of: DesignOf) -> None:
    text = BLUEPRINT.replace("tray_m: 1,", f'tray_m: 1, trays: {{cross: "{cross}"}},')
    with pytest.raises(InputError) as refused:
        design_of(text)
    assert refused.value.diagnostics[0].path[:3] == ("floor", "trays", "cross")
