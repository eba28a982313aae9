"""What the page says of a thing is what the CSV files of a build say, cell by cell."""

from __future__ import annotations

import csv
import io
from collections import defaultdict

import pytest

from fabricgen.export.view.page import make_page
from fabricgen.export.view.source import PageExtras
from fabricgen.render.engine import render_few_configs
from tests.conftest import built_files, example_cluster

EXAMPLES = (
    "leaf-spine",
    "superpod-b200",
    "dual-stack",  # two families
    "small-pair",  # bonds
    "host-vlans",  # addresses on shared ports
    "patched-hall",  # breakouts, and parts of several jumpers
    "mixed-breakouts",
    "ualink-pod",  # links without cables
)

ROWS = """async () => {
  const of = async (count, make) => { const all = []; for (let i = 0; i < count; i += 1) all.push(await make(i)); return all; };
  const rows = (name) => FG.table(name).rows;
  return {
    devices: await of(rows("devices"), FG.csv.devices), links: await of(rows("links"), FG.csv.links),
    cables: (await of(rows("cables"), FG.csv.cables)).flat(),
    addresses: (await of(rows("devices"), FG.csv.addresses)).flat(),
  };
}"""  # noqa: E501 - a script


def _built(cluster, *parts):
    files = built_files(cluster, *parts)
    return {name[:-4]: list(csv.DictReader(io.StringIO(content.decode()))) for name, content in files.items()}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_cell_is_that_of_the_csv_files(page, name):
    cluster = example_cluster(name)
    wanted = _built(cluster, "devices", "links", "cables", "addresses")
    of_device = defaultdict(list)
    for row in wanted["addresses"]:
        of_device[row["device"]].append(row)
    wanted["addresses"] = [row for device in wanted["devices"] for row in of_device[device["device"]]]
    found = page(cluster).evaluate(ROWS)
    for table, rows in wanted.items():
        assert found[table] == rows, table
        assert not rows or [*found[table][0]] == [*rows[0]]  # in the same order


def _pairs(shown):
    cells = shown.locator("#inspector section").first.locator("tr")
    return dict(text.split("\t") for text in cells.all_inner_texts())


def test_a_device_is_shown_with_its_row_its_line_its_ports_and_its_configuration(pages, monkeypatch):
    cluster = example_cluster("leaf-spine")
    shown = pages.of(
        cluster, "at=compute-leaf-p1-su01-r1-01", make_page(cluster, PageExtras(configs=render_few_configs(cluster)))
    )
    shown.wait_for_selector("#inspector[data-shown]")
    row = next(row for row in _built(cluster, "devices")["devices"] if row["device"] == "compute-leaf-p1-su01-r1-01")
    assert _pairs(shown) == row
    panel = shown.locator("#inspector")
    line = cluster.design.loaded.source.span(("fabrics", "compute", "tiers", "leaf")).line
    assert f"leaf-spine.yaml:{line}" in panel.inner_text()
    config = panel.locator("details").first
    config.locator("summary").click()
    shown.wait_for_function("() => document.querySelector('#inspector details[open] pre').textContent.length > 100")
    path = f"configs/{config.locator('summary').inner_text()}"
    assert config.locator("pre").text_content().encode() == dict(render_few_configs(cluster))[path]


def test_a_click_on_a_far_end_goes_there_and_the_address_says_where(page):
    shown = page("leaf-spine", "at=compute-leaf-p1-su01-r1-01")
    shown.wait_for_selector("#inspector[data-shown]")
    far = shown.locator("#inspector .go", has_text="compute-spine-01:").first
    far.click()
    shown.wait_for_function("() => document.querySelector('#inspector h2').textContent === 'compute-spine-01'")
    shown.wait_for_function("() => location.hash.includes('at=compute-spine-01')")


@pytest.mark.parametrize(
    ("fragment", "title"),
    [
        ("at=compute-spine-02", "compute-spine-02"),
        ("link=p1-su01-n001:eth1", "p1-su01-n001:eth1"),
        ("rack=p1-su01-rk01", "p1-su01-rk01"),
        ("tray=h1 R01", "h1 R01"),
        ("trace=p1-su01-n001..p1-su01-n002", "p1-su01-n001 → p1-su01-n002"),
    ],
)
def test_a_fragment_opens_what_it_names(page, fragment, title):
    shown = page("leaf-spine", fragment)
    shown.wait_for_selector("#inspector[data-shown]")
    assert shown.locator("#inspector h2").inner_text() == title


def test_the_fragment_of_a_cable_is_its_id(page):
    cluster = example_cluster("leaf-spine")
    shown = page(cluster, f"cable={cluster.cable_ids[-1]}")
    shown.wait_for_selector("#inspector[data-shown]")
    assert shown.locator("#inspector h2").inner_text() == cluster.cable_ids[-1]
    assert shown.evaluate("() => FG.linkTo(FG.state.chosen)").endswith(
        f"#cable={cluster.cable_ids[-1].replace(':', '%3A')}"
    )


def test_the_text_to_copy_has_every_row(page):
    shown = page("superpod-b200", "at=compute-spine-01")
    shown.wait_for_selector("#inspector[data-shown]")
    text = shown.evaluate("() => FG.inspector.text()")
    links = _built(example_cluster("superpod-b200"), "links")["links"]
    mine = [row for row in links if "compute-spine-01" in (row["a_device"], row["b_device"])]
    assert len(mine) > 60
    for row in mine:
        near, far = ("b", "a") if row["b_device"] == "compute-spine-01" else ("a", "b")
        assert f"\n{row[f'{near}_port']}\t{row[f'{far}_device']}:{row[f'{far}_port']}\t" in text


