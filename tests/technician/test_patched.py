"""Structured cabling in the workbooks: trunks and jumpers have sheets, and cables made of them say so."""

from __future__ import annotations

import io

import openpyxl

from fabricgen.export.parts import patches
from fabricgen.export.technician.sheets import Pack
from fabricgen.export.technician.volumes import volumes
from fabricgen.export.technician.workbook import workbook
from tests.conftest import example_cluster


def test_jumpers_and_trunks_have_sheets_and_cables_say_that_they_go_through_panels() -> None:
    cluster = example_cluster("patched-hall")
    (volume,) = volumes(cluster)
    book = openpyxl.load_workbook(io.BytesIO(workbook(Pack(cluster), volume)), read_only=True)
    assert book.sheetnames[:4] == ["cover", "trunks", "patches", "bundles"]
    header, *body = book["patches"].iter_rows(values_only=True)
    assert cluster.plan.patching is not None
    planned = patches.table(cluster, cluster.plan.patching)
    ports = zip(*(planned.columns[name] for name in ("rack", "panel", "port", "device", "cage")), strict=True)
    assert sorted((row[0], row[2], row[3], row[4], row[5]) for row in body) == sorted(ports)
    places = [(row[0], row[2], row[3]) for row in body]
    assert places == sorted(places)
    assert "cable" not in header  # or it would be read back as a list of cables
    header, *body = book["p1-su01-rk01"].iter_rows(values_only=True)
    via, tag = header.index("via"), header.index("tag")
    assert {(str(row[tag])[0], row[via]) for row in body} == {("C", "panels"), ("O", None)}


def test_without_panels_there_is_no_word_of_them() -> None:
    cluster = example_cluster("leaf-spine")
    book = openpyxl.load_workbook(io.BytesIO(workbook(Pack(cluster), volumes(cluster)[0])), read_only=True)
    assert "patches" not in book.sheetnames
    assert "via" not in next(book["p1-su01-rk01"].iter_rows(values_only=True))
