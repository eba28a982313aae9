"""Models of the profiles in the catalogue, those of large kinds imported from modules of their own.

Every profile states its source, and how sure it is: V read in that source, R recalled, D derived. Speeds are Gb/s per
direction, lengths metres, power watts.
"""

from collections import Counter
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, model_validator

from fabricgen.catalog.cable_models import COPPER_MEDIA, OPTICAL_CAGES, CableProfile, require_ascending
from fabricgen.catalog.node_models import Accelerators, NicPort, NicRole, NodeProfile
from fabricgen.catalog.product_models import Product, ProductList
from fabricgen.catalog.profile import Id, Power, Profile, Tag
from fabricgen.catalog.rack_models import RackProfile
from fabricgen.catalog.scale_up_models import ScaleUpDomainProfile
from fabricgen.catalog.switch_models import CageClass, LineCards, SwitchProfile, Variant
from fabricgen.models.forms import FieldError

if TYPE_CHECKING:
    from fabricgen.catalog.constant_models import ConstantsProfile

__all__ = [
    "COPPER_MEDIA",
    "OPTICAL_CAGES",
    "PROFILE_KINDS",
    "Accelerators",
    "CableProfile",
    "CageClass",
    "Id",
    "LineCards",
    "NicPort",
    "NicProfile",
    "NicRole",
    "NodeProfile",
    "Power",
    "Product",
    "ProductList",
    "Profile",
    "RackProfile",
    "ScaleUpDomainProfile",
    "SwitchProfile",
    "Tag",
    "Variant",
    "require_ascending",
]


class NicProfile(Profile):
    """A network adapter."""

    kind: Annotated[Literal["nic"], Field(description="What the file describes.")] = "nic"
    name: Annotated[str, Field(description="What it is, for people.")]
    gbps: Annotated[int, Field(gt=0, description="All of its ports together, Gb/s.")]
    splits: Annotated[dict[int, int], Field(description="Ports -> speed of each, Gb/s.")]
    host: Annotated[str, Field(description="How it is attached to its host, for example PCIe 6.0 x16.")]
    driver: Annotated[
        str,
        Field(
            pattern=r"^[a-z0-9_]*$",
            description="The Linux driver of its RDMA devices, which says with what tools it is set up: mlx5, ionic.",
        ),
    ] = ""
    device_id: Annotated[
        str, Field(pattern=r"^([0-9a-f]{4})?$", description="Its PCI device id, e.g. 1021, where one is published.")
    ] = ""
    link_types: Annotated[
        tuple[Literal["ethernet", "infiniband"], ...],
        Field(min_length=1, description="What its ports can be. Default: either."),
    ] = ("ethernet", "infiniband")
    out_of_order: Annotated[
        str,
        Field(description="What says that it puts RoCE data in place in whatever order packets come; empty: nothing."),
    ] = ""

    @model_validator(mode="after")
    def _check_splits(self) -> Self:
        """Raise ValueError if ports carry more together than the NIC does."""
        for ports, speed in self.splits.items():
            if ports * speed > self.gbps:
                raise FieldError("splits", f"{ports} ports of {speed}G are more than its {self.gbps} Gb/s")
        return self


_MODELS: dict[str, type[Profile]] = {
    "switches": SwitchProfile,
    "nodes": NodeProfile,
    "nics": NicProfile,
    "cables": CableProfile,
    "scale_up": ScaleUpDomainProfile,
    "racks": RackProfile,
    "products": ProductList,
}

PROFILE_KINDS = (*_MODELS, "panels", "trunks", "constants")
"""The folders of profiles in the catalogue."""


def find_model(kind: str) -> type[Profile]:
    """Return the model of a kind of profile (see PROFILE_KINDS); raises KeyError if there is no such kind."""
    # a model takes long to make: a tenth of all are those of constants, which only analyses read; few use panels
    if kind == "constants":
        from fabricgen.catalog.constant_models import ConstantsProfile

        return ConstantsProfile
    if kind in ("panels", "trunks"):
        from fabricgen.catalog.patch_models import PanelProfile, TrunkProfile

        return PanelProfile if kind == "panels" else TrunkProfile
    return _MODELS[kind]


