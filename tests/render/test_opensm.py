"""Files of whole InfiniBand fabrics: what they say, stated and planned GUIDs, port numbers, and refusals."""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from ib_lab import parse

from fabricgen.blueprint.beside.tables import parse_guids
from fabricgen.blueprint.load import load_blueprint
from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.engine import lint
from fabricgen.nos.opensm import writer as opensm
from fabricgen.render.engine import make_render_options, render_configs
from tests.conftest import example_design
from tests.render.rendered import EXAMPLES, cluster_of, files_of

FILES = {"ib-node-name-map", "opensm.conf", "p2p.csv", "partitions.conf", "root-guids.conf", "topology.net"}
UFM_FILES = FILES - {"partitions.conf"} | {"gv.cfg"}
STANDBY = {"opensm-standby.conf"}
INFINIBAND = [n for n in EXAMPLES if any(f.protocol == "infiniband" for f in example_design(n).fabrics)]

SMALL = """\
fabricgen: 1
name: small
scalable_unit: {nodes: 2 x NODE}
pods: {p1: {su: 2}}
fabrics:
  compute:
    protocol: infiniband
    tiers: {leaf: {switch: SWITCH, per: su}, spine: {switch: SWITCH, count: 1}}
"""


def small(folder: Path, *, node: str = "dgx-b200", switch: str = "qm9700", more: str = "") -> Cluster:
    """A cluster of four nodes; `more` follows as further lines of its fabric."""
    file = folder / "blueprint.yaml"
    file.write_text(SMALL.replace("NODE", node).replace("SWITCH", switch) + more)
    return build_cluster(build_design(load_blueprint(str(file))))


def rendered(cluster: Cluster, folder: str = "compute") -> dict[str, str]:
    prefix = f"configs/{folder}/"
    return {p.removeprefix(prefix): c.decode() for p, c in render_configs(cluster) if p.startswith(prefix)}


@pytest.mark.tenth
@pytest.mark.parametrize("name", INFINIBAND)
def test_examples_have_the_files_of_their_fabrics(name: str) -> None:
    cluster, files = cluster_of(name), files_of(name)
    for fabric in cluster.whole_fabrics():
        two = len(cluster.whole_fabric(fabric).managers) > 1
        named = {p.rpartition("/")[2] for p in files if p.startswith(f"configs/{fabric}/")}
        assert named == FILES | (STANDBY if two else set())
        graph = parse(files[f"configs/{fabric}/topology.net"])
        assert all(graph.links[far] == near for near, far in graph.links.items())
        node_guids = [node for node, _ in graph.guids.values()]
        port_guids = [port for _, port in graph.guids.values()]
        assert len(set(node_guids)) == len(set(port_guids)) == len(graph.names)
        rows = list(csv.reader(files[f"configs/{fabric}/p2p.csv"].splitlines()))
        ends = Counter((row[i], row[i + 1]) for row in rows[1:] for i in (2, 6))
        assert set(ends.values()) == {1}
        assert 2 * len(rows[1:]) == len(graph.links)


def test_every_file_follows_the_switches() -> None:
    paths = list(files_of("superpod-b200"))
    mine = sorted(FILES | STANDBY)
    assert {p.split("/")[1] for p in paths[-len(mine) :]} == {"compute"}
    assert [p.rpartition("/")[2] for p in paths[-len(mine) :]] == mine
    assert not any(path.startswith("configs/compute-") for path in paths)


