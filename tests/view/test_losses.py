"""What if this fails: figures are those of lint, and who is cut off is counted on the wiring."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from fabricgen.lint.engine import lint
from fabricgen.pipeline import compile_cluster
from fabricgen.wiring.tables import NODE
from tests.conftest import example_cluster
from tests.view.waiting import losses_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

LIMITS = tuple(f"lint.limits.after_loss.{kind}=100%" for kind in ("switch", "plane", "rack", "row"))
ONE_CORD = ("floor.feeds=[A,B]", "floor.cords=1")


def said_by_lint(name: str, *sets: str) -> dict[str, list[str]]:
    """What lint says of every loss that leaves less than all, by what is lost."""
    cluster = example_cluster(name, *sets)
    found = defaultdict(list)
    for finding in lint(cluster.design, cluster).findings:
        if match := re.match(r"(.* after the loss of (.*?)(?: \(.*\))?), `after_loss", finding.message):
            found[match[2]].append(match[1])
    return found


def left_after(page: Page, item: str) -> list[str]:
    """What the page says is left after a loss."""
    lose = "async item => { FG.set({ lost: [item] }); await FG.losses.show(); }"
    page.evaluate(lose, item)
    return losses_of(page, "left")


@pytest.mark.parametrize("name", ["superpod-b200", "superpod-b300"])
def test_what_is_left_is_what_lint_says(page, name):
    cluster, said, shown = example_cluster(name), said_by_lint(name, *LIMITS), page(name)
    tiers = {f"one {t}": next(n for n in cluster.names if f"compute-{t}" in n) for t in ("leaf", "spine")}
    assert tiers.keys() <= said.keys()
    for after, lines in said.items():
        if after in tiers:
            (left,) = left_after(shown, tiers[after])
            assert left in lines
        else:
            kind = "plane" if after == "one plane" else "row" if "row " in after else "rack"
            assert set(lines) <= set(left_after(shown, f"{kind}:{'compute:1' if kind == 'plane' else after}"))


def test_a_feed_takes_the_racks_that_have_no_other(pages):
    ((feed, lines),) = said_by_lint("superpod-b200", *ONE_CORD, "lint.limits.after_loss.feed=100%").items()
    page = pages.of(example_cluster("superpod-b200", *ONE_CORD), f"lost=feed:{quote(feed)}")
    assert lines[0].partition("; ")[0] in losses_of(page, "left")


def test_who_is_cut_off_is_counted_on_links(page):
    cluster = example_cluster("superpod-b200")
    plan, kinds = cluster.plan, cluster.plan.devices
    lost = {i for i, name in enumerate(cluster.names) if name.startswith("inband-leaf-p1-su01")}
    reached = defaultdict(set)
    for number, segment in enumerate(plan.links.segments):
        rows = plan.links.find_rows(number)
        if (segment.fabric, segment.lower) == ("inband", "node"):
            for a, b in zip(plan.links.a_device[rows].tolist(), plan.links.b_device[rows].tolist(), strict=True):
                reached[a].add(b)
    cut = [node for node, switches in reached.items() if switches <= lost]
    gpus = sum(8 for node in cut if kinds.classes[kinds.device_class[node]].kind == NODE)
    shown = page("superpod-b200", "lost=" + ",".join(cluster.names[i] for i in lost))
    (line,) = [text for text in losses_of(shown, "cut") if text.startswith("Cut off")]
    assert line == f"Cut off from inband: {len(cut)} nodes, {gpus} accelerators."


@pytest.mark.parametrize(
    ("name", "item", "fabrics", "cut"),
    [
        ("superpod-b200", "row:row 1", ("compute", "storage"), "Cut off from storage"),
        ("nvl72-gb200", "p1-su01-rk01-nvlink-01", ("1 tray",), ""),
        ("tpu-torus", "p1-ici-01", ("ici",), ""),
        ("colossus-200k", "plane:compute:1", ("compute",), "Cut off from compute"),
        ("superpod-b200", "p1-su01-n001", ("no switch is lost",), ""),
    ],
)
def test_a_loss_without_a_figure_is_not_called_harmless(page, name, item, fabrics, cut):
    shown = page(name, f"lost={quote(item)}")
    unsaid = losses_of(shown, "unsaid")
    assert not losses_of(shown, "left")
    assert "the design has no figure for this loss" in unsaid[0]
    assert all(fabric in " ".join(unsaid) for fabric in fabrics)
    assert not cut or any(line.startswith(cut) for line in losses_of(shown, "cut"))


def test_a_device_is_taken_away_and_given_back_by_hand(page):
    leaf = "compute-leaf-p1-su01-r1-01"
    shown = page("superpod-b200", f"at={leaf}")
    shown.locator("#losses summary").click()
    shown.locator("#losses .offer button", has_text=leaf).click()
    shown.wait_for_selector("#losses .left")
    assert any("Without a link on rail 1 of compute: 32 nodes" in line for line in losses_of(shown, "cut"))
    shown.wait_for_function(f"() => location.hash.includes('lost={leaf}')")
    shown.locator("#losses .lost button").click()
    shown.wait_for_selector("#losses .left", state="detached")


def test_several_losses_are_each_said_alone(page):
    cluster = example_cluster("superpod-b200")
    spines = [n for n in cluster.names if n.startswith("compute-spine")]
    shown = page("superpod-b200", "lost=" + ",".join(spines))
    assert len(losses_of(shown, "left")) == len(spines)
    assert any(line.startswith("Each alone") for line in losses_of(shown, "note"))
    assert any("No link upward: 32 compute leaf switches" in line for line in losses_of(shown, "cut"))


def test_no_bandwidth_is_computed_in_the_page():
    script = Path("fabricgen/export/view/page/overlays/losses.js").read_text(encoding="utf-8")
    assert "gbps" not in script


def test_at_a_phase_the_page_says_that_figures_are_of_the_whole_design(page):
    design = example_cluster("phased-planes").design
    phase, *_ = design.loaded.blueprint.phases
    shown = page(compile_cluster(design, phase), "lost=compute-spine-pl1-01")
    assert f"What is left is of the whole design, not of {phase} alone" in losses_of(shown, "note")[0]
