"""Single cables of other ports, lengths and media: what follows, what stays, and what cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import fabricgen.catalog
from fabricgen.bom.cables import CableParts
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.export.files import cables as cables_part
from fabricgen.export.files import links as links_part
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.rules.plan.cabling.fg614_optics_too_hungry import OpticsTooHungry
from fabricgen.lint.rules.plan.topology.fg310_port_used_twice import PortUsedTwice
from fabricgen.render.engine import render_configs
from tests.conftest import BLUEPRINTS, example_cluster

DATA = Path(fabricgen.catalog.__file__).parent / "data"
LEAF, SPINE = "compute-leaf-p1-su01-r1-01", "compute-spine-01"


def built(name: str, own: dict[str, object], *sets: str) -> Cluster:
    return example_cluster(name, f"cable_of={json.dumps(own)}", *sets)


def refused(name: str, own: dict[str, object], *sets: str) -> str:
    with pytest.raises(InputError) as error:
        built(name, own, *sets)
    return str(error.value)


def places(cluster: Cluster) -> dict[str, list[tuple[str, str, str, str]]]:
    """Ends of cables, in the order of rows, by id."""
    found: dict[str, list[tuple[str, str, str, str]]] = {}
    columns = cables_part.make_table(cluster).columns
    for row in zip(*(columns[c] for c in ("cable", "a_device", "a_cage", "b_device", "b_cage")), strict=True):
        found.setdefault(str(row[0]), []).append(row[1:])  # type: ignore[arg-type]
    return found


def apply_moves(usual: Cluster, own: Cluster) -> set[str]:
    """Cables that end elsewhere."""
    before, after = places(usual), places(own)
    assert list(before) == list(after)
    return {cable for cable in before if before[cable] != after[cable]}


def test_nothing_is_stated_nothing_is_made() -> None:
    cluster = example_cluster("leaf-spine")
    assert cluster.planned.plan is cluster.plan
    assert cluster.planned.port_names is cluster.port_names


def test_a_ring_of_three_moves_three_cables_and_no_address() -> None:
    ring = {29: 30, 30: 31, 31: 29}
    own = built("leaf-spine", {f"{LEAF}:{old}": {"a_cage": new} for old, new in ring.items()})
    usual = example_cluster("leaf-spine")
    assert apply_moves(usual, own) == {f"{LEAF}:{n}" for n in ring}
    for end in "ab":
        assert (getattr(own.addresses, f"{end}_ip") == getattr(usual.addresses, f"{end}_ip")).all()
    assert list(PortUsedTwice().check(own)) == []
    ports = {port.peer: port.cage for port in own.switch(own.names.index(LEAF)).ports if port.role == "up"}
    assert ports == {f"compute-spine-0{n + 1}": ring.get(29 + n, 29 + n) for n in range(4)}


def test_a_port_name_and_the_name_of_the_device_are_understood() -> None:
    for text in ("Ethernet232", f"{LEAF}:30", f"{LEAF}:Ethernet232", "30.1"):
        own = built("leaf-spine", {f"{LEAF}:29": {"a_cage": text}, f"{LEAF}:30": {"a_cage": 29}})
        assert places(own)[f"{LEAF}:29"] == [(LEAF, "30", SPINE, "1")]


@pytest.mark.parametrize(("nos", "old", "new"), [("eos", "Ethernet29/1", "Ethernet9/1"), ("cumulus", "swp29", "swp9")])
def test_every_nos_has_the_port_that_is_used(nos: str, old: str, new: str) -> None:
    switches = {"eos": "7060dx5-32", "cumulus": "sn4700"}
    sets = (f"nos={nos}", f"fabrics.compute.tiers.leaf.switch={switches[nos]}")
    sets += (f"fabrics.compute.tiers.spine.switch={switches[nos]}",)
    usual = example_cluster("leaf-spine", *sets)
    own = built("leaf-spine", {f"{LEAF}:29": {"a_cage": 9}}, *sets)
    row = usual.names.index(LEAF)
    up = [{p.name for p in c.switch(row).ports if p.role == "up"} for c in (usual, own)]
    assert (up[0] - up[1], up[1] - up[0]) == ({old}, {new})
    texts = [_configuration(cluster, LEAF) for cluster in (usual, own)]
    label = f"{SPINE} "
    assert f"cable {LEAF}:29" in texts[1]
    assert texts[0] != texts[1]
    assert label in texts[1]
    spine = _configuration(own, SPINE)
    assert f"{LEAF} {new} cable {LEAF}:29" in spine


def _configuration(cluster: Cluster, device: str) -> str:
    contents = (content for path, content in render_configs(cluster) if path.split("/")[1] == device)
    return "".join(content if isinstance(content, str) else content.decode() for content in contents)


def test_one_far_end_of_a_splitter_moves_alone() -> None:
    node, leaf, other = "p1-su01-n001", "storage-leaf-p1-su01-r1-01", "storage-leaf-p1-su01-r2-01"
    own = built(
        "superpod-b200",
        {
            f"{leaf}:1": {"a_cage": {f"{node}:SLOT1P1": "SLOT2P1"}, "b_cage": 25},
            f"{other}:1": {"a_cage": {node: "SLOT1P1"}},
        },
    )
    usual = places(example_cluster("superpod-b200"))[f"{leaf}:1"]
    assert places(own)[f"{leaf}:1"] == [(node, "SLOT2P1", leaf, "25"), (*usual[1][:3], "25")]
    assert apply_moves(example_cluster("superpod-b200"), own) == {f"{leaf}:1", f"{other}:1"}
    links = links_part.make_table(own).columns
    rows = [i for i, name in enumerate(links["cable"]) if name == f"{leaf}:1"]
    assert [links["b_port"][i] for i in rows] == ["Ethernet192", "Ethernet196"]


@pytest.mark.parametrize(
    ("there", "back", "port"), [("18", "17", "18/2"), ("18.1", "17.2", "18/1"), ("18/1", "17/2", "18/1")]
)
def test_a_plug_in_a_twin_port_cage_keeps_its_connector(there: str, back: str, port: str) -> None:
    cable, other = f"{LEAF}:17.2", f"{LEAF}:18.{port[-1]}"
    own = built("superpod-b200", {cable: {"a_cage": there}, other: {"a_cage": back}})
    link = int(np.flatnonzero(own.plan.links.cable == own.cable_ids.index(cable))[0])
    assert own.a_port[link] == port


def test_a_length_keeps_the_medium_and_a_medium_may_be_stated() -> None:
    own = built(
        "leaf-spine",
        {
            f"{LEAF}:29": {"length_m": 17.5},
            f"{LEAF}:30": {"medium": "LR", "length_m": 3},
            f"{LEAF}:31": {"part": "ACME-7", "note": "what was on the shelf"},
        },
    )
    parts, _ = CableParts(own).parts
    told = {name: parts[own.cable_ids.index(f"{LEAF}:{name}")] for name in (29, 30, 31, 32)}
    assert told[29] == "fibre-mmf-om4-mpo-16-apc-17.5m"
    assert told[30].startswith("fibre-smf-os2")
    assert told[30].endswith("-3m")
    assert told[31] == "ACME-7"
    assert told[32] == "fibre-mmf-om4-mpo-16-apc-10m"


@pytest.mark.parametrize(
    ("own", "code", "said"),
    [
        ({f"{LEAF}:29": {"a_cage": 30}}, "FG081", f"cable {LEAF}:30 stays there"),
        ({f"{LEAF}:29": {"a_cage": 8}, f"{LEAF}:30": {"a_cage": 8}}, "FG081", "goes there too"),
        ({f"{LEAF}:29": {"a_cage": 1}}, "FG081", f"cable {LEAF}:1 stays there"),
        ({f"{LEAF}:29": {"a_cage": "mgmt"}}, "FG080", "has no cage 'mgmt'"),
        ({f"{LEAF}:29": {"b_cage": "compute-spine-07:1"}}, "FG080", "there is no device 'compute-spine-07'"),
        ({f"{LEAF}:29": {"b_cage": "compute-spine-02:1"}}, "FG081", f"cable {LEAF}:30 stays there"),
        ({f"{LEAF}:29": {"b_cage": {"compute-spine-07:1": 2}}}, "FG079", "has no end 'compute-spine-07:1'"),
        ({f"{LEAF}:1": {"a_cage": "eth2"}}, "FG079", "has 2 ends at its a side"),
        ({f"{LEAF}:1": {"a_cage": {"p1-su01-n001:eth1": "eth9"}}}, "FG080", "has no 'compute' cage 'eth9'"),
        ({f"{LEAF}:29": {"medium": "COPPER"}}, "FG083", "COPPER cannot be the medium"),
        ({f"{LEAF}:29": {"medium": "laser"}}, "FG011", "'laser' is neither a medium nor a cable profile"),
        ({"nobody:29": {}}, "FG079", "there is no cable 'nobody:29'"),
    ],
)
def test_what_cannot_be_is_refused(own: dict[str, object], code: str, said: str) -> None:
    told = refused("leaf-spine", own)
    assert f"error[{code}]" in told
    assert said in told


def test_overrides_of_another_cluster_are_told_within_reason() -> None:
    told = refused("leaf-spine", {f"rack-{n}:1": {"length_m": 3} for n in range(200)})
    assert told.count("error[FG079]") == 51
    assert "150 more cables are stated wrongly" in told


FINE = """
name: fine
scalable_unit: {nodes: 4 x dgx-b300-8p}
fabrics: {compute: {protocol: roce, attach: compute, planes: 8, tiers: {
  leaf: {switch: %s, per: [su, plane], count: 1, breakout: 8x100}}}}
