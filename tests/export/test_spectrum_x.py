"""Spectrum-X: rail pools as the operator's schema has them, and topologies from which k8s-launch-kit makes pools.

SPECTRUM_X_OPERATOR names a checkout of Mellanox/spectrum-x-operator, whose schema then judges as well.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ruamel.yaml import YAML

from fabricgen.addons.spectrum_x import CODE
from fabricgen.api import compile_blueprint, make_files
from fabricgen.kernel.diagnostics import InputError
from tests.conftest import built_files, example_cluster
from tests.export.launch_kit_reader import Kit, read_pools

SMALL = ("scalable_unit.nodes=4 x dgx-b300", "pods.p1={su: 2}")
FOUR = ("fabrics.compute.planes=4", "fabrics.compute.routing={}", "fabrics.compute.ip=v4", "fabrics.compute.qos={}")
CASES: dict[str, tuple[str, tuple[str, ...], str, int]] = {
    "hwplb": ("superpod-b300", (*SMALL, "fabrics.compute.address_per=nic"), "hwplb", 2),
    "swplb": ("superpod-b300", SMALL, "swplb", 2),
    "one plane": ("superpod-b300", (*SMALL, "fabrics.compute.planes=1"), "none", 1),
    "four planes": ("multi-plane", (*FOUR, "pods.p1.su=2"), "hwplb", 4),
    "ConnectX-7": ("rail-only", (), "none", 1),
}
RAIL = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "nicSelector": {
            "type": "object",
            "properties": {"pfNames": {"type": "array", "minItems": 1, "items": {"type": "string"}}},
            "required": ["pfNames"],
        },
        "cidrPoolRef": {"type": "string"},
        "ipam": {"type": "string"},
        "mtu": {"type": "integer", "minimum": 0},
    },
    "required": ["mtu", "name", "nicSelector"],
}
SPEC = {
    "type": "object",
    "properties": {
        "draEnabled": {"type": "boolean"},
        "vfStateFollow": {"type": "boolean"},
        "networkNamespace": {"type": "string"},
        "nodeSelector": {"type": "object"},
        "maxUnavailable": {},
        "numVfs": {"type": "integer", "minimum": 1},
        "railTopology": {"type": "array", "minItems": 1, "items": RAIL},
    },
    "required": ["numVfs", "railTopology"],
}
"""The schema of a SpectrumXRailPoolConfig v1alpha2 at 246268d5, without defaults and descriptions."""


def written(example: str, sets: tuple[str, ...], *parts: str) -> dict[str, str]:
    files = built_files(example_cluster(example, *sets), "spectrum-x", *parts)
    return {path.removeprefix("spectrum-x/"): content.decode() for path, content in files.items()}


def load(text: str) -> Any:
    return YAML(typ="safe").load(text)


def read_official_schema() -> dict[str, Any] | None:
    if checkout := os.environ.get("SPECTRUM_X_OPERATOR"):
        (path,) = Path(checkout).glob("config/crd/bases/*spectrumxrailpoolconfigs.yaml")
        (version,) = load(path.read_text())["spec"]["versions"]
        assert version["name"] == "v1alpha2"
        schema: dict[str, Any] = version["schema"]["openAPIV3Schema"]
        return schema
    return None


def forbid_others(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema as an API server decodes strictly: no field but those that it names."""
    properties = {name: forbid_others(one) for name, one in schema.get("properties", {}).items()}
    items = {"items": forbid_others(schema["items"])} if "items" in schema else {}
    own = {"properties": properties, "additionalProperties": False} if properties else {}
    return schema | own | items


def outline(schema: dict[str, Any]) -> Any:
    """What a schema demands, without its words."""
    kept = {key: schema[key] for key in ("type", "minLength", "minItems", "minimum") if key in schema}
    fields = {name: outline(one) for name, one in schema.get("properties", {}).items()}
    return kept, sorted(schema.get("required", ())), fields, outline(schema["items"]) if "items" in schema else None


@pytest.mark.tenth
@pytest.mark.parametrize(("example", "sets", "mode", "planes"), CASES.values(), ids=CASES)
def test_rails_have_the_ports_and_pools_of_the_plan(
    example: str, sets: tuple[str, ...], mode: str, planes: int
) -> None:
    files = written(example, sets, "kubernetes", "hosts")
    config = load(files["rail-pools.yaml"])
    assert (config["apiVersion"], config["kind"]) == ("spectrumx.nvidia.com/v1alpha2", "SpectrumXRailPoolConfig")
    jsonschema.validate(config["spec"], forbid_others(SPEC))
    if official := read_official_schema():
        jsonschema.validate(config, official)
        jsonschema.validate(config["spec"], forbid_others(official["properties"]["spec"]))
    rails = config["spec"]["railTopology"]
    names = [f"rail{n}p{plane}" for n in range(8) for plane in range(planes)] if mode == "swplb" else None
    assert [rail["name"] for rail in rails] == (names or [f"rail{n}" for n in range(8)])
    assert {len(rail["nicSelector"]["pfNames"]) for rail in rails} == {1 if mode == "swplb" else planes}
    pools = {one["metadata"]["name"] for one in YAML(typ="safe").load_all(files["kubernetes/pools.yaml"]) if one}
    assert all(rail["cidrPoolRef"] in pools for rail in rails)
    netplan = load(files["hosts/p1-su01-n001/60-fabric.yaml"])["network"]["ethernets"]
    ports = [port for rail in rails for port in rail["nicSelector"]["pfNames"]]
    assert len(ports) == len(set(ports)) == 8 * planes
    assert {netplan[port]["mtu"] for port in ports} == {rail["mtu"] for rail in rails}
    # the port that has the address of a rail comes first: the operator gives pods its virtual functions
    assert all(netplan[rail["nicSelector"]["pfNames"][0]]["addresses"] for rail in rails)


