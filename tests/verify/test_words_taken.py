"""What a report says is borne out by the dumps: scope and order of actions, names and hardware, management ports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.verify.diagnosis import diagnose
from fabricgen.verify.dumps.sighting import Box, Dump, Sighting
from fabricgen.verify.identity.identify import add_hardware, identify_boxes
from fabricgen.verify.identity.names import KnownAddress
from fabricgen.verify.resolve import resolve_sightings
from fabricgen.verify.sightings import SightingsBuilder
from tests.conftest import BLUEPRINTS, Ran
from tests.verify.cabled import CabledHall
from tests.verify.diagnosis.hall import cabling

Command = Callable[..., Ran]
NODES = ("p1-su01-n001", "p1-su02-n001")
"""Of leaf-spine: no pair of devices has its link where these two are exchanged."""


def _report(ran: Ran) -> dict[str, list[dict[str, str]]]:
    import json

    return dict(json.loads(ran.out))


def _renamed(name: str) -> str:
    return dict(zip(NODES, NODES[::-1], strict=True)).get(name, name)


@pytest.mark.slow
def test_only_a_fabric_lists_actions_of_its_cables_alone(tmp_path: Path, fabricgen: Command) -> None:
    """A management port of a compute leaf is a matter of oob; and where all are listed, it comes last."""
    plan = CabledHall("superpod-b200")
    leaf = "compute-leaf-p1-su01-r1-01"
    oob = next(port for port, far in sorted(plan.sees.items()) if port[0] == leaf and far[0].startswith("oob"))
    up = next(port for port, far in sorted(plan.sees.items()) if port[0] == leaf and "spine" in far[0])
    dump = plan.cut(*oob).cut(*up).csv(tmp_path / "hall.csv")
    blueprint = BLUEPRINTS / "superpod-b200.yaml"
    every = _report(fabricgen("verify", blueprint, dump, "--format", "json"))["actions"]
    assert [action["kind"] for action in every] == ["dark", "dark"]
    assert oob[1] in every[1]["text"]
    (lone,) = _report(fabricgen("verify", blueprint, dump, "--format", "json", "--only", "compute"))["actions"]
    assert lone["id"] == every[0]["id"]


def _cut_an_uplink(hall: CabledHall) -> CabledHall:
    return hall.cut(*min(end for end, far in hall.sees.items() if "leaf" in end[0] and "compute-spine" in far[0]))


def _swap_two_nodes(hall: CabledHall) -> CabledHall:
    return hall.swap("compute-leaf-p1-su01-01", "Ethernet0", "Ethernet8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "code"),
    [(lambda hall: hall, 0), (_cut_an_uplink, 1), (_swap_two_nodes, 1)],
    ids=["clean", "cut", "swap"],
)
def test_dumps_of_compute_alone_give_its_verdict(
    change: Callable[[CabledHall], CabledHall], code: int, tmp_path: Path, fabricgen: Command
) -> None:
    """Of a hall with in-band and management networks, of which no dump tells; the verdict is that of all dumps."""
    hall = change(CabledHall("monday"))
    reports = []
    for name in ("every.csv", "compute.csv"):
        ran = fabricgen(
            "verify", BLUEPRINTS / "monday.yaml", hall.csv(tmp_path / name), "--only", "compute", "--format", "json"
        )
        assert ran.code == code, ran.err
        reports.append(_report(ran))
        hall.sees = {
            end: far for end, far in hall.sees.items() if "compute-" in end[0] + far[0] and "oob" not in far[0]
        }
        hall.sees = {end: far for end, far in hall.sees.items() if not end[0].startswith("oob")}
    assert len(hall.sees) == 2 * (128 - (change is _cut_an_uplink))
    for part in ("cables", "actions", "notes"):
        assert reports[0][part] == reports[1][part]
    assert reports[1]["cables"]["unseen"] == 0


def test_neighbours_flooded_at_ports_for_management_are_a_note(tmp_path: Path, fabricgen: Command) -> None:
    hall = CabledHall("leaf-spine")
    dump = hall.csv(tmp_path / "hall.csv")
    leaves = sorted({port[0] for port in hall.sees if "-leaf-" in port[0]})
    with dump.open("a", encoding="utf-8") as file:
        file.writelines(f"{one},eth0,{other},eth0\n" for one in leaves for other in leaves if one != other)
    ran = fabricgen("verify", BLUEPRINTS / "leaf-spine.yaml", dump)
    assert ran.code == 0, ran.out
    assert "neighbours at ports for management are left out" in " ".join(ran.out.split())
    assert "sees two neighbours" not in ran.out


def test_an_exchange_says_no_numbers_of_links_that_dumps_deny(tmp_path: Path, fabricgen: Command) -> None:
    hall = CabledHall("leaf-spine")
    spines = {"compute-spine-01": "compute-spine-02", "compute-spine-02": "compute-spine-01"}
    hall.sees = {(spines.get(a, a), port): (spines.get(b, b), far) for (a, port), (b, far) in hall.sees.items()}
    ran = fabricgen("verify", BLUEPRINTS / "leaf-spine.yaml", hall.csv(tmp_path / "hall.csv"))
    assert "has 0 links to" not in ran.out
    assert "read the serial number" in " ".join(ran.out.split())


def test_accept_all_renames_no_device_that_tells_its_planned_name(tmp_path: Path, fabricgen: Command) -> None:
    hall = CabledHall("leaf-spine")
    hall.sees = {(_renamed(a), port): (_renamed(b), far) for (a, port), (b, far) in hall.sees.items()}
    site = tmp_path / "site.yaml"
    text = (BLUEPRINTS / "leaf-spine.yaml").read_text(encoding="utf-8")
    site.write_text(f"include: as-built.yaml\n{text}", encoding="utf-8")
    (tmp_path / "as-built.yaml").write_text("cable_of: {}\n", encoding="utf-8")
    ran = fabricgen("verify", site, hall.csv(tmp_path / "h.csv"), "--accept", "all", "-o", tmp_path / "as-built.yaml")
    assert "leaves exchange-" in ran.err
    assert "names" not in (tmp_path / "as-built.yaml").read_text(encoding="utf-8")


def test_macs_tell_exchanged_names_from_exchanged_boxes() -> None:
    """The inventory knows the MAC of each box as that of where it stands, or as that of the name which it tells."""
    plan, hall = cabling("leaf-spine"), CabledHall("leaf-spine")
    macs = {name: f"0a:00:00:00:00:{number:02x}" for number, name in enumerate(plan.device_names)}
    for known, found in (
        ({name: macs[name] for name in NODES}, "the names of"),
        ({name: macs[_renamed(name)] for name in NODES}, "are exchanged: swap the two boxes"),
    ):
        builder = SightingsBuilder()
        for name in plan.device_names:
            rows = [
                Sighting(port, Box(_renamed(far), macs[far]), far_port)
                for (device, port), (far, far_port) in sorted(hall.sees.items())
                if device == name
            ]
            builder.add_dump(Dump(Box(_renamed(name), macs[name]), rows))
        sightings = builder.make_sightings()
        identities = identify_boxes(plan, sightings, [KnownAddress(mac, name) for name, mac in known.items()])
        seen, _ = resolve_sightings(plan, sightings, identities)
        (action,) = add_hardware(plan, diagnose(plan, seen), sightings, identities).actions
        assert found in action.text
        assert action.by_hardware is (known[NODES[0]] != macs[NODES[0]])
