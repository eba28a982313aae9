"""The order sheet: what a buyer must know of a part stands beside it."""

from __future__ import annotations

import io
import zipfile
from functools import cache

from fabricgen.bom.bill import Line, bill_of
from fabricgen.bom.ordered import order_lines
from fabricgen.bom.prices import PriceList
from fabricgen.export.order import order_workbook
from tests.conftest import example_cluster


@cache
def ordered(name: str, *sets: str) -> dict[str, Line]:
    return {line.part: line for line in order_lines(bill_of(example_cluster(name, *sets)))}


def test_articles_that_nobody_sells_are_marked() -> None:
    """Forty-four 100GBASE-SR2 of monday; the modules beside them are sold by many."""
    lines = ordered("monday")
    assert lines["sr8-50g-qsfp56-100g"].quantity == 44
    assert lines["sr8-50g-qsfp56-100g"].remark.startswith("nobody is known to sell it")
    assert lines["sr8-50g-qsfp-dd-400g"].remark == ""


def test_devices_say_why_no_cords_are_listed_and_cords_what_is_not_known() -> None:
    lines = ordered("monday")
    assert "no power cords are listed for it (FG651)" in lines["firewall"].remark
    assert lines["dgx-b200"].remark == "its power cords come with it"
    assert lines["cord-sn5600"].remark == "look up the inlet in its data sheet before you order (FG657)"
    assert lines["cord-c13-c14"].remark == ""


def test_supplies_of_racks_say_when_they_are_sized_by_less_than_maxima() -> None:
    """Racks of DGX B200 by their published maximum; those of switches by typical draws, which is less than they may."""
    lines = ordered("monday")
    assert lines["rack-pdu-3ph-60a-415v"].remark == lines["whip-3ph-60a-415v"].remark == ""
    for part in ("rack-pdu-3ph-30a-415v", "whip-3ph-30a-415v"):
        told = "sized by typical draws, since no maximum is published, of NVIDIA SN2201, NVIDIA SN4700, NVIDIA SN5600"
        assert lines[part].remark.startswith(told)
    assert ordered("nvl72-gb200")["whip-nvl72-gb200"].remark == "", "its integrator sizes it"


def test_generic_optics_say_what_plugs_in_and_what_cools_them() -> None:
    """Finned in switches, flat under the heat sink of a DGX: two articles."""
    lines = ordered("monday")
    finned, flat = lines["sr8-100g-osfp-800g"], lines["sr8-100g-osfp-800g-flat"]
    assert (finned.quantity, finned.description.split(", ")[-3:]) == (48, ["2x MPO-12/APC", "50 m", "finned top"])
    assert (flat.quantity, flat.description.split(", ")[-3:]) == (32, ["2x MPO-12/APC", "50 m", "flat top"])
    assert ", MPO-16/APC, 100 m" in lines["sr8-50g-qsfp-dd-400g"].description
    assert ", MPO-12, 100 m" in lines["sr8-50g-qsfp56-100g"].description


def test_long_texts_are_wrapped_and_their_rows_high_enough() -> None:
    book = zipfile.ZipFile(io.BytesIO(order_workbook(bill_of(example_cluster("monday")), PriceList())))
    sheet, styles = book.read("xl/worksheets/sheet1.xml").decode(), book.read("xl/styles.xml").decode()
    assert 'wrapText="1"' in styles
    widths = [float(each.split('"')[0]) for each in sheet.split(' width="')[1:]]
    assert max(widths) < 65
    assert 'ht="60"' in sheet, "the remark of the PDUs of switches has four lines"
