"""`plan netbox:URL BLUEPRINT` tells what NetBox has otherwise, in the words of `plan`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import BLUEPRINTS
from tests.push.conftest import SMALL
from tests.push.netbox_server import TOKEN, FakeNetBox

pytestmark = pytest.mark.slow

UPLINK = "compute-leaf-p1-su01-r1-01:29"
Read = Callable[..., Any]


@pytest.fixture
def read(netbox: FakeNetBox, fabricgen: Any, monkeypatch: pytest.MonkeyPatch) -> Read:
    """The command, which writes nothing."""
    monkeypatch.setenv("NETBOX_TOKEN", TOKEN)

    def run(*options: str, size: str = SMALL) -> Any:
        sides = (
            f"netbox:{netbox.url}",
            BLUEPRINTS / "leaf-spine.yaml",
            "--plain-http",
            "--token",
            "env:NETBOX_TOKEN",
            "--set",
            size,
        )
        ran = fabricgen("plan", *sides, *options)
        assert netbox.writes == []
        return ran

    return run


def by_name(netbox: FakeNetBox, path: str, name: str, key: str = "name") -> dict[str, Any]:
    return next(each for each in netbox.held[path].values() if each[key] == name)


def test_what_was_pushed_is_read_back_as_it_is(pushed: FakeNetBox, read: Read) -> None:
    ran = read()
    assert (ran.code, ran.out.splitlines()[0]) == (0, "no differences")


def test_a_cable_that_was_moved_is_told_with_both_places(pushed: FakeNetBox, read: Read) -> None:
    """To a port that the plan does not use."""
    leaf = by_name(pushed, "dcim/devices", "compute-leaf-p1-su01-r2-01")
    pushed.make("dcim/interfaces", [{"device": leaf["id"], "name": "Ethernet160", "label": "21", "speed": None}])
    port = max(pushed.held["dcim/interfaces"])
    cable = next(each for each in pushed.held["dcim/cables"].values() if each["label"] == UPLINK)
    cable["a_terminations"] = [{"object_type": "dcim.interface", "object_id": port}]
    ran = read()
    assert ran.code == 1
    far = "compute-spine-01:1"
    places = (f"compute-leaf-p1-su01-r{end} to {far}" for end in ("2-01:21", "1-01:29"))
    assert f"~ cable {UPLINK} moved: {' -> '.join(places)}" in ran.out
    counts = json.loads(read("--format", "json").out)["counts"]
    assert (counts["cables"]["changed"], counts["optics"]["added"]) == (1, 0)


def test_devices_and_addresses_are_told_in_the_words_of_plan(pushed: FakeNetBox, read: Read) -> None:
    by_name(pushed, "dcim/devices", "compute-spine-04")["name"] = "edge"
    by_name(pushed, "dcim/devices", "p1-su01-n001")["position"] = 20
    by_name(pushed, "ipam/ip-addresses", "10.16.0.7/28", "address")["address"] = "10.16.0.14/28"
    told = json.loads(read("--format", "json").out)
    changed = {each["device"]: (each["what"], each["old"], each["new"]) for each in told["devices"]["changed"]}
    assert changed == {
        "compute-spine-04": (
            ["renamed", "renumbered"],
            {"name": "edge", "mgmt": "10.16.0.14"},
            {"name": "compute-spine-04", "mgmt": "10.16.0.7"},
        ),
        "p1-su01-n001": (["moved"], {"u": 20}, {"u": 1}),
    }
    assert told["counts"]["cables"]["changed"] == 0
    assert [each["what"] for each in told["addresses"]["changed"]] == [["renumbered"]]


def test_what_the_plan_has_no_more_and_what_netbox_lacks(pushed: FakeNetBox, read: Read) -> None:
    """A smaller plan, and a module that was taken out by hand."""
    del pushed.held["dcim/modules"][1]
    counts = json.loads(read("--format", "json", size="pods.p1.su=2").out)["counts"]
    found = {kind: (counts[kind]["added"], counts[kind]["removed"]) for kind in ("devices", "links", "optics")}
    assert found == {"devices": (6, 0), "links": (16, 0), "optics": (17, 0)}


@pytest.mark.parametrize(
    ("sides", "told"),
    [
        (("netbox:http://localhost", "OUT"), "is compared with a NetBox as a blueprint"),
        (("OUT", "netbox:http://localhost"), "can be OLD of `plan` alone"),
        (
            ("netbox:http://localhost", str(BLUEPRINTS / "leaf-spine.yaml"), "--stages"),
            "a NetBox has no configurations",
        ),
    ],
)
def test_a_netbox_is_compared_with_a_blueprint(
    fabricgen: Any, tmp_path: Any, sides: tuple[str, ...], told: str
) -> None:
    out = tmp_path / "out"
    if "OUT" in sides:
        assert fabricgen("build", BLUEPRINTS / "leaf-spine.yaml", "-o", out, "--only", "devices,links,cables").code == 0
    ran = fabricgen("plan", *(str(out) if side == "OUT" else side for side in sides))
    assert ran.code == 2
    assert told in ran.err
