"""Racks, halls, scale-up domains and rack loads of clusters whose pods have several kinds of units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from fabricgen.blueprint.beside.lock import Lock
from fabricgen.blueprint.load import load_blueprint
from fabricgen.catalog.loader import Catalog
from fabricgen.design.floor.floor_plan import FloorPlan
from fabricgen.design.layout import lay_out
from fabricgen.design.model import Design
from fabricgen.design.scale_up.domains import design_scale_up
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.subjects.rack_loads import find_budget_path, find_fullest_node_rack, find_rack_over_budget, power_kw

PlannedOf = Callable[..., Design]

HGX = "{nodes: 8 x dgx-h100, racks: {nodes_per_rack: 4, power_kw: 40}}"
NVL72 = "{nodes: 36 x gb300-tray, racks: {type: nvl72-gb300, devices: {shelf: 4 x power-shelf}}}"
OOB = "fabrics: {oob: {protocol: ethernet, attach: bmc, tiers: {leaf: {switch: sn2201, per: rack}}}}\n"
MIXED = f"""\
fabricgen: 1
name: mixed
scalable_units: {{h100: {HGX}, gb: {NVL72}}}
pods: {{p1: {{unit: h100, su: 2}}, p2: {{unit: gb, su: 3}}, p3: {{unit: h100, su: 1}}}}
scale_up: {{hgx: {{domain: hgx-h100, per: node}}, nvl72: {{domain: nvl72-gb300, per: rack}}}}
{OOB}"""
ONE = f"""\
fabricgen: 1
name: mixed
scalable_unit: {HGX}
pods: {{p1: {{su: 2}}}}
{OOB}"""
"""One kind of units, to which others come."""

Spots = dict[str, tuple[int, ...]]


@pytest.fixture
def planned_of(tmp_path: Path) -> PlannedOf:
    """The layout and scale-up domains of a blueprint given as text, after a lock, without its fabrics."""

    def make(text: str, sets: Sequence[str] = (), lock: Lock | None = None) -> Design:
        file = tmp_path / "blueprint.yaml"
        file.write_text(text, encoding="utf-8")
        loaded = load_blueprint(str(file), sets)
        catalog = Catalog(loaded.folder / "catalog")
        layout = lay_out(loaded.blueprint, catalog, lock or loaded.lock)
        return Design(loaded, catalog, layout, (), design_scale_up(loaded.blueprint, catalog, layout))

    return make


def spots(design: Design) -> Spots:
    """Where every rack of a unit stands: site, row, column and hall."""
    floor, found = FloorPlan(design), Spots()
    floor.check()
    for unit in range(design.layout.units):
        found |= {
            floor.name_unit_rack(unit, r): floor.locate_unit_rack(unit, r) for r in range(floor.find_plan(unit).racks)
        }
    assert list(found) == floor.unit_rack_names
    assert len(set(found.values())) == len(found) == floor.first_racks[-1]
    return found


def kept(design: Design) -> Lock:
    """What a lock keeps of the numbers and of the floor plan of a design."""
    floor, lock = FloorPlan(design), design.layout.numbering.make_lock(design.layout.lock, "mixed")
    return replace(
        lock, held={**lock.held, **floor.list_lock_entries()}, rooms={**lock.rooms, **floor.areas.list_kept_counts()}
    )


def test_units_have_the_racks_of_their_kind_in_rows_of_its_own(planned_of: PlannedOf) -> None:
    found = spots(planned_of(MIXED))
    assert [name for name in found if name.startswith("p1")] == [
        f"p1-su0{su}-rk0{rack}" for su in (1, 2) for rack in (1, 2)
    ]
    assert len([name for name in found if name.startswith("p2")]) == 3 * 2
    rows = {pod: {spot[1] for name, spot in found.items() if name.startswith(pod)} for pod in ("p1", "p2", "p3")}
    assert rows["p1"] == rows["p3"]
    assert not rows["p1"] & rows["p2"]


def test_rows_of_kinds_follow_the_page_unless_a_lock_has_them(planned_of: PlannedOf) -> None:
    """Names sort gb before h100; the page has them the other way round."""

    def list_rows(design: Design) -> list[int]:
        rows = {name[:2]: spot[1] for name, spot in spots(design).items()}
        return [rows[pod] for pod in ("p1", "p2")]

    turned = MIXED.replace(f"{{h100: {HGX}, gb: {NVL72}}}", f"{{gb: {NVL72}, h100: {HGX}}}")
    assert turned != MIXED
    assert list_rows(planned_of(MIXED)) == [0, 1]
    assert list_rows(planned_of(turned)) == [1, 0]
    assert spots(planned_of(turned, lock=kept(planned_of(MIXED)))) == spots(planned_of(MIXED))


def test_a_kind_and_units_that_come_later_move_no_rack(planned_of: PlannedOf) -> None:
    before = planned_of(ONE)
    later = ONE.replace("pods: {", f"scalable_units: {{b: {HGX}, gb: {NVL72}}}\npods: {{p0: {{unit: gb, su: 30}}, ")
    with_kind = planned_of(later, lock=kept(before))
    more = ("pods.p1.su=40", "pods.p0.su=31")
    grown = planned_of(later, more, lock=kept(with_kind))
    third = planned_of(later.replace("pods: {", "pods: {a: {unit: b}, "), more, lock=kept(grown))
    history = [spots(design) for design in (before, with_kind, grown, third)]
    for earlier, now in pairwise(history):
        assert earlier.items() <= now.items()
    assert len(history[-1]) == 40 * 2 + 31 * 2 + 2


def test_kinds_share_halls_by_whole_rows(planned_of: PlannedOf) -> None:
    halls = "floor: {racks_per_row: 4, halls: {a: {rows: 2}, b: {rows: 2, at_m: [50, 0]}}}\n"
    found = spots(planned_of(MIXED + halls))
    assert {(spot[3], spot[1]) for name, spot in found.items() if name.startswith("p2")} == {(1, 0), (1, 1)}
    assert {(spot[3], spot[1]) for name, spot in found.items() if not name.startswith("p2")} == {(0, 0), (0, 1)}
    smaller = ("floor.halls.a.rows=1",), kept(planned_of(MIXED + halls))
    for sets, lock in ((("pods.p3.su=3",), None), smaller):
        with pytest.raises(InputError) as fault:
            spots(planned_of(MIXED + halls, sets, lock))
        assert "FG067" in str(fault.value)


def test_scale_up_domains_are_those_of_the_kinds_whose_nodes_form_them(planned_of: PlannedOf) -> None:
    hgx, nvl72 = planned_of(MIXED).scale_up
    assert (hgx.domains, hgx.accelerators) == (3 * 8, 3 * 64)
    assert (nvl72.domains, nvl72.accelerators, nvl72.trays) == (3 * 2, 3 * 144, 3 * 2 * 9)
    assert nvl72.places.list_pods(planned_of(MIXED).layout) == (1,)
    with pytest.raises(InputError) as fault:
        planned_of(MIXED, ("pods.p1.unit=gb", "pods.p3.unit=gb"))
    assert "no node forms hgx-h100" in str(fault.value)


def test_kinds_that_form_one_domain_have_equal_ones(planned_of: PlannedOf) -> None:
    two = (
        MIXED.replace("gb: {nodes: 36", "gb: {nodes: 18")
        .replace("scalable_units: {", f"scalable_units: {{gb2: {NVL72}, ")
        .replace("p3: {unit: h100", "p3: {unit: gb2")
    )
    assert [s.domains for s in planned_of(two).scale_up] == [16, 3 * 1 + 1 * 2]
    per_su = two.replace("per: rack}}", "per: su}}")
    with pytest.raises(InputError) as fault:
        planned_of(per_su)
    assert "FG301" in str(fault.value)


def test_node_racks_are_judged_by_kind(planned_of: PlannedOf) -> None:
    design = planned_of(MIXED)
    gb, h100 = design.layout.kinds
    assert dict(find_fullest_node_rack(design, h100, power_kw).devices) == {"dgx-h100": 4}
    assert dict(find_fullest_node_rack(design, gb, power_kw).devices) == {
        "gb300-tray": 18,
        "power-shelf": 4,
        "nvlink5-tray": 9,
    }
    assert find_rack_over_budget(design, h100, power_kw, h100.node_rack.power_kw)
    assert find_budget_path(h100, "power_kw") == ("scalable_units", "h100", "racks", "power_kw")


def test_what_does_not_fit_is_refused_at_its_kind(planned_of: PlannedOf) -> None:
    with pytest.raises(InputError) as fault:
        spots(
            planned_of(
                MIXED, ("scalable_units.h100.racks.units=33", "scalable_units.h100.racks.devices.cdu=1 x cdu-4u")
            )
        )
    assert fault.value.diagnostics[0].path[:2] == ("scalable_units", "h100")
