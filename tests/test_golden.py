"""Whole small clusters: a build and parts on request; `--regenerate` writes them for review by eye."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

CASES = sorted(p.parent for p in (Path(__file__).parent / "golden").glob("*/blueprint.yaml"))
ON_REQUEST = ("containerlab", "hosts", "kea", "slurm", "topograph")


@pytest.mark.parametrize("case", CASES, ids=lambda p: p.name)
def test_golden(case: Path, tmp_path: Path, fabricgen, request: pytest.FixtureRequest) -> None:
    ran = fabricgen("build", case / "blueprint.yaml", "-o", tmp_path / "out", "--fail-on", "warning")
    assert ran.code == 0, ran.err
    more = fabricgen("build", case / "blueprint.yaml", "-o", tmp_path / "out", "--only", ",".join(ON_REQUEST))
    assert more.code == 0, more.err
    (tmp_path / "out" / "manifest.json").unlink()  # digests of what is compared here anyway, and the version
    expected = case / "expected"
    if request.config.getoption("--regenerate"):
        shutil.rmtree(expected, ignore_errors=True)
        shutil.copytree(tmp_path / "out", expected)
    built = {p.relative_to(tmp_path / "out") for p in (tmp_path / "out").rglob("*") if p.is_file()}
    assert built == {p.relative_to(expected) for p in expected.rglob("*") if p.is_file()}
    for path in sorted(built):
        assert (tmp_path / "out" / path).read_text() == (expected / path).read_text(), path
