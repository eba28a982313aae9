"""Scale-up domains in the symmetric form, and the interface of a kind of domain."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from fabricgen.catalog.scale_up_models import ScaleUpDomainProfile
from fabricgen.design.scale_up.placement import DomainPlacement
from fabricgen.kernel.diagnostics import Path


class LocalLink(NamedTuple):
    """One link within a domain; accelerators, switches and their ports count from 0.

    `far` is the number of a switch if `far_switch` is true, else of an accelerator.
    """

    accelerator: int
    port: int
    far_switch: bool
    far: int
    far_port: int


class DomainSize(NamedTuple):
    """How many accelerators, switches and links a full domain has, and how many links one accelerator has."""

    accelerators: int
    switches: int
    links: int
    links_each: int


class MisfitError(ValueError):
    """Raised for a domain that cannot be wired, with the reason and what would fit."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class ScaleUpKind(Protocol):
    """The interface of a module in `scale_up.kinds`. For a kind that joins domains, `accelerators` are the domains'
    switches.

    `size` is called first and must not enumerate links, so that it is quick at any size.
    """

    def size(self, domain: ScaleUpDomainProfile, accelerators: int, ports: int) -> DomainSize:
        """Size a domain of so many accelerators with `ports` links each (0 if unknown); raises MisfitError if it does
        not fit.
        """

    def links(self, domain: ScaleUpDomainProfile, accelerators: int) -> Iterable[LocalLink]:
        """Return every link of a full domain that `size` accepted."""


class ScaleUpDesign(NamedTuple):
    """All scale-up domains of one kind; `links` counts the links of accelerators that are present."""

    name: str
    profile: ScaleUpDomainProfile
    places: DomainPlacement
    size: DomainSize
    """The size of a full domain."""
    domains: int
    accelerators: int
    links: int
    path: Path
    below: ScaleUpDesign | None = None
    """The domains whose switches it joins, as a tier above them; None if it joins accelerators."""

    @property
    def per(self) -> str:
        """The place that forms one domain: node, rack, su, pod or cluster."""
        return self.places.per

    @property
    def switches(self) -> int:
        """How many switch ASICs or optical circuit switches all domains have."""
        return self.domains * self.size.switches

    @property
    def gbps_per_accelerator(self) -> float:
        """Bandwidth of an accelerator into its domain, per direction, Gb/s; in a tier above other domains, its share of
        the links.
        """
        if self.below:
            return min(
                self.size.links * self.profile.link_gbps / self.size.accelerators, self.below.gbps_per_accelerator
            )
        return self.size.links_each * self.profile.link_gbps

    @property
    def trays_each(self) -> int:
        """How many switch trays of a domain stand in racks; 0 for switch ASICs on a node's board."""
        return 0 if self.per == "node" else self.profile.tray_count

    @property
    def trays(self) -> int:
        """How many switch trays all domains have."""
        return self.domains * self.trays_each

    @property
    def tray_slots(self) -> int:
        """How many switch trays there would be if no domain were empty."""
        return self.places.slots * self.trays_each

    @property
    def tray_scope(self) -> str:
        """The scope of its trays for the management fabric: they stand in racks of nodes, of a pod, or of the
        cluster.
        """
        return {"pod": "pod", "cluster": "all"}.get(self.per, "rack")
