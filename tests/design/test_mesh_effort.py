"""A dragonfly of 10,000 nodes is sized, counted and judged in its symmetric form: no more work than a small one."""

from __future__ import annotations

from fabricgen.design.model import Design
from fabricgen.design.summary import summarize_design
from fabricgen.lint.engine import lint
from fabricgen.pipeline import compile_design
from tests.effort import calls

PAGE = """
fabricgen: 1
name: dragonfly
scalable_unit: {nodes: 64 x dgx-h100, racks: {nodes_per_rack: 4}}
pods: {p1: {su: GROUPS}}
fabrics:
  compute:
    protocol: infiniband
    tiers:
      router: {switch: qm9700, per: su, mesh: {router: 1, su: {spread: true}}}
"""


def compile_groups(groups: int) -> Design:
    page = PAGE.replace("GROUPS", str(groups))
    return compile_design("b.yaml", unsaved={"b.yaml": page.encode()}, advise=False)


def test_10_000_nodes_are_shown_and_judged_in_few_calls() -> None:
    """`show` may take 0.7 s, most of which is importing: a core makes some four million calls a second."""
    compile_groups(9)  # reads the catalogue
    shown = calls(lambda: summarize_design(compile_groups(157)))
    few = calls(lambda: summarize_design(compile_groups(9)))
    assert few < shown < min(2 * few + 20_000, 100_000)
    design = compile_groups(157)
    figures = summarize_design(design)
    assert (figures["nodes"], figures["fabrics"]["compute"]["switches"]) == (10_048, {"router": 157 * 32})
    lint(design)  # loads the rules
    assert calls(lambda: lint(design)) < 600_000
