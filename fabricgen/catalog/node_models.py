"""What the catalogue says of a node: whatever hangs at the edge of a fabric, and its ports by role."""

from collections import Counter
from itertools import product
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fabricgen.catalog.profile import DeviceProfile, FormFactor
from fabricgen.models.forms import FieldError, FrozenModel


class NicPort(FrozenModel):
    """One network port of a node: `rail` counts the NICs of a role in GPU order, `port` the ports of one NIC."""

    rail: Annotated[int, Field(gt=0, description="The n-th NIC of every node, from 1.")]
    port: Annotated[int, Field(gt=0, description="The port of that NIC, from 1; above 1 on dual-port NICs.")] = 1
    name: Annotated[
        str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9/_.-]*$", description="What is printed on, or said of, the port.")
    ]
    cage: Annotated[str, Field(description="The cage it is in; twin-port cages hold two ports.")]
    gpu: Annotated[int | None, Field(ge=0, description="The GPU it serves, as the vendor numbers them (from 0).")] = (
        None
    )
    nic: Annotated[str, Field(description="The NIC profile it is a port of, where one is known.")] = ""
    interface: Annotated[str, Field(description="What the operating system calls it, e.g. mlx5_4.")] = ""


class NicRole(FrozenModel):
    """The ports of a node that serve one purpose; all alike."""

    form_factor: Annotated[FormFactor, Field(description="OSFP, QSFP-DD, QSFP112, RJ45, ...")]
    lanes: Annotated[int, Field(gt=0, description="Lanes of one port.")]
    lane_gbps: Annotated[float, Field(gt=0, description="Fastest rate of one lane, Gb/s.")]
    speeds: Annotated[
        tuple[int, ...], Field(min_length=1, description="Speeds of an unsplit port, fastest first, Gb/s.")
    ]
    splits: Annotated[
        tuple[int, ...], Field(description="Into how many equal ports (planes) one NIC port may be split.")
    ] = (1,)
    connectors: Annotated[Literal[1, 2], Field(description="2 where two NIC ports share a twin-port cage.")] = 1
    top: Annotated[
        Literal["finned", "flat"],
        Field(
            description="The top of OSFP plugs in it: flat where a heat sink rides on the cage, as on ConnectX cards."
        ),
    ] = "flat"
    ports: Annotated[tuple[NicPort, ...], Field(min_length=1, description="The ports one by one.")]

    @model_validator(mode="after")
    def _check_ports(self) -> Self:
        """Raise ValueError unless the ports have different names, and are all ports of all rails: rails 1 to n, ports 1
        to m.
        """
        if min(self.splits, default=0) < 1:
            raise ValueError("splits are 1 or more")
        if len({p.name for p in self.ports}) < len(self.ports):
            raise ValueError("two ports have one name")
        pairs = sorted((p.rail, p.port) for p in self.ports)
        rails, ports = pairs[-1][0], max(port for _, port in pairs)
        # the counts are compared first: a mistyped number would make a product of millions
        if len(pairs) != rails * ports or pairs != [*product(range(1, rails + 1), range(1, ports + 1))]:
            raise ValueError(f"rails must be 1 to {rails}, each with ports 1 to {ports} once; got (rail, port) {pairs}")
        return self

    @model_validator(mode="after")
    def _check_speeds(self) -> Self:
        """Raise ValueError if the lanes of a port do not carry its speeds, or do not divide into its splits."""
        if max(self.speeds) > self.lanes * self.lane_gbps:
            raise FieldError("speeds", f"{max(self.speeds)}G needs more than {self.lanes} lanes of {self.lane_gbps:g}G")
        bad_splits = sorted(ways for ways in self.splits if self.lanes % ways)
        if bad_splits:
            raise FieldError("splits", f"{self.lanes} lanes do not split into {bad_splits[0]} ports")
        return self

    @model_validator(mode="after")
    def _check_cages(self) -> Self:
        """Raise ValueError if a cage holds more ports than it has connectors."""
        cage, ports = Counter(port.cage for port in self.ports).most_common(1)[0]
        if ports > self.connectors:
            noun = "connectors" if self.connectors > 1 else "connector"
            raise FieldError("ports", f"{ports} ports are in cage {cage}, which has {self.connectors} {noun}")
        return self

    @property
    def ports_per_nic(self) -> int:
        """Ports of one NIC: 2 of a dual-port one."""
        return max(p.port for p in self.ports)


