"""What the catalogue says of a piece of hardware.

Every profile keeps its source, and a tag that says how sure it is: V read in the source named, R recalled,
D derived. Speeds are Gb/s per direction, lengths metres, power watts.
"""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from fabricgen.catalog.base import Id, Profile
from fabricgen.catalog.scale_up_models import ScaleUpDomainProfile


class Power(BaseModel):
    """Electrical power of a device without its optics, W."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max: float | None = Field(None, gt=0, description="Largest draw, W.")
    typical: float | None = Field(None, gt=0, description="Typical draw, W.")

    @property
    def planning_w(self) -> float | None:
        """The figure to plan by: the maximum, or the typical draw where no maximum is published."""
        return self.max if self.max is not None else self.typical


class CageClass(BaseModel):
    """A run of equal cages on a switch face, numbered in the order of the classes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    count: int = Field(gt=0)
    form_factor: str = Field(description="OSFP, QSFP-DD, QSFP112, QSFP28, SFP28, RJ45, ...")
    lanes: int = Field(gt=0, description="Electrical lanes of one cage.")
    lane_gbps: float = Field(gt=0, description="Fastest rate of one lane, Gb/s.")
    connectors: Literal[1, 2] = Field(1, description="2 for a twin-port cage: two cable connectors, one transceiver.")
    breakouts: dict[int, tuple[int, ...]] = Field(
        description="Ports a cage may be split into -> speeds offered by each, Gb/s."
    )

    @model_validator(mode="after")
    def _lanes_carry_speeds(self) -> CageClass:
        for ways, speeds in self.breakouts.items():
            if ways < 1 or self.lanes % ways:
                raise ValueError(f"{self.lanes} lanes do not split into {ways} ports")
            if max(speeds) > self.lanes / ways * self.lane_gbps:
                raise ValueError(
                    f"{ways} ports of {max(speeds)}G need more than {self.lanes} x {self.lane_gbps}G lanes"
                )
        return self

    @property
    def speed_gbps(self) -> int:
        """The fastest port this cage offers, Gb/s."""
        return max(max(speeds) for speeds in self.breakouts.values())

    @property
    def speeds(self) -> frozenset[int]:
        """Every port speed this cage offers, Gb/s."""
        return frozenset(s for speeds in self.breakouts.values() for s in speeds)

    def split_for(self, speed_gbps: int, lane_gbps: float) -> int | None:
        """Return the finest split that offers ports of `speed_gbps` over lanes of `lane_gbps`, or None.

        A port of 100G over four 25G lanes needs four lanes of its cage, whatever these could carry.
        """
        lanes_used = -(-speed_gbps // lane_gbps)
        fits = [w for w, speeds in self.breakouts.items() if speed_gbps in speeds and lanes_used * w <= self.lanes]
        return max(fits, default=None)


class SwitchProfile(Profile):
    """A switch: its face, size, power and the network operating systems it runs."""

    kind: Literal["switch"] = "switch"
    vendor: str
    model: str
    protocol: Literal["ethernet", "infiniband", "nvlink", "scale-up-ethernet", "ualink", "optical-circuit"]
    asic: str
    throughput_gbps: float | None = Field(None, gt=0, description="Per direction, Gb/s.")
    cages: tuple[CageClass, ...] = Field(min_length=1)
    rack_units: int = Field(gt=0)
    power_w: Power = Power(max=None, typical=None)
    weight_kg: float | None = Field(None, gt=0)
    nos: tuple[str, ...] = Field(
        min_length=1, description="Network operating systems that run on it, the usual one first."
    )
    part_number: str = ""

    @cached_property
    def cage_count(self) -> int:
        """The number of cages on the face."""
        return sum(c.count for c in self.cages)

    def first_cage(self, cage_class: int) -> int:
        """The number (from 1) of the first cage of a class."""
        return 1 + sum(c.count for c in self.cages[:cage_class])


class NicPort(BaseModel):
    """One network port of a node: `rail` counts the ports of a role in GPU order."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rail: int = Field(gt=0, description="The n-th NIC of every node, from 1.")
    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9/_.-]*$", description="What is printed on, or said of, the port.")
    cage: str = Field(description="The cage it is in; twin-port cages hold two ports.")
    gpu: int | None = Field(None, ge=0, description="The GPU it serves, as the vendor numbers them (from 0).")
    nic: str = ""
    interface: str = Field("", description="What the operating system calls it, e.g. mlx5_4.")


class NicRole(BaseModel):
    """The ports of a node that serve one purpose; all alike."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    form_factor: str
    lanes: int = Field(gt=0, description="Lanes of one port.")
    lane_gbps: float = Field(gt=0)
    speeds: tuple[int, ...] = Field(min_length=1, description="Speeds of an unsplit port, fastest first, Gb/s.")
    splits: tuple[int, ...] = Field((1,), description="Into how many equal ports (planes) one NIC port may be split.")
    connectors: Literal[1, 2] = Field(1, description="2 where two NIC ports share a twin-port cage.")
    ports: tuple[NicPort, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _rails_are_distinct(self) -> NicRole:
        rails = [p.rail for p in self.ports]
        if min(self.splits, default=0) < 1:
            raise ValueError("splits are 1 or more")
        if len({p.name for p in self.ports}) < len(self.ports):
            raise ValueError("two ports have one name")
        if sorted(rails) != list(range(1, len(rails) + 1)):
            raise ValueError(f"rails must be 1 to {len(rails)}, each once; got {rails}")
        return self


class Accelerators(BaseModel):
    """The accelerators in one node."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str
    count: int = Field(gt=0)


class NodeProfile(Profile):
    """A node (server, tray or appliance) and its network ports by role."""

    kind: Literal["node"] = "node"
    name: str
    vendor: str = ""
    accelerators: Accelerators | None = None
    roles: dict[str, NicRole] = Field(description="Role (compute, storage, inband, bmc, ...) -> its ports.")
    rack_units: int = Field(gt=0)
    power_w: Power = Power(max=None, typical=None)
    weight_kg: float | None = Field(None, gt=0)
    scale_up: str = Field("", description="The scale-up domain that such nodes form.")
    scale_up_too: tuple[str, ...] = Field((), description="Others that they can form instead.")


class NicProfile(Profile):
    """A network adapter."""

    kind: Literal["nic"] = "nic"
    name: str
    gbps: int = Field(gt=0)
    splits: dict[int, int] = Field(description="Ports -> speed of each, Gb/s.")
    host: str


class CableProfile(Profile):
    """A cable technology: how far it reaches at a lane rate, and what its ends draw."""

    kind: Literal["cable"] = "cable"
    name: str
    medium: Literal["DAC", "ACC", "AEC", "AOC", "SR", "VR", "DR", "FR", "LR", "LPO", "LRO", "NPO", "CPO", "COPPER"]
    lane_gbps: tuple[float, ...] = Field(description="Lane rates it carries, Gb/s.")
    reach_m: float = Field(gt=0)
    power_w_per_end: float | None = Field(None, ge=0, description="At the widest (eight-lane) end, W.")
    attached: bool = Field(description="The ends are part of the cable (DAC, AOC); otherwise transceivers and fibre.")
    fibre: Literal["", "mmf-om4", "smf-os2"] = ""
    connector: str = Field("", description="What one fibre plugs into: MPO-12/APC, LC duplex, ...")
    lanes_per_connector: int = Field(4, gt=0, description="Electrical lanes that one such connector carries.")
    form_factors: tuple[str, ...] = Field((), description="Cages it fits; empty: any pluggable cage.")
    splittable: bool = True
    cost_rank: int = Field(gt=0, description="Order of preference by cost; the cheapest that reaches is taken.")
    selectable: bool = Field(True, description="Chosen without being asked for.")


PROFILE_KINDS: dict[str, type[Profile]] = {
    "switches": SwitchProfile,
    "nodes": NodeProfile,
    "nics": NicProfile,
    "cables": CableProfile,
    "scale_up": ScaleUpDomainProfile,
}
"""Folder of the catalogue -> the model of the profiles in it."""


class BreakoutRun(BaseModel):
    """Cages `first` to `last` (from 1) split into `ways` ports of `speed_gbps` in a HwSKU."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    first: int = Field(gt=0)
    last: int = Field(gt=0)
    ways: int = Field(gt=0)
    speed_gbps: int = Field(gt=0)


class PlatformCage(BaseModel):
    """A cage as the NOS numbers it: first port, its ASIC lanes in order, alias and index."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    port: int = Field(ge=0, description="N of the first port, EthernetN.")
    lanes: tuple[int, ...]
    alias: str
    index: int
    alias_of_unsplit: str | None = Field(None, description="As the platform's, where this cage differs.")


class SonicPlatform(BaseModel):
    """A switch on SONiC: platform string, HwSKUs and the port table. Lanes are read, never computed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    switch: Id
    platform: str
    default_hwsku: str
    source: str
    hwskus: dict[str, tuple[BreakoutRun, ...]] = Field(description="HwSKU -> how its cages are split.")
    suffixes: dict[int, tuple[str, ...]] = Field(description="Ways -> what a split port adds to the cage's alias.")
    alias_of_unsplit: str = Field("", description="What an unsplit port adds to the cage's alias.")
    breakout_modes: dict[int, tuple[str, ...]] = Field(
        description="Ways -> breakout modes of platform.json as spelled there."
    )
    fec: Literal["rs", "fc", "none", ""] = "rs"
    cages: tuple[PlatformCage, ...]

    def alias(self, cage: PlatformCage, ways: int, part: int) -> str:
        """What the NOS calls port `part` (from 0) of a cage split into `ways`."""
        if ways > 1:
            return cage.alias + self.suffixes[ways][part]
        own = cage.alias_of_unsplit
        return cage.alias + (self.alias_of_unsplit if own is None else own)
