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
from collections.abc import Iterator, Sequence
from functools import partial
from json import dumps

from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import Cluster
from fabricgen.export.containers import ContainerPort, Containers, check_device_count, name_linux_ports, sort_ports
from fabricgen.export.table import ExportContext, File
from fabricgen.kernel.templates import load_templates
from fabricgen.phases.summary import describe_left_out
from fabricgen.wiring.tables import SWITCH, TRAY, DeviceClass

_HWSKU = "/usr/share/sonic/device/x86_64-kvm_x86_64-r0/Force10-S6000"


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:
    """Yield the topology, the port files of its switches, ports.csv and README.md.

    Raises InputError: FG156 if there are more than 20,000 devices, FG026 if a SONiC switch has no port table.
    """
    check_device_count(cluster)
    name = cluster.design.loaded.blueprint.name
    lab = Containers(cluster, partial(_name_interfaces, cluster.design.catalog))
    yield f"containerlab/{name}.clab.yaml", _render_topology(name, lab, cluster.design.catalog).encode()
    yield from _write_port_files(cluster, lab, context)
    yield "containerlab/ports.csv", lab.format_port_list().encode()
    yield "containerlab/README.md", _render_readme(cluster, lab).encode()


def find_kind(cls: DeviceClass, catalog: Catalog) -> str:
    """Return containerlab's kind for the devices of a class."""
    return catalog.naming(cls.nos).systems.containerlab if cls.kind == SWITCH else "linux"


def _render_topology(name: str, lab: Containers, catalog: Catalog) -> str:
    """Return the topology file; its texts are JSON, which is YAML."""
    return (
        load_templates()
        .get_template("containerlab/topology.yaml.j2")
        .render(
            name=dumps(name),
            kinds=sorted({find_kind(cls, catalog) for _, cls in lab.devices}),
            hwsku=_HWSKU,
            nodes=[f"    {dumps(device)}: {dumps(settings)}" for device, settings in _list_nodes(lab, catalog)],
            links=[f"    - endpoints: {dumps(ends)}" for ends in lab.format_endpoints()],
        )
    )


def _list_nodes(lab: Containers, catalog: Catalog) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield each device with its kind and labels; Linux containers also with the commands that set addresses and
    routes.
    """
    kinds = {device: find_kind(cls, catalog) for device, cls in lab.devices}
    commands = lab.list_host_commands(lambda end: kinds[end[0]] == "linux")
    for device, cls in lab.devices:
        labels = {"fabric": cls.fabric, "tier": cls.tier}
        settings: dict[str, object] = {"kind": kinds[device], "labels": {k: text for k, text in labels.items() if text}}
        if device in commands:
            settings["exec"] = commands[device]
        yield device, settings


def _write_port_files(cluster: Cluster, lab: Containers, context: ExportContext) -> Iterator[File]:
    """Yield the files from which sonic-vs and cEOS read the port of each interface."""
    classes, catalog = cluster.plan.devices.classes, cluster.design.catalog
    virtual = [cls for cls in classes if find_kind(cls, catalog) == "sonic-vs"]
    lanes = context.lanes([row for cls in virtual for row in range(cls.first, cls.first + cls.count)])
    for device, cls in lab.devices:
        ports = lab.ports.get(device)
        if ports and find_kind(cls, catalog) == "arista_ceos":
            mapping = {
                "ManagementIntf": {"eth0": catalog.naming(cls.nos).find_management_port(cls.profile)},
                "EthernetIntf": {port.interface: port.name for port in ports},
            }
            yield f"containerlab/{device}/EosIntfMapping.json", (dumps(mapping, indent=2) + "\n").encode()
        elif ports and find_kind(cls, catalog) == "sonic-vs":
            port_lanes = [(port, *lanes[device, port.name]) for port in ports]
            lane_map = "".join(f"{port.interface}:{port_lane}\n" for port, port_lane, _ in port_lanes)
            table = "".join(
                f"{port.name} {port_lane} {alias} {i}\n" for i, (port, port_lane, alias) in enumerate(port_lanes)
            )
            yield f"containerlab/{device}/lanemap.ini", lane_map.encode()
            yield f"containerlab/{device}/port_config.ini", f"# name lanes alias index\n{table}".encode()


def _render_readme(cluster: Cluster, lab: Containers) -> str:
    """Return README.md: how the lab differs from the cluster, with numbers."""
    kinds = [find_kind(cls, cluster.design.catalog) for _, cls in lab.devices]
    unsupported = [
        cls for kind, (_, cls) in zip(kinds, lab.devices, strict=True) if cls.kind == SWITCH and kind == "linux"
    ]
    renamed = [
        device
        for kind, (device, _) in zip(kinds, lab.devices, strict=True)
        if kind == "nvidia_cumulusvx" and any(port.name != port.interface for port in lab.ports.get(device, ()))
    ]
    return (
        load_templates()
        .get_template("containerlab/README.md.j2")
        .render(
            name=cluster.design.loaded.blueprint.name,
            count={kind: kinds.count(kind) for kind in sorted(set(kinds))},
            links=f"{len(lab.links):,}",
            left_out=f"{len(cluster.plan.links) - len(lab.links):,}",
            trays=sum(cls.count for cls in cluster.plan.devices.classes if cls.kind == TRAY),
            others=len(unsupported),
            systems=", ".join(sorted({cls.nos for cls in unsupported})),
            renamed=len(renamed),
            differs=describe_left_out(cluster),
        )
    )


def _name_interfaces(catalog: Catalog, cls: DeviceClass, names: Sequence[str]) -> list[ContainerPort]:
    """Return the interfaces of the ports of a device, in the order of the ports' numbers."""
    ordered, kind = sort_ports(names), find_kind(cls, catalog)
    if kind == "linux":
        return name_linux_ports(names)
    if kind == "nvidia_cumulusvx":
        if all(re.fullmatch("swp[1-9][0-9]*", name) for name in ordered):
            return [ContainerPort(name, name) for name in ordered]
        return [ContainerPort(name, f"swp{i}") for i, name in enumerate(ordered, 1)]
    return [ContainerPort(name, f"eth{i}") for i, name in enumerate(ordered, 1)]
