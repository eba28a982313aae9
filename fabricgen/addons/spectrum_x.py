"""spectrum-x/: rails and planes of NVIDIA NICs for NVIDIA's operators, and for k8s-launch-kit; on request.

`rail-pools.yaml` is the SpectrumXRailPoolConfig (spectrumx.nvidia.com/v1alpha2): one entry for each rail, or for each
rail and plane if the ports of a NIC have addresses of their own (swplb), with the ports and the pool of
`kubernetes/pools.yaml`. `topology.json` has the links of nodes to leaves as k8s-launch-kit reads them
(`--topology-file`). Rails, planes, pods and units count from 0 in both.

Sources: github.com/Mellanox/spectrum-x-operator@246268d56b, config/crd/bases (the schema) and internal/controller (one
VF policy for the first port, hardware planes if there are several); Mellanox/nic-configuration-operator@8bfbeb34ba,
config/crd/bases (1, 2 or 4 planes; hwplb on ConnectX-8 and 9); NVIDIA/k8s-launch-kit@378fd361f1,
profiles/spectrum-x-ra2.4 (names; no DRA unless asked for), and pkg/spectrumx (what it reads of a topology, and how many
bits of an address each number has); Network Operator 26.10, documentation: RA3.1 for Vera Rubin reads the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from json import dumps
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.api import ClusterView

if TYPE_CHECKING:
    import numpy.typing as npt

CODE = "FG177"
PLANES = (1, 2, 4)
PLANE_NICS = ("cx8", "cx9")
NICS = (*PLANE_NICS, "cx7", "bf3")
"""Prefixes of profiles of NICs that are in reference architectures: with several planes, and with one."""

MTU = 9000
"""MTU of node ports in bytes, as in netplan's files."""

NUMBERS = {"rails": 8, "nodes in a unit": 128, "units": 64, "pods": 32}
"""The most of each for which k8s-launch-kit has IPv4 addresses; for IPv6 it has 256 of each."""


Units = Mapping[tuple[str, int], tuple[int, int]]
"""By name of a pod and number of a unit in it, the (pod, unit) as k8s-launch-kit counts them, from 0."""


class RailPorts(NamedTuple):
    """The ports of nodes on the fabric of accelerators.

    `fabric` is its name, `mode` NVIDIA's word for how its planes are made, and `rows` are the links of the ports as
    rows of the view's links (int64).
    """

    fabric: str
    mode: str
    rows: npt.NDArray[np.int64]


def files(view: ClusterView) -> Iterator[tuple[str, str]]:
    """Yield rail-pools.yaml, and topology.json if k8s-launch-kit has numbers for all of the cluster.

    Raises InputError (FG177) if the operators cannot describe the cluster.
    """
    ports = _find_ports(view)
    pools = "".join(_write_rails(ports, _list_interfaces(view, ports)))
    tiers = _count_tiers(view, ports)
    units = _number_units(view, ports, in_one_pod=tiers < 3)
    lacking = _find_lacking(view, ports, tiers, units)
    note = f"topology.json is left out: {lacking}" if lacking else f"topology.json is {max(tiers, 2)}-tier"
    head = f"# {view.name}: {ports.fabric}, {ports.mode}, pools of kubernetes/pools.yaml; {note}\n"
    yield "rail-pools.yaml", head + pools
    if not lacking:
        yield "topology.json", _write_topology(view, ports, units)


