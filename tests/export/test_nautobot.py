"""The requests of `nautobot` are taken one after the other, since whatever they name is there already."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import built_files, example_cluster
from tests.push.nautobot_server import FakeNautobot

EXAMPLES = ("leaf-spine", "host-vlans", "bonded-pair", "tenants", "dual-stack")


def read_requests(example: str) -> list[tuple[str, list[dict[str, Any]]]]:
    """(path, bodies) in their order."""
    files = built_files(example_cluster(example), "nautobot")
    listed = files["nautobot/README.txt"].decode().splitlines()[2:]
    rows = [line.replace(",", "").split() for line in listed]
    assert files.keys() == {"nautobot/README.txt", *(f"nautobot/{row[0]}" for row in rows)}
    found = [(path.removeprefix("/api/").strip("/"), json.loads(files[f"nautobot/{name}"])) for name, _, path in rows]
    assert [len(bodies) for _, bodies in found] == [int(row[1]) for row in rows]
    return found


@pytest.mark.tenth
@pytest.mark.parametrize("example", EXAMPLES)
def test_each_request_is_taken(example: str) -> None:
    server = FakeNautobot()
    for path, bodies in read_requests(example):
        status, answer = server.make(path, bodies)
        assert (path, status, answer if status != 201 else "") == (path, 201, "")


def test_ids_are_of_the_cluster_and_stay() -> None:
    found = [body["id"] for _, bodies in read_requests("leaf-spine") for body in bodies]
    assert len(set(found)) == len(found)
    assert found == [body["id"] for _, bodies in read_requests("leaf-spine") for body in bodies]
    others = {body["id"] for _, bodies in read_requests("bonded-pair") for body in bodies}
    assert others.isdisjoint(found)


@pytest.mark.slow
def test_lengths_are_whole_numbers_of_two_bytes() -> None:
    cables = dict(read_requests("two-site"))["dcim/cables"]
    lengths = {(cable["length"], cable["length_unit"]) for cable in cables}
    assert {(7, "m"), (150, "cm"), (40, "km")} <= lengths
    assert all(0 < length < 2**15 for length, _ in lengths)


def test_platforms_are_called_as_config_manager_calls_them() -> None:
    named = {body["name"] for body in dict(read_requests("bonded-pair"))["dcim/platforms"]}
    assert named <= {"Cumulus Linux", "Arista EOS", "Juniper Junos", "sonic"}
