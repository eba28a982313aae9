"""Labels: both ends of every cable, each with the place where it belongs and the place where the other end goes."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from fabricgen.export.files import cables, labels
from fabricgen.export.locations import locate_racks
from fabricgen.export.plugs import list_plugs
from fabricgen.export.table import ExportContext
from fabricgen.export.technician.records import make_pull_plan
from tests.conftest import bytes_of, example_cluster

SMALL = ("leaf-spine", "two-site", "nvl72-gb200", "full-cluster", "modular-spine", "superpod-b300", "gaudi3")


def labels_of(name: str, *sets: str) -> list[dict[str, str]]:
    ((path, content),) = labels.files(example_cluster(name, *sets), ExportContext())
    assert path == "labels.csv"
    return list(csv.DictReader(io.StringIO(bytes_of(content).decode())))


def test_a_label_by_hand() -> None:
    """Leaf 1 of unit 2 stands highest in the fourth rack of row 1; its port 29 goes to port 3 of the highest spine."""
    near, far = labels_of("leaf-spine")[:2]
    assert (near["line1"], near["line2"]) == ("h1.R01.04-U46:29", "h1.N01.01-U46:3")
    assert (far["line1"], far["line2"]) == (near["line2"], near["line1"])
    assert near["line3"] == "C1 SR 10 m"
    assert (near["near_device"], near["far_device"]) == ("compute-leaf-p1-su02-r1-01", "compute-spine-01")
    assert [near["code"], far["code"]] == ["compute-leaf-p1-su02-r1-01:29|a", "compute-leaf-p1-su02-r1-01:29|b"]


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_no_two_labels_name_one_socket_or_have_one_code(name: str) -> None:
    rows = labels_of(name)
    for column in ("near_location", "code"):
        assert len({row[column] for row in rows}) == len(rows), column


@pytest.mark.slow
@pytest.mark.parametrize("name", ["leaf-spine", "two-site", "full-cluster"])
def test_every_end_of_every_cable_has_a_label(name: str) -> None:
    cluster = example_cluster(name)
    wiring = cables.make_table(cluster).columns
    rows = labels_of(name)
    printed = {(row["cable"], row["near_device"]) for row in rows}
    planned = {
        (cable, device)
        for end in ("a_device", "b_device")
        for cable, device in zip(wiring["cable"], wiring[end], strict=True)
    }
    assert printed == planned
    ends = Counter(wiring["cable"])
    fibres = {cable: _fibres(part) for cable, part in zip(wiring["cable"], wiring["part"], strict=True)}
    assert len(rows) == sum(fibres[cable] + max(fibres[cable], far_ends) for cable, far_ends in ends.items())


def _fibres(part: str) -> int:
    """How many fibres a cable is, by its part: `2x MFP7E10-N015`, `2x fibre-mmf-om4-mpo-12-apc-10m`."""
    found = re.match(r"(\d+)x ", part)
    return int(found[1]) if found else 1


def test_the_common_end_of_a_breakout_says_how_many_more_there_are() -> None:
    """Its tails are told apart."""
    rows = [row for row in labels_of("leaf-spine") if row["cable"] == "compute-leaf-p1-su01-r1-01:1"]
    assert [row["end"] for row in rows] == ["b", "a1", "a2"]
    assert [row["line2"] for row in rows] == ["h1.R01.01-U01:eth1 +1", "h1.R01.02-U46:1/1", "h1.R01.02-U46:1/2"]
    assert [row["far_ends"] for row in rows] == ["2", "1", "1"]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "plugs"), [("superpod-b300", 17_120), ("dual-tor", 24_560)])
def test_each_plug_of_a_twin_port_cage_has_a_label(name: str, plugs: int) -> None:
    """A build lead counted them: 6,144 of 17,120, and 5,020 in dual-tor, had the label of another one."""
    rows = labels_of(name)
    assert len({row["near_location"] for row in rows}) == len(rows) == plugs
    assert len({(row["line1"], row["line2"]) for row in rows}) == plugs


@pytest.mark.slow
def test_two_jumpers_of_one_cage_are_told_apart_at_both_ends() -> None:
    """One NIC to two planes, and a leaf to a spine by two fibres."""
    rows = {row["code"]: row for row in labels_of("superpod-b300")}
    nic = [rows[f"p1-su01-n001:OSFP1|a{n}"] for n in (1, 2)]
    assert [row["line1"] for row in nic] == ["h1.R01.01-U01:OSFP1/1", "h1.R01.01-U01:OSFP1/2"]
    assert [row["far_device"] for row in nic] == [f"compute-leaf-p1-su01-r1-pl{n}-01" for n in (1, 2)]
    assert [row["far_ends"] for row in nic] == ["1", "1"]
    up = [rows[f"compute-leaf-p1-su01-r1-pl1-01:33|{end}"] for end in ("a1", "a2", "b1", "b2")]
    assert [row["near_location"].partition(":")[2] for row in up] == ["33/1", "33/2", "1/1", "1/2"]
    assert [row["far_location"] for row in up] == [up[i]["near_location"] for i in (2, 3, 0, 1)]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["leaf-spine", "full-cluster", "superpod-b300"])
def test_cables_csv_says_what_is_printed_and_the_port(name: str) -> None:
    """Its labels named devices, and the printed ones places."""
    wiring = cables.make_table(example_cluster(name)).columns
    said = {text for column in ("label_a", "label_b") for text in wiring[column]}
    fibres = {cable: _fibres(part) for cable, part in zip(wiring["cable"], wiring["part"], strict=True)}
    for row in labels_of(name):
        if row["far_ends"] == "1" and fibres[row["cable"]] == 1:
            ends = [(row[f"{end}_location"], row[f"{end}_port"].partition(" ")[2]) for end in ("near", "far")]
            assert " > ".join(" ".join(filter(None, end)) for end in ends) in said
            assert [where for where, _ in ends] == [row["line1"], row["line2"]]


def test_sites_stand_before_halls_where_there_are_several() -> None:
    first = labels_of("two-site")[0]
    assert (first["line1"], first["line2"]) == ("east.h1.N01.01-U11:49", "west.h1.N01.01-U11:49")


def test_halls_by_name_where_there_are_several() -> None:
    """The racks of the second unit moved into a hall of their own."""
    cluster = example_cluster("leaf-spine")
    racks = cluster.plan.racks
    halls = tuple(racks.halls[0]._replace(name=name) for name in ("north", "south"))
    moved = replace(racks, halls=halls, hall=np.array([0, 0, 1, 1, 0], dtype=np.int32))
    cluster = replace(cluster, plan=cluster.plan._replace(racks=moved))
    assert locate_racks(cluster).tolist() == [
        "north.R01.01",
        "north.R01.02",
        "south.R01.03",
        "south.R01.04",
        "north.N01.01",
    ]
    assert make_pull_plan(cluster, list_plugs(cluster)).steps == (
        "north.N01 to south.R01",
        "north.R01 to north.N01",
        "along north.R01",
        "along south.R01",
    )
    named = replace(racks, halls=(racks.halls[0]._replace(name="h1"), racks.halls[0]), hall=moved.hall)
    places = locate_racks(replace(cluster, plan=cluster.plan._replace(racks=named))).tolist()
    assert len(set(places)) == len(places)
    assert places[2] == "hall1.R01.03"  # h1 is another
