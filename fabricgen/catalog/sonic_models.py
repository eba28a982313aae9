"""A switch on SONiC: its port table and the ways its cages may be split."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fabricgen.catalog.profile import Id
from fabricgen.catalog.sonic_buffers import BufferSet, LossyBuffers
from fabricgen.models.base import FrozenModel


class BreakoutRun(FrozenModel):
    """Cages `first` to `last` (from 1) split into `ways` ports of `speed_gbps` in a HwSKU."""

    first: Annotated[int, Field(gt=0)]
    last: Annotated[int, Field(gt=0)]
    ways: Annotated[int, Field(gt=0)]
    speed_gbps: Annotated[int, Field(gt=0)]


class PlatformCage(FrozenModel):
    """A cage as the NOS numbers it: first port, its ASIC lanes in order, alias and index."""

    port: Annotated[int, Field(ge=0, description="N of the first port, EthernetN.")]
    lanes: tuple[int, ...]
    alias: Annotated[
        str,
        Field(description="What its ports' aliases share; `{}` in it: what a port adds goes there, else at the end."),
    ]
    index: int
    alias_of_unsplit: Annotated[str | None, Field(description="As the platform's, where this cage differs.")] = None


class SonicPlatform(FrozenModel):
    """A switch on SONiC: platform string, HwSKUs and the port table. Lanes are read, never computed."""

    switch: Id
    platform: str
    default_hwsku: str
    source: str
    hwskus: Annotated[
        dict[str, tuple[BreakoutRun, ...]],
        Field(description="HwSKU -> how its cages are split; a cage in no run has no port in it."),
    ]
    suffixes: Annotated[
        dict[int, tuple[str, ...]], Field(description="Ways -> what a split port adds to the cage's alias.")
    ]
    alias_of_unsplit: Annotated[str, Field(description="What an unsplit port adds to the cage's alias.")] = ""
    breakout_modes: Annotated[
        dict[int, tuple[str, ...]], Field(description="Ways -> breakout modes of platform.json as spelled there.")
    ]
    fec: Literal["rs", "fc", "none", ""] = "rs"
    buffers: Annotated[
        tuple[BufferSet, ...], Field(description="Empty where the device tree publishes no lossless sizes.")
    ] = ()
    lossy_buffers: Annotated[
        tuple[LossyBuffers, ...], Field(description="Of best-effort switches; written where packets are trimmed.")
    ] = ()
    lossless_needs: Annotated[
        str,
        Field(max_length=200, description="What images of SONiC lack for lossless ports, and where it is proposed."),
    ] = ""
    cages: tuple[PlatformCage, ...]

    def alias(self, cage: PlatformCage, ways: int, part: int) -> str:
        """What the NOS calls port `part` (from 0) of a cage split into `ways`."""
        own = self.alias_of_unsplit if cage.alias_of_unsplit is None else cage.alias_of_unsplit
        head, _, tail = cage.alias.partition("{}")
        return head + (self.suffixes[ways][part] if ways > 1 else own) + tail

    def splits(self, ways: int) -> bool:
        """Whether the table has names for a cage of `ways` ports."""
        return ways == 1 or ways in self.suffixes

    def run_of(self, hwsku: str, cage: int) -> BreakoutRun | None:
        """How a HwSKU splits a cage (from 1); None where it has no port there."""
        return next((run for run in self.hwskus[hwsku] if run.first <= cage <= run.last), None)

    def buffers_of(self, hwsku: str) -> BufferSet | None:
        """What is published of a HwSKU's buffers; None for nothing."""
        return next((found for found in self.buffers if hwsku in found.hwskus), None)

    def lossy_buffers_of(self, hwsku: str) -> LossyBuffers | None:
        """What is published of a HwSKU's buffers where nothing is lossless; None for nothing."""
        return next((found for found in self.lossy_buffers if hwsku in found.hwskus), None)
