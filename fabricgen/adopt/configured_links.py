"""Links that running configurations tell: by descriptions of ports, and by the subnets of links."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from ipaddress import ip_interface

from fabricgen.adopt.facts import End, Facts, Link
from fabricgen.adopt.settings.draft import ReadSwitch
from fabricgen.verify.sightings import cap_notes

_PORT = r"[a-z]{2}-\d+/\d+/\d+(?::\d+)?|[A-Za-z]\w*\d[\w/:.]*"
"""Names of ports, which have a hyphen in Junos alone: tenant-1 is none."""
_FAR_END = re.compile(
    rf"(?:facing[_ -]|(?:link |connected )?to[. _:-])?([\w.-]*\w)[: ]({_PORT})(?: .*)?", re.IGNORECASE
)
"""A description that names a far end: `leaf-1 Ethernet4 ...`, `facing_spine1:et-0/0/0:0` (Apstra), `to.host-1:eth0`."""


def find_configured_links(switches: Mapping[str, ReadSwitch]) -> Facts:
    """Return the links that configurations of switches tell.

    Two ports in a subnet of two addresses are joined; a description joins its port to the far end that it names, if no
    subnet does, and if the far end, where its configuration was read, has that port and names no other. Notes tell of
    ports whose descriptions name other far ends than their subnets, or than the other side.
    """
    links, contradicted = dict[End, End](), list[str]()
    for a, b in _list_subnets(switches):
        links[a], links[b] = b, a
    described = dict(_list_descriptions(switches))
    for near, far in described.items():
        known, told = switches.get(far.device), f"{_name_end(near)} is described as joined to {_name_end(far)}"
        if (joined := links.get(near)) and joined != far:
            contradicted.append(f"{told}, and its subnet joins it to {_name_end(joined)}")
        elif not joined and far not in links and described.get(far, near) == near:
            if known is None or far.port in known.model.interfaces:
                links[near], links[far] = far, near
        elif not joined:
            contradicted.append(f"{told}, which is joined to another port")
    notes = cap_notes(contradicted, "descriptions that contradict what else is configured")
    return Facts(tuple(sorted({Link(min(ends), max(ends)) for ends in links.items()})), {}, notes=notes)


def _name_end(end: End) -> str:
    return f"{end.device} port {end.port}"


def _list_subnets(switches: Mapping[str, ReadSwitch]) -> Iterator[tuple[End, End]]:
    """Yield the two ports of each subnet for two addresses that two switches have a port in."""
    ports: dict[tuple[str, str], set[End]] = defaultdict(set)
    for name, switch in switches.items():
        for port, interface in switch.model.interfaces.items():
            for address in map(ip_interface, interface.addresses):
                if address.network.prefixlen in (address.max_prefixlen - 1, address.max_prefixlen - 2):
                    ports[interface.vrf, str(address.network)].add(End(name, port))
    for ends in ports.values():
        devices = {end.device for end in ends}
        if len(ends) == len(devices) == 2:
            a, b = sorted(ends)
            yield a, b


def _list_descriptions(switches: Mapping[str, ReadSwitch]) -> Iterator[tuple[End, End]]:
    """Yield (port, far end) of each port whose description names one; names of switches go by any capitals."""
    names = {name.lower(): name for name in switches}
    for name, switch in switches.items():
        for port, interface in switch.model.interfaces.items():
            if far := _FAR_END.fullmatch(interface.description):
                yield End(name, port), End(names.get(far[1].lower(), far[1]), far[2])
