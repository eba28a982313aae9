"""Bonds of single NICs, which the examples have none of: both ports of one shut leaves the node its others."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import build_cluster
from fabricgen.design.build import build_design
from fabricgen.lint.rules.plan.configuration.fg743_cut_off_together import CutOffTogether

NICS = """\
fabricgen: 1
name: nics
scalable_unit: {nodes: 2 x hpn-node}
nos: eos
fabrics:
  compute:
    protocol: roce
    hosts: bridged
    bond: nic
    tiers: {leaf: {switch: 7060x6-64pe, per: [su, rail], count: 2, spread: stripe, peer: 2 x 400G}}
config_of:
"""
LEAF = "compute-leaf-p1-su01-r1"


@pytest.mark.parametrize(
    ("ports", "told"),
    [
        (("01", "Ethernet1/1"), []),
        (
            ("01", "Ethernet1/1", "02", "Ethernet1/1"),
            [f"without Ethernet1/1 of {LEAF}-01 and Ethernet1/1 of {LEAF}-02, 1 bond of p1-su01-n001 lost all ports"],
        ),
    ],
)
def test_a_bond_of_a_nic_is_down_with_its_ports(tmp_path: Path, ports: tuple[str, ...], told: list[str]) -> None:
    file = tmp_path / "nics.yaml"
    shut = (
        f"  {LEAF}-{leaf}: {{ports: {{{port}: {{shutdown: true}}}}}}\n"
        for leaf, port in zip(ports[::2], ports[1::2], strict=True)
    )
    file.write_text(NICS + "".join(shut), encoding="utf-8")
    cluster = build_cluster(build_design(load_blueprint(str(file))))
    assert [finding.message for finding in CutOffTogether().check(cluster)] == told
