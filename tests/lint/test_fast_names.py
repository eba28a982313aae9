"""What a blueprint calls by a name that nothing has is refused by `lint --fast`, as `build` refuses it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import BLUEPRINTS, Ran

Run = Callable[..., Ran]

MISSPELT = {
    "cabling.products=[nvidia-linx]": "FG011",
    "names.devices={compute-spin-01: hub}": "FG047",
    "names.devices={compute-spine-01: compute-spine-02}": "FG035",
    "names.switches={all: 'x{default}-in-a-hall-whose-name-goes-on-and-on-and-on-until-no-host-name-is-left'}": "FG040",
    "names.devices={compute-spine-01: localhost}": "FG040",
    "address_of={compute-spin-01: {asn: 4200000999}}": "FG047",
    "config_of={compute-spin-01: {ports: {Ethernet0: {mtu: 9000}}}}": "FG053",
    "config_of={p1-su01-n001: {ports: {Ethernet0: {mtu: 9000}}}}": "FG053",
    "cable_of={'compute-lef-p1-su01-r1-01:1': {length_m: 3}}": "FG079",
    "cable_of={'compute-leaf-p1-su01-r1-01:29': {b_cage: 'compute-spin-01:1'}}": "FG080",
    "floor.devices={compute-spin-01: {rack: net01, u: 1}}": "FG068",
    "floor.devices={compute-spine-01: {rack: net99, u: 1}}": "FG068",
    "floor.racks={net99: {row: 1, column: 9}}": "FG068",
    "routing={asn: {tiers: {spin: 4200000999}}}": "FG016",
}


@pytest.mark.tenth
@pytest.mark.parametrize("setting", MISSPELT)
def test_fast_refuses_a_name_as_a_build_does(fabricgen: Run, tmp_path: Path, setting: str) -> None:
    blueprint = BLUEPRINTS / "leaf-spine.yaml"
    built = fabricgen("build", blueprint, "--set", setting, "-o", tmp_path / "out")
    fast = fabricgen("lint", "--fast", blueprint, "--set", setting)
    assert (built.code, fast.code) == (2, 2)
    said = [line for line in built.err.splitlines() if "error[" in line]
    assert f"error[{MISSPELT[setting]}]" in said[0]
    assert [line for line in fast.out.splitlines() if "error[" in line] == said
    assert not (tmp_path / "out").exists()


def test_fast_refuses_a_guid_of_no_device(fabricgen: Run, tmp_path: Path) -> None:
    blueprint = tmp_path / "pod.yaml"
    text = (BLUEPRINTS / "superpod-b200.yaml").read_text()
    blueprint.write_text(
        text.replace("    protocol: infiniband\n", "    protocol: infiniband\n    guids: guids.csv\n", 1)
    )
    (tmp_path / "guids.csv").write_text("device,port,guid\ncompute-leaf-p1-su09-r1-01,,0x1070fd0300000010\n")
    fast = fabricgen("lint", "--fast", blueprint)
    assert fast.code == 2
    assert f"{tmp_path}/guids.csv:2:1: error[FG061]: there is no device 'compute-leaf-p1-su09-r1-01'" in fast.out


def test_names_that_are_right_are_let_through(fabricgen: Run) -> None:
    stated = [
        "names.devices={compute-spine-01: hub}",
        "address_of={hub: {asn: 4200000999}}",
        "cable_of={'compute-leaf-p1-su01-r1-01:1': {length_m: 3}}",
        "cabling.products=[nvidia-linkx, generic]",
    ]
    sets = [word for setting in stated for word in ("--set", setting)]
    assert fabricgen("lint", "--fast", BLUEPRINTS / "leaf-spine.yaml", *sets).code == 0


@pytest.mark.parametrize("nodes", ["p1/su-*/node-3", "p1/su-2/node-4"])
def test_fast_tells_of_leaves_with_hosts_of_both_sides_of_a_leak(fabricgen: Run, nodes: str) -> None:
    """Storage leaves of the example serve both units, and one subnet each."""
    sets = ("--set", f"tenants.green.nodes=['{nodes}']", "--set", "leaks={a: {between: [blue, green]}}")
    fast, whole = (fabricgen("lint", *more, BLUEPRINTS / "tenants.yaml", *sets) for more in (("--fast",), ()))
    told = [line for line in fast.out.splitlines() if "error[FG098]" in line]
    assert (fast.code, len(told)) == (2, 1)
    assert "storage-leaf-01 and 1 more leaves have hosts of blue and of green" in told[0]
    assert told == [line for line in whole.out.splitlines() if "error[" in line]
