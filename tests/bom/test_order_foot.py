"""What is usual in an order and not in the bill is told at its foot, with counts where the plan knows them."""

from __future__ import annotations

import io
import math
import re
import zipfile
from typing import Any

import openpyxl
import pytest

from fabricgen.bom.bill import make_bill
from fabricgen.bom.prices import PriceList
from fabricgen.catalog.models import SwitchProfile
from fabricgen.export.files.cables import make_table
from fabricgen.export.order import count_end_faces, make_foot_table, write_order_workbook
from fabricgen.export.technician.labels import make_label_table
from fabricgen.export.technician.records import make_records
from tests.conftest import BLUEPRINTS, example_cluster


def count_additions(name: str, *sets: str) -> dict[str, Any]:
    """What is to be added -> its count."""
    columns = make_foot_table(make_bill(example_cluster(name, *sets))).columns
    return dict(zip(columns["add"], columns["count"], strict=True))


def test_counts_are_those_of_the_plan() -> None:
    """leaf-spine: eight leaf cables of two far ends, sixteen others; eight switches and eight nodes.

    The sixteen are fibres of one MPO at each end, and so many ports; the caps are counted over cables.csv.
    """
    cluster = example_cluster("leaf-spine")
    switches = sum(cls.count for cls in cluster.plan.devices.classes if cls.nos)
    counts = count_additions("leaf-spine")
    assert counts["labels"] == 24 + 32
    assert counts["console cables"] == switches
    assert counts["support"] == switches + sum(c.count for c in cluster.plan.devices.classes if not c.nos)
    assert {what for what, count in counts.items() if count == ""} == {"console servers"}
    served = count_additions("leaf-spine", "accessories.console_ports=2")
    assert served["uplinks of console servers"] == -(-switches // 2)
    assert "console servers" not in served


@pytest.mark.parametrize("name", ["leaf-spine", "monday", "mixed-speeds"])
def test_caps_are_the_cages_of_switches_that_no_row_of_cables_names(name: str) -> None:
    cluster = example_cluster(name)
    cables = make_table(cluster).columns
    ends = {*zip(cables["a_device"], cables["a_cage"], strict=True)}
    ends |= {*zip(cables["b_device"], cables["b_cage"], strict=True)}
    free = 0
    for cls in cluster.plan.devices.classes:
        if isinstance(cls.profile, SwitchProfile):
            names = cluster.name_column[cls.rows].tolist()
            face = [c.form_factor for c in cls.profile.cages for _ in range(c.count)]
            free += sum(
                (device, str(number)) not in {(d, str(c)) for d, c in ends if d == device}
                for device in names
                for number, form_factor in enumerate(face, 1)
                if form_factor != "RJ45"
            )
    assert count_additions(name)["dust caps"] == free


def test_every_end_face_of_fibre_is_cleaned_once() -> None:
    """monday: none of its copper and AOC; patched-hall: jumpers at both sides of a panel, and trunks behind."""
    for name in ("monday", "patched-hall"):
        cluster = example_cluster(name)
        labels, lines = make_label_table(make_records(cluster)), make_bill(cluster).lines
        jumpers = sum(part.removeprefix("2x ").startswith("fibre-") for part in labels.columns["part"])
        trunks = [line for line in lines if line.kind == "trunk"]
        behind = sum(line.quantity * int(re.findall(r"(\d+)x MPO", line.description)[0]) for line in trunks)
        assert count_end_faces(cluster, labels) == {"MPO": 2 * jumpers + 2 * 2 * behind}
        assert bool(trunks) == (name == "patched-hall")


@pytest.mark.slow
def test_duplex_plugs_have_two_faces() -> None:
    """two-site: LC between its sites."""
    cluster = example_cluster("two-site")
    labels = make_label_table(make_records(cluster))
    media = cluster.plan.cables.media
    duplex = {
        c
        for c, m in zip(cluster.cable_ids, cluster.plan.cables.medium.tolist(), strict=True)
        if media[m].connector == "LC duplex"
    }
    plugs = sum(cable in duplex for cable in labels.columns["cable"])
    assert plugs
    assert count_end_faces(cluster, labels)["LC"] == 4 * plugs


def test_straps_go_with_the_runs_of_bundles() -> None:
    """0.3 m at every begun metre of the longest run of each bundle in pull.csv."""
    records = make_records(example_cluster("monday"))
    longest: dict[str, float] = {}
    for bundle, cable in zip(records.pull.bundle.tolist(), records.cable.tolist(), strict=True):
        run_m = float(records.cluster.plan.cables.run_m[cable])
        longest[bundle] = max(longest.get(bundle, 0), run_m)
    metres = sum(math.ceil(run_m) for run_m in longest.values()) * 0.3
    assert count_additions("monday")["hook-and-loop, m"] == math.ceil(round(metres, 6))


@pytest.mark.slow
def test_licences_are_of_noses_that_are_sold_with_one() -> None:
    """leaf-spine runs SONiC, which is not; switches of EOS want one each, those of InfiniBand none."""
    assert not [what for what in count_additions("leaf-spine") if what.startswith("licences")]
    assert not [what for what in count_additions("pkeys") if what.startswith("licences")]
    cluster = example_cluster("modular-spine")
    running = sum(cls.count for cls in cluster.plan.devices.classes if cls.nos == "eos")
    assert count_additions("modular-spine")["licences of eos"] == running > 0


def test_the_foot_is_in_text_and_workbook_and_not_in_csv(fabricgen: Any) -> None:
    """In the workbook a sheet of its own: the sheet of the order has the rows of the CSV."""
    blueprint = BLUEPRINTS / "leaf-spine.yaml"
    text = fabricgen("bom", blueprint, "--format", "text").out
    assert "Not in it, to be added by hand:" in text
    assert "console cables" in text
    assert "console cables" not in fabricgen("bom", blueprint).out
    book = zipfile.ZipFile(io.BytesIO(write_order_workbook(make_bill(example_cluster("leaf-spine")), PriceList())))
    assert 'name="Not in it"' in book.read("xl/workbook.xml").decode()
    foot = openpyxl.load_workbook(io.BytesIO(book.fp.getvalue()))["Not in it"]  # type: ignore[union-attr]
    assert ("console cables", 8) in {row[:2] for row in foot.iter_rows(values_only=True)}


def test_what_comes_with_a_rack_has_no_spares_unless_it_is_named() -> None:
    lines = {line.part: line for line in make_bill(example_cluster("nvl72-gb200", "spares=usual")).lines}
    assert (lines["nvlink5-tray"].spares, lines["sn2201"].spares) == (0, 1)
    named = make_bill(example_cluster("nvl72-gb200", "spares={parts: {nvlink5-tray: 2%}}")).lines
    assert next(line.spares for line in named if line.part == "nvlink5-tray") == 2
