"""Histories in which something once moved that stays, each as short as it could be made."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import yaml

from tests.conftest import BLUEPRINTS
from tests.properties.halls import Tree

History = list[tuple[str, Tree]]


def _with(tree: Tree, path: str, value: Any) -> Tree:
    """A copy of a blueprint with another value at a path; None takes the key away."""
    tree = deepcopy(tree)
    *way, last = path.split(".")
    place = tree
    for key in way:
        place = place.setdefault(key, {})
    if value is None:
        del place[last]
    else:
        place[last] = value
    return tree


def _example(name: str) -> Tree:
    tree: Tree = yaml.safe_load((BLUEPRINTS / f"{name}.yaml").read_text(encoding="utf-8"))
    return tree


def _one_more(tree: Tree, name: str) -> Tree:
    """A blueprint with three of some extra devices in every fabric that has them."""
    for fabric, spec in tree["fabrics"].items():
        if name in spec.get("extra", {}):
            tree = _with(tree, f"fabrics.{fabric}.extra.{name}.count", 3)
    return tree


def _managed(nodes: str, pods: Tree, compute: Tree, leaf: Tree, protocol: str = "roce", **more: Any) -> Tree:
    """Nodes one to a rack, and management of all switches."""
    oob = {"protocol": "ethernet", "attach": "bmc", "tiers": {"leaf": leaf}, "also": "switches"}
    fabrics = {"compute": {"protocol": protocol, "tiers": compute} | more, "oob": oob}
    unit = {"nodes": nodes, "racks": {"nodes_per_rack": 1}}
    return {"fabricgen": 1, "name": "found", "scalable_unit": unit, "pods": pods, "omit": [], "fabrics": fabrics}


_PAIR = _example("collapsed-pair")
_DUAL = _example("dual-stack")
_TWO_PODS = _with(_DUAL, "pods", {"p1": {"su": 1, "reserve": 2}, "p2": {"su": 1, "reserve": 2}})
_SITES = _example("two-site")
_SPINES = _managed(
    "2 x toy-four",
    {"p1": {"su": 3, "reserve": 4}},
    {"leaf": {"switch": "toy-24", "per": "su", "uplinks": 20}, "spine": {"switch": "toy-24", "count": 20}},
    {"switch": "toy-mgmt", "per": "su"},
)
_POD_SPINES = _with(_with(_SPINES, "fabrics.compute.tiers.spine.per", "pod"), "pods.p1.su", 2)
_CORES = _managed(
    "5 x toy-twin",
    {"p1": {"su": 1, "reserve": 2}, "p2": {"su": 1, "reserve": 1}, "p3": {"su": 2, "reserve": 2}},
    {
        "leaf": {"switch": "qm9700", "per": ["pod"]},
        "spine": {"switch": "toy-ib", "per": ["pod"]},
        "core": {"switch": "toy-ib", "per": ["spine"]},
    },
    {"switch": "toy-mgmt", "per": "su"},
    protocol="infiniband",
)
_PLANES = _managed(
    "1 x dgx-b300",
    {"p1": {"su": 1, "reserve": 2}},
    {"leaf": {"switch": "sn5600", "per": ["su", "plane"]}, "spine": {"switch": "sn5600", "per": ["plane"]}},
    {"switch": "sn2201", "per": "pod"},
    planes=2,
)
_RAILS: Tree = {
    "fabricgen": 1,
    "name": "found",
    "scalable_unit": {"nodes": "1 x toy-wide", "racks": {"nodes_per_rack": 1}},
    "pods": {"p1": {"su": 1, "reserve": 1}},
    "omit": [],
    "fabrics": {
        "compute": {
            "protocol": "roce",
            "tiers": {"leaf": {"switch": "toy-24", "per": ["plane"]}},
            "hosts": "rail-subnets",
            "extra": {"helper": {"device": "toy-box", "to": "leaf", "attach": "compute", "count": 1}},
            "planes": 2,
        }
    },
}
_SHELVES: Tree = {
    "fabricgen": 1,
    "name": "found",
    "scalable_unit": {"nodes": "2 x toy-twin", "racks": {"nodes_per_rack": 1, "devices": {"shelf": "2 x power-shelf"}}},
    "pods": {"p1": {"su": 1, "reserve": 3}},
    "fabrics": {
        "compute": {"protocol": "infiniband", "tiers": {"leaf": {"switch": "toy-ib"}}, "speed": "200G"},
        "oob": {"protocol": "ethernet", "attach": "bmc", "tiers": {"leaf": {"switch": "toy-mgmt", "per": "pod"}}},
    },
}
_AIDE = {"device": "toy-box", "to": "leaf", "attach": "inband", "count": 1}

_KINDS = deepcopy(_RAILS)
_KINDS["fabrics"]["compute"] = {
    "protocol": "roce",
    "tiers": {"leaf": {"switch": "toy-24"}, "spine": {"switch": "toy-24", "count": 2}},
    "extra": {
        "helper": {"device": "toy-box", "to": "spine", "attach": "compute", "speed": "100G"},
        "gate": {"device": "toy-box", "to": "spine", "attach": "compute"},
    },
}

_BORDER = {"switch": "toy-24", "below": "spine", "count": 2}
_AT_BORDER = deepcopy(_KINDS)
_AT_BORDER["fabrics"]["compute"]["tiers"]["border"] = _BORDER
_AT_BORDER["fabrics"]["compute"]["extra"] = {
    "array": {"device": "toy-box", "to": "border", "attach": "inband", "count": 2, "ports": 2, "speed": "400G"},
    "zone": {"device": "toy-box", "to": "border", "attach": "inband", "count": 2, "ports": 1, "speed": "100G"},
}

WITH_LOCK: dict[str, History] = {
    "the first kind of devices at a border goes": [
        ("first", _AT_BORDER),
        ("remove_extra", _with(_AT_BORDER, "fabrics.compute.extra.array", None)),
        ("back", _AT_BORDER),
    ],
    "another server takes no cage of an array": [("first", _PAIR), ("more_extras", _one_more(_PAIR, "mgmt"))],
    "another router takes no cage of an array": [("first", _PAIR), ("more_extras", _one_more(_PAIR, "wan"))],
    "nodes past the reserve leave management ports alone": [
        ("first", _DUAL),
        ("add_pod", _with(_DUAL, "pods.a1", {"su": 1})),
    ],
    "units past the reserve leave other kinds of ports alone": [
        ("first", _PAIR),
        ("grow", _with(_PAIR, "pods.p1.su", 2)),
        ("add_pod", _with(_PAIR, "pods.a1", {"su": 1})),
    ],
    "fewer management leaves at one site move no switch at the other": [
        ("first", _SITES),
        ("shrink", _with(_SITES, "pods.w1.su", 1)),
        ("back", _SITES),
    ],
    "only what was managed over a unit that is gone moves": [
        ("first", _SPINES),
        ("shrink", _with(_SPINES, "pods.p1.su", 2)),
        ("back", _SPINES),
    ],
    "a pod with fewer leaves than the spines of another are managed over": [
        ("first", _POD_SPINES),
        ("add_pod", _with(_POD_SPINES, "pods.a1", {"su": 1, "reserve": 1})),
    ],
    "a pod before others grows": [("first", _CORES), ("grow", _with(_CORES, "pods.p1.su", 2))],
    "two kinds of ports for extra devices on a spine": [("first", _KINDS), ("reorder", _KINDS)],
    "management takes ports that were kept for units to come": [
        ("first", _SHELVES),
        ("manage_switches", _with(_SHELVES, "fabrics.oob.also", "switches")),
    ],
    "numbers of extra devices on rails": [
        ("first", _RAILS),
        ("add_extra", _with(_RAILS, "fabrics.compute.extra.aide", _AIDE)),
    ],
}
"""What stays as it is with a lock."""

WITHOUT_LOCK: dict[str, History] = {
    "cores are managed over the first unit of each pod": [
        ("first", _CORES),
        ("grow_inside", _with(_CORES, "pods.p1.su", 2)),
    ],
    "leaves of reserved units have their places on management leaves of several pods": [
        ("first", _TWO_PODS),
        ("grow_inside", _with(_TWO_PODS, "pods.p1.su", 2)),
    ],
    "spines are managed before leaves": [("first", _PLANES), ("grow_inside", _with(_PLANES, "pods.p1.su", 2))],
}
"""What growth inside the reserve does not move without a lock either."""
