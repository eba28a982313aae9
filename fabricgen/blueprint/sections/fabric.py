"""The language of one fabric: its tiers, what attaches to them, and what differs from the cluster's defaults."""

from collections import Counter
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic.config import JsonDict

from fabricgen.blueprint.base import Model, wrap_in_list
from fabricgen.blueprint.dimensions import list_dimension_names
from fabricgen.blueprint.scalars import (
    NAME_PATTERN,
    Breakouts,
    Cages,
    Line,
    LinksOf,
    MediaOf,
    Name,
    NicMode,
    NicModes,
    PeersOf,
    Ratio,
    Speed,
)
from fabricgen.blueprint.sections.cabling import MediaPolicy
from fabricgen.blueprint.sections.configuration import Snippets
from fabricgen.blueprint.sections.exits import Exit
from fabricgen.blueprint.sections.floor import Stand
from fabricgen.blueprint.sections.host_services import Access, AdvertisementsOf, Dhcp
from fabricgen.blueprint.sections.management import Management
from fabricgen.blueprint.sections.mesh import Grid, MeshOf, SpanTraffic
from fabricgen.blueprint.sections.naming import HostName, Templates
from fabricgen.blueprint.sections.qos import Qos
from fabricgen.blueprint.sections.reserved_ports import ReservedOf
from fabricgen.blueprint.sections.routing import Ip, Pools, Routing
from fabricgen.models.forms import CAGE_PURPOSE, CATALOGUE, TIER_NAME, VRF_NAME, make_text_form, one_or_list

_DIMENSION_FORM = {
    "description": "A dimension, or a tier below.",
    "anyOf": [{"enum": list(list_dimension_names())}, {"type": "string"}],
}

TIER_LEVELS = {
    "tor": 1,
    "leaf": 1,
    "agg": 2,
    "spine": 2,
    "core": 3,
    "superspine": 3,
    "super-spine": 3,
    "border": 4,
}
"""Where the usual tiers stand; another name says which tier it is `above`."""


_NOS_FORM = {"type": "string", "description": "A network operating system.", CATALOGUE: "nos"}
NosOf = Annotated[
    dict[Name, str],
    BeforeValidator(lambda value: {"all": value} if isinstance(value, str) else value),
    WithJsonSchema({"oneOf": [_NOS_FORM, {"type": "object", "patternProperties": {NAME_PATTERN: _NOS_FORM}}]}),
]
"""Tier -> network operating system; one word for all tiers."""


_TIER_FORM = make_text_form(TIER_NAME, "a tier, or FABRIC.TIER of another fabric", "leaf", "compute.spine")
TierName = Annotated[str, Field(pattern=TIER_NAME)]
"""A tier of the same fabric, or of another as FABRIC.TIER."""
TierNames = Annotated[
    tuple[TierName, ...],
    BeforeValidator(wrap_in_list),
    WithJsonSchema(
        {
            "description": "Tiers below it: for unusual names, or FABRIC.TIER of another fabric.",
            **one_or_list(_TIER_FORM),
        }
    ),
]


SubnetManager = Literal["opensm", "ufm"]
"""What routes an InfiniBand fabric."""

SUBNET_NOS: SubnetManager = "opensm"
"""The usual manager, and the NOS that lists have for switches of InfiniBand, whoever manages them."""

Membership = Literal["full", "limited"]
"""Of a port in a partition: limited members do not reach each other."""

SizeFor = Literal["now", "reserve"]
"""What derived counts suffice for."""


CagePurpose = Annotated[
    str,
    Field(pattern=CAGE_PURPOSE),
    WithJsonSchema(make_text_form(CAGE_PURPOSE, "down, up, peer, down.NAME or extra.NAME", "down", "down.storage")),
]
"""What cages are kept for: `down.NAME` down ports for a fabric, a lower tier or management, `extra.NAME` devices."""


