"""The action for GitHub: its form, and its steps as a runner runs them; pip and gh write down what they are told."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jsonschema.validators import validator_for
from ruamel.yaml import YAML

from tests.conftest import BLUEPRINTS
from tests.delivery.programs import ROOT, environment, program

ACTION: dict[str, Any] = YAML(typ="safe", pure=True).load(ROOT / "action.yml")
STEPS: dict[str, dict[str, Any]] = {step["name"]: step for step in ACTION["runs"]["steps"]}
GH = r"""
echo "$*" >> "$RECORD"
case "$*" in
  *--paginate*) echo "$OWN" ;;
  *) for word; do case "$word" in body=@*) cp "${word#body=@}" "$RECORD.body" ;; esac; done; exit "${REFUSES:-0}" ;;
esac
"""


def test_the_action_has_the_form_of_github() -> None:
    """By what its steps need; by the schema of SchemaStore where ACTION_SCHEMA names its file."""
    if official := os.environ.get("ACTION_SCHEMA"):
        schema = json.loads(Path(official).read_text(encoding="utf-8"))
        assert [error.message for error in validator_for(schema)(schema).iter_errors(ACTION)] == []
    assert ACTION["runs"]["using"] == "composite"
    named = set(re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text(encoding="utf-8")))
    assert named == set(ACTION["inputs"])
    for step in STEPS.values():
        assert ("uses" in step) != (step.get("shell") == "bash")
        assert "${{" not in step.get("run", "")  # what others write reaches a script as a variable, never as text
    outputs = [output["value"] for output in ACTION["outputs"].values()]
    assert outputs == ["${{ steps.plan.outputs.file }}", "${{ steps.picture.outputs.folder }}"]


@dataclass(frozen=True)
class Runner:
    """A checkout of a pull request, and what a runner has besides."""

    folder: Path
    base: str
    variables: dict[str, str]

    def run(self, name: str, told: Mapping[str, str], **more: str) -> subprocess.CompletedProcess[str]:
        """Run a step with the expressions of its variables replaced; further variables are the stand-ins'."""
        step = STEPS[name]
        own = {key: told[value.removeprefix("${{ ").removesuffix(" }}")] for key, value in step.get("env", {}).items()}
        script = self.folder.parent / "step.sh"
        script.write_text(step["run"], encoding="utf-8")
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            check=False,
            cwd=self.folder,
            capture_output=True,
            text=True,
            env=self.variables | own | more,
        )

    def said(self, variable: str) -> str:
        """What steps wrote into a file that a variable names."""
        file = Path(self.variables[variable])
        return file.read_text(encoding="utf-8") if file.exists() else ""


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """A pull request that gives a pod a third unit, and adds a blueprint."""
    folder, programs = tmp_path / "checkout", tmp_path / "programs"
    programs.mkdir()
    (folder / "blueprints").mkdir(parents=True)
    git = [
        "git",
        "-c",
        "user.name=r",
        "-c",
        "user.email=r@example.net",
        "-c",
        "commit.gpgsign=false",
        "-C",
        str(folder),
    ]

    def commit() -> str:
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "change"], check=True)
        return subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()

    subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
    pod = folder / "blueprints" / "pod.yaml"
    shutil.copy(BLUEPRINTS / "leaf-spine.yaml", pod)
    base = commit()
    text = pod.read_text(encoding="utf-8")
    pod.write_text(re.sub(r"su: 2\b", "su: 3", text), encoding="utf-8")
    assert pod.read_text(encoding="utf-8") != text
    (folder / "blueprints" / "new.yaml").write_text(text, encoding="utf-8")
    (folder / "blueprints" / "pod.lock.yaml.orig").write_text("", encoding="utf-8")
    commit()
    program(programs, "pip", 'echo "$*" >> "$RECORD"')
    program(programs, "gh", *GH.splitlines())
    files = {name: str(tmp_path / name.lower()) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "RECORD")}
    more = {"RUNNER_TEMP": str(tmp_path), "GITHUB_ACTION_PATH": str(ROOT), "GITHUB_REPOSITORY": "acme/fabrics"}
    return Runner(folder, base, environment(programs) | files | more)


def told(runner: Runner, blueprints: str = "blueprints", fail_on: str = "") -> dict[str, str]:
    """What the expressions of the action are."""
    return {
        "inputs.blueprints": blueprints,
        "inputs.fail-on": fail_on,
        "inputs.token": "secret",
        "github.event.pull_request.base.sha": runner.base,
        "github.event.pull_request.number": "7",
    }


@pytest.mark.slow
def test_it_installs_itself_and_lints_with_annotations(runner: Runner) -> None:
    assert runner.run("Install", {}).returncode == 0
    assert runner.said("RECORD") == f"install --quiet {ROOT}\n"
    done = runner.run("Lint", told(runner, fail_on="info"))
    assert done.returncode == 1
    for file in ("new", "pod"):
        assert re.search(rf"^::notice file=blueprints/{file}\.yaml,line=\d+,.*title=FG651", done.stdout, re.MULTILINE)


@pytest.mark.slow
def test_it_says_in_one_comment_what_a_pull_request_changes(runner: Runner) -> None:
    done = runner.run("Plan", told(runner), OWN="")
    assert (done.returncode, done.stderr) == (0, "")
    (listed, written) = runner.said("RECORD").splitlines()
    assert listed.startswith("api --paginate repos/acme/fabrics/issues/7/comments --jq")
    file = runner.said("GITHUB_OUTPUT").removeprefix("file=").strip()
    assert written == f"api --silent --method POST repos/acme/fabrics/issues/7/comments --field body=@{file}"
    text = Path(runner.variables["RECORD"] + ".body").read_text(encoding="utf-8")
    assert text == runner.said("GITHUB_STEP_SUMMARY")
    assert re.findall(r"^## blueprints.*$", text, re.MULTILINE) == ["## blueprints/new.yaml", "## blueprints/pod.yaml"]
    assert "## blueprints/new.yaml\n\nA new blueprint.\n" in text
    assert "p1-su03-n001" in text
    assert "secret" not in text + done.stdout


@pytest.mark.slow
def test_a_comment_of_an_earlier_run_is_written_anew_and_a_refusal_fails_nothing(runner: Runner) -> None:
    pod = runner.folder / "blueprints" / "pod.yaml"
    pod.write_text(pod.read_text(encoding="utf-8") + "nonsense: 1\n", encoding="utf-8")
    done = runner.run("Plan", told(runner, "blueprints/pod.yaml"), OWN="42", REFUSES="1")
    assert done.returncode == 0
    assert done.stdout.startswith("::warning::no comment on the plan")
    assert "--method PATCH repos/acme/fabrics/issues/comments/42 --field" in runner.said("RECORD")
    assert "```text\nblueprints/pod.yaml:" in runner.said("GITHUB_STEP_SUMMARY")


@pytest.mark.slow
def test_it_draws_each_cluster_that_can_be_drawn(runner: Runner) -> None:
    (runner.folder / "blueprints" / "new.yaml").write_text("fabricgen: 1\n", encoding="utf-8")
    done = runner.run("Picture", told(runner))
    assert done.returncode == 0
    folder = Path(runner.said("GITHUB_OUTPUT").removeprefix("folder=").strip())
    assert sorted(file.name for file in folder.iterdir()) == ["pod.html", "pod.svg"]
    assert STEPS["Keep the pictures"]["with"]["path"] == "${{ steps.picture.outputs.folder }}"
