"""The order sheet: what a buyer must know of a part stands beside it."""

from __future__ import annotations

import io
import re
import zipfile
from functools import cache

import pytest

from fabricgen.bom.bill import BillLine, make_bill
from fabricgen.bom.ordered import list_order_lines
from fabricgen.bom.prices import PriceList
from fabricgen.bom.sources.rack_pdus import RackCords
from fabricgen.bom.trace import trace_part
from fabricgen.export.order import write_order_workbook
from tests.conftest import example_cluster

MODULES = ("fabrics.inband.tiers.leaf.media={}", "fabrics.inband.tiers.border.media={}")
"""Monday with modules instead of splitters of AOC, as it had once."""


@cache
def list_ordered(name: str, *sets: str) -> dict[str, BillLine]:
    return {line.part: line for line in list_order_lines(make_bill(example_cluster(name, *sets)))}


def test_articles_that_nobody_sells_are_marked() -> None:
    """100GBASE-SR2; the modules beside them are sold by many. Monday had 32: it takes splitters of AOC."""
    lines = list_ordered("monday", *MODULES)
    assert lines["sr8-50g-qsfp56-100g"].quantity == 32
    assert lines["sr8-50g-qsfp56-100g"].remark.startswith("nobody is known to sell it")
    assert lines["sr8-50g-qsfp-dd-400g"].remark == ""
    assert list_ordered("monday")["aoc-50g-qsfp-dd-qsfp112-400g-1x4-10m"].quantity == 4
    assert not [line for line in list_ordered("monday").values() if "nobody is known" in line.remark]


def test_what_has_no_part_number_says_whether_to_choose_or_to_describe_it() -> None:
    """Generic profiles are no products; a DGX is one, and what comes with its rack is not ordered at all."""
    lines, complete = list_ordered("monday"), list_ordered("nvl72-gb200")
    assert lines["firewall"].remark.startswith("placeholder: choose a product; ")
    described = "no part number is in the catalogue: order it by its description"
    assert lines["dgx-b200"].remark == f"{described}; its power cords come with it"
    assert complete["nvl72-gb200"].remark == described
    assert complete["nvlink5-tray"].remark == complete["gb200-tray"].remark == ""
    assert list_ordered("ualink-pod")["ualink-512x200g"].remark.startswith("placeholder: choose a product")


@pytest.mark.parametrize("name", ["nvl72-gb200", "full-cluster", "dual-tor", "gaudi3", "trn2-ultraserver"])
def test_every_device_without_a_number_has_a_remark(name: str) -> None:
    for line in list_order_lines(make_bill(example_cluster(name))):
        if line.kind in ("node", "switch") and not line.description.endswith("comes with its rack"):
            assert line.remark or not line.part.islower(), line


def test_devices_say_why_no_cords_are_listed_and_cords_what_is_not_known() -> None:
    lines = list_ordered("monday")
    assert "no power cords are listed for it" in lines["firewall"].remark
    assert lines["dgx-b200"].remark.endswith("its power cords come with it")
    assert lines["cord-sn5600"].remark == "look up the inlet in its data sheet before you order"
    assert lines["cord-c13-c14"].remark == ""


def test_supplies_of_racks_say_when_they_are_sized_by_less_than_maxima() -> None:
    """Racks of DGX B200 by their published maximum; those of switches by typical draws, which is less than they may."""
    lines = list_ordered("monday")
    assert lines["rack-pdu-3ph-60a-415v"].remark == lines["whip-3ph-60a-415v"].remark == ""
    for part in ("rack-pdu-3ph-30a-415v", "whip-3ph-30a-415v"):
        assert lines[part].remark.startswith("sized by typical draws, since no maximum is published, of NVIDIA SN")
    assert list_ordered("nvl72-gb200")["whip-nvl72-gb200"].remark == "", "its integrator sizes it"


def test_generic_optics_say_what_plugs_in_and_what_cools_them() -> None:
    """Finned in switches, flat under the heat sink of a DGX: two articles."""
    lines = list_ordered("monday", *MODULES)
    finned, flat = lines["sr8-100g-osfp-800g"], lines["sr8-100g-osfp-800g-flat"]
    assert (finned.quantity, finned.description.split(", ")[-3:]) == (96, ["2x MPO-12/APC", "50 m", "finned top"])
    assert (flat.quantity, flat.description.split(", ")[-3:]) == (32, ["2x MPO-12/APC", "50 m", "flat top"])
    assert ", MPO-16/APC, 100 m" in lines["sr8-50g-qsfp-dd-400g"].description
    assert ", MPO-12, 100 m" in lines["sr8-50g-qsfp56-100g"].description


def test_long_texts_are_wrapped_and_their_rows_high_enough() -> None:
    book = zipfile.ZipFile(io.BytesIO(write_order_workbook(make_bill(example_cluster("monday")), PriceList())))
    sheet, styles = book.read("xl/worksheets/sheet1.xml").decode(), book.read("xl/styles.xml").decode()
    assert 'wrapText="1"' in styles
    widths = [float(column.split('"')[0]) for column in sheet.split(' width="')[1:]]
    assert max(widths) < 65
    assert 'ht="60"' in sheet, "the remark of the PDUs of switches has four lines"


