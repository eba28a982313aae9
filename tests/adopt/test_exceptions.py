"""Links that contradict a page: a list and dumps together say which are meant, and which are faults."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.adopt.adopting import adopt, is_whole
from fabricgen.adopt.facts import RECORDED, SEEN, End
from fabricgen.adopt.gathering import gather_facts
from fabricgen.adopt.words import write_files
from fabricgen.api import compile_blueprint, make_files
from tests.adopt.round_trip import compile_example, lay_out_hall, list_actions, list_links
from tests.conftest import BLUEPRINTS, Ran

LEAF = "compute-leaf-p1-su01-rk01-01"
REPLUGGED = (
    f'  "{LEAF}:33": {{a_cage: "34"}}\n',
    f'  "{LEAF}:34": {{a_cage: "33"}}\n',
    '  "compute-leaf-p1-su02-rk01-01:40": {b_cage: "compute-spine-03:60"}\n',
)
"""Three cables of top-of-rack that were plugged in elsewhere: two in each other's cages, one in a free cage."""
SWAPPED, DARK = 3, 2
"""Seeds of emulate: two jumpers in each other's sockets; all uplinks of a leaf see nobody."""


class Hall:
    """A hall with cables that were plugged in elsewhere, and one fault: its list has the cables, and not the fault."""

    def __init__(self, fabricgen: Callable[..., Ran], folder: Path, seed: int) -> None:
        was, hall, self.page = folder / "was", folder / "hall", folder / "built.yaml"
        text = (BLUEPRINTS / "top-of-rack.yaml").read_text(encoding="utf-8")
        self.page.write_text(f"{text}cable_of:\n{''.join(REPLUGGED)}", encoding="utf-8")
        assert fabricgen("build", self.page, "-o", was, "--only", "devices,links").code == 0
        assert fabricgen("emulate", self.page, "-o", hall, "--faults", "1", "--seed", str(seed)).code == 0
        self.links, self.devices, self.dumps = was / "links.csv", was / "devices.csv", hall / "dumps"


@pytest.mark.slow
@pytest.mark.parametrize("seed", [SWAPPED, DARK])
def test_what_a_list_and_dumps_have_is_meant_and_the_rest_a_fault(seed: int, tmp_path: Path, fabricgen) -> None:  # type: ignore[no-untyped-def]
    hall, found = Hall(fabricgen, tmp_path, seed), tmp_path / "found.yaml"
    told = ("--cables", hall.links, "--netbox", hall.devices, "--format", "json")
    ran: Ran = fabricgen("adopt", hall.dumps, *told, "-o", found)
    assert ran.code == 1, ran.err
    report = json.loads(ran.out)
    exceptions = [row for row in report["inferences"] if row["word"].startswith("cable_of.")]
    assert [row["how"] for row in exceptions] == ["meant: lists and dumps both have it"] * 3
    assert len(report["actions"]) == 1
    was, again = compile_blueprint(str(hall.page)), compile_blueprint(str(found))
    assert list_links(again) == list_links(was)
    assert list_actions(again, hall.dumps) == list_actions(was, hall.dumps)
    assert report["page"].count("_cage: ") == 3
    different = [note for note in report["notes"] if note.startswith(f"{hall.links}:") and "; dumps join " in note]
    assert len(different) == (2 if seed == SWAPPED else 0), "a note says which source says what"


@pytest.mark.slow
@pytest.mark.parametrize("of_dumps", [True, False])
def test_an_exception_of_one_source_stays_a_contradiction(of_dumps: bool, tmp_path: Path, fabricgen) -> None:  # type: ignore[no-untyped-def]
    hall, found = Hall(fabricgen, tmp_path, SWAPPED), tmp_path / "found.yaml"
    source = [hall.dumps] if of_dumps else ["--cables", hall.links]
    ran: Ran = fabricgen("adopt", *source, "--netbox", hall.devices, "-o", found)
    assert ran.code == 1
    assert "cable_of" not in found.read_text(encoding="utf-8")
    assert f"not in the page: {LEAF} port Ethernet256 to compute-spine-02 port Ethernet0" in ran.out
    assert ("swap-" in ran.out) == of_dumps


def test_a_link_keeps_which_kinds_of_sources_have_it(tmp_path: Path) -> None:
    """Whichever end tells of it, and in whichever order."""
    head, dump = "device,port,neighbor,neighbor_port\n", tmp_path / "seen/dump.csv"
    dump.parent.mkdir()
    dump.write_text(f"{head}leaf-1,Ethernet0,n1,eth1\nn2,eth1,leaf-1,Ethernet4\n", encoding="utf-8")
    listed = tmp_path / "links.csv"
    listed.write_text(f"{head}leaf-1,Ethernet4,n2,eth1\nleaf-1,Ethernet8,n3,eth1\n", encoding="utf-8")
    facts = gather_facts([str(dump)], [str(listed)], jobs=1)
    assert [(link.a, link.source, link.kinds) for link in facts.links] == [
        (End("leaf-1", "Ethernet0"), "", SEEN),
        (End("leaf-1", "Ethernet4"), f"{listed}:2", RECORDED | SEEN),
        (End("leaf-1", "Ethernet8"), f"{listed}:3", RECORDED),
    ]


@pytest.mark.parametrize("moved", [False, True])
def test_ports_that_a_list_spells_otherwise_are_the_same(moved: bool, tmp_path: Path) -> None:
    """Dumps of InfiniBand number ports over the face: 1/2 is 2, and 16/1 is 31. A plug that was moved is another."""
    head, dump = "device,port,neighbor,neighbor_port\n", tmp_path / "seen/dump.csv"
    dump.parent.mkdir()
    seen = (f"ib-1,1,n1,HCA1\nib-1,2,{'n3' if moved else 'n2'},HCA1\n", "ib-1,31,ib-2,31\nib-1,32,ib-2,32\n")
    dump.write_text("".join((head, *seen)), encoding="utf-8")
    rows = ("ib-1,1/1,n1,HCA1\nib-1,1/2,n2,HCA1\n", "ib-1,16/1,ib-2,16/1\nib-1,16/2,ib-2,16/2\n")
    listed = tmp_path / "links.csv"
    listed.write_text("".join((head, *rows)), encoding="utf-8")
    links = gather_facts([str(dump)], [str(listed)], jobs=1).links
    both = {link.text for link in links if link.kinds == RECORDED | SEEN}
    agreed = {f"ib-1 port {a} to ib-2 port {a}" for a in ("16/1", "16/2")} | {"ib-1 port 1/1 to n1 port HCA1"}
    assert both == (agreed if moved else agreed | {"ib-1 port 1/2 to n2 port HCA1"})
    assert len(links) == (5 if moved else 4)


@pytest.mark.slow
@pytest.mark.parametrize("example", ["slim-fly", "small-pair"])
def test_a_list_beside_infiniband_dumps_changes_no_word(example: str, tmp_path: Path) -> None:
    view, links = compile_example(example), tmp_path / "links.csv"
    dumps, devices = lay_out_hall(view, tmp_path)
    links.write_bytes(make_files(view, "links")["links.csv"])
    alone, both = (adopt(example, [str(dumps)], [str(devices), *more], jobs=1) for more in ([], [str(links)]))
    assert is_whole(both), both.notes
    assert write_files(both.words, "page.yaml") == write_files(alone.words, "page.yaml")
