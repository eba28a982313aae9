"""`fabricgen emulate`: a hall of paper that `verify` finds as it is."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.addons.emulation.dumps import FORMATS
from fabricgen.addons.emulation.model import Hall
from fabricgen.addons.emulation.plan import read_plan
from tests.conftest import BLUEPRINTS, Ran
from tests.hall.judge import joined_ports

Run = Callable[..., Ran]


def dumps_of(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (folder / "dumps").iterdir()}


@pytest.mark.parametrize("example", ["leaf-spine", "monday", "superpod-b200-3tier", "shuffled-planes"])
@pytest.mark.slow
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
    example = "superpod-b200-3tier" if form.startswith(("ib", "ufm")) else "leaf-spine"
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


TWO_JUMPERS_A_LINK = """\
fabricgen: 1
name: two-jumpers
scalable_unit: {nodes: 2 x dgx-b300, racks: {nodes_per_rack: 2}}
pods: {p1: {su: 1}}
fabrics:
  compute:
    protocol: roce
    attach: compute
    tiers: {leaf: {switch: sn5600, per: rail}}
"""


def test_a_link_over_two_jumpers_needs_both(tmp_path: Path, fabricgen: Run) -> None:
    """A port of 800G that fills both connectors of a cage is down as soon as one of its jumpers is pulled."""
    blueprint = tmp_path / "page.yaml"
    blueprint.write_text(TWO_JUMPERS_A_LINK, encoding="utf-8")
    assert fabricgen("emulate", blueprint, "-o", tmp_path / "hall").code == 0
    ran = fabricgen("verify", blueprint, tmp_path / "hall/dumps")
    assert (ran.code, ran.out.splitlines()[0]) == (0, "two-jumpers: 16 cables: 16 as planned")
    assert fabricgen("build", blueprint, "-o", tmp_path / "out", "--only", "devices,links,cables,labels").code == 0
    plan = read_plan({file.name: file.read_bytes() for file in (tmp_path / "out").glob("*.csv")})
    hall = Hall(plan)
    assert len(plan.cords) == 2 * len(plan.links) == 32
    assert joined_ports(hall) == set(plan.links)
    hall.pull_plug(next(plug for plug in plan.list_plugs() if plan.find_home(plug).connector == "2"))
    assert len(joined_ports(hall)) == 15
