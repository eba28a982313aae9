"""`fabricgen size -o`: each page is one to fill in, as that of `init --ask`, and lints clean."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.conftest import Ran

Command = Callable[..., Ran]

MOST_LINES = 60


def write_pages(fabricgen: Command, folder: Path, *wishes: str) -> dict[str, list[str]]:
    """The lines of each page of a search, by name of its candidate, against which `lint` finds nothing but infos."""
    ran = fabricgen("size", *wishes, "-o", folder)
    assert ran.code == 0, ran.err
    linted = fabricgen("lint", folder, "--fail-on", "warning")
    assert (linted.code, "0 errors, 0 warnings" in linted.out) == (0, True), linted.out
    return {page.stem: page.read_text(encoding="utf-8").splitlines() for page in folder.glob("*.yaml")}


def list_network_lines(text: str) -> list[str]:
    """The lines of the network of the GPUs."""
    lines = text.splitlines()
    first = lines.index("  compute:")
    return lines[first : next(n for n in range(first + 1, len(lines)) if not lines[n].startswith("    "))]


def test_a_page_has_what_a_person_fills_in_beside_the_network_as_sized(tmp_path: Path, fabricgen: Command) -> None:
    wishes = ("--gpus", "256", "--node", "dgx-b200", "--switch", "qm9700", "--attach", "rail", "--unit-size", "32")
    pages = write_pages(fabricgen, tmp_path / "out", *wishes)
    candidates = json.loads((tmp_path / "out/size.json").read_bytes())["candidates"]
    assert pages.keys() == {candidate["name"] for candidate in candidates}
    for candidate in candidates:
        lines = pages[candidate["name"]]
        text = "\n".join(lines)
        assert len(lines) <= MOST_LINES
        assert list_network_lines(text) == list_network_lines(candidate["blueprint"])
        assert "  oob:" not in candidate["blueprint"]
        assert any(line.startswith("      leaf: {switch: sn2201, count: 1}") for line in lines)
        assert "    also: switches" in lines
        words = ("pools:", "management:", "# names: {nodes:", "floor: {", "spares: usual")
        assert all(f"\n{word}" in text for word in words)


@pytest.mark.slow
def test_networks_that_stand_as_comments_can_be_taken_in(tmp_path: Path, fabricgen: Command) -> None:
    """Storage and in-band of 24 nodes: pairs of switches."""
    wishes = ("--gpus", "192", "--node", "dgx-b300", "--switch", "sn5600", "--attach", "rail", "--planes", "2")
    (lines, *_) = write_pages(fabricgen, tmp_path / "out", *wishes).values()
    commented = ("  # storage:", "  # inband:", "  #   ")
    taken = [line.replace("# ", "", 1) if line.startswith(commented) else line for line in lines]
    assert {"  storage:", "  inband:"} <= {*taken} - {*lines}
    (tmp_path / "taken.yaml").write_text("\n".join(taken), encoding="utf-8")
    linted = fabricgen("lint", tmp_path / "taken.yaml", "--fail-on", "warning")
    assert linted.code == 0, linted.out


@pytest.mark.slow
def test_a_switch_keeps_its_nos_where_the_page_has_another(tmp_path: Path, fabricgen: Command) -> None:
    """Arista's boxes of the network of GPUs run EOS alone, those of out-of-band cannot."""
    switch = "7060xe7-128pe"
    wishes = ("--gpus", "256", "--node", "dgx-b300", "--switch", switch, "--attach", "rail", "--unit-size", "32")
    pages = write_pages(fabricgen, tmp_path / "out", *wishes)
    (lines,) = (lines for name, lines in pages.items() if switch in name)  # the maker's own design is of other switches
    assert "    nos: eos" in lines
    assert not any(line.startswith("nos: eos") for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize("turn", range(6))
def test_pages_of_drawn_wishes_lint_clean(tmp_path: Path, fabricgen: Command, turn: int) -> None:
    draw = Random(58 + turn)
    node = ("gb200-tray", "mi300x-8", "dgx-b300", "dgx-h100", "hgx-h200", "hls3-gaudi3")[turn]
    gpus = 72 * draw.choice((2, 5, 16)) if node == "gb200-tray" else 8 * draw.choice((4, 13, 36, 127, 256))
    for lines in write_pages(fabricgen, tmp_path / "out", "--gpus", str(gpus), "--node", node).values():
        assert len(lines) <= MOST_LINES
        oob = next(line for line in lines if line.startswith(("  oob:", "  # no oob:")))
        # a unit of one node asks for a leaf each, more than two spines carry: the page says so instead
        assert oob.startswith("  oob:") or "nodes: 1 x" in lines[4], oob
