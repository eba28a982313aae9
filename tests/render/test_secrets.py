"""Secrets: named in the blueprint, looked up when configurations are rendered, and shown nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.kernel.diagnostics import Diagnostic, InputError
from fabricgen.render.secrets import SecretStore, redact_secret, resolve_managements

HASH = "$6$Zq1x$" + "ab/.Cd12" * 10 + "abcdef"
PHRASE = "correct-horse-battery"
VARIABLES = {"FABRICGEN_ADMIN": HASH, "FABRICGEN_KEY": PHRASE, "FABRICGEN_SNMP": PHRASE + "-2"}

BLUEPRINT = """\
fabricgen: 1
name: guarded
scalable_unit: {nodes: 4 x generic-server}
pods: {p1: {su: 2}}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: 7060dx5-64s, per: [su, rail]}
      spine: {switch: sn4700, count: 4}
    management:
      users:
        second: {password: "file:secrets/second.hash"}
management:
  users:
    admin: {password: "env:FABRICGEN_ADMIN"}
  aaa: {servers: 10.32.0.2, key: "env:FABRICGEN_KEY"}
  snmp:
    users:
      watcher: {auth: "env:FABRICGEN_KEY", privacy: "env:FABRICGEN_SNMP"}
lint:
  waive:
    - {rule: FG703, at: management/users, why: accounts of SONiC switches come with their image}
    - {rule: FG703, at: fabrics/compute/management/users, why: accounts of SONiC switches come with their image}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the blueprint, its secret file, and the environment set."""
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "second.hash").write_text(HASH[:-1] + "9\nnot this line\n")
    (tmp_path / "cluster.yaml").write_text(BLUEPRINT)
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    return tmp_path


def cluster_in(folder: Path, *sets: str) -> Cluster:
    return build_cluster(build_design(load_blueprint(str(folder / "cluster.yaml"), sets)))


def faults_in(folder: Path, *sets: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(InputError) as caught:
        resolve_managements(cluster_in(folder, *sets), SecretStore(folder))
    return caught.value.diagnostics


def test_secrets_come_from_the_environment_and_from_files(folder: Path) -> None:
    found = resolve_managements(cluster_in(folder), SecretStore(folder))["compute"]
    assert {name: user.password for name, user in found.users.items()} == {"admin": HASH, "second": HASH[:-1] + "9"}
    assert found.aaa
    assert found.aaa.key == PHRASE
    assert found.snmp
    assert (found.snmp.users["watcher"].auth, found.snmp.users["watcher"].privacy) == (PHRASE, PHRASE + "-2")


def test_redacted_secrets_are_their_references(folder: Path) -> None:
    found = resolve_managements(cluster_in(folder), redact_secret)["compute"]
    assert found.users["admin"].password == "<env:FABRICGEN_ADMIN>"
    assert found.users["second"].password == "<file:secrets/second.hash>"


def test_every_missing_secret_is_reported_at_its_place(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FABRICGEN_ADMIN")
    (folder / "secrets" / "second.hash").unlink()
    first, second = sorted(faults_in(folder), key=lambda d: str(d.path))
    assert (first.code, first.path) == ("FG051", ("fabrics", "compute", "management", "users", "second", "password"))
    assert (second.code, second.path) == ("FG051", ("management", "users", "admin", "password"))
    assert second.span
    assert second.span.line == 16
    assert "FABRICGEN_ADMIN is not set" in second.message
    assert "--redact-secrets" in second.hint


@pytest.mark.parametrize("wrong", ["hunter2hunter2", HASH + "\nusername evil", "$1$md5$abc", ""])
def test_a_secret_of_another_kind_is_refused_and_not_repeated(
    folder: Path, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    monkeypatch.setenv("FABRICGEN_ADMIN", wrong)
    (found,) = faults_in(folder)
    assert "openssl passwd -6" in found.hint
    assert not wrong or wrong not in f"{found.message} {found.hint}"


@pytest.mark.parametrize("wrong", ["short", "two words here", 'quote"quote"', "line\nbreak-line", "back\\slash-back"])
def test_a_key_that_could_leave_its_place_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv("FABRICGEN_SNMP", wrong)
    (found,) = faults_in(folder)
    assert found.path[-1] == "privacy"
    assert wrong not in f"{found.message} {found.hint}"


def test_secret_files_stay_in_the_blueprints_folder(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "stolen"
    outside.write_text(HASH)
    file = folder / "secrets" / "second.hash"
    file.unlink()
    file.symlink_to(outside)
    (found,) = faults_in(folder)
    assert "lies outside the blueprint's folder" in found.message
    trusted = SecretStore(folder, allow_outside=True)
    assert resolve_managements(cluster_in(folder), trusted)["compute"].users["second"].password == HASH


@pytest.mark.parametrize(
    "stated", ["env:HOME", "env:AWS_SECRET_ACCESS_KEY", "file:../up", "file:/etc/shadow", "S3cret!", HASH]
)
def test_a_blueprint_cannot_name_other_secrets_nor_hold_one(folder: Path, fabricgen, stated: str) -> None:
    file = folder / "cluster.yaml"
    file.write_text(BLUEPRINT.replace("env:FABRICGEN_ADMIN", stated))
    ran = fabricgen("build", file, "-o", folder / "out")
    if stated.startswith("file:../"):
        assert "lies outside" in ran.err
    assert ran.code == 2
    assert not (folder / "out").exists()
    if not stated.startswith(("env:", "file:")):
        assert stated not in ran.err.partition("\n")[0], "the message does not repeat what may be a secret"


def test_a_build_without_its_secrets_writes_nothing(folder: Path, fabricgen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FABRICGEN_KEY")
    ran = fabricgen("build", folder / "cluster.yaml", "-o", folder / "out")
    assert ran.code == 2
    assert ran.err.count("FABRICGEN_KEY is not set") == 2
    assert not (folder / "out").exists()
    assert fabricgen("build", folder / "cluster.yaml", "-o", folder / "out", "--redact-secrets").code == 0
    assert fabricgen("lint", folder / "cluster.yaml").code == 0


def test_secrets_are_in_configurations_alone(folder: Path, fabricgen) -> None:
    """Neither in a listing, manifest or message, nor in a comparison with what was built before."""
    ran = fabricgen("build", folder / "cluster.yaml", "-o", folder / "out")
    assert ran.code == 0
    secrets = [*VARIABLES.values(), HASH[:-1] + "9"]
    holding = {
        secret: {
            f.relative_to(folder / "out").parts[0]
            for f in (folder / "out").rglob("*")
            if f.is_file() and secret in f.read_text()
        }
        for secret in secrets
    }
    assert holding == {secret: {"configs"} for secret in secrets}
    assert not any(secret in ran.out + ran.err for secret in secrets)
    shown = []
    for arguments in (
        ("plan", folder / "out", folder / "cluster.yaml", "--configs"),
        ("plan", folder / "cluster.yaml", folder / "out", "--configs", "--format", "json"),
        ("plan", folder / "out", folder / "cluster.yaml", "--configs", "--set", "management.users.admin=null"),
        ("show", folder / "cluster.yaml"),
        ("lint", folder / "cluster.yaml", "--format", "json"),
    ):
        compared = fabricgen(*arguments)
        shown.append(compared.code)
        assert not any(secret in compared.out + compared.err for secret in secrets), arguments
    assert shown[:2] == [0, 0], "what was built with secrets is what would be built"
    assert json.loads((folder / "out" / "manifest.json").read_text())
