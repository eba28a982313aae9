"""A DHCP client on a raw socket (RFC 2131): DISCOVER, OFFER, REQUEST, ACK; says what it was given.

Run in a host's namespace with its interface: `python dhcp_client.py eth1 [OPTION]`. It asks again every half second.
"""

from __future__ import annotations

import socket
import struct
import sys
import time

MAGIC = b"\x63\x82\x53\x63"
DISCOVER, OFFER, REQUEST, ACK = 1, 2, 3, 5
TRANSACTION = b"\x0f\xab\x71\xc5"
SECONDS = 300
"""How long somebody who answers is waited for; where nobody should, the caller ends it sooner."""


def _checksum(data: bytes) -> int:
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total & 0xFFFF) + (total >> 16)
    return ~(total + (total >> 16)) & 0xFFFF


def packet(mac: bytes, kind: int, options: bytes = b"") -> bytes:
    """An Ethernet frame with a broadcast request."""
    fixed = struct.pack("!4B4s2H4s4s4s4s16s192x", 1, 1, 6, 0, TRANSACTION, 0, 0x8000, *[bytes(4)] * 4, mac)
    bootp = fixed + MAGIC + bytes([53, 1, kind]) + options + b"\xff"
    udp = struct.pack("!4H", 68, 67, 8 + len(bootp), 0) + bootp
    head = struct.pack("!2B3H2BH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, bytes(4), b"\xff" * 4)
    head = head[:10] + struct.pack("!H", _checksum(head)) + head[12:]
    return b"\xff" * 6 + mac + b"\x08\x00" + head + udp


def answer(frame: bytes) -> tuple[int, str, dict[int, bytes]] | None:
    """(kind, address, options) of a reply to this client; None for any other frame."""
    place = 14 + 4 * (frame[14] & 15)
    if frame[12:14] != b"\x08\x00" or frame[23] != 17 or frame[place : place + 4] != struct.pack("!2H", 67, 68):
        return None
    bootp = frame[place + 8 :]
    if bootp[4:8] != TRANSACTION or bootp[236:240] != MAGIC:
        return None
    options, rest = {}, bootp[240:]
    while rest and rest[0] != 255:
        if rest[0] == 0:
            rest = rest[1:]
            continue
        options[rest[0]], rest = rest[2 : 2 + rest[1]], rest[2 + rest[1] :]
    return options[53][0], socket.inet_ntoa(bootp[16:20]), options


def main(interface: str, option: int = 0) -> None:
    """Write `ADDRESS MASK ROUTER` and the option that is asked for, as text or in hexadecimal, or nothing where nobody
    answers.
    """
    own = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0003))
    own.bind((interface, 0))
    own.settimeout(0.5)
    asked = bytes([55, 3, 1, 3, option]) if option else b""
    mac, deadline = own.getsockname()[4], time.monotonic() + SECONDS
    request = packet(mac, DISCOVER, asked)
    own.send(request)
    while time.monotonic() < deadline:
        try:
            found = answer(own.recv(2000))
        except TimeoutError:
            own.send(request)
            continue
        if found is None:
            continue
        kind, address, options = found
        if kind == OFFER:
            wanted = asked + bytes([50, 4]) + socket.inet_aton(address) + bytes([54, 4]) + options[54]
            request = packet(mac, REQUEST, wanted)
            own.send(request)
        elif kind == ACK:
            text = options.get(option, b"").decode("latin-1")
            told = [text if text.isascii() and text.isprintable() else options[option].hex()] if text else []
            sys.stdout.write(" ".join([address, socket.inet_ntoa(options[1]), socket.inet_ntoa(options[3]), *told]))
            return


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