def test_switches_on_a_busbar_are_ordered_with_dc_supplies() -> None:
    """SN2201 in NVL72 racks: by specification, since no number of that form is published; the bill has the model."""
    parts_bill = make_bill(example_cluster("nvl72-gb200"))
    (model,) = (line for line in parts_bill.lines if line.part == "sn2201")
    line = list_ordered("nvl72-gb200")["sn2201-dc"]
    assert (model.quantity, line.quantity, "sn2201" in list_ordered("nvl72-gb200")) == (8, 8, False)
    assert line.description == "NVIDIA SN2201, form SN2201_M, port side intake, DC power from the busbar of its rack"
    included = "8 stand in racks that may be sold with management switches: ask their integrator first"
    assert line.remark == f"{included}; no part number is published for the DC form: order it by its description"
    rows = trace_part(parts_bill, "sn2201-dc")
    assert sum(rows["quantity"]) == 8
    assert {device.partition("-p1")[0] for device in rows["device"]} == {"oob-leaf"}
    assert list_ordered("monday")["sn2201"].description == "NVIDIA SN2201 (port side exhaust)"


def test_other_switches_on_a_busbar_say_that_cords_find_no_outlet() -> None:
    """SN4700 in NVL72 racks: the catalogue has no DC form of it."""
    lines = list_ordered(
        "nvl72-gb200", "fabrics.inband.tiers.leaf={switch: sn4700, per: rack}", "fabrics.inband.speed=100G"
    )
    (line,) = (line for line in lines.values() if line.description.startswith("NVIDIA SN4700"))
    assert line.remark.startswith("8 stand in racks with a busbar, which has no outlets: order these with DC supplies")


def test_rack_pdus_have_outlets_for_the_cords_of_their_racks() -> None:
    """Two DGX B200 a rack, six C20 inlets each, over two feeds: six C19; cords whose inlet nobody says apart."""
    lines = list_ordered("monday", "floor.network_join=false")
    assert lines["rack-pdu-3ph-60a-415v"].description.endswith("zero U, outlets at least: 6 x C19")
    pdus = {part: line for part, line in lines.items() if part.startswith("rack-pdu-3ph-30a-415v")}
    assert {part[len("rack-pdu-3ph-30a-415v") :]: line.quantity for part, line in pdus.items()} == {
        "": 6,
        "-c13-open": 4,
        "-open": 4,
    }
    outlets = "outlets at least: 4 for cords of inlets not published, and for 6 devices of unknown supplies"
    assert pdus["rack-pdu-3ph-30a-415v-open"].description.endswith(outlets)
    assert pdus["rack-pdu-3ph-30a-415v"].description.endswith("outlets at least: 2 x C13")
    cords = RackCords({7: (("C19", 6, 4), ("C13", 2, 3), ("C13", 1, 1))})
    assert cords.count_outlets(7, feeds=2, pdus=2) == {"C19": 6, "C13": 2}
    assert cords.count_outlets(8, feeds=2, pdus=1) == {}


def test_pdus_of_unlike_racks_are_lines_of_their_own() -> None:
    """272 had the outlets of racks of DGX B300 and of two kinds of switches; 256 need twelve C19 alone."""
    name = "rack-pdu-3ph-60a-415v"
    lines = {part: line for part, line in list_ordered("superpod-b300").items() if part.startswith(name)}
    assert {part[len(name) :]: line.quantity for part, line in lines.items()} == {"": 256, "-c13-open": 12, "-open": 4}
    assert lines[name].description.endswith("zero U, outlets at least: 12 x C19")
    assert len(trace_part(make_bill(example_cluster("superpod-b300")), f"{name}-open")["rack"]) == 1
    product = list_ordered("superpod-b300", f"accessories.parts={{{name}: PDU-4711}}")
    assert product["PDU-4711"].quantity == 272, "a product that is stated stands for all of them"


def test_remarks_are_plain_words() -> None:
    """No code of a rule, and no name of a rack in the catalogue."""
    for name in ("monday", "nvl72-gb200", "superpod-b300"):
        assert not [line.remark for line in list_ordered(name).values() if re.search(r"FG\d|eia-", line.remark)]


def test_racks_say_their_size_and_when_they_are_narrow_for_what_stands_at_their_sides() -> None:
    line = list_ordered("monday")["rack-48u"]
    assert line.description == "48U rack, 600 x 1200 mm"
    beside = "vertical cable managers and zero-U PDUs, up to 4 at their sides"
    assert line.remark == f"3 of 600 mm have {beside}: for such racks 750 mm or more is usual"
    wide = list_ordered("monday", "floor.rack_pitch_m=0.8")["rack-48u"]
    assert (wide.description, wide.remark) == ("48U rack, 800 x 1200 mm", "")
    named = list_ordered("monday", "scalable_unit.racks={type: eia-52u-600}")["eia-52u-600"]
    assert named.description == "52U cabinet, 600 x 1200 mm", "a name that has the size does not have it twice"
