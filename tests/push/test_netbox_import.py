"""`lock --import` keeps the names, places and management addresses that a NetBox has, by REST or from its export."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import BLUEPRINTS
from tests.push.netbox_server import TOKEN, FakeNetBox

Lock = Callable[..., Any]
HEAD = "Name,Status,Site,Location,Rack,Position,IPv4 Address,IPv6 Address,OOB IP\n"
"""Some columns of what NetBox exports as all data."""


@pytest.fixture
def blueprint(tmp_path: Path) -> Path:
    text = (BLUEPRINTS / "leaf-spine.yaml").read_text(encoding="utf-8").replace("{p1: {su: 2}}", "{p1: {su: 1}}")
    path = tmp_path / "cluster.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def lock(netbox: FakeNetBox, blueprint: Path, fabricgen: Any, monkeypatch: pytest.MonkeyPatch) -> Lock:
    """`lock --import` from the fake NetBox, or from an export of these lines."""
    monkeypatch.setenv("NETBOX_TOKEN", TOKEN)

    def run(*lines: str) -> Any:
        export = blueprint.with_name("export.csv")
        export.write_text(HEAD + "".join(f"{line}\n" for line in lines), encoding="utf-8")
        source = (export,) if lines else (f"netbox:{netbox.url}", "--plain-http", "--token", "env:NETBOX_TOKEN")
        return fabricgen("lock", blueprint, "--import", *source)

    return run


def built(blueprint: Path, fabricgen: Any) -> dict[str, tuple[str, str, str]]:
    """(rack, rack unit, management address) of each device of a build."""
    out = blueprint.with_name("out")
    assert fabricgen("build", blueprint, "-o", out, "--only", "devices", "--locked").code == 0
    with (out / "devices.csv").open(encoding="utf-8", newline="") as stream:
        return {row["device"]: (row["rack"], row["u"], row["mgmt"]) for row in csv.DictReader(stream)}


def named(netbox: FakeNetBox, name: str) -> dict[str, Any]:
    return next(each for each in netbox.held["dcim/devices"].values() if each["name"] == name)


@pytest.mark.slow
def test_a_build_keeps_what_netbox_has(pushed: FakeNetBox, lock: Lock, blueprint: Path, fabricgen: Any) -> None:
    """A spine of another name and address, a node in another rack, and what the plan does not know."""
    assert lock().code == 0
    assert "adopted" not in blueprint.with_name("cluster.lock.yaml").read_text(encoding="utf-8")
    spine, node, other = (named(pushed, name) for name in ("compute-spine-04", "p1-su01-n001", "compute-spine-01"))
    spine["name"] = "edge"
    address = next(each for each in pushed.held["ipam/ip-addresses"].values() if each["id"] == spine["primary_ip4"])
    address["address"] = "10.16.0.14/28"
    node |= {"rack": spine["rack"], "position": 20.0}
    pushed.make("dcim/devices", [{**other, "name": "console", "position": 2, "tags": []}])
    ran = lock()
    assert ran.code == 0, ran.err
    assert "not kept: console: no device of the plan has its name or its place" in ran.err
    found = built(blueprint, fabricgen)
    assert found["edge"] == ("net-compute-spine-01", "43", "10.16.0.14")
    assert found["p1-su01-n001"][:2] == ("net-compute-spine-01", "20")
    assert "compute-spine-04" not in found
    text = blueprint.with_name("cluster.lock.yaml").read_text(encoding="utf-8")
    assert '  compute-spine-04 mgmt: 10.16.0.14\n  compute-spine-04 name: "edge"\n' in text
    assert "  p1-su01-n001 place: net-compute-spine-01 u20\n" in text
    assert lock().err.endswith("is up to date\n")
    blueprint.with_name("cluster.lock.yaml").write_text(text.replace("spine-01 u20", "spine-09 u20"), encoding="utf-8")
    ran = fabricgen("lint", blueprint)
    assert "device p1-su01-n001: there is no rack net-compute-spine-09" in ran.out
    assert "`fabricgen lock --release adopted/p1-su01-n001`" in ran.out


def test_a_netbox_without_the_site_is_told(netbox: FakeNetBox, lock: Lock) -> None:
    ran = lock()
    assert ran.code == 0
    assert "not kept: everything: there is no device at site1" in ran.err


def test_an_export_says_the_same(lock: Lock, blueprint: Path, fabricgen: Any) -> None:
    """With the facility id of racks in brackets."""
    ran = lock(
        "compute-spine-01,Active,site1,hall1,net-compute-spine-01 (h1.N01.01),40,,,",
        "leaf-a,Active,site1,hall1,p1-su01-net01 (h1.R01.02),46,10.16.0.12/28,,",
        "old,Active,elsewhere,,r1,1,,,",
    )
    assert ran.code == 0, ran.err
    assert "not kept: 1 at other sites than site1" in ran.err
    found = built(blueprint, fabricgen)
    assert found["compute-spine-01"][:2] == ("net-compute-spine-01", "40")
    assert found["leaf-a"] == ("p1-su01-net01", "46", "10.16.0.12")


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (
            ("compute-spine-01,,site1,,,,,,", "Compute-Spine-01,,site1,,,,,,"),
            "3:1: error[FG050]: two devices are called",
        ),
        (("compute-spine-01,,site1,,r9,1,,,",), "stands in rack r9, which the plan has not"),
        (("compute-spine-01,,site1,,,,192.0.2.1/28,,",), "outside the pool management (10.16.0.0/"),
        (("compute-spine-01,,site1,,,,10.16.0.9/24,,",), "10.16.0.9/24: the prefix length there is /28"),
        (("compute-spine-01,,site1,,net-compute-spine-01,45,,,",), "takes rack units 45 to 45 of net-compute-spine-01"),
        (("compute-spine-01,,site1,,net-compute-spine-01,10.5,,,",), "'net-compute-spine-01 u10.5' is no place"),
        (
            ("compute-spine-01,,site1,,net-compute-spine-01,40",),
            "2:1: error[FG050]: this line has 6 columns, the first",
        ),
        (('"compute-spine-01,,site1,,,,,,',), "this is no CSV: unexpected end of data"),
        (("Edge 1,,site1,,net-compute-spine-01,46,,,",), "'Edge 1' is not a host name"),
    ],
)
def test_what_contradicts_is_told_with_its_line(lock: Lock, blueprint: Path, lines: tuple[str, ...], told: str) -> None:
    ran = lock(*lines)
    assert (ran.code, blueprint.with_name("cluster.lock.yaml").exists()) == (2, False)
    assert told in ran.err
    assert "export.csv:" in ran.err
