"""What is asked for by name and matches nothing ends with 2, or is told: parts, templates, prices."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import BLUEPRINTS, Ran

LEAF_SPINE, INFINIBAND = BLUEPRINTS / "leaf-spine.yaml", BLUEPRINTS / "superpod-b200-3tier.yaml"


@pytest.mark.tenth
@pytest.mark.parametrize("target", ["folder", "archive"])
@pytest.mark.parametrize("asked", ["ztp", "links,trunks"])
def test_a_part_with_nothing_to_write_ends_with_2(
    fabricgen: Callable[..., Ran], tmp_path: Path, target: str, asked: str
) -> None:
    out = tmp_path / "out.tar" if target == "archive" else tmp_path / "out"
    option = "--archive" if target == "archive" else "-o"
    ran = fabricgen("build", INFINIBAND, option, out, "--only", asked, "--set", "pods.p1.su=1")
    assert ran.code == 2
    assert f"error[FG030]: this cluster has nothing for the part '{asked.rpartition(',')[2]}' to write" in ran.err
    assert not out.exists()


def test_a_part_that_has_files_lands(fabricgen: Callable[..., Ran], tmp_path: Path) -> None:
    assert fabricgen("build", LEAF_SPINE, "-o", tmp_path / "out", "--only", "links").code == 0
    assert {entry["part"] for entry in json.loads((tmp_path / "out/manifest.json").read_text())["files"].values()} == {
        "links"
    }


def build_with(fabricgen: Callable[..., Ran], tmp_path: Path, *more: str) -> Ran:
    arguments = ("--templates", tmp_path / "own", "--only", "configs", *more)
    return fabricgen("build", LEAF_SPINE, "-o", tmp_path / "out", *arguments)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = tmp_path / "own" / "sonic"
    folder.mkdir(parents=True)
    (tmp_path / "own" / "README.md").write_text("ours", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("frr.config.j2", "did you mean 'sonic/frr.conf.j2'"),
        ("../soniic/frr.conf.j2", "did you mean 'sonic/frr.conf.j2'"),
        ("../frr.conf.j2", "did you mean 'sonic/frr.conf.j2'"),
        ("../netplan/60-fabric.yaml.j2", "replaced by their path"),
    ],
)
def test_a_template_that_replaces_nothing_is_refused(
    fabricgen: Callable[..., Ran], tmp_path: Path, own: Path, name: str, says: str
) -> None:
    (own / name).parent.mkdir(exist_ok=True)
    (own / name).write_text('{% extends "builtin/sonic/frr.conf.j2" %}', encoding="utf-8")
    ran = build_with(fabricgen, tmp_path)
    assert ran.code == 2
    assert "error[FG033]" in ran.err
    assert "replaces no template, and none uses it" in ran.err
    assert says in ran.err
    assert not (tmp_path / "out").exists()


def test_a_link_out_of_the_folder_is_refused(fabricgen: Callable[..., Ran], tmp_path: Path, own: Path) -> None:
    shared = tmp_path / "shared.j2"
    shared.write_text('{% extends "builtin/sonic/frr.conf.j2" %}', encoding="utf-8")
    (own / "frr.conf.j2").symlink_to(shared)
    ran = build_with(fabricgen, tmp_path)
    assert ran.code == 2
    assert "frr.conf.j2 is a link out of" in ran.err


@pytest.mark.slow
def test_templates_that_others_use_are_part_of_them(fabricgen: Callable[..., Ran], tmp_path: Path, own: Path) -> None:
    (own / "frr.conf.j2").write_text('{% include "sonic/ours.j2" %}', encoding="utf-8")
    (own / "ours.j2").write_text('{% include "sonic/more.j2" %}', encoding="utf-8")
    (own / "more.j2").write_text('{% include "builtin/sonic/frr.conf.j2" %}', encoding="utf-8")
    ran = build_with(fabricgen, tmp_path)
    assert (ran.code, "FG033" in ran.err) == (0, False), ran.err


def test_templates_where_no_configuration_is_asked_for(
    fabricgen: Callable[..., Ran], tmp_path: Path, own: Path
) -> None:
    ran = fabricgen("build", LEAF_SPINE, "-o", tmp_path / "out", "--templates", own.parent, "--only", "links")
    assert ran.code == 2
    assert "--only leaves out the part configs" in ran.err


@pytest.mark.parametrize("command", ["bom", "build", "plan"])
def test_prices_of_nothing_are_told(fabricgen: Callable[..., Ran], tmp_path: Path, command: str) -> None:
    prices = tmp_path / "prices.csv"
    prices.write_text("part,unit_price\nsn5600,1\nsn470O,2\nqm9700,3\nfork-lift,4\n", encoding="utf-8")
    arguments = {"bom": (), "build": ("-o", tmp_path / "out", "--only", "bom"), "plan": (LEAF_SPINE,)}[command]
    ran = fabricgen(command, LEAF_SPINE, *arguments, "--prices", prices)
    assert ran.code == 0, ran.err
    told = [line for line in ran.err.splitlines() if "FG031" in line]
    assert told == [
        f"{prices}:{line}:1: warning[FG031]: the price of '{name}' is not used: no part of this bill or of the "
        "catalogue has that name"
        for line, name in ((3, "sn470O"), (5, "fork-lift"))
    ]
    assert "did you mean 'sn4700'?" in ran.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("plan", "BP", "BP", "--at-once", "5"), "--at-once would change nothing: it is of --stages"),
        (("plan", "BP", "BP", "--token", "env:T", "--plain-http"), "--token and --plain-http would change nothing"),
        (("lock", "BP", "--check", "--plain-http"), "nothing is imported from netbox:URL"),
        (("bom", "BP", "--trace", "sn4700", "--prices", "x.csv"), "--prices would change nothing"),
        (("build", "BP", "-o", "out", "--only", "links", "--prices", "x.csv"), "--only leaves out the part bom"),
        (("build", "BP", "--archive", "out.tar", "--force"), "an archive is written anew"),
        (("lint", "BP", "--fast", "--phase", "pilot"), "--phase would change nothing: --fast judges the whole design"),
        (("analyze", "BP", "--section", "structure", "--trials", "9", "--pairs"), "it is of --section"),
    ],
)
def test_an_option_that_nothing_uses_is_refused(
    fabricgen: Callable[..., Ran],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.csv").write_text("part,unit_price\nsn4700,1\n", encoding="utf-8")
    ran = fabricgen(*(str(LEAF_SPINE) if word == "BP" else word for word in arguments))
    assert ran.code == 2
    assert says in ran.err
    assert [file.name for file in tmp_path.iterdir()] == ["x.csv"]
