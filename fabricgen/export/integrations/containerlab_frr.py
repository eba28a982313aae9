"""containerlab-frr/: the cluster as a lab of FRR on Linux, with what FRR runs of its configurations; on request.

Sources: github.com/srl-labs/containerlab@39ff2b7c: docs/manual/nodes.md (binds, exec, sysctls) and topo-def-file.md
(groups, __clabNodeName__); of a later version docs/manual/kinds/frr.md, "FRR via the linux kind" (frr.conf, daemons and
vtysh.conf are bound, and vtysh does not start without them). github.com/FRRouting/frr@fbfc8222: docker/alpine (what
starts in the image), alpine/APKBUILD.in (iproute2 is there), tools/etc/frr/daemons; issue 12772 (images: quay.io).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from json import dumps

from fabricgen.cluster import Cluster
from fabricgen.export.containers import ContainerPort, Containers, check_device_count, name_linux_ports, sort_ports
from fabricgen.export.table import ExportContext, File, FrrLab
from fabricgen.kernel.templates import load_templates
from fabricgen.phases.summary import describe_left_out
from fabricgen.wiring.tables import SWITCH, DeviceClass


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:
    """Yield the topology, the files that FRR reads on each switch, ports.csv and README.md.

    Raises InputError: FG156 if there are more than 20,000 devices, and for configurations that `build` cannot write.
    """
    check_device_count(cluster)
    frr, name = context.frr(), cluster.design.loaded.blueprint.name
    ends = frozenset(frr.ends)
    lab = Containers(cluster, _name_interfaces, lambda a, b: a in ends and b in ends)
    yield f"containerlab-frr/{name}.clab.yaml", _render_topology(name, lab, frr).encode()
    for file in ("daemons", "vtysh.conf"):
        text = load_templates().get_template(f"containerlab/frr/{file}.j2").render()
        yield f"containerlab-frr/{file}", text.encode()
    for device, text in frr.conf.items():
        yield f"containerlab-frr/{device}/frr.conf", text.encode()
    yield "containerlab-frr/ports.csv", lab.format_port_list().encode()
    yield "containerlab-frr/README.md", _render_readme(cluster, name, lab, frr).encode()


def _render_topology(name: str, lab: Containers, frr: FrrLab) -> str:
    """Return the topology file; its texts are JSON, which is YAML."""
    return (
        load_templates()
        .get_template("containerlab/frr/topology.yaml.j2")
        .render(
            name=dumps(f"{name}-frr"),
            nodes=[f"    {dumps(device)}: {dumps(settings)}" for device, settings in _list_nodes(lab, frr)],
            links=[f"    - endpoints: {dumps(ends)}" for ends in lab.format_endpoints()],
        )
    )


def _list_nodes(lab: Containers, frr: FrrLab) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield each device with its group and labels, and the commands that give it its addresses."""
    addressed = frozenset(frr.hosts)
    commands = {**lab.list_host_commands(lambda end: end in addressed), **frr.commands}
    for device, cls in lab.devices:
        labels = {"fabric": cls.fabric, "tier": cls.tier}
        group = "switches" if device in frr.conf else "hosts"
        settings: dict[str, object] = {"group": group, "labels": {k: text for k, text in labels.items() if text}}
        if commands.get(device):
            settings["exec"] = [line if line.startswith("ip ") else f"ip {line}" for line in commands[device]]
        yield device, settings


def _name_interfaces(cls: DeviceClass, names: Sequence[str]) -> list[ContainerPort]:
    """Return the interfaces of a device; those of switches are named as in frr.conf."""
    return (
        [ContainerPort(name, name.replace("/", "_")) for name in sort_ports(names)]
        if cls.kind == SWITCH
        else name_linux_ports(names)
    )


def _render_readme(cluster: Cluster, name: str, lab: Containers, frr: FrrLab) -> str:
    """Return README.md: how the lab differs from the cluster, with numbers."""
    return (
        load_templates()
        .get_template("containerlab/frr/README.md.j2")
        .render(
            name=name,
            switches=len(frr.conf),
            hosts=f"{len(lab.devices) - len(frr.conf):,}",
            links=f"{len(lab.links):,}",
            systems=", ".join(sorted({cls.nos for device, cls in lab.devices if device in frr.conf})),
            left_out=frr.left_out,
            differs=describe_left_out(cluster),
        )
    )
