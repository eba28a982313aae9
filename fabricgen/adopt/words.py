"""Write inferred units and fabrics as a page, in nested mappings and as text, and names of devices as templates."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from fabricgen.adopt.forms import KM_OF_SPAN, FabricForm, TierForm
from fabricgen.adopt.models import Models
from fabricgen.adopt.networks import STRAY, TIERS, Network, NodeWire, Wires, choose_mode
from fabricgen.adopt.units import UnitKind, Units
from fabricgen.blueprint.models import make_natural_key


class PairTable(NamedTuple):
    """The value of `table` in a page: a file beside the page, and its rows, which count as words of the page.

    A row has the numbers of two switches that meet, from 1, the lesser first.
    """

    name: str
    rows: tuple[tuple[int, int], ...]


WIDTH = 118
_PLAIN = re.compile(r"[A-Za-z][\w./*-]*|[1-9]\d*(?: x |x|G)[\w.-]*")
_WORDS = {"yes", "no", "on", "off", "true", "false", "null", "y", "n"}


def write_page(words: Mapping[str, Any], comments: Iterable[str] = ()) -> str:
    """Return the YAML text of a page; `comments` are lines above it."""
    entries = (_write_entry(key, value, 0) for key, value in words.items())
    return "".join(f"{line}\n" for line in chain((f"# {line}" for line in comments), *entries))


def write_files(words: Mapping[str, Any], file: str, comments: Iterable[str] = ()) -> dict[str, bytes]:
    """Return the content of a page, and of the tables beside it, by path; the page is at `file`."""
    files = {file: write_page(words, comments).encode()}
    for _, table in list_tables(words):
        lines = ["a,b", *(f"{a},{b}" for a, b in table.rows), ""]
        files[str(Path(file).parent / table.name)] = "\n".join(lines).encode()
    return files


def list_tables(words: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], PairTable]]:
    """Yield the tables that a page names, each with the path of its word."""
    for key, value in words.items():
        if isinstance(value, PairTable):
            yield (*path, key), value
        elif isinstance(value, Mapping):
            yield from list_tables(value, (*path, key))


def _write_entry(key: str, value: Any, depth: int) -> list[str]:
    """Return the lines of a key and its value in a page, indented by `depth`.

    There is one line, unless the value is too long for it (a list has a line for each element then) or leads to tiers:
    these and `fabrics` are blocks.
    """
    indent = "  " * depth
    # more keys than a line has characters are not written in vain, as thousands of names would be
    is_block = (
        isinstance(value, Mapping) and bool(value) and (key == "fabrics" or len(value) > WIDTH or _holds_tiers(value))
    )
    line = "" if is_block else f"{indent}{_write_scalar(key)}: {write_flow(value)}"
    if not is_block and (len(line) <= WIDTH or not isinstance(value, Mapping | list)):
        return [line]
    if isinstance(value, list):
        return [f"{indent}{_write_scalar(key)}:", *(f"{indent}  - {write_flow(item)}" for item in value)]
    inner_lines = [
        line_below for name, inner_value in value.items() for line_below in _write_entry(name, inner_value, depth + 1)
    ]
    return [f"{indent}{_write_scalar(key)}:", *inner_lines]


def _holds_tiers(value: Mapping[str, Any]) -> bool:
    """Whether a mapping is that of a fabric with tiers, or that of its tiers."""
    return "tiers" in value or any(isinstance(part, Mapping) and "switch" in part for part in value.values())


def write_flow(value: Any) -> str:
    """Return a value as YAML on one line."""
    if isinstance(value, PairTable):
        return _write_scalar(value.name)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_write_scalar(key)}: {write_flow(element)}" for key, element in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(write_flow(element) for element in value) + "]"
    return _write_scalar(value)


def _write_scalar(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    is_plain = isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS
    return value if is_plain else json.dumps(value, ensure_ascii=False)


def count_words(words: Any) -> int:
    """Return the length of a page in words: its keys and single values."""
    if isinstance(words, Mapping):
        return sum(1 + count_words(element) for element in words.values())
    return sum(map(count_words, words)) if isinstance(words, list | tuple) else 1


def count_words_by_fabric(words: Mapping[str, Any]) -> dict[str, int]:
    """Return the number of words of a page by fabric, with that of the rest under ""."""
    return {
        **{name: count_words(fabric) for name, fabric in words["fabrics"].items()},
        "": count_words({key: value for key, value in words.items() if key != "fabrics"}),
    }


Words = dict[str, Any]
Edit = tuple[tuple[tuple[str, ...], Any], ...]
"""A change of a page: (path, new value) pairs; None removes the key."""


def write_words(name: str, units: Units, forms: Sequence[FabricForm], wires: Wires, models: Models) -> Words:
    """Return the first page, which states all that was inferred; `search` then takes away what need not be said."""
    skipped = _find_skipped(units, forms, wires, models)
    kinds = {name: _write_unit(name, kind, units, skipped) for name, kind in units.kinds.items()}
    fabrics: Words = {}
    extras = _count_extra_ports(units, forms, wires, models)
    for form in forms:
        of_fabric = extras.get(form.network.name, {})
        by_role = {role: {k: e for k, e in of_fabric.items() if e.get("attach") == role} for role in form.network.roles}
        extras_of_owner = {k: e for k, e in of_fabric.items() if e.get("attach") not in form.network.roles[1:]}
        fabrics[form.network.name] = _write_fabric(form, extras_of_owner)
        for role in form.network.roles[1:]:
            fabrics[role] = drop_empty(
                protocol="ethernet",
                carried_by=form.network.name,
                rail_groups=form.carried.get(role),
                extra={label: drop_empty(**extra | {"attach": ""}) for label, extra in by_role[role].items()},
            )
    words = drop_empty(
        fabricgen=1,
        name=name,
        scalable_unit=kinds.get(""),
        scalable_units={} if "" in kinds else kinds,
        pods=_write_pods(units, forms) if units.pods else {},
        omit=list(units.omitted),
        scale_up={label: stated for label, (stated, _) in units.scale_up.items()},
        fabrics=fabrics,
    )
    systems = {
        (form.network.name, tier.name): tier.nos
        for form in forms
        for tier in form.tiers.values()
        if tier.nos and not form.network.infiniband
    }
    _write_nos(words, systems)
    return words


def drop_empty(**section: Any) -> dict[str, Any]:
    """Return a section without its empty values (0, "", [], {}, None); false stays."""
    return {key: value for key, value in section.items() if value or value is False}


def unwrap_single(values: Sequence[Any]) -> Any:
    """Return the value of a list with one value, as a page may state it; else the list."""
    return values[0] if len(values) == 1 else list(values)


def _find_skipped(
    units: Units, forms: Sequence[FabricForm], wires: Wires, models: Models
) -> dict[tuple[str, str], list[str]]:
    """Return, by (kind of units, node set), the fabrics for whose role these nodes have ports, but (nearly) no links.

    Fabrics that no node of a unit is on are left out.
    """
    fabric_of = {s: form.network.name for form in forms for tier in form.tiers.values() for s in tier.at}
    set_of = {node: (units.kind_of[str(at["pod"])], units.set_of[node]) for node, at in units.at.items()}
    linked = {(w.node, fabric_of[w.switch], w.leg.role) for w in wires.of_nodes if w.switch in fabric_of}
    counts = Counter((set_of[node], fabric, role) for node, fabric, role in linked if node in set_of)
    sizes = Counter(set_of.values())
    skipped = {
        of_set: [
            form.network.name if role == form.network.role else role
            for form in forms
            for role in form.network.roles
            if role in profile.roles and counts[of_set, form.network.name, role] <= STRAY * sizes[of_set]
        ]
        for of_set, profile in {set_of[node]: models.nodes[node] for node in set_of}.items()
    }
    # a fabric that all nodes skip, as one of management ports of switches alone, would be refused
    serving = {fabric for _, fabric, role in counts} | {role for _, _, role in counts}
    return {of_set: [fabric for fabric in fabrics if fabric in serving] for of_set, fabrics in skipped.items()}


def _write_unit(name: str, kind: UnitKind, units: Units, skipped: Mapping[tuple[str, str], list[str]]) -> Words:
    """Return a kind of units by its name; a set whose nodes skip fabrics is a mapping, called `node` if it is alone."""
    sets: Words = {}
    for label, (profile, count) in kind.sets.items():
        nodes, fabrics = f"{count} x {profile}", skipped.get((name, label))
        sets[label or "node" if fabrics else label] = (
            {"nodes": nodes, "skip": unwrap_single(fabrics)} if fabrics else nodes
        )
    in_racks = units.in_racks.items()
    devices = {label: f"{max(p[-1] for p in places.values())} x {profile}" for label, (profile, places) in in_racks}
    racks = drop_empty(nodes_per_rack=kind.per_rack, devices=devices)
    return drop_empty(nodes=sets[""] if list(sets) == [""] else sets, racks=racks)


def _write_pods(units: Units, forms: Sequence[FabricForm]) -> Words:
    """Return `pods` by name; equal pods that are numbered from 1 are one pod with a count."""
    pods: Words = {pod: {"su": count} for pod, count in units.pods.items()}
    for pod_key, value_of in (("unit", units.kind_of), ("site", units.sites)):
        for pod in [pod for pod in pods if value_of.get(pod)]:
            pods[pod][pod_key] = value_of[pod]
    for path, tier in ((f"{form.network.name}.{name}", tier) for form in forms for name, tier in form.tiers.items()):
        for pod, profile in tier.profile_of_pod.items():
            put(pods, (pod, "tiers", path, "switch"), profile)
    stems = {re.sub(r"\d+$", "", pod) for pod in units.pods}
    are_numbered = list(pods) == [f"{next(iter(stems))}{n}" for n in range(1, len(pods) + 1)]
    first_pod = next(iter(pods.values()))
    if len(pods) > 1 and len(stems) == 1 and are_numbered and all(stated == first_pod for stated in pods.values()):
        return {next(iter(pods)): {**first_pod, "count": len(pods)}}
    return pods


def _write_fabric(form: FabricForm, extras: Words) -> Words:
    network = form.network
    tiers = {tier.name: _write_tier(tier, form) for tier in form.tiers.values()}
    # leaf, spine and core stand above each other by their names; other tiers say what they are above
    has_default_names = form.tiers.keys() <= set(TIERS)
    for lower, upper in list(pairwise(form.tiers))[2 if has_default_names else 0 :]:
        tiers[upper]["above"] = lower
    return drop_empty(
        protocol=choose_protocol(network),
        attach=network.role if network.role != network.name else "",
        also=["switches"] if network.manages else [],
        planes=form.planes if form.planes > 1 else 0,
        nic=f"{form.ways} x {form.leg_gbps:g}G" if form.planes == 1 < form.ways else "",
        rail_groups=form.rail_groups,
        tiers=tiers,
        spans={
            f"{a}-{b}": {"between": [a, b], "km": KM_OF_SPAN, "links": f"{links} x {form.span_gbps}G"}
            for (a, b), links in form.spans.items()
        },
        extra=extras,
    )


def choose_protocol(network: Network) -> str:
    """Return the protocol of a fabric: infiniband if its switches are, roce for compute and storage, else ethernet."""
    of_ethernet = "roce" if network.role in ("compute", "storage") else "ethernet"
    return "infiniband" if network.infiniband else of_ethernet


def _write_tier(tier: TierForm, form: FabricForm) -> Words:
    return drop_empty(
        switch=tier.profile,
        per=unwrap_single(tier.per),
        count=0 if tier.uneven else tier.count,
        uplinks=0 if tier.of_pod else tier.uplinks,
        grid=dict(tier.grid),
        mesh=dict(tier.mesh),
        peer=0 if tier.mesh else tier.peers,
        below=form.network.below if tier.name == form.network.leaf else "",
    )


def _write_nos(words: Words, systems: Mapping[tuple[str, str], str]) -> None:
    """Put `nos` into a page: one for all tiers, or one by tier; and those of fabrics that differ. InfiniBand
    has none.
    """
    by_tier = {tier: nos for (_, tier), nos in systems.items()}
    if len(set(systems.values())) > 1 and all(by_tier[tier] == nos for (_, tier), nos in systems.items()):
        words["nos"] = by_tier
    elif systems:
        words["nos"] = choose_mode(systems.values())
        for fabric in {fabric: None for fabric, _ in systems}:
            of_fabric = {tier: nos for (name, tier), nos in systems.items() if name == fabric}
            if set(of_fabric.values()) != {words["nos"]}:
                is_mixed = len(set(of_fabric.values())) > 1
                words["fabrics"][fabric]["nos"] = of_fabric if is_mixed else next(iter(of_fabric.values()))


def _count_extra_ports(
    units: Units, forms: Sequence[FabricForm], wires: Wires, models: Models
) -> dict[str, dict[str, Words]]:
    """Return by fabric and set what a page says of extra devices: their number, ports, and the tier that they
    are on.
    """
    tier_of = {s: (f.network.name, t.name) for f in forms for t in f.tiers.values() for s in t.at}
    networks = {f.network.name: f.network for f in forms}
    set_of = {name: label for label, names in units.extras.items() for name in names}
    wires_of_set: dict[tuple[str, str], list[NodeWire]] = defaultdict(list)
    for wire in wires.of_nodes:
        if wire.node in set_of and wire.switch in tier_of:
            wires_of_set[tier_of[wire.switch][0], set_of[wire.node]].append(wire)
    extras: dict[str, dict[str, Words]] = defaultdict(dict)
    # in a page, sets take ports one after the other
    by_port = sorted(wires_of_set.items(), key=lambda entry: min(make_natural_key(wire.port) for wire in entry[1]))
    for (fabric, label), of_set in by_port:
        names = units.extras[label]
        is_numbered = names == [f"{label}-{n}" for n in range(1, len(names) + 1)]
        role = choose_mode(wire.leg.role for wire in of_set)
        tier = choose_mode(tier_of[wire.switch][1] for wire in of_set)
        extras[fabric][label] = drop_empty(
            device=choose_mode(models.nodes[name].id for name in names),
            count=len(names) if is_numbered else 0,
            names=[] if is_numbered else names,
            ports=choose_mode(Counter(wire.node for wire in of_set).values()),
            to=tier if tier != networks[fabric].leaf else "",
            attach=role if role != networks[fabric].role else "",
        )
    return extras


def edit_words(words: Words, edits: Iterable[Edit]) -> Words:
    """Return a copy of a page with some changes."""
    edited = deepcopy(words)
    for path, value in chain.from_iterable(edits):
        put(edited, path, value)
    return edited


def put(words: Words, path: Iterable[str], value: Any) -> None:
    """Set a value at a path of keys, in place, with mappings for missing keys on the way; None removes the last key."""
    *keys_above, last_key = path
    for key in keys_above:
        words[key] = words[key] if isinstance(words.get(key), dict) else {}
        words = words[key]
    if value is None:
        words.pop(last_key, None)
    else:
        words[last_key] = value


def get(words: Mapping[str, Any], path: Iterable[str]) -> Any:
    """Return the value at a path, None if there is none."""
    value: Any = words
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


_REMOVABLE = {
    "tiers": ("spread", "parallel", "breakout", "above", "below", "count", "uplinks", "cages"),
    "extra": ("ports", "attach", "to", "count", "speed"),
}
"""The keys of tiers and of extra devices that a page may do without."""


def list_deletions(words: Words) -> dict[str, list[Edit]]:
    """Return, by fabric, the changes that each take away one key of a page; whether a key may go is tried later.

    The name "" has the changes outside of fabrics.
    """
    deletions: dict[str, list[Edit]] = {}
    for name, fabric in words["fabrics"].items():
        fabric_path = ("fabrics", name)
        paths: list[tuple[str, ...]] = [
            (*fabric_path, key) for key in ("attach", "nic", "rail_groups", "speed") if key in fabric
        ]
        for word, removable in _REMOVABLE.items():
            sections = fabric.get(word, {}).items()
            paths += [
                (*fabric_path, word, part, key) for part, section in sections for key in removable if key in section
            ]
        deletions[name] = [((path, None),) for path in paths]
    only_unit = [("pods",)] if get(words, ("pods",)) == {"p1": {"su": 1}} else []
    racks = [("scalable_unit", "racks")] if get(words, ("scalable_unit", "racks")) else []
    return deletions | {"": [((path, None),) for path in (*only_unit, *racks)]}


_SEPARATORS = re.compile(r"([-_.])")
_DIGITS = re.compile(r"(\d+)")
_FIELD = re.compile(r"\{([a-z-]+)(?::0(\d+))?\}")
_TEXT_FIELDS = ("fabric", "tier", "set", "pod", "site")
"""Fields that are words, not numbers."""

MIN_FITTING = 0.5
"""The share of names that a template, or the default names, must give to be used."""

Fields = Mapping[str, str | int]


class Named(NamedTuple):
    """A device: its name, its default name, and the values of the fields that templates of its kind may have."""

    name: str
    default: str
    fields: Fields


def find_template(devices: Sequence[Named]) -> str:
    """Return the template that gives most names; "" if default names give half of them, or no template does."""
    by_default = sum(device.name == device.default for device in devices)
    if by_default >= MIN_FITTING * len(devices):
        return ""
    shapes = Counter(_find_shape(device.name) for device in devices)
    shape = min(shapes.items(), key=lambda entry: (-entry[1], entry[0]))[0]
    alike = [device for device in devices if _find_shape(device.name) == shape]
    columns = list(zip(*(_split_name(device.name) for device in alike), strict=True))
    template = "".join(_explain_column(column, alike) for column in columns)
    texts = [fill_template(template, device.fields) for device in devices]
    if "{" not in template or None in texts:
        return ""
    fitting = sum(text == device.name for text, device in zip(texts, devices, strict=True))
    return template if fitting >= MIN_FITTING * len(devices) and fitting > by_default else ""


def fill_template(template: str, fields: Fields) -> str | None:
    """Return a template with its fields filled in, None if a field is missing.

    `str.format` is not used: the texts around fields are names that devices tell, and may hold braces of any kind.
    """
    missing = [name for name, _ in _FIELD.findall(template) if name not in fields]
    return None if missing else _FIELD.sub(lambda field: str(fields[field[1]]).zfill(int(field[2] or 0)), template)


def _split_name(name: str) -> list[str]:
    """Return the words, numbers and separators of a name, as long a list for all names of one shape."""
    return [piece for part in _SEPARATORS.split(name) for piece in _DIGITS.split(part)]


def _find_shape(name: str) -> tuple[int, ...]:
    """Return what tells whether names are built alike: how many pieces each part has, and the separators between."""
    return tuple(
        len(_DIGITS.split(part)) if i % 2 == 0 else ord(part) for i, part in enumerate(_SEPARATORS.split(name))
    )


def _explain_column(column: Sequence[str], devices: Sequence[Named]) -> str:
    """Return a piece of names in a template: the field that it follows, else the text that most names have there."""
    text = Counter(column).most_common(1)[0][0]
    is_number = all(piece.isdigit() for piece in column)
    order = sorted(devices[0].fields, key=lambda field: (field in ("index", "default"), field != "n"))
    for field in order:
        values = [device.fields.get(field, "") for device in devices]
        if is_number and all(isinstance(value, int) for value in values):
            if len(set(column)) > 1 and _follows_field([int(piece) for piece in column], values):
                widths = {len(piece) for piece in column}
                padded = any(piece.startswith("0") for piece in column)
                return f"{{{field}:0{min(widths)}}}" if padded and min(widths) > 1 else f"{{{field}}}"
        elif field in _TEXT_FIELDS and not is_number and text and _follows_field(column, values):
            return f"{{{field}}}"
    return text


def _follows_field(column: Sequence[object], values: Sequence[object]) -> bool:
    """Whether four of five pieces are the values of a field."""
    return sum(a == b for a, b in zip(column, values, strict=True)) >= 0.8 * len(column)
