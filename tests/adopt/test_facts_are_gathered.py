"""Facts from lists and dumps: which two ports are joined, and what is told of devices."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from pathlib import Path

import pytest

from fabricgen.adopt.facts import DeviceFacts, End, Facts, Link
from fabricgen.adopt.forms import TierForm
from fabricgen.adopt.gathering import gather_facts
from fabricgen.adopt.meshes import find_grid, find_mesh, list_tables
from fabricgen.adopt.models import find_models
from fabricgen.adopt.networks import SwitchWire, split_head
from fabricgen.adopt.tiers import write_ranges
from fabricgen.adopt.words import Named, fill_template, find_template
from fabricgen.catalog.loader import Catalog
from fabricgen.kernel.diagnostics import InputError

LEAF = """\
Capability codes: (R) Router, (B) Bridge, (O) Other
LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr
-----------  --------------  --------------  ------------  -----------------
Ethernet0    n1              eth1            BR
Ethernet4    spine-1         etp1            BR            Ethernet8
--------------------------------------------------
Total entries displayed:  2
"""
SPINE = (
    LEAF.replace("Ethernet0    n1              eth1            BR\n", "")
    .replace(
        "Ethernet4    spine-1         etp1            BR            Ethernet8",
        "Ethernet8    leaf-1          etp2            BR            Ethernet4",
    )
    .replace("displayed:  2", "displayed:  1")
)


def test_ports_that_see_each_other_go_by_their_own_names(tmp_path: Path) -> None:
    (tmp_path / "leaf-1.txt").write_text(LEAF, encoding="utf-8")
    (tmp_path / "spine-1.txt").write_text(SPINE, encoding="utf-8")
    facts = gather_facts([str(tmp_path)], jobs=1)
    assert [link[:2] for link in facts.links] == [
        (End("leaf-1", "Ethernet0"), End("n1", "eth1")),
        (End("leaf-1", "Ethernet4"), End("spine-1", "Ethernet8")),
    ]
    assert list(facts.devices) == ["leaf-1", "n1", "spine-1"]


@pytest.mark.parametrize(
    "head",
    [
        "a_device,a_port,b_device,b_port",
        "device,port,neighbor,neighbor_port",
        "Device A,Termination A,Device B,Termination B",
    ],
)
def test_lists_of_cables_are_known_by_their_columns(tmp_path: Path, head: str) -> None:
    file = tmp_path / "cables.csv"
    file.write_text(f"{head}\nleaf-1,Ethernet0,n1,eth1\nleaf-1,,n2,eth1\n", encoding="utf-8")
    facts = gather_facts([], [str(file)])
    assert [link[:2] for link in facts.links] == [(End("leaf-1", "Ethernet0"), End("n1", "eth1"))]
    assert facts.links[0].source == f"{file}:2"
    assert facts.notes == (f"{file}: 1 rows do not name two ports, and were left out",)


def test_labels_of_cables_csv_have_the_ports(tmp_path: Path) -> None:
    file = tmp_path / "cables.csv"
    near, far = "h1.R01.01-U01:eth1", "h1.R01.02-U46:1/1 Ethernet0"
    file.write_text(f"a_device,label_a,b_device,label_b\nn1,{near} > {far},leaf-1,{far} > {near}\n", encoding="utf-8")
    (link,) = gather_facts([], [str(file)]).links
    assert link[:2] == (End("leaf-1", "Ethernet0"), End("n1", "eth1"))


def test_a_list_of_devices_tells_models_and_places(tmp_path: Path) -> None:
    file = tmp_path / "devices.csv"
    file.write_text('Name,Type,Rack,Position\nleaf-1,MSN4700,"r1 (h1.R01)",40.0\n', encoding="utf-8")
    facts = gather_facts([], [str(file)])
    assert facts.devices["leaf-1"] == DeviceFacts("leaf-1", model="MSN4700", rack="r1")


UNMANAGED = """\
switchguid=0xb8599f0300000a00(b8599f0300000a00)
Switch  41 "S-b8599f0300000a00"         # "Quantum Mellanox Technologies" base port 0 lid 2 lmc 0
[1]     "H-b8599f0300000001"[1](b8599f0300000001)         # "n1 mlx5_0" lid 4 4xHDR
[2]     "H-b8599f0300000002"[1](b8599f0300000002)         # "MT4123 ConnectX6 Mellanox Technologies" lid 5 4xHDR
[3]     "S-b8599f0300000b00"[3]         # "Quantum Mellanox Technologies" lid 3 4xHDR

switchguid=0xb8599f0300000b00(b8599f0300000b00)
Switch  41 "S-b8599f0300000b00"         # "Quantum Mellanox Technologies" base port 0 lid 3 lmc 0
[3]     "S-b8599f0300000a00"[3]         # "Quantum Mellanox Technologies" lid 2 4xHDR

