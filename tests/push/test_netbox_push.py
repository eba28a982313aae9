"""`push netbox` makes NetBox say what the plan says, once, and deletes only what it made."""

from __future__ import annotations

import csv
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from fabricgen.push.client import NetBox
from tests.conftest import built_files, example_cluster
from tests.push.conftest import SMALL
from tests.push.netbox_server import SECRET, TOKEN, TOKEN_OF_V2, FakeNetBox

pytestmark = pytest.mark.slow

Push = Callable[..., Any]


def last(ran: Any) -> str:
    return ran.out.splitlines()[-1]  # type: ignore[no-any-return]


def test_nothing_is_written_until_it_is_asked_for(netbox: FakeNetBox, push: Push) -> None:
    ran = push()
    assert (ran.code, netbox.writes) == (1, [])
    assert "+ cables: 16" in ran.out.splitlines()
    assert last(ran).endswith(" to make, 6 to change, 0 to delete, 0 in the way")


def test_a_second_push_changes_nothing(pushed: FakeNetBox, push: Push) -> None:
    ran = push("--apply", "--delete")
    assert (ran.code, ran.out, pushed.writes) == (0, "0 to make, 0 to change, 0 to delete, 0 in the way\n", [])


def test_every_cable_joins_the_ports_of_its_link(pushed: FakeNetBox) -> None:
    device = {number: each["name"] for number, each in pushed.held["dcim/devices"].items()}
    port = {number: (device[each["device"]], each["name"]) for number, each in pushed.held["dcim/interfaces"].items()}
    found = {frozenset(port[end] for end in pushed.ends(cable)) for cable in pushed.held["dcim/cables"].values()}
    links = built_files(example_cluster("leaf-spine", SMALL), "links")["links.csv"].decode().splitlines()
    planned = [{(row["a_device"], row["a_port"]), (row["b_device"], row["b_port"])} for row in csv.DictReader(links)]
    assert found == set(map(frozenset, planned))


@pytest.mark.slow
def test_it_goes_on_where_it_was_broken_off(netbox: FakeNetBox, push: Push) -> None:
    """After something that NetBox does not take, and when NetBox asks for patience."""
    netbox.refusing = {"Ethernet224"}
    broken = push("--apply")
    assert broken.code == 2
    assert "NetBox does not take interfaces p1-su01-n001 eth1" not in broken.err
    assert "NetBox does not take interfaces compute-leaf-p1-su01-r1-01 Ethernet224: type: not a valid" in broken.err
    there = sum(map(len, netbox.held.values()))
    netbox.refusing, netbox.failing = set(), [429, 429]
    assert push("--apply").code == 0
    assert 0 < there < sum(map(len, netbox.held.values()))
    assert push().code == 0


