"""`lldpctl -f json` and `-f json0`.

Shapes after lldpd's own integration tests, which have one neighbour in both formats and the local interfaces:
https://github.com/lldpd/lldpd/blob/master/tests/integration/test_lldpcli.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabricgen.verify.dumps.sighting import SEEN, Box
from tests.verify.dumps.reading import faults, read, rows

LEAF = Box("leaf-01", "02:00:00:00:00:0a", "10.0.0.1")
ROW = ("n001.json", "eth0", LEAF, "Ethernet8", "to n001", SEEN)


def entry(port: str = "Ethernet8") -> dict[str, Any]:
    chassis = {"id": {"type": "mac", "value": "02:00:00:00:00:0A"}, "mgmt-ip": ["fe80::1", "10.0.0.1"], "descr": "x"}
    told = {"id": {"type": "ifname", "value": port}, "descr": "to n001", "ttl": "120"}
    return {"via": "LLDP", "rid": "1", "age": "0 day, 00:00:09", "chassis": {"leaf-01": chassis}, "port": told}


def entry0(name: str) -> dict[str, Any]:
    identity = [{"type": "mac", "value": "02:00:00:00:00:0a"}]
    addresses = [{"value": "fe80::1"}, {"value": "10.0.0.1"}]
    chassis = {"id": identity, "name": [{"value": "leaf-01"}], "descr": [{"value": "x"}], "mgmt-ip": addresses}
    told = {"id": [{"type": "ifname", "value": "Ethernet8"}], "descr": [{"value": "to n001"}]}
    return {"name": name, "via": "LLDP", "rid": "1", "chassis": [chassis], "port": [told]}


@pytest.mark.parametrize(
    "interface",
    [
        {"eth0": entry()},
        [{"eth0": entry()}],
        [entry0("eth0")],
        entry0("eth0"),
    ],
    ids=["one as json", "a list of json", "json0", "json0 without lists"],
)
def test_one_neighbour_in_every_shape(tmp_path: Path, interface: Any) -> None:
    for dump in ({"lldp": {"interface": interface}}, {"lldp": [{"interface": interface}]}):
        seen = read(tmp_path, dump, "n001.json")
        assert rows(seen) == [ROW]
        assert (seen.agents, seen.lists_all) == ({0: "lldp"}, {0})


def test_several_neighbours_of_several_ports(tmp_path: Path) -> None:
    for interface in (
        [{"eth0": entry()}, {"eth0": entry("Ethernet9")}, {"eth1": entry("Ethernet12")}],
        {"eth0": entry(), "eth1": entry("Ethernet9")},
    ):
        found = rows(read(tmp_path, {"lldp": {"interface": interface}}))
        assert [(row[1], row[3]) for row in found][:2] in (
            [("eth0", "Ethernet8"), ("eth0", "Ethernet9")],
            [("eth0", "Ethernet8"), ("eth1", "Ethernet9")],
        )
    two = entry()
    two["chassis"]["leaf-02"] = {"id": {"type": "mac", "value": "02:00:00:00:00:0b"}}
    found = rows(read(tmp_path, {"lldp": {"interface": {"eth0": two}}}))
    assert [row[2] for row in found] == [LEAF, Box("leaf-02", "02:00:00:00:00:0b")]


def test_a_neighbour_without_a_name_is_known_by_its_chassis(tmp_path: Path) -> None:
    nameless = {"rid": "1", "chassis": {"id": {"type": "mac", "value": "02:00:00:00:00:0a"}}, "port": {}}
    assert rows(read(tmp_path, {"lldp": {"interface": {"eth0": nameless}}}))[0][2] == Box("", "02:00:00:00:00:0a")
    local = {"rid": "1", "chassis": {"id": {"type": "local", "value": "n001"}}, "port": {}}
    assert rows(read(tmp_path, {"lldp": {"interface": {"eth0": local}}}))[0][2] == Box("n001")


@pytest.mark.parametrize("dump", [{"lldp": {}}, {"lldp": [{}]}, {"lldp": []}, {"lldp": {"interface": []}}])
def test_nobody_is_seen(tmp_path: Path, dump: Any) -> None:
    seen = read(tmp_path, dump)
    assert (len(seen), seen.agents, seen.lists_all) == (0, {0: "lldp"}, {0})


def test_dumps_of_several_devices_below_their_names(tmp_path: Path) -> None:
    seen = read(tmp_path, {"n001": {"lldp": {"interface": {"eth0": entry()}}}, "n002": {"lldp": {}}})
    assert rows(seen) == [("n001", *ROW[1:])]
    assert [seen.boxes[owner] for owner in sorted(seen.agents)] == [Box("n001"), Box("n002")]


def test_ports_that_tell_of_themselves_are_refused(tmp_path: Path) -> None:
    own = {"via": "unknown", "chassis": {"n001": {"id": {"type": "mac", "value": "02:00:00:00:00:01"}}}, "port": {}}
    found = faults(tmp_path, {"lldp": {"interface": {"eth0": own}}})
    assert found == ["1:33: eth0 tells of itself, not of its neighbour: this is `lldpcli show interfaces`"]


def test_wrong_values_are_told_where_they_stand(tmp_path: Path) -> None:
    text = """{"lldp": {"interface": [
      {"eth0": {"rid": "1", "chassis": 7}},
      {"eth1": []},
      {"eth2": {"rid": "1", "chassis": {"id": {"value": "x"}}, "port": {"id": {"value": false}}}}]}}"""
    assert faults(tmp_path, text) == [
        "2:40: 'chassis' is '7', not an object",
        "3:16: 'eth1' is a list, not an object",
        "4:89: 'value' is false, not a text",
    ]