def _find_ports(view: ClusterView) -> RailPorts:
    """Return the fabric of accelerators, its mode of planes, and its links of nodes as rows.

    Raises InputError (FG177) unless accelerators have ports on exactly one RoCE fabric, whose ports have addresses (or
    share them over planes), whose planes are 1, 2 or 4, and whose NICs NVIDIA supports with as many planes.
    """
    links = view.links
    names = sorted({name for name in view.endpoints.fabric.tolist() if view.protocols.get(name) == "roce"})
    if len(names) != 1:
        fabrics_text = f"the RoCE fabrics {' and '.join(names)}" if names else "no RoCE fabric"
        raise view.refuse(CODE, f"accelerators have ports on {fabrics_text}, and rails are those of one")
    fabric, path = names[0], ("fabrics", names[0])
    rows = np.flatnonzero((links.fabric == fabric) & (view.devices.kind == "node")[links.a])
    planes, has_address = int(links.plane[rows].max()), links.a_ip[rows] != ""
    if not all(has_address | (links.plane[rows] > 1)):
        raise view.refuse(CODE, f"ports of {fabric} have no addresses, which pools are made of", path)
    if planes not in PLANES:
        raise view.refuse(CODE, f"{fabric} has {planes} planes, and NVIDIA's NICs are set up for 1, 2 or 4", path)
    supported_nics = PLANE_NICS if planes > 1 else NICS
    unsupported_nics = sorted(
        {nic or "not known" for nic in links.a_nic[rows].tolist() if not nic.startswith(supported_nics)}
    )
    if unsupported_nics:
        planes_text = "one plane" if planes == 1 else f"{planes} planes"
        raise view.refuse(
            CODE,
            f"NICs of {fabric}, of {planes_text}, are {', '.join(unsupported_nics)}, not {', '.join(supported_nics)}",
            path,
        )
    return RailPorts(fabric, "none" if planes == 1 else "swplb" if all(has_address) else "hwplb", rows)


def _list_interfaces(view: ClusterView, ports: RailPorts) -> dict[tuple[int, int], str]:
    """Return the name that all nodes have for the port of each (rail, plane), both from 1, in ascending order.

    Raises InputError (FG177) if nodes differ.
    """
    links, rows = view.links, ports.rows
    rails_and_planes = list(zip(links.rail[rows].tolist(), links.plane[rows].tolist(), strict=True))
    port_names: dict[tuple[int, int], str] = {}
    for (rail, plane), interface in zip(rails_and_planes, links.a_interface[rows].tolist(), strict=True):
        if port_names.setdefault((rail, plane), interface) != interface:
            message = (
                f"rail {rail} of {ports.fabric} has ports {port_names[rail, plane]} and {interface} in plane {plane}"
            )
            raise view.refuse(
                CODE,
                message,
                ("fabrics", ports.fabric),
                "a rail has one port in each plane, called alike on all nodes (`names.interfaces`)",
            )
    return dict(sorted(port_names.items()))


def _write_rails(ports: RailPorts, interfaces: Mapping[tuple[int, int], str]) -> Iterator[str]:
    """Yield the pools of rails as YAML; with `swplb` there is one for each plane."""
    yield "apiVersion: spectrumx.nvidia.com/v1alpha2\nkind: SpectrumXRailPoolConfig\n"
    yield "metadata:\n  name: rails\n  namespace: nvidia-network-operator\n"
    yield "spec:\n  draEnabled: false\n  networkNamespace: default\n  numVfs: 1\n  railTopology:\n"
    by_rail: dict[tuple[str, str], list[str]] = {}
    for (rail, plane), interface in interfaces.items():
        plane_suffix, pool_suffix = (f"p{plane - 1}", f"p{plane}") if ports.mode == "swplb" else ("", "")
        names_of_pool = f"rail{rail - 1}{plane_suffix}", f"{ports.fabric}-r{rail}{pool_suffix}".replace("_", "-")
        by_rail.setdefault(names_of_pool, []).append(interface)
    for (rail_name, pool_name), interface_names in by_rail.items():
        yield f"    - name: {rail_name}\n      nicSelector: {{pfNames: {dumps(interface_names)}}}\n"
        yield f"      cidrPoolRef: {pool_name}\n      mtu: {MTU}\n"


def _count_tiers(view: ClusterView, ports: RailPorts) -> int:
    """Return the number of tiers of the fabric whose leaves the ports are on."""
    devices = view.devices
    owner = devices.fabric[view.links.b[ports.rows[0]]]
    return len({*devices.tier[(devices.fabric == owner) & (devices.kind == "switch")].tolist()})


