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
    """The ports of nodes on a fabric: its name, NVIDIA's word for its planes, and rows of the view's links (int64)."""

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
    """Return the fabric of accelerators and the ports of nodes on it; raises InputError (FG177) if NVIDIA has
    no such.
    """
    links = view.links
    names = sorted({name for name in view.endpoints.fabric.tolist() if view.protocols.get(name) == "roce"})
    if len(names) != 1:
        found = f"the RoCE fabrics {' and '.join(names)}" if names else "no RoCE fabric"
        raise view.refuse(CODE, f"accelerators have ports on {found}, and rails are those of one")
    fabric, path = names[0], ("fabrics", names[0])
    rows = np.flatnonzero((links.fabric == fabric) & (view.devices.kind == "node")[links.a])
    planes, has_address = int(links.plane[rows].max()), links.a_ip[rows] != ""
    if not all(has_address | (links.plane[rows] > 1)):
        raise view.refuse(CODE, f"ports of {fabric} have no addresses, which pools are made of", path)
    if planes not in PLANES:
        raise view.refuse(CODE, f"{fabric} has {planes} planes, and NVIDIA's NICs are set up for 1, 2 or 4", path)
    known = PLANE_NICS if planes > 1 else NICS
    others = sorted({nic or "not known" for nic in links.a_nic[rows].tolist() if not nic.startswith(known)})
    if others:
        of_planes = "one plane" if planes == 1 else f"{planes} planes"
        raise view.refuse(
            CODE, f"NICs of {fabric}, of {of_planes}, are {', '.join(others)}, not {', '.join(known)}", path
        )
    return RailPorts(fabric, "none" if planes == 1 else "swplb" if all(has_address) else "hwplb", rows)


def _list_interfaces(view: ClusterView, ports: RailPorts) -> dict[tuple[int, int], str]:
    """Return the name that all nodes have for the port of each (rail, plane), from 1.

    Raises InputError (FG177) if nodes differ.
    """
    links, rows = view.links, ports.rows
    keys = list(zip(links.rail[rows].tolist(), links.plane[rows].tolist(), strict=True))
    named: dict[tuple[int, int], str] = {}
    for key, interface in zip(keys, links.a_interface[rows].tolist(), strict=True):
        if named.setdefault(key, interface) != interface:
            message = f"rail {key[0]} of {ports.fabric} has ports {named[key]} and {interface} in plane {key[1]}"
            raise view.refuse(
                CODE,
                message,
                ("fabrics", ports.fabric),
                "a rail has one port in each plane, called alike on all nodes (`names.interfaces`)",
            )
    return dict(sorted(named.items()))


def _write_rails(ports: RailPorts, interfaces: Mapping[tuple[int, int], str]) -> Iterator[str]:
    """Yield the pools of rails as YAML; with `swplb` there is one for each plane."""
    yield "apiVersion: spectrumx.nvidia.com/v1alpha2\nkind: SpectrumXRailPoolConfig\n"
    yield "metadata:\n  name: rails\n  namespace: nvidia-network-operator\n"
    yield "spec:\n  draEnabled: false\n  networkNamespace: default\n  numVfs: 1\n  railTopology:\n"
    by_rail: dict[tuple[str, str], list[str]] = {}
    for (rail, plane), interface in interfaces.items():
        own, pool = (f"p{plane - 1}", f"p{plane}") if ports.mode == "swplb" else ("", "")
        name = f"rail{rail - 1}{own}", f"{ports.fabric}-r{rail}{pool}".replace("_", "-")
        by_rail.setdefault(name, []).append(interface)
    for (rail_name, pool_name), names in by_rail.items():
        yield f"    - name: {rail_name}\n      nicSelector: {{pfNames: {dumps(names)}}}\n"
        yield f"      cidrPoolRef: {pool_name}\n      mtu: {MTU}\n"


def _count_tiers(view: ClusterView, ports: RailPorts) -> int:
    """Return the number of tiers of the fabric whose leaves the ports are on."""
    devices = view.devices
    owner = devices.fabric[view.links.b[ports.rows[0]]]
    return len({*devices.tier[(devices.fabric == owner) & (devices.kind == "switch")].tolist()})


def _number_units(view: ClusterView, ports: RailPorts, *, in_one_pod: bool) -> Units:
    """Return the units that have nodes on the ports; with `in_one_pod` they are all in one pod and counted through."""
    nodes = np.unique(view.links.a[ports.rows])
    keys = dict.fromkeys(zip(view.devices.pod[nodes].tolist(), view.devices.su[nodes].tolist(), strict=True))
    pods = {pod: number for number, pod in enumerate(dict.fromkeys(pod for pod, _ in keys))}
    return {(pod, su): (0, n) if in_one_pod else (pods[pod], su - 1) for n, (pod, su) in enumerate(keys)}


def _find_lacking(view: ClusterView, ports: RailPorts, tiers: int, units: Units) -> str:
    """Return what k8s-launch-kit has no numbers for; "" if nothing."""
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
    most = dict.fromkeys(NUMBERS, 256) if ":" in links.a_ip[ports.rows[0]] else NUMBERS
    beyond = [f"{counts[name]} {name}, and k8s-launch-kit numbers {most[name]}" for name in most]
    return next((text for text, name in zip(beyond, most, strict=True) if counts[name] > most[name]), "")


def _write_topology(view: ClusterView, ports: RailPorts, units: Units) -> str:
    """Return the leaves and nodes, and each link of a node: first the end at the leaf, then that at the node."""
    links, devices, rails = view.links, view.devices, defaultdict[int, set[int]](set)
    columns = (links.b, links.a, links.rail, links.plane)
    rows = list(zip(ports.rows.tolist(), *(column[ports.rows].tolist() for column in columns), strict=True))
    for _, leaf, _, rail, _ in rows:
        rails[leaf].add(rail - 1)
    hosts = dict.fromkeys(node for _, _, node, _, _ in rows)
    places = {device: units.get((devices.pod[device], devices.su[device])) for device in (*rails, *hosts)}
    # leaves of several units have none
    at = {device: {"pod": place[0], "su": place[1]} if place else {} for device, place in places.items()}
    ends = [
        (
            {"node": devices.name[leaf], "interface": links.b_port[row], "attributes": of_leaf},
            {"node": devices.name[node], "interface": links.a_interface[row], "attributes": of_node},
        )
        for row, leaf, node, rail, plane in rows
        for of_leaf in [{"role": "leaf", "plane": plane - 1, **at[leaf], "rail_group": sorted(rails[leaf])}]
        for of_node in [{"role": "host", "rail": rail - 1, **at[node]}]
    ]
    nodes = [{"name": devices.name[leaf], "role": "leaf", "type": devices.nos[leaf]} for leaf in sorted(rails)]
    nodes += [{"name": devices.name[host], "role": "host", "type": "default"} for host in hosts]
    node_lines, link_lines = (",\n".join(f"    {dumps(item)}" for item in items) for items in (nodes, ends))
    return f'{{\n  "nodes": [\n{node_lines}\n  ],\n  "links": [\n{link_lines}\n  ]\n}}\n'
