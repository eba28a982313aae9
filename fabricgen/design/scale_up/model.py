"""Scale-up domains in the symmetric form, and what a kind of domain has to say of itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from fabricgen.catalog.scale_up_models import ScaleUpDomainProfile
from fabricgen.design.scale_up.placement import DomainPlacement
from fabricgen.kernel.diagnostics import Path


class LocalLink(NamedTuple):
    """One link of a domain; accelerators, switches and their ports count from 0.

    `far_switch` tells whether the far end is switch `far` or accelerator `far`.
    """

    accelerator: int
    port: int
    far_switch: bool
    far: int
    far_port: int


class DomainSize(NamedTuple):
    """A full domain: how many accelerators, switches and links, and the links of one accelerator."""

    accelerators: int
    switches: int
    links: int
    links_each: int


class MisfitError(ValueError):
    """A domain that its kind cannot wire: why, and what would fit."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class ScaleUpKind(Protocol):
    """What a module of scale_up_kinds offers.

    `size` is asked first and must not enumerate, so that it is quick however many accelerators are asked for.
    """

    def size(self, domain: ScaleUpDomainProfile, accelerators: int, ports: int) -> DomainSize:
        """Size a domain of so many accelerators with `ports` links each (0: unknown); raises MisfitError."""

    def links(self, domain: ScaleUpDomainProfile, accelerators: int) -> Iterable[LocalLink]:
        """Every link of a full domain that `size` accepted."""


@dataclass(frozen=True, slots=True)
class ScaleUpDesign:
    """Scale-up domains of one kind; links count those of present accelerators."""

    name: str
    profile: ScaleUpDomainProfile
    places: DomainPlacement
    size: DomainSize
    """Of a full domain."""
    domains: int
    accelerators: int
    links: int
    path: Path

    @property
    def per(self) -> str:
        """What forms a domain: node, rack, su, pod or cluster."""
        return self.places.per

    @property
    def switches(self) -> int:
        """Switch ASICs or optical circuit switches in all domains."""
        return self.domains * self.size.switches

    @property
    def gbps_per_accelerator(self) -> float:
        """Bandwidth of an accelerator into its domain, per direction, Gb/s."""
        return self.size.links_each * self.profile.link_gbps

    @property
    def trays_each(self) -> int:
        """Switch trays of a domain that stand in racks; ASICs on a node's board are in none."""
        return 0 if self.per == "node" else self.profile.tray_count

    @property
    def trays(self) -> int:
        """Switch trays of all domains."""
        return self.domains * self.trays_each

    @property
    def tray_slots(self) -> int:
        """Switch trays there would be if no domain were empty."""
        return self.places.slots * self.trays_each

    @property
    def tray_scope(self) -> str:
        """Where its trays stand, as a management port sees it: among the nodes, or in racks of a pod or of all."""
        return {"pod": "pod", "cluster": "all"}.get(self.per, "rack")
