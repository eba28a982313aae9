"""The judge of an acceptance test: each run beside its range, what was not tested, and which parts are at fault.

Each part that could be at fault is a set of links: a link, the links of a module, of a node, of a switch, of a plane.
A run passes a part for certain, or by chance where it takes one of several links. The part is sought that makes what
was measured the most probable (Bayes; the more a part has in it, the less probable it is before); what it explains is
taken away, and the next one is sought for what is left.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log1p
from typing import NamedTuple

import numpy as np

from fabricgen.addons.probing.udp import Tracer
from fabricgen.addons.sign_off.network import Choice
from fabricgen.addons.sign_off.results import READERS, Reading, read_trace
from fabricgen.addons.sign_off.runs import (
    COLLECTIVE,
    COLLECTIVE_BYTES,
    LOAD,
    MISSED,
    PING,
    UPLINKS,
    Coverage,
    Plan,
    Run,
    find_busbw_range,
)
from fabricgen.api import ClusterView

RIGHT, SLOW, FAST, FAILED, SHARED, ABSENT = "right", "slow", "too fast", "failed", "shared", "not done"
BAD = (SLOW, FAST, FAILED)
_ABOVE = 1.01
"""What may be measured over the most that is expected: clocks and rounding."""
_MISSED = 0.001
"""How probable it may be that no flow took a link that counts as tested; more where a plan of few links allows it."""


class Verdict(NamedTuple):
    """What became of a run: its state, the figure in its unit, None for none, and what else is to be said."""

    run: Run
    state: str
    value: float | None = None
    note: str = ""


class Finding(NamedTuple):
    """Bad runs of one cause, the parts suspected in words, the most probable first, and what to do or to know."""

    runs: tuple[Run, ...]
    suspects: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Acceptance:
    """What a hall was found to be: a verdict for each run of the plan, findings, links of the plan
    that no run tested, and why.

    `traced` is how many runs told their path.
    """

    plan: Plan
    verdicts: tuple[Verdict, ...]
    findings: tuple[Finding, ...]
    planned: Coverage
    untested: Mapping[int, str]
    traced: int
    notes: tuple[str, ...]

    @property
    def states(self) -> Counter[str]:
        """How many runs are in each state."""
        return Counter(verdict.state for verdict in self.verdicts)

    @property
    def is_right(self) -> bool:
        """Whether everything that the plan tests was tested, and is right; what met others on a link tells nothing."""
        return not self.findings and not self.untested and set(self.states) <= {RIGHT, SHARED}


class Step(NamedTuple):
    """The links of which a run takes one, and the switch from which it does; -1 where that is not known."""

    choice: Choice
    source: int


class Judge:
    """Judges results of a plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan, self._planned = plan, plan.count_coverage()
        of_nodes = {row for network in plan.networks for port in network.ports for row in port.links}
        between = {row for network in plan.networks for row in network.gbps}
        self._tracer = Tracer(plan.view, np.array(sorted(between), dtype=np.int64))
        self._parts = tuple(list_parts(plan.view, sorted(between | of_nodes), of_nodes))

    def judge_results(self, files: Mapping[str, str]) -> Acceptance:
        """Judge what tools printed, the text of each file by its name: `RUN.txt`, and `RUN.trace` of its path.

        Files of no run are told and left alone. Raises InputError (FG179) where no file is of a run of the plan.
        """
        plan = self._plan
        names = {run.name for run in plan.runs}
        strange = sorted(name for name in files if name.rpartition(".")[0] not in names)
        if len(strange) == len(files):
            raise plan.view.refuse(
                "FG179",
                f"no file of {len(files):,} is of a run of this plan of {plan.view.name}",
                hint=f"results are called like {plan.runs[0].name}.txt; state --only, --phase and --seed of the plan",
            )
        steps_by_run = {
            run: self._trace_run(run, read_trace(files.get(f"{run.name}.trace", "")))
            for run in plan.runs
            if run.ends and f"{run.name}.txt" in files
        }
        crowded = _find_crowded(plan, steps_by_run)
        verdicts = tuple(_judge_run(plan, run, files.get(f"{run.name}.txt"), crowded.get(run, "")) for run in plan.runs)
        choices = {run: [step.choice for step in steps] for run, steps in steps_by_run.items()}
        done = [(v.run, choices[v.run]) for v in verdicts if v.state in (RIGHT, SLOW) and v.run in choices]
        untested = _find_untested(self._planned, plan.count_coverage(done))
        notes = [*plan.notes]
        if strange:
            notes.append(f"files of no run of this plan: {len(strange):,}, such as {strange[0]}")
        traced = sum(f"{run.name}.trace" in files for run in choices)
        findings = tuple(_list_findings(plan, self._parts, verdicts, choices))
        return Acceptance(plan, verdicts, findings, self._planned, untested, traced, tuple(notes))

    def _trace_run(self, run: Run, hops: Sequence[str]) -> list[Step]:
        """The steps of a run of two ports, from what switches answered if that tells all of them."""
        ends, planned = [port.leaf for port in run.ends], [Step(choice, -1) for choice in self._plan.list_choices(run)]
        switches = [self._tracer.devices.get(hop, -1) for hop in hops[: len(planned) - 1]]
        # the switches at the nodes are known, whether they answer or not
        if len(switches) < len(planned) - 2 or len(planned) < 4:
            return planned
        switches[:1], switches[len(planned) - 2 :] = ends[:1], ends[1:]
        steps = [
            Step(tuple(self._tracer.find_links(near, far, hop)), near)
            for (near, far), hop in zip(pairwise(switches), [*hops[1:], ""], strict=False)
        ]
        return planned[:2] + steps if all(step.choice for step in steps) else planned


