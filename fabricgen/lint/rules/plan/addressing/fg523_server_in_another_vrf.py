"""FG523: a server is in a network that those who ask it have no route to."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_network
from typing import TYPE_CHECKING

from fabricgen.design.extras.exits import list_exits
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.rules.design.addressing.fg519_announced_wrongly import PRIVATE, is_to_provider, list_far_asns
from fabricgen.lint.subjects.addressing import is_within, list_drawn_prefixes, list_management_servers
from fabricgen.lint.subjects.managed import list_managed_fabrics
from fabricgen.lint.subjects.ways_out import is_led_out, list_exits_towards

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.design.fabric_model import FabricDesign
    from fabricgen.design.model import Design
    from fabricgen.lint.subjects.address_owners import Owner

Asker = tuple[str, tuple[tuple["FabricDesign", str], ...]]
"""(who asks a server in words, the (fabric, VRF) pairs in which they may ask; the VRF is "" for the default one)."""


class ServerInAnotherVrf(PlanRule):
    """The plan gives a server's address to a device in a VRF, or a fabric, that those who ask it have no route to.

    Switches ask from their management ports, over the fabric that takes these, SONiC's from the ports of their own
    fabric as well; gateways relay DHCP in the VRF of their hosts, a tenant's too. From there a packet comes to what is
    in the same VRF of linked fabrics, to what a `leak` shows, and to where an exit leads. A carried fabric, and one
    that is `below` another's switches, has a VRF of its own unless it states `vrf: default`. A server outside of the
    plan is not judged: the plan does not know how it is reached. But a private address that only a provider's default
    route leads to is not: providers have no routes to private space (RFC 1918, 3).

    Use an address that the server has in the network of those who ask, put both into one VRF, or state a `leak`.
    """

    severity = Severity.WARNING
    bad = """
        fabrics:
          inband:
            protocol: ethernet
            tiers: {leaf: {switch: sn4600c}}
            extra: {mgmt: {device: mgmt-server}}
            pools: {hosts: 172.20.0.0/16}
          oob: {protocol: ethernet, attach: bmc, also: switches, tiers: {leaf: {switch: sn2201}}}
        management:
          ntp: 172.20.0.65  # <-
    """
    good = """
        fabrics:
          inband:
            protocol: ethernet
            tiers: {leaf: {switch: sn4600c}}
            extra: {mgmt: {device: mgmt-server}}
            pools: {hosts: 172.20.0.0/16}
          oob:
            protocol: ethernet
            attach: bmc
            also: switches
            vrf: default
            tiers: {leaf: {switch: sn2201, below: inband.leaf, uplinks: 2 x 100G}}
        management: {ntp: 172.20.0.65}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag servers that are nodes or extra devices in a VRF that those who ask have no route to, and servers
        outside of the plan that no exit leads to from their VRF.
        """
        from fabricgen.lint.subjects.address_owners import find_owner
        from fabricgen.wiring.tables import SWITCH

        reported: set[Path] = set()  # servers outside of the plan have one finding for each list of servers
        for path, address, askers in _list_questions(cluster):
            owner = find_owner(cluster, address)
            if owner is None:
                by_exits = list(self._check_exits(cluster.design, path, address, askers))
                yield from by_exits if path not in reported else ()
                reported |= {path} if by_exits else set()
                continue
            if owner.of_class.kind == SWITCH or owner.is_bmc:
                continue
            for who, networks in askers:
                if not any(_is_reached(cluster.design, fabric, vrf, owner, address) for fabric, vrf in networks):
                    network = f"VRF {owner.vrf}" if owner.vrf else f"the default VRF of {owner.fabric}"
                    port = f"{cluster.names[owner.device]}'s {owner.port} in {network}"
                    message = f"{address} is {port}, to which {who} have no route"
                    hint = "use an address that it has in their network, one `vrf` for both, or a `leak`"
                    yield self.flag(path, message, hint)
                    break

    def _check_exits(
        self, design: Design, path: Path, address: IPv4Address | IPv6Address, askers: list[Asker]
    ) -> Iterator[Diagnostic]:
        """Flag a server outside of the plan if only a provider's default route leads to its private address, or if
        exits lead to it from another VRF alone.
        """
        server = ip_network(address)
        networks_of_askers = ((fabric.name, vrf) for _, networks in askers for fabric, vrf in networks)
        leading = [pair for name, vrf in networks_of_askers for pair in list_exits_towards(design, name, vrf, server)]
        asns = [asn for exit_, _ in leading for asn in sorted(list_far_asns(exit_))]
        by_default = asns and all(not prefix.prefixlen and is_to_provider(e) for e, prefix in leading)
        is_private = by_default and any(is_within(server, space) for space in PRIVATE)
        if is_private and not any(is_within(server, pool) for _, pool in list_drawn_prefixes(design)):
            message = (
                f"{address} is private, and only the default route of AS {asns[0]} leads there, which has no route"
            )
            yield self.flag(path, message, "state its prefix in `accept` of the exit that leads there")
            return
        for who, networks in askers if path[-2] != "dhcp" else ():
            if not any(is_led_out(design, fabric.name, vrf, server) for fabric, vrf in networks):
                other_vrfs = {(fabric.name, e.vrf) for fabric, _ in networks for e in list_exits(design)}
                if any(is_led_out(design, name, vrf, server) for name, vrf in other_vrfs):
                    message = f"an exit leads to {address} from another VRF, and {who} have no route to it"
                    hint = "put their VRF and that of the exit into one: `vrf: default`"
                    # the VRFs of tenants stay apart
                    if all(e.tenant for e in list_exits(design)):
                        example = f"{{default: false, accept: {server}}}"
                        hint = (
                            f"the exits are of tenants: give {networks[-1][0].name} one of its own, such as {example}"
                        )
                    yield self.flag(path, message, hint)
                    return


def _list_questions(cluster: Cluster) -> Iterator[tuple[Path, IPv4Address | IPv6Address, list[Asker]]]:
    """Yield (path, address, who asks it) for each server of the switches, and each server that DHCP is relayed to."""
    design = cluster.design
    for path, server in list_management_servers(design):
        asking = [f for f, _, _ in list_managed_fabrics(design) if path[0] == "management" or path[1] == f.name]
        askers = [asker for fabric in asking for asker in _list_asking_switches(design, fabric)]
        yield path, server.network_address, askers
    for fabric in design.fabrics:
        dhcp = design.loaded.blueprint.fabrics[fabric.name].dhcp
        for server in map(ip_network, dhcp.servers if dhcp else ()):
            yield (*fabric.path, "dhcp", "servers"), server.network_address, _list_asking_hosts(cluster, fabric)


def _list_asking_switches(design: Design, fabric: FabricDesign) -> Iterator[Asker]:
    """Yield the tiers of a fabric as askers: in the fabric that their management ports attach to, and in their own
    fabric too if their NOS has no VRF for management ports. The tiers of the fabric that takes management ports ask in
    that fabric alone.
    """
    oob = next((f for f in design.fabrics if f.managed_devices), None)
    for tier in fabric.tiers if oob else ():
        has_vrf = design.catalog.naming(tier.nos).configuration.management_vrf
        # "" is the default VRF
        inside = ((fabric, ""),) if fabric is oob or not has_vrf else ()
        yield f"switches of {tier.text}", (*inside, *(((oob, oob.vrf),) if oob and fabric is not oob else ()))


def _list_asking_hosts(cluster: Cluster, fabric: FabricDesign) -> list[Asker]:
    """Return the hosts of a fabric as askers by their VRFs: the hosts of no tenant, then those of each tenant."""
    from fabricgen.wiring.tenants import find_link_tenants

    name = fabric.carrier if fabric.shares_ports else fabric.name
    links, tenants = cluster.plan.links, cluster.design.tenants
    owners = {-1}
    if tenants:
        tenant_of_link = find_link_tenants(cluster.design, cluster.plan, fabric.name)
        segments = (i for i, s in enumerate(links.segments) if s.fabric == name and s.lower == "node")
        owners = {int(owner) for i in segments for owner in set(tenant_of_link[links.find_rows(i)].tolist())}
    names_and_vrfs = ((tenants[i].name,) * 2 if i >= 0 else (fabric.name, fabric.vrf) for i in sorted(owners))
    return [(f"hosts of {name}", ((fabric, vrf),)) for name, vrf in names_and_vrfs]


def _is_reached(
    design: Design, fabric: FabricDesign, vrf: str, owner: Owner, address: IPv4Address | IPv6Address
) -> bool:
    """Whether packets from a VRF of a fabric reach the owner of an address: in linked fabrics by the same VRF or a
    leak, or by an exit.
    """
    from fabricgen.design.linked import group_linked_fabrics

    linked = next(names for names in group_linked_fabrics(design.loaded.blueprint.fabrics) if fabric.name in names)
    server = ip_network(address)
    if owner.fabric in linked:
        shown = [leak.prefixes.get(owner.vrf) for leak in design.leaks if leak.find_source_vrf(vrf) == owner.vrf]
        is_leaked = any(
            prefixes is None or any(is_within(server, ip_network(p)) for p in prefixes) for prefixes in shown
        )
        if owner.vrf == vrf or is_leaked:
            return True
    return is_led_out(design, fabric.name, vrf, server)
