"""What the catalogue says of a scale-up domain: accelerators joined below the scale-out network."""

from typing import Literal, Self

from pydantic import Field, model_validator

from fabricgen.catalog.profile import Profile

Dimensions = tuple[int, ...]


class ScaleUpDomainProfile(Profile):
    """A scale-up domain. Its `shape` names the module that wires it and says which of these keys it reads."""

    kind: Literal["scale-up"] = Field("scale-up", description="What the file describes.")
    name: str = Field(description="What it is, for people.")
    shape: str = Field(
        description="The module of design/scale_up_kinds that wires it: switched, mesh, torus, point_to_point."
    )
    accelerators: int | None = Field(
        None, gt=1, description="In one domain; left out: as many as the blueprint's `per` holds."
    )
    any_node: bool = Field(False, description="Joins accelerators whatever domain they form by themselves.")
    max_accelerators: int | None = Field(None, gt=1, description="Most that the standard or the part allows.")
    link_gbps: float = Field(gt=0, description="One link, per direction, Gb/s.")
    lanes: int = Field(1, gt=0, description="Lanes of one link.")
    ports: int = Field(0, ge=0, description="Links an accelerator can have; 0: as many as a domain of it takes.")
    scale_out_ports: int = Field(0, ge=0, description="How many of its ports stay for the scale-out network.")
    link_name: str = Field(
        "link", pattern=r"^[a-z]{1,12}$", description="What ports are called: `gpu0/link3`, or nvl, ici."
    )

    switches: int = Field(0, ge=0, description="Switch ASICs or optical circuit switches; 0: none.")
    links_per_switch: tuple[int, ...] = Field((), description="Links of one accelerator to each ASIC in turn.")
    switch_ports: int = Field(0, ge=0, description="Ports of one ASIC, each of one link.")
    switch_lanes: int = Field(0, ge=0, description="The same as lanes, where a part is sold by lanes.")
    switches_per_tray: int = Field(0, ge=0, description="ASICs in one switch tray; 0: on the board.")
    tray: str = Field("", description="The switch profile of a tray.")

    links_per_pair: int = Field(0, ge=0, description="Mesh: links between two accelerators.")

    dims: Dimensions = Field((), description="Torus: accelerators along each dimension.")
    cube: Dimensions = Field((), description="Torus: the block that is wired by itself; switches join such blocks.")
    block: Dimensions = Field((), description="Torus: how the accelerators of one node lie in it.")
    links_per_neighbour: tuple[int, ...] = Field((), description="Torus: links to a neighbour in each dimension.")

    backplane: bool = Field(True, description="Links between chassis run in a rack's backplane and need no cable.")
    form_factor: str = Field("", description="Cages that cabled links end in, one a link.")
    media: tuple[str, ...] = Field((), description="Cable profiles that carry them; empty: any that fits.")
    switch_media: tuple[str, ...] = Field((), description="Cable profiles of links to switches, where they differ.")

    options: dict[str, int | float | str | tuple[int, ...]] = Field(
        default_factory=dict, description="What a shape of one's own reads beyond these keys."
    )

    @property
    def lane_gbps(self) -> float:
        """One lane of a link, per direction, Gb/s."""
        return self.link_gbps / self.lanes

    @property
    def ports_of_switch(self) -> int:
        """Links that one switch takes."""
        return self.switch_ports or self.switch_lanes // self.lanes

    @property
    def tray_count(self) -> int:
        """Switch trays of one domain; 0 where its switches are on a board."""
        return self.switches // self.switches_per_tray if self.tray else 0

    @model_validator(mode="after")
    def _switches_add_up(self) -> Self:
        if self.switches and not self.ports_of_switch:
            raise ValueError("a domain with switches needs switch_ports or switch_lanes")
        if self.tray and (not self.switches_per_tray or not self.switches or self.switches % self.switches_per_tray):
            raise ValueError(f"{self.switches} switches do not fill trays of {self.switches_per_tray}")
        if not self.backplane and not self.form_factor:
            raise ValueError("links without a backplane are cabled and need a form_factor")
        if any(n < 1 for n in (*self.dims, *self.cube, *self.block, *self.links_per_neighbour)):
            raise ValueError("dims, cube, block and links_per_neighbour are 1 or more")
        return self
