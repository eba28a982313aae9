"""What optics draw, by rack: each once, as much as the bill says, beside what devices draw."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabricgen.bom import bill
from fabricgen.bom.optics import sum_rack_optics
from fabricgen.bom.prices import PriceList
from fabricgen.export import order
from fabricgen.export.drawings.elevation import draw_elevation
from fabricgen.export.drawings.rack_contents import FilledRacks, RackTotal
from fabricgen.export.files import racks
from tests.conftest import example_cluster

OPTICS = ("transceiver", "cable")


@pytest.mark.parametrize(
    "name", ["leaf-spine", "superpod-b300", "full-cluster", "dual-tor", "two-site", "phased-planes"]
)
def test_the_optics_of_all_racks_are_those_of_the_bill(name: str) -> None:
    cluster = example_cluster(name)
    optics = sum_rack_optics(cluster)
    lines = [line for line in bill.make_bill(cluster).lines if line.kind in OPTICS]
    assert optics.power_w.sum() == pytest.approx(sum(line.quantity * (line.power_w or 0) for line in lines))
    assert bool(optics.unpowered.any()) == any(line.power_w is None for line in lines)


def test_a_rack_draws_its_optics_too() -> None:
    """Sixteen switches at 1125 W, an estimate, 18 kW, and as much again of optics."""
    cluster = example_cluster("dual-tor")
    table = racks.make_table(cluster).columns
    row = table["rack"].index("p1-su01-net01")
    assert [table[name][row] for name in ("power_w", "optics_w", "drawn_w")] == ["18000", "17408", "35408"]
    assert (table["power_basis"][row], table["air_w"][row]) == ("estimate", "35408")
    drawn = FilledRacks(cluster).make_rack(row)
    assert (drawn.power_kw.value, drawn.optics_kw) == (35.408, 17.408)


def test_optics_that_a_published_maximum_has_in_it_are_not_added() -> None:
    """A QM9700 draws 1720 W with active cables in all its cages; an SN5600 has no maximum, and draws its optics too."""
    cluster = example_cluster("superpod-b200", "floor.network_join=false")
    table = racks.make_table(cluster).columns
    row = {name: i for i, name in enumerate(table["rack"])}
    figures = {
        name: [table[key][i] for key in ("power_w", "optics_w", "drawn_w", "power_basis")] for name, i in row.items()
    }
    assert figures["net-compute-spine-01"] == ["27520", "8704", "27520", "maximum-with-optics"]
    assert figures["p1-su01-net01"] == ["17716", "5892", "19256", "maximum-with-optics+typical"]
    assert FilledRacks(cluster).make_rack(row["net-compute-spine-01"]).power_kw.value == 27.52


def test_the_power_of_a_bill_is_what_all_racks_draw() -> None:
    cluster = example_cluster("superpod-b200")
    drawn = sum(float(watts or 0) for watts in racks.make_table(cluster).columns["drawn_w"])
    parts_bill = bill.make_bill(cluster)
    for table in (
        order.make_totals_table(parts_bill, ("fabric", "kind"), PriceList()),
        order.make_power_table(parts_bill),
    ):
        back, total = table.columns["power_w"][-2:]
        assert (float(str(back)), float(str(total))) == (-26112, pytest.approx(drawn))


def test_the_common_end_of_a_breakout_draws_once() -> None:
    """Active copper from 800G to four of 200G: 10 W at the eight lanes, 2.5 W at two, not 10 W four times."""
    name = "aec-100g-osfp-qsfp112-800g-1x4-7m"
    lines = bill.make_bill(example_cluster("dual-tor", "floor.tray_m=0.3")).lines
    (line,) = [line for line in lines if line.part == name]
    assert line.power_w == 20


def test_a_rack_that_is_sold_complete_weighs_what_is_published_of_it() -> None:
    """1,360 kg, not the 14.8 kg of its two management switches; all that stands in it has its power in a figure."""
    cluster = example_cluster("nvl72-gb200")
    table = racks.make_table(cluster).columns
    names = ("weight_kg", "unweighed", "power_w", "unpowered")
    figures = {
        tuple(str(table[name][i]) for name in names) for i, kind in enumerate(table["kind"]) if "nvl72" in str(kind)
    }
    assert figures == {("1360", "0", "120104", "0")}
    drawn = FilledRacks(cluster).make_rack(0)
    assert (drawn.weight_kg.value, drawn.weight_kg.budget, drawn.complete) == (1360, None, True)
    assert "1360 with the rack" in draw_elevation(drawn)


def test_an_elevation_names_what_is_less_than_is_drawn() -> None:
    """Racks of switches without a figure, and a bar of which nobody knows the rest."""
    cluster = example_cluster("multi-plane")
    drawn = FilledRacks(cluster).make_rack(len(cluster.plan.racks) - 1)
    assert (drawn.basis, drawn.missing) == ("", "kg: sn5640; kW: sn5640")
    loaded = replace(drawn, weight_kg=RackTotal(100, 1000, unknown=True))
    assert ">+ ?<" in draw_elevation(loaded)
    assert ">+ ?<" not in draw_elevation(replace(loaded, weight_kg=RackTotal(100, 1000)))
    leaves = FilledRacks(example_cluster("superpod-b200")).make_rack(
        list_rack_names("superpod-b200").index("p1-su01-net01")
    )
    assert leaves.basis == "maximum with optics; typical: sn2201, sn5600"


def list_rack_names(name: str) -> list[str]:
    return list(example_cluster(name).plan.racks.names)
