"""A cable between twin-port cages is two jumpers, and each of these may be somewhere else than planned."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import BLUEPRINTS

LEAF, SPINE = "compute-leaf-p1-su02-rg1-01", "compute-spine-{:02}"
HEAD = "cable,a_device,a_cage,b_device,b_cage,done,built_a_cage,built_b_cage,built_length_m,remark"


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def line(cage: int, spine: int, a: str = "", b: str = "") -> str:
    return f"{LEAF}:{cage},{LEAF},{cage},{SPINE.format(spine)},3,x,{a},{b},,"


@pytest.fixture
def site(tmp_path: Path, fabricgen: Callable[..., Any]) -> Callable[..., Any]:
    """Imports lines into the overlay of a small cluster with twin-port uplinks, and builds it."""
    overlay, blueprint, sheet = (tmp_path / name for name in ("built.yaml", "site.yaml", "sheet.csv"))
    overlay.write_text("cable_of: {}\n", encoding="utf-8")
    text = (BLUEPRINTS / "dual-stack.yaml").read_text(encoding="utf-8")
    blueprint.write_text(f"include: built.yaml\n{text}", encoding="utf-8")

    def take(*lines: str) -> Any:
        sheet.write_text("\n".join((HEAD, *lines, "")), encoding="utf-8")
        ran = fabricgen("as-built", blueprint, sheet, "-o", overlay)
        if ran.code == 0:
            built = fabricgen("build", blueprint, "-o", tmp_path / "out", "--only", "links,cables,labels,bom")
            assert built.code == 0, built.err
        return ran

    return take


def linked(tmp_path: Path, cage: int) -> set[tuple[str, str]]:
    """(port of the leaf, port of the spine) of the links of a cable."""
    links = rows_of(tmp_path / "out/links.csv")
    return {(row["a_port"], row["b_port"]) for row in links if row["cable"] == f"{LEAF}:{cage}"}


def labelled(tmp_path: Path, cage: int) -> set[tuple[str, str]]:
    """(plug, plug at the far end) of the labels at the leaf."""
    labels = rows_of(tmp_path / "out/labels.csv")
    mine = [row for row in labels if row["cable"] == f"{LEAF}:{cage}" and row["end"].startswith("a")]
    # a row of one link has the port of the NOS behind the plug
    return {(row["near_port"].partition(" ")[0], row["far_port"].partition(" ")[0]) for row in mine}


@pytest.mark.slow
def test_two_jumpers_of_a_cage_may_be_crossed(site, tmp_path: Path) -> None:
    site()
    planned, bill = linked(tmp_path, 57), (tmp_path / "out/bom.csv").read_bytes()
    assert labelled(tmp_path, 57) == {("57/1", "3/1"), ("57/2", "3/2")}
    ran = site(line(57, 1, a="57/2+1"))
    assert (ran.code, ran.out.splitlines()[0]) == (0, "new changes to 1 cable")
    (first, far), (second, other) = sorted(planned)
    assert linked(tmp_path, 57) == {(first, other), (second, far)}
    assert labelled(tmp_path, 57) == {("57/1", "3/2"), ("57/2", "3/1")}
    assert (tmp_path / "out/bom.csv").read_bytes() == bill
    assert site(line(57, 1, a="57/2+1")).out.startswith("no new changes")
    assert site(line(57, 1, a="57")).out.startswith("new changes to 1 cable")
    assert linked(tmp_path, 57) == planned


@pytest.mark.slow
@pytest.mark.parametrize("cells", [("57/1+59/1", "57/2+59/2"), ("57.1+59.1", "57.2+59.2")])
def test_one_jumper_may_be_in_another_cage(site, tmp_path: Path, cells: tuple[str, str]) -> None:
    """The second jumper of one cable and the first of another are swapped: each cable has two rows then."""
    site()
    planned, bill = {cage: sorted(linked(tmp_path, cage)) for cage in (57, 59)}, (tmp_path / "out/bom.csv").read_bytes()
    ran = site(line(57, 1, a=cells[0]), line(59, 3, a=cells[1]))
    assert ran.code == 0, ran.err
    (one, two), (three, four) = planned[57], planned[59]
    assert linked(tmp_path, 57) == {one, (three[0], two[1])}
    assert linked(tmp_path, 59) == {(two[0], three[1]), four}
    assert labelled(tmp_path, 57) == {("57/1", "3/1"), ("59/1", "3/2")}
    assert labelled(tmp_path, 59) == {("57/2", "3/1"), ("59/2", "3/2")}
    cables = [row for row in rows_of(tmp_path / "out/cables.csv") if row["cable"] == f"{LEAF}:57"]
    assert [(row["a_cage"], row["b_cage"]) for row in cables] == [("57", "3"), ("59", "3")]
    assert (tmp_path / "out/bom.csv").read_bytes() == bill


def test_what_is_said_of_one_jumper_is_asked_of_both(site) -> None:
    ran = site(line(57, 1, a="59/1"))
    assert ran.code == 2
    assert "'59/1' is no place of 2 jumpers, 57/1 and 57/2" in ran.err
    assert "write a connector for each, in this order: 57/2+1 where they are crossed" in ran.err
    ran = site(line(57, 1, a="57/1+59/1"))
    assert ran.code == 2
    assert f"cage 59 of {LEAF} is taken: cable {LEAF}:59 stays there" in ran.err


def test_a_cage_alone_takes_both_jumpers_along(site, tmp_path: Path) -> None:
    site()
    planned = {cage: sorted(linked(tmp_path, cage)) for cage in (57, 59)}
    assert site(line(57, 1, a="59"), line(59, 3, a="57")).code == 0
    assert linked(tmp_path, 57) == {(there[0], here[1]) for here, there in zip(planned[57], planned[59], strict=True)}
    cables = [row for row in rows_of(tmp_path / "out/cables.csv") if row["cable"] == f"{LEAF}:57"]
    assert [(row["a_cage"], row["b_cage"]) for row in cables] == [("59", "3")]


def test_a_part_of_the_cluster_has_its_jumpers_where_they_are(site, tmp_path: Path, fabricgen) -> None:
    site()
    planned = sorted(linked(tmp_path, 57))
    assert site(line(57, 1, a="57/2+1")).code == 0
    ran = fabricgen(
        "build", tmp_path / "site.yaml", "-o", tmp_path / "lab", "--only", "links,cables", "--lab", "2su,2n"
    )
    assert ran.code == 0, ran.err
    (first, far), (second, other) = planned
    links = {
        (row["a_port"], row["b_port"])
        for row in rows_of(tmp_path / "lab/links.csv")
        if row["cable"].endswith("su02-rg1-01:57")
    }
    assert links == {(first, other), (second, far)}


def test_jumpers_of_a_patched_cable_stay_side_by_side(tmp_path: Path, fabricgen) -> None:
    leaf, text = "compute-leaf-p1-su01-r1-01", (BLUEPRINTS / "patched-hall.yaml").read_text(encoding="utf-8")
    blueprint = tmp_path / "site.yaml"
    crossed = f'{{"{leaf}:57.1": "57.2", "{leaf}:57.2": "57.1"}}'
    blueprint.write_text(f'{text}cable_of: {{"{leaf}:57": {{a_cage: {crossed}}}}}\n', encoding="utf-8")
    ran = fabricgen("build", blueprint, "-o", tmp_path / "out", "--only", "links")
    assert ran.code == 2
    assert f"{leaf}:57 is patched, and its jumpers would not run side by side any more" in ran.err
