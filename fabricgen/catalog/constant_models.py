"""Constants that an analysis reckons with: latency, what of a link's bandwidth is reached, failures, jitter.

A collective takes a time to start, a time for each of its steps, and the time of its bytes on the slowest link
(Hockney's model; NCCL's, src/graph/tuning.cc). Each group of figures names where it was read, as every profile does.
"""

from typing import Annotated, Literal

from pydantic import Field

from fabricgen.catalog.profile import Profile, Tag
from fabricgen.catalog.switch_models import Protocol, SwitchProfile
from fabricgen.models.forms import FrozenModel

Part = Literal["gpu", "node", "nic", "cable", "switch"]
"""What fails: a node is what a server has beside its GPUs and NICs, a cable both its ends with their optics."""

Share = Annotated[float, Field(gt=0, le=1)]

DAYS_OF_YEAR = 365.25


class Sourced(FrozenModel):
    """Figures that were read, or derived, in one place."""

    source: Annotated[
        str,
        Field(
            min_length=8,
            description="Where these figures were read, as reports tell it; after a semicolon, how they were derived.",
        ),
    ]
    tag: Annotated[Tag, Field(description="V read in the source, R recalled, D derived.")]


class Medium(Sourced):
    """How long a signal takes along a cable."""

    fibre_ns_per_m: Annotated[
        float, Field(gt=0, le=20, description="Along fibre, ns per metre; copper is taken as quick.")
    ]


class SwitchLatency(Sourced):
    """Latency of switches whose profile has none."""

    ns: Annotated[
        dict[Protocol, Annotated[float, Field(ge=0)]],
        Field(description="From port to port without queueing, ns, by what the switch switches."),
    ]


class Steps(FrozenModel):
    """What a collective takes beside the time of its bytes, in one protocol of the library."""

    launch_us: Annotated[float, Field(ge=0, description="Its start, us.")]
    scale_up_us: Annotated[float, Field(gt=0, description="One step within a scale-up domain, us.")]
    nic_us: Annotated[float, Field(gt=0, description="One step from NIC to NIC across a small network, us.")]
    bandwidth_share: Annotated[Share, Field(description="Share of the bandwidth that its bytes have; the rest: flags.")]


class Algorithm(Sourced):
    """An algorithm of collectives, by the protocols of the library: the quickest at a message's size is taken."""

    simple: Annotated[Steps, Field(description="Large messages: data, then a flag once it is in memory.")]
    ll128: Annotated[Steps | None, Field(description="Middling messages: 8 bytes of flag in each 128.")] = None
    ll: Annotated[Steps | None, Field(description="Small messages: a flag of 4 bytes after each 4 of data.")] = None

    @property
    def protocols(self) -> tuple[tuple[str, Steps], ...]:
        """(name, steps) of each protocol that it has."""
        candidates = (("simple", self.simple), ("ll128", self.ll128), ("ll", self.ll))
        return tuple((name, steps) for name, steps in candidates if steps)


class Latency(FrozenModel):
    """Latencies: of cables, of switches, and of a step of each algorithm."""

    medium: Annotated[Medium, Field(description="Of cables, by metre.")]
    switches: Annotated[SwitchLatency, Field(description="Of switches whose profile states no `latency_ns`.")]
    ring: Annotated[Algorithm, Field(description="A ring: 2 (n - 1) steps in an all-reduce of n ranks.")]
    tree: Annotated[Algorithm, Field(description="A double binary tree: up and down, a step for each level.")]
    in_switch: Annotated[
        Algorithm, Field(description="Reduction by the switches of scale-up domains, and a tree over these.")
    ]

    def switch_ns(self, switch: SwitchProfile) -> float | None:
        """Return the latency of a switch from port to port, ns: that of its profile, else the usual one of its
        protocol.

        None if neither is stated, as for NVLink switches: a step within a scale-up domain includes them.
        """
        return switch.latency_ns if switch.latency_ns is not None else self.switches.ns.get(switch.protocol)

    def switch_source(self, switch: SwitchProfile) -> str:
        """Return where the latency of a switch was read."""
        if switch.latency_ns is not None:
            return f"its profile; {switch.source}"
        return f"usual of {switch.protocol}, {self.switches.source}"


