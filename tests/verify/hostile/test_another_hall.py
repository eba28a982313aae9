"""Dumps that tell of nothing that is planned: that is no green hall."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import BLUEPRINTS, Ran
from tests.verify.cabled import CabledHall

Command = Callable[..., Ran]

BLUEPRINT = BLUEPRINTS / "leaf-spine.yaml"


def test_dumps_of_another_hall_are_unusable(tmp_path: Path, fabricgen: Command) -> None:
    dump = CabledHall("small-pair").csv(tmp_path / "hall.csv")
    dump.write_text(dump.read_text(encoding="utf-8").replace("p1-", "x1-"), encoding="utf-8")
    ran = fabricgen("verify", BLUEPRINT, dump, "-o", tmp_path / "report.json")
    assert (ran.code, ran.out) == (2, "")
    assert "hall.csv:1:1: error[FG065]: no box in the dumps is a device of the plan: they tell of " in ran.err
    assert "; the plan has p1-su01-n001, p1-su01-n002, p1-su01-n003 and 13 more\n  hint: " in ran.err
    assert not (tmp_path / "report.json").exists()


@pytest.mark.slow
@pytest.mark.parametrize("other", ["superpod-b200", "tpu-torus"])
def test_a_hall_with_some_names_of_the_plan_is_not_green(other: str, tmp_path: Path, fabricgen: Command) -> None:
    ran = fabricgen("verify", BLUEPRINT, CabledHall(other).csv(tmp_path / "hall.csv"))
    assert ran.code == 1
    assert "no dump shows any of these cables" in ran.out


def test_a_dump_that_does_not_say_whose_it_is_is_unusable_alone(tmp_path: Path, fabricgen: Command) -> None:
    leaf = "compute-leaf-p1-su01-r1-01"
    CabledHall("leaf-spine").lldpctl(tmp_path, [leaf], lambda _: "", {leaf: "monday"})
    ran = fabricgen("verify", BLUEPRINT, tmp_path / "monday.json")
    assert ran.code == 2
    assert "and a dump also by the name of its file" in ran.err


def test_no_action_named_accepts_nothing_and_overwrites_nothing(tmp_path: Path, fabricgen: Command) -> None:
    overlay = tmp_path / "as-built.yaml"
    overlay.write_text("cable_of: {}\n", encoding="utf-8")
    dump = CabledHall("leaf-spine").csv(tmp_path / "hall.csv")
    for nothing in ("", " , "):
        ran = fabricgen("verify", BLUEPRINT, dump, "--accept", nothing, "-o", overlay)
        assert (ran.code, ran.out) == (2, "")
        assert "--accept names no action" in ran.err
    assert overlay.read_text(encoding="utf-8") == "cable_of: {}\n"


def test_nothing_that_is_read_is_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fabricgen: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("site.yaml").write_bytes(BLUEPRINT.read_bytes())
    CabledHall("leaf-spine").csv(Path("hall.csv"))
    Path("link.csv").symlink_to("hall.csv")
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    for options, said in (
        (("-o", "hall.csv"), "hall.csv is read"),
        (("-o", "link.csv"), "link.csv is read"),
        (("-o", "./site.yaml"), "./site.yaml is read"),
        (("--learn", "hall.csv"), "hall.csv is read"),
        (("--learn", "new.csv", "-o", "./new.csv"), "name the same file"),
        (("--learn", ""), "the name of a file is empty"),
        (("",), "the name of a file is empty"),
    ):
        ran = fabricgen("verify", "site.yaml", "hall.csv", *options)
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.slow
def test_the_order_of_dumps_does_not_matter(tmp_path: Path, fabricgen: Command) -> None:
    hall = CabledHall("leaf-spine").swap("p1-su01-n003", "eth1", "eth2")
    folder = hall.lldpctl(tmp_path / "hall", names=lambda name: name if "leaf" in name else "ubuntu")
    files = sorted(folder.iterdir())
    one, other = (fabricgen("verify", BLUEPRINT, *order, "--format", "json") for order in (files, files[::-1]))
    assert one == other
    assert one.code == 1
