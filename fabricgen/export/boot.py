"""Where switches boot from: the URL of the files for a first boot, and which of them each NOS asks for.

- SONiC reads a ztp.json, whose URL is option 67, or 59 of DHCPv6 (sonic-net/sonic-ztp, src/usr/lib/ztp/dhcp/ztp, commit
  036c8eaa; sonic-net/sonic-buildimage, files/dhcp/dhclient.conf.j2).
- EOS runs a script, or takes a configuration, from the URL in option 67 (Arista EOS user manual, Initial Switch Access,
  "Zero Touch Provisioning"), or in option 59 of DHCPv6 (RFC 5970).
- Cumulus Linux runs a script from the URL in option 239 of DHCP (Cumulus Linux 5.11 user guide, "Zero Touch
  Provisioning"); it says nothing of DHCPv6.
- Junos loads a configuration, of which option 43 has the path and how to fetch it, and option 150 or 66 the server
  (platforms/junos.yaml says where that was read).
- ONIE, which installs a NOS, takes the URL of an image from option 114 (ONIE user guide, "Image Discovery").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from ipaddress import ip_address
from urllib.parse import urlsplit

import numpy as np

from fabricgen.blueprint.sections.management import Image, Management
from fabricgen.catalog.nos_configuration import BootFile
from fabricgen.cluster import Cluster
from fabricgen.design.fabric_model import Attachment
from fabricgen.kernel.diagnostics import did_you_mean, fault
from fabricgen.numbering.addresses.exit_links import find_exit_segments
from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.numbering.blocks.column import AddressColumn
from fabricgen.numbering.blocks.family import Family, Network
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.tables import SWITCH, DeviceClass, ManagementPort, Segment

MAX_OPTION = 255
"""Bytes in an option of DHCPv4 (RFC 2132, 2)."""

UNTOLD = "state `management: {ztp: {url: ...}}` with an IPv4 address and a short path"
"""The hint of FG170: what to state if DHCP cannot tell a switch where it boots from."""


def is_address(text: str) -> bool:
    """Whether a server is stated by its address and not by its name."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


