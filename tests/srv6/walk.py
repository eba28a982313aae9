"""What SONiC switches do with packets that name their path, by their tables alone: nothing here knows fabricgen.

RFC 9800, 4.1: a switch whose identifier is the first behind the block takes it away, and looks the rest up; RFC 4291:
the longest prefix wins. A packet crosses the link at the port that the route, or the identifier of the link, names.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from ipaddress import IPv6Address, IPv6Network

Port = tuple[str, str]

BLOCK, STEP = 32, 16


def shift(address: IPv6Address, block: int = BLOCK) -> IPv6Address:
    """The address without its first identifier: the others move up, and zeros follow."""
    rest = int(address) & ((1 << 128 - block) - 1)
    return IPv6Address(int(address) >> 128 - block << 128 - block | rest << STEP & (1 << 128 - block) - 1)


class Switch:
    """A switch by its config_db.json."""

    def __init__(self, tables: Mapping[str, Mapping[str, Mapping[str, str]]]) -> None:
        sids = {IPv6Network(key.partition("|")[2]): row for key, row in tables.get("SRV6_MY_SIDS", {}).items()}
        self.nodes = [prefix for prefix, row in sids.items() if row["action"] == "uN"]
        self.links = {prefix: row["interface"] for prefix, row in sids.items() if row["action"] == "uA"}
        self.routes = {
            IPv6Network(key.partition("|")[2]): row.get("ifname", "").split(",")
            for key, row in tables["STATIC_ROUTE"].items()
        }
        (self.block,) = (
            int(row["block_len"]) for row in tables.get("SRV6_MY_LOCATORS", {"": {"block_len": "0"}}).values()
        )

    def forward(self, address: IPv6Address) -> tuple[list[str], IPv6Address]:
        """(ports that a packet may leave by, its destination then); no port where it is dropped."""
        for prefix, port in self.links.items():
            if address in prefix:
                return [port], shift(address, self.block)
        if any(address in prefix for prefix in self.nodes):
            address = shift(address, self.block)
            for prefix, port in self.links.items():
                if address in prefix:
                    return [port], shift(address, self.block)
        matching = [prefix for prefix in self.routes if address in prefix]
        longest = max(matching, key=lambda prefix: prefix.prefixlen, default=None)
        return (self.routes[longest] if longest else []), address


class Fabric:
    """Switches and links of a build, by its files."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.far: dict[Port, Port] = {}
        for row in csv.DictReader(io.StringIO(files["links.csv"])):
            a, b = (row["a_device"], row["a_port"]), (row["b_device"], row["b_port"])
            self.far |= {a: b, b: a}
        self.switches = {
            path.split("/")[1]: Switch(json.loads(text))
            for path, text in files.items()
            if path.endswith("/config_db.json")
        }

    def walk(self, start: Port, destination: str, broken: Port | None = None) -> tuple[list[Port], str]:
        """(the ports that a packet leaves by, from that of the NIC on; what is left of its destination in the end).

        It stops at `broken`, an end of a lost link; where a switch may choose among ports, the first is taken.
        """
        address, crossed, port = IPv6Address(destination), [start], start
        while True:
            far = self.far[port]
            if broken in (port, far):
                return crossed, "lost"
            if far[0] not in self.switches:
                return [*crossed, far], str(address)
            ports, address = self.switches[far[0]].forward(address)
            if not ports:
                return crossed, "dropped"
            port = far[0], ports[0]
            crossed.append(port)