class Tier(Model):
    """A tier: identical switches, so many per group; a group for each value of `per`."""

    switch: str = Field(description="Switch profile, for example sn5600.", json_schema_extra={CATALOGUE: "switches"})
    per: Annotated[
        tuple[str, ...],
        BeforeValidator(wrap_in_list),
        WithJsonSchema(
            {
                "description": f"Dimensions that each have switches of their own: {', '.join(list_dimension_names())}, "
                "or a tier below; none: one group for the fabric.",
                **one_or_list(_DIMENSION_FORM),
                "examples": [["su", "rail"], "rack", []],
            }
        ),
    ] = ()
    count: int | None = Field(None, gt=0, le=4096, description="Switches in a group. Default: derived.")
    size_for: SizeFor | None = Field(
        None, description="What a derived count suffices for: the units there are, or all reserved. Default: now."
    )
    uplinks: LinksOf | None = Field(None, description="Links of each switch to the tier above. Default: derived.")
    breakout: Breakouts = Field(
        (),
        description="How downlink cages are split, e.g. 2x400; a list where ports of several speeds share the switch, "
        "e.g. [2 x 400G, 1 x 100G]. Default: finest.",
    )
    oversubscription: Ratio | None = Field(None, description="Downlink : uplink bandwidth allowed here.")
    spread: Literal["block", "stripe", "uneven"] | None = Field(
        None,
        description="How ports are dealt over a group's switches. Of nodes, block: switch after switch takes its share "
        "of them; stripe: in turn, port by port, which takes each node to several (dual ToR). Default: block within "
        "a unit or rack; where a group spans units every switch takes an equal block of each unit, so that a further "
        "unit moves no port, or stripe where these do not divide. Of tiers below, uneven: their switches may have one "
        "link more to some switches of this tier than to others; default: equally many to each.",
    )
    parallel: Literal["adjacent"] | None = Field(
        None,
        description="How parallel links lie: from a switch of a tier below to one of this. adjacent: side by side at "
        "both ends. Default: apart, so that half of them stay where a derived `count` doubles.",
    )
    racks: int = Field(
        1,
        ge=1,
        le=16,
        description="Network racks, or rows of them, that its switches are dealt over in turn, so that none holds all. "
        "Not of switches `per: rack`. Default: one after the other.",
    )
    stand: Stand | None = Field(
        None,
        description="Where its switches stand. rack-top, rack-middle, rack-bottom: in the racks of the nodes (those of "
        "a unit are dealt over its racks); unit-end, unit-middle: in network racks of the unit; row-end, row-middle: "
        "in those of the units of a row, which are whole then; network-row: in rows of their own. Default: rack-top, "
        "unit-end or network-row by `per`.",
    )
    airflow: Literal["exhaust", "intake"] | None = Field(
        None,
        description="What the port side of its switches is. exhaust: ports face the hot aisle (P2C); intake: the cold "
        "aisle (C2P). Default: in racks of nodes the aisle of the ports of these, where all face one; else what the "
        "catalogue lists first.",
    )
    managed: bool | None = Field(
        None, description="Whether its InfiniBand switches have a processor of their own. Default: as listed first."
    )
    spare_ports: int = Field(0, ge=0, le=1024, description="Down ports that each switch keeps free.")
    reserved_ports: dict[Name, ReservedOf] = Field(
        default_factory=dict,
        description="Ports of each switch that are kept for a named purpose and get no cable, e.g. {wan: 2, test: "
        "{cages: 63-64}}.",
    )
    peer: PeersOf | None = Field(
        None,
        description="Links to the other switch of each pair in a group, e.g. 2 x 400G; 2 x 400G per su: so many for "
        "each scalable unit below the pair.",
    )
    grid: Grid = Field(
        default_factory=dict,
        description="How the switches of a group lie, where more than one number tells them apart, e.g. {row: 4, "
        "column: 4}; [row, column]: as near to a square as `count` allows.",
    )
    mesh: dict[Name, MeshOf] = Field(
        default_factory=dict,
        description="Links between its switches, by the dimension in which those that meet differ: its own name or "
        "those of `grid` within a group, what it is `per` between groups, e.g. {router: 1 x 200G}.",
    )
    pair: Literal["mclag", "evpn"] | None = Field(
        None,
        description="How bonds are over two of its switches. mclag: the SONiC image has what that takes (ICCPd). "
        "evpn: EVPN multihoming, without peer links, with `overlay: evpn`. Default: MLAG over `peer` links.",
    )
    cages: dict[CagePurpose, Cages] = Field(
        default_factory=dict,
        description="Cages kept for a purpose: down, up, peer, or some of the down ports: `down.FABRIC`, `down.TIER` "
        "of switches below, `down.management`, `extra.NAME` of devices, e.g. {down: 1-48, down.oob: 49-52, up: 53-64}. "
        "Down ports fill their ranges in the order that is written.",
    )
    media: dict[Literal["down", "up", "peer"], MediaOf] = Field(
        default_factory=dict, description="What links of a purpose may run over, e.g. {down: DAC, up: [DR, FR]}."
    )
    above: TierNames = Field((), description="Tiers below it: for unusual names, or FABRIC.TIER of another fabric.")
    snippets: Snippets = Field(default_factory=dict, description="Raw configuration for its switches, by name.")
    below: TierName | None = Field(
        None, description="The tier it is linked up to, own or FABRIC.TIER: for border and joined leaves."
    )

    def find_breakout(self, speed_gbps: int) -> NicMode | None:
        """Return the stated breakout that makes ports of a speed; None if none is."""
        return next((mode for mode in self.breakout if mode.speed_gbps == speed_gbps), None)


