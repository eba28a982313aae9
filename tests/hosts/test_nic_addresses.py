"""One address for a NIC over its planes, one a port, or a single plane: what differs, and that nothing else does."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from ruamel.yaml import YAML

from fabricgen.design.attach import NIC_ADDRESSES as CODE
from fabricgen.kernel.diagnostics import InputError
from fabricgen.numbering.addresses.allocate import allocate_numbers
from tests.conftest import built_files, example_cluster

SMALL = ("scalable_unit.nodes=4 x dgx-b300", "pods.p1={su: 2}")
MODES = {"hwplb": ("fabrics.compute.address_per=nic",), "swplb": (), "none": ("fabrics.compute.planes=1",)}
PARTS = (
    *("summary", "devices", "links", "endpoints", "cables", "racks", "addresses", "bom", "configs", "technician"),
    *("labels", "drawings", "graph", "bom-trace", "hosts", "kubernetes", "scale-up", "kueue", "slurm", "topograph"),
    *("dns", "kea", "ansible", "gnmic", "prometheus", "ptm", "containerlab", "containerlab-frr", "netbox"),
    *("astra-sim", "astra-sim-ns3", "infragraph", "simai", "spectrum-x", "view"),
)
WITH_ADDRESSES = re.compile(
    r"links\.csv|addresses\.csv|configs/compute-leaf-\S+-pl2-01/config_db\.json|dns/.*|netbox/(19-ip-addresses\.csv|README\.txt)"
    r"|containerlab(-frr)?/superpod-b300\.clab\.yaml|hosts/.*/(60-fabric\.yaml|90-fabric\.conf|rdma-setup|rdma\.env)"
    r"|kubernetes/(networks|pools|nic-cluster-policy)\.yaml|spectrum-x/rail-pools\.yaml|view/cluster\.html"
)
"""Files that say what address or RDMA device a port has; leaves of the first plane are not among them."""


@cache
def files(mode: str, *parts: str) -> dict[str, str]:
    made = built_files(example_cluster("superpod-b300", *SMALL, *MODES[mode]), *(parts or PARTS))
    return {path: content.decode("latin-1") for path, content in made.items()}


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def documents(text: str) -> dict[str, Any]:
    return {one["metadata"]["name"]: one["spec"] for one in YAML(typ="safe").load_all(text) if one}


def leaf_addresses(mode: str) -> dict[str, str]:
    return {row["link"]: row["b_ip"] for row in rows(files(mode, "links")["links.csv"]) if row["a_ip"] or row["b_ip"]}


@pytest.mark.slow
def test_hwplb_and_swplb_differ_in_nothing_but_addresses_of_nics() -> None:
    hwplb, swplb = files("hwplb"), files("swplb")
    differing = {path for path in {*hwplb, *swplb} if hwplb.get(path) != swplb.get(path)}
    assert [path for path in differing if not WITH_ADDRESSES.fullmatch(path)] == []
    # the only files of one alone are reverse zones of addresses that the other has not
    assert all(path.endswith(".in-addr.arpa.zone") for path in {*hwplb} ^ {*swplb})
    moved = {old: leaf_addresses("hwplb")[link] for link, old in leaf_addresses("swplb").items()}
    for path in differing:
        if path.startswith("configs/"):
            told = re.sub(r"(?<=\|)[0-9.]+/31", lambda found: moved.get(found[0], found[0]), swplb[path])
            assert told == hwplb[path], path
    for old, new in zip(rows(swplb["links.csv"]), rows(hwplb["links.csv"]), strict=True):
        follows = old["fabric"] == "compute" and old["plane"] == "2" and "n0" in old["a_device"]
        assert new == (old | {"a_ip": "", "b_ip": moved[old["b_ip"]]} if follows else old)


def test_a_nic_has_one_address_and_the_leaf_of_each_plane_the_same() -> None:
    nics: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in rows(files("hwplb", "links")["links.csv"]):
        if row["fabric"] == "compute" and "n0" in row["a_device"]:
            nics.setdefault((row["a_device"], row["rail"]), []).append(row)
    assert len(nics) == 8 * 8
    for first, second in nics.values():
        assert (first["plane"], second["plane"], second["a_ip"]) == ("1", "2", "")
        assert first["b_ip"] == second["b_ip"]
        assert first["b_device"].replace("-pl1-", "-pl2-") == second["b_device"]
    assert len({first["a_ip"] for first, _ in nics.values()}) == len(nics)
    told = [row for row in rows(files("hwplb", "addresses")["addresses.csv"]) if row["kind"] == "host"]
    on_nodes = [row["port"] for row in told if row["device"] == "p1-su01-n001"]
    assert on_nodes == [f"OSFP{rail}/1" for rail in range(1, 9)]


def test_hosts_and_pods_see_a_nic_as_on_a_single_plane() -> None:
    """Networks of pods and NCCL's list are those of one plane; netplan has no address at ports of other planes."""
    parts = ("hosts", "kubernetes")
    hwplb, swplb, none = (files(mode, *parts) for mode in MODES)
    node = "hosts/p1-su01-n001"
    assert hwplb[f"{node}/rdma.env"] == none[f"{node}/rdma.env"] != swplb[f"{node}/rdma.env"]
    assert hwplb["kubernetes/networks.yaml"] == none["kubernetes/networks.yaml"]
    own, each = (YAML(typ="safe").load(one[f"{node}/60-fabric.yaml"])["network"]["ethernets"] for one in (hwplb, swplb))
    assert own.keys() == each.keys()
    for name, settings in own.items():
        unaddressed = {
            key: each[name][key]
            for key in ("mtu", "optional", "dhcp4", "dhcp6", "accept-ra", "link-local")
            if key in each[name]
        }
        assert settings == (unaddressed if name.startswith("OSFP") and name.endswith("-2") else each[name])
    pools, by_port = documents(hwplb["kubernetes/pools.yaml"]), documents(swplb["kubernetes/pools.yaml"])
    assert pools == {f"compute-r{rail}": by_port[f"compute-r{rail}p1"] for rail in range(1, 9)}


