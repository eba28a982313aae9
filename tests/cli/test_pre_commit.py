"""pre-commit itself runs the hooks: it installs them from a clone of this repository and gives them changed files."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fabricgen.yaml.located import read_located
from tests.conftest import require

ROOT = Path(__file__).resolve().parents[2]

GOOD = (ROOT / "blueprints" / "leaf-spine.yaml").read_text(encoding="utf-8")
FRAGMENT = "# Not a blueprint: others include it.\npools: {hosts: 172.16.0.0/12}\n"

CONFIG = """\
repos:
  - repo: {clone}
    rev: {revision}
    hooks: [{{id: fabricgen-lint}}, {{id: fabricgen-schema}}]
"""

OF_BLUEPRINTS = ("fabricgen-lint", "fabricgen-lint-full", "fabricgen-lock")
"""Hooks that are given blueprints and locks, and nothing else."""

INSTALLING_S = 1800
"""How long pre-commit may take at most, which fetches and installs fabricgen and all that it needs."""


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=test", "-c", "user.email=test@example.net", "-c", "commit.gpgsign=false")
    return subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of the hooks as they stand in the working tree, committed or not."""
    require("" if shutil.which("git") else "git is missing: `apt-get install git` to run the hooks")
    folder = tmp_path_factory.mktemp("hooks") / "fabricgen"
    shutil.copytree(
        ROOT,
        folder,
        ignore=shutil.ignore_patterns(".git", ".venv", "tests", "docs", "__pycache__", ".*_cache", ".hypothesis"),
    )
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "Hooks")
    return folder


def pre_commit(folder: Path, clone: Path) -> subprocess.CompletedProcess[str]:
    """Run the hooks on all files; what is installed stays beside their clone, for all tests.

    Compiling all dependencies ahead takes longer than what runs of them; pip reads this option the wrong way round.
    """
    environment = {**os.environ, "PRE_COMMIT_HOME": str(clone.parent / "cache"), "PIP_NO_COMPILE": "0"}
    environment = {key: value for key, value in environment.items() if key not in ("PYTHONPATH", "SKIP")}
    git(folder, "add", "--all")
    command = [sys.executable, "-m", "pre_commit", "run", "--all-files", "--color", "never"]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=INSTALLING_S
    )


@pytest.mark.parametrize(
    ("path", "hooks"),
    [
        ("blueprints/superpod.yaml", {*OF_BLUEPRINTS, "fabricgen-lint-all", "fabricgen-schema"}),
        ("clusters/east/blueprints/a.yml", {*OF_BLUEPRINTS, "fabricgen-lint-all", "fabricgen-schema"}),
        ("blueprints/superpod.lock.yaml", {*OF_BLUEPRINTS, "fabricgen-lint-all", "fabricgen-schema"}),
        ("blueprints/common/pools.yaml", {"fabricgen-lint-all"}),
        ("blueprints/catalog/switches/own.yaml", {"fabricgen-lint-all", "fabricgen-schema"}),
        (".fabricgen.yaml", {"fabricgen-lint-all", "fabricgen-schema"}),
        ("docs/my-blueprints.yaml", set()),
    ],
)
def test_hooks_are_given_the_files_they_judge(path: str, hooks: set[str]) -> None:
    offered = read_located(ROOT / ".pre-commit-hooks.yaml").data
    assert {hook["id"] for hook in offered if re.search(hook["files"], path)} == hooks


@pytest.mark.slow
def test_pre_commit_passes_good_blueprints_and_stops_bad_ones(clone: Path, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    (folder / "blueprints" / "common").mkdir(parents=True)
    git(folder, "init", "--quiet")
    config = CONFIG.format(clone=clone, revision=git(clone, "rev-parse", "HEAD").strip())
    (folder / ".pre-commit-config.yaml").write_text(config, encoding="utf-8")
    (folder / "blueprints" / "good.yaml").write_text(f"include: common/pools.yaml\n{GOOD}", encoding="utf-8")
    (folder / "blueprints" / "common" / "pools.yaml").write_text(FRAGMENT, encoding="utf-8")

    good = pre_commit(folder, clone)
    assert good.returncode == 0, good.stdout + good.stderr
    assert good.stdout.count("Passed") == 2

    (folder / "blueprints" / "bad.yaml").write_text(
        GOOD.replace("switch: sn4700", "switch: sn470", 1), encoding="utf-8"
    )
    bad = pre_commit(folder, clone)
    assert bad.returncode == 1
    lines = (folder / "blueprints" / "bad.yaml").read_text(encoding="utf-8").splitlines()
    line = next(number for number, text in enumerate(lines) if "sn470," in text)
    place = f"blueprints/bad.yaml:{line + 1}:{lines[line].index('sn470') + 1}"
    assert f"{place}: error[FG011]: no switch profile 'sn470' in the catalogue" in bad.stdout
    assert bad.stdout.count("Failed") == 2  # the hook of structure knows names as well
    assert "hint: did you mean 'sn4700'?" in bad.stdout
    assert "common/pools.yaml" not in bad.stdout


BAD = {
    "a product list that is misspelt": (f"{GOOD}cabling: {{products: [nvidia-linx]}}\n", "error[FG011]"),
    "another name for what is not there": (f"{GOOD}names: {{devices: {{compute-spin-01: hub}}}}\n", "error[FG047]"),
    "a medium out of reach": (GOOD.replace("4 x 400G", "4 x 400G, media: {up: DAC}"), "error[FG602]"),
}
"""Blueprints that the linter's hook must stop, and the code that it gives."""


@pytest.mark.slow
def test_the_hooks_of_readme_stop_what_build_refuses_and_a_stale_lock(clone: Path, tmp_path: Path) -> None:
    from fabricgen.cli.main import run_command

    folder = tmp_path / "project"
    (folder / "blueprints").mkdir(parents=True)
    git(folder, "init", "--quiet")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    config = next(block for block in re.findall(r"```yaml\n(.*?)```", readme, re.DOTALL) if "repos:" in block)
    revision = git(clone, "rev-parse", "HEAD").strip()
    config = re.sub(r"rev: .*", f"rev: {revision}", re.sub(r"repo: .*", f"repo: {clone}", config))
    (folder / ".pre-commit-config.yaml").write_text(config, encoding="utf-8")
    blueprint = folder / "blueprints" / "pod.yaml"
    blueprint.write_text(GOOD, encoding="utf-8")
    assert run_command(["lock", str(blueprint)]) == 0
    good = pre_commit(folder, clone)
    assert good.returncode == 0, good.stdout + good.stderr
    assert good.stdout.count("Passed") == 2

    files = {blueprint.with_name(f"bad-{number}.yaml"): why for number, why in enumerate(BAD)}
    for file, why in files.items():
        file.write_text(BAD[why][0], encoding="utf-8")
    bad = pre_commit(folder, clone)
    assert bad.returncode == 1
    for file, why in files.items():
        found = re.search(rf"^blueprints/{file.name}:\d+:\d+: {re.escape(BAD[why][1])}", bad.stdout, re.MULTILINE)
        assert found, (why, bad.stdout)
        file.unlink()

    blueprint.write_text(GOOD.replace("p1: {su: 2}", "p1: {su: 2}, p2: {su: 1}"), encoding="utf-8")
    stale = pre_commit(folder, clone)
    assert (stale.returncode, stale.stdout.count("Failed"), stale.stdout.count("Passed")) == (1, 1, 1), stale.stdout
    assert "blueprints/pod.lock.yaml is not up to date" in stale.stdout
