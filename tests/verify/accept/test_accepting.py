"""What is accepted is what the plan then says: the same dumps verify as planned."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.rules.plan.topology.fg311_rail_crossed import RailCrossed
from fabricgen.verify.actions import CableState, Diagnosis, Kind
from tests.verify.accept.halls import Site

LEAF, SECOND, OTHER = (f"compute-leaf-p1-{place}-01" for place in ("su01-r1", "su01-r2", "su02-r1"))
SPINE = "compute-spine"


def is_clean(found: Diagnosis) -> bool:
    return not found.actions and not found.harmless and bool((found.states == CableState.AS_PLANNED).all())


def refused(site: Site, *ids: str) -> str:
    before = site.overlay.read_bytes()
    with pytest.raises(InputError) as error:
        site.accept(*ids)
    assert site.overlay.read_bytes() == before
    assert {found.code for found in error.value.diagnostics} == {"FG076"}
    assert all(found.span for found in error.value.diagnostics)
    return str(error.value)


def test_plugs_swapped_on_a_leaf(tmp_path: Path) -> None:
    site = Site(tmp_path, "leaf-spine")
    site.rotate((LEAF, "Ethernet224"), (LEAF, "Ethernet232"))
    (action,) = site.verify().actions
    text, after = site.accept(action.id)
    assert f'"{LEAF}:29": {{a_cage: "30"}}\n  "{LEAF}:30": {{a_cage: "29"}}\n' in text
    assert is_clean(after)


def test_a_ring_over_three_spines_and_a_spare_cage(tmp_path: Path) -> None:
    site = Site(tmp_path, "leaf-spine")
    site.rotate(*((f"{SPINE}-0{n + 1}", f"Ethernet{8 * n}") for n in range(3)))
    site.move((f"{SPINE}-04", "Ethernet8"), f"{SPINE}-04", "Ethernet152")
    assert {action.kind for action in site.verify().actions} == {Kind.RING, Kind.MOVE}
    text, after = site.accept("all")
    assert f'"{SECOND}:32": {{b_cage: "20"}}' in text
    assert f'"{LEAF}:29": {{b_cage: "{SPINE}-02:2"}}' in text
    assert is_clean(after)


def test_cables_of_hosts_on_each_others_leaves_are_stated_at_the_hosts(tmp_path: Path) -> None:
    site = Site(tmp_path, "leaf-spine")
    site.rotate((LEAF, "Ethernet0"), (OTHER, "Ethernet0"))  # breakouts of two hosts each
    (action,) = site.verify().actions
    text, after = site.accept(action.id)
    assert f'"{LEAF}:1": {{a_cage: {{"p1-su01-n001:eth1": "p1-su02-n001:eth1", "p1-su01-n002:eth1"' in text
    assert is_clean(after)


def test_tails_of_two_breakouts(tmp_path: Path) -> None:
    site = Site(tmp_path, "leaf-spine")
    site.rotate(("p1-su01-n001", "eth1"), ("p1-su02-n002", "eth1"), ("p1-su01-n004", "eth1"))
    _, after = site.accept(*(action.id for action in site.verify().actions))
    assert is_clean(after)


@pytest.mark.slow
def test_a_crossed_rail_is_accepted_and_lint_says_so(tmp_path: Path) -> None:
    site = Site(tmp_path, "superpod-b200")
    site.rotate((LEAF, "1/1"), (SECOND, "1/1"))
    (action,) = site.verify().actions
    assert action.kind is Kind.CROSSED
    text, after = site.accept(action.id)
    assert is_clean(after)
    found = list(RailCrossed().check(site.cluster))
    assert len(found) == 2
    assert all(str(each.path[1]) in text for each in found)


def test_exchanged_nodes_keep_their_names(tmp_path: Path) -> None:
    site = Site(tmp_path, "leaf-spine")
    site.exchange("p1-su01-n002", "p1-su02-n003")
    site.rotate((LEAF, "Ethernet224"), (LEAF, "Ethernet232"))
    kinds = [action.kind for action in site.verify().actions]
    assert kinds == [Kind.EXCHANGE, Kind.SWAP]
    text, after = site.accept("all")
    assert text.endswith('names:\n  devices:\n    "p1-su01-n002": "p1-su02-n003"\n    "p1-su02-n003": "p1-su01-n002"\n')
    assert is_clean(after)
    row = site.cluster.names.index("p1-su02-n003")
    assert site.cluster.plan.racks.names[site.cluster.plan.devices.rack[row]] == "p1-su01-rk01"


def test_sheets_keep_the_names_that_were_accepted(tmp_path: Path, fabricgen) -> None:
    site = Site(tmp_path, "leaf-spine")
    site.exchange("p1-su01-n002", "p1-su02-n003")
    site.accept("all")
    sheet = tmp_path / "list.csv"
    head = "cable,a_device,a_cage,b_device,b_cage,done,built_length_m"
    sheet.write_text(f"{head}\n{LEAF}:29,{LEAF},29,{SPINE}-01,1,x,17\n", encoding="utf-8")
    assert fabricgen("as-built", site.file, sheet, "-o", site.overlay).code == 0
    text = site.overlay.read_text(encoding="utf-8")
    assert f'"{LEAF}:29": {{length_m: 17}}' in text
    assert '"p1-su01-n002": "p1-su02-n003"' in text
    assert is_clean(Site.verify(site, site.built()))


@pytest.mark.slow
def test_a_harmless_cable_of_an_exchanged_box_waits(tmp_path: Path) -> None:
    site = Site(tmp_path, "superpod-b200")
    site.exchange(LEAF, OTHER)
    site.rotate((SECOND, "17/1"), (SECOND, "17/2"))
    site.rotate((f"{SPINE}-01", "1/1"), (f"{SPINE}-01", "1/2"))
    found = site.verify()
    exchange = next(action.id for action in found.actions if action.boxes)
    _, after = site.accept(exchange, f"{SECOND}:17.1")
    assert not after.actions
    assert len(after.harmless) == 2
    assert is_clean(site.accept("all")[1])


def test_exchanged_leaves_rename_the_cables_that_are_stated(tmp_path: Path) -> None:
    site = Site(tmp_path, "leaf-spine")
    site.rotate((LEAF, "Ethernet224"), (LEAF, "Ethernet232"))
    site.accept("all")
    site.exchange(LEAF, OTHER)
    (action,) = site.verify().actions
    assert action.boxes == 2
    text, after = site.accept(action.id)
    assert f'"{OTHER}:29": {{a_cage: "30"}}' in text
    assert is_clean(after)
    site.exchange(OTHER, LEAF)  # and back again
    site.hall.tells = list(range(len(site.hall.tells)))
    text, after = site.accept("all")
    assert "names:" not in text
    assert is_clean(after)


def test_three_boxes_in_a_ring(tmp_path: Path) -> None:
    site = Site(tmp_path, "leaf-spine")
    site.exchange("p1-su01-n001", "p1-su01-n003", "p1-su02-n002")
    (action,) = site.verify().actions
    assert action.boxes == 3
    text, after = site.accept(action.id)
    assert text.count("p1-su0") == 6
    assert is_clean(after)


def test_a_plug_in_the_place_of_a_cable_that_is_dark(tmp_path: Path) -> None:
    site = Site(tmp_path, "leaf-spine")
    site.hall.cage[site.plug(LEAF, "Ethernet224")] = None
    site.hall.cage[site.plug(LEAF, "Ethernet232")] = site.plug(LEAF, "Ethernet224")
    (move,) = (action for action in site.verify().actions if action.kind is not Kind.DARK)
    text, after = site.accept(move.id)
    assert f'"{LEAF}:30"' in text
    assert f'"{LEAF}:29"' in text
    assert {action.kind for action in after.actions} == {Kind.DARK}
    assert int((after.states == CableState.DARK).sum()) == 1


@pytest.mark.slow
def test_single_harmless_cables(tmp_path: Path) -> None:
    site = Site(tmp_path, "superpod-b200")
    site.rotate((LEAF, "17/1"), (LEAF, "17/2"))
    found = site.verify()
    assert len(found.harmless) == 2
    assert not found.actions
    _, after = site.accept(f"{LEAF}:17.1")
    assert is_clean(after)


def test_what_cannot_be_accepted_is_refused_and_why(tmp_path: Path) -> None:
    site = Site(tmp_path, "leaf-spine")
    site.hall.cage[site.plug(LEAF, "Ethernet224")] = None
    site.rotate((SECOND, "Ethernet224"), ("p1-su01-n001", "eth1"))
    found = site.verify()
    dark = next(action for action in found.actions if action.kind is Kind.DARK)
    others = [action for action in found.actions if action.kind is not Kind.DARK]
    assert f"--accept {dark.id}:1:1: error[FG076]: {dark.id} cannot be accepted" in refused(site, dark.id)
    assert "did you mean" in refused(site, f"{dark.id[:-1]}x")
    assert f"accept {dark.id}" in refused(site, dark.cables[0])
    for action in others:
        assert "cannot be accepted" in refused(site, action.id)


def test_what_the_blueprint_states_wins(tmp_path: Path) -> None:
    site = Site(tmp_path, "leaf-spine", f'cable_of:\n  "{LEAF}:29": {{a_cage: 9}}\n')
    site.rotate((LEAF, "Ethernet64"), (LEAF, "Ethernet232"))
    told = refused(site, "all")
    assert "site.yaml:19:" in told
    assert "which wins" in told
    site = Site(tmp_path, "leaf-spine", "names: {devices: {p1-su01-n002: login}}\n")
    site.exchange("login", "p1-su01-n003")
    assert "the blueprint names p1-su01-n002 here, which wins" in refused(site, "all")
