"""The language as a whole: a blueprint."""

import re
from collections.abc import Collection
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.scalars import NAME_PATTERN, NODE_SET_FORM, NODES_FORM, Line, Name, NodeSetOf, NodesOf
from fabricgen.blueprint.sections.cable_overrides import CableOverrides, Override
from fabricgen.blueprint.sections.cabling import Cabling
from fabricgen.blueprint.sections.configuration import DeviceConfiguration, Snippets
from fabricgen.blueprint.sections.expect import Expect
from fabricgen.blueprint.sections.fabric import Fabric, NosOf, PodTier, VrfName
from fabricgen.blueprint.sections.floor import Floor
from fabricgen.blueprint.sections.lint_settings import BlueprintDrift, BlueprintLint
from fabricgen.blueprint.sections.management import Management
from fabricgen.blueprint.sections.naming import Names
from fabricgen.blueprint.sections.phases import Phase
from fabricgen.blueprint.sections.qos import Qos
from fabricgen.blueprint.sections.routing import Ip, Pools, Routing
from fabricgen.blueprint.sections.spares import Accessories, Spares, SparesOf
from fabricgen.blueprint.sections.tenants import Leak, Tenant
from fabricgen.models.forms import CATALOGUE

SETS = (
    "`32 x dgx-b200`, or several sets of nodes by name, of which some may pass fabrics by: "
    "{gpu: 32 x dgx-b200, login: {nodes: 2 x cpu-node, skip: [storage]}}."
)

NodeSets = Annotated[
    dict[Name, Annotated[NodeSetOf, BeforeValidator(NodeSetOf.read)]],
    BeforeValidator(lambda value: {"node": value} if isinstance(value, str) else value),
    Field(min_length=1),
    WithJsonSchema(
        {
            "description": SETS,
            "oneOf": [
                NODES_FORM,
                {"type": "object", "patternProperties": {NAME_PATTERN: NODE_SET_FORM}, "minProperties": 1},
            ],
        }
    ),
]


class Racks(Model):
    """How the nodes of a scalable unit stand in racks."""

    nodes_per_rack: int | None = Field(None, gt=0, le=64, description="Default: as many as fit the rack units.")
    units: int = Field(48, ge=10, le=60, description="Height of a rack, rack units. A `type` has its own.")
    type: str | None = Field(
        None,
        min_length=1,
        description="Rack profile, for example nvl72-gb200: its size and budgets, and what stands at which rack unit. "
        "Default: a rack of `units`.",
        json_schema_extra={CATALOGUE: "racks"},
    )
    power_kw: float | None = Field(
        None, gt=0, le=2000, description="What a node rack may draw, kW. Default: not judged."
    )
    weight_kg: float | None = Field(
        None, gt=0, le=20000, description="What may stand in a node rack, kg, without the rack. Default: not judged."
    )
    air_kw: float | None = Field(
        None, gt=0, le=2000, description="Heat that air may take from a node rack, kW. Default: not judged."
    )
    liquid_kw: float | None = Field(
        None, ge=0, le=2000, description="Heat that coolant may take from a node rack, kW. Default: not judged."
    )
    devices: dict[Name, NodesOf] = Field(
        default_factory=dict, description="What else stands in each rack, e.g. {shelf: 8 x power-shelf}."
    )


class ScalableUnit(Model):
    """The building block that is repeated: so many nodes in racks."""

    nodes: NodeSets = Field(description=SETS)
    racks: Racks = Field(default_factory=Racks.model_construct, description="How they stand in racks.")


class Pod(Model):
    """A pod: so many scalable units, with slots reserved for growth."""

    su: int = Field(1, ge=1, le=65536, description="Scalable units now.")
    reserve: int | None = Field(None, ge=1, le=65536, description="Slots in all, numbered now. Default: su.")
    count: int = Field(1, ge=1, le=65536, description="Repeats the pod: p1, p2, ...")
    nodes: int | None = Field(
        None, ge=1, description="Nodes in all where the last unit is part filled; it is wired as if full."
    )
    unit: Name | None = Field(
        None, description="The kind of its units, of `scalable_units`. Default: `scalable_unit`, or the only kind."
    )
    tiers: dict[str, PodTier] = Field(
        default_factory=dict,
        description="What its switches have instead of what their tiers state, by FABRIC.TIER: {compute.spine: {count: "
        "8}}; of tiers that are per pod, or per a place in it.",
    )
    site: Name | None = Field(None, description="Where it stands. Default: the blueprint's site.")
    hall: Name | None = Field(None, description="The hall it stands in. Default: the first with room for its units.")

    @property
    def slots(self) -> int:
        """Scalable-unit slots, at least as many as there are units."""
        return max(self.su, self.reserve or 0)


SpareSlot = Annotated[str, Field(description="A slot, as in `omit`.")]


