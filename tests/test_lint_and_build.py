"""Lint and build agree: what a build refuses is refused by lint, with the same codes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.test_errors import CASES, OF_CONFIGURATIONS

BLUEPRINT = (Path(__file__).parents[1] / "blueprints" / "leaf-spine.yaml").resolve()

REFUSED = {
    "value in place of a table": "snippets: {own: {nos: sonic, tree: {PORT: up}}}",
    "table in place of a value": "snippets: {own: {nos: sonic, tree: {PORT: {Ethernet0: {mtu: {a: 1}}}}}}",
    "value out of range": "snippets: {own: {nos: sonic, tree: {PORT: {Ethernet0: {mtu: ten}}}}}",
    "table that SONiC lacks a field of": "snippets: {own: {nos: sonic, tree: {VLAN: {Vlan1: {vlanid: 99999}}}}}",
    "of one tier": "fabrics: {compute: {tiers: {leaf: {snippets: {own: {nos: sonic, tree: {PORT: up}}}}}}}",
    "of one switch": "config_of: {compute-leaf-p1-su02-r1-01: {snippets: {own: {nos: sonic, tree: {PORT: up}}}}}",
    "place that a switch has not": "routing: {underlay: static}\n"
    "snippets: {own: {nos: sonic, at: bgp, text: 'no auto-summary'}}",
    "scalar of a Cumulus tree": "nos: cumulus\nsnippets: {own: {nos: cumulus, tree: {interface: up}}}",
}


def agreed(fabricgen, blueprint: Path, out: Path) -> tuple[int, set[str]]:
    linted, built = fabricgen("lint", blueprint), fabricgen("build", blueprint, "-o", out)
    codes = [set(re.findall(r"error\[(FG0\d\d)\]", ran.out + ran.err)) for ran in (linted, built)]
    assert codes[0] == codes[1], linted.out + built.err
    # lists can be written where configurations cannot: lint then has an error among others
    refused = {1, 2} if blueprint.stem in OF_CONFIGURATIONS else {2}
    assert (linted.code in refused) == (built.code == 2), (linted.code, built.code, linted.out, built.err)
    return built.code, codes[0]


@pytest.mark.tenth
@pytest.mark.parametrize("case", CASES, ids=lambda p: p.stem)
def test_what_build_refuses_lint_refuses(case: Path, fabricgen, tmp_path: Path) -> None:
    assert agreed(fabricgen, case, tmp_path / "out")[0] == 2


@pytest.mark.tenth
@pytest.mark.parametrize("over", REFUSED.values(), ids=REFUSED)
def test_a_snippet_that_build_refuses_lint_refuses(over: str, fabricgen, tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(BLUEPRINT.read_text(encoding="utf-8"), encoding="utf-8")
    blueprint = tmp_path / "over.yaml"
    blueprint.write_text(f"include: base.yaml\n{over}\n", encoding="utf-8")
    assert agreed(fabricgen, blueprint, tmp_path / "out") == (2, {"FG052"})
