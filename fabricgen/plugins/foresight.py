"""What an analysis says that a network reaches, for tests that measure it."""

from __future__ import annotations

from typing import NamedTuple

from fabricgen.analyze.asked import Question, read_job
from fabricgen.analyze.collectives.model import find_domain_profile, make_team
from fabricgen.analyze.hash_shares import find_balancing_mode
from fabricgen.analyze.network import list_networks
from fabricgen.analyze.sections.collectives import busbw_gbytes, find_quickest
from fabricgen.cluster import Cluster


class Busbw(NamedTuple):
    """What a collective is expected to reach: bus bandwidth as nccl-tests tells it, GB/s, and a remark on it, or ""."""

    gbytes: float
    remark: str


def find_reached(cluster: Cluster) -> dict[str, float]:
    """Return the share of its line rate that each fabric reaches, of 1."""
    network = cluster.design.catalog.constants().efficiency.network
    protocols = {"infiniband": "infiniband", "roce": "ethernet", "ethernet": "ethernet"}
    return {fabric.name: network.find_reached(protocols[fabric.protocol]) for fabric in cluster.design.fabrics}  # type: ignore[arg-type]


def find_balancing_modes(cluster: Cluster) -> dict[str, str]:
    """Return how the switches of each fabric choose among equal paths: `hash`, or by load or packet."""
    return {fabric.name: find_balancing_mode(cluster, fabric) for fabric in cluster.design.fabrics}


def expect_busbw(cluster: Cluster, fabric: str, collective: str, size: int, job: str) -> Busbw | None:
    """Return what a collective of a job (`all`, `2048`, `all@p1/su2`) reaches in a fabric with messages of so many
    bytes.

    None if the fabric joins no accelerators, or nothing is told of it. Raises InputError (FG145) for no job.
    """
    whole = cluster.phase.whole if cluster.phase else cluster
    constants = whole.design.catalog.constants()
    network = next((found for found in list_networks(whole) if found.fabric.name == fabric), None)
    if network is None or network.what != "accelerators":
        return None
    team = make_team(network, read_job(network, job), Question(constants).constants)
    best = find_quickest(team, collective, size)
    if best is None:
        return None
    measured = constants.efficiency.find_measured(find_domain_profile(network, int(team.job.ranks[0])))
    remark = measured.says if measured and best[0] == "in_switch" else ""
    return Busbw(busbw_gbytes(team, collective, size, best[1].us), remark)
