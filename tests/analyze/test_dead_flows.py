"""Flows that static routes lead where the way is lost, by a walk; BGP and NICs of several planes go round."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fabricgen.analyze.asked import Job, Question
from fabricgen.analyze.collectives.model import make_team
from fabricgen.analyze.loss_classes import LossClasses
from fabricgen.analyze.losses import Losses
from fabricgen.analyze.network import list_networks
from fabricgen.analyze.sections import failures
from fabricgen.cluster import build_cluster
from fabricgen.design.model import Design
from fabricgen.lint.rules.design.routing.fg753_static_hides_losses import StaticHidesLosses

TWO_TIERS = """
fabricgen: 1
name: two
scalable_unit: {nodes: 4 x dgx-h100}
pods: {p1: {su: 2}}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn5600, per: su}
      spine: {switch: sn5600, count: 4}
    routing: {underlay: static}
"""
THREE_TIERS = (
    TWO_TIERS.replace("p1: {su: 2}", "p1: {su: 1}, p2: {su: 1}")
    .replace(
        "spine: {switch: sn5600, count: 4}",
        "spine: {switch: sn5600, per: pod, count: 2}\n      core: {switch: sn5600, per: spine, count: 2}",
    )
    .replace("per: su}", "per: su, uplinks: 4 x 400G}")
)


def make_losses(design: Design) -> Losses:
    network = next(list_networks(build_cluster(design)))
    job = Job("all", np.arange(len(network.ranks), dtype=np.int64))
    return Losses(network, job, make_team(network, job, network.cluster.design.catalog.constants()).grid)


class Walk:
    """Static routes of a network, exact ones down and default ones up, and the links that are left of it."""

    def __init__(self, losses: Losses, gone: set[int], lost: set[int]) -> None:
        self.up, self.down = defaultdict[int, Counter[int]](Counter), defaultdict[int, Counter[int]](Counter)
        self._below = defaultdict[int, set[int]](set)
        links = losses.links
        for a, b, row in zip(links.a.tolist(), links.b.tolist(), links.row.tolist(), strict=True):
            self._below[b].add(a)
            if row not in lost and not {a, b} & gone:
                self.up[a][b] += 1
                self.down[b][a] += 1

    def leads_down(self, switch: int, leaf: int) -> bool:
        return switch == leaf or any(self.leads_down(below, leaf) for below in self._below[switch])

    def dead(self, switch: int, leaf: int) -> Fraction:
        """The share of the flows to a leaf that are lost from a switch on."""
        if switch == leaf:
            return Fraction(0)
        hops = self.up[switch]
        if self.leads_down(switch, leaf):
            hops = Counter({below: n for below, n in self.down[switch].items() if self.leads_down(below, leaf)})
        if not hops:
            return Fraction(1)
        return sum((n * self.dead(hop, leaf) for hop, n in hops.items()), Fraction(0)) / sum(hops.values())


@pytest.mark.slow
@pytest.mark.parametrize("text", [TWO_TIERS, THREE_TIERS], ids=["two tiers", "three tiers"])
def test_dead_flows_are_those_of_a_walk(design_of: Callable[..., Design], text: str) -> None:
    losses = make_losses(design_of(text))
    dead_shares = []
    for loss in LossClasses(losses).list_single():
        effect = losses.find_effect(loss.devices, loss.links)
        walk = Walk(losses, set(loss.devices.tolist()), set(loss.links.tolist()))
        leaves = [leaf for leaf in {*losses.network.leaf[losses.has].tolist()} if leaf not in loss.devices]
        worst = max((walk.dead(a, b) for a in leaves for b in leaves if walk.up[a]), default=Fraction(0))
        assert effect.dead_share == pytest.approx(float(worst)), loss
        assert (effect.dead_to > 0) == (worst > 0)
        dead_shares.append((loss.kind, effect.dead_share))
    assert ("bundle", 0.25) in dead_shares


def figure_failures(design: Design) -> dict[str, Any]:
    network = next(list_networks(build_cluster(design)))
    job = Job("all", np.arange(len(network.ranks), dtype=np.int64))
    return failures.figures(network, job, Question(network.cluster.design.catalog.constants()))


def test_a_bundle_of_four_spines_takes_a_quarter(design_of: Callable[..., Design]) -> None:
    results = figure_failures(design_of(TWO_TIERS))
    (bundle,) = (row for row in results["losses"] if row["kind"] == "bundle")
    assert (bundle["dead_flows"], bundle["dead_flows_to"], bundle["job_dead_flows_to"]) == (0.25, 32, 32)
    assert "25.00% of the flows of 32 accelerators are dead" in "\n".join(failures.lines(results))
    (finding,) = StaticHidesLosses().check(design_of(TWO_TIERS))
    assert "1/4 of the flows to it are lost" in finding.message


def test_bgp_goes_round(design_of: Callable[..., Design]) -> None:
    design = design_of(TWO_TIERS, ("fabrics.compute.routing.underlay=ebgp-numbered",))
    assert not list(StaticHidesLosses().check(design))
    assert not any(row["dead_flows"] or row["kind"] == "bundle" for row in figure_failures(design)["losses"])


def test_nics_of_several_planes_leave_the_one_whose_flows_die(design_of: Callable[..., Design]) -> None:
    text = TWO_TIERS.replace("dgx-h100", "dgx-b300").replace("per: su}", "per: [su, plane]}")
    text = text.replace("spine: {switch: sn5600, count: 4}", "spine: {switch: sn5600, per: plane, count: 4}")
    design = design_of(text, ("fabrics.compute.planes=2",))
    assert not list(StaticHidesLosses().check(design))
    results = figure_failures(design)
    (bundle,) = (row for row in results["losses"] if row["kind"] == "bundle")
    # a quarter of what comes to a leaf in the plane dies: its accelerators use their other plane, at half the rate
    assert (bundle["dead_flows"], bundle["dead_flows_to"], bundle["job_dead_flows_to"]) == (0.25, 32, 0)
    assert (bundle["slowed"], bundle["all_to_all_slowdown"]) == (32, 2)
    assert "25.00% of the flows of 32 accelerators in its plane are dead until NICs leave it" in "\n".join(
        failures.lines(results)
    )
    assert not any(row["stopping"] for row in results["interruptions"]["by_part"] if row["part"] == "bundle")
