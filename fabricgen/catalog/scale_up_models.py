"""What the catalogue says of a scale-up domain: accelerators joined below the scale-out network."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fabricgen.catalog.profile import Profile
from fabricgen.models.forms import FieldError

Dimensions = tuple[int, ...]


class ScaleUpDomainProfile(Profile):
    """A scale-up domain. Its `shape` names the module that wires it and says which of these keys it reads."""

    kind: Annotated[Literal["scale-up"], Field(description="What the file describes.")] = "scale-up"
    name: Annotated[str, Field(description="What it is, for people.")]
    shape: Annotated[
        str,
        Field(description="The module of design/scale_up/kinds that wires it: switched, mesh, torus, joined and more."),
    ]
    accelerators: Annotated[
        int | None, Field(gt=1, description="In one domain; left out: as many as the blueprint's `per` holds.")
    ] = None
    any_node: Annotated[bool, Field(description="Joins accelerators whatever domain they form by themselves.")] = False
    max_accelerators: Annotated[int | None, Field(gt=1, description="Most that the standard or the part allows.")] = (
        None
    )
    link_gbps: Annotated[float, Field(gt=0, description="One link, per direction, Gb/s.")]
    lanes: Annotated[int, Field(gt=0, description="Lanes of one link.")] = 1
    ports: Annotated[
        int, Field(ge=0, description="Links an accelerator can have; 0: as many as a domain of it takes.")
    ] = 0
    scale_out_ports: Annotated[
        int, Field(ge=0, description="How many of its ports stay for the scale-out network.")
    ] = 0
    first_port: Annotated[
        int,
        Field(
            ge=0, lt=64, description="Number of its first port of an accelerator; those before are of other domains."
        ),
    ] = 0
    link_name: Annotated[
        str, Field(pattern=r"^[a-z]{1,12}$", description="What ports are called: `gpu0/link3`, or nvl, ici.")
    ] = "link"

    switches: Annotated[int, Field(ge=0, description="Switch ASICs or optical circuit switches; 0: none.")] = 0
    links_per_switch: Annotated[
        tuple[int, ...], Field(description="Links of one accelerator to each ASIC in turn.")
    ] = ()
    switch_ports: Annotated[int, Field(ge=0, description="Ports of one ASIC, each of one link.")] = 0
    switch_lanes: Annotated[int, Field(ge=0, description="The same as lanes, where a part is sold by lanes.")] = 0
    switches_per_tray: Annotated[int, Field(ge=0, description="ASICs in one switch tray; 0: on the board.")] = 0
    tray: Annotated[str, Field(description="The switch profile of a tray.")] = ""

    joins: Annotated[
        tuple[str, ...], Field(description="Joined: the profiles whose switches it may join, as a tier above them.")
    ] = ()
    meets: Annotated[
        tuple[Annotated[int, Field(gt=0)], ...],
        Field(description="Joined: how many switches of its own each switch of a domain below meets; []: all."),
    ] = ()
    links_per_cage: Annotated[int, Field(gt=0, description="Joined: links that one cage and its cable carry.")] = 1

    links_per_pair: Annotated[int, Field(ge=0, description="Mesh: links between two accelerators.")] = 0

    dims: Annotated[Dimensions, Field(description="Torus: accelerators along each dimension.")] = ()
    cube: Annotated[
        Dimensions, Field(description="Torus: the block that is wired by itself; switches join such blocks.")
    ] = ()
    block: Annotated[Dimensions, Field(description="Torus: how the accelerators of one node lie in it.")] = ()
    links_per_neighbour: Annotated[
        tuple[int, ...], Field(description="Torus: links to a neighbour in each dimension.")
    ] = ()

    backplane: Annotated[
        bool, Field(description="Links between chassis run in a rack's backplane and need no cable.")
    ] = True
    form_factor: Annotated[str, Field(description="Cages that cabled links end in, one a link.")] = ""
    media: Annotated[tuple[str, ...], Field(description="Cable profiles that carry them; empty: any that fits.")] = ()
    switch_media: Annotated[
        tuple[str, ...], Field(description="Cable profiles of links to switches, where they differ.")
    ] = ()

    options: Annotated[
        dict[str, int | float | str | tuple[int, ...]],
        Field(description="What a shape of one's own reads beyond these keys."),
    ] = Field(default_factory=dict)

    @property
    def lane_gbps(self) -> float:
        """Speed of one lane of a link, per direction, Gb/s."""
        return self.link_gbps / self.lanes

    @property
    def ports_of_switch(self) -> int:
        """How many links one switch takes."""
        return self.switch_ports or self.switch_lanes // self.lanes

    @property
    def tray_count(self) -> int:
        """Switch trays of one domain; 0 if its switches are on a board."""
        return self.switches // self.switches_per_tray if self.tray else 0

    @property
    def planes(self) -> tuple[int, ...]:
        """How many switches each plane has, in a domain that joins others.

        A switch of a domain below meets all switches of one plane: the first switch below those of the first plane, the
        second those of the second, and so on in turn. A single number in `meets` is the size of every plane; without
        `meets` there is one plane of all switches.
        """
        if len(self.meets) == 1:
            return self.meets * (self.switches // self.meets[0])
        return self.meets or (self.switches,)

    @model_validator(mode="after")
    def _check_joins(self) -> Self:
        """Raise ValueError for a domain that joins others (`shape: joined`) if its figures do not fit together.

        It has to state `joins` and a single `links_per_switch`, and its planes have to make up all of its switches. The
        links of a switch fill whole cages, or a cage has those of several switches, which are in one plane and one tray
        then.
        """
        if self.shape != "joined":
            return self
        if not self.joins or len(self.links_per_switch) != 1 or self.links_per_switch[0] < 1:
            raise FieldError("joins", "a joined domain states `joins`, and `links_per_switch` as one number above 0")
        if sum(self.planes) != self.switches:
            raise FieldError("meets", f"{sum(self.planes)} switches are met, and there are {self.switches}")
        links, in_cage = self.links_per_switch[0], self.links_per_cage
        # how many switches a cage has links of
        spread = max(1, in_cage // links)
        whole = in_cage % links == 0 if spread > 1 else links % in_cage == 0
        if not whole or any(n % spread for n in (*self.planes, self.switches_per_tray)):
            raise FieldError(
                "links_per_cage",
                f"{in_cage} links a cage do not go into {links} a switch, {self.switches_per_tray} switches a tray and "
                f"{' and '.join(map(str, sorted(set(self.planes))))} that each meets",
            )
        return self

    @model_validator(mode="after")
    def _check_links(self) -> Self:
        """Raise ValueError if `links_per_switch` does not fit: its length, or the ports of switches and accelerators.

        It has a number above 0 for each switch, or one for all. The links of a full domain go into the ports of a
        switch, and those of an accelerator into its ports that are not for scale-out.
        """
        links, ports = self.links_per_switch, self.ports_of_switch
        if not links or self.shape == "joined":
            return self
        if min(links) < 1 or len(links) not in (1, self.switches):
            raise FieldError(
                "links_per_switch",
                f"{len(links)} entries for {self.switches} switches: state one above 0 for each, or one for all",
            )
        needed = (self.accelerators or 0) * max(links)
        if ports and needed > ports:
            raise FieldError(
                "accelerators",
                f"{self.accelerators} accelerators with {max(links)} link{'s' * (max(links) > 1)} to a switch need "
                f"{needed} of its ports; it has {ports}",
            )
        all_links = links * self.switches if len(links) == 1 else links
        if self.ports and sum(all_links) > self.ports - self.scale_out_ports:
            raise FieldError(
                "ports",
                f"{self.ports} ports of an accelerator, {self.scale_out_ports} of them for scale-out, and "
                f"{sum(all_links)} links to switches",
            )
        return self

    @model_validator(mode="after")
    def _check_ports(self) -> Self:
        """Raise ValueError if no port of an accelerator is left for the domain."""
        if self.ports and self.scale_out_ports >= self.ports:
            raise FieldError(
                "scale_out_ports", f"{self.scale_out_ports} of {self.ports} ports leave none for the domain"
            )
        return self

    @model_validator(mode="after")
    def _check_switches(self) -> Self:
        """Raise ValueError if switches have no ports or do not fill trays, cabled links have no cage, or a dimension
        is below 1.
        """
        if self.switches and not self.ports_of_switch:
            raise FieldError("switches", "a domain with switches needs switch_ports or switch_lanes")
        if self.tray and (not self.switches_per_tray or not self.switches or self.switches % self.switches_per_tray):
            raise FieldError(
                "switches_per_tray" if self.switches_per_tray else "tray",
                f"{self.switches} switches do not fill trays of {self.switches_per_tray}",
            )
        if not self.backplane and not self.form_factor:
            raise ValueError("links without a backplane are cabled and need a form_factor")
        if any(n < 1 for n in (*self.dims, *self.cube, *self.block)) or any(n < 0 for n in self.links_per_neighbour):
            raise ValueError("dims, cube and block are 1 or more, links_per_neighbour 0 or more")
        return self
