"""`fabricgen emulate`: a hall of paper that `verify` finds as it is."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.addons.emulation.dumps import FORMATS
from tests.conftest import BLUEPRINTS, Ran

Run = Callable[..., Ran]


def dumps_of(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (folder / "dumps").iterdir()}


@pytest.mark.parametrize("example", ["leaf-spine", "monday", "superpod-b200-3tier"])
def test_a_hall_without_faults_is_as_planned(tmp_path: Path, fabricgen: Run, example: str) -> None:
    blueprint = BLUEPRINTS / f"{example}.yaml"
    assert fabricgen("emulate", blueprint, "-o", tmp_path / "hall").code == 0
    assert (tmp_path / "hall/faults.csv").read_text(encoding="utf-8").splitlines() == ["fault,what"]
    ran = fabricgen("verify", blueprint, tmp_path / "hall/dumps")
    assert (ran.code, ran.err) == (0, ""), ran.out
    cables, planned = ran.out.splitlines()[0].split(": ")[1:]
    assert planned == f"{cables.split()[0]} as planned"


@pytest.mark.slow
@pytest.mark.parametrize("form", ["native", *FORMATS])
def test_every_format_tells_of_the_faults(tmp_path: Path, fabricgen: Run, form: str) -> None:
    example = "superpod-b200-3tier" if form.startswith("ib") else "leaf-spine"
    blueprint = BLUEPRINTS / f"{example}.yaml"
    ran = fabricgen("emulate", blueprint, "-o", tmp_path / "hall", "--faults", "3", "--seed", "2", "--format", form)
    assert (ran.code, ran.err.endswith(", 3 faults\n")) == (0, True)
    with (tmp_path / "hall/faults.csv").open(encoding="utf-8", newline="") as rows:
        laid = list(csv.DictReader(rows))
    assert len(laid) == 3
    assert fabricgen("verify", blueprint, tmp_path / "hall/dumps").code == 1


def test_a_seed_has_its_faults(tmp_path: Path, fabricgen: Run) -> None:
    for name, seed in (("one", "1"), ("same", "1"), ("two", "2")):
        args = ("-o", tmp_path / name, "--faults", "4", "--seed", seed)
        assert fabricgen("emulate", BLUEPRINTS / "leaf-spine.yaml", *args).code == 0
    assert dumps_of(tmp_path / "one") == dumps_of(tmp_path / "same") != dumps_of(tmp_path / "two")


def test_what_cannot_be_told_or_laid_in_is_refused(tmp_path: Path, fabricgen: Run) -> None:
    ran = fabricgen("emulate", BLUEPRINTS / "leaf-spine.yaml", "-o", tmp_path / "hall", "--format", "iblinkinfo")
    assert (ran.code, "leaf-spine has no network that is told of in this format" in ran.err) == (2, True)
    ran = fabricgen("emulate", BLUEPRINTS / "small-pair.yaml", "-o", tmp_path / "hall", "--faults", "9999")
    assert (ran.code, "FG176" in ran.err) == (2, True)
    assert not (tmp_path / "hall").exists()