class BootServer:
    """The server from which switches fetch what they boot; `row` is always a device's row in the device table."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._settings: dict[str, Management] = {}

    def find_settings(self, fabric: str) -> Management:
        """Return the management settings of a fabric's switches; those of the cluster for "" and for a
        scale-up fabric.
        """
        blueprint = self._cluster.design.loaded.blueprint
        if fabric not in self._settings:
            fabric_spec, shared = blueprint.fabrics.get(fabric), blueprint.management
            self._settings[fabric] = fabric_spec.management.lay_over(shared) if fabric_spec else shared
        return self._settings[fabric]

    def find_url(self, fabric: str) -> str:
        """Return the URL for a fabric's switches, without a slash at the end; "" if none is known."""
        ztp = self.find_settings(fabric).ztp
        return ztp.url.rstrip("/") if ztp and ztp.url else self._default_url

    @cached_property
    def _default_url(self) -> str:
        """The URL if none is stated: that of the first DHCP server of the management network; "" without one."""
        specs = self._cluster.design.loaded.blueprint.fabrics
        dhcp_settings = (specs[fabric.name].dhcp for fabric in self._cluster.design.fabrics if fabric.manages)
        server = next((dhcp.servers[0] for dhcp in dhcp_settings if dhcp is not None), "")
        return f"http://[{server}]" if ":" in server else f"http://{server}" if server else ""

    def locate_boot_file(self, row: int) -> tuple[BootFile, str] | None:
        """Return the file that a device asks for, and its URL; `row` is its row in the device table.

        None for nodes, for a NOS that asks for no file, and if no URL is known.
        """
        cls = self._find_class(row)
        boot = self.find_class_boot(cls)
        url = self.find_url(cls.fabric) if boot else ""
        folder = "ztp" if boot and boot.script else "configs"
        return (boot, f"{url}/{folder}/{self._cluster.names[row]}/{boot.file}") if boot and url else None

    def list_options(self, row: int, *, is_v6: bool = False) -> dict[str, str]:
        """Return the DHCP options of a device for its first boot: text by option, `OPTION` or `OPTION.SUB-OPTION`.

        Empty if nothing is known. Raises InputError (FG170) if the option has no room for the text, or if the server
        needs an IPv4 address and has none.
        """
        boot, file_url = self.locate_boot_file(row) or (None, "")
        if boot is None or is_v6 or not boot.encloses:
            # one option has the whole URL; 0 is no option
            option = (boot.option6 if is_v6 else boot.option) if boot else 0
            return {str(option): file_url} if option else {}
        codes, url = boot.encloses, urlsplit(file_url)
        enclosed = {
            codes.image: urlsplit(self.image_url(row)).path,
            codes.file: url.path,
            codes.mode: url.scheme,
            codes.port: str(url.port or ""),
        }
        # each sub-option has a code and a length before it (RFC 2132, 8.4)
        length = sum(2 + len(text) for text in enclosed.values() if text)
        host = url.hostname or ""
        if length > MAX_OPTION or ":" in host:
            why = f"DHCP cannot tell {self.name_device(row)} where it boots from: option {boot.option} "
            why += f"would have {length} bytes of {MAX_OPTION}" if length > MAX_OPTION else "wants no IPv6 address"
            raise self._cluster.design.loaded.locate_error(
                fault("FG170", why, path=("fabrics", self._find_class(row).fabric), hint=UNTOLD)
            )
        return {f"{boot.option}.{code}": text for code, text in enclosed.items() if text} | {
            str(codes.address if is_address(host) else codes.name): host
        }

    def find_class_boot(self, cls: DeviceClass) -> BootFile | None:
        """Return the file that devices of a class ask for at their first boot; None if they ask for none."""
        return self._cluster.design.catalog.naming(cls.nos).systems.boot if cls.kind == SWITCH else None

    def find_image(self, row: int) -> Image | None:
        """Return the image of a switch: that of its model, else of its NOS; None if none is stated."""
        cls = self._find_class(row)
        ztp = self.find_settings(cls.fabric).ztp if cls.kind == SWITCH else None
        return (ztp.images.get(cls.profile.id) or ztp.images.get(cls.nos)) if ztp else None

    def image_url(self, row: int) -> str:
        """Return the URL of a switch's image; "" if no image is stated, or no URL is known."""
        image, url = self.find_image(row), self.find_url(self._find_class(row).fabric)
        return f"{url}/{image.file}" if image and url else ""

    def name_device(self, row: int) -> str:
        """Return the name of a device."""
        return self._cluster.names[row]

    def check_images(self) -> None:
        """Raise InputError (FG171) for an image of `management.ztp.images` under an unknown key: it is neither a switch
        model nor a NOS that asks for a file at its first boot.
        """
        blueprint, catalog = self._cluster.design.loaded.blueprint, self._cluster.design.catalog
        settings_by_path = [
            ((), blueprint.management),
            *((("fabrics", n), f.management) for n, f in blueprint.fabrics.items()),
        ]
        booting = (nos for nos in catalog.list_known_nos() if catalog.naming(nos).systems.boot)
        valid_keys = sorted({*booting, *catalog.ids("switches")})
        for section, settings in settings_by_path:
            for key in settings.ztp.images if settings.ztp else ():
                if key not in valid_keys:
                    path, hint = (*section, "management", "ztp", "images", key), did_you_mean(key, valid_keys)
                    raise self._cluster.design.loaded.locate_error(
                        fault("FG171", f"no switch is a '{key}' or runs it", path=path, hint=hint)
                    )

    def _find_class(self, row: int) -> DeviceClass:
        devices = self._cluster.plan.devices
        return devices.classes[int(devices.device_class[row])]


# The subnets in which a DHCP server gives out addresses, and who has which of them.
# There are subnets for the management network, and for every fabric that relays requests (`dhcp`). Switches of the
# management network have no port on it and are managed at their loopbacks: the loopbacks form a subnet, too, so that
# every managed device is in one.

Place = tuple[str, str]
"""(switch, port)"""


@dataclass(frozen=True, slots=True)
class AddressHolder:
    """A device that has an address, and the ports of switches that it is plugged into (`places`); a bond has several.

    `device` is its row in the device table, `address` the address as a number.
    """

    device: int
    address: int
    macs: tuple[str, ...]
    """MACs of its ports as far as the inventory has them; a switch without any has its base MAC."""
    places: tuple[Place, ...] = ()
    is_bmc: bool = False
    """Whether the address is that of a BMC's port."""


@dataclass(slots=True)
class Subnet:
    """A subnet of one fabric; `gateway` is "" for none, `fabric` is "" for the flat subnet of management ports."""

    network: Network
    fabric: str
    gateway: str
    holders: list[AddressHolder] = field(default_factory=list)


