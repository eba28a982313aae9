"""Rack PDUs, whips, panels, managers, rails and console servers: by specification, as many as racks need."""

from __future__ import annotations

from collections import Counter

import pytest
from pydantic import ValidationError

from fabricgen.blueprint.sections.spares import RackPdus
from fabricgen.bom.bill import make_bill
from fabricgen.bom.need import KINDS
from fabricgen.bom.ordered import list_order_lines
from fabricgen.bom.sources.rack_pdus import size_feed_pdus
from fabricgen.bom.trace import trace_part
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import RackProfile
from fabricgen.export.drawings.rack_contents import FilledRacks
from fabricgen.export.files.racks import make_table as make_rack_table
from tests.conftest import example_cluster

ACCESSORIES = KINDS[KINDS.index("rack-pdu") :]


def count_accessories(name: str, *sets: str) -> dict[str, int]:
    return {
        line.part: line.quantity for line in make_bill(example_cluster(name, *sets)).lines if line.kind in ACCESSORIES
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
    assert size_feed_pdus(RackPdus(), load_kw * 1000, feeds) == expected


def test_a_superpod_has_pdus_whips_and_panels_for_every_rack() -> None:
    """32 racks of four DGX B200, 57.2 kW each: two PDUs of 60 A on each of two feeds."""
    quantities = count_accessories("superpod-b200")
    assert quantities["rack-pdu-3ph-60a-415v"] >= 32 * 4
    pdus, whips = (sum(n for part, n in quantities.items() if part.startswith(kind)) for kind in ("rack-pdu", "whip"))
    assert pdus == whips
    cluster = example_cluster("superpod-b200")
    line = next(line for line in make_bill(cluster).lines if line.part == "rack-pdu-3ph-60a-415v")
    assert line.description == "Rack PDU, 3-phase 60 A 415 V, 43 kVA, zero U, outlets at least: 6 x C19"
    rows = trace_part(make_bill(cluster), "blanking-panel-1u")
    assert rows["quantity"][rows["rack"].index("p1-su01-rk01")] == 48 - 4 * 10
    assert quantities["rails-dgx-b200"] == 127
    assert "rails-qm9700" not in quantities, "its rails are in the box"


def test_whips_are_listed_by_feed_and_ratings_left_open_without_figures() -> None:
    feeds = count_accessories("superpod-b200", "floor.feeds=[A, B]")
    assert feeds["whip-3ph-60a-415v-feed-a"] == feeds["whip-3ph-60a-415v-feed-b"]
    assert sum(n for part, n in feeds.items() if part.startswith("rack-pdu-3ph-60a-415v")) == 2 * 70
    assert count_accessories("end-of-row")["rack-pdu-3ph-415v"] >= 32 * 2, (
        "nobody publishes what an XE9680 draws at most"
    )


def test_racks_with_a_busbar_have_whips_to_their_shelves_alone() -> None:
    quantities = count_accessories("nvl72-gb200")
    assert quantities["whip-nvl72-gb200"] == 8 * 8
    assert quantities["cable-manager-48u"] == 2 * 2


def test_power_shelves_are_sold_with_their_racks() -> None:
    """Where the blueprint names them for their management ports, their line says so."""
    bare, named = (
        {line.part: line for line in make_bill(example_cluster(n)).lines} for n in ("nvl72-gb200", "full-cluster")
    )
    assert (bare["nvl72-gb200"].quantity, "power-shelf" in bare) == (8, False)
    assert bare["nvl72-gb200"].description == "NVIDIA GB200 NVL72 rack with 8 x power-shelf"
    assert (named["nvl72-gb200"].description, named["nvl72-gb200"].quantity) == ("NVIDIA GB200 NVL72 rack", 16)
    assert (named["power-shelf"].quantity, named["whip-nvl72-gb200"].quantity) == (16 * 8, 16 * 8)
    assert named["power-shelf"].description.endswith(", comes with its rack")


def test_trays_of_a_rack_that_is_sold_complete_come_with_it() -> None:
    """They were lines of their own beside the rack, as if they were ordered, too."""
    lines = {line.part: line for line in list_order_lines(make_bill(example_cluster("nvl72-gb200")))}
    with_rack = {part for part, line in lines.items() if line.description.endswith(", comes with its rack")}
    assert with_rack == {"gb200-tray", "nvlink5-tray"}
    assert (lines["gb200-tray"].quantity, lines["nvlink5-tray"].quantity) == (8 * 18, 8 * 9)
    alone = make_bill(example_cluster("nvl72-gb200", "scale_up={}"))
    rack = next(line for line in alone.lines if line.part == "nvl72-gb200")
    assert rack.description == "NVIDIA GB200 NVL72 rack with 8 x power-shelf, 9 x switch tray"


def test_what_a_rack_includes_is_fixed_in_it() -> None:
    rack = Catalog().rack("nvl72-vr200")
    with pytest.raises(ValidationError, match="'power-shelf' is not `fixed` in it; fixed are node, tray, switch"):
        RackProfile.model_validate({**rack.model_dump(exclude_unset=True), "includes": ["power-shelf"]})


def test_racks_have_as_many_whips_on_two_of_three_feeds_as_on_two() -> None:
    """Four DGX B200, 57.2 kW: either feed of a rack carries all of it on two PDUs, whichever two it has."""
    for feeds in ("A, B", "A, B, C"):
        lines = count_accessories("superpod-b200", "pods.p1.su=1", f"floor.feeds=[{feeds}]")
        whips = {part: n for part, n in lines.items() if part.startswith("whip")}
        assert len({part[-1] for part in whips}) == feeds.count(",") + 1
        assert sum(whips.values()) == sum(n for part, n in lines.items() if part.startswith("rack-pdu"))
        assert sum(n for part, n in whips.items() if "60a" in part) >= 8 * 2 * 2, "eight racks of nodes"


def test_cords_have_the_length_that_is_stated_or_none_and_products() -> None:
    sets = ("accessories.cord_m=2.5", "accessories.parts={cord-c13-c14-2.5m: PWR-C13}")
    lines = {line.part: line for line in make_bill(example_cluster("nvl72-gb200", *sets)).lines}
    plain = make_bill(example_cluster("nvl72-gb200"))
    assert lines["PWR-C13"].description == "Power cord, C13 to C14 plug, 2.5 m"
    assert lines["cord-sn5600-2.5m"].description.endswith("NVIDIA SN5600, inlet not published, 2.5 m")
    open_ = {line.part: line for line in list_order_lines(plain) if line.kind == "power-cord"}
    assert open_["cord-c13-c14"].description == "Power cord, C13 to C14 plug, length open"
    assert open_["cord-c13-c14"].quantity == lines["PWR-C13"].quantity == 76


def test_products_stand_for_specifications_and_one_line_turns_all_off() -> None:
    sets = ("accessories.parts={blanking-panel-1u: BP-1U, rails-sn2201: RK-1}", "accessories.console_ports=48")
    quantities = count_accessories("superpod-b200", *sets)
    plain = count_accessories("superpod-b200")
    assert (quantities["BP-1U"], quantities["RK-1"]) == (plain["blanking-panel-1u"], plain["rails-sn2201"])
    assert quantities["console-server-48"] == 2  # 78 switches
    assert count_accessories("superpod-b200", "accessories.order=false") == {}


def test_a_patch_rack_has_cable_managers_and_neither_pdus_nor_whips() -> None:
    """A rack of panels alone was ordered two PDUs on whips that feed nothing, and no managers for its jumpers."""
    cluster = example_cluster("patched-hall", "floor.feeds=[A, B]")
    bill = make_bill(cluster)
    racks_of = {
        line.part: Counter(trace_part(bill, line.part)["rack"]) for line in bill.lines if line.kind in ACCESSORIES
    }
    patch_racks = {name for name in cluster.plan.racks.names if name.startswith("patch-")}
    assert len(patch_racks) == 3
    for part, racks in racks_of.items():
        if part.startswith(("rack-pdu", "whip")):
            assert not patch_racks & set(racks), part
    managers = trace_part(bill, "cable-manager-48u")
    pieces = dict(zip(managers["rack"], managers["quantity"], strict=True))
    assert {pieces[name] for name in patch_racks} == {2}
    assert "p1-su01-rk01" not in pieces, "a rack of nodes with a panel in it is none of switches"
    table = make_rack_table(cluster).columns
    feeds = dict(zip(table["rack"], table["feeds"], strict=True))
    assert {feeds[name] for name in patch_racks} == {""} != {feeds["p1-su01-rk01"]}
    drawn = FilledRacks(cluster)
    assert [drawn.list_feeds(cluster.plan.racks.names.index(name)) for name in patch_racks] == [()] * 3