@pytest.mark.parametrize(
    ("node", "switch", "sets", "ports", "first", "labels"),
    [
        ("dgx-b200", "qm9700", (), 64, "4xNDR", ("1/1", "1/2", "2/1")),
        ("dgx-b200", "qm9700", ("fabrics.compute.speed=200G",), 128, "2xNDR", ("1/1", "1/2", "1/3")),
        ("dgx-b200", "qm8790", ("fabrics.compute.speed=200G",), 40, "4xHDR", ("1", "2", "3")),
        ("dgx-b300-xdr", "q3400-ra", (), 144, "4xXDR", ("sw1p1", "sw1p2", "sw2p1")),
    ],
)
def test_ports_are_numbered_over_the_face(
    tmp_path: Path, node: str, switch: str, sets: tuple[str, ...], ports: int, first: str, labels: tuple[str, ...]
) -> None:
    """QM97x0 manual: a twin-port cage has two ports; split four ways, the whole box numbers four a cage."""
    (tmp_path / "b.yaml").write_text(SMALL.replace("NODE", node).replace("SWITCH", switch))
    if switch == "qm8790":
        _with_node_of_200g(tmp_path)
    files = rendered(build_cluster(build_design(load_blueprint(str(tmp_path / "b.yaml"), sets))))
    leaf = files["topology.net"].partition("Switch\t")[2].partition("\n\n")[0]
    assert leaf.startswith(f"{ports} ")
    down = re.findall(r'^\[(\d+)\]\t"H-.* (\d+x[A-Z]+)$', leaf, re.M)
    assert down == [(str(i + 1), first) for i in range(16)]
    rows = list(csv.reader(files["p2p.csv"].splitlines()))
    assert tuple(row[7] for row in rows[1:4]) == labels
    assert [row[3] for row in rows[1:9]] == [str(i) for i in range(1, 9)]


def _with_node_of_200g(folder: Path) -> None:
    """DGX nodes with ports of HDR lanes, which a QM8790 takes."""
    text = (Path(opensm.__file__).parents[2] / "catalog" / "data" / "nodes" / "dgx-b200.yaml").read_text()
    text = text.replace("OSFP\n    lanes: 4\n    lane_gbps: 100", "QSFP56\n    lanes: 4\n    lane_gbps: 50", 1)
    text = text.replace("speeds: [400, 200, 100]\n    connectors: 2", "speeds: [200]", 1)
    text = re.sub(r"cage: OSFP\d, gpu: (\d)", r"cage: Q\1, gpu: \1", text.replace("id: dgx-b200", "id: hdr", 1))
    (folder / "catalog" / "nodes").mkdir(parents=True)
    (folder / "catalog" / "nodes" / "hdr.yaml").write_text(text)
    (folder / "b.yaml").write_text((folder / "b.yaml").read_text().replace("dgx-b200", "hdr"))


def test_planned_guids_are_marked_and_stay_when_others_come(tmp_path: Path) -> None:
    before = parse(rendered(small(tmp_path))["topology.net"])
    more = "    extra: {ufm: {device: ufm, ports: 1}}\n    oversubscription: '2:1'\n"
    after = parse(rendered(small(tmp_path, more=more))["topology.net"])
    assert all(guid.startswith("2f") and len(guid) == 15 for pair in before.guids.values() for guid in pair)
    assert len(after.names) == len(before.names) + 1
    assert before.names.items() <= after.names.items()


def test_devices_of_one_hash_get_guids_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    from fabricgen.numbering import guids

    real = guids._hash_device
    monkeypatch.setattr(guids, "_hash_device", lambda device, salt: real(device, salt) if salt > 1 else salt)
    found = guids._plan_guids([("compute", name) for name in ("c", "a", "b", "d")])
    assert len(set(found.values())) == 4
    assert found == guids._plan_guids([("compute", name) for name in ("d", "b", "a", "c")])


def test_two_fabrics_of_one_node_have_guids_of_their_own(tmp_path: Path) -> None:
    storage = "  storage: {protocol: infiniband, attach: compute, speed: 200G, tiers: {leaf: {switch: qm9700}}}\n"
    cluster = small(tmp_path, more=storage)
    found = [parse(rendered(cluster, name)["topology.net"]).guids.values() for name in ("compute", "storage")]
    assert {g for pair in found[0] for g in pair}.isdisjoint(g for pair in found[1] for g in pair)


