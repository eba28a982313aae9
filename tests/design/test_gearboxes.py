"""Optics whose electrical lanes are slower than their light: who meets whom, and what that takes of a cage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.bom.cables import CableParts
from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.rules.design.physical.fg610_media_carry_nothing import MediaCarryNothing
from fabricgen.lint.rules.plan.cabling.fg603_crowded_cage import CrowdedCage
from fabricgen.lint.rules.plan.cabling.fg635_patching_does_not_mate import PatchingDoesNotMate
from fabricgen.lint.rules.plan.ordering.fg656_article_without_seller import ArticleWithoutSeller

MEDIA = {cable.id: cable for cable in Catalog().cables}

HEAD = """
fabricgen: 1
name: gear
scalable_unit: {nodes: NODES x dgx-h100, racks: {nodes_per_rack: 4}}
pods: {p1: {su: 2}}
"""
APART = "floor: {network_join: false}\n"
COMPUTE = "fabrics: {compute: {protocol: roce, MEDIA tiers: {leaf: {switch: LEAF, per: rail}, spine: {switch: SPINE}}}}"
OOB = """
nos: cumulus
fabrics:
  compute:
    protocol: roce
    tiers: {leaf: {switch: sn5600, count: 2, breakout: [2 x 400G, BREAKOUT]}}
  oob:
    protocol: ethernet
    attach: bmc
    tiers: {leaf: {switch: sn2201, count: LEAVES, below: compute.leaf, uplinks: 2 x 100G}}
"""


def _design(folder: Path, text: str, **words: object) -> Design:
    for word, value in {"MEDIA": "", "NODES": 4, **words}.items():
        text = text.replace(word, str(value))
    file = folder / "b.yaml"
    file.write_text(text)
    return build_design(load_blueprint(str(file)))


def _clos(folder: Path, leaf: str, spine: str, *, nodes: int = 4, media: str = "") -> Design:
    told = f"media: {media}," if media else ""
    return _design(folder, HEAD + COMPUTE, LEAF=leaf, SPINE=spine, NODES=nodes, MEDIA=told)


def _transceivers(cluster: Cluster, key: str) -> set[tuple[str, str]]:
    """(lower, upper) transceivers of the cables between two tiers."""
    table, links = cluster.plan.cables, cluster.plan.links
    a, b = CableParts(cluster).list_transceivers()
    keys = [links.segments[links.segment[link]].key for link in table.end_link]
    return {(a[i], b[i]) for i, found in enumerate(keys) if found == key}


def test_dr4_of_eight_electrical_lanes_meets_half_an_osfp(tmp_path: Path) -> None:
    """64 nodes of 8 x 400G: 512 ports on leaves of 2 x 400G a cage, 64 down and 64 up, under spines of 1 x 400G."""
    design = _clos(tmp_path, "sn5600", "7060dx5-64s", nodes=32)
    leaf, spine = design.tiers
    assert (leaf.switches, spine.switches) == (8, 8)
    assert leaf.up
    assert (leaf.up.ways, leaf.up.lane_gbps) == (2, 100)
    assert (spine.downs[0].ways, spine.downs[0].lane_gbps) == (1, 50)


def test_its_modules_are_those_of_each_cage(tmp_path: Path) -> None:
    cluster = build_cluster(_clos(tmp_path, "sn5600", "7060dx5-64s"))
    assert _transceivers(cluster, "leaf-spine") == {("dr8-100m-osfp-800g", "dr4-50g-qsfp-dd-400g")}
    assert cluster.plan.cables.reaches.all()


def test_a_nic_meets_it_too(tmp_path: Path) -> None:
    cluster = build_cluster(_clos(tmp_path, "7060dx5-64s", "7060dx5-64s"))
    leaf = cluster.design.tiers[0]
    assert (leaf.downs[0].speed_gbps, leaf.downs[0].ways, leaf.downs[0].lane_gbps) == (400, 1, 50)
    assert _transceivers(cluster, "node-leaf") == {("dr8-100m-osfp-800g-flat", "dr4-50g-qsfp-dd-400g")}


@pytest.mark.parametrize(
    ("media", "ways", "medium"), [("DAC", 1, "dac-50g"), ("SR", 1, "sr8-50g"), ("FR", 2, "2fr4"), ("LR", 2, "lr4")]
)
def test_what_media_allow_decides(tmp_path: Path, media: str, ways: int, medium: str) -> None:
    """Copper and multimode are plain, over lanes of 50G at both ends; FR4 and LR4 have the same gearbox as DR4."""
    text = (HEAD + COMPUTE).replace("spine: {", "spine: {media: {down: [MEDIUM]}, ").replace("MEDIUM", media)
    cluster = build_cluster(_design(tmp_path, text, LEAF="sn5600", SPINE="7060dx5-64s", NODES=1))
    table, links = cluster.plan.cables, cluster.plan.links
    leaf = cluster.design.tiers[0]
    assert leaf.up
    assert leaf.up.ways == ways
    upper = [links.segments[links.segment[link]].key == "leaf-spine" for link in table.end_link]
    assert {table.media[table.medium[table.end_cable[row]]].id for row, is_up in enumerate(upper) if is_up} == {medium}
    ends = _transceivers(cluster, "leaf-spine")
    modules = {module.partition("-osfp")[0].partition("-qsfp")[0] for pair in ends for module in pair if module}
    assert all(MEDIA[module].reach_m >= MEDIA[medium].reach_m for module in modules)


@pytest.mark.parametrize("leaves", [5, 6])
def test_qsfp28_uplinks_share_a_cage_split_in_eight(tmp_path: Path, leaves: int) -> None:
    """NVIDIA's wire maps have five or six SN2201 on one cage of a SN5600: 100GBASE-DR, on splitters of two DR4."""
    cluster = build_cluster(_design(tmp_path, HEAD + OOB, LEAVES=leaves, BREAKOUT="8 x 100G"))
    leaf = next(tier for tier in cluster.design.tiers if tier.fabric == "compute")
    run = next(run for run in leaf.downs if run.speed_gbps == 100)
    assert (run.ways, run.lane_gbps, run.count, len(run.cages)) == (8, 100, leaves, 1)
    assert _transceivers(cluster, "leaf-leaf") == {("dr1-25g-qsfp28-100g", "dr8-100m-osfp-800g")}
    part, text = CableParts(cluster).parts
    fibres = {(part[i], text[i]) for i in range(len(cluster.plan.cables)) if "1x4" in part[i]}
    assert {words.split(",")[2] for _, words in fibres} == {" MPO-12/APC to 4x LC duplex"}


