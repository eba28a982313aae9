"""`fabricgen lock`: written, kept by builds, merged by git, and its holes released."""

from __future__ import annotations

import csv
import subprocess
from pathlib import Path

import pytest

from fabricgen.blueprint.beside.lock import format_lock, parse_lock
from tests.conftest import BLUEPRINTS, EXAMPLES, example_cluster

BLUEPRINT = """\
fabricgen: 1
name: demo
scalable_unit: {nodes: 4 x dgx-b300, racks: {nodes_per_rack: 4}}
pods:
  p1: {su: 2}
  p3: {su: 1}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn5600, per: [su, rail], uplinks: 4}
      spine: {switch: sn5600, count: 4}
pools: {hosts: 10.128.0.0/9}
"""


@pytest.fixture
def blueprint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A blueprint in a folder of its own, which is the current one."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "demo.yaml"
    file.write_text(BLUEPRINT, encoding="utf-8")
    return file


def edit_once(file: Path, old: str, new: str) -> None:
    """Change a text once; it must be there."""
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")


def read_table(folder: Path, name: str, *key: str) -> dict[tuple[str, ...], dict[str, str]]:
    """Rows of a list in a built folder by their key."""
    with (folder / name).open(encoding="utf-8", newline="") as stream:
        return {tuple(row[k] for k in key): row for row in csv.DictReader(stream)}


def count_kept(old: Path, new: Path) -> int:
    """How many devices and links both folders have; each of these must be the same in both."""
    shared = 0
    for name, key in (("devices.csv", ("device",)), ("links.csv", ("a_device", "a_port")), ("cables.csv", ("cable",))):
        was, now = read_table(old, name, *key), read_table(new, name, *key)
        for row in was.keys() & now.keys():
            for column in was[row].keys() - {"length_m", "part", "medium", "a_transceiver", "b_transceiver"}:
                assert was[row][column] == now[row][column], (name, row, column)
        shared += len(was.keys() & now.keys())
    return shared


@pytest.mark.slow
def test_a_build_keeps_a_lock_that_is_there(blueprint: Path, fabricgen) -> None:
    first = fabricgen("build", blueprint, "-o", "one")
    assert "no lock; `fabricgen lock` writes" in first.err
    assert not Path("demo.lock.yaml").exists()
    assert fabricgen("lock", blueprint).code == 0
    assert fabricgen("lock", blueprint, "--check").code == 0
    edit_once(blueprint, "  p3: {su: 1}", "  p2: {su: 2}\n  p3: {su: 1}")
    assert fabricgen("lock", blueprint, "--check").code == 1
    assert fabricgen("build", blueprint, "-o", "two", "--locked").code == 2
    assert not Path("two").exists()
    built = fabricgen("build", blueprint, "-o", "two")
    assert "demo.lock.yaml written: commit it" in built.err
    assert count_kept(Path("one"), Path("two")) > 400
    assert fabricgen("build", blueprint, "-o", "three", "--locked").code == 0
    assert Path("two/manifest.json").read_bytes() == Path("three/manifest.json").read_bytes()


def test_without_a_lock_an_insertion_moves_what_follows(blueprint: Path, fabricgen) -> None:
    fabricgen("build", blueprint, "-o", "one")
    edit_once(blueprint, "  p3: {su: 1}", "  p2: {su: 2}\n  p3: {su: 1}")
    fabricgen("build", blueprint, "-o", "two")
    with pytest.raises(AssertionError):
        count_kept(Path("one"), Path("two"))


@pytest.mark.slow
def test_a_hole_stays_until_it_is_released(blueprint: Path, fabricgen) -> None:
    fabricgen("lock", blueprint)
    fabricgen("build", blueprint, "-o", "one")
    edit_once(blueprint, "  p1: {su: 2}\n", "")
    ran = fabricgen("build", blueprint, "-o", "two")
    assert ran.code == 0, ran.err
    assert count_kept(Path("one"), Path("two")) > 100
    edit_once(blueprint, "  p3: {su: 1}", "  p3: {su: 1}\n  p9: {su: 2}")
    fabricgen("build", blueprint, "-o", "three")
    assert count_kept(Path("two"), Path("three")) > 100
    lock = Path("demo.lock.yaml").read_text(encoding="utf-8")
    assert "  p1: 0-1\n  p3: 2\n  p9: 3-4\n" in lock
    held = fabricgen("lock", blueprint)
    assert "reserved but unused: units p1: 0-1" in held.err
    released = fabricgen("lock", blueprint, "--release", "pods/p1")
    assert released.code == 0, released.err
    assert "p1" not in Path("demo.lock.yaml").read_text(encoding="utf-8")
    edit_once(blueprint, "  p9: {su: 2}", "  p9: {su: 2}\n  p4: {su: 2}")
    fabricgen("build", blueprint, "-o", "four")
    assert count_kept(Path("three"), Path("four")) > 100
    assert "  p4: 0-1\n" in Path("demo.lock.yaml").read_text(encoding="utf-8")


