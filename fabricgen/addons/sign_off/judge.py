"""The judge of an acceptance test: each run beside its range, what was not tested, and which parts are at fault.

Each part that could be at fault is a set of links: a link, or the links of a module, a node, a switch or a plane. A run
passes a part for certain, or by chance if it takes one of several links. The judge seeks the part that makes the
measurements most probable (Bayes; the more a part contains, the less probable it is beforehand). It takes away what
this part explains, and seeks the next part for what is left.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, pairwise
from math import log1p
from typing import NamedTuple

import numpy as np

from fabricgen.addons.probing.udp import Tracer
from fabricgen.addons.sign_off.files import READERS, read_trace
from fabricgen.addons.sign_off.network import Choice
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
"""Tolerance for figures above the most that is expected: clocks and rounding."""
_MISSED = 0.001
"""Accepted probability that no flow took a link that counts as tested; more if a plan of few links allows it."""


class Verdict(NamedTuple):
    """The outcome of a run: its state ("right", "slow", "too fast", "failed", "shared" or "not done"), its figure in
    the unit of the run's test (None for none), and what else is to be said.
    """

    run: Run
    state: str
    value: float | None = None
    note: str = ""


class Finding(NamedTuple):
    """Bad runs of one cause, the suspected parts in words, the most probable first, and what to do or to know."""

    runs: tuple[Run, ...]
    suspects: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Acceptance:
    """The result for a hall: a verdict for each run of the plan, findings, and links of the plan that no run tested,
    with the reason.

    `planned` is what all runs of the plan cover, `untested` has the reason by row of a link, and `traced` is how many
    runs have a trace of their path.
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
        """Number of runs in each state."""
        return Counter(verdict.state for verdict in self.verdicts)

    @property
    def is_right(self) -> bool:
        """Whether everything that the plan tests was tested and is right; runs that shared a link with others do not
        count.
        """
        return not self.findings and not self.untested and set(self.states) <= {RIGHT, SHARED}


Step = tuple[Choice, int]
"""The links of which a run takes one, and the switch from which it does; -1 if the switch is not known."""


class Judge:
    """Judges results of a plan: says of each run whether it is right, and seeks the parts at fault for runs that are
    not.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan, self._planned = plan, plan.count_coverage()
        links_of_nodes = {row for network in plan.networks for port in network.ports for row in port.links}
        between = {row for network in plan.networks for row in network.gbps}
        self._tracer = Tracer(plan.view, np.array(sorted(between), dtype=np.int64))
        self._parts = tuple(list_parts(plan.view, sorted(between | links_of_nodes), links_of_nodes))

    def judge_results(self, files: Mapping[str, str]) -> Acceptance:
        """Return the result of what tools printed, given by file name: `RUN.txt`, and `RUN.trace` for its path.

        Files of no run are named in the notes and otherwise ignored. Raises InputError (FG179) if no file is of a run
        of the plan.
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
        choices = {run: [choice for choice, _ in steps] for run, steps in steps_by_run.items()}
        measured = [(v.run, choices[v.run]) for v in verdicts if v.state in (RIGHT, SLOW) and v.run in choices]
        strange_files = [f"files of no run of this plan: {len(strange):,}, such as {strange[0]}"] if strange else []
        return Acceptance(
            plan,
            verdicts,
            tuple(_list_findings(plan, self._parts, verdicts, choices)),
            self._planned,
            _find_untested(self._planned, plan.count_coverage(measured)),
            traced=sum(f"{run.name}.trace" in files for run in choices),
            notes=(*plan.notes, *strange_files),
        )

    def _trace_run(self, run: Run, hops: Sequence[str]) -> list[Step]:
        """Return the steps of a run of two ports: as switches answered if their answers tell all links, else as
        planned.

        A step is (the links, as rows, of which the run took one; the switch that chose, -1 if planned). `hops` are the
        names or addresses that answered, from the first switch on.
        """
        planned_steps = [(choice, -1) for choice in self._plan.list_choices(run)]
        switches = [self._tracer.devices.get(hop, -1) for hop in hops[: len(planned_steps) - 1]]
        # the switches at the nodes are known, whether they answer or not
        if len(switches) < len(planned_steps) - 2 or len(planned_steps) < 4:
            return planned_steps
        switches[:1], switches[len(planned_steps) - 2 :] = ([port.leaf] for port in run.ends)
        # a switch answers from the port that the flow came in by: that of the next one tells the link from this one
        steps = [
            (tuple(self._tracer.find_links(switch, next_switch, hop)), switch)
            for (switch, next_switch), hop in zip(pairwise(switches), [*hops[1:], ""], strict=False)
        ]
        return planned_steps[:2] + steps if all(choice for choice, _ in steps) else planned_steps


