"""Makes the model of a switch: what its files must say, in terms that belong to no NOS."""

from __future__ import annotations

from dataclasses import replace

from fabricgen.catalog.loader import Catalog
from fabricgen.switch.interfaces import separate_unused
from fabricgen.switch.model import Switch, SwitchManagement, SwitchUser
from fabricgen.views.asked import FEW_KEYS, FEW_RESOLVERS
from fabricgen.views.model.forwarding import model_balancing, model_qos, model_trimming
from fabricgen.views.model.hosts import model_vlan
from fabricgen.views.model.ports import model_bonds, model_interface, place_ports
from fabricgen.views.model.routing import (
    discard_host_blocks,
    is_routed_by_daemon,
    list_announced_prefixes,
    list_loopback_prefixes,
    model_bgp,
    model_own_daemon,
    model_srv6,
)
from fabricgen.views.switch import SwitchView


def model_switch(switch: SwitchView, catalog: Catalog) -> Switch:
    """Return the model of a switch; secrets are those of the view, or references if these were not resolved.

    Whatever its NOS lacks, by the catalogue, is left out: `lint` says so to the blueprint's author. Raises LookupError
    for a NOS that names ports by a port table that the catalogue does not have.
    """
    used, unused = separate_unused({port.name: model_interface(switch, port) for port in switch.ports})
    instances, by_daemon = model_bgp(switch) if switch.asn else {}, is_routed_by_daemon(switch)
    bgp = {
        vrf: replace(instance_of_vrf, announced=list_announced_prefixes(switch, vrf))
        for vrf, instance_of_vrf in instances.items()
    }
    return Switch(
        hostname=switch.name,
        interfaces=used,
        unused=unused | place_ports(switch, catalog).keys() - used.keys(),
        loopbacks=frozenset(list_loopback_prefixes(switch)),
        vrf_loopbacks={loopback.vrf: frozenset(loopback.prefixes) for loopback in switch.vrf_loopbacks},
        management=model_management(switch),
        subinterfaces={(port.name, sub.vlan): sub for port in switch.ports for sub in port.subinterfaces},
        vlans={service.vlan: model_vlan(switch, service) for service in switch.services if service.gateways},
        bonds=model_bonds(switch),
        pair=switch.pair,
        vrfs=frozenset(switch.vrfs),
        bgp={vrf: model_own_daemon(switch, vrf, instance_of_vrf) for vrf, instance_of_vrf in bgp.items()}
        if by_daemon
        else bgp,
        routes=discard_host_blocks(switch) if by_daemon else {**switch.routes, **switch.exits.routes},
        drained=switch.maintenance and any(instance.peers for instance in bgp.values()),
        qos=model_qos(switch),
        overlay=switch.overlay,
        balancing=model_balancing(switch),
        srv6=None if switch.lacks("srv6") else model_srv6(switch),
        trimming=model_trimming(switch),
    )


def model_management(switch: SwitchView) -> SwitchManagement:
    """Return the management of a switch; if its NOS takes few keys and resolvers, only the first."""
    management, dialect = switch.fabric.management, switch.dialect
    addresses = frozenset((address, gateway) for address, gateway in switch.managements if gateway)
    syslog, dns, banner = management.syslog, management.dns, management.banner
    most_keys = 0 if switch.lacks("ssh-keys") else FEW_KEYS if switch.lacks("many-ssh-keys") else None
    most_resolvers = FEW_RESOLVERS if switch.lacks("many-resolvers") else None
    users = {} if switch.lacks("users") else management.users
    accounts = {n: SwitchUser(u.password or "", frozenset(u.ssh_keys[:most_keys]), u.role) for n, u in users.items()}

    def order_servers(servers: tuple[str, ...]) -> tuple[str, ...]:
        """Return servers as stated if the NOS asks them in order, else sorted, so that their order has no effect."""
        return servers if dialect.ranks_servers else tuple(sorted(servers))

    return SwitchManagement(
        addresses=addresses,
        users=accounts,
        aaa=tuple((management.aaa.protocol, server) for server in management.aaa.servers) if management.aaa else (),
        ntp=order_servers(management.ntp),
        dns=order_servers(dns.servers[:most_resolvers]) if dns else (),
        domain=(dns.domain or "") if dns else "",
        syslog=order_servers(syslog.servers) if syslog else (),
        syslog_level=syslog.level if syslog and syslog.servers else "",
        snmp_users=frozenset(management.snmp.users) if management.snmp else frozenset(),
        gnmi_port=(management.gnmi.port or switch.naming.systems.gnmi_port or 0) if management.gnmi else 0,
        login_banner=banner.login if banner else "",
        motd=banner.motd if banner else "",
        timezone=management.timezone or "",
        from_loopback=dialect.sources_servers and bool(switch.own_source and (management.ntp or dns or syslog)),
    )
