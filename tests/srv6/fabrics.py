"""Builds of SRv6 fabrics, and the paths in them: joined of the tables as docs/srv6.md says, by nothing of fabricgen."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv6Address, IPv6Network
from pathlib import Path
from tempfile import TemporaryDirectory

from fabricgen.cluster import Cluster
from fabricgen.export.table import ExportContext, load_part
from fabricgen.pipeline import compile_cluster, compile_design
from fabricgen.render.engine import render_configs

FOUR_PLANES = """
fabricgen: 1
name: four-planes
scalable_unit: {nodes: 1 x dgx-b300-8p}
pods: {p1: {su: 4}}
fabrics:
  compute:
    protocol: roce
    planes: 4
    ip: v6
    oversubscription: "2:1"
    tiers:
      leaf: {switch: sn5640, per: [su, plane], uplinks: 4 x 200G}
      spine: {switch: sn5640, per: plane, count: 4}
    routing: {underlay: srv6}
    qos: {profile: best-effort}
nos: sonic
lint: {waive: [{rule: FG603, at: fabrics/compute, why: links are dealt out by a shuffle}]}
"""
"""Sixteen leaves and sixteen spines in four planes; a leaf has one link to each spine of its plane."""

PARALLEL = (
    "fabrics.compute.tiers.leaf={switch: sn5640, per: [su, plane], uplinks: 8 x 200G}",
    "fabrics.compute.oversubscription='1:1'",
)
LINKS = ("fabrics.compute.routing.srv6.links=true",)
THREE_TIERS = (
    "fabrics.compute.tiers.leaf={switch: sn5640, per: [su, plane], uplinks: 2 x 200G}",
    "fabrics.compute.tiers.spine={switch: sn5640, per: [pod, plane], count: 2, uplinks: 2 x 200G}",
    "fabrics.compute.tiers.core={switch: sn5640, per: [spine, plane], count: 2}",
    "fabrics.compute.oversubscription='8:1'",
    "pods={p1: {su: 2}, p2: {su: 2}}",
)
CASES = {"uN": (), "uA": LINKS, "uA, parallel links": (*PARALLEL, *LINKS), "three tiers": THREE_TIERS}


@cache
def compile_page(text: str, *sets: str) -> Cluster:
    with TemporaryDirectory() as folder:
        page = Path(folder, "page.yaml")
        page.write_text(text)
        return compile_cluster(compile_design(str(page), sets))


@cache
def build(text: str, *sets: str) -> dict[str, str]:
    """The lists, paths and configurations of a blueprint, by their paths."""
    cluster = compile_page(text, *sets)
    parts = {
        path: b"".join([content] if isinstance(content, bytes) else content).decode()
        for name in ("links", "paths")
        for path, content in load_part(name).files(cluster, ExportContext())
    }
    return parts | {path: content.decode() for path, content in render_configs(cluster)}


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@dataclass(frozen=True)
class NicPort:
    node: str
    port: str
    plane: str
    leaf: str
    leaf_port: str
    identifier: str
    address: str
    rail: str
    ip: str


@dataclass(frozen=True)
class NamedPath:
    """A path as the tables name it: where a NIC sends it, and the ports that it leaves switches by."""

    number: int
    turn: str
    address: str
    ports: tuple[tuple[str, tuple[str, ...]], ...]


def nic_ports(files: Mapping[str, str]) -> list[NicPort]:
    return [
        NicPort(path.removeprefix("paths/nodes/").removesuffix(".csv"), **row)
        for path, text in files.items()
        if path.startswith("paths/nodes/")
        for row in rows(text)
    ]


def encode(block: str, identifiers: list[str]) -> str:
    network = IPv6Network(block)
    bits = 128 - network.prefixlen - 16 * len(identifiers)
    assert bits >= 0, "the identifiers of a path fit into one address"
    return str(IPv6Address(int(network.network_address) | int("".join(identifiers), 16) << bits))


def paths_between(
    files: Mapping[str, str], a: NicPort, b: NicPort, block: str = "fcbb:bb00::/32"
) -> Iterator[NamedPath]:
    ups = rows(files[f"paths/up/{a.leaf}.csv"])
    downs = {up["turn"]: [d for d in _down(files, up["turn"]) if d["leaf"] == b.leaf] for up in ups}
    fewest = min(int(up["tiers"]) for up in ups if downs[up["turn"]])
    for up in ups:
        if int(up["tiers"]) == fewest and (there := downs[up["turn"]]):
            down = there[int(up["down"]) % len(there)]
            identifiers = [*up["identifiers"].split(), *down["identifiers"].split(), b.identifier]
            hops = [*up["ports"].split(), *down["ports"].split(), f"{b.leaf}:{b.leaf_port}"]
            named = tuple((hop.partition(":")[0], tuple(hop.partition(":")[2].split("|"))) for hop in hops)
            yield NamedPath(int(up["path"]), up["turn"], encode(block, identifiers), named)


def _down(files: Mapping[str, str], switch: str) -> list[dict[str, str]]:
    return _down_rows(files[f"paths/down/{switch}.csv"])


_down_rows = cache(rows)
