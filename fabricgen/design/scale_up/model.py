"""Scale-up domains in the symmetric form, and the interface of a kind of domain."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from fabricgen.catalog.scale_up_models import ScaleUpDomainProfile
from fabricgen.design.scale_up.placement import DomainPlacement
from fabricgen.kernel.diagnostics import Path


class LocalLink(NamedTuple):
    """One link within a domain; accelerators, switches and their ports count from 0.

    `far_switch` is true when the far end is switch number `far`, false when it is accelerator number `far`.
    """

    accelerator: int
    port: int
    far_switch: bool
    far: int
    far_port: int


class DomainSize(NamedTuple):
    """A full domain: numbers of accelerators, switches and links, and links of one accelerator."""

    accelerators: int
    switches: int
    links: int
    links_each: int


class MisfitError(ValueError):
    """A domain that cannot be wired: the reason, and what would fit."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class ScaleUpKind(Protocol):
    """The interface of a module in `scale_up.kinds`. Of a kind that joins domains, `accelerators` are their switches.

    `size` is called first and must not enumerate links, so that it is quick at any size.
    """

    def size(self, domain: ScaleUpDomainProfile, accelerators: int, ports: int) -> DomainSize:
        """Size a domain of so many accelerators with `ports` links each (0: unknown); raises MisfitError."""

    def links(self, domain: ScaleUpDomainProfile, accelerators: int) -> Iterable[LocalLink]:
        """Every link of a full domain that `size` accepted."""


class ScaleUpDesign(NamedTuple):
    """All scale-up domains of one kind; `links` are those of accelerators that are present."""

    name: str
    profile: ScaleUpDomainProfile
    places: DomainPlacement
    size: DomainSize
    """Of a full domain."""
    domains: int
    accelerators: int
    links: int
    path: Path
    below: ScaleUpDesign | None = None
    """The domains whose switches it joins, as a tier above them; None where it joins accelerators."""

    @property
    def per(self) -> str:
        """What forms one domain: node, rack, su, pod or cluster."""
        return self.places.per

    @property
    def switches(self) -> int:
        """Switch ASICs or optical circuit switches in all domains."""
        return self.domains * self.size.switches

    @property
    def gbps_per_accelerator(self) -> float:
        """Bandwidth of an accelerator into its domain, per direction, Gb/s; above others its share of their links."""
        if self.below:
            return min(
                self.size.links * self.profile.link_gbps / self.size.accelerators, self.below.gbps_per_accelerator
            )
        return self.size.links_each * self.profile.link_gbps

    @property
    def trays_each(self) -> int:
        """Switch trays of a domain that stand in racks; 0 for switch ASICs on a node's board."""
        return 0 if self.per == "node" else self.profile.tray_count

    @property
    def trays(self) -> int:
        """Switch trays of all domains."""
        return self.domains * self.trays_each

    @property
    def tray_slots(self) -> int:
        """Switch trays that there would be if no domain were empty."""
        return self.places.slots * self.trays_each

    @property
    def tray_scope(self) -> str:
        """The scope of its trays for the management fabric: they stand among nodes, or in racks of a pod or of the
        cluster.
        """
        return {"pod": "pod", "cluster": "all"}.get(self.per, "rack")
