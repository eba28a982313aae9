"""Search finds what has a name, an address or a number, by keyboard, and fast."""

from __future__ import annotations

import pytest

from tests.conftest import example_cluster
from tests.view.waiting import resize

FIND = "async (query) => (await FG.find(query)).map((group) => [group.title, group.total, group.hits[0].text])"


BMC_LABEL = "h1.R01.13-U01:BMC > h1.R01.18-U30:13 Ethernet12"
FOUND = (
    ("p1-su02-n013", "Devices", "p1-su02-n013"),
    ("su02 n013", "Devices", "p1-su02-n013"),
    ("SU2 N13", "Devices", "p1-su02-n013"),
    ("p1-su02-n013:gpu3", "Accelerators", "p1-su02-n013:gpu3"),
    ("su02 n13 gpu3", "Accelerators", "p1-su02-n013:gpu3"),
    ("su03-rk02", "Racks", "p1-su03-rk02"),
    ("dgx-b2", "Models", "dgx-b200"),
    ("MFP7E10", "Parts of cables", "MFP7E10-N"),
    ("192.168.0.142", "Addresses", "192.168.0.142/26"),
    ("192.168.0.128/26", "Addresses", "192.168.0.129/26"),
    ("p1-su02-n013:osfp4", "Ports", "p1-su02-n013:OSFP4P2"),
    ("p1-su02-n013:OSFP4.2", "Cables", "p1-su02-n013:OSFP4.2"),
    (
        "p1-su02-n013:BMC > oob-leaf",
        "Labels",
        BMC_LABEL,
    ),
    (
        "h1.r01.13-u01:BMC > ",
        "Labels",
        BMC_LABEL,
    ),
    ("AS 4200000000", "AS numbers", "4200000000"),
    ("p1-su02-n013 > compute-spine-01", "Paths", "p1-su02-n013 → compute-spine-01"),
)


def test_a_query_finds(superpod):
    for query, title, first in FOUND:
        groups = {name: text for name, _, text in superpod.evaluate(FIND, query)}
        assert groups[title].startswith(first) if title == "Parts of cables" else groups.get(title) == first, query


def test_a_part_is_there_once_with_all_its_cables(superpod):
    parts = example_cluster("superpod-b200").plan.cables
    found = superpod.evaluate("async () => (await FG.table('cables').column('part')).of")
    assert len(found) == len(set(found)) < len(parts)


def test_guids_are_found_however_they_are_written(superpod):
    switch = example_cluster("superpod-b200").whole_fabric("compute").switches[0]
    text = f"{switch.guid:016x}"
    for query in (text, f"0x{text}", ":".join(text[i : i + 4] for i in range(0, 16, 4)), text[:12].upper()):
        found = superpod.evaluate("async (query) => (await FG.find(query))[0].hits[0]", query)
        assert (found["text"], found["more"]) == (text, f"{switch.name}, GUID, planned")


def test_an_accelerator_without_ports_of_its_own_is_found(page):
    nodes = example_cluster("tpu-torus").names
    shown = page("tpu-torus")
    ((title, _, text),) = shown.evaluate(FIND, f"{nodes[0]} gpu0")
    assert (title, text) == ("Accelerators", f"{nodes[0]}:gpu0")
    shown.evaluate("async (text) => FG.choose({ kind: 'gpu', id: await FG.naming.gpu.find(text) })", text)
    shown.wait_for_selector("#inspector h2:has-text('gpu0')")


def test_macs_and_serial_numbers_of_the_inventory_are_found(page):
    rows = example_cluster("known-hardware").design.loaded.inventory
    shown = page("known-hardware")
    for row in (next(row for row in rows if row.mac), next(row for row in rows if row.serial)):
        for query in filter(None, (row.mac, row.mac.replace(":", "-").upper(), row.serial)):
            found = shown.evaluate("async (query) => (await FG.find(query)).at(-1).hits[0]", query)
            assert found["more"] == (f"{row.device}:{row.port}" if row.port else row.device)
            assert (row.mac or row.serial) in found["text"]


def test_ipv6_addresses_are_found_by_any_spelling(page):
    cluster = example_cluster("dual-stack")
    shown = page(cluster)
    six = cluster.addresses.v6
    wanted = six.format_address(six.loopback.at(next(i for i, there in enumerate(six.loopback.present) if there)))
    groups = [f"{int(part, 16):04x}" for part in _long(wanted)]
    for query in (wanted, ":".join(groups), wanted.upper()):
        assert shown.evaluate(FIND, query)[0] == ["Addresses", 1, f"{wanted}/128"]


def _long(text):
    head, _, tail = text.partition("::")
    left, right = (part.split(":") if part else [] for part in (head, tail))
    return [*left, *["0"] * (8 - len(left) - len(right)), *right]


def test_the_list_says_how_many_and_shows_fifty(superpod):
    superpod.locator("#query").fill("su")
    superpod.wait_for_function("() => document.getElementById('found').dataset.query === 'su'")
    names = example_cluster("superpod-b200").names
    heading = superpod.locator("#found .heading").first.inner_text()
    assert heading.endswith(f"of {sum('su' in name for name in names)}")
    assert superpod.locator("#found [role=option]").count() <= 50


def test_the_keyboard_chooses_and_leaves(superpod):
    superpod.locator("#query").fill("p1-su01-n00")
    superpod.wait_for_function("() => document.getElementById('found').dataset.query === 'p1-su01-n00'")
    superpod.keyboard.press("ArrowDown")
    chosen = superpod.locator("#found [aria-selected=true]")
    assert chosen.inner_text().startswith("p1-su01-n002")
    assert superpod.locator("#query").get_attribute("aria-activedescendant") == chosen.get_attribute("id")
    superpod.keyboard.press("Enter")
    superpod.wait_for_function("() => document.querySelector('#inspector h2')?.textContent === 'p1-su01-n002'")
    superpod.keyboard.press("/")
    superpod.wait_for_selector("#found:not([hidden])")
    superpod.keyboard.press("Escape")
    assert superpod.locator("#found").is_hidden()


@pytest.fixture
def superpod(page):
    """The page of a SuperPOD."""
    return page("superpod-b200")


@pytest.mark.parametrize("wide", [390, 1000, 1600])
@pytest.mark.parametrize("name", ["bonded-pair", "colossus-200k", "dual-tor"])
def test_what_the_empty_box_says_is_not_cut_off(page, name, wide):
    shown = page(name)
    resize(shown, wide, 800)
    says, has = shown.evaluate("""() => {
      const box = document.getElementById("query"), c = document.createElement("canvas").getContext("2d");
      c.font = getComputedStyle(box).font;
      return [c.measureText(box.placeholder).width, box.clientWidth - 16 - 16]; // but edges, and the cross
    }""")
    assert says <= has