class NetworkEfficiency(Sourced):
    """What payload has of a network's line rate."""

    reached: Annotated[
        Share, Field(description="Share of the line rate that a collective of large messages reaches, headers in it.")
    ]
    by_protocol: Annotated[
        dict[Protocol, Share],
        Field(
            default_factory=dict,
            description="The same by what the network speaks, fitted to what was measured. Default: `reached`.",
        ),
    ]

    def find_reached(self, protocol: Protocol) -> float:
        """Return which share of the line rate a network of a protocol reaches."""
        return self.by_protocol.get(protocol, self.reached)


class SmallMessages(Sourced):
    """How far what is told of small messages was from what was measured: latencies of libraries and clouds differ."""

    below_bytes: Annotated[int, Field(gt=0, description="Messages below that are small.")]
    measured: Annotated[
        dict[Literal["domain", "ethernet", "infiniband"], tuple[Share, Share]],
        Field(description="Least and greatest bus bandwidth that was measured, over what is told, by kind of network."),
    ]


class ScaleUpEfficiency(Sourced):
    """What a collective reaches of the bandwidth that an accelerator has in its scale-up domain, per direction."""

    domains: Annotated[tuple[str, ...], Field(description="Scale-up domain profiles that it is of.")] = ()
    reached: Annotated[Share, Field(description="Share that a ring of large messages reaches.")]
    in_switch: Annotated[
        Share | None,
        Field(
            description="Message bytes a second of a large all-reduce by the switches, over that bandwidth, however "
            "many accelerators take part. None: its switches do not reduce."
        ),
    ] = None


class Measured(Sourced):
    """What was measured of all-reduces by the switches of some scale-up domains, where it is far from what is told."""

    domains: Annotated[tuple[str, ...], Field(min_length=1, description="Scale-up domain profiles that it is of.")]
    says: Annotated[str, Field(min_length=8, description="What reports say beside the figures.")]


class Efficiency(FrozenModel):
    """What collectives reach of the bandwidth of links."""

    network: Annotated[NetworkEfficiency, Field(description="Of networks.")]
    small: Annotated[SmallMessages | None, Field(description="Of small messages. Default: not known.")] = None
    scale_up: Annotated[dict[str, ScaleUpEfficiency], Field(description="Of scale-up domains, by kind of link.")]
    other: Annotated[ScaleUpEfficiency, Field(description="Of every scale-up domain that no kind of link names.")]

    in_switch_measured: Annotated[
        tuple[Measured, ...], Field(description="All-reduces by switches that were measured to reach far less.")
    ] = ()

    def find_measured(self, domain: str) -> Measured | None:
        """Return what was measured of all-reduces by the switches of a domain (id of its profile); None if nothing
        was.
        """
        return next((measurement for measurement in self.in_switch_measured if domain in measurement.domains), None)

    def find_domain_efficiency(self, domain: str) -> ScaleUpEfficiency:
        """Return what collectives reach in a scale-up domain (id of its profile)."""
        return next((kind for kind in self.scale_up.values() if domain in kind.domains), self.other)


class Observed(Sourced):
    """Failures of a kind of part, as they were counted: each that stops a job."""

    failures: Annotated[int, Field(gt=0, description="How many failed.")]
    parts: Annotated[int, Field(gt=0, description="Of how many.")]
    days: Annotated[float, Field(gt=0, description="In how many days.")]

    @property
    def per_year(self) -> float:
        """Failures of one part in a year."""
        return self.failures / self.parts / self.days * DAYS_OF_YEAR

    @property
    def mtbf_hours(self) -> float:
        """Mean time between failures of one part, hours."""
        return 24 * self.days * self.parts / self.failures


class Stragglers(Sourced):
    """What makes one of many late."""

    jitter_us: Annotated[float, Field(ge=0, description="How late one rank is in a step, us.")]


class ConstantsProfile(Profile):
    """The constants of an analysis. `usual` is what is taken; a file of that name beside a blueprint wins over it."""

    kind: Annotated[Literal["constants"], Field(description="What the file describes.")] = "constants"
    name: Annotated[str, Field(description="What they are, for people.")]
    latency: Annotated[Latency, Field(description="Latencies of cables, switches and steps.")]
    efficiency: Annotated[Efficiency, Field(description="What collectives reach of the bandwidth of links.")]
    failures: Annotated[dict[Part, Observed], Field(description="Failures that stop a job, by kind of part.")]
    stragglers: Annotated[Stragglers, Field(description="What makes one of many late.")]