def test_a_mode_moves_no_address_of_anything_else() -> None:
    """Blocks of other planes stay taken, so that one may go from one mode to the other and back."""
    hwplb, swplb = (rows(files(mode, "addresses")["addresses.csv"]) for mode in ("hwplb", "swplb"))
    assert [row for row in hwplb if row["kind"] != "host"] == [row for row in swplb if row["kind"] != "host"]


@pytest.mark.parametrize(
    ("sets", "told"),
    [
        (("fabrics.compute.planes=1",), "compute has one plane"),
        (("fabrics.compute.hosts=bridged",), "compute has `hosts: bridged`"),
        (("fabrics.compute.hosts=rail-subnets",), "compute has `hosts: rail-subnets`"),
        (("fabrics.compute.hosts=none",), "compute has `hosts: none`"),
        (("fabrics.compute.tiers.spine.per=pod",), "compute has planes that meet in compute spine"),
    ],
)
def test_what_cannot_have_one_address_is_refused(sets: tuple[str, ...], told: str) -> None:
    with pytest.raises(InputError) as refused:
        example_cluster("superpod-b300", *SMALL, *MODES["hwplb"], *sets)
    (found,) = refused.value.diagnostics
    assert (found.code, found.path) == (CODE, ("fabrics", "compute", "address_per"))
    assert found.message.startswith(told)


def test_planes_that_are_plugged_otherwise_are_refused() -> None:
    """As a lock might keep them: the block of a leaf would not hold the addresses of its NICs."""
    cluster = example_cluster("superpod-b300", *SMALL, *MODES["hwplb"])
    links, names = cluster.plan.links, list(cluster.names)
    one, other = (names.index(f"compute-leaf-p1-su0{unit}-r1-pl2-01") for unit in (1, 2))
    swap = np.arange(len(names), dtype=np.int32)
    swap[[one, other]] = other, one
    leaves = np.where(links.a_device < min(one, other), swap[links.b_device], links.b_device)
    plan = cluster.plan._replace(links=replace(links, b_device=leaves))
    with pytest.raises(InputError) as refused:
        allocate_numbers(cluster.design, plan)
    assert [found.code for found in refused.value.diagnostics] == [CODE]