@pytest.mark.parametrize(("example", "sets", "mode", "planes"), CASES.values(), ids=CASES)
def test_launch_kit_gives_every_node_an_address_in_every_pool(
    example: str, sets: tuple[str, ...], mode: str, planes: int
) -> None:
    topology = json.loads(written(example, sets)["topology.json"])
    nodes = {node["name"] for node in topology["nodes"] if node["role"] == "host"}
    pools = read_pools(topology, Kit(mode))
    assert len(pools) == 8 * (planes if mode == "swplb" else 1)
    assert all(pool.keys() == nodes for pool in pools.values())
    assert max(Counter(address for pool in pools.values() for address in pool.values()).values()) == 1
    assert {end["node"] for link in topology["links"] for end in link} == {node["name"] for node in topology["nodes"]}


THREE_TIERS = (
    "scalable_unit.nodes=4 x dgx-b300",
    "pods={p1: {su: 2}, p2: {su: 2}}",
    "fabrics.compute.tiers.spine={switch: 7060x6-64pe, per: [pod, plane]}",
    "fabrics.compute.tiers.core={switch: 7060x6-64pe, per: plane}",
)


@pytest.mark.parametrize("mode", ["swplb", "hwplb"])
def test_three_tiers_have_pods_and_units_in_them(mode: str) -> None:
    sets = (*THREE_TIERS, *(("fabrics.compute.address_per=nic",) if mode == "hwplb" else ()))
    files = written("superpod-b300", sets)
    assert files["rail-pools.yaml"].splitlines()[0].endswith("; topology.json is 3-tier")
    topology = json.loads(files["topology.json"])
    places = {(host["attributes"]["pod"], host["attributes"]["su"]) for _, host in topology["links"]}
    assert places == {(0, 0), (0, 1), (1, 0), (1, 1)}
    addresses = [address for pool in read_pools(topology, Kit(mode, True)).values() for address in pool.values()]
    assert len(addresses) == len(set(addresses)) == 16 * 8 * (2 if mode == "swplb" else 1)


VERA_RUBIN = """
fabricgen: 1
name: vera-rubin
scalable_unit: {nodes: 18 x vr200-tray, racks: {type: nvl72-vr200}}
pods: {p1: {su: 1}}
scale_up: {nvlink: {domain: nvl72-vr200, per: rack}}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn6810-ld, per: [su, rail]}
      spine: {switch: sn6810-ld, count: 3}
nos: sonic
"""


def test_vera_rubin_has_a_rail_for_each_of_its_nics(tmp_path: Path) -> None:
    """RA3.1: each of the two NICs of an accelerator is on a rail of its own, in one plane."""
    (tmp_path / "page.yaml").write_text(VERA_RUBIN)
    made = make_files(compile_blueprint(tmp_path / "page.yaml"), "spectrum-x")
    rails = load(made["spectrum-x/rail-pools.yaml"].decode())["spec"]["railTopology"]
    assert [rail["nicSelector"]["pfNames"] for rail in rails] == [[f"NIC{n}"] for n in range(1, 9)]
    pools = read_pools(json.loads(made["spectrum-x/topology.json"]), Kit("none"))
    assert {len(pool) for pool in pools.values()} == {18}


@pytest.mark.parametrize(
    ("example", "sets", "told"),
    [
        ("multi-plane", ("pods.p1.su=1",), "compute has 8 planes, and NVIDIA's NICs are set up for 1, 2 or 4"),
        ("leaf-spine", (), "accelerators have ports on no RoCE fabric, and rails are those of one"),
        ("gaudi3", (), "NICs of compute, of one plane, are gaudi3-nic, not cx8, cx9, cx7, bf3"),
        ("dual-tor", (), "NICs of compute, of 2 planes, are cx7, not cx8, cx9"),
        ("nic-modes", (), "rail 1 of compute has ports OSFP1-1 and OSFP1-2 in plane 1"),
        ("rail-only", ("fabrics.compute.hosts=none",), "ports of compute have no addresses, which pools are made of"),
    ],
)
def test_what_the_operators_have_no_words_for_is_refused(example: str, sets: tuple[str, ...], told: str) -> None:
    with pytest.raises(InputError) as refused:
        written(example, sets)
    (found,) = refused.value.diagnostics
    assert (found.code, found.message) == (CODE, told)


WIDE = """
fabricgen: 1
name: wide
scalable_unit: {nodes: 129 x dgx-b200}
pods: {p1: {su: 1}}
fabrics:
  compute: {protocol: roce, tiers: {leaf: {switch: 7808r4, per: rail}}}
"""


def test_a_topology_beyond_what_launch_kit_numbers_is_left_out_and_told(tmp_path: Path) -> None:
    (tmp_path / "page.yaml").write_text(WIDE)
    of_v4, of_v6 = (
        make_files(compile_blueprint(tmp_path / "page.yaml", sets), "spectrum-x") for sets in ((), ("ip=v6",))
    )
    told = of_v4["spectrum-x/rail-pools.yaml"].decode().splitlines()[0]
    assert told.endswith("left out: 129 nodes in a unit, and k8s-launch-kit numbers 128")
    assert [set(one) - {"spectrum-x/rail-pools.yaml"} for one in (of_v4, of_v6)] == [
        set(),
        {"spectrum-x/topology.json"},
    ]


if official := read_official_schema():

    def test_the_operators_schema_is_as_it_was_read() -> None:
        found = deepcopy(official["properties"]["spec"])
        found["properties"]["maxUnavailable"] = {}
        assert outline(found) == outline(SPEC)
