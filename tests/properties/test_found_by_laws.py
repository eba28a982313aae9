"""Blueprints that once broke a law, each as small as it could be made."""

from __future__ import annotations

import pytest

from tests.properties.case import Case
from tests.properties.compiling import compiled
from tests.properties.halls import Tree
from tests.properties.laws import LAWS


def _blueprint(nodes: str, tiers: Tree, **more: Tree) -> Tree:
    unit = {"nodes": nodes} | more.pop("unit", {})
    compute = {"protocol": "roce", "tiers": tiers} | more.pop("compute", {})
    beside = {key: more.pop(key) for key in ("pods", "scale_up") if key in more}
    return {"fabricgen": 1, "name": "found", "scalable_unit": unit, **beside, "fabrics": {"compute": compute} | more}


FOUND = {
    "extra devices that all go to one switch by its name": _blueprint(
        "4 x dgx-b200",
        {"leaf": {"switch": "sn5600", "per": ["su", "rail"]}, "spine": {"switch": "sn5600", "count": 4}},
        compute={
            "extra": {
                "wan": {
                    "device": "border-router",
                    "attach": "inband",
                    "speed": "200G",
                    "count": 4,
                    "to": "spine",
                    "switches": ["compute-spine-01"],
                }
            }
        },
    ),
    "a border below a core that is grouped by spines": _blueprint(
        "2 x generic-server",
        {
            "leaf": {"switch": "sn4700", "per": "rail"},
            "spine": {"switch": "sn4700", "count": 2},
            "core": {"switch": "sn4700", "per": "spine"},
            "border": {"switch": "sn4700", "below": "core", "count": 1},
        },
        compute={"extra": {"wan": {"device": "generic-server", "to": "border", "attach": "compute"}}},
    ),
    "a border on leaves that have more nodes on some than on others": _blueprint(
        "1 x toy-dual",
        {
            "leaf": {"switch": "toy-24", "per": ["rail"], "count": 4},
            "border": {"switch": "toy-24", "below": "leaf", "count": 1, "per": ["rail"], "uplinks": "1 x 200G"},
        },
        unit={"racks": {"nodes_per_rack": 1}},
        pods={"p1": {"su": 2, "reserve": 3}, "p2": {"su": 1}},
        compute={
            "extra": {"array": {"device": "toy-box", "to": "border", "attach": "inband", "ports": 1, "speed": "400G"}}
        },
    ),
    "leaves per rail below spines per rail group, of uneven groups": _blueprint(
        "2 x dgx-b200",
        {"leaf": {"switch": "sn5600", "per": ["su", "rail"]}, "spine": {"switch": "sn5600", "per": "rail-group"}},
        compute={"rail_groups": [[8, 1, 3], [2, 4, 5, 6, 7]]},
    ),
    "spines below a core group for each of three rail groups": _blueprint(
        "1 x toy-four",
        {
            "leaf": {"switch": "toy-24", "per": "rail"},
            "spine": {"switch": "toy-16-4"},
            "core": {"switch": "toy-24", "per": "rail-group"},
        },
        unit={"racks": {"nodes_per_rack": 1}},
        compute={"rail_groups": [[4, 1], [2], [3]]},
    ),
    "management ports behind those of a reserved unit": _blueprint(
        "1 x toy-dual",
        {"leaf": {"switch": "toy-24", "per": ["su", "rail"]}, "spine": {"switch": "toy-24"}},
        unit={"racks": {"nodes_per_rack": 1}},
        pods={"p1": {"su": 2, "reserve": 3}, "p2": {"su": 1, "reserve": 1}},
        oob={"protocol": "ethernet", "attach": "bmc", "tiers": {"leaf": {"switch": "toy-mgmt"}}, "also": "switches"},
    ),
    "trays of racks are managed, too": _blueprint(
        "18 x gb200-tray",
        {"leaf": {"switch": "sn5600"}},
        unit={"racks": {"nodes_per_rack": 18}},
        oob={
            "protocol": "ethernet",
            "attach": "bmc",
            "tiers": {"leaf": {"switch": "sn2201", "per": "su"}},
            "also": "switches",
        },
        scale_up={"inner": {"domain": "nvl72-gb200", "per": "rack"}},
    ),
    "power shelves in the racks of nodes": _blueprint(
        "2 x generic-server",
        {"leaf": {"switch": "sn4700"}},
        unit={"racks": {"nodes_per_rack": 1, "devices": {"shelf": "2 x power-shelf"}}},
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_every_law_holds(name: str) -> None:
    case = Case(compiled(FOUND[name]))
    for law in LAWS:
        law(case)
