"""containerlab/: the cluster as a lab of containers and virtual switches, with the build's configurations; on request.

Sources: github.com/srl-labs/containerlab@39ff2b7c: schemas/clab.schema.json; docs/manual/nodes.md (binds,
startup-config, stages) and topo-def-file.md (environment variables, names of interfaces: at most 15 characters, no
"/"); core/config.go (__clabNodeName__); docs/manual/kinds/{sonic-vs,ceos,nvidia_cumulusvx,linux}.md and
nodes/{sonic,ceos,nvidia_cumulusvx} (names of interfaces, EosIntfMapping.json, what runs when). For ports of sonic-vs
sonic-net/sonic-buildimage@2950eaca, platform/vs/docker-sonic-vs/start.sh and Dockerfile.j2: they are those of
lanemap.ini and port_config.ini of the HwSKU, whose originals are read if they are there.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from ipaddress import ip_address, ip_interface
from json import dumps
from typing import NamedTuple

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.design.fabric_model import Attachment
from fabricgen.export.table import ExportContext, File
from fabricgen.kernel.diagnostics import fault
from fabricgen.kernel.templates import built_in_templates
from fabricgen.phases.left_out import left_out
from fabricgen.wiring.links.scale_up_ports import ScaleUpPort
from fabricgen.wiring.tables import SWITCH, TRAY, DeviceClass, Ints64, ManagementPort, Segment

ON_REQUEST = True

MOST_DEVICES = 20_000
"""Devices of one topology; a machine starts far fewer."""

KINDS = {"sonic": "sonic-vs", "eos": "arista_ceos", "cumulus": "nvidia_cumulusvx"}
"""containerlab's kind by NOS; whatever else there is is a Linux container."""

_PLAIN = re.compile(r"(?!eth0$|lo$|\.)[A-Za-z0-9_.-]{1,15}")
"""What Linux takes as the name of an interface, and containerlab does not use itself."""

FIRST_TABLE = 1000
"""Routing tables of nodes are numbered from here, above those that Linux keeps (253 to 255)."""

_HWSKU = "/usr/share/sonic/device/x86_64-kvm_x86_64-r0/Force10-S6000"


class Port(NamedTuple):
    """A port with a link, and the name of the interface that stands for it."""

    name: str
    interface: str


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:
    """Yield the topology, what its switches are told of their ports, ports.csv and README.md.

    Raises InputError: FG156 where there are more than 20,000 devices, FG026 where a SONiC switch has no port table.
    """
    devices, name = cluster.plan.devices, cluster.design.loaded.blueprint.name
    if len(devices) > MOST_DEVICES:
        error = fault(
            "FG156",
            f"a containerlab topology has at most {MOST_DEVICES:,} devices, and this cluster has {len(devices):,}",
            path=("pods",),
            hint="a few units of it: `--lab 2su`, or less: `--lab 2su,4n,4spine`",
        )
        raise cluster.design.loaded.located(error)
    lab = _Lab(cluster)
    yield f"containerlab/{name}.clab.yaml", lab.topology().encode()
    yield from lab.port_files(context)
    rows = (f"{device},{p.name},{p.interface}\n" for device, ports in lab.ports.items() for p in ports)
    yield "containerlab/ports.csv", ("device,port,interface\n" + "".join(rows)).encode()
    yield "containerlab/README.md", lab.readme().encode()


