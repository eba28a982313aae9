"""FG519: what an exit announces is not yours, is private, or leaves out hosts."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network

from fabricgen.design.extras.exits import ExitDesign, list_exits
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.addressing import is_overlapping, is_within, list_drawn_prefixes, list_management_servers
from fabricgen.lint.subjects.ways_out import (
    list_exits_towards,
    list_host_prefixes,
    make_entry_path,
)
from fabricgen.numbering.blocks.family import Network

PRIVATE = tuple(map(ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7")))

NOT_PUBLIC = ((64496, 64511), (64512, 65534), (65536, 65551), (4200000000, 4294967294))
"""(first, last) AS numbers of documentation (RFC 5398) and for private use (RFC 6996)."""


class AnnouncedWrongly(DesignRule):
    """An exit announces addresses that are in no pool in use, private ones to a public AS, or none of its hosts'.

    An aggregate that is larger than the pools draws in the traffic of others, which is dropped. Private prefixes (RFC
    1918, RFC 6598, RFC 4193) are filtered by whoever has a public AS number, unless it is your own company.

    Hosts whose prefixes are left out send packets by the default route and never get an answer, unless the far device
    translates addresses or has routes of its own; an exit that announces nothing is taken for such a one. So do
    management ports that ask their servers over the exits of switches above.
    """

    severity = Severity.WARNING
    bad = """
        pools: {hosts: 172.16.0.0/16}
        fabrics:
          compute:
            extra: {wan: {device: external-router, count: 2, ports: 1, attach: inband, to: spine}}
            exits:
              internet:
                to: wan
                asn: 64496
                announce: 172.0.0.0/8  # <-
    """
    good = """
        pools: {hosts: 172.16.0.0/16}
        fabrics:
          compute:
            extra: {wan: {device: external-router, count: 2, ports: 1, attach: inband, to: spine}}
            exits: {internet: {to: wan, asn: 64496, announce: 172.16.0.0/16}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare announced prefixes with the pools in use, and the pools of hosts and management ports with what is
        announced.
        """
        pools = [prefix for _, prefix in list_drawn_prefixes(design)]
        for exit_ in list_exits(design):
            announced = [ip_network(text) for text in exit_.spec.announce or ()]
            for index, prefix in enumerate(announced):
                path = make_entry_path(exit_, "announce", index, len(announced))
                if not any(is_within(prefix, pool) for pool in pools):
                    yield self.flag(path, f"{prefix} is in no pool of yours", "announce a pool, or a part of one")
                public = [
                    asn for asn in list_far_asns(exit_) if not any(first <= asn <= last for first, last in NOT_PUBLIC)
                ]
                if public and any(is_within(prefix, private) for private in PRIVATE):
                    message = f"{prefix} is private, and AS {public[0]} is public: it drops it"
                    yield self.flag(path, message, "announce public addresses; waive this for your own company's AS")
            yield from self._check_hosts(design, exit_, announced)
        for fabric in (fabric for fabric in design.fabrics if fabric.managed_devices):
            yield from self._check_management(design, fabric)

    def _check_hosts(self, design: Design, exit_: ExitDesign, announced: list[Network]) -> Iterator[Diagnostic]:
        """Flag pools of hosts of which an exit with a default route announces nothing."""
        hosts = dict.fromkeys(list_host_prefixes(design, exit_)) if announced and exit_.spec.default else ()
        for pool in hosts:
            if not any(is_overlapping(pool, prefix) for prefix in announced):
                message = f"hosts of the pool {pool} leave by {exit_.name}, which announces none of it: no answer comes"
                yield self.flag((*exit_.path, "announce"), message, f"announce {pool} too")

    def _check_management(self, design: Design, fabric: FabricDesign) -> Iterator[Diagnostic]:
        """Flag pools of management ports that no exit announces, if all exits to their servers are of other fabrics.

        Servers behind a provider are left to FG523.
        """
        servers = [server for path, server in list_management_servers(design) if path[0] == "management"]
        leading = [(exit_, s) for s in servers for exit_, _ in list_exits_towards(design, fabric.name, fabric.vrf, s)]
        if not leading or any(e.fabric is fabric or not e.spec.announce or is_to_provider(e) for e, _ in leading):
            return
        announced = [ip_network(text) for exit_, _ in leading for text in exit_.spec.announce or ()]
        exit_, server = leading[0]
        for pool in dict.fromkeys(list_host_prefixes(design, exit_._replace(fabric=fabric))):
            if pool.version == server.version and not any(is_overlapping(pool, prefix) for prefix in announced):
                ports = f"management ports, of the pool {pool}, ask {server.network_address} by {exit_.name}"
                message = f"{ports}, which announces none of it: no answer comes"
                yield self.flag((*exit_.path, "announce"), message, f"announce {pool} too")


def is_to_provider(exit_: ExitDesign) -> bool:
    """Whether an exit leads to public AS numbers; a number for documentation (RFC 5398) counts as public."""
    asns = list_far_asns(exit_)
    return bool(asns) and not any(first <= asn <= last for asn in asns for first, last in NOT_PUBLIC[1:])


def list_far_asns(exit_: ExitDesign) -> set[int]:
    """Return the AS numbers of the devices that an exit leads to; a device that states none has the exit's."""
    asn_of_device = {name: device.asn for name, device in exit_.spec.devices.items()}
    return {asn_of_device.get(name) or exit_.spec.asn or 0 for name in exit_.extra.devices} - {0}
