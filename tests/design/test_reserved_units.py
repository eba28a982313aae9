"""Rack units that a rack type reserves for cable managers, PDUs and blanking panels: no device takes them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from fabricgen.bom.bill import make_bill
from fabricgen.catalog.models import RackProfile
from fabricgen.cluster import Cluster
from fabricgen.export.drawings.rack_contents import FilledRacks
from tests.design.test_floor import FLOOR, GROWTH, check_apart, locked, stands

OWN = ("floor.network_rack=own", "scalable_unit.racks.type=own")
RACK = {"kind": "rack", "id": "own", "name": "own", "units": 48, "width_m": 0.6, "depth_m": 1.2, "tag": "V"}
RACK |= {"source": "a data sheet", "reserved": {"cable-manager": [44, 41], "rack-pdu": [1, 2], "blank": [3]}}


@pytest.fixture
def racked(tmp_path: Path) -> Cluster:
    (tmp_path / "catalog/racks").mkdir(parents=True)
    (tmp_path / "catalog/racks/own.yaml").write_text(json.dumps(RACK))
    return locked(FLOOR, tmp_path, None, OWN)


def taken(cluster: Cluster) -> set[int]:
    """The rack units that some device takes."""
    devices = cluster.plan.devices
    height = [cls.profile.rack_units for cls in devices.classes]
    rows = zip(devices.u.tolist(), devices.device_class.tolist(), strict=True)
    return {u + i for u, cls in rows for i in range(height[cls])}


def test_devices_stand_around_them_and_stay_where_they_are(racked: Cluster, tmp_path: Path) -> None:
    check_apart(racked)
    found = stands(racked)
    assert [found[f"compute-spine-p1-0{n}"][1] for n in (1, 2, 3)] == [45, 42, 39]
    assert [found[f"compute-leaf-p1-su01-r{n}-01"][1] for n in (1, 2, 3)] == [45, 42, 39]
    assert [found[f"p1-su01-n00{n}"][1] for n in (1, 2)] == [4, 14]
    grown = locked(FLOOR, tmp_path, racked, (*OWN, *GROWTH["more spines and cores"]))
    check_apart(grown)
    assert {name: stands(grown)[name] for name in found} == found
    assert taken(grown).isdisjoint({44, 41, 1, 2, 3})


def test_the_bill_has_what_stands_there(racked: Cluster) -> None:
    bill = {line.part: line for line in make_bill(racked).lines}
    plan = racked.plan
    with_switches = {
        rack for name, (rack, *_) in stands(racked).items() if "leaf" in name or "spine" in name or "core" in name
    }
    assert bill["cable-manager-1u"].quantity == 2 * len(with_switches)
    assert not any(part.startswith("cable-manager-48u") for part in bill)
    used = sum(plan.devices.classes[c].profile.rack_units for c in plan.devices.device_class.tolist())
    held = len(set(plan.devices.rack.tolist()))
    assert bill["blanking-panel-1u"].quantity == held * (48 - 4) - used
    assert all(", 1 U" in line.description for part, line in bill.items() if part.startswith("rack-pdu-"))


def test_elevations_draw_them(racked: Cluster) -> None:
    rack = FilledRacks(racked).make_rack(racked.plan.racks.names.index("p1-su01-net01"))
    assert [(item.u, item.name) for item in rack.items if not item.model] == [
        (1, "rack pdu"),
        (2, "rack pdu"),
        (3, "blank"),
        (41, "cable manager"),
        (44, "cable manager"),
    ]


def test_a_rack_unit_is_for_one_thing() -> None:
    with pytest.raises(ValidationError, match=r"rack units hold one thing each, from 1 to 48; got \[2\]"):
        RackProfile.model_validate(RACK | {"fixed": {"node": [2]}})
