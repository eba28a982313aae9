"""A switch on SONiC: its port table and the ways its cages may be split."""

import re
from functools import lru_cache
from typing import Annotated, Literal, NamedTuple, TypeAlias

from pydantic import Field

from fabricgen.catalog.profile import Id
from fabricgen.catalog.switch_models import CageClass
from fabricgen.models.forms import FrozenModel

# Buffer sizes that SONiC's device tree publishes for a HwSKU, as read there; bytes throughout.
# Per HwSKU: buffers_defaults_t0.j2 and _t1.j2 (pools, for a switch with hosts and one without), what of them a port
# uses (buffers_defaults_objects.j2, files/build_templates/buffers_config.j2), and pg_profile_lookup.ini (headroom).

BufferRole: TypeAlias = Literal["t0", "t1"]
"""Whether hosts attach to a switch (t0) or not (t1)."""


class BufferPool(FrozenModel):
    """A pool of `size` bytes; `xoff` bytes are what ports share as headroom, None where each reserves its own."""

    type: Literal["ingress", "egress"]
    mode: Literal["static", "dynamic"]
    size: Annotated[int, Field(ge=0)]
    xoff: Annotated[int | None, Field(ge=0)] = None


class BufferProfile(FrozenModel):
    """What a queue, group or port may take of a pool: `size` bytes are its own.

    Beyond these it has a threshold: `static_th` bytes, or 2^`dynamic_th` times what is free of the pool.
    """

    pool: str
    size: Annotated[int, Field(ge=0)]
    static_th: int | None = None
    dynamic_th: Annotated[int | None, Field(ge=-8, le=7)] = None


class RoleBuffers(FrozenModel):
    """Pools and profiles of a switch in one role, `t0` or `t1` as SONiC calls tiers; without profiles, those of `t0`
    hold.
    """

    pools: dict[str, BufferPool]
    profiles: Annotated[dict[str, BufferProfile], Field()] = Field(default_factory=dict)


class PortBuffers(FrozenModel):
    """Profiles that a port uses: of its lossy priority group, its queues, and of itself in each direction."""

    group: str
    lossless_queue: str
    lossy_queue: str
    ingress: tuple[str, ...] = ()
    egress: tuple[str, ...] = ()


class Headroom(NamedTuple):
    """A row of pg_profile_lookup.ini: what a lossless priority group takes at a port speed over a length of cable.

    All are bytes but `threshold`, which is the `dynamic_th` of the profile (`BufferProfile`).
    """

    size: int
    xon: int
    xoff: int
    threshold: int
    xon_offset: int | None = None


class BufferSet(FrozenModel):
    """Buffers that are published for some HwSKUs, the same for each of them.

    They are the pools and profiles of each role, the profiles that cabled and unused ports take, and headroom.
    """

    hwskus: tuple[str, ...]
    roles: dict[BufferRole, RoleBuffers]
    cabled: PortBuffers
    unused: PortBuffers | None = None
    headroom: Annotated[dict[int, dict[int, Headroom]], Field(description="Cable, m -> port speed, Gb/s -> headroom.")]

    def find_role(self, name: BufferRole) -> RoleBuffers:
        """Return the pools and profiles of a role; a role without profiles has those of t0."""
        first, buffers = self.roles["t0"], self.roles.get(name, self.roles["t0"])
        return buffers if buffers.profiles else RoleBuffers(pools=buffers.pools, profiles=first.profiles)

    def length_m(self, cable_m: float) -> int | None:
        """Return the shortest published length that covers a cable, m; None if it is longer than all."""
        return min((length for length in self.headroom if length >= cable_m), default=None)


class LossyPort(FrozenModel):
    """Profiles that a port uses where nothing is lossless: by run of queues, such as 0 or 0-6."""

    group: str
    queues: Annotated[dict[str, str], Field(description="Run of queues -> profile.")]
    ingress: tuple[str, ...] = ()
    egress: tuple[str, ...] = ()


class LossyBuffers(FrozenModel):
    """Buffers of a switch without lossless traffic, published for some HwSKUs; they are the same in every role."""

    hwskus: tuple[str, ...]
    pools: dict[str, BufferPool]
    profiles: dict[str, BufferProfile]
    cabled: LossyPort
    unused: LossyPort


class BreakoutRun(FrozenModel):
    """Cages `first` to `last` (from 1) split into `ways` ports of `speed_gbps` in a HwSKU."""

    first: Annotated[int, Field(gt=0)]
    last: Annotated[int, Field(gt=0)]
    ways: Annotated[int, Field(gt=0)]
    speed_gbps: Annotated[int, Field(gt=0)]


