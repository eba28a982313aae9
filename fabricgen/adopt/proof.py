"""Proof by return: a page is built, and its links and ports are held against the facts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from fabricgen.adopt.facts import End, Facts, Joint
from fabricgen.adopt.page import write_page
from fabricgen.adopt.tiers import FabricForm, number_group_members
from fabricgen.adopt.units import Units
from fabricgen.blueprint.load import load_blueprint
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import NodeProfile
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.design.model import Design
from fabricgen.design.shape import list_inner_dimensions
from fabricgen.verify.port_numbers import PortSynonyms, list_synonyms
from fabricgen.wiring.links.columns import make_tier_columns
from fabricgen.wiring.tables import EXTRA, NODE, SWITCH

PAGE = "adopted.yaml"
"""What a page is called while it is tried; it is read from memory."""


def design_page(words: Mapping[str, Any], catalog: Catalog | None = None, file: str = PAGE) -> Design:
    """Size a page; raises InputError where it cannot be used."""
    loaded = load_blueprint(file, unsaved={file: write_page(words).encode()})
    return build_design(loaded, advise=False, catalog=catalog)


@dataclass
class Trial:
    """A page that was built, with what of the facts it gives.

    `names` has the seen name of each planned device, by its planned one; "" where nobody was seen.
    """

    cluster: Cluster
    facts: Facts
    names: dict[str, str]
    unplaced: tuple[str, ...]
    _synonyms: dict[tuple[str, str], PortSynonyms] = field(default_factory=dict)

    @cached_property
    def planned(self) -> frozenset[tuple[End, End]]:
        """The planned links by seen names of devices, where both are seen; ends are sorted."""
        links, names = self.cluster.plan.links, self.cluster.names
        seen = [self.names.get(name, "") for name in names]
        columns = (
            links.a_device.tolist(),
            self.cluster.a_port.tolist(),
            links.b_device.tolist(),
            self.cluster.b_port.tolist(),
        )
        scale_up = {i for i, segment in enumerate(links.segments) if segment.tier is None}
        segment = links.segment.tolist()
        joined = set()
        for row, (a, a_port, b, b_port) in enumerate(zip(*columns, strict=True)):
            if segment[row] in scale_up:
                continue
            one = End(seen[a] or f"?{names[a]}", a_port)
            two = End(seen[b] or f"?{names[b]}", b_port)
            joined.add((min(one, two), max(one, two)))
        return frozenset(joined)

    @cached_property
    def seen(self) -> dict[tuple[End, End], Joint]:
        """The joints of the facts by the names that the plan has for their ports, where it knows them."""
        spelled = self._spell_ports()
        result = {}
        for joint in self.facts.joints:
            one, two = spelled(joint.a), spelled(joint.b)
            result[min(one, two), max(one, two)] = joint
        return result

    def _spell_ports(self) -> Any:
        rows = {seen: row for row, name in enumerate(self.cluster.names) if (seen := self.names.get(name))}
        devices = self.cluster.plan.devices
        used: dict[tuple[str, str], set[str]] = defaultdict(set)
        links = self.cluster.plan.links
        kinds = [(cls.profile.id, cls.nos) for cls in devices.classes]
        of_device = devices.device_class.tolist()
        for device, ports in ((links.a_device, self.cluster.a_port), (links.b_device, self.cluster.b_port)):
            for row, port in set(zip(devices.device_class[device].tolist(), ports.tolist(), strict=True)):
                used[kinds[row]].add(port)
        catalog = self.cluster.design.catalog
        synonyms = {kind: list_synonyms(*kind, names, catalog) for kind, names in used.items() if kind[1]}
        cache: dict[tuple[tuple[str, str], str], str] = {}
        interfaces = {
            cls.profile.id: {
                p.interface: p.name for nic in cls.profile.roles.values() for p in nic.ports if p.interface
            }
            for cls in devices.classes
            if isinstance(cls.profile, NodeProfile)
        }

        def spell(end: End) -> End:
            row = rows.get(end.device, -1)
            if row < 0:
                return end
            kind = kinds[of_device[row]]
            key = (kind, end.port)
            if key not in cache:
                known = synonyms[kind].find_name(end.port) if kind in synonyms else ""
                cache[key] = known or interfaces.get(kind[0], {}).get(end.port, end.port)
            return End(end.device, cache[key])

        return spell

    @cached_property
    def missing(self) -> tuple[Joint, ...]:
        """The joints of the facts that the plan has not."""
        return tuple(joint for ends, joint in self.seen.items() if ends not in self.planned)

    @cached_property
    def unseen(self) -> tuple[tuple[End, End], ...]:
        """The planned links that the facts have not."""
        return tuple(sorted(self.planned - self.seen.keys()))

    @cached_property
    def wrong_devices(self) -> int:
        """By how many links the plan joins other devices than the facts."""
        planned = Counter((a.device, b.device) for a, b in self.planned)
        seen = Counter((a.device, b.device) for a, b in self.seen)
        return ((planned - seen).total() + (seen - planned).total() + 1) // 2

    @property
    def wrong(self) -> int:
        """By how many links the plan and the facts differ, where ports count."""
        return max(len(self.missing), len(self.unseen))


def try_page(
    words: Mapping[str, Any], facts: Facts, units: Units, forms: Sequence[FabricForm], catalog: Catalog | None = None
) -> Trial:
    """Build a page and find which planned device each seen one is; raises InputError where it cannot be built."""
    cluster = build_cluster(design_page(words, catalog))
    names, unplaced = match_devices(cluster, units, forms)
    return Trial(cluster, facts, names, unplaced)


def match_devices(
    cluster: Cluster, units: Units, forms: Sequence[FabricForm]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """(seen name by planned one, seen devices without a place in the plan), by their coordinates."""
    keys: dict[tuple[object, ...], str] = {}
    pods = {pod: number for number, pod in enumerate(units.pods)}
    for node, own in units.at.items():
        keys[NODE, pods[str(own["pod"])], int(own["su"]) - 1, int(own["node"]) - 1] = node
    for label, names in units.extras.items():
        keys |= {(EXTRA, label, number): name for number, name in enumerate(names)}
    for form in forms:
        for tier in form.tiers.values():
            design = _find_tier(cluster, form.network.name, tier.name)
            if design is None:
                continue
            inner = list_inner_dimensions(design.per)
            number_group_members(tier.at, design.per, tier.name)
            for switch, values in tier.at.items():
                at = [values.get(d) for d in (*inner, tier.name)]
                place = _find_place(values, design.per, pods)
                keys[(SWITCH, form.network.name, tier.name, *place, *(int(str(v or 0)) - 1 for v in at))] = switch
    matched, used = dict[str, str](), set[str]()
    for name, key in zip(cluster.names, _list_keys(cluster), strict=True):
        if key in keys:
            matched[name] = keys[key]
            used.add(keys[key])
    return matched, tuple(sorted(set(keys.values()) - used))


def _find_tier(cluster: Cluster, fabric: str, tier: str) -> Any:
    return next((t for f in cluster.design.fabrics if f.name == fabric for t in f.tiers if t.name == tier), None)


def _find_place(values: Mapping[str, object], per: Sequence[str], pods: Mapping[str, int]) -> tuple[int, int, int]:
    """(pod, unit, rack in it) of a switch, from 0; -1 for what its tier spans."""
    place = values.get(next((d for d in ("rack", "su", "pod") if d in per), ""), ())
    parts = place if isinstance(place, tuple) else (place,)
    numbers = [pods.get(str(part), -1) if i == 0 else int(str(part)) - 1 for i, part in enumerate(parts)]
    return tuple((*numbers, -1, -1, -1)[:3])  # type: ignore[return-value]


def _list_keys(cluster: Cluster) -> list[tuple[object, ...]]:
    """The key of every planned device."""
    devices = cluster.plan.devices
    pod, su, rack, node = (c.tolist() for c in (devices.pod, devices.su, devices.rack_in_unit, devices.node))
    keys: list[tuple[object, ...]] = []
    for cls in devices.classes:
        rows = range(cls.first, cls.first + cls.count)
        if cls.kind == NODE:
            keys += [(NODE, pod[row], su[row], node[row]) for row in rows]
        elif cls.kind == EXTRA:
            keys += [(EXTRA, cls.label, number) for number in range(cls.count)]
        elif cls.kind == SWITCH:
            design = cluster.design.tier(cls.key)
            columns = make_tier_columns(design)
            inner = [columns[d].tolist() for d in (*list_inner_dimensions(design.per), cls.tier)]
            has_rack = "rack" in design.per
            for number, row in enumerate(rows):
                place = (pod[row], su[row], rack[row] if has_rack else -1)
                keys.append((SWITCH, cls.fabric, cls.tier, *place, *(column[number] for column in inner)))
        else:
            keys += [(cls.kind, cls.label, number) for number in range(cls.count)]
    return keys
