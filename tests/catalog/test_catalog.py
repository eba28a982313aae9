"""The catalogue's own data: every file loads, refers to what exists, and says what its source says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import jsonschema
import pytest
from ruamel.yaml import YAML

import fabricgen.catalog
from fabricgen.blueprint.schema import make_catalog_schema
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import PROFILE_KINDS, CableProfile, NodeProfile, SwitchProfile
from fabricgen.catalog.sonic_models import SonicPlatform
from fabricgen.design.scale_up.domains import load_kind
from fabricgen.kernel.diagnostics import InputError
from fabricgen.yaml.located import read_located
from fabricgen.yaml.plain import read_plain

HOME = Path(fabricgen.catalog.__file__).parent
SCHEMA = Path(__file__).parents[2] / "schemas" / "catalog.schema.json"
CATALOG = Catalog()
PROFILES = [(kind, name) for kind in PROFILE_KINDS for name in CATALOG.ids(kind)]
GEARBOXES = {"z9664f": 2}
"""Lanes of a cage for each lane of the ASIC, where a gearbox sits between."""
NOT_SPLIT_ON_SONIC: dict[str, dict[int, tuple[int, ...]]] = {
    "sn4600c": {4: (25, 10, 1)},
    "sn4700": {8: (50, 25, 10, 1)},
    "sn5400": {8: (50,)},
    "sn5600": {8: (100, 50)},
    "z9664f": {2: (200,)},
}
"""What a switch can do and its SONiC port table cannot: refused with FG026 where it is asked for."""
PLATFORMS = sorted(f.stem for f in (HOME / "platforms" / "sonic").glob("*.yaml"))
MEDIA_OF_KIND = {
    "copper": {"DAC", "ACC", "AEC"},
    "multimode": {"SR"},
    "single-mode": {"DR", "FR", "LR"},
}


@pytest.mark.slow
def test_files_without_anchors_are_read_alike_with_and_without_places() -> None:
    files = [file for file in sorted(HOME.glob("**/*.yaml")) if not re.search(r": [&*]\w", file.read_text("utf-8"))]
    assert len(files) > 200
    for file in files:
        assert read_plain(file) == read_located(file).data, file.name


@pytest.mark.parametrize(
    "text", ["", "a: 1\na: 2\n", "a: &b 1\n", "a: yes\n", "1: a\n", "a: !!str 1\n", "a: [1\n", "<<: {a: 1}\n"]
)
def test_a_file_with_mistakes_is_not_read_without_places(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text(text)
    with pytest.raises(ValueError, match=r"."):
        read_plain(tmp_path / "x.yaml")


def cables_at(lane_gbps: float, kind: str) -> list[CableProfile]:
    return [c for c in CATALOG.cables if c.selectable and lane_gbps in c.lane_gbps and c.medium in MEDIA_OF_KIND[kind]]


def platform_of(switch: str) -> SonicPlatform:
    platform = CATALOG.sonic_platform(switch)
    assert platform is not None
    return platform


def table(platform: SonicPlatform, hwsku: str) -> Iterator[tuple[str, str, str, int]]:
    """Name, lanes, alias and index of each port, as in port_config.ini."""
    for run in platform.hwskus[hwsku]:
        for cage in platform.cages[run.first - 1 : run.last]:
            lanes = len(cage.lanes) // run.ways
            for part in range(run.ways):
                first = part * lanes
                yield (
                    f"Ethernet{cage.port + first}",
                    ",".join(map(str, cage.lanes[first : first + lanes])),
                    platform.find_alias(cage, run.ways, part),
                    cage.index,
                )


def speeds_of(mode: str) -> set[float]:
    """Speeds of a breakout mode such as `2x400G(4)[200G,100G]`, Gb/s; a figure without G is Mb/s."""
    return {int(n) / (1 if unit else 1000) for n, unit in re.findall(r"[x\[,]\s*(\d+)(G?)", mode)}


@pytest.mark.parametrize(("kind", "name"), PROFILES)
def test_profile_loads_and_is_named_after_its_file(kind: str, name: str) -> None:
    profile = CATALOG.profile(kind, name)
    assert profile.id == name
    assert profile.source.isascii()


@cache
def judge() -> jsonschema.Draft202012Validator:
    """The schema of profiles, found to be one."""
    jsonschema.Draft202012Validator.check_schema(schema := make_catalog_schema())
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.tenth
@pytest.mark.parametrize(("kind", "name"), PROFILES)
def test_profile_fits_the_published_schema(kind: str, name: str) -> None:
    data = YAML(typ="safe").load((HOME / "data" / kind / f"{name}.yaml").read_text())
    judge().validate(json.loads(json.dumps(data)))


def test_published_schema_is_fresh() -> None:
    assert SCHEMA.read_text() == json.dumps(make_catalog_schema(), indent=2, sort_keys=True) + "\n"


def test_schema_refuses_a_profile_with_an_unknown_key() -> None:
    data = YAML(typ="safe").load((HOME / "data/switches/sn5600.yaml").read_text())
    with pytest.raises(jsonschema.ValidationError):
        judge().validate(json.loads(json.dumps(data | {"colour": "black"})))


def test_every_kind_has_profiles() -> None:
    assert {kind for kind, _ in PROFILES} == set(PROFILE_KINDS)


def test_unknown_profile_is_an_input_error_with_a_hint() -> None:
    with pytest.raises(InputError, match="did you mean 'qm9700'"):
        CATALOG.switch("qm9701")


@pytest.mark.parametrize("name", CATALOG.ids("nodes"))
def test_node_refers_to_what_exists(name: str) -> None:
    node: NodeProfile = CATALOG.node(name)
    for name in filter(None, (node.scale_up, *node.scale_up_too)):
        domain = CATALOG.scale_up(name)
        assert node.accelerators is not None
        assert (domain.accelerators or 0) % node.accelerators.count == 0
    nics = {port.nic for role in node.roles.values() for port in role.ports if port.nic}
    assert nics <= set(CATALOG.ids("nics"))


@pytest.mark.parametrize("name", CATALOG.ids("nodes"))
def test_node_ports_are_told_apart_and_share_cages_only_where_twin_ported(name: str) -> None:
    for role in CATALOG.node(name).roles.values():
        assert len({p.name for p in role.ports}) == len(role.ports)
        cages = [p.cage for p in role.ports]
        assert {cages.count(c) for c in cages} == {role.connectors}
        assert max(role.speeds) <= role.lanes * role.lane_gbps
        assert list(role.speeds) == sorted(role.speeds, reverse=True)


@pytest.mark.parametrize("name", CATALOG.ids("scale_up"))
def test_scale_up_domain_adds_up(name: str) -> None:
    domain = CATALOG.scale_up(name)
    size = load_kind(domain, ()).size(domain, domain.accelerators or 64, 0)
    assert size.switches == domain.switches
    assert {*domain.media, *domain.switch_media} <= set(CATALOG.ids("cables"))
    if domain.tray:
        tray = CATALOG.switch(domain.tray)
        assert tray.protocol != "ethernet"
        assert domain.link_gbps in tray.cages[0].speeds


@pytest.mark.parametrize(
    ("name", "gbps_of_an_accelerator"),
    [("hgx-h100", 3600), ("hgx-b200", 7200), ("nvl72-gb200", 7200), ("mi300x-8", 3584), ("mi355x-8", 4300.8)],
)
def test_scale_up_bandwidth_is_as_published(name: str, gbps_of_an_accelerator: float) -> None:
    domain = CATALOG.scale_up(name)
    assert domain.accelerators is not None
    links = load_kind(domain, ()).size(domain, domain.accelerators, 0).links_each
    assert links * domain.link_gbps == pytest.approx(gbps_of_an_accelerator)


def test_dgx_h100_rails_follow_the_gpus_not_the_cages() -> None:
    ports = CATALOG.node("dgx-h100").roles["compute"].ports
    assert [(p.rail, p.gpu, p.name, p.cage, p.interface) for p in ports] == [
        (1, 0, "OSFP4P2", "OSFP4", "mlx5_0"),
        (2, 1, "OSFP3P2", "OSFP3", "mlx5_3"),
        (3, 2, "OSFP3P1", "OSFP3", "mlx5_4"),
        (4, 3, "OSFP4P1", "OSFP4", "mlx5_5"),
        (5, 4, "OSFP1P2", "OSFP1", "mlx5_6"),
        (6, 5, "OSFP2P2", "OSFP2", "mlx5_9"),
        (7, 6, "OSFP2P1", "OSFP2", "mlx5_10"),
        (8, 7, "OSFP1P1", "OSFP1", "mlx5_11"),
    ]


@pytest.mark.parametrize(
    ("name", "speed_gbps", "ports"),
    [
        ("sn5600", 800, 64),
        ("sn5600", 400, 128),
        ("sn5600", 200, 256),
        ("qm9700", 400, 64),
        ("q3400-ra", 800, 144),
        ("7060x6-64pe", 400, 128),
        ("7060x6-64pe-b", 100, 512),
        ("sn5640", 100, 512),
        ("ds6000", 200, 512),
        ("7816r4", 800, 576),
        ("7808r4", 800, 288),
        ("sn6810-ld", 800, 128),
        ("sn6800", 800, 512),
        ("sn6600-ld", 200, 512),
        ("ixr7220-h6-64", 1600, 64),
        ("w6950-128oc", 800, 128),
    ],
)
def test_radix_is_as_published(name: str, speed_gbps: int, ports: int) -> None:
    switch: SwitchProfile = CATALOG.switch(name)
    main = switch.cages[0]
    assert max(w for w, speeds in main.breakouts.items() if speed_gbps in speeds) * main.count >= ports
    fastest = max(max(s) * w for w, s in main.breakouts.items()) * main.count
    assert switch.throughput_gbps == fastest


@pytest.mark.parametrize("name", [n for n in CATALOG.ids("switches") if CATALOG.switch(n).protocol == "infiniband"])
def test_infiniband_switches_are_run_by_a_subnet_manager(name: str) -> None:
    assert CATALOG.switch(name).nos[0] == "opensm"


@pytest.mark.parametrize(
    ("lane_gbps", "kind", "reach_m"),
    [
        *((lane, "copper", 3) for lane in (25, 50, 100, 200)),
        *((lane, "multimode", 50) for lane in (25, 50, 100)),
        *((lane, "single-mode", 10_000) for lane in (25, 50, 100, 200)),
    ],
)
def test_each_lane_rate_has_a_cable_for_each_distance(lane_gbps: int, kind: str, reach_m: float) -> None:
    assert max(c.reach_m for c in cables_at(lane_gbps, kind)) >= reach_m


def test_cables_of_one_lane_rate_have_an_order() -> None:
    for lane in (1, 10, 25, 50, 100, 200):
        ranks = [c.cost_rank for c in CATALOG.cables if c.selectable and lane in c.lane_gbps]
        assert len(ranks) == len(set(ranks)), lane


def test_attached_cables_have_no_fibre_and_fr_cannot_be_split() -> None:
    for cable in CATALOG.cables:
        assert not (cable.attached and cable.fibre)
        assert cable.attached or (cable.fibre and cable.connector)
        assert not (cable.medium in {"FR", "LR"} and cable.splittable)


def test_linear_and_copackaged_optics_and_passive_200g_copper_wait_to_be_asked_for() -> None:
    waiting = {c.id for c in CATALOG.cables if not c.selectable}
    assert {"dac-200g", "lpo-100g", "lro-100g", "cpo-200g", "vr8-100g"} <= waiting


@pytest.mark.parametrize("name", PLATFORMS)
def test_sonic_platform_matches_its_switch(name: str) -> None:
    platform, switch = platform_of(name), CATALOG.switch(name)
    assert platform.switch == name
    assert "sonic" in switch.nos
    lanes_of_cages = [c.lanes for c in switch.cages for _ in range(c.count)]
    behind = [len(c.lanes) * (GEARBOXES.get(name, 1) if len(c.lanes) > 1 else 1) for c in platform.cages]
    assert behind == lanes_of_cages
    lanes = [lane for cage in platform.cages for lane in cage.lanes]
    assert len(lanes) == len(set(lanes))
    assert platform.default_hwsku in platform.hwskus


@pytest.mark.parametrize("name", PLATFORMS)
def test_breakouts_of_a_switch_are_modes_of_its_sonic_platform(name: str) -> None:
    platform = platform_of(name)
    runs = {(run.ways, run.speed_gbps) for own in platform.hwskus.values() for run in own}
    for cage_class in CATALOG.switch(name).cages:
        for ways, speeds in cage_class.breakouts.items():
            if NOT_SPLIT_ON_SONIC.get(name, {}).get(ways) == speeds:
                assert not platform.has_split(ways)
                continue
            listed = {speed for mode in platform.breakout_modes.get(ways, ()) for speed in speeds_of(mode)}
            assert set(speeds) <= listed | {speed for of, speed in runs if of == ways}, (ways, speeds)
            assert ways == 1 or len(platform.suffixes[ways]) == ways


@pytest.mark.parametrize("name", PLATFORMS)
def test_sonic_hwskus_cover_their_cages_with_distinct_ports(name: str) -> None:
    platform = platform_of(name)
    for hwsku, runs in platform.hwskus.items():
        bounds = [(run.first, run.last) for run in runs]
        assert all(first <= last for first, last in bounds)
        assert all(before[1] < after[0] for before, after in pairwise(bounds))
        assert bounds[0][0] == 1
        assert bounds[-1][1] <= len(platform.cages)
        rows = list(table(platform, hwsku))
        assert len({row[0] for row in rows}) == len({row[2] for row in rows}) == len(rows)


@pytest.mark.parametrize(
    ("name", "hwsku", "ports", "rows"),
    [
        (
            "7060x6-64pe",
            "Arista-7060X6-64PE",
            66,
            {
                ("Ethernet0", "17,18,19,20,21,22,23,24", "etp1", 1),
                ("Ethernet8", "1,2,3,4,5,6,7,8", "etp2", 2),
                ("Ethernet504", "497,498,499,500,501,502,503,504", "etp64", 64),
                ("Ethernet513", "515", "etp66", 66),
            },
        ),
        (
            "7060x6-64pe",
            "Arista-7060X6-64PE-O128S2",
            130,
            {("Ethernet0", "17,18,19,20", "etp1a", 1), ("Ethernet4", "21,22,23,24", "etp1b", 1)},
        ),
        (
            "7060x6-64pe",
            "Arista-7060X6-64PE-P32O64",
            98,
            {
                ("Ethernet248", "241,242,243,244,245,246,247,248", "etp32", 32),
                ("Ethernet260", "277,278,279,280", "etp33b", 33),
            },
        ),
        (
            "7060x6-64pe",
            "Arista-7060X6-64PE-256x200G",
            258,
            {("Ethernet6", "23,24", "etp1d", 1), ("Ethernet510", "503,504", "etp64d", 64)},
        ),
        (
            "sn5600",
            "ACS-SN5600",
            65,
            {("Ethernet0", "0,1,2,3,4,5,6,7", "etp1", 1), ("Ethernet512", "512", "etp65", 65)},
        ),
        ("sn5600", "Mellanox-SN5600-O128", 129, {("Ethernet4", "4,5,6,7", "etp1b", 1)}),
        ("sn5600", "Mellanox-SN5600-V256", 257, {("Ethernet510", "510,511", "etp64d", 64)}),
        (
            "as9817-64o",
            "Accton-AS9817-64O-2x400G",
            130,
            {("Ethernet12", "13,14,15,16", "Eth2/2(Port2)", 2), ("Ethernet513", "513", "Eth66(Port66)", 66)},
        ),
        ("sn5640", "Mellanox-SN5640-C512S2", 514, {("Ethernet511", "511", "etp64h", 64)}),
        ("sn5640", "Mellanox-SN5640-C448O16", 466, {("Ethernet7", "7", "etp1h", 1)}),
        (
            "7060dx5-32",
            "Arista-7060DX5-32",
            33,
            {
                ("Ethernet248", "505,506,507,508,509,510,511,512", "Ethernet32/1", 32),
                ("Ethernet256", "513", "Ethernet33", 33),
            },
        ),
        ("sn4700", "ACS-MSN4700", 32, {("Ethernet248", "248,249,250,251,252,253,254,255", "etp32", 32)}),
        (
            "sn2201",
            "ACS-SN2201",
            52,
            {("Ethernet1", "4", "etp2", 2), ("Ethernet60", "204,205,206,207", "etp52", 52)},
        ),
        (
            "z9864f",
            "Dell-Z9864f-O64",
            66,
            {("Ethernet8", "17,18,19,20,21,22,23,24", "etp2", 2), ("Ethernet513", "516", "etp66", 66)},
        ),
        (
            "ixr7220-h5-64o",
            "Nokia-IXR7220-H5-64O",
            66,
            {
                ("Ethernet8", "17,18,19,20,21,22,23,24", "Ethernet2/1", 2),
                ("Ethernet512", "515", "Ethernet65", 65),
            },
        ),
        (
            "7060dx5-64s",
            "Arista-7060DX5-64S",
            66,
            {("Ethernet8", "9,10,11,12,13,14,15,16", "Ethernet2/1", 2), ("Ethernet513", "513", "Ethernet66", 66)},
        ),
        ("7060x6-32pe", "Arista-7060X6-32PE", 34, {("Ethernet257", "515", "Ethernet34", 34)}),
        ("7060x6-64de", "Arista-7060X6-64DE-256x200G", 258, {("Ethernet2", "19,20", "Ethernet1/3", 1)}),
        (
            "7060x6-64pe-b",
            "Arista-7060X6-64PE-B-P28O72",
            100,
            {("Ethernet8", "1,2,3,4,5,6,7,8", "etp2", 2), ("Ethernet508", "501,502,503,504", "etp64b", 64)},
        ),
        (
            "as9726-32d",
            "Accton-AS9726-32D",
            34,
            {
                ("Ethernet2", "65,66,67,68,69,70,71,72", "fourHundredGigE2", 2),
                ("Ethernet34", "260", "tenGigE34", 34),
            },
        ),
        ("s9321-64e", "UFISPACE-S9321-64E", 64, {("Ethernet8", "57,58,59,60,61,62,63,64", "Eth1(Port1)", 1)}),
        ("s9321-64eo", "UFISPACE-S9321-64EO", 64, {("Ethernet0", "49,50,51,52,53,54,55,56", "Eth0(Port0)", 0)}),
        (
            "ixr7220-h6-128",
            "Nokia-IXR7220-H6-O256",
            257,
            {
                ("Ethernet4", "157,158,159,160", "etp1b", 1),
                ("Ethernet1024", "1026,1027,1028,1029", "etp129", 129),
            },
        ),
        ("ixr7220-h6-64", "Nokia-IXR7220-H6-64", 66, {("Ethernet8", "1,2,3,4,5,6,7,8", "Ethernet2/1", 2)}),
        ("nh-4010", "NH-4010-256x200G-2x25G", 258, {("Ethernet2", "11,12", "Port1/2", 1)}),
        (
            "nh-4210",
            "NH-4210-F-P128",
            128,
            {("Ethernet1016", "953,954,955,956,957,958,959,960", "etp128", 128)},
        ),
        ("nh-4220", "NH-4220", 66, {("Ethernet513", "517", "Port66", 66)}),
        ("sn4600c", "Mellanox-SN4600C-D112C8", 120, {("Ethernet162", "322,323", "etp41b", 41)}),
        ("sn5400", "ACS-SN5400", 66, {("Ethernet520", "520", "etp66", 66)}),
        ("sn5610", "Mellanox-SN5610N-C224O8", 234, {("Ethernet100", "100,101,102,103", "etp13b", 13)}),
        ("sn5610", "Mellanox-SN5610N-C256S2", 258, {("Ethernet503", "503", "etp63h", 63)}),
        (
            "sn6600-ld",
            "Mellanox-SN6600_LD-P128C2",
            130,
            {("Ethernet4", "4,5,6,7", "etp1b", 1), ("Ethernet513", "513", "etp65b", 65)},
        ),
        (
            "sn6810-ld",
            "ACS-SN6810_LD",
            130,
            {("Ethernet4", "4,5,6,7", "etp2", 1), ("Ethernet513", "513", "etp129b", 17)},
        ),
        ("sse-t8164", "Supermicro_sse_t8164", 66, {("Ethernet8", "17,18,19,20,21,22,23,24", "Eth2", 2)}),
        (
            "sse-t8196",
            "Supermicro_sse_t8196",
            98,
            {("Ethernet8", "89,90,91,92,93,94,95,96", "Eth2", 2), ("Ethernet513", "513", "Eth98", 98)},
        ),
        ("w6940-64oc", "M2-W6940-64OC", 66, {("Ethernet515", "515", "Eth66", 65)}),
        ("w6940-cpo", "M2-W6940-64X1-FR4", 64, {("Ethernet8", "9,10,11,12,13,14,15,16", "etp2", 2)}),
        ("w6950-128oc", "M2-W6950-Q256", 257, {("Ethernet4", "269,270,271,272", "etp1b", 1)}),
        ("w6951-64hc", "M2-W6951-64HC-CP", 66, {("Ethernet514", "517", "Eth66", 65)}),
        ("z9664f", "DellEMC-Z9664f-O64", 66, {("Ethernet4", "9,10,11,12", "fourhundredGigE1/2", 2)}),
    ],
)
def test_sonic_port_tables_read_as_upstream(
    name: str, hwsku: str, ports: int, rows: set[tuple[str, str, str, int]]
) -> None:
    found = list(table(platform_of(name), hwsku))
    assert len(found) == ports
    assert rows <= set(found)


def test_nokia_split_ports_are_named_by_lane() -> None:
    nokia = platform_of("ixr7220-h5-64o")
    assert [nokia.find_alias(nokia.cages[0], 2, part) for part in range(2)] == ["Ethernet1/1", "Ethernet1/5"]
    assert nokia.find_alias(nokia.cages[1], 4, 3) == "Ethernet2/7"


def test_each_sonic_platform_has_rows_read_upstream() -> None:
    marks = [m for m in test_sonic_port_tables_read_as_upstream.pytestmark if m.name == "parametrize"]
    assert {row[0] for mark in marks for row in mark.args[1]} == set(PLATFORMS)


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("switches/sn5600.yml", "profiles end in .yaml"),
        ("swiches/sn5600.yaml", "there are no profiles in catalog/swiches"),
        ("sn5600.yaml", "profiles lie in folders of their kind"),
        ("switches/old/sn5600.yaml", "profiles lie in catalog/switches, and not in folders below"),
        ("switches/README.md", ""),
        (".old/sn5600.yaml", ""),
    ],
)
def test_a_profile_that_nothing_would_read_is_refused(tmp_path: Path, file: str, says: str) -> None:
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text((HOME / "data/switches/sn5600.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    catalog = Catalog(tmp_path)
    if not says:
        assert catalog.switch("sn5600").cage_count
        return
    with pytest.raises(InputError, match=says) as refused:
        catalog.switch("sn5600")
    assert [(d.code, d.span.file) for d in refused.value.diagnostics] == [("FG010", str(tmp_path / file))]
