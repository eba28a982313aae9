"""Rebuilds by several processes: who makes what has changed, and that it is the same whoever does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

import fabricgen.publish.state as states
from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.publish import Bundle, publish_folder
from fabricgen.publish.bundles import TASK
from fabricgen.publish.manifest import PublishReport
from tests.publish.publishing import HEADER, tree

SWITCHES = 12 * TASK
_MADE_HERE: list[str] = []
"""Switches that this process made; those that workers made are noted in their memory alone."""
_TOLD_HERE: list[str] = []
"""Findings of which this process told."""
_EXPECTED: list[str] = []
"""Switches that this process was told it would make."""


def _switch(name: str, asn: int) -> Iterator[tuple[str, bytes]]:
    _MADE_HERE.append(name)
    if asn < 0:
        raise fault("FG001", f"{name} has AS number {asn}")
    yield f"configs/{name}/frr.conf", f"router bgp {asn}\n".encode()


def _expect(names: Sequence[str]) -> None:
    assert not _MADE_HERE
    _EXPECTED.extend(names)


def _summary(findings: str) -> Iterator[tuple[str, bytes]]:
    _TOLD_HERE.append(findings)
    yield "summary.json", findings.encode()


def _table(rows: int) -> Iterator[tuple[str, Iterator[bytes]]]:
    yield "links.csv", (b"%d\n" % row * 1000 for row in range(rows))


def _bundles(asns: dict[int, int], rows: int = 3) -> list[Bundle]:
    """A large table and many switches, of which some have other AS numbers than the rest."""
    numbers = [(f"leaf{number}", asns.get(number, 65001)) for number in range(SWITCHES)]
    switches = [
        Bundle("configs", name, partial(_switch, name, asn), partial(str.encode, f"{asn:08d}"), expect=_expect)
        for name, asn in numbers
    ]
    return [*switches, Bundle("links", "links", partial(_table, rows), cost=5 * TASK)]


@pytest.fixture(autouse=True)
def _long_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was built was built long ago, as far as clocks can tell."""
    monkeypatch.setattr(states, "_racy", lambda found, now: False)


def _build(folder: Path, asns: dict[int, int], *, jobs: int = 2) -> PublishReport:
    _MADE_HERE.clear()
    _EXPECTED.clear()
    return publish_folder(folder / "out", _bundles(asns), header=HEADER, jobs=jobs, cache=folder / "cache")


@pytest.mark.parametrize(
    ("changed", "here"),
    [(range(0), 0), (range(5, 8), 3), (range(0, SWITCHES, 60), 13), (range(300), 0), (range(SWITCHES), 0)],
    ids=["none", "three", "here and there", "many", "all"],
)
def test_a_few_switches_are_made_while_workers_are_at_the_tables(tmp_path: Path, changed: range, here: int) -> None:
    _build(tmp_path, {})
    assert not _MADE_HERE
    report = _build(tmp_path, dict.fromkeys(changed, 65002))
    assert (report.written, report.unchanged) == (len(changed), SWITCHES + 1 - len(changed))
    assert len(_MADE_HERE) == here
    assert _EXPECTED == _MADE_HERE
    publish_folder(tmp_path / "fresh", _bundles(dict.fromkeys(changed, 65002)), header=HEADER)
    assert tree(tmp_path / "out") == tree(tmp_path / "fresh")


@pytest.mark.parametrize("wrong", [(700, 3), (0,), range(1, 400)], ids=["two", "one", "many"])
def test_the_first_of_several_faults_is_told_and_nothing_lands(tmp_path: Path, wrong: range | tuple[int, ...]) -> None:
    _build(tmp_path, {})
    before = tree(tmp_path / "out")
    with pytest.raises(InputError, match=f"leaf{min(wrong)} has AS number -1"):
        _build(tmp_path, dict.fromkeys(wrong, -1))
    assert tree(tmp_path / "out") == before
    assert _build(tmp_path, {}).written == 0


@pytest.mark.parametrize("changed", [range(3), range(SWITCHES)], ids=["few", "all"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_what_the_parent_needs_too_it_makes_itself(tmp_path: Path, changed: range, jobs: int) -> None:
    """Whoever makes the switches, and however large it is said to be."""
    before: dict[int, int] = {}
    for asns, count in ((before, "1"), (dict.fromkeys(changed, 65002), "2")):
        summary = Bundle("summary", "summary", partial(_summary, count), cost=9 * TASK, here=True)
        bundles = [*_bundles(asns), summary]
        _MADE_HERE.clear()
        publish_folder(tmp_path / "out", bundles, header=HEADER, jobs=jobs, cache=tmp_path / "cache")
        assert _TOLD_HERE.pop() == count
        assert tree(tmp_path / "out")["summary.json"] == count.encode()
