"""What waits for a later phase is told at each phase of a blueprint, and with `--phase` at that one alone."""

from __future__ import annotations

import pytest

from fabricgen.lint.rules.plan.hygiene.fg827_waits_for_a_later_phase import WaitsForALaterPhase
from fabricgen.pipeline import compile_cluster
from tests.conftest import example_design

PHASES = "phases={pilot: {fabrics: [compute], extra: []}, now: {fabrics: [compute, inband, storage]}, end: {}}"
"""Of small-pair: the out-of-band network comes at the end, the routers of inband with that fabric."""


@pytest.mark.parametrize(
    ("phase", "told"),
    [
        (None, ["pilot", "now"]),
        ("pilot", ["pilot"]),
        ("now", ["now"]),
        ("end", []),
    ],
)
def test_each_phase_is_judged_by_itself(phase: str | None, told: list[str]) -> None:
    found = list(WaitsForALaterPhase().check(compile_cluster(example_design("small-pair", PHASES), phase)))
    assert [finding.path[1] for finding in found] == told
    assert all("have no link, " in finding.message and "oob comes later" in finding.message for finding in found)


def test_the_switches_and_devices_that_nobody_reaches_are_counted() -> None:
    (found,) = WaitsForALaterPhase().check(compile_cluster(example_design("small-pair", PHASES), "now"))
    assert "management ports of 4 switches and BMCs of 15 devices have no link, compute-leaf-01 first" in found.message


def test_a_lab_is_no_phase() -> None:
    cluster = compile_cluster(example_design("leaf-spine"), lab="1n")
    assert list(WaitsForALaterPhase().check(cluster)) == []
