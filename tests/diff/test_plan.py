"""`fabricgen plan` as it is used: sides on disk and in git, configurations, exit codes, and errors with their place."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.cli.sides import PlanOptions, _ClusterConfigs, compare_sources
from fabricgen.diff.affected import find_affected_switches
from fabricgen.diff.compare import compare_sides
from tests.conftest import BLUEPRINTS, SMALLER, Ran
from tests.diff.conftest import cluster_of, side_of

Run = Callable[..., Ran]
LEAF_SPINE = BLUEPRINTS / "leaf-spine.yaml"
SMALLER_SETS = SMALLER["colossus-200k"]
SMALL = """\
fabricgen: 1
name: small
include: sizes/base.yaml
fabrics: {compute: {protocol: roce, tiers: {leaf: {switch: my-leaf, per: su}}}}
"""
BASE = "scalable_unit: {nodes: 4 x generic-server}\npods: {p1: {su: 2}}\n"


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main")
    return subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with two revisions of a blueprint, its include, its catalogue and a built folder."""
    top = tmp_path / "repo"
    folder = top / "blueprints"
    (folder / "sizes").mkdir(parents=True)
    (folder / "catalog" / "switches").mkdir(parents=True)
    profile = (Path(__file__).parents[2] / "fabricgen/catalog/data/switches/7060dx5-64s.yaml").read_text()
    (folder / "catalog/switches/my-leaf.yaml").write_text(profile.replace("id: 7060dx5-64s", "id: my-leaf"))
    (folder / "small.yaml").write_text(SMALL.replace("fabrics:", "nos: eos\nfabrics:"))
    (folder / "sizes/base.yaml").write_text(BASE)
    git(top, "init", "-q")
    git(top, "add", ".")
    git(top, "commit", "-qm", "one")
    (folder / "sizes/base.yaml").write_text(BASE.replace("su: 2", "su: 3"))
    git(top, "commit", "-qam", "two")
    monkeypatch.chdir(folder)
    return top


def plan(fabricgen: Run, *arguments: str | Path) -> tuple[int, dict[str, object]]:
    ran = fabricgen("plan", *arguments, "--format", "json")
    assert ran.err == ""
    return ran.code, json.loads(ran.out)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "su"),
    [
        ("git:HEAD~1:blueprints/small.yaml", "git:HEAD:./small.yaml", "2 -> 3"),
        ("git:HEAD~1:./small.yaml", "small.yaml", "2 -> 3"),
        ("git:HEAD@{0}:../blueprints/small.yaml", "git:main~1:./small.yaml", "3 -> 2"),
    ],
)
def test_sides_come_whole_from_their_revision(repository: Path, fabricgen: Run, old: str, new: str, su: str) -> None:
    code, found = plan(fabricgen, old, new)
    assert code == 1
    assert found["reasons"][0].startswith(f"scalable units: p1 {su};")  # type: ignore[index]


def test_a_revision_is_not_what_lies_in_the_folder_now(repository: Path, fabricgen: Run) -> None:
    (repository / "blueprints/sizes/base.yaml").write_text("broken")
    (repository / "blueprints/catalog/switches/my-leaf.yaml").unlink()
    assert plan(fabricgen, "git:HEAD:./small.yaml", "git:HEAD:./small.yaml")[0] == 0
    ran = fabricgen("plan", "git:HEAD:./small.yaml", "small.yaml")
    assert ran.code == 2
    assert "sizes/base.yaml" in ran.err


def test_nothing_is_left_behind(repository: Path, fabricgen: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    place = repository.parent / "tmp"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    fabricgen("plan", "git:HEAD~1:./small.yaml", "git:HEAD:./small.yaml")
    fabricgen("plan", "git:HEAD:./small.yaml", "nowhere.yaml")
    assert list(place.iterdir()) == []


def test_a_built_folder_in_a_revision(repository: Path, fabricgen: Run) -> None:
    assert fabricgen("build", "small.yaml", "-o", "../built").code == 0
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "built")
    assert plan(fabricgen, "git:HEAD:built", "small.yaml")[1]["differences"] is False
    code, found = plan(fabricgen, "git:HEAD:built", "small.yaml", "--set", "qos.roce_dscp=30")
    assert code == 1
    assert {file["file"] for file in found["configs"]["files"]} == {  # type: ignore[index]
        f"{device}.cfg"
        for device in (f["device"] for f in found["configs"]["files"])  # type: ignore[index]
    }
    ran = fabricgen("plan", "git:HEAD:blueprints", "small.yaml")
    assert (ran.code, ran.err.splitlines()[0]) == (
        2,
        "git:HEAD:blueprints:1:1: error[FG045]: blueprints has no manifest.json in that revision",
    )


