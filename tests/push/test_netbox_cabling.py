"""`push netbox` to 4.5 and later: cables of several links are one, channels pass panels, and feeds reach supplies."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fabricgen.api import ClusterView
from fabricgen.push.verdicts import DARK_CABLE, Verdict, judge_trunks
from tests.conftest import BLUEPRINTS, example_cluster
from tests.push.netbox_server import TOKEN, FakeNetBox

pytestmark = pytest.mark.slow

NOTHING = "0 to make, 0 to change, 0 to delete, 0 in the way\n"
HALL = ("pods.p1.su=1", "scalable_unit.nodes=4 x xe9680-h200", "floor.feeds=[A, B]")
Push = Callable[..., Any]


@pytest.fixture
def push_hall(netbox: FakeNetBox, fabricgen: Any, monkeypatch: pytest.MonkeyPatch) -> Push:
    """The command, for a small hall with panels and power."""
    monkeypatch.setenv("NETBOX_TOKEN", TOKEN)
    netbox.version = "4.6.8"
    sets = [word for text in HALL for word in ("--set", text)]

    def run(*options: str) -> Any:
        where = ("--url", netbox.url, "--plain-http", "--token", "env:NETBOX_TOKEN")
        return fabricgen("push", "netbox", BLUEPRINTS / "patched-hall.yaml", *where, *sets, *options)

    return run


def test_panels_and_power_are_pushed_once(netbox: FakeNetBox, push_hall: Push) -> None:
    assert push_hall("--apply").code == 0
    types = {
        end["object_type"]
        for cable in netbox.held["dcim/cables"].values()
        for side in "ab"
        for end in cable[f"{side}_terminations"]
    }
    ends = ("interface", "frontport", "rearport", "powerfeed", "powerport", "poweroutlet")
    assert types == {f"dcim.{name}" for name in ends}
    netbox.writes.clear()
    assert (push_hall("--delete").out, netbox.writes) == (NOTHING, [])


def test_a_front_port_that_leads_elsewhere_is_put_back(netbox: FakeNetBox, push_hall: Push) -> None:
    assert push_hall("--apply").code == 0
    port = next(iter(netbox.held["dcim/front-ports"].values()))
    planned, port["rear_ports"] = port["rear_ports"], [{"position": 1, "rear_port": 1, "rear_port_position": 18}]
    ran = push_hall("--apply")
    assert ran.out.splitlines()[0].startswith("~ front-ports p1-su01-rk01-pp01 1: rear_ports 1 1 18 -> 1 ")
    assert port["rear_ports"] == planned
    assert push_hall().out == NOTHING


def test_cables_that_were_pushed_link_by_link_stay(pushed: FakeNetBox, push: Push) -> None:
    """As to a release before 4.5; once they are gone, each cable is one."""
    pushed.version = "4.6.8"
    assert push("--delete").out == NOTHING
    pushed.held["dcim/cables"].clear()
    assert push("--apply").code == 0
    profiles = [cable.get("profile") for cable in pushed.held["dcim/cables"].values()]
    assert sorted(filter(None, profiles)) == ["trunk-2c4p"] * 4
    assert push("--delete").out == NOTHING


def test_a_cable_with_two_of_its_ports_exchanged_is_in_the_way(netbox: FakeNetBox, push: Push) -> None:
    netbox.version = "4.6.8"
    assert push("--apply").code == 0
    cable = next(cable for cable in netbox.held["dcim/cables"].values() if cable.get("profile"))
    cable["a_terminations"].reverse()
    ran = push("--delete")
    assert (ran.code, "! cables" in ran.out) == (1, True)
    assert push("--apply", "--delete").code == 0
    assert push("--delete").out == NOTHING


def test_what_was_pushed_is_read_back(netbox: FakeNetBox, push: Push, fabricgen: Any) -> None:
    netbox.version = "4.6.8"
    assert push("--apply").code == 0
    sides = (f"netbox:{netbox.url}", BLUEPRINTS / "leaf-spine.yaml", "--plain-http", "--token", "env:NETBOX_TOKEN")
    ran = fabricgen("plan", *sides, "--set", "pods.p1.su=1")
    assert (ran.code, ran.out.splitlines()[0]) == (0, "no differences")


def test_trunks_have_the_verdict_of_the_light_through_them() -> None:
    view = ClusterView(example_cluster("patched-hall", *HALL[:2]))
    names = sorted(set(view.cables.name[view.links.cable[view.patches.link]]))
    right, elsewhere = Verdict("connected", drifts=False), Verdict("planned", drifts=True)
    trunks = set(view.trunks.name)
    assert judge_trunks(view, dict.fromkeys(names, right)) == dict.fromkeys(trunks, right)
    assert judge_trunks(view, dict.fromkeys(names, DARK_CABLE)) == dict.fromkeys(trunks, DARK_CABLE)
    assert judge_trunks(view, dict.fromkeys(names, elsewhere)) == judge_trunks(view, {}) == {}
    one = judge_trunks(view, dict.fromkeys(names, DARK_CABLE) | {names[0]: right})
    assert sum(verdict == right for verdict in one.values()) == 1


def test_jumpers_and_trunks_have_the_status_that_was_found(
    netbox: FakeNetBox, push_hall: Push, fabricgen: Any, tmp_path: Path
) -> None:
    """Both jumpers of a channel that is not as planned are to be mended; the trunks behind them carry others."""
    sets = [word for text in HALL for word in ("--set", text)]
    blueprint, paper, report = BLUEPRINTS / "patched-hall.yaml", tmp_path / "paper", tmp_path / "report.json"
    assert fabricgen("emulate", blueprint, *sets, "-o", paper, "--faults", "2").code == 0
    assert fabricgen("verify", blueprint, paper / "dumps", *sets, "-o", report).code == 1
    assert push_hall("--apply", "--verify", str(report)).code == 0
    wrong = {cable for action in json.loads(report.read_text())["actions"] for cable in action["cables"]}
    states: dict[str, set[tuple[str, bool]]] = {}
    for cable in netbox.held["dcim/cables"].values():
        drifts = {"slug": "drift-patched-hall"} in cable["tags"]
        states.setdefault(cable["label"], set()).add((cable["status"], drifts))
    labels = set(ClusterView(example_cluster("patched-hall", *HALL)).cables.name)
    assert {label for label in labels if states[label] == {("planned", True)}} == wrong
    assert {label for label in labels if states[label] == {("connected", False)}} == labels - wrong
    trunks = [state for label, state in states.items() if ":om4-" in label]
    assert trunks == [{("connected", False)}] * len(trunks) != []
    assert push_hall("--verify", str(report)).out.endswith(NOTHING)
