"""Build a page, and compare its devices, links and ports with the facts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from fabricgen.adopt.facts import End, Facts, Link
from fabricgen.adopt.forms import PLACES, Coordinates, FabricForm, make_tuple
from fabricgen.adopt.matching import NOBODY, Kind, PortWalk, SeenLinks, make_port_graph
from fabricgen.adopt.models import name_adapter
from fabricgen.adopt.positions import BY_NAMES, Order
from fabricgen.adopt.tiers import number_group_members
from fabricgen.adopt.units import Units
from fabricgen.adopt.words import write_files
from fabricgen.blueprint.load import load_blueprint
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import NodeProfile, SwitchProfile
from fabricgen.design.build import build_design
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.design.shape import list_inner_dimensions
from fabricgen.kernel.diagnostics import InputError
from fabricgen.numbering.names import find_stated_places, name_devices
from fabricgen.numbering.ports import PortNames
from fabricgen.verify.port_numbers import list_synonyms
from fabricgen.wiring.arrays import Flags, Floats, Ints64, unique_inverse, unique_values
from fabricgen.wiring.cabling.plugs import find_connector
from fabricgen.wiring.expand import build_wiring_plan
from fabricgen.wiring.links.columns import make_tier_columns
from fabricgen.wiring.tables import EXTRA, NODE, SWITCH, TRAY, DeviceClass, WiringPlan

PAGE = "adopted.yaml"
"""The name of a page while it is tried; it is read from memory."""


def design_page(words: Mapping[str, Any], catalog: Catalog | None = None) -> Design:
    """Return the design of a page; raises InputError if the page has an error."""
    loaded = load_blueprint(PAGE, unsaved=write_files(words, PAGE))
    return build_design(loaded, advise=False, catalog=catalog)


_RATE_BITS = 16
"""With so many bits, a rate in Gb/s and an end are one number."""
_WIRED = ("catalog", "layout", "fabrics", "scale_up", "tenants")
"""The parts of a design that its wiring follows from."""


class Wired(NamedTuple):
    """A page that was wired: a cluster without addresses, which are not needed to compare links."""

    design: Design
    plan: WiringPlan
    names: Sequence[str]
    port_names: PortNames


class HopelessError(Exception):
    """A page gives too few links, whichever device is which."""


@dataclass
class Trial:
    """A page that was wired, compared with the facts.

    `seen_names` has the seen name of planned devices by the planned one; `unplaced` are seen devices without a planned
    one. A device has a number: first those of `seen`, then the planned ones that were not seen. A port has one too.
    """

    wired: Wired
    facts: Facts
    seen: SeenLinks
    seen_names: dict[str, str] = field(default_factory=dict)
    unplaced: tuple[str, ...] = ()
    unexplained: Mapping[str, float] = field(default_factory=dict)
    """By fabric the length of what the page does not give, once that was measured: see `search`."""

    def rename(self, wired: Wired) -> Trial:
        """Return this trial for another page that is wired alike, with the device names of that page.

        If names differ, what was computed with the old ones is forgotten, and `unexplained` too.
        """
        renamed = copy(self)
        renamed.wired = wired
        if list(wired.names) != list(self.wired.names):
            pairs = zip(self.wired.names, wired.names, strict=True)
            renamed.seen_names = {new: self.seen_names[old] for old, new in pairs if old in self.seen_names}
            renamed.unexplained = {}
            for property_name in ("_devices", "unseen"):
                renamed.__dict__.pop(property_name, None)
        return renamed

    @cached_property
    def _devices(self) -> list[str]:
        """The names of all devices by number; planned ones that were not seen go by their planned names."""
        return [*self.seen.devices, *self.wired.names]

    @cached_property
    def keys(self) -> list[tuple[Any, ...]]:
        """The key of each planned device; see `list_keys`."""
        return list(list_keys(self.wired))

    @cached_property
    def _port_numbers(self) -> dict[str, int]:
        """The number of each name of a port; those of the plan come first."""
        return {name: number for number, name in enumerate(self.wired.port_names.port_columns[0].vocabulary.tolist())}

    @cached_property
    def _port_base(self) -> int:
        """More than there are names of ports. An end is one number: that of its device times this, plus that of its
        port.
        """
        return len(self.wired.port_names.port_columns[0].vocabulary) + len(self.seen.texts) + 1

    @cached_property
    def _is_cabled(self) -> Flags:
        """Whether each planned link is not of scale-up, bool."""
        links = self.wired.plan.links
        return np.array([segment.tier is not None for segment in links.segments], dtype=bool)[links.segment]

    @cached_property
    def _planned_columns(self) -> list[tuple[Ints64, Ints64]]:
        """(planned device, port) of either end of each planned link that is not of scale-up, int64."""
        links = self.wired.plan.links
        devices, columns = (links.a_device, links.b_device), self.wired.port_names.port_columns
        return [
            (device_column[self._is_cabled].astype(np.int64), column.codes[self._is_cabled].astype(np.int64))
            for device_column, column in zip(devices, columns, strict=True)
        ]

    @cached_property
    def _seen_columns(self) -> list[tuple[Ints64, Ints64]]:
        """(seen device, port) of either end of each seen link, int64; a port that the plan has gets its number
        there.
        """
        return [(device, port) for (device, _), port in zip(self.seen.ends, self._spell_ports(), strict=True)]

    @cached_property
    def planned_ends(self) -> tuple[Ints64, Ints64]:
        """The two ends of each planned link, each as one int64, the lesser first."""
        rows = {name: row for row, name in enumerate(self.seen.devices)}
        number = [rows.get(self.seen_names.get(n, ""), len(rows) + i) for i, n in enumerate(self.wired.names)]
        devices = np.array(number, dtype=np.int64)
        ends = [devices[device] * self._port_base + port for device, port in self._planned_columns]
        return np.minimum(*ends), np.maximum(*ends)

    @cached_property
    def seen_ends(self) -> tuple[Ints64, Ints64]:
        """The two ends of each seen link, each as one int64, the lesser first."""
        ends = [device * self._port_base + port for device, port in self._seen_columns]
        return np.minimum(*ends), np.maximum(*ends)

    @cached_property
    def _planned_kind(self) -> Ints64:
        """By planned device its number in `seen.kinds`, int64; -1 if none of its kind was seen."""
        kinds = {kind: number for number, kind in enumerate(self.seen.kinds)}
        devices = self.wired.plan.devices
        numbers = [kinds.get(_find_kind(cls), -1) for cls in devices.classes]
        return np.array(numbers, dtype=np.int64)[devices.device_class]

    def _spell_ports(self) -> list[Ints64]:
        """Return the port of either end of each seen link by number, int64: that of its planned name if there is one.

        A name that a dump has for a port may be another than the planned one; what it means is looked up once for each
        kind of devices and name.
        """
        vocabulary = self.wired.port_names.port_columns[0].vocabulary
        used: dict[int, set[str]] = defaultdict(set)
        for device, port in self._planned_columns:
            for pair in unique_values((self._planned_kind[device] + 1) * self._port_base + port):
                used[pair // self._port_base - 1].add(vocabulary[pair % self._port_base])
        catalog, spellings, legs = self.wired.design.catalog, dict[int, Callable[[str], str]](), self._find_legs()
        for cls in self.wired.plan.devices.classes:
            number = int(self._planned_kind[cls.first]) if cls.count else -1
            spellings[number] = _make_spelling(cls.profile, cls.nos, used[number], catalog, legs[number])
        result = []
        for device, text in self.seen.ends:
            values, inverse = unique_inverse((self.seen.kind[device] + 1) * self._port_base + text)
            codes = []
            for value in values:
                told, kind = self.seen.texts[value % self._port_base], value // self._port_base - 1
                name = spellings[kind](told) if kind >= 0 and kind in spellings else told
                codes.append(self._port_numbers.setdefault(name, len(self._port_numbers)))
            result.append(np.array(codes, dtype=np.int64)[inverse])
        return result

    def _find_legs(self) -> dict[int, dict[str, int]]:
        """Return how many legs the splitter in each connector of a switch has, in the plan: {kind: {connector: legs}}.

        A kind is the number of a kind of devices in `seen.kinds` (-1: none of the kind was seen). A connector is
        `9/1`, connector 1 of cage 9, or `9` if the cage has one alone. Only InfiniBand switches have entries, as their
        names of ports count the legs of splitters; other kinds give {}.
        """
        legs, links = defaultdict[int, dict[str, int]](dict), self.wired.plan.links
        for number, segment in enumerate(links.segments):
            for side, device, port in (
                (segment.a, links.a_device, links.a_port),
                (segment.b, links.b_device, links.b_port),
            ):
                if segment.protocol != "infiniband" or not isinstance(side, PortRun) or side.links_per_connector == 1:
                    continue
                rows = links.find_rows(number)
                for pair in unique_values((self._planned_kind[device[rows]] + 1) * side.numbers + port[rows]):
                    cage, connector = side.cages[pair % side.numbers // side.ways], find_connector(side, pair)
                    socket = f"{cage}/{connector + 1}" if connector >= 0 else str(cage)
                    legs[pair // side.numbers - 1][socket] = side.links_per_connector
        return legs

    def match_by_ports(self, earlier: Mapping[str, str]) -> None:
        """Set `seen_names` and `unplaced` anew: find which planned device each seen one is by walking from port to port
        (`matching`), from the names so far as a guess.

        `earlier` has the `seen_names` of an earlier trial, {} if there was none. They are kept if no seen link is
        missing under them; otherwise they are tried as a guess before the names so far.
        """
        if earlier and self._fits_names(earlier):
            return
        planned = make_port_graph(self._planned_columns, self._planned_kind)
        seen = make_port_graph(self._seen_columns, self.seen.kind)
        row_of = {name: row for row, name in enumerate(self.wired.names)}
        # guesses: seen name -> row of the planned device
        planned_of = {name: row_of[planned] for planned, name in self.seen_names.items()}
        earlier_of = {name: row_of[planned] for planned, name in earlier.items() if planned in row_of}
        guesses = [
            np.array([guess.get(name, NOBODY) for name in self.seen.devices], dtype=np.int64)
            for guess in ([earlier_of, planned_of] if earlier_of else [planned_of])
        ]
        places = PortWalk(planned, seen).find_places(*guesses).tolist()
        matched = {self.wired.names[row]: name for name, row in zip(self.seen.devices, places, strict=True) if row >= 0}
        # devices without links, such as trays, stay where they were guessed to be
        linked = set(self.seen.devices)
        self.seen_names = {p: s for p, s in self.seen_names.items() if s not in linked and p not in matched} | matched
        self.unplaced = tuple(sorted(set(self.unplaced) - set(matched.values())))

    def _fits_names(self, earlier: Mapping[str, str]) -> bool:
        """Whether no seen link is missing under the names of an earlier trial, which are kept then."""
        planned_names, previous = set(self.wired.names), (self.seen_names, self.unplaced)
        placed = {*self.seen_names.values(), *self.unplaced}
        self.seen_names = {planned: seen for planned, seen in earlier.items() if planned in planned_names}
        self.unplaced = tuple(sorted(placed - set(self.seen_names.values())))
        if self.is_missing.any():
            self.seen_names, self.unplaced = previous
            del self.planned_ends, self.is_missing
            return False
        return True

    @cached_property
    def is_missing(self) -> Flags:
        """Whether each seen link is missing in the plan, bool."""
        return ~_are_in(self.seen_ends, self.planned_ends)

    @cached_property
    def is_wrong(self) -> Flags:
        """Whether each seen link is missing in the plan, or runs at another rate than the planned one, bool."""
        links, gbps = self.wired.plan.links, self.seen.gbps
        if not gbps.any():
            return self.is_missing
        of_segments = np.array([int(segment.speed_gbps) for segment in links.segments], dtype=np.int64)
        planned_gbps = of_segments[links.segment[self._is_cabled]]
        seen_ends, planned_ends = (
            ends[0] << _RATE_BITS | rates for ends, rates in ((self.seen_ends, gbps), (self.planned_ends, planned_gbps))
        )
        return self.is_missing | ((gbps > 0) & ~find_among(seen_ends, planned_ends))

    def count_surely_missing(self) -> tuple[Ints64, Ints64]:
        """Return (rows of seen links, how many links like each are missing whichever device is which), int64.

        There is one row for all links that are alike: their ends are the same ports of the same kinds of devices.
        """
        base = (len(self.seen.kinds) + 1) * self._port_base
        link_signs = []  # a number for the kinds and ports of either end: of seen links, then of planned ones
        for columns, kind in ((self._seen_columns, self.seen.kind), (self._planned_columns, self._planned_kind)):
            end_signs = [(kind[device] + 1) * self._port_base + port for device, port in columns]
            link_signs.append(np.minimum(*end_signs) * base + np.maximum(*end_signs))
        seen_signs, rows, counts = np.unique(link_signs[0], return_index=True, return_counts=True)
        planned_signs, planned_counts = np.unique(np.append(link_signs[1], -1), return_counts=True)
        row = np.minimum(np.searchsorted(planned_signs, seen_signs), len(planned_signs) - 1)
        return rows, np.maximum(counts - np.where(planned_signs[row] == seen_signs, planned_counts[row], 0), 0)

    @cached_property
    def missing(self) -> tuple[Link, ...]:
        """The seen links that the plan does not have."""
        return tuple(self.facts.links[row] for row in np.flatnonzero(self.is_missing).tolist())

    @cached_property
    def unseen_ends(self) -> tuple[list[Ints64], list[list[str]]]:
        """The planned links that were not seen: (device numbers of the two ends, port names of the two ends).

        Either has two columns with an element for each link; device numbers are int64, as in `_devices`.
        """
        is_unseen = ~_are_in(self.planned_ends, self.seen_ends)
        names = list(self._port_numbers)
        ends = [ends[is_unseen] for ends in self.planned_ends]
        return [numbers // self._port_base for numbers in ends], [
            [names[port] for port in (numbers % self._port_base).tolist()] for numbers in ends
        ]

    @cached_property
    def unseen(self) -> tuple[tuple[End, End], ...]:
        """The planned links that were not seen, sorted."""
        sides = [
            [End(self._devices[row], port) for row, port in zip(rows.tolist(), ports, strict=True)]
            for rows, ports in zip(*self.unseen_ends, strict=True)
        ]
        return tuple(sorted(zip(*sides, strict=True)))

    @cached_property
    def nearness(self) -> Floats:
        """How much of each wrong link the plan has, float64 from 0 to 2.

        1 is for a planned link between the two devices, and 0.5 for each of the two ports that has a planned link.
        """
        wrong = [ends[self.is_wrong] for ends in self.seen_ends]
        joined = [ends // self._port_base for ends in self.planned_ends]
        nearness: Floats = _are_in(
            (wrong[0] // self._port_base, wrong[1] // self._port_base), (joined[0], joined[1])
        ).astype(float)
        for ends in wrong:
            nearness += find_among(ends, np.concatenate(self.planned_ends)) / 2
        return nearness


def _are_in(links: tuple[Ints64, Ints64], other_links: tuple[Ints64, Ints64]) -> Flags:
    """Return whether each link is among other links, bool; a link is two numbers, the lesser first, in two arrays."""
    base = max(int(ends.max(initial=0)) for ends in (*links, *other_links)) + 1
    return find_among(links[0] * base + links[1], other_links[0] * base + other_links[1])


def find_among(values: Ints64, candidates: Ints64) -> Flags:
    """Return whether each value is a candidate, bool; np.isin hashes values, which takes seconds if there are many."""
    sorted_candidates = np.sort(np.append(candidates, -1))
    is_among: Flags = sorted_candidates[np.searchsorted(sorted_candidates, values, side="right") - 1] == values
    return is_among


def _find_kind(cls: DeviceClass) -> Kind:
    return (cls.fabric, cls.tier) if cls.kind == SWITCH else ("", cls.profile.id)


def _make_spelling(
    profile: NodeProfile | SwitchProfile, nos: str, used: set[str], catalog: Catalog, legs: Mapping[str, int]
) -> Callable[[str], str]:
    """Return the function from the name of a port in a dump to its planned name, for devices of a profile and NOS.

    `used` are the planned names of ports that such devices use, `legs` has the legs of splitters by connector.
    """
    if isinstance(profile, NodeProfile):
        names = {p.interface: p.name for nic in profile.roles.values() for p in nic.ports if p.interface}
        return lambda told: names.get(name_adapter(told), told)
    synonyms = list_synonyms(profile.id, nos, used, catalog, legs) if nos else None
    return lambda told: (synonyms.find_name(told) if synonyms else "") or told


def try_page(
    words: Mapping[str, Any],
    facts: Facts,
    seen: SeenLinks,
    units: Units,
    forms: Sequence[FabricForm],
    catalog: Catalog | None = None,
    order: Order = BY_NAMES,
    earlier: Trial | None = None,
    is_hopeless: Callable[[Trial], bool] = lambda _: False,
) -> Trial:
    """Wire a page, and find which planned device each seen one is; raises InputError if it cannot be built.

    If the page is wired as that of an `earlier` trial, it is not wired and compared again. Raises HopelessError if
    devices are to be found by their ports, and the trial `is_hopeless` before they are.
    """
    wired = wire_page(design_page(words, catalog), earlier.wired if earlier else None)
    if earlier and wired.plan is earlier.wired.plan:
        return earlier.rename(wired)
    if not order.by_names and is_hopeless(Trial(wired, facts, seen)):
        raise HopelessError
    trial = Trial(wired, facts, seen, *match_devices(wired, units, forms, order))
    if not order.by_names:
        trial.match_by_ports(earlier.seen_names if earlier else {})
    return trial


def wire_page(design: Design, earlier: Wired | None = None) -> Wired:
    """Wire a design, or take the plan of an `earlier` one that differs in names alone.

    Raises InputError, with its place in the page, if the design cannot be wired.
    """
    if earlier and all(getattr(design, part) == getattr(earlier.design, part) for part in _WIRED):
        plan, port_names = earlier.plan, earlier.port_names
    else:
        plan = build_wiring_plan(design, find_stated_places)
        port_names = PortNames(design, plan)
    try:
        names = name_devices(design, plan.devices)
        port_names.port_columns  # noqa: B018 - made here, where a port without a name is refused
    except InputError as error:
        raise design.loaded.locate_error(error) from error
    return Wired(design, plan, names, port_names)


def match_devices(
    wired: Wired, units: Units, forms: Sequence[FabricForm], order: Order
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return (seen name by planned name, seen devices that the plan does not have, sorted), by the keys of `list_keys`.

    Numbers of switches in their groups are counted anew, as the design groups them.
    """
    devices: dict[tuple[Any, ...], str] = {}  # by key
    pods = {pod: number for number, pod in enumerate(units.pods)}
    for node, at in units.at.items():
        devices[NODE, pods[str(at["pod"])], int(at["su"]) - 1, int(at["node"]) - 1] = node
    for label, names in units.extras.items():
        devices |= {(EXTRA, label, number): name for number, name in enumerate(names)}
    for label, (_, places_in_racks) in units.in_racks.items():
        for name, (pod, su, rack, number) in places_in_racks.items():
            devices[NODE, label, pods[str(pod)], int(su) - 1, int(rack) - 1, int(number) - 1] = name
    for label, (_, trays) in units.scale_up.items():
        devices |= {(TRAY, label, number): name for number, name in enumerate(trays)}
    for form in forms:
        for tier in form.tiers.values():
            fabrics = (fabric for fabric in wired.design.fabrics if fabric.name == form.network.name)
            design = next((d for fabric in fabrics for d in fabric.tiers if d.name == tier.name), None)
            if design is None:
                continue
            inner = list_inner_dimensions(design.per)
            number_group_members(tier.at, design.per, tier.name, design.count, order)
            for switch, values in tier.at.items():
                numbers = [int(str(values.get(dimension) or 0)) - 1 for dimension in (*inner, tier.name)]
                place = _find_place(values, design.per, pods)
                devices[(SWITCH, form.network.name, tier.name, values.get("site", ""), *place, *numbers)] = switch
    keys = list_keys(wired)
    matched = {name: devices[key] for name, key in zip(wired.names, keys, strict=True) if key in devices}
    return matched, tuple(sorted(set(devices.values()) - set(matched.values())))