@pytest.mark.parametrize(
    ("spec", "says", "hint"),
    [
        ("git:HEAD", "'git:HEAD' is not git:REV:path", "write it like git:HEAD:blueprints/pod.yaml"),
        ("git::small.yaml", "is not git:REV:path", "write it like"),
        ("git:--output=x:small.yaml", "'--output=x' is no revision", "write it like"),
        ("git:nowhere:./small.yaml", "there is no revision 'nowhere'", "name a branch, a tag or a commit"),
        (
            "git:HEAD:small.yaml",
            "there is no 'small.yaml' in revision HEAD",
            "paths are from the top of the repository; did you mean",
        ),
        ("git:HEAD:./smal.yaml", "there is no './smal.yaml'", "did you mean 'blueprints/small.yaml'?"),
        ("git:HEAD:../../x.yaml", "leaves the repository", "name a path inside it"),
        ("git:HEAD:/etc/passwd", "leaves the repository", "name a path inside it"),
    ],
)
def test_what_is_not_in_git_is_said(repository: Path, fabricgen: Run, spec: str, says: str, hint: str) -> None:
    ran = fabricgen("plan", spec, "small.yaml")
    assert ran.code == 2
    assert ran.err.startswith(f"{spec}:1:1: error[FG045]: ")
    assert says in ran.err
    assert f"hint: {hint}" in ran.err


def test_no_repository_and_no_git_are_said(
    tmp_path: Path, fabricgen: Run, monkeypatch: pytest.MonkeyPatch, repository: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    ran = fabricgen("plan", "git:HEAD:./small.yaml", "small.yaml")
    assert (ran.code, "git is not installed" in ran.err) == (2, True)
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    ran = fabricgen("plan", "git:HEAD:./small.yaml", "small.yaml")
    assert ran.code == 2
    assert "not a git repository" in ran.err


def test_links_are_not_followed(repository: Path, fabricgen: Run) -> None:
    (repository / "blueprints/link.yaml").symlink_to("small.yaml")
    (repository / "blueprints/sizes/base.yaml").unlink()
    (repository / "blueprints/sizes/base.yaml").symlink_to("/etc/hostname")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "links")
    ran = fabricgen("plan", "git:HEAD:./link.yaml", "git:HEAD~1:./small.yaml")
    assert (ran.code, "'blueprints/link.yaml' is a symbolic link" in ran.err) == (2, True)
    ran = fabricgen("plan", "git:HEAD:./small.yaml", "git:HEAD~1:./small.yaml")
    assert ran.code == 2
    assert ran.err.startswith("git:HEAD:blueprints/small.yaml:3:10: error[FG001]: cannot read 'git:HEAD:blueprints/")


def test_includes_of_a_revision_stay_in_it(repository: Path, fabricgen: Run) -> None:
    (repository / "common.yaml").write_text(BASE)
    (repository.parent / "outside.yaml").write_text(BASE)
    text = (repository / "blueprints/small.yaml").read_text()
    for name, target in (
        ("up", "../common.yaml"),
        ("out", "../../../../../../../../.." + str(repository.parent) + "/outside.yaml"),
    ):
        (repository / f"blueprints/{name}.yaml").write_text(text.replace("sizes/base.yaml", target))
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "up")
    assert fabricgen("plan", "git:HEAD:./up.yaml", "up.yaml", "--allow-outside").code == 0
    ran = fabricgen("plan", "git:HEAD:./up.yaml", "up.yaml")
    assert (ran.code, "lies outside the blueprint's folder" in ran.err) == (2, True)
    ran = fabricgen("plan", "git:HEAD:./out.yaml", "small.yaml", "--allow-outside")
    assert ran.code == 2
    assert "leaves the repository" in ran.err or "no such file" in ran.err


def test_a_fault_in_a_revision_has_its_place_there(repository: Path, fabricgen: Run) -> None:
    (repository / "blueprints/small.yaml").write_text(SMALL.replace("my-leaf", "no-such"))
    git(repository, "commit", "-qam", "bad")
    ran = fabricgen("plan", "git:HEAD:./small.yaml", "git:HEAD~1:./small.yaml")
    assert ran.code == 2
    assert ran.err.startswith("git:HEAD:blueprints/small.yaml:4:")
    assert tempfile.gettempdir() not in ran.err


