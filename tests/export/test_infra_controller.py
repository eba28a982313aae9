"""Infra Controller: requests with the fields of its API, for all machines with accelerators and all switch trays."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran
from tests.export.known_machines import list_lines, write_page

Command = Callable[..., Ran]
REQUIRED = {"siteId", "name", "bmcMacAddress", "manufacturer", "model", "rackId", "labels"}
"""Those of APIExpectedMachineCreateRequest and APIExpectedSwitchCreateRequest that are written of both."""


@pytest.fixture
def lines() -> dict[str, str]:
    """The lines of an inventory that lacks nothing."""
    return list_lines()


def build(fabricgen: Command, folder: Path, lines: dict[str, str]) -> Ran:
    """What the command said of the part, with these lines in the inventory."""
    write_page(folder / "cluster.yaml", lines.values())
    return fabricgen("build", folder / "cluster.yaml", "-o", folder / "out", "--only", "infra-controller,devices")


def test_every_machine_and_tray_is_expected_once(fabricgen: Command, tmp_path: Path, lines: dict[str, str]) -> None:
    ran = build(fabricgen, tmp_path, lines)
    assert ran.code == 0, ran.err
    site = tmp_path / "out" / "infra-controller" / "site1"
    batches = [json.loads(file.read_text()) for file in sorted(site.glob("expected-machines-*.json"))]
    assert [len(batch) for batch in batches] == [100, 44]
    switches = json.loads((site / "expected-switches.json").read_text())
    machines = [machine for batch in batches for machine in batch]
    assert {frozenset(body) for body in machines} == {frozenset(REQUIRED | {"chassisSerialNumber", "bmcIpAddress"})}
    assert {frozenset(body) for body in switches} == {frozenset(REQUIRED | {"switchSerialNumber"})}
    bodies = machines + switches
    named = {body["name"]: (body.get("chassisSerialNumber") or body["switchSerialNumber"]) for body in bodies}
    assert {f"{name},,,,{serial}" for name, serial in named.items()} == {v for k, v in lines.items() if " " not in k}
    assert {f"{body['name']},BMC,{body['bmcMacAddress']},," for body in bodies} == {
        v for k, v in lines.items() if " " in k
    }
    rows = (tmp_path / "out" / "devices.csv").read_text().splitlines()
    header = rows[0].split(",")
    planned = {cells["device"]: cells for cells in (dict(zip(header, row.split(","), strict=True)) for row in rows[1:])}
    assert all(body["rackId"] == planned[body["name"]]["rack"] for body in bodies)
    assert all(body["labels"]["rack-unit"] == planned[body["name"]]["u"] for body in bodies)
    assert all(re.fullmatch(r"\d+(\.\d+){3}", machine["bmcIpAddress"]) for machine in machines)


def test_what_the_inventory_lacks_is_told(fabricgen: Command, tmp_path: Path, lines: dict[str, str]) -> None:
    del lines["p1-su01-n002"], lines["p1-su01-rk01-nvlink-01 BMC"]
    lines["p1-su01-n003"] = f"p1-su01-n003,,,,{'X' * 33}"
    ran = build(fabricgen, tmp_path, lines)
    assert ran.code == 2
    expected = (
        "no serial number of 1 of 216 devices, p1-su01-n002 the first",
        "no MAC of the BMC of 1 of 216 devices, p1-su01-rk01-nvlink-01 the first",
        "no serial number of at most 32 characters of 1 of 216 devices, p1-su01-n003 the first",
    )
    assert f"error[FG158]: the inventory has {'; '.join(expected)}" in ran.err
    assert not (tmp_path / "out").exists()


def test_an_inventory_may_have_the_bmc_of_a_switch_but_no_other_port(
    fabricgen: Command, tmp_path: Path, lines: dict[str, str]
) -> None:
    lines["tray"] = "p1-su01-rk01-nvlink-01,BMC2,b8:3f:d2:00:ff:ff,,"
    ran = build(fabricgen, tmp_path, lines)
    assert (ran.code, "has no cabled port 'BMC2'" in ran.err) == (2, True)


def test_a_bmc_with_two_addresses_is_expected_at_its_ipv4_one(
    fabricgen: Command, tmp_path: Path, lines: dict[str, str]
) -> None:
    write_page(tmp_path / "cluster.yaml", lines.values())
    only = ("--only", "infra-controller", "--set", "ip=dual")
    ran = fabricgen("build", tmp_path / "cluster.yaml", "-o", tmp_path / "out", *only)
    assert ran.code == 0, ran.err
    site = tmp_path / "out" / "infra-controller" / "site1"
    machines = json.loads((site / "expected-machines-001.json").read_text())
    assert all(re.fullmatch(r"\d+(\.\d+){3}", machine["bmcIpAddress"]) for machine in machines)


def test_what_a_tray_of_several_units_does_not_have_is_left_out(fabricgen: Command, tmp_path: Path) -> None:
    """The API takes no empty text; a tray that joins racks is in no unit, and its BMC on no network here."""
    write_page(tmp_path / "cluster.yaml", list_lines("nvl576").values(), "nvl576")
    ran = fabricgen("build", tmp_path / "cluster.yaml", "-o", tmp_path / "out", "--only", "infra-controller")
    assert ran.code == 0, ran.err
    files = sorted((tmp_path / "out" / "infra-controller" / "site1").iterdir())
    bodies = [body for file in files for body in json.loads(file.read_text())]
    assert {frozenset(body["labels"]) for body in bodies} == {
        frozenset({"pod", "unit", "rack-unit"}),
        frozenset({"pod", "rack-unit"}),
    }
    assert all(value for body in bodies for value in (*body.values(), *body["labels"].values()))
    assert not any("bmcIpAddress" in body for body in bodies)


def test_trays_that_nobody_logs_in_to_are_not_expected(fabricgen: Command, tmp_path: Path) -> None:
    write_page(tmp_path / "cluster.yaml", list_lines("ualink-pod").values(), "ualink-pod")
    ran = fabricgen("build", tmp_path / "cluster.yaml", "-o", tmp_path / "out", "--only", "infra-controller")
    assert ran.code == 0, ran.err
    site = tmp_path / "out" / "infra-controller" / "site1"
    assert [file.name for file in site.iterdir()] == ["expected-machines-001.json"]
