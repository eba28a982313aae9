"""`push nautobot` makes Nautobot say what the plan says, as NVIDIA's Config Manager reads it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import BLUEPRINTS
from tests.push.conftest import SMALL
from tests.push.nautobot_server import FakeNautobot
from tests.push.netbox_server import TOKEN, fake_netbox

pytestmark = pytest.mark.slow

Push = Callable[..., Any]
NOTHING = "0 to make, 0 to change, 0 to delete, 0 in the way\n"


@pytest.fixture
def nautobot() -> Iterator[FakeNautobot]:
    with fake_netbox(FakeNautobot()) as found:
        assert isinstance(found, FakeNautobot)
        yield found


@pytest.fixture
def push(nautobot: FakeNautobot, fabricgen: Any, monkeypatch: pytest.MonkeyPatch) -> Push:
    monkeypatch.setenv("NAUTOBOT_TOKEN", TOKEN)

    def run(*options: str, example: str = "leaf-spine", size: tuple[str, ...] = ("--set", SMALL)) -> Any:
        where = ("--url", nautobot.url, "--plain-http", "--token", "env:NAUTOBOT_TOKEN")
        ran = fabricgen("push", "nautobot", BLUEPRINTS / f"{example}.yaml", *where, *size, *options)
        assert TOKEN not in ran.out + ran.err
        return ran

    return run


def test_a_second_push_changes_nothing(nautobot: FakeNautobot, push: Push) -> None:
    assert push().code == 1
    assert nautobot.writes == []
    assert push("--apply").code == 0
    nautobot.writes.clear()
    ran = push("--apply", "--delete")
    assert (ran.code, ran.out, nautobot.writes) == (0, NOTHING, [])


@pytest.mark.parametrize("example", ["bonded-pair", "tenants", "dual-stack"])
def test_it_takes_bonds_tenants_and_both_families(nautobot: FakeNautobot, push: Push, example: str) -> None:
    assert push("--apply", example=example, size=()).code == 0
    assert push(example=example, size=()).out == NOTHING


def test_config_manager_finds_what_it_asks_for(nautobot: FakeNautobot, push: Push) -> None:
    """A site above each device, the far end of each port, where each address is, the AS number of each switch."""
    assert push("--apply").code == 0
    held = nautobot.held
    kinds = {each["id"]: each["name"] for each in held["dcim/location-types"].values()}
    assert [kinds[each["location_type"]] for each in held["dcim/locations"].values()] == ["Site"]
    assert {each["location"] for each in held["dcim/devices"].values()} == set(held["dcim/locations"])
    contexts = {each["name"]: each["local_config_context_data"] for each in held["dcim/devices"].values()}
    assert contexts["compute-leaf-p1-su01-r1-01"] == {"bgp": {"asn": 4200000001}}
    assert contexts["p1-su01-n001"] is None
    ports = {each["id"]: (each["device"], each["name"]) for each in held["dcim/interfaces"].values()}
    assert {end for cable in held["dcim/cables"].values() for end in nautobot.ends(cable)} <= ports.keys()
    reached = {each["primary_ip4"] for each in held["dcim/devices"].values() if each.get("primary_ip4")}
    joined = {each["ip_address"] for each in held["ipam/ip-address-to-interface"].values()}
    assert reached
    assert reached <= joined


def test_what_others_wrote_beside_the_as_number_stays(nautobot: FakeNautobot, push: Push) -> None:
    assert push("--apply").code == 0
    leaf = next(each for each in nautobot.held["dcim/devices"].values() if each["local_config_context_data"])
    planned = leaf["local_config_context_data"]["bgp"]["asn"]
    leaf["local_config_context_data"] = {"ntp": ["10.0.0.1"], "bgp": {"asn": 1, "timers": 3}}
    ran = push("--apply")
    assert f'~ devices {leaf["name"]}: local_config_context_data {{"bgp": {{"asn": 1}}}}' in ran.out
    assert leaf["local_config_context_data"] == {"ntp": ["10.0.0.1"], "bgp": {"asn": planned, "timers": 3}}


def test_an_address_that_moves_leaves_its_port(nautobot: FakeNautobot, push: Push) -> None:
    assert push("--apply").code == 0
    joints = nautobot.held["ipam/ip-address-to-interface"]
    wrong, other = list(joints.values())[:2]
    planned = dict(wrong)
    wrong["interface"] = other["interface"]
    assert push("--apply", "--delete").code == 0
    now = {(each["ip_address"], each["interface"]) for each in joints.values()}
    assert (planned["ip_address"], planned["interface"]) in now
    assert len(now) == len(joints)
    assert wrong["id"] not in joints
    assert push().out == NOTHING


def test_what_people_made_is_never_deleted(nautobot: FakeNautobot, push: Push) -> None:
    assert push("--apply").code == 0
    devices = nautobot.held["dcim/devices"]
    ours = next(iter(devices.values()))
    for name, tags, place in (("theirs", [], "0"), ("old", ours["tags"], "1")):
        number = f"{place * 8}{ours['id'][8:]}"
        devices[number] = ours | {"id": number, "name": name, "tags": tags}
    assert push("--apply", "--delete").code == 0
    names = {each["name"] for each in devices.values()}
    assert ("theirs" in names, "old" in names) == (True, False)


def test_what_leaves_the_plan_is_named_and_deleted(nautobot: FakeNautobot, push: Push) -> None:
    """Cables have their tag although Nautobot makes them without, and what is told has names, not ids."""
    assert push("--apply").code == 0
    cables = len(nautobot.held["dcim/cables"])
    fewer = ("--set", "fabrics.compute.tiers.spine.count=2", "--delete")
    ran = push(*fewer, "--all")
    assert "- interfaces compute-spine-03 Ethernet0\n" in ran.out
    assert ran.out.count(": --delete takes it away\n") == 4
    assert push(*fewer, "--apply").code == 0
    assert push(*fewer).out == NOTHING
    assert 0 < len(nautobot.held["dcim/cables"]) <= cables


def test_another_primary_address_is_told_by_its_text(nautobot: FakeNautobot, push: Push) -> None:
    assert push("--apply").code == 0
    devices = [each for each in nautobot.held["dcim/devices"].values() if each.get("primary_ip4")]
    addresses = {number: each["address"] for number, each in nautobot.held["ipam/ip-addresses"].items()}
    planned, other = (addresses[each["primary_ip4"]] for each in devices[:2])
    devices[0]["primary_ip4"] = devices[1]["primary_ip4"]
    assert f"primary_ip4 {other} -> {planned.split('/')[0]}" in push("--all").out


def test_verdicts_are_told_as_to_netbox(nautobot: FakeNautobot, push: Push, fabricgen: Any, tmp_path: Path) -> None:
    blueprint = (BLUEPRINTS / "leaf-spine.yaml", "--set", SMALL)
    assert fabricgen("emulate", *blueprint, "-o", tmp_path / "paper", "--faults", "2").code == 0
    report = tmp_path / "report.json"
    dumps = tmp_path / "paper" / "dumps"
    assert fabricgen("verify", blueprint[0], dumps, *blueprint[1:], "-o", report).code == 1
    assert push("--apply", "--verify", str(report)).code == 0
    names = {each["id"]: each["name"] for each in nautobot.held["extras/tags"].values()}
    statuses = {each["id"]: each["name"] for each in nautobot.held["extras/statuses"].values()}
    wrong = {cable for action in json.loads(report.read_text())["actions"] for cable in action["cables"]}
    for cable in nautobot.held["dcim/cables"].values():
        found = statuses[cable["status"]], "drift-leaf-spine" in map(names.get, cable["tags"])
        assert found == (("Planned", True) if cable["label"] in wrong else ("Connected", False))
    assert push("--verify", str(report)).out.endswith(NOTHING)
