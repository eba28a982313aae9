"""From wishes to candidates: closed forms prune, what is left is compiled, and what is shown is wired and linted.

Every shape that the arithmetic of ports does not exclude becomes a blueprint and a design (some milliseconds each), of
which is known what it costs at least. Those on the front by that are expanded into wiring plans, judged by every rule
of lint, and counted with their lengths, media and prices; what does not lint clean goes. Then the front is taken again,
until all of it has been judged: what is left out is beaten even if it cost no more than it does at least.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from math import isqrt
from pathlib import Path
from typing import TypeVar

from fabricgen.catalog.loader import Catalog
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import InputError, Severity
from fabricgen.pipeline import compile_cluster, compile_design
from fabricgen.size.figures import Figures, figures_of, measured, replugged
from fabricgen.size.front import HUNGRY, Candidate, front_of, near_alike, nothing, refuse_hungry_nodes
from fabricgen.size.shapes import ROLE, Hardware, Ports, Shape, likeness, most_nodes, nodes_for, shapes
from fabricgen.size.wishes import Wishes

SHUFFLED = "fibre shuffles between split NICs and split cages deal out the pairs"
ACCOUNTS = "accounts are for you to state, in management.users"


@dataclass(frozen=True)
class Found:
    """What a search found: the front, the candidates that it beats, and why others are none.

    `tried` shapes were looked at, `compiled` were made into designs; `reasons` counts the others by why they are no
    candidates.
    """

    wishes: Wishes
    hardware: Hardware
    axes: tuple[str, ...]
    front: tuple[Candidate, ...]
    beaten: tuple[Candidate, ...]
    tried: tuple[Shape, ...]
    compiled: int
    reasons: tuple[tuple[str, int], ...]
    near: Mapping[str, tuple[Candidate, ...]]
    """By name of one of the front: those of other planes that are nearly alike, though beaten."""


def find(wishes: Wishes, *, folder: Path, jobs: int, every: bool = False) -> Found:
    """Search for what is wished; own profiles lie in `catalog/` of the folder.

    With `every` the candidates that are beaten are wired and linted too. Raises InputError: FG150 where nothing fits,
    with the reasons and the nearest that would; FG011 for a profile that is not there; FG001 and FG031 for prices.
    """
    hardware = Hardware(wishes, Catalog(folder / "catalog"))
    nodes = nodes_for(wishes.gpus, hardware)
    refuse_hungry_nodes(hardware, nodes)
    work = Work(hardware, nodes, str(folder / "size.yaml"), _prices(wishes, folder))
    reasons = Counter[str]()
    tried = list(dict.fromkeys(shapes(hardware, nodes)))
    designed = sized(tried, work, jobs, reasons)
    axes = wishes.compared_by
    judged = partial(_judged, work=work, jobs=jobs, reasons=reasons)
    candidates = judged(designed, (lambda all_of_them: all_of_them) if every else partial(front_of, axes=axes))
    if not candidates:
        raise nothing(hardware, nodes, reasons, _most_frugal(tried, work, jobs) if HUNGRY in reasons else None)
    candidates = judged(candidates, partial(_near, axes=axes))
    candidates = sorted(candidates, key=lambda one: (one.place(axes), one.name))
    front, beaten = _parted(candidates, axes)
    counts = (tuple(tried), len(designed), tuple(reasons.most_common()))
    return Found(wishes, hardware, axes, tuple(front), tuple(beaten), *counts, near_alike(front, beaten, axes))


def _most_frugal(tried: Sequence[Shape], work: Work, jobs: int) -> Candidate | None:
    """The design that draws least of all that lint clean, whatever is allowed, with the figures of its plan."""
    wishes = work.hardware.wishes.model_copy(update={"max_power": None})
    free = replace(work, hardware=Hardware(wishes, work.hardware.catalog))
    designed = [one for one in sized(tried, free, jobs, Counter()) if one.figures.power_w is not None]
    made = _judged(designed, lambda left: front_of(left, ("power",)), free, jobs, Counter())
    return min((one for one in made if one.checked), key=lambda one: (one.figures.draw_w, one.name), default=None)


def _parted(candidates: Sequence[Candidate], axes: tuple[str, ...]) -> tuple[list[Candidate], list[Candidate]]:
    """The front, and what it beats."""
    front = front_of(candidates, axes)
    names = {one.name for one in front}
    return front, [one for one in candidates if one.name not in names]


def _near(candidates: Sequence[Candidate], axes: tuple[str, ...]) -> list[Candidate]:
    """The front, and those of other planes that are nearly alike."""
    front, beaten = _parted(candidates, axes)
    near = {other.name: other for others in near_alike(front, beaten, axes).values() for other in others}
    return [*front, *near.values()]


def sized(tried: Sequence[Shape], work: Work, jobs: int, reasons: Counter[str]) -> list[Candidate]:
    """The designs of some shapes, those alike as one; `reasons` counts the others by why they are no candidates."""
    fitting: dict[object, list[Shape]] = {}
    short: list[tuple[Shape, int]] = []
    for shape in tried:
        ports, reach = work.hardware.ports(shape.switch, shape.planes), most_nodes(shape, work.hardware)
        if isinstance(ports, str):
            reasons[ports] += 1
        elif reach < work.nodes:
            short.append((shape, reach))
        else:
            fitting.setdefault(likeness(shape, work.hardware, work.nodes), []).append(shape)
    carried = [shape for shapes_alike in fitting.values() for shape in shapes_alike]
    reasons.update(_too_small(short, carried, work.hardware))
    return _merged(_of_all(work.sized, list(fitting.values()), jobs, reasons))


_MEET = {
    "spine": ", rails meeting in spines",
    "core": ", rails meeting in cores",
    "leaf": ", rails meeting in the leaf",
    "": ", rails apart",
}


def _too_small(short: Sequence[tuple[Shape, int]], carried: Sequence[Shape], hardware: Hardware) -> Counter[str]:
    """How many shapes carry too few nodes, and how many they carry: of tiers, switch and planes together.

    Where others of these carry enough, by where rails meet; and where others of that do too, with the greatest of them.
    """
    fits = {(shape.tiers, shape.switch, shape.planes) for shape in carried}
    fits_so = {(shape.tiers, shape.switch, shape.planes, shape.meet) for shape in carried}
    groups: dict[tuple[str, bool], list[tuple[int, str]]] = {}
    for shape, reach in short:
        own = (shape.tiers, shape.switch, shape.planes)
        where = f"{shape.tiers} tier{'s' * (shape.tiers > 1)} of {shape.switch}"
        where += f" in {shape.planes} plane{'s' * (shape.planes > 1)}"
        where += _MEET[shape.meet] if own in fits else ""
        groups.setdefault((where, (*own, shape.meet) in fits_so), []).append((-reach, shape.name))
    found = Counter[str]()
    for (where, such), each in groups.items():
        most, name = min(each)
        gpus = f"{-most * hardware.gpus_per_node:,} GPUs at most" if most else "a leaf is too small"
        found[f"{where}{f', such as {name}' * such}: {gpus}"] += len(each)
    return found


def _prices(wishes: Wishes, folder: Path) -> dict[str, float] | None:
    """Unit prices; of a file that the wishes name, and not an option, no fault repeats what is in it."""
    from fabricgen.bom.prices import read_price_list

    try:
        return read_price_list(folder / wishes.prices).unit_prices if wishes.prices else None
    except InputError as error:  # a file that is not there has no line of its own
        if wishes.prices and not Path(wishes.prices).is_absolute():
            untold = "the prices cannot be read from here on", f"`fabricgen bom --prices {wishes.prices}` says why"
            told = [
                replace(d, message=untold[0], hint=untold[1]) if d.code == "FG031" else replace(d, span=None)
                for d in error.diagnostics
            ]
            error = InputError(told)
        raise InputError(d if d.span else replace(d, path=("prices",)) for d in error.diagnostics) from error


@dataclass(frozen=True)
class Work:
    """What worker processes do with a shape or a candidate; a reason in words where it is none."""

    hardware: Hardware
    nodes: int
    path: str
    prices: dict[str, float] | None

    def sized(self, alike: Sequence[Shape]) -> list[Candidate | str]:
        """The candidates of the first of some shapes that are alike, or of the next where that cannot be wired."""
        made: list[Candidate | str] = []
        for number, shape in enumerate(alike, 1):
            found = self._sized(shape)
            others = alike[number:]
            for one in found:
                if isinstance(one, Candidate):
                    ready = tuple(replace(other, ready=one.shape.ready) for other in others)
                    made.append(replace(one, alike=ready))
                else:
                    made.append(one)
            if any(isinstance(one, Candidate) for one in found):
                break
        return made

    def next_alike(self, candidate: Candidate) -> list[Candidate]:
        """The candidate that takes the place of one that does not lint clean, if any."""
        made = self.sized([replace(shape, ready=False) for shape in candidate.alike])
        return [one for one in made if isinstance(one, Candidate) and one.shape.ready == candidate.shape.ready]

    def _sized(self, shape: Shape) -> list[Candidate | str]:
        """The candidates of a shape: as it is, and with the upper tiers that its growth takes."""
        try:
            text = blueprint_text(shape, self.hardware, self.nodes)
            design = self._design(text)
            found = [self._candidate(shape, text, design, None)]
        except InputError as error:
            return [f"{error.diagnostics[0].code}: {error.diagnostics[0].message}"]
        later = nodes_for(self.hardware.wishes.growth_to or 0, self.hardware)
        if not later or most_nodes(shape, self.hardware) < later:
            return [*found]
        try:
            grown = self._design(blueprint_text(shape, self.hardware, later))
        except InputError:
            return [*found]
        found = [self._candidate(shape, text, design, grown)]
        counts = {tier.name: tier.count for tier in grown.fabrics[0].tiers[1:]}
        if counts != {tier.name: tier.count for tier in design.fabrics[0].tiers[1:]}:
            ready = replace(shape, ready=True)
            text = blueprint_text(ready, self.hardware, self.nodes, counts)
            with suppress(InputError):
                found.append(self._candidate(ready, text, self._design(text), grown))
        return [*found]

    def _design(self, text: str) -> Design:
        return compile_design(self.path, unsaved={self.path: text.encode()}, advise=False)

    def _candidate(self, shape: Shape, text: str, design: Design, grown: Design | None) -> Candidate | str:
        figures = figures_of(design, self.prices)
        if grown is not None:
            figures = replace(figures, growth=replugged(design, grown))
        return self._too_hungry(figures) or Candidate(shape, text, figures)

    def _too_hungry(self, figures: Figures) -> str:
        """Why a candidate draws too much; "" where it does not, or nobody knows what it draws."""
        limit = self.hardware.wishes.max_power
        return HUNGRY if limit is not None and figures.draw_w > limit else ""

    def judged(self, candidate: Candidate) -> list[Candidate | str]:
        """A candidate with the figures of its wiring plan, if it lints clean."""
        from fabricgen.lint.engine import lint

        try:
            design = self._design(candidate.text)
            cluster = compile_cluster(design)
            codes = {d.code: d.message for d in lint(design, cluster).findings if d.severity > Severity.INFO}
            waivers = self._waivers(candidate.shape, codes)
            if waivers:
                text = f"{candidate.text}lint:\n  waive:\n" + "".join(f"    - {line}\n" for line in waivers)
                candidate = replace(candidate, text=text)
                design = self._design(text)
                found = lint(design, replace(cluster, design=design)).findings
                codes = {d.code: d.message for d in found if d.severity > Severity.INFO}
        except InputError as error:
            codes = {d.code: d.message for d in error.diagnostics}
        if codes:
            code, message = min(codes.items())
            return [f"{code}: {message}"]
        figures = measured(cluster, candidate.figures, self.prices)
        return [self._too_hungry(figures) or replace(candidate, figures=figures, checked=True)]

    def _waivers(self, shape: Shape, codes: dict[str, str]) -> list[str]:
        """Waivers of what a blueprint from here leaves to its user, where all findings are such."""
        ports = self.hardware.ports(shape.switch, shape.planes)
        known = {"FG719": f'{{rule: FG719, why: "{ACCOUNTS}"}}'}
        if isinstance(ports, Ports) and ports.ways >= 4:
            known["FG603"] = f"{{rule: FG603, at: fabrics/compute, why: {SHUFFLED}}}"
        return [known[code] for code in sorted(codes)] if codes.keys() <= known.keys() else []


Item = TypeVar("Item")
Made = list[Candidate | str]


def _of_all(work: Callable[[Item], Made], items: Sequence[Item], jobs: int, reasons: Counter[str]) -> list[Candidate]:
    """What workers make of all items, in order; reasons of those that are no candidates are counted."""
    from fabricgen.publish.workers import in_order

    found: list[Candidate] = []
    for made in in_order(partial(_nth, work, items), len(items), jobs if len(items) > 8 else 1):
        for one in made:
            if isinstance(one, str):
                reasons[one] += 1
            else:
                found.append(one)
    return found


def _nth(work: Callable[[Item], Made], items: Sequence[Item], number: int) -> Made:
    return work(items[number])


def _merged(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Candidates of one switch whose designs are alike in every figure as one, under the name of the first."""
    found: dict[object, list[Candidate]] = {}
    for one in candidates:
        figures = one.figures
        own = (one.shape.switch, one.shape.planes, one.shape.attach == "tor", one.shape.ready)
        key = (*own, tuple(figures.switches.items()), *(figures.on(axis) for axis in _COUNTED))
        found.setdefault(key, []).append(one)
    return [
        replace(one, alike=(*one.alike, *(shape for other in others for shape in (other.shape, *other.alike))))
        for one, *others in found.values()
    ]


