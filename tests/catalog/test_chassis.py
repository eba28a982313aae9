"""Chassis, dual-port NICs and external devices: what the catalogue says of them, and what a cluster makes of it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from fabricgen.blueprint.load import load_blueprint
from fabricgen.bom import bill
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import CageClass, NicRole, SwitchProfile
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.design.fabric_model import Leg
from fabricgen.design.summary import sum_power
from fabricgen.export.files import cables
from fabricgen.kernel.diagnostics import InputError

BLUEPRINT = Path(__file__).with_name("hpn_chassis.yaml")
CATALOG = Catalog()
CAGE: dict[str, Any] = {"form_factor": "OSFP", "lanes": 8, "lane_gbps": 100, "breakouts": {1: (800,), 8: (100,)}}


@cache
def cluster_of(*sets: str) -> Cluster:
    return build_cluster(build_design(load_blueprint(str(BLUEPRINT), sets)))


def chassis(**changes: Any) -> SwitchProfile:
    return SwitchProfile.model_validate(CATALOG.switch("7808r4").model_dump() | changes)


def card(first_slot: int, count: int = 4, cages: int = 36) -> dict[str, Any]:
    return {"first_slot": first_slot, "count": count, "cages": cages, "model": "card", "part_number": "LC-36"}


@pytest.mark.parametrize(("name", "cards"), [("7808r4", 8), ("7816r4", 16)])
def test_a_chassis_has_one_face_and_its_cards(name: str, cards: int) -> None:
    switch = CATALOG.switch(name)
    assert switch.cage_count == 36 * cards
    assert [len(c) for c in switch.cages_by_card] == [36] * cards
    assert [cage for c in switch.cages_by_card for cage in c] == list(range(1, switch.cage_count + 1))
    assert switch.find_slot(1) == (3, 1)
    assert switch.cage_label(36 * cards) == f"{cards + 2}/36"
    with pytest.raises(LookupError):
        switch.find_slot(36 * cards + 1)


def test_a_fixed_box_is_one_card_without_a_slot() -> None:
    switch = CATALOG.switch("sn5600")
    assert switch.cages_by_card == (tuple(range(1, 66)),)
    assert (switch.find_slot(65), switch.cage_label(65)) == (None, "65")


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        ([card(3)], "hold 144 cages, and the face has 288"),
        ([card(3), card(6)], "one in each; got slots"),
        ([card(7), card(3)], "listed by slot"),
    ],
)
def test_line_cards_that_cannot_be_are_refused(cards: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        chassis(line_cards=cards)


def test_cards_of_two_kinds_may_share_a_chassis() -> None:
    mixed = chassis(line_cards=[card(3), card(10, count=8, cages=18)])
    assert mixed.find_slot(144) == (6, 36)
    assert mixed.find_slot(145) == (10, 1)


@pytest.mark.parametrize(
    ("cage", "sub", "ways", "name"),
    [
        (1, 0, 1, "Ethernet3/1/1"),
        (36, 1, 2, "Ethernet3/36/5"),
        (37, 0, 2, "Ethernet4/1/1"),
        (576, 7, 8, "Ethernet18/36/8"),
    ],
)
def test_eos_names_ports_of_line_cards(cage: int, sub: int, ways: int, name: str) -> None:
    switch = CATALOG.switch("7816r4")
    assert CATALOG.naming("eos").name_port(cage, sub, ways, switch.cages[0], None, switch.find_slot(cage)) == name


def test_a_nos_without_names_for_line_cards_is_refused(tmp_path: Path) -> None:
    own = tmp_path / "catalog" / "switches"
    own.mkdir(parents=True)
    text = (Path(cables.__file__).parents[2] / "catalog/data/switches/7808r4.yaml").read_text()
    (own / "7808r4.yaml").write_text(text.replace("nos: [eos]", "nos: [eos, cumulus]"))
    (tmp_path / "blueprint.yaml").write_text(BLUEPRINT.read_text())
    loaded = load_blueprint(str(tmp_path / "blueprint.yaml"), ("nos.spine=cumulus",))
    cluster = build_cluster(build_design(loaded))
    (found,) = cluster.port_names.faults
    assert found.code == "FG026"
    assert found.message.startswith("7808r4 has line cards, and the catalogue does not say how cumulus names")
    assert {"3/1/1", "3/1/2"} <= set(cluster.b_port)


def test_ports_labels_and_management_of_a_chassis_name_the_slot() -> None:
    cluster = cluster_of("floor.network_fill=up")  # so far from the trays that uplinks are fibres
    spine_ports = {p for p, s in zip(cluster.b_port, cluster.plan.links.segment, strict=True) if "/1/" in p and s}
    assert {"Ethernet3/1/1", "Ethernet3/1/5"} <= spine_ports
    table = cables.make_table(cluster).columns
    assert "3/1" in table["b_cage"]
    assert any(label.endswith(":3/1/1+2") for label in table["label_a"])
    assert CATALOG.naming("eos").find_management_port(CATALOG.switch("7808r4")) == "Management1/1"
    assert CATALOG.naming("eos").find_management_port(CATALOG.switch("7060x6-64pe")) == "Management1"


def test_the_bom_lists_line_cards_beside_their_chassis() -> None:
    lines = {line.part: line for line in bill.make_bill(cluster_of()).lines}
    assert (lines["7808r4"].kind, lines["7808r4"].quantity) == ("switch", 4)
    cards = lines["7800R4C-36PE-LC"]
    assert (cards.kind, cards.quantity, cards.power_w) == ("line-card", 32, 0)


def test_external_devices_are_wired_but_not_bought() -> None:
    cluster = cluster_of()
    assert "wan" in cluster.names
    assert "wan" in cables.make_table(cluster).columns["a_device"]
    assert "external-router" not in {line.part for line in bill.make_bill(cluster).lines}


def test_external_devices_draw_none_of_our_power() -> None:
    ours = cluster_of("fabrics.compute.extra.wan.device=border-router").design
    assert sum_power(ours) - sum_power(cluster_of().design) == 1500


def legs_of(planes: int, nic: str | None = None) -> tuple[Leg, ...]:
    more = (f"fabrics.compute.nic={nic}",) if nic else ()
    # planes are shared by the tiers' `per`, which one plane does not have
    tiers = ("fabrics.compute.tiers.leaf.per=[su, rail]", "fabrics.compute.tiers.spine.per=[]") if planes == 1 else ()
    design = build_design(load_blueprint(str(BLUEPRINT), (f"fabrics.compute.planes={planes}", *tiers, *more)))
    return design.fabrics[0].attachments[0][1].legs


def test_each_port_of_a_dual_port_nic_meets_a_plane() -> None:
    legs = legs_of(2)
    assert [(leg.rail, leg.plane, leg.port, leg.name) for leg in legs[:4]] == [
        (1, 1, 1, "NIC1P1"),
        (1, 2, 1, "NIC1P2"),
        (2, 1, 1, "NIC2P1"),
        (2, 2, 1, "NIC2P2"),
    ]
    assert len(legs) == 16


def test_ports_of_a_dual_port_nic_are_legs_of_one_plane_where_there_is_one() -> None:
    assert [(leg.rail, leg.plane, leg.port) for leg in legs_of(1)[:3]] == [(1, 1, 1), (1, 1, 2), (2, 1, 1)]


def test_ports_that_do_not_deal_over_the_planes_are_refused() -> None:
    with pytest.raises(InputError, match="cannot be split into 2"):
        legs_of(4)
    with pytest.raises(InputError, match="ports of a NIC of hpn-node cannot be spread equally over 4 planes"):
        legs_of(4, "1x200")


@pytest.mark.parametrize(
    "places",
    [[(1, 1), (1, 1)], [(1, 1), (2, 1), (2, 2)], [(1, 2)], [(1, 1), (3, 1)], [(1, 1), (10**9, 10**9)]],
)
def test_rails_and_ports_have_no_gaps(places: list[tuple[int, int]]) -> None:
    ports = [{"rail": r, "port": p, "name": f"n{i}", "cage": f"n{i}"} for i, (r, p) in enumerate(places)]
    role = {"form_factor": "OSFP", "lanes": 4, "lane_gbps": 100, "speeds": [400], "ports": ports}
    with pytest.raises(ValidationError, match="rails must be 1 to"):
        NicRole.model_validate(role)


def test_a_cage_that_disables_its_neighbour_makes_fewer_ports() -> None:
    cage = CATALOG.switch("sn5610").cages[0]
    assert (cage.block(8), cage.block(4)) == (2, 1)
    assert cage.split_for(100, 100) == 4
    assert CATALOG.switch("sn5640").cages[0].split_for(100, 100) == 8


@pytest.mark.parametrize(("count", "blocks"), [(64, {4: 2}), (63, {8: 2}), (64, {8: 1})])
def test_blocks_that_do_not_fit_the_face_are_refused(count: int, blocks: dict[int, int]) -> None:
    with pytest.raises(ValidationError, match="block"):
        CageClass.model_validate(CAGE | {"count": count, "breakout_blocks": blocks})


def test_a_pipeline_serves_no_more_ports_than_it_can() -> None:
    switch = CATALOG.switch("ds5000")
    assert switch.split_for(0, 100, 100) == 4, "as many ports as eight a cage make, and no cage stays dark"
    assert switch.count_split_ports(0, 8) == switch.count_split_ports(0, 4) == 256
    assert list(switch.list_served_cages((1, 2, 3, 4), 8, {})) == [1, 2], "cages 1 and 4 share a pipeline, and 2 and 3"
    assert list(switch.list_served_cages((2, 4), 2, {0: 8, 1: 9})) == [4]
    assert switch.model_copy(update={"pipelines": None}).count_split_ports(0, 8) == 512


@pytest.mark.parametrize("cages", [((1, 2), (2, 3)), ((64, 65),), ((0, 1),)])
def test_pipelines_name_cages_of_the_face_once(cages: tuple[tuple[int, ...], ...]) -> None:
    switch = CATALOG.switch("ds5000").model_dump() | {"pipelines": {"ports": 10, "cages": cages}}
    with pytest.raises(ValueError, match="pipelines name cages once"):
        SwitchProfile.model_validate(switch)


@pytest.mark.parametrize(("name", "ways"), [("sn5600", 8), ("sn5400", 8), ("sn4700", 8), ("sn4600c", 4)])
def test_spectrum_splits_disable_the_next_cage(name: str, ways: int) -> None:
    switch = CATALOG.switch(name)
    assert switch.cages[0].block(ways) == 2
    assert switch.count_split_ports(0, ways) == switch.count_split_ports(0, ways // 2), "the ASIC serves no more ports"


def test_a_switch_is_equal_to_itself_alone() -> None:
    """What its face holds is remembered by it, so one with another face must not be taken for it."""
    switch = CATALOG.switch("ds5000")
    assert switch.model_copy(update={"pipelines": None}) != switch
    assert {switch: 1}.get(switch.model_copy()) is None
