"""Figures that a blueprint expects of its wired plan, compared with the figures that are analyzed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fabricgen.analyze.asked import Job, Question, read_job
from fabricgen.analyze.collectives.model import Team, make_team
from fabricgen.analyze.network import Network, list_networks
from fabricgen.analyze.sections import collectives, structure
from fabricgen.analyze.traffic import Crowding
from fabricgen.blueprint.sections.expect import OF_THE_PLAN
from fabricgen.cluster import Cluster
from fabricgen.design.capacity.expected import ExpectedFigure, expand_bound
from fabricgen.kernel.diagnostics import Diagnostic, InputError
from fabricgen.kernel.units import parse_size

CODE = "FG819"


@dataclass(frozen=True)
class WiredFigures:
    """The figures of one network, each computed when it is asked for; a figure that it does not have is None."""

    network: Network

    @cached_property
    def _question(self) -> Question:
        return Question(self.network.cluster.design.catalog.constants())

    @cached_property
    def _job(self) -> Job:
        return read_job(self.network)

    @cached_property
    def _pairs(self) -> list[dict[str, Any]]:
        """The classes of pairs of ranks that the network joins, as the section `structure` has them."""
        pairs = structure.figures(self.network, self._job, self._question)["pairs"] if self._has_pairs else []
        return [pair for pair in pairs if pair.get("switches")]

    @cached_property
    def _team(self) -> Team:
        return make_team(self.network, self._job, self._question.constants)

    @property
    def _has_pairs(self) -> bool:
        return len(self.network.ranks) > 1

    def find_figure(self, key: str) -> float | None:
        """Return the greatest `hops` or `latency_us`, or the fewest `paths`, of all classes of pairs."""
        if key == "paths":
            path_counts = [pair[key] for pair in self._pairs if pair["switches"] > 1 and pair[key]]
            return float(min(path_counts)) if path_counts else None
        figures = [pair["switches" if key == "hops" else key] for pair in self._pairs]
        return float(max(figures)) if figures else None

    def find_slowdown(self, pattern: str) -> float | None:
        """Return how many times slower than the ports a pattern of traffic of all accelerators is; None if unknown.

        `pattern` is `ring`, `tree` or `everyone`.
        """
        if not self._has_pairs or self._team.domains < 2:
            return None
        crowded: Crowding = getattr(self._team, pattern)
        return round(crowded.slowdown, 4)

    def busbw_gbytes(self, collective: str, size: str) -> float | None:
        """Return the bus bandwidth of a collective of all accelerators at a size of message such as 1GiB, GB/s."""
        number = parse_size(size)
        best = collectives.find_quickest(self._team, collective, number) if self._has_pairs else None
        return collectives.busbw_gbytes(self._team, collective, number, best[1].us) if best else None


def find_wired_figures(cluster: Cluster) -> dict[str, WiredFigures]:
    """Return the figures of each fabric that joins accelerators, by its name.

    If the cluster is a phase of a build-out, they are those of the finished cluster.
    """
    planned = cluster.phase.whole if cluster.phase else cluster
    return {network.fabric.name: WiredFigures(network) for network in list_networks(planned)}


def list_expected(cluster: Cluster) -> Iterator[ExpectedFigure]:
    """Yield each figure that the blueprint expects of the wired plan, with its actual value."""
    expectations = cluster.design.loaded.blueprint.expect
    if not expectations.needs_the_plan:
        return
    figures_by_fabric = find_wired_figures(cluster)
    for key in OF_THE_PLAN[:3]:
        if (value := getattr(expectations, key)) is not None:
            yield from expand_bound(
                key, value, {name: figures.find_figure(key) for name, figures in figures_by_fabric.items()}
            )
    for name, figures in figures_by_fabric.items():
        for pattern, bound in (expectations.slowdown or {}).items():
            subject = f"slowdown of {pattern}, {name}"
            yield ExpectedFigure(("expect", "slowdown", pattern), subject, bound, figures.find_slowdown(pattern))
        for collective, sizes in (expectations.busbw_gbytes or {}).items():
            for size, bound in sizes.items():
                subject, path = (
                    f"bus GB/s of {collective} at {size}, {name}",
                    ("expect", "busbw_gbytes", collective, size),
                )
                yield ExpectedFigure(path, subject, bound, figures.busbw_gbytes(collective, size))


def list_unmet(cluster: Cluster) -> Iterator[Diagnostic]:
    """Yield a finding (FG819) for each figure that is not as expected."""
    for figure in list_expected(cluster):
        if not figure.holds:
            yield figure.make_finding(CODE, "wired plan")


def require_expected(cluster: Cluster) -> None:
    """Raise InputError (FG819) if a figure of the wired plan is not what the blueprint expects."""
    if faults := tuple(list_unmet(cluster)):
        raise cluster.design.loaded.locate_error(InputError(faults))