_COUNTED = ("links", "cables", "optics", "bisection", "growth", "hops")


def _judged(
    candidates: list[Candidate],
    wanted: Callable[[list[Candidate]], list[Candidate]],
    work: Work,
    jobs: int,
    reasons: Counter[str],
) -> list[Candidate]:
    """The candidates without those wanted of them that do not lint clean, in whose place comes the next that is alike;
    what is judged has the figures of its plan.
    """
    while True:
        asked = [one for one in wanted(candidates) if not one.checked]
        if not asked:
            return candidates
        made = {one.name: one for one in _of_all(work.judged, asked, jobs, reasons)}
        instead = {one.name: work.next_alike(one) for one in asked if one.name not in made}
        candidates = [other for one in candidates for other in instead.get(one.name, [made.get(one.name, one)])]


# The blueprint of a shape: text as a person would write it.
# Links are fibre, but for those between the nodes and the leaf of a rack, which are copper where it can be.

NAME_LENGTH = 32
"""Characters of a blueprint's name, at most."""

USUAL_PITCH_M = 0.6
"""Between the centres of racks in a row, m."""

IN_RACK_M = 3
"""As far as copper of 100G lanes reaches, which is far enough in a rack, m."""


def blueprint_text(shape: Shape, hardware: Hardware, nodes: int, counts: Mapping[str, int] | None = None) -> str:
    """The blueprint of a shape with so many nodes; `counts` are stated switches of a group, by tier.

    The shape is one that the node's NICs fit. Servers of the example are the user's to replace.
    """
    ports = hardware.ports(shape.switch, shape.planes)
    assert isinstance(ports, Ports)  # noqa: S101 - shapes that do not fit have been sorted out
    protocol = "infiniband" if ports.profile.protocol == "infiniband" else "roce"
    name = "size-" + shape.name.replace(f"-{shape.switch}", "")
    lines = [
        f"# {nodes * hardware.gpus_per_node:,} GPUs in {nodes:,} nodes, as `fabricgen size` laid them out",
        "fabricgen: 1",
        f"name: {name[:NAME_LENGTH].rstrip('-')}",
        f"scalable_unit: {{nodes: {shape.unit} x {hardware.node.id}, racks: {_racks(hardware)}}}",
        f"pods: {_pods(shape, nodes)}",
        *_scale_up(hardware),
        "fabrics:",
        f"  {ROLE}:",
        f"    protocol: {protocol}",
        *([f"    planes: {shape.planes}"] if shape.planes > 1 else []),
        *_rail_groups(shape, hardware),
        "    tiers:",
        *(f"      {tier}" for tier in _tiers(shape, hardware, counts or {})),
        *(["    routing: {underlay: ebgp-unnumbered}"] if protocol == "roce" else []),
        *(_operating(ports, hardware) if protocol == "roce" else []),
        f"floor: {{racks_per_row: {_row(hardware, nodes)}{_pitch(hardware)}}}",
        f"cabling: {{copper_to_m: {IN_RACK_M if shape.attach == 'tor' else 0}}}",
    ]
    return "\n".join(lines) + "\n"


