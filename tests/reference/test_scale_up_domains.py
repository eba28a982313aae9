"""The published scale-up domains: accelerators, switches, links, and bandwidth of an accelerator both ways.

Sources are those of the profiles; bandwidth is as vendors state it, both directions together, in GB/s.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import build_cluster
from fabricgen.design.build import build_design
from fabricgen.design.summary import summarize_design
from tests.conftest import example_cluster, example_design
from tests.scale_up.domains import blueprint, links_of_accelerators, rows

# profile, node, nodes of a domain, per, accelerators, switches, links of a domain, links each, GB/s both ways
TABLE = [
    ("hgx-a100", "dgx-a100", 1, "node", 8, 6, 96, 12, 600),
    ("hgx-h100", "dgx-h100", 1, "node", 8, 4, 144, 18, 900),
    ("hgx-h200", "dgx-h200", 1, "node", 8, 4, 144, 18, 900),
    ("hgx-b200", "dgx-b200", 1, "node", 8, 2, 144, 18, 1800),
    ("hgx-b300", "dgx-b300", 1, "node", 8, 2, 144, 18, 1800),
    ("nvl72-gb200", "gb200-tray", 18, "rack", 72, 18, 1296, 18, 1800),
    ("nvl72-gb300", "gb300-tray", 18, "rack", 72, 18, 1296, 18, 1800),
    ("nvl72-vr200", "vr200-tray", 18, "rack", 72, 36, 2592, 36, 3600),
    ("mi300x-8", "mi300x-8", 1, "node", 8, 0, 28, 7, 896),
    ("mi355x-8", "mi355x-8", 1, "node", 8, 0, 28, 7, 1075.2),
    ("gaudi3-8", "hls3-gaudi3", 1, "node", 8, 0, 84, 21, 1050),
    ("trn2-16", "trn2-48xl", 1, "node", 16, 0, 64, 8, 1024),
    ("trn2-64", "trn2-48xl", 4, "su", 64, 0, 320, 10, 1280),
    ("tpu-v4-cube", "tpu-v4", 16, "rack", 64, 0, 192, 6, 600),
    ("helios-72", "helios-tray", 18, "rack", 72, 12, 864, 12, 3600),
    ("ualink-200g", "accelerator-tray", 16, "su", 64, 8, 512, 8, 1600),
    ("esun-51t", "accelerator-tray", 16, "su", 64, 12, 768, 12, 2400),
    ("esun-102t", "accelerator-tray", 32, "su", 128, 12, 1536, 12, 2400),
]


@pytest.mark.tenth
@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[0])
def test_a_published_domain(row: tuple[str, str, int, str, int, int, int, int, float], design_of) -> None:
    domain, node, nodes, per, accelerators, switches, links, each, gigabytes = row
    racks = min(nodes, 18 if per == "rack" else 2)
    design = design_of(blueprint(domain, node, nodes, f"per: {per}", per_rack=racks))
    figures = summarize_design(design)["scale_up"]["up"]
    assert (figures["accelerators"], figures["switches"], figures["links"]) == (accelerators, switches, links)
    assert figures["gbps_per_accelerator"] * 2 / 8 == pytest.approx(gigabytes)
    cluster = build_cluster(design)
    assert len(rows(cluster)) == links
    assert set(links_of_accelerators(cluster).values()) == {each}


def test_h100_boards_are_wired_5_4_4_5(design_of) -> None:
    cluster = build_cluster(design_of(blueprint("hgx-h100", "dgx-h100")))
    of_gpu0 = Counter(row[5].partition("/")[0] for row in rows(cluster) if row[3].startswith("gpu0/"))
    assert of_gpu0 == {"asic0": 5, "asic1": 4, "asic2": 4, "asic3": 5}


def test_nvl72_trays_asics_and_links_are_in_the_lists() -> None:
    cluster = example_cluster("nvl72-gb200")
    links, devices = cluster.plan.links, cluster.plan.devices
    segment = next(i for i, s in enumerate(links.segments) if s.fabric == "nvlink")
    here = links.segment == segment
    assert here.sum() == 8 * 1296
    assert (links.cable[here] == -1).all()
    trays = next(c for c in devices.classes if c.fabric == "nvlink")
    assert trays.count == 8 * 9


def test_a_tpu_v4_pod_has_48_circuit_switches_and_96_optical_links_a_cube() -> None:
    cluster = example_cluster("tpu-torus")
    links, names = cluster.plan.links, cluster.names
    figures = summarize_design(cluster.design)["scale_up"]["ici"]
    assert figures == {
        "domains": 1,
        "accelerators": 4096,
        "switches": 48,
        "links": 64 * 144 + 6144,
        "gbps_per_accelerator": 2400,
    }
    keys = [s.key if s.fabric == "ici" else "" for s in links.segments]
    optical = links.segment == keys.index("node-switch-tray")
    assert optical.sum() == 6144
    racks = Counter(names[a].rpartition("-")[0] for a in links.a_device[optical].tolist())
    assert set(racks.values()) == {96}
    assert set(Counter(links.b_device[optical].tolist()).values()) == {128}
    media = {cluster.plan.cables.media[m].id for m in cluster.plan.cables.medium[links.cable[optical]].tolist()}
    assert media == {"bidi-50g"}
    # opposite faces of a cube meet in one switch, so that any cube can follow any other
    assert (links.segment == keys.index("node-node")).sum() == 64 * 80  # 144 less the four on each of 16 trays


def test_two_dies_of_a_name_do_not_make_two_accelerators() -> None:
    assert example_design("nvl72-gb200").catalog.scale_up("nvl72-vr200").accelerators == 72


# profile, accelerators that fit one tier, and the next that do not
LIMITS = [("ualink-200g", 128), ("ualink-200g-x1", 512), ("esun-51t", 64), ("esun-102t", 128)]


@pytest.mark.parametrize(("domain", "most"), LIMITS)
def test_the_largest_domain_of_one_tier_fits_and_no_larger_one(domain: str, most: int, design_of) -> None:
    from fabricgen.kernel.diagnostics import InputError

    fits = design_of(blueprint(domain, "accelerator-tray", most // 4, "per: su", per_rack=4))
    assert summarize_design(fits)["scale_up"]["up"]["accelerators"] == most
    with pytest.raises(InputError, match=r"FG302.*does not fit one switch tier") as refusal:
        design_of(blueprint(domain, "accelerator-tray", most // 4 + 1, "per: su", per_rack=4))
    profile = fits.catalog.scale_up(domain)
    text = str(refusal.value)
    assert f"{(most + 4) * profile.lanes:,} lanes of a switch, it has 512" in text
    assert f"at most {most:,} accelerators fit" in text


def test_an_ironwood_pod_has_9216_chips_on_48_circuit_switches(tmp_path: Path) -> None:
    """144 racks of 64 chips: 96 optical links each, 1.5 a chip; each circuit switch takes both faces of every cube."""
    file = tmp_path / "b.yaml"
    file.write_text(
        "fabricgen: 1\nname: iron\n"
        "scalable_unit: {nodes: 16 x tpu-ironwood, racks: {nodes_per_rack: 16}}\n"
        "pods: {p1: {su: 144}}\n"
        "scale_up: {ici: {domain: tpu-ironwood-pod, per: pod}}\n"
        "fabrics: {oob: {protocol: ethernet, attach: bmc, tiers: {leaf: {switch: sn2201, per: su}}}}\n"
    )
    design = build_design(load_blueprint(str(file)))
    assert summarize_design(design)["scale_up"]["ici"] == {
        "domains": 1,
        "accelerators": 9216,
        "switches": 48,
        "links": 144 * 144 + 144 * 96,
        "gbps_per_accelerator": 4800,
    }
    pod = design.catalog.scale_up("tpu-ironwood-pod")
    assert pod.switches * pod.switch_ports == 144 * 96
