"""The exits of the fabrics of a design: which extra devices they lead to, and what is wrong with them."""

from collections.abc import Iterator
from ipaddress import ip_interface
from typing import NamedTuple

from fabricgen.blueprint.sections.exits import Exit, ExitLink, parse_accepted
from fabricgen.design.fabric_model import ExtraSet, FabricDesign
from fabricgen.design.linked import find_fabric_ip, find_fabric_underlay, group_linked_fabrics
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, did_you_mean, fault


class ExitDesign(NamedTuple):
    """An exit of a fabric, with the extra devices that it leads to."""

    name: str
    fabric: FabricDesign
    spec: Exit
    extra: ExtraSet
    tenant: str = ""
    """The tenant whose devices it leads to, and whose VRF it is in; "" for none."""

    @property
    def vrf(self) -> str:
        """The VRF that it is in: its tenant's, else that of its fabric; "" for the default VRF."""
        return self.tenant or self.fabric.vrf

    @property
    def label(self) -> str:
        """Its name among all exits of a switch: `internet`, or `internet-blue` in a VRF."""
        return f"{self.name}-{self.vrf}" if self.vrf else self.name

    @property
    def path(self) -> Path:
        """The path of its line in the blueprint."""
        return ("fabrics", self.fabric.name, "exits", self.name)


def list_exits(design: Design) -> Iterator[ExitDesign]:
    """Yield every exit, in the order of fabrics and as written."""
    for fabric in design.fabrics:
        extras = {extra.name: extra for extra in fabric.extras}
        tenants = {e: tenant.name for tenant in design.tenants if fabric.name in tenant.fabrics for e in tenant.extras}
        for name, spec in design.loaded.blueprint.fabrics[fabric.name].exits.items():
            if spec.to in extras:
                yield ExitDesign(name, fabric, spec, extras[spec.to], tenants.get(spec.to, ""))


def check_exits(design: Design) -> None:
    """Raise InputError if an exit leads nowhere or cannot be as it is stated (FG055), or for its addresses (FG059)."""
    faults: list[Diagnostic] = []
    for fabric in design.fabrics:
        exits = design.loaded.blueprint.fabrics[fabric.name].exits
        exit_by_extra: dict[str, str] = {}
        for name, spec in exits.items():
            path = ("fabrics", fabric.name, "exits", name)
            faults += _check_fabric(design, fabric, spec, path)
            if spec.to in exit_by_extra:
                faults += fault(
                    "FG055", f"the exit {exit_by_extra[spec.to]} leads to '{spec.to}' too", path=path
                ).diagnostics
            exit_by_extra[spec.to] = name
    labels: dict[tuple[object, str], ExitDesign] = {}
    for exit_ in list_exits(design):
        earlier = labels.setdefault((exit_.extra.tier, exit_.label), exit_)
        if earlier is not exit_:
            message = f"{exit_.name} of {exit_.fabric.name} and {earlier.name} of {earlier.fabric.name} are in one VRF"
            faults += fault("FG055", f"{message}, on one tier, with one name", path=exit_.path).diagnostics
        faults += [*_check_keys(exit_), *_check_devices(exit_), *_check_addresses(design, exit_)]
    if faults:
        raise InputError(faults)


def _check_fabric(design: Design, fabric: FabricDesign, spec: Exit, path: Path) -> Iterator[Diagnostic]:
    """Yield the faults of an exit's fabric: no such devices, a tenant without a VRF there, no BGP."""
    fabric_spec = design.loaded.blueprint.fabrics[fabric.name]
    underlay = "none" if fabric.protocol == "infiniband" else find_fabric_underlay(design.loaded.blueprint, fabric.name)
    if spec.to not in fabric_spec.extra:
        hint = did_you_mean(spec.to, fabric_spec.extra) or "the links of an exit are those of an `extra` of its fabric"
        message = f"{fabric.name} has no extra devices '{spec.to}'"
        yield from fault("FG055", message, path=(*path, "to"), hint=hint).diagnostics
    tenant = next((tenant for tenant in design.tenants if spec.to in tenant.extras), None)
    if tenant is not None and fabric.name not in tenant.fabrics:
        message = f"'{spec.to}' is the tenant {tenant.name}'s, which has no VRF in {fabric.name}"
        hint = f"add {fabric.name} to its `fabrics`, or lead out to an `extra` of no tenant"
        yield from fault("FG055", message, path=(*path, "to"), hint=hint).diagnostics
    if not underlay.startswith("ebgp"):
        reason = "routes no IP" if fabric.protocol == "infiniband" else f"has underlay {underlay}"
        hint = "routes of an exit travel in BGP: take an ebgp underlay" if fabric.protocol != "infiniband" else ""
        yield from fault("FG055", f"{fabric.name} {reason}, and has an exit", path=path, hint=hint).diagnostics


