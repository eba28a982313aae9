"""`--only`, progress, and what earlier reports say."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from fabricgen.kernel.diagnostics import InputError
from fabricgen.verify.actions import CableState
from fabricgen.verify.cabling import make_cabling
from fabricgen.verify.progress.counts import find_scope
from fabricgen.verify.progress.earlier import read_reports
from fabricgen.verify.report import Report, write_report
from tests.conftest import example_cluster
from tests.verify.reports.made import LEAF, dark, exchanged, made, planned, swapped


@pytest.mark.parametrize(
    ("place", "cables"),
    [
        ("p1", 24),
        ("site1", 24),
        ("compute", 24),
        ("p1/su1", 12),
        ("p1/su-1", 12),
        ("p1/su-last", 12),
        ("p1/su2/rack1", 4),
        ("p1/su2/rack-last", 4),
        ("p1-su01-net01", 12),
        ("p1-su01-n001", 2),
        (LEAF, 6),
        ("compute.spine", 16),
    ],
)
def test_a_cable_is_in_a_place_when_an_end_is(place: str, cables: int) -> None:
    assert np.count_nonzero(find_scope(planned().cabling, [place]).cables) == cables


def test_a_fabric_is_its_own_cables_without_those_that_manage_its_switches() -> None:
    plan = make_cabling(example_cluster("superpod-b200"))
    own = sum(fabric == "compute" for fabric in plan.cables["fabric"])
    assert np.count_nonzero(find_scope(plan, ["compute"]).cables) == own == 2044


def test_places_add_up() -> None:
    assert np.count_nonzero(find_scope(planned().cabling, ["p1/su1", LEAF, "p1/su2"]).cables) == 24


@pytest.mark.parametrize(
    ("place", "hint"), [("p1/su9", "did you mean 'p1/su2'?"), ("p1-su01-net1", "p1-su01-net01"), ("", "known")]
)
def test_a_place_that_is_not_there_is_refused(place: str, hint: str) -> None:
    with pytest.raises(InputError, match="error\\[FG066\\]: the plan has no place") as refused:
        find_scope(planned().cabling, [place])
    assert hint in str(refused.value)


def test_counts_and_actions_are_of_the_scope() -> None:
    extra = (f"{LEAF}:Ethernet1 - other:1", "p1-su02-n001:x - other:2")
    here = made(swapped(), dark(), exchanged(), only=("p1/su2",), unseen=(f"{LEAF}:32",), extra=extra)
    assert here.total.total == here.total.verified == 12
    assert [action.kind.value for action in here.actions] == ["exchange"]
    assert here.diagnosis.extra == extra[1:]
    assert [row.name for row in here.racks] == ["p1-su02-rk01", "p1-su02-net01"]
    assert made(swapped(), only=("compute-spine-01",)).actions == (swapped(),)
    assert not made(swapped(), only=("p1/su2",)).has_differences()


def test_each_cable_counts_once_in_units_and_in_each_of_its_racks() -> None:
    found = made(swapped())
    assert [(row.name, row.verified, row.total) for row in found.units] == [("p1/su1", 10, 12), ("p1/su2", 12, 12)]
    racks = {row.name: row.total for row in found.racks}
    assert racks == {
        "p1-su01-rk01": 4,
        "p1-su02-rk01": 4,
        "p1-su01-net01": 12,
        "p1-su02-net01": 12,
        "net-compute-spine-01": 16,
    }


def written(tmp_path: Path, name: str, report: Report) -> str:
    file = tmp_path / name
    file.write_bytes(write_report("json", report))
    return str(file)


def ids(start: str) -> tuple[str, ...]:
    return tuple(name for name in planned().cabling.cable_ids.tolist() if name.startswith(start))


def test_what_was_verified_stays_so_until_a_dump_says_otherwise(tmp_path: Path) -> None:
    first = made(swapped(), unseen=ids("compute-leaf-p1-su02"), only=("p1/su1",))
    later = made(unseen=ids("compute-leaf-p1-su01"), earlier=read_reports([written(tmp_path, "1.json", first)]))
    assert later.total.earlier == 10  # the swapped cables were not verified, and are unseen now
    assert (later.total.verified, later.total.unseen) == (22, 2)
    assert [finding["id"] for finding in later.since.unseen] == [swapped().id]
    assert later.has_differences()
    last = made(earlier=read_reports([written(tmp_path, "2.json", later)]))
    assert [finding["id"] for finding in last.since.mended] == [swapped().id]
    assert not last.has_differences()
    again = made(unseen=ids("compute"), earlier=read_reports([written(tmp_path, "3.json", last)]))
    assert again.total.verified == 24
    assert not again.since.unseen


def test_reports_of_two_people_add_up(tmp_path: Path) -> None:
    one = written(tmp_path, "1.json", made(unseen=ids("compute-leaf-p1-su02")))
    two = written(tmp_path, "2.json", made(dark(), unseen=ids("compute-leaf-p1-su01-r2")))
    both = made(unseen=ids("compute"), earlier=read_reports([one, two]))
    assert both.total.verified == 23


def test_findings_are_new_open_or_mended(tmp_path: Path) -> None:
    file = written(tmp_path, "1.json", made(swapped(), dark()))
    now = made(swapped(), exchanged(), earlier=read_reports([file]))
    assert {action.kind.value: now.find_status(action) for action in now.actions} == {"swap": "open", "exchange": "new"}
    assert [finding["id"] for finding in now.since.mended] == [dark().id]
    text = write_report("text", now).decode()
    assert "since the earlier reports: 1 new, 1 still open\nmended since: 1 finding\n" in text
    assert {each["status"] for each in json.loads(write_report("json", now))["actions"]} == {"new", "open"}


VERIFIED = '"verified": {}'


@pytest.mark.parametrize(
    "content",
    [
        *("", "[]", "{}", "null", "[" * 100_000),
        '{"verified": [], "actions": []}',
        '{"verified": {"a": 1}, "actions": []}',
        f'{{{VERIFIED}, "actions": [{{"id": 1}}]}}',
        f'{{{VERIFIED}, "actions": 3}}',
        f'{{{VERIFIED}, "actions": [], "since": []}}',
    ],
)
def test_what_is_no_report_is_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=r"r\.json:1:1: error\[FG066\]"):
        read_reports([str(tmp_path / "r.json")])


def test_a_breakout_is_one_cable() -> None:
    states = made().diagnosis.states
    assert len(states) == 24
    assert set(states.tolist()) == {int(CableState.AS_PLANNED)}