class PlatformCage(FrozenModel):
    """A cage as the NOS numbers it: first port, its ASIC lanes in order, alias, and `index` of SONiC's PORT table."""

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
    cages: tuple[PlatformCage, ...]

    def find_alias(self, cage: PlatformCage, ways: int, part: int) -> str:
        """Return what the NOS calls port `part` (from 0) of a cage that is split into `ways`."""
        unsplit_suffix = self.alias_of_unsplit if cage.alias_of_unsplit is None else cage.alias_of_unsplit
        head, _, tail = cage.alias.partition("{}")
        return head + (self.suffixes[ways][part] if ways > 1 else unsplit_suffix) + tail

    def has_split(self, ways: int) -> bool:
        """Whether the table has names for a cage of `ways` ports."""
        return ways == 1 or ways in self.suffixes

    def find_run(self, hwsku: str, cage: int) -> BreakoutRun | None:
        """Return how a HwSKU splits a cage (from 1); None if it has no port there.

        Raises KeyError for a HwSKU that the switch does not have.
        """
        return next((run for run in self.hwskus[hwsku] if run.first <= cage <= run.last), None)

    def find_buffers(self, hwsku: str) -> BufferSet | None:
        """Return what is published of a HwSKU's buffers; None if nothing is."""
        return next((buffer_set for buffer_set in self.buffers if hwsku in buffer_set.hwskus), None)

    def find_lossy_buffers(self, hwsku: str) -> LossyBuffers | None:
        """Return what is published of a HwSKU's buffers without lossless traffic; None if nothing is."""
        return next((buffer_set for buffer_set in self.lossy_buffers if hwsku in buffer_set.hwskus), None)


# Breakout modes as platform.json spells them: `2x400G(8)[200G,100G]`.
# `WAYSxSPEED(lanes used)[other speeds]`, Gb/s with a G and else Mb/s (SONiC, dynamic port breakout design).

_MODE = re.compile(r"(?P<ways>\d+)x(?P<main>\d+G?)(?:\((?P<lanes>\d+)\))?(?:\[(?P<others>[^\]]*)\])?")


_LANE_MBPS = (1_000, 10_000, 25_000, 50_000, 100_000, 200_000)
"""Rates at which a lane runs: a mode that names no lanes takes all of them, at one of these."""


class BreakoutMode(NamedTuple):
    """A way to split a cage: speeds in Mb/s, the main one first; `lanes` it uses, None: all of the cage."""

    text: str
    ways: int
    speeds_mbps: tuple[int, ...]
    lanes: int | None


@lru_cache(maxsize=1024)
def parse_mode(text: str) -> BreakoutMode | None:
    """Return the breakout mode that a text states; None if it states none."""
    match = _MODE.fullmatch(text)
    if match is None:
        return None
    other_speeds = [speed for speed in (match["others"] or "").split(",") if speed]
    speeds = tuple(_parse_mbps(speed) for speed in (match["main"], *other_speeds))
    return BreakoutMode(text, int(match["ways"]), speeds, int(match["lanes"]) if match["lanes"] else None)


def _parse_mbps(text: str) -> int:
    """Return a speed in Mb/s: `400G` is 400000, `1000` itself."""
    text = text.strip()
    return int(text[:-1]) * 1000 if text.endswith("G") else int(text)


def find_breakout_mode(platform: SonicPlatform, cage_class: CageClass, ways: int, speed_gbps: int) -> str:
    """Return the breakout mode, as platform.json spells it, for a cage split into `ways` ports of a speed; "" if there
    is none.

    Of several that fit, one over all lanes goes first, then one whose main speed is the cage's own, then one whose main
    speed is the port's: an SFP28's 10G is `1x25G[10G]`, an OSFP's `1x800G[...]`. A platform lists the modes of all its
    cages together: one whose lanes would run at no known rate is another cage's, as `1x100G` of a QSFP28 is on eight
    lanes.
    """
    cage_mbps, port_mbps = 1000 * max(cage_class.breakouts[ways]), 1000 * speed_gbps
    fitting: list[tuple[bool, bool, bool, int, str]] = []
    for mode in map(parse_mode, platform.breakout_modes.get(ways, ())):
        if mode is None or mode.ways != ways or port_mbps not in mode.speeds_mbps:
            continue
        if mode.lanes is None and mode.speeds_mbps[0] * ways / cage_class.lanes not in _LANE_MBPS:
            continue
        takes_all_lanes, main = mode.lanes in (None, cage_class.lanes), mode.speeds_mbps[0]
        # False sorts first: all lanes, then the cage's own speed, then the port's, then the order of the platform
        fitting.append((not takes_all_lanes, main != cage_mbps, main != port_mbps, len(fitting), mode.text))
    return min(fitting)[-1] if fitting else ""