def test_what_is_in_use_is_not_released(blueprint: Path, fabricgen) -> None:
    fabricgen("lock", blueprint)
    before = Path("demo.lock.yaml").read_bytes()
    for path in ("pods/p1", "fabrics/compute", "nonsense"):
        ran = fabricgen("lock", blueprint, "--release", path)
        assert ran.code == 2
        assert f"the lock has no unused reservation of '{path}'" in ran.err
    assert Path("demo.lock.yaml").read_bytes() == before


def test_a_pool_that_no_longer_holds_what_the_lock_keeps(blueprint: Path, fabricgen) -> None:
    fabricgen("lock", blueprint)
    edit_once(blueprint, "10.128.0.0/9", "172.16.0.0/12")
    ran = fabricgen("build", blueprint, "-o", "out")
    assert ran.code == 2
    holder = "compute leaf (su, 8 rail) nodes of compute in /25"
    assert f"demo.yaml:13:16: error[FG038]: the lock keeps 10.128.0.0/20 for {holder}" in ran.err
    assert fabricgen("lock", blueprint, "--release", holder).code == 0
    assert fabricgen("build", blueprint, "-o", "out").code == 0


def test_a_lock_of_another_cluster_is_refused(blueprint: Path, fabricgen) -> None:
    fabricgen("lock", blueprint)
    edit_once(blueprint, "name: demo", "name: other")
    ran = fabricgen("show", blueprint)
    assert ran.code == 2
    assert "this lock is of 'demo', and the blueprint is named 'other'" in ran.err
    assert "write `blueprint: other` here" in ran.err


def test_set_leaves_the_lock_alone(blueprint: Path, fabricgen) -> None:
    fabricgen("lock", blueprint)
    before = Path("demo.lock.yaml").read_bytes()
    ran = fabricgen("build", blueprint, "-o", "out", "--set", "pods.p1.su=3")
    assert "demo.lock.yaml is left as it is" in ran.err
    assert Path("demo.lock.yaml").read_bytes() == before