EBGP_KEYS = ("asn", "local_as", "password", "announce", "max_prefixes", "communities", "bfd")


def _check_keys(exit_: ExitDesign) -> Iterator[Diagnostic]:
    """Yield the faults of keys that do not go with how an exit routes, and of keys that it lacks."""
    spec = exit_.spec
    if spec.routing == "static":
        for key in EBGP_KEYS:
            if getattr(spec, key) not in (None, ()):
                message = f"`{key}` is of BGP sessions, and {exit_.name} routes statically"
                yield from fault("FG055", message, path=(*exit_.path, key)).diagnostics
        for name, device_spec in spec.devices.items():
            if device_spec.asn or device_spec.password or device_spec.loopback:
                message = f"{name} has keys of BGP sessions, and {exit_.name} routes statically"
                yield from fault("FG055", message, path=(*exit_.path, "devices", name)).diagnostics
        if spec.prefer == "backup":
            message = f"{exit_.name} routes statically, and cannot be a backup: its routes win on their own switch"
            hint = "only exits with sessions can be"
            yield from fault("FG055", message, path=(*exit_.path, "prefer"), hint=hint).diagnostics
    if not spec.default and not spec.accept:
        message = f"nothing is reached by {exit_.name}: it has no default route and accepts no prefix"
        yield from fault("FG055", message, path=exit_.path, hint="state `accept`").diagnostics
    devices_without_asn = [
        n for n in exit_.extra.devices if not (spec.asn or (n in spec.devices and spec.devices[n].asn))
    ]
    if spec.routing == "ebgp" and devices_without_asn:
        hint = (
            f"state `asn`, or devices.{devices_without_asn[0]}.asn; {exit_.name} is eBGP unless it says "
            "`routing: static`"
        )
        yield from fault(
            "FG055", f"the AS number of {devices_without_asn[0]} is not known", path=exit_.path, hint=hint
        ).diagnostics


def _check_devices(exit_: ExitDesign) -> Iterator[Diagnostic]:
    """Yield a fault for each device and port that an exit states and that its extra devices do not have."""
    extra = exit_.extra
    for name, device_spec in exit_.spec.devices.items():
        path: Path = (*exit_.path, "devices", name)
        if name not in extra.devices:
            hint = did_you_mean(name, extra.devices)
            yield from fault("FG055", f"'{extra.name}' has no device '{name}'", path=path, hint=hint).diagnostics
            continue
        index = extra.devices.index(name)
        ports = [extra.attachment.legs[link.leg].name for link in extra.links if link.device == index]
        for port in device_spec.links:
            if port not in ports:
                hint = did_you_mean(port, ports) or f"its ports are {', '.join(ports)}"
                message = f"{name} has no cabled port '{port}' here"
                yield from fault("FG055", message, path=(*path, "links", port), hint=hint).diagnostics
        if device_spec.loopback and exit_.vrf:
            message = f"sessions to loopbacks leave from that of the switch, which is not in the VRF {exit_.vrf}"
            yield from fault("FG055", message, path=(*path, "loopback"), hint="state none there").diagnostics


def _check_addresses(design: Design, exit_: ExitDesign) -> Iterator[Diagnostic]:
    """Yield a fault for each stated address of a family that the fabric lacks, and for each link whose own and far
    addresses do not fit together.
    """
    ip = find_fabric_ip(design.loaded.blueprint, exit_.fabric.name)
    for name, device_spec in exit_.spec.devices.items():
        device: Path = (*exit_.path, "devices", name)
        texts = [(text, (*device, "loopback")) for text in device_spec.loopback or ()]
        texts += [(text, (*device, "links", port)) for port, link in device_spec.links.items() for text in link.own]
        for text, path in texts:
            if ip not in ("dual", "v6" if ":" in text else "v4"):
                message = f"{exit_.fabric.name} has no addresses such as {text}"
                yield from fault("FG059", message, path=path, hint="see `ip`").diagnostics
        for port, link in device_spec.links.items():
            path = (*device, "links", port)
            try:
                pair_addresses(link)  # for what it raises
            except ValueError as error:
                yield from fault("FG059", str(error), path=path, hint="state `far`, an address beside it").diagnostics


