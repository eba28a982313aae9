"""Every part number of the catalogue has a source, or is on a list of those of which none was found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fabricgen.bom.bill import make_bill
from fabricgen.bom.ordered import ENDED, UNSOURCED, list_order_lines
from fabricgen.catalog.loader import Catalog
from fabricgen.kernel.diagnostics import InputError
from tests.conftest import example_cluster
from tools.part_numbers import draw_part_numbers, list_part_numbers

CATALOG = Catalog()

NOT_FOUND = {
    *("MFP7E20-N007", "MFP7E20-N015"),
    *("MFP7E40-N005", "MFP7E40-N007", "MFP7E40-N010", "MFP7E40-N015", "MFP7E40-N020", "MFP7E40-N030"),
    *("MCP7Y10-N02A", "MCP7Y40-N01A", "MCP7Y40-N02A"),
    *("MCP7Y50-N001", "MCP7Y50-N01A", "MCP7Y50-N002", "MCP7Y50-N02A", "MCP7Y50-N003"),
    *("MFA1A00-C015", "MFA1A00-C020"),
    "QDD-400G-DR4",
}
"""What was looked for in public pages, bills, inventories and readings of devices in November 2026, and not found. A
number comes off this list with its source, and onto it only with a word in docs/limits.md."""

DOCUMENT = re.compile(
    r"\.(com|org|ru|io)\b|[Dd]ata sheet|800G Transceivers and Cables|[Rr]eference architecture|NVIDIA"
)
PLACE = re.compile(
    rf"{DOCUMENT.pattern}|public (bills|captures|inventory|monitoring|list)|an inventory of 20|in public"
)


def test_numbers_without_a_source_are_these_and_no_more() -> None:
    parts = list(list_part_numbers(CATALOG))
    assert len({part.number for part in parts}) == 164
    assert {part.number for part in parts if part.unsourced} == NOT_FOUND
    for part in parts:
        assert part.unsourced or PLACE.search(part.source), f"{part.number} of {part.profile}: {part.source!r}"


def test_of_a_hundred_drawn_at_random_nine_have_no_source() -> None:
    """The draw of issue 57: seed 57, the same on every machine while the catalogue has these numbers."""
    drawn = draw_part_numbers(CATALOG, 100, 57)
    assert len({part.number for part in drawn}) == 100
    assert sum(part.unsourced for part in drawn) == 9
    assert draw_part_numbers(CATALOG, 100, 58) != drawn == draw_part_numbers(CATALOG, 100, 57)


def test_the_order_sheet_says_which_numbers_to_ask_about() -> None:
    remarks = {line.part: line.remark for line in list_order_lines(make_bill(example_cluster("superpod-b200")))}
    assert remarks["MFP7E20-N015"] == UNSOURCED
    assert remarks["MFA1A00-C015"] == f"{ENDED}; {UNSOURCED}"
    assert remarks["MFP7E10-N010"] == remarks["MMA4Z00-NS"] == ""


def test_what_is_said_to_have_no_source_is_a_number_of_its_product(tmp_path: Path) -> None:
    (tmp_path / "products").mkdir()
    (tmp_path / "products" / "mine.yaml").write_text(
        """
kind: products
id: mine
name: Mine
vendor: ACME
source: frame contract, annex B
tag: V
products:
  - {part: "F-{m}M", kind: fibre, name: OM4, media: [sr8-100g], lengths_m: [5, 12], unsourced: [F-7M],
     source: "annex B, line 7"}
"""
    )
    with pytest.raises(InputError, match="got \\['F-7M'\\]"):
        Catalog(tmp_path).products("mine")
