"""The page as a whole: it opens, asks for nothing, is the same each time, and runs nothing that a blueprint says."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest

from fabricgen.cluster import build_cluster
from fabricgen.export.view.page import make_page
from tests.conftest import example_cluster

SMALL = "leaf-spine"


def test_a_page_opens_from_a_file_with_its_name(page):
    shown = page(SMALL)
    assert shown.title() == SMALL
    assert shown.locator("#title").inner_text() == SMALL


def test_the_same_cluster_is_the_same_page():
    assert make_page(example_cluster(SMALL)) == make_page(example_cluster(SMALL))


@pytest.mark.slow
def test_no_folder_of_this_machine_is_in_a_page(fabricgen, tmp_path):
    """From two folders, with findings of lint, a change and a phase, by absolute paths: the same bytes."""
    made = []
    for name in ("here", "elsewhere-of-another-length"):
        folder = tmp_path / name
        copytree("blueprints", folder)
        pages = []
        for example, more in (("three-generations", ()), ("phased-planes", ("--phase", "now"))):
            blueprint, file = folder / f"{example}.yaml", tmp_path / f"{name}-{example}.html"
            ran = fabricgen("view", blueprint, "-o", file, *more)
            assert ran.code == 0, ran.err
            pages.append(file.read_bytes())
        blueprint, file = folder / f"{SMALL}.yaml", tmp_path / f"{name}-change.html"
        assert fabricgen("view", blueprint, "--set", "pods.p1.su=3", "--against", blueprint, "-o", file).code == 0
        made.append([*pages, file.read_bytes()])
    assert b"three-generations.yaml:23:7" in made[0][0]
    assert made[0] == made[1]


def test_what_a_blueprint_says_is_text_and_never_runs(page, design_of):
    markup = "</script><script>document.title = 'run'</script><img src=x onerror=alert(1)>&amp;"
    text = Path(f"blueprints/{SMALL}.yaml").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("description:")]
    at = next(i for i, line in enumerate(lines) if line.startswith("name:"))
    lines.insert(at + 1, f'description: "{markup}"')
    cluster = build_cluster(design_of("\n".join(lines) + "\n"))
    assert markup not in make_page(cluster)
    shown = page(cluster)
    assert shown.title() == SMALL
    assert shown.locator("img").count() == 0


def test_the_command_and_the_build_write_the_same_page(fabricgen, tmp_path):
    blueprint, file = f"blueprints/{SMALL}.yaml", tmp_path / "cluster.html"
    assert fabricgen("view", blueprint, "-o", file).code == 0
    ran = fabricgen("build", blueprint, "-o", tmp_path / "out", "--only", "view", "--jobs", "2")
    assert ran.code == 0, ran.err
    assert file.read_bytes() == (tmp_path / "out/view/cluster.html").read_bytes()


def test_open_needs_a_file_and_opens_it(fabricgen, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    refused = fabricgen("view", f"blueprints/{SMALL}.yaml", "--open")
    assert (refused.code, opened) == (2, [])
    assert "name it with -o" in refused.err
    file = tmp_path / "cluster.html"
    assert fabricgen("view", f"blueprints/{SMALL}.yaml", "-o", file, "--open").code == 0
    assert opened == [file.as_uri()]