@pytest.mark.slow
def test_exit_codes_and_formats(fabricgen: Run) -> None:
    grown = ("--set-new", "pods.p1.su=3")
    assert fabricgen("plan", LEAF_SPINE, LEAF_SPINE).code == 0
    assert fabricgen("plan", LEAF_SPINE, LEAF_SPINE, *grown).code == 1
    assert fabricgen("plan", LEAF_SPINE, LEAF_SPINE, *grown, "--set-old", "pods.p1.su=3").code == 0
    assert fabricgen("plan", LEAF_SPINE, LEAF_SPINE, *grown, "--fail-on", "moved-cable,removed-device").code == 0
    assert fabricgen("plan", LEAF_SPINE, LEAF_SPINE, *grown, "--fail-on", "moved-cable,renumbered").code == 1
    assert fabricgen("plan", LEAF_SPINE, LEAF_SPINE, *grown, "--fail-on", "none").code == 0
    assert fabricgen("plan", LEAF_SPINE, LEAF_SPINE, *grown, "--fail-on", "changed-config").code == 1
    ran = fabricgen("plan", LEAF_SPINE, LEAF_SPINE, "--fail-on", "flap")
    assert (ran.code, "did you mean 'session-flap'" in ran.err) == (2, True)
    assert fabricgen("plan", "-", "-").code == 2
    assert fabricgen("plan", LEAF_SPINE, LEAF_SPINE, *grown, "--format", "markdown").out.startswith("### ")


@pytest.mark.slow
def test_prices_make_a_cost(fabricgen: Run, tmp_path: Path) -> None:
    (tmp_path / "prices.csv").write_text("part,unit_price\nsn4700,1000\n")
    prices = ("--prices", tmp_path / "prices.csv")
    _, found = plan(fabricgen, LEAF_SPINE, LEAF_SPINE, "--set", "pods.p1.su=3", *prices)
    assert (found["bom"]["cost"], found["bom"]["old_cost"]) == (2000.0, 8000.0)  # type: ignore[index]
    assert fabricgen("plan", LEAF_SPINE, LEAF_SPINE, "--set", "pods.p1.su=3", *prices, "--fail-on", "cost").code == 1
    assert fabricgen("plan", LEAF_SPINE, LEAF_SPINE, "--set", "pods.p1.su=1", *prices, "--fail-on", "cost").code == 0


@pytest.mark.slow
def test_a_folder_says_what_its_blueprint_says(fabricgen: Run, tmp_path: Path) -> None:
    grown = ("--set", "pods.p1.su=3")
    assert fabricgen("build", LEAF_SPINE, "-o", tmp_path / "old").code == 0
    assert fabricgen("build", LEAF_SPINE, "-o", tmp_path / "new", *grown).code == 0
    _, expected = plan(fabricgen, LEAF_SPINE, LEAF_SPINE, *grown)
    blueprints_only = {"old", "new", "new_set", "reasons", "spare_ports"}
    for old, new, sets in (
        (tmp_path / "old", LEAF_SPINE, grown),
        (LEAF_SPINE, tmp_path / "new", ()),
        (tmp_path / "old", tmp_path / "new", ()),
    ):
        code, found = plan(fabricgen, old, new, *sets)
        assert code == 1
        found["configs"]["devices"] = expected["configs"]["devices"]  # type: ignore[index]
        assert {k: v for k, v in found.items() if k not in blueprints_only} == {
            k: v for k, v in expected.items() if k not in blueprints_only
        }
    assert fabricgen("plan", tmp_path / "old", LEAF_SPINE).code == 0
    ran = fabricgen("plan", LEAF_SPINE, tmp_path / "new", *grown)
    assert (ran.code, "is a built folder" in ran.err) == (2, True)


def test_a_folder_without_configs_is_compared_without(fabricgen: Run, tmp_path: Path) -> None:
    assert fabricgen("build", LEAF_SPINE, "-o", tmp_path / "old", "--only", "devices,links,cables").code == 0
    code, found = plan(fabricgen, tmp_path / "old", LEAF_SPINE)
    assert (code, found["configs"], found["bom"], found["addresses"]) == (0, None, None, None)
    assert len(found["notes"]) == 3  # type: ignore[arg-type]


@pytest.mark.slow
def test_lines_of_configurations_are_shown_on_request(fabricgen: Run) -> None:
    sets = ("--set", "routing.bfd=true")
    without = fabricgen("plan", LEAF_SPINE, LEAF_SPINE, *sets)
    assert "+++" not in without.out
    assert "switch configs  16 files of 8 switches, +" in without.out
    shown = fabricgen("plan", LEAF_SPINE, LEAF_SPINE, *sets, "--configs")
    assert shown.out.count("+++ new/compute-") == 8
    _, found = plan(fabricgen, LEAF_SPINE, LEAF_SPINE, *sets, "--configs")
    for file in found["configs"]["files"]:  # type: ignore[index]
        assert ("diff" in file) == (file["what"] == "changed")
        lines = file.get("diff", "").splitlines()[2:] or ["+"] * file["lines_added"]
        assert [sum(line.startswith(sign) for line in lines) for sign in "+-"] == [
            file["lines_added"],
            file["lines_removed"],
        ]