def test_an_interrupted_push_speaks_of_the_server_and_goes_on(
    netbox: FakeNetBox, push: Push, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = NetBox.create_records

    def interrupt_at_cables(client: NetBox, path: str, bodies: Any) -> Any:
        if path == "dcim/cables":
            raise KeyboardInterrupt
        return make(client, path, bodies)

    monkeypatch.setattr(NetBox, "create_records", interrupt_at_cables)
    interrupted = push("--apply")
    assert interrupted.code == 130
    assert (
        interrupted.err.splitlines()[-1]
        == "fabricgen: interrupted; what NetBox took stays, and the same command goes on there"
    )
    there = sum(map(len, netbox.held.values()))
    assert there > 0
    monkeypatch.undo()
    monkeypatch.setenv("NETBOX_TOKEN", TOKEN)
    assert push("--apply").code == 0
    assert sum(map(len, netbox.held.values())) > there


def test_a_log_has_a_line_of_progress_each_minute(
    netbox: FakeNetBox, push: Push, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = count(0.0, 25.0)
    monkeypatch.setattr("fabricgen.cli.commands.push.monotonic", lambda: next(seconds))
    monkeypatch.setattr("fabricgen.push.apply.USUAL", 5)
    lines = push("--apply").err.splitlines()
    interfaces = [line.partition(", ")[0] for line in lines if line.startswith("interfaces made: ")]
    assert interfaces == [f"interfaces made: {done} of 44" for done in (15, 30, 44)]


@pytest.mark.slow
def test_an_address_moves_though_its_device_is_reached_at_it(pushed: FakeNetBox, push: Push) -> None:
    """NetBox moves no primary address: the device has none in between."""
    rows = pushed.held["ipam/ip-addresses"].values()
    one, other = (each for each in rows if each["address"] in ("10.16.0.2/28", "10.16.0.3/28"))
    one["assigned_object_id"], other["assigned_object_id"] = other["assigned_object_id"], one["assigned_object_id"]
    assert push("--apply").code == 0
    done = [(path, sorted(body[0])) for _, path, body in pushed.writes]
    assert done == [
        ("dcim/devices", ["id", "primary_ip4"]),
        ("ipam/ip-addresses", ["assigned_object_id", "id"]),
        ("dcim/devices", ["id", "primary_ip4"]),
    ]
    assert push().code == 0


@pytest.mark.slow
def test_a_device_in_capitals_is_the_same_one(pushed: FakeNetBox, push: Push) -> None:
    """NetBox has one name at a site however it is written, and would refuse a second device."""
    pushed.held["dcim/devices"][1]["name"] = "P1-SU01-N001"
    ran = push("--apply")
    assert (ran.code, ran.out.splitlines()[0]) == (0, "~ devices p1-su01-n001: name P1-SU01-N001 -> p1-su01-n001")
    assert push().code == 0


def test_what_people_changed_is_mended_but_status_is_theirs(pushed: FakeNetBox, push: Push) -> None:
    pushed.held["dcim/devices"][1]["position"] = 40
    pushed.held["dcim/devices"][2]["status"] = "active"
    ran = push("--apply")
    assert ran.out.splitlines()[0] == "~ devices p1-su01-n001: position 40 -> 1"
    assert [(method, path) for method, path, _ in pushed.writes] == [("PATCH", "dcim/devices")]
    assert pushed.held["dcim/devices"][2]["status"] == "active"


@pytest.mark.slow
def test_it_deletes_what_it_made_and_nothing_else(pushed: FakeNetBox, push: Push) -> None:
    pushed.make("dcim/manufacturers", [{"name": "Mine", "slug": "mine"}])
    tag = {"slug": "fabricgen-leaf-spine"}
    pushed.make("dcim/devices", [{"name": "old", "site": 1, "role": 1, "device_type": 1, "tags": [tag]}])
    pushed.make("dcim/devices", [{"name": "theirs", "site": 1, "role": 1, "device_type": 1, "tags": []}])
    before = push()
    assert (before.code, last(before)) == (0, "0 to make, 0 to change, 1 to delete (with --delete), 0 in the way")
    assert push("--apply", "--delete").code == 0
    assert [method for method, _, _ in pushed.writes] == ["DELETE"]
    names = {each["name"] for each in pushed.held["dcim/devices"].values()}
    assert ("old" in names, "theirs" in names) == (False, True)


def test_a_cable_of_others_is_in_the_way(pushed: FakeNetBox, push: Push) -> None:
    one, other = pushed.held["dcim/cables"].pop(1), pushed.held["dcim/cables"].pop(2)
    pushed.make("dcim/cables", [{**one, "b_terminations": other["b_terminations"], "tags": [], "label": "by hand"}])
    ran = push("--apply", "--delete")
    assert ran.code == 1
    assert "cable by hand is there, and fabricgen did not make it" in ran.out
    assert pushed.writes == []


def test_what_another_push_made_is_left_alone(pushed: FakeNetBox, push: Push) -> None:
    pushed.held["dcim/devices"][1] |= {"position": 40, "tags": [{"slug": "fabricgen-other"}]}
    ran = push("--apply")
    assert (ran.code, pushed.writes) == (1, [])
    assert ran.out.splitlines()[0] == "! devices p1-su01-n001: has the tag fabricgen-other, of another push"
    assert last(ran).startswith("nothing is written")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"token": TOKEN[:8]}, "--token is env:NAME"),
        ({"token": "env:NOTHING_HERE"}, "NOTHING_HERE, which is not set"),
        ({"url": "ftp://netbox"}, "the URL is where NetBox is"),
        ({"url": "http://user:word@netbox"}, "has a user or password in it"),
    ],
)
def test_no_token_is_sent_anywhere_by_mistake(push: Push, options: dict[str, str], told: str) -> None:
    ran = push(**options)
    assert ran.code == 2
    assert told in ran.err
    assert "word" not in ran.err.replace("password", "")


def test_a_wrong_token_is_told_and_not_shown(push: Push, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER", "f" * 40)
    ran = push(token="env:OTHER")
    assert ran.code == 2
    assert "NetBox answered 403 to GET status: Invalid v1 token" in ran.err
    assert "f" * 40 not in ran.out + ran.err


def test_tokens_of_4_5_are_sent_as_they_are_asked_for(push: Push, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER", TOKEN_OF_V2)
    ran = push(token="env:OTHER")
    assert (ran.code, last(ran).endswith("0 in the way")) == (1, True)
    assert SECRET not in ran.out + ran.err
    monkeypatch.setenv("OTHER", TOKEN_OF_V2.partition(".")[0])
    assert "has no '.': the whole of it is nbt_KEY.TOKEN" in push(token="env:OTHER").err