def _judge_run(plan: Plan, run: Run, text: str | None, crowded: str) -> Verdict:
    if text is None:
        return Verdict(run, ABSENT)
    reading: Reading = READERS[run.tool](text)
    if reading.value is None:
        return Verdict(run, FAILED, None, reading.trouble)
    least, most = _find_range(plan, run, reading.size)
    if reading.value > most * _ABOVE:
        return Verdict(
            run, FAST, reading.value, f"more than the {most:,g} {run.unit} that there can be: wrong port or unit"
        )
    if reading.value >= least:
        return Verdict(run, RIGHT, reading.value)
    return Verdict(run, SHARED if crowded else SLOW, reading.value, crowded)


def _find_range(plan: Plan, run: Run, size: int) -> tuple[float, float]:
    """The least and most of a run; of a collective with messages of another size, those of that size."""
    if run.kind != COLLECTIVE or size == COLLECTIVE_BYTES:
        return run.least, run.most
    expected = plan.view.expect_busbw("all-reduce", size, run.job, fabric=run.fabric)
    return find_busbw_range(expected.gbytes, expected.remark) if expected else (run.least, run.most)


def _find_crowded(plan: Plan, steps_by_run: Mapping[Run, Sequence[Step]]) -> dict[Run, str]:
    """By run whose path met others of its round on a link that does not carry them all, what is to be said of that."""
    taken: dict[tuple[int, int, int], list[Run]] = defaultdict(list)
    for run, steps in steps_by_run.items():
        for step in steps:
            if run.kind == UPLINKS and step.source >= 0 and len(step.choice) == 1:
                taken[run.round, step.source, step.choice[0]].append(run)
    crowded: dict[Run, str] = {}
    for (_, _, row), runs in taken.items():
        carried = plan.view.links.speed_gbps[row]
        if len(runs) > 1 and sum(run.most for run in runs) > carried:
            name = plan.view.links.name[row]
            crowded |= dict.fromkeys(
                runs, f"{len(runs)} runs of the round met on {name}, which carries {carried:g} Gb/s"
            )
    return crowded


def _find_untested(planned: Coverage, coverage: Coverage) -> dict[int, str]:
    """By link that runs of the plan test why none of those that are done did."""
    untested = {}
    limit = max(_MISSED, MISSED / max(len(planned.passes), 1))
    for row in planned.missed:
        chance = coverage.missed.get(row, 1.0)
        if chance > limit:
            none = "no flow took it" if row in coverage.untested else f"{chance:.1%} that no flow took it"
            untested[row] = f"{none}, of the runs that are done"
    return untested


def _list_findings(
    plan: Plan, parts: Sequence[Part], verdicts: Sequence[Verdict], choices: Mapping[Run, Sequence[Choice]]
) -> Iterable[Finding]:
    # a ping that comes back clears no link of being slow
    evidence = [
        v
        for v in verdicts
        if v.run in choices and (v.state in (SLOW, FAILED) or (v.state, v.run.kind != PING) == (RIGHT, True))
    ]
    # what spreads passes all of the links between two switches
    chances = [
        {row: 1.0 if v.run.kind == LOAD else 1 / len(links) for links in choices[v.run] for row in links}
        for v in evidence
    ]
    causes = find_causes(parts, chances, [v.state != RIGHT for v in evidence])
    hosts: set[str] = set()
    for cause in causes:
        runs = tuple(evidence[number].run for number in cause.runs)
        hosts |= {port.host for run in runs for port in run.ends}
        suspects = tuple(describe_suspect(plan, suspect) for suspect in cause.suspects)
        yield Finding(runs, suspects, ADVICE[cause.suspects[0].part.kind] if cause.suspects else NOTHING_SHARED)
    for verdict in verdicts:
        if verdict.run.kind == COLLECTIVE and verdict.state in (SLOW, FAILED):
            meets = "runs of two ports on its nodes are slow, too" if hosts.intersection(verdict.run.nodes) else ""
            yield Finding(
                (verdict.run,),
                (),
                meets or "no run of two ports on its nodes is slow: look at the library, its settings and the GPUs",
            )
    fast = tuple(verdict.run for verdict in verdicts if verdict.state == FAST)
    if fast:
        yield Finding(fast, (), "more was measured than the links carry: figures of another unit, or of other ports")


