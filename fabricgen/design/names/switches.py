"""Names of switches and nodes from their coordinates: a name never depends on other devices of the cluster."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import product
from typing import TypeAlias

from fabricgen.blueprint.dimensions import WHOLE, find_dimension, list_leg_dimensions, list_scopes
from fabricgen.blueprint.models import Blueprint
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.floor.floor_plan import FloorPlan
from fabricgen.design.floor.network_runs import stands_in_run
from fabricgen.design.floor.unit_kind import NodeSet
from fabricgen.design.layout import Layout
from fabricgen.design.model import Design
from fabricgen.design.names.templates import (
    RACKS,
    CountedNames,
    Naming,
    Values,
    allocate_blocks,
    allocate_rack_blocks,
    count_members,
    find_template,
    list_block_numbers,
    name_numbers_kind,
)
from fabricgen.design.shape import (
    count_places,
    count_places_in_pod,
    find_scope,
    is_part_of_unit,
    list_inner_dimensions,
    name_places,
    number_places,
    spans_units,
)
from fabricgen.kernel.diagnostics import Path, did_you_mean, fault
from fabricgen.kernel.grouping import group_pairs, sum_pairs
from fabricgen.kernel.intervals import Allocations, list_numbers


class SwitchNames:
    """Names of the switches of a tier.

    The default is `FABRIC-TIER-PLACE-...-01`, such as `compute-leaf-p1-su01-r1-01`, without the site if names leave it
    out. Numbers grow wider, never narrower, so that growth renames nothing. For all methods, `sizes` is how many values
    each dimension has in the tier's fabric, and `count` how many switches a group has.
    """

    def __init__(
        self,
        blueprint: Blueprint,
        layout: Layout,
        fabric: str,
        tier: str,
        per: tuple[str, ...],
        racks: Callable[[], Sequence[int]] | None = None,
        blocks: Callable[[], Allocations] = dict,
    ) -> None:
        """`racks` returns the rack, by its number in the unit, of each switch of a unit; None if racks are not known or
        switches do not stand in racks of units. `blocks` returns the running numbers of switches by pod, and nothing if
        the number of a switch follows from its place.
        """
        self._layout, self._per, self._scope, self._racks = layout, per, find_scope(per), racks
        self._blocks = blocks
        self._tiers = blueprint.fabrics[fabric].tiers
        self._fixed_fields = {"cluster": blueprint.name, "fabric": fabric, "tier": tier}
        is_only_site = self._scope == "site" and layout.sites == (layout.unnamed_site,)
        self.naming = self._make_naming(blueprint, () if is_only_site else self._identifying_places)
        self._without_site = self._make_naming(blueprint, ())

    def _make_naming(self, blueprint: Blueprint, places: Sequence[str]) -> Naming:
        """Return the naming of the switches, whose default template names `places`."""
        fabric, tier = self._fixed_fields["fabric"], self._fixed_fields["tier"]
        template, path = find_template(blueprint, fabric, tier)
        default_template = self._write_default_template(places)
        return Naming(
            who=f"{fabric} {tier} switches",
            template=template.replace("{default}", default_template) or default_template,
            path=path or ("fabrics", fabric, "tiers", tier),
        )

    def _write_default_template(self, places: Sequence[str]) -> str:
        """Return the default template, which names `places`."""
        dimensions = (*places, *(d for d in list_inner_dimensions(self._per) if d in list_leg_dimensions()))
        tiers = [f"-{d}{{{d}}}" for d in list_inner_dimensions(self._per) if d not in dimensions]
        return (
            "{fabric}-{tier}" + "".join([*(f"-{find_dimension(d).template}" for d in dimensions), *tiers]) + "-{n:02}"
        )

    @property
    def _identifying_places(self) -> tuple[str, ...]:
        """The places that tell a place of the tier's scope from others: `pod`, `su` and `rack` for a rack, none for the
        cluster.
        """
        if self._scope in (WHOLE, "site"):
            return (self._scope,) if self._scope != WHOLE else ()
        unit = ("su",) if is_part_of_unit(self._scope) else ()
        return tuple(dict.fromkeys(("pod", *unit, self._scope)))

    def check(self, sizes: Mapping[str, int], count: int) -> None:
        """Check the template; `sizes` are those of the tier's fabric, `count` the switches in a group.

        Raises InputError (FG039) for fields that these switches lack, and for a template that gives two of them one
        name.
        """
        places, fields_used = self._list_places(), self.naming.fields
        fields = [field for field in list_scopes() if field in places]
        texts = [*self._fixed_fields, *(field for field in fields if find_dimension(field).is_named)]
        numbers = [
            *(field for field in fields if not find_dimension(field).is_named),
            *list_inner_dimensions(self._per),
            "n",
            "index",
        ]
        rack_field = [] if "rack" in (*texts, *numbers) or self._racks is None else ["rack"]
        needed_fields = {field for field in self._identifying_places if len(set(places.get(field, ()))) > 1}
        needed_fields |= {d for d in list_inner_dimensions(self._per) if sizes[d] > 1} | ({"n"} if count > 1 else set())
        if "index" in fields_used:
            self._check_running_numbers()
            needed_fields = set()
        elif rack_field and "rack" in fields_used and self._has_distinct_names_in_unit(sizes, count):
            needed_fields &= {field for field in self._identifying_places if not is_part_of_unit(field)}
        self.naming.check(
            texts, [*numbers, *rack_field], [field for field in (*texts, *numbers) if field in needed_fields]
        )

    def _has_distinct_names_in_unit(self, sizes: Mapping[str, int], count: int) -> bool:
        """Whether the racks and the other fields of the template tell the switches of a unit apart."""
        # the first rows are the switches of one unit, a row for each of its racks; in it these four fields are equal
        fields = self._list_fields(sizes, count)
        columns_used = [fields[f] for f in sorted(self.naming.fields - {"pod", "su", "site", "cluster"}) if f in fields]
        columns = [column[: len(self._racks())] for column in columns_used] if self._racks else []
        value_rows = list(zip(*(column for column in columns if not isinstance(column, str)), strict=True))
        return len(set(value_rows)) == len(value_rows)

    def _check_running_numbers(self) -> None:
        """Raise InputError (FG039) if growth would change the running number of a switch, as a derived count may.

        Only the outermost dimension, which counts slowest, may have a derived count, and only in a tier that serves the
        whole cluster and has no rail, plane or port in `per`.
        """
        in_units = self._scope != WHOLE and not spans_units(self._per)
        counted = [d for d in list_inner_dimensions(self._per) if d in self._tiers] + (
            [] if in_units else [self._fixed_fields["tier"]]
        )
        fixed = self._scope != WHOLE or any(d not in self._tiers for d in list_inner_dimensions(self._per))
        growing = [tier for tier in (counted if fixed else counted[1:]) if not self._tiers[tier].count]
        if growing:
            raise fault(
                "FG039",
                f"the count of {growing[0]} is derived and may grow, which would change {{index}} of {self.naming.who}",
                path=self.naming.path,
                hint=f"state `count` of {growing[0]}, or number them in their group with {{n}}",
            )

    @property
    def counts_through_kinds(self) -> bool:
        """Whether the running number alone tells a tier's switches apart, so that it goes on from the units of one kind
        to those of the next.
        """
        return "index" in self.naming.fields and self.naming.fields <= {"index", *self._fixed_fields}

    def number_switches(self, sizes: Mapping[str, int], count: int) -> CountedNames:
        """Return how the switches of a part of the cluster are counted, by pod: the running number of each switch, from
        0, and how many numbers a pod needs with its reserved units.
        """
        fields, layout = self._list_fields(sizes, count), self._layout
        pods_and_numbers = zip(fields["pod"], fields["index"], strict=True)
        usual_numbers = group_pairs((str(pod), int(number) - 1) for pod, number in pods_and_numbers)
        switches_per_place = len(fields["index"]) // count_places(layout, self._scope)
        places_by_pod = {pod.name: count_places_in_pod(layout, self._scope, pod.slots) for pod in layout.pods}
        return CountedNames(usual_numbers, {pod: switches_per_place * number for pod, number in places_by_pod.items()})

    def make_names(self, sizes: Mapping[str, int], count: int) -> list[str]:
        """Return the names of all switches, group by group; at the site that names leave out, they are without the
        site.
        """
        fields = self._list_fields(sizes, count)
        switch_count = len(fields["index"])
        names = self.naming.make_names(fields, switch_count)
        if self._scope == "site" and self._layout.unnamed_site:
            names_without_site = self._without_site.make_names(fields, switch_count)
            sites_and_names = zip(fields["site"], names_without_site, names, strict=True)
            names = [
                name_without_site if site == self._layout.unnamed_site else full_name
                for site, name_without_site, full_name in sites_and_names
            ]
        return names

    def _list_fields(self, sizes: Mapping[str, int], count: int) -> dict[str, Values]:
        """Return the value of every field of the template for all switches, group by group: a column, or one text for
        all.
        """
        place_columns = self._list_places()
        dimensions = list_inner_dimensions(self._per)
        # in the order of the device rows: the number in the group counts fastest
        inner_values = list(product(*(range(1, sizes[d] + 1) for d in dimensions), range(1, count + 1)))
        switches_per_place, places_count = len(inner_values), len(place_columns["place"])
        # for each field of the template, one value for each switch
        fields: dict[str, Values] = dict(self._fixed_fields)
        fields |= {
            field: [v for v in values for _ in range(switches_per_place)] for field, values in place_columns.items()
        }
        fields |= {
            d: [values_of_switch[i] for values_of_switch in inner_values] * places_count
            for i, d in enumerate((*dimensions, "n"))
        }
        numbers_of_places = (
            number_places(self._layout, self._scope) if "index" in self.naming.fields else range(places_count)
        )
        fields["index"] = [
            place_number * switches_per_place + i + 1
            for place_number in numbers_of_places
            for i in range(switches_per_place)
        ]
        if self.counts_through_kinds and (blocks := self._blocks()):
            numbers = {pod: iter(list_numbers(intervals)) for pod, intervals in blocks.items()}
            fields["index"] = [next(numbers[str(pod)]) + 1 for pod in fields["pod"]]
        if self._racks is not None and "rack" in self.naming.fields and "rack" not in fields:
            racks = list(self._racks())
            fields["rack"] = racks * (switches_per_place * places_count // len(racks))
        return fields

    def _list_places(self) -> dict[str, Sequence[str | int]]:
        """Return columns of the fields that say where a group stands, one item for each place of the scope; `place`
        numbers the places.
        """
        layout = self._layout
        if self._scope in (WHOLE, "site"):
            sites = list(layout.sites) if self._scope == "site" else [layout.sites[0]]
            has_site = self._scope == "site" or len(layout.sites) == 1
            return {"place": range(len(sites))} | ({"site": sites} if has_site else {})
        return {"place": range(count_places(layout, self._scope)), **name_places(layout, self._scope)}


def make_switch_names(design: Design, tier: TierDesign) -> SwitchNames:
    """Return the names of the switches of a tier, which may include the rack that a switch stands in."""

    def racks() -> list[int]:
        node_racks = tier.layout.racks_per_su
        positions = FloorPlan(design).positions[tier.key]
        return [rack + 1 if rack < node_racks else rack - node_racks + 1 for rack, _ in positions]

    in_units = not stands_in_run(design, tier)
    blueprint = design.loaded.blueprint
    blocks = partial(allocate_switch_blocks, design, tier.fabric, tier.name)
    return SwitchNames(blueprint, tier.layout, tier.fabric, tier.name, tier.per, racks if in_units else None, blocks)


def allocate_switch_blocks(design: Design, fabric: str, tier: str) -> Allocations:
    """Return the running numbers of the switches of a tier by pod, from 0.

    Empty if the names do not count through units of several kinds, or if the tier serves all parts of the cluster.
    """
    tiers = [tier_design for tier_design in design.tiers if (tier_design.fabric, tier_design.name) == (fabric, tier)]
    names = [SwitchNames(design.loaded.blueprint, t.layout, fabric, tier, t.per) for t in tiers]
    # a tier that is wider than pods serves all kinds, and has no numbers by pod
    if not names[0].counts_through_kinds or tiers[0].layout.cluster is None:
        return {}
    counted = [name.number_switches(t.sizes, t.count) for name, t in zip(names, tiers, strict=True)]
    usual_numbers = {pod: numbers for names_of_part in counted for pod, numbers in names_of_part.usual.items()}
    sizes = {pod: size for names_of_part in counted for pod, size in names_of_part.sizes.items()}
    return allocate_blocks(design.layout, f"{fabric} {tier}", len(tiers), CountedNames(usual_numbers, sizes))


def list_index_entries(design: Design) -> dict[str, Allocations]:
    """Return the running numbers that the lock keeps, by kind of lock entry."""
    blueprint, layout = design.loaded.blueprint, design.layout
    tiers = {(tier.fabric, tier.name) for tier in design.tiers}
    blocks = {" ".join(key): allocate_switch_blocks(design, *key) for key in sorted(tiers)}
    for members in layout.node_sets:
        names = NodeNames(blueprint, layout, members)
        blocks[names.owner] = names.allocate_blocks()
    blocks[RACKS] = allocate_rack_blocks(blueprint, layout)
    return {name_numbers_kind(owner): by_pod for owner, by_pod in blocks.items() if by_pod}


def check_switch_names(design: Design) -> None:
    """Check every template of switch names; raises InputError (FG016, FG039) at the template."""
    blueprint, fabrics = design.loaded.blueprint, design.fabrics
    tiers = {tier.name for fabric in fabrics for tier in fabric.tiers}
    _check_tiers(blueprint.names.switches, ("names", "switches"), tiers)
    for fabric in fabrics:
        fabric_names = blueprint.fabrics[fabric.name].names
        _check_tiers(fabric_names, ("fabrics", fabric.name, "names"), {tier.name for tier in fabric.tiers})
        for tier in fabric.tiers:
            make_switch_names(design, tier).check(tier.sizes, tier.count)


def _check_tiers(templates: Mapping[str, str], path: Path, tiers: set[str]) -> None:
    for name in sorted(set(templates) - tiers - {"all"}):
        raise fault("FG016", f"there is no tier '{name}' to name", path=(*path, name), hint=did_you_mean(name, tiers))


# Names of nodes, and of other devices in their racks, from their coordinates.

Columns: TypeAlias = Mapping[str, list[int]]
"""For some nodes, a number of each for `pod`, `su`, `rack` and `node`."""

TEXTS = ("cluster", "set", "site", "pod")
NUMBERS = ("su", "rack", "node", "n", "index")
"""Fields of templates of node names: texts, and numbers from 1."""


class NodeNames:
    """Names of the nodes of a set; the default template gives `p1-su01-n001`."""

    def __init__(self, blueprint: Blueprint, layout: Layout, members: NodeSet) -> None:
        self._blueprint, self._layout, self._members = blueprint, layout, members
        self._kind = next(kind for kind in layout.kinds if kind.name == members.unit)
        self._fixed_fields = {"cluster": blueprint.name, "set": members.name}
        templates = blueprint.names.nodes
        # `all` means the sets that are counted by unit: names of sets counted by rack take other fields
        candidates = (members.name,) if members.per_rack else (members.name, "all")
        template_key = next((candidate for candidate in candidates if candidate in templates), "")
        if members.per_rack:
            default_template = "{pod}-su{su:02}-rk{rack:02}-{set}-{n:02}"
        elif members.name == "node":
            default_template = "{pod}-su{su:02}-n{node:03}"
        else:
            default_template = "{pod}-su{su:02}-{set}-{node:03}"
        # `{default}` in a template of the blueprint stands for the name that nodes would have without it
        self.naming = Naming(
            who=f"'{members.name}' nodes",
            template=templates.get(template_key, "").replace("{default}", default_template) or default_template,
            path=("names", "nodes", template_key) if template_key else members.path,
        )

    def check(self) -> None:
        """Raise InputError (FG039) for a template with fields that nodes lack, or that gives two nodes one name."""
        layout, fields = self._layout, self.naming.fields
        needed = ["pod"] if len(layout.pods) > 1 else []
        needed += ["su"] if max(pod.su for pod in layout.pods) > 1 else []
        if "node" not in fields and self._members.count > 1:
            by_rack = self._members.per_rack or "n" in fields
            needed += (["rack"] if self._kind.racks > 1 else []) + ["n"] if by_rack else ["node"]
        self.naming.check(TEXTS, NUMBERS, [] if "index" in fields else needed)

    def make_names(self, columns: Columns, count: int) -> list[str]:
        """Return the names of `count` nodes; `columns` are their pod, su, rack and node, lists of int, from 0."""
        members = self._members
        per_rack = members.per_rack or self._kind.nodes_per_rack
        # sets of nodes share the numbers of a unit; devices beside the nodes count from 1 in their set
        first_number = members.first if members.per_rack else 0
        pods = self._layout.pods
        fillers: dict[str, Callable[[], Values]] = {
            "site": lambda: [pods[i].site for i in columns["pod"]],
            "pod": lambda: [pods[i].name for i in columns["pod"]],
            "su": lambda: [i + 1 for i in columns["su"]],
            "rack": lambda: [i + 1 for i in columns["rack"]],
            "node": lambda: [i + 1 for i in columns["node"]],
            "n": lambda: [(i - first_number) % per_rack + 1 for i in columns["node"]],
            "index": lambda: self._number_nodes(columns),
        }
        return self.naming.make_names({**self._fixed_fields, **fillers}, count)

    @cached_property
    def _counted_sets(self) -> tuple[NodeSet, ...]:
        """The sets through which the running number counts on: if the template tells nodes apart by that alone, all
        sets with this template, else the set itself.
        """
        if not {"index"} <= self.naming.fields <= {"index", "cluster"}:
            return (self._members,)
        sets = [(s, NodeNames(self._blueprint, self._layout, s).naming.path) for s in self._layout.node_sets]
        return tuple(node_set for node_set, path in sets if path == self.naming.path)

    @property
    def owner(self) -> str:
        """The owner of the running numbers, in the lock: the template."""
        return f"nodes {self.naming.path[-1]}"

    @cached_property
    def _counted(self) -> CountedNames:
        """How the nodes of `_counted_sets` are counted in each pod."""
        in_unit = sum_pairs((node_set.unit, node_set.count) for node_set in self._counted_sets)
        return count_members(self._layout, [in_unit[kind.name] for kind in self._layout.kind_of_pod])

    def allocate_blocks(self) -> Allocations:
        """Return the running numbers of nodes by pod, from 0; empty if each kind of units counts by itself."""
        kinds = {node_set.unit for node_set in self._counted_sets}
        has_index = "index" in self.naming.fields
        return allocate_blocks(self._layout, self.owner, len(kinds), self._counted) if has_index else {}

    def _number_nodes(self, columns: Columns) -> list[int]:
        """Return the number of each node in the cluster, from 1; reserved units count, so that growth changes no
        number.
        """
        pods, members = self._layout.pods, self._members
        numbers = list_block_numbers(self.allocate_blocks(), self._counted)
        counted_sets = [s for s in self._counted_sets if s.unit == members.unit]
        per_unit = sum(s.count for s in counted_sets)
        # nodes of other templates with lower numbers in the unit are not counted
        nodes_left_out = members.first - sum(s.count for s in counted_sets if s.first < members.first)
        rows = zip(columns["pod"], columns["su"], columns["node"], strict=True)
        return [numbers[pods[pod].name][su * per_unit + node - nodes_left_out] + 1 for pod, su, node in rows]


def check_node_names(blueprint: Blueprint, layout: Layout) -> None:
    """Check the template of every node set; raises InputError (FG016, FG039) at the template."""
    sets = {members.name for members in layout.node_sets}
    for name in sorted(set(blueprint.names.nodes) - sets - {"all"}):
        hint = did_you_mean(name, sets)
        raise fault("FG016", f"there are no nodes '{name}' to name", path=("names", "nodes", name), hint=hint)
    for members in layout.node_sets:
        NodeNames(blueprint, layout, members).check()


# Interface names of nodes' ports in their operating system: as stated, else the port's printed name.


def name_interface(blueprint: Blueprint, profile: str, port: str) -> str:
    """Return the interface name of a node's port: as stated, else the port's name with `-` for the `/` of a split port.

    Linux allows no `/` in interface names. The default need not be a valid Linux name otherwise.
    """
    return blueprint.names.interfaces.get(profile, {}).get(port) or port.replace("/", "-")


def name_bond(fabric: str, nic: int) -> str:
    """Return the name of a host's bond in a fabric: `bond-FABRIC`, or `bond-FABRIC-NIC` if each NIC has a bond (`nic`
    above 0).
    """
    return f"bond-{fabric}-{nic}" if nic else f"bond-{fabric}"


def check_interface_names(blueprint: Blueprint, layout: Layout, fabrics: Iterable[FabricDesign]) -> None:
    """Raise InputError, at the name, for interface names of unknown nodes or ports (FG016), and for names used twice
    (FG035).
    """
    if not blueprint.names.interfaces:
        return
    ports = _list_ports(layout, fabrics)
    for profile, names in blueprint.names.interfaces.items():
        path = ("names", "interfaces", profile)
        if profile not in ports:
            raise fault(
                "FG016", f"there is no '{profile}' in this cluster", path=path, hint=did_you_mean(profile, ports)
            )
        for port in names:
            if port not in ports[profile]:
                hint = did_you_mean(port, ports[profile])
                raise fault("FG016", f"{profile} has no port '{port}' here", path=(*path, port), hint=hint)
        _check_distinct_interfaces(blueprint, profile, names, ports[profile])


def _check_distinct_interfaces(
    blueprint: Blueprint, profile: str, names: Mapping[str, str], ports: Iterable[str]
) -> None:
    """Raise InputError (FG035) if two ports of a device would have one name in its operating system.

    `names` are the stated names, by port.
    """
    port_by_name: dict[str, str] = {}
    # ports with stated names last, so that the fault is at a stated name
    for port in sorted(ports, key=lambda port: (port in names, port)):
        name = name_interface(blueprint, profile, port)
        earlier_port = port_by_name.setdefault(name, port)
        if earlier_port != port and port in names:
            raise fault(
                "FG035",
                f"ports {earlier_port} and {port} of {profile} would both be interface {name}: {port} by this line, "
                f"{earlier_port} "
                + (f"by names.interfaces.{profile}.{earlier_port}" if earlier_port in names else "by its own name"),
                path=("names", "interfaces", profile, port),
                hint="choose another name for one of them",
            )


def _list_ports(layout: Layout, fabrics: Iterable[FabricDesign]) -> dict[str, set[str]]:
    """Return, by node profile, the names of its ports as fabrics split them, of whole ports that no fabric splits, and
    of its bonds.
    """
    fabrics_and_attachments = [
        (f, a) for f in fabrics for a in (*(a for _, a in f.attachments), *(e.attachment for e in f.extras))
    ]
    attachments = [attachment for _, attachment in fabrics_and_attachments]
    ports_by_profile: dict[str, set[str]] = defaultdict(set)
    for attachment in attachments:
        ports_by_profile[attachment.profile.id] |= {leg.name for leg in attachment.legs}
    profiles = {p.id: p for p in (*(s.profile for s in layout.node_sets), *(a.profile for a in attachments))}
    for name, profile in profiles.items():
        whole_ports = {port.name for role in profile.roles.values() for port in role.ports}
        # whole ports that are split into legs: `eth1` for `eth1/1`
        split = {leg.rpartition("/")[0] for leg in ports_by_profile[name] - whole_ports}
        ports_by_profile[name] |= whole_ports - split
    for fabric, attachment in ((fabric, attachment) for fabric, attachment in fabrics_and_attachments if fabric.bond):
        nics = {leg.rail if fabric.bond == "nic" else 0 for leg in attachment.legs}
        ports_by_profile[attachment.profile.id] |= {name_bond(fabric.name, nic) for nic in nics}
    return ports_by_profile