def _racks(hardware: Hardware) -> str:
    if hardware.rack:
        return f"{{type: {hardware.rack.id}}}"
    return f"{{nodes_per_rack: {hardware.in_rack}}}"


def _scale_up(hardware: Hardware) -> list[str]:
    """The scale-up domain that the node's profile names."""
    domain = hardware.node.scale_up
    if not domain or domain not in hardware.catalog.ids("scale_up"):
        return []
    return [f"scale_up: {{nvlink: {{domain: {domain}, per: {'rack' if hardware.rack else 'node'}}}}}"]


def _pods(shape: Shape, nodes: int) -> str:
    """Pods of equal size, and a last one with what is left; its last unit may be part filled."""
    units = -(-nodes // shape.unit)
    each = shape.pod or units
    full, rest = divmod(units, each)
    short = nodes < units * shape.unit
    if short and not rest:
        full, rest = full - 1, each
    pods = []
    if full:
        pods.append(f"p1: {{su: {each}" + (f", count: {full}" if full > 1 else "") + "}")
    if rest:
        left = nodes - full * each * shape.unit
        pods.append(f"p{full + 1}: {{su: {rest}" + (f", nodes: {left}" if short else "") + "}")
    return f"{{{', '.join(pods)}}}"


def _rail_groups(shape: Shape, hardware: Hardware) -> list[str]:
    """Neighbouring rails share a leaf, unless all or none do."""
    if shape.rails in (1, hardware.rails):
        return []
    rails = range(1, hardware.rails + 1, shape.rails)
    groups = ", ".join(f"[{', '.join(map(str, range(first, first + shape.rails)))}]" for first in rails)
    return [f"    rail_groups: [{groups}]"]


def _tiers(shape: Shape, hardware: Hardware, counts: Mapping[str, int]) -> list[str]:
    """The tiers: what each is grouped by, and what is stated of it."""
    rail = {1: ["rail"], hardware.rails: []}.get(shape.rails, ["rail-group"])
    rail = [] if hardware.rails == 1 else rail
    plane = ["plane"] if shape.planes > 1 else []
    apart = rail if shape.meet not in ("spine", "leaf") else []
    place = {"tor": ["rack"], "rail": ["su"], "group": ["su"]}[shape.attach] if shape.tiers > 1 else []
    spine = [*(["pod"] if shape.tiers == 3 else []), *apart, *plane]
    core = [*(apart if shape.meet == "" else []), *plane, *(["spine"] if shape.by_spine else [])]
    tiers = [("leaf", [*place, *rail, *plane]), ("spine", spine), ("core", core)][: shape.tiers]
    found = []
    for name, per in tiers:
        keys = [f"switch: {shape.switch}", f"per: [{', '.join(per)}]"]
        if name == "leaf" and shape.tiers > 1 and shape.ratio != 1:
            keys.append(f'oversubscription: "{shape.ratio.numerator}:{shape.ratio.denominator}"')
        if name == "leaf" and shape.attach == "tor" and shape.tiers > 1:
            keys.append("media: {up: [SR, DR, FR, LR]}")
        if name == "leaf" and hardware.wishes.spare_ports:
            keys.append(f"spare_ports: {hardware.wishes.spare_ports}")
        if name in counts:
            keys.append(f"count: {counts[name]}")
        found.append(f"{name}: {{{', '.join(keys)}}}")
    return found


def _operating(ports: Ports, hardware: Hardware) -> list[str]:
    """The NOS, and the servers and accounts that its switches need: examples, which are the user's to replace."""
    usable = hardware.catalog.list_usable_nos(ports.profile)
    # ports by a table of the platform are the surest: nothing of them is assumed
    nos = next((nos for nos in usable if hardware.catalog.naming(nos).has_tables), usable[0])
    servers = "ntp: [10.32.0.4, 10.32.0.5, 10.32.0.10, 10.32.0.11], syslog: {servers: 10.32.0.6}"
    return [f"nos: {nos}", f"management: {{{servers}}}  # yours"]


def _pitch(hardware: Hardware) -> str:
    """The pitch of racks where they are wider than usual."""
    width = hardware.rack.width_m if hardware.rack else 0
    return f", rack_pitch_m: {width:g}" if width > USUAL_PITCH_M else ""


def _row(hardware: Hardware, nodes: int) -> int:
    """Racks of a row so that the hall is about square: rows are four times as far apart as racks."""
    racks = -(-nodes // hardware.in_rack)
    return max(16, -(-2 * isqrt(racks) // 8) * 8)
