"""The pictures in the docs are those of the examples, and each example has one that a page shows."""

from __future__ import annotations

import pytest

from tools.pictures import EXAMPLES, ROOT, picture, picture_file


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_picture_of_an_example_is_fresh(name):
    assert picture_file(name).read_text(encoding="utf-8") == picture(name), "run python -m tools.pictures"


def test_every_picture_is_of_an_example_and_shown():
    page = (ROOT / "docs/examples.md").read_text(encoding="utf-8")
    assert {file.stem for file in picture_file("").parent.glob("*.svg")} == set(EXAMPLES)
    assert [name for name in EXAMPLES if f"](pictures/{name}.svg)" not in page] == []
    assert "](docs/pictures/" in (ROOT / "README.md").read_text(encoding="utf-8")
