"""What the catalogue says of a piece of hardware; each kind of any size has a module of its own.

Every profile keeps its source, and a tag that says how sure it is: V read in the source named, R recalled,
D derived. Speeds are Gb/s per direction, lengths metres, power watts.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, field_validator

from fabricgen.catalog.node_models import Accelerators, NicPort, NicRole, NodeProfile
from fabricgen.catalog.patch_models import PanelProfile, TrunkProfile
from fabricgen.catalog.profile import Id, Power, Profile, Tag
from fabricgen.catalog.rack_models import RackProfile
from fabricgen.catalog.scale_up_models import ScaleUpDomainProfile
from fabricgen.catalog.switch_models import CageClass, LineCards, SwitchProfile

__all__ = [
    "PROFILE_KINDS",
    "Accelerators",
    "CableProfile",
    "CageClass",
    "Id",
    "LineCards",
    "NicPort",
    "NicProfile",
    "NicRole",
    "NodeProfile",
    "PanelProfile",
    "Power",
    "Profile",
    "RackProfile",
    "ScaleUpDomainProfile",
    "SwitchProfile",
    "Tag",
    "TrunkProfile",
]


OPTICAL = ("CPO", "LC")
"""Cages that light leaves: fibres plug in, nothing electrical does."""

COPPER = ("DAC", "ACC", "AEC")
"""Media that are electrical cables with ends of their own."""

_QSFP_DD = {"QSFP-DD800": "QSFP-DD", "QSFP56-DD": "QSFP-DD"}


def ascending(lengths: tuple[float, ...]) -> tuple[float, ...]:
    """Lengths, m, as they are; raises ValueError where each is not longer than the one before."""
    for before, after in pairwise(lengths):
        if after <= before:
            raise ValueError(f"lengths ascend, and {after:g} m stands behind {before:g} m")
    return lengths


class NicProfile(Profile):
    """A network adapter."""

    kind: Literal["nic"] = Field("nic", description="What the file describes.")
    name: str = Field(description="What it is, for people.")
    gbps: int = Field(gt=0, description="All of its ports together, Gb/s.")
    splits: dict[int, int] = Field(description="Ports -> speed of each, Gb/s.")
    host: str = Field(description="How it is attached to its host, for example PCIe 6.0 x16.")


class CableProfile(Profile):
    """A cable technology: how far it reaches at a lane rate, and what its ends draw."""

    kind: Literal["cable"] = Field("cable", description="What the file describes.")
    name: str = Field(description="What it is, for people.")
    medium: Literal[
        "DAC", "ACC", "AEC", "AOC", "SR", "VR", "DR", "FR", "LR", "ZR", "LPO", "LRO", "NPO", "CPO", "COPPER"
    ] = Field(description="Kind of medium.")
    lane_gbps: tuple[float, ...] = Field(description="Lane rates it carries, Gb/s.")
    link_gbps: tuple[int, ...] = Field(
        (), description="Link speeds it carries, one link a module, Gb/s; empty: whatever its lanes make up."
    )
    reach_m: float = Field(gt=0, description="Greatest length, m.")
    power_w_per_end: float | None = Field(
        None, ge=0, description="At the widest (eight-lane) end, W; where `link_gbps` is given, of any one module."
    )
    attached: bool = Field(description="The ends are part of the cable (DAC, AOC); otherwise transceivers and fibre.")
    fibre: Literal["", "mmf-om4", "smf-os2"] = Field("", description="The fibre; empty: copper, or fixed to its ends.")
    connector: str = Field("", description="What one fibre plugs into: MPO-12/APC, LC duplex, ...")
    lanes_per_connector: int = Field(4, gt=0, description="Electrical lanes that one such connector carries.")
    form_factors: tuple[str, ...] = Field((), description="Cages it fits; empty: any pluggable cage.")
    splittable: bool = Field(True, description="One connector may serve several links, each on lanes of its own.")
    loss_db: float | None = Field(
        None, gt=0, le=60, description="Insertion loss of fibre and connectors between its ends at most, dB."
    )
    cost_rank: int = Field(gt=0, description="Order of preference by cost; the cheapest that reaches is taken.")
    stock_m: tuple[Annotated[float, Field(gt=0, le=100_000)], ...] = Field(
        (),
        max_length=64,
        description="Lengths it is sold in, m, ascending; empty: those that fibre is sold in. Nothing between is made.",
    )
    not_offered_by: tuple[str, ...] = Field((), description="Vendors that sell none for their ports.")
    selectable: bool = Field(True, description="Chosen without being asked for.")

    @field_validator("stock_m")
    @classmethod
    def _stock_ascends(cls, lengths: tuple[float, ...]) -> tuple[float, ...]:
        return ascending(lengths)

    @property
    def copper(self) -> bool:
        """Whether it is an electrical cable with ends of its own; twisted pair is not."""
        return self.medium in COPPER

    def end_power_w(self, lanes: float) -> float | None:
        """Power of one end with so many lanes in use, W: of the eight-lane end in proportion, of a module as it is."""
        if self.power_w_per_end is None or self.link_gbps:
            return self.power_w_per_end
        return self.power_w_per_end * min(1.0, lanes / 8)

    def plugs_into(self, form_factor: str) -> bool:
        """Whether an end goes into a cage: copper pairs into RJ45 alone, and no cable with ends of its own into CPO.

        A QSFP-DD cage of any spelling takes QSFP-DD modules.
        """
        if "RJ45" in (*self.form_factors, form_factor):
            return form_factor in self.form_factors
        if form_factor in OPTICAL:
            return not self.attached
        return not self.form_factors or _QSFP_DD.get(form_factor, form_factor) in self.form_factors

    def splits_for(self, lanes_per_link: int) -> bool:
        """Whether a cage in which each link has so many lanes may serve several links.

        Where each link fills connectors of its own, as 400G does in 2xLR4, nothing has to be split.
        """
        return self.splittable or lanes_per_link % self.lanes_per_connector == 0


PROFILE_KINDS: dict[str, type[Profile]] = {
    "switches": SwitchProfile,
    "nodes": NodeProfile,
    "nics": NicProfile,
    "cables": CableProfile,
    "scale_up": ScaleUpDomainProfile,
    "racks": RackProfile,
    "panels": PanelProfile,
    "trunks": TrunkProfile,
}
"""Folder of the catalogue -> the model of the profiles in it."""
