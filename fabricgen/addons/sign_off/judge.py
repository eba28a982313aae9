"""The judge of an acceptance test: each run beside its range, what was not tested, and which parts are at fault."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from fabricgen.addons.sign_off.coverage import Coverage, count_coverage, list_plan_choices
from fabricgen.addons.sign_off.network import Choice, Network
from fabricgen.addons.sign_off.results import READERS, Reading, read_trace
from fabricgen.addons.sign_off.runs import (
    COLLECTIVE,
    COLLECTIVE_BYTES,
    LOAD,
    MISSED,
    PING,
    UPLINKS,
    Plan,
    Run,
    find_busbw_range,
)
from fabricgen.addons.sign_off.suspects import Cause, Part, find_causes, list_parts

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


class Judge:
    """Judges results of a plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan, self._tracer = plan, Tracer(plan)
        self._planned = count_coverage(plan, ((run, list_plan_choices(plan, run)) for run in plan.runs if run.ends))
        of_nodes = {row for network in plan.networks for port in network.ports for row in port.links}
        rows = {row for network in plan.networks for row in network.gbps} | of_nodes
        self._parts = tuple(list_parts(plan.view, sorted(rows), of_nodes))

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
            run: self._tracer.trace(run, read_trace(files.get(f"{run.name}.trace", "")))
            for run in plan.runs
            if run.ends and f"{run.name}.txt" in files
        }
        crowded = _find_crowded(plan, steps_by_run)
        verdicts = tuple(_judge_run(plan, run, files.get(f"{run.name}.txt"), crowded.get(run, "")) for run in plan.runs)
        choices = {run: [step.choice for step in steps] for run, steps in steps_by_run.items()}
        done = [(v.run, choices[v.run]) for v in verdicts if v.state in (RIGHT, SLOW) and v.run in choices]
        untested = _find_untested(self._planned, count_coverage(plan, done))
        notes = [*plan.notes]
        if strange:
            notes.append(f"files of no run of this plan: {len(strange):,}, such as {strange[0]}")
        traced = sum(f"{run.name}.trace" in files for run in choices)
        findings = tuple(_list_findings(plan, self._parts, verdicts, choices))
        return Acceptance(plan, verdicts, findings, self._planned, untested, traced, tuple(notes))


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


class Step(NamedTuple):
    """The links of which a run takes one, and the switch from which it does; -1 where that is not known."""

    choice: Choice
    source: int


class Tracer:
    """Reads paths: which links a run took, by the addresses of switches on its way."""

    def __init__(self, plan: Plan) -> None:
        self._plan, links = plan, plan.view.links
        rows = {name: row for row, name in enumerate(plan.view.devices.name.tolist())}
        self._owner = {
            entry["prefix"].partition("/")[0]: rows[entry["device"]]
            for entry in plan.view.addresses.rows()
            if entry["device"] in rows
        }
        ends = zip(links.a_ip.tolist() + links.b_ip.tolist(), [*range(len(links))] * 2, strict=True)
        self._link = {prefix.partition("/")[0]: row for prefix, row in ends if prefix}

    def trace(self, run: Run, hops: Sequence[str]) -> list[Step]:
        """The steps of a run of two ports, from its trace if that tells all of them."""
        network = self._plan.find_network(run.fabric)
        between = self._find_steps(network, run.ends[0].leaf, run.ends[1].leaf, hops) if hops else None
        if between is None:
            return [Step(choice, -1) for choice in network.list_choices(*run.ends)]
        return [Step(Choice(port.links), -1) for port in run.ends] + between

    def _find_steps(self, network: Network, first: int, last: int, hops: Sequence[str]) -> list[Step] | None:
        switches = [self._owner.get(hop, -1) for hop in hops]
        # the switches at the nodes are known, whether they answer or not
        count = 2 * (network.meet(first, last) or 0) + 1
        switches = [first, *switches[1 : count - 1], last] if len(switches) >= count - 1 else []
        steps = []
        for number, (near, far) in enumerate(pairwise(switches), start=1):
            links = network.between.get((near, far))
            if not links:
                return None
            entered = self._link.get(hops[number]) if number < len(hops) else None
            steps.append(Step(Choice((entered,) if entered in links else links), near))
        return steps or None


def _find_crowded(plan: Plan, steps_by_run: Mapping[Run, Sequence[Step]]) -> dict[Run, str]:
    """By run whose path met others of its round on a link that does not carry them all, what is to be said of that."""
    taken: dict[tuple[int, int, int], list[Run]] = defaultdict(list)
    for run, steps in steps_by_run.items():
        for step in steps:
            if run.kind == UPLINKS and step.source >= 0 and len(step.choice.links) == 1:
                taken[run.round, step.source, step.choice.links[0]].append(run)
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
        {row: 1.0 if v.run.kind == LOAD else c.share for c in choices[v.run] for row in c.links} for v in evidence
    ]
    causes = find_causes(parts, chances, [v.state != RIGHT for v in evidence])
    hosts: set[str] = set()
    for cause in causes:
        runs = tuple(evidence[number].run for number in cause.runs)
        hosts |= {port.host for run in runs for port in run.ends}
        yield Finding(
            runs, tuple(describe_suspect(plan, cause, number) for number in range(len(cause.suspects))), _advise(cause)
        )
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


def describe_suspect(plan: Plan, cause: Cause, number: int) -> str:
    """A suspect in words: what it is, where, and how many of its runs are slow."""
    suspect = cause.suspects[number]
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


def _advise(cause: Cause) -> str:
    if not cause.suspects:
        return "no part is in all of them that right runs do not clear: repeat them"
    return ADVICE[cause.suspects[0].part.kind]


PLURALS = {"link": "links", "module": "modules", "host": "hosts", "switch": "switches", "plane": "planes"}
ADVICE = {
    "link": "look at its speed, its counters and the light at both ends; exchange the cable, then the modules",
    "module": "seat it again, then exchange it",
    "host": "look at PCIe width and speed of its NICs, their firmware, and what else runs there",
    "switch": "look at its counters, its temperature and its QoS; it may be one of its links to other switches",
    "plane": "look at what its switches have in common: image, QoS, routes",
}
"""What to look at first, by kind of part."""
