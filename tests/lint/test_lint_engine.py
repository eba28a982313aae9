"""Where findings are shown, in which order, and what was once judged wrongly."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import build_cluster
from fabricgen.design.build import build_design
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity, Span
from fabricgen.lint.engine import lint
from fabricgen.lint.examples import BASE
from fabricgen.lint.report import FileReport, write_report


@pytest.fixture
def over_base(tmp_path: Path) -> Callable[[str], Design]:
    """Design a blueprint laid over the small valid one."""
    (tmp_path / "base.yaml").write_text(BASE, encoding="utf-8")

    def make(text: str) -> Design:
        file = tmp_path / "example.yaml"
        file.write_text("include: base.yaml\n" + text, encoding="utf-8")
        return build_design(load_blueprint(str(file)))

    return make


def codes(design: Design) -> list[str]:
    return [d.code for d in lint(design).findings]


def test_a_mapping_is_shown_at_its_key(over_base) -> None:
    text = """scalable_unit: {nodes: 64 x dgx-b200}
pods: {p1: {su: 1}}
fabrics:
  compute:
    tiers:
      leaf:
        switch: sn5600
        per: [su, rail]
"""
    (found,) = (d for d in lint(over_base(text)).findings if d.code == "FG105")
    assert (found.span.line, found.span.column) == (7, 7)


def test_findings_are_in_the_order_of_the_text(over_base) -> None:
    found = lint(
        over_base("nos: {leef: sonic}\nfabrics: {compute: {tiers: {spine: {switch: sn5600, count: 1}}}}")
    ).findings
    assert [d.span for d in found] == sorted(d.span for d in found)
    assert [d.code for d in found] == ["FG803", "FG304"]


@pytest.mark.parametrize(("allowed", "hint"), [("4:3", "set `uplinks: 24 x 400G`"), ("1:1000", "no number of 400G")])
def test_the_hint_of_fg201_has_the_ports(over_base, allowed: str, hint: str) -> None:
    design = over_base(f"""scalable_unit: {{nodes: 32 x dgx-b200}}
fabrics: {{compute: {{oversubscription: "{allowed}", tiers: {{
  leaf: {{switch: sn5600, per: [su, rail], uplinks: 4 x 400G}}}}}}}}
""")
    (found,) = (d for d in lint(design).findings if d.code == "FG201")
    assert found.hint.startswith(hint)


def test_a_stated_pool_may_not_overlap_a_default_one(over_base) -> None:
    design = over_base("pools: {loopback: 10.64.0.0/16}")
    addresses = build_cluster(design).addresses
    taken = np.concatenate([addresses.loopback, addresses.a_ip, addresses.b_ip])
    assert len(np.unique(taken[taken > 0])) == (taken > 0).sum(), "an address is given once all the same"
    assert codes(design) == ["FG503"]


def test_a_default_pool_that_nothing_draws_on_overlaps_nothing(over_base) -> None:
    assert codes(over_base("pools: {loopback: 10.64.0.0/16}\nrouting: {underlay: ebgp-unnumbered}")) == []


def test_names_under_nos_are_checked_in_fabrics_too(over_base) -> None:
    assert codes(over_base("fabrics: {compute: {nos: {leef: sonic}}}")) == ["FG803"]


def test_settings_of_bgp_where_none_runs(over_base) -> None:
    assert codes(over_base("routing: {underlay: static, bfd: true}")) == ["FG753", "FG803"]
    assert codes(over_base("fabrics: {compute: {routing: {underlay: none, asn: {plan: rfc7938}}}}")) == ["FG803"]
    assert codes(over_base("routing: {underlay: static}")) == ["FG753"]


def test_dscps_may_not_clash_in_lossless_ethernet_either(over_base) -> None:
    own = "qos: {profile: roce-lossless, roce_dscp: 48}"
    assert codes(over_base(f"fabrics: {{compute: {{protocol: ethernet, {own}}}}}")) == ["FG702"]


def test_an_excerpt_never_waits_for_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.yaml"
    os.mkfifo(pipe)
    finding = Diagnostic("FG105", Severity.INFO, "full", span=Span(str(pipe), 1, 1))
    writing = threading.Thread(target=write_report, args=("text", [FileReport("x", (finding,))]), daemon=True)
    writing.start()
    writing.join(timeout=300)
    assert not writing.is_alive()


def test_an_excerpt_is_read_anew(tmp_path: Path) -> None:
    file = tmp_path / "blueprint.yaml"
    finding = Diagnostic("FG105", Severity.INFO, "full", span=Span(str(file), 1, 1))
    for text in ("name: first", "name: second"):
        file.write_text(text, encoding="utf-8")
        assert text in write_report("text", [FileReport(str(file), (finding,))])
