"""The part `kubernetes` holds to the published types of its operators, and says what the plan and `rdma-setup` say."""

from __future__ import annotations

import json
from functools import cache
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from kubernetes_model import CNI, DEVICES, MODELS
from netplans import ethernets, files_of
from rdma_hosts import run
from ruamel.yaml import YAML

from fabricgen.export.integrations import kubernetes
from fabricgen.export.table import ExportContext
from tests.conftest import example_cluster
from tests.hosts.setup_reader import read_setup

TUNED = ("qos={roce_dscp: 24, cnp_dscp: 46, roce_class: 4, cnp_class: 5}",)
POLLARA = ("scalable_unit.nodes=24 x mi355x-8", "scale_up={infinity-fabric: {domain: mi355x-8}}")
CASES = [
    ("rail-only", ()),
    ("rail-only", TUNED),
    ("superpod-b300", ()),
    ("three-generations", ()),
    ("superpod-b200", ()),
    ("known-hardware", ()),
    ("mi300x-roce", POLLARA),
    ("rail-only", ("fabrics.compute.hosts=bridged",)),
    ("bonded-pair", ()),
]
NODE = "p1-su01-n001"


@cache
def resources(name: str, *sets: str) -> list[dict[str, Any]]:
    yaml = YAML(typ="safe")
    written = kubernetes.files(example_cluster(name, *sets), ExportContext())
    told = [content for path, content in written if not path.startswith("kubernetes/labels/")]
    return [each for content in told for each in yaml.load_all(content) if each]  # type: ignore[arg-type]


def of_kind(kind: str, name: str, *sets: str) -> dict[str, dict[str, Any]]:
    return {each["metadata"]["name"]: each["spec"] for each in resources(name, *sets) if each["kind"] == kind}


@pytest.mark.tenth
@pytest.mark.parametrize(("name", "sets"), CASES)
def test_resources_hold_to_their_types(name: str, sets: tuple[str, ...]) -> None:
    for each in resources(name, *sets):
        jsonschema.validate(each, MODELS[each["kind"]])
        if each["kind"] == "NetworkAttachmentDefinition":
            jsonschema.validate(json.loads(each["spec"]["config"]), CNI)
        if "sriovDevicePlugin" in each["spec"]:
            jsonschema.validate(json.loads(each["spec"]["sriovDevicePlugin"]["config"]), DEVICES)
    nics = [each["spec"]["nicSelector"]["nicType"] for each in resources(name, *sets) if "nicSelector" in each["spec"]]
    assert len(nics) == len(set(nics)), "the operator applies none of two templates that match a NIC"


RAW = ("CNP_DSCP", "CNP_802P_PRIO", "ROCE_CC_PRIO_MASK")


def test_a_wrong_field_is_seen() -> None:
    (found,) = of_kind("NicConfigurationTemplate", "rail-only").values()
    wrong = json.loads(json.dumps(found))
    wrong["template"]["roceOptimized"]["qos"]["pfcs"] = wrong["template"]["roceOptimized"]["qos"].pop("pfc")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, MODELS["NicConfigurationTemplate"]["properties"]["spec"])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "sets"), [case for case in CASES if case[0] in ("rail-only", "superpod-b300")][:3])
def test_the_operator_and_the_script_say_the_same(name: str, sets: tuple[str, ...], tmp_path: Path) -> None:
    script = files_of(name, *sets)[f"hosts/{NODE}/rdma-setup"]
    port = next(iter(read_setup("\n".join(run(tmp_path, script).printed)).values()))
    (template,) = (spec["template"] for spec in of_kind("NicConfigurationTemplate", name, *sets).values())
    qos = template["roceOptimized"]["qos"]
    assert {i for i, on in enumerate(qos["pfc"].split(",")) if on == "1"} == port.pfc == {qos["ecn"]["priority"]}
    assert qos["tos"] == port.traffic_class
    raw = {each["name"]: each["value"] for each in template["rawNvConfig"]}
    assert port.firmware
    for key in RAW:
        assert raw[f"{key}_P1"] == raw[f"{key}_P2"] == port.firmware[key]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["nic", "port"])
