"""FG518: the address of an exit is taken."""

from collections.abc import Iterator
from ipaddress import ip_interface, ip_network
from typing import NamedTuple

from fabricgen.design.extras.exits import ExitDesign, pair_addresses
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.addressing import is_overlapping, list_drawn_prefixes
from fabricgen.lint.subjects.ways_out import group_exits
from fabricgen.numbering.blocks.family import Network


class _LinkEnd(NamedTuple):
    """The cluster's end of a link of an exit, with stated addresses."""

    path: Path
    text: str
    """The address of this end, as written."""
    switch: tuple[str, int]
    """(tier, number of the switch)."""
    address: int
    far: int
    """The address of the far end."""
    subnet: Network


class ExitAddressTaken(DesignRule):
    """A stated address of a way out lies in a pool, or is another's already.

    The build gives addresses of the pools in use to hosts, switches and links: one that a provider gave you may be
    given twice. Leave it out of your pools, or state none, and the build numbers the link.

    Two links with one own address, or two of a switch in one subnet, do not come up, or answer for each other.
    """

    severity = Severity.ERROR
    bad = """
        pools: {hosts: 172.16.0.0/16}
        fabrics:
          compute:
            extra: {wan: {device: external-router, names: [isp-1, isp-2], ports: 1, attach: inband, to: spine}}
            exits:
              internet:
                to: wan
                asn: 64496
                devices:
                  isp-1:
                    links:
                      port1: {own: 172.16.0.1/31}  # <-
    """
    good = """
        pools: {hosts: 172.16.0.0/16}
        fabrics:
          compute:
            extra: {wan: {device: external-router, names: [isp-1, isp-2], ports: 1, attach: inband, to: spine}}
            exits: {internet: {to: wan, asn: 64496, devices: {isp-1: {links: {port1: {own: 192.0.2.1/31}}}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare stated addresses of exits with the pools in use, and with each other within a VRF."""
        pools = [prefix for _, prefix in list_drawn_prefixes(design)]
        for exits in group_exits(design):
            earlier: list[_LinkEnd] = []
            for end in (link for exit_ in exits for link in _list_stated_ends(exit_)):
                yield from self._compare_ends(end, earlier)
                earlier.append(end)
            for path, text, subnet in (row for exit_ in exits for row in _list_subnets(exit_)):
                pool = next((pool for pool in pools if is_overlapping(pool, subnet)), None)
                if pool is not None:
                    yield self.flag(path, f"{text} lies in the pool {pool}", "use an address outside of your pools")

    def _compare_ends(self, end: _LinkEnd, earlier: list[_LinkEnd]) -> Iterator[Diagnostic]:
        """Flag a link end that shares an address, or a subnet on one switch, with one of the earlier ends."""
        for other in earlier:
            if other.subnet.version != end.subnet.version:
                continue
            # two far ends may have one address, since several links may lead to one router
            is_shared = end.address in (other.address, other.far) or end.far == other.address
            if is_shared or (end.switch == other.switch and is_overlapping(end.subnet, other.subnet)):
                clash = "shares an address with" if is_shared else "is on the same switch and in one subnet with"
                message = f"the link of {end.text} {clash} that of {other.text}"
                yield self.flag(end.path, message, "state the addresses that each link's owner gave")
                return


def _list_stated_ends(exit_: ExitDesign) -> Iterator[_LinkEnd]:
    """Yield the ends of the links of an exit whose addresses are stated, once for each address family."""
    extra = exit_.extra
    switch_of_port = {
        (extra.devices[link.device], extra.attachment.legs[link.leg].name): link.switch for link in extra.links
    }
    for name, device in exit_.spec.devices.items():
        for port, link in device.links.items():
            pairs = pair_addresses(link)
            for text in link.own:
                # pairs are by whether they are of IPv6
                own, far, _ = pairs[":" in text]
                switch = (extra.tier.text, switch_of_port[name, port])
                yield _LinkEnd(_make_link_path(exit_, name, port), text, switch, own, far, ip_interface(text).network)


def _list_subnets(exit_: ExitDesign) -> Iterator[tuple[Path, str, Network]]:
    """Yield (path, text as written, prefix) of all stated addresses of an exit: subnets of links, loopbacks of far
    devices.
    """
    for name, device in exit_.spec.devices.items():
        for port, link in device.links.items():
            yield from ((_make_link_path(exit_, name, port), text, ip_interface(text).network) for text in link.own)
        path = (*exit_.path, "devices", name, "loopback")
        yield from ((path, text, ip_network(text)) for text in device.loopback or ())


def _make_link_path(exit_: ExitDesign, device: str, port: str) -> Path:
    return (*exit_.path, "devices", device, "links", port)