def _find_place(values: Coordinates, per: Sequence[str], pods: Mapping[str, int]) -> tuple[int, int, int]:
    """Return (pod, unit, rack in the unit) of a switch, each from 0, and -1 for what switches of its tier span."""
    pod, *inside = make_tuple(values.get(next((place for place in PLACES if place in per), ""), ("",)))
    su, rack, *_ = (*(int(number) - 1 for number in inside), -1, -1)
    return pods.get(str(pod), -1), su, rack


def is_node_of_unit(key: tuple[Any, ...]) -> bool:
    """Whether a key of `list_keys` is that of a node of a scalable unit."""
    return key[0] == NODE and len(key) == len(("kind", "pod", "su", "node"))


def list_keys(wired: Wired) -> Iterator[tuple[Any, ...]]:
    """Yield the key of each planned device: its kind, then what tells it apart; numbers are from 0.

    Of a node these are pod, unit and node; of a device in racks, its set, pod, unit, rack and number there; of a
    switch, fabric, tier, site (its name, "" if there is one only), pod, unit, rack, inner dimensions and number, with
    -1 for a place that its group spans; of other devices, set and number.
    """
    devices = wired.plan.devices
    pod, su, rack, node = (c.tolist() for c in (devices.pod, devices.su, devices.rack_in_unit, devices.node))
    site_names = wired.design.layout.sites
    site = [site_names[number] if number >= 0 and len(site_names) > 1 else "" for number in devices.site.tolist()]
    for cls in devices.classes:
        rows = range(cls.first, cls.first + cls.count)
        if cls.kind == NODE and "devices" in cls.path:
            places_in_racks = [(pod[row], su[row], rack[row]) for row in rows]
            devices_at_place = Counter[tuple[int, ...]]()
            for place in places_in_racks:
                yield (NODE, cls.label, *place, devices_at_place[place])
                devices_at_place[place] += 1
        elif cls.kind == NODE:
            yield from ((NODE, pod[row], su[row], node[row]) for row in rows)
        elif cls.kind == SWITCH:
            design = wired.design.tier(cls.key)
            columns = make_tier_columns(design)
            inner = [columns[d].tolist() for d in (*list_inner_dimensions(design.per), cls.tier)]
            has_rack = "rack" in design.per
            for number, row in enumerate(rows):
                place = (pod[row], su[row], rack[row] if has_rack else -1)
                yield (SWITCH, cls.fabric, cls.tier, site[row], *place, *(column[number] for column in inner))
        else:
            yield from ((cls.kind, cls.label, number) for number in range(cls.count))