def test_each_port_of_a_nic_in_planes_is_told_the_same(mode: str) -> None:
    sets = ("fabrics.compute.planes=4", "pods.p1.su=1", f"fabrics.compute.address_per={mode}")
    (template,) = (spec["template"] for spec in of_kind("NicConfigurationTemplate", "multi-plane", *sets).values())
    raw = {each["name"]: each["value"] for each in template["rawNvConfig"]}
    assert raw == {f"{key}_P{n}": raw[f"{key}_P1"] for key in RAW for n in range(1, 5)}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "sets"), [("rail-only", ()), ("mi300x-roce", POLLARA)])
def test_pods_get_the_addresses_of_the_plan(name: str, sets: tuple[str, ...]) -> None:
    """Every NIC of every node, once: its link of two addresses, with the leaf as gateway; within the pool, apart."""
    written = files_of(name, *sets)
    pools = of_kind("CIDRPool", name, *sets)
    networks = of_kind("NetworkAttachmentDefinition", name, *sets)
    assert set(pools) == set(networks) == {f"compute-r{n}" for n in range(1, 9)}
    ports = {node: ethernets(written[f"hosts/{node}/60-fabric.yaml"]) for node in (NODE, "p1-su02-n004")}
    seen: set[str] = set()
    for pool in pools.values():
        prefixes = [row["prefix"] for row in pool["staticAllocations"]]
        assert len(seen | set(prefixes)) == len(seen) + len(prefixes)
        seen |= set(prefixes)
        for row in pool["staticAllocations"]:
            assert ip_address(row["gateway"]) in ip_network(row["prefix"])
            assert ip_network(row["prefix"]).subnet_of(ip_network(pool["cidr"]))  # type: ignore[arg-type]
            assert ip_network(row["prefix"]).prefixlen == pool["perNodeNetworkPrefix"]
    for node, interfaces in ports.items():
        rows = [row for pool in pools.values() for row in pool["staticAllocations"] if row["nodeName"] == node]
        addresses = [port["addresses"][0] for port in interfaces.values() if port["mtu"] == 9000]
        assert {str(ip_network(address, strict=False)) for address in addresses} == {row["prefix"] for row in rows}


def test_networks_hand_out_the_ports_of_their_rail() -> None:
    """By the device plugin of NVIDIA's operator, or by name where NICs are another vendor's."""
    (policy,) = of_kind("NicClusterPolicy", "superpod-b300").values()
    listed = json.loads(policy["sriovDevicePlugin"]["config"])["resourceList"]
    handed = {each["resourceName"]: each["selectors"]["pfNames"] for each in listed}
    assert handed["compute_r1p1"] == ["OSFP1-1"]
    assert len(handed) == 16
    assert policy["global"]["version"] == "network-operator-v26.7.0"
    assert not of_kind("NicClusterPolicy", "mi300x-roce", *POLLARA)
    config = json.loads(of_kind("NetworkAttachmentDefinition", "mi300x-roce", *POLLARA)["compute-r3"]["config"])
    assert config["device"] == "NIC3"


def test_infiniband_is_told_to_be_that() -> None:
    found = of_kind("NicConfigurationTemplate", "superpod-b200")
    assert found["nics-1021"]["template"]["linkType"] == "Infiniband"
    assert "roceOptimized" not in found["nics-1021"]["template"]
    assert found["nics-a2dc"]["template"]["linkType"] == "Ethernet"


def test_nics_that_fabrics_ask_for_different_things_are_left_out() -> None:
    """ConnectX-7 of a DGX H100 are for both compute, on InfiniBand, and RoCE storage."""
    text = dict(kubernetes.files(example_cluster("two-generations"), ExportContext()))
    written = text["kubernetes/nic-configuration-templates.yaml"]
    assert b"ConnectX-7 (1021): not here, since storage, ndr ask for different settings" in written  # type: ignore[operator]
    assert "nics-1021" not in of_kind("NicConfigurationTemplate", "two-generations")
