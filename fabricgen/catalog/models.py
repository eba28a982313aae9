"""What the catalogue says of a piece of hardware; each kind of any size has a module of its own.

Every profile keeps its source, and a tag that says how sure it is: V read in the source named, R recalled,
D derived. Speeds are Gb/s per direction, lengths metres, power watts.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fabricgen.catalog.cable_models import COPPER, OPTICAL, CableProfile, ascending
from fabricgen.catalog.constant_models import ConstantsProfile
from fabricgen.catalog.node_models import Accelerators, NicPort, NicRole, NodeProfile
from fabricgen.catalog.patch_models import PanelProfile, TrunkProfile
from fabricgen.catalog.product_models import Product, ProductList
from fabricgen.catalog.profile import Id, Power, Profile, Tag
from fabricgen.catalog.rack_models import RackProfile
from fabricgen.catalog.scale_up_models import ScaleUpDomainProfile
from fabricgen.catalog.switch_models import CageClass, LineCards, SwitchProfile, Variant
from fabricgen.models.forms import FieldError

__all__ = [
    "COPPER",
    "OPTICAL",
    "PROFILE_KINDS",
    "Accelerators",
    "CableProfile",
    "CageClass",
    "ConstantsProfile",
    "Id",
    "LineCards",
    "NicPort",
    "NicProfile",
    "NicRole",
    "NodeProfile",
    "PanelProfile",
    "Power",
    "Product",
    "ProductList",
    "Profile",
    "RackProfile",
    "ScaleUpDomainProfile",
    "SwitchProfile",
    "Tag",
    "TrunkProfile",
    "Variant",
    "ascending",
]


class NicProfile(Profile):
    """A network adapter."""

    kind: Annotated[Literal["nic"], Field(description="What the file describes.")] = "nic"
    name: Annotated[str, Field(description="What it is, for people.")]
    gbps: Annotated[int, Field(gt=0, description="All of its ports together, Gb/s.")]
    splits: Annotated[dict[int, int], Field(description="Ports -> speed of each, Gb/s.")]
    host: Annotated[str, Field(description="How it is attached to its host, for example PCIe 6.0 x16.")]
    driver: Annotated[
        str,
        Field(
            pattern=r"^[a-z0-9_]*$",
            description="The Linux driver of its RDMA devices, which says with what tools it is set up: mlx5, ionic.",
        ),
    ] = ""
    device_id: Annotated[
        str, Field(pattern=r"^([0-9a-f]{4})?$", description="Its PCI device id, e.g. 1021, where one is published.")
    ] = ""
    link_types: Annotated[
        tuple[Literal["ethernet", "infiniband"], ...],
        Field(min_length=1, description="What its ports can be. Default: either."),
    ] = ("ethernet", "infiniband")
    out_of_order: Annotated[
        str,
        Field(description="What says that it puts RoCE data in place in whatever order packets come; empty: nothing."),
    ] = ""

    @model_validator(mode="after")
    def _splits_share_its_bandwidth(self) -> Self:
        for ports, speed in self.splits.items():
            if ports * speed > self.gbps:
                raise FieldError("splits", f"{ports} ports of {speed}G are more than its {self.gbps} Gb/s")
        return self


PROFILE_KINDS: dict[str, type[Profile]] = {
    "switches": SwitchProfile,
    "nodes": NodeProfile,
    "nics": NicProfile,
    "cables": CableProfile,
    "scale_up": ScaleUpDomainProfile,
    "racks": RackProfile,
    "products": ProductList,
    "panels": PanelProfile,
    "trunks": TrunkProfile,
    "constants": ConstantsProfile,
}
"""Folder of the catalogue -> the model of the profiles in it."""
