"""Names that are put together of two parts stay apart: fabric a-b with tier c, and fabric a with tier b-c."""

from __future__ import annotations

import json
import re
from pathlib import Path

from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import build_cluster
from fabricgen.design.build import build_design
from tests.conftest import built_files

BLUEPRINT = """
fabricgen: 1
name: joined
scalable_unit: {nodes: 2 x dgx-h100}
pods: {p1: {su: 1}}
fabrics:
  a-b: {protocol: ethernet, attach: inband, tiers: {c: {switch: sn4700, per: su}}}
  a: {protocol: ethernet, attach: storage, tiers: {b-c: {switch: sn4700, per: su}}}
names: {switches: "{fabric}-x-{tier}-{default}"}
nos: sonic
"""


def test_joined_names_stay_apart(tmp_path: Path) -> None:
    """Prometheus refuses two groups of one name, NetBox two roles of one slug, and Ansible would join the tiers."""
    (tmp_path / "joined.yaml").write_text(BLUEPRINT)
    cluster = build_cluster(build_design(load_blueprint(str(tmp_path / "joined.yaml"))))
    files = {
        path: content.decode() for path, content in built_files(cluster, "netbox", "prometheus", "ansible").items()
    }
    rules = files["prometheus/plan.rules.yaml"]
    groups = re.findall(r'^  - name: "(a-.*)"$', rules, re.MULTILINE)
    told = json.loads(files["prometheus/switches.json"])
    assert sorted(groups) == sorted(each["labels"]["profile"] for each in told) == ["a-b-c-1", "a-b-c-2"]
    roles = [line.split(",")[:2] for line in files["netbox/07-device-roles.csv"].splitlines()[1:]]
    assert {tuple(role) for role in roles if role[0] != "node"} == {("a b-c", "a-b-c"), ("a-b c", "a-b-c-2")}
    assert re.findall(r"^    (tier_\w+):$", files["ansible/inventory.yaml"], re.MULTILINE) == [
        "tier_a_b_c",
        "tier_a_b_c_2",
    ]
