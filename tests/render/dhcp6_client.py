"""A host of IPv6: hears router advertisements (RFC 4861), and asks DHCPv6 for an address where these say so (RFC 8415).

Run in a host's namespace with its interface: `python dhcp6_client.py eth0 SECONDS`. It writes as JSON what was
advertised, and what it was given: Solicit, Advertise, Request, Reply. It asks again every half second. With a third
word, `unadvertised`, it asks without having heard anything.
"""

from __future__ import annotations

import json
import socket
import struct
import sys
import time
from collections.abc import Iterator
from ipaddress import IPv6Address
from pathlib import Path
from typing import Any

SOLICIT, ADVERTISE, REQUEST, REPLY = 1, 2, 3, 7
CLIENT_ID, SERVER_ID, IA_NA, IA_ADDRESS, ELAPSED = 1, 2, 3, 5, 8
TRANSACTION = b"\x0f\xab\x71"
ROUTER_SOLICITATION, ROUTER_ADVERTISEMENT, PREFIX, RESOLVERS = 133, 134, 3, 25
MANAGED, OTHER, ON_LINK, AUTONOMOUS = 0x80, 0x40, 0x80, 0x40


def option(code: int, content: bytes) -> bytes:
    """An option of DHCPv6."""
    return struct.pack("!2H", code, len(content)) + content


def options(data: bytes) -> dict[int, bytes]:
    """Options of DHCPv6 by code; of several with one code the last."""
    found = {}
    while len(data) >= 4:
        code, length = struct.unpack("!2H", data[:4])
        found[code], data = data[4 : 4 + length], data[4 + length :]
    return found


def advertisement(message: bytes) -> dict[str, Any]:
    """What a router advertisement says: flags, seconds, prefixes with theirs, resolvers."""
    flags, lifetime = message[5], struct.unpack("!H", message[6:8])[0]
    found: dict[str, Any] = {"managed": bool(flags & MANAGED), "other": bool(flags & OTHER), "lifetime_s": lifetime}
    prefixes: dict[str, dict[str, bool]] = {}
    resolvers: list[str] = []
    for kind, content in _neighbour_options(message[16:]):
        if kind == PREFIX:
            own = {"on_link": bool(content[1] & ON_LINK), "autoconfig": bool(content[1] & AUTONOMOUS)}
            prefixes[f"{IPv6Address(content[14:30])}/{content[0]}"] = own
        elif kind == RESOLVERS:
            resolvers += [str(IPv6Address(content[at : at + 16])) for at in range(6, len(content), 16)]
    return {**found, "prefixes": prefixes, "resolvers": resolvers}


def _neighbour_options(data: bytes) -> Iterator[tuple[int, bytes]]:
    while data and data[1]:
        yield data[0], data[2 : 8 * data[1]]
        data = data[8 * data[1] :]


def _hear(interface: str, deadline: float) -> dict[str, Any] | None:
    """The first router advertisement before a time, with the router's address."""
    own = socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, interface.encode())
    own.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
    own.settimeout(0.5)
    index = socket.if_nametoindex(interface)
    while time.monotonic() < deadline:
        own.sendto(struct.pack("!2BHI", ROUTER_SOLICITATION, 0, 0, 0), ("ff02::2", 0, 0, index))
        try:
            while time.monotonic() < deadline:
                message, (router, *_) = own.recvfrom(2000)
                if message[0] == ROUTER_ADVERTISEMENT:
                    return {**advertisement(message), "router": router.partition("%")[0]}
        except TimeoutError:
            continue
    return None


def _lease(interface: str, deadline: float) -> str | None:
    """The address that a DHCPv6 server gives before a time."""
    mac = bytes.fromhex(Path(f"/sys/class/net/{interface}/address").read_text().strip().replace(":", ""))
    own = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, interface.encode())
    own.bind(("::", 546))
    own.settimeout(0.5)
    wanted = option(CLIENT_ID, b"\x00\x03\x00\x01" + mac) + option(ELAPSED, bytes(2))
    message = bytes([SOLICIT]) + TRANSACTION + wanted + option(IA_NA, struct.pack("!3I", 1, 0, 0))
    to = ("ff02::1:2", 547, 0, socket.if_nametoindex(interface))
    own.sendto(message, to)
    while time.monotonic() < deadline:
        try:
            kind, told = _message(own.recv(2000))
        except TimeoutError:
            own.sendto(message, to)
            continue
        address = options(told.get(IA_NA, b"")[12:]).get(IA_ADDRESS, b"")[:16]
        if kind == ADVERTISE and address:
            asked = wanted + option(SERVER_ID, told[SERVER_ID]) + option(IA_NA, told[IA_NA])
            message = bytes([REQUEST]) + TRANSACTION + asked
            own.sendto(message, to)
        elif kind == REPLY and address:
            return str(IPv6Address(address))
    return None


def _message(data: bytes) -> tuple[int, dict[int, bytes]]:
    """(kind, options) of a message to this client."""
    return (data[0], options(data[4:])) if data[1:4] == TRANSACTION else (0, {})


def main(interface: str, seconds: float, unadvertised: str = "") -> None:
    """Write what was advertised and given within some seconds; null for nothing."""
    deadline = time.monotonic() + seconds
    heard = None if unadvertised else _hear(interface, deadline)
    given = _lease(interface, deadline) if unadvertised or (heard and heard["managed"]) else None
    sys.stdout.write(json.dumps({"heard": heard, "given": given}))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), *sys.argv[3:])
