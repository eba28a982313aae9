"""Nodes of several kinds in one cluster."""

from __future__ import annotations

from fabricgen.design.attach import list_unattached
from fabricgen.design.capacity.counts import count_links
from fabricgen.lint.engine import lint
from tests.conftest import example_design

PORTS = {"dgx-h100": (8, 400), "dgx-b300-xdr": (8, 800)}
"""Ports for GPUs and their speed: NVIDIA, DGX H100 and DGX B300 user guides, network connections
(docs.nvidia.com/dgx/dgxh100-user-guide, docs.nvidia.com/dgx/dgxb300-user-guide).
"""


def test_node_sets_of_two_generations_have_a_fabric_each() -> None:
    """Sets whose ports have one role attach to the fabrics that they do not skip."""
    design = example_design("two-generations")
    for name, model in (("ndr", "dgx-h100"), ("xdr", "dgx-b300-xdr")):
        fabric = design.fabric(name)
        ports, speed = PORTS[model]
        assert [(a.profile.id, len(a.legs), a.speed_gbps) for _, a in fabric.attachments] == [(model, ports, speed)]
        assert [(c.key, c.links) for c in count_links(design, fabric)] == [("node-leaf", 16 * ports)]
    for name in ("storage", "inband", "oob"):
        assert {a.profile.id for _, a in design.fabric(name).attachments} == set(PORTS)


def test_what_nodes_skip_is_told_apart_from_what_nobody_attaches() -> None:
    design = example_design("two-generations", "scalable_unit.nodes.h100={nodes: 8 x dgx-h100, skip: [xdr, storage]}")
    (found,) = list_unattached(design)
    assert (found.profile.id, found.missing, found.skipped) == ("dgx-h100", ("storage",), {"storage"})


def test_sets_of_one_profile_may_have_fabrics_of_their_own() -> None:
    """The rule on ports that are cabled twice tells sets apart, not profiles."""
    alike = "scalable_unit.nodes={a: {nodes: 8 x dgx-h100, skip: xdr}, b: {nodes: 8 x dgx-h100, skip: ndr}}"
    sets = (alike, "fabrics.xdr.tiers.leaf.switch=qm9700", "scale_up={}")
    assert "FG306" not in {d.code for d in lint(example_design("two-generations", *sets)).findings}
    both = (alike.replace(", skip: ndr", ", skip: oob"), *sets[1:])
    assert "FG306" in {d.code for d in lint(example_design("two-generations", *both)).findings}