Wrong = tuple[tuple[str | int, ...], str]
"""The path of a key in a profile that contradicts a profile that it names, and what is wrong there."""


def find_tray_mistake(domain: ScaleUpDomainProfile, tray: SwitchProfile) -> Wrong | None:
    """Return what does not fit between a scale-up domain and its switch tray: number of ports, or their speed.

    None if both fit.
    """
    port_count = sum(cage.count * _count_links(cage, domain) for cage in tray.cages)
    needed = domain.switches_per_tray * domain.ports_of_switch
    if needed > port_count or port_count - needed >= domain.ports_of_switch:
        ports = f"{domain.switches_per_tray} x {domain.ports_of_switch}"
        return ("switches_per_tray",), f"{ports} ports of switches, and a {tray.id} has {port_count}"
    speeds = {speed for cage in tray.cages for speed in cage.speeds}
    if domain.link_gbps not in speeds:
        return ("link_gbps",), f"links of {domain.link_gbps:g} Gb/s, and ports of a {tray.id} are of {tray.speeds_text}"
    return None


def _count_links(cage: CageClass, domain: ScaleUpDomainProfile) -> int:
    """Return how many links of a domain a cage of its tray carries."""
    splits = (ways for ways, speeds in cage.breakouts.items() if domain.link_gbps in speeds)
    return max(splits, default=domain.links_per_cage)


def find_nic_mistake(node: NodeProfile, find_nic: Callable[[str], NicProfile | None]) -> Wrong | None:
    """Return the mistake in a role of a node, None if there is none.

    A mistake is a NIC that has no profile, or ports that carry more than their NICs do. There is a NIC for each rail,
    or for each accelerator if these have one on their die. `find_nic` returns the profile of a NIC by name, None if
    there is none.
    """
    dies = node.accelerators.count if node.accelerators else 0
    for role, ports in node.roles.items():
        rails = len({port.rail for port in ports.ports})
        for name, number in Counter(port.nic for port in ports.ports if port.nic).items():
            nic = find_nic(name)
            if nic is None:
                return ("roles", role, "ports"), f"there is no NIC profile '{name}'"
            number_of_nics = max(rails, dies) if nic.host == "on-die" else rails
            if number * max(ports.speeds) > number_of_nics * nic.gbps:
                carried = f"{number} ports of {max(ports.speeds)}G"
                return ("roles", role, "speeds"), f"{carried} on {number_of_nics} x {name} of {nic.gbps}G"
    return None


def find_domain_mistake(constants: "ConstantsProfile", domain_ids: Collection[str]) -> Wrong | None:
    """Return the mistake in the scale-up efficiencies of some constants, None if there is none.

    A mistake is a scale-up domain that has no profile (`domain_ids` has the ids of all), or one that two kinds of
    scale-up links list.
    """
    kind_of_domain: dict[str, str] = {}
    for kind, efficiency in constants.efficiency.scale_up.items():
        for index, domain in enumerate(efficiency.domains):
            where = ("efficiency", "scale_up", kind, "domains", index)
            if domain not in domain_ids:
                return where, f"there is no scale-up domain profile '{domain}'"
            if domain in kind_of_domain:
                return where, f"{domain} is of {kind_of_domain[domain]}"
            kind_of_domain[domain] = kind
    return None


def find_power_mistake(rack: RackProfile, switches: Collection[str]) -> Wrong | None:
    """Return a mistake if the published power of a rack counts a switch that is not in the catalogue, else None.

    `switches` are the ids of all switch profiles.
    """
    unknown = [name for name in rack.powers if name not in switches]
    return (("powers",), f"there is no switch profile '{unknown[0]}'") if unknown else None
