"""While nothing is chosen the panel says what the cluster is in all, with the figures of the lists."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter

import pytest

from fabricgen.lint.engine import lint
from tests.conftest import built_files, example_cluster

EXAMPLES = ("leaf-spine", "superpod-b200", "full-cluster", "nvl72-gb200", "collapsed-pair", "tpu-torus")


def _rows(files, name):
    return list(csv.DictReader(io.StringIO(files[name].decode())))


def _pairs(shown, heading):
    section = shown.locator("#inspector section", has=shown.locator("h3", has_text=heading))
    section.wait_for()
    return dict(text.split("\t") for text in section.locator("tr").all_inner_texts())


@pytest.mark.parametrize("name", EXAMPLES)
def test_totals_are_those_of_the_lists(page, name):
    cluster = example_cluster(name)
    files = built_files(cluster, "summary", "cables", "racks", "bom", "devices")
    summary, kinds = json.loads(files["summary.json"]), Counter()
    for row in _rows(files, "bom.csv"):
        kinds[row["kind"]] += int(row["quantity"])
    shown = page(name)
    told = _pairs(shown, "In all")
    assert told.get("accelerators", "0") == f"{summary['accelerators']:,}"
    switches = {fabric: figures["switches"] for fabric, figures in summary["fabrics"].items()}
    assert told["switches"] == f"{sum(sum(tiers.values()) for tiers in switches.values()):,}"
    assert told["cables"] == f"{len({row['cable'] for row in _rows(files, 'cables.csv')}):,}"
    assert told["transceivers"] == f"{kinds['transceiver']:,}"
    racks = _rows(files, "racks.csv")
    assert told["racks"] == f"{len(racks):,}"
    assert told["power, kW"].startswith(f"{sum(float(row['drawn_w']) for row in racks) / 1000:,.0f} with optics")
    bare = sum(int(row["unpowered"]) for row in racks)
    assert (f"without {bare:,} device" in told["power, kW"]) == bool(bare)
    fabrics = _pairs(shown, "Switches and oversubscription")
    assert [*fabrics] == [*summary["fabrics"]]
    for fabric, figures in summary["fabrics"].items():
        for tier, count in figures["switches"].items():
            assert not count or f"{count:,} {tier} (" in fabrics[fabric]
        for tier, ratio in figures["oversubscription"].items():
            (said,) = re.findall(rf"\b{tier} ([\d.]+):1", fabrics[fabric])
            assert float(said) == pytest.approx(ratio, abs=0.0051)


def test_findings_and_the_price_are_told_where_they_are_known(pages, fabricgen, tmp_path):
    blueprint, file, prices = "blueprints/leaf-spine.yaml", tmp_path / "cluster.html", tmp_path / "prices.csv"
    prices.write_text("part,unit_price,currency\nsn4700,30000,EUR\n", encoding="utf-8")
    assert fabricgen("view", blueprint, "--prices", prices, "-o", file).code == 0
    bill = list(csv.DictReader(io.StringIO(fabricgen("bom", blueprint, "--prices", prices).out)))
    unpriced = sum(int(row["quantity"]) + int(row["spares"]) for row in bill if not row["unit_price"])
    shown = pages.at(file.as_uri())
    told = _pairs(shown, "In all")
    assert told["price"] == f"240,000 EUR, without {unpriced:,} pieces that the price file does not have"
    cluster = example_cluster("leaf-spine")
    count = Counter(finding.severity.label for finding in lint(cluster.design, cluster).findings)
    assert told["lint"] == f"{count['error']} errors, {count['warning']} warnings, {count['info']} infos"
    shown.get_by_role("button", name="What lint finds").click()
    shown.wait_for_selector("#legend .finding")
    assert "price" not in _pairs(pages.of("leaf-spine"), "In all")


def test_prices_are_of_a_page(fabricgen, tmp_path):
    (tmp_path / "prices.csv").write_text("part,unit_price\n", encoding="utf-8")
    refused = fabricgen("view", "blueprints/leaf-spine.yaml", "--prices", tmp_path / "prices.csv", "-o", "x.svg")
    assert (refused.code, "--prices are shown by a page" in refused.err) == (2, True)


def test_totals_go_for_what_is_chosen_and_come_back(page):
    shown = page("leaf-spine")
    _pairs(shown, "In all")
    assert shown.locator("#inspector").get_attribute("data-shown") == ""
    shown.evaluate("() => FG.choose({ kind: 'device', id: 0 })")
    shown.wait_for_selector("#inspector[data-shown^='device']")
    assert not shown.locator("h3", has_text="In all").count()
    shown.evaluate("() => FG.set({ chosen: null })")
    _pairs(shown, "In all")


def test_devices_draw_with_their_optics_what_their_racks_do(page):
    files = built_files(example_cluster("superpod-b300"), "devices", "racks")
    devices, sums = _rows(files, "devices.csv"), Counter()
    shown = page("superpod-b300", f"at={devices[0]['device']}&overlay=power")
    watts = shown.evaluate("async () => [...await FG.drawnWatts()]")
    for row, drawn in zip(devices, watts, strict=True):
        sums[row["rack"]] += drawn
    for rack in _rows(files, "racks.csv"):
        assert sums[rack["rack"]] == pytest.approx(float(rack["drawn_w"]), abs=int(rack["devices"]))
        assert float(rack["optics_w"]) > 0
    assert _pairs(shown, "Power") == {"with optics, W": f"{watts[0]:,}"}
    shown.wait_for_selector("#legend li")
    entry = shown.evaluate("() => FG.overlay.of('device', FG.state.chosen.id).text")
    low, _, high = entry.removesuffix(" W").replace(",", "").partition(" to ")
    assert float(low) <= watts[0] <= float(high or low)