caguid=0xb8599f0300000001
Ca      1 "H-b8599f0300000001"          # "n1 mlx5_0"
[1](b8599f0300000001)   "S-b8599f0300000a00"[1]         # lid 4 lmc 0 "Quantum Mellanox Technologies" lid 2 4xHDR

caguid=0xb8599f0300000002
Ca      1 "H-b8599f0300000002"          # "MT4123 ConnectX6 Mellanox Technologies"
[1](b8599f0300000002)   "S-b8599f0300000a00"[2]         # lid 5 lmc 0 "Quantum Mellanox Technologies" lid 2 4xHDR
"""


def test_boxes_with_the_description_of_their_maker_go_by_their_guids(tmp_path: Path) -> None:
    """Unmanaged switches are not one, though all are described alike; an adapter without a host is left out."""
    (tmp_path / "ibnetdiscover.out").write_text(UNMANAGED, encoding="utf-8")
    facts = gather_facts([str(tmp_path / "ibnetdiscover.out")], jobs=1)
    first, second = "switch-b8599f0300000a00", "switch-b8599f0300000b00"
    assert [link[:2] for link in facts.links] == [
        (End("n1", "mlx5_0"), End(first, "1")),
        (End(first, "3"), End(second, "3")),
    ]
    assert facts.devices[first].model == "Quantum Mellanox Technologies"
    assert facts.notes == ("0xb8599f0300000002 does not say which device it is",)


@pytest.mark.parametrize(
    ("names", "hint"),
    [
        (["leaf-01", "leaf-02"], "--model 'leaf-*="),
        (["A09-IBLEAF-01", "B10-IBLEAF-02"], "--model '*IBLEAF*="),
        (["oslo", "quito"], "--model 'oslo="),
    ],
)
def test_questions_name_no_pattern_that_fits_all_devices(names: list[str], hint: str) -> None:
    """A star would make nodes switches."""
    links = tuple(Link(End(name, "1"), End("n1", f"mlx5_{number}")) for number, name in enumerate(names))
    devices = {name: DeviceFacts(name, model="what") for name in names} | {"n1": DeviceFacts("n1", model="dgx-h100")}
    (question,) = find_models(Facts(links, devices), Catalog()).questions
    assert hint in question.hint


def test_another_list_is_refused_with_what_would_be_right(tmp_path: Path) -> None:
    file = tmp_path / "what.csv"
    file.write_text("colour,taste\nred,sweet\n", encoding="utf-8")
    with pytest.raises(InputError, match="its columns are colour, taste"):
        gather_facts([], [str(file)])


def test_names_become_a_template_with_the_fields_that_they_follow() -> None:
    names = [
        Named(
            f"lf-r{rail:02}-{su + 4}",
            f"compute-leaf-p1-su0{su}-r{rail}-01",
            {"su": su, "rail": rail, "index": 4 + su, "n": 1},
        )
        for su in (1, 2)
        for rail in (1, 2, 3)
    ]
    assert find_template(names) == "lf-r{rail:02}-{index}"
    assert find_template([name._replace(name=name.default) for name in names]) == ""


def test_names_that_begin_with_a_rack_tell_their_tier_by_their_words() -> None:
    assert split_head("A09-P1-IBLEAF-04-04") == ("ibleaf",)
    assert split_head("compute-super-spine-core1-01") == ("compute", "super", "spine")


def test_adapters_of_older_drivers_are_counted_from_one() -> None:
    ports = [f"n1,HCA-{number},leaf,{number}" for number in (1, 2, 5, 6)]
    links = tuple(Link(End(*r.split(",")[:2]), End(*r.split(",")[2:])) for r in ports)
    facts = Facts(links, {"n1": DeviceFacts("n1", model="GB200 tray"), "leaf": DeviceFacts("leaf", model="MQM9700")})
    models = find_models(facts, Catalog(), [("n1", "gb200-tray")])
    legs = [models.find_leg("n1", f"HCA-{number}") for number in (1, 2, 5, 6)]
    assert [leg and (leg.role, leg.rail) for leg in legs] == [("compute", rail) for rail in (1, 2, 3, 4)]


def test_braces_in_names_of_devices_are_text() -> None:
    """Names come from devices: what they hold is never looked up in anything."""
    names = [Named(f"x{{su.__class__}}{{0}}-{n}", f"leaf-{n}", {"su": n, "index": n}) for n in range(1, 5)]
    assert fill_template("x{su.__class__}{0}-{index}", names[0].fields) == "x{su.__class__}{0}-1"
    assert fill_template("{rail}-{su:03}", {"su": 7}) is None
    assert fill_template("{rail-group}-{su:03}", {"su": 7, "rail-group": 2}) == "2-007"
    assert find_template(names) == "x{su.__class__}{0}-{su}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--netbox", "https://netbox.example"], "--token is env:NAME"),
        (["--netbox", "ftp://netbox.example", "--token", "env:PATH"], "the URL is where NetBox is"),
        (["--cables", "links.csv", "--site", "h1"], "--site would change nothing: no --netbox is a URL"),
        (["--cables", "links.csv", "--name", "Bad Name!"], "--name Bad Name!: lower-case letters"),
        (["--cables", "links.csv", "--model", "leaf"], "write PATTERN=PROFILE"),
        ([], "nothing to adopt"),
    ],
)
def test_arguments_that_cannot_be_are_refused(arguments: list[str], message: str, fabricgen) -> None:  # type: ignore[no-untyped-def]
    """Before anything is read."""
    ran = fabricgen("adopt", *arguments)
    assert (ran.code, message in ran.err) == (2, True), ran.err


def test_switches_of_a_group_that_meet_in_rows_and_columns_lie_in_a_grid() -> None:
    """A torus of 3 x 4 in each of two units: rows close to rings of four, columns are rings of three."""
    at = {f"{su}-{n}": {"su": ("p1", su), "router": n} for su in (1, 2) for n in range(1, 13)}
    pairs = {}
    for su, row, column in product((1, 2), range(3), range(4)):
        names = [f"{su}-{4 * r + c + 1}" for r, c in ((row, column), (row, (column + 1) % 4), ((row + 1) % 3, column))]
        pairs |= {(names[0], names[1]): 2, (names[0], names[2]): 1}
    tier = TierForm("router", ("su",), at, 12, "qm8790", "opensm")
    tier.grid = find_grid(tier, pairs)
    assert tier.grid == {"row": 3, "column": 4}
    assert find_mesh(tier, pairs) == {"row": 1, "column": {"links": 2, "reach": 1}}


def test_switches_that_meet_by_no_rule_have_none() -> None:
    at = {f"{su}": {"su": ("p1", su), "router": 1} for su in range(1, 31)}
    pairs = {(f"{a}", f"{b}"): 1 for a in range(1, 31) for b in range(a + 1, 31) if (a * b) % 7 == 1}
    assert find_mesh(TierForm("router", ("su",), at, 1, "qm8790", "opensm"), pairs) == {"su": None}


@pytest.mark.parametrize("crossed", [(), (0, 174), (40, 120)])
def test_a_crossed_cable_is_no_row_of_a_table(crossed: tuple[int, ...]) -> None:
    """Ports lead to ascending numbers, from the last cage on: they tell which rows are meant."""
    lines = Path("blueprints/slim-fly.csv").read_text(encoding="utf-8").split()[1:]
    rows = tuple((int(a), int(b)) for a, b in (line.split(",") for line in lines))
    ports, near, far = Counter[int](), list[tuple[str, str]](), list[tuple[str, str]]()
    for row in rows:
        for number, ends in zip(row, (near, far), strict=True):
            ends.append((f"{number}", f"{40 - ports[number]}"))
            ports[number] += 1
    for one, other in [crossed] if crossed else []:
        far[one], far[other] = far[other], far[one]
    at = {f"{su}": {"su": ("p1", su), "router": 1} for su in range(1, 51)}
    tier = TierForm("router", ("su",), at, 1, "qm8790", "opensm")
    wires = [SwitchWire(*a, *b) for a, b in zip(near, far, strict=True)]
    links, tables = list_tables(tier, "su", wires, {f"{cage}": cage for cage in range(1, 41)})
    assert (links, len(tables), tables[-1]) == (1, 2 if crossed else 1, rows)


def test_cages_are_written_as_ranges() -> None:
    assert write_ranges([49, 1, 2, 3, 64, 63]) == "1-3,49,63-64"


@pytest.mark.parametrize(
    ("pairs", "mesh"),
    [
        (  # every two of a unit, and those of the same number in every two units
            {(f"{su}-1", f"{su}-2"): 4 for su in range(1, 7)}
            | {(f"{a}-{n}", f"{b}-{n}"): 2 for a, b in combinations(range(1, 7), 2) for n in (1, 2)},
            {"router": 4, "su": 2},
        ),
        ({("1-1", "2-2"): 2, ("1-2", "2-1"): 2}, {"su": {"links": 4, "spread": True}}),  # dealt over those of both
        ({(f"{su}-1", f"{su % 6 + 1}-1"): 1 for su in range(1, 7)}, {"su": {"links": 1, "reach": 1}}),  # a ring
        ({("1-1", "1-2"): 4}, {}),  # a pair
    ],
)
def test_links_within_a_tier_are_told_by_what_their_ends_differ_in(
    pairs: dict[tuple[str, str], int], mesh: dict[str, object]
) -> None:
    at = {f"{su}-{n}": {"su": ("p1", su), "router": n} for su in range(1, 7) for n in (1, 2)}
    assert find_mesh(TierForm("router", ("su",), at, 2, "sn5600", "sonic"), pairs) == mesh