def _judge_run(plan: Plan, run: Run, text: str | None, crowded: str) -> Verdict:
    """Return the verdict on a run by the text that its tool printed; `crowded` is whom it met on a link, "" if
    nobody.
    """
    if text is None:
        return Verdict(run, ABSENT)
    reading = READERS[run.tool](text)
    if reading.value is None:
        return Verdict(run, FAILED, None, reading.trouble)
    min_value, max_value = _find_range(plan, run, reading.size)
    if reading.value > max_value * _ABOVE:
        return Verdict(
            run, FAST, reading.value, f"more than the {max_value:,g} {run.unit} that there can be: wrong port or unit"
        )
    if reading.value >= min_value:
        return Verdict(run, RIGHT, reading.value)
    return Verdict(run, SHARED if crowded else SLOW, reading.value, crowded)


def _find_range(plan: Plan, run: Run, size: int) -> tuple[float, float]:
    """Return the least and the greatest figure that a right run has.

    A collective that was run with messages of another size (`size` bytes) than planned has the range for that size.
    """
    if run.kind != COLLECTIVE or size == COLLECTIVE_BYTES:
        return run.least, run.most
    expected = plan.view.expect_busbw("all-reduce", size, run.job, fabric=run.fabric)
    return find_busbw_range(expected.gbytes, expected.remark) if expected else (run.least, run.most)


def _find_crowded(plan: Plan, steps_by_run: Mapping[Run, Sequence[Step]]) -> dict[Run, str]:
    """Return a note on each run that met others of its round on a link which cannot carry them all; {} if none did.

    `steps_by_run` has the steps of each run as `_trace_run` returns them; only links that a switch has told count.
    """
    # by (round, switch that chose the link, link): the switch tells in which direction the link was crossed
    runs_on_link: dict[tuple[int, int, int], list[Run]] = defaultdict(list)
    for run, steps in steps_by_run.items():
        for choice, switch in steps:
            if run.kind == UPLINKS and switch >= 0 and len(choice) == 1:
                runs_on_link[run.round, switch, choice[0]].append(run)
    links, crowded = plan.view.links, dict[Run, str]()
    for (_, _, row), runs in runs_on_link.items():
        if len(runs) > 1 and sum(run.most for run in runs) > links.speed_gbps[row]:
            met = f"{len(runs)} runs of the round met on {links.name[row]}"
            crowded |= dict.fromkeys(runs, f"{met}, which carries {links.speed_gbps[row]:g} Gb/s")
    return crowded


def _find_untested(planned: Coverage, measured: Coverage) -> dict[int, str]:
    """Return, for each link that the plan tests and that the finished runs have not tested, the reason.

    A link counts as tested if the probability that no finished run took it is small.
    """
    limit = max(_MISSED, MISSED / max(len(planned.passes), 1))
    return {
        row: f"{'' if row in measured.untested else f'{chance:.1%} that '}no flow took it, of the runs that are done"
        for row, chance in {row: measured.missed.get(row, 1.0) for row in planned.missed}.items()
        if chance > limit
    }


def _list_findings(
    plan: Plan, parts: Sequence[Part], verdicts: Sequence[Verdict], choices: Mapping[Run, Sequence[Choice]]
) -> Iterator[Finding]:
    """Yield the findings: causes of bad runs of two ports, then bad collectives, then figures that are too high."""
    # a ping that comes back clears no link of being slow
    evidence = [
        v
        for v in verdicts
        if v.run in choices and (v.state in (SLOW, FAILED) or (v.state == RIGHT and v.run.kind != PING))
    ]
    # flows that are spread pass all of the links between two switches
    chances = [
        {row: 1.0 if v.run.kind == LOAD else 1 / len(links) for links in choices[v.run] for row in links}
        for v in evidence
    ]
    hosts: set[str] = set()
    for numbers, suspects in find_causes(parts, chances, [v.state != RIGHT for v in evidence]):
        runs = tuple(evidence[number].run for number in numbers)
        hosts.update(*(run.hosts for run in runs))
        nothing_shared = "no part is in all of them that right runs do not clear: repeat them"
        advice = ADVICE[suspects[0].part.kind] if suspects else nothing_shared
        yield Finding(runs, tuple(describe_suspect(plan.view, suspect) for suspect in suspects), advice)
    for verdict in verdicts:
        if verdict.run.kind == COLLECTIVE and verdict.state in (SLOW, FAILED):
            text = "no run of two ports on its nodes is slow: look at the library, its settings and the GPUs"
            if not hosts.isdisjoint(verdict.run.nodes):
                text = "runs of two ports on its nodes are slow, too"
            yield Finding((verdict.run,), (), text)
    if fast := tuple(verdict.run for verdict in verdicts if verdict.state == FAST):
        yield Finding(fast, (), "more was measured than the links carry: figures of another unit, or of other ports")


