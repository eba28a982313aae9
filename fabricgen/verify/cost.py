"""What the findings of a verification cost a job: the network as found in the hall, compared with the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from fabricgen.analyze.analysis import SECTIONS
from fabricgen.analyze.asked import Job, Question
from fabricgen.analyze.collectives.model import Team, make_team
from fabricgen.analyze.halves import find_lost_gbps
from fabricgen.analyze.network import Network, list_networks
from fabricgen.analyze.reckoned import Reckoning, format_reckonings
from fabricgen.analyze.sections.collectives import find_quickest, format_size
from fabricgen.analyze.sections.failures import pick_worst_by_kind
from fabricgen.cluster import Cluster
from fabricgen.design.fabric_model import TierKey
from fabricgen.kernel import discovery
from fabricgen.verify.actions import Action, AsFound, Diagnosis, Kind
from fabricgen.wiring.arrays import Flags, Ints64
from fabricgen.wiring.tables import Segment

COLLECTIVES = ("all-reduce", "all-to-all")
EACH = 12
"""The most findings whose cost is told one by one: the first of the report. `together` counts all of them."""

FORMULA = (
    "slower: time as found / time as planned - 1, of a message of so many bytes. As found: links end where they were "
    "seen; dark ones, and those that join what no plan joins, carry nothing. bisection: that of the plan, less what "
    "the least cut into halves loses, counted on the wired graph"
)
SOURCE = "dumps as `verify` reads them; cuts: Besag, On the Statistical Analysis of Dirty Pictures, 1986"
RECKONING: tuple[Reckoning, ...] = (
    (
        "formula",
        (
            "+x% = time as found / time as planned - 1, of the largest message",
            "as found = links end where seen; what is dark or joins what no plan joins carries nothing",
            "bisection = the plan's - what the least cut of the halves tried loses on the wired graph",
            "all else = as each section says of the plan, with the same constants",
        ),
    ),
    ("source", (SOURCE, "derived in docs/analyze.md#as-built")),
)
JobOf = Callable[[Network], Job]


def price_findings(
    planned: Mapping[str, Any], cluster: Cluster, diagnosis: Diagnosis, job_of: JobOf, request: Question
) -> dict[str, Any]:
    """Return, by fabric of the planned analysis, what the findings cost the job and what they change in its sections.

    `planned` is {section: {fabric: figures}}. A cost tells by what share each collective takes longer: `together` is
    that of all findings at once, and `each` has that of every one of the first `EACH` by itself. `changed` lists the
    figures that differ, `sections` has all figures as found. `left_out` counts the findings at ports about which too
    little was seen, and `carry_nothing` has the ids of findings that join devices which the plan never joins.
    """
    found_hall, largest_size = FoundHall(cluster, diagnosis), max(request.sizes)
    actions = [action for action in diagnosis.actions if found_hall.knows_links_of(action)]
    found_networks, carrying_nothing = found_hall.build_networks(), found_hall.list_carrying_nothing()
    networks_by_action = [(action, found_hall.build_networks(action)) for action in actions[:EACH]]
    planned_sections = {name: figures for name, figures in planned.items() if name != "blueprint"}
    by_fabric: dict[str, Any] = {}
    for network in list_networks(cluster):
        name = network.fabric.name
        if all(name not in fabrics for fabrics in planned_sections.values()):
            continue
        planned_times, hall_network = _time_collectives(network, job_of, request, largest_size), found_networks[name]
        sections = {section: fabrics[name] for section, fabrics in planned_sections.items()}
        as_found = compute_figures(
            sections, network, hall_network, job_of(hall_network), request, runs=_can_run(hall_network, job_of, request)
        )
        by_fabric[name] = {
            "bytes": largest_size,
            "left_out": len(diagnosis.actions) - len(actions),
            "carry_nothing": carrying_nothing,
            "together": _price_network(planned_times, hall_network, job_of, request, largest_size),
            "each": [
                {"id": action.id, "text": action.text.partition("\n")[0]}
                | _price_network(planned_times, action_networks[name], job_of, request, largest_size)
                for action, action_networks in networks_by_action
            ],
            "changed": list(compare_figures(sections, as_found)),
            "sections": as_found,
            "formula": FORMULA,
            "source": SOURCE,
        }
    return by_fabric


def _make_team(network: Network, job_of: JobOf, request: Question) -> Team | None:
    """Return the team of the job; None if a rank is cut off, or no network joins neighbouring ranks."""
    team = make_team(network, job_of(network), request.constants)
    unjoined = team.domains > 1 and (not team.rail_gbps or team.ring.level == len(network.levels))
    return None if unjoined else team


def _can_run(network: Network, job_of: JobOf, request: Question) -> bool:
    return _make_team(network, job_of, request) is not None


def _time_collectives(network: Network, job_of: JobOf, request: Question, size: int) -> dict[str, float]:
    """Return the time of each collective of `size` bytes, us; infinite if the job cannot run."""
    team = _make_team(network, job_of, request)
    if team is None:
        return dict.fromkeys(COLLECTIVES, float("inf"))
    fastest = {name: find_quickest(team, name, size) for name in COLLECTIVES}
    return {name: best[1].us for name, best in fastest.items() if best}


def _price_network(
    planned_times: Mapping[str, float], network: Network, job_of: JobOf, request: Question, size: int
) -> dict[str, Any]:
    """Return by what share each collective takes longer (None: it cannot run), and how many ranks are cut off."""
    job = job_of(network)
    times = _time_collectives(network, job_of, request, size)
    slowdowns = {
        name: round(us / planned_times[name] - 1, 4) if np.isfinite(us) else None
        for name, us in times.items()
        if name in planned_times
    }
    return {"slower": slowdowns, "cut_off": int((network.gbps[job.ranks].sum(axis=1) == 0).sum())}


def list_cost_lines(by_fabric: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines for people: what the findings cost each fabric, all together and one by one."""
    for fabric, costs_of in by_fabric.items():
        yield from ("", f"as built, {fabric}", "-" * (10 + len(fabric)))
        yield f"  together: {_describe_cost(costs_of['together'])}"
        yield from (f"  {finding['id']}: {_describe_cost(finding)}: {finding['text']}" for finding in costs_of["each"])
        if costs_of["carry_nothing"]:
            yield f"  carry nothing, since no plan joins what they join: {', '.join(costs_of['carry_nothing'])}"
        if costs_of["left_out"]:
            count_text = f"{costs_of['left_out']} finding{'s' * (costs_of['left_out'] != 1)}"
            yield f"  not told: {count_text} at ports of which too little was seen, which count as planned"
        yield ""
        yield from list_table_lines(costs_of["changed"], costs_of["sections"])
        yield from ("", *format_reckonings(RECKONING))


