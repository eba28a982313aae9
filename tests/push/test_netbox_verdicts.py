"""`push netbox --verify` tells NetBox what was found in the hall: status of cables, and a tag on what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import BLUEPRINTS
from tests.push.conftest import SMALL
from tests.push.netbox_server import FakeNetBox

pytestmark = pytest.mark.slow

Push = Callable[..., Any]

TAG = {"slug": "drift-leaf-spine"}
OWN = {"slug": "fabricgen-leaf-spine"}


@pytest.fixture
def hall(fabricgen: Any, tmp_path: Path) -> Callable[..., Path]:
    """Emulates a hall with faults of some seed, verifies it, and gives the report."""

    def verify(faults: int = 2) -> Path:
        paper, report = tmp_path / f"paper{faults}", tmp_path / f"report{faults}.json"
        blueprint = (BLUEPRINTS / "leaf-spine.yaml", "--set", SMALL)
        laid = ("--faults", str(faults)) if faults else ()
        assert fabricgen("emulate", *blueprint, "-o", paper, *laid).code == 0
        verified = fabricgen("verify", *blueprint[:1], paper / "dumps", *blueprint[1:], "-o", report)
        assert verified.code == int(faults > 0)
        return report

    return verify


def read_wrong(report: Path) -> set[str]:
    """Ids of the cables that a report does not find as planned."""
    return {cable for action in json.loads(report.read_text())["actions"] for cable in action["cables"]}


def read_cables(netbox: FakeNetBox) -> dict[str, set[tuple[str, bool]]]:
    """Label -> (status, whether it has the tag) of each of its links."""
    found: dict[str, set[tuple[str, bool]]] = {}
    for cable in netbox.held["dcim/cables"].values():
        assert OWN in cable["tags"]
        found.setdefault(cable["label"], set()).add((cable["status"], TAG in cable["tags"]))
    return found


def test_each_cable_has_the_status_that_it_was_found_in(pushed: FakeNetBox, push: Push, hall: Any) -> None:
    report = hall()
    wrong = read_wrong(report)
    ran = push("--verify", str(report), "--apply")
    assert (ran.code, bool(wrong)) == (0, True)
    cables = read_cables(pushed)
    right = cables.keys() - wrong
    assert {name: cables[name] for name in wrong} == {name: {("planned", True)} for name in wrong}
    assert {name: cables[name] for name in right} == {name: {("connected", False)} for name in right}
    assert f"verify: {len(right)} cables connected, {len(wrong)} to be mended, 0 unseen" in ran.out
    assert {each["slug"] for each in pushed.held["extras/tags"].values()} == {OWN["slug"], TAG["slug"]}
    pushed.writes.clear()
    assert push("--verify", str(report), "--apply").out.splitlines()[-1] == (
        "0 to make, 0 to change, 0 to delete, 0 in the way"
    )
    assert pushed.writes == []


def test_what_was_mended_is_connected_and_has_no_tag(pushed: FakeNetBox, push: Push, hall: Any) -> None:
    """And what an operator tagged it with stays."""
    mine = {"slug": "mine"}
    pushed.held["extras/tags"][9] = {"id": 9, "name": "mine", **mine}
    for cable in pushed.held["dcim/cables"].values():
        cable["tags"] = [*cable["tags"], mine]
    assert push("--verify", str(hall()), "--apply").code == 0
    ran = push("--verify", str(hall(faults=0)), "--apply")
    assert "tag drift-leaf-spine taken off" in ran.out
    assert set(map(frozenset, read_cables(pushed).values())) == {frozenset({("connected", False)})}
    assert all(mine in cable["tags"] for cable in pushed.held["dcim/cables"].values())


def test_a_first_push_may_have_verdicts_already(netbox: FakeNetBox, push: Push, hall: Any) -> None:
    report = hall()
    assert push("--verify", str(report), "--apply").code == 0
    wrong = read_wrong(report)
    assert {name for name, found in read_cables(netbox).items() if found == {("planned", True)}} == wrong


def test_what_is_unseen_or_an_operators_stays(pushed: FakeNetBox, push: Push, hall: Any) -> None:
    report = hall(faults=0)
    found = json.loads(report.read_text())
    device, cages = next(iter(found["verified"].items()))
    unseen = {f"{device}:{cage}" for cage in cages.split()}
    del found["verified"][device]
    found["cables"] |= {"as_planned": found["cables"]["as_planned"] - len(unseen), "unseen": len(unseen)}
    report.write_text(json.dumps(found))
    old = next(cable for cable in pushed.held["dcim/cables"].values() if cable["label"] not in unseen)
    old["status"] = "decommissioning"
    ran = push("--verify", str(report), "--apply")
    assert f"0 to be mended, {len(unseen)} unseen, which stay" in ran.out
    assert "status is an operator's, and stays: cables p1-su01-n" in ran.out
    assert old["status"] == "decommissioning"
    assert {n for n, states in read_cables(pushed).items() if states == {("planned", False)}} == unseen


def test_a_report_of_another_cluster_is_refused(pushed: FakeNetBox, push: Push, hall: Any) -> None:
    report = hall(faults=0)
    found = json.loads(report.read_text())
    report.write_text(json.dumps(found | {"name": "other"}))
    ran = push("--verify", str(report), "--apply")
    assert (ran.code, pushed.writes) == (2, [])
    assert "FG066" in ran.err
    assert "it is of 'other'" in ran.err