class PodTier(Model):
    """What the switches of a tier have in one pod, instead of what the tier states."""

    switch: str | None = Field(
        None, description="Switch profile, for example sn5600.", json_schema_extra={CATALOGUE: "switches"}
    )
    count: int | None = Field(None, gt=0, le=4096, description="Switches in a group.")
    uplinks: LinksOf | None = Field(None, description="Links of each switch to the tier above.")
    oversubscription: Ratio | None = Field(None, description="Downlink : uplink bandwidth allowed here.")
    spare_ports: int | None = Field(None, ge=0, le=1024, description="Down ports that each switch keeps free.")
    breakout: Breakouts | None = Field(None, description="How downlink cages are split; see Tier.")
    cages: dict[CagePurpose, Cages] | None = Field(
        None, description="Cages kept for a purpose, e.g. {down: 1-48, up: 49-64}: all of them; see Tier."
    )
    reserved_ports: dict[Name, ReservedOf] | None = Field(
        None,
        description="Ports of each switch that are kept for a named purpose, e.g. {wan: 2}: all of them; see Tier.",
    )

    @property
    def stated(self) -> dict[str, Any]:
        """The keys of the tier that a pod states for itself, with their values; others are those of the fabric."""
        return {name: value for name in PodTier.model_fields if (value := getattr(self, name)) is not None}

    def lay_over(self, tier: Tier) -> Tier:
        """Return a tier with the values that a pod states in place of its own."""
        return tier.model_copy(update=self.stated)


class Extra(Model):
    """Devices beside the nodes of the scalable units: UFM, management servers, storage, firewalls."""

    device: str = Field(description="Node profile, for example ufm.", json_schema_extra={CATALOGUE: "nodes"})
    count: int | None = Field(None, gt=0, le=4096, description="How many. Default: one, or one a name.")
    names: tuple[HostName, ...] = Field(
        (),
        description="Their names. Sets that state the same ones are the same devices, each by ports of its own. "
        "Default: the key, numbered.",
        json_schema_extra={"uniqueItems": True},
    )
    ports: int | None = Field(None, gt=0, description="Ports of each that attach here. Default: all of the role.")
    speed: Speed | None = Field(None, description="Speed of their links. Default: their fastest that fits.")
    to: Name | None = Field(None, description="Tier they attach to. Default: the lowest.")
    switches: tuple[Annotated[str, Field(description="A switch by name.")], ...] = Field(
        (), description="Switches by name that their ports are dealt over.", json_schema_extra={"uniqueItems": True}
    )
    spread: Literal["stripe"] | None = Field(
        None,
        description="stripe: port i of each device goes to switch i of a group (or of `switches`), counted round, "
        "whatever else is attached. Default: to the switches of a first pod, unit or rack of `per`, then of the next.",
    )
    site: Name | None = Field(None, description="Where they stand. Default: the first site.")
    attach: Name | None = Field(None, description="Their NIC role. Default: as the fabric's nodes, or the only one.")
    media: MediaOf | None = Field(None, description="What their links may run over. Default: as nodes' of that tier.")

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        """Raise ValueError if count and names disagree, or a name or switch is given twice."""
        if self.names and self.count not in (None, len(self.names)):
            raise ValueError(f"count is {self.count}, and {len(self.names)} names are given")
        if len(set(self.names)) < len(self.names):
            raise ValueError("a name is given twice")
        if len(set(self.switches)) < len(self.switches):
            raise ValueError("a switch is named twice in `switches`")
        return self

    @property
    def quantity(self) -> int:
        """How many devices there are."""
        return self.count or len(self.names) or 1


VrfName = Annotated[str, Field(pattern=VRF_NAME)]
"""At most 11 characters: SONiC adds `Vrf_` and takes 15 (sonic-vrf.yang)."""


class SpanSpec(SpanTraffic):
    """A long-haul connection between two sites: links between their border switches over a pair of fibres each."""

    between: tuple[Name, Name] = Field(description="The two sites, for example [east, west].")
    km: float = Field(gt=0, le=20000, description="Length of the fibre, km.")
    links: LinksOf = Field(description="Links in all, e.g. 16 x 400G, dealt over the border switches of a site.")
    fibre_pairs: int | None = Field(None, gt=0, description="Fibre pairs there are. Default: one a link.")
    media: MediaOf | None = Field(None, description="What its links may run over. Default: the cheapest that reaches.")
    loss_db: float | None = Field(
        None, gt=0, le=100, description="Loss from one ODF to the other as measured, dB. Default: estimated."
    )
    amplified: bool = Field(False, description="Whether amplifiers make up for the loss; they are not planned here.")
    odf_jumper_m: float = Field(20, gt=0, le=500, description="Of the jumper to the distribution frame, each site, m.")