def list_served_fabrics(cluster: Cluster) -> tuple[str, ...]:
    """Return the names of the fabrics whose hosts get their addresses by DHCP, in the order of the blueprint."""
    specs = cluster.design.loaded.blueprint.fabrics
    ethernet = (fabric for fabric in cluster.design.fabrics if fabric.protocol != "infiniband")
    return tuple(fabric.name for fabric in ethernet if fabric.manages or specs[fabric.name].dhcp is not None)


def _make_network_finder(family: Family) -> Callable[[int, int], Network]:
    """Return a function that gives the network of a prefix length around an address of a family.

    It remembers networks, because making one takes as long as making a reservation.
    """

    @cache
    def make_network(prefix: int, length: int) -> Network:
        return family.network(prefix << (family.bits - length), length)

    return lambda address, length: make_network(address >> (family.bits - length), length)


def list_subnets(cluster: Cluster, allocated: FamilyAddresses) -> list[Subnet]:
    """Return the subnets of an address family with all their holders, sorted by address."""
    subnets: dict[Network, Subnet] = {}
    for subnet in (
        *_list_bridged_subnets(cluster, allocated),
        *_list_link_subnets(cluster, allocated),
        *_list_linkless_subnets(cluster, allocated),
    ):
        merged = subnets.setdefault(subnet.network, subnet)
        if merged is not subnet:
            merged.holders += subnet.holders
    for subnet in subnets.values():
        subnet.holders.sort(key=lambda holder: (holder.address, holder.device))
    return sorted(subnets.values(), key=lambda subnet: (subnet.network.network_address, subnet.network.prefixlen))


def _list_bridged_subnets(cluster: Cluster, allocated: FamilyAddresses) -> Iterator[Subnet]:
    """Yield the subnets behind gateways, without holders."""
    for fabric in list_served_fabrics(cluster):
        subnets = allocated.subnets.get(fabric)
        for row in np.flatnonzero(subnets.gateway.present).tolist() if subnets else ():
            assert subnets is not None  # noqa: S101 - it has rows
            for gateway in allocated.list_gateways(fabric, row):
                yield Subnet(
                    allocated.family.network(gateway, int(subnets.subnet_length[row])),
                    fabric,
                    allocated.format_address(gateway),
                )


def _list_link_subnets(cluster: Cluster, allocated: FamilyAddresses) -> Iterator[Subnet]:
    """Yield subnets with the ends of links that get their addresses by DHCP, fabric by fabric."""
    links, exits = cluster.plan.links, find_exit_segments(cluster.design, cluster.plan)
    fabric_segments = [(links.segments[i].fabric, i) for i in range(len(links.segments)) if i not in exits]
    for fabric in list_served_fabrics(cluster):
        host_segments = [i for name, i in fabric_segments if name == fabric and _is_host_segment(links.segments[i])]
        rows = np.flatnonzero(np.isin(links.segment, host_segments))
        rows = rows[allocated.a[rows].present]
        yield from _list_end_subnets(cluster, allocated, fabric, rows, allocated.a, allocated.length)
    for fabric in set(list_served_fabrics(cluster)) & set(allocated.shared):
        column, lengths = allocated.shared[fabric], allocated.subnets[fabric].subnet_length[links.b_device]
        rows = np.flatnonzero(column.present)
        yield from _list_end_subnets(cluster, allocated, fabric, rows, column, lengths, shared=True)


def _is_host_segment(segment: Segment) -> bool:
    """Whether lower ends of a segment are ports of nodes and extra devices, or management ports of switches.

    Devices that others configure are neither.
    """
    side = segment.a
    return isinstance(side, ManagementPort) or (isinstance(side, Attachment) and not side.profile.external)