def _describe_cost(cost: Mapping[str, Any]) -> str:
    """Return a cost in one line: by what share each collective is slower, and how many ranks are cut off."""
    # a share below 0.05 % is printed as +0.0%, never as -0.0%
    shares = {name: share if share is None or abs(share) >= 0.0005 else 0.0 for name, share in cost["slower"].items()}
    phrases = [f"{name} {'cannot run' if share is None else f'{share:+.1%}'}" for name, share in shares.items()]
    cut_off_text = [f"{cost['cut_off']} rank{'s' * (cost['cut_off'] != 1)} cut off"] if cost["cut_off"] else []
    return ", ".join([*phrases, *cut_off_text]) or "no collective is told"


# The sections of an analysis on the network as planned and on that found in the hall, side by side.

SAME = ("stragglers",)
"""Sections whose figures do not depend on the wiring."""
BY_CHANCE = 0.015
"""Shares of a rate that differ by less are equal: another permutation is drawn if the ranks with ports change."""
Figures = Mapping[str, Any]
_Row = tuple[str, str, float | int | None, str]
"""(what the figure is of, the name of the figure, its value, the value in words)."""


def compute_figures(
    sections: Mapping[str, Figures], planned: Network, hall_network: Network, job: Job, request: Question, *, runs: bool
) -> dict[str, Any]:
    """Compute the figures of a network as found, for the same sections as planned, except those in `SAME`.

    `sections` has the planned figures by section. `runs`: whether the job can run; if not, the section of collectives
    is None. The bisection after a loss is computed on the design alone, so that it is left out.
    """
    by_section: dict[str, Any] = {}
    for name, before in sections.items():
        if name in SAME:
            continue
        if name == "collectives" and not runs:
            by_section[name] = None
            continue
        figures = dict(discovery.load_module(SECTIONS, name).figures(hall_network, job, request))
        if name == "structure":
            # the design's bisection less what was lost: a lower bound, since what was lost may not lie on the cut
            figures["bisection_gbps"] = max(0.0, before["bisection_gbps"] - find_lost_gbps(planned, hall_network))
            figures["bisection_gbps_per_rank"] = 2 * figures["bisection_gbps"] / max(len(hall_network.ranks), 1)
        if name == "failures":
            del figures["bisection_gbps"]
            for rows in (figures["losses"], figures.get("pairs", ())):
                for row in rows:
                    row["bisection_share"] = None
        by_section[name] = figures
    return by_section


