"""Settings that are inferred from running configurations: the same page, the same bytes, and drift that is told."""

from __future__ import annotations

import pytest

from fabricgen.adopt.settings.infer import infer_settings
from tests.adopt.settings.round_trip import (
    GOLDEN,
    build,
    find_path,
    list_nos,
    make_trip,
    read_all,
    read_page,
    render,
    strip_page,
)
from tests.conftest import EXAMPLES, SMALLER
from tests.laws import law_cases

MISSING = {
    "golden/cumulus-rails": 1,  # a snippet, which no reader knows
}
"""Cases that do not come back whole: the switches whose files are not the same bytes."""

CASES = (*EXAMPLES, *(f"golden/{path.name}" for path in sorted(GOLDEN.iterdir()) if path.is_dir()))

SERVERS = ["10.32.0.4", "10.32.0.5", "10.32.0.10", "10.32.0.11"]


def test_a_page_comes_back_from_configurations() -> None:
    trip = make_trip("leaf-spine")
    assert trip.changed == []
    assert trip.inferred.sections == {
        "nos": "sonic",
        "management": {"ntp": SERVERS, "syslog": {"servers": "10.32.0.6"}},
    }
    assert not trip.inferred.lock
    assert not trip.inferred.evidence


def test_what_was_inferred_says_from_how_many_switches() -> None:
    (ntp,) = [row for row in make_trip("leaf-spine").inferred.inferences if row.what == ("management", "ntp")]
    assert (ntp.facts, ntp.of, ntp.note) == (8, 8, "")


def test_one_drifted_line_is_told_and_changes_no_section() -> None:
    path = find_path("leaf-spine")
    cluster = build(path)
    files = render(cluster)
    name = "compute-leaf-p1-su01-r1-01"
    text = files[name]["config_db.json"]
    files[name] = files[name] | {"config_db.json": text.replace('"10.32.0.11"', '"10.32.0.12"')}
    drifted = infer_settings(read_all(list_nos(cluster), files), strip_page(read_page(cluster)), path)
    assert drifted.sections == make_trip("leaf-spine").inferred.sections
    (told,) = drifted.evidence
    assert (told.kind, told.device, told.file) == ("drifted", name, "config_db.json")
    assert "10.32.0.12" in files[name]["config_db.json"].splitlines()[told.line - 1]
    assert "3 of 4 switches of leaf as planned" in told.text
    (ntp,) = [row for row in drifted.inferences if row.what == ("management", "ntp")]
    assert (ntp.facts, ntp.of, ntp.note) == (7, 8, f"not so on {name}")


@pytest.mark.law
@pytest.mark.slow
@pytest.mark.parametrize("name", law_cases("settings come back", CASES))
def test_settings_of_an_example_come_back(name: str) -> None:
    """Byte by byte, on every switch that has a configuration; no number needs a row of a list."""
    trip = make_trip(name, *SMALLER.get(name, ()))
    assert len(trip.changed) == MISSING.get(name, 0), trip.changed[:5]
    assert not trip.inferred.lock