def pair_addresses(link: ExitLink) -> dict[bool, tuple[int, int, int]]:
    """Return, by family (whether it is IPv6), (own address, far address, prefix length) of a link with stated
    addresses.

    Addresses are ints. Raises ValueError, in the user's terms, if they do not fit together.
    """
    pairs: dict[bool, tuple[int, int, int]] = {}
    far_by_family = {":" in text: ip_interface(text).ip for text in link.far or ()}
    for text in link.own:
        own_interface, is_v6 = ip_interface(text), ":" in text
        network, address_bits = own_interface.network, own_interface.network.max_prefixlen
        far_address = far_by_family.pop(is_v6, None)
        if far_address is None:
            if address_bits - network.prefixlen > 2:
                raise ValueError(f"{text} has more than one neighbour in {network}: which is the far address?")
            # the two addresses of a /31 differ in one bit; the two usable ones of a /30, .1 and .2, in two bits
            low_bits = 1 if address_bits - network.prefixlen == 1 else 3
            far_address = type(own_interface.ip)(int(own_interface.ip) ^ low_bits)
        unusable = (network.network_address, network.network_address + (network.num_addresses - 1))
        if (
            far_address not in network
            or far_address == own_interface.ip
            or (address_bits - network.prefixlen > 1 and {far_address, own_interface.ip} & set(unusable))
        ):
            raise ValueError(f"{own_interface.ip} and {far_address} are not two usable addresses of {network}")
        pairs[is_v6] = int(own_interface.ip), int(far_address), network.prefixlen
    if far_by_family:
        raise ValueError(f"the far address {next(iter(far_by_family.values()))} has no own one beside it")
    return pairs


# Which fabric of a host has its default route, and with it the address by which operators reach the host.

DEFAULT_ROLES = ("inband", "frontend")
"""NIC roles that lead to users and services, in order of preference: they decide if exits do not."""

FIRST_WITHOUT_EXIT = 2 * (len(DEFAULT_ROLES) + 1)
"""The lowest rank of a fabric without an exit; fabrics with one have lower ranks."""

NEVER = FIRST_WITHOUT_EXIT + len(DEFAULT_ROLES)
"""The rank of a fabric that never has the default route."""


class DefaultRoutes:
    """Ranks the fabrics of a design by how well they suit the default route of a host.

    A fabric with an exit to everywhere comes before a fabric without one; then NICs of a role in `DEFAULT_ROLES` come
    before others, and the fabric that states the exit before fabrics that share its VRF.
    """

    def __init__(self, design: Design) -> None:
        self._design = design
        # for each fabric, the number of its group of linked fabrics: an exit of any of them leads out hosts of its VRF
        self._group = {
            name: i for i, names in enumerate(group_linked_fabrics(design.loaded.blueprint.fabrics)) for name in names
        }
        self._exits = list(list_exits(design))
        to_everywhere = [exit_ for exit_ in self._exits if exit_.spec.default]
        self._vrfs = {(self._group[exit_.fabric.name], exit_.vrf) for exit_ in to_everywhere}
        self._stating = {(exit_.fabric.name, exit_.vrf) for exit_ in to_everywhere}

    def find_host_vrf(self, fabric: str, tenant: int) -> str:
        """Return the VRF of hosts in a fabric, "" for the default VRF. `tenant` is the index of their tenant in
        `Design.tenants`, -1 for hosts without one, as for all methods here.
        """
        host_tenant = self._design.tenants[tenant] if tenant >= 0 else None
        if host_tenant is not None and fabric in host_tenant.fabrics:
            return host_tenant.name
        return self._design.fabric(fabric).vrf

    def has_exit_to_everywhere(self, fabric: str, tenant: int) -> bool:
        """Whether an exit to everywhere (`default` of an exit) is in the VRF of a tenant's hosts in a fabric."""
        return (self._group[fabric], self.find_host_vrf(fabric, tenant)) in self._vrfs

    def rank_fabric(self, fabric: str, role: str, tenant: int, *, is_shared: bool) -> int:
        """Return the rank of a fabric for the default route of a host: the lowest rank has it, and `NEVER` never.

        `role` is that of the NIC; `is_shared` says whether the fabric is a VLAN on ports of another fabric. `tenant` is
        that of the host, an index as in `find_host_vrf`.
        """
        rank = DEFAULT_ROLES.index(role) if role in DEFAULT_ROLES else len(DEFAULT_ROLES)
        if self.has_exit_to_everywhere(fabric, tenant):
            # by role first, then the fabric that states the exit before fabrics that share its VRF
            return 2 * rank + ((fabric, self.find_host_vrf(fabric, tenant)) not in self._stating)
        return NEVER if is_shared else FIRST_WITHOUT_EXIT + rank

    def list_accepted_prefixes(self, fabric: str, tenant: int, *, v6: bool) -> tuple[str, ...]:
        """Return the prefixes, sorted, that exits of a fabric in the VRF of a tenant's hosts state in `accept`, such as
        `203.0.113.0/24`: of IPv6 with `v6`, else of IPv4. The default route of an exit is not among them.
        """
        vrf = self.find_host_vrf(fabric, tenant)
        exits = (exit_ for exit_ in self._exits if exit_.fabric.name == fabric and exit_.vrf == vrf)
        prefixes = {parse_accepted(text)[0] for exit_ in exits for text in exit_.spec.accept}
        return tuple(sorted(prefix for prefix in prefixes if (":" in prefix) == v6))