Rail = Annotated[int, Field(ge=1, description="A rail by number, from 1.")]


def _check_rails_once(groups: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    """Raise ValueError for a rail that is in two groups."""
    times = Counter(rail for group in groups for rail in group)
    twice = sorted(rail for rail, count in times.items() if count > 1)
    if twice:
        raise ValueError(f"rail_groups name each rail once; rail {twice[0]} is there {times[twice[0]]} times")
    return groups


_OF_INFINIBAND: dict[str, JsonDict] = {
    "guids": {},
    "subnet_manager": {},
    "default_partition": {"subnet_manager": {"enum": ["opensm", None]}},
}
"""Key -> what else holds where it is stated, beside that the fabric is of InfiniBand; JSON Schema."""


class Fabric(Model):
    """One network of the cluster."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [
                {"required": ["tiers"], "properties": {"tiers": {"minProperties": 1}}},
                {"required": ["carried_by"], "properties": {"carried_by": {"type": "string"}}},
            ],
            "allOf": [
                {
                    "if": {"required": [key], "properties": {key: {"type": "string"}}},
                    "then": {"properties": {"protocol": {"const": "infiniband"}, **more}},
                }
                for key, more in _OF_INFINIBAND.items()
            ],
        }
    )

    protocol: Literal["infiniband", "roce", "ethernet"] = Field(
        description="roce: lossless Ethernet, routed hosts; ethernet: bridged hosts; infiniband: a subnet manager."
    )
    attach: Name | None = Field(None, description="NIC role of the nodes that attach. Default: the fabric's name.")
    also: Annotated[
        tuple[Literal["switches"], ...],
        BeforeValidator(wrap_in_list),
        WithJsonSchema(
            {
                "description": "What else attaches: the management ports of all other switches.",
                **one_or_list({"enum": ["switches"], "description": "All other switches, by their management ports."}),
            }
        ),
    ] = ()
    planes: int = Field(1, ge=1, le=8, description="Parallel disjoint copies; each NIC port is split over them.")
    nic: NicModes = Field(
        default_factory=dict,
        description="How a NIC port is run, e.g. 2x400, of all nodes or by their profile: {dgx-b300: 2x400}. Default: "
        "from planes.",
    )
    speed: Speed | None = Field(None, description="Speed of node links. Default: the NIC's fastest that fits.")
    oversubscription: Ratio | None = Field(None, description='Downlink : uplink bandwidth. Default: "1:1".')
    ip: Ip | None = Field(None, description="Address families: v4, v6 or dual. Default: its carrier's, the cluster's.")
    size_for: SizeFor | None = Field(
        None,
        description="`reserve`: tiers are derived for every reserved slot, so that growth up to it moves no cable; "
        "`now`: for the units there are, and more follow with growth. Tiers may differ. Default: now.",
    )
    hosts: Literal["routed", "bridged", "rail-subnets", "none"] | None = Field(
        None,
        description="routed: a /31 or /127 per NIC; bridged: a subnet per leaf; rail-subnets: bridged, a subnet per "
        "leaf, rail and plane, the same host number in all. Default: routed for RoCE, else bridged.",
    )
    address_per: Literal["port", "nic"] = Field(
        "port",
        description="Routed hosts on several planes: port: each port of a NIC has an address (NVIDIA calls it swplb); "
        "nic: one for all planes of a NIC (hwplb).",
    )
    rail_groups: Annotated[
        tuple[Annotated[tuple[Rail, ...], Field(description="Rails of one leaf.")], ...],
        AfterValidator(_check_rails_once),
    ] = Field(
        (),
        description="Rails that share switches `per: rail-group`, e.g. [[1, 3, 5, 7], [2, 4, 6, 8]]. Leaves per rail "
        "meet the spines of their own rail's group.",
    )
    carried_by: Name | None = Field(
        None, description="The fabric whose lowest tier its nodes attach to; it has no tiers of its own then."
    )
    host_ports: Literal["tagged", "untagged"] | None = Field(
        None,
        description="Of bridged fabrics that share node ports: a carried one has no ports of its own then, its VLAN is "
        "on those of its carrier, with or without tags. Default: ports of its own; a carrier's VLAN is untagged.",
    )
    bond: Literal["node", "nic"] | None = Field(
        None,
        description="Of bridged fabrics: ports of a host that are one interface by LACP. node: all that it has here; "
        "nic: those of each NIC. Default: each port by itself.",
    )
    lacp_fallback: bool = Field(
        False,
        description="A bonded host that does not speak LACP yet, as one that boots over the network, is reached by one "
        "port of its bond.",
    )
    dhcp: Dhcp | None = Field(None, description="DHCP relay at the gateways of its hosts. Default: none.")
    router_advertisements: AdvertisementsOf | None = Field(
        None,
        description="IPv6 router advertisements of the gateways of its hosts; false: none, nor on links of numbered "
        "addresses. Default: what each NOS does.",
    )
    access: Access = Field(
        default_factory=Access.model_construct, description="What the ports of its bridged hosts refuse."
    )
    vrf: VrfName | None = Field(
        None, description="VRF of a carried fabric, `default` for that of its carrier. Default: its name."
    )
    vlan: int | None = Field(
        None, ge=2, le=4094, description="VLAN of bridged nodes. Default: 100, 110, 120, ... in the order of fabrics."
    )
    tiers: dict[Name, Tier] = Field(default_factory=dict, description="The switch tiers by name: leaf, spine, core.")
    media: MediaOf | None = Field(
        None, description="What all its links but copper pairs may run over; tiers may say otherwise. Default: any."
    )
    cabling: MediaPolicy = Field(
        default_factory=MediaPolicy.model_construct, description="Overrides the cluster's policy of media, key by key."
    )
    spans: dict[Name, SpanSpec] = Field(
        default_factory=dict, description="Long-haul connections of its top tier between sites, by name."
    )
    extra: dict[Name, Extra] = Field(default_factory=dict, description="Devices beside the nodes, by name.")
    exits: dict[Name, Exit] = Field(default_factory=dict, description="Ways out of it, by name; see Exit.")
    routing: Routing = Field(default_factory=Routing.model_construct, description="Overrides the cluster's routing.")
    pools: Pools = Field(default_factory=Pools.model_construct, description="Pools of this fabric's own.")
    qos: Qos = Field(default_factory=Qos.model_construct, description="Overrides the cluster's QoS.")
    management: Management = Field(
        default_factory=Management.model_construct, description="Overrides the cluster's management."
    )
    snippets: Snippets = Field(default_factory=dict, description="Raw configuration for its switches, by name.")
    nos: NosOf = Field(default_factory=dict, description="Overrides the cluster's NOS, by tier.")
    names: Templates = Field(
        default_factory=dict, description="A template of the names of its switches, or one a tier; see Names."
    )
    guids: Line | None = Field(
        None,
        description="InfiniBand: a table beside the blueprint of the GUIDs that the hardware has, CSV with the columns "
        "device, guid and, if needed, port and port_guid. Default: planned GUIDs, marked as such.",
    )
    subnet_manager: SubnetManager | None = Field(
        None,
        description="InfiniBand: what routes it, and whose files are written. opensm: those of opensm 3.3; ufm: those "
        "of UFM, with adaptive routing and SHARP. Default: opensm.",
    )
    default_partition: Membership | None = Field(
        None,
        description="InfiniBand: membership of nodes in the default partition of opensm. full: all reach each other; "
        "limited: they reach the subnet manager, and each other in partitions of `tenants` or that you add. Default: "
        "full, with tenants limited.",
    )
    description: Line = Field("", description="For people.")

    @model_validator(mode="after")
    def _check_subnet_manager(self) -> Self:
        """Raise ValueError for keys of InfiniBand in another fabric, or of opensm beside UFM."""
        for key in ("subnet_manager", "default_partition"):
            if getattr(self, key) is not None and self.protocol != "infiniband":
                raise ValueError(f"`{key}` is of InfiniBand fabrics")
        if self.subnet_manager == "ufm" and self.default_partition is not None:
            raise ValueError("UFM makes the default partition itself; `default_partition` is of opensm")
        return self

    @model_validator(mode="after")
    def _check_guids(self) -> Self:
        """Raise ValueError if `guids` are stated in a fabric that is not InfiniBand."""
        if self.guids is not None and self.protocol != "infiniband":
            raise ValueError("`guids` are of InfiniBand devices")
        return self

    @model_validator(mode="after")
    def _check_tiers(self) -> Self:
        """Raise ValueError unless a fabric either has tiers of its own or is carried by another."""
        if bool(self.tiers) == bool(self.carried_by):
            carried = "a fabric carried by another has no tiers of its own"
            raise ValueError(carried if self.tiers else "a fabric has `tiers`, or is `carried_by` another")
        return self
