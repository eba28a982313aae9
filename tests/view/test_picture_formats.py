"""`view --format`: a picture for a document, as SVG or printed by an installed Chromium."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from fabricgen.cli import pictures
from tests.conftest import example_cluster, require

SMALL = "blueprints/leaf-spine.yaml"


def test_the_suffix_says_the_format(fabricgen, tmp_path):
    from fabricgen.export.view.picture import draw_fabric_picture

    file = tmp_path / "picture.svg"
    assert fabricgen("view", SMALL, "-o", file).code == 0
    assert file.read_text(encoding="utf-8") == draw_fabric_picture(example_cluster("leaf-spine"))


@pytest.mark.browser
@pytest.mark.office
def test_a_pdf_is_one_page_with_the_names_of_the_picture_and_the_same_each_time(fabricgen, tmp_path):
    require("" if pictures.find_browser() else "chromium is missing: `apt-get install chromium` to print a picture")
    require("" if shutil.which("pdftotext") else "pdftotext is missing: `apt-get install poppler-utils`")
    files = [tmp_path / "one.pdf", tmp_path / "two.pdf"]
    for file in files:
        assert fabricgen("view", SMALL, "-o", file).code == 0
    one, two = (file.read_bytes() for file in files)
    assert one == two
    info = subprocess.run(["pdfinfo", str(files[0])], check=True, capture_output=True, text=True).stdout
    assert "Pages:           1\n" in info
    text = subprocess.run(["pdftotext", str(files[0]), "-"], check=True, capture_output=True, text=True).stdout
    assert "leaf-spine" in text


def test_without_chromium_a_pdf_is_refused_with_what_to_install(fabricgen, tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "find_browser", lambda: "")
    ran = fabricgen("view", SMALL, "--format", "pdf", "-o", tmp_path / "picture.pdf")
    assert ran.code == 2
    assert "error[FG058]: a PDF is printed by Chromium, which is not installed" in ran.err
    assert "apt-get install chromium" in ran.err
    assert not (tmp_path / "picture.pdf").exists()
