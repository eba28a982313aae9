"""Ports of nodes: what a drawing calls a socket is what its label says, and what is not published is not claimed."""

from __future__ import annotations

from functools import cache
from xml.etree import ElementTree

import pytest

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import NodeProfile
from fabricgen.export.drawings.book import Books, draw_node_panel
from fabricgen.export.drawings.port_layout import PAGE_HEIGHT, PAGE_WIDTH, NodeCages, list_node_ports
from fabricgen.export.technician.labels import make_label_table
from fabricgen.export.technician.records import make_records
from tests.conftest import example_cluster

CATALOG = Catalog()


SVG = "{http://www.w3.org/2000/svg}"


def parsed(ports: NodeCages) -> ElementTree.Element:
    return ElementTree.fromstring(draw_node_panel(ports, alone=True))


def told(ports: NodeCages) -> str:
    return " ".join(text.text or "" for text in parsed(ports).iter(f"{SVG}text"))


@cache
def drawn(name: str) -> dict[str, NodeCages]:
    return {ports.profile.id: ports for ports in list_node_ports(example_cluster(name))}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["superpod-b300", "full-cluster", "dual-tor", "ualink-pod"])
def test_sockets_and_tags_are_those_of_the_labels(name: str) -> None:
    cluster = example_cluster(name)
    labels = make_label_table(make_records(cluster)).columns
    model = {
        cluster.names[row]: cls.profile.id
        for cls in cluster.plan.devices.classes
        if isinstance(cls.profile, NodeProfile)
        for row in range(cls.first, cls.first + cls.count)
    }
    told_by_labels = {
        (model[device], where.rsplit(":", 1)[1], tag)
        for device, where, tag in zip(labels["near_device"], labels["near_location"], labels["tag"], strict=True)
        if device in model
    }
    assert told_by_labels == {
        (id_, socket.label, tag.text)
        for id_, ports in drawn(name).items()
        for block in ports.blocks
        for cage in block.cages
        for socket in cage.sockets or ()
        for tag in socket.tags
    }


@pytest.mark.parametrize("name", ["superpod-b300", "full-cluster", "multi-plane", "trn2-ultraserver"])
def test_a_model_fits_a_page_and_no_name_is_squeezed(name: str) -> None:
    for ports in drawn(name).values():
        root = parsed(ports)
        _, _, width, height = map(float, str(root.get("viewBox")).split())
        assert width <= PAGE_WIDTH
        assert height <= PAGE_HEIGHT
        assert not [text.text for text in root.iter(f"{SVG}text") if text.get("transform")]
        cages = {port.cage for role in ports.profile.roles.values() for port in role.ports}
        assert cages <= {text.text for text in root.iter(f"{SVG}text")}


def test_places_are_told_as_far_as_they_are_published() -> None:
    b300, hpn = drawn("superpod-b300")["dgx-b300"], drawn("dual-tor")["hpn-node"]
    assert "Ports at the front" in told(b300)
    assert {(block.where, block.published) for block in b300.blocks if not block.published} == {("bmc", False)}
    assert "The catalogue has neither side nor places of its ports" in told(hpn)
    assert not any(block.published for block in hpn.blocks)
    assert "power supplies: place not published" in told(b300)


def test_port_2_of_the_slots_of_a_dgx_h100_is_left_of_port_1() -> None:
    cluster = example_cluster("known-hardware")
    (node,) = (ports for ports in list_node_ports(cluster) if ports.profile.id == "dgx-h100")
    at = {text.text: float(str(text.get("x"))) for text in parsed(node).iter(f"{SVG}text")}
    assert at["SLOT1P2"] < at["SLOT1P1"]
    assert at["SLOT2P2"] < at["SLOT2P1"]
    assert at["OSFP1"] < at["OSFP2"] < at["OSFP3"] < at["OSFP4"]  # by name, and not by rail


def test_each_model_has_a_file_and_a_place_in_the_book() -> None:
    sections = Books(example_cluster("leaf-spine")).sections
    assert [path for path, _ in sections["nodes"]()] == ["nodes/generic-server.svg"]
    ((_, book),) = sections["book"]()
    assert b'href="#node-generic-server"' in book
    assert b'id="node-generic-server"' in book


@pytest.mark.parametrize(
    ("cages", "message"),
    [
        (["OSFP9"], "no role has a cage OSFP9; there are OSFP1, OSFP2"),
        (["OSFP1", "OSFP1"], "cage OSFP1 is in 2 places"),
    ],
)
def test_a_panel_has_the_cages_of_its_node(cages: list[str], message: str) -> None:
    profile = CATALOG.node("dgx-b300").model_dump(mode="json")
    panel = {"side": "front", "groups": [{"where": "host", "cages": cages}], "source": "its user guide"}
    with pytest.raises(ValueError, match=message):
        NodeProfile.model_validate(profile | {"panel": panel})
