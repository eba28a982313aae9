"""Profiles held against themselves and against those that they name; every profile that is shipped adds up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.catalog.loader import BUILT_IN, Catalog
from fabricgen.catalog.models import find_nic_mistake, find_tray_mistake
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.engine import lint

CATALOG = Catalog()
DATA = BUILT_IN / "data"
RACK_SCALE = sorted(set(CATALOG.ids("racks")) & set(CATALOG.ids("scale_up")))
WRONG = {
    "a throughput beyond the cages": (
        "switches/qfx5240-64od.yaml",
        ("count: 64", "count: 63"),
        "throughput_gbps: 51200",
        "51200 Gb/s, and its cages carry 50400 Gb/s",
    ),
    "a throughput of half the cages": (
        "switches/qm9700.yaml",
        ("throughput_gbps: 25600", "throughput_gbps: 12800"),
        "throughput_gbps: 12800",
        "cages carry 25600 Gb/s in each direction",
    ),
    "links for fewer switches than there are": (
        "scale_up/hgx-h100.yaml",
        ("switches: 4", "switches: 5"),
        "links_per_switch: [5, 4, 4, 5]",
        "4 entries for 5 switches",
    ),
    "accelerators beyond the ports of a switch": (
        "scale_up/hgx-b200.yaml",
        ("switch_ports: 72", "switch_ports: 71"),
        "accelerators: 8",
        "need 72 of its ports; it has 71",
    ),
    "trays of one ASIC that have ports for two": (
        "scale_up/nvl72-gb200.yaml",
        ("switches_per_tray: 2", "switches_per_tray: 1"),
        "switches_per_tray: 1",
        "1 x 72 ports of switches, and a nvlink5-tray has 144",
    ),
    "links that the tray has no port for": (
        "scale_up/esun-51t.yaml",
        ("link_gbps: 800\nlanes: 8", "link_gbps: 400\nlanes: 8"),
        "link_gbps: 400",
        "ports of a esun-64x800g are of 800G",
    ),
    "more ports for scale-out than there are": (
        "scale_up/gaudi3-8.yaml",
        ("scale_out_ports: 3", "scale_out_ports: 24"),
        "scale_out_ports: 24",
        "24 of 24 ports",
    ),
    "ports faster than their lanes": (
        "nodes/mi300x-8.yaml",
        (
            "    lanes: 4\n    lane_gbps: 100\n    speeds: [400",
            "    lanes: 4\n    lane_gbps: 100\n    speeds: [800, 400",
        ),
        "speeds: [800",
        "800G needs more than 4 lanes of 100G",
    ),
    "ports faster than their NICs": (
        "nodes/dgx-b200.yaml",
        (
            "    lanes: 4\n    lane_gbps: 100\n    speeds: [400",
            "    lanes: 8\n    lane_gbps: 100\n    speeds: [800, 400",
        ),
        "speeds: [800",
        "8 ports of 800G on 8 x cx7 of 400G",
    ),
    "a port of a GPU that is not there": (
        "nodes/dgx-b200.yaml",
        ("accelerators: {model: B200, count: 8}", "accelerators: {model: B200, count: 4}"),
        "compute:",
        "serves GPU",
    ),
    "parts of a NIC that carry more than it": (
        "nics/cx8.yaml",
        ("gbps: 800", "gbps: 700"),
        "splits:",
        "1 ports of 800G are more than its 700 Gb/s",
    ),
    "heat that nothing takes": (
        "racks/nvl72-gb200.yaml",
        ("liquid_kw: 115", "liquid_kw: 100"),
        "power_kw: 132",
        "air and coolant take 117 kW of heat (17 + 100)",
    ),
    "a typical draw above the largest": (
        "switches/palomar-ocs.yaml",
        ("power_w:\n", "power_w:\n  typical: 200\n"),
        "typical: 200",
        "above the largest",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_add_up_is_refused_at_its_key(name: str, tmp_path: Path) -> None:
    file, (old, new), line, said = WRONG[name]
    text = (DATA / file).read_text(encoding="utf-8")
    assert old in text
    kind, _, stem = file.removesuffix(".yaml").partition("/")
    own = tmp_path / kind / f"{stem}.yaml"
    own.parent.mkdir()
    own.write_text(text.replace(old, new, 1), encoding="utf-8")
    catalog = Catalog(tmp_path)
    read = {"scale_up": catalog.scale_up, "nodes": catalog.node}.get(kind, lambda name: catalog.profile(kind, name))
    with pytest.raises(InputError) as refused:
        read(stem)
    (found,) = refused.value.diagnostics
    assert (found.code, found.span.file) == ("FG010", str(own))
    assert line in own.read_text(encoding="utf-8").splitlines()[found.span.line - 1]
    assert said in found.message


@pytest.mark.parametrize("name", [name for name in CATALOG.ids("scale_up") if CATALOG.scale_up(name).tray])
def test_shipped_domains_fit_their_trays(name: str) -> None:
    domain = CATALOG.scale_up(name)
    assert find_tray_mistake(domain, CATALOG.switch(domain.tray)) is None


@pytest.mark.parametrize("name", CATALOG.ids("nodes"))
def test_shipped_nodes_have_the_nics_for_their_ports(name: str) -> None:
    known = CATALOG.ids("nics")
    nic_of = {nic: CATALOG.profile("nics", nic) for nic in known}.get
    assert find_nic_mistake(CATALOG.node(name), nic_of) is None


@pytest.mark.parametrize(
    ("rack", "node"),
    [
        (rack, node)
        for rack in RACK_SCALE
        for node in CATALOG.ids("nodes")
        if rack in (CATALOG.node(node).scale_up, *CATALOG.node(node).scale_up_too)
    ],
)
def test_a_shipped_rack_holds_feeds_and_cools_what_stands_in_it(
    rack: str, node: str, design_of: Callable[..., Design]
) -> None:
    """The whole rack as its profile has it: the sums of power, heat and weight keep its own limits."""
    fixed = CATALOG.rack(rack).fixed
    nodes, beside = len(fixed["node"]), {k: len(at) for k, at in fixed.items() if k not in ("node", "tray", "switch")}
    devices = ", ".join(f"dev{i}: {count} x {kind}" for i, (kind, count) in enumerate(beside.items()))
    role = next(iter(CATALOG.node(node).roles))
    protocol, switch = ("infiniband", "q3400-ra") if "xdr" in node else ("roce", "sn5600")
    design = design_of(
        f"fabricgen: 1\nname: whole-rack\n"
        f"scalable_unit: {{nodes: {nodes} x {node}, "
        f"racks: {{type: {rack}, nodes_per_rack: {nodes}, devices: {{{devices}}}}}}}\n"
        f"scale_up: {{inner: {{domain: {rack}, per: rack}}}}\n"
        f"fabrics: {{one: {{protocol: {protocol}, attach: {role}, tiers: {{leaf: {{switch: {switch}}}}}}}}}\n"
    )
    found = [d.text() for d in lint(design).findings if d.code in ("FG611", "FG612", "FG616")]
    assert found == []


@pytest.mark.parametrize(("limit", "over"), [(142, False), (141.98, True)])
def test_figures_in_whole_watts_keep_a_limit_that_they_were_divided_from(
    limit: float, over: bool, design_of: Callable[..., Design]
) -> None:
    design = design_of(
        "fabricgen: 1\nname: watts\n"
        f"scalable_unit: {{nodes: 18 x gb300-tray, racks: {{nodes_per_rack: 18, power_kw: {limit}}}}}\n"
        "fabrics: {compute: {protocol: roce, tiers: {leaf: {switch: sn5600}}}}\n"
    )
    assert ("FG611" in {d.code for d in lint(design).findings}) is over