def compare_figures(planned: Mapping[str, Figures], as_found: Mapping[str, Figures | None]) -> Iterator[dict[str, Any]]:
    """Yield the figures whose printed values differ: section, what, figure, planned, as found, and both as printed.

    Shares of the load balance are left out if two random permutations may differ as much. A value is None if the
    network has no such thing (a class of pairs, for example) or the job cannot run.
    """
    for section, found_figures in as_found.items():
        cells_by_side = (
            dict(_key_rows(_ROWS[section](figures))) if figures else {} for figures in (planned[section], found_figures)
        )
        planned_cells, found_cells = cells_by_side
        for subject, figure in [*planned_cells, *(cell for cell in found_cells if cell not in planned_cells)]:
            (planned_value, planned_words), (found_value, found_words) = (
                cells.get((subject, figure), (None, "-")) for cells in (planned_cells, found_cells)
            )
            if planned_words != found_words and not _is_drawn_alike(section, planned_value, found_value):
                yield {
                    "section": section,
                    "what": subject,
                    "figure": figure,
                    "planned": planned_value,
                    "as_found": found_value,
                    "words": [planned_words, found_words],
                }


def _is_drawn_alike(section: str, planned_share: float | None, found_share: float | None) -> bool:
    """Whether two shares of the load balance differ by no more than two random permutations do."""
    return (
        section == "load_balance"
        and None not in (planned_share, found_share)
        and abs((planned_share or 0) - (found_share or 0)) < BY_CHANCE
    )


def _key_rows(rows: Iterator[_Row]) -> Iterator[tuple[tuple[str, str], tuple[float | int | None, str]]]:
    return (((subject, figure), (value, words)) for subject, figure, value, words in rows)


_TITLE_SUFFIXES = {"failures": ", times over those of the same hall before the loss"}


def list_table_lines(changed: Sequence[Mapping[str, Any]], sections: Mapping[str, Any]) -> Iterator[str]:
    """Yield the rows of `compare_figures` as lines for people, section by section."""
    yield f"  {'':<60}{'planned':>14}{'as found':>14}"
    for section, figures in sections.items():
        rows = [row for row in changed if row["section"] == section]
        title = section.replace("_", " ") + _TITLE_SUFFIXES.get(section, "")
        if figures is None:
            yield f"  {section}: the job cannot run"
        elif not rows:
            yield f"  {section.replace('_', ' ')}: as planned"
        else:
            yield f"  {title}"
            for row in rows:
                yield f"    {row['what'] + ': ' + row['figure']:<58}{row['words'][0]:>14}{row['words'][1]:>14}"


