"""Overlays: what is coloured is what the lists say, with a legend, and a change is what `plan` says."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fabricgen.export.view.page import make_page
from fabricgen.export.view.source import PageExtras
from fabricgen.lint.engine import lint
from tests.conftest import built_files, example_cluster

SMALL = "blueprints/leaf-spine.yaml"


def legend_of(page: Any) -> list[tuple[str, str]]:
    """Marks and texts of the legend, of the overlay that the fragment asks for."""
    page.wait_for_selector("html[data-overlay]:not([data-overlay=''])")
    page.wait_for_selector("#legend > ul li")
    items = page.locator("#legend > ul li").evaluate_all(
        "all => all.map(one => [...one.childNodes].map(n => n.textContent))"
    )
    return [tuple(item) for item in items]


def coloured(page: Any, kind: str, rows: int) -> Counter[str]:
    """How many things of a kind have which text of the legend."""
    texts = page.evaluate(
        "([kind, rows]) => Array.from({length: rows}, (_, i) => FG.overlay.of(kind, i)?.text ?? '')", [kind, rows]
    )
    return Counter(texts)


@pytest.mark.parametrize(
    ("overlay", "rest"),
    [
        ("medium", "no cable, or several media"),
        ("length", "no cable"),
        ("speed", "not stated"),
        ("power", "not stated"),
        ("oversubscription", "no figure: nodes, tops of fabrics"),
        ("rail", "no rail, or several"),
    ],
)
def test_every_overlay_has_a_legend_with_a_mark_for_each_colour(page, overlay, rest):
    legend = legend_of(page("superpod-b200", f"overlay={overlay}"))
    marks = [mark for mark, _ in legend]
    assert legend
    assert len(set(marks)) == len(marks)
    assert all(marks[:-1])
    assert legend[-1] == ("\u00a0", rest)
    assert "none" not in {text for _, text in legend}


def test_links_are_coloured_by_the_rails_of_the_list(page):
    links = example_cluster("superpod-b200").plan.links
    shown = page("superpod-b200", "overlay=rail")
    legend_of(shown)
    found = coloured(shown, "link", len(links))
    said = Counter(f"rail {rail}" if rail > 0 else "no rail, or several" for rail in links.rail.tolist())
    assert found == said


def test_a_rack_without_a_figure_is_grey_rather_than_of_its_fabric(page):
    shown = page("tpu-torus", "way=hall&overlay=rackpower")
    legend_of(shown)
    racks = len(example_cluster("tpu-torus").plan.racks)
    assert coloured(shown, "rack", racks)["not stated"]
    assert not coloured(shown, "rack", racks)[""]


COLOURS = "all => all.map(one => getComputedStyle(one).backgroundColor)"


@pytest.mark.parametrize("way", ["fabric", "hall"])
@pytest.mark.parametrize("overlay", ["", "rail", "length", "power", "rackpower", "oversubscription"])
def test_the_key_has_the_colours_that_are_painted_and_no_others(page, way, overlay):
    """Fabrics were explained in the hall while racks had the colours of their power."""
    shown = page("superpod-b200", f"way={way}&overlay={overlay}")
    if overlay:
        legend_of(shown)
    shown.wait_for_function("(way) => document.documentElement.dataset.way === way", arg=way)
    fills = shown.evaluate(
        """() => new Promise((done) => {
          const seen = new Set(), c = CanvasRenderingContext2D.prototype, own = { fill: c.fill, fillRect: c.fillRect };
          const note = (how) => function (...given) {
            const [, r, g, b] = /^#(..)(..)(..)$/.exec(this.fillStyle) ?? [];
            if (r) seen.add(`rgb(${[r, g, b].map((one) => parseInt(one, 16)).join(", ")})`);
            return own[how].apply(this, given);
          };
          Object.assign(c, { fill: note("fill"), fillRect: note("fillRect") });
          FG.repaint();
          requestAnimationFrame(() => { Object.assign(c, own); done([...seen]); });
        })"""
    )
    inks = shown.locator("#legend .swatch").evaluate_all(COLOURS)
    fabrics = shown.evaluate("() => FG.block('head').fabrics.map((one) => one.fill)")
    names = {f"rgb({int(one[1:3], 16)}, {int(one[3:5], 16)}, {int(one[5:7], 16)})" for one in fabrics}
    nvlink = f"rgb({int(fabrics[-1][1:3], 16)}, {int(fabrics[-1][3:5], 16)}, {int(fabrics[-1][5:7], 16)})"
    painted = (names & set(fills)) - {nvlink}
    assert painted <= set(inks)
    if not painted and overlay not in ("rail",):  # rails have the colours of fabrics
        assert not names & set(inks), "what is not painted is not explained"
    title = shown.locator("#legend h2").inner_text()
    option = shown.locator("#overlay option:checked").inner_text() if overlay else "its fabric"
    assert title == f"Colours: {'what racks hold' if way == 'hall' and not overlay else option}"


def test_the_key_says_what_keeps_the_colours_of_fabrics(page):
    shown = page("superpod-b200", "overlay=power")
    legend_of(shown)
    assert "Ribbons have the colours of fabrics:" in shown.locator("#kept").inner_text()
    assert "kW a rack" not in shown.locator("#legend").inner_text(), "that is of the hall"
    shown.evaluate("FG.set({ overlay: 'length' })")
    shown.wait_for_selector("#kept >> text=Devices have the colours of fabrics:")
    shown.evaluate("FG.set({ overlay: 'rail' })")
    shown.wait_for_selector("#kept", state="detached")
    shown.evaluate("FG.set({ overlay: 'power', way: 'hall' })")
    shown.wait_for_selector("#legend >> text=kW a rack")
    assert not shown.locator("#kept").count()


def test_counts_of_ribbons_do_not_follow_a_choice_and_that_is_said(page):
    shown = page("superpod-b200")
    assert not shown.locator("#whole").is_visible()
    shown.evaluate("FG.set({ rail: 2 })")
    shown.wait_for_selector("#whole")


def test_findings_are_listed_with_their_lines_and_mark_their_tier(pages):
    cluster = example_cluster("superpod-b200")
    findings = lint(cluster.design, cluster).findings
    shown = pages.of(cluster, "overlay=findings", make_page(cluster, PageExtras(findings=findings)))
    legend_of(shown)
    told = shown.locator("#legend .finding").all_inner_texts()
    assert [text.partition("\n")[0] for text in told] == [f"{d.severity.label} {d.code}: {d.message}" for d in findings]
    assert Path(findings[0].span.file).name + f":{findings[0].span.line}:{findings[0].span.column}" in told[0]
    leaf = cluster.names.index("compute-leaf-p1-su01-r1-01")
    assert shown.evaluate("row => FG.overlay.of('device', row).mark", leaf) == "I"


def test_phases_are_those_of_the_blueprint(page):
    cluster = example_cluster("phased-planes")
    shown = page("phased-planes", "overlay=phase")
    texts = [text for _, text in legend_of(shown)]
    phases = list(cluster.design.loaded.blueprint.phases)
    assert texts == [*phases, "in the end", "a group of several", "none"]
    found = coloured(shown, "device", len(cluster.plan.devices))
    at_first = len(example_at("phased-planes", phases[0]))
    assert found[phases[0]] == at_first


def example_at(name: str, phase: str) -> tuple[str, ...]:
    """Names of the devices of an example at a phase."""
    from fabricgen.pipeline import compile_cluster

    return compile_cluster(example_cluster(name).design, phase).names


@pytest.mark.parametrize("sets", ["pods.p1.su=1", "fabrics.compute.tiers.spine.racks=2", ""])
def test_a_change_is_what_plan_says(fabricgen, pages, tmp_path, sets):
    """With settings against the example; without, the example against a build of a smaller one."""
    file, old = tmp_path / "cluster.html", SMALL if sets else str(tmp_path / "old")
    changed = ["--set", sets] if sets else []
    if not sets:
        lists = "devices,links,cables,addresses,bom"
        assert fabricgen("build", SMALL, "--set", "pods.p1.su=1", "-o", old, "--only", lists).code == 0
    assert fabricgen("view", SMALL, *changed, "--against", old, "-o", file).code == 0
    counts = json.loads(fabricgen("plan", old, SMALL, *changed, "--format", "json").out)["counts"]
    totals = fabricgen("plan", old, SMALL, *changed).out.splitlines()[1:7]
    shown = pages.at(file.as_uri())
    legend_of(shown)
    told = [line.partition(": ") for line in shown.locator("#legend .total").all_inner_texts()]
    assert [[kind, words] for kind, _, words in told] == [
        re.split(" {2,}", line.strip(), maxsplit=1) for line in totals
    ]
    assert shown.evaluate("() => FG.block('changes').counts") == counts
    found = coloured(shown, "device", shown.evaluate("() => FG.table('devices').rows"))
    assert (found["added"], found["moved"]) == (counts["devices"]["added"], counts["devices"]["moved"])
    links = coloured(shown, "link", shown.evaluate("() => FG.table('links').rows"))
    assert links["added"] == counts["links"]["added"]
    assert len(shown.evaluate("() => FG.block('changes').gone")) == counts["devices"]["removed"]


def test_ribbons_are_coloured_by_what_all_their_links_are(page):
    cluster = example_cluster("superpod-b200")
    shown = page("superpod-b200", "overlay=length")
    legend_of(shown)
    longest = max(cluster.plan.cables.length_m.tolist())
    table = "new FG.Table(FG.block('overlays').bundles)"
    rows = "Array.from({length: t.rows}, (_, i) => [c.at(i), FG.overlay.ribbon(i).text])"
    lengths = shown.evaluate(f"async () => {{ const t = {table}, c = await t.column('length_m'); return {rows}; }}")
    assert max(length for length, _ in lengths) == longest
    assert {text for length, text in lengths if length == longest} == {f"{longest:g} m"}


def test_a_rack_has_the_power_of_what_stands_in_it_with_optics(page):
    files = built_files(example_cluster("superpod-b300"), "racks")
    racks = list(csv.DictReader(io.StringIO(files["racks.csv"].decode())))
    shown = page("superpod-b300", "way=hall&overlay=power")
    legend_of(shown)
    hottest = max(range(len(racks)), key=lambda i: float(racks[i]["drawn_w"]))
    assert float(racks[hottest]["optics_w"]) > 0
    text = shown.evaluate("rack => FG.overlay.of('rack', rack).text", hottest)
    assert f"{round(float(racks[hottest]['drawn_w']) / 1000, 1):g} kW a rack" in text
