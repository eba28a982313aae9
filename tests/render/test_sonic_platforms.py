"""Every SONiC platform of the catalogue rendered in a fabric of two switches, against its own port table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import fabricgen.catalog
from fabricgen.blueprint.load import load_blueprint
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.sonic_models import SonicPlatform, find_breakout_mode, parse_mode
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.kernel.diagnostics import InputError
from fabricgen.nos.sonic.writing.ports import CageUse, choose_hwsku
from fabricgen.render.checks.config_db import check_config_db
from fabricgen.render.engine import make_render_options, render_configs
from tests.render.rendered import config_db

CATALOG = Catalog()
PLATFORMS = sorted(f.stem for f in (Path(fabricgen.catalog.__file__).parent / "platforms" / "sonic").glob("*.yaml"))
BLUEPRINT = """\
fabricgen: 1
name: two
scalable_unit: {{nodes: 1 x {nodes}}}
pods: {{p1: {{su: 1}}}}
nos: sonic
fabrics:
  compute:
    protocol: roce
    oversubscription: "8:1"
    tiers:
      leaf: {{switch: {leaf}, per: su, uplinks: 1 x {speed}G}}
      spine: {{switch: {spine}, count: 1}}
"""


class Two(NamedTuple):
    """A leaf and a spine of which one at least is the switch in question."""

    nodes: str
    leaf: str
    speed_gbps: int


OTHERWISE = {
    "sn2201": Two("generic-server", "sn2201", 100),
    "as9726-32d": Two("generic-server", "sn4700", 400),
    "z9664f": Two("generic-server", "sn4700", 400),
}
"""Whose first cages no node of 400G fits, unsplit or split as the port table has it."""

Build = Callable[..., Cluster]


@pytest.fixture
def two(tmp_path: Path) -> Build:
    """Build the cluster of two switches of a model."""

    def build(spine: str, **changed: str) -> Cluster:
        cages = CATALOG.switch(spine).cages[0].breakouts
        of = OTHERWISE.get(spine, Two("dgx-b200", spine, max(cages[min(cages)])))
        values = {"nodes": of.nodes, "leaf": of.leaf, "speed": of.speed_gbps, "spine": spine} | changed
        (tmp_path / "two.yaml").write_text(BLUEPRINT.format(**values), encoding="utf-8")
        return build_cluster(build_design(load_blueprint(str(tmp_path / "two.yaml"))))

    return build


def platform_of(switch: str) -> SonicPlatform:
    platform = CATALOG.sonic_platform(switch)
    assert platform is not None
    return platform


def tables_of(cluster: Cluster) -> dict[str, dict[str, Any]]:
    """Switch -> its tables."""
    files = {path: content.decode() for path, content in render_configs(cluster)}
    return {switch.name: config_db(files, switch.name) for switch in cluster.switches()}


@pytest.mark.tenth
@pytest.mark.parametrize("name", PLATFORMS)
def test_a_switch_of_each_platform_is_rendered_from_its_own_table(name: str, two: Build) -> None:
    cluster = two(name)
    tables, platform, profile = tables_of(cluster), platform_of(name), CATALOG.switch(name)
    rendered = [switch for switch in cluster.switches() if switch.profile.id == name]
    assert rendered
    for switch in rendered:
        own = tables[switch.name]
        assert check_config_db(own, CATALOG) == ()
        of_switch = own["DEVICE_METADATA"]["localhost"]
        assert of_switch["platform"] == platform.platform
        used = {port.cage: CageUse(port.ways, port.speed_gbps) for port in switch.ports}
        rows = {row["lanes"].split(",")[0]: (port, row) for port, row in own["PORT"].items()}
        assert len(rows) == len(own["PORT"]) == len({row["alias"] for row in own["PORT"].values()})
        for number, cage in enumerate(platform.cages, 1):
            present = number in used or platform.find_run(of_switch["hwsku"], number) is not None
            assert (str(cage.lanes[0]) in rows) == present, number
            if present:
                port, row = rows[str(cage.lanes[0])]
                assert (port, row["index"]) == (f"Ethernet{cage.port}", str(cage.index))
                known = profile.find_cage_class(number).breakouts
                assert any(int(row["speed"]) == 1000 * s for speeds in known.values() for s in speeds)
        modes = own.get("BREAKOUT_CFG", {})
        assert {row["brkout_mode"] for row in modes.values()} <= {
            m for of in platform.breakout_modes.values() for m in of
        }
        assert {p for p, row in own["PORT"].items() if row["admin_status"] == "up"} == {p.name for p in switch.ports}


def test_service_ports_that_a_hwsku_leaves_out_are_left_out(two: Build) -> None:
    tables = tables_of(two("7060x6-64pe-b"))["compute-spine-01"]
    assert tables["DEVICE_METADATA"]["localhost"]["hwsku"] == "Arista-7060X6-64PE-B-P28O72"
    assert "Ethernet504" in tables["PORT"]
    assert "Ethernet512" not in tables["PORT"]
    assert "Ethernet512" not in tables["BREAKOUT_CFG"]


def test_a_hwsku_without_a_cage_in_use_comes_last() -> None:
    platform = platform_of("7060x6-64pe-b")
    whole = dict.fromkeys(range(1, 65), CageUse(2, 400))
    assert choose_hwsku(whole, platform) == "Arista-7060X6-64PE-B-O128"
    assert choose_hwsku(whole | {65: CageUse(1, 10)}, platform) == "Arista-7060X6-64PE-B-O128S2"


def test_cages_that_an_eight_way_split_disables_have_no_port(two: Build) -> None:
    cluster = two("sn5610", nodes="generic-server", speed="100")
    for tables in tables_of(cluster).values():
        assert tables["DEVICE_METADATA"]["localhost"]["hwsku"] == "Mellanox-SN5610N-C256S2"
        assert "Ethernet16" in tables["PORT"]
        assert "Ethernet8" not in tables["PORT"]


def test_an_alias_may_go_on_behind_what_a_port_adds() -> None:
    platform = platform_of("s9321-64e")
    cage = platform.cages[5]
    assert platform.find_alias(cage, 1, 0) == "Eth5(Port5)"
    assert [platform.find_alias(cage, 2, part) for part in range(2)] == ["Eth5/1(Port5)", "Eth5/2(Port5)"]


def test_a_mode_of_some_lanes_takes_the_first_of_the_cage(two: Build) -> None:
    cluster = two("ixr7220-h6-128", nodes="generic-server", speed="100")
    tables = tables_of(cluster)["compute-spine-01"]
    port = next(p for s in cluster.switches() if s.name == "compute-spine-01" for p in s.ports)
    cage = platform_of("ixr7220-h6-128").cages[port.cage - 1]
    assert tables["PORT"][port.name]["lanes"] == ",".join(map(str, cage.lanes[:4]))
    assert tables["BREAKOUT_CFG"][port.name]["brkout_mode"] == "1x100G(4)"


@pytest.mark.parametrize("name", PLATFORMS)
def test_no_split_of_some_lanes_is_what_a_profile_offers(name: str) -> None:
    platform = platform_of(name)
    for cage_class in CATALOG.switch(name).cages:
        for ways, speeds in cage_class.breakouts.items():
            modes = (parse_mode(find_breakout_mode(platform, cage_class, ways, speed)) for speed in speeds)
            assert ways == 1 or {mode.lanes for mode in modes if mode} <= {None, cage_class.lanes}


def test_a_split_that_the_port_table_lacks_is_refused_where_the_switch_is_chosen(two: Build) -> None:
    cluster = two("z9664f", nodes="dgx-a100", leaf="z9664f")
    (found,) = cluster.port_names.faults
    assert found.code == "FG026"
    assert "port table of z9664f has no cage of 2 ports" in found.message
    with pytest.raises(InputError, match="port table of z9664f has no cage of 2 ports"):
        make_render_options(cluster)