def _number_units(view: ClusterView, ports: RailPorts, *, in_one_pod: bool) -> Units:
    """Return the numbers by which k8s-launch-kit knows each unit with nodes on the ports.

    With `in_one_pod`, all units are numbered from 0 in pod 0; otherwise pods are numbered, and units within each pod.
    """
    nodes = np.unique(view.links.a[ports.rows])
    keys = dict.fromkeys(zip(view.devices.pod[nodes].tolist(), view.devices.su[nodes].tolist(), strict=True))
    pods = {pod: number for number, pod in enumerate(dict.fromkeys(pod for pod, _ in keys))}
    return {(pod, su): (0, n) if in_one_pod else (pods[pod], su - 1) for n, (pod, su) in enumerate(keys)}


def _find_lacking(view: ClusterView, ports: RailPorts, tiers: int, units: Units) -> str:
    """Return what k8s-launch-kit has no numbers for, as text: too many tiers, rails, nodes, units or pods; "" if
    nothing.
    """
    links, devices = view.links, view.devices
    if tiers > 3:
        return f"{tiers} tiers, and k8s-launch-kit knows 2 and 3"
    nodes = np.unique(links.a[ports.rows])
    pods, numbers = zip(*units.values(), strict=True)
    counts = {
        "rails": int(links.rail[ports.rows].max()),
        "nodes in a unit": max(Counter(zip(devices.pod[nodes], devices.su[nodes], strict=True)).values()),
        "units": max(numbers) + 1,
        "pods": max(pods) + 1,
    }
    limits = dict.fromkeys(NUMBERS, 256) if ":" in links.a_ip[ports.rows[0]] else NUMBERS
    excesses = [f"{counts[name]} {name}, and k8s-launch-kit numbers {limits[name]}" for name in limits]
    return next((text for text, name in zip(excesses, limits, strict=True) if counts[name] > limits[name]), "")


def _write_topology(view: ClusterView, ports: RailPorts, units: Units) -> str:
    """Return the text of topology.json: leaves and nodes, and each link of a node as the end at the leaf and that at
    the node.

    Rails and planes are from 0 in it, and pods and units as `units` numbers them.
    """
    links, devices, rails_of_leaf = view.links, view.devices, defaultdict[int, set[int]](set)
    columns = (links.b, links.a, links.rail, links.plane)
    rows = list(zip(ports.rows.tolist(), *(column[ports.rows].tolist() for column in columns), strict=True))
    for _, leaf, _, rail, _ in rows:
        rails_of_leaf[leaf].add(rail - 1)
    hosts = dict.fromkeys(node for _, _, node, _, _ in rows)
    unit_of_device = {
        device: units.get((devices.pod[device], devices.su[device])) for device in (*rails_of_leaf, *hosts)
    }
    # leaves of several units have no pod and unit
    unit_attributes = {
        device: {"pod": unit[0], "su": unit[1]} if unit else {} for device, unit in unit_of_device.items()
    }
    # the loops over lists of one give names to the attributes
    link_items = [
        (
            {"node": devices.name[leaf], "interface": links.b_port[row], "attributes": of_leaf},
            {"node": devices.name[node], "interface": links.a_interface[row], "attributes": of_node},
        )
        for row, leaf, node, rail, plane in rows
        for of_leaf in [
            {"role": "leaf", "plane": plane - 1, **unit_attributes[leaf], "rail_group": sorted(rails_of_leaf[leaf])}
        ]
        for of_node in [{"role": "host", "rail": rail - 1, **unit_attributes[node]}]
    ]
    nodes = [{"name": devices.name[leaf], "role": "leaf", "type": devices.nos[leaf]} for leaf in sorted(rails_of_leaf)]
    nodes += [{"name": devices.name[host], "role": "host", "type": "default"} for host in hosts]
    node_lines, link_lines = (",\n".join(f"    {dumps(item)}" for item in items) for items in (nodes, link_items))
    return f'{{\n  "nodes": [\n{node_lines}\n  ],\n  "links": [\n{link_lines}\n  ]\n}}\n'
