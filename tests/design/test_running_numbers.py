"""`{index}` counts through units of several kinds, and a lock keeps what it has counted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran
from tests.lock.test_lock_command import edit_once, read_table

NAMES = """\
names:
  nodes: "gpu{index:03}"
  racks: {nodes: "rk{index:02}"}
  switches: {leaf: "{fabric}-lf{index:02}"}
"""
TWO_KINDS = """\
fabricgen: 1
name: demo
scalable_units:
  new: {nodes: 4 x dgx-b300, racks: {nodes_per_rack: 2}}
  old: {nodes: {gpu: 2 x dgx-h200, cpu: 1 x generic-server}, racks: {nodes_per_rack: 2}}
pods:
  alpha: {unit: new, su: 1, reserve: 2}
  bravo: {unit: old, su: 1}
  charly: {unit: new, su: 1}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn5600, per: [su, rail], uplinks: 4 x 400G}
      spine: {switch: sn5600, count: 4}
"""
LOCK = Path("demo.lock.yaml")


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fabricgen: Callable[..., Ran]) -> Callable[[], set[str]]:
    """Build the blueprint `demo.yaml`; the names of its nodes, leaves and racks of nodes."""
    monkeypatch.chdir(tmp_path)
    Path("demo.yaml").write_text(TWO_KINDS + NAMES, encoding="utf-8")

    def build() -> set[str]:
        ran = fabricgen("build", "demo.yaml", "-o", "out", "--only", "devices,racks")
        assert ran.code in (0, 1), ran.err
        devices = read_table(Path("out"), "devices.csv", "device")
        racks = {rack for (rack,) in read_table(Path("out"), "racks.csv", "rack") if rack.startswith("rk")}
        return {name for (name,), row in devices.items() if row["tier"] in ("node", "leaf")} | racks

    return build


def list_names(nodes: range | list[int], leaves: range | list[int], racks: range | list[int]) -> set[str]:
    return {f"gpu{n:03}" for n in nodes} | {f"compute-lf{n:02}" for n in leaves} | {f"rk{n:02}" for n in racks}


def test_numbers_count_through_kinds_and_sets(names: Callable[[], set[str]]) -> None:
    """By hand: two units of four nodes (one reserved), then one of three, of two sets, then one of four."""
    assert names() == list_names(
        [*range(1, 5), *range(9, 12), *range(12, 16)],
        [*range(1, 9), *range(17, 25), *range(25, 33)],
        [1, 2, 5, 6, 7, 8],
    )


def test_growth_and_what_goes_change_no_number_with_a_lock(
    names: Callable[[], set[str]], fabricgen: Callable[..., Ran]
) -> None:
    assert fabricgen("lock", "demo.yaml").code == 0
    before, blueprint = names(), Path("demo.yaml")
    edit_once(blueprint, "  bravo: {unit: old, su: 1}\n", "")
    assert names() == before - list_names(range(9, 12), range(17, 25), [5, 6])
    assert "bravo: 8-10" in LOCK.read_text(encoding="utf-8")
    edit_once(blueprint, "su: 1, reserve: 2}", "su: 3}\n  abel: {unit: old, su: 1}\n  bravo: {unit: old, su: 1}")
    after = names()
    assert after > before
    assert len(after) == len(before) + 2 * 4 + 3 + 8 * 3 + 2 * 2 + 2
    assert fabricgen("lock", "demo.yaml", "--check").code == 0


def test_a_kind_that_comes_later_leaves_the_numbers_of_the_first(
    names: Callable[[], set[str]], fabricgen: Callable[..., Ran]
) -> None:
    """A lock of one kind of units has no running numbers: they follow from its slots, and begin the blocks."""
    one_kind = TWO_KINDS.replace("scalable_units:\n  new:", "scalable_unit:").replace("unit: new, ", "")
    lines = one_kind.splitlines(keepends=True)
    first = "".join(line for line in lines if not line.startswith(("  old:", "  bravo:")))
    blueprint = Path("demo.yaml")
    blueprint.write_text(first + NAMES, encoding="utf-8")
    assert fabricgen("lock", "demo.yaml").code == 0
    assert "indexes" not in LOCK.read_text(encoding="utf-8")
    before = names()
    assert before == list_names([*range(1, 5), *range(9, 13)], [*range(1, 9), *range(17, 25)], [1, 2, 5, 6])
    kinds = "scalable_units:\n" + next(line for line in lines if line.startswith("  old:"))
    edit_once(blueprint, "pods:\n", f"{kinds}pods:\n  abel: {{unit: old, su: 1}}\n")
    assert names() == before | list_names(range(13, 16), range(25, 33), [7, 8])


def test_extra_devices_name_no_switches_by_such_a_number(
    names: Callable[[], set[str]], fabricgen: Callable[..., Ran]
) -> None:
    edit_once(
        Path("demo.yaml"),
        "names:\n",
        "    extra: {gate: {device: generic-server, ports: 1, to: leaf, switches: [compute-lf01]}}\nnames:\n",
    )
    ran = fabricgen("lint", "--fast", "demo.yaml")
    assert ran.code == 2
    assert "by a number that counts through units of several kinds" in ran.out
