"""Switches whose ports the catalogue cannot name: lists and bills are written, and no NOS has to be stated."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.catalog.loader import Catalog
from tests.conftest import Ran

FabricGen = Callable[..., Ran]
CATALOG = Catalog()
BLUEPRINT = """\
fabricgen: 1
name: small
scalable_unit: {nodes: 4 x NODE}
pods: {p1: {su: 1}}
fabrics:
  compute:
    protocol: ethernet
    attach: compute
    tiers: {leaf: {switch: SWITCH, count: 1NOS}}
"""


@pytest.fixture
def blueprint(tmp_path: Path) -> Callable[..., Path]:
    """Four nodes on a leaf of some switch, perhaps with a NOS."""

    def written(switch: str, nos: str = "", node: str = "dgx-h100") -> Path:
        file = tmp_path / "small.yaml"
        text = BLUEPRINT.replace("SWITCH", switch).replace("NODE", node).replace("NOS", "")
        file.write_text(text + (f"    nos: {{leaf: {nos}}}\n" if nos else ""), encoding="utf-8")
        return file

    return written


@pytest.mark.parametrize(
    ("switch", "nos"),
    [
        ("ixr7220-h5-64o", "sonic"),
        ("ixr7220-h6-64", "sonic"),
        ("ixr7220-h6-128", "sonic"),
        ("n9364e-sg2", "sonic"),
        ("qfx5240-64od", "junos"),
        ("sn5600", "sonic"),
        ("7060x6-64pe", "eos"),
    ],
)
def test_the_nos_that_is_taken_where_none_is_stated(switch: str, nos: str) -> None:
    assert CATALOG.find_usual_nos(CATALOG.switch(switch)) == nos


@pytest.mark.tenth
@pytest.mark.parametrize("switch", ["ixr7220-h5-64o", "n9364e-sg2", "qfx5240-64od", "ds5000", "8122-64eh"])
def test_lists_need_neither_a_nos_nor_a_port_table(
    switch: str, blueprint: Callable[..., Path], fabricgen: FabricGen, tmp_path: Path
) -> None:
    file = blueprint(switch)
    assert fabricgen("lint", file, "--fast").code == 0
    assert fabricgen("bom", file).code == 0
    assert fabricgen("build", file, "-o", tmp_path / "out", "--only", "links,cables,bom").code == 0


def test_ports_without_a_table_are_listed_as_on_the_face(
    blueprint: Callable[..., Path], fabricgen: FabricGen, tmp_path: Path
) -> None:
    file, out = blueprint("ds5000"), tmp_path / "out"
    listed = fabricgen("build", file, "-o", out, "--only", "links")
    said = "warning[FG026]: the catalogue has no sonic port table for ds5000; lists name its ports as on the face"
    assert (listed.code, f"{file}:9:19: {said}" in listed.err) == (0, True)
    assert said in fabricgen("wiring", file, "-o", tmp_path / "wiring.csv").err
    with (out / "links.csv").open(encoding="utf-8") as lines:
        ports = {row["b_port"] for row in csv.DictReader(lines)}
    assert {"1/1", "1/2", "2/1"} <= ports
    told = fabricgen("lint", file)
    assert told.code == 1
    assert "error[FG026]: the catalogue has no sonic port table for ds5000" in told.out + told.err
    built = fabricgen("build", file, "-o", tmp_path / "all")
    assert built.code == 2
    assert f"{file}:9:19: error[FG026]" in built.err


def test_a_stated_nos_that_nothing_is_known_of_is_told_where_configurations_are_wanted(
    blueprint: Callable[..., Path], fabricgen: FabricGen, tmp_path: Path
) -> None:
    file = blueprint("n9364e-sg2", "nxos")
    assert fabricgen("wiring", file).code == 0
    told = fabricgen("lint", file)
    assert f"{file}:9:19: error[FG018]: port names of NOS 'nxos' are not in the catalogue" in told.out + told.err
    assert "nvos" not in told.out + told.err
    built = fabricgen("build", file, "-o", tmp_path / "all")
    assert built.code == 2
    assert "FG027" in built.err


def test_port_names_may_count_from_0(blueprint: Callable[..., Path], fabricgen: FabricGen, tmp_path: Path) -> None:
    platforms = tmp_path / "catalog" / "platforms"
    platforms.mkdir(parents=True)
    (platforms / "junos.yaml").write_text(
        "nos: junos\nsource: Junos OS interface names\nmanagement: em0\nsingle_lane: et-0/0/{cage0}\n"
        'unsplit: et-0/0/{cage0}\nsplit: "et-0/0/{cage0}:{sub0}"\n',
        encoding="utf-8",
    )
    fabricgen("build", blueprint("qfx5240-64od", "junos"), "-o", tmp_path / "out", "--only", "links")
    text = (tmp_path / "out" / "links.csv").read_text(encoding="utf-8")
    assert "et-0/0/0:0" in text
    assert "et-0/0/64" not in text