class SpareNodes(Model):
    """So many spare nodes in each place: the last ones of it, with accelerators where it has any."""

    per: Literal["rack", "su", "pod"] = Field(description="What has spare nodes of its own.")
    count: int = Field(1, ge=1, le=4096, description="Spare nodes of each, beside those of rules before.")
    unit: Name | None = Field(None, description="The kind of units that it is for. Default: all.")


MOST_SLOTS = 1 << 18
"""Scalable units of a cluster, reserved ones included: a quarter of a million, of a rack or more each."""


def _check_unit_count(pods: dict[str, Pod]) -> dict[str, Pod]:
    """Raise ValueError for more scalable units than any hall of this planet holds, which would take hours to size."""
    slots = sum(pod.slots * pod.count for pod in pods.values())
    if slots > MOST_SLOTS:
        raise ValueError(f"{slots:,} scalable units in all, reserved ones included; {MOST_SLOTS:,} are the most")
    return pods


class ScaleUp(Model):
    """Scale-up domains that the nodes form."""

    model_config = ConfigDict(
        json_schema_extra={
            "if": {"required": ["racks"], "properties": {"racks": {"type": "integer"}}},
            "then": {"required": ["per"], "properties": {"per": {"const": "rack"}}},
        }
    )

    domain: str = Field(
        description="Scale-up domain profile, for example hgx-b200.", json_schema_extra={CATALOGUE: "scale_up"}
    )
    per: Literal["node", "rack", "su", "pod", "cluster"] = Field(
        "node", description="A domain for each node, rack, scalable unit or pod, or one for all."
    )
    racks: int | None = Field(
        None, ge=1, le=64, description="With `per: rack`, adjacent racks of a unit that share a domain. Default: 1."
    )
    joins: Name | None = Field(
        None, description="The domains, by name, whose switches its own join: a second tier. Default: it joins nodes."
    )

    @model_validator(mode="after")
    def _check_racks(self) -> Self:
        """Refuse `racks`, the count of racks that share a domain, without `per: rack`."""
        if self.racks is not None and self.per != "rack":
            raise ValueError("`racks` goes with `per: rack`")
        return self


