"""One coordinate system: what a label calls a place, the floor plan, elevations, the book and racks.csv call it too."""

from __future__ import annotations

import csv
import io
import re

import pytest

from fabricgen.export.drawings.elevation import draw_elevation
from fabricgen.export.drawings.floor_marks import RackKinds
from fabricgen.export.drawings.floor_pages import find_whole_hall
from fabricgen.export.drawings.floor_plan import draw_floor_plan
from fabricgen.export.drawings.rack_contents import FilledRacks
from fabricgen.export.files import drawings, labels, racks
from fabricgen.export.table import ExportContext
from tests.conftest import bytes_of, example_cluster


@pytest.mark.slow
@pytest.mark.parametrize("name", ["full-cluster", "patched-hall", "two-site"])
def test_a_place_is_called_the_same_everywhere(name: str) -> None:
    cluster = example_cluster(name)
    ((_, content),) = labels.files(cluster, ExportContext())
    printed = {
        row["near_location"].partition("-U")[0] for row in csv.DictReader(io.StringIO(bytes_of(content).decode()))
    }
    table = racks.make_table(cluster).columns
    place = dict(zip(table["rack"], table["place"], strict=True))
    assert printed <= set(place.values())
    assert len(set(place.values())) == len(place)
    drawn = FilledRacks(cluster)
    for number, rack in enumerate(table["rack"]):
        assert f">{place[rack]}</text>" in draw_elevation(drawn.make_rack(number))
    words = set()
    for hall in range(len(cluster.plan.racks.halls)):
        svg = draw_floor_plan(RackKinds(cluster, drawn), find_whole_hall(cluster.plan.racks, hall))
        words |= set(re.findall(r">([RN]?P?\d\d)</text>", svg))
    for where in place.values():  # its row at the side, its column above and below
        assert set(where.split(".")[-2:]) <= words, where
    book = next(
        bytes_of(content).decode() for path, content in drawings.files(cluster, ExportContext()) if "book" in path
    )
    assert all(where.rpartition(".")[0] in book for where in place.values())