def test_markup_in_a_configuration_is_shown_as_text(pages):
    cluster = example_cluster("leaf-spine")
    markup = "<img src=x onerror=\"document.title='run'\"></script>"
    beside = PageExtras(configs=[("configs/compute-leaf-p1-su01-r1-01/frr.conf", markup.encode())])
    shown = pages.of(cluster, "at=compute-leaf-p1-su01-r1-01", make_page(cluster, beside))
    shown.locator("#inspector summary").click()
    shown.wait_for_function("() => document.querySelector('#inspector pre').textContent.length > 0")
    assert shown.locator("#inspector pre").text_content() == markup
    assert shown.locator("img").count() == 0
    assert shown.title() == "leaf-spine"


def _listed(shown, heading):
    """The first cells of a list of the inspector, those that are not shown yet too."""
    return shown.evaluate(CELLS, heading)


CELLS = """async (heading) => {
  const part = FG.inspector.sheet.parts.find((one) => one.heading === heading), all = [];
  for (let i = 0; i < FG.rowCount(part); i += 1) all.push((await FG.rowAt(part, i))[0][0]);
  return all;
}"""


def test_what_is_in_a_rack_and_leaves_it(page):
    cluster = example_cluster("superpod-b200")
    shown = page(cluster, "rack=p1-su02-rk04")
    shown.wait_for_selector("#inspector[data-shown]")
    built = _built(cluster, "devices", "cables")
    inside = {row["device"] for row in built["devices"] if row["rack"] == "p1-su02-rk04"}
    assert set(_listed(shown, "Devices")) == inside
    touching = {row["cable"] for row in built["cables"] if {row["a_device"], row["b_device"]} & inside}
    assert set(_listed(shown, "Cables that leave")) == touching


def test_what_is_on_a_feed(page):
    cluster = example_cluster("superpod-b200", "floor.feeds=[A, B, C]")
    shown = page(cluster, "feed=A")
    shown.wait_for_selector("#inspector[data-shown]")
    on = {row["rack"] for row in _built(cluster, "racks")["racks"] if "A" in row["feeds"].split("+")}
    assert set(_listed(shown, "Racks on this feed")) == on


def test_what_lies_on_a_tray(page):
    cluster = example_cluster("superpod-b200")
    shown = page(cluster, "tray=h1 R01&way=hall")
    shown.wait_for_selector("#inspector[data-shown]")
    racks = {name for name, row in zip(cluster.plan.racks.names, cluster.plan.racks.row, strict=True) if row == 0}
    rows = _built(cluster, "cables")["cables"]
    along = {row["cable"] for row in rows if row["a_rack"] != row["b_rack"] and {row["a_rack"], row["b_rack"]} <= racks}
    assert along <= set(_listed(shown, "Cables on this tray"))
    assert along


def test_a_rack_is_told_as_racks_csv_has_it(page):
    cluster = example_cluster("superpod-b200")
    row = next(row for row in _built(cluster, "racks")["racks"] if row["rack"] == "p1-su01-net01")
    shown = page(cluster, "at=rack:p1-su01-net01")
    shown.wait_for_selector("#inspector[data-shown]")
    told = _pairs(shown)
    assert [told[name] for name in ("hall", "row", "column")] == [
        row["place"].rsplit(".", 2)[0],
        row["row"],
        row["column"],
    ]
    assert told["units used"] == f"{row['units_used']} of {row['units']}"
    assert (row["unpowered"], row["unpowered_optics"]) == ("0", "0")
    assert told["power, W"] == row["drawn_w"]
    assert told["power of devices"] == "maximum-with-optics + typical" == row["power_basis"].replace("+", " + ")
    assert told["weight, kg"].split(",")[0] == row["weight_kg"]


def test_labels_of_a_patched_cable_are_those_of_its_jumpers(page):
    """What hangs on its plugs names the panel, and not the device at the far end of the trunk."""
    cluster = example_cluster("patched-hall")
    row = next(row for row in _built(cluster, "cables")["cables"] if row["b_device"] == "compute-spine-01")
    files = built_files(cluster, "labels")
    rows = csv.DictReader(io.StringIO(files["labels.csv"].decode()))
    printed = {
        (line["line1"].rpartition(":")[0], line["line2"].rpartition(":")[0])
        for line in rows
        if line["cable"] == row["cable"]
    }
    shown = page(cluster, f"at=cable:{row['cable']}")
    shown.wait_for_selector("#inspector .label")
    texts = shown.locator("#inspector .label").all_inner_texts()
    ends = [[end.rpartition(":")[0] for end in text.split(" > ")] for text in texts]
    assert {(near, far) for near, far in ends} == printed
    assert len(printed) == 4


def test_a_name_is_broken_where_its_lines_are_shortest(page):
    shown = page("leaf-spine")
    words = ["net-", "compute-", "spine-", "pl1-", "01"]
    lines = shown.evaluate("(words) => [1, 2, 3, 6].map((number) => FG.inLines(words, number))", words)
    assert lines == [
        ["net-compute-spine-pl1-01"],
        ["net-compute-", "spine-pl1-01"],
        ["net-", "compute-", "spine-pl1-01"],
        None,
    ]