cable_of: {"p1-su01-n001:OSFP1": {b_cage: {compute-leaf-p1-su01-pl1-01: %s}}}
"""
"""Leaves of ports of 100G, whose cages are split into eight."""


@pytest.mark.parametrize(
    ("switch", "cage", "said"),
    [
        ("sn5600\nnos: cumulus", 2, "only cage 1 of the two may be split so"),
        ("sn5600\nnos: cumulus", 34, "only cage 33 of the two may be split so"),
    ],
)
def test_what_a_fine_breakout_disables_stays_empty(design_of, switch: str, cage: int, said: str) -> None:
    switch, _, nos = switch.partition("\n")
    with pytest.raises(InputError) as error:
        build_cluster(design_of(f"{FINE % (switch, cage)}{nos}\n"))
    assert said in str(error.value)
    assert "blueprint.yaml:6:" in str(error.value)
    assert "error[FG082]" in str(error.value)


def test_a_pipeline_serves_no_more_ports_than_it_has(design_of, tmp_path: Path) -> None:
    profile = (DATA / "switches/ds5000.yaml").read_text(encoding="utf-8").replace("nos: [sonic]", "nos: [cumulus]")
    (tmp_path / "catalog/switches").mkdir(parents=True)
    (tmp_path / "catalog/switches/piped.yaml").write_text(profile.replace("id: ds5000", "id: piped"), encoding="utf-8")
    text = FINE % ("piped", 3)
    with pytest.raises(InputError, match="shares a pipeline of 10 ports, and 16 would be in use there"):
        build_cluster(design_of(text))


def test_one_link_of_a_shuffle_moves_to_a_free_cage(design_of) -> None:
    own = build_cluster(design_of(f"{FINE % ('sn5600', 33)}nos: cumulus\n"))
    rows = places(own)["p1-su01-n001:OSFP1"]
    assert [row[3] for row in rows] == ["33", *["1"] * 7]
    assert own.b_port[0] == "swp33s0"


def test_what_is_adopted_and_stated_by_port_stays_with_its_link() -> None:
    """Whoever states an address states that of a planned port: importing redlines renumbers nobody."""
    address = f'address_of={{{LEAF}: {{links: {{Ethernet224: "192.0.2.101"}}}}}}'
    own = built("leaf-spine", {f"{LEAF}:29": {"a_cage": 9}}, address)
    usual = example_cluster("leaf-spine", address)
    assert (own.addresses.a_ip == usual.addresses.a_ip).all()
    (row,) = np.flatnonzero(own.a_port != usual.a_port).tolist()
    assert own.switch(own.names.index(LEAF)).ports[4].address == "192.0.2.101/31"
    assert own.plan.links.cable[row] == own.cable_ids.index(f"{LEAF}:29")


SPAN = """
name: span
scalable_unit: {nodes: 4 x dgx-b200}
pods: {p1: {site: east}, p2: {site: west}}
fabrics: {across: {protocol: roce, attach: storage, oversubscription: 8, tiers: {
  leaf: {switch: sn5400, per: su, count: 1, breakout: 1x200},
  border: {switch: sn5400, count: 2, cages: {peer: "57,61"}}},
  spans: {haul: {between: [east, west], km: 80, links: 2 x 400G}}}}
