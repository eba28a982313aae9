"""A cluster as containers: the devices and links of a lab, the interfaces that stand for ports, what hosts run."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from ipaddress import ip_address, ip_interface
from typing import NamedTuple, TypeAlias

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.design.fabric_model import Attachment
from fabricgen.kernel.diagnostics import fault
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.tables import TRAY, DeviceClass, ManagementPort, ScaleUpPort, Segment

MOST_DEVICES = 20_000
"""The most devices of one topology; a machine starts far fewer."""

FIRST_TABLE = 1000
"""Routing tables of nodes are numbered from here, above those that Linux keeps (253 to 255)."""

PLAIN = re.compile(r"(?!eth0$|lo$|\.)[A-Za-z0-9_.-]{1,15}")
"""Names that Linux accepts for an interface, and that containerlab does not use itself."""

End: TypeAlias = tuple[str, str]
"""A device and its port."""


class ContainerPort(NamedTuple):
    """A port with a link, and the name of the interface that stands for it."""

    name: str
    interface: str


def check_device_count(cluster: Cluster) -> None:
    """Raise InputError (FG156) for a cluster with more devices than a topology is written for."""
    devices = len(cluster.plan.devices)
    if devices > MOST_DEVICES:
        raise cluster.design.loaded.locate_error(
            fault(
                "FG156",
                f"a containerlab topology has at most {MOST_DEVICES:,} devices, and this cluster has {devices:,}",
                path=("pods",),
                hint="a few units of it: `--lab 2su`, or less: `--lab 2su,4n,4spine`",
            )
        )


class Containers:
    """The part of a cluster that is in a lab of containers: its links as pairs of ends (device, port), its devices with
    their classes, and the interfaces that stand for their ports.

    `interfaces` is called with the class of a device and its ports in use, and returns their interfaces. `inside` is
    called with both ends of a link, and says whether the lab has it. Without `inside`, the lab has all links and
    devices; with it, devices at none of its links are left out. Management and scale-up links are never in a lab.
    """

    def __init__(
        self,
        cluster: Cluster,
        interfaces: Callable[[DeviceClass, Sequence[str]], Sequence[ContainerPort]],
        inside: Callable[[End, End], bool] | None = None,
    ) -> None:
        self._cluster = cluster
        links, devices, names = cluster.plan.links, cluster.plan.devices, cluster.names
        is_data = np.array([_is_data(segment) for segment in links.segments], dtype=np.bool_)
        rows: Ints64 = np.flatnonzero(is_data[links.segment]) if len(links) else np.zeros(0, dtype=np.int64)
        a_port, b_port = (column.take(rows) for column in cluster.port_names.port_columns)
        columns = links.a_device[rows].tolist(), a_port, links.b_device[rows].tolist(), b_port
        link_ends = [((names[a], str(p)), (names[b], str(q))) for a, p, b, q in zip(*columns, strict=True)]
        # `inside` cuts the cluster to the links of a lab
        chosen = [i for i, link in enumerate(link_ends) if inside is None or inside(*link)]
        self._rows = rows[chosen]
        self.links = tuple(link_ends[i] for i in chosen)
        used_ports = defaultdict[str, list[str]](list)
        for device, port in (end for link in self.links for end in link):
            used_ports[device].append(port)
        self.devices = tuple(
            (names[row], cls)
            for cls in devices.classes
            if cls.kind != TRAY
            for row in range(cls.first, cls.first + cls.count)
            if inside is None or names[row] in used_ports
        )
        self.ports = {
            device: interfaces(cls, used_ports[device]) for device, cls in self.devices if device in used_ports
        }
        self.interface = {
            (device, port.name): port.interface for device, device_ports in self.ports.items() for port in device_ports
        }

    def format_endpoints(self) -> Iterator[list[str]]:
        """Yield the ends of each link as containerlab writes them."""
        return ([f"{end[0]}:{self.interface[end]}" for end in link] for link in self.links)

    def format_port_list(self) -> str:
        """Return a CSV table of the interface that stands for each port."""
        rows = (f"{device},{port.name},{port.interface}\n" for device, ports in self.ports.items() for port in ports)
        return "device,port,interface\n" + "".join(rows)

    def list_host_commands(self, has_addresses: Callable[[End], bool]) -> Mapping[str, list[str]]:
        """Return, by device, the commands of `ip` that give its ports at lower ends of links their addresses.

        Ends for which `has_addresses` is false get none. If an address has a gateway in its subnet, it gets a routing
        table of its own, as in the part `hosts`; a bond is its first port.
        """
        commands = defaultdict[str, list[str]](list)
        links = self._cluster.plan.links
        for family in self._cluster.addresses.families:
            columns = links.segment[self._rows], links.b_device[self._rows], family.length[self._rows]
            texts = family.a[self._rows].texts(), family.b[self._rows].texts()
            for (end, _), address, peer, segment, switch, length in zip(
                self.links, *texts, *(column.tolist() for column in columns), strict=True
            ):
                if not address or not has_addresses(end):
                    continue
                device_commands, interface_address = commands[end[0]], ip_interface(f"{address}/{length}")
                device_commands.append(f"ip address add {interface_address} dev {self.interface[end]}")
                numbers = family.list_gateways(links.segments[segment].fabric, switch)
                gateways = [peer] if peer else [family.format_address(number) for number in numbers]
                via = next((gateway for gateway in gateways if ip_address(gateway) in interface_address.network), "")
                if via:
                    # the number of commands so far, which grows with each address, makes the table the port's own
                    table, ip = FIRST_TABLE + len(device_commands), "ip -6" if interface_address.version == 6 else "ip"
                    device_commands.append(f"{ip} rule add from {address} table {table}")
                    device_commands.append(f"{ip} route add default via {via} dev {self.interface[end]} table {table}")
        return commands


def sort_ports(names: Sequence[str]) -> list[str]:
    """Return ports in the order of the numbers in their names."""
    return sorted(names, key=lambda name: ([int(number) for number in re.findall("[0-9]+", name)], name))


def name_linux_ports(names: Sequence[str]) -> list[ContainerPort]:
    """Return the interfaces of a Linux container: named as its ports if Linux accepts all these names, else
    eth1, eth2.
    """
    ordered = sort_ports(names)
    are_plain = all(map(PLAIN.fullmatch, ordered))
    return [ContainerPort(name, name if are_plain else f"eth{i}") for i, name in enumerate(ordered, 1)]


def _is_data(segment: Segment) -> bool:
    """Whether the links of a segment are in a lab.

    Links of BMCs and management ports are not, because containerlab has a network for them, nor are links of scale-up
    fabrics.
    """
    return not segment.backplane and not any(
        isinstance(end, ManagementPort | ScaleUpPort) or (isinstance(end, Attachment) and end.role == "bmc")
        for end in (segment.a, segment.b)
    )
