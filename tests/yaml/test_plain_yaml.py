"""Plain YAML says what YAML with places says, or nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

import fabricgen.catalog
from fabricgen.catalog.loader import Catalog, read_built_in
from fabricgen.catalog.models import CableProfile
from fabricgen.kernel.diagnostics import InputError
from fabricgen.yaml.located import read_located
from fabricgen.yaml.plain import NotPlainError, read_plain

CATALOG = Path(fabricgen.catalog.__file__).parent
SOME = [
    file for kind in ("switches", "nodes", "scale_up") for file in sorted((CATALOG / "data" / kind).glob("*.yaml"))[::4]
]
PLATFORMS = [CATALOG / "platforms" / "sonic" / "sn5600.yaml", *sorted((CATALOG / "platforms").glob("*.yaml"))]


@pytest.mark.parametrize("file", SOME + PLATFORMS, ids=lambda file: file.stem)
def test_files_of_the_catalogue_are_read_alike(file: Path) -> None:
    assert repr(read_plain(file)) == repr(read_located(file).data)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing",
        "null",
        "a: &x 1",
        "a: *x",
        "a: 1\na: 2",
        "<<: {a: 1}",
        "[a]: 1",
        "1: 2",
        "a: !!int 1",
        "- !include x",
        "--- a\n--- b\n",
        "a: [",
        "a: yes",
        "a: \x07",
    ],
)
def test_what_is_not_plain_is_left_to_the_other_reader(tmp_path: Path, text: str) -> None:
    file = tmp_path / "file.yaml"
    file.write_text(text)
    with pytest.raises(NotPlainError):
        read_plain(file)


def test_a_built_in_file_with_a_mistake_says_where_it_is(tmp_path: Path) -> None:
    file = tmp_path / "cable.yaml"
    for text, line in (("id: a\nreach_m: far\n", 2), ("id: a\nid: b\n", 2)):
        file.write_text(text)
        with pytest.raises(InputError) as raised:
            read_built_in(CableProfile, file)
        assert line in [d.span.line for d in raised.value.diagnostics if d.span]


def test_a_built_in_file_may_have_anchors(tmp_path: Path) -> None:
    source = (CATALOG / "data" / "cables" / f"{Catalog().ids('cables')[0]}.yaml").read_text()
    file = tmp_path / "cable.yaml"
    file.write_text(source.replace("id: ", "id: &name ", 1))
    assert read_built_in(CableProfile, file).id == Catalog().ids("cables")[0]