def describe_suspect(view: ClusterView, suspect: Suspect) -> str:
    """Return a suspect in words: what it is, where, and how many of its runs are slow."""
    part, devices, row = suspect.part, view.devices, min(suspect.part.links)
    # the position of a link is both of its ends, that of other parts the end that is the device or has it
    end_devices = [int(end[row]) for end in (view.links.a, view.links.b)]
    has_part = [part.kind == "link" or part.name.startswith(devices.name[end]) for end in end_devices]
    positions = [
        f"{devices.rack[end]} U{devices.u[end]}" for end in compress(end_devices, has_part) if devices.rack[end]
    ]
    name = f"{part.kind} {part.name}" + (f" ({', '.join(positions)})" if positions else "")
    if suspect.among > 1:
        plural = f"{suspect.kind}{'es' if suspect.kind == 'switch' else 's'}"
        return f"{name}: one of {suspect.among:,} {plural}, runs do not tell which"
    return f"{name}: {suspect.slow:,} of its {suspect.slow + suspect.right:,} runs are slow"


ADVICE = {
    "link": "look at its speed, its counters and the light at both ends; exchange the cable, then the modules",
    "module": "seat it again, then exchange it",
    "host": "look at PCIe width and speed of its NICs, their firmware, and what else runs there",
    "switch": "look at its counters, its temperature and its QoS; it may be one of its links to other switches",
    "plane": "look at what its switches have in common: image, QoS, routes",
}
"""What to look at first, by kind of part."""


KINDS = ("link", "module", "host", "switch", "plane")
PRIOR = 1.0
"""How much less probable, as a logarithm, each kind is than the one before it: a part that contains more must explain
more.
"""
_SEEN, _FALSE = 0.97, 0.003
"""Probability that a run is slow that passes a part at fault, and that one is slow that passes none.

Chosen: one run in 300 is slow by itself, and one in 33 misses a part at half its rate.
"""
MOST_SUSPECTS = 2
_ENOUGH = 2.0
"""The least evidence, as a logarithm, for naming a part."""
_NEAR = 7.0
"""How much less evidence, as a logarithm, a second suspect may have than the first: a thousandth of its probability."""
_ALIKE = 0.1
"""How much less evidence parts may have that runs do not tell apart."""


class Part(NamedTuple):
    """What could be at fault: its kind, its name as people read it, and the rows of its links."""

    kind: str
    name: str
    links: frozenset[int]


class Suspect(NamedTuple):
    """A part that is suspected, how many of its runs were slow, and how many were right.

    If runs do not tell apart several parts inside it, `among` is how many these are, and `kind` what kind of part they
    are.
    """

    part: Part
    slow: int
    right: int
    among: int = 1
    kind: str = ""


def list_parts(view: ClusterView, rows: Iterable[int], links_of_nodes: set[int]) -> Iterator[Part]:
    """Yield the parts that the links at some rows make up; `links_of_nodes` are the rows of nodes' links among them.

    Each link is a part, and each switch, host, socket (a module) and plane with several of the links. Hosts are devices
    at links of nodes; planes count only if a fabric has several.
    """
    links, devices = view.links, view.devices
    # by fabric, how many planes the links are in; plane 0 is none
    plane_count = Counter(fabric for fabric, plane in {(links.fabric[row], links.plane[row]) for row in rows} if plane)
    links_by_part: dict[tuple[str, str], set[int]] = defaultdict(set)
    for row in rows:
        a_end, b_end = f"{links.a_device[row]}:{links.a_port[row]}", f"{links.b_device[row]}:{links.b_port[row]}"
        links_by_part["link", f"{a_end} to {b_end}"].add(row)
        for device, cage in ((links.a[row], links.a_cage[row]), (links.b[row], links.b_cage[row])):
            links_by_part["module", f"{devices.name[device]} socket {cage}"].add(row)
            is_switch = devices.kind[device] == "switch"
            if is_switch or row in links_of_nodes:
                links_by_part["switch" if is_switch else "host", devices.name[device]].add(row)
        if links.plane[row] and plane_count[links.fabric[row]] > 1:
            links_by_part["plane", f"{links.fabric[row]} plane {links.plane[row]}"].add(row)
    for (kind, name), members in links_by_part.items():
        if kind == "link" or len(members) > 1:
            yield Part(kind, name, frozenset(members))


