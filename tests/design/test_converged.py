"""Converged switches: one tier carries two fabrics, with VLANs and VRFs apart and every address listed once."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.capacity.counts import count_links
from fabricgen.design.model import Design
from tests.conftest import built_files

HALL = """
fabricgen: 1
name: converged
scalable_unit: {nodes: 8 x dgx-b200, racks: {nodes_per_rack: 4}}
pods: {p1: {su: 2}}
"""

CONVERGED = (
    HALL
    + """
fabrics:
  storage:
    protocol: roce
    tiers:
      leaf: {switch: sn5600, per: [su, rail]}
      spine: {switch: 7060x6-64pe, count: 2}
      border: {switch: 7060x6-64pe, count: 2, below: spine, uplinks: 4 x 400G}
    extra: {wan: {device: external-router, names: [isp-a, isp-b], to: border}}
  inband:
    protocol: ethernet
    carried_by: storage
    extra: {mgmt: {device: mgmt-server, count: 2}}
"""
)


@pytest.fixture
def design(design_of: Callable[..., Design]) -> Design:
    return design_of(CONVERGED)


@pytest.fixture
def cluster(design: Design) -> Cluster:
    return build_cluster(design)


@pytest.fixture
def files(cluster: Cluster) -> dict[str, str]:
    return {path: content.decode() for path, content in built_files(cluster).items()}


def test_a_switch_is_listed_once_and_its_links_carry_their_own_fabric(cluster: Cluster) -> None:
    owners = {cls.fabric for cls in cluster.plan.devices.classes if cls.tier == "leaf"}
    assert owners == {"storage"}
    inband = cluster.design.fabric("inband")
    assert {c.key: c.links for c in count_links(cluster.design, inband)} == {"node-leaf": 2 * 8 * 2 + 2 * 2}
    links = cluster.plan.links
    mine = [i for i, s in enumerate(links.segments) if s.fabric == "inband"]
    ports = Counter((links.b_device[r], cluster.b_port[r]) for r in range(len(links)))
    assert max(ports.values()) == 1
    assert all(links.segments[i].upper == "leaf" for i in mine)


def test_the_two_fabrics_share_no_subnet_vlan_or_vrf(cluster: Cluster) -> None:
    leaf = cluster.switch(cluster.names.index("storage-leaf-p1-su01-r1-01"))
    owner, guest = leaf.services
    assert (owner.fabric, owner.vrf, guest.fabric, guest.vrf) == ("storage", "", "inband", "inband")
    assert owner.vlan != guest.vlan
    assert owner.host_subnet != guest.host_subnet
    assert {port.service for port in leaf.ports if port.role == "host"} == {"storage", "inband"}


def test_the_vrf_runs_over_every_link_with_a_session_that_fits_the_far_end(cluster: Cluster) -> None:
    views = {view.name: view for view in cluster.switches()}
    seen = 0
    for view in views.values():
        for port in view.ports:
            if port.role == "host":
                assert not port.subinterfaces
                continue
            [sub] = port.subinterfaces
            far = next(p for p in views[port.peer].ports if p.name == port.peer_port).subinterfaces[0]
            assert sub.pairs == tuple((own, peer) for peer, own in far.pairs)
            assert sub.peer_asn == views[port.peer].asn != view.asn
            seen += 1
    links = cluster.plan.links
    between = sum(len(links.segment[links.segment == i]) for i, s in enumerate(links.segments) if s.lower != "node")
    assert seen == 2 * between


def test_every_address_is_listed_once(files: dict[str, str]) -> None:
    rows = [line.split(",") for line in files["addresses.csv"].splitlines()[1:]]
    addresses = Counter(prefix.partition("/")[0] for prefix, *_ in rows)
    assert max(addresses.values()) == 1
    listed = {(device, port) for _, _, device, port in rows}
    assert any(port.endswith(".110") for _, port in listed)


def test_sonic_keeps_the_guest_in_its_vrf(files: dict[str, str]) -> None:
    config = json.loads(files["configs/storage-leaf-p1-su01-r1-01/config_db.json"])
    assert list(config["VRF"]) == ["Vrf_inband"]
    assert {row["vrf_name"] for row in config["VLAN_SUB_INTERFACE"].values() if row} == {"Vrf_inband"}
    frr = files["configs/storage-leaf-p1-su01-r1-01/frr.conf"]
    assert "vrf Vrf_inband" in frr[frr.index("router bgp") :]


@pytest.mark.daemon
def test_frr_accepts_the_unnumbered_form(design_of: Callable[..., Design], vtysh: str, tmp_path: Path) -> None:
    design = design_of(CONVERGED, ["routing.underlay=ebgp-unnumbered"])
    checked = 0
    for path, content in built_files(build_cluster(design), "configs").items():
        if path.endswith("frr.conf"):
            assert b"vrf Vrf_inband" in content
            file = tmp_path / "frr.conf"
            file.write_bytes(content)
            ran = subprocess.run([vtysh, "-C", "--inputfile", str(file)], capture_output=True, text=True, check=False)
            assert ran.returncode == 0, ran.stdout + ran.stderr
            checked += 1
    assert checked == 4


def test_a_vrf_name_that_no_switch_takes_is_refused(tmp_path: Path, fabricgen) -> None:
    file = tmp_path / "b.yaml"
    file.write_text(
        CONVERGED.replace("inband:", "front-end-users:").replace("carried_by", "attach: inband\n    carried_by")
    )
    ran = fabricgen("show", file)
    assert ran.code == 2
    assert "FG112" in ran.err
    assert "shorter `vrf`" in ran.err


JOINED = (
    HALL
    + """
fabrics:
  storage:
    protocol: roce
    tiers:
      leaf: {switch: sn5600, per: [su, rail]}
      spine: {switch: sn5600, count: 2}
  inband:
    protocol: ethernet
    tiers: {leaf: {switch: sn5600, per: [su, rail], below: storage.spine}}
"""
)


def test_leaves_of_two_fabrics_share_spines_and_keep_their_routes_apart(design_of: Callable[..., Design]) -> None:
    design = design_of(JOINED)
    spine = design.fabric("storage").tier("spine")
    assert [feed.source.fabric for feed in spine.feeds] == ["storage", "inband"]
    first, second = spine.feeds
    assert first.first + first.numbered <= second.first
    cluster = build_cluster(design)
    views = {view.name: view for view in cluster.switches()}
    leaf, top = views["inband-leaf-p1-su01-r1-01"], views["storage-spine-01"]
    assert [service.vrf for service in leaf.services] == ["inband"]
    assert top.vrfs == ("inband",)
    assert {sub.vrf for port in leaf.ports for sub in port.subinterfaces} == {"inband"}
    files = {path: content.decode() for path, content in built_files(cluster).items()}
    assert "prefix-list HOSTS\n" not in files["configs/inband-leaf-p1-su01-r1-01/frr.conf"]


def test_a_joined_fabric_may_share_the_default_vrf(design_of: Callable[..., Design]) -> None:
    cluster = build_cluster(design_of(JOINED, ["fabrics.inband.vrf=default"]))
    assert all(not view.vrfs for view in cluster.switches())
