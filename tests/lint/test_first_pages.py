"""What the first pages of two people were told: everything on one pair, and two tenants with ways out of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.cluster import build_cluster
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic
from fabricgen.lint.engine import lint
from tests.conftest import Ran

DesignOf = Callable[..., Design]

ONE_PAIR = """\
fabricgen: 1
name: pair
scalable_unit: {nodes: 4 x dgx-b200}
fabrics:
  compute:
    protocol: roce
    tiers: {leaf: {switch: 7060x6-64pe, count: 2, spread: stripe}}
  beside:
    protocol: ethernet
    attach: bmc
    also: switches
    vrf: default
    tiers: {leaf: {switch: 7010tx, below: compute.leaf, uplinks: 2 x 10G}}
pools: {management: 192.168.8.0/26}
nos: eos
"""

TWO_EXITS = """\
fabricgen: 1
name: teams
scalable_unit: {nodes: 4 x dgx-b200}
pods: {p1: {su: 2}}
tenants: {blue: {nodes: [p1/su-1], extra: [fw-blue]}, green: {nodes: [p1/su-2], extra: [fw-green]}}
fabrics:
  inband:
    protocol: ethernet
    tiers: {leaf: {switch: sn4700, count: 2, spread: stripe}}
    extra:
      fw-blue: {device: firewall, names: [fw-1], ports: 1}
      fw-green: {device: firewall, names: [fw-2], ports: 1}
    exits:
      blue-out: {to: fw-blue, asn: 64601, announce: 172.16.0.0/22}
      green-out: {to: fw-green, asn: 64602, announce: 172.16.0.0/22}
  oob:
    protocol: ethernet
    attach: bmc
    also: switches
    tiers: {leaf: {switch: sn2201, per: su}, spine: {switch: sn4700, count: 2}}
pools: {hosts: 172.16.0.0/22}
nos: sonic
management: {ntp: 10.32.0.4}
"""

MANAGEMENT_EXIT = """\
    extra: {mgmt: {device: external-router, names: [gw-1, gw-2], ports: 1, to: spine, attach: inband}}
    exits: {servers: {to: mgmt, asn: 64603, default: false, accept: 10.32.0.0/16, announce: 10.16.0.0/12}}
"""


def found(design: Design, *, whole: bool = False) -> dict[str, Diagnostic]:
    return {d.code: d for d in lint(design, build_cluster(design) if whole else None).findings}


def test_no_roce_comes_to_management_ports(design_of: DesignOf) -> None:
    """Below a lossless pair; a fabric of other ports there is told what to state, as the cluster's `qos` is not its."""
    assert "FG708" not in found(design_of(ONE_PAIR))
    beside = (
        ONE_PAIR.replace("attach: bmc\n    also: switches", "attach: inband")
        .replace("7010tx", "7060x6-64pe")
        .replace("2 x 10G", "2 x 400G")
    )
    other = design_of(beside)
    hint = "state `fabrics.beside.qos: {profile: roce-lossless}`; the cluster's `qos` is of its RoCE fabrics"
    assert found(other)["FG708"].hint == hint


def test_a_pool_of_one_subnet_may_be_full(design_of: DesignOf) -> None:
    finding = found(design_of(ONE_PAIR))["FG506"]
    assert finding.hint == (
        "state a /25 or shorter; where that is all there will be, `lint: {limits: {pool_use: 100%}}`"
    )
    assert "FG506" not in found(design_of(ONE_PAIR + "lint: {limits: {pool_use: 100%}}\n"))


def test_management_ports_that_get_no_answer_are_told(design_of: DesignOf) -> None:
    """They ask through the exit of the pair above, whose far side learns no route back unless it is announced."""
    way_out = """\
    extra: {campus: {device: external-router, names: [core-1, core-2], ports: 1, attach: inband}}
    exits: {campus: {to: campus, asn: 64900, announce: ANNOUNCED}}
  beside:
"""
    page = ONE_PAIR.replace("  beside:\n", way_out)
    page = page.replace("pools: {", "pools: {hosts: 172.16.0.0/16, ") + "management: {ntp: 10.32.0.4}\n"
    told = found(design_of(page.replace("ANNOUNCED", "172.16.0.0/16")))["FG519"]
    asked = "management ports, of the pool 192.168.8.0/26, ask 10.32.0.4 by campus, which announces none of it"
    assert (told.message, told.hint) == (f"{asked}: no answer comes", "announce 192.168.8.0/26 too")
    assert "FG519" not in found(design_of(page.replace("ANNOUNCED", "[172.16.0.0/16, 192.168.8.0/26]")))
    assert "FG519" not in found(design_of(page.replace(", announce: ANNOUNCED", "")))


@pytest.mark.slow
def test_servers_behind_tenants_alone_are_given_a_way(design_of: DesignOf) -> None:
    """VRFs of tenants stay apart: an exit of the fabric that takes management ports leads there, and is clean."""
    told = found(design_of(TWO_EXITS), whole=True)
    hint = "the exits are of tenants: give oob one of its own, such as {default: false, accept: 10.32.0.4/32}"
    assert told["FG523"].hint == hint
    led = found(design_of(TWO_EXITS.replace("pools:", MANAGEMENT_EXIT + "pools:")), whole=True)
    assert not {"FG523", "FG810"} & set(led)
    without = MANAGEMENT_EXIT.partition("    exits")[0]
    assert "FG810" in found(design_of(TWO_EXITS.replace("pools:", without + "pools:")))


def test_a_limit_without_figures_names_the_copy_to_make(
    tmp_path: Path, fabricgen: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the hint says, done as it is said, and the figure added, leaves nothing."""
    monkeypatch.chdir(tmp_path)
    page = "fabricgen: 1\nname: hall\nscalable_unit: {nodes: 4 x hgx-h200, racks: {nodes_per_rack: 1, power_kw: 12}}\n"
    page += "fabrics: {compute: {protocol: roce, tiers: {leaf: {switch: sn5600, per: rail}}}}\n"
    (tmp_path / "hall.yaml").write_text(page, encoding="utf-8")
    told = fabricgen("lint", "hall.yaml").out
    assert "`fabricgen catalog hgx-h200 --copy catalog` begins it" in told
    assert fabricgen("catalog", "hgx-h200", "--copy", "catalog").code == 0
    profile = tmp_path / "catalog/nodes/hgx-h200.yaml"
    with profile.open("a", encoding="utf-8") as file:
        file.write("power_w: {max: 10200}\n")
    assert "FG640" not in fabricgen("lint", "hall.yaml").out
    again = fabricgen("catalog", "hgx-h200", "--copy", "catalog")
    assert (again.code, "it is left as it is" in again.err) == (2, True)
    assert profile.read_text(encoding="utf-8").endswith("power_w: {max: 10200}\n")
    assert fabricgen("catalog", "--copy", "catalog").code == 2
