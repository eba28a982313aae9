"""NetBox's objects of AS numbers, VLANs, VRFs, prefixes and IP addresses."""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Iterator

import numpy as np

from fabricgen.addons.netbox_objects.kinds import Kind, Reference, make_slugs
from fabricgen.api import ClusterView

PRIVATE = ((64_512, 65_534), (4_200_000_000, 4_294_967_294))
"""AS numbers for private use (RFC 6996)."""

SHARED = ("status", "description")
"""Columns that are written only once, of objects that several clusters may share."""

ROLES = {"loopback": "loopback", "vrf-loopback": "loopback", "gateway": "anycast"}
"""NetBox's role of addresses of some kinds."""


VRF: dict[str, Reference] = {"vrf": ("vrfs", ("vrf",))}


def make_number_kinds(view: ClusterView) -> Iterator[Kind]:
    """Yield registries, AS numbers, VLANs, VRFs if there are any, and prefixes."""
    counts = Counter(filter(None, view.devices.asn.tolist()))
    registry = {number: _find_registry(number) for number in sorted(counts)}
    registries = sorted(set(registry.values()))
    yield Kind(
        "ipam/rirs",
        "rirs",
        {
            "name": registries,
            "slug": make_slugs(registries),
            "is_private": ["true" if name == _find_registry(PRIVATE[0][0]) else "false" for name in registries],
        },
        ("name",),
    )
    yield Kind(
        "ipam/asns",
        "asns",
        {
            "asn": list(registry),
            "rir": list(registry.values()),
            "description": [f"{counts[number]:,} switch{'es' * (counts[number] > 1)}" for number in registry],
        },
        ("asn",),
        {"rir": ("rirs", ("rir",))},
        SHARED,
    )
    yield Kind(
        "ipam/vlans",
        "vlans",
        {
            "vid": view.vlans.vid.tolist(),
            # in NetBox a VLAN is the whole fabric's
            "name": [
                " ".join(
                    filter(None, (vlan["fabric"], vlan["tenant"], str(vlan["number"]) if vlan["number"] > 1 else ""))
                )
                for vlan in view.vlans.rows()
            ],
            "status": ["active"] * len(view.vlans),
        },
        ("name",),
    )
    names = sorted(set(view.addresses.vrf) - {""})
    if names:
        yield Kind("ipam/vrfs", "vrfs", {"name": names}, ("name",))
    yield _make_prefix_kind(view, in_vrfs=bool(names))


def _find_registry(number: int) -> str:
    return "RFC 6996" if any(lowest <= number <= highest for lowest, highest in PRIVATE) else "public"


def _make_prefix_kind(view: ClusterView, *, in_vrfs: bool) -> Kind:
    """Return the pools in use, as containers, then subnets with room for several machines, with VRFs if `in_vrfs`.

    The two addresses of a routed link tell its prefix themselves, so that it has no row.
    """
    addresses = view.addresses
    prefix_texts = {("", pool["prefix"]): ("container", f"pool {pool['name']}") for pool in view.pools.rows()}
    for text, kind, vrf in zip(addresses.prefix, addresses.kind, addresses.vrf, strict=True):
        if not text.endswith(("/127", "/128") if ":" in text else ("/31", "/32")):
            prefix_texts.setdefault((vrf, str(ipaddress.ip_interface(text).network)), ("active", kind))
    networks = sorted(prefix_texts, key=lambda key: (":" in key[1], ipaddress.ip_network(key[1]), key[0]))
    key, references = (("vrf", "prefix"), VRF) if in_vrfs else (("prefix",), dict[str, Reference]())
    return Kind(
        "ipam/prefixes",
        "prefixes",
        {
            "prefix": [network for _, network in networks],
            **({"vrf": [vrf for vrf, _ in networks]} if in_vrfs else {}),
            "status": [prefix_texts[network][0] for network in networks],
            "description": [prefix_texts[network][1] for network in networks],
        },
        key,
        references,
        SHARED,
    )


def make_address_kinds(view: ClusterView) -> Iterator[Kind]:
    """Yield three kinds of addresses: plain ones, those by which a device is reached, and those of its BMC.

    They are separate because NetBox's form for CSV takes the mark (`is_primary`, `is_oob`) off a device with each row
    in which it is false.
    """
    (primary_rows, bmc_rows), addresses = _find_primary(view), view.addresses
    # leaves of several planes may share an address towards a NIC: it is an object of the first leaf
    first_rows = {
        address: row for row, address in reversed([*enumerate(zip(addresses.vrf, addresses.prefix, strict=True))])
    }
    plain_rows = {*first_rows.values()} - primary_rows - bmc_rows
    for name, rows, mark in (
        ("ip-addresses", plain_rows, ""),
        ("ip-addresses-primary", primary_rows, "is_primary"),
        ("ip-addresses-oob", bmc_rows, "is_oob"),
    ):
        yield _make_address_kind(view, name, sorted(rows), mark)


def _make_address_kind(view: ClusterView, name: str, rows: list[int], mark: str) -> Kind:
    """Return the kind `name` of IP addresses: those at some rows of the view's addresses.

    `mark` is a column that is true for all of them, such as `is_primary`; "" for none.
    """
    addresses, in_vrfs = view.addresses, any(view.addresses.vrf)
    kinds, ports = addresses.kind[rows].tolist(), addresses.port[rows]
    references: dict[str, Reference] = {"assigned_object_id": ("interfaces", ("device", "interface"))}
    key, vrf_reference = (("vrf", "address"), VRF) if in_vrfs else (("address",), {})
    return Kind(
        "ipam/ip-addresses",
        name,
        {
            "address": addresses.prefix[rows].tolist(),
            "status": ["active"] * len(rows),
            "role": [ROLES.get(kind, "") for kind in kinds],
            "device": np.where(ports == "", "", addresses.device[rows]).tolist(),
            "interface": ports.tolist(),
            "description": kinds,
            **({"vrf": addresses.vrf[rows].tolist()} if in_vrfs else {}),
            **({mark: ["true"] * len(rows)} if mark else {}),
        },
        key,
        references | vrf_reference,
    )


def _find_primary(view: ClusterView) -> tuple[set[int], set[int]]:
    """Return the rows of addresses by which switches are reached, and of the IPv4 addresses of BMCs.

    A switch is reached at its management address of either family, else at its loopback.
    """
    addresses, switches = view.addresses, set(view.devices.name[view.devices.kind == "switch"])
    managed, primary, bmc = set[tuple[str, bool]](), set[int](), set[int]()
    # management addresses first: a loopback counts only on a device without one of its family
    for kind in ("management", "loopback"):
        for row in np.flatnonzero(addresses.kind == kind).tolist():
            device, is_v6 = addresses.device[row], ":" in addresses.prefix[row]
            is_switch = device in switches
            if (device, is_v6) not in managed:
                managed.add((device, is_v6))
                if is_switch or not is_v6:
                    (primary if is_switch else bmc).add(row)
    return primary, bmc
