"""Only a word that another may be a slip for is suggested."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.catalog.loader import Catalog
from fabricgen.kernel.diagnostics import InputError, did_you_mean, find_nearest
from fabricgen.kernel.text_input import read_bytes

CATALOG = Catalog()
NAMES = [name for kind in ("switches", "nodes", "racks", "products") for name in CATALOG.ids(kind)]


@pytest.mark.parametrize("name", [*NAMES, "leaf", "spine", "border", "inband", "rail", "plane", "hosts"])
def test_a_slip_finds_the_name_that_was_meant(name: str) -> None:
    known = [*NAMES, "leaf", "spine", "border", "inband", "rail", "plane", "hosts"]
    at = len(name) // 2
    for slip in (name[:at] + name[at + 1 :], name[:at] + "x" + name[at:], name.upper()):
        assert slip in known or find_nearest(slip, known), slip


@pytest.mark.parametrize(
    ("word", "known"),
    [
        ("junos", ["cumulus", "embedded", "eos", "nvos", "opensm", "sonic"]),
        ("rack", ["cluster", "default", "fabric", "n", "pod", "rail", "site", "su", "tier"]),
        ("nope", ["hpn-node", "ufm"]),
        ("begin", ["bgp", "end", "interfaces", "top"]),
        ("p9", ["p1"]),
    ],
)
def test_another_word_finds_none_and_all_are_listed(word: str, known: list[str]) -> None:
    assert find_nearest(word, known) is None
    assert did_you_mean(word, known) == f"known: {', '.join(known)}"


def test_file_names_are_not_alike_by_their_ending(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text("", encoding="utf-8")
    (tmp_path / "cluster.yaml").write_text("", encoding="utf-8")
    hints = []
    for name in ("nope.yaml", "clutser.yaml", "cluster.yml"):
        with pytest.raises(InputError) as caught:
            read_bytes(tmp_path / name, name)
        hints.append(caught.value.diagnostics[0].hint)
    assert hints[0] == ""
    assert all(hint.endswith("cluster.yaml'?") for hint in hints[1:])
