"""Small clusters as vendors publish them.

Sources: NVIDIA DGX BasePOD reference architecture (docs.nvidia.com/dgx-basepod/
reference-architecture-infrastructure-foundation-enterprise-ai/latest/reference-architectures.html): 2 to 16 systems of
eight NDR200 connections, QM9700 for compute, SN4600C for management and storage, SN2201 out-of-band, five management
servers. DGX BasePOD deployment guide (docs.nvidia.com/dgx-basepod/deployment-guide-dgx-basepod/latest/
network-deploy.html and network-overview.html): two SN4600C, of which swp63 and swp64 are the peer link; each system has
a port on both; the IPMI network is linked to them. Two peer links for each unit of eight systems are ours.
"""

from __future__ import annotations

import csv
import io
import json

import pytest

from fabricgen.design.summary import summarize_design
from fabricgen.export.drawings.port_map import draw_port_maps
from fabricgen.export.drawings.switch_ports import PortMaps
from tests.conftest import built_files, example_cluster, example_design


def test_basepod_counts() -> None:
    figures = summarize_design(example_design("small-pair"))
    fabrics = figures["fabrics"]
    models = {tier.key: tier.profile.id for tier in example_design("small-pair").tiers}
    assert (models["compute", "leaf"], models["inband", "leaf"], models["oob", "leaf"]) == (
        "qm9700",
        "sn4600c",
        "sn2201",
    )
    assert fabrics["compute"]["links"] == {"node-leaf": 8 * figures["nodes"]}
    assert [fabrics[name]["switches"] for name in ("compute", "inband", "oob")] == [
        {"leaf": 2},
        {"leaf": 2},
        {"leaf": 2},
    ]
    assert fabrics["inband"]["links"]["leaf-leaf"] == 2


@pytest.mark.parametrize("units", [1, 2])
def test_basepod_ports(units: int) -> None:
    made = built_files(example_cluster("small-pair", f"pods.p1.su={units}"), "links")["links.csv"]
    rows = list(csv.DictReader(io.StringIO(made.decode())))
    peers = {
        row["a_port"] for row in rows if row["a_device"] == "inband-leaf-01" and row["b_device"] == "inband-leaf-02"
    }
    assert peers == {f"swp{65 - n}" for n in range(1, 2 * units + 1)}
    routers = [(row["a_device"], row["b_device"]) for row in rows if row["a_device"].startswith("wan")]
    assert sorted(routers) == [(f"wan-{n}", f"inband-leaf-0{m}") for n in (1, 2) for m in (1, 2)]
    for node in (f"p1-su0{su + 1}-n00{n + 1}" for su in range(units) for n in range(8)):
        mine = [row["b_device"] for row in rows if row["a_device"] == node and row["fabric"] == "storage"]
        assert sorted(mine) == ["inband-leaf-01", "inband-leaf-02"]
    uplinks = [(row["a_device"], row["b_device"]) for row in rows if "oob-leaf" in row["a_device"]]
    assert sorted(uplinks) == [(f"oob-leaf-0{n}", f"inband-leaf-0{m}") for n in (1, 2) for m in (1, 2)]


def test_ports_that_a_site_keeps_for_its_way_out() -> None:
    """Ports that are kept have no cable, and are drawn by what they are for."""
    keep = "fabrics.inband.tiers.leaf.reserved_ports"
    cluster = example_cluster("small-pair", f"{keep}.wan.cages=59-60", f"{keep}.campus=1")
    assert summarize_design(cluster.design)["fabrics"]["inband"]["reserved_ports"] == {
        "leaf": {"campus": ["49"], "wan": ["59", "60"]}
    }
    names = cluster.names
    for switch in PortMaps(cluster).list_switches([names.index(f"inband-leaf-0{n}") for n in (1, 2)]):
        kept = {port.cage: (port.role, port.device) for port in switch.ports if port.cage in (49, 59, 60)}
        assert kept == {49: ("kept", "campus"), 59: ("kept", "wan"), 60: ("kept", "wan")}
        assert "campus" in "".join(draw_port_maps(switch))


def test_ranges_as_the_deployment_guide_has_them() -> None:
    """The peer link of BasePOD is swp63 and swp64; nodes and IPMI switches have ranges of their own here."""
    keep = "fabrics.inband.tiers.leaf.cages"
    ranges = {"peer": "61-64", "down": "1-24", "down.storage": "41-48,33-40", "down.oob": "57-60"}
    cluster = example_cluster("small-pair", f"{keep}={json.dumps(ranges)}")
    rows = list(csv.DictReader(io.StringIO(built_files(cluster, "links")["links.csv"].decode())))
    mine = {
        fabric: [r["b_port"] for r in rows if r["b_device"] == "inband-leaf-01" and r["fabric"] == fabric]
        for fabric in ("inband", "storage", "oob")
    }
    assert mine["storage"] == [f"swp{n}" for n in (*range(41, 49), 40, 39)]
    assert mine["oob"] == ["swp57", "swp58"]
    assert {int(port[3:]) for port in mine["inband"]} <= {*range(1, 25), 63, 64}