def _list_structure_rows(figures: Figures) -> Iterator[_Row]:
    """Yield the bisection, what a rank can send beyond each level, and the shares and latencies of pairs of ranks."""
    yield "bisection", "Gb/s each", figures["bisection_gbps_per_rank"], f"{figures['bisection_gbps_per_rank']:,.4g}"
    for step in figures["out_of"]:
        gbps = step["gbps_per_rank"]
        yield f"beyond the narrowest {step['joined_by']}", "Gb/s each", gbps, f"{gbps:,.4g}"
    for row in figures["pairs"]:
        if "joined_by" not in row:
            continue
        rail = f", {row['rail']} rail" if "rail" in row else ""
        subject = f"same {row['place']}{rail}, by {row['joined_by'] if 'switches' in row else 'scale-up'}"
        yield subject, "share of pairs", row["share"], f"{100 * row['share']:.3g}%"
        if "switches" in row:
            yield subject, "us", row["latency_us"], f"{row['latency_us']:.2f}"
            yield subject, "fewest paths", row["paths"], "-" if row["paths"] is None else f"{row['paths']:,}"


def _list_collective_rows(figures: Figures) -> Iterator[_Row]:
    # the time of each collective at each size, us
    for name, rows in figures["collectives"].items():
        for row in rows:
            rounded = float(f"{row['us']:.4g}")
            yield f"{name}, {format_size(row['bytes'])}", "us", row["us"], f"{rounded:,.10g}"


def _list_balance_rows(figures: Figures) -> Iterator[_Row]:
    """Yield the mean and worst share of a link's rate that flows get, by traffic pattern and kind of load balancing."""
    for pattern in figures["patterns"]:
        rates_by_mode = [("per-packet spraying", pattern["sprayed"])] if pattern["sprayed"] else []
        for row in pattern["rows"]:
            for kind in ("expected", "drawn"):
                if row[kind]:
                    pairs = f"{row['queue_pairs']} queue pair{'s' * (row['queue_pairs'] != 1)}"
                    rates_by_mode.append((f"{row['kind']}, {pairs}, {kind}", row[kind]))
        for mode, rates in rates_by_mode:
            for figure in ("mean", "worst"):
                rate_share = rates[f"{figure}_share"]
                yield f"{pattern['name']}, {mode}", figure, rate_share, f"{rate_share:.2f}"
        if pattern["flows_without_route"]:
            flow_count = pattern["flows_without_route"]
            yield pattern["name"], "flows without a way", flow_count, f"{flow_count:,}"


def _list_failure_rows(figures: Figures) -> Iterator[_Row]:
    """Yield the cost of the worst loss of each kind, and the mean time between two stops of the job (hours)."""
    for row in pick_worst_by_kind([*figures["losses"], *figures.get("pairs", ())]):
        subject = f"{row['kind']} {row['what']} lost" if row["what"] != row["kind"] else f"{row['kind']} lost"
        yield subject, "cut off", row["cut_off"], f"{row['cut_off']:,}"
        yield subject, "slowed", row["slowed"], f"{row['slowed']:,}"
        for key, figure in (("ring_slowdown", "ring"), ("all_to_all_slowdown", "all-to-all")):
            yield subject, figure, row[key], "stops" if row[key] is None else f"{row[key]:.4g}x"
    hours = figures["interruptions"]["mean_hours"]
    yield "between two stops of the job", "hours", hours, "-" if hours is None else f"{hours:,.1f}"


_ROWS = {
    "structure": _list_structure_rows,
    "collectives": _list_collective_rows,
    "load_balance": _list_balance_rows,
    "failures": _list_failure_rows,
}


# A hall as a verification found it, as networks: links end where they were seen, and dark links carry nothing.


class UnplannedPair(NamedTuple):
    """Two ports that are joined although no planned link joins them; numbered as in AsFound, `low` is planned."""

    low: int
    high: int


class _SubstituteLink(NamedTuple):
    """An unplanned link that overwrites a planned link of the cluster: the row of that link, and its new ends."""

    row: int
    a_device: int
    b_device: int
    b_port: int


