"""Devices that are renamed: nothing moves, labels are printed anew, and configurations differ in names."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fabricgen.cli.sides import PlanOptions, compare_sources
from fabricgen.diff.compare import ClusterChange
from tests.conftest import BLUEPRINTS, Ran

Run = Callable[..., Ran]
LEAF_SPINE = str(BLUEPRINTS / "leaf-spine.yaml")

ONE = "names.devices={compute-spine-01: hub}"
ALL = "names.switches={all: 's-{default}'}"


def plan(old: tuple[str, ...], new: tuple[str, ...], blueprint: str = LEAF_SPINE) -> ClusterChange:
    return compare_sources(blueprint, blueprint, PlanOptions(old_sets=old, new_sets=new))


def happened(change: ClusterChange) -> dict[str, dict[str, int]]:
    """The ways in which each list changed, without those in which it did not."""
    counts = {kind: delta.counts() for kind, delta in change.deltas.items()}
    found = {kind: {way: n for way, n in ways.items() if n and way != "changed"} for kind, ways in counts.items()}
    return {kind: ways for kind, ways in found.items() if ways}


@pytest.mark.slow
def test_a_renamed_spine_moves_nothing() -> None:
    change = plan((), (ONE,))
    assert happened(change) == {"devices": {"renamed": 1}}  # labels name places
    assert change.configs is not None
    files = {file.device: file.state for file in change.configs.files}
    assert files.pop("hub") == "changed"
    assert len(files) == 4  # its neighbours, whose descriptions name it
    assert set(files.values()) == {"changed"}
    assert change.bom is not None
    assert not change.bom


@pytest.mark.tenth
@pytest.mark.parametrize(
    "name", ["leaf-spine", "dual-stack", "superpod-b200", "two-site", "patched-hall", "top-of-rack"]
)
def test_templates_rename_and_move_nothing(name: str) -> None:
    change = plan((), (ALL,), str(BLUEPRINTS / f"{name}.yaml"))
    found = happened(change)
    assert set(found) == {"devices"}
    assert set(found["devices"]) == {"renamed"}
    assert change.configs is not None
    assert {file.state for file in change.configs.files} == {"changed"}


def test_two_that_change_names_are_renamed() -> None:
    swapped = "names.devices={compute-spine-01: compute-spine-02, compute-spine-02: compute-spine-01}"
    assert happened(plan((), (swapped,))) == {"devices": {"renamed": 2}}
    assert happened(plan((swapped,), ())) == {"devices": {"renamed": 2}}


@pytest.mark.slow
def test_configurations_that_may_differ_are_all_found() -> None:
    for sets in ((ONE,), (ALL,), (ONE, "pods.p1.su=3"), (ONE, "address_of={hub: {asn: 4200000999}}")):
        some, every = (
            plan((), sets),
            compare_sources(LEAF_SPINE, LEAF_SPINE, PlanOptions(new_sets=sets, every_config=True)),
        )
        assert some.configs is not None
        assert every.configs is not None
        assert some.configs.files == every.configs.files


@pytest.mark.slow
def test_what_else_changes_is_told_beside() -> None:
    renumbered = plan((), (ONE, "address_of={hub: {asn: 4200000999}}"))
    assert happened(renumbered)["devices"] == {"renamed": 1, "renumbered": 1}
    grown = happened(plan((), (ONE, "pods.p1.su=3")))
    alone = happened(plan((), ("pods.p1.su=3",)))
    assert grown.pop("devices") == {"renamed": 1, **alone.pop("devices")}
    assert grown == alone


def test_a_rack_that_moves_has_its_cables_relabelled() -> None:
    """Labels in cables.csv named devices, so that `plan` did not say which printed labels are wrong after a move."""
    moved = plan((), ("floor.racks={net-compute-spine-01: {row: 2, column: 1}}",))
    assert happened(moved)["cables"]["relabelled"] == 16


def test_a_name_that_another_one_takes_over_is_told_apart() -> None:
    taken = "names.devices={compute-leaf-p1-su01-r1-01: compute-leaf-p1-su02-r1-01}"
    change = plan((), ("pods.p1.su=1", taken))
    found = happened(change)
    assert found["devices"]["renamed"] == 1
    assert found["devices"]["removed"] == 6  # two leaves and four nodes
    removed = {row["device"] for row in change.devices.old.rows(change.devices.removed)}
    assert "compute-leaf-p1-su02-r1-01 (before)" in removed


@pytest.fixture
def built(tmp_path: Path, fabricgen: Run) -> Path:
    assert fabricgen("build", LEAF_SPINE, "-o", tmp_path / "out").code == 0
    return tmp_path / "out"


@pytest.mark.slow
@pytest.mark.parametrize("setting", [ONE, ALL])
def test_folders_tell_by_rows_that_agree_in_all_but_the_name(built: Path, fabricgen: Run, setting: str) -> None:
    expected = happened(plan((), (setting,)))
    other = built.with_name("other")
    assert fabricgen("build", LEAF_SPINE, "--set", setting, "-o", other).code == 0
    for old, new, sets in ((str(built), LEAF_SPINE, (setting,)), (str(built), str(other), ())):
        change = compare_sources(old, new, PlanOptions(new_sets=sets))
        assert happened(change) == expected
        assert change.configs is not None
        assert {file.state for file in change.configs.files} == {"changed"}


@pytest.mark.slow
def test_a_file_that_is_named_after_its_device_goes_with_it(tmp_path: Path, fabricgen: Run) -> None:
    for name, sets in (("old", ()), ("new", ("--set", ALL))):
        assert fabricgen("build", BLUEPRINTS / "dual-stack.yaml", *sets, "-o", tmp_path / name).code == 0
    change = compare_sources(str(tmp_path / "old"), str(tmp_path / "new"), PlanOptions())
    assert change.configs is not None
    named = [file for file in change.configs.files if file.file.endswith(".cfg")]
    assert named
    assert all((file.file, file.state) == (f"{file.device}.cfg", "changed") for file in named)


def test_a_device_of_other_numbers_in_the_same_place_is_another(built: Path, fabricgen: Run) -> None:
    """A folder does not tell what was meant: without the same addresses it is not taken for the same device."""
    sets = (ONE, "address_of={hub: {asn: 4200000999}}")
    change = compare_sources(str(built), LEAF_SPINE, PlanOptions(new_sets=sets))
    assert happened(change)["devices"] == {"added": 1, "removed": 1}


@pytest.mark.slow
def test_reports_say_what_is_renamed(fabricgen: Run) -> None:
    text = fabricgen("plan", LEAF_SPINE, LEAF_SPINE, "--set", ONE)
    assert text.out.startswith(f"{LEAF_SPINE} -> {LEAF_SPINE} with {ONE}\n  devices         1 renamed\n")
    assert "~ device hub renamed: name compute-spine-01 -> hub" in text.out
    markdown = fabricgen("plan", LEAF_SPINE, LEAF_SPINE, "--set", ONE, "--format", "markdown")
    assert "| devices | 1 renamed |" in markdown.out
    found: dict[str, Any] = json.loads(fabricgen("plan", LEAF_SPINE, LEAF_SPINE, "--set", ONE, "--format", "json").out)
    assert found["counts"]["devices"]["renamed"] == 1
    (row,) = found["devices"]["changed"]
    assert (row["device"], row["what"]) == ("hub", ["renamed"])
    assert (row["old"], row["new"]) == ({"name": "compute-spine-01"}, {"name": "hub"})
    assert (found["old_set"], found["new_set"]) == ([], [ONE])


@pytest.mark.slow
def test_fail_on_knows_renaming(fabricgen: Run) -> None:
    command = ("plan", LEAF_SPINE, LEAF_SPINE, "--fail-on", "renamed-device", "--set")
    assert fabricgen(*command, ONE).code == 1
    assert fabricgen(*command, "pods.p1.su=3").code == 0


@pytest.mark.slow
def test_a_title_says_what_makes_the_difference(
    fabricgen: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    monkeypatch.chdir(tmp_path)
    shutil.copy(LEAF_SPINE, "pod.yaml")
    identity = ("git", "-c", "user.name=t", "-c", "user.email=t@example.org")
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "one")):
        subprocess.run([*identity, *words], check=True)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    sets = ("--set-old", "pods.p1.su=1", "--set", "pods.p1.su=3", "--set", "name=x")
    title = fabricgen("plan", "git:HEAD:pod.yaml", "pod.yaml", *sets).out.splitlines()[0]
    was = f"git:HEAD:pod.yaml (commit {commit[:8]}) with pods.p1.su=1"
    assert title == f"{was} -> pod.yaml with pods.p1.su=3, name=x"
    named = fabricgen("plan", f"git:{commit}:pod.yaml", "pod.yaml", "--set", "pods.p1.su=3").out.splitlines()[0]
    assert named == f"git:{commit}:pod.yaml -> pod.yaml with pods.p1.su=3"
    found = json.loads(fabricgen("plan", "git:HEAD:pod.yaml", "pod.yaml", *sets, "--format", "json").out)
    assert (found["old"], found["old_commit"], found["new_commit"]) == ("git:HEAD:pod.yaml", commit, None)
