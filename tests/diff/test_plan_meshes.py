"""What `plan` says of growth where switches meet within their tier: nothing moves but where a ring is closed anew."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

PAGE = """
fabricgen: 1
name: meshes
scalable_unit: {nodes: 4 x hpc-node}
pods: {p1: {su: UNITS, reserve: 6}}
fabrics:
  compute:
    protocol: infiniband
    tiers:
      router: {switch: qm8790, per: su, count: 4, grid: {row: 2, column: 2}, mesh: {row: 1, column: 1, su: MESH}}
"""


@pytest.mark.parametrize(
    ("mesh", "added", "moved"),
    [
        # a fifth group of a dragonfly: two ports of 4 nodes, 4 local links, and 4 links to each of 4 groups
        ("{links: 4, spread: true}", 8 + 4 + 4 * 4, 0),
        # a fifth number of a HyperX: each of 4 switches has 2 links to each of 4 others
        ("2", 8 + 4 + 4 * 4 * 2, 0),
        # a ring of five: each of 4 switches has 2 links more, and the 2 that closed the ring of four end at it
        ("{links: 2, reach: 1}", 8 + 4 + 4 * 2, 4 * 2),
    ],
)
def test_a_further_unit_moves_the_links_that_close_rings_alone(
    mesh: str, added: int, moved: int, fabricgen, tmp_path: Path
) -> None:
    """Each of them is named with its old and its new end."""
    pages = []
    for units in (4, 5):
        file = tmp_path / f"{units}.yaml"
        file.write_text(PAGE.replace("UNITS", str(units)).replace("MESH", mesh), encoding="utf-8")
        pages.append(str(file))
    ran = fabricgen("plan", *pages, "--format", "json")
    links = json.loads(ran.out)["counts"]["links"]
    assert (links["added"], links["moved"], links["removed"]) == (added, moved, 0)
    cables = json.loads(ran.out)["counts"]["cables"]
    assert (cables["moved"], cables["removed"]) == (moved, 0)
    text = fabricgen("plan", *pages, "--all").out
    assert text.count(" moved, ") + text.count(" moved: ") >= moved
    assert ("p1-su04-01:37 -> compute-router-p1-su05-01:37" in text) == bool(moved)