def describe_suspect(plan: Plan, suspect: Suspect) -> str:
    """A suspect in words: what it is, where, and how many of its runs are slow."""
    part, view = suspect.part, plan.view
    row = min(part.links)
    ends = [int(end[row]) for end in (view.links.a, view.links.b)]
    if part.kind != "link":
        ends = [end for end in ends if part.name.startswith(view.devices.name[end])]
    places = [f"{view.devices.rack[end]} U{view.devices.u[end]}" for end in ends if view.devices.rack[end]]
    where = f" ({', '.join(places)})" if places else ""
    if suspect.among > 1:
        return (
            f"{part.kind} {part.name}{where}: one of {suspect.among:,} {PLURALS[suspect.kind]}, runs do not tell which"
        )
    return f"{part.kind} {part.name}{where}: {suspect.slow:,} of its {suspect.slow + suspect.right:,} runs are slow"


PLURALS = {"link": "links", "module": "modules", "host": "hosts", "switch": "switches", "plane": "planes"}
ADVICE = {
    "link": "look at its speed, its counters and the light at both ends; exchange the cable, then the modules",
    "module": "seat it again, then exchange it",
    "host": "look at PCIe width and speed of its NICs, their firmware, and what else runs there",
    "switch": "look at its counters, its temperature and its QoS; it may be one of its links to other switches",
    "plane": "look at what its switches have in common: image, QoS, routes",
}
"""What to look at first, by kind of part."""
NOTHING_SHARED = "no part is in all of them that right runs do not clear: repeat them"


KINDS = ("link", "module", "host", "switch", "plane")
PRIOR = 1.0
"""How much less probable, as a logarithm, each kind is than the one before: what has more in it must explain more."""
_SEEN, _FALSE = 0.97, 0.003
"""How probable a run is slow that passes a part at fault, and one that passes none. Chosen: a run in 300 is slow by
itself, and a part at half its rate is missed by one in 33.
"""
MOST_SUSPECTS = 2
_ENOUGH = 2.0
"""The least evidence, as a logarithm, for a part to be named."""
_NEAR = 7.0
"""How much less a second suspect may have than the first: a thousandth of its probability."""
_ALIKE = 0.1
"""How much less evidence parts may have that runs do not tell apart."""


class Part(NamedTuple):
    """What could be at fault: its kind, its name as people read it, and the rows of its links."""

    kind: str
    name: str
    links: frozenset[int]


class Suspect(NamedTuple):
    """A part, and how many of its runs were slow, and right.

    Where runs do not tell which of several parts it is, `among` is how many: these are of the `kind`, and in the part.
    """

    part: Part
    slow: int
    right: int
    among: int = 1
    kind: str = ""


@dataclass(frozen=True)
class Cause:
    """Slow runs (their numbers) that share parts, the most probable first; without any, those that share none."""

    runs: tuple[int, ...]
    suspects: tuple[Suspect, ...]


def list_parts(view: ClusterView, rows: Iterable[int], links_of_nodes: set[int]) -> Iterator[Part]:
    """The parts that some links make up. Modules are those of sockets with several links; hosts have links to nodes."""
    links, devices = view.links, view.devices
    kind = devices.kind.tolist()
    sets: dict[tuple[str, str], set[int]] = defaultdict(set)
    for row in rows:
        near, far = f"{links.a_device[row]}:{links.a_port[row]}", f"{links.b_device[row]}:{links.b_port[row]}"
        sets["link", f"{near} to {far}"].add(row)
        for device, cage in ((links.a, links.a_cage), (links.b, links.b_cage)):
            name, is_switch = devices.name[device[row]], kind[device[row]] == "switch"
            sets["module", f"{name} socket {cage[row]}"].add(row)
            if is_switch or row in links_of_nodes:
                sets["switch" if is_switch else "host", name].add(row)
        if links.plane[row]:
            sets["plane", f"{links.fabric[row]} plane {links.plane[row]}"].add(row)
    planes = Counter(name.partition(" plane ")[0] for kind_name, name in sets if kind_name == "plane")
    for (kind_name, name), members in sets.items():
        is_whole = kind_name == "plane" and planes[name.partition(" plane ")[0]] == 1
        if kind_name == "link" or (len(members) > 1 and not is_whole):
            yield Part(kind_name, name, frozenset(members))


