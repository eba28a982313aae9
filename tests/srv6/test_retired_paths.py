"""What NICs retire after each loss: the paths that name it, as `analyze` counts them and as the tables of NICs do."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from fabricgen.analyze.asked import Job, Question
from fabricgen.analyze.loss_classes import LossClass, LossClasses
from fabricgen.analyze.losses import Losses
from fabricgen.analyze.network import list_networks
from fabricgen.analyze.sections import failures
from tests.srv6.fabrics import CASES, FOUR_PLANES, PARALLEL, build, compile_page, nic_ports, paths_between
from tests.srv6.losses import make_losses

ONE_ADDRESS = ("fabrics.compute.address_per=nic",)
THREE_TIERS = CASES["three tiers"]
BGP = ("fabrics.compute.routing={underlay: ebgp-unnumbered}",)


def count_in_tables(losses: Losses, loss: LossClass, *sets: str) -> int:
    """Paths between ports of different leaves that name a lost port, switch or node: from one leaf to another as many
    as there are pairs of ports, each of which has the same.
    """
    cluster, files = losses.network.cluster, build(FOUR_PLANES, *sets)
    links, gone = cluster.plan.links, {cluster.names[row] for row in loss.devices}
    ends = ((links.a_device, cluster.a_port), (links.b_device, cluster.b_port))
    lost = {(cluster.names[device[row]], str(port[row])) for device, port in ends for row in loss.links}
    total = 0
    for a, b in permutations(nic_ports(files), 2):
        if a.plane == b.plane and a.leaf != b.leaf:
            without = {a.node, a.leaf, b.node} & gone or {(a.node, a.port), (b.node, b.port)} & lost
            for path in paths_between(files, a, b):
                crossed = (name in gone or {(name, port) for port in ports} <= lost for name, ports in path.ports)
                total += bool(without or any(crossed))
    return total


@pytest.mark.slow
@pytest.mark.parametrize("sets", [*CASES.values(), PARALLEL], ids=[*CASES, "parallel links without identifiers"])
def test_retired_paths_are_those_that_name_what_is_lost(sets: tuple[str, ...]) -> None:
    losses = make_losses(*sets)
    kinds = set()
    for loss in LossClasses(losses).list_single():
        retired = losses.find_effect(loss.devices, loss.links).retired
        assert retired is not None
        assert retired[0] == count_in_tables(losses, loss, *sets), loss
        kinds.add((loss.kind, retired[0] > 0))
    assert {("switch", True), ("nic", True), ("plane", True)} <= kinds
    # a leaf hashes over links that no path names: NICs retire only what names all of them
    assert (("bundle", True) in kinds) == (sets == PARALLEL)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sets", "kind", "what", "slowdown", "share"),
    [
        # sixteen paths in all, of which one goes; with an address a port four in a plane, each plane for itself
        (ONE_ADDRESS, "leg", "leaf-spine", 16 / 15, 1 / 16),
        ((), "leg", "leaf-spine", 4 / 3, 1 / 16),
        (ONE_ADDRESS, "switch", "spine", 16 / 15, 1 / 16),
        ((), "switch", "spine", 4 / 3, 1 / 16),
        # a NIC of eight has lost one of its four ports, and sends 4/3 as much by each of the others, which leaves halve
        (ONE_ADDRESS, "leg", "node-leaf", 25 / 24, 1 / 4),
        (ONE_ADDRESS, "switch", "leaf", 4 / 3, 1 / 4),
        # leaves carry 4 times as much as their uplinks, pods 8/3 as much: with one link of four less 32/9, still less
        (THREE_TIERS, "leg", "spine-core", 1, 1 / 16),
        # where switches hash, a spine of a pod has half of its traffic and a link for it, 16/3 as much: of 4
        ((*THREE_TIERS, *BGP), "leg", "spine-core", 4 / 3, None),
    ],
)
def test_nics_spread_over_the_paths_that_are_left(
    sets: tuple[str, ...], kind: str, what: str, slowdown: float, share: float | None
) -> None:
    losses = make_losses(*sets)
    (loss,) = (one for one in LossClasses(losses).list_single() if (one.kind, one.what) == (kind, what))
    effect = losses.find_effect(loss.devices, loss.links)
    assert effect.slowdown["all_to_all"] == pytest.approx(slowdown)
    assert (effect.retired and effect.retired[1]) == (None if share is None else pytest.approx(share))


@pytest.mark.slow
def test_analyze_says_how_many_paths_are_retired() -> None:
    (network,) = list_networks(compile_page(FOUR_PLANES, *ONE_ADDRESS))
    job = Job("all", np.arange(len(network.ranks), dtype=np.int64))
    results = failures.figures(network, job, Question(network.cluster.design.catalog.constants()))
    # eight ports a leaf, and 24 of its plane beyond it: 2 x 8 x 24 pairs, each with one path over a spine
    assert [
        row["retired_paths"] for row in results["losses"] if row["kind"] == "leg" and row["what"] == "leaf-spine"
    ] == [384]
    assert "    NICs retire 384 paths, 6.25% of an accelerator's" in list(failures.lines(results))