def run_git(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run git in the current folder."""
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com"]
    return subprocess.run([*command, *arguments], check=False, capture_output=True, text=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("  p1: {su: 2}", "  a1: {su: 1}\n  p1: {su: 2}"), ("  p3: {su: 1}", "  p3: {su: 1}\n  z9: {su: 1}")),
        (("  p1: {su: 2}", "  p1: {su: 3}"), ("  p3: {su: 1}", "  p3: {su: 2}")),
        (
            (
                "fabrics:\n",
                "fabrics:\n  aside: {protocol: ethernet, attach: inband, tiers: {leaf: {switch: sn5600}}}\n",
            ),
            ("pools:", "  zside: {protocol: ethernet, attach: storage, tiers: {leaf: {switch: sn5600}}}\npools:"),
        ),
    ],
)
def test_two_branches_that_grew_never_merge_silently_wrong(
    blueprint: Path, fabricgen, one: tuple[str, str], other: tuple[str, str]
) -> None:
    fabricgen("lock", blueprint)
    run_git("init", "-b", "main")
    run_git("add", ".")
    run_git("commit", "-m", "first")
    for branch, change in (("one", one), ("other", other)):
        run_git("checkout", "-b", branch, "main")
        edit_once(blueprint, *change)
        assert fabricgen("lock", blueprint).code == 0
        fabricgen("build", blueprint, "-o", f"/{blueprint.parent}/built-{branch}")
        run_git("commit", "-am", branch)
    merged = run_git("merge", "one")
    ran = fabricgen("lock", blueprint)
    if merged.returncode == 0 and ran.code == 0:
        fabricgen("build", blueprint, "-o", "merged")
        count_kept(Path("built-one"), Path("merged"))
        count_kept(Path("built-other"), Path("merged"))
    else:
        assert "CONFLICT" in merged.stdout or "two branches gave it away" in ran.err
        assert fabricgen("build", blueprint, "-o", "merged").code == 2


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_lock_of_every_example_is_read_back(example: str) -> None:
    text = format_lock(example_cluster(example).lock)
    assert format_lock(parse_lock(text.encode(), "x.lock.yaml")) == text
    assert len(text) < 200_000


@pytest.mark.slow
def test_flat_management_grows_by_further_subnets(blueprint: Path, fabricgen) -> None:
    before: Path | None = None
    for su in (4, 6, 7, 2, 5):
        line = next(line for line in blueprint.read_text(encoding="utf-8").splitlines() if "  p1:" in line)
        edit_once(blueprint, line, f"  p1: {{su: {su}}} #")
        assert fabricgen("lock", blueprint).code == 0
        assert fabricgen("lock", blueprint, "--check").code == 0
        built = Path(f"built-{su}")
        ran = fabricgen("build", blueprint, "-o", built, "--locked", "--only", "devices,links,cables")
        assert ran.code == 0, ran.err
        assert before is None or count_kept(before, built) > 100
        before = built


@pytest.mark.slow
def test_ports_of_extra_devices_are_kept_and_released(blueprint: Path, fabricgen) -> None:
    extra = (
        "    extra: {m1: {device: generic-server, attach: compute}, m2: {device: generic-server, attach: compute}}\n"
    )
    edit_once(blueprint, "    tiers:\n", extra + "    tiers:\n")
    assert fabricgen("lock", blueprint).code == 0
    fabricgen("build", blueprint, "-o", "one")
    edit_once(blueprint, "{m1:", "{a1: {device: generic-server, attach: compute}, m1:")
    edit_once(blueprint, "  p3: {su: 1}", "  a0: {su: 1, site: aaa}\n  p3: {su: 1}")
    fabricgen("build", blueprint, "-o", "two")
    was, now = (read_table(Path(f), "links.csv", "a_device", "a_port") for f in ("one", "two"))
    kept_rows = [row for row in was.keys() & now.keys() if row[0] in ("m1", "m2")]
    assert kept_rows
    assert all(was[row]["b_port"] == now[row]["b_port"] for row in kept_rows)
    sites = read_table(Path("two"), "devices.csv", "device")
    assert sites[("m1",)]["site"] == "site1", "devices stay at the site that was there first"
    edit_once(blueprint, ", m2: {device: generic-server, attach: compute}", "")
    held = fabricgen("lock", blueprint)
    assert "reserved but unused: extras compute m2 1" in held.err
    assert fabricgen("lock", blueprint, "--release", "unused").code == 0
    assert " m2 " not in Path("demo.lock.yaml").read_text(encoding="utf-8")
    assert "reserved but unused" not in fabricgen("lock", blueprint, "--check").err


def test_a_cluster_may_be_named_as_yaml_has_words(blueprint: Path, fabricgen) -> None:
    edit_once(blueprint, "name: demo", 'name: "on"')
    fabricgen("lock", blueprint)
    assert fabricgen("lock", blueprint, "--check").code == 0


def test_standard_input_has_no_lock(fabricgen) -> None:
    assert fabricgen("build", "-", "-o", "out", "--locked").code == 2


def test_a_hook_may_be_given_the_lock_beside_its_blueprint(blueprint: Path, fabricgen) -> None:
    fabricgen("lock", blueprint)
    alone = fabricgen("lint", "--fast", "demo.yaml")
    with_lock = fabricgen("lint", "--fast", "demo.lock.yaml", "demo.yaml")
    assert (with_lock.code, with_lock.out) == (alone.code, alone.out)
    Path("demo.lock.yaml").write_text("fabricgen-lock: 9\n", encoding="utf-8")
    assert "this lock is of version 9" in fabricgen("lint", "demo.lock.yaml").out
    refused = fabricgen("show", "demo.lock.yaml")
    assert refused.code == 2
    assert "demo.lock.yaml:1:1: error[FG038]: this is a lock, not a blueprint\n  hint: name demo.yaml" in refused.err


@pytest.mark.slow
def test_locks_beside_examples_are_up_to_date(fabricgen) -> None:
    locks = sorted(BLUEPRINTS.glob("*.lock.yaml"))
    assert locks
    for lock in locks:
        ran = fabricgen("lock", lock, "--check")
        assert ran.code == 0, ran.err