class Blueprint(Model):
    """A cluster on one page."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"required": ["scalable_unit"], "properties": {"scalable_unit": {"type": "object"}}},
                {"required": ["scalable_units"], "properties": {"scalable_units": {"minProperties": 1}}},
            ]
        }
    )

    fabricgen: Literal[1] = Field(1, description="Version of the language. Default: the present one; state it.")
    name: Name = Field(description="The cluster's name.")
    description: Line = Field("", description="For people.")
    site: Name = Field("site1", description="Where pods stand that name no site.")
    scalable_unit: ScalableUnit | None = Field(None, description="What pods are made of.")
    scalable_units: dict[Name, ScalableUnit] = Field(
        default_factory=dict,
        description="Several kinds of units by name, of which pods name theirs with `unit`: {h100: {nodes: 32 x "
        "dgx-h100}, b300: {nodes: 72 x dgx-b300}}.",
    )
    pods: Annotated[dict[Name, Pod], AfterValidator(_check_unit_count)] = Field(
        default_factory=lambda: {"p1": Pod.model_construct()},
        min_length=1,
        description="Pods by name. Default: p1 of one unit.",
    )
    omit: tuple[Annotated[str, Field(description="A slot, for example p1/su-last/node-last.")], ...] = Field(
        (), description="Slots left empty, for example p1/su-last/node-last."
    )
    spare_nodes: tuple[SpareSlot | SpareNodes, ...] | SpareNodes = Field(
        (),
        examples=[["p1/su-last/node-last"], {"per": "rack", "count": 2}, [{"per": "rack"}, {"per": "pod", "count": 4}]],
        description="Nodes that are wired and bought, and not counted as accelerators: slots as in `omit`, or the last "
        "so many of each rack, unit or pod, {per: rack, count: 2}; or a list of these, which add up.",
    )
    scale_up: dict[Name, ScaleUp] = Field(default_factory=dict, description="Scale-up domains by name.")
    fabrics: dict[Name, Fabric] = Field(
        min_length=1, description="Networks by name: compute, storage, inband, oob and others."
    )
    tenants: dict[VrfName, Tenant] = Field(
        default_factory=dict,
        description="Tenants by name: their ports are in a VRF named so, or in a partition of InfiniBand. Nodes of "
        "none stay as they are.",
    )
    leaks: dict[Name, Leak] = Field(
        default_factory=dict,
        description="Routes that two VRFs tell each other, by name: services that tenants share. All else stays apart.",
    )
    routing: Routing = Field(default_factory=Routing.model_construct, description="Routing of all Ethernet fabrics.")
    ip: Ip = Field("v4", description="Address families of all fabrics: v4, v6 or dual.")
    pools: Pools = Field(default_factory=Pools.model_construct, description="Address pools that fabrics share.")
    qos: Qos = Field(default_factory=Qos.model_construct, description="Quality of service of all RoCE fabrics.")
    nos: NosOf = Field(default_factory=dict, description="Network operating system by tier, or one for all.")
    management: Management = Field(
        default_factory=Management.model_construct, description="How all switches are managed."
    )
    snippets: Snippets = Field(default_factory=dict, description="Raw configuration for all switches, by name.")
    config_of: dict[str, DeviceConfiguration] = Field(
        default_factory=dict, description="What the configurations of single switches have of their own, by name."
    )
    address_of: dict[str, Override] = Field(
        default_factory=dict, description="Numbers of single devices by their names, instead of those allocated."
    )
    cable_of: CableOverrides = Field(
        default_factory=dict, description="What single cables have instead of what is planned, by their ids: as built."
    )
    inventory: Line | None = Field(
        None,
        description="A table beside the blueprint of the hardware: CSV with the columns device, port, mac, guid, "
        "serial and, if needed, pci. Default: it is not known; GUIDs are planned.",
    )
    names: Names = Field(default_factory=Names.model_construct, description="What devices are called.")
    floor: Floor = Field(default_factory=Floor.model_construct, description="The hall that cables run through.")
    cabling: Cabling = Field(
        default_factory=Cabling.model_construct,
        description="Which media are taken, the products that are ordered, and what goes through patch panels.",
    )
    spares: SparesOf = Field(
        default_factory=Spares.model_construct,
        description="Spares in the bill of materials; usual: by a common policy.",
    )
    accessories: Accessories = Field(
        default_factory=Accessories.model_construct, description="What racks are fitted out with, in the bill."
    )
    phases: dict[Name, Phase] = Field(
        default_factory=dict, description="What is there at each phase, in the order of time: `--phase NAME` builds it."
    )
    expect: Expect = Field(
        default_factory=Expect.model_construct,
        description="Figures that its author believes; where one is not so, nothing is built.",
    )
    lint: BlueprintLint = Field(default_factory=BlueprintLint.model_construct, description="What the linter is told.")
    drift: BlueprintDrift = Field(
        default_factory=BlueprintDrift.model_construct, description="What devices may run otherwise than planned."
    )

    @model_validator(mode="before")
    @classmethod
    def _check_version(cls, value: Any) -> Any:
        """Refuse a later version of the language before its keys are judged by this one."""
        version = value.get("fabricgen") if isinstance(value, dict) else None
        if isinstance(version, int) and version > 1:
            raise ValueError(f"this blueprint is in language version {version}; this fabricgen reads version 1")
        return value

    @model_validator(mode="after")
    def _require_units(self) -> Self:
        """Raise ValueError unless `scalable_unit` or `scalable_units` is stated, of which pods are made."""
        if self.scalable_unit is None and not self.scalable_units:
            raise ValueError("state what pods are made of: `scalable_unit`, or several kinds in `scalable_units`")
        return self

    @property
    def unit_kinds(self) -> dict[str, tuple[tuple[str, ...], ScalableUnit]]:
        """The kinds of scalable units by name, "" for `scalable_unit`: the path where each is stated, and the unit."""
        single_kind = {"": (("scalable_unit",), self.scalable_unit)} if self.scalable_unit else {}
        return single_kind | {name: (("scalable_units", name), unit) for name, unit in self.scalable_units.items()}

    @property
    def numbers_tiers(self) -> bool:
        """Whether AS numbers are stated for single tiers."""
        plans = (self.routing.asn, *(fabric.routing.asn for fabric in self.fabrics.values()))
        return any(plan.tiers for plan in plans if plan)

    def expand_pods(self, before: Collection[str] = ()) -> dict[str, Pod]:
        """Return the pods by name, an entry with `count: 2` as two pods, in natural order of their names: p2 before
        p10.

        A single pod is named after its entry (`a`); several are numbered, from the number in the entry or 1 on (`a1`,
        `a2`). `before` has names that pods had in the lock. If exactly one of the names `a` and `a1` of an entry's
        first pod is in it, the first pod keeps that name.
        """
        pods_by_name: dict[str, Pod] = {}
        for key, pod in self.pods.items():
            stem, first = re.fullmatch(r"(.*?)(\d*)", key).groups()  # type: ignore[union-attr]
            for i in range(pod.count):
                name = f"{stem}{int(first or 1) + i}"
                numbered = name in before and name not in self.pods
                keeps_name = key in before if (key in before) != numbered else pod.count == 1
                pods_by_name[key if keeps_name and not i else name] = pod
        return dict(sorted(pods_by_name.items(), key=lambda name_and_pod: make_natural_key(name_and_pod[0])))


def make_natural_key(name: str) -> tuple[tuple[tuple[int, str], ...], str]:
    """Return a sort key under which p2 comes before p10, and no two names are alike."""
    parts = (part for part in re.split(r"(\d{1,18})", name) if part)
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in parts), name