def find_causes(
    parts: Iterable[Part], chances: Sequence[Mapping[int, float]], slow: Sequence[bool]
) -> list[tuple[tuple[int, ...], list[Suspect]]]:
    """Return the causes of slow runs: for each, the numbers of its runs and the suspected parts, the most probable
    first.

    `chances` has, by run, the chance that it passed each link (row); `slow` says whether it was slow. Each cause
    explains the runs that no earlier cause does. If runs do not tell many parts apart, what contains these is the
    suspect. Runs that share no part that is probable enough are the last cause, without suspects.
    """
    passes_by_part = _count_passes(parts, chances, slow)
    unexplained = {run for run, is_slow in enumerate(slow) if is_slow}
    causes = list[tuple[tuple[int, ...], list[Suspect]]]()
    while unexplained:
        scores = {part: _weigh_part(part, passes, slow, unexplained) for part, passes in passes_by_part.items()}
        ranked = sorted(scores, key=lambda part: (-scores[part], KINDS.index(part.kind), part.name))
        if not ranked or scores[ranked[0]] < _ENOUGH:
            return [*causes, (tuple(sorted(unexplained)), [])]
        best = scores[ranked[0]]
        explained = unexplained.intersection(passes_by_part[ranked[0]])
        # parts that are nearly as probable and explain the same runs: these do not tell the parts apart
        parts_near_best = (part for part in ranked if scores[part] > best - _ALIKE)
        equal_parts = [part for part in parts_near_best if unexplained.intersection(passes_by_part[part]) == explained]
        if len(equal_parts) > MOST_SUSPECTS:
            suspects = _find_holders(equal_parts, passes_by_part)
        else:
            suspected_parts = (part for part in ranked[:MOST_SUSPECTS] if scores[part] >= max(_ENOUGH, best - _NEAR))
            suspects = [Suspect(part, *_count_runs(passes_by_part[part], slow)) for part in suspected_parts]
        causes.append((tuple(sorted(explained)), suspects))
        unexplained -= explained
    return causes


def _count_passes(
    parts: Iterable[Part], chances: Sequence[Mapping[int, float]], slow: Sequence[bool]
) -> dict[Part, dict[int, float]]:
    """Return {part: {run: chance}}: the chance that each run passed a part, for parts that slow runs may have passed.

    `chances` has, by run, the chance that it passed each link (row). Links of which a run takes one exclude each other,
    so that their chances add up, to 1 at most. Modules that no run passes for more than one half are left out.
    """
    links_of_slow_runs = set().union(*compress(chances, slow))
    parts_by_link: dict[int, list[Part]] = defaultdict(list)
    for part in parts:
        for row in () if part.links.isdisjoint(links_of_slow_runs) else part.links:
            parts_by_link[row].append(part)
    passes_by_part: dict[Part, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for run, chance_by_link in enumerate(chances):
        for row, chance in chance_by_link.items():
            for part in parts_by_link.get(row, ()):
                passes_by_part[part][run] = min(1.0, passes_by_part[part][run] + chance)
    # if no run passes a module for certain, runs tell no more about it than about its links
    return {p: passes for p, passes in passes_by_part.items() if p.kind != "module" or max(passes.values()) > 1 / 2}


def _find_holders(equal_parts: Sequence[Part], all_parts: Iterable[Part]) -> list[Suspect]:
    """Return suspects that stand for many equal parts, which runs do not tell apart.

    If a few switches together have all links of the parts, these are the suspects, the one with most links first.
    Otherwise the first part is, as one of so many.
    """
    kind, links_left = equal_parts[0].kind, frozenset().union(*(part.links for part in equal_parts))
    switches = sorted((part for part in all_parts if part.kind == "switch"), key=lambda part: part.name)
    holders = list[Suspect]()
    while links_left and switches and len(holders) < MOST_SUSPECTS:
        holder = max(switches, key=lambda part: len(part.links & links_left))
        holders.append(Suspect(holder, 0, 0, sum(bool(part.links & holder.links) for part in equal_parts), kind))
        links_left -= holder.links
    return holders if not links_left else [Suspect(equal_parts[0], 0, 0, len(equal_parts), kind)]


def _weigh_part(part: Part, passes: Mapping[int, float], slow: Sequence[bool], unexplained: set[int]) -> float:
    """Return how much more probable the runs are if a part is at fault than if nothing is, as a logarithm.

    Right runs make the part less probable, and slow runs more, if no other cause explains them.
    """
    right = sum(log1p(-chance * (_SEEN - _FALSE) / (1 - _FALSE)) for run, chance in passes.items() if not slow[run])
    bad = sum(log1p(chance * (_SEEN / _FALSE - 1)) for run, chance in passes.items() if run in unexplained)
    return right - PRIOR * KINDS.index(part.kind) + bad


def _count_runs(passes: Mapping[int, float], slow: Sequence[bool]) -> tuple[int, int]:
    """Return how many slow, and how many right, runs are likely to have passed a part."""
    likely = [slow[number] for number, chance in passes.items() if chance > 1 / 2]
    return sum(likely), len(likely) - sum(likely)