def find_causes(parts: Iterable[Part], chances: Sequence[Mapping[int, float]], slow: Sequence[bool]) -> list[Cause]:
    """What is at fault, as runs tell: by run the chance that it passed each link (row), and whether it was slow."""
    parts_by_link: dict[int, list[Part]] = defaultdict(list)
    for part in parts:
        for row in part.links:
            parts_by_link[row].append(part)
    runs_by_link: dict[int, list[int]] = defaultdict(list)
    for number, passed in enumerate(chances):
        for row in passed:
            runs_by_link[row].append(number)
    left = {number for number, is_slow in enumerate(slow) if is_slow}
    touched = {part for number in left for row in chances[number] for part in parts_by_link[row]}
    every = {part: _find_passes(part, chances, runs_by_link) for part in touched}
    # of a module that no run passes for certain, runs tell no more than of its links
    passes_by_part = {p: passes for p, passes in every.items() if p.kind != "module" or max(passes.values()) > 1 / 2}
    causes = list[Cause]()
    while left:
        scores = {part: _weigh_part(part, passes, slow, left) for part, passes in passes_by_part.items()}
        ranked = sorted(scores, key=lambda part: (-scores[part], KINDS.index(part.kind), part.name))
        if not ranked or scores[ranked[0]] < _ENOUGH:
            return [*causes, Cause(tuple(sorted(left)), ())]
        explained = tuple(sorted(left.intersection(passes_by_part[ranked[0]])))
        near = (part for part in ranked if scores[part] > scores[ranked[0]] - _ALIKE)
        alike = [part for part in near if left.intersection(passes_by_part[part]) == set(explained)]
        if len(alike) > MOST_SUSPECTS:
            suspects = _find_holders(alike, passes_by_part)
        else:
            least = max(_ENOUGH, scores[ranked[0]] - _NEAR)
            named = [part for part in ranked[:MOST_SUSPECTS] if scores[part] >= least]
            suspects = [Suspect(part, *_count_runs(passes_by_part[part], slow)) for part in named]
        causes.append(Cause(explained, tuple(suspects)))
        left.difference_update(explained)
    return causes


def _find_holders(alike: Sequence[Part], parts: Iterable[Part]) -> list[Suspect]:
    """What many parts lie in of which runs do not tell one: a switch or two that have all of their links, else one of
    them for all.
    """
    kind, links = alike[0].kind, frozenset().union(*(part.links for part in alike))
    switches = sorted((part for part in parts if part.kind == "switch"), key=lambda part: part.name)
    holders = list[Suspect]()
    while links and switches and len(holders) < MOST_SUSPECTS:
        holder = max(switches, key=lambda part: len(part.links & links))
        among = sum(bool(part.links & holder.links) for part in alike)
        holders.append(Suspect(holder, 0, 0, among, kind))
        links -= holder.links
    return holders if not links else [Suspect(alike[0], 0, 0, len(alike), kind)]


def _find_passes(
    part: Part, chances: Sequence[Mapping[int, float]], runs_by_link: Mapping[int, list[int]]
) -> dict[int, float]:
    """By run the chance that it passed a part: links of which it takes one exclude each other."""
    passes: dict[int, float] = defaultdict(float)
    for row in part.links:
        for number in runs_by_link.get(row, ()):
            passes[number] += chances[number][row]
    return {number: min(1.0, chance) for number, chance in passes.items()}


def _weigh_part(part: Part, passes: Mapping[int, float], slow: Sequence[bool], left: set[int]) -> float:
    """How much more probable runs are if a part is at fault than if nothing is, as a logarithm: right ones never more,
    slow ones never less, of which those count that no other cause explains.
    """
    right = sum(log1p(-c * (_SEEN - _FALSE) / (1 - _FALSE)) for number, c in passes.items() if not slow[number])
    return (
        right
        - PRIOR * KINDS.index(part.kind)
        + sum(log1p(c * (_SEEN / _FALSE - 1)) for number, c in passes.items() if number in left)
    )


def _count_runs(passes: Mapping[int, float], slow: Sequence[bool]) -> tuple[int, int]:
    """(slow, right) runs that are likely to have passed a part."""
    likely = [slow[number] for number, chance in passes.items() if chance > 1 / 2]
    return sum(likely), len(likely) - sum(likely)
