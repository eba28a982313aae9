"""The wiring plan as numpy columns: a row for each device, link, cable end or rack, and no Python object per row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from fabricgen.catalog.cable_models import CageLanes
from fabricgen.catalog.models import OPTICAL_CAGES, CableProfile, NodeProfile, RackProfile, SwitchProfile
from fabricgen.design.fabric_model import Attachment, TierKey
from fabricgen.design.floor.halls import Hall
from fabricgen.design.inside.links import Mesh
from fabricgen.design.media.policy import OPEN, CablePolicy
from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import Path
from fabricgen.wiring.arrays import Flags, Floats, Ints, Ints64

if TYPE_CHECKING:
    from fabricgen.wiring.bonds import Bonds
    from fabricgen.wiring.patching.tables import Patching


NODE, EXTRA, SWITCH, TRAY = range(4)
"""Kinds of device: a node of a scalable unit, an extra device, a switch, a scale-up switch tray."""


@dataclass(frozen=True, slots=True)
class DeviceClass:
    """Devices that come from one line of the blueprint: a node set, extra devices, a tier, or scale-up trays.

    `kind` is NODE, EXTRA, SWITCH or TRAY. `fabric` and `tier` are those of switches; nodes and extra devices have ""
    and `node`, trays the name of their scale-up entry and `managed.TRAY_TIER`. `label` is the name of the node set, the
    extra devices, the tier or the scale-up entry. `first` and `count` are the first row and the number of rows in the
    device table.
    """

    kind: int
    fabric: str
    tier: str
    label: str
    profile: NodeProfile | SwitchProfile
    nos: str
    first: int
    count: int
    path: Path
    part: str = ""
    """Of switches, the part of the cluster that their tier serves, such as `b300`; "" where it serves all, and in the
    part without a name."""
    aisle: str = ""
    """The aisle that its ports face, hot or cold; "" where that is not known, and cables cross no rack for it."""

    @property
    def key(self) -> TierKey:
        """The tier of switches by fabric and name."""
        return TierKey.of(self.fabric, self.tier, self.part)

    @property
    def rows(self) -> slice:
        """The rows of these devices in the device table."""
        return slice(self.first, self.first + self.count)


@dataclass(frozen=True, slots=True, eq=False)
class DeviceTable:
    """Devices, int32 columns of one length. Coordinates count from 0, and are -1 where a device has none.

    `device_class` indexes `classes`; `ordinal` counts within the class; `index` is a switch's number in its group, a
    tray's in its domain, an extra device's in its set. `unit` counts scalable units through the cluster, `su` within
    their pod. `rack` is a row of the rack table, `u` the lowest rack unit, from 1; both -1 until devices are placed.
    """

    classes: tuple[DeviceClass, ...]
    device_class: Ints
    ordinal: Ints
    site: Ints
    pod: Ints
    unit: Ints
    su: Ints
    rack_in_unit: Ints
    node: Ints
    rail: Ints
    plane: Ints
    index: Ints
    rack: Ints
    u: Ints

    def __len__(self) -> int:
        return len(self.device_class)

    def find_tier(self, key: TierKey) -> DeviceClass:
        """Return the class of the switches of a tier, which has to be there."""
        return next(cls for cls in self.classes if cls.kind == SWITCH and cls.key == key)

    def find_nodes(self, path: Path) -> DeviceClass:
        """Return the class of the nodes that a path in the blueprint states, which has to be there."""
        return next(cls for cls in self.classes if cls.kind == NODE and cls.path == path)

    def split_by_class(self, device: Ints, rows: slice) -> Iterator[tuple[DeviceClass, slice | Ints64]]:
        """Yield (class, rows) for each class of the devices that a column names, such as `links.a_device`, in `rows`.

        Each has those of `rows` whose device is of the class. `rows` must not be empty.
        """
        # devices of a class are contiguous rows, so that the lowest and the highest device say which classes there may
        # be; mostly it is one
        lowest_class, highest_class = (int(self.device_class[end]) for end in (device[rows].min(), device[rows].max()))
        if lowest_class == highest_class:
            yield self.classes[lowest_class], rows
            return
        class_of_row = self.device_class[device[rows]]
        for number in range(lowest_class, highest_class + 1):
            rows_of_class = np.flatnonzero(class_of_row == number)
            if len(rows_of_class):
                yield self.classes[number], rows.start + rows_of_class


@dataclass(frozen=True, slots=True)
class ManagementPort:
    """The management port of a switch as one side of a link: one RJ45 port of 1 Gb/s."""

    links_per_connector: int = 1
    form_factor: str = "RJ45"


@dataclass(frozen=True, slots=True)
class ScaleUpPort:
    """One side of scale-up links: an accelerator in a node, an ASIC in a tray, or an optical circuit switch.

    Ports are numbered within their device, `ports_each` for each accelerator or ASIC. `form_factor` is the cage of
    cabled links; "" in a backplane.
    """

    role: Literal["gpu", "asic", "ocs"]
    ports_each: int
    link_name: str = "nvl"
    form_factor: str = ""
    links_per_connector: int = 1
    """How many links a cage carries; the ports of a cage have consecutive numbers."""
    listed: tuple[str, ...] = ()
    """Names of the ports in order, if they do not follow from `ports_each`; empty if they do."""
    first_cage: int = 0
    """The number of its first cage in the device, 0 unless ports of another kind have the first cages."""

    @property
    def takes_fibre(self) -> bool:
        """Whether fibres plug in without a transceiver, as at an optical circuit switch."""
        return self.role == "ocs" or self.form_factor in OPTICAL_CAGES

    def list_names(self, ports: int, *, cage: bool = False) -> list[str]:
        """Return the names of the first ports: `gpu2/nvl7`, `asic0/link12`, `port5`; with `cage` those of their cages,
        which are the same for cages of one link, and `nvl-cage3` for others.
        """
        if cage and self.links_per_connector > 1:
            return [f"{self.link_name}-cage{i // self.links_per_connector + 1}" for i in range(ports)]
        if self.listed:
            return list(self.listed[:ports])
        if self.role == "ocs":
            return [f"port{i}" for i in range(ports)]
        return [f"{self.role}{i // self.ports_each}/{self.link_name}{i % self.ports_each}" for i in range(ports)]


Side: TypeAlias = Attachment | PortRun | ManagementPort | ScaleUpPort


class MediumOffer(NamedTuple):
    """A medium (the id of its profile) that product lists sell for links of a kind, and their reach, m."""

    medium: str
    reach_m: float


class Segment(NamedTuple):
    """Links that come from one line of the blueprint and are alike: same fabric, tiers, speed and kind of ends.

    `lower` and `upper` are names of tiers, `node` for nodes, extra devices and management ports. `a` and `b` say what
    the ports at the lower and the upper end are; `backplane` links have no cable.
    """

    fabric: str
    lower: str
    upper: str
    speed_gbps: float
    lane_gbps: float
    """The rate of a lane between its ends, Gb/s; that of a lane on the fibre if a module has a gearbox."""
    a: Side
    b: Side
    backplane: bool
    path: Path
    """The lower tier, fabric or extra device that asks for the links; findings go to `media_path`, else here."""
    tier: TierKey | None = None
    """The upper end's tier, by the fabric that owns it; None for scale-up links."""
    mesh: Mesh | None = None
    """How the switches of the tier meet, for links inside a tier; None for other links."""
    media: tuple[str, ...] = ()
    """Ids of the cable profiles that may carry the links; empty: any that fits."""
    media_path: Path = ()
    """Where the blueprint states `media`; () where it does not."""
    policy: CablePolicy = OPEN
    """The policy by which a medium is chosen where none is stated."""
    protocol: str = ""
    """The protocol of the fabric: infiniband, ethernet or roce; "" for scale-up links."""
    lower_tier: TierKey | None = None
    """The lower end's tier, which for links inside a tier is the upper one's; None where no switch is there."""
    offered: tuple[MediumOffer, ...] | None = None
    """What the product lists of the blueprint sell for such links; None where there is no list or none sells any."""
    gearboxes: tuple[CableProfile, ...] = ()
    """Profiles of modules with a gearbox, where electrical lanes of an end are slower than `lane_gbps`."""

    def sells(self, profile: CableProfile) -> bool:
        """Whether the product lists sell a medium for such links; true without product lists."""
        return self.offered is None or any(offer.medium == profile.id for offer in self.offered)

    def reach_m(self, profile: CableProfile) -> float:
        """Return the reach of a medium, m: that of its technology, or less if product lists sell only shorter ones."""
        return min([profile.reach_m, *(offer.reach_m for offer in self.offered or () if offer.medium == profile.id)])

    def find_module(self, side: Side, profile: CableProfile) -> CableProfile | None:
        """Return the profile of the module at a side for a medium, mostly the medium itself.

        If the module has to have a gearbox, it is the profile of such a module; None if there is none for the medium.
        """
        if not isinstance(side, PortRun | Attachment) or side.lane_gbps == self.lane_gbps:
            return profile
        cage_lanes = CageLanes(side.form_factor, side.lane_gbps, self.speed_gbps)
        return None if profile.attached else profile.find_module_at(cage_lanes, self.lane_gbps, self.gearboxes)

    def find_gearbox(self, side: Side) -> CableProfile | None:
        """Return the profile of the module with a gearbox at a side; None if none is needed, or there is none."""
        if not self.gearboxes or not isinstance(side, PortRun | Attachment) or side.lane_gbps == self.lane_gbps:
            return None
        cage_lanes = CageLanes(side.form_factor, side.lane_gbps, self.speed_gbps)
        return next(
            (c for c in self.gearboxes if c.light_gbps == self.lane_gbps and c.has_gearbox_for(cage_lanes)), None
        )

    def has_own_fec(self, side: Side) -> bool:
        """Whether the module at a side has FEC of its own, so that its port has none."""
        module = self.find_gearbox(side)
        return module is not None and module.own_fec

    @property
    def km(self) -> float:
        """Length of the fibre between sites, km; 0 for cables within a site."""
        return self.mesh.km if self.mesh else 0

    @property
    def lanes(self) -> int:
        """Lanes of one link, rounded up: a lane is not shared between links."""
        return -int(-self.speed_gbps // self.lane_gbps)

    @property
    def key(self) -> str:
        """The name of the pair of tiers in summaries: `node-leaf`."""
        return f"{self.lower}-{self.upper}"


@dataclass(frozen=True, slots=True, eq=False)
class LinkTable:
    """Links, int32 columns of one length: `a` is the lower end, `b` the upper.

    `segment` indexes `segments`, and ascends. Devices are rows of the device table. A port is a number, from 0, within
    its side: an index of the legs of a node, or of the ports of a run. `rail` and `plane` count from 1 and are 0 where
    a link has none. `cable` indexes the cables, -1 for a backplane link.
    """

    segments: tuple[Segment, ...]
    segment: Ints
    a_device: Ints
    a_port: Ints
    b_device: Ints
    b_port: Ints
    rail: Ints
    plane: Ints
    cable: Ints

    def __len__(self) -> int:
        return len(self.segment)

    def find_rows(self, segment: int) -> slice:
        """Return the rows of the links of a segment, which are contiguous."""
        ends = np.array([segment, segment + 1], dtype=self.segment.dtype)  # of another type: copies the column
        start, stop = np.searchsorted(self.segment, ends).tolist()
        return slice(start, stop)


@dataclass(frozen=True, slots=True, eq=False)
class CableTable:
    """Cables, and the ends of cables: an end row is a pair of connectors that a cable joins (a breakout has several),
    or a pair of cages if a cable with fixed ends fills these.

    Columns by cable: `length_m` (float64) as ordered, or as built if `cable_of` states it, and `run_m` as computed from
    the floor, both with the trunk of a patched cable; `medium` (int32), an index of `media`; `reaches` (bool), whether
    it is legal and sold long enough for the run; `connectors` (int32), how many connectors of a twin-port cage it fills
    (fibres and single ports: 1). Columns by end row, int32, in the order of cables: `end_cable`, its cable; `end_link`,
    one of the links between the two connectors; `end_links`, how many links these carry.
    """

    media: tuple[CableProfile, ...]
    length_m: Floats
    run_m: Floats
    medium: Ints
    reaches: Flags
    connectors: Ints
    end_cable: Ints
    end_link: Ints
    end_links: Ints

    def __len__(self) -> int:
        return len(self.length_m)

    def find_first_rows(self) -> Ints64:
        """Return the first end row of each cable; rows are in the order of cables."""
        another = self.end_cable[1:] != self.end_cable[:-1]
        return np.flatnonzero(np.append(True, another)[: len(self.end_cable)])


@dataclass(frozen=True, slots=True, eq=False)
class RackTable:
    """Racks: name, site and position on the floor, columns of one length.

    `hall` indexes `halls`; row and column count from 0 in the hall (rows below 0 lie before it). `x_m` and `y_m` are
    the centre in the frame of the site, float64: x along rows, y across; `faces` is 1 where the front, which is the
    cold aisle, lies towards +y, -1 towards -y. `kind` indexes `kinds`. `ways_inside`: whether runs between racks count
    the way inside these, which those of an older lock do not.
    """

    names: tuple[str, ...]
    halls: tuple[Hall, ...]
    kinds: tuple[RackProfile, ...]
    site: Ints
    hall: Ints
    row: Ints
    column: Ints
    x_m: Floats
    y_m: Floats
    faces: Ints
    kind: Ints
    ways_inside: bool

    def __len__(self) -> int:
        return len(self.names)

    @property
    def units(self) -> Ints:
        """How many rack units high each rack is, int32: a property of its kind."""
        return np.array([kind.units for kind in self.kinds], dtype=np.int32)[self.kind]


class WiringPlan(NamedTuple):
    """The wiring plan: every device, link, cable and rack of a cluster."""

    devices: DeviceTable
    links: LinkTable
    cables: CableTable
    racks: RackTable
    patching: Patching | None = None
    """Patch panels and trunks, and the cables through them; None where no policy asks for any."""
    bonds: Bonds | None = None
    """Ports of hosts that are one interface; None where no fabric has any."""