class Accelerators(FrozenModel):
    """The accelerators in one node."""

    model: Annotated[str, Field(description="What they are, for example B200.")]
    count: Annotated[int, Field(gt=0, description="In one node.")]


class CageGroup(FrozenModel):
    """Cages of a node that sit together, as its maker says."""

    where: Annotated[str, Field(min_length=3, description="Where on that side, in words: slot 1, left bay.")]
    cages: Annotated[tuple[str, ...], Field(min_length=1, description="Its cages, from left to right.")]


class NodePanel(FrozenModel):
    """Where on a node its cages are, as far as that is published."""

    side: Annotated[Literal["front", "rear"], Field(description="The side that its cages are on.")]
    groups: Annotated[
        tuple[CageGroup, ...], Field(description="Cages whose place is published. Default: only the side is.")
    ] = ()
    source: Annotated[str, Field(min_length=8, description="Where that was read.")]


class ReferenceDesign(FrozenModel):
    """The compute fabric that a maker publishes for a node: rail-optimized, without oversubscription, one model of
    switch in two tiers, or in three where these do not carry it.
    """

    switch: Annotated[str, Field(description="The switch of all tiers.")]
    planes: Annotated[int, Field(gt=0, description="Planes.")] = 1
    unit: Annotated[int | None, Field(gt=0, description="Nodes of a scalable unit. Default: not published.")] = None
    pod: Annotated[
        int | None, Field(gt=0, description="Units of a pod, where there are three tiers. Default: not published.")
    ] = None
    source: Annotated[str, Field(min_length=8, description="Where it is published.")]


class NodeProfile(DeviceProfile):
    """A node (server, tray or appliance) and its network ports by role."""

    kind: Annotated[Literal["node"], Field(description="What the file describes.")] = "node"
    name: Annotated[str, Field(description="What it is, for people.")]
    vendor: Annotated[str, Field(description="Who makes it.")] = ""
    accelerators: Annotated[Accelerators | None, Field(description="Its accelerators. Default: none.")] = None
    roles: Annotated[dict[str, NicRole], Field(description="Role (compute, storage, inband, bmc, ...) -> its ports.")]
    scale_up: Annotated[str, Field(description="The scale-up domain that such nodes form.")] = ""
    scale_up_too: Annotated[tuple[str, ...], Field(description="Others that they can form instead.")] = ()
    panel: Annotated[
        NodePanel | None, Field(description="Where its cages are. Default: not published, not even the side.")
    ] = None
    reference: Annotated[
        ReferenceDesign | None,
        Field(description="The compute fabric that its maker publishes for it; `size` always shows it."),
    ] = None
    external: Annotated[
        bool, Field(description="Somebody else's device: wired and named, but neither bought nor counted in the power.")
    ] = False

    @property
    def aisle(self) -> str:
        """The aisle that its ports face, hot or cold; "" if nobody says. Fronts of nodes are at the cold aisle."""
        return {"front": "cold", "rear": "hot"}[self.panel.side] if self.panel else ""

    @property
    def role_of_cage(self) -> dict[str, str]:
        """The first role that has ports in each cage, by cage."""
        roles: dict[str, str] = {}
        for role, nic in self.roles.items():
            for port in nic.ports:
                roles.setdefault(port.cage, role)
        return roles

    @model_validator(mode="after")
    def _check_panel(self) -> Self:
        """Raise ValueError unless the panel places cages that some role has, each once."""
        placed = Counter(cage for group in self.panel.groups for cage in group.cages) if self.panel else Counter[str]()
        unknown = sorted(placed.keys() - self.role_of_cage.keys())
        if unknown:
            raise FieldError("panel", f"no role has a cage {unknown[0]}; there are {', '.join(self.role_of_cage)}")
        twice = [cage for cage, count in placed.items() if count > 1]
        if twice:
            raise FieldError("panel", f"cage {twice[0]} is in {placed[twice[0]]} places")
        return self

    @model_validator(mode="after")
    def _check_gpus(self) -> Self:
        """Raise ValueError if a port serves a GPU that the node does not have."""
        count = self.accelerators.count if self.accelerators else None
        for role, nic in self.roles.items() if count else ():
            beyond = [port.gpu for port in nic.ports if port.gpu is not None and count and port.gpu >= count]
            if beyond:
                raise FieldError("roles", f"a {role} port serves GPU {beyond[0]}, and there are {count}, from 0")
        return self
