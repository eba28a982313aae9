"""Buffer sizes that SONiC's device tree publishes for a HwSKU, as read there; bytes throughout.

Per HwSKU: buffers_defaults_t0.j2 and _t1.j2 (pools, for a switch with hosts and one without), what of them a port uses
(buffers_defaults_objects.j2, files/build_templates/buffers_config.j2), and pg_profile_lookup.ini (headroom).
"""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple, TypeAlias

from pydantic import Field

from fabricgen.models.base import FrozenModel

BufferRole: TypeAlias = Literal["t0", "t1"]
"""Whether hosts attach to a switch (t0) or not (t1)."""


class BufferPool(FrozenModel):
    """A pool; `xoff` is what ports share as headroom, None where each reserves its own."""

    type: Literal["ingress", "egress"]
    mode: Literal["static", "dynamic"]
    size: Annotated[int, Field(ge=0)]
    xoff: Annotated[int | None, Field(ge=0)] = None


class BufferProfile(FrozenModel):
    """What a queue, group or port may take of a pool: a threshold in bytes, or a power of two of what is free."""

    pool: str
    size: Annotated[int, Field(ge=0)]
    static_th: int | None = None
    dynamic_th: Annotated[int | None, Field(ge=-8, le=7)] = None


class RoleBuffers(FrozenModel):
    """Pools and profiles of a switch in one role; no profiles: those of t0."""

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
    """A row of pg_profile_lookup.ini: what a lossless priority group takes at a port speed over a length of cable."""

    size: int
    xon: int
    xoff: int
    threshold: int
    xon_offset: int | None = None


class BufferSet(FrozenModel):
    """What is published for some HwSKUs alike."""

    hwskus: tuple[str, ...]
    roles: dict[BufferRole, RoleBuffers]
    cabled: PortBuffers
    unused: PortBuffers | None = None
    headroom: Annotated[dict[int, dict[int, Headroom]], Field(description="Cable, m -> port speed, Gb/s -> headroom.")]

    def role(self, wanted: BufferRole) -> RoleBuffers:
        """Pools and profiles of a role; those of t0 where t1 has none of its own."""
        first, found = self.roles["t0"], self.roles.get(wanted, self.roles["t0"])
        return found if found.profiles else RoleBuffers(pools=found.pools, profiles=first.profiles)

    def length_m(self, cable_m: float) -> int | None:
        """The shortest published length that a cable does not exceed, m; None for one longer than all."""
        return min((length for length in self.headroom if length >= cable_m), default=None)


class LossyPort(FrozenModel):
    """Profiles that a port uses where nothing is lossless: by run of queues, such as 0 or 0-6."""

    group: str
    queues: Annotated[dict[str, str], Field(description="Run of queues -> profile.")]
    ingress: tuple[str, ...] = ()
    egress: tuple[str, ...] = ()


class LossyBuffers(FrozenModel):
    """What is published for some HwSKUs of a best-effort switch, in every role alike."""

    hwskus: tuple[str, ...]
    pools: dict[str, BufferPool]
    profiles: dict[str, BufferProfile]
    cabled: LossyPort
    unused: LossyPort
