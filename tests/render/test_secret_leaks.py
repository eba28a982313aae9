"""A blueprint and templates from a stranger's pull request: what they try to see of the secrets of who builds them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

KEY = "correct-horse-battery"
BLUEPRINT = """\
fabricgen: 1
name: guarded
scalable_unit: {nodes: 4 x generic-server}
pods: {p1: {su: 2}}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn4700, per: [su, rail]}
      spine: {switch: sn4700, count: 4}
management:
  aaa: {servers: 10.16.0.2, key: "file:secrets/key"}
"""
INFINIBAND = """\
fabricgen: 1
name: guarded
scalable_unit: {{nodes: 4 x generic-server}}
fabrics:
  compute: {{protocol: infiniband, guids: {}, tiers: {{leaf: {{switch: qm9700, per: su}}}}}}
"""
TREE = """
snippets:
  crm: {nos: sonic, tree: {CRM: {Config: {polling_interval: 60}}}}
"""
MISPLACED = """
snippets:
  queue: {nos: sonic, tree: {BUFFER_QUEUE: {"Ethernet0|0": {profile: q_lossy_profile}}}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a blueprint and the secret that it names."""
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "key").write_text(f"{KEY}\n")
    (tmp_path / "cluster.yaml").write_text(BLUEPRINT)
    return tmp_path


@pytest.mark.parametrize(
    "text",
    [
        "include: secrets/key",
        "include: [link.yaml]",
        "banner: !include secrets/key",
        BLUEPRINT.replace("roce", "infiniband")
        .replace("sn4700", "qm9700")
        .replace("tiers", "guids: secrets/key\n    tiers"),
        BLUEPRINT.replace("roce", "infiniband")
        .replace("sn4700", "qm9700")
        .replace("tiers", "guids: link.csv\n    tiers"),
    ],
)
def test_a_blueprint_cannot_have_the_file_of_a_secret_shown(folder: Path, fabricgen, text: str) -> None:
    for name in ("link.yaml", "link.csv"):
        (folder / name).symlink_to("secrets/key")
    (folder / "cluster.yaml").write_text(text)
    for format_ in ("text", "json"):
        ran = fabricgen("lint", folder / "cluster.yaml", "--format", format_)
        assert ran.code == 2
        assert "FG007" in ran.out
        assert "leads to no file that ends in" in ran.out
        assert KEY not in ran.out + ran.err


@pytest.mark.parametrize("name", ["cluster.yaml", "cluster.lock.yaml", "catalog/switches/sn4700.yaml"])
def test_a_link_does_not_make_a_secret_a_file_of_data(folder: Path, fabricgen, name: str) -> None:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    file.symlink_to(folder / "secrets" / "key")
    ran = fabricgen("lint", folder / "cluster.yaml")
    assert ran.code == 2
    assert "it is a link to another kind of file" in ran.out
    assert KEY not in ran.out + ran.err


def test_a_secret_is_in_no_file_that_could_be_included(folder: Path, fabricgen) -> None:
    (folder / "cluster.yaml").write_text(BLUEPRINT.replace("secrets/key", "secrets/key.yaml"))
    ran = fabricgen("lint", folder / "cluster.yaml")
    assert ran.code == 2
    assert "a file that no blueprint can include" in ran.out


def test_pipes_and_circles_of_links_end(folder: Path, fabricgen) -> None:
    os.mkfifo(folder / "pipe.yaml")
    (folder / "cluster.yaml").write_text("include: pipe.yaml")
    assert "is no regular file" in fabricgen("lint", folder / "cluster.yaml").out
    (folder / "cluster.yaml").write_text(BLUEPRINT)
    key = folder / "secrets" / "key"
    key.unlink()
    os.mkfifo(key)
    assert "is no regular file" in fabricgen("build", folder / "cluster.yaml", "-o", folder / "out").err
    key.unlink()
    key.symlink_to("key")
    ran = fabricgen("build", folder / "cluster.yaml", "-o", folder / "out")
    assert ran.code == 2
    assert "cannot read the secret file:secrets/key" in ran.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "template", "text"),
    [
        ("", "config_db.json.j2", "{{ {}[tacacs_key] }}"),
        ("", "config_db.json.j2", "{% include tacacs_key %}"),
        ("", "config_db.json.j2", "{{ tacacs_key | list | sum }}"),
        (TREE, "config_db.json.j2", "{{ tacacs_key }}"),
        (MISPLACED, "config_db.json.j2", '{"BUFFER_PROFILE": {"{{ tacacs_key }}": {}}}'),
    ],
)
def test_a_template_that_fails_does_not_tell_secrets(
    folder: Path, fabricgen, more: str, template: str, text: str
) -> None:
    (folder / "cluster.yaml").write_text(BLUEPRINT + more)
    own = folder / "templates" / "sonic" / template
    own.parent.mkdir(parents=True)
    whole = '{% include "builtin/sonic/' + template + '" %}'
    own.write_text('{% if "<" in (tacacs_key | default("<")) %}' + whole + "{% else %}" + text + "{% endif %}")
    build = ("build", folder / "cluster.yaml", "-o", folder / "out", "--templates", folder / "templates")
    ran = fabricgen(*build)
    assert KEY not in ran.out + ran.err
    assert ran.code == 2
    assert "error[FG" in ran.err


@pytest.mark.parametrize("text", ["no data", "{{ no_such_value }}", "[1, 2]"])
def test_a_template_that_makes_no_data_is_refused_where_it_stands(folder: Path, fabricgen, text: str) -> None:
    (folder / "cluster.yaml").write_text(BLUEPRINT + TREE)
    (folder / "templates" / "sonic").mkdir(parents=True)
    (folder / "templates" / "sonic" / "config_db.json.j2").write_text(text)
    ran = fabricgen("build", folder / "cluster.yaml", "-o", folder / "out", "--templates", folder / "templates")
    assert ran.code == 2
    assert "error[FG033]" in ran.err or "error[FG052]" in ran.err
    assert not (folder / "out").exists()


@pytest.mark.tenth
@pytest.mark.parametrize("stated", ['"hunter2-hunter2"', "1234567890", "[hunter2-hunter2]", "{hunter2-hunter2: 1}"])
@pytest.mark.parametrize("form", ["text", "json", "sarif", "github", "junit"])
def test_a_secret_that_was_written_down_is_not_shown(tmp_path: Path, fabricgen, stated: str, form: str) -> None:
    file = tmp_path / "cluster.yaml"
    for place in ("users: {admin: {password: %s}}", "aaa: {servers: 10.32.0.2, key: %s}"):
        file.write_text(BLUEPRINT[: BLUEPRINT.index("management:")] + f"management:\n  {place % stated}\n")
        ran = fabricgen("lint", file, "--format", form)
        assert ran.code == 2
        assert "a secret is named, never written here" in ran.out
        assert "hunter2" not in ran.out + ran.err
        assert "1234567890" not in ran.out + ran.err
