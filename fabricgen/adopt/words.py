"""The page as nested mappings: what an inferred form is in the words of the language."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from fabricgen.adopt.models import Models
from fabricgen.adopt.networks import TIERS, Network
from fabricgen.adopt.tiers import FabricForm, TierForm
from fabricgen.adopt.units import Units
from fabricgen.adopt.wires import Wires, choose_mode
from fabricgen.blueprint.models import make_natural_key

Words = dict[str, Any]


def write_words(name: str, units: Units, forms: Sequence[FabricForm], wires: Wires, models: Models) -> Words:
    """The words of a page, in the order in which they are written. All that is known is stated; see `search`."""
    words: Words = {"fabricgen": 1, "name": name}
    if units.at:
        words["scalable_unit"] = _write_unit(units)
        words["pods"] = _write_pods(units)
        if units.omitted:
            words["omit"] = list(units.omitted)
    words["fabrics"] = {}
    extras = _count_extra_ports(units, forms, wires, models)
    for form in forms:
        of_fabric = extras.get(form.network.name, {})
        carried = {role: Words(protocol="ethernet", carried_by=form.network.name) for role in form.network.roles[1:]}
        for label, extra in list(of_fabric.items()):
            role = extra.get("attach", "")
            if role in carried:
                carried[role].setdefault("extra", {})[label] = {k: v for k, v in extra.items() if k != "attach"}
                del of_fabric[label]
        words["fabrics"][form.network.name] = _write_fabric(form, of_fabric)
        words["fabrics"] |= carried
    systems = {
        (form.network.name, tier.name): tier.nos
        for form in forms
        for tier in form.tiers.values()
        if tier.nos and not form.network.infiniband
    }
    _write_nos(words, systems)
    return words


def _write_unit(units: Units) -> Words:
    sets = {label: f"{count} x {profile}" for label, (profile, count) in units.sets.items()}
    unit: Words = {"nodes": sets[""] if list(sets) == [""] else sets}
    if units.per_rack:
        unit["racks"] = {"nodes_per_rack": units.per_rack}
    return unit


def _write_pods(units: Units) -> Words:
    """Pods by name; those of one word and size, numbered from 1, as one with a count."""
    stems = {re.sub(r"\d+$", "", pod) for pod in units.pods}
    sizes = set(units.pods.values())
    numbered = list(units.pods) == [f"{next(iter(stems))}{n}" for n in range(1, len(units.pods) + 1)]
    if len(units.pods) > 1 and len(stems) == len(sizes) == 1 and numbered:
        return {next(iter(units.pods)): {"su": next(iter(sizes)), "count": len(units.pods)}}
    return {pod: {"su": count} for pod, count in units.pods.items()}


def _write_fabric(form: FabricForm, extras: Words) -> Words:
    network = form.network
    fabric: Words = {"protocol": choose_protocol(network)}
    if network.role != network.name:
        fabric["attach"] = network.role
    if network.manages:
        fabric["also"] = ["switches"]
    if form.planes > 1:
        fabric["planes"] = form.planes
    elif form.ways > 1:
        fabric["nic"] = f"{form.ways} x {form.leg_gbps:g}G"
    if form.rail_groups:
        fabric["rail_groups"] = form.rail_groups
    fabric["tiers"] = {tier.name: _write_tier(tier, form) for tier in form.tiers.values()}
    # names beside the usual ones do not say which tier is above which
    is_usual = form.tiers.keys() <= set(TIERS)
    for lower, upper in list(pairwise(form.tiers))[2 if is_usual else 0 :]:
        fabric["tiers"][upper]["above"] = lower
    if extras:
        fabric["extra"] = extras
    return fabric


def choose_protocol(network: Network) -> str:
    """InfiniBand by its switches; RoCE where accelerators or storage attach, which configurations may say otherwise."""
    if network.infiniband:
        return "infiniband"
    return "roce" if network.role in ("compute", "storage") else "ethernet"


def _write_tier(tier: TierForm, form: FabricForm) -> Words:
    words: Words = {"switch": tier.profile}
    if tier.per:
        words["per"] = list(tier.per) if len(tier.per) > 1 else tier.per[0]
    if tier.count:
        words["count"] = tier.count
    if tier.uplinks:
        words["uplinks"] = tier.uplinks
    if tier.peers:
        words["peer"] = tier.peers
    if form.network.below and tier.name == form.network.leaf:
        words["below"] = form.network.below
    return words


def _write_nos(words: Words, systems: Mapping[tuple[str, str], str]) -> None:
    """Put in the NOS of all tiers but InfiniBand's: one for all, or by tier, and fabrics with another of their own."""
    if not systems:
        return
    most = choose_mode(systems.values())
    by_tier: dict[str, set[str]] = {}
    for (_, tier), nos in systems.items():
        by_tier.setdefault(tier, set()).add(nos)
    if len(set(systems.values())) > 1 and all(len(found) == 1 for found in by_tier.values()):
        words["nos"] = {tier: next(iter(found)) for tier, found in by_tier.items()}
        return
    words["nos"] = most
    for fabric in {fabric: None for fabric, _ in systems}:
        own = {tier: nos for (name, tier), nos in systems.items() if name == fabric}
        if set(own.values()) != {most}:
            words["fabrics"][fabric]["nos"] = own if len(set(own.values())) > 1 else next(iter(own.values()))