def test_stated_guids_stand_everywhere(tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text(
        "device,guid,port,port_guid\n"
        "compute-spine-01,0xfc6a1c0300000001,,\n"
        "p1-su01-n002,b83f:d203:0000:0001,OSFP3P1,0xb83fd20300000002\n"
    )
    files = rendered(small(tmp_path, more="    guids: real.csv\n"))
    graph = parse(files["topology.net"])
    assert graph.names["S-fc6a1c0300000001"] == "compute-spine-01"
    assert graph.names["H-b83fd20300000001"] == "p1-su01-n002 OSFP3P1"
    assert graph.guids["H-b83fd20300000001"] == ("b83fd20300000001", "b83fd20300000002")
    assert '0xb83fd20300000001 "p1-su01-n002 OSFP3P1"' in files["ib-node-name-map"]
    assert re.findall(r"^0x.*", files["root-guids.conf"], re.M) == ["0xfc6a1c0300000001 # compute-spine-01, subnet 1"]
    assert "\nroot_guid_file " in files["opensm.conf"]
    assert f"33 of {len(graph.names)}" in files["root-guids.conf"]


def test_roots_are_named_to_opensm_only_when_all_are_real(tmp_path: Path) -> None:
    planned = rendered(small(tmp_path))
    assert "\n# root_guid_file " in planned["opensm.conf"]
    assert "no hardware has them" in planned["root-guids.conf"]
    assert "no hardware has them" in planned["ib-node-name-map"]


def test_guids_count_as_part_of_the_blueprint(tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text("device,guid\ncompute-spine-01,0xfc6a1c0300000001\n")
    before = small(tmp_path, more="    guids: real.csv\n").design.loaded.digest
    (tmp_path / "real.csv").write_text("device,guid\ncompute-spine-01,0xfc6a1c0300000002\n")
    assert small(tmp_path, more="    guids: real.csv\n").design.loaded.digest != before


REFUSED = {
    "guid,name\n": ["1: the table has no column 'device'", "1: there is no column 'name'"],
    "": ["1: the table has no column 'device'", "1: the table has no column 'guid'"],
    "device,guid,guid\n": ["1: the column 'guid' is there twice"],
    "device,guid\na,12\nb,0x0000000000000000\n,0xfc6a1c0300000001\n": [
        "2: '12' is no GUID",
        "3: '0x0000000000000000' is no GUID",
        "4: the line names no device",
    ],
    "device,guid\n\na,0x02f0000000000001\n": ["3: '0x02f0000000000001' is a planned GUID, which no hardware has"],
    "device,guid\na,0xfc6a1c0300000001\na,0xfc6a1c0300000002\nb,0xFC6A1C0300000001\n": [
        "3: a is there twice, first in line 2",
        "4: GUID 0xfc6a1c0300000001 is there twice, first in line 2",
    ],
    "device,guid,port,port_guid\na,0xfc6a1c0300000001,p,0xfc6a1c0300000002\na,0xfc6a1c0300000002,q,\n": [
        "3: GUID 0xfc6a1c0300000002 is there twice, first in line 2"
    ],
    f"device,guid\n{'a' * 200_000},0x1\n": ["2: this is no CSV: field larger than field limit (131072)"],
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda t: t[:24])
def test_tables_that_are_wrong_are_refused_line_by_line(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_guids(text, "t.csv")
    assert [f"{d.span.line}: {d.message}" for d in caught.value.diagnostics if d.span] == REFUSED[text]
    assert {d.code for d in caught.value.diagnostics} == {"FG061"}


def test_rows_of_nothing_in_the_fabric_are_refused(tmp_path: Path) -> None:
    rows = ("compute-spine-1,,0xfc6a1c0300000001", "compute-spine-01,1/1,0xfc6a1c0300000002")
    rows = (*rows, "p1-su01-n001,,0xfc6a1c0300000003", "p1-su01-n001,OSFP9,0xfc6a1c0300000004")
    (tmp_path / "real.csv").write_text("\n".join(("device,port,guid", *rows)))
    with pytest.raises(InputError) as caught:
        small(tmp_path, more="    guids: real.csv\n")
    found = [(d.span.line if d.span else 0, d.message) for d in caught.value.diagnostics]
    assert found == [
        (2, "there is no device 'compute-spine-1' in this fabric"),
        (3, "compute-spine-01 is a switch, and its ports have no GUIDs"),
        (4, "p1-su01-n001 has 8 ports in this fabric"),
        (5, "p1-su01-n001 has no port 'OSFP9' in this fabric"),
    ]
    assert "did you mean 'compute-spine-01'" in caught.value.diagnostics[0].hint


@pytest.mark.parametrize(
    ("path", "code"), [("../real.csv", "FG007"), ("/etc/hostname", "FG007"), ("link.csv", "FG007"), ("no.csv", "FG001")]
)
def test_tables_stay_in_the_folder_of_the_blueprint(tmp_path: Path, path: str, code: str) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "real.csv").write_text("device,guid\n")
    (inside / "link.csv").symlink_to(tmp_path / "real.csv")
    with pytest.raises(InputError) as caught:
        small(inside, more=f"    guids: {path}\n")
    (found,) = caught.value.diagnostics
    assert (found.code, found.span.line if found.span else 0) == (code, 9)


def test_guids_of_an_ethernet_fabric_are_refused(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text(SMALL.replace("infiniband", "roce") + "    guids: real.csv\n")
    with pytest.raises(InputError, match="`guids` are of InfiniBand devices"):
        load_blueprint(str(tmp_path / "b.yaml"))


def test_a_switch_named_like_a_fabric_is_refused(tmp_path: Path) -> None:
    oob = "  oob: {protocol: ethernet, attach: bmc, tiers: {leaf: {switch: sn2201}}}\n"
    with pytest.raises(InputError) as caught:
        next(render_configs(small(tmp_path, more=oob + "names: {devices: {oob-leaf-01: compute}}\n")))
    (found,) = caught.value.diagnostics
    assert (found.code, found.path) == ("FG035", ("fabrics", "compute"))
    assert found.span


HOSTILE = ('n1"\nroot_guid_file x', "a b", "x # y", "q\tz", "n,1")


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_reach_no_file(tmp_path: Path, name: str) -> None:
    """Names that no blueprint can have are stopped where values are made."""
    view = small(tmp_path).whole_fabric("compute")
    catalog = Catalog(None)
    opensm.values(view, catalog)
    for evil in (
        replace(view, name=name),
        replace(view, switches=(view.switches[0]._replace(name=name), *view.switches[1:])),
        replace(view, adapters=(view.adapters[0]._replace(port=name), *view.adapters[1:])),
        replace(view, adapters=(view.adapters[0]._replace(rack=name), *view.adapters[1:])),
    ):
        with pytest.raises(ValueError, match="cannot be a word"):
            opensm.values(evil, catalog)


@pytest.mark.slow
def test_plan_shows_what_changes_in_the_files_of_a_fabric(tmp_path: Path, fabricgen) -> None:
    small(tmp_path)
    old = tmp_path / "blueprint.yaml"
    new = tmp_path / "new.yaml"
    (tmp_path / "real.csv").write_text("device,guid\ncompute-spine-01,0xfc6a1c0300000001\n")
    new.write_text(old.read_text() + "    guids: real.csv\n")
    ran = fabricgen("plan", old, new)
    assert "config compute root-guids.conf: changed" in ran.out
    assert "config compute topology.net: changed" in ran.out
    assert "compute" not in fabricgen("plan", old, old).out
    assert fabricgen("build", old, "-o", tmp_path / "out").code == 0
    assert "config compute opensm.conf" in fabricgen("plan", tmp_path / "out", new, "--configs").out


def test_a_fabric_that_another_carries_is_in_its_files(tmp_path: Path) -> None:
    guest = "  data: {protocol: infiniband, attach: storage, carried_by: compute, speed: 200G}\n"
    cluster = small(tmp_path, more="    oversubscription: '2:1'\n" + guest)
    graph = parse(rendered(cluster)["topology.net"])
    assert cluster.whole_fabrics() == ["compute"]
    assert {"p1-su01-n001 OSFP4P2", "p1-su01-n001 SLOT1P1"} <= set(graph.names.values())
    assert len({guid for guid, _ in graph.guids.values()}) == len(graph.names) == 4 * 10 + 3


def test_templates_of_fabrics_are_overridden_too(tmp_path: Path) -> None:
    templates = tmp_path / "templates"
    (templates / "opensm").mkdir(parents=True)
    (templates / "opensm" / "partitions.conf.j2").write_text("# {{ fabric }}\n")
    cluster = small(tmp_path)
    files = dict(render_configs(cluster, options=make_render_options(cluster, overrides=templates)))
    assert files["configs/compute/partitions.conf"] == b"# compute\n"
    assert {p: c for p, c in files.items() if "partitions" not in p}.items() <= dict(render_configs(cluster)).items()


TWO_UFMS = "    extra: {ufm: {device: ufm, count: 2, ports: 1}}\n    oversubscription: '2:1'\n"


def options(text: str) -> dict[str, str]:
    return dict(line.split(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#"))


def test_of_two_opensms_one_is_the_master(tmp_path: Path) -> None:
    files = rendered(small(tmp_path, more=TWO_UFMS))
    first, second = options(files["opensm.conf"]), options(files["opensm-standby.conf"])
    assert (first.pop("sm_priority"), second.pop("sm_priority")) == ("15", "14")
    assert first == second
    assert "These are for ufm-1; opensm-standby.conf is for ufm-2" in files["opensm.conf"]


def test_ufm_routes_adaptively_and_runs_sharp(tmp_path: Path) -> None:
    files = rendered(small(tmp_path, more=TWO_UFMS + "    subnet_manager: ufm\n"))
    assert set(files) == UFM_FILES
    assert options(files["opensm.conf"]) == {
        "routing_engine": "ar_updn",
        "lmc": "0",
        "sm_priority": "15",
        "node_name_map_name": "/opt/ufm/files/conf/opensm/ib-node-name-map",
    }
    assert "# root_guid_file /opt/ufm/files/conf/opensm/root_guid.conf\n" in files["opensm.conf"]
    assert files["gv.cfg"].endswith("\n[Sharp]\nsharp_enabled = true\n")


def test_storage_has_no_collectives_for_sharp(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text(
        SMALL.replace("NODE", "dgx-b200").replace("SWITCH", "qm9700")
        + "    attach: storage\n    speed: 200G\n    subnet_manager: ufm\n"
    )
    files = rendered(build_cluster(build_design(load_blueprint(str(tmp_path / "b.yaml")))))
    assert set(files) == UFM_FILES - {"gv.cfg"}


def test_limited_members_of_the_default_partition_reach_the_subnet_managers(tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text("device,guid,port,port_guid\nufm-2,0xfc6a1c0300000002,ib1,0xfc6a1c0300000003\n")
    more = TWO_UFMS + "    guids: real.csv\n    default_partition: limited\n"
    row = rendered(small(tmp_path, more=more))["partitions.conf"].splitlines()[-1]
    assert row == "Default=0x7fff, ipoib : ALL=limited, ALL_SWITCHES=full, SELF=full, 0xfc6a1c0300000003=full ;"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("subnet_manager: ufm\n", "`subnet_manager` is of InfiniBand fabrics"),
        ("default_partition: full\n", "`default_partition` is of InfiniBand fabrics"),
    ],
)
def test_subnet_managers_of_an_ethernet_fabric_are_refused(tmp_path: Path, more: str, said: str) -> None:
    (tmp_path / "b.yaml").write_text(SMALL.replace("infiniband", "roce") + "    " + more)
    with pytest.raises(InputError, match=said):
        load_blueprint(str(tmp_path / "b.yaml"))


def test_ufm_makes_the_default_partition_itself(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="UFM makes the default partition itself"):
        small(tmp_path, more="    subnet_manager: ufm\n    default_partition: limited\n")


def test_plan_shows_the_files_of_another_subnet_manager(tmp_path: Path, fabricgen) -> None:
    small(tmp_path)
    old, new = tmp_path / "blueprint.yaml", tmp_path / "new.yaml"
    new.write_text(old.read_text() + "    subnet_manager: ufm\n")
    ran = fabricgen("plan", old, new)
    assert "config compute opensm.conf: changed" in ran.out
    assert "config compute gv.cfg: " in ran.out


def test_a_subnet_manager_is_stated_where_the_switches_are(tmp_path: Path) -> None:
    guest = "  data: {protocol: infiniband, attach: storage, carried_by: compute, speed: 200G, subnet_manager: ufm}\n"
    design = small(tmp_path, more="    oversubscription: '2:1'\n" + guest).design
    (found,) = [d for d in lint(design).findings if d.code == "FG806"]
    assert found.path == ("fabrics", "data", "subnet_manager")
    assert "set it on compute" in found.hint