@pytest.mark.slow
def test_too_many_configurations_are_not_rendered_unasked(fabricgen: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fabricgen.diff.configs.LIMIT", 3)
    sets = ("--set", "routing.bfd=true")
    code, found = plan(fabricgen, LEAF_SPINE, LEAF_SPINE, *sets)
    assert (code, found["configs"]) == (1, {"judged": False, "devices": 8, "files": []})
    assert "up to 8 switches differ" in fabricgen("plan", LEAF_SPINE, LEAF_SPINE, *sets).out
    assert len(plan(fabricgen, LEAF_SPINE, LEAF_SPINE, *sets, "--configs")[1]["configs"]["files"]) == 16  # type: ignore[index]


@pytest.mark.tenth
@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("leaf-spine", (), ("pods.p1.su=3",)),
        ("leaf-spine", (), ("routing.bfd=true",)),
        ("leaf-spine", (), ("pools.hosts=172.20.0.0/16",)),
        ("leaf-spine", (), ("qos.roce_dscp=30",)),
        ("leaf-spine", (), ('omit=["p1/su-2/node-4"]',)),
        ("leaf-spine", (), ("fabrics.compute.tiers.leaf.switch=sn5600",)),
        ("superpod-b300", ("pods.p1.su=1",), ("pods.p1.su=1", 'omit=["p1/su-1/node-2"]')),
        ("collapsed-pair", (), ("pods.p1.su=2",)),
        ("full-cluster", (), ("pools.loopback=10.250.0.0/16",)),
        ("multi-plane", ("pods.p1.su=2",), ("pods.p1.su=2", 'omit=["p1/su-1/node-2"]')),
    ],
)
def test_every_configuration_that_differs_is_among_those_that_are_rendered(
    name: str, old: tuple[str, ...], new: tuple[str, ...]
) -> None:
    was, now = cluster_of(name, *old), cluster_of(name, *new)
    change = compare_sides(side_of(name, *old), side_of(name, *new))
    affected = find_affected_switches(was, now, change.devices, change.links)
    before, after = ({} for _ in range(2))
    for found, cluster in ((before, was), (after, now)):
        configs = _ClusterConfigs(cluster, None)
        found.update(configs.read(configs.devices()))
    differing = {path.split("/")[1] for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert differing
    assert differing <= affected


@pytest.mark.slow
def test_a_small_change_renders_few_configurations() -> None:
    blueprint = str(BLUEPRINTS / "superpod-b300.yaml")
    change = compare_sources(blueprint, blueprint, PlanOptions(new_sets=('omit=["p1/su-1/node-2"]',)))
    assert change.configs is not None
    assert 0 < len({file.device for file in change.configs.files}) <= change.configs.devices < 25


@pytest.mark.slow
def test_a_large_cluster_takes_its_time_once(fabricgen: Run) -> None:
    blueprint = BLUEPRINTS / "colossus-200k.yaml"
    small = [word for setting in SMALLER_SETS for word in ("--set-old", setting, "--set-new", setting)]
    ran = fabricgen("plan", blueprint, blueprint, *small, "--set-new", "pods.p49.nodes=240")
    assert ran.code == 1
    assert "devices         8 added" in ran.out


@pytest.mark.slow
def test_bills_of_revisions_are_compared_as_blueprints_folders_and_files(repository: Path, fabricgen: Run) -> None:
    assert fabricgen("build", "small.yaml", "-o", "built").code == 0
    assert fabricgen("bom", "small.yaml", "-o", "order.csv").code == 0
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "ordered")
    for old in ("git:HEAD:./small.yaml", "git:HEAD:./built", "git:HEAD:./order.csv"):
        assert fabricgen("bom", "small.yaml", "--diff", old).code == 0, old
    ran = fabricgen("bom", "small.yaml", "--diff", "git:HEAD~1:./small.yaml", "--set", "pods.p1.su=5")
    assert ran.code == 1
    wrong = fabricgen("bom", "small.yaml", "--diff", "git:HEAD:blueprints")
    assert (wrong.code, wrong.err.startswith("git:HEAD:blueprints/bom.csv:1:1: error[FG074]")) == (2, True), wrong.err