def _list_end_subnets(
    cluster: Cluster,
    allocated: FamilyAddresses,
    fabric: str,
    rows: Ints64,
    column: AddressColumn,
    lengths: Ints64,
    *,
    shared: bool = False,
) -> Iterator[Subnet]:
    """Yield, for each link of `rows`, a subnet with a single holder: the address at the lower end of the link.

    The caller merges equal subnets. `column` and `lengths` have an entry for each link of the plan: the address of its
    lower end, and the prefix length. With `shared`, the links are ports of another fabric on which this fabric has a
    VLAN; holders then name no ports of switches.
    """
    links, bonds = cluster.plan.links, cluster.plan.bonds
    find_network = _make_network_finder(allocated.family)
    a_port, b_port = cluster.a_port, cluster.b_port
    bond_members = _list_bond_members(cluster, rows) if bonds is not None else {}
    is_bmc_segment = [isinstance(segment.a, Attachment) and segment.a.role == "bmc" for segment in links.segments]
    for row in rows.tolist():
        device, address = int(links.a_device[row]), column.at(row)
        # the address of a bond is on its first link, and requests may come from the MAC of any of its ports
        member_links = bond_members.get(row, (row,))
        switch_ports = (
            () if shared else tuple((cluster.names[links.b_device[link]], str(b_port[link])) for link in member_links)
        )
        port_macs = _list_macs(cluster, device, [str(a_port[link]) for link in member_links])
        holder = AddressHolder(device, address, port_macs, switch_ports, is_bmc_segment[links.segment[row]])
        yield Subnet(
            find_network(address, int(lengths[row])), fabric, allocated.format_address(allocated.b.at(row)), [holder]
        )


def _list_bond_members(cluster: Cluster, rows: Ints64) -> Mapping[int, tuple[int, ...]]:
    """Return, by each link of `rows` that is in a bond, all links of that bond; both are rows of the link table."""
    bonds = cluster.plan.bonds
    assert bonds is not None  # noqa: S101 - the caller has looked
    members: dict[int, list[int]] = {}
    for row in np.flatnonzero(bonds.of_link >= 0).tolist():
        members.setdefault(int(bonds.of_link[row]), []).append(row)
    return {row: tuple(members[int(bonds.of_link[row])]) for row in rows.tolist() if bonds.of_link[row] >= 0}


def _list_linkless_subnets(cluster: Cluster, allocated: FamilyAddresses) -> Iterator[Subnet]:
    """Yield subnets with the managed devices that have no link to the management network: all switches if there is no
    such network, else the switches of that network.

    Devices that are managed at their loopbacks share one subnet for each fabric, the smallest prefix with all these
    loopbacks.
    """
    links, devices, family = cluster.plan.links, cluster.plan.devices, allocated.family
    # without a role: the management port of a switch; other roles of nodes have no managed address
    managing = [i for i, s in enumerate(links.segments) if _is_host_segment(s) and getattr(s.a, "role", "bmc") == "bmc"]
    is_unlinked = allocated.management.present.copy()
    is_unlinked[links.a_device[np.isin(links.segment, managing)]] = False
    find_network, loopbacks = _make_network_finder(family), dict[str, list[AddressHolder]]()
    for row in np.flatnonzero(is_unlinked).tolist():
        cls = devices.classes[devices.device_class[row]]
        if cls.kind != SWITCH:
            continue
        address, length = allocated.management.at(row), int(allocated.management_length[row])
        port = cluster.design.catalog.naming(cls.nos).find_management_port(cls.profile)
        holder = AddressHolder(row, address, _list_macs(cluster, row, [port]))
        # a whole address is a loopback: no subnet of its own in which a server could answer
        if length == family.bits:
            loopbacks.setdefault(cls.fabric, []).append(holder)
        else:
            gateway = allocated.format_address(allocated.management_gateway.at(row))
            yield Subnet(find_network(address, length), "", gateway, [holder])
    for fabric, holders in loopbacks.items():
        yield Subnet(_find_enclosing_prefix(allocated, [holder.address for holder in holders]), fabric, "", holders)


def _find_enclosing_prefix(allocated: FamilyAddresses, addresses: Iterable[int]) -> Network:
    """Return the smallest prefix that contains all of the addresses."""
    ordered = sorted(addresses)
    # the host part begins at the highest bit in which the lowest and the highest address differ
    return allocated.family.network(ordered[0], allocated.family.bits - (ordered[0] ^ ordered[-1]).bit_length())


def _list_macs(cluster: Cluster, device: int, ports: Iterable[str]) -> tuple[str, ...]:
    """Return the MACs of some ports of a device; for a switch whose ports the inventory does not list, its base MAC."""
    mac_by_port, name = cluster.design.loaded.macs, cluster.names[device]
    port_macs = tuple(mac_by_port[name, port] for port in ports if (name, port) in mac_by_port)
    return port_macs or tuple(mac_by_port[key] for key in [(name, "")] if key in mac_by_port)
