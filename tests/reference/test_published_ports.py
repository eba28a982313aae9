"""Both ports of every link of three labs, as their makers publish them.

`labs/published.yaml` has the rows and their sources, `labs/*.yaml` a blueprint of each. Leaves of these labs have
several links to a spine, which lie side by side on both (`parallel: adjacent`); in the front end of the third they are
dealt in turn, as is usual.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.ports import PortRun
from fabricgen.lint.engine import lint

LABS = Path(__file__).parent / "labs"
TABLES: dict[str, Any] = yaml.safe_load((LABS / "published.yaml").read_text(encoding="utf-8"))
SPINES = {
    "front-end": "fabrics.frontend.tiers.spine",
    "backend": "fabrics.compute.tiers.spine",
    "two-fabrics": "fabrics.backend.tiers.spine",
}
Port = tuple[int, int] | str
End = tuple[str, Port]


@cache
def lab(name: str, *sets: str) -> Cluster:
    return build_cluster(build_design(load_blueprint(str(LABS / f"{name}.yaml"), sets)))


def port_of(name: str) -> Port:
    """(cage, port in the cage) of a switch's port, from 1 and 0; a server's port has its name.

    Junos counts cages from zero (`et-0/0/24:1`), SR Linux from one (`ethernet-1/33`).
    """
    if found := re.fullmatch(r"et-0/0/(\d+)(?::(\d+))?", name):
        return int(found[1]) + 1, int(found[2] or 0)
    if found := re.fullmatch(r"ethernet-1/(\d+)", name):
        return int(found[1]), 0
    return name


def links_of(cluster: Cluster) -> set[tuple[End, End]]:
    """Both ends of every link: device and port."""

    def place(side: Any, port: int) -> Port:
        if isinstance(side, PortRun):
            return side.cages[port // side.ways], port % side.ways
        assert isinstance(side, Attachment)
        return side.legs[port].name

    links = cluster.plan.links
    found = set()
    for i in range(len(links.a_device)):
        segment = links.segments[links.segment[i]]
        a, b = cluster.names[links.a_device[i]], cluster.names[links.b_device[i]]
        found.add(((a, place(segment.a, int(links.a_port[i]))), (b, place(segment.b, int(links.b_port[i])))))
    return found


def rows_of(name: str) -> set[tuple[End, End]]:
    names = TABLES[name]["names"]
    rows = TABLES[name]["rows"]
    found = {((names.get(a, a), port_of(p)), (names.get(b, b), port_of(q))) for a, p, b, q in rows}
    assert len(found) == len(rows)
    return found


@pytest.mark.parametrize(("name", "rows"), [("front-end", 16), ("backend", 32), ("two-fabrics", 49)])
def test_every_published_row_comes_out_with_both_ports(name: str, rows: int) -> None:
    published, links = rows_of(name), links_of(lab(name))
    assert len(published & links) == len(published) == rows
    between = {row for row in links if not isinstance(row[0][1], str)}
    assert between <= published, "switches have no other links"


@pytest.mark.parametrize("name", sorted(TABLES))
def test_dealt_in_turn_fewer_rows_come_out(name: str) -> None:
    usual = lab(name, f"{SPINES[name]}.parallel=null")
    assert len(rows_of(name) & links_of(usual)) == TABLES[name]["without"]


def test_a_lab_that_has_it_without_the_word_is_told() -> None:
    told = {name: [f.message for f in lint(lab(name).design).findings if "`parallel`" in f.message] for name in TABLES}
    assert {name for name, messages in told.items() if messages} == {"backend"}