def _count_extra_ports(
    units: Units, forms: Sequence[FabricForm], wires: Wires, models: Models
) -> dict[str, dict[str, Words]]:
    """The extra sets of each fabric, by what their devices have there."""
    network_of = {s: (f.network.name, t.name) for f in forms for t in f.tiers.values() for s in t.at}
    roles = {f.network.name: f.network for f in forms}
    set_of = {name: key for key, names in units.extras.items() for name in names}
    ports: dict[tuple[str, str], Counter[str]] = {}
    tiers: dict[tuple[str, str], Counter[str]] = {}
    attach: dict[tuple[str, str], Counter[str]] = {}
    for wire in wires.of_nodes:
        if wire.node in set_of and wire.switch in network_of:
            fabric, tier = network_of[wire.switch]
            key = (fabric, set_of[wire.node])
            ports.setdefault(key, Counter())[wire.node] += 1
            tiers.setdefault(key, Counter())[tier] += 1
            attach.setdefault(key, Counter())[wire.leg.role] += 1
    result: dict[str, dict[str, Words]] = {}
    for fabric, label in sorted(ports, key=lambda key: (key[0], make_natural_key(key[1]))):
        key = (fabric, label)
        names = units.extras[label]
        profile = choose_mode(models.nodes[n].id for n in names)
        extra: Words = {"device": profile}
        if names == [f"{label}-{n}" for n in range(1, len(names) + 1)]:
            extra["count"] = len(names)
        else:
            extra["names"] = names
        role = choose_mode(attach[key])
        extra["ports"] = choose_mode(ports[key].values())
        tier = choose_mode(tiers[key])
        if tier != roles[fabric].leaf:
            extra["to"] = tier
        if role != roles[fabric].role:
            extra["attach"] = role
        result.setdefault(fabric, {})[label] = extra
    return result


_ORDER = ("protocol", "carried_by", "attach", "also", "planes", "nic", "speed", "rail_groups", "tiers", "extra")
"""Of the keys of a fabric; others follow."""


def order_words(words: Words) -> Words:
    """The page with the keys of its fabrics in the usual order."""
    order = {key: place for place, key in enumerate(_ORDER)}
    fabrics = {
        name: dict(sorted(fabric.items(), key=lambda pair: order.get(pair[0], len(order))))
        for name, fabric in words["fabrics"].items()
    }
    return {**words, "fabrics": fabrics}


def put(words: Words, path: Iterable[str], value: Any) -> None:
    """Set a value at a path, or take it away where it is None."""
    *above, last = path
    for key in above:
        words = words.setdefault(key, {})
    if value is None:
        words.pop(last, None)
    else:
        words[last] = value


def get(words: Mapping[str, Any], path: Iterable[str]) -> Any:
    """The value at a path, None where there is none."""
    value: Any = words
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