@dataclass(frozen=True)
class FoundHall:
    """A planned cluster and the diagnosis of its hall, from which networks as found are built."""

    cluster: Cluster
    diagnosis: Diagnosis

    def build_networks(self, action: Action | None = None) -> dict[str, Network]:
        """Build the networks, by fabric, with all faults as found, or with the faults of one action alone."""
        cluster, dark, _ = self._wire_pairs(*(self._all if action is None else self._read_action(action)))
        return {network.fabric.name: network for network in list_networks(cluster, dark)}

    def list_carrying_nothing(self) -> list[str]:
        """List the ids of actions about links between devices that the plan never joins, which no network has."""
        *_, odd_pairs = self._wire_pairs(*self._all)
        links = sorted({port >> 1 for pair in odd_pairs for port in pair if port < self._planned})
        moved = [action for action in self.diagnosis.actions if action.kind is not Kind.DARK]
        return [action.id for action in moved if self._flag_links(action.concerned)[links].any()] if links else []

    def knows_links_of(self, action: Action) -> bool:
        """Whether an action's changes of links are known; about a module or port, only if one of its links is gone."""
        return action.kind not in (Kind.OPTIC, Kind.PORT) or bool(self._read_action(action)[0].any())

    @property
    def _as_found(self) -> AsFound:
        as_found = self.diagnosis.as_found
        if as_found is None:
            raise ValueError("a diagnosis that is not of sightings tells of no links")
        return as_found

    @property
    def _planned(self) -> int:
        """The number of planned ports."""
        return 2 * len(self._as_found.gone)

    @cached_property
    def _rows(self) -> Ints64:
        """The row of each link of the planned cabling among the cluster's links, int64: those that have a cable."""
        return np.flatnonzero(self.cluster.plan.links.cable >= 0)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {cable: number for number, cable in enumerate(self.cluster.cable_ids)}

    @cached_property
    def _device_rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.cluster.names)}

    @cached_property
    def _all(self) -> tuple[Flags, list[UnplannedPair]]:
        """Flags of the planned links that are gone, and the pairs of ports that are joined in their place."""
        joined_to = self._as_found.joined_to[: self._planned]
        port = np.flatnonzero((joined_to >= 0) & (joined_to != np.arange(self._planned) ^ 1))
        # each pair once, from its lower port
        port = port[port < joined_to[port]]
        return self._as_found.gone, [
            UnplannedPair(*pair) for pair in zip(port.tolist(), joined_to[port].tolist(), strict=True)
        ]

    def _flag_links(self, cables: Iterable[str]) -> Flags:
        """Flag the planned links of some cables (ids)."""
        is_wanted = np.zeros(len(self._numbers), dtype=np.bool_)
        is_wanted[[self._numbers[name] for name in cables]] = True
        flags: Flags = is_wanted[self.cluster.plan.links.cable[self._rows]]
        return flags

    @cached_property
    def _dark(self) -> Flags:
        """Flags of the planned links of dark or missing cables that are gone and see nobody at one end or both."""
        dark = [action for action in self.diagnosis.actions if action.kind is Kind.DARK]
        joined_to = self._as_found.joined_to[: self._planned]
        lone = (joined_to[0::2] < 0) | (joined_to[1::2] < 0)
        return self._flag_links(cable for action in dark for cable in action.cables) & self._as_found.gone & lone

    def _read_action(self, action: Action) -> tuple[Flags, list[UnplannedPair]]:
        """Return flags of the planned links that are gone by an action, and the pairs of ports joined by its plugs."""
        own_links, all_gone = self._flag_links(action.concerned), self._as_found.gone
        if action.kind is Kind.DARK:
            return own_links & self._dark, []
        gone_by_action, pairs = own_links & all_gone & ~self._dark, []
        for pair in self._all[1]:
            links = [port >> 1 for port in pair if port < self._planned]
            if own_links[links].any():
                gone_by_action[links] = True
                pairs.append(pair)
        return gone_by_action, pairs

    def _wire_pairs(self, gone: Flags, pairs: Sequence[UnplannedPair]) -> tuple[Cluster, Ints64, list[UnplannedPair]]:
        """Return (cluster whose planned links are overwritten by pairs, rows of links that are gone, other pairs)."""
        plan = self.cluster.plan
        columns = {name: getattr(plan.links, name).copy() for name in ("a_device", "b_device", "b_port")}
        used_rows, odd_pairs = set[int](), []
        # pairs that fit the row of their lower port go first; the others take rows that these leave over
        for pair in sorted(pairs, key=lambda pair: self._join_by_lower(pair) is None):
            substitute = self._join_by_lower(pair) or next(
                (candidate for candidate in self._join_by_either(pair) if candidate.row not in used_rows), None
            )
            if substitute is None:
                odd_pairs.append(pair)
                continue
            used_rows.add(substitute.row)
            for name, column in columns.items():
                column[substitute.row] = getattr(substitute, name)
        # a row that carries another link now is not gone
        gone_rows = np.setdiff1d(self._rows[gone], np.array(sorted(used_rows), dtype=np.int64))
        if not used_rows:
            return self.cluster, gone_rows, odd_pairs
        return replace(self.cluster, plan=plan._replace(links=replace(plan.links, **columns))), gone_rows, odd_pairs

    def _join_by_lower(self, pair: UnplannedPair) -> _SubstituteLink | None:
        """Return a pair as a link in the row of its lower end (a); None if the other port is not in the tier above."""
        links = self.cluster.plan.links
        for lower, upper in (pair, pair[::-1]):
            # even ports are lower ends; a spare port is in no segment
            if lower >= self._planned or lower & 1:
                continue
            row, segment = self._find_row(lower), self._find_segment(lower)
            if upper >= self._planned:
                device = self._find_device(upper)
                if self._find_tier(device) == segment.tier:
                    return _SubstituteLink(row, int(links.a_device[row]), device, int(links.b_port[row]))
            elif upper & 1 and _make_link_key(self._find_segment(upper)) == _make_link_key(segment):
                return _SubstituteLink(
                    row, int(links.a_device[row]), self._find_device(upper), int(links.b_port[self._find_row(upper)])
                )
        return None

    def _join_by_either(self, pair: UnplannedPair) -> Iterator[_SubstituteLink]:
        """Yield a pair as a link in the row of a port: an upper end with a spare port below, or both in one tier."""
        links = self.cluster.plan.links
        for near_port, far_port in (pair, pair[::-1]):
            if near_port >= self._planned:
                continue
            row, segment = self._find_row(near_port), self._find_segment(near_port)
            if far_port >= self._planned:
                fits = near_port & 1 and self._find_tier(self._find_device(far_port)) == segment.lower_tier
            else:
                fits = segment.lower_tier == segment.tier and _make_link_key(
                    self._find_segment(far_port)
                ) == _make_link_key(segment)
            if fits:
                yield _SubstituteLink(
                    row, self._find_device(far_port), self._find_device(near_port), int(links.b_port[row])
                )

    def _find_row(self, port: int) -> int:
        return int(self._rows[port >> 1])

    def _find_segment(self, port: int) -> Segment:
        links = self.cluster.plan.links
        return links.segments[int(links.segment[self._find_row(port)])]

    def _find_device(self, port: int) -> int:
        """Return the device (row in the cluster) of a planned or spare port."""
        if port >= self._planned:
            return self._device_rows[self._as_found.spare[port - self._planned]]
        links = self.cluster.plan.links
        return int((links.b_device if port & 1 else links.a_device)[self._find_row(port)])

    def _find_tier(self, device: int) -> TierKey:
        devices = self.cluster.plan.devices
        return devices.classes[int(devices.device_class[device])].key


def _make_link_key(segment: Segment) -> tuple[object, ...]:
    """Return a key that is equal for links whose ends can be exchanged: fabric, tiers and speed."""
    return segment.fabric, segment.lower, segment.upper, segment.lower_tier, segment.tier, segment.speed_gbps
