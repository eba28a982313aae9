"""Slurm's hostlists and topology files as its sources read them.

Written after github.com/SchedMD/slurm@284c3b95: src/common/hostlist.c (_hostlist_create_bracketed: names between commas
outside brackets; _parse_single_range: the width is that of the text of the lower end), src/common/parse_config.c
(`#` begins a comment, Key=Value between blanks, names of keys in any case).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise, product
from typing import Any

import yaml


def expanded(text: str) -> list[str]:
    """All names of a hostlist, in order; AssertionError for what Slurm 22.05 refuses."""
    found: list[str] = []
    for part in re.findall(r"(?:[^,\[]|\[[^\]]*\])+", text):
        prefix, bracket, ranges = part.partition("[")
        if not bracket:
            found.append(part)
            continue
        assert ranges.endswith("]"), f"{part}: something follows the bracket"
        assert "[" not in ranges, part
        for piece in ranges[:-1].split(","):
            low, dash, high = piece.partition("-")
            assert low.isdigit(), part
            assert not dash or int(high) > int(low), part
            assert not dash or int(high) - int(low) < 65_536, part
            found += [f"{prefix}{number:0{len(low)}d}" for number in range(int(low), int(high or low) + 1)]
    return found


def lines(content: bytes, key: str) -> list[dict[str, str]]:
    """The lines of a configuration that begin with a key, and the values in them by key."""
    told = [line.partition("#")[0].split() for line in content.decode().splitlines()]
    rows = [dict(word.split("=", 1) for word in words) for words in told if words]
    return [row for row in rows if key in row]


def aggregated(blocks: Mapping[str, Sequence[str]], sizes: Sequence[int]) -> list[set[str]]:
    """Blocks that topology/block joins, after src/plugins/topology/block/block_record.c (block_record_validate).

    AssertionError for sizes or blocks that it refuses.
    """
    base, held = sizes[0], [set(nodes) for nodes in blocks.values()]
    assert base > 0
    assert all(held)
    assert sum(map(len, held)) == len(set().union(*held)), "a node is in two blocks"
    assert base <= min(map(len, held)), "before 25.05 a block has at least as many nodes as the base size"
    assert all(size % base == 0 for size in sizes)
    levels = sorted({size // base for size in sizes})
    assert all(level & (level - 1) == 0 and level < 2**16 for level in levels), sizes
    joined = []
    for below, level in pairwise(levels):
        for first in range(0, len(held), level):
            rest = len(held) - first
            if level <= rest or below < rest:
                joined.append(set().union(*held[first : first + level]))
        if level >= len(held):
            break
    return joined


def topologies(content: bytes) -> dict[str, Mapping[str, Any]]:
    """topology.yaml by name of topology, with no key but those of src/plugins/data_parser/v0.0.45/parsers.c."""
    keys = {"tree": {"switches"}, "block": {"block_sizes", "blocks"}, "ring": {"rings"}, "torus3d": {"toruses"}}
    found = {}
    told = yaml.safe_load(content)
    assert [one["topology"] for one in told if one["cluster_default"]] == ["tree"]
    for one in told:
        assert next(iter(one)) == "topology"
        ((kind, inside),) = ((key, value) for key, value in one.items() if key not in ("topology", "cluster_default"))
        assert set(inside) == keys[kind]
        for row in inside.get("switches", ()):
            assert set(row) in ({"switch", "nodes"}, {"switch", "children"})
        for row in inside.get("blocks", ()):
            assert set(row) == {"block", "nodes"}
        assert all(isinstance(text, str) for row in inside.get("blocks", ()) for text in row.values())
        assert one["topology"] not in found
        found[one["topology"]] = inside
    return found


Cell = tuple[int, int, int]


def cells(torus: Mapping[str, Any]) -> dict[Cell, str]:
    """The node in each cell, after github.com/SchedMD/slurm@56fe8678: src/plugins/topology/torus3d/torus3d_record.c.

    AssertionError for what _validate_config and _validate_regions_config refuse.
    """
    assert set(torus) == {"name", "dims", "regions", "placements"}
    assert torus["name"]
    found: dict[Cell, str] = {}
    for region in torus["regions"]:
        assert set(region) == {"anchor", "dims", "nodes"}
        names, (width, height, depth), anchor = expanded(region["nodes"]), xyz(region["dims"]), xyz(region["anchor"])
        assert len(names) == width * height * depth, "region node count does not match dims"
        for number, name in enumerate(names):
            inside = number % width, number // width % height, number // (width * height)
            cell = anchor[0] + inside[0], anchor[1] + inside[1], anchor[2] + inside[2]
            assert all(at < size for at, size in zip(cell, xyz(torus["dims"]), strict=True)), "exceeds torus dimensions"
            assert cell not in found, "region overlaps existing nodes"
            found[cell] = name
    assert len(set(found.values())) == len(found)
    return found


def anchored(torus: Mapping[str, Any], placement: Mapping[str, Any]) -> list[set[str]]:
    """What jobs of the size of a placement may get: after _build_placement_anchors and _check_anchor there.

    Anchors are as far apart as the placement is wide, round each dimension, and one with an empty cell is nobody's.
    AssertionError for what _validate_placement refuses.
    """
    assert set(placement) == {"dims"}
    shape, size, held = xyz(placement["dims"]), xyz(torus["dims"]), cells(torus)
    assert all(0 < length <= most for length, most in zip(shape, size, strict=True))
    axes = [list(dict.fromkeys(n * step % most for n in range(most))) for step, most in zip(shape, size, strict=True)]
    taken = (
        {
            held.get(tuple((at + by) % most for at, by, most in zip(anchor, inside, size, strict=True)), "")  # type: ignore[call-overload]
            for inside in product(*map(range, shape))
        }
        for anchor in product(*axes)
    )
    return [nodes for nodes in taken if "" not in nodes]


def xyz(row: Mapping[str, int]) -> Cell:
    """Three dimensions; each is a UINT16 of parsers.c."""
    assert list(row) == ["x", "y", "z"]
    assert all(0 <= value < 2**16 for value in row.values())
    return row["x"], row["y"], row["z"]
