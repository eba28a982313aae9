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
    """Return the links that configurations of switches imply, as facts without devices; `switches` has them by name.

    Two ports in a subnet of two addresses are joined. A description joins its port to the far end that it names if
    neither is joined yet and the far end's description names no other port. It is passed over without a note if the
    configuration of the far end was read and has no such port. Notes tell of ports whose descriptions name other far
    ends than their subnets, or far ends that are joined to, or described as joined to, another port.
    """
    links, contradicted = dict[End, End](), list[str]()
    for a, b in _list_subnets(switches):
        links[a], links[b] = b, a
    described = dict(_list_descriptions(switches))
    for end, far_end in described.items():
        note = f"{end.text} is described as joined to {far_end.text}"
        if (joined_end := links.get(end)) and joined_end != far_end:
            contradicted.append(f"{note}, and its subnet joins it to {joined_end.text}")
        elif not joined_end and far_end not in links and described.get(far_end, end) == end:
            if (far_switch := switches.get(far_end.device)) is None or far_end.port in far_switch.model.interfaces:
                links[end], links[far_end] = far_end, end
        elif not joined_end:
            contradicted.append(f"{note}, which is joined to another port")
    notes = cap_notes(contradicted, "descriptions that contradict what else is configured")
    return Facts(tuple(sorted({Link(min(pair), max(pair)) for pair in links.items()})), {}, notes=notes)


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