class _Lab:
    """What is in the lab, and under which names."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        links, devices = cluster.plan.links, cluster.plan.devices
        inside = np.array([_is_inside(segment) for segment in links.segments], dtype=np.bool_)
        kept = inside[links.segment] if len(links) else np.zeros(0, dtype=np.bool_)
        self._rows: Ints64 = np.flatnonzero(kept)
        self._left_out = len(links) - len(self._rows)
        self._classes = [cls for cls in devices.classes if cls.kind != TRAY and cls.count]
        names = cluster.names
        a_port, b_port = (column.take(self._rows) for column in cluster.port_names.port_columns)
        ends = zip(
            links.a_device[self._rows].tolist(), a_port, links.b_device[self._rows].tolist(), b_port, strict=True
        )
        self._ends = [((names[a], str(p)), (names[b], str(q))) for a, p, b, q in ends]
        used = defaultdict[str, list[str]](list)
        for device, port in (end for both in self._ends for end in both):
            used[device].append(port)
        self._kind = {names[row]: kind_of(cls) for cls in self._classes for row in _rows(cls)}
        self.ports = {device: _named(kind, used[device]) for device, kind in self._kind.items() if used.get(device)}

    def topology(self) -> str:
        """The topology file; its texts are JSON, which is YAML."""
        interface = {(device, port.name): port.interface for device, ports in self.ports.items() for port in ports}
        links = [f"{a}:{interface[a, p]}, {b}:{interface[b, q]}".split(", ") for (a, p), (b, q) in self._ends]
        template = built_in_templates().get_template("containerlab/topology.yaml.j2")
        nodes = [f"    {dumps(device)}: {dumps(told)}" for device, told in self._nodes()]
        return template.render(
            name=dumps(self._cluster.design.loaded.blueprint.name),
            kinds=sorted(set(self._kind.values())),
            hwsku=_HWSKU,
            nodes=nodes,
            links=[f"    - endpoints: {dumps(both)}" for both in links],
        )

    def _nodes(self) -> Iterator[tuple[str, dict[str, object]]]:
        """Each device: its kind, a label or two, and of Linux containers what they run to have addresses and routes."""
        commands = self._commands()
        for cls in self._classes:
            for row in _rows(cls):
                device = self._cluster.names[row]
                kind = self._kind[device]
                known = {"fabric": cls.fabric, "tier": cls.tier}
                told: dict[str, object] = {"kind": kind, "labels": {k: text for k, text in known.items() if text}}
                if device in commands:
                    told["exec"] = commands[device]
                yield device, told

    def _commands(self) -> dict[str, list[str]]:
        """By Linux container: the commands that give the lower ends of links their addresses, and each of these a
        routing table of its own, as `hosts` does; a bond is its first port.
        """
        interface = {(device, port.name): port.interface for device, ports in self.ports.items() for port in ports}
        found = defaultdict[str, list[str]](list)
        links = self._cluster.plan.links
        for family in self._cluster.addresses.families:
            columns = links.segment[self._rows], links.b_device[self._rows], family.length[self._rows]
            texts = family.a[self._rows].texts(), family.b[self._rows].texts()
            for (end, _), address, peer, segment, switch, length in zip(
                self._ends, *texts, *(column.tolist() for column in columns), strict=True
            ):
                if not address or self._kind[end[0]] != "linux":
                    continue
                mine, on = found[end[0]], ip_interface(f"{address}/{length}")
                mine.append(f"ip address add {on} dev {interface[end]}")
                numbers = family.gateways(links.segments[segment].fabric, switch)
                offered = [peer] if peer else [family.text(number) for number in numbers]
                via = next((gateway for gateway in offered if ip_address(gateway) in on.network), "")
                if via:
                    table, ip = FIRST_TABLE + len(mine), "ip -6" if on.version == 6 else "ip"
                    mine.append(f"{ip} rule add from {address} table {table}")
                    mine.append(f"{ip} route add default via {via} dev {interface[end]} table {table}")
        return found

    def port_files(self, context: ExportContext) -> Iterator[File]:
        """What sonic-vs and cEOS read of their ports: which interface is which."""
        rows = [r for cls in self._classes if cls.kind == SWITCH and cls.nos == "sonic" for r in _rows(cls)]
        lanes, catalog = context.lanes(rows), self._cluster.design.catalog
        management = {
            self._cluster.names[row]: catalog.naming("eos").management_of(cls.profile)
            for cls in self._classes
            if cls.kind == SWITCH and cls.nos == "eos"
            for row in _rows(cls)
        }
        for device, ports in self.ports.items():
            kind = self._kind[device]
            if kind == "arista_ceos":
                mapping = {
                    "ManagementIntf": {"eth0": management[device]},
                    "EthernetIntf": {port.interface: port.name for port in ports},
                }
                yield f"containerlab/{device}/EosIntfMapping.json", (dumps(mapping, indent=2) + "\n").encode()
            elif kind == "sonic-vs":
                told = [(port, *lanes[device, port.name]) for port in ports]
                lane_map = "".join(f"{port.interface}:{of}\n" for port, of, _ in told)
                table = "".join(f"{port.name} {of} {alias} {i}\n" for i, (port, of, alias) in enumerate(told))
                yield f"containerlab/{device}/lanemap.ini", lane_map.encode()
                yield f"containerlab/{device}/port_config.ini", f"# name lanes alias index\n{table}".encode()

    def readme(self) -> str:
        """What differs from the cluster, with numbers."""
        kinds = list(self._kind.values())
        others = [cls for cls in self._classes if cls.kind == SWITCH and kind_of(cls) == "linux"]
        renamed = [
            device
            for device, ports in self.ports.items()
            if self._kind[device] == "nvidia_cumulusvx" and any(port.name != port.interface for port in ports)
        ]
        return (
            built_in_templates()
            .get_template("containerlab/README.md.j2")
            .render(
                name=self._cluster.design.loaded.blueprint.name,
                count={kind: kinds.count(kind) for kind in sorted(set(kinds))},
                links=len(self._ends),
                left_out=self._left_out,
                trays=sum(cls.count for cls in self._cluster.plan.devices.classes if cls.kind == TRAY),
                others=sum(cls.count for cls in others),
                systems=", ".join(sorted({cls.nos for cls in others})),
                renamed=len(renamed),
                differs=left_out(self._cluster),
            )
        )


def kind_of(cls: DeviceClass) -> str:
    """containerlab's kind of the devices of a class."""
    return KINDS.get(cls.nos, "linux") if cls.kind == SWITCH else "linux"


def _rows(cls: DeviceClass) -> range:
    return range(cls.first, cls.first + cls.count)


def _is_inside(segment: Segment) -> bool:
    """Whether links are there in a lab: none of BMCs and management ports, which containerlab has a network for, and
    none of scale-up fabrics.
    """
    for side in (segment.a, segment.b):
        if isinstance(side, ManagementPort | ScaleUpPort) or (isinstance(side, Attachment) and side.role == "bmc"):
            return False
    return not segment.backplane


def _named(kind: str, names: list[str]) -> list[Port]:
    """The interfaces of the ports of a device, in the order of the ports' numbers."""
    ordered = sorted(names, key=lambda name: ([int(number) for number in re.findall("[0-9]+", name)], name))
    if kind == "linux" and all(map(_PLAIN.fullmatch, ordered)):
        return [Port(name, name) for name in ordered]
    if kind == "nvidia_cumulusvx":
        if all(re.fullmatch("swp[1-9][0-9]*", name) for name in ordered):
            return [Port(name, name) for name in ordered]
        return [Port(name, f"swp{i}") for i, name in enumerate(ordered, 1)]
    return [Port(name, f"eth{i}") for i, name in enumerate(ordered, 1)]
