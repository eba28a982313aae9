"""What is usual in an order and not in the bill is told at its foot, with counts where the plan knows them."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from fabricgen.bom.bill import make_bill
from fabricgen.bom.prices import PriceList
from fabricgen.export.order import write_order_workbook
from fabricgen.export.order_foot import make_foot_table
from tests.conftest import BLUEPRINTS, example_cluster


def count_additions(name: str, *sets: str) -> dict[str, Any]:
    """What is to be added -> its count."""
    columns = make_foot_table(make_bill(example_cluster(name, *sets))).columns
    return dict(zip(columns["add"], columns["count"], strict=True))


def test_counts_are_those_of_the_plan() -> None:
    """leaf-spine: eight leaf cables of two far ends, sixteen others; eight switches and eight nodes."""
    cluster = example_cluster("leaf-spine")
    switches = sum(cls.count for cls in cluster.plan.devices.classes if cls.nos)
    counts = count_additions("leaf-spine")
    assert counts["labels"] == 24 + 32
    assert counts["console cables"] == switches
    assert sum(count for what, count in counts.items() if what.startswith("licences of ")) == switches
    assert counts["support"] == switches + sum(c.count for c in cluster.plan.devices.classes if not c.nos)
    assert {what for what, count in counts.items() if count == ""} == {
        "console servers",
        "cleaning",
        "caps",
        "hook-and-loop",
    }
    served = count_additions("leaf-spine", "accessories.console_ports=2")
    assert served["uplinks of console servers"] == -(-switches // 2)
    assert "console servers" not in served


def test_the_foot_is_in_text_and_workbook_and_not_in_csv(fabricgen: Any) -> None:
    blueprint = BLUEPRINTS / "leaf-spine.yaml"
    text = fabricgen("bom", blueprint, "--format", "text").out
    assert "Not in it, to be added by hand:" in text
    assert "console cables" in text
    assert "console cables" not in fabricgen("bom", blueprint).out
    book = zipfile.ZipFile(io.BytesIO(write_order_workbook(make_bill(example_cluster("leaf-spine")), PriceList())))
    assert 'name="Not in it"' in book.read("xl/workbook.xml").decode()


def test_what_comes_with_a_rack_has_no_spares_unless_it_is_named() -> None:
    lines = {line.part: line for line in make_bill(example_cluster("nvl72-gb200", "spares=usual")).lines}
    assert (lines["nvlink5-tray"].spares, lines["sn2201"].spares) == (0, 1)
    named = make_bill(example_cluster("nvl72-gb200", "spares={parts: {nvlink5-tray: 2%}}")).lines
    assert next(line.spares for line in named if line.part == "nvlink5-tray") == 2
