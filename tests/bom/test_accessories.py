"""Rack PDUs, whips, panels, managers, rails and console servers: by specification, as many as racks need."""

from __future__ import annotations

import pytest

from fabricgen.blueprint.sections.spares import RackPdus
from fabricgen.bom.bill import bill_of
from fabricgen.bom.need import KINDS
from fabricgen.bom.sources.rack_pdus import pdus_of_feed
from fabricgen.bom.trace import trace
from tests.conftest import example_cluster

ACCESSORIES = KINDS[KINDS.index("rack-pdu") :]


def listed(name: str, *sets: str) -> dict[str, int]:
    return {
        line.part: line.quantity for line in bill_of(example_cluster(name, *sets)).lines if line.kind in ACCESSORIES
    }


@pytest.mark.parametrize(
    ("load_kw", "feeds", "expected"),
    [
        (17.0, 2, (30, 1)),  # 80 % of 21.6 kVA
        (17.3, 2, (60, 1)),
        (34.4, 2, (60, 1)),
        (57.2, 2, (60, 2)),  # four DGX B200: either feed carries all of it
        (57.2, 3, (60, 1)),
        (10.0, 1, (30, 1)),
        (0.0, 2, (30, 1)),
    ],
)
def test_each_feed_carries_what_a_failed_one_leaves(load_kw: float, feeds: int, expected: tuple[int, int]) -> None:
    assert pdus_of_feed(RackPdus(), load_kw * 1000, feeds) == expected


def test_a_superpod_has_pdus_whips_and_panels_for_every_rack() -> None:
    """32 racks of four DGX B200, 57.2 kW each: two PDUs of 60 A on each of two feeds."""
    found = listed("superpod-b200")
    assert found["rack-pdu-3ph-60a-415v"] >= 32 * 4
    pdus, whips = (sum(n for part, n in found.items() if part.startswith(kind)) for kind in ("rack-pdu", "whip"))
    assert pdus == whips
    cluster = example_cluster("superpod-b200")
    line = next(line for line in bill_of(cluster).lines if line.part == "rack-pdu-3ph-60a-415v")
    assert line.description == "Rack PDU, 3-phase 60 A 415 V, 43 kVA, zero U"
    rows = trace(bill_of(cluster), "blanking-panel-1u")
    assert rows["quantity"][rows["rack"].index("p1-su01-rk01")] == 48 - 4 * 10
    assert found["rails-dgx-b200"] == 127
    assert "rails-qm9700" not in found, "its rails are in the box"


def test_whips_are_listed_by_feed_and_ratings_left_open_without_figures() -> None:
    feeds = listed("superpod-b200", "floor.feeds=[A, B]")
    assert feeds["whip-3ph-60a-415v-feed-a"] == feeds["whip-3ph-60a-415v-feed-b"] == feeds["rack-pdu-3ph-60a-415v"] / 2
    assert listed("end-of-row")["rack-pdu-3ph-415v"] >= 32 * 2, "nobody publishes what an XE9680 draws at most"


def test_racks_with_a_busbar_have_whips_to_their_shelves_alone() -> None:
    found = listed("nvl72-gb200")
    assert found["whip-nvl72-gb200"] == 8 * 8
    assert found["cable-manager-48u"] == 2 * 4


def test_products_stand_for_specifications_and_one_line_turns_all_off() -> None:
    sets = ("accessories.parts={blanking-panel-1u: BP-1U, rails-sn2201: RK-1}", "accessories.console_ports=48")
    found = listed("superpod-b200", *sets)
    plain = listed("superpod-b200")
    assert (found["BP-1U"], found["RK-1"]) == (plain["blanking-panel-1u"], plain["rails-sn2201"])
    assert found["console-server-48"] == 2  # 78 switches
    assert listed("superpod-b200", "accessories.order=false") == {}
