"""Proof by return: a page is built, and its links and ports are held against the facts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from fabricgen.adopt.facts import End, Facts, Link
from fabricgen.adopt.matching import NOBODY, PortWalk, make_port_graph
from fabricgen.adopt.models import Models, name_adapter
from fabricgen.adopt.positions import BY_NAMES, Order
from fabricgen.adopt.tiers import FabricForm, number_group_members
from fabricgen.adopt.units import Units
from fabricgen.adopt.words import write_page
from fabricgen.blueprint.load import load_blueprint
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import NodeProfile, SwitchProfile
from fabricgen.design.build import build_design
from fabricgen.design.model import Design
from fabricgen.design.shape import list_inner_dimensions
from fabricgen.kernel.diagnostics import InputError
from fabricgen.numbering.names import find_stated_places, name_devices
from fabricgen.numbering.ports import PortNames
from fabricgen.verify.port_numbers import list_synonyms
from fabricgen.wiring.arrays import Flags, Floats, Ints64, unique_inverse, unique_values
from fabricgen.wiring.expand import build_wiring_plan
from fabricgen.wiring.links.columns import make_tier_columns
from fabricgen.wiring.tables import EXTRA, NODE, SWITCH, TRAY, DeviceClass, WiringPlan

PAGE = "adopted.yaml"
"""What a page is called while it is tried; it is read from memory."""


def design_page(words: Mapping[str, Any], catalog: Catalog | None = None, file: str = PAGE) -> Design:
    """Size a page; raises InputError where it cannot be used."""
    loaded = load_blueprint(file, unsaved={file: write_page(words).encode()})
    return build_design(loaded, advise=False, catalog=catalog)


class Wired(NamedTuple):
    """A page that was wired: a cluster without its addresses, which say nothing of links."""

    design: Design
    plan: WiringPlan
    names: Sequence[str]
    port_names: PortNames


Kind: TypeAlias = tuple[str, str]
"""What a device is: a switch by its fabric and tier, all else by "" and its profile."""


class SeenLinks(NamedTuple):
    """The links of the facts as columns: devices by their place among those of the facts, ports by their texts."""

    devices: tuple[str, ...]
    texts: tuple[str, ...]
    ends: tuple[tuple[Ints64, Ints64], tuple[Ints64, Ints64]]
    """(device, text) of either end of each link."""
    kind: Ints64
    """What each device is, by its number in `kinds`; -1 where nobody knows."""
    kinds: tuple[Kind, ...]


def encode_links(facts: Facts, models: Models, forms: Sequence[FabricForm]) -> SeenLinks:
    """The links of the facts as columns."""
    rows, texts = {name: row for row, name in enumerate(facts.devices)}, dict[str, int]()
    ends = []
    for sides in ([link.a for link in facts.links], [link.b for link in facts.links]):
        device = np.array([rows[end.device] for end in sides], dtype=np.int64)
        ends.append((device, np.array([texts.setdefault(end.port, len(texts)) for end in sides], dtype=np.int64)))
    of: dict[str, Kind] = {name: ("", profile.id) for name, profile in models.nodes.items()}
    networks = [form.network for form in forms]
    of |= {s: (n.name, tier) for n in networks for tier, switches in n.tiers.items() for s in switches}
    kinds = {kind: number for number, kind in enumerate(dict.fromkeys(of.values()))}
    kind = np.array([kinds[of[name]] if name in of else -1 for name in rows], dtype=np.int64)
    return SeenLinks(tuple(rows), tuple(texts), (ends[0], ends[1]), kind, tuple(kinds))


@dataclass
class Trial:
    """A page that was wired, with what of the facts it gives.

    `names` has the seen name of each planned device, by its planned one.
    """

    wired: Wired
    facts: Facts
    seen: SeenLinks
    names: dict[str, str] = field(default_factory=dict)
    unplaced: tuple[str, ...] = ()

    @cached_property
    def _devices(self) -> list[str]:
        """All devices by number: those of the facts, then the planned ones that nobody saw, as `?NAME`."""
        return [*self.seen.devices, *(f"?{name}" for name in self.wired.names)]

    @cached_property
    def keys(self) -> list[tuple[object, ...]]:
        """What each planned device is; see `list_keys`."""
        return list_keys(self.wired)

    @cached_property
    def _port_numbers(self) -> dict[str, int]:
        """The number of each name of a port, those of the plan first."""
        return {name: number for number, name in enumerate(self.wired.port_names.port_columns[0].vocabulary.tolist())}

    @cached_property
    def _port_base(self) -> int:
        """More than there are names of ports: an end is the number of its device, times this, and that of its port."""
        return len(self.wired.port_names.port_columns[0].vocabulary) + len(self.seen.texts) + 1

    @cached_property
    def _planned_columns(self) -> list[tuple[Ints64, Ints64]]:
        """(device, port) of either end of each planned link but those of scale-up, by their numbers."""
        plan = self.wired.plan
        scale_up = np.array([segment.tier is None for segment in plan.links.segments], dtype=bool)
        kept = ~scale_up[plan.links.segment]
        devices, columns = (plan.links.a_device, plan.links.b_device), self.wired.port_names.port_columns
        return [
            (of[kept].astype(np.int64), column.codes[kept].astype(np.int64))
            for of, column in zip(devices, columns, strict=True)
        ]

    @cached_property
    def _seen_columns(self) -> list[tuple[Ints64, Ints64]]:
        """(device, port) of either end of each link; ports go by the names of the plan where it knows them."""
        return [(device, port) for (device, _), port in zip(self.seen.ends, self._spell_ports(), strict=True)]

    @cached_property
    def planned_ends(self) -> tuple[Ints64, Ints64]:
        """The two ends of each planned link, each as a number, the lesser first."""
        rows = {name: row for row, name in enumerate(self.seen.devices)}
        number = [rows.get(self.names.get(n, ""), len(rows) + i) for i, n in enumerate(self.wired.names)]
        devices = np.array(number, dtype=np.int64)
        ends = [devices[device] * self._port_base + port for device, port in self._planned_columns]
        return np.minimum(*ends), np.maximum(*ends)

    @cached_property
    def seen_ends(self) -> tuple[Ints64, Ints64]:
        """The two ends of each link of the facts, each as a number, the lesser first."""
        ends = [device * self._port_base + port for device, port in self._seen_columns]
        return np.minimum(*ends), np.maximum(*ends)

    @cached_property
    def _planned_kind(self) -> Ints64:
        """What each planned device is, by its number in `seen.kinds`; -1 for what nobody saw."""
        kinds = {kind: number for number, kind in enumerate(self.seen.kinds)}
        devices = self.wired.plan.devices
        of = [kinds.get(_find_kind(cls), -1) for cls in devices.classes]
        return np.array(of, dtype=np.int64)[devices.device_class]

    def _spell_ports(self) -> list[Ints64]:
        """The port of either end of each link by its number: as the plan spells it, else as the facts do."""
        vocabulary = self.wired.port_names.port_columns[0].vocabulary
        used: dict[int, set[str]] = defaultdict(set)
        for device, port in self._planned_columns:
            for pair in unique_values((self._planned_kind[device] + 1) * self._port_base + port):
                used[pair // self._port_base - 1].add(vocabulary[pair % self._port_base])
        catalog, spellings = self.wired.design.catalog, dict[int, Callable[[str], str]]()
        for cls in self.wired.plan.devices.classes:
            number = int(self._planned_kind[cls.first]) if cls.count else -1
            spellings[number] = _make_spelling(cls.profile, cls.nos, used[number], catalog)
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

    def match_by_ports(self) -> None:
        """Find by their ports which planned device each seen one is; see `matching`."""
        planned = make_port_graph(self._planned_columns, self._planned_kind)
        seen = make_port_graph(self._seen_columns, self.seen.kind)
        row_of = {name: row for row, name in enumerate(self.wired.names)}
        planned_of = {name: row_of[planned] for planned, name in self.names.items()}
        guess = np.array([planned_of.get(name, NOBODY) for name in self.seen.devices], dtype=np.int64)
        places = PortWalk(planned, seen).find_places(guess).tolist()
        matched = {self.wired.names[row]: name for name, row in zip(self.seen.devices, places, strict=True) if row >= 0}
        # devices without links, such as trays, stay where they were guessed to be
        linked = set(self.seen.devices)
        self.names = {p: s for p, s in self.names.items() if s not in linked and p not in matched} | matched
        self.unplaced = tuple(sorted(set(self.unplaced) - set(matched.values())))

    @cached_property
    def is_missing(self) -> Flags:
        """Which links of the facts the plan has not."""
        return ~_are_in(self.seen_ends, self.planned_ends)

    @cached_property
    def missing(self) -> tuple[Link, ...]:
        """The links of the facts that the plan has not."""
        return tuple(self.facts.links[row] for row in np.flatnonzero(self.is_missing).tolist())

    @cached_property
    def unseen_columns(self) -> tuple[list[Ints64], list[list[str]]]:
        """(devices, ports) of either end of each planned link that the facts have not; devices as in `SeenLinks`."""
        kept = ~_are_in(self.planned_ends, self.seen_ends)
        names = list(self._port_numbers)
        ends = [ends[kept] for ends in self.planned_ends]
        return [of // self._port_base for of in ends], [
            [names[port] for port in (of % self._port_base).tolist()] for of in ends
        ]

    @cached_property
    def unseen(self) -> tuple[tuple[End, End], ...]:
        """The planned links that the facts have not."""
        sides = [
            [End(self._devices[row], port) for row, port in zip(rows.tolist(), ports, strict=True)]
            for rows, ports in zip(*self.unseen_columns, strict=True)
        ]
        return tuple(sorted(zip(*sides, strict=True)))

    @cached_property
    def nearness(self) -> Floats:
        """How near each missing link is: 1 where the plan joins its devices, and 0.5 for each end that it uses."""
        lost = [ends[self.is_missing] for ends in self.seen_ends]
        joined = [ends // self._port_base for ends in self.planned_ends]
        near: Floats = _are_in((lost[0] // self._port_base, lost[1] // self._port_base), (joined[0], joined[1])).astype(
            float
        )
        for ends in lost:
            near += _find_among(ends, np.concatenate(self.planned_ends)) / 2
        return near


def _are_in(links: tuple[Ints64, Ints64], others: tuple[Ints64, Ints64]) -> Flags:
    """Which links are among others; a link is two numbers, the lesser first."""
    most = max(int(ends.max(initial=0)) for ends in (*links, *others)) + 1
    return _find_among(links[0] * most + links[1], others[0] * most + others[1])


def _find_among(values: Ints64, others: Ints64) -> Flags:
    """Which values are among others; np.isin hashes them, which takes seconds where there are many."""
    ordered = np.sort(np.append(others, -1))
    found: Flags = ordered[np.searchsorted(ordered, values, side="right") - 1] == values
    return found


def _find_kind(cls: DeviceClass) -> Kind:
    return (cls.fabric, cls.tier) if cls.kind == SWITCH else ("", cls.profile.id)


def _make_spelling(
    profile: NodeProfile | SwitchProfile, nos: str, used: set[str], catalog: Catalog
) -> Callable[[str], str]:
    """What gives the planned name of a port of a kind of devices for how it is told."""
    if isinstance(profile, NodeProfile):
        names = {p.interface: p.name for nic in profile.roles.values() for p in nic.ports if p.interface}
        return lambda told: names.get(name_adapter(told), told)
    synonyms = list_synonyms(profile.id, nos, used, catalog) if nos else None
    return lambda told: (synonyms.find_name(told) if synonyms else "") or told


def try_page(
    words: Mapping[str, Any],
    facts: Facts,
    seen: SeenLinks,
    units: Units,
    forms: Sequence[FabricForm],
    catalog: Catalog | None = None,
    order: Order = BY_NAMES,
) -> Trial:
    """Wire a page and find which planned device each seen one is; raises InputError where it cannot be built."""
    wired = wire_page(design_page(words, catalog))
    trial = Trial(wired, facts, seen, *match_devices(wired, units, forms, order))
    if not order.by_names:
        trial.match_by_ports()
    return trial


def wire_page(design: Design) -> Wired:
    """Wire a design; raises InputError, with its place, where that cannot be done."""
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
    """(seen name by planned one, seen devices without a place in the plan), by their coordinates."""
    keys: dict[tuple[object, ...], str] = {}
    pods = {pod: number for number, pod in enumerate(units.pods)}
    for node, own in units.at.items():
        keys[NODE, pods[str(own["pod"])], int(own["su"]) - 1, int(own["node"]) - 1] = node
    for label, names in units.extras.items():
        keys |= {(EXTRA, label, number): name for number, name in enumerate(names)}
    for label, (_, places) in units.in_racks.items():
        for name, (pod, su, rack, number) in places.items():
            keys[NODE, label, pods[str(pod)], int(su) - 1, int(rack) - 1, int(number) - 1] = name
    for label, (_, trays) in units.scale_up.items():
        keys |= {(TRAY, label, number): name for number, name in enumerate(trays)}
    for form in forms:
        for tier in form.tiers.values():
            design = _find_tier(wired.design, form.network.name, tier.name)
            if design is None:
                continue
            inner = list_inner_dimensions(design.per)
            number_group_members(tier.at, design.per, tier.name, design.count, order)
            for switch, values in tier.at.items():
                at = [values.get(d) for d in (*inner, tier.name)]
                place = _find_place(values, design.per, pods)
                keys[(SWITCH, form.network.name, tier.name, *place, *(int(str(v or 0)) - 1 for v in at))] = switch
    matched, used = dict[str, str](), set[str]()
    for name, key in zip(wired.names, list_keys(wired), strict=True):
        if key in keys:
            matched[name] = keys[key]
            used.add(keys[key])
    return matched, tuple(sorted(set(keys.values()) - used))


def _find_tier(design: Design, fabric: str, tier: str) -> Any:
    return next((t for f in design.fabrics if f.name == fabric for t in f.tiers if t.name == tier), None)


def _find_place(values: Mapping[str, object], per: Sequence[str], pods: Mapping[str, int]) -> tuple[int, int, int]:
    """(pod, unit, rack in it) of a switch, from 0; -1 for what its tier spans."""
    place = values.get(next((d for d in ("rack", "su", "pod") if d in per), ""), ())
    parts = place if isinstance(place, tuple) else (place,)
    numbers = [pods.get(str(part), -1) if i == 0 else int(str(part)) - 1 for i, part in enumerate(parts)]
    return tuple((*numbers, -1, -1, -1)[:3])  # type: ignore[return-value]


def is_node_of_unit(key: tuple[object, ...]) -> bool:
    """Whether a key of `list_keys` is that of a node of a scalable unit: its pod, unit and number."""
    return key[0] == NODE and len(key) == len(("kind", "pod", "su", "node"))


def list_keys(wired: Wired) -> list[tuple[object, ...]]:
    """The key of every planned device."""
    devices = wired.plan.devices
    pod, su, rack, node = (c.tolist() for c in (devices.pod, devices.su, devices.rack_in_unit, devices.node))
    keys: list[tuple[object, ...]] = []
    for cls in devices.classes:
        rows = range(cls.first, cls.first + cls.count)
        if cls.kind == NODE and "devices" in cls.path:
            places = [(pod[row], su[row], rack[row]) for row in rows]
            standing = Counter[tuple[int, ...]]()
            for place in places:
                keys.append((NODE, cls.label, *place, standing[place]))
                standing[place] += 1
        elif cls.kind == NODE:
            keys += [(NODE, pod[row], su[row], node[row]) for row in rows]
        elif cls.kind == EXTRA:
            keys += [(EXTRA, cls.label, number) for number in range(cls.count)]
        elif cls.kind == SWITCH:
            design = wired.design.tier(cls.key)
            columns = make_tier_columns(design)
            inner = [columns[d].tolist() for d in (*list_inner_dimensions(design.per), cls.tier)]
            has_rack = "rack" in design.per
            for number, row in enumerate(rows):
                place = (pod[row], su[row], rack[row] if has_rack else -1)
                keys.append((SWITCH, cls.fabric, cls.tier, *place, *(column[number] for column in inner)))
        else:
            keys += [(cls.kind, cls.label, number) for number in range(cls.count)]
    return keys
