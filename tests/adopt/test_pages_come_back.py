"""Examples come back from what their devices tell: every link with both of its ports, and every name."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from fabricgen.addons.emulation.emulate import emulate_hall
from fabricgen.adopt.adopting import adopt, is_whole
from fabricgen.adopt.words import list_tables, write_files
from fabricgen.api import compile_blueprint
from tests.adopt.round_trip import (
    adopt_example,
    compile_example,
    lay_out_hall,
    list_actions,
    list_links,
    write_found,
)
from tests.conftest import EXAMPLES, Ran
from tests.laws import law_cases

WHOLE = (
    *(
        "bonded-pair",
        "cloudmatrix-384",
        "collapsed-pair",
        "colossus-200k",
        "dragonfly",
        "dual-stack",
        "dual-tor",
        "end-of-row",
        "evpn-guests",
        "four-tier",
        "full-mesh-4d",
    ),
    *(
        "full-cluster",
        "gaudi3",
        "host-vlans",
        "hyperx",
        "known-hardware",
        "leaf-spine",
        "mi300x-roce",
        "mixed-breakouts",
    ),
    *(
        "mixed-generations",
        "mixed-speeds",
        "modular-spine",
        "monday",
        "multi-plane",
        "nic-modes",
        "nvl256",
        "nvl576",
        "nvl72-gb200",
    ),
    *(
        "patched-hall",
        "phased-planes",
        "pkeys",
        "rail-groups",
        "rail-only",
        "shuffled-planes",
        "slim-fly",
        "small-pair",
    ),
    "spare-nodes",
    *("superpod-b200", "superpod-b200-3tier", "superpod-b300", "tenants", "three-generations", "top-of-rack"),
    *("torus-gordon", "tpu-torus"),
    *("trn2-ultraserver", "trn3-ultraserver", "two-exits", "two-generations", "two-site", "ualink-pod"),
    "uneven-spread",
)
"""Examples of which all links, ports and names come back."""

FAULTS_NOT_YET = {
    "superpod-b200": "a fault that takes as many links as a word adds hides the word: `uplinks` is left out",
    **dict.fromkeys(("colossus-200k", "full-cluster", "mixed-generations", "monday"), "minutes each; not tried"),
}
"""Examples that come back, of which faults change words of the page, or that were not tried with faults."""


def test_every_example_is_in_the_list() -> None:
    assert sorted(WHOLE) == sorted(EXAMPLES)


@pytest.mark.slow
@pytest.mark.parametrize("example", ["shuffled-planes", "small-pair", "mixed-breakouts", "slim-fly", "two-site"])
def test_an_example_comes_back_from_a_list_of_links(example: str, tmp_path: Path) -> None:
    back = adopt_example(example, tmp_path, lists=True)
    assert (back.lost, back.beside) == (0, 0), back.page


@pytest.mark.slow
@pytest.mark.parametrize(("example", "is_open"), [("small-pair", True), ("superpod-b200", False)])
def test_a_speed_that_infiniband_dumps_leave_open_is_told(example: str, is_open: bool, tmp_path: Path) -> None:
    """Without rates splitters of 200G have the numbers of whole cages of 400G, unless ports above tell how cages are
    numbered. An ibnetdiscover that is older than its switches prints `???` for a lane.
    """
    dumps, devices = lay_out_hall(compile_example(example), tmp_path)
    table = dumps / "compute-ibnetdiscover.txt"
    table.write_text(table.read_text(encoding="utf-8").replace("xNDR", "x???"), encoding="utf-8")
    notes = adopt(example, [str(dumps)], [str(devices)], jobs=1).notes
    told = "compute: the numbers of its ports are those of node ports of 400G, and of 200G by splitters"
    assert any(note.startswith(told) for note in notes) == is_open


@pytest.mark.slow
@pytest.mark.parametrize("subnets", ["ibnetdiscover-ports", "iblinkinfo", "ibdiagnet", "ibdiagnet-net-dump"])
def test_rates_of_links_tell_splitters_from_whole_cages(subnets: str, tmp_path: Path) -> None:
    view = compile_example("small-pair")
    dumps, devices = lay_out_hall(view, tmp_path)
    (dumps / "compute-ibnetdiscover.txt").unlink()
    for name, text in emulate_hall(view).write_dumps(subnets).items():
        (dumps / name).write_text(text, encoding="utf-8")
    found = adopt("small-pair", [str(dumps)], [str(devices)], jobs=1)
    assert (is_whole(found), found.notes, found.words["fabrics"]["compute"]["speed"]) == (True, [], "200G")


@pytest.mark.slow
def test_a_link_at_another_rate_than_its_like_is_told_and_changes_no_word(tmp_path: Path, fabricgen) -> None:  # type: ignore[no-untyped-def]
    dumps, devices = lay_out_hall(compile_example("small-pair"), tmp_path)
    table = dumps / "compute-ibnetdiscover.txt"
    of_link = r"""(OSFP4P2" lid 10 |"S-0a00000000000100"\[1\].*)2x"""  # at its two ends
    table.write_text(re.sub(of_link, r"\g<1>1x", table.read_text(encoding="utf-8")), encoding="utf-8")
    ran: Ran = fabricgen("adopt", dumps, "--netbox", devices, "-o", tmp_path / "found.yaml")
    assert (ran.code, ran.out.count("compute-leaf-01 port 1 runs at 100G, and the page has another speed")) == (1, 1)
    assert "    speed: 200G\n" in (tmp_path / "found.yaml").read_text(encoding="utf-8")


@pytest.mark.law
@pytest.mark.slow
@pytest.mark.parametrize("example", law_cases("pages come back", WHOLE))
def test_an_example_comes_back(example: str, tmp_path: Path) -> None:
    back = adopt_example(example, tmp_path)
    assert (back.lost, back.beside) == (0, 0), back.page
    assert "devices" not in back.adoption.words.get("names", {}), back.page
    assert bool(list(list_tables(back.adoption.words))) == (example == "slim-fly"), "a table is what no rule says"


@pytest.mark.law
@pytest.mark.slow
@pytest.mark.parametrize("example", law_cases("pages hold with faults", [e for e in WHOLE if e not in FAULTS_NOT_YET]))
def test_faults_change_no_word_and_are_told(example: str, tmp_path: Path, fabricgen) -> None:  # type: ignore[no-untyped-def]
    """With one link in a hundred wrong, at least one fault: the same page, and the actions of `verify`."""
    view = compile_example(example)
    pages, halls = [], [tmp_path / "healthy", tmp_path / "faulty"]
    for hall, faults in zip(halls, (0, max(1, len(list_links(view)) // 400)), strict=True):
        hall.mkdir()
        dumps, devices = lay_out_hall(view, hall, faults, seed=1)
        found = adopt(example, [str(dumps)], [str(devices)], jobs=1)
        pages.append(write_files(found.words, "page.yaml"))
        write_found(found, hall)
    assert pages[0] == pages[1]
    faulty = halls[1] / "page.yaml"
    assert list_actions(compile_blueprint(str(faulty)), dumps) == list_actions(view, dumps)


@pytest.mark.slow
def test_a_table_of_who_meets_is_written_beside_its_page(tmp_path: Path, fabricgen) -> None:  # type: ignore[no-untyped-def]
    """A page on standard output has no folder: its report as JSON has the rows, and otherwise a note says so."""
    page, found = "blueprints/slim-fly.yaml", tmp_path / "found.yaml"
    assert fabricgen("build", page, "-o", tmp_path / "was", "--only", "devices").code == 0
    assert fabricgen("emulate", page, "-o", tmp_path / "hall").code == 0
    told = (tmp_path / "hall/dumps", "--netbox", tmp_path / "was/devices.csv")
    ran: Ran = fabricgen("adopt", *told, "-o", found)
    assert (ran.code, ran.err) == (0, ""), ran.out
    assert "found.compute.su.csv  175 of 175  175 rows of who meets whom, which no rule says" in ran.out
    table = (tmp_path / "found.compute.su.csv").read_text(encoding="utf-8")
    assert table.splitlines() == Path("blueprints/slim-fly.csv").read_text(encoding="utf-8").splitlines()
    assert fabricgen("verify", found, tmp_path / "hall/dumps").code == 0
    ran = fabricgen("adopt", *told, "--format", "json")
    assert (ran.code, "mesh: {su: {table: adopted.compute.su.csv}}" in ran.out) == (0, True)
    assert len(json.loads(ran.err)["tables"]["adopted.compute.su.csv"]) == 175
    ran = fabricgen("adopt", *told)
    assert (ran.code, "note: the page names adopted.compute.su.csv: -o FILE writes it" in ran.err) == (0, True)


@pytest.mark.slow
def test_two_generations_in_a_unit_have_a_fabric_each(tmp_path: Path) -> None:
    """Their leaves are of two models, and no link joins them: each generation skips the other one's fabric."""
    words = adopt_example("two-generations", tmp_path).adoption.words
    assert [name for name, fabric in words["fabrics"].items() if fabric.get("attach") == "compute"] == ["ndr", "xdr"]
    assert words["scalable_unit"]["nodes"] == {
        "b300": {"nodes": "8 x dgx-b300-xdr", "skip": "ndr"},
        "h100": {"nodes": "8 x dgx-h100", "skip": "xdr"},
    }


@pytest.mark.slow
def test_racks_of_a_list_come_back_or_are_told(tmp_path: Path) -> None:
    """Switches of a tier that are dealt over two racks, of which one is moved, and nodes by fours."""
    view = compile_example("two-generations")
    dumps, devices = lay_out_hall(view, tmp_path)
    found = adopt("two-generations", [str(dumps)], [str(devices)], jobs=1)
    stated = {
        f"{name}.{t}": tier.get("racks")
        for name, f in found.words["fabrics"].items()
        for t, tier in f.get("tiers", {}).items()
    }
    assert stated == {"ndr.leaf": 2, "xdr.leaf": 2, "storage.leaf": 2, "oob.leaf": None, "oob.spine": 2}
    rows = devices.read_text(encoding="utf-8").replace("net-storage-leaf-b-01,41", "net-xdr-leaf-b-01,27")
    devices.write_text(rows, encoding="utf-8")
    found = adopt("two-generations", [str(dumps)], [str(devices)], jobs=1)
    assert found.words["fabrics"]["ndr"]["tiers"]["leaf"].get("racks") is None
    told = "lists have these in other racks; `racks`, `stand` or `floor` say where"
    assert [note for note in found.notes if "racks" in note] == [f"fabrics.ndr.tiers.leaf: {told}"]


@pytest.mark.slow
def test_a_pod_with_switches_of_another_model_says_so(tmp_path: Path) -> None:
    back = adopt_example("bought-later", tmp_path)
    assert (back.lost, back.beside) == (0, 0), back.page
    tiers = {"compute.leaf": {"switch": "sn5610"}, "compute.spine": {"switch": "sn5610"}}
    assert back.adoption.words["pods"] == {"p1": {"su": 2}, "p2": {"su": 2, "tiers": tiers}}


@pytest.mark.slow
def test_links_between_sites_are_a_span_whose_length_nobody_tells(tmp_path: Path) -> None:
    adoption = adopt_example("two-site", tmp_path).adoption
    (span,) = [row for row in adoption.inferences if row.path[2:3] == ("spans",)]
    assert span.path == ("fabrics", "compute", "spans", "east-west")
    assert (span.value, span.facts) == ("64 links", 64)
    assert "their length is not told: `km: 10` stands for it" in span.note
    assert adoption.words["fabrics"]["compute"]["spans"]["east-west"]["links"] == "64 x 400G"


@pytest.mark.slow
def test_a_page_with_its_configurations_builds_the_same_bytes(tmp_path: Path, fabricgen) -> None:  # type: ignore[no-untyped-def]
    page = "blueprints/leaf-spine.yaml"
    assert fabricgen("build", page, "-o", tmp_path / "was").code == 0
    assert fabricgen("emulate", page, "-o", tmp_path / "hall").code == 0
    found = tmp_path / "found.yaml"
    ran: Ran = fabricgen(
        *("adopt", tmp_path / "hall/dumps", "--configs", tmp_path / "was/configs", "--name", "leaf-spine"),
        *("--model", "p1-su*=generic-server", "-o", found),
    )
    assert (ran.code, ran.err) == (0, ""), ran.out
    assert fabricgen("verify", found, tmp_path / "hall/dumps").code == 0
    assert fabricgen("check", found, "--running", tmp_path / "was/configs").code == 0
    assert fabricgen("build", found, "-o", tmp_path / "is").code == 0
    for file in (tmp_path / "was/configs").rglob("*.json"):
        assert (tmp_path / "is" / file.relative_to(tmp_path / "was")).read_bytes() == file.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("example", ["bonded-pair", "two-site", "two-exits", "two-generations"])
def test_dumps_and_configurations_together_leave_no_difference(example: str, tmp_path: Path, fabricgen) -> None:  # type: ignore[no-untyped-def]
    """An MLAG pair with a fabric on tagged VLANs, which no cable tells; two sites; whole cages whose ports have names
    of split ones; switches dealt over racks, whose cables are longer.
    """
    page, found = f"blueprints/{example}.yaml", tmp_path / "found.yaml"
    assert fabricgen("build", page, "-o", tmp_path / "was", "--only", "devices,configs").code == 0
    assert fabricgen("emulate", page, "-o", tmp_path / "hall").code == 0
    told = ("--configs", tmp_path / "was/configs", "--netbox", tmp_path / "was/devices.csv")
    ran: Ran = fabricgen("adopt", tmp_path / "hall/dumps", *told, "-o", found)
    assert ran.code == 0, ran.out + ran.err
    assert fabricgen("check", found, "--running", tmp_path / "was/configs").code == 0


@pytest.mark.slow
def test_a_lock_keeps_every_number_that_was_read(tmp_path: Path, fabricgen) -> None:  # type: ignore[no-untyped-def]
    """Numbers that follow no rule, and those that do: a unit more in another place moves none of them."""
    page = "blueprints/leaf-spine.yaml"
    own = "{asn: 4200000777, loopback: 10.0.15.9, links: {Ethernet224: 10.99.0.1}}"
    odd = ("--set", f"address_of.compute-leaf-p1-su01-r1-01={own}")
    assert fabricgen("build", page, "-o", tmp_path / "was", *odd).code == 0
    assert fabricgen("emulate", page, "-o", tmp_path / "hall").code == 0
    found, lock = tmp_path / "found.yaml", tmp_path / "found.lock.yaml"
    ran: Ran = fabricgen(
        *("adopt", tmp_path / "hall/dumps", "--configs", tmp_path / "was/configs", "--name", "leaf-spine"),
        *("--model", "p1-su*=generic-server", "-o", found),
    )
    assert ran.code == 0, ran.out + ran.err
    assert f"{tmp_path}/found.numbers.csv has what no rule gives; {lock} keeps it" in ran.err
    assert fabricgen("check", found, "--running", tmp_path / "was/configs").code == 0
    assert fabricgen("lock", found, "--check").code == 0
    more = ("--set", "pods.p0.su=1")
    assert fabricgen("build", found, "-o", tmp_path / "is", "--only", "devices,addresses", *more).code == 0
    for name in ("devices.csv", "addresses.csv"):
        before, after = ((tmp_path / side / name).read_text(encoding="utf-8").splitlines() for side in ("was", "is"))
        assert set(before) - set(after) == set()
        assert len(after) > len(before)
    again: Ran = fabricgen("adopt", tmp_path / "hall/dumps", "-o", found)
    assert (again.code, "found.yaml exists" in again.err) == (2, True)
    found.unlink()
    again = fabricgen("adopt", tmp_path / "hall/dumps", "-o", found)
    assert (again.code, "found.lock.yaml exists" in again.err) == (2, True)


@pytest.mark.slow
def test_what_one_switch_has_otherwise_is_left_as_a_difference(tmp_path: Path, fabricgen) -> None:  # type: ignore[no-untyped-def]
    page = "blueprints/leaf-spine.yaml"
    assert fabricgen("build", page, "-o", tmp_path / "was").code == 0
    assert fabricgen("emulate", page, "-o", tmp_path / "hall").code == 0
    file = next((tmp_path / "was/configs").glob("*spine-01/config_db.json"))
    content = json.loads(file.read_text(encoding="utf-8"))
    del content["NTP_SERVER"]["10.32.0.4"]
    file.write_text(json.dumps(content), encoding="utf-8")
    ran: Ran = fabricgen(
        *("adopt", tmp_path / "hall/dumps", "--configs", tmp_path / "was/configs", "--name", "leaf-spine"),
        *("--model", "p1-su*=generic-server", "-o", tmp_path / "found.yaml"),
    )
    assert (ran.code, "1 differences are left: fabricgen check" in ran.err) == (1, True), ran.err


@pytest.mark.slow
def test_a_link_that_a_list_lacks_is_told(tmp_path: Path, fabricgen) -> None:  # type: ignore[no-untyped-def]
    """The page has it as all its like: without dumps no action of `verify` says so."""
    assert fabricgen("build", "blueprints/leaf-spine.yaml", "-o", tmp_path / "was", "--only", "devices,links").code == 0
    head, *rows = (tmp_path / "was/links.csv").read_text(encoding="utf-8").splitlines()
    links = tmp_path / "links.csv"
    links.write_text("\n".join([head, *rows[1:]]), encoding="utf-8")
    ran: Ran = fabricgen("adopt", "--cables", links, "--netbox", tmp_path / "was/devices.csv", "-o", tmp_path / "page")
    ends = dict(zip(head.split(","), rows[0].split(","), strict=True))
    told = f"in the page, and not seen: {ends['a_device']} port {ends['a_port']} to {ends['b_device']}"
    other = f"in the page, and not seen: {ends['b_device']} port {ends['b_port']} to {ends['a_device']}"
    assert ran.code == 1
    assert told in ran.out or other in ran.out


@pytest.mark.slow
def test_a_model_that_nothing_tells_is_asked_for(tmp_path: Path, fabricgen) -> None:  # type: ignore[no-untyped-def]
    assert fabricgen("emulate", "blueprints/leaf-spine.yaml", "-o", tmp_path / "hall").code == 0
    ran: Ran = fabricgen("adopt", tmp_path / "hall/dumps")
    assert ran.code == 2
    assert "which switch compute-spine-01 and 3 more is: its ports are those of 30 profiles" in ran.err
    assert "--model 'compute-spine-*=" in ran.err


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_faults_leave_the_page_as_it_is_and_are_told(seed: int, tmp_path: Path, fabricgen) -> None:  # type: ignore[no-untyped-def]
    page = "blueprints/top-of-rack.yaml"
    assert fabricgen("build", page, "-o", tmp_path / "was", "--only", "devices").code == 0
    hall = tmp_path / "hall"
    assert fabricgen("emulate", page, "-o", hall, "--faults", "3", "--seed", str(seed)).code == 0
    found = tmp_path / "found.yaml"
    told = ("--netbox", tmp_path / "was/devices.csv", "--format", "json")
    ran: Ran = fabricgen("adopt", hall / "dumps", *told, "-o", found)
    assert ran.code == 1
    assert json.loads(ran.out)["silent"] == (["p1-su03-n015"] if seed == 2 else [])  # off, but in the page
    assert list_links(compile_blueprint(str(found))) == list_links(compile_blueprint(page))
    report = json.loads(fabricgen("verify", page, hall / "dumps", "--format", "json").out)
    actions = {action["text"] for action in json.loads(ran.out)["actions"]}
    expected = {action["text"] for action in report["actions"]}
    assert actions == expected != set()
