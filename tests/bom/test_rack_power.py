"""What optics draw, by rack: each once, as much as the bill says, beside what devices draw."""

from __future__ import annotations

import pytest

from fabricgen.bom import bill
from fabricgen.bom.optics import optics_of_racks
from fabricgen.export.drawings.rack_contents import Racks
from fabricgen.export.files import racks
from tests.conftest import example_cluster

OPTICS = ("transceiver", "cable")


@pytest.mark.parametrize(
    "name", ["leaf-spine", "superpod-b300", "full-cluster", "dual-tor", "two-site", "phased-planes"]
)
def test_the_optics_of_all_racks_are_those_of_the_bill(name: str) -> None:
    cluster = example_cluster(name)
    watts, bare = optics_of_racks(cluster)
    lines = [line for line in bill.bill_of(cluster).lines if line.kind in OPTICS]
    assert watts.sum() == pytest.approx(sum(line.quantity * (line.power_w or 0) for line in lines))
    assert bool(bare.any()) == any(line.power_w is None for line in lines)


def test_a_rack_draws_its_optics_too() -> None:
    """Sixteen switches at their typical draw, 18 kW, and as much again of optics."""
    cluster = example_cluster("dual-tor")
    table = racks.table(cluster).columns
    row = table["rack"].index("p1-su01-net01")
    assert [table[name][row] for name in ("power_w", "optics_w", "drawn_w")] == ["18000", "17345", "35345"]
    drawn = Racks(cluster).rack(row)
    assert (drawn.power_kw.value, drawn.optics_kw) == (35.345, 17.345)


def test_the_common_end_of_a_breakout_draws_once() -> None:
    """Active copper from 800G to four of 200G: 10 W at the eight lanes, 2.5 W at two, not 10 W four times."""
    (line,) = [line for line in bill.bill_of(example_cluster("dual-tor")).lines if line.part.startswith("aec-")]
    assert (line.part, line.power_w) == ("aec-100g-osfp-qsfp112-800g-1x4-7m", 20)
