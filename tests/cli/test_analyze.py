"""`fabricgen analyze`: text and JSON, jobs, constants, several clusters, and what it refuses."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

EXAMPLES = ("leaf-spine", "nvl72-gb200", "two-site", "dual-tor", "mixed-generations", "tpu-torus", "multi-plane")


def _told(fabricgen, *words: str) -> Any:
    ran = fabricgen("analyze", *words, "--format", "json")
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_kind_of_cluster_is_told(name: str, fabricgen) -> None:
    ran = fabricgen("analyze", f"blueprints/{name}.yaml", "--sizes", "1G")
    assert ran.code == 0, ran.err
    assert ran.out.startswith(f"{name}\nstructure of ")
    assert len(ran.out.splitlines()) <= 40
    assert ran.out.endswith("with formulas and constants: --all, or -o FILE\n")
    assert not re.search(r"\b(nan|inf)\b", ran.out)


def test_json_has_a_section_for_each_part(fabricgen) -> None:
    found = _told(fabricgen, "blueprints/superpod-b200.yaml")
    assert found["blueprint"] == "superpod-b200"
    assert {"structure", "collectives"} <= set(found)
    assert set(found["structure"]) == {"compute"}
    for name in set(found) - {"blueprint"}:
        assert all(found[name]["compute"][key] for key in ("formula", "constants", "source")), name
    one = _told(fabricgen, "blueprints/superpod-b200.yaml", "--section", "structure")
    assert set(one) == {"blueprint", "structure"}
    assert one["structure"] == found["structure"]


def test_a_job_of_a_pod_crosses_less_when_it_is_packed(fabricgen) -> None:
    """Of 256 on a unit, rings stay on the leaves; dealt over four units, every step of a ring crosses the spines."""
    words = ("blueprints/superpod-b200.yaml", "--section", "collectives", "--job", "256@p1")
    packed, scattered = (
        _told(fabricgen, *words, "--placement", each)["collectives"]["compute"]["crowding"]["ring"]["crossing"]["leaf"]
        for each in ("packed", "scattered")
    )
    assert packed == 0
    assert scattered == pytest.approx(1, abs=0.2)


def test_oversubscription_costs_what_crosses_it(fabricgen) -> None:
    """All-to-all over leaves of 2:1 takes twice the share that crosses them: 31 of 32 leaves are elsewhere."""
    words = ("blueprints/superpod-b200.yaml", "--section", "collectives", "--sizes", "8G")
    even, narrow = (
        _told(fabricgen, *words, *more)["collectives"]["compute"]
        for more in ((), ("--set", "fabrics.compute.oversubscription=2:1", "--set", "fabrics.compute.extra={}"))
    )
    assert even["crowding"]["everyone"]["slowdown"] == 1
    assert narrow["crowding"]["everyone"]["slowdown"] == pytest.approx(2 * 0.97, rel=0.03)
    us = [each["collectives"]["all-to-all"][0]["us"] for each in (even, narrow)]
    assert us[1] / us[0] == pytest.approx(narrow["crowding"]["everyone"]["slowdown"], rel=0.02)


def test_a_constant_can_be_stated(fabricgen) -> None:
    words = ("blueprints/superpod-b200.yaml", "--section", "collectives", "--sizes", "8G")
    usual, stated = (
        _told(fabricgen, *words, *more)["collectives"]["compute"]["network_gbps_per_rank"]
        for more in ((), ("--constant", "efficiency.network.reached=0.48"))
    )
    assert (usual, stated) == (372, 192)


@pytest.mark.slow
def test_several_are_told_side_by_side(fabricgen) -> None:
    """Names whole, figures with their units, those alone that differ, and no line over 110 columns."""
    three = [f"blueprints/{name}.yaml" for name in ("superpod-b200", "phased-planes", "leaf-spine")]
    ran = fabricgen("analyze", *three)
    assert ran.code == 0
    table = ran.out[ran.out.index("side by side") :].splitlines()
    assert max(map(len, table)) <= 110
    heads = [line.split() for line in table if "superpod-b200" in line]
    assert heads == [["superpod-b200", "phased-planes", "leaf-spine"]]
    rows = {line[:44].strip(): line[44:].split("  ") for line in table}
    cells = {name: [cell.strip() for cell in row if cell.strip()] for name, row in rows.items()}
    assert cells["joins"] == ["1,016 accelerators", "256 accelerators", "8 nodes"]
    assert cells["Gb/s of each in its scale-up domain"][2] == "-"
    assert cells["one lost switch: leaf"][0] == "32 cut off; 93.7%"
    assert len(cells["all-to-all of 8 GiB, bus GB/s"]) == 3
    assert not [name for name, row in cells.items() if len(row) == 3 and len(set(row)) == 1]
    assert not [line for line in table if "_" in line]


@pytest.mark.slow
def test_a_table_that_is_too_wide_is_told_in_parts(fabricgen) -> None:
    many = ["blueprints/leaf-spine.yaml", *["blueprints/superpod-b200.yaml"] * 2] * 2
    ran = fabricgen("analyze", *many, "--section", "structure")
    table = ran.out[ran.out.index("side by side") :].splitlines()
    assert max(map(len, table)) <= 110
    assert sum(line.count("leaf-spine") for line in table if "one lost" not in line) == 2
    assert len(_told(fabricgen, *["blueprints/leaf-spine.yaml"] * 2, "--section", "structure")) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--job", "99999"), "has 1,016"),
        (("--job", "8@p7"), "there is no pod 'p7'"),
        (("--fabric", "compte"), "did you mean 'compute'"),
        (("--constant", "latency.ring.simple.nicus=3"), "did you mean 'nic_us'"),
        (("--constant", "efficiency.network.reached=7"), "cannot be 7"),
        (("--sizes", "many"), "'many' is no size"),
    ],
)
def test_what_is_not_there_is_refused(words: tuple[str, ...], said: str, fabricgen) -> None:
    ran = fabricgen("analyze", "blueprints/superpod-b200.yaml", *words)
    assert ran.code == 2
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert not ran.out