nos: cumulus
cable_of: {"across-border-east-01:61": {a_cage: %s}}
"""


def test_hungry_optics_move_only_to_cages_that_feed_them(design_of) -> None:
    for cage, told in ((33, 0), (34, 1)):
        found = list(OpticsTooHungry().check(build_cluster(design_of(SPAN % cage))))
        assert len(found) == told
        assert all("cage 34 of sn5400 supplies 12 W" in d.message and d.path[0] == "cable_of" for d in found)


def test_an_infiniband_fabric_is_routed_as_it_is_wired() -> None:
    cable = f"{LEAF}:17.2"
    own = built("superpod-b200", {cable: {"a_cage": 18}, f"{LEAF}:18.2": {"a_cage": 17}})
    usual = example_cluster("superpod-b200").whole_fabric("compute").links
    differ = [(a, b) for a, b in zip(usual, own.whole_fabric("compute").links, strict=True) if a != b]
    assert [(a.a_cage, b.a_cage, b.a_port - a.a_port) for a, b in differ] == [(17, 18, 2), (18, 17, -2)]


def test_a_running_fabric_is_adopted_by_the_ports_that_it_has(tmp_path: Path, fabricgen) -> None:
    blueprint = tmp_path / "site.yaml"
    swap = f'cable_of: {{"{LEAF}:29": {{a_cage: 30}}, "{LEAF}:30": {{a_cage: 29}}}}\n'
    blueprint.write_text((BLUEPRINTS / "leaf-spine.yaml").read_text(encoding="utf-8") + swap, encoding="utf-8")
    links = tmp_path / "links.csv"
    assert fabricgen("wiring", blueprint, "--by", "link", "-o", links).code == 0
    assert fabricgen("lock", blueprint, "--import", links).code == 0
    assert "adopted" not in (tmp_path / "site.lock.yaml").read_text(encoding="utf-8")
    links.write_text(links.read_text(encoding="utf-8").replace("10.64.0.1/31", "192.0.2.1/31"), encoding="utf-8")
    links.write_text(links.read_text(encoding="utf-8").replace("10.64.0.0/31", "192.0.2.0/31"), encoding="utf-8")
    assert fabricgen("lock", blueprint, "--import", links).code == 0
    assert f"{LEAF} port Ethernet224: 192.0.2.1" in (tmp_path / "site.lock.yaml").read_text(encoding="utf-8")
    rows = fabricgen("wiring", blueprint, "--by", "link").out.splitlines()
    (row,) = [row for row in rows if "192.0.2.1/31" in row]
    assert f",{LEAF},Ethernet232," in row


def test_plan_says_which_end_was_plugged_in_elsewhere(tmp_path: Path, fabricgen) -> None:
    usual = BLUEPRINTS / "leaf-spine.yaml"
    told = fabricgen("plan", usual, usual, "--set", f'cable_of={{"{LEAF}:29": {{a_cage: 9}}}}').out
    assert f"~ cable {LEAF}:29 re-terminated: {LEAF}:29 -> {LEAF}:9" in told
