"""Faults of a lab are named by probes of real packets: of a tenth of 200 seeded ones, or of all with `--whole`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fabricgen.api import compile_blueprint
from tests.laws import law_examples
from tests.probing.lab import TWO_PLANES, ProbedLab, choose_ports, count_named
from tests.srv6.fabrics import build, nic_ports
from tests.srv6.lab import start_lab

FAULTS = 200


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProbedLab]:
    folder, files = tmp_path_factory.mktemp("lab"), build(TWO_PLANES)
    (folder / "page.yaml").write_text(TWO_PLANES)
    with start_lab(files, choose_ports(nic_ports(files))) as made:
        yield ProbedLab(compile_blueprint(folder / "page.yaml"), made, folder)


@pytest.mark.law
@pytest.mark.daemon
@pytest.mark.slow
def test_faults_of_a_lab_are_named(lab: ProbedLab) -> None:
    faults = law_examples(FAULTS)
    named, first, others = count_named(lab, range(0, FAULTS, FAULTS // faults), tries=2)
    # 195 and 190 of 200
    assert (named >= 0.975 * faults - 1 / 2, first >= 0.95 * faults) == (True, True), "\n".join(others)


@pytest.mark.daemon
@pytest.mark.slow
def test_no_part_of_a_healthy_lab_loses_packets(lab: ProbedLab) -> None:
    for _ in range(3):
        verdict = lab.judge_fault(None)
        assert verdict.answered == verdict.planned
        assert not [part for part in verdict.named if "loss" in part.amounts]