@pytest.mark.slow
def test_ports_with_fec_in_their_module_have_none(fabricgen: Any, tmp_path: Path) -> None:
    """Cumulus Linux, Switch Port Attributes, DR1 and DR4 Modules: with 100GBASE-DR1, FEC is off or left unset."""
    text = (HEAD + OOB).replace("LEAVES", "2").replace("BREAKOUT", "8 x 100G").replace("NODES", "4")
    (tmp_path / "b.yaml").write_text(text)
    ran = fabricgen("build", tmp_path / "b.yaml", "-o", tmp_path / "out", "--only", "configs")
    assert ran.code == 0, ran.err
    configs = tmp_path / "out" / "configs"
    assert "fec" not in (configs / "oob-leaf-01" / "startup.yaml").read_text()
    assert 'fec: "rs"' in (configs / "compute-leaf-01" / "startup.yaml").read_text()


def test_single_lanes_are_not_patched(tmp_path: Path) -> None:
    """Jumpers of panels end in MPO, which a QSFP28 of one lane has no place for."""
    patch = "cabling: {patch: {p: {fabrics: oob, between: [leaf-leaf], at: rack, panel: mpo-apc-72}}}\n"
    cluster = build_cluster(_design(tmp_path, HEAD + APART + patch + OOB, LEAVES=5, BREAKOUT="8 x 100G"))
    (told,) = PatchingDoesNotMate().check(cluster)
    assert told.message.startswith("10 ends of oob leaf-leaf cables have dr1-25g, which takes one lane by LC duplex")


def test_a_breakout_that_no_stated_medium_serves_is_refused(tmp_path: Path) -> None:
    text = (HEAD + OOB).replace("count: 2,", "count: 2, media: {down: [SR]},")
    with pytest.raises(InputError) as error:
        _design(tmp_path, text, LEAVES=5, BREAKOUT="8 x 100G")
    assert [d.code for d in error.value.diagnostics] == ["FG119"]


