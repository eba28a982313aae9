"""docs/columns.md: its tables name the columns that there are, with their dtypes; its program prints what it says."""

from __future__ import annotations

import contextlib
import io
import re
from dataclasses import fields

import numpy as np
import pytest

from fabricgen.cluster import Cluster
from fabricgen.wiring.tables import CableTable, DeviceTable, LinkTable, RackTable
from tests.docs.pages import ROOT, blocks, text_of
from tests.render.rendered import cluster_of

PAGE = "docs/columns.md"


@pytest.fixture(scope="module")
def cluster() -> Cluster:
    return cluster_of("leaf-spine")


@pytest.mark.parametrize("kind", [DeviceTable, LinkTable, CableTable, RackTable])
def test_the_page_has_each_column_with_its_dtype(kind: type, cluster: Cluster) -> None:
    plan = cluster.plan
    table = next(t for t in (plan.devices, plan.links, plan.cables, plan.racks) if isinstance(t, kind))
    columns = {field.name: getattr(table, field.name) for field in fields(kind)}
    section = text_of(PAGE).partition(f"\n## {kind.__name__}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`[^|]*) \| (\w+) \|", section, re.MULTILINE)
    listed = {name: dtype for names, dtype in rows for name in re.findall(r"`(\w+)`", names)}
    assert listed == {name: str(column.dtype) for name, column in columns.items() if isinstance(column, np.ndarray)}


def test_the_program_of_the_page_prints_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    program, shown = [block for block in blocks(PAGE) if block.language in ("python", "text")][1:]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(program.text, PAGE, "exec"), {})
    assert printed.getvalue() == shown.text