def test_lanes_are_told_where_they_are_the_reason(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        _design(tmp_path, (HEAD + COMPUTE).replace("roce", "infiniband"), LEAF="qm9700", SPINE="q3400-ra")
    message = error.value.diagnostics[0].message
    assert message.endswith("400G over lanes of 100G (OSFP) meets none over lanes of 200G (OSFP)")


def test_an_ndr_device_on_xdr_switches_is_told_the_way_out(tmp_path: Path) -> None:
    text = (HEAD + COMPUTE).replace("dgx-h100", "dgx-b300-xdr").replace("roce", "infiniband")
    text = text.replace("SPINE}}}}", "SPINE}}, extra: {ufm: {device: ufm}}}}")
    with pytest.raises(InputError) as error:
        _design(tmp_path, text, LEAF="q3400-ra", SPINE="q3400-ra")
    assert error.value.diagnostics[0].hint == (
        "ports of 100G lanes need a fabric of their own on qm9700; or take a device whose lanes run at 200G"
    )


@pytest.mark.parametrize(
    ("one", "other", "meets"),
    [
        ("dr4-50g", "dr8-100m", True),
        ("dr4-50g", "dr8-500m", True),
        ("fr4-50g", "2fr4", True),
        ("lr4-50g", "lr4", True),
        ("dr1-25g", "dr8-500m", True),
        ("fr8-50g", "2fr4", False),
        ("fr4-50g", "dr8-500m", False),
        ("dr1-25g", "2fr4", False),
        ("dr4-50g", "dr8-200g", False),
    ],
)
def test_light_decides_who_meets_whom(one: str, other: str, meets: bool) -> None:
    assert MEDIA[one].interoperates_with(MEDIA[other]) is meets
    assert MEDIA[other].interoperates_with(MEDIA[one]) is meets


def test_hdr_hangs_on_ndr_by_active_splitters(tmp_path: Path) -> None:
    """NVIDIA MFA7U10: a twin-port OSFP to two QSFP56 of four lanes of 50G; no transceiver of an NDR cage does that."""
    text = (HEAD + COMPUTE).replace("dgx-h100", "dgx-a100").replace("roce", "infiniband")
    cluster = build_cluster(_design(tmp_path, text, LEAF="qm9700", SPINE="qm9700"))
    leaf = cluster.design.tiers[0]
    assert (leaf.downs[0].ways, leaf.downs[0].speed_gbps, leaf.downs[0].lane_gbps) == (2, 200, 50)
    parts = {part for part in CableParts(cluster).parts[0] if "qsfp56" in part}
    assert parts
    assert all(part.startswith("aoc-ndr-hdr-osfp-qsfp56-400g-1x2-") for part in parts)
    assert _transceivers(cluster, "node-leaf") == {("", "")}


def test_copper_to_hdr_is_taken_where_it_is_stated(tmp_path: Path) -> None:
    text = (HEAD + COMPUTE).replace("dgx-h100", "dgx-a100").replace("roce", "infiniband")
    text = text.replace("per: rail", "per: rail, media: {down: [DAC]}")
    cluster = build_cluster(_design(tmp_path, text, LEAF="qm9700", SPINE="qm9700"))
    assert any(part.startswith("dac-50g-osfp-qsfp56") for part in CableParts(cluster).parts[0])


def test_the_light_of_copackaged_optics_is_single_mode(tmp_path: Path) -> None:
    """Micas sells the W6940 with FR4 behind duplex LC; two of its 400G ports are one cage here."""
    cluster = build_cluster(_clos(tmp_path, "w6940-cpo", "w6940-cpo"))
    cables = cluster.plan.cables
    assert {cables.media[medium].id for medium in cables.medium.tolist()} == {"2fr4"}
    assert _transceivers(cluster, "node-leaf") == {("2fr4-osfp-800g-flat", "")}
    assert list(CrowdedCage().check(cluster)) == []
    assert not any(MEDIA[medium].plugs_into("CPO") for medium in ("sr8-100g", "vr8-100g", "dac-100g"))


def test_a_switch_without_such_cages_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        _design(tmp_path, HEAD + "fabrics: {oob: {protocol: ethernet, attach: bmc, tiers: {leaf: {switch: sn5600}}}}")
    assert "cannot link to sn5600, which offers no such cage" in error.value.diagnostics[0].message


def test_a_stated_medium_that_cages_are_not_made_for_is_told_so(tmp_path: Path) -> None:
    findings = list(MediaCarryNothing().check(_clos(tmp_path, "w6940-cpo", "w6940-cpo", media="DR")))
    assert findings
    assert all("DR of 400G compute" in d.message and "made for (2fr4)" in d.message for d in findings)


def test_an_ndr_port_on_hdr_switches_needs_a_module_that_nobody_sells(tmp_path: Path) -> None:
    """Modules of 100G lanes do not downshift, and there is no OSFP of four lanes of 50G (LinkX overview)."""
    ufm = "extra: {ufm: {device: ufm, ports: 1}}"
    text = f"{HEAD}{APART}fabrics: {{compute: {{protocol: infiniband, tiers: {{leaf: {{switch: qm8790}}}}, {ufm}}}}}"
    text = text.replace("dgx-h100", "dgx-a100").replace("su: 2", "su: 1")
    (finding,) = ArticleWithoutSeller().check(build_cluster(_design(tmp_path, text, NODES=2)))
    assert finding.message.startswith("nobody is known to sell 1 sr8-50g-osfp-200g-flat")
